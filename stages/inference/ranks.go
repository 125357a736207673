package inference

import (
	"cmp"
	"iter"
	"math"
	"math/bits"
	"slices"

	"prgnn/internal/lists"
)

// Ranks numbers the values from 1, the largest first; equal values share the mean of their ranks. NaN ranks last, and
// all NaN are equal.
func Ranks(v []float64) []float64 {
	at := order(v)
	out := make([]float64, len(v))
	for lo, hi := range ties(v, at) {
		for _, i := range at[lo:hi] {
			out[i] = float64(lo+1+hi) / 2
		}
	}
	return out
}

// ties are the runs of equal values in their order, from lo up to hi.
func ties(v []float64, at []int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < len(at); {
			hi := lo + 1
			for hi < len(at) && compare(v[at[hi]], v[at[lo]]) == 0 {
				hi++
			}
			if !yield(lo, hi) {
				return
			}
			lo = hi
		}
	}
}

// order lists the places of the values, the largest value first, of equal ones the
// lower place.
func order(v []float64) []int { return Ordered(v, make([]int, len(v))) }

// Ordered lists the places of the values, the largest value first, of equal ones the one with the lower lot. With lots
// at random, equal values have no order.
func Ordered(v []float64, lot []int) []int {
	at := lists.UpTo(len(v))
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Or(compare(v[b], v[a]), lot[a]-lot[b]) })
	return at
}

// compare is cmp.Compare, for which NaN is less than everything and equal to itself.
func compare(a, b float64) int { return cmp.Compare(a, b) }

// Top is 1 for the k largest values, and 0 for the others. Nothing orders equal values: those at the border share the
// places that are left, so that each has the probability with which it is among the first k in random order. NaN is
// never among them.
func Top(v []float64, k int) []float64 {
	in := make([]float64, len(v))
	at := order(v)
	for lo, hi := range ties(v, at) {
		if lo >= k || math.IsNaN(v[at[lo]]) {
			break
		}
		for _, i := range at[lo:hi] {
			in[i] = topShare(lo, hi, k)
		}
	}
	return in
}

// topShare is what each of the equal values at the positions from lo up to hi has of the first k.
func topShare(lo, hi, k int) float64 { return float64(min(hi, max(lo, k))-lo) / float64(hi-lo) }

// Spearman is the correlation of the ranks of x and y (Spearman 1904); NaN when
// either is constant.
func Spearman(x, y []float64) float64 { return newRanking(x).spearman(newRanking(y)) }

// A ranking is a list of values, ordered once to be compared with many others.
type ranking struct {
	at       []int     // the places of the values, the largest value first
	position []int     // of each place, in that order
	lo, hi   []int     // of each place: its equals take the positions lo up to hi
	center   []float64 // of each place: its rank less the mean rank
	square   float64   // sum of squares of these
	untied   int       // pairs of different values
}

func newRanking(v []float64) *ranking {
	n := len(v)
	x := &ranking{at: order(v), position: make([]int, n), lo: make([]int, n), hi: make([]int, n),
		center: make([]float64, n), untied: n * (n - 1) / 2}
	for i, r := range Ranks(v) {
		x.center[i] = r - float64(n+1)/2
		x.square += float64(x.center[i] * x.center[i])
	}
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && x.center[x.at[hi]] == x.center[x.at[lo]] {
			hi++
		}
		for p, i := range x.at[lo:hi] {
			x.position[i], x.lo[i], x.hi[i] = lo+p, lo, hi
		}
		x.untied -= (hi - lo) * (hi - lo - 1) / 2
		lo = hi
	}
	return x
}

// spearman is the correlation of the ranks. All sums are exact: ranks are halves of integers.
func (x *ranking) spearman(y *ranking) float64 {
	ab := 0.0
	for i, p := range x.center {
		ab += float64(p * y.center[i])
	}
	return ab / math.Sqrt(float64(x.square*y.square))
}

// kendall is τ_b: the pairs in the same order less those in the opposite order, of
// the pairs that are not tied (Kendall 1945); NaN when either is constant. It goes through the places in the
// order of x, and counts where those before stand in the order of y.
func (x *ranking) kendall(y *ranking) float64 {
	seen := make([]uint64, len(x.at)/64+1) // positions in the order of y
	same := 0
	for lo := 0; lo < len(x.at); {
		hi := x.hi[x.at[lo]]
		for _, i := range x.at[lo:hi] {
			same += countBelow(seen, y.lo[i]) + countBelow(seen, y.hi[i]) - lo
		}
		for _, i := range x.at[lo:hi] { // after them all: equals of x do not count
			at := y.position[i]
			seen[at/64] |= 1 << (at % 64)
		}
		lo = hi
	}
	return float64(same) / math.Sqrt(float64(x.untied)*float64(y.untied))
}

// countBelow counts the members of a set that are less than n.
func countBelow(set []uint64, n int) int {
	count := bits.OnesCount64(set[n/64] & (1<<(n%64) - 1))
	for _, word := range set[:n/64] {
		count += bits.OnesCount64(word)
	}
	return count
}
