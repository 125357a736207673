package baseline

import (
	"context"
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// A forest is as good as scikit-learn's, and its probabilities differ by no more
// than those of two forests of other random numbers do.
func TestForestAgainstScikitLearn(t *testing.T) {
	var fixture struct {
		Cases []struct {
			X, Test     [][]float64
			Y, Truth    []int
			Classes     int
			Nodes       float64
			Probability [][]float64
			Accuracy    []float64
		}
	}
	readFixture(t, "forest.json", &fixture)
	for i, c := range fixture.Cases {
		x, test := rowsOf(c.X), rowsOf(c.Test)
		m, err := FitForest(context.Background(), Forest{Trees: 1000, Seed: 5}, x, c.Y, c.Classes, 2, nil)
		need.NoError(t, err)
		f := m.(*forest)
		nodes := 0.0
		for _, tree := range f.trees {
			nodes += float64(len(tree)) / 1000
		}
		if math.Abs(nodes-c.Nodes) > 0.02*c.Nodes {
			t.Errorf("case %d: %.1f nodes a tree, want about %.1f", i, nodes, c.Nodes)
		}
		p := f.Probability(test, 2)
		right, worst, square := 0.0, 0.0, 0.0
		for k, want := range c.Probability {
			got := p[k*c.Classes:][:c.Classes]
			if slices.Index(got, slices.Max(got)) == c.Truth[k] {
				right++
			}
			d := math.Abs(got[0] - want[0])
			worst, square = max(worst, d), square+d*d
		}
		n := float64(len(c.Truth))
		// The standard error of a share of 1000 trees is at most 0.016; of 5000, 0.007.
		if worst > 0.07 || math.Sqrt(square/n) > 0.02 {
			t.Errorf("case %d: probabilities differ by up to %.3f, rms %.3f", i, worst, math.Sqrt(square/n))
		}
		if low, high := slices.Min(c.Accuracy), slices.Max(c.Accuracy); right/n < low-0.03 || right/n > high+0.03 {
			t.Errorf("case %d: accuracy %.3f, scikit-learn has %.3f to %.3f", i, right/n, low, high)
		}
	}
}

// Both searches find the split that trying all of them finds.
func TestForestSplits(t *testing.T) {
	for trial := range 200 {
		r := random.New(1, trial)
		n := 2 + r.IntN(80)
		x := Rows{N: n, D: 3, X: make([]float64, 3*n)}
		label := make([]int, n)
		for i := range x.X {
			x.X[i] = float64(r.IntN(1 + trial)) // with ties
		}
		for i := range label {
			label[i] = r.IntN(2)
		}
		g := newGrowth(Forest{Trees: 1, Features: 1}, x, label, nil, 2, 1)
		tree := &growing{growth: g, drawn: make([]int32, n), weight: make([]uint32, n), tally: make([]uint32, n),
			marks: make([]uint64, (n+63)/64), left: make([]int, 2)}
		var cases []int32
		total, count := make([]int, 2), 0
		for i := range n {
			w := 1 + r.IntN(3)
			tree.drawn[i], tree.weight[i] = int32(w), uint32(w)<<(16*label[i])
			cases = append(cases, int32(i))
			total[label[i]] += w
			count += w
		}
		g.inverse = make([]float64, count+1)
		for w := range g.inverse {
			g.inverse[w] = 1 / float64(w)
		}
		impurity := func(side func(i int) bool) float64 {
			var w [2]float64
			for i := range n {
				if side(i) {
					w[label[i]] += float64(tree.drawn[i])
				}
			}
			if w[0]+w[1] == 0 {
				return math.NaN()
			}
			return w[0] + w[1] - (w[0]*w[0]+w[1]*w[1])/(w[0]+w[1]) // Gini times the weight
		}
		for f := range 3 {
			best := math.Inf(1)
			for i := range n {
				v := x.Row(i)[f]
				s := impurity(func(j int) bool { return x.Row(j)[f] <= v }) +
					impurity(func(j int) bool { return x.Row(j)[f] > v })
				if s < best {
					best = s
				}
			}
			ranks := g.rank[f*n:][:n]
			for name, search := range map[string]func([]int32, []uint16, []int, int) (uint16,
				float64){"tally": tree.byTally, "sort": tree.bySort} {
				rank, gain := search(cases, ranks, total, count)
				if math.IsInf(gain, -1) != math.IsInf(best, 1) {
					t.Fatalf("%s: gain %v, the slow search finds %v", name, gain, best)
				}
				if math.IsInf(best, 1) {
					continue
				}
				got := impurity(func(j int) bool { return ranks[j] <= rank }) +
					impurity(func(j int) bool { return ranks[j] > rank })
				if math.Abs(got-best) > 1e-9 || math.Abs(float64(count)-gain-best) > 1e-9 {
					t.Fatalf("%s: impurity %v, gain %v, the slow search finds %v of %d", name, got, gain, best, count)
				}
			}
		}
	}
}

// A grown tree knows the cases it was grown on, and does not depend on threads.
func TestForestGrows(t *testing.T) {
	r := random.New(3)
	x := Rows{N: 60, D: 7, X: make([]float64, 420)}
	label := make([]int, 60)
	for i := range x.X {
		x.X[i] = r.Normal()
	}
	for i := range label {
		label[i] = r.IntN(2)
	}
	one, err := FitForest(context.Background(), Forest{Trees: 30, Seed: 1}, x, label, 2, 1, nil)
	need.NoError(t, err)
	many, err := FitForest(context.Background(), Forest{Trees: 30, Seed: 1}, x, label, 2, 4, nil)
	need.NoError(t, err)
	p := one.Probability(x, 1)
	if !slices.Equal(p, many.Probability(x, 3)) {
		t.Error("more threads give other probabilities")
	}
	right := 0
	for i, l := range label {
		if (p[2*i+1] > 0.5) == (l == 1) {
			right++
		}
	}
	if right < 58 { // noise, but it was seen by two thirds of the trees
		t.Errorf("%d of 60 training cases are right", right)
	}
	other, _ := FitForest(context.Background(), Forest{Trees: 30, Seed: 2}, x, label, 2, 1, nil)
	if slices.Equal(p, other.Probability(x, 1)) {
		t.Error("the seed has no effect")
	}
}

// Each split of a tree of numbers is the one of all features and thresholds with the smallest squared error, and each
// leaf is the mean of its bootstrapped cases, which are alike: by the slow definition, along the tree.
func TestForestOfNumbers(t *testing.T) {
	const n, d = 70, 6
	r := random.New(4)
	x := Rows{N: n, D: d, X: make([]float64, n*d)}
	y := make([]float64, n)
	for i := range x.X {
		x.X[i] = float64(r.IntN(30)) // with ties
	}
	for i := range y {
		y[i] = x.Row(i)[0]/10 + float64(r.IntN(8))
	}
	m, err := ForestTo(context.Background(), Forest{Trees: 25, Features: d, Seed: 9}, x, y, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := m.(numbersForest)
	splits := 0
	for number, nodes := range f.trees {
		drawn := make([]float64, n)
		bootstrap := random.New(9, "forest", number)
		for range n {
			drawn[bootstrap.IntN(n)]++
		}
		// moments are the weight, the mean and the squared error of some cases.
		moments := func(cases []int) (w, mean, sse float64) {
			for _, i := range cases {
				w, mean = w+drawn[i], mean+drawn[i]*y[i]
			}
			mean /= w
			for _, i := range cases {
				sse += drawn[i] * (y[i] - mean) * (y[i] - mean)
			}
			return w, mean, sse
		}
		split := func(cases []int, f int, threshold float64) (left, right []int) {
			for _, i := range cases {
				if x.Row(i)[f] <= threshold {
					left = append(left, i)
				} else {
					right = append(right, i)
				}
			}
			return left, right
		}
		var walk func(at int, here []int)
		walk = func(at int, here []int) {
			node := nodes[at]
			_, mean, sse := moments(here)
			least := math.Inf(1)
			after := func(f int, threshold float64) float64 {
				left, right := split(here, f, threshold)
				if len(left) == 0 || len(right) == 0 {
					return math.Inf(1)
				}
				_, _, l := moments(left)
				_, _, r := moments(right)
				return l + r
			}
			for f := range d {
				for _, i := range here {
					least = min(least, after(f, x.Row(i)[f]))
				}
			}
			if node.feature < 0 {
				if math.Abs(node.share[0]-mean) > 1e-12 || sse > 1e-9 && !math.IsInf(least, 1) {
					t.Errorf("tree %d: a leaf of %v with the squared error %g, want %v", number, node.share[0], sse, mean)
				}
				return
			}
			splits++
			if got := after(int(node.feature), node.threshold); !(got <= least+1e-9) {
				t.Errorf("tree %d: a split leaves the squared error %g, the best %g", number, got, least)
			}
			left, right := split(here, int(node.feature), node.threshold)
			walk(at+1, left)
			walk(int(node.right), right)
		}
		var all []int
		for i, w := range drawn {
			if w > 0 {
				all = append(all, i)
			}
		}
		walk(0, all)
	}
	if splits < 500 {
		t.Errorf("%d splits", splits)
	}
	// The forest predicts the mean over its trees, at any number of threads.
	one, many := m.Decide(x, 1), m.Decide(x, 3)
	if !slices.Equal(one, many) {
		t.Error("predictions depend on the number of threads")
	}
	again, err := ForestTo(context.Background(), Forest{Trees: 25, Features: d, Seed: 9}, x, y, 1, nil)
	if err != nil || !slices.Equal(again.Decide(x, 1), one) {
		t.Errorf("trees depend on the number of threads: %v", err)
	}
}
