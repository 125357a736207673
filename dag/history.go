package dag

import (
	"sync"

	"prgnn/artifacts"
)

// A history is what past runs of one pipeline say of its tasks: the newest first, read as far back as somebody asks.
type history struct {
	store    *artifacts.Store
	pipeline string

	once sync.Once
	runs []*artifacts.RunRecord
	cut  []*artifacts.RunRecord // those that were killed, or are going on; at most lookBack
	read []*pastRun             // the first of runs, as far as they are read
}

type pastRun struct {
	*Record
	tasks map[string]*TaskRecord

	explained map[Difference][]Difference // in code, by kind: tasks of one kind have it in common
}

// codeDifferences says in which declarations the code of a kind differs now.
func (p *pastRun) codeDifferences(d Difference, k *Kind) []Difference {
	at := d
	at.Name = k.Name
	ds, known := p.explained[at]
	if !known {
		ds = codeDifferences(d, k.Name, p.Record, k.Code)
		if p.explained == nil {
			p.explained = map[Difference][]Difference{}
		}
		p.explained[at] = ds
	}
	return ds
}

// lookBack is how many runs are searched for a task: where one part was run for a while, others are further back.
const lookBack = 50

// back are the runs that are searched for a task, the latest first.
func (h *history) back(yield func(*pastRun) bool) {
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
func (h *history) readNext() {
	id := h.runs[0].ID
	h.runs = h.runs[1:]
	if full, err := h.store.LoadRun(id); err == nil {
		if rec, err := ReadRecord(h.store, full); err == nil {
			p := &pastRun{Record: rec, tasks: make(map[string]*TaskRecord, len(rec.Tasks))}
			for i := range rec.Tasks {
				p.tasks[rec.Tasks[i].ID] = &rec.Tasks[i]
			}
			h.read = append(h.read, p)
		}
	}
}

// last finds the latest run in which a task had a result that pleases the caller.
func (h *history) last(task string, pleases func(*TaskRecord) bool) (*pastRun, *TaskRecord) {
	for p := range h.back {
		if t := p.tasks[task]; t != nil && (t.State == Ran || t.State == Cached) && pleases(t) {
			return p, t
		}
	}
	return nil, nil
}

// failed is the record of a task that failed when it was last run; nil for any other.
func (h *history) failed(task string) *TaskRecord {
	for p := range h.back {
		switch t := p.tasks[task]; {
		case t != nil && t.State == Failed:
			return t
		case t != nil && (t.State == Ran || t.State == Cached):
			return nil
		}
	}
	return nil
}

// LastRan are the records of each task from when it last ran, as far as recorded runs of this pipeline say.
func LastRan(g *Graph, s *artifacts.Store) map[string]*TaskRecord {
	last := lastOf(g, s, func(t *TaskRecord) (*TaskRecord, bool) { return t, t.State == Ran })
	for _, t := range last {
		if t.Outputs == nil { // a run that was killed has written its times alone
			a, _ := s.Work.LookupHere(t.Key)
			t.Outputs = a.Outputs
		}
	}
	return last
}

// LastKeys are the keys under which each task last ran, or failed, as far as recorded runs of this pipeline say.
func LastKeys(g *Graph, s *artifacts.Store) map[string]artifacts.Key {
	return lastOf(g, s, func(t *TaskRecord) (artifacts.Key, bool) {
		return t.Key, (t.State == Ran || t.State == Failed) && t.Key != (artifacts.Key{})
	})
}

// lastOf has a value for each task: of its latest record that has one. What only killed runs did counts last.
func lastOf[V any](g *Graph, s *artifacts.Store, value func(*TaskRecord) (V, bool)) map[string]V {
	h, last := &history{store: s, pipeline: g.name}, map[string]V{}
	add := func(tasks []TaskRecord) {
		for i := range tasks {
			t := &tasks[i]
			if v, ok := value(t); ok {
				if _, known := last[t.ID]; !known {
					last[t.ID] = v
				}
			}
		}
	}
	for p := range h.back {
		add(p.Tasks)
	}
	for _, r := range h.cut {
		if rec, err := ReadRecord(s, r); err == nil {
			add(rec.SoFar)
		}
	}
	return last
}
