package pipelines

import (
	"slices"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
)

// Every table with warnings is connected to a summary, each with its stage, and none twice.
func TestWarningsAreCollected(t *testing.T) {
	const text = `
cohort: { simulate: { asd: 2, hc: 2 } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes } }
  clean: { use: denoise, each: subject, in: { series: series, confounds: cohort.confounds } }
  connectivity: { use: connectivity, each: subject, in: { series: clean, quality: clean.quality } }
  shrunk: { use: connectivity, each: subject, in: { series: clean, quality: clean.quality }, with: { pearson: ledoit-wolf } }
  windows: { use: windows, each: subject, in: { series: clean, quality: clean.quality } }
  summary: { use: summary, in: { participants: cohort.participants, connectivity: "connectivity[*].quality" } }
`
	p := need.Value(build("warnings.yaml", []byte(text), ".", nil, maxTasks))(t)
	from := map[string]int{}
	for _, s := range p.Graph.Stages() {
		if s.Name() != "summary" {
			continue
		}
		for _, in := range s.Tasks()[0].Inputs() {
			for _, src := range in.Sources {
				if in.Port != "warnings" {
					continue
				}
				from[src.Node.Stage().Name()+"."+src.Output]++
				if !slices.Contains(src.Coords, dag.Coord{Axis: "stage", Value: src.Node.Stage().Name()}) {
					t.Errorf("%s does not carry its stage: %v", src.Node.ID(), src.Coords)
				}
			}
		}
	}
	if len(from) != 2 || from["shrunk.quality"] != 4 || from["windows.quality"] != 4 {
		t.Errorf("warnings are collected of %v", from)
	}
}
