package inference

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
)

// A Spread is what the bootstrap says of one region of a ranking.
type Spread struct {
	Low, High         float64 // 95% interval of the mean score
	RankLow, RankHigh int     // 95% interval of the rank; RankLow is the better one
	Top               float64 // share of the resamples in which it is among the first k
}

// BootstrapRanking resamples participants with replacement (Efron 1979), within
// each stratum, so that the groups keep their sizes, and ranks the regions by
// their mean score each time. scores is participants × regions; NaN is no score.
// The intervals are percentiles.
func BootstrapRanking(scores [][]float64, stratum []int, k, resamples int, s *random.Stream) []Spread {
	n := len(scores[0])
	strata := ByStratum(stratum)
	sum, count := make([]float64, n), make([]float64, n)
	return spreads(n, k, resamples, func() []float64 {
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
		return sum
	})
}

// BootstrapContrasts does the same with the contrasts of the groups: participants are
// resampled within the groups of each model. A contrast has no sign, so that chance adds to it, and in a resample
// adds once more: the interval of the value is the basic one, 2·value − percentile, which takes that off again.
func BootstrapContrasts(models []HeldOut, group []int, groups, k, resamples int, s *random.Stream) []Spread {
	strata := make([][][]int, len(models))
	resampled := make([]HeldOut, len(models))
	for m, model := range models {
		of := lists.At(group, model.Person)
		strata[m] = ByStratum(of)
		resampled[m] = HeldOut{make([]int, len(of)), make([][]float64, len(of))}
	}
	out := spreads(len(models[0].Scores[0]), k, resamples, func() []float64 {
		for m, model := range models {
			at := 0
			for _, stratum := range strata[m] {
				for range stratum {
					i := stratum[s.IntN(len(stratum))]
					resampled[m].Person[at], resampled[m].Scores[at] = model.Person[i], model.Scores[i]
					at++
				}
			}
		}
		return Contrasts(resampled, group, groups)
	})
	for j, v := range Contrasts(models, group, groups) {
		out[j].Low, out[j].High = max(0, 2*v-out[j].High), 2*v-out[j].Low
	}
	return out
}

// spreads gathers what resamples of the participants give for each of n regions.
func spreads(n, k, resamples int, resample func() []float64) []Spread {
	values, ranks := make([][]float64, n), make([][]float64, n)
	top := make([]float64, n)
	for range resamples {
		v := resample()
		at := order(v)
		for lo, hi := range ties(v, at) {
			for _, j := range at[lo:hi] {
				if !math.IsNaN(v[j]) {
					values[j], ranks[j] = append(values[j], v[j]), append(ranks[j], float64(lo+1+hi)/2)
					top[j] += topShare(lo, hi, k)
				}
			}
		}
	}
	out := make([]Spread, n)
	for j := range out {
		if values[j] == nil { // it never has a score
			out[j] = Spread{Low: math.NaN(), High: math.NaN(), RankLow: n, RankHigh: n}
			continue
		}
		low, high := percentiles(values[j])
		first, last := percentiles(ranks[j])
		out[j] = Spread{Low: low, High: high, RankLow: int(math.Floor(first)), RankHigh: int(math.Ceil(last)),
			Top: top[j] / float64(resamples)}
	}
	return out
}

// ByStratum lists the places of each stratum.
func ByStratum(stratum []int) [][]int {
	var out [][]int
	for i, s := range stratum {
		for len(out) <= s {
			out = append(out, nil)
		}
		out[s] = append(out[s], i)
	}
	return out
}

// percentiles are the 2.5th and the 97.5th.
func percentiles(v []float64) (low, high float64) {
	v = slices.Sorted(slices.Values(v))
	return Quantile(v, 0.025), Quantile(v, 0.975)
}

// Quantile interpolates between the two sorted values on either side (type 7 of
// Hyndman and Fan 1996, numpy's default).
func Quantile(sorted []float64, q float64) float64 {
	at := float64(q * float64(len(sorted)-1)) // not fused with the subtraction below
	i := min(int(at), len(sorted)-1)
	if i == len(sorted)-1 {
		return sorted[i]
	}
	f := at - float64(i)
	return sorted[i] + float64(f*(sorted[i+1]-sorted[i]))
}
