// Package tasklog writes what a task says while it is carried out.
package tasklog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"prgnn/artifacts/whole"
)

// A Log is what a task says while it is carried out: text for people, kept under
// the key of the work, so that a result can be asked for its log long after. It is
// no result: nothing depends on it, it is not synced, and a log that cannot be
// written fails no task. The next time that the same work is done, it is replaced.
//
// The file is made with the first word, so that a task which says nothing costs
// nothing. A log that grows without end is cut in its middle.
type Log struct {
	path string

	mu    sync.Mutex // guards all below: a stage may speak in many goroutines
	f     *os.File
	kept  int64  // bytes in f
	last  []byte // the end of what was said, at most 2 logEnd bytes
	after int64  // bytes said once f was full; the last of them are in last
	err   error
}

const (
	logHead = 8 << 20 // bytes written as they come
	logEnd  = 1 << 16 // bytes kept of what comes after, and the most that Tail tells
)

// New begins the log in a file.
func New(path string) *Log { return &Log{path: path} }

// Write adds to the log. It always succeeds: see Close.
func (l *Log) Write(p []byte) (int, error) {
	if len(p) == 0 { // at the end of a command without output
		return 0, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil && l.err == nil {
		l.f, l.err = createLog(l.path)
	}
	l.last = append(l.last, p[max(0, len(p)-logEnd):]...)
	if len(l.last) > 2*logEnd {
		l.last = append(l.last[:0], l.last[len(l.last)-logEnd:]...)
	}
	now := p[:min(int64(len(p)), max(0, logHead-l.kept))]
	l.after += int64(len(p) - len(now))
	if l.err == nil && len(now) > 0 {
		var n int
		n, l.err = l.f.Write(now)
		l.kept += int64(n)
	}
	return len(p), nil
}

// WriteLine adds whole lines of their own, also behind one that has no end yet.
func (l *Log) WriteLine(text string) {
	l.mu.Lock()
	begun := len(l.last) > 0 && l.last[len(l.last)-1] != '\n'
	l.mu.Unlock()
	text = strings.TrimRight(text, "\n") + "\n"
	if begun {
		text = "\n" + text
	}
	_, _ = l.Write([]byte(text)) // which succeeds
}

// createLog replaces an older log in place of writing over it: somebody may be
// reading that.
func createLog(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	const flags = os.O_CREATE | os.O_EXCL | os.O_WRONLY
	f, err := os.OpenFile(path, flags, 0o666)
	if errors.Is(err, os.ErrNotExist) {
		if err = whole.MkdirAll(filepath.Dir(path)); err == nil {
			f, err = os.OpenFile(path, flags, 0o666)
		}
	}
	if err == nil {
		_ = whole.ShareFile(path)
	}
	return f, err
}

// Tail is the end of the log: at most this many lines, the long ones cut.
func (l *Log) Tail(lines int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	end := len(l.last)
	for end > 0 && l.last[end-1] == '\n' {
		end--
	}
	from := end
	for from > 0 && end-from < logEnd {
		if l.last[from-1] == '\n' {
			if lines--; lines == 0 {
				break
			}
		}
		from--
	}
	text := strings.Split(string(l.last[from:end]), "\n")
	for i, line := range text {
		if len(line) > longestLine {
			text[i] = strings.ToValidUTF8(line[:longestLine], "") + " … (this line is cut)"
		}
	}
	return strings.Join(text, "\n")
}

// longestLine is how much of a line Tail gives, bytes.
const longestLine = 1000

// Close ends the log, and tells what kept it from being written.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil && l.err == nil { // without words: an older log is not of this work
		if err := os.Remove(l.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			l.err = err
		}
	}
	if l.f == nil {
		return l.err
	}
	if l.after > 0 && l.err == nil {
		end := l.last[max(0, int64(len(l.last))-min(l.after, logEnd)):]
		if left := l.after - int64(len(end)); left > 0 {
			_, l.err = fmt.Fprintf(l.f, "\n… %d bytes left out …\n", left)
		}
		if l.err == nil {
			_, l.err = l.f.Write(end)
		}
	}
	err := errors.Join(l.err, l.f.Close())
	l.f, l.err = nil, errors.New("the log is closed")
	return err
}
