package record

import (
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"prgnn/artifacts"
)

// A run record is text, sealed as that of an action is. The tasks are a list of
// their own, stored as a blob: runs that found everything up to date share it.
//
//	prgnn run 1
//	id 7f3a0c2b9d81e645
//	pipeline biopoint
//	started 2026-03-01T12:00:00.25Z
//	finished 2026-03-01T12:07:31Z
//	ran 12
//	cached 831
//	failed 0
//	skipped 0
//	tasks 4f53cda1… 168600
//	keeps 9f86d081… 17204 listing
//	detail 2
//	{}
//	sha256 d7a8fbb3…
const (
	runMagic   = "prgnn run 1\n"
	tasksMagic = "prgnn tasks 1\n"
)

// CheckRunID refuses what is no id of a run.
func CheckRunID(id string) error {
	if len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("run %q: an id has 16 hexadecimal digits", id)
	}
	return nil
}

// EncodeRun is the record of a run, whose tasks are a blob.
func EncodeRun(r *artifacts.RunRecord, tasks artifacts.Ref) []byte {
	b := []byte(runMagic)
	b = fmt.Appendf(b, "id %s\npipeline %s\nstarted %s\nfinished %s\n", r.ID, r.Pipeline, formatTime(r.Started), formatTime(r.Finished))
	b = fmt.Appendf(b, "ran %d\ncached %d\nfailed %d\nskipped %d\n", r.Ran, r.Cached, r.Failed, r.Skipped)
	b = fmt.Appendf(b, "tasks %s %d\n", tasks.Digest, tasks.Size)
	for _, k := range r.Keeps {
		b = fmt.Appendf(b, "keeps %s %d %s\n", k.Digest, k.Size, k.Format)
	}
	return seal(appendText(b, "detail", r.Detail))
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// ParseRun reads what EncodeRun wrote.
func ParseRun(sealed []byte) (*artifacts.RunRecord, artifacts.Ref, error) {
	body, err := unseal(sealed)
	if err != nil {
		return nil, artifacts.Ref{}, err
	}
	in := readLines(body)
	in.magic(runMagic)
	r := &artifacts.RunRecord{ID: in.line("id"), Pipeline: in.line("pipeline")}
	r.Started, r.Finished = in.time("started"), in.time("finished")
	r.Ran, r.Cached = int(in.number("ran")), int(in.number("cached"))
	r.Failed, r.Skipped = int(in.number("failed")), int(in.number("skipped"))
	f := in.fields("tasks", 2)
	tasks := artifacts.Ref{Digest: in.toDigest(f[0]), Size: in.toNumber(f[1]), Format: "tasks"}
	for in.next("keeps") {
		f := in.fields("keeps", 3)
		r.Keeps = append(r.Keeps, artifacts.Ref{Digest: in.toDigest(f[0]), Size: in.toNumber(f[1]), Format: f[2]})
		if CheckWord("format", f[2]) != nil {
			in.fail("the format %.40q is not one word", f[2])
		}
	}
	// The last thing in a record, before a newline; a part of it, since it may be long.
	end := len(body) - 1
	r.Detail = body[max(end-len(in.text("detail")), 0):max(end, 0):max(end, 0)]
	return r, tasks, in.err
}

func (r *lineReader) time(word string) time.Time {
	text := r.line(word)
	if text == "-" || r.err != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		r.fail("%.40q is not a time", text)
	}
	return t
}

func (r *lineReader) toDigest(text string) artifacts.Digest {
	d, err := artifacts.ParseDigest(text)
	if err != nil {
		r.fail("%w", err)
	}
	return d
}

// Tasks are the tasks of a run as a blob.
type Tasks iter.Seq[artifacts.RunTask]

func (Tasks) Format() string { return "tasks" }

// Encode writes a few tasks at a time: the list of a large run is never in memory as a whole.
func (tasks Tasks) Encode(w io.Writer) error {
	const some = 32 << 10
	b := append(make([]byte, 0, 2*some), tasksMagic...)
	for t := range tasks {
		if strings.ContainsAny(t.ID, "\n") || t.ID == "" {
			return fmt.Errorf("the task's name %q spans several lines", t.ID)
		}
		b = append(hex.AppendEncode(append(b, "task "...), t.Key[:]), ' ')
		var err error
		if b, err = appendOutputs(append(append(b, t.ID...), '\n'), t.Outputs); err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		if len(b) >= some {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := w.Write(b)
	return err
}

// ParseTasks reads an encoded Tasks.
func ParseTasks(b []byte) ([]artifacts.RunTask, error) {
	in := readLines(b)
	in.magic(tasksMagic)
	var tasks []artifacts.RunTask
	for in.next("task") {
		f := in.fields("task", 2)
		k, err := artifacts.ParseKey(f[0])
		if err != nil {
			in.fail("%w", err)
		}
		if f[1] == "" {
			in.fail("a task without a name")
		}
		tasks = append(tasks, artifacts.RunTask{ID: f[1], Key: k, Outputs: in.outputs()})
	}
	if in.rest != "" {
		in.line("task")
	}
	return tasks, in.err
}
