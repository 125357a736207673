package inference

import (
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/exact"
)

// A NullTest is one value against the same value of permuted data.
type NullTest struct {
	Value, Mean, SD float64 // SD of the permutations, n−1 in the denominator
	Excess          float64 // (Value − Mean)/SD; NaN where all permutations are equal
	P, PAny         float64
}

// AgainstNull compares the values of several regions with those that permutations
// gave: one row a permutation. P is one-sided, of a larger value. PAny compares the excess with
// the largest excess of any region; the data as they are stand among the permutations there, so that
// all of them are treated alike (Westfall and Young 1993).
func AgainstNull(value []float64, chance [][]float64) []NullTest {
	n := len(value)
	out := make([]NullTest, n)
	all := append([][]float64{value}, chance...)
	mean, sd := make([]float64, n), make([]float64, n) // over all, the data as they are among them
	for j := range out {
		as := lists.Count(chance, func(v []float64) bool { return AsLarge(v[j], value[j]) })
		out[j].Value, out[j].P = value[j], PermutationP(as, len(chance))
		out[j].Mean, out[j].SD = column(chance, j)
		if out[j].Excess = (value[j] - out[j].Mean) / out[j].SD; out[j].SD == 0 {
			out[j].Excess = math.NaN()
		}
		if math.IsNaN(value[j]) {
			out[j].P = math.NaN()
		}
		mean[j], sd[j] = column(all, j)
	}
	excess := func(v []float64, j int) float64 {
		if sd[j] > 0 {
			return (v[j] - mean[j]) / sd[j]
		}
		return 0
	}
	largest := make([]float64, len(chance))
	for i, v := range chance {
		largest[i] = math.Inf(-1)
		for j := range v {
			if e := excess(v, j); e > largest[i] { // not of NaN
				largest[i] = e
			}
		}
	}
	for j := range out {
		as := lists.Count(largest, func(l float64) bool { return AsLarge(l, excess(value, j)) })
		out[j].PAny = PermutationP(as, len(chance))
		if math.IsNaN(value[j]) {
			out[j].PAny = math.NaN()
		}
	}
	return out
}

// column is mean and standard deviation of one column.
func column(rows [][]float64, j int) (mean, sd float64) {
	return exact.MeanSD(lists.Map(rows, func(r []float64) float64 { return r[j] }))
}
