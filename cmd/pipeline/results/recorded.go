package results

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/lock"
)

// IsRun tells the id of a run from the name of a file.
func IsRun(name string) bool {
	if !runID.MatchString(name) {
		return false
	}
	_, err := os.Stat(name)
	return err != nil
}

var runID = regexp.MustCompile(`^[0-9a-f]{1,16}$`)

// LoadRun loads a run by the beginning of its id.
func LoadRun(store *artifacts.Store, id string) (*dag.Record, error) {
	rr, err := store.LoadRun(id)
	if errors.Is(err, artifacts.ErrMiss) {
		return nil, exit.Wrongf("there is no run %s in %s; pipeline runs lists them", id, store.Dir())
	}
	if err != nil {
		return nil, err
	}
	return dag.ReadRecord(store, rr)
}

// RecordedOutputs finds what a run made, by STAGE, TASK, or either with .OUTPUT;
// * stands for any text.
func RecordedOutputs(r *dag.Record, what string) ([]Output, error) {
	name, port := what, ""
	if dot := strings.LastIndexByte(what, '.'); dot > strings.LastIndexByte(what, ']') {
		name, port = what[:dot], what[dot+1:]
	}
	pattern, err := regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, ".*") + "$")
	if err != nil {
		return nil, err
	}
	var outs []Output
	var stages, ports []string
	nodes := map[string]*dag.StageNode{}
	for _, t := range r.Tasks {
		stages = append(stages, dag.StageOf(t.ID))
		if !pattern.MatchString(t.ID) && !pattern.MatchString(dag.StageOf(t.ID)) {
			continue
		}
		stage := dag.StageOf(t.ID)
		if nodes[stage] == nil {
			nodes[stage] = &dag.StageNode{Name: stage}
		}
		n := &dag.Node{ID: t.ID, Stage: nodes[stage]}
		for _, out := range slices.Sorted(maps.Keys(t.Outputs)) {
			ports = append(ports, out)
			if port == "" || port == out {
				outs = append(outs, Output{n, dag.Port{Name: out}, t.Outputs[out]})
			}
		}
	}
	switch {
	case len(outs) > 0:
		return outs, nil
	case port != "" && len(ports) > 0:
		return nil, exit.Wrongf("%s made no output %q in run %s%s", name, port, r.ID, words.OrAll(port, slices.Compact(ports)))
	}
	return nil, exit.Wrongf("run %s has no result of %q%s", r.ID, name, words.OrAll(name, slices.Compact(stages)))
}

// OfRun looks up what a run came to, and refuses when its pipeline gives something
// else by now.
func OfRun(rec *dag.Record, store *artifacts.Store) (*Current, error) {
	text, sets := pipelines.SplitSource(rec.Source)
	p, err := (&lock.Lock{File: filepath.Base(rec.File), Text: text, Sets: sets}).Load(filepath.Dir(rec.File), nil)
	if err != nil {
		return nil, fmt.Errorf("its pipeline cannot be loaded any more (name the pipeline file instead): %w", err)
	}
	steps, err := dag.Plan(p.Graph, store, dag.Options{})
	if err != nil {
		return nil, err
	}
	keys := map[string]artifacts.Key{}
	for _, t := range rec.Tasks {
		keys[t.ID] = t.Key
	}
	c := &Current{Pipeline: p, Store: store, Steps: make(map[*dag.Node]*dag.Step, len(steps))}
	for i := range steps {
		s := &steps[i]
		if k, ran := keys[s.Node.ID]; s.Key != k || !ran {
			return nil, fmt.Errorf("%s is not what it was in this run: its data or the program have changed since; name the pipeline file to take what it has now", s.Node.ID)
		}
		c.Steps[s.Node] = s
	}
	return c, nil
}
