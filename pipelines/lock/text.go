package lock

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"prgnn/artifacts"
)

const (
	magic   = "prgnn lock 1"
	maxSize = 1 << 30 // bytes: a million tasks have some 300 MB
)

// Encode writes the lock as text.
func (l *Lock) Encode() ([]byte, error) {
	w := &writer{}
	w.line(magic)
	w.from = w.Len()
	w.line("pipeline", l.Pipeline)
	w.line("program", l.Program.Version, orNone(l.Program.Revision), l.Program.Go)
	w.line("platform", l.Program.Platform)
	w.line("file", l.File)
	for line := range strings.Lines(l.Text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" { // an editor would take the blank away
			line = " " + line
		}
		w.WriteString("|" + line + "\n")
	}
	if l.Text != "" && !strings.HasSuffix(l.Text, "\n") {
		w.line("open") // the last line of the text has no line end
	}
	for _, s := range l.Sets {
		w.line("set", strconv.Quote(s))
	}
	for _, c := range l.Codes {
		w.line("code", c.Kind, c.Digest)
	}
	w.sum()
	for _, s := range l.Stages {
		w.WriteByte('\n')
		w.from = w.Len()
		w.line("stage", s.Name, s.Kind)
		for _, p := range s.Parameters {
			w.line("parameter", p)
		}
		for _, m := range s.Machine {
			w.line("machine", m)
		}
		for _, t := range s.Tasks {
			w.line("task", t.Key.String(), t.ID)
			for _, f := range t.Files {
				w.line("input", f.Ref.Digest.String(), strconv.FormatInt(f.Ref.Size, 10), orNone(f.Ref.Format),
					strconv.Quote(f.Port), strconv.Quote(f.Name))
			}
			for _, r := range t.Outputs {
				w.line("output", r.Digest.String(), strconv.FormatInt(r.Size, 10), r.Format, r.Name)
			}
		}
		w.sum()
	}
	w.WriteString("\nend\n")
	return w.Bytes(), w.err
}

// A writer writes lines and the sums of parts.
type writer struct {
	bytes.Buffer
	from int // where the part begins
	err  error
}

func (w *writer) line(words ...string) {
	line := strings.Join(words, " ")
	if strings.ContainsAny(line, "\n\r") && w.err == nil {
		w.err = fmt.Errorf("lock: %q is not one line", line)
	}
	w.WriteString(line + "\n")
}

func (w *writer) sum() { w.line("sum", sumOf(w.Bytes()[w.from:])) }

func sumOf(part []byte) string { return artifacts.DigestOf(part).String()[:16] }

func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func noneOr(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// Parse reads what Encode wrote, and nothing else but what editors and git do to line ends and to both ends of a file:
// every error names the line and what is wrong with it.
func Parse(text []byte) (l *Lock, err error) {
	if len(text) > maxSize {
		return nil, fmt.Errorf("it has %d bytes; the limit for a lock is %d", len(text), maxSize)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if bytes.HasPrefix(text, []byte(magic+"\r\n")) { // git writes so where its autocrlf is set
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	// Editors add empty lines to the end, and take away the last line end.
	whole := string(bytes.TrimRight(text, "\n")) + "\n"
	r := &reader{rest: whole}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case mistake:
			l, err = nil, p
		default:
			panic(p)
		}
	}()
	if strings.HasPrefix(whole, magic+"\n") && !strings.Contains(whole, "\nend\n") {
		r.lines = strings.Count(whole, "\n") - 1
		r.fail("it is truncated here: a lock ends with the line \"end\"; copy it again, or write it with pipeline lock FILE")
	}
	l = r.head()
	for r.at("stage") {
		l.Stages = append(l.Stages, r.stage())
	}
	if after, ended := strings.CutPrefix(r.rest, "end"); after != "\n" {
		after, more := strings.CutPrefix(after, "\n")
		switch {
		case ended && strings.HasPrefix(strings.TrimLeft(after, "\n"), magic):
			r.fail("a second lock follows the line \"end\": keep one of the two in the file")
		case ended && more:
			r.fail("the lock ends here, but %.40q follows: remove what follows", strings.TrimLeft(after, "\n"))
		default:
			r.fail("%.60q instead of a stage or the last line \"end\": copy the lock again, or write it with pipeline lock FILE", r.peek())
		}
	}
	if again, err := l.Encode(); err != nil || string(again) != whole {
		return nil, fmt.Errorf("its content is that of a lock, but not its exact format: was it edited by hand?")
	}
	return l, nil
}

// A reader takes a lock apart, line by line. It panics with the first mistake.
type reader struct {
	rest, part string // part: from the beginning of the part, for its sum
	lines      int
}

type mistake struct{ error }

func (r *reader) fail(format string, args ...any) {
	panic(mistake{fmt.Errorf("line %d: "+format, append([]any{r.lines + 1}, args...)...)})
}

func (r *reader) peek() string {
	line, _, _ := strings.Cut(r.rest, "\n")
	return line
}

// at reports whether the next line has this first word.
func (r *reader) at(word string) bool {
	return strings.HasPrefix(r.rest, word+" ") || strings.HasPrefix(r.rest, word+"\n")
}

// next takes a line of this first word and returns the rest of it.
func (r *reader) next(word string) string {
	line, rest, whole := strings.Cut(r.rest, "\n")
	if !whole || !r.at(word) {
		r.fail("%.60q instead of a line %q: it is damaged, or not a lock of this version", line, word)
	}
	r.rest = rest
	r.lines++
	return strings.TrimPrefix(strings.TrimPrefix(line, word), " ")
}

// words takes a line of n words after the first; the last may hold blanks.
func (r *reader) words(word string, n int) []string {
	f := strings.SplitN(r.next(word), " ", n)
	if len(f) < n {
		r.lines--
		r.fail("a line %q of %d words, not %d", word, len(f), n)
	}
	return f
}

// blank takes the empty line between parts.
func (r *reader) blank() {
	rest, ok := strings.CutPrefix(r.rest, "\n")
	if !ok {
		r.fail("%.60q instead of an empty line", r.peek())
	}
	r.rest = rest
	r.lines++
}

// begin starts a part, sum ends it.
func (r *reader) begin() { r.part = r.rest }

func (r *reader) sum() {
	if !r.at("sum") {
		r.fail("%.60q instead of a line \"sum\"", r.peek())
	}
	want := sumOf([]byte(r.part[:len(r.part)-len(r.rest)]))
	if got := r.next("sum"); got != want {
		r.lines--
		r.fail("the part that ends here was changed or damaged: its checksum is %s, but it states %.20s (after a merge: run the pipeline and write the lock again)", want, got)
	}
}

func (r *reader) head() *Lock {
	l := &Lock{}
	if rest, ok := strings.CutPrefix(r.rest, magic+"\n"); ok {
		r.rest, r.lines = rest, 1
	} else {
		r.fail("it begins with %.40q; a lock of this version begins with %q", r.peek(), magic)
	}
	r.begin()
	l.Pipeline = r.next("pipeline")
	f := r.words("program", 3)
	l.Program.Version, l.Program.Revision, l.Program.Go = f[0], noneOr(f[1]), f[2]
	l.Program.Platform = r.next("platform")
	l.File = r.next("file")
	if l.File == "" || strings.ContainsAny(l.File, `/\`) || l.File == "." || l.File == ".." {
		r.fail("the pipeline file %q has a directory, or no name", l.File)
	}
	var b strings.Builder
	for r.at("|") {
		b.WriteString(r.next("|") + "\n")
	}
	l.Text = b.String()
	if r.at("open") {
		r.next("open")
		l.Text = strings.TrimSuffix(l.Text, "\n")
	}
	for r.at("set") {
		l.Sets = append(l.Sets, r.quoted(r.next("set")))
	}
	for r.at("code") {
		f := r.words("code", 2)
		r.digest(f[1])
		if n := len(l.Codes); n > 0 && f[0] <= l.Codes[n-1].Kind {
			r.fail("the code of %q is not in order", f[0])
		}
		l.Codes = append(l.Codes, Code{f[0], f[1]})
	}
	r.sum()
	r.blank()
	return l
}

func (r *reader) stage() Stage {
	r.begin()
	f := r.words("stage", 2)
	s := Stage{Name: f[0], Kind: f[1]}
	for r.at("parameter") {
		s.Parameters = append(s.Parameters, r.next("parameter"))
	}
	for r.at("machine") {
		s.Machine = append(s.Machine, r.next("machine"))
	}
	seen := map[string]bool{}
	for r.at("task") {
		t := r.task()
		if name, _, _ := strings.Cut(t.ID, "["); name != s.Name || seen[t.ID] {
			r.fail("the task %.60q does not belong to the stage %s, or appears twice", t.ID, s.Name)
		}
		seen[t.ID] = true
		s.Tasks = append(s.Tasks, t)
	}
	r.sum()
	r.blank()
	return s
}

func (r *reader) task() Task {
	f := r.words("task", 2)
	t := Task{ID: f[1], Outputs: artifacts.Refs{}}
	t.Key = artifacts.Key(r.digest(f[0]))
	for r.at("input") {
		f := r.words("input", 4)
		in := File{Ref: artifacts.Ref{Digest: r.digest(f[0]), Size: r.number(f[1]), Format: noneOr(f[2])}}
		port, err := strconv.QuotedPrefix(f[3])
		if err != nil {
			r.fail("the port of the input is not quoted")
		}
		in.Port, in.Name = r.quoted(port), r.quoted(strings.TrimPrefix(f[3][len(port):], " "))
		t.Files = append(t.Files, in)
	}
	last := ""
	for r.at("output") {
		f := r.words("output", 4)
		if f[3] <= last || strings.Contains(f[3], " ") {
			r.fail("the output %.40q is not one word, or not in order", f[3])
		}
		last = f[3]
		t.Outputs.Set(last, artifacts.Ref{Digest: r.digest(f[0]), Size: r.number(f[1]), Format: f[2]})
	}
	return t
}

func (r *reader) digest(text string) artifacts.Digest {
	d, err := artifacts.ParseDigest(text)
	if err != nil {
		r.fail("%v", err)
	}
	return d
}

func (r *reader) number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		r.fail("%.40q is not a number of bytes", text)
	}
	return n
}

func (r *reader) quoted(text string) string {
	s, err := strconv.Unquote(text)
	if err != nil {
		r.fail("%.40q is not quoted", text)
	}
	return s
}
