package cohort

import (
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/stagetest"
)

// sidesOf are the hemispheres of nodes, after a look at their names.
func sidesOf(t *testing.T, nodes *encoding.Table) []string {
	t.Helper()
	names, err := nodes.Strings("name")
	if err != nil || len(names) != 111 || names[0] != "Left Thalamus" || names[110] != "Left Occipital Pole" {
		t.Fatalf("nodes: %v, %v", names, err)
	}
	sides, err := nodes.Strings("hemisphere")
	if err != nil {
		t.Fatal(err)
	}
	return sides
}

// All participants of a real sample run from their files to graphs: 111 regions, some
// of them without a signal, and nothing is made of those.
func TestSeriesOfABIDE(t *testing.T) {
	dir := need.Shared(t, "data", "abide_nyu")
	if testing.Short() {
		t.Skip("175 participants")
	}
	c := &TimeseriesCohort{Parameters: listed.Parameters{File: "participants.csv", ID: "file_id", Group: "asd",
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
	with, sides := 0, sidesOf(t, roster.Nodes)
	same, other := 0.0, 0.0 // correlations of cortical with subcortical regions
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
		pearson := matrices["pearson"].(*encoding.Array).Float64s()
		for a, cortex := range sides {
			for b, below := range sides[:14] {
				switch {
				case a < 14 || cortex == "":
				case cortex == below:
					same += pearson[a*111+b]
				default:
					other += pearson[a*111+b]
				}
			}
		}
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
	// PCP's tables name 101 right and 102 left, against the order of the subcortical numbers: regions correlate more
	// with those of their own side.
	if n := 96. * 7 * 175; !(same/n > other/n+0.005) {
		t.Errorf("correlations with the subcortical regions that are named as of the same side average %.4f, of the other %.4f", same/n, other/n)
	}
	if with == 0 {
		t.Error("nobody has a region without a signal; this sample has some")
	}
}
