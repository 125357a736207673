package pipelines

import (
	"fmt"
	"slices"
	"testing"

	"prgnn/dag/engine"
	"prgnn/internal/need"
	"prgnn/pipelines/precheck"
	"prgnn/stages/atlas"
	"prgnn/stages/cohort"
)

// A study of 40,000 is told which stages need more memory than there is; one of the size of ABIDE is told nothing on
// a machine of 4 GB. The bytes of a participant are those of docs/scale.md: 120 and 20 kB.
func TestTooLarge(t *testing.T) {
	const elsewhere = "run it where there is more, or on a cluster (docs/cluster.md)"
	for _, c := range []struct {
		participants int
		memory       string             // resources of the summary
		want         map[int64][]string // by the memory of the machine
	}{
		{40000, "", map[int64][]string{
			2e9: {
				"stage duplicates needs about 4.8 GB for 40000 participants, and this machine has 2.0 GB: " + elsewhere},
			6e8: {
				"stage duplicates needs about 4.8 GB for 40000 participants, and this machine has 0.6 GB: " + elsewhere,
				"stage summary needs about 0.8 GB for 40000 participants, and this machine has 0.6 GB: " + elsewhere},
			4.8e9: nil,
			0:     nil, // on a cluster, which is asked for as much
		}},
		{1031, "", map[int64][]string{4e9: nil}},
		{10310, "100M", map[int64][]string{
			0: {"stage summary needs about 0.2 GB for 10310 participants, and its resources give 0.1 GB: set memory to 1G"},
		}},
		{1031, "1G", map[int64][]string{7e7: {
			"stage duplicates needs about 0.1 GB for 1031 participants, and this machine has 0.1 GB: " + elsewhere}}},
	} {
		resources := ""
		if c.memory != "" {
			resources = ", resources: { memory: " + c.memory + " }"
		}
		p := mustBuild(t, fmt.Sprintf(`
cohort: { simulate: { asd: %d, hc: 500 } }
stages:
  folds: { use: split, in: { participants: cohort.participants } }
  duplicates: { use: leakage, in: { folds: folds, scans: "cohort[*].bold" } }
  divided: { use: leakage, in: { folds: folds } }
  summary: { use: summary, in: { participants: cohort.participants }%s }
`, c.participants-500, resources))
		planned := func(state engine.State) func() ([]engine.Step, error) {
			return func() (steps []engine.Step, err error) {
				for _, s := range p.Graph.Stages() {
					for _, n := range s.Tasks() {
						steps = append(steps, engine.Step{Node: n, State: state})
					}
				}
				return steps, nil
			}
		}
		for machine, want := range c.want {
			notes := func(state engine.State) []string {
				return precheck.TooLarge(p.Roster, p.Graph, func() int64 { return machine }, planned(state))
			}
			if got := notes(engine.Unknown); !slices.Equal(got, want) {
				t.Errorf("%d, %s, a machine of %d: %q, want %q", c.participants, c.memory, machine, got, want)
			}
			if got := notes(engine.Cached); got != nil {
				t.Errorf("%d, a machine of %d, everything has its result: %q", c.participants, machine, got)
			}
		}
		stands := slices.ContainsFunc(p.Notes, func(n string) bool { return slices.Contains(c.want[2e9], n) })
		need.Equal(t, stands, false, "a note of this machine stands in results")
	}
}

// TestMemoryGrowsWithDraws: a training of more than eleven graphs of each participant needs more, by the figures of
// docs/scale.md: 1 MB for eleven graphs of each of 42 participants, and 256 MiB; beyond 2 GB, where graphs are packed,
// a quarter. Others do not grow.
func TestMemoryGrowsWithDraws(t *testing.T) {
	for draws, want := range map[int]int64{1: 42e6, 10: 42e6, 110: 420e6, 5000: 6339836136 - 256<<20} {
		p := mustBuild(t, fmt.Sprintf(`
extends: quick.yaml
stages: { series: { with: { draws: %d } } }
`, draws))
		for _, s := range p.Graph.Stages() {
			switch s.Name() {
			case "train":
				need.Equal(t, s.Memory(), 256<<20+want, "draws: ", draws)
			case "qcfc":
				need.Equal(t, s.Memory(), 42*30e3, s.Name())
			}
		}
	}
}

// TestMemoryGrowsWithRegions: what a training asks for grows with the square of the regions beyond 84.
func TestMemoryGrowsWithRegions(t *testing.T) {
	p := mustBuild(t, "extends: quick.yaml")
	for regions, times := range map[int]int64{24: 1, 84: 1, 168: 4, 420: 25} {
		p.Roster.Nodes = cohort.NodesTable(make([]atlas.Node, regions), "")
		for _, s := range p.Graph.Stages() {
			memory := func() int64 { return s.Kind().MemoryFor(precheck.Sizes(p.Roster, s)) }
			switch s.Name() {
			case "train":
				need.Equal(t, memory(), 256<<20+times*42e6, "train", regions)
			case "baselines":
				need.Equal(t, memory(), 512<<20+times*42*700e3, "baselines", regions)
			case "qcfc":
				need.Equal(t, memory(), 42*30e3, "qcfc", regions)
			}
		}
	}
}
