package learn

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// tangentStudy are the participants of a corrStudy in the tangent space of one fold.
type tangentStudy struct {
	in     map[string][]dag.Input // of baseline
	fitted dag.Input
}

func newTangentStudy(t *testing.T, s interface{ Inputs() map[string][]dag.Input }, fold int) *tangentStudy {
	t.Helper()
	in := s.Inputs()
	fitted := dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("tangent", "fold", fold, "zscore", false),
		map[string][]dag.Input{"matrices": in["pearson"], "folds": in["folds"]})["fitted"])
	study := &tangentStudy{fitted: fitted, in: map[string][]dag.Input{"folds": in["folds"], "fitted": {fitted}}}
	for _, m := range in["pearson"] {
		study.in["tangent"] = append(study.in["tangent"], study.project(t, m))
	}
	return study
}

func (s *tangentStudy) project(t *testing.T, m dag.Input) dag.Input {
	t.Helper()
	return dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("project"), map[string][]dag.Input{"matrices": {m},
		"fitted": {s.fitted}})["matrices"], m.Coords...)
}

func TestBaselinesOnTangentMatrices(t *testing.T) {
	s := newTangentStudy(t, stagetest.NewCorrStudy(t, 24), 2)
	for _, model := range models() {
		if model == "li2019" || model == "majority" {
			continue
		}
		for _, more := range [][]any{nil, {"offdiagonal", "sqrt2", "standardize", "training"}, {"diagonal", false}} {
			out := stagetest.MustRun(t, stagetest.Quickly(model, more...), s.in)
			_, set, predicted, label, _ := predictionsOf(t, out)
			right := 0
			for i := range set {
				if set[i] == "test" && predicted[i] == label[i] {
					right++
				}
			}
			inputs := map[bool]int64{true: 15, false: 10}[more == nil || len(more) == 4]
			if model == "brainnetcnn" {
				inputs = 10
			}
			n, _ := out["model"].(*encoding.Table).Ints("inputs")
			if right < 11 || n[0] != inputs {
				t.Errorf("%s %v: %d of 12 right, %d inputs", model, more, right, n[0])
			}
		}
	}
}

// A reference that a test participant was used for, or of another fold, is refused before anything is trained.
func TestBaselineRefusesTangentLeaks(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 24)
	s := newTangentStudy(t, study, 2)
	folds, _ := study.Folds.Ints("fold")
	ids, _ := study.Folds.Strings("participant_id")
	tested := ids[slices.Index(folds, 2)]
	edited := func(change func(meta map[string]string)) dag.Input {
		table, _ := s.fitted.Table()
		meta := map[string]string{}
		for k, v := range table.Meta {
			meta[k] = v
		}
		change(meta)
		return dag.InputOf(&encoding.Table{Columns: table.Columns, Meta: meta})
	}
	for _, c := range []struct {
		name   string
		stage  dag.Stage
		change func(in map[string][]dag.Input)
		want   string
	}{
		{"another fold", stagetest.Quickly("ridge", "fold", 1), func(map[string][]dag.Input) {}, "was fitted for fold 2, repeat 1, and fold 1, repeat 1 is tested here"},
		{"a test participant", stagetest.Quickly("ridge"), func(in map[string][]dag.Input) {
			in["fitted"] = []dag.Input{edited(func(meta map[string]string) {
				var ids []string
				need.NoError(t, json.Unmarshal([]byte(meta["participants"]), &ids))
				b, _ := json.Marshal(append(ids, tested))
				meta["participants"] = string(b)
			})}
		}, "was fitted to " + tested + ", who is not a training participant of fold 2"},
		{"nobody knows whom", stagetest.Quickly("ridge"), func(in map[string][]dag.Input) {
			in["fitted"] = []dag.Input{edited(func(meta map[string]string) { delete(meta, "participants") })}
		}, "do not name the participants"},
		{"no reference", stagetest.Quickly("ridge"), func(in map[string][]dag.Input) { delete(in, "fitted") }, "connect fitted of the stage tangent"},
		{"both", stagetest.Quickly("ridge"), func(in map[string][]dag.Input) { in["pearson"] = in["tangent"] }, "pearson and tangent are both connected"},
		{"neither", stagetest.Quickly("ridge"), func(in map[string][]dag.Input) { delete(in, "tangent") }, "connect pearson (correlation matrices) or tangent"},
		{"Fisher's z of logarithms", stagetest.Quickly("ridge", "transform", "fisher"), func(map[string][]dag.Input) {}, "tangent matrices are logarithms already"},
		{"correlations for tangent matrices", stagetest.Quickly("ridge"), func(in map[string][]dag.Input) { in["tangent"] = study.Inputs()["pearson"] }, "these are correlation matrices"},
		{"tangent matrices for correlations", stagetest.Quickly("svm"), func(in map[string][]dag.Input) {
			in["pearson"] = in["tangent"]
			delete(in, "tangent")
		}, "the diagonal has negative entries"},
	} {
		in := map[string][]dag.Input{}
		for k, v := range s.in {
			in[k] = v
		}
		c.change(in)
		if _, err := stagetest.RunStage(t, c.stage, in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// The region scores against the derivative of the decision value itself: a test participant is moved
// along one entry of the covariance (or correlation) at a time. The pattern against its definition.
func TestRegionWeightsAreTheDerivative(t *testing.T) {
	const n, h = 5, 1e-4
	study := stagetest.NewCorrStudy(t, 24)
	folds, _ := study.Folds.Ints("fold")
	at := slices.Index(folds, 2)
	s := newTangentStudy(t, study, 2)
	_, space, err := region.ReadReference(s.fitted)
	need.NoError(t, err)
	for _, c := range []struct {
		tangent bool
		with    []any
	}{
		{true, nil}, {true, []any{"offdiagonal", "sqrt2", "standardize", "training"}}, {true, []any{"diagonal", false}},
		{false, []any{"transform", "none"}}, {false, []any{"transform", "none", "standardize", "training"}},
	} {
		for _, model := range []string{"ridge", "linear-svm", "logistic"} {
			stage := stagetest.Quickly(model, c.with...)
			in, port := study.Inputs(), "pearson"
			if c.tangent {
				in, port = s.in, "tangent"
			}
			out := stagetest.MustRun(t, stage, in)
			// decide gives the decision values of all graphs, the participant at having the matrix m in all draws.
			decide := func(m []float64) []float64 {
				moved := map[string][]dag.Input{}
				for k, v := range in {
					moved[k] = slices.Clone(v)
				}
				if m != nil {
					own := dag.InputOf(encoding.NewArray(slices.Repeat(m, 3), 3, n, n), moved[port][at].Coords...)
					if c.tangent {
						own = s.project(t, own)
					}
					moved[port][at] = own
				}
				_, _, _, _, p := predictionsOf(t, stagetest.MustRun(t, stage, moved))
				f := lists.Map(p, func(v float64) float64 { return math.Log(v / (1 - v)) })
				return f
			}
			ids, set, _, _, _ := predictionsOf(t, out)
			own := slices.Index(ids, fmt.Sprintf("sub-%03d", at+1))
			weight := make([]float64, n)
			base := space.Mean
			if !c.tangent {
				base = slices.Clone(study.Pearson[at].Float64s()[:n*n])
			}
			for i := range n {
				for j := range i + 1 {
					if !c.tangent && i == j {
						continue
					}
					up, down := slices.Clone(base), slices.Clone(base)
					up[i*n+j] += h
					down[i*n+j] -= h
					up[j*n+i], down[j*n+i] = up[i*n+j], down[i*n+j]
					d := math.Abs(decide(up)[own]-decide(down)[own]) / (2 * h)
					if i != j && c.tangent { // an inner product of matrices has the entry twice
						d /= 2
					}
					weight[i] += d
					if i != j {
						weight[j] += d
					}
				}
			}
			// Covariances of the entries with the decision values over the training graphs.
			f := decide(nil)
			var entries [][]float64
			var values []float64
			for k, in := range in[port] {
				a, _ := in.Array()
				for d := 1; d < 3; d++ {
					for row := range ids {
						if ids[row] == fmt.Sprintf("sub-%03d", k+1) && set[row] == "train" && row%2 == d-1 {
							entries = append(entries, a.Float64s()[d*n*n:][:n*n])
							values = append(values, f[row])
						}
					}
				}
			}
			cov := mat.NewDense(n, n, nil)
			for e := range n * n {
				if c.with != nil && c.with[0] == "diagonal" && e%(n+1) == 0 || !c.tangent && e%(n+1) == 0 {
					continue
				}
				mx, mf, sum := 0.0, 0.0, 0.0
				for k := range entries {
					mx, mf = mx+entries[k][e]/float64(len(entries)), mf+values[k]/float64(len(entries))
				}
				for k := range entries {
					sum += (entries[k][e] - mx) * (values[k] - mf)
				}
				cov.Set(e/n, e%n, sum/float64(len(entries)-1))
			}
			if c.tangent {
				var root mat.Dense
				need.NoError(t, root.Inverse(mat.NewDense(n, n, space.Whitening)))
				cov.Product(&root, cov, &root)
			}
			got := stagetest.FloatsOf(t, out["regions"], "weight")
			pattern := stagetest.FloatsOf(t, out["regions"], "pattern")
			for i := range n {
				want := 0.0
				for j := range n {
					want += math.Abs(cov.At(i, j))
				}
				if math.Abs(got[i]-weight[i]) > 1e-5*(1+weight[i]) || math.Abs(pattern[i]-want) > 1e-9*(1+want) {
					t.Errorf("%s, %+v, region %d: weight %v by derivative %v, pattern %v by definition %v", model, c, i+1,
						got[i], weight[i], pattern[i], want)
				}
			}
		}
	}
	rbf := stagetest.MustRun(t, stagetest.Quickly("svm"), study.Inputs())["regions"].(*encoding.Table)
	need.Equal(t, rbf.Rows(), 0, "an RBF kernel has", "rows of region weights")
}
