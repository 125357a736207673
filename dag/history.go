package dag

import (
	"sync"

	"prgnn/artifacts"
)

// A history is what past runs of one pipeline say of its tasks: the newest
// first, read as far back as somebody asks.
type history struct {
	store    *artifacts.Store
	pipeline string

	once sync.Once
	runs []*artifacts.RunRecord
	read []*pastRun // the first of runs, as far as they are read
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

// run is the nth run back, from 0; nil when there are no more.
func (h *history) run(n int) *pastRun {
	h.once.Do(func() {
		runs, _ := h.store.Runs() // damaged records are as good as none here
		for _, r := range runs {
			if r.Pipeline == h.pipeline && !r.Finished.IsZero() {
				h.runs = append(h.runs, r)
			}
		}
	})
	for len(h.read) <= n && len(h.runs) > 0 {
		id := h.runs[0].ID
		h.runs = h.runs[1:]
		full, err := h.store.LoadRun(id)
		if err != nil {
			continue
		}
		rec, err := ReadRecord(h.store, full)
		if err != nil {
			continue
		}
		p := &pastRun{Record: rec, tasks: make(map[string]*TaskRecord, len(rec.Tasks))}
		for i := range rec.Tasks {
			p.tasks[rec.Tasks[i].ID] = &rec.Tasks[i]
		}
		h.read = append(h.read, p)
	}
	if n < len(h.read) {
		return h.read[n]
	}
	return nil
}

// lookBack is how many runs are searched for a task: a pipeline of which one
// part was run for a while has the others further back.
const lookBack = 50

// last finds the latest run in which a task had a result that pleases the caller.
func (h *history) last(task string, pleases func(*TaskRecord) bool) (*pastRun, *TaskRecord) {
	for n := range lookBack {
		p := h.run(n)
		if p == nil {
			break
		}
		if t := p.tasks[task]; t != nil && (t.State == Ran || t.State == Cached) && pleases(t) {
			return p, t
		}
	}
	return nil, nil
}

// failure is the record of a task whose last end was a failure; nil for any other.
func (h *history) failure(task string) *TaskRecord {
	for n := range lookBack {
		p := h.run(n)
		if p == nil {
			break
		}
		if t := p.tasks[task]; t != nil {
			switch t.State {
			case Failed:
				return t
			case Ran, Cached:
				return nil
			}
		}
	}
	return nil
}

// Durations tells how long each task took the last time that it ran, in seconds,
// as far as the runs that the store remembers of this pipeline say.
func Durations(g *Graph, s *artifacts.Store) map[string]float64 {
	h := &history{store: s, pipeline: g.Name}
	took := map[string]float64{}
	for n := range lookBack {
		p := h.run(n)
		if p == nil {
			break
		}
		for i := range p.Tasks {
			t := &p.Tasks[i]
			if _, known := took[t.ID]; !known && t.State == Ran {
				took[t.ID] = t.Seconds
			}
		}
	}
	return took
}

// LastKeys tells under which key each task ran, or failed, the last time that it
// did, as far as the runs that the store remembers say.
func LastKeys(g *Graph, s *artifacts.Store) map[string]artifacts.Key {
	h := &history{store: s, pipeline: g.Name}
	keys := map[string]artifacts.Key{}
	for n := range lookBack {
		p := h.run(n)
		if p == nil {
			break
		}
		for i := range p.Tasks {
			t := &p.Tasks[i]
			if _, known := keys[t.ID]; !known && (t.State == Ran || t.State == Failed) && t.Key != (artifacts.Key{}) {
				keys[t.ID] = t.Key
			}
		}
	}
	return keys
}
