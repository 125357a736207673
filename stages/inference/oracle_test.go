package inference

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// oracle is what testdata/oracle.py wrote.
type oracle struct {
	Ranks []struct {
		X, Y, Rank        []float64
		Spearman, Kendall float64
	}
	Student, McNemar [][3]float64
	Multiple         struct{ P, Holm, FDR []float64 }
	AUC              []struct {
		V                []float64
		Y                []int
		Number, Category float64
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
	need.NoError(t, err)
	return o
}

// same reports whether two numbers agree to a relative 1e-12, or are both none.
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
		equal(t, "spearman, kendall", []float64{Spearman(c.X, c.Y), newRanking(c.X).kendall(newRanking(c.Y))},
			[]float64{c.Spearman, c.Kendall})
	}
	nan := math.NaN()
	equal(t, "ranks with gaps", Ranks([]float64{nan, 2, nan, 3, 2}), []float64{4.5, 2.5, 4.5, 1, 2.5})
	equal(t, "of constants", []float64{Spearman([]float64{1, 1}, []float64{1, 2}),
		newRanking([]float64{1, 1}).kendall(newRanking([]float64{1, 2}))}, []float64{nan, nan})
}

func TestQuantileAgainstNumPy(t *testing.T) {
	o := readOracle(t).Quantiles
	for _, c := range o.Q {
		equal(t, "quantile", []float64{Quantile(o.V, c[0])}, c[1:])
	}
}

func TestStudentAgainstSciPy(t *testing.T) {
	for _, c := range readOracle(t).Student {
		if got := StudentP(c[0], int(c[1])); math.Abs(got-c[2]) > 1e-13 { // SciPy is 2e-14 off at t 0.001
			t.Errorf("t %v of %v degrees: %v, want %v", c[0], c[1], got, c[2])
		}
	}
	equal(t, "no number, no degrees, no end", []float64{StudentP(math.NaN(), 3), StudentP(1, 0),
		StudentP(math.Inf(1), 3)}, []float64{math.NaN(), math.NaN(), 0})
}

func TestMcNemarAgainstSciPy(t *testing.T) {
	for _, c := range readOracle(t).McNemar {
		equal(t, "mcnemar", []float64{McNemar(int(c[0]), int(c[1]))}, c[2:])
	}
}

func TestMultipleAgainstStatsmodels(t *testing.T) {
	o := readOracle(t).Multiple
	equal(t, "Holm", Holm(o.P), o.Holm)
	equal(t, "FDR", FDR(o.P), o.FDR)
	// What is no number is passed over.
	p := append([]float64{math.NaN()}, o.P...)
	equal(t, "Holm with a gap", Holm(p), append([]float64{math.NaN()}, o.Holm...))
	equal(t, "FDR with a gap", FDR(p), append([]float64{math.NaN()}, o.FDR...))
}

func TestSeparateAgainstScikitLearn(t *testing.T) {
	for _, c := range readOracle(t).AUC {
		number := Separate(Covariate{Values: c.V}, c.Y, 2, make([]int, len(c.V)), 10, random.New(1))
		category := Separate(Covariate{Values: c.V, Category: true}, c.Y, 2, make([]int, len(c.V)), 10, random.New(1))
		equal(t, "areas", []float64{number.AUC, category.AUC}, []float64{c.Number, c.Category})
	}
}
