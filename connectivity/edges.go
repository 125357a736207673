package connectivity

import (
	"fmt"
	"math"
	"slices"

	"prgnn/internal/lists"
)

// survey finds the nodes without a signal, the number of pairs of the others, and
// the weights that are positive. It refuses a matrix that is not square and symmetric,
// or has a NaN between nodes with a signal.
func survey(p Matrix) (silent []bool, pairs int, above []float64, err error) {
	n := p.Rows
	if n != p.Cols {
		return nil, 0, nil, fmt.Errorf("a %d×%d matrix is not a connectivity matrix", p.Rows, p.Cols)
	}
	silent = make([]bool, n)
	for i := range silent {
		silent[i] = true
	}
	above = make([]float64, n*(n-1)/2)
	k := 0
	even := true // symmetric and without NaN, as nearly all are
	for i := range n {
		row := p.Row(i)
		// The part below the diagonal against what was read before: the memory is
		// gone through once, in its order.
		for j, at := 0, i; j < i; j, at = j+1, at+n {
			if row[j] != p.Data[at] {
				even = false
			}
		}
		rest := silent[i+1:]
		for j, v := range row[i+1:] {
			if v != 0 {
				silent[i], rest[j] = false, false
			}
			// Half of them are positive, in no order that a processor could guess:
			// no branch. The sign of v−1 ulp and that of v tell v > 0.
			bits := math.Float64bits(v)
			above[k] = v
			k += 1 - int(((bits-1)|bits)>>63)
		}
	}
	above = above[:k]
	if !even {
		if silent, err = uneven(p); err != nil {
			return nil, 0, nil, err
		}
		above = slices.DeleteFunc(above, math.IsNaN)
	}
	active := lists.Count(silent, func(s bool) bool { return !s })
	return silent, active * (active - 1) / 2, above, nil
}

// uneven finds the nodes without a signal of a matrix with NaN, or says what is wrong
// with it.
func uneven(p Matrix) ([]bool, error) {
	silent := make([]bool, p.Rows)
	for i := range silent {
		silent[i] = true
		for j, v := range p.Row(i) {
			if i != j && v != 0 && !math.IsNaN(v) {
				silent[i] = false
			}
		}
	}
	for i := range silent {
		for j := range i {
			a, b := p.At(i, j), p.At(j, i)
			if silent[i] || silent[j] {
				continue
			}
			if !finite(a) || !finite(b) {
				return nil, fmt.Errorf("the partial correlation of nodes %d and %d is not a number", j+1, i+1)
			}
			if a != b {
				return nil, fmt.Errorf("the matrix is not symmetric: nodes %d and %d have %g in one direction and %g in the other", j+1, i+1, b, a)
			}
		}
	}
	return silent, nil
}

// largest chooses the k pairs of the largest weight, by nodes; of equal ones, those
// with the lower nodes. weights are those of the candidates, all positive.
func largest(p Matrix, weights []float64, k int) []Edge {
	if k == 0 {
		return nil
	}
	least, greater := kthLargest(weights, k)
	ties := k - greater
	edges := make([]Edge, 0, k)
	for i := range p.Rows {
		for j, v := range p.Row(i)[i+1:] {
			if !(v >= least) {
				continue
			}
			if v == least {
				if ties == 0 {
					continue
				}
				ties--
			}
			edges = append(edges, Edge{i, i + 1 + j, v})
		}
	}
	return edges
}

// kthLargest is the k-th largest of positive numbers (1 ≤ k ≤ len(v)), and how many
// are greater. A histogram from 0 to the largest finds the bin that it lies in, and the
// numbers of that bin are sorted; the larger the bin, the slower, and the answer is the same.
func kthLargest(v []float64, k int) (kth float64, greater int) {
	const bins = 1024
	scale := bins / slices.Max(v)
	if !(scale > 0) { // the largest is infinite
		scale = bins
	}
	bin := func(x float64) int { return int(min(x*scale, bins-1)) }
	var count [bins]int32
	for _, x := range v {
		count[bin(x)]++
	}
	b := bins - 1
	for k > int(count[b]) {
		k -= int(count[b])
		greater += int(count[b])
		b--
	}
	in := make([]float64, 0, count[b])
	for _, x := range v {
		if bin(x) == b {
			in = append(in, x)
		}
	}
	slices.Sort(in)
	kth = in[len(in)-k]
	for i := len(in) - 1; in[i] > kth; i-- {
		greater++
	}
	return kth, greater
}

// aboveMagnitude chooses the pairs with |p| at least the given percentile of |p|
// over all N² entries, the diagonal among them. A node without a signal counts with
// zeros and its diagonal, as it does in the authors' matrices.
func aboveMagnitude(p Matrix, silent []bool, percentile float64) []Edge {
	all := make([]float64, len(p.Data))
	for i, v := range p.Data {
		if all[i] = math.Abs(v); math.IsNaN(v) {
			all[i] = 0
		}
	}
	slices.Sort(all)
	// numpy's percentile: linear between the two nearest ranks.
	rank := float64(percentile / 100 * float64(len(all)-1))
	low := int(math.Floor(rank))
	threshold := all[low]
	if low+1 < len(all) {
		threshold += float64((all[low+1] - all[low]) * (rank - float64(low)))
	}
	var edges []Edge
	for i := range p.Rows {
		for j := i + 1; j < p.Cols; j++ {
			if w := math.Abs(p.At(i, j)); w >= threshold && w > 0 && !silent[i] && !silent[j] {
				edges = append(edges, Edge{i, j, w})
			}
		}
	}
	return edges
}
