// Package space is about the room that results take: what each run keeps, and what can go.
package space

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/record"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// readRuns are the recorded runs with their tasks, newest first. The error lists those that cannot be read.
func readRuns(store *disk.Store) ([]*record.Record, error) {
	all, damaged := store.Runs()
	var runs []*record.Record
	for _, rr := range all {
		r, err := results.LoadRun(store, rr.ID)
		if err != nil {
			damaged = errors.Join(damaged, err)
			continue
		}
		runs = append(runs, r)
	}
	return runs, damaged
}

// A use is how much some results take.
type use struct {
	Name     string `json:"name"`
	Started  string `json:"started,omitempty"`
	Pipeline string `json:"pipeline,omitempty"`
	Results  int    `json:"results"` // blobs
	Bytes    int64  `json:"bytes"`
	Alone    int64  `json:"alone_bytes"` // that no newer run has
}

// A killedUse is that of a run without an end, whose record does not have its results: null.
type killedUse struct {
	use
	Results *int   `json:"results"`
	Bytes   *int64 `json:"bytes"`
	Alone   *int64 `json:"alone_bytes"`
}

// count adds the results of a task that are in the store. Each counts once.
func (u *use) count(store *disk.Store, t record.Task, seen, newer map[artifacts.Digest]bool) {
	for _, ref := range t.Outputs {
		if seen[ref.Digest] || !store.Has(ref.Ref) {
			continue
		}
		seen[ref.Digest] = true
		u.Results++
		u.Bytes += ref.Size
		if !newer[ref.Digest] {
			u.Alone += ref.Size
		}
	}
}

// Runs prints the directory of a store, its size, and what each recorded run keeps, newest first.
func Runs(a *console.Console, store *disk.Store) error {
	runs, damaged := readRuns(store)
	plan, err := store.Health.PlanGC(disk.GCOptions{Complete: record.Complete})
	if err != nil {
		return err
	}
	if !a.JSON {
		fmt.Fprintf(a.Out, "store  %s\nsize   %s in %s\n", store.Dir(), console.ByteCount(plan.Bytes),
			words.Count(plan.Blobs, "file"))
	} else {
		a.Object("store", struct {
			Dir   string `json:"directory"`
			Blobs int    `json:"results"`
			Bytes int64  `json:"bytes"`
			Free  int64  `json:"free_bytes"` // that gc removes
		}{store.Dir(), plan.Blobs, plan.Bytes, plan.Freed})
	}
	g := console.Grid{Right: map[int]bool{3: true, 4: true, 5: true}, Wide: a.Wide()}
	g.Add("run", "started", "pipeline", "results", "size", "not in newer runs")
	newer := map[artifacts.Digest]bool{}
	for _, r := range runs {
		u := use{Name: r.ID, Started: r.Started.Format(time.RFC3339), Pipeline: r.Pipeline}
		seen := map[artifacts.Digest]bool{}
		for _, t := range r.Tasks {
			u.count(store, t, seen, newer)
		}
		maps.Copy(newer, seen)
		var event any = u
		count, size, alone := fmt.Sprint(u.Results), console.ByteCount(u.Bytes), console.ByteCount(u.Alone)
		if r.Finished.IsZero() {
			event, count, size, alone = killedUse{use: u}, "unknown", "unknown", "unknown"
		}
		if a.AsJSON("run", event) {
			continue
		}
		g.Add(r.ID, r.Started.Local().Format("2006-01-02 15:04:05"), r.Pipeline, count, size, alone)
	}
	if a.JSON {
		return damaged
	}
	if len(runs) > 0 {
		fmt.Fprintln(a.Out)
		g.Print(a.Out)
	}
	fmt.Fprintf(a.Out, "\n%s are in no recorded run: pipeline gc removes them\n", console.ByteCount(plan.Freed))
	if len(runs) > 1 {
		a.Note("pipeline gc --keep-runs N also removes what only older runs have; pipeline gc --dry-run shows how much")
	}
	return damaged
}

// Stages prints what the stages of a run keep, the largest first.
func Stages(a *console.Console, store *disk.Store, id string) error {
	runs, damaged := readRuns(store)
	run, err := results.LoadRun(store, id)
	if err != nil {
		return err
	}
	if run.Finished.IsZero() {
		a.Note("the results of run %s are unknown, because a run records them when it ends", run.ID)
		return damaged
	}
	newer := map[artifacts.Digest]bool{}
	for _, r := range runs {
		if r.ID == run.ID {
			break
		}
		for _, t := range r.Tasks {
			for _, ref := range t.Outputs {
				newer[ref.Digest] = true
			}
		}
	}
	seen := map[artifacts.Digest]bool{}
	stages := lists.Map(lists.By(run.Tasks, func(t record.Task) string { return dag.StageOf(t.ID) }),
		func(of lists.Group[string, record.Task]) use {
			u := use{Name: of.Key}
			for _, t := range of.All {
				u.count(store, t, seen, newer)
			}
			return u
		})
	slices.SortStableFunc(stages, func(x, y use) int { return cmp.Compare(y.Bytes, x.Bytes) })
	g := console.Grid{Right: map[int]bool{1: true, 2: true, 3: true}, Wide: a.Wide()}
	g.Add("stage", "results", "size", "not in newer runs")
	for _, u := range stages {
		if a.AsJSON("stage", u) {
			continue
		}
		g.Add(u.Name, fmt.Sprint(u.Results), console.ByteCount(u.Bytes), console.ByteCount(u.Alone))
	}
	if !a.JSON {
		g.Print(a.Out)
	}
	return damaged
}
