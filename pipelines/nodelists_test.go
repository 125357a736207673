package pipelines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/atlas"
	"prgnn/stages/cohort"
)

const oneAtlas = `connect: usual
cohort: { simulate: { asd: 6, hc: 6, grid: 9 } }
stages:
  parcels: { use: parcellate }
  series: { use: bootstrap, with: { draws: 0 } }
  clean: { use: denoise }
  connectivity: { use: connectivity }
  graphs: { use: graph }
  folds: { use: split, with: { folds: 3 } }
  checks: { use: leakage }
  train: { use: train, matrix: { fold: all } }
  edges: { use: edges }
`

// A stage whose node list is another than that of its data is refused, in any pipeline and for lists of any format.
// Lists with the same names are one.
func TestNodeListsOfStages(t *testing.T) {
	dir := testdir.Files(t, nil)
	write := func(file string, nodes []atlas.Node) {
		f := need.Value(os.Create(filepath.Join(dir, file)))(t)
		need.NoError(t, cohort.NodesTable(nodes, "").Encode(f))
		need.NoError(t, f.Close())
	}
	nodes := atlas.DK84()
	write("same.arrow", nodes)
	nodes[0].Name, nodes[1].Name = nodes[1].Name, nodes[0].Name
	write("other.arrow", nodes)
	load := func(changes ...string) error {
		_, err := build("x.yaml", []byte(strings.NewReplacer(changes...).Replace(oneAtlas)), dir, nil, maxTasks)
		return err
	}
	const other = ", in: { nodes: { file: other.arrow } }"
	need.NoError(t, load())
	need.NoError(t, load("use: parcellate", "use: parcellate, in: { nodes: { file: same.arrow } }"))
	need.NoError(t, load("use: parcellate", "use: parcellate"+other, "draws: 0 }", "draws: 0 }"+other,
		"fold: all }", "fold: all }"+other, "use: edges", "use: edges"+other))
	for _, c := range [][]string{
		{"stage series: its node list is cohort.nodes, but its data have the regions of other.arrow (stage parcels): connect the same list: write series: { in: { nodes: { file: other.arrow } } }",
			"use: parcellate", "use: parcellate" + other},
		{"stage train: its node list is cohort.nodes, but its data have the regions of other.arrow (stage parcels): connect the same list: write train: { in: { nodes: { file: other.arrow } } }",
			"use: parcellate", "use: parcellate" + other, "draws: 0 }", "draws: 0 }" + other},
		{"stage train: its node list is other.arrow, but its data have the regions of cohort.nodes (stage parcels): connect the same list: write train: { in: { nodes: cohort.nodes } }",
			"fold: all }", "fold: all }" + other},
		{"stage graphs: its data have the regions of several node lists: cohort.nodes (stage parcels), other.arrow (stage two): connect data of one list",
			"parcels: { use: parcellate }", "parcels: { use: parcellate }\n  two: { use: parcellate" + other + " }",
			"draws: 0 }", "draws: 0 }, in: { parcels: parcels.parcels, sample: parcels.sample }",
			"clean: { use: denoise }", "seriesB: { use: bootstrap, with: { draws: 0 }, in: { parcels: two.parcels, " +
				"sample: two.sample, nodes: { file: other.arrow } } }\n" +
				"  clean: { use: denoise, in: { series: series.series, scan: series.scan, sampled: series.sampled } }\n" +
				"  cleanB: { use: denoise, in: { series: seriesB.series, scan: series.scan, sampled: null } }",
			"connectivity: { use: connectivity }", "connectivity: { use: connectivity, in: { series: clean.series, " +
				"quality: clean.quality } }\n  connectivityB: { use: connectivity, in: { series: cleanB.series, " +
				"quality: cleanB.quality } }",
			"use: leakage", "use: leakage, in: { features: null }", "use: edges",
			"use: edges, in: { cleaning: null, matrices: \"connectivity[*].pearson\" }",
			"use: graph ", "use: graph, in: { pearson: connectivity.pearson, partial: connectivityB.partial, quality: null } "},
	} {
		need.Error(t, load(c[1:]...), c[0])
	}
}
