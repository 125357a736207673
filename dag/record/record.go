// Package record reads the records of runs: what was requested, by which program, and what became of each task.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag/engine"
	"prgnn/dag/internal/detail"
	"prgnn/dag/listing"
	"prgnn/internal/lists"
	"prgnn/internal/version"
)

// A Record describes a run: what was requested, by which program, and the outcome of each task. The store keeps it as
// an artifacts.RunRecord.
type Record struct {
	ID       string
	Pipeline string // its name
	File     string // as the user gave it
	Source   string // the text of the pipeline file
	Program  version.Program
	Started  time.Time
	Finished time.Time // zero while the run is going on, or when it was killed
	Seconds  float64
	Stopped  string   // why the run ended before its time, or ""
	Until    []string // the selection, as in engine.Options
	Only     []string
	Force    []string

	Ran, Cached, Failed, Skipped, Unfinished int

	// Codes are the code digests of the kinds in the graph, by name. Of a run of a
	// version that identified code by source files: their list.
	Codes   map[string]string
	reached func() string // what each of the kinds reaches; "" when that is lost

	Tasks []Task // in the order of the graph

	SoFar []Task           // of an unfinished run: those that ran, without their outputs
	byID  map[string]*Task // of Tasks
}

// Task is the record of a task; nil where it took no part. It is for one goroutine.
func (r *Record) Task(id string) *Task {
	if r.byID == nil {
		r.byID = make(map[string]*Task, len(r.Tasks))
		for i := range r.Tasks {
			r.byID[r.Tasks[i].ID] = &r.Tasks[i]
		}
	}
	return r.byID[id]
}

// A Task is one task of a run.
type Task struct {
	ID      string
	State   engine.State
	Key     artifacts.Key  // zero when it was not known
	Outputs artifacts.Refs // Ran, Cached
	Start   float64        // s since the run began; Ran, Failed
	Seconds float64        // Ran, Failed
	Read    int64          // bytes of its inputs; Ran, Failed
	Memory  int64          // bytes: the most that the process held while it ran; Ran, Failed
	Error   string         // Failed, Skipped
	Note    string
}

// Reach lists the declarations that a kind reached, as far as they were recorded.
func (r *Record) Reach(kind string) []listing.Declaration { return listing.Reach(r.reached(), kind) }

// reachedBy reads what the kinds of a run reached: from the blob, or as records of earlier versions hold it.
func reachedBy(s *disk.Store, keeps []artifacts.Ref, held []byte) string {
	for _, ref := range keeps {
		if ref.Format != detail.Listing {
			continue
		}
		f, err := s.OpenBlob(ref)
		if err != nil {
			return ""
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			return ""
		}
		return listing.Unpack(b)
	}
	return listing.Unpack(held)
}

// FileOf reads File and Source of a run's record and nothing else: tasks that ran take some 100 bytes each.
func FileOf(rr *artifacts.RunRecord) (file, source string, err error) {
	in := json.NewDecoder(bytes.NewReader(rr.Detail))
	var first [5]json.Token // {, "file", its value, "source", its value
	for i := range first {
		if first[i], err = in.Token(); err != nil {
			return "", "", fmt.Errorf("run %s: its details: %w", rr.ID, err)
		}
	}
	file, isFile := first[2].(string)
	source, isSource := first[4].(string)
	if first[1] != "file" || first[3] != "source" || !isFile || !isSource {
		return "", "", fmt.Errorf("run %s: its details do not begin with the pipeline file", rr.ID)
	}
	return file, source, nil
}

// Complete reports whether a run made, or found, all results of its whole file.
func Complete(rr *artifacts.RunRecord) bool {
	var d detail.Run
	return json.Unmarshal(rr.Detail, &d) == nil && !rr.Finished.IsZero() && rr.Failed+rr.Skipped+d.Left == 0 &&
		d.Stopped == "" && d.Until == nil && d.Only == nil
}

// Read unpacks the record of a run. One that Store.Runs listed has no
// cached tasks in it; Store.LoadRun gives all.
func Read(s *disk.Store, rr *artifacts.RunRecord) (*Record, error) {
	var d detail.Run
	if err := json.Unmarshal(rr.Detail, &d); err != nil {
		return nil, fmt.Errorf("run %s: its details: %w", rr.ID, err)
	}
	keeps, held := rr.Keeps, d.Reached
	rec := &Record{
		ID: rr.ID, Pipeline: rr.Pipeline, File: d.File, Source: d.Source, Program: d.Program,
		Started: rr.Started, Finished: rr.Finished, Seconds: d.Seconds, Stopped: d.Stopped,
		Until: d.Until, Only: d.Only, Force: d.Force, Codes: d.Codes,
		reached: sync.OnceValue(func() string { return reachedBy(s, keeps, held) }),
		Ran:     rr.Ran, Cached: rr.Cached, Failed: rr.Failed, Skipped: rr.Skipped, Unfinished: d.Left,
	}
	have := make(map[string]*artifacts.RunTask, len(d.Tasks))
	for i := range rr.Tasks {
		have[rr.Tasks[i].ID] = &rr.Tasks[i]
	}
	special := lists.SetOf(d.Tasks, func(t detail.Task) string { return t.ID })
	next := 0 // of rr.Tasks
	cachedUpTo := func(at int) {
		for ; next < len(rr.Tasks) && (at < 0 || len(rec.Tasks) < at); next++ {
			if t := rr.Tasks[next]; !special[t.ID] {
				rec.Tasks = append(rec.Tasks, Task{ID: t.ID, State: engine.Cached, Key: t.Key, Outputs: t.Outputs})
			}
		}
	}
	for _, t := range d.Tasks {
		cachedUpTo(t.At)
		tr := Task{ID: t.ID, State: engine.State(t.State), Start: t.Start, Seconds: t.Seconds, Read: t.Read,
			Memory: t.Memory,
			Error:  t.Error, Note: t.Note}
		if h := have[t.ID]; h != nil {
			tr.Key, tr.Outputs = h.Key, h.Outputs
		} else if t.Key != "" {
			var err error
			if tr.Key, err = artifacts.ParseKey(t.Key); err != nil {
				return nil, fmt.Errorf("run %s: task %s: %w", rr.ID, t.ID, err)
			}
		}
		rec.Tasks = append(rec.Tasks, tr)
	}
	cachedUpTo(-1)
	if rec.Finished.IsZero() {
		rec.SoFar, rec.Tasks = rec.Tasks, nil
	}
	return rec, nil
}
