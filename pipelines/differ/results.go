package differ

import (
	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/internal/version"
	"prgnn/pipelines/lock"
	"prgnn/pipelines/statement"
)

// Results are the results of a pipeline's tasks in one place.
type Results struct {
	Name     string // "run.lock", a directory
	Platform string // "linux/amd64"; "" when it is not known
	Program  string
	Tasks    map[string]Result // by the name of the task
}

// A Result is the result of one task.
type Result struct {
	Outputs artifacts.Refs
	Store   *disk.Store // which has the bytes; nil where only digests are known
}

// OfLock are the results in a lock. The store may have their bytes; nil for none.
func OfLock(name string, l *lock.Lock, store *disk.Store) Results {
	r := of(name, l.Program)
	for id, t := range l.Tasks() {
		r.Tasks[id] = Result{t.Outputs, store}
	}
	return r
}

// OfStatement are the results in a statement.
func OfStatement(name string, s *statement.Statement) Results {
	r := of(name, s.Program())
	for id, outputs := range s.Outputs() {
		r.Tasks[id] = Result{outputs, nil}
	}
	return r
}

// OfRecord are the results of a recorded run.
func OfRecord(name string, s *disk.Store, rec *record.Record) Results {
	r := of(name, rec.Program)
	for _, t := range rec.Tasks {
		if t.Outputs != nil {
			r.Tasks[t.ID] = Result{t.Outputs, s}
		}
	}
	return r
}

// OfRun are the results of a run that has just ended.
func OfRun(name string, s *disk.Store, run *engine.Result) Results {
	r := of(name, version.This())
	for id, outputs := range run.Outputs {
		r.Tasks[id] = Result{outputs, s}
	}
	return r
}

func of(name string, p version.Program) Results {
	return Results{Name: name, Platform: p.Platform, Program: p.Version, Tasks: map[string]Result{}}
}
