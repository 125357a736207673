package edges

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference/edgewise"
)

// TestLevel: without an effect, p ≤ 0.05 in 5% of cohorts, with confounds that go with what is tested, sites that
// differ and relatives who are alike: in 3,000 cohorts (-v) in 3.8 to 5.3%, of relatives without family in 13 to 14%.
// Of 2,000 cohorts whose smaller group (8 of 40 to 30 of 120) has four times the variance, max-t finds an edge in 5.8
// to 6.6%, with one variance in 28 to 45%; of 2,000 whose edges vary along a number, in 4.1 to 7.9%, with one
// variance in up to 91%.
func TestLevel(t *testing.T) {
	const cohorts, regions, permutations, n = 300, 9, 99, 40
	const edges = regions * (regions - 1) / 2
	for _, c := range []struct {
		name string
		// make makes what is tested, and what each participant has apart from noise.
		make    func(st *edgeStudy, r *random.Stream) (shared []float64)
		invalid bool                         // exchanges who are not exchangeable: p are too small
		sd      func(tested float64) float64 // of the edges; nil: 1
	}{
		{"two groups, age differs", func(st *edgeStudy, r *random.Stream) []float64 {
			x, age := labels(n), make([]float64, n)
			for i := range age {
				age[i] = r.Normal() + x[i]
			}
			st.kind, st.design.Tested = twoGroups, [][]float64{x}
			st.design.Nuisance = append(st.design.Nuisance, age)
			return age
		}, false, nil},
		{"a number, age goes with it", func(st *edgeStudy, r *random.Stream) []float64 {
			x, age := make([]float64, n), make([]float64, n)
			for i := range age {
				age[i] = r.Normal()
				x[i] = age[i] + r.Normal()
			}
			st.kind, st.design.Tested = number, [][]float64{x}
			st.design.Nuisance = append(st.design.Nuisance, age)
			return age
		}, false, nil},
		{"three groups", func(st *edgeStudy, r *random.Stream) []float64 {
			a, b := make([]float64, n), make([]float64, n)
			for i := range n {
				if i%3 == 1 {
					a[i] = 1
				} else if i%3 == 2 {
					b[i] = 1
				}
			}
			st.kind, st.design.Tested = severalGroups, [][]float64{a, b}
			return make([]float64, n)
		}, false, nil},
		{"two groups, within sites", func(st *edgeStudy, r *random.Stream) []float64 {
			x, shared := make([]float64, n), make([]float64, n)
			level := r.Normal()
			second := make([]float64, n)
			for i := range n { // a quarter of the first site and three quarters of the second are patients
				site := i * 2 / n
				if (i%4 == 0) == (site == 0) {
					x[i] = 1
				}
				st.block = append(st.block, fmt.Sprint(site))
				second[i] = float64(site)
				shared[i] = 2 * level * second[i]
			}
			st.kind, st.design.Tested = twoGroups, [][]float64{x}
			st.design.Nuisance = append(st.design.Nuisance, second)
			return shared
		}, false, nil},
		{"the smaller group varies more, one variance", smallerVaries(false), true, twice},
		{"the smaller group varies more", smallerVaries(true), false, twice},
		{"edges vary more at high numbers, one variance", skewed(false), true, atHigh},
		{"edges vary more at high numbers", skewed(true), false, atHigh},
		{"edges vary less at high numbers", skewed(true), false, func(x float64) float64 { return 1 / atHigh(x) }},
		{"a skewed number", skewed(true), false, nil},
		{"two groups of families", families(true), false, nil},
		{"two groups of families, exchanged one by one", families(false), true, nil},
		{"change between two sessions", func(st *edgeStudy, r *random.Stream) []float64 {
			motion := make([]float64, n)
			mean := 0.0
			for i := range motion {
				motion[i] = r.Normal()
				mean += motion[i] / n
			}
			for i := range motion {
				motion[i] -= mean
			}
			st.kind, st.design.Tested = change, [][]float64{st.design.Nuisance[0]}
			st.design.Nuisance = [][]float64{motion}
			return motion
		}, false, nil},
	} {
		share := map[string]float64{}
		for k := range cohorts {
			r := random.New(9, "level", c.name, k)
			st := &edgeStudy{regions: regions}
			for i := range n {
				st.ids = append(st.ids, fmt.Sprint(i))
			}
			st.design.Nuisance = [][]float64{slices.Repeat([]float64{1}, n)}
			shared := c.make(st, r)
			for i := range n {
				common := r.Normal() // edges of a participant are alike
				sd := 1.0
				if c.sd != nil {
					sd = c.sd(st.design.Tested[0][i])
				}
				for range edges {
					st.values = append(st.values, shared[i]+sd*(common+r.Normal()))
				}
			}
			draw := need.Value(st.permutations(&Edges{Seed: uint64(k)}))(t)
			f := need.Value(edgewise.NewModel(st.design, n))(t).Fit(st.values, edges, 1)
			net := allPairs(regions)
			threshold := 2.0
			o := edgewise.Options{Permutations: permutations, Draw: draw, Thresholds: []float64{threshold},
				Tail: edgewise.Both, Free: edgewise.Usual, Threads: 1}
			null := need.Value(f.Permute(net, o))(t)
			for _, p := range null.Uncorrected(f.Statistic) {
				count(share, "uncorrected", p, cohorts*edges)
			}
			least := func(p []float64) float64 { return slices.Min(append(p, 1)) }
			count(share, "max-t", least(edgewise.Corrected(f.Statistic, null.Largest)), cohorts)
			count(share, "tfnbs", least(edgewise.Corrected(net.Enhanced(f.Heights(f.Statistic), o.Free), null.Free)),
				cohorts)
			all, _ := net.Components(f.Statistic, threshold, edgewise.Both)
			var extent, intensity []float64
			for _, component := range all {
				extent, intensity = append(extent, component.Extent), append(intensity, component.Intensity)
			}
			count(share, "nbs", least(edgewise.Corrected(extent, null.Extent[0])), cohorts)
			count(share, "nbs, intensity", least(edgewise.Corrected(intensity, null.Intensity[0])), cohorts)
		}
		t.Logf("%s: uncorrected %.3f, max-t %.3f, nbs %.3f (intensity %.3f), tfnbs %.3f", c.name, share["uncorrected"],
			share["max-t"], share["nbs"], share["nbs, intensity"], share["tfnbs"])
		se := math.Sqrt(0.05 * 0.95 / cohorts)
		if c.invalid {
			if share["max-t"] < 0.05+3*se {
				t.Errorf("%s: max-t %v, but this test should show that it is not valid", c.name, share["max-t"])
			}
			continue
		}
		for what, v := range share {
			if v > 0.05+4*se || what != "nbs" && what != "nbs, intensity" && v < 0.05-4*se {
				t.Errorf("%s: %s: p ≤ 0.05 in %v of the cohorts", c.name, what, v)
			}
		}
	}
}

// count adds 1/all where p ≤ 0.05.
func count(share map[string]float64, what string, p float64, all int) {
	if p <= 0.05 {
		share[what] += 1 / float64(all)
	} else {
		share[what] += 0
	}
}

func labels(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i % 2)
	}
	return x
}

func twice(positive float64) float64 { return 1 + positive }

func atHigh(x float64) float64 { return max(1, x) }

// skewed makes a number with a few high values; each is whether each participant has a variance in the test.
func skewed(each bool) func(st *edgeStudy, r *random.Stream) []float64 {
	return func(st *edgeStudy, r *random.Stream) []float64 {
		x := make([]float64, len(st.ids))
		for i := range x {
			x[i] = math.Exp(r.Normal())
		}
		st.kind, st.design.Tested, st.design.Each = number, [][]float64{x}, each
		return make([]float64, len(x))
	}
}

// smallerVaries makes groups of 28 and 12; by is whether each group has a variance of its own in the test.
func smallerVaries(by bool) func(st *edgeStudy, r *random.Stream) []float64 {
	return func(st *edgeStudy, r *random.Stream) []float64 {
		group := make([]int, len(st.ids))
		x := make([]float64, len(group))
		for i := range 12 {
			group[i], x[i] = 1, 1
		}
		st.kind, st.counts, st.design.Tested = twoGroups, []int32{28, 12}, [][]float64{x}
		if by {
			st.design.Group = group
		}
		return make([]float64, len(group))
	}
}

// families are pairs of relatives in one group, who are alike; whole exchanges them as units.
func families(whole bool) func(st *edgeStudy, r *random.Stream) []float64 {
	return func(st *edgeStudy, r *random.Stream) []float64 {
		n := len(st.ids)
		x, shared := make([]float64, n), make([]float64, n)
		for i := 0; i < n; i += 2 {
			x[i], x[i+1] = float64(i/2%2), float64(i/2%2)
			v := 2 * r.Normal()
			shared[i], shared[i+1] = v, v
			if whole {
				st.units = append(st.units, []int{i, i + 1})
			}
		}
		st.kind, st.design.Tested = twoGroups, [][]float64{x}
		return shared
	}
}

func allPairs(regions int) *edgewise.Network {
	var source, target []int32
	for i := range int32(regions) {
		for j := i + 1; j < int32(regions); j++ {
			source, target = append(source, i), append(target, j)
		}
	}
	return edgewise.NewNetwork(regions, source, target)
}

// The smaller of two groups of unequal sizes varies more, or less, or the sizes are equal.
func TestSmallerGroupVaries(t *testing.T) {
	const n, edges = 60, 45
	for _, c := range []struct {
		small       int
		first, rest float64 // standard deviations
		found       bool
	}{{12, 2, 1, true}, {12, 1.5, 1, true}, {12, 1, 2, false}, {12, 1, 1, false}, {30, 2, 1, false}} {
		for positive := range 2 { // which of the groups is the positive one
			r := random.New(1, "smaller group")
			x, one := make([]float64, n), slices.Repeat([]float64{1}, n)
			values := make([]float64, n*edges)
			for i := range n {
				sd := c.rest
				if i < c.small {
					sd = c.first
				}
				if (i < c.small) == (positive == 1) {
					x[i] = 1
				}
				for e := range edges {
					values[i*edges+e] = sd * r.Normal()
				}
			}
			st := &edgeStudy{kind: twoGroups, ids: make([]string, n), groups: []string{"large", "small"},
				counts: []int32{int32(n - c.small), int32(c.small)},
				design: edgewise.Design{Tested: [][]float64{x}, Nuisance: [][]float64{one}}}
			if positive == 0 {
				slices.Reverse(st.groups)
				slices.Reverse(st.counts)
			}
			st.unequalGroups(need.Value(edgewise.NewModel(st.design, n))(t).Fit(values, edges, 1))
			need.Equal(t, len(st.found) == 1, c.found, c)
			if c.found {
				need.Equal[any](t, st.found[0].Values()["Group"], "small")
			}
		}
	}
}

// TestPowerOfSmallGroup: the smallest difference, in standard deviations, that max-t over 780 edges finds with a power
// of 80% in groups that vary alike. A variance of each group needs a larger one where a group is small, and no larger
// one where both have a similar size (finding.SmallGroup). Other sizes, 6 cohorts (-v): docs/statistics.md.
func TestPowerOfSmallGroup(t *testing.T) {
	const regions, each = 40, 20 // edges with each difference
	const edges = regions * (regions - 1) / 2
	for _, c := range []struct {
		small, large, cohorts int
		most                  float64 // difference in steps of 0.2
		least, ratio          float64 // bounds of unequal over equal
	}{{12, 30, 2, 3, 1.1, 1.5}, {20, 30, 2, 2.2, 0.95, 1.1}} {
		n := c.small + c.large
		var differences []float64
		for d := 1.0; d < c.most+0.01; d += 0.2 {
			differences = append(differences, d)
		}
		smallest := map[bool]float64{}
		for _, by := range []bool{true, false} {
			found := make([]float64, len(differences))
			for k := range c.cohorts {
				r := random.New(5, "power", k, c.small, c.large)
				st := &edgeStudy{kind: twoGroups, counts: []int32{int32(c.large), int32(c.small)},
					ids: make([]string, n)}
				x, group := make([]float64, n), make([]int, n)
				for i := range c.small {
					x[i], group[i] = 1, 1
				}
				st.design.Tested, st.design.Nuisance = [][]float64{x}, [][]float64{slices.Repeat([]float64{1}, n)}
				if by {
					st.design.Group = group
				}
				for i := range n {
					for e := range edges {
						v := r.Normal()
						if at := e / each; at < len(differences) {
							v += float64(x[i] * differences[at])
						}
						st.values = append(st.values, v)
					}
				}
				f := need.Value(edgewise.NewModel(st.design, n))(t).Fit(st.values, edges, 1)
				null := need.Value(f.Permute(allPairs(regions), edgewise.Options{Permutations: 199, Threads: 1,
					Draw: need.Value(st.permutations(&Edges{Seed: uint64(k)}))(t), Thresholds: []float64{3},
					Tail: edgewise.Both, Free: edgewise.Usual}))(t)
				for e, p := range edgewise.Corrected(f.Statistic, null.Largest)[:each*len(differences)] {
					if p < 0.05 {
						found[e/each] += 1 / float64(each*c.cohorts)
					}
				}
			}
			at := slices.IndexFunc(found, func(share float64) bool { return share >= 0.8 })
			if at < 1 {
				t.Fatalf("%d and %d: found %.2f of %.1f", c.small, c.large, found, differences)
			}
			smallest[by] = differences[at-1] + 0.2*(0.8-found[at-1])/(found[at]-found[at-1])
		}
		noted := finding.SmallGroup(column.EdgeSummaryRow{Design: twoGroups, Groups: []string{"A", "B"},
			Counts: []int32{int32(c.small), int32(c.large)}, Degrees: int32(n - 2)}, edgesKind.New().(*Edges).Variance)
		need.Equal(t, len(noted) == 1, c.least >= 1.1)
		ratio := smallest[true] / smallest[false]
		t.Logf("%d and %d: unequal %.2f, equal %.2f", c.small, c.large, smallest[true], smallest[false])
		if ratio < c.least || ratio > c.ratio {
			t.Errorf("%d and %d: unequal finds %.2f, equal %.2f", c.small, c.large, smallest[true], smallest[false])
		}
	}
}
