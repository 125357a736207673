package pipelines

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Where nothing says where the regions are, the stages that would draw them are left out when the file is read, with a
// note
// for each; the report stays, without them.
func TestPicturesWithoutPlaces(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("people.tsv", "participant_id\tgroup\nsub-1\tA\nsub-2\tB\n")
	for _, s := range []string{"sub-1", "sub-2"} {
		write(s+".tsv", "one\ttwo\tthree\n1\t2\t3\n2\t1\t4\n3\t5\t2\n")
	}
	write("places.csv", "index,name,x,y,z\n1,one,1,2,3\n2,two,4,5,6\n3,three,7,8,9\n")
	const text = `cohort: { timeseries: { file: people.tsv, series: "{participant_id}.tsv" NODES } }
stages:
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  clean: { use: denoise, each: subject, in: { series: series, scan: series.scan } }
  connectivity: { use: connectivity, each: subject, in: { series: clean, quality: clean.quality } }
  graphs: { use: graph, each: subject, in: { pearson: connectivity.pearson, partial: connectivity.partial } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  train: { use: train, matrix: { fold: [1, 2] }, in: { edges: "graphs[*].edges", features: "graphs[*].features", folds: folds } }
  biomarkers: { use: biomarkers, in: { scores: "train[*].scores", nodes: cohort.nodes, participants: cohort.participants } }
  picture: { use: brainmap, in: { ranking: biomarkers.ranking, nodes: cohort.nodes } }
  four: { use: figure-individuals, in: { individual: biomarkers.individual, nodes: cohort.nodes } }
  report: { use: report, in: { participants: cohort.participants, ranking: biomarkers.ranking, figures: [picture, four.picture] } }
`
	for nodes, want := range map[string][]string{"": {"picture", "four"}, ", nodes: places.csv": nil} {
		p, err := build("x.yaml", []byte(strings.Replace(text, " NODES", nodes, 1)), dir, nil, maxTasks)
		need.NoError(t, err)
		var left []string
		for _, n := range p.Notes {
			if name, _, ok := strings.Cut(strings.TrimPrefix(n, "stage "), " is omitted: the regions' positions are unknown."); ok {
				left = append(left, name)
			}
		}
		drawn := strings.Contains(describe(p.Graph), "picture<-") ||
			strings.Contains(describe(p.Graph), "picture brainmap")
		if !slices.Equal(left, want) || drawn != (want == nil) ||
			!strings.Contains(describe(p.Graph), "report report") {
			t.Errorf("nodes %q: left out %q, notes %q\n%s", nodes, left, p.Notes, describe(p.Graph))
		}
	}
	// What something needs is not taken away from it.
	needed := strings.Replace(text, " NODES", "", 1) + "  copy: { use: echo, in: { input: picture } }\n"
	if p, err := build("x.yaml", []byte(needed), dir, nil, maxTasks); err != nil {
		t.Fatal(err)
	} else if !strings.Contains(describe(p.Graph), "copy echo") {
		t.Errorf("%s", describe(p.Graph))
	}
}
