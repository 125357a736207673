package assess

import (
	"math"
	"slices"
	"testing"

	"prgnn/gnn/baseline"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// The lead over a reference is the mean over models, and its p that of the corrected resampled t-test: by hand,
// 0.2/√(0.02/3·(1/4 + 1/4)) = 2√3 with 3 degrees of freedom, whose two-sided p is 1 − 2/π·(θ + sin θ cos θ), tan θ = 2
// (Abramowitz and Stegun, 26.7.3).
func TestLeadOverAReference(t *testing.T) {
	lead, p := leadOf([]float64{0.9, 0.8, 0.9, 0.8}, []float64{0.6, 0.7, 0.7, 0.6}, 0.25)
	if math.Abs(lead-0.2) > 1e-12 || math.Abs(p-0.04051932) > 1e-6 {
		t.Errorf("lead %v, p %v", lead, p)
	}
	if _, p := leadOf([]float64{1, 1}, []float64{1, 1}, 0.25); !math.IsNaN(p) {
		t.Errorf("p %v of no difference", p)
	}
	if lead, _ := leadOf([]float64{1, 1}, nil, 0.25); !math.IsNaN(lead) {
		t.Errorf("lead %v over nothing", lead)
	}
}

// A ranking by untrained scores counts whichever way round, and all models the same way; any other as it is.
func TestUntrainedScoresUpsideDown(t *testing.T) {
	planted := []bool{true, false, false}
	r := rankedBy{method: column.UntrainedModels, by: "score", all: []float64{0, 1, 2},
		single: [][]float64{{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}}
	for by, want := range map[string][]float64{"score": {1, 0.5, 0}, "contrast": {0, 0.5, 1}} {
		r.by = by
		for i, w := range r.worth(planted, 1) {
			need.Equal(t, w, want[i], by, i)
		}
	}
	tested := &ModelScores{Tallies: map[string][]Tally{"a": nil, "b": nil}}
	other := &ModelScores{Tallies: map[string][]Tally{"c": nil, "d": nil, "e": nil, "f": nil}}
	need.Equal(t, testShare([]*ModelScores{tested, other}), 1, "test/train", "of 3 of 6")
}

// TestOcclusion: the occlusion of a region is by how much the decision value for the own group falls where its row and
// column of features have their means, of two groups and of three.
func TestOcclusion(t *testing.T) {
	const n, nodes = 30, 6
	r := random.New(3, "occlusion")
	for _, groups := range []int{2, 3} {
		var train inference.Sample
		rows := baseline.Rows{N: n, D: nodes * nodes}
		mean := make([]float64, rows.D)
		for i := range n {
			v := make([]float64, rows.D)
			r.Normals(v)
			v[1], v[nodes] = v[1]+float64(3*(i%groups)), v[nodes]+float64(3*(i%groups)) // regions 1 and 2
			train.Values, train.Group = append(train.Values, v), append(train.Group, i%groups)
			rows.X = append(rows.X, v...)
			for k, x := range v {
				mean[k] += x / n
			}
		}
		train.Groups = groups
		ridge := need.Value(baseline.FitRidge(rows, train.Group, groups, 1, 1))(t)
		linear, _ := baseline.AsLinear(ridge)
		own := func(x baseline.Rows) (sum float64) {
			d := linear.Decide(x, 1)
			for i, g := range train.Group {
				switch {
				case groups > 2:
					sum += d[i*groups+g] / n
				case g == 1:
					sum += d[i] / n
				default:
					sum -= d[i] / n
				}
			}
			return sum
		}
		got := (&nodeFeatures{nodes: nodes}).occlusion(linear.Weights(), train)
		for j, v := range got {
			masked := rows
			masked.X = slices.Clone(rows.X)
			for k := range masked.X {
				if at := k % rows.D; at/nodes == j || at%nodes == j {
					masked.X[k] = mean[at]
				}
			}
			if want := own(rows) - own(masked); math.Abs(v-want) > 1e-9 {
				t.Errorf("%d groups, region %d: %v, want %v", groups, j+1, v, want)
			}
		}
		if top := inference.Top(got, 2); top[0] != 1 || top[1] != 1 {
			t.Errorf("%d groups: %v", groups, got)
		}
	}
}
