package record

import (
	"slices"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
)

// A Past is what the latest 50 runs of one pipeline record of its tasks: the newest first, read as far back as
// somebody asks. It is for one goroutine.
type Past struct {
	store    *disk.Store
	pipeline string

	once sync.Once
	runs []*artifacts.RunRecord
	cut  []*artifacts.RunRecord // those that were killed, or are going on; at most lookBack
	read []*Record              // the first of runs, as far as they are read
}

// NewPast begins to read.
func NewPast(s *disk.Store, pipeline string) *Past { return &Past{store: s, pipeline: pipeline} }

// lookBack is how many runs are searched for a task: where one part was run for a while, others are further back.
const lookBack = 50

// Back yields the runs that have ended.
func (h *Past) Back(yield func(*Record) bool) {
	h.once.Do(func() {
		runs, _ := h.store.Runs() // damaged records are as good as none here
		for _, r := range runs {
			switch {
			case r.Pipeline != h.pipeline:
			case !r.Finished.IsZero():
				h.runs = append(h.runs, r)
			case len(h.cut) < lookBack:
				h.cut = append(h.cut, r)
			}
		}
	})
	for n := range lookBack {
		for len(h.read) == n && len(h.runs) > 0 {
			h.readNext()
		}
		if len(h.read) == n || !yield(h.read[n]) {
			return
		}
	}
}

// readNext reads the next record; one that is gone or damaged is left out.
func (h *Past) readNext() {
	id := h.runs[0].ID
	h.runs = h.runs[1:]
	if full, err := h.store.LoadRun(id); err == nil {
		if rec, err := Read(h.store, full); err == nil {
			h.read = append(h.read, rec)
		}
	}
}

// Last finds the latest run in which a task had a result that pleases the caller; nil, nil for none.
func (h *Past) Last(task string, pleases func(*Task) bool) (*Record, *Task) {
	for p := range h.Back {
		if t := p.Task(task); t != nil && (t.State == engine.Ran || t.State == engine.Cached) && pleases(t) {
			return p, t
		}
	}
	return nil, nil
}

// Made is the run that made the result that a task has under a key: the latest that ran the task, or else the first
// that found the result, which another pipeline or another store made. It is nil where no recorded run has it.
func (h *Past) Made(task string, key artifacts.Key) (made *Record) {
	for p := range h.Back {
		if t := p.Task(task); t != nil && t.Key == key && (t.State == engine.Ran || t.State == engine.Cached) {
			made = p
			if t.State == engine.Ran {
				return made
			}
		}
	}
	for _, r := range h.cut {
		rec, err := Read(h.store, r)
		if err == nil && slices.ContainsFunc(rec.SoFar, func(t Task) bool { return t.ID == task && t.Key == key }) {
			return rec
		}
	}
	return made
}

// Failed is the record of a task that failed when it was last run; nil for any other.
func (h *Past) Failed(task string) *Task {
	for p := range h.Back {
		switch t := p.Task(task); {
		case t != nil && t.State == engine.Failed:
			return t
		case t != nil && (t.State == engine.Ran || t.State == engine.Cached):
			return nil
		}
	}
	return nil
}

// LastRan are the records of each task from when it last ran, as far as recorded runs of this pipeline say.
func LastRan(g *dag.Graph, s *disk.Store) map[string]*Task {
	last := lastOf(g, s, func(t *Task) (*Task, bool) { return t, t.State == engine.Ran })
	for _, t := range last {
		if t.Outputs == nil { // a run that was killed has written its times alone
			a, _ := s.Work.LookupHere(t.Key)
			t.Outputs = a.Outputs
		}
	}
	return last
}

// LastKeys are the keys under which each task last ran, or failed, as far as recorded runs of this pipeline say.
func LastKeys(g *dag.Graph, s *disk.Store) map[string]artifacts.Key {
	return lastOf(g, s, func(t *Task) (artifacts.Key, bool) {
		return t.Key, (t.State == engine.Ran || t.State == engine.Failed) && t.Key != (artifacts.Key{})
	})
}

// lastOf has a value for each task: of its latest record that has one. What only killed runs did counts last.
func lastOf[V any](g *dag.Graph, s *disk.Store, value func(*Task) (V, bool)) map[string]V {
	h, last := NewPast(s, g.Name()), map[string]V{}
	add := func(tasks []Task) {
		for i := range tasks {
			t := &tasks[i]
			if v, ok := value(t); ok {
				if _, known := last[t.ID]; !known {
					last[t.ID] = v
				}
			}
		}
	}
	for p := range h.Back {
		add(p.Tasks)
	}
	for _, r := range h.cut {
		if rec, err := Read(s, r); err == nil {
			add(rec.SoFar)
		}
	}
	return last
}
