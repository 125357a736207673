package edgewise

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
	"prgnn/stages/inference"
)

// An oracle is what testdata/oracle.py wrote, by statsmodels, networkx and bctpy and by fits of each permutation.
type oracle struct {
	Edges, Design [][]float64
	T, Beta, P, Q []float64
	Interval      [][2]float64
	Blocks        map[string]map[string]json.RawMessage
	Bctpy         struct {
		Permutations       [][]int
		Null, P, Component []float64
	}
	F struct {
		Design        [][]float64
		F, P, Largest []float64
		Permutations  [][]int
		Null          []float64 `json:"tfnbs_null"`
	}
	Flips struct {
		Design, Edges, Signs [][]float64
		T, Largest           []float64
	}
}

type sizes struct {
	Null, Size, P []float64
	Component     []int32
}

func readOracle(t *testing.T) (o oracle) {
	t.Helper()
	b, err := os.ReadFile("testdata/oracle.json")
	need.NoError(t, err)
	need.NoError(t, json.Unmarshal(b, &o))
	return o
}

// field is one of the lists of a scheme of permutations.
func field[T any](t *testing.T, of map[string]json.RawMessage, name string) (v T) {
	t.Helper()
	need.NoError(t, json.Unmarshal(of[name], &v), name)
	return v
}

func equal(t *testing.T, what string, got, want []float64, relative float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= relative*max(1, math.Abs(want[i]))) {
			t.Errorf("%s, value %d: %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// network has all pairs of so many regions.
func network(regions int) *Network {
	var source, target []int32
	for i := range int32(regions) {
		for j := i + 1; j < int32(regions); j++ {
			source, target = append(source, i), append(target, j)
		}
	}
	return NewNetwork(regions, source, target)
}

func fitted(t *testing.T, edges [][]float64, tested, nuisance [][]float64) *Fit {
	t.Helper()
	m := need.Value(NewModel(Design{Tested: tested, Nuisance: nuisance}, len(edges)))(t)
	return m.Fit(slices.Concat(edges...), len(edges[0]), 2)
}

func permuted(t need.Test, f *Fit, net *Network, o Options) *Null {
	o.Free, o.Threads = Usual, max(o.Threads, 2)
	return need.Value(f.Permute(net, o))(t)
}

func drawn(from [][]int) func(b int) Permutation {
	return func(b int) Permutation { return Permutation{From: from[b-1]} }
}

func TestEstimatesEqualStatsmodels(t *testing.T) {
	o := readOracle(t)
	f := fitted(t, o.Edges, o.Design[:1], o.Design[1:])
	equal(t, "t", f.Statistic, o.T, 1e-9)
	equal(t, "beta", f.Beta, o.Beta, 1e-11)
	equal(t, "p", f.P, o.P, 1e-12)
	equal(t, "q", inference.FDR(f.P), o.Q, 1e-12)
	half := inference.StudentT(0.05, f.Degrees)
	for e, want := range o.Interval {
		got := []float64{f.Beta[e] - half*f.SE[e], f.Beta[e] + half*f.SE[e]}
		equal(t, "interval", got, want[:], 1e-10)
	}
}

// TestPermutationsEqualRefits: the sums give what a fit of the full model to each permutation gives, and bctpy's null.
func TestPermutationsEqualRefits(t *testing.T) {
	o := readOracle(t)
	for kind, c := range o.Blocks {
		from := field[[][]int](t, c, "permutations")
		f, net := fitted(t, o.Edges, o.Design[:1], o.Design[1:]), network(16)
		for _, tail := range []Tail{Both, Right, Left} {
			null := permuted(t, f, net, Options{Permutations: len(from), Draw: drawn(from), Thresholds: []float64{2},
				Tail: tail})
			all, of := net.Components(f.Statistic, 2, tail)
			for name, values := range map[string][2][]float64{
				"extent":    {null.Extent[0], column(all, func(c Component) float64 { return c.Extent })},
				"intensity": {null.Intensity[0], column(all, func(c Component) float64 { return c.Intensity })},
			} {
				want := field[sizes](t, c, string(tail)+"_"+name)
				equal(t, kind+" null "+name, values[0], want.Null, 1e-9)
				equal(t, kind+" size "+name, values[1], want.Size, 1e-9)
				equal(t, kind+" p "+name, Corrected(values[1], values[0]), want.P, 1e-12)
				if !slices.Equal(of, want.Component) {
					t.Errorf("%s, %s: components %v, want %v", kind, tail, of, want.Component)
				}
			}
			equal(t, kind+" largest", null.Largest, field[[]float64](t, c, "largest"), 1e-9)
			equal(t, kind+" corrected", Corrected(f.Statistic, null.Largest), field[[]float64](t, c,
				"corrected"), 1e-12)
			equal(t, kind+" uncorrected", null.Uncorrected(f.Statistic), field[[]float64](t, c, "uncorrected"), 1e-12)
			if kind == "free" {
				enhanced := net.Enhanced(f.Statistic, Usual)
				equal(t, "TFNBS", enhanced, field[[]float64](t, c, "tfnbs"), 1e-9)
				equal(t, "null of TFNBS", null.Free, field[[]float64](t, c, "tfnbs_null"), 1e-9)
				equal(t, "p of TFNBS", Corrected(enhanced, null.Free), field[[]float64](t, c, "tfnbs_p"), 1e-12)
			}
		}
	}
	// bctpy permutes the participants with group 1 first, and compares with all of its permutations.
	var group [][]float64
	one := slices.Repeat([]float64{1}, len(o.Edges))
	group = append(group, o.Design[0])
	f, net := fitted(t, o.Edges, group, [][]float64{one}), network(16)
	null := permuted(t, f, net, Options{Permutations: len(o.Bctpy.Permutations), Draw: drawn(o.Bctpy.Permutations),
		Thresholds: []float64{2.5}, Tail: Both})
	equal(t, "null of bctpy", null.Extent[0], o.Bctpy.Null, 0)
	all, of := net.Components(f.Statistic, 2.5, Both)
	var p []float64
	for _, c := range all {
		as := lists.Count(null.Extent[0], func(size float64) bool { return size >= c.Extent })
		p = append(p, float64(as)/float64(len(null.Extent[0])))
	}
	slices.Sort(p)
	equal(t, "p of bctpy", p, o.Bctpy.P, 1e-12)
	for e, c := range o.Bctpy.Component {
		if (of[e] > 0) != (c > 0) {
			t.Errorf("edge %d: component %v, bctpy %v", e, of[e], c)
		}
	}
}

// TestFixture: the shared fixture of statsmodels, bctpy and networkx, by its own permutations.
func TestFixture(t *testing.T) {
	read := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "edges", name+".npy"))
	}
	edges := slices.Collect(slices.Chunk(read("edges"), 120))
	design := make([][]float64, 6)
	for i, v := range read("design") {
		design[i%6] = append(design[i%6], v)
	}
	for _, kind := range []string{"free", "site", "family"} {
		f, net := fitted(t, edges, design[:1], design[1:]), network(16)
		equal(t, "t", f.Statistic, read("t"), 1e-9)
		equal(t, "beta", f.Beta, read("beta_group"), 1e-9)
		equal(t, "p", f.P, read("p_parametric"), 1e-9)
		equal(t, "q", inference.FDR(f.P), read("q_bh"), 1e-9)
		var from [][]int
		for p := range slices.Chunk(read("perm_"+kind), 36) {
			one := lists.Map(p, func(i float64) int { return int(i) })
			from = append(from, one)
		}
		from = from[1:] // the first is the identity
		null := permuted(t, f, net, Options{Permutations: len(from), Draw: drawn(from), Thresholds: []float64{2},
			Tail: Both})
		equal(t, kind+" largest", null.Largest, read("maxT_" + kind)[1:], 1e-9)
		equal(t, kind+" corrected", Corrected(f.Statistic, null.Largest), read("p_fwe_"+kind), 1e-12)
		equal(t, kind+" uncorrected", null.Uncorrected(f.Statistic), read("p_uncorrected_"+kind), 1e-12)
		equal(t, kind+" extent", null.Extent[0], read("nbs_extent_null_" + kind)[1:], 1e-9)
		equal(t, kind+" intensity", null.Intensity[0], read("nbs_intensity_null_" + kind)[1:], 1e-9)
		all, _ := net.Components(f.Statistic, 2, Both)
		equal(t, kind+" p of extents", Corrected(column(all, func(c Component) float64 { return c.Extent }),
			null.Extent[0]), read("nbs_extent_p_"+kind), 1e-12)
		if kind == "free" {
			enhanced := net.Enhanced(f.Statistic, Usual)
			equal(t, "TFNBS", enhanced, read("tfnbs"), 1e-9)
			equal(t, "p of TFNBS", Corrected(enhanced, null.Free), read("tfnbs_p_fwe"), 1e-12)
		}
	}
}

// TestRegionsEqualRefits: without covariates, a permutation of the residuals is one of the participants.
func TestRegionsEqualRefits(t *testing.T) {
	o := readOracle(t)
	one := [][]float64{slices.Repeat([]float64{1}, len(o.Edges))}
	from := o.Bctpy.Permutations[:20]
	f, net := fitted(t, o.Edges, o.Design[:1], one), network(16)
	null := permuted(t, f, net, Options{Permutations: len(from), Draw: drawn(from), Thresholds: []float64{2},
		Tail: Both})
	mean := func(f *Fit) []float64 { // over the edges of each region
		of := make([]float64, 16)
		for e, v := range f.Statistic {
			of[net.Source[e]] += math.Abs(v) / 15
			of[net.Target[e]] += math.Abs(v) / 15
		}
		return of
	}
	equal(t, "regions", f.Regions(net), mean(f), 1e-12)
	for b, p := range from {
		edges := lists.At(o.Edges, p)
		want := slices.Max(mean(fitted(t, edges, o.Design[:1], one)))
		equal(t, "permutation", null.Region[b:][:1], []float64{want}, 1e-9)
	}
}

func column(all []Component, of func(Component) float64) (v []float64) {
	for _, c := range all {
		v = append(v, of(c))
	}
	return v
}

func TestSeveralGroups(t *testing.T) {
	o := readOracle(t)
	f, net := fitted(t, o.Edges, o.F.Design[:2], o.F.Design[2:]), network(16)
	equal(t, "F", f.Statistic, o.F.F, 1e-9)
	equal(t, "p", f.P, o.F.P, 1e-12)
	null := permuted(t, f, net, Options{Permutations: len(o.F.Permutations), Draw: drawn(o.F.Permutations)})
	equal(t, "largest", null.Largest, o.F.Largest, 1e-9)
	equal(t, "TFNBS", null.Free, o.F.Null, 1e-9)
}

// TestChangesFlip: residuals of changes between two sessions change their signs.
func TestChangesFlip(t *testing.T) {
	o := readOracle(t).Flips
	f, net := fitted(t, o.Edges, o.Design[:1], o.Design[1:]), network(16)
	equal(t, "t", f.Statistic, o.T, 1e-9)
	own := lists.UpTo(len(o.Edges))
	null := permuted(t, f, net, Options{Permutations: len(o.Signs),
		Draw: func(b int) Permutation { return Permutation{From: own, Sign: o.Signs[b-1]} }})
	equal(t, "largest", null.Largest, o.Largest, 1e-9)
}

// TestThreadsKeepBits: the number of goroutines changes no bit.
func TestThreadsKeepBits(t *testing.T) {
	o := readOracle(t)
	from := field[[][]int](t, o.Blocks["site"], "permutations")
	var first *Null
	for _, threads := range []int{2, 5} {
		f := fitted(t, o.Edges, o.Design[:1], o.Design[1:])
		null := permuted(t, f, network(16), Options{Permutations: len(from), Draw: drawn(from),
			Thresholds: []float64{1, 2}, Tail: Both, Threads: threads})
		if first == nil {
			first = null
			continue
		}
		for what, v := range map[string][2][]float64{"largest": {null.Largest, first.Largest},
			"free": {null.Free, first.Free}, "intensity": {null.Intensity[1], first.Intensity[1]}} {
			if !slices.Equal(v[0], v[1]) {
				t.Errorf("%s: other bits with %d threads", what, threads)
			}
		}
		if !slices.Equal(null.As, first.As) {
			t.Errorf("other counts with %d threads", threads)
		}
	}
}

// TestLeverage: the diagonal of the hat matrix of a line, 1/n + (x − x̄)²/Σ(x − x̄)², and R² of x given another column.
func TestLeverage(t *testing.T) {
	x, z, one := []float64{1, 2, 4, 9, 3}, []float64{0, 1, 1, 2, 0}, []float64{1, 1, 1, 1, 1}
	m := need.Value(NewModel(Design{Tested: [][]float64{x}, Nuisance: [][]float64{one}}, 5))(t)
	squares, xz, zz := 0.0, 0.0, 0.0
	for i, v := range x {
		squares += (v - 3.8) * (v - 3.8)
		xz += (v - 3.8) * (z[i] - 0.8)
		zz += (z[i] - 0.8) * (z[i] - 0.8)
	}
	for i, h := range m.Leverage() {
		if want := 0.2 + (x[i]-3.8)*(x[i]-3.8)/squares; math.Abs(h-want) > 1e-12 {
			t.Errorf("%d: leverage %v, want %v", i, h, want)
		}
		if own, want := m.LeverageOfTested()[i], (x[i]-3.8)*(x[i]-3.8)/squares; math.Abs(own-want) > 1e-12 {
			t.Errorf("%d: leverage of the tested column %v, want %v", i, own, want)
		}
	}
	need.Equal(t, math.Abs(m.Explained(x)) < 1e-12, true)
	m = need.Value(NewModel(Design{Tested: [][]float64{x}, Nuisance: [][]float64{one, z}}, 5))(t)
	if got, want := m.Explained(x), xz*xz/(squares*zz); math.Abs(got-want) > 1e-12 {
		t.Errorf("R² %v, want %v", got, want)
	}
}

// TestDesigns: collinear covariates are dropped, and what cannot be estimated is refused.
func TestDesigns(t *testing.T) {
	o := readOracle(t)
	age := o.Design[2]
	months := lists.Map(age, func(a float64) float64 { return 12 * a })
	with := append(slices.Clone(o.Design[1:]), months)
	f := fitted(t, o.Edges, o.Design[:1], with)
	if !slices.Equal(f.Dropped, []int{5}) {
		t.Errorf("dropped %v, want the age in months alone", f.Dropped)
	}
	equal(t, "t", f.Statistic, o.T, 1e-9)
	if _, err := NewModel(Design{Tested: [][]float64{months}, Nuisance: o.Design[1:]}, 36); !errors.Is(err,
		ErrNotEstimable) {
		t.Errorf("the age beside the age: %v", err)
	}
	if _, err := NewModel(Design{Tested: [][]float64{{1, 2}}, Nuisance: [][]float64{{1, 1}}}, 2); !errors.Is(err,
		ErrSaturated) {
		t.Errorf("two participants: %v", err)
	}
}

// TestEdgesWithoutVariance: they have no statistic, and do not change the others.
func TestEdgesWithoutVariance(t *testing.T) {
	o := readOracle(t)
	for i := range o.Edges {
		o.Edges[i][3] = o.Design[2][i] // what a covariate explains
		o.Edges[i][7] = 0.25
	}
	f := fitted(t, o.Edges, o.Design[:1], o.Design[1:])
	from := field[[][]int](t, o.Blocks["free"], "permutations")
	null := permuted(t, f, network(16), Options{Permutations: 20, Draw: drawn(from), Thresholds: []float64{1},
		Tail: Both})
	for _, e := range []int{3, 7} {
		if !math.IsNaN(f.Statistic[e]) || !math.IsNaN(null.Uncorrected(f.Statistic)[e]) {
			t.Errorf("edge %d: t %v", e, f.Statistic[e])
		}
	}
	if slices.ContainsFunc(null.Largest, math.IsNaN) {
		t.Error("an edge without variance is in the null distribution")
	}
}

// BenchmarkPermutations is one permutation of 1,031 participants, 6,105 edges and 23 nuisance columns.
func BenchmarkPermutations(b *testing.B) {
	const n, regions, edges = 1031, 111, 6105
	s := random.New(1, "bench")
	y := make([]float64, n*edges)
	s.Normals(y)
	column := func() []float64 {
		v := make([]float64, n)
		s.Normals(v)
		return v
	}
	d := Design{Tested: [][]float64{column()}}
	for range 23 {
		d.Nuisance = append(d.Nuisance, column())
	}
	f := need.Value(NewModel(d, n))(b).Fit(y, edges, 2)
	b.ResetTimer()
	permuted(b, f, network(regions), Options{Permutations: b.N, Thresholds: []float64{3.3}, Tail: Both, Free: Usual,
		Threads: 2,
		Draw:    func(k int) Permutation { return Permutation{From: random.New(1, k).Perm(n)} }})
}

// TestVariances compares tests of groups with variances of their own with SciPy's and with the slow definition, and of
// a number with a variance of each participant with statsmodels' (testdata/variances.py).
func TestVariances(t *testing.T) {
	var o map[string]json.RawMessage
	b := need.Value(os.ReadFile("testdata/variances.json"))(t)
	need.NoError(t, json.Unmarshal(b, &o))
	edges, from := field[[][]float64](t, o, "edges"), field[[][]int](t, o, "permutations")
	for _, name := range []string{"t", "F", "t adjusted", "F adjusted", "number", "number adjusted"} {
		want := field[struct {
			Design                          [][]float64
			Tested                          int
			Group                           []int
			Statistic, P, SE, Half, Largest []float64
		}](t, o, name)
		design := Design{want.Design[:want.Tested], want.Design[want.Tested:], want.Group, want.Group == nil}
		m := need.Value(NewModel(design, len(edges)))(t)
		f := m.Fit(slices.Concat(edges...), len(edges[0]), 2)
		equal(t, name, f.Statistic, want.Statistic, 1e-10)
		if want.SE != nil {
			equal(t, name+" error", f.SE, want.SE, 1e-11)
			equal(t, name+" interval", f.Half, want.Half, 2e-3)
		}
		equal(t, name+" p", f.P, want.P, 2e-3) // Bartlett's is an approximation
		null := permuted(t, f, network(6), Options{Permutations: len(from), Draw: drawn(from)})
		equal(t, name+" largest", null.Largest, want.Largest, 1e-9)
	}
	alone := []float64{1, 0, 0, 0, 0}
	_, err := NewModel(Design{[][]float64{alone}, [][]float64{{1, 1, 1, 1, 1}}, []int{1, 0, 0, 0, 0}, false}, 5)
	need.Equal(t, errors.Is(err, ErrVariance), true)
	_, err = NewModel(Design{[][]float64{alone}, [][]float64{{1, 1, 1, 1, 1}}, nil, true}, 5)
	need.Equal(t, errors.Is(err, ErrVariance), true)
}
