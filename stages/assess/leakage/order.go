package leakage

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
)

// Regions of two groups, or of two settings of one cohort, are in different orders where their mean matrices are less
// similar than those of two halves of each, by lessAlike in Fisher's z, and where an order found in one half of both
// makes those of the other half more similar by asMuch, to reorderedR at least, and not less similar than halves: an
// order can fit a part of another difference, where regions are alike.
const (
	leastOfGroup = 8 // participants; of a setting, too
	leastOrdered = 10
	mostOrdered  = 500 // regions
	lessAlike    = 0.5
	asMuch       = 0.3
	reorderedR   = 0.6
	mostRounds   = 30
)

// reordered are the findings about groups whose regions are in different orders, within each setting of the features
// (such as the options of a decision), else about a part of the participants, and about settings whose regions are in
// other orders than those of the first.
func reordered(features []dag.Input, b *foldBook) (all finding.List, err error) {
	if b == nil {
		b = &foldBook{} // all are one group
	}
	first, others := map[int]*halves{}, map[int]map[string]any{} // by the number of regions
	known := map[[2]string]bool{}                                // groups; once for all settings
	for _, setting := range lists.By(features, func(in dag.Input) string {
		return column.CoordText(column.Without(in.Coords, column.Subject, "session", "run"))
	}) {
		sums := sketches{of: map[string]*[sketched]float64{}}
		groups, err := halvesOf(setting.All, b.group, sums.add)
		if err != nil {
			return nil, err
		}
		whole := &halves{name: setting.Key}
		for i, g := range groups {
			whole.join(g)
			for _, h := range groups[:i] {
				if m := moved(g, h); m != nil && !known[[2]string{h.name, g.name}] {
					known[[2]string{h.name, g.name}] = true
					m["First"], m["Second"] = h.name, g.name
					all.Add(finding.Finding{Code: "leakage.region-order", Weight: finding.Overturns, Numbers: m})
				}
			}
		}
		if all == nil {
			part, err := partReordered(setting.All, b, sums)
			if err != nil {
				return nil, err
			}
			all.Add(part...)
		}
		n := whole.regions
		if first[n] == nil {
			first[n] = whole
		} else if m := moved(whole, first[n]); m != nil {
			if others[n] == nil {
				m["First"], m["Others"], others[n] = first[n].name, []string(nil), m
				all.Add(finding.Finding{Code: "leakage.option-order", Weight: finding.Limits, Numbers: m})
			}
			others[n]["Others"] = append(others[n]["Others"].([]string), setting.Key)
		}
	}
	return all, nil
}

// halves are the mean matrices of two halves of some participants.
type halves struct {
	name            string
	of              [2]meanMatrix
	people, regions int
}

func (h *halves) join(g *halves) {
	for k := range h.of {
		h.of[k].join(g.of[k])
	}
	h.people, h.regions = h.people+g.people, g.regions
}

// group is that of a participant; where a number is predicted, all are one.
func (b *foldBook) group(id string) string {
	if len(b.target) > 0 {
		return ""
	}
	return b.label[id]
}

// halvesOf are those of each group in the features of one setting; none of features that are not compared. use has
// what each scan gives them, too.
func halvesOf(features []dag.Input, group func(id string) string,
	use func(id string, z []float64)) (groups []*halves, err error) {
	of, half := map[string]*halves{}, map[string]int{}
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
		regions = n
		id, z := in.Coord(column.Subject), make([]float64, 0, n*(n-1)/2)
		for i := range n {
			for _, r := range m[i*n:][:i] {
				z = append(z, clipped(r))
			}
		}
		g := of[group(id)]
		if g == nil {
			g = &halves{name: group(id), regions: n}
			of[g.name], groups = g, append(groups, g)
		}
		if _, known := half[id]; !known {
			half[id] = g.people % 2
			g.people++
		}
		g.of[half[id]].add(z)
		use(id, z)
	}
	slices.SortFunc(groups, func(a, b *halves) int { return strings.Compare(a.name, b.name) })
	return groups, nil
}

// moved is how similar the mean matrices of two are, as given and with the regions of one in another order or, where
// that makes them more similar, with other signs; nil where neither is found.
func moved(g, h *halves) map[string]any {
	if min(g.people, h.people) < leastOfGroup {
		return nil
	}
	same := lists.UpTo(g.regions)
	n := g.regions
	x, y := [2][]float64{g.of[0].mean(n), g.of[1].mean(n)}, [2][]float64{h.of[0].mean(n), h.of[1].mean(n)}
	within := min(clipped(alikeIn(x[0], x[1], same)), clipped(alikeIn(y[0], y[1], same)))
	given := alikeIn(x[1], y[1], same)
	if within-clipped(given) < lessAlike {
		return nil
	}
	found := func(r float64) bool {
		return r >= reorderedR && clipped(r)-clipped(given) >= asMuch && within-clipped(r) < lessAlike
	}
	order := orderOf(x[0], y[0], same)
	r := alikeIn(x[1], y[1], order)
	signs, changed := signsOf(x[0], y[0], n)
	if signed := alikeIn(x[1], timesSigns(y[1], signs), same); found(signed) && signed >= r {
		return map[string]any{"R": given, "Reordered": signed, "Moved": 0, "Signs": changed, "Of": n}
	}
	if !found(r) {
		return nil
	}
	places := 0
	for k, at := range order {
		if k != at {
			places++
		}
	}
	return map[string]any{"R": given, "Reordered": r, "Moved": places, "Signs": 0, "Of": n}
}

// signsOf are signs of the regions of y with which it is like x, of which changes of single signs reach none better,
// and how many are unlike most, since all signs together change nothing.
func signsOf(x, y []float64, n int) (signs []float64, changed int) {
	signs = make([]float64, n)
	for i := range signs {
		signs[i] = 1
	}
	for range mostRounds {
		again := false
		for i := range n {
			agree := 0.0
			for j := range n {
				agree += float64(x[i*n+j] * y[i*n+j] * signs[j]) // 0 on the diagonal
			}
			if agree*signs[i] < -1e-12 {
				signs[i], again = -signs[i], true
			}
		}
		if !again {
			break
		}
	}
	for _, s := range signs {
		if s < 0 {
			changed++
		}
	}
	return signs, min(changed, n-changed)
}

// timesSigns are correlations of regions with other signs.
func timesSigns(y, signs []float64) []float64 {
	y = slices.Clone(y)
	for i := range y {
		y[i] *= signs[i/len(signs)] * signs[i%len(signs)]
	}
	return y
}

// A meanMatrix adds edges, as Fisher's z.
type meanMatrix struct{ sum, count []float64 }

func (m *meanMatrix) add(z []float64) {
	if m.sum == nil {
		m.sum, m.count = make([]float64, len(z)), make([]float64, len(z))
	}
	for e, v := range z {
		if !math.IsNaN(v) {
			m.sum[e], m.count[e] = m.sum[e]+v, m.count[e]+1
		}
	}
}

func (m *meanMatrix) join(of meanMatrix) {
	if m.sum == nil && of.sum != nil { // a group of one participant has one half
		m.sum, m.count = make([]float64, len(of.sum)), make([]float64, len(of.sum))
	}
	for i, v := range of.sum {
		m.sum[i], m.count[i] = m.sum[i]+v, m.count[i]+of.count[i]
	}
}

// mean is region × region, 0 on the diagonal and where it is missing.
func (m *meanMatrix) mean(n int) []float64 {
	z, e := make([]float64, n*n), 0
	for i := range n {
		for j := range i {
			z[i*n+j] = m.sum[e] / max(m.count[e], 1)
			z[j*n+i] = z[i*n+j]
			e++
		}
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
