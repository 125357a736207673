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
	"prgnn/stages/fold"
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
		drawn, err := DrawDistributions([]dag.Input{distribution(c.kept, c.dropped)}, nil, 8)
		need.NoError(t, err)
		want := "Overlap of kept and dropped nodes in the last epoch (0: none, 1: the same distribution): " + report.Share(c.want) +
			" (pooling layer 1)."
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
		{1, "Highest mean score: b (0.900), a (0.500), c (0.400). Colored: the region with the highest mean score. Background: the parcellation; left is left. The color scale goes from 0.85 to 0.9. Not colored: regions of lower rank, and regions below 0.5,", " Named: the region with the highest score.", "A dot for the region with the highest score, "},
		{2, "Highest mean score: b (0.900), a (0.500), c (0.400). Colored: the 2 regions with the highest mean score. Background: the parcellation; left is left. The color scale goes from 0.5 to 0.9. Not colored: regions of lower rank, and regions below 0.5,", " Named: the 2 regions with the highest score.", "A dot for each of the 2 regions with the highest score, "},
	} {
		rows := RankingRows{{Rank: 1, Index: 2, Name: "b", Score: 0.9, Contrast: math.NaN()},
			{Rank: 2, Index: 1, Name: "a", Score: 0.5, Contrast: math.NaN()}, {Rank: 3, Index: 3, Name: "c", Score: 0.4,
				Contrast: math.NaN()}}
		unit := nifti.Affine{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
		p := &Parcels{Labels: &nifti.Labels{Grid: nifti.Grid{Shape: [3]int{3, 2, 2}, Affine: unit},
			Voxels: []int32{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}}, back: unit}
		if got := DrawSlices(p, nil, Readings(rows, Reading{})[0], c.top); !strings.HasPrefix(got.Caption, c.slices) ||
			!strings.Contains(got.Alt, "Colored: the") {
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
		c := Captioned(draw.Figure{}, "figure.scan", scanValues(p, "", math.NaN()))
		need.NoError(t, c.err)
		return c.Caption
	}
	bare := caption(chart.Participant{Rows: "regions", FD: []float64{math.NaN()}, Out: []bool{false}})
	whole := caption(chart.Participant{Rows: "voxels", FD: []float64{0.1}, Out: []bool{true}, TSNR: []float64{50},
		Runs: []chart.Run{{}, {}}, Bands: make([]string, 200), Brains: []chart.NamedBrain{{}}})
	for _, part := range []string{"framewise displacement", "removed volumes", "voxels", "each run", "tSNR", "Outlines", "about 160 rows"} {
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

// A caption begins with what the figure shows in numbers, of the first classifier and the range of the others.
func TestCaptionsBeginWithFindings(t *testing.T) {
	person := func(label, predicted int, p float64) fold.Case {
		return fold.Case{Label: label, Predicted: predicted, Probability: []float64{1 - p, p}}
	}
	folds := func(name string, p float64) []fold.Tested {
		cases := []fold.Case{person(1, 1, 0.8), person(1, 0, p), person(0, 0, 0.4)}
		return []fold.Tested{{Name: name, Participants: cases}}
	}
	all := &fold.Settings{Groups: []string{"ASD", "CON"},
		Settings: [][]fold.Tested{folds("PR-GNN", 0.6), folds("MLP", 0.2), folds("LDA", 0.6)}}
	sage, topk := folds("PR-GNN, SAGE", 0.6), folds("PR-GNN, TopK", 0.2)
	sage[0].Model, topk[0].Model = column.PrGNN, column.PrGNN
	pools := &fold.Settings{Groups: all.Groups, Settings: [][]fold.Tested{sage, topk, folds("LDA", 0.2)}}
	ridge := &fold.Settings{Groups: all.Groups, Settings: [][]fold.Tested{folds("ridge regression", 0.6)}}
	accuracyOf := func(name string) *Chart {
		return Captioned(draw.Figure{}, "figure.accuracy", values{"First": name, "Value": 0.7, "Low": 0.6, "High": 0.8,
			"Others": 0, "Majority": 0.5, "More": false, "N": 1})
	}
	nan := math.NaN()
	rows := RankingRows{
		{Rank: 1, Index: 1, Name: "a", Score: 0.9, Low: 0.8, High: 1, Contrast: 2, Q: 0.01, ContrastHigh: nan},
		{Rank: 2, Index: 2, Name: "b", Score: 0.5, Low: nan, High: nan, Contrast: 1, Q: 0.2, ContrastHigh: nan}}
	group := func(name string, accuracy, mae float64) column.AnySubgroupRow {
		return column.AnySubgroupRow{SubgroupRow: column.SubgroupRow{Name: "LDA", Column: "sex", Group: name,
			Accuracy: accuracy, AUC: nan}, NumberMeasures: column.NumberMeasures{R: nan, MAE: mae, Error: nan}}
	}
	groups := []column.AnySubgroupRow{group("F", 0.6, nan), group("M", 0.7, nan)}
	numbers := []column.AnySubgroupRow{group("F", nan, 3), group("M", nan, 4)}
	learned := column.LearningRow{Name: "ridge regression", Measure: "auc", N: 60, Least: 12, Value: 0.75, Rise: 0.25}
	ends := lastEpoch([][]epochRow{{{}, {Accuracy: 0.9, TestAccuracy: 0.6}}, {{Accuracy: 0.7, TestAccuracy: 0.7}}})
	ends["First"], ends["Majority"], ends["More"] = "", false, false
	for begin, c := range map[string]*Chart{
		"PR-GNN: AUC 1.000; the 2 others: 0.500–1.000 (means":            need.Value(DrawROC(all, "CON"))(t),
		"PR-GNN, SAGE: AUC 1.000; the 2 other settings: 0.500 (means":    need.Value(DrawROC(pools, "CON"))(t),
		"PR-GNN: 2 of 3 participants correct (1 of 1 ASD, 1 of 2 CON). ": DrawConfusion(all, 0),
		"Brier score: PR-GNN 0.120, MLP 0.280; for a constant probability of 0.667, the share of CON: 0.222. ": need.
			Value(DrawCalibration(all, "CON", 2))(t),
		"Accuracy 0.800 on training graphs and 0.650 on test graphs in the last epoch": Captioned(draw.Figure{},
			"figure.training", ends),
		"a has the highest mean score, 0.900 (0.800–1.000). ":                                               DrawRanking(rows, 2),
		"1 of 2 regions with q < 0.05 (false discovery rate over all regions); largest contrast: a, 2.00. ": DrawContrast(rows, 2),
		"LDA: accuracy 0.600–0.700 over 2 groups of test participants. ":                                    DrawSubgroups(groups),
		"LDA: mean absolute error 3–4 over 2 groups of test participants. ":                                 DrawSubgroups(numbers),
		"Ridge regression: AUC 0.750 with 60 training participants, 0.500 with 12. ": DrawLearning(
			[]column.LearningRow{learned}, []column.CurvePointRow{{Name: learned.Name, N: 12, Value: 0.5}}, nil, nil),
		"Ridge regression: AUC 1.000 (means over the folds). ":                         need.Value(DrawROC(ridge, "CON"))(t),
		"Ridge regression: 2 of 3 participants correct ":                               DrawConfusion(ridge, 0),
		"Ridge regression: accuracy 0.700 (0.600–0.800); majority-class rate: 0.500. ": accuracyOf("ridge regression"),
		"Accuracy 0.700 (0.600–0.800); majority-class rate: 0.500. ":                   accuracyOf(""),
	} {
		if need.NoError(t, c.err); !strings.HasPrefix(c.Caption, begin) {
			t.Errorf("%q does not begin with %q", c.Caption, begin)
		}
	}
}

// The headline of a report leads a figure of several settings, in any order of the file; without one that order stays.
func TestHeadlineLeadsFigures(t *testing.T) {
	at := func(axes ...string) (coords []dag.Coord) {
		for i := 0; i < len(axes); i += 2 {
			coords = append(coords, dag.Coord{Axis: axes[i], Value: axes[i+1]})
		}
		return coords
	}
	ins := []dag.Input{{Coords: at("fold", "1", "pool", "sage")}, {Coords: at("fold", "2", "pool", "sage")},
		{Coords: at("fold", "1", "pool", "topk")}}
	for want, headline := range map[string][]dag.Coord{"SAGE": nil, "TopK": at("pool", "topk"), "TopK ": at("stage",
		"train", "pool", "topk")} {
		need.Equal(t, bySettings(ins, headline)[0].name, strings.TrimSpace(want), headline)
	}
	staged := []dag.Input{{Coords: at("stage", "svm", "fold", "1")}, {Coords: at("stage", "train", "fold", "1")}}
	need.Equal(t, bySettings(staged, at("stage", "train"))[0].name, "train")

	table := column.Table([]column.IndividualRow{{Participant: "sub-1", Group: "A", Index: 1, Score: 0.6, Frequency: 1},
		{Participant: "sub-1", Group: "A", Index: 1, Score: 0.7, Frequency: 1}})
	table.Columns = append([]encoding.Column{{Name: "pool", Values: []string{"sage", "topk"}}}, table.Columns...)
	c, err := (&Individuals{People: 1, Regions: 1}).Draw(dag.InputOf(table), at("pool", "topk"),
		map[int][2]string{1: {"a", "a"}}, chart.Atlas{At: &[3][]float64{{0}, {0}, {0}}})
	need.NoError(t, err)
	svg, err := c.svg()
	need.NoError(t, err)
	first := strings.Index(string(svg), ">TopK<")
	need.Equal(t, 0 <= first && first < strings.Index(string(svg), ">SAGE<"), true)
}
