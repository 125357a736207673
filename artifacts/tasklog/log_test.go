package tasklog

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "ab", "abcd")
	quiet := New(path)
	if n, err := quiet.Write(nil); n != 0 || err != nil {
		t.Errorf("no words: %d, %v", n, err)
	}
	if err := quiet.Close(); err != nil || quiet.Tail(5) != "" {
		t.Errorf("a log without words: %v, %q", err, quiet.Tail(5))
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a log without words has a file")
	}
	for _, text := range []string{"one\ntwo\nthree\n", "again"} { // the second replaces the first
		l := New(path)
		l.Write([]byte(text))
		need.Equal(t, read(t, path), text, "the log is", "while the task runs")
		need.NoError(t, l.Close())
		need.Error(t, l.Close(), "the log is closed")
		need.Equal(t, read(t, path), text, "the log is", "after it was closed twice")
		if got, want := l.Tail(2), map[string]string{"again": "again"}[text]; want != "" && got != want || want == "" &&
			got != "two\nthree" {
			t.Errorf("the last two lines of %q: %q", text, got)
		}
	}
	need.NoError(t, New(path).Close())
	if _, err := os.Stat(path); err == nil {
		t.Error("an older log stands for work without words")
	}
}

// What does not fit is cut in the middle, wherever the pieces end.
func TestLogIsBounded(t *testing.T) {
	for _, size := range []int{logHead - 1, logHead, logHead + 1, logHead + logEnd, logHead + logEnd + 1, 2 * logHead} {
		for _, piece := range []int{1 << 12, 1<<20 - 7, 3 * logHead} {
			path := filepath.Join(t.TempDir(), "log")
			l := New(path)
			text := bytes.Repeat([]byte("0123456789\n"), size/11+1)[:size]
			for at := 0; at < size; at += piece {
				l.Write(text[at:min(at+piece, size)])
			}
			need.NoError(t, l.Close())
			got := read(t, path)
			switch {
			case size <= logHead+logEnd:
				if got != string(text) {
					t.Errorf("%d bytes in pieces of %d: %d were kept, or others", size, piece, len(got))
				}
			case !strings.HasPrefix(got, string(text[:logHead])) ||
				!strings.HasSuffix(got, string(text[size-logEnd:])) || !strings.Contains(got, " bytes left out …\n"):
				t.Errorf("%d bytes in pieces of %d: beginning or end is lost", size, piece)
			}
		}
	}
}

// A log that cannot be written holds nobody up, and its end can still be told.
func TestLogWithoutPlace(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.WriteFile(dir+"/logs", nil, 0o666))
	l := New(dir + "/logs/abcd")
	if n, err := l.Write([]byte("no room\n")); n != 8 || err != nil {
		t.Error(n, err)
	}
	if l.Tail(3) != "no room" || l.Close() == nil {
		t.Errorf("%q, %v", l.Tail(3), l.Close())
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	return string(b)
}
