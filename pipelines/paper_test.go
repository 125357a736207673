package pipelines

import (
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/need"
	"prgnn/internal/words"
)

// TestPaperSharesBiopoint: what both pipelines compute, they compute in the same
// way, so that the store has it once.
func TestPaperSharesBiopoint(t *testing.T) {
	t.Chdir(t.TempDir())
	load := func(name string) map[string]*dag.Node {
		p := need.Value(Load(name, nil))(t)
		all := map[string]*dag.Node{}
		for _, s := range p.Graph.Stages() {
			for _, n := range s.Tasks() {
				all[n.ID()] = n
			}
		}
		return all
	}
	biopoint, paper := load("biopoint.yaml"), load("paper.yaml")
	shared := []string{"cohort", "parcels", "series", "clean", "connectivity", "graphs", "folds", "train", "baselines",
		"biomarkers", "picture", "saliency", "background", "covariates", "means"}
	seen := map[string]bool{}
	for id, n := range biopoint {
		stage := n.Stage().Name()
		if !slices.Contains(shared, stage) {
			continue
		}
		seen[stage] = true
		other := paper[id]
		if other == nil {
			t.Fatalf("paper.yaml has no %s", id)
		}
		if a, b := param.Values(n.Instance()), param.Values(other.Instance()); !slices.Equal(a, b) {
			t.Fatalf("%s differs between biopoint.yaml and paper.yaml, so that its result is not shared:\n%q\n%q", id, a, b)
		}
		if a, b := inputsText(n), inputsText(other); a != b {
			t.Errorf("%s has other inputs in biopoint.yaml and paper.yaml, so that its result is not shared:\n%s\n%s", id, a, b)
		}
	}
	for _, s := range shared {
		if !seen[s] {
			t.Errorf("biopoint.yaml has no stage %s", s)
		}
	}
	if _, ok := paper["variations[distance=bce,pool=topk,lambda=0.1-0.1,fold=3]"]; !ok {
		t.Error("paper.yaml lacks a setting of Table 1")
	}
}

// inputsText is what a task takes: of each port the outputs that are connected to it.
func inputsText(n *dag.Node) string {
	var ports []string
	for _, b := range n.Inputs() {
		var sources []string
		for _, s := range b.Sources {
			from := s.File
			if s.Node != nil {
				from = s.Node.ID()
			}
			sources = append(sources, from+"."+s.Output)
		}
		ports = append(ports, b.Port+": "+words.Some(sources, 3))
	}
	slices.Sort(ports)
	return strings.Join(ports, "; ")
}
