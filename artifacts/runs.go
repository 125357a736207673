package artifacts

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// A RunRecord describes one run. It is provenance, not content: its id is random, and it holds times. gc
// treats it as a root: the outputs of its tasks stay while the run is kept.
type RunRecord struct {
	ID       string // 16 hexadecimal digits, see NewRunID
	Pipeline string // its name, one line
	Started  time.Time
	Finished time.Time // zero while the run is going on, or when it was killed

	Ran, Cached, Failed, Skipped int

	Tasks  []RunTask         // those that have a result, in the order of the graph
	Each   iter.Seq[RunTask] // in place of Tasks, for a caller that has them elsewhere; nil where a record was read
	Keeps  []Ref             // other blobs of the caller's, in the store already: gc keeps them as long as the record
	Detail []byte            // whatever else the caller wants to keep; the store does not look into it
}

// A RunTask is one task of a run that has a result.
type RunTask struct {
	ID      string // "train[pool=topk,fold=2]"
	Key     Key
	Outputs Refs
}

// NewRunID makes up the id of a run.
func NewRunID() string { return whole.RandomName() }

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

// SaveRun stores the record of a run, in place of an earlier one of the same id.
// When it returns, the record is durable, and so is everything recorded before. Of a run that found everything a loss
// of power may take the record, a moment later: no work goes with it, and one sync of two is spared.
func (s *Store) SaveRun(r *RunRecord) error {
	if err := checkRunID(r.ID); err != nil {
		return err
	}
	if strings.ContainsAny(r.Pipeline, "\n") {
		return fmt.Errorf("run %s: the pipeline's name %q spans several lines", r.ID, r.Pipeline)
	}
	for _, k := range r.Keeps {
		if err := checkWord("format", k.Format); err != nil {
			return fmt.Errorf("run %s: %w", r.ID, err)
		}
	}
	tasks := r.Each
	if tasks == nil {
		tasks = slices.Values(r.Tasks)
	}
	ref, err := s.Health.PutOnce(taskList(tasks))
	if err != nil {
		return err
	}
	t, err := s.temp()
	if err != nil {
		return err
	}
	if err := errors.Join(s.packs.Sync(), s.syncBlobs(append(slices.Clone(r.Keeps), ref)...)); err != nil {
		t.Discard()
		return s.fault(err)
	}
	path := filepath.Join(s.dir, runsDir, r.ID)
	if r.Ran+r.Failed == 0 && !r.Finished.IsZero() {
		return s.fault(t.PublishWhole(r.encode(ref), path))
	}
	return s.fault(t.PublishBytes(r.encode(ref), path))
}

// PutOnce is Put of a value that is stored here already as a rule, and then written only if it is damaged.
func (x *Health) PutOnce(v Value) (Ref, error) {
	s := x.store
	ref, err := RefOf(v)
	if err == nil && (!s.hasHere(ref) || s.Health.Damaged(ref)) {
		ref, err = s.Put(v)
	}
	return ref, err
}

func checkRunID(id string) error {
	if len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("run %q: an id has 16 hexadecimal digits", id)
	}
	return nil
}

func (r *RunRecord) encode(tasks Ref) []byte {
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

func parseRun(sealed []byte) (*RunRecord, Ref, error) {
	body, err := unseal(sealed)
	if err != nil {
		return nil, Ref{}, err
	}
	in := readLines(body)
	in.magic(runMagic)
	r := &RunRecord{ID: in.line("id"), Pipeline: in.line("pipeline")}
	r.Started, r.Finished = in.time("started"), in.time("finished")
	r.Ran, r.Cached = int(in.number("ran")), int(in.number("cached"))
	r.Failed, r.Skipped = int(in.number("failed")), int(in.number("skipped"))
	f := in.fields("tasks", 2)
	tasks := Ref{Digest: in.toDigest(f[0]), Size: in.toNumber(f[1]), Format: "tasks"}
	for in.next("keeps") {
		f := in.fields("keeps", 3)
		r.Keeps = append(r.Keeps, Ref{Digest: in.toDigest(f[0]), Size: in.toNumber(f[1]), Format: f[2]})
		if checkWord("format", f[2]) != nil {
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

func (r *lineReader) toDigest(text string) Digest {
	d, err := ParseDigest(text)
	if err != nil {
		r.fail("%w", err)
	}
	return d
}

// A taskList is the tasks of a run as a blob.
type taskList iter.Seq[RunTask]

func (taskList) Format() string { return "tasks" }

// Encode writes a few tasks at a time: the list of a large run is never in memory as a whole.
func (tasks taskList) Encode(w io.Writer) error {
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

func parseTasks(b []byte) ([]RunTask, error) {
	in := readLines(b)
	in.magic(tasksMagic)
	var tasks []RunTask
	for in.next("task") {
		f := in.fields("task", 2)
		k, err := ParseKey(f[0])
		if err != nil {
			in.fail("%w", err)
		}
		if f[1] == "" {
			in.fail("a task without a name")
		}
		tasks = append(tasks, RunTask{ID: f[1], Key: k, Outputs: in.outputs()})
	}
	if in.rest != "" {
		in.line("task")
	}
	return tasks, in.err
}

// readRun reads a record without its tasks.
func (s *Store) readRun(id string) (*RunRecord, Ref, error) {
	b, err := regular.ReadFile(filepath.Join(s.dir, runsDir, id))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, Ref{}, fmt.Errorf("run %s: %w", id, ErrMiss)
	case errors.As(err, new(*regular.Error)):
		return nil, Ref{}, fmt.Errorf("run %s: %w: %w", id, ErrDamagedRun, err)
	case err != nil:
		return nil, Ref{}, s.fault(unreadable(err))
	}
	r, tasks, err := parseRun(b)
	if err == nil && r.ID != id {
		err = errors.New("the record belongs to another run")
	}
	if err != nil {
		return nil, Ref{}, fmt.Errorf("run %s: %w: %w", id, ErrDamagedRun, err)
	}
	return r, tasks, nil
}

// Runs lists all runs, the newest first, without their tasks. Records that are
// damaged are named by the error; the others are there all the same.
func (s *Store) Runs() ([]*RunRecord, error) {
	var errs []error
	// Sorted, for the times of files may be wrong.
	runs := slices.SortedFunc(s.latestRuns(func(err error) { errs = append(errs, err) }), newer)
	return runs, errors.Join(errs...)
}

func newer(a, b *RunRecord) int {
	return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.ID, b.ID))
}

// LatestRuns yields what Runs lists, but for damaged records, and reads about as many as are asked for: a run began
// before its record was written.
func LatestRuns(s *Store) iter.Seq[*RunRecord] { return s.latestRuns(func(error) {}) }

func (s *Store) latestRuns(damaged func(error)) iter.Seq[*RunRecord] {
	return func(yield func(*RunRecord) bool) {
		entries, err := os.ReadDir(filepath.Join(s.dir, runsDir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			damaged(s.fault(unreadable(err)))
		}
		written := map[string]time.Time{}
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				written[e.Name()] = info.ModTime().Add(time.Second) // clocks of file systems are coarse
			} else if !errors.Is(err, os.ErrNotExist) {
				damaged(s.fault(unreadable(err)))
			}
		}
		names := slices.SortedFunc(maps.Keys(written), func(a, b string) int { return written[b].Compare(written[a]) })
		var read []*RunRecord
		for _, name := range names {
			for len(read) > 0 && read[0].Started.After(written[name]) {
				if !yield(read[0]) {
					return
				}
				read = read[1:]
			}
			if r, _, err := s.readRun(name); err == nil {
				read = append(read, r)
				slices.SortFunc(read, newer)
			} else {
				damaged(err)
			}
		}
		for _, r := range read {
			if !yield(r) {
				return
			}
		}
	}
}

// LoadRun reads the record of a run with its tasks. The first digits of the id are
// enough when no other run begins with them.
func (s *Store) LoadRun(id string) (*RunRecord, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, runsDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, s.fault(unreadable(err))
	}
	var found []string
	for _, e := range entries {
		if id != "" && strings.HasPrefix(e.Name(), id) {
			found = append(found, e.Name())
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("run %q: %w", id, ErrMiss)
	case 1:
	default:
		return nil, fmt.Errorf("run %q is ambiguous: %d runs begin with it: %s", id, len(found), strings.Join(found[:min(len(found), 5)], ", "))
	}
	r, ref, err := s.readRun(found[0])
	if err != nil {
		return nil, err
	}
	if r.Tasks, err = s.readTasks(ref); err != nil {
		return nil, fmt.Errorf("run %s: %w", r.ID, err)
	}
	return r, nil
}

func (s *Store) readTasks(ref Ref) ([]RunTask, error) {
	b, err := s.readRecord(ref)
	var tasks []RunTask
	if err == nil {
		if tasks, err = parseTasks(b); err != nil {
			err = fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	if errors.Is(err, ErrMiss) || errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w: its list of tasks: %w", ErrDamagedRun, err)
	}
	return tasks, err
}

// readRecord reads a blob that belongs to the records of runs.
func (s *Store) readRecord(ref Ref) ([]byte, error) {
	f, err := s.OpenBlob(ref)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
