package fold

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	"prgnn/stages/inference"
)

// Two participants have the same features when these correlate by 0.9999 or more, of either sign, or their ranks do:
// any increasing or decreasing function of them is found. fewestValues must be there in both. Of the pairs of ABIDE's
// 986 Pearson matrices with all of 110 regions none but one file under two ids reaches 0.94, by values or by ranks.
const (
	sameFeatures   = 0.9999
	mostValues     = 1024 // are compared; of more, a random choice, the same for all participants
	screenedValues = 64   // whose ranks decide whether the others are looked at
	screen         = 0.9
)

// Features stand for a participant's features in a comparison.
type Features struct {
	print  Print     // of all numbers
	values []float64 // those that are compared, in random order; NaN where there is none
	ranks  []float64 // of values
	matrix bool      // symmetric
}

// FeaturesOf are the features in draw 0 of an array (draw first), or in an array of fewer than three axes. Of a
// symmetric matrix the entries above the diagonal count, without regions that have only zeros and NaN there: these are
// missing.
func FeaturesOf(a *encoding.Array) Features {
	v := a.Float64s()
	if len(a.Shape) == 3 && a.Shape[0] > 0 {
		v = v[:len(v)/a.Shape[0]]
	}
	f := Features{print: PrintOf(v)}
	if m, n := Matrix(a); n > 0 {
		f.matrix = true
		v = edges(m, n)
	}
	chosen := random.New(0, "leakage", "features").Perm(len(v))
	for _, i := range chosen[:min(mostValues, len(v))] {
		x := v[i]
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		f.values = append(f.values, x)
	}
	f.ranks = inference.Ranks(f.values)
	return f
}

// Matrix is draw 0 of an array (draw first) of symmetric matrices, and its number of regions; 0 of another array.
func Matrix(a *encoding.Array) (m []float64, n int) {
	v, shape := a.Float64s(), a.Shape
	if len(shape) == 3 && shape[0] > 0 {
		v, shape = v[:len(v)/shape[0]], shape[1:]
	}
	if len(shape) != 2 || shape[0] != shape[1] || !symmetric(v, shape[0]) {
		return nil, 0
	}
	return v, shape[0]
}

// unknown names the first value of an array's draw 0, where none of them is finite: NaN are no features, and the same
// in everybody. "" otherwise. The diagonal of a matrix tells nothing, and does not count.
func unknown(a *encoding.Array) string {
	v, shape := a.Float64s(), a.Shape
	if len(shape) == 3 && shape[0] > 0 {
		v, shape = v[:len(v)/shape[0]], shape[1:]
	}
	square, first := len(shape) == 2 && shape[0] == shape[1] && shape[0] > 1, -1
	for i, x := range v {
		switch {
		case square && i%(shape[0]+1) == 0:
		case !math.IsNaN(x) && !math.IsInf(x, 0):
			return ""
		case first < 0:
			first = i
		}
	}
	switch {
	case first < 0:
		return ""
	case len(shape) == 2:
		return fmt.Sprintf("row %d, column %d is %v", first/shape[1]+1, first%shape[1]+1, v[first])
	}
	return fmt.Sprintf("value %d is %v", first+1, v[first])
}

func symmetric(v []float64, n int) bool {
	for i := range n {
		for j := range i {
			if a, b := v[i*n+j], v[j*n+i]; a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
				return false
			}
		}
	}
	return true
}

// edges are the entries above the diagonal of a symmetric matrix; NaN for a region without a signal.
func edges(v []float64, n int) []float64 {
	present := make([]bool, n)
	for i := range n {
		for j := range n {
			present[i] = present[i] || i != j && v[i*n+j] != 0 && !math.IsNaN(v[i*n+j])
		}
	}
	var out []float64
	for i := range n {
		for j := i + 1; j < n; j++ {
			x := v[i*n+j]
			if !present[i] || !present[j] {
				x = math.NaN()
			}
			out = append(out, x)
		}
	}
	return out
}

// Same says how two participants' features are the same; "" when they are not.
func (f Features) Same(g Features) string {
	if f.print.digest == g.print.digest {
		return "correlation 0.9999 or more, of either sign"
	}
	if len(f.values) != len(g.values) {
		return ""
	}
	if !f.alike(g) {
		return ""
	}
	var x, y []float64
	for i, a := range f.values {
		if b := g.values[i]; !math.IsNaN(a) && !math.IsNaN(b) {
			x, y = append(x, a), append(y, b)
		}
	}
	where := ""
	if len(x) < len(f.values) {
		where = ", where both have values"
	}
	switch {
	case math.Abs(inference.Correlation(x, y)) >= sameFeatures:
		return "correlation 0.9999 or more, of either sign" + where
	case math.Abs(inference.Spearman(x, y)) >= sameFeatures:
		return "rank correlation 0.9999 or more, of either sign" + where
	}
	return ""
}

// alike screens: the first ranks correlate. Ranks among all values of one participant are nearly those among the
// values that both have.
func (f Features) alike(g Features) bool {
	var n, x, y, xx, yy, xy float64
	for i, a := range f.ranks {
		if math.IsNaN(f.values[i]) || math.IsNaN(g.values[i]) {
			continue
		}
		b := g.ranks[i]
		n, x, y = n+1, x+a, y+b
		xx, yy, xy = xx+float64(a*a), yy+float64(b*b), xy+float64(a*b)
		if n == screenedValues {
			break
		}
	}
	xx, yy, xy = float64(n*xx)-float64(x*x), float64(n*yy)-float64(y*y), float64(n*xy)-float64(x*y)
	return n >= fewestValues && float64(xy*xy) >= float64(screen*screen*xx)*yy
}

// candidates calls found once for each two places whose features may be the same: those that have the same print or
// are alike. Those with values at the same places are compared together, by products of matrices.
func candidates(all []Features, found func(i, j int)) {
	groups := map[string][]int{} // by where values are
	var order []string
	for i, f := range all {
		there := make([]byte, len(f.values))
		for k, x := range f.values {
			if !math.IsNaN(x) {
				there[k] = 1
			}
		}
		if groups[string(there)] == nil {
			order = append(order, string(there))
		}
		groups[string(there)] = append(groups[string(there)], i)
	}
	const block, few = 1024, 256 // fewer pairs are all told
	for a, first := range order {
		for _, second := range order[:a+1] {
			var places []int
			if len(groups[first])*len(groups[second]) > few && len(first) == len(second) {
				places = bothHave(first, second)
			}
			for xs := range slices.Chunk(groups[first], block) {
				for ys := range slices.Chunk(groups[second], block) {
					once := func(i, j int) {
						if first != second || xs[i] > ys[j] {
							found(xs[i], ys[j])
						}
					}
					switch {
					case first == second && xs[0] < ys[0]:
					case len(places) >= fewestValues:
						u, v := unitRanks(all, xs, places), unitRanks(all, ys, places)
						dense.Above(u, v, len(xs), len(ys), len(places), screen, once)
					default:
						for i := range xs {
							for j := range ys {
								once(i, j)
							}
						}
					}
				}
			}
		}
	}
}

// bothHave are the first places where two participants have values, as alike takes them.
func bothHave(first, second string) (places []int) {
	for k := range first {
		if first[k]&second[k] == 1 && len(places) < screenedValues {
			places = append(places, k)
		}
	}
	return places
}

// unitRanks are the ranks at some places about their mean, of length 1; NaN where they are equal.
func unitRanks(all []Features, which, places []int) []float32 {
	out := make([]float32, 0, len(which)*len(places))
	for _, i := range which {
		var sum, squares float64
		for _, k := range places {
			sum += all[i].ranks[k]
		}
		mean := sum / float64(len(places))
		for _, k := range places {
			squares += float64((all[i].ranks[k] - mean) * (all[i].ranks[k] - mean))
		}
		scale := math.NaN()
		if squares > 0.1 { // ranks are halves: equal ones differ by rounding alone
			scale = 1 / math.Sqrt(squares)
		}
		for _, k := range places {
			out = append(out, float32((all[i].ranks[k]-mean)*scale))
		}
	}
	return out
}
