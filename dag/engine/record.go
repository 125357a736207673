package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/internal/detail"
	"prgnn/dag/listing"
	"prgnn/internal/lists"
	"prgnn/internal/version"
)

// save stores the record of the run as it is now.
func (r *runner) save(finished bool) error {
	rec := &artifacts.RunRecord{ID: r.id, Pipeline: r.graph.Name(), Started: r.began}
	d := detail.Run{
		File: r.graph.File(), Source: r.graph.Source(), Program: version.This(),
		Until: r.opt.Until, Only: r.opt.Only, Force: r.opt.Force, Codes: map[string]string{},
	}
	for k, digest := range r.code {
		d.Codes[k.Name] = digest
	}
	listing, err := r.reached()
	if err != nil {
		return err
	}
	rec.Keeps = append(rec.Keeps, listing...)
	if finished {
		rec.Finished = time.Now()
		d.Seconds = rec.Finished.Sub(r.began).Seconds()
		if r.fatal != nil {
			d.Stopped = r.fatal.Error()
		}
		rec.Each = r.results
		at := 0
		for i := range r.at {
			if p := &r.at[i]; p.phase != outside && p.wanted {
				r.recordTask(int32(i), at, rec, &d)
				at++
			}
		}
	} else {
		for i := range r.at {
			if p := &r.at[i]; p.phase == settled && p.state == Ran {
				r.recordTask(int32(i), len(d.Tasks), rec, &d)
				d.Tasks[len(d.Tasks)-1].Key = p.key.String()
			}
		}
	}
	if rec.Detail, err = json.Marshal(d); err != nil {
		return fmt.Errorf("run record: %w", err)
	}
	return r.store.SaveRun(rec)
}

// saveEvery is how often an unfinished run writes down the times of its tasks, and less often as it goes on.
var saveEvery = 5 * time.Second

// saveTimes writes down the times of the tasks that ran: a run that is killed keeps its results, and what they took
// would be lost. The record at the end of the run takes its place. That this one could not be written is no failure.
func (r *runner) saveTimes() {
	if now := time.Since(r.began); r.known && r.untold && now >= r.saveAt {
		r.saveAt, r.untold = now+max(saveEvery, now/20), false
		_ = r.save(false)
	}
}

// reached stores what the kinds reach, once, for the record.
func (r *runner) reached() ([]artifacts.Ref, error) {
	if r.listing == nil {
		kinds := slices.SortedFunc(maps.Keys(r.code), func(a, b *dag.Kind) int {
			return strings.Compare(a.Name,
				b.Name)
		})
		text := listing.Excerpt(lists.Map(kinds, func(k *dag.Kind) listing.Kind {
			return listing.Kind{Name: k.Name, Code: k.Code}
		}))
		if text == "" {
			return nil, nil
		}
		ref, err := r.store.Health.PutOnce(artifacts.Bytes{Kind: detail.Listing, Data: listing.Pack(text)})
		if err != nil {
			return nil, err
		}
		r.listing = []artifacts.Ref{ref}
	}
	return r.listing, nil
}

// results lists the tasks that have one, for the record.
func (r *runner) results(yield func(artifacts.RunTask) bool) {
	for i := range r.at {
		p := &r.at[i]
		if p.phase == outside || !p.wanted || p.state != Ran && p.state != Cached {
			continue
		}
		if !yield(artifacts.RunTask{ID: r.Nodes[i].ID(), Key: p.key, Outputs: *p.outputs.Load()}) {
			return
		}
	}
}

func (r *runner) recordTask(i int32, at int, rec *artifacts.RunRecord, d *detail.Run) {
	p, s, id := &r.at[i], r.at[i].tale(), r.Nodes[i].ID()
	switch p.state {
	case Ran:
		rec.Ran++
	case Cached:
		rec.Cached++
	case Failed:
		rec.Failed++
	case Skipped:
		rec.Skipped++
	default:
		d.Left++
	}
	t := detail.Task{At: at, ID: id, State: string(p.state), Note: s.note}
	if p.state == Ran || p.state == Cached {
		if p.state == Cached {
			return
		}
	} else if p.key != (artifacts.Key{}) {
		t.Key = p.key.String()
	}
	if p.state == Ran || p.state == Failed {
		t.Start, t.Seconds, t.Read, t.Memory = s.start, s.seconds, s.read, s.memory
	}
	if s.err != nil {
		t.Error = s.err.Error()
	}
	d.Tasks = append(d.Tasks, t)
}
