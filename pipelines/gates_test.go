package pipelines

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/builtin"
)

// waits names the leakage stages that a task waits for, once each.
func waits(n *dag.Node) (names []string) {
	for _, b := range n.Inputs() {
		for _, src := range b.Sources {
			if b.Port == "leakage" && src.Node != nil && !slices.Contains(names, src.Node.Stage().Name()) {
				names = append(names, src.Node.Stage().Name())
			}
		}
	}
	return names
}

// Stages that train wait for the leakage checks that need no model, stages that give an
// accuracy for all of them, whether the file says so or not; others do not.
func TestGates(t *testing.T) {
	const text = `
cohort: { simulate: { asd: 4, hc: 4 } }
stages:
  summary: { use: summary, in: { participants: cohort.participants, evaluation: evaluate.summary, leakage: after.checks } }
  evaluate: { use: evaluate, in: { predictions: "train[*].predictions" } }
  after: { use: leakage, in: { folds: folds, predictions: "train[*].predictions" } }
  train: { use: train, matrix: { fold: [1, 2] }, in: { edges: "graphs[*].edges", features: "graphs[*].features", folds: folds } }
  before: { use: leakage, matrix: { admitted: [false, true] }, in: { folds: folds, features: "graphs[*].features" } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes } }
  matrices: { use: connectivity, each: subject, in: { series: series } }
  graphs: { use: graph, each: subject, in: { pearson: matrices.pearson, partial: matrices.partial } }
`
	p := mustBuild(t, text)
	want := map[string][]string{"train": {"before"}, "evaluate": {"after", "before"}, "summary": {"after", "before"}}
	for _, s := range p.Graph.Stages() {
		for _, n := range s.Tasks() {
			if got := waits(n); !slices.Equal(got, want[s.Name()]) {
				t.Errorf("%s waits for %q, want %q", n.ID(), got, want[s.Name()])
			}
		}
	}
}

// A check of a lab's own is waited for like leakage, by the output that says what it found; one without is refused.
func TestGatesOfALab(t *testing.T) {
	const text = `
cohort: { simulate: { asd: 4, hc: 4 } }
stages:
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  ours: { use: t-check, in: { of: folds } }
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes } }
  matrices: { use: connectivity, each: subject, in: { series: series } }
  net: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "matrices[*].pearson", folds: folds } }
`
	p := mustBuild(t, text)
	nodes := need.Value(p.Graph.Select("net[fold=1]"))(t)
	need.Equal(t, fmt.Sprint(waits(nodes[0])), "[ours]", "what a training waits for")
	for src := range nodes[0].Upstream() {
		if src.Node.Stage().Name() == "ours" {
			need.Equal(t, src.Output, "checks", "the output that it takes")
		}
	}
	_, err := build("x.yaml", []byte(strings.Replace(text, "t-check", "t-silent-check", 1)), ".", nil, maxTasks)
	need.Error(t, err, "x.yaml:5:3: stage ours: other stages wait for it (net), but none of its outputs fits their input leakage: give it a table with the columns check, of, found")
}

// In every built-in pipeline that trains, each training waits for a check of features
// that needs no training, and each accuracy for one of the predictions.
func TestBuiltinsCheckLeakageFirst(t *testing.T) {
	sets := builtinSets(t)
	t.Chdir(t.TempDir())
	for _, name := range builtin.Names() {
		p, err := Load(name, sets[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		byName := map[string]*dag.StageNode{}
		for _, s := range p.Graph.Stages() {
			byName[s.Name()] = s
		}
		has := func(stage, port string) bool {
			return slices.ContainsFunc(byName[stage].Tasks()[0].Inputs(),
				func(b dag.Binding) bool { return b.Port == port })
		}
		for _, s := range p.Graph.Stages() {
			port := map[string]string{"train": "features", "baseline": "features", "evaluate": "predictions",
				"compare": "predictions", "summary": "predictions", "report": "predictions"}[s.Kind().Name]
			if port == "" {
				continue
			}
			if !slices.ContainsFunc(waits(s.Tasks()[0]), func(gate string) bool { return has(gate, port) }) {
				t.Errorf("%s: %s waits for no leakage check of %s", name, s.Name(), port)
			}
		}
	}
}
