package cohort

import (
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// All participants of a real sample run from their files to graphs: 111 regions, some
// of them without a signal, and nothing is made of those.
func TestSeriesOfABIDE(t *testing.T) {
	dir := need.Shared(t, "data", "abide_nyu")
	if testing.Short() {
		t.Skip("175 participants")
	}
	c := &TimeseriesCohort{listed: listed{File: "participants.csv", ID: "file_id", Group: "asd",
		Levels: []string{"1=ASD", "0=TD"}},
		Series: "nyu_original_1D/{file_id}_rois_ho.1D.gz"}
	roster, err := c.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := roster.Participants.Ints("n_zero_variance_roi")
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for i, subject := range roster.Subjects {
		chain := func(kind string, in map[string]dag.Input) dag.Outputs {
			k, _ := stagetest.Lookup(kind)
			out, err := stagetest.RunWith(k.New(), in)
			if err != nil {
				t.Fatalf("%s: %s: %v", subject.ID, kind, err)
			}
			return out
		}
		series := chain("timeseries", map[string]dag.Input{"series": stagetest.FileInput(subject.Files["series"]),
			"nodes": dag.InputOf(roster.Nodes)})
		clean := chain("denoise", map[string]dag.Input{"series": dag.InputOf(series["series"])})
		matrices := chain("connectivity", map[string]dag.Input{"series": dag.InputOf(clean["series"]),
			"quality": dag.InputOf(clean["quality"])})
		graph := chain("graph", map[string]dag.Input{"pearson": dag.InputOf(matrices["pearson"]),
			"partial": dag.InputOf(matrices["partial"])})
		silent := stagetest.ColumnOf(t, graph["quality"], "silent")
		if silent != float64(flat[i]) || stagetest.ColumnOf(t, matrices["quality"], "constant") != silent {
			t.Errorf("%s: %v nodes are silent, and %d regions of the file do not vary", subject.ID, silent, flat[i])
		}
		if silent > 0 {
			with++
		}
		n := 111 - int(silent)
		if got := stagetest.ColumnOf(t, graph["quality"], "chosen"); got != float64(n*(n-1)/20) {
			t.Errorf("%s: %v edges of %d regions", subject.ID, got, n)
		}
		for _, v := range graph["features"].(*encoding.Array).Float64s() {
			if math.IsNaN(v) || math.Abs(v) > 1 {
				t.Fatalf("%s: a feature is %v", subject.ID, v)
			}
		}
	}
	if with == 0 {
		t.Error("nobody has a region without a signal; this sample has some")
	}
}
