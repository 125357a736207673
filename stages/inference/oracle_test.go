package inference

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// oracle is what testdata/oracle.py wrote.
type oracle struct {
	Ranks []struct {
		X, Y, Rank        []float64
		Spearman, Kendall float64
	}
	Quantiles struct {
		V []float64
		Q [][2]float64
	}
}

func readOracle(t *testing.T) (o oracle) {
	t.Helper()
	b, err := os.ReadFile("testdata/oracle.json")
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// same tells whether two numbers agree to a relative 1e-12, or are both none.
func same(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
}

func equal(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !same(got[i], want[i]) {
			t.Errorf("%s, value %d: %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestRanksAgainstSciPy(t *testing.T) {
	for _, c := range readOracle(t).Ranks {
		equal(t, "ranks", Ranks(c.X), c.Rank)
		equal(t, "spearman, kendall", []float64{Spearman(c.X, c.Y), Kendall(c.X, c.Y)}, []float64{c.Spearman, c.Kendall})
	}
	nan := math.NaN()
	equal(t, "ranks with gaps", Ranks([]float64{nan, 2, nan, 3, 2}), []float64{4.5, 2.5, 4.5, 1, 2.5})
	equal(t, "of constants", []float64{Spearman([]float64{1, 1}, []float64{1, 2}), Kendall([]float64{1, 1}, []float64{1, 2})}, []float64{nan, nan})
}

func TestQuantileAgainstNumPy(t *testing.T) {
	o := readOracle(t).Quantiles
	for _, c := range o.Q {
		equal(t, "quantile", []float64{Quantile(o.V, c[0])}, c[1:])
	}
}
