package inference

import (
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/dense"
)

func curves(t *testing.T, name string) []float64 {
	return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", name+".npy"))
}

func close9(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestIntraclassIsThatOfPingouin: of trainings with the interval that pingouin rounds, and of each edge.
func TestIntraclassIsThatOfPingouin(t *testing.T) {
	scores := slices.Collect(slices.Chunk(curves(t, "scores"), 6))
	icc := NewLayout(40, 6).Intraclass(scores)
	close9(t, "ICC(2,1)", icc.Agreement, 0.6288222365599443)
	close9(t, "ICC(3,1)", icc.Consistency, 0.6815925746160147)
	if math.Abs(icc.Low-0.49) > 0.005 || math.Abs(icc.High-0.76) > 0.005 {
		t.Errorf("interval %v to %v, want 0.49 to 0.76", icc.Low, icc.High)
	}
	first, second, want := curves(t, "session1"), curves(t, "session2"), curves(t, "icc_edges")
	edges := NewLayout(24, 2)
	for e := range 45 {
		var x [][]float64
		for i := range 24 {
			x = append(x, []float64{first[i*45+e], second[i*45+e]})
		}
		icc := edges.Intraclass(x)
		close9(t, "edge", icc.Agreement, want[3*e])
		close9(t, "edge, consistency", icc.Consistency, want[3*e+1])
	}
	constant := NewLayout(2, 2).Intraclass([][]float64{{1, 1}, {1, 1}})
	if !math.IsNaN(constant.Agreement) || !math.IsNaN(NewLayout(0, 0).Intraclass(nil).Low) {
		t.Error("what does not vary has an ICC")
	}
}

// TestIntervalOfShroutAndFleiss: the interval of Shrout and Fleiss's Table 2, as R's psych and irr print it.
func TestIntervalOfShroutAndFleiss(t *testing.T) {
	icc := NewLayout(6, 4).Intraclass([][]float64{{9, 2, 5, 8}, {6, 1, 3, 2}, {8, 4, 6, 8}, {7, 1, 2, 6},
		{10, 5, 6, 9}, {6, 2, 4, 7}})
	for what, v := range map[string][2]float64{
		"ICC(2,1)": {icc.Agreement, 0.2898}, "ICC(3,1)": {icc.Consistency, 0.7148},
		"low": {icc.Low, 0.019}, "high": {icc.High, 0.761}} {
		if math.Abs(v[0]-v[1]) > 6e-4 {
			t.Errorf("%s: %v, want %v", what, v[0], v[1])
		}
	}
}

// TestIdentificationIsThatOfTheOracle: its own permuted identities, and their mean identification.
func TestIdentificationIsThatOfTheOracle(t *testing.T) {
	similarity, permutation, values := curves(t, "similarity"), curves(t, "identity_perm"), curves(t, "identity_perm_value")
	const n = 24
	permuted := func(b int) (of []int) {
		for _, v := range permutation[b*n:][:n] {
			of = append(of, int(v))
		}
		return of
	}
	got := Identify(similarity, n, 99, permuted)
	need.Equal(t, [3]float64{got.Forward, got.Back, got.Mean}, [3]float64{1, 1, 1})
	close9(t, "p", got.P, 0.01)
	close9(t, "self", got.Self, 0.6315428262131413)
	close9(t, "others", got.Others, 0.06216308015365982)
	close9(t, "Idiff", got.Differential, 56.93797460594815)
	for b := range 100 {
		one := permuted(b)
		inverse := make([]int, n)
		for i, j := range one {
			inverse[j] = i
		}
		shuffled := make([]float64, n*n) // the scans of the second session under other names
		for i := range n {
			for j := range n {
				shuffled[i*n+inverse[j]] = similarity[i*n+j]
			}
		}
		close9(t, "permutation", Identify(shuffled, n, 0, nil).Mean, values[b])
	}
	if tied := Identify([]float64{1, 1, 0, 1}, 2, 0, nil); tied.Forward != 0.5 || tied.Back != 0.5 {
		t.Errorf("a tie is a match: %+v", tied)
	}
}

// TestMapsOfHalvesAreThoseOfTheOracle: Welch's t in each half of the fixture.
func TestMapsOfHalvesAreThoseOfTheOracle(t *testing.T) {
	x := slices.Collect(slices.Chunk(curves(t, "X"), 40))
	y, half, want := curves(t, "y"), curves(t, "half"), curves(t, "split_half")
	sum := 0.0
	for s := range 10 {
		var of [2]Sample
		for i, v := range x {
			side := &of[int(half[s*120+i])]
			side.Groups = 2
			side.Values, side.Group = append(side.Values, v), append(side.Group, int(y[i]+1)/2)
		}
		spearman, dice := CompareMaps(WelchT(of[0]), WelchT(of[1]), 10)
		close9(t, "Spearman", spearman, want[2*s])
		close9(t, "Dice", dice, want[2*s+1])
		sum += spearman / 10
	}
	close9(t, "Spearman and Brown", Doubled(sum), 0.495986003922288)
}

// TestHalve: strata are divided evenly, and units stay whole.
func TestHalve(t *testing.T) {
	second := Halve([][]int{{0, 1}, {2}, {3}, {4}, {5}, {6, 7}}, []int{0, 0, 0, 0, 1, 1, 1, 1})
	if !slices.Equal(second, []bool{false, false, true, true, false, true, second[6], second[6]}) {
		t.Errorf("halves %v", second)
	}
	count := 0
	for _, s := range Halve([][]int{{0}, {1}, {2}, {3}, {4}, {5}, {6}}, []int{0, 1, 2, 3, 4, 5, 6}) {
		if s {
			count++
		}
	}
	need.Equal(t, count, 3)
}

// Scans that principal components reconstruct are those of numpy 2 (svd of the centered edges × scans, corrcoef): four
// participants with nine edges, of rank 5.
func TestReconstruct(t *testing.T) {
	const n, edges = 4, 9
	x := make([][]float64, 2*n)
	for s := range x {
		for e := range edges {
			x[s] = append(x[s], math.Sin(float64(1+7*e+3*s))+0.8*math.Cos(float64(2*e*(s%n)+1)))
		}
		mean, _ := meanVariance(x[s])
		for e := range edges {
			x[s][e] -= mean
		}
	}
	covariance := make([]float64, 4*n*n)
	for i := range x {
		for j := range x {
			covariance[i*2*n+j] = dense.Inner(x[i], x[j])
		}
	}
	want := [][]float64{{1, 0.7365516864529893, 1, -0.3333333333333333},
		{2, 0.9140760118645102, 0.9935053514589314, -0.23925617290330792},
		{3, 0.9767980888223605, 0.8668467578013432, -0.19486114712773586},
		{4, 0.9994532776536337, 0.8683044736369837, -0.19666383882561703},
		{5, 1, 0.8683714171577095, -0.1962240914750324}}
	got := need.Value(Reconstruct(covariance, n, 30))(t)
	need.Equal(t, len(got), len(want))
	for k, of := range got {
		for i, v := range []float64{float64(of.Components), of.Explained, of.Self, of.Others} {
			if math.Abs(v-want[k][i]) > 1e-9 {
				t.Errorf("%d components: %+v, want %v", k+1, of, want[k])
			}
		}
		if k > 0 { // by one component, all similarities are 1 or −1, and tie
			need.Equal(t, of.Mean, 1.0)
		}
		need.Equal(t, math.Abs(of.Differential-100*(of.Self-of.Others)) < 1e-9, true)
	}
	some := need.Value(Reconstruct(covariance, n, 2))(t)
	need.Equal(t, some[len(some)-1], got[len(got)-1])
	need.Equal(t, len(some) < len(got), true)
}
