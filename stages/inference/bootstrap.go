package inference

import (
	"math"
	"slices"

	"prgnn/internal/random"
)

// A Spread is what the bootstrap says of one region of a ranking.
type Spread struct {
	Low, High         float64 // 95 % interval of the mean score
	RankLow, RankHigh int     // 95 % interval of the rank; RankLow is the better one
	Top               float64 // share of the resamples in which it is among the first k
}

// BootstrapRanking resamples participants with replacement (Efron 1979), within
// each stratum, so that the groups keep their sizes, and ranks the regions by
// their mean score each time. scores is participants × regions; NaN is no score.
// The intervals are percentiles.
func BootstrapRanking(scores [][]float64, stratum []int, k, resamples int, s *random.Stream) []Spread {
	n := len(scores[0])
	means, ranks := make([][]float64, n), make([][]float64, n)
	top := make([]int, n)
	strata := byStratum(stratum)
	sum, count := make([]float64, n), make([]float64, n)
	for range resamples {
		clear(sum)
		clear(count)
		for _, at := range strata {
			for range at {
				for j, x := range scores[at[s.IntN(len(at))]] {
					if !math.IsNaN(x) {
						sum[j] += x
						count[j]++
					}
				}
			}
		}
		for j := range sum {
			sum[j] /= count[j]
		}
		for r, j := range order(sum) {
			if math.IsNaN(sum[j]) {
				continue
			}
			means[j], ranks[j] = append(means[j], sum[j]), append(ranks[j], float64(r+1))
			if r < k {
				top[j]++
			}
		}
	}
	out := make([]Spread, n)
	for j := range out {
		low, high := percentiles(means[j])
		first, last := percentiles(ranks[j])
		out[j] = Spread{Low: low, High: high, RankLow: int(math.Floor(first)), RankHigh: int(math.Ceil(last)), Top: float64(top[j]) / float64(resamples)}
		if means[j] == nil { // it never has a score
			out[j].RankLow, out[j].RankHigh = n, n
		}
	}
	return out
}

// byStratum lists the places of each stratum.
func byStratum(stratum []int) [][]int {
	var out [][]int
	for i, s := range stratum {
		for len(out) <= s {
			out = append(out, nil)
		}
		out[s] = append(out[s], i)
	}
	return out
}

// percentiles are the 2.5th and the 97.5th; NaN of nothing.
func percentiles(v []float64) (low, high float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return Quantile(v, 0.025), Quantile(v, 0.975)
}

// Quantile interpolates between the two sorted values on either side (type 7 of
// Hyndman and Fan 1996, numpy's default).
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	if i == len(sorted)-1 {
		return sorted[i]
	}
	f := at - float64(i)
	return sorted[i] + float64(f*(sorted[i+1]-sorted[i]))
}
