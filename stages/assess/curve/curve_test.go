package curve

import (
	"fmt"
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// fixtureParts are the parts of the fixture, in one order, with other values where change is not nil.
func fixtureParts(t *testing.T, change func(fold, share int, r *column.SubsetRow)) map[string][]dag.Input {
	t.Helper()
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", name+".npy"))
	}
	size, result := floats("size"), floats("result")
	in := map[string][]dag.Input{}
	for k := range 5 {
		var rows []column.SubsetRow
		for s, share := range []float64{0.1, 0.2, 0.35, 0.5, 0.75, 1} {
			r := column.SubsetRow{Model: "ridge", Repeat: 1, Fold: int32(k + 1), Order: 1, Share: share,
				Trained: int32(size[k*6+s]), Whole: int32(size[k*6+5]), Tested: 24, Smallest: 10,
				Accuracy: result[(k*6+s)*2], AUC: result[(k*6+s)*2+1]}
			if change != nil {
				change(k, s, &r)
			}
			rows = append(rows, r)
		}
		in["parts"] = append(in["parts"], dag.InputOf(column.Table(rows), dag.Coord{Axis: "model", Value: "ridge"},
			dag.Coord{Axis: "fold", Value: fmt.Sprint(k + 1)}))
	}
	return in
}

func fitted(t *testing.T, in map[string][]dag.Input, more ...any) (r column.LearningRow, points []column.CurvePointRow,
	curve []column.CurveRow) {
	t.Helper()
	out := stagetest.MustRun(t, stagetest.Fresh("learning-curve", more...), in)
	rows := need.Value(column.Rows[column.LearningRow](out["summary"].(*encoding.Table)))(t)
	need.Equal(t, len(rows), 1)
	return rows[0], need.Value(column.Rows[column.CurvePointRow](out["points"].(*encoding.Table)))(t),
		need.Value(column.Rows[column.CurveRow](out["curve"].(*encoding.Table)))(t)
}

// The curve is that of the oracle: a power law by scipy's nnls on a grid of exponents.
func TestCurveIsThatOfTheOracle(t *testing.T) {
	r, points, curve := fitted(t, fixtureParts(t, nil), "target", 0.85)
	want := testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", "curve.npy"))
	for k, p := range points {
		if math.Abs(p.N-want[2*k]) > 1e-9 || math.Abs(1-p.Value-want[2*k+1]) > 1e-9 {
			t.Errorf("%+v, want %v", p, want[2*k:][:2])
		}
	}
	at := func(n float64) float64 { return 1 - 0.5098002836159852*math.Pow(n, -0.243) }
	for k, v := range [][2]float64{{r.Limit, 1}, {r.B, 0.5098002836159852}, {r.C, 0.243}, {r.At, at(r.N)},
		{r.Twice, at(2 * r.N)}, {r.Needed, math.Ceil(math.Pow(0.15/0.5098002836159852, -1/0.243))}} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("number %d is %v, want %v", k, v[0], v[1])
		}
	}
	if !(r.AtLow < r.At && r.At < r.AtHigh && r.TwiceLow < r.Twice && r.Twice < r.TwiceUp && r.NeedLow < r.Needed) {
		t.Errorf("%+v", r)
	}
	last := curve[len(curve)-1]
	need.Equal(t, last.N, 2*r.N)
	need.Equal(t, last.Beyond, true)
	need.Equal(t, last.Value, r.Twice)
	if other, _, _ := fitted(t, fixtureParts(t, nil), "target", 0.99); !math.IsNaN(other.Needed) {
		t.Errorf("%v participants for an AUC of 0.99, beyond twice as many", other.Needed)
	}
}

// A curve that does not rise is not fitted, nor is one of fewer than four sizes; sizes that cannot be trained on in all
// folds are left out.
func TestCurvesThatAreNotFitted(t *testing.T) {
	r, points, curve := fitted(t, fixtureParts(t, func(fold, share int, r *column.SubsetRow) {
		r.AUC = 0.6 + 0.01*float64(fold)
	}))
	if !r.Flat || r.Why == "" || !math.IsNaN(r.At) || len(points) != 6 || len(curve) > 0 {
		t.Errorf("%+v", r)
	}
	lacking := func(sizes int) map[string][]dag.Input {
		return fixtureParts(t, func(fold, share int, r *column.SubsetRow) {
			if fold == 2 && share < sizes {
				r.AUC, r.Why = math.NaN(), "too few"
			}
		})
	}
	r, points, _ = fitted(t, lacking(2))
	need.Equal(t, len(points), 4)
	need.Equal(t, math.IsNaN(r.At), false)
	need.Equal(t, r.Least, points[0].N)
	r, _, _ = fitted(t, lacking(3))
	if r.Why == "" || r.Flat {
		t.Errorf("%+v", r)
	}
	_, err := stagetest.RunStage(t, stagetest.Fresh("learning-curve"), lacking(6))
	need.Error(t, err, "a fold has no AUC")
	in := map[string][]dag.Input{"parts": {dag.InputOf(column.Table([]column.SubsetRow(nil)))}}
	_, err = stagetest.RunStage(t, stagetest.Fresh("learning-curve"), in)
	need.Error(t, err, "orders: 5")
}

// At the ceiling all folds agree: a standard error of 0 would be an interval without content.
func TestCurveAtTheCeiling(t *testing.T) {
	r, points, curve := fitted(t, fixtureParts(t, func(_, _ int, r *column.SubsetRow) { r.AUC = 1 }))
	need.Equal(t, r.Why, "no errors")
	need.Equal(t, len(curve), 0)
	if r.Flat || !math.IsNaN(r.RiseSE) || !math.IsNaN(points[0].SE) || points[0].Value != 1 {
		t.Errorf("%+v %+v", r, points[0])
	}
}

// The errors of the fixture as those of numbers: the law is that of the oracle for 1 − r and for 1 − R², and the
// intervals are on the scales of Fisher's z and of logarithms.
func TestCurveOfNumbers(t *testing.T) {
	groups := fixtureParts(t, nil)
	for measure, scale := range map[string]func(x float64) float64{
		"own": math.Atanh, "r": math.Atanh, "r2": func(x float64) float64 { return -math.Log(1 - x) }} {
		in := map[string][]dag.Input{}
		for _, p := range groups["parts"] {
			var rows []column.NumberSubsetRow
			for _, r := range need.Value(column.Read[column.PartRow](p))(t) {
				row := column.NumberSubsetRow{Model: "ridge", Repeat: 1, Fold: r.Fold, Order: 1, Share: r.Share,
					Trained: r.Trained, Whole: r.Whole, Tested: r.Tested, R: r.AUC, R2: math.NaN()}
				if measure == "r2" {
					row.R, row.R2 = math.NaN(), r.AUC
				}
				rows = append(rows, row)
			}
			in["parts"] = append(in["parts"], dag.InputOf(column.Table(rows), p.Coords...))
		}
		r, _, _ := fitted(t, in, "target", 0.85, "measure", measure)
		at := func(n float64) float64 { return 1 - 0.5098002836159852*math.Pow(n, -0.243) }
		need.Equal(t, r.Measure, map[string]string{"own": "r", "r": "r", "r2": "r2"}[measure])
		for k, v := range [][2]float64{{r.Limit, 1}, {r.C, 0.243}, {r.At, at(r.N)}, {r.Twice, at(2 * r.N)},
			{scale(r.AtHigh) - scale(r.At), scale(r.At) - scale(r.AtLow)}} {
			if math.Abs(v[0]-v[1]) > 1e-9 {
				t.Errorf("%s: number %d is %v, want %v", measure, k, v[0], v[1])
			}
		}
		if !(r.AtLow < r.At && r.At < r.AtHigh) {
			t.Errorf("%s: %+v", measure, r)
		}
		_, err := stagetest.RunStage(t, stagetest.Fresh("learning-curve", "measure", "auc"), in)
		need.Error(t, err, "AUC is not of models of a number: set measure: r or r2")
	}
	_, err := stagetest.RunStage(t, stagetest.Fresh("learning-curve", "measure", "r2"), groups)
	need.Error(t, err, "R² is not of classifiers: set measure: auc or accuracy")
	if needs := stagetest.Fresh("learning-curve", "measure", "r").Ports().In[0].Type; needs.String() ==
		stagetest.Fresh("learning-curve").Ports().In[0].Type.String() {
		t.Error("a plan accepts parts of groups for r")
	}
}
