package inference

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// TestSpecificationCurveOracle: 12 universes of 199 permutations; scipy and scikit-learn made the numbers, and counting
// checked them.
func TestSpecificationCurveOracle(t *testing.T) {
	read := func(name string) []float64 {
		f := need.Value(os.Open(need.Shared(t, "fixtures", "questions", "multiverse", name+".npy")))(t)
		defer f.Close()
		return need.Value(encoding.ReadArray(f))(t).Float64s()
	}
	var manifest struct {
		Values map[string]json.RawMessage
	}
	text := need.Value(os.ReadFile(need.Shared(t, "fixtures", "questions", "multiverse", "manifest.json")))(t)
	need.NoError(t, json.Unmarshal(text, &manifest))
	const universes, all = 12, 200
	auc, effect := read("auc"), make([][]float64, universes)
	atlas := make([]float64, universes) // universes of the first atlas have weight 1, of the other 3
	for u := range effect {
		effect[u] = make([]float64, all)
		for b := range all {
			effect[u][b] = auc[u*all+b] - 0.5
		}
		if atlas[u] = 1; u >= universes/2 {
			atlas[u] = 3
		}
	}
	near := func(name string, got, want []float64) {
		t.Helper()
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-9*max(1, math.Abs(want[i]))) {
				t.Fatalf("%s %d: %v, want %v", name, i, got[i], want[i])
			}
		}
	}
	for _, c := range []struct {
		name, file string
		weight     []float64
	}{{"equal", "equal", slices.Repeat([]float64{1.0 / 12}, universes)}, {"atlas first", "atlas_first", atlas}} {
		sum := 0.0
		for _, w := range c.weight {
			sum += w
		}
		weight := make([]float64, universes)
		for u, w := range c.weight {
			weight[u] = w / sum
		}
		of := SpecificationCurve(effect, weight)
		p, z := read("p_universe"), read("z_universe")
		for u := range effect {
			near("p", of.P[u:u+1], p[u*all:][:1])
			near("z", of.Z[u:u+1], z[u*all:][:1])
		}
		share := make([]float64, all) // the fixture's own counts p = 0.05 as significant
		for u := range effect {
			for b := range all {
				if p[u*all+b] < 0.0499 {
					share[b] += weight[u]
				}
			}
		}
		near("share", of.Share.Values, share)
		for name, joint := range map[string]Joint{"median": of.Median, "stouffer": of.Stouffer} {
			near(name, joint.Values, read("joint_"+name+"_"+c.file))
			var want struct{ Observed, P float64 }
			need.NoError(t, json.Unmarshal(manifest.Values[name+", "+c.name], &want))
			if joint.P != want.P {
				t.Errorf("%s, %s: p %v, want %v", name, c.name, joint.P, want.P)
			}
		}
		var best struct {
			AUC  float64
			MaxT float64 `json:"p_maxT"`
		}
		need.NoError(t, json.Unmarshal(manifest.Values["best universe"], &best))
		if of.Best.P != best.MaxT || math.Abs(of.Best.Values[0]+0.5-best.AUC) > 1e-12 {
			t.Errorf("best universe: %v with p %v, want %+v", of.Best.Values[0]+0.5, of.Best.P, best)
		}
	}
}

// TestNormalQuantile: values of R's qnorm, to 16 digits, and the closed form at 0.5.
func TestNormalQuantile(t *testing.T) {
	for p, want := range map[float64]float64{0.5: 0, 0.975: 1.959963984540054, 0.95: 1.6448536269514722,
		0.0005: -3.290526731491895, 0.1: -1.2815515655446004, 1e-12: -7.034483825301132} {
		if got := NormalQuantile(p); math.Abs(got-want) > 1e-14*max(1, math.Abs(want)) {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
}

func TestExplained(t *testing.T) {
	effect := []float64{0.1, 0.2, 0.3, 0.4} // 2 × 2: the first decision explains 0.8, the second 0.2
	if a, b := Explained(effect, []int{0, 0, 1, 1}), Explained(effect, []int{0, 1, 0, 1}); math.Abs(a-0.8) > 1e-12 ||
		math.Abs(b-0.2) > 1e-12 {
		t.Error(a, b)
	}
	if x := Explained([]float64{0.1, 0.1}, []int{0, 1}); !math.IsNaN(x) {
		t.Error(x)
	}
}
