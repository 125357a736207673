package cli

import (
	"fmt"
	"path/filepath"

	"prgnn/dag"
	"prgnn/pipelines/proof"
)

// auditFromInputs runs what is asked for with all that it needs, from the user's files
// on, and compares with the digests that the store has: nothing that is stored is read,
// so results whose bytes gc has freed are audited too.
func (a *app) auditFromInputs(au audit) error {
	c, err := a.look(au.file, au.sets)
	if err != nil {
		return err
	}
	defer c.store.Close()
	all, err := audited(c.pipeline.Graph, au.stages)
	if err != nil {
		return wrong(err)
	}
	stored := c.recorded()
	var tasks []*dag.Node
	for _, n := range all {
		if _, ok := stored.Tasks[n.ID]; ok {
			tasks = append(tasks, n)
		}
	}
	if len(tasks) == 0 {
		return fmt.Errorf("there is nothing to audit: no task of %d has a result\n  pipeline run %s makes them", len(all), c.pipeline.File)
	}
	if len(tasks) < len(c.steps) || au.sample < 1 {
		au.stages = idsOf(au.sampled(tasks))
	}
	room, err := a.cleanRoom(filepath.Dir(c.store.Dir()), au.keep)
	if err != nil {
		return err
	}
	defer room.close()
	return a.auditWhole(au, nil, nil, room, c.pipeline.Graph, stored)
}

// recorded are the results that the store holds, and where their bytes are gone, the
// digests that the last run of the same pipeline wrote down.
func (c *current) recorded() proof.Results {
	all := c.results()
	runs, _ := c.store.Runs() // damaged records are as good as none here
	for _, r := range runs {
		if len(all.Tasks) >= len(c.steps) {
			break
		}
		if r.Pipeline != c.pipeline.Graph.Name {
			continue
		}
		rec, err := record(c.store, r.ID)
		if err != nil || rec.Source != c.pipeline.Graph.Source {
			continue
		}
		for id, result := range proof.OfRecord(c.store, rec).Tasks {
			if _, known := all.Tasks[id]; !known {
				all.Tasks[id] = result
			}
		}
	}
	return all
}

// audited are the tasks that are asked for: all of them where none is named.
func audited(g *dag.Graph, names []string) ([]*dag.Node, error) {
	if len(names) > 0 {
		return g.Select(names...)
	}
	var all []*dag.Node
	for _, s := range g.Stages {
		all = append(all, s.Tasks...)
	}
	return all, nil
}
