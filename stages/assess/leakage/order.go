package leakage

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/numeric/dense"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
)

// Regions of two groups are in different orders where the mean matrices of the groups are less similar than those of
// two halves of a group, by lessAlike in Fisher's z, and where an order found in one half of both groups makes those of
// the other half more similar by asMuch, to reorderedR at least.
const (
	leastOfGroup = 8 // participants
	leastOrdered = 10
	mostOrdered  = 500 // regions
	lessAlike    = 0.5
	asMuch       = 0.3
	reorderedR   = 0.6
	mostRounds   = 30
)

// reordered are the findings about groups whose regions are in different orders.
func reordered(features []dag.Input, b *foldBook) (all finding.List, err error) {
	if b == nil {
		return nil, nil
	}
	halves, people := map[string]*[2]meanMatrix{}, map[string]int{}
	regions := 0
	for _, in := range features {
		a, err := in.SharedArray()
		if err != nil {
			return nil, err
		}
		m, n := fold.Matrix(a)
		m = slices.Clone(m) // other tasks read the array, too
		if !correlations(m, n) || n < leastOrdered || n > mostOrdered || regions != 0 && n != regions {
			return nil, nil
		}
		g := b.label[in.Coord(column.Subject)]
		if regions = n; halves[g] == nil {
			halves[g] = &[2]meanMatrix{}
		}
		halves[g][people[g]%2].add(m, n)
		people[g]++
	}
	groups := slices.DeleteFunc(slices.Sorted(maps.Keys(halves)), func(g string) bool {
		return people[g] < leastOfGroup
	})
	means := map[string][2][]float64{}
	for _, g := range groups {
		means[g] = [2][]float64{halves[g][0].mean(), halves[g][1].mean()}
	}
	same := make([]int, regions)
	for i := range same {
		same[i] = i
	}
	for i, g := range groups {
		for _, h := range groups[:i] {
			x, y := means[g], means[h]
			within := min(clipped(alikeIn(x[0], x[1], same)), clipped(alikeIn(y[0], y[1], same)))
			given := alikeIn(x[1], y[1], same)
			if within-clipped(given) < lessAlike {
				continue
			}
			order := orderOf(x[0], y[0], same)
			r := alikeIn(x[1], y[1], order)
			if r < reorderedR || clipped(r)-clipped(given) < asMuch {
				continue
			}
			moved := 0
			for k, at := range order {
				if k != at {
					moved++
				}
			}
			all.Add(finding.Finding{Code: "leakage.region-order", Weight: finding.Overturns, Numbers: map[string]any{
				"First": h, "Second": g, "R": given, "Reordered": r, "Moved": moved, "Of": regions}})
		}
	}
	return all, nil
}

// A meanMatrix adds matrices as Fisher's z.
type meanMatrix struct{ sum, count []float64 }

func (m *meanMatrix) add(r []float64, n int) {
	if m.sum == nil {
		m.sum, m.count = make([]float64, n*n), make([]float64, n*n)
	}
	for i, v := range r[:n*n] {
		if i%(n+1) != 0 && !math.IsNaN(v) {
			m.sum[i], m.count[i] = m.sum[i]+clipped(v), m.count[i]+1
		}
	}
}

// mean is 0 on the diagonal and where it is missing.
func (m *meanMatrix) mean() []float64 {
	z := make([]float64, len(m.sum))
	for i, v := range m.sum {
		z[i] = v / max(m.count[i], 1)
	}
	return z
}

// alikeIn is the correlation over edges of x and y with the regions of y in an order.
func alikeIn(x, y []float64, order []int) float64 {
	n := len(order)
	var a, b []float64
	for i := range n {
		for j := range i {
			a, b = append(a, x[i*n+j]), append(b, y[order[i]*n+order[j]])
		}
	}
	unit(a)
	unit(b)
	return dense.Dot(a, b)
}

// orderOf is an order of the regions of y in which it is like x: the best that exchanges of two regions reach from
// usual orders, and from that of the sorted rows.
func orderOf(x, y []float64, same []int) (best []int) {
	n := len(same)
	half := (n + 1) / 2
	sorted := func(m []float64) []float64 {
		m = slices.Clone(m)
		for i := range n {
			slices.Sort(m[i*n : (i+1)*n])
		}
		return m
	}
	sx, sy := sorted(x), sorted(y)
	bySorted := paired(n, func(i, j int) float64 {
		apart := 0.0
		for k, v := range sx[i*n : (i+1)*n] {
			d := v - sy[j*n+k]
			apart += float64(d * d)
		}
		return apart
	})
	orders := [][]int{bySorted, slices.Clone(same), make([]int, n), make([]int, n), make([]int, n), make([]int, n)}
	for i := range n {
		orders[2][i] = n - 1 - i                                                  // reversed
		orders[3][i] = (i + half) % n                                             // hemispheres exchanged
		orders[4][i] = i/2 + i%2*half                                             // of hemispheres in turn
		orders[5][i] = map[bool]int{true: 2 * i, false: 2*(i-half) + 1}[i < half] // and back
	}
	most := math.Inf(-1)
	for _, order := range orders {
		exchanged(x, y, order)
		if r := alikeIn(x, y, order); r > most {
			best, most = order, r
		}
	}
	return best
}

// exchanged changes an order by exchanges of two regions of y while these make it more like x.
func exchanged(x, y []float64, order []int) {
	n := len(order)
	z := make([]float64, n*n) // y in the order
	for i, p := range order {
		for k, q := range order {
			z[i*n+k] = y[p*n+q]
		}
	}
	for range mostRounds {
		changed := false
		for i := range n {
			for j := range i {
				more := 0.0
				for k := range n {
					if k != i && k != j {
						more += float64((x[i*n+k] - x[j*n+k]) * (z[j*n+k] - z[i*n+k]))
					}
				}
				if more <= 1e-12 {
					continue
				}
				changed = true
				order[i], order[j] = order[j], order[i]
				for k := range n {
					z[i*n+k], z[j*n+k] = z[j*n+k], z[i*n+k]
				}
				for k := range n {
					z[k*n+i], z[k*n+j] = z[k*n+j], z[k*n+i]
				}
			}
		}
		if !changed {
			break
		}
	}
}

// paired gives each of n its partner, the pairs that are least apart first.
func paired(n int, apart func(i, j int) float64) []int {
	type pair struct {
		i, j  int
		apart float64
	}
	pairs := make([]pair, 0, n*n)
	for i := range n {
		for j := range n {
			pairs = append(pairs, pair{i, j, apart(i, j)})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.apart, b.apart), a.i-b.i, a.j-b.j) })
	order, taken := make([]int, n), make([]bool, n)
	for i := range order {
		order[i] = -1
	}
	for _, p := range pairs {
		if order[p.i] < 0 && !taken[p.j] {
			order[p.i], taken[p.j] = p.j, true
		}
	}
	return order
}
