package cli

import (
	"fmt"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/pipelines"
)

// A current is a pipeline file with what the store holds for it now.
type current struct {
	pipeline *pipelines.Pipeline
	store    *artifacts.Store
	steps    map[*dag.Node]*dag.Step
}

// look loads a pipeline file and looks up its results; nothing is run. With
// until, only that stage and what it needs are looked at.
func (a *app) look(file string, sets []string, until ...string) (*current, error) {
	p, err := a.load(file, sets)
	if err != nil {
		return nil, err
	}
	dir := a.storeDir(p.Dir)
	if !isStore(dir) {
		return nil, fmt.Errorf("nothing of %s has been run: there is no store in %s\n  pipeline run %s makes the results; --store DIR says where they are", file, dir, file)
	}
	store, err := a.openStore(dir)
	if err != nil {
		return nil, err
	}
	c, err := lookUp(p, store, until...)
	if err != nil {
		store.Close()
	}
	return c, err
}

// lookUp looks up the results of a pipeline that has been loaded.
func lookUp(p *pipelines.Pipeline, store *artifacts.Store, until ...string) (*current, error) {
	steps, err := dag.Plan(p.Graph, store, dag.Options{Until: until})
	if err != nil {
		return nil, err
	}
	c := &current{p, store, make(map[*dag.Node]*dag.Step, len(steps))}
	for i := range steps {
		c.steps[steps[i].Node] = &steps[i]
	}
	return c, nil
}

// split parts tasks into those whose result is there, with its bytes, and the
// others. (A run needs no more of many than the record: see package dag.)
func (c *current) split(tasks []*dag.Node) (there, others []*dag.Node) {
	for _, n := range tasks {
		if s := c.steps[n]; s != nil && s.State == dag.Cached && c.hasBytes(s) {
			there = append(there, n)
		} else {
			others = append(others, n)
		}
	}
	return there, others
}

func (c *current) hasBytes(s *dag.Step) bool {
	for _, ref := range s.Outputs {
		if !c.store.Has(ref) {
			s.Reason = freed
			return false
		}
	}
	return true
}

const freed = "gc has freed it, or it is lost"

// ref is one output of a task whose result is there.
func (c *current) ref(n *dag.Node, port string) artifacts.Ref { return c.steps[n].Outputs[port] }
