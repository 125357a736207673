package audit

import (
	"fmt"
	"path/filepath"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
)

// FromInputs recomputes the selected tasks and everything upstream from the user's files, and compares digests with
// the store. It reads no stored result, so it also audits results that gc has removed.
func FromInputs(con *console.Console, c *results.Current, o Options) error {
	a := &auditor{con, o}
	all, err := allOr(c.Pipeline.Graph, a.Stages)
	if err != nil {
		return exit.Wrong(err)
	}
	stored := c.Recorded()
	var tasks []*dag.Node
	for _, n := range all {
		if _, ok := stored.Tasks[n.ID]; ok {
			tasks = append(tasks, n)
		}
	}
	if len(tasks) == 0 {
		return &exit.Error{Code: exit.NotAudited, Err: fmt.Errorf("nothing to audit: none of %d tasks has a result\n  %s makes them",
			len(all), c.RunAll(con))}
	}
	if len(tasks) < len(c.Steps) || a.Sample < 1 {
		a.Stages = results.IDs(a.sampled(tasks))
	}
	room, err := NewRoom(con, filepath.Dir(c.Store.Dir()), a.Keep)
	if err != nil {
		return err
	}
	defer room.Close()
	return a.whole(nil, nil, room, c.Pipeline.Graph, stored)
}

// allOr are the tasks that are asked for: all of them where none is named.
func allOr(g *dag.Graph, names []string) ([]*dag.Node, error) {
	if len(names) > 0 {
		return g.Select(names...)
	}
	var all []*dag.Node
	for _, s := range g.Stages {
		all = append(all, s.Tasks...)
	}
	return all, nil
}
