package figure

import (
	"math"
	"strings"
	"testing"

	"prgnn/stages/column"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/chart"
	"prgnn/stages/draw"
	"prgnn/stages/report"
)

// A caption describes, and what it claims is computed: the overlap of kept and dropped
// nodes, by hand, and rings only where something was planted.
func TestCaptionsClaimNothing(t *testing.T) {
	distribution := func(kept, dropped []int32) dag.Input {
		return dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "epoch", Values: []int32{1, 1, 2, 2}},
			encoding.Column{Name: "layer", Values: []int32{1, 1, 1, 1}},
			encoding.Column{Name: "low", Values: []float64{0, 0.5, 0, 0.5}},
			encoding.Column{Name: "high", Values: []float64{0.5, 1, 0.5, 1}},
			encoding.Column{Name: "kept", Values: append([]int32{9, 0}, kept...)},
			encoding.Column{Name: "dropped", Values: append([]int32{0, 9}, dropped...)}),
			dag.Coord{Axis: "fold", Value: "1"})
	}
	for _, c := range []struct {
		kept, dropped []int32
		want          float64
	}{
		{[]int32{3, 5}, []int32{6, 10}, 1}, {[]int32{0, 4}, []int32{4, 0}, 0}, {[]int32{1, 3}, []int32{3, 1}, 0.5},
	} {
		drawn, err := DrawDistributions([]dag.Input{distribution(c.kept, c.dropped)}, 8)
		need.NoError(t, err)
		want := "Overlap of kept and dropped nodes in the last epoch (0: none, 1: the same distribution): pooling layer 1 " + report.Share(c.want) + "."
		if !strings.Contains(drawn.Caption, want) || strings.Contains(drawn.Caption, "apart") {
			t.Errorf("%q does not say %q", drawn.Caption, want)
		}
	}
	if got := overlap([]float64{0}, []float64{1}); !math.IsNaN(got) {
		t.Errorf("the overlap with nothing is %v", got)
	}
	rings := func(planted bool) bool {
		rows := RankingRows{{Rank: 1, Index: 1, Score: 1, Planted: &planted}}
		c, err := (&BrainMap{}).Draw(Readings(rows, Reading{}), rows, chart.Atlas{At: &[3][]float64{{0}, {0}, {0}}}, "")
		need.NoError(t, err)
		return strings.Contains(c.Caption, "outlines")
	}
	if rings(false) || !rings(true) {
		t.Error("outlines are to be explained where something was planted, and only there")
	}
}

// A caption counts what it shows: one region is the region, and not the 1 first regions.
func TestCaptionsCount(t *testing.T) {
	for _, c := range []struct {
		top                   int
		slices, named, ranked string
	}{
		{1, "Colored: the region with the highest mean pooling score. Background: the parcellation; left is left. The color scale starts at 0.5,", " Named: the region with the highest score.", "A dot for the region with the highest pooling score, "},
		{2, "Colored: the 2 regions with the highest mean pooling score. Background: the parcellation; left is left. The color scale starts at 0.5,", " Named: the 2 regions with the highest score.", "A dot for each of the 2 regions with the highest pooling score, "},
	} {
		rows := RankingRows{{Rank: 1, Index: 2, Name: "b", Score: 0.9, Contrast: math.NaN()},
			{Rank: 2, Index: 1, Name: "a", Score: 0.5, Contrast: math.NaN()}, {Rank: 3, Index: 3, Name: "c", Score: 0.4,
				Contrast: math.NaN()}}
		unit := nifti.Affine{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
		p := &Parcels{Labels: &nifti.Labels{Grid: nifti.Grid{Shape: [3]int{3, 2, 2}, Affine: unit},
			Voxels: []int32{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}}, back: unit}
		if got := DrawSlices(p, nil, Readings(rows, Reading{})[0], c.top); !strings.HasPrefix(got.Caption, c.slices) ||
			!strings.Contains(got.Alt, c.slices[:20]) {
			t.Errorf("%q (%q), want %q", got.Caption, got.Alt, c.slices)
		}
		f, err := (&BrainMap{Top: c.top}).Draw(Readings(rows, Reading{}), rows,
			chart.Atlas{At: &[3][]float64{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}}, "")
		need.NoError(t, err)
		if !strings.Contains(f.Caption, c.named) || strings.Contains(f.Alt, "first") {
			t.Errorf("%q (%q), want %q", f.Caption, f.Alt, c.named)
		}
		if got := DrawRanking(rows, c.top); !strings.HasPrefix(got.Alt, c.ranked) {
			t.Errorf("%q, want %q", got.Alt, c.ranked)
		}
	}
	one := RankingRows{{Rank: 1, Index: 1, Score: 1}}
	if f, err := (&BrainMap{}).Draw(Readings(one, Reading{}), one,
		chart.Atlas{At: &[3][]float64{{0}, {0}, {0}}}, ""); err != nil || strings.Contains(f.Caption+f.Alt, "amed") {
		t.Errorf("%v: no region is named, and it says %q", err, f.Caption)
	}
}

// TestScanCaption: the caption of a scan names what its figure shows, and nothing else.
func TestScanCaption(t *testing.T) {
	caption := func(p chart.Participant) string {
		c := Captioned(draw.Figure{}, "figure.scan", scanValues(p, ""))
		need.NoError(t, c.err)
		return c.Caption
	}
	bare := caption(chart.Participant{Rows: "regions", FD: []float64{math.NaN()}, Out: []bool{false}})
	whole := caption(chart.Participant{Rows: "voxels", FD: []float64{0.1}, Out: []bool{true}, TSNR: []float64{50},
		Runs: []chart.Run{{}, {}}, Bands: make([]string, 200), Brains: []chart.NamedBrain{{}}})
	for _, part := range []string{"framewise displacement", "removed volumes", "voxels", "each run", "tSNR", "outlines", "about 160 rows"} {
		if strings.Contains(bare, part) || !strings.Contains(whole, part) {
			t.Errorf("%s:\n%s\n%s", part, bare, whole)
		}
	}
	if !strings.Contains(bare, "regions") {
		t.Error(bare)
	}
}

// The curve is dashed from the training participants of a whole fold on, and its caption has their number.
func TestLearningCaption(t *testing.T) {
	row := column.LearningRow{Name: "ridge regression", Measure: "auc", N: 62.4}
	points := []column.CurvePointRow{{Name: row.Name, N: 6, Value: 0.6}, {Name: row.Name, N: 62.4, Value: 0.7}}
	curve := []column.CurveRow{{Name: row.Name, N: 6, Value: 0.6}, {Name: row.Name, N: 62.4, Value: 0.7},
		{Name: row.Name, N: 124.8, Value: 0.75, Beyond: true}}
	drawn := DrawLearning([]column.LearningRow{row}, points, curve, nil)
	if want := "dashed: beyond the 62 training participants of a fold."; !strings.Contains(drawn.Caption, want) {
		t.Errorf("%q does not state %q", drawn.Caption, want)
	}
}
