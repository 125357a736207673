package disk

import (
	"cmp"
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

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// SaveRun stores the record of a run, in place of an earlier one of the same id.
// When it returns, the record is durable, and so is everything recorded before. Of a run that found everything a loss
// of power may take the record, a moment later: no work goes with it, and one sync of two is spared.
func (s *Store) SaveRun(r *artifacts.RunRecord) error {
	if err := record.CheckRunID(r.ID); err != nil {
		return err
	}
	if strings.ContainsAny(r.Pipeline, "\n") {
		return fmt.Errorf("run %s: the pipeline's name %q spans several lines", r.ID, r.Pipeline)
	}
	for _, k := range r.Keeps {
		if err := record.CheckWord("format", k.Format); err != nil {
			return fmt.Errorf("run %s: %w", r.ID, err)
		}
	}
	tasks := r.Each
	if tasks == nil {
		tasks = slices.Values(r.Tasks)
	}
	ref, err := s.Health.PutOnce(record.Tasks(tasks))
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
		return s.fault(t.PublishWhole(record.EncodeRun(r, ref), path))
	}
	return s.fault(t.PublishBytes(record.EncodeRun(r, ref), path))
}

// PutOnce is Put of a value that is stored here already as a rule, and then written only if it is damaged.
func (x *Health) PutOnce(v artifacts.Value) (artifacts.Ref, error) {
	s := x.store
	ref, err := artifacts.RefOf(v)
	if err == nil && (!s.hasHere(ref) || s.Health.Damaged(ref)) {
		ref, err = s.Put(v)
	}
	return ref, err
}

// readRun reads a record without its tasks.
func (s *Store) readRun(id string) (*artifacts.RunRecord, artifacts.Ref, error) {
	b, err := regular.ReadFile(filepath.Join(s.dir, runsDir, id))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, artifacts.Ref{}, fmt.Errorf("run %s: %w", id, artifacts.ErrMiss)
	case errors.As(err, new(*regular.Error)):
		return nil, artifacts.Ref{}, fmt.Errorf("run %s: %w: %w", id, artifacts.ErrDamagedRun, err)
	case err != nil:
		return nil, artifacts.Ref{}, s.fault(whole.Unreadable(err))
	}
	r, tasks, err := record.ParseRun(b)
	if err == nil && r.ID != id {
		err = errors.New("the record belongs to another run")
	}
	if err != nil {
		return nil, artifacts.Ref{}, fmt.Errorf("run %s: %w: %w", id, artifacts.ErrDamagedRun, err)
	}
	return r, tasks, nil
}

// Runs lists all runs, the newest first, without their tasks. Records that are
// damaged are named by the error; the others are there all the same.
func (s *Store) Runs() ([]*artifacts.RunRecord, error) {
	var errs []error
	// Sorted, for the times of files may be wrong.
	runs := slices.SortedFunc(s.latestRuns(func(err error) { errs = append(errs, err) }), newer)
	return runs, errors.Join(errs...)
}

func newer(a, b *artifacts.RunRecord) int {
	return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.ID, b.ID))
}

// LatestRuns yields what Runs lists, but for damaged records, and reads about as many as are asked for: a run began
// before its record was written.
func LatestRuns(s *Store) iter.Seq[*artifacts.RunRecord] { return s.latestRuns(func(error) {}) }

func (s *Store) latestRuns(damaged func(error)) iter.Seq[*artifacts.RunRecord] {
	return func(yield func(*artifacts.RunRecord) bool) {
		entries, err := os.ReadDir(filepath.Join(s.dir, runsDir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			damaged(s.fault(whole.Unreadable(err)))
		}
		written := map[string]time.Time{}
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				written[e.Name()] = info.ModTime().Add(time.Second) // clocks of file systems are coarse
			} else if !errors.Is(err, os.ErrNotExist) {
				damaged(s.fault(whole.Unreadable(err)))
			}
		}
		names := slices.SortedFunc(maps.Keys(written), func(a, b string) int { return written[b].Compare(written[a]) })
		var read []*artifacts.RunRecord
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
func (s *Store) LoadRun(id string) (*artifacts.RunRecord, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, runsDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, s.fault(whole.Unreadable(err))
	}
	var found []string
	for _, e := range entries {
		if id != "" && strings.HasPrefix(e.Name(), id) {
			found = append(found, e.Name())
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("run %q: %w", id, artifacts.ErrMiss)
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

func (s *Store) readTasks(ref artifacts.Ref) ([]artifacts.RunTask, error) {
	b, err := s.readRecord(ref)
	var tasks []artifacts.RunTask
	if err == nil {
		if tasks, err = record.ParseTasks(b); err != nil {
			err = fmt.Errorf("%w: %w", artifacts.ErrCorrupt, err)
		}
	}
	if errors.Is(err, artifacts.ErrMiss) || errors.Is(err, artifacts.ErrCorrupt) {
		err = fmt.Errorf("%w: its list of tasks: %w", artifacts.ErrDamagedRun, err)
	}
	return tasks, err
}

// readRecord reads a blob that belongs to the records of runs.
func (s *Store) readRecord(ref artifacts.Ref) ([]byte, error) {
	f, err := s.OpenBlob(ref)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
