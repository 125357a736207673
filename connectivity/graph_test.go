package connectivity

import (
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// symmetric makes an N×N matrix with a unit diagonal from its upper triangle.
func symmetric(n int, upper []float64) Matrix {
	m := NewMatrix(n, n)
	k := 0
	for i := range n {
		m.Data[i*n+i] = 1
		for j := i + 1; j < n; j++ {
			m.Data[i*n+j], m.Data[j*n+i] = upper[k], upper[k]
			k++
		}
	}
	return m
}

// slowEdges is the rule as it is written: sort all pairs, take the first, repair.
func slowEdges(p Matrix, rule Rule) map[[2]int]float64 {
	n := p.Rows
	signal := make([]bool, n)
	for i := range n {
		for j := range n {
			if i != j && p.At(i, j) != 0 {
				signal[i] = true
			}
		}
	}
	type pair struct {
		i, j int
		w    float64
	}
	var pairs []pair
	positive := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			if signal[i] && signal[j] {
				pairs = append(pairs, pair{i, j, p.At(i, j)})
				if p.At(i, j) > 0 {
					positive++
				}
			}
		}
	}
	of := len(pairs)
	if rule.Of == OfPositive {
		of = positive
	}
	sort.SliceStable(pairs, func(a, b int) bool { return pairs[a].w > pairs[b].w })
	edges := map[[2]int]float64{}
	joined := make([]bool, n)
	for k := 0; k < int(rule.Density*float64(of)+1e-9) && pairs[k].w > 0; k++ {
		edges[[2]int{pairs[k].i, pairs[k].j}] = pairs[k].w
		joined[pairs[k].i], joined[pairs[k].j] = true, true
	}
	for i := range n {
		if joined[i] || !signal[i] || rule.Repair == RepairNone {
			continue
		}
		best := -1
		for j := range n {
			if j == i || !signal[j] {
				continue
			}
			a, b := p.At(i, j), 0.0
			if best >= 0 {
				b = p.At(i, best)
			}
			if rule.Repair == RepairAbsolute {
				a, b = math.Abs(a), math.Abs(b)
			}
			if best < 0 || a > b {
				best = j
			}
		}
		if w := p.At(i, best); w != 0 {
			edges[[2]int{min(i, best), max(i, best)}] = w
		}
	}
	return edges
}

func TestEdgesAreThoseOfTheSlowRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 16).Draw(t, "nodes")
		// Few values, so that there are ties and zeros.
		upper := rapid.SliceOfN(rapid.Map(rapid.IntRange(-6, 6), func(k int) float64 { return float64(k) / 8 }),
			n*(n-1)/2, n*(n-1)/2).Draw(t, "upper")
		if rapid.Bool().Draw(t, "fine") {
			for i := range upper {
				upper[i] += float64(i) * 1e-6
			}
		}
		rule := Rule{
			Density: rapid.SampledFrom([]float64{0, 0.05, 0.1, 0.3, 1}).Draw(t, "density"),
			Of:      rapid.SampledFrom([]Share{OfPairs, OfPositive}).Draw(t, "of"),
			Repair:  rapid.SampledFrom([]Repair{RepairLargest, RepairAbsolute, RepairNone}).Draw(t, "repair"),
		}
		p := symmetric(n, upper)
		before := p.Clone()
		g := need.Value(Build(p, rule))(t)
		for i := range p.Data {
			if p.Data[i] != before.Data[i] {
				t.Fatal("the input was changed")
			}
		}
		want := slowEdges(p, rule)
		if len(g.Edges) != len(want) {
			t.Fatalf("%d edges, want %d", len(g.Edges), len(want))
		}
		for k, e := range g.Edges {
			if w, ok := want[[2]int{e.Source, e.Target}]; !ok || w != e.Weight {
				t.Fatalf("edge %v, want the weight %v (%v)", e, w, ok)
			}
			if k > 0 && (g.Edges[k-1].Source > e.Source || g.Edges[k-1].Source == e.Source &&
				g.Edges[k-1].Target >= e.Target) {
				t.Fatalf("edges are not in order: %v", g.Edges)
			}
		}
		checkQuality(t, g, p)
	})
}

// checkQuality compares the quality with slow counts.
func checkQuality(t *rapid.T, g *Graph, p Matrix) {
	n := g.N
	near := make([][]int, n)
	for _, e := range g.Edges {
		near[e.Source] = append(near[e.Source], e.Target)
		near[e.Target] = append(near[e.Target], e.Source)
	}
	silent, isolated, components := 0, 0, 0
	low, high, sum := math.MaxInt, 0, 0
	seen := make([]bool, n)
	for i := range n {
		if !slices.ContainsFunc(lists.UpTo(n), func(j int) bool { return j != i && p.At(i, j) != 0 }) {
			silent++
			continue
		}
		d := len(near[i])
		low, high, sum = min(low, d), max(high, d), sum+d
		if d == 0 {
			isolated++
		}
		if !seen[i] {
			components++
			for stack := []int{i}; len(stack) > 0; {
				k := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if !seen[k] {
					seen[k] = true
					stack = append(stack, near[k]...)
				}
			}
		}
	}
	if silent == n {
		low = 0
	}
	q := g.Quality
	if q.Nodes != n || q.Silent != silent || q.Isolated != isolated || q.Components != components ||
		q.Edges != len(g.Edges) ||
		q.DegreeMin != low || q.DegreeMax != high || (silent < n && q.DegreeMean != float64(sum)/float64(n-silent)) {
		t.Fatalf("quality %+v; counted %d silent, %d isolated, %d components, degrees %d…%d, sum %d", q, silent, isolated, components, low, high, sum)
	}
}

func TestEdgeCountOfThePaper(t *testing.T) {
	p := symmetric(84, randoms(1, 84*83/2))
	for _, c := range []struct {
		rule Rule
		want int
	}{{Rule{Density: 0.1}, 348}, {Rule{Density: 0.2}, 697}, {Rule{}, 0}} {
		c.rule.Repair = RepairNone
		g := need.Value(Build(p, c.rule))(t)
		if g.Quality.Edges != c.want || g.Quality.Chosen != c.want {
			t.Errorf("%+v: %d edges, want %d", c.rule, g.Quality.Edges, c.want)
		}
	}
	five := symmetric(5, slices.Repeat([]float64{0.5}, 10)) // 0.3 of 10 pairs are 3, not 2
	if g, _ := Build(five, Rule{Density: 0.3}); g.Quality.Chosen != 3 {
		t.Errorf("%d edges, want 3", g.Quality.Chosen)
	}
}

func TestRepairIsReported(t *testing.T) {
	//             0-1  0-2   0-3   1-2   1-3  2-3
	p := symmetric(4, []float64{0.9, -0.1, -0.5, -0.3, -0.2, -0.4})
	for _, c := range []struct {
		repair Repair
		want   []Edge
		q      GraphQuality
	}{
		{RepairLargest, []Edge{{0, 1, 0.9}, {0, 2, -0.1}, {1, 3, -0.2}},
			GraphQuality{Repaired: 2, NotPositive: 2, Components: 1}},
		{RepairAbsolute, []Edge{{0, 1, 0.9}, {0, 3, -0.5}, {2, 3, -0.4}},
			GraphQuality{Repaired: 2, NotPositive: 2, Components: 1}},
		{RepairNone, []Edge{{0, 1, 0.9}}, GraphQuality{Isolated: 2, Components: 3}},
	} {
		g := need.Value(Build(p, Rule{Density: 0.2, Repair: c.repair}))(t)
		q := g.Quality
		if !slices.Equal(g.Edges, c.want) || q.Repaired != c.q.Repaired || q.NotPositive != c.q.NotPositive ||
			q.Isolated != c.q.Isolated || q.Components != c.q.Components {
			t.Errorf("%s: edges %v, quality %+v", c.repair, g.Edges, q)
		}
		if q.Positive != 1.0/6 || q.Threshold != 0.9 {
			t.Errorf("share of positives %v, threshold %v", q.Positive, q.Threshold)
		}
	}
}

func TestNodesWithoutASignalHaveNoEdges(t *testing.T) {
	for _, v := range []float64{0, nan} {
		p := symmetric(5, []float64{0.1, v, 0.2, 0.3, v, 0.4, 0.5, v, v, 0.6})
		g := need.Value(Build(p, Rule{Density: 0.5}))(t)
		// Half of the six pairs of four nodes; node 0 is repaired.
		want := []Edge{{0, 4, 0.3}, {1, 3, 0.4}, {1, 4, 0.5}, {3, 4, 0.6}}
		if q := g.Quality; !slices.Equal(g.Edges, want) || q.Silent != 1 || q.Chosen != 3 || q.Components != 1 {
			t.Errorf("edges %v, quality %+v", g.Edges, q)
		}
	}
}

func TestBuildRefusesWhatIsNoMatrixOfConnectivity(t *testing.T) {
	uneven := symmetric(3, []float64{0.1, 0.2, 0.3})
	uneven.Data[1] = 0.5
	broken := symmetric(3, []float64{0.1, nan, 0.3})
	for _, c := range []struct {
		p    Matrix
		rule Rule
		want string
	}{
		{NewMatrix(2, 3), Rule{}, "a 2×3 matrix is not a connectivity matrix"},
		{uneven, Rule{}, "the matrix is not symmetric: nodes 1 and 2 have 0.5 in one direction and 0.1 in the other"},
		{broken, Rule{}, "the partial correlation of nodes 1 and 3 is not a number"},
		{symmetric(2, []float64{1}), Rule{Density: 1.5}, "the density is 1.5: it must lie between 0 and 1"},
		{symmetric(2, []float64{1}), Rule{Kind: "mst"}, `unknown rule "mst"`},
	} {
		if _, err := Build(c.p, c.rule); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestFeatures(t *testing.T) {
	// A path 0-1-2 with 3 apart.
	g := &Graph{N: 4, Edges: []Edge{{0, 1, 0.5}, {1, 2, 0.5}}}
	r := symmetric(4, []float64{0.5, 0.25, nan, 0.5, nan, nan})
	closeTo(t, "pearson", g.NodeFeatures(PearsonRow, r), symmetric(4, []float64{0.5, 0.25, 0, 0.5, 0, 0}), 0)
	closeTo(t, "identity", g.NodeFeatures(Identity, r), symmetric(4, make([]float64, 6)), 0)
	closeTo(t, "degree profile", g.NodeFeatures(DegreeProfile, r),
		columns([]float64{1, 2, 1, 0}, []float64{2, 1, 2, 0}, []float64{2, 1, 2, 0}, []float64{2, 1, 2, 0},
			[]float64{0, 0, 0, 0}), 0)
	star := &Graph{N: 4, Edges: []Edge{{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {1, 2, 1}}}
	// The neighbors of 0 have the degrees 2, 2, 1.
	closeTo(t, "degree profile", Matrix{Rows: 1, Cols: 5, Data: star.NodeFeatures(DegreeProfile, r).Row(0)},
		Matrix{Rows: 1, Cols: 5, Data: []float64{3, 1, 2, 5.0 / 3, math.Sqrt(2.0 / 9)}}, 1e-15)
}

// The k-th largest is that of the sorted numbers, however they lie.
func TestKthLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.OneOf(rapid.Float64Range(5e-324, 1), rapid.Float64Range(5e-324, 1e-300),
			rapid.SampledFrom([]float64{0.25, 0.5, math.MaxFloat64, math.Inf(1)}))
		v := rapid.SliceOfN(one, 1, 40).Draw(t, "v")
		k := rapid.IntRange(1, len(v)).Draw(t, "k")
		sorted := slices.Clone(v)
		slices.Sort(sorted)
		want, more := sorted[len(v)-k], 0
		for _, x := range v {
			if x > want {
				more++
			}
		}
		if kth, greater := kthLargest(v, k); kth != want || greater != more {
			t.Fatalf("%v, with %d greater; want %v and %d", kth, greater, want, more)
		}
	})
}
