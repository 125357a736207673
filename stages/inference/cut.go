package inference

import (
	"cmp"
	"math"
	"slices"

	"prgnn/numeric/random"
)

// A Cut divides participants into those with lower and with higher values of a number, each a fifth of them or more,
// where something else separates these best.
type Cut struct {
	AUC  float64 // over pairs of one stratum, whichever way round is larger; NaN where nothing can be divided
	From float64 // the lowest of the higher values
	P    float64 // the largest AUC of all cuts against that of v permuted within strata (Lausen and Schumacher 1992)
}

// CutBest divides participants by a number where v separates lower from higher values best. Participants without v are
// left out.
func CutBest(v, number []float64, stratum []int, permutations int, s *random.Stream) Cut {
	var at []int
	for i, x := range v {
		if !math.IsNaN(x) {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(number[j], number[i]) })
	n := len(at)
	rank, of, st := make([]float64, n), make([]float64, n), make([]int, n) // from the largest number
	for k, i := range at {
		of[k], st[k] = number[i], stratum[i]
	}
	strata := ByStratum(st)
	own, size, higher := make([]int, n), make([]float64, len(strata)), make([]float64, len(strata))
	for g, who := range strata {
		size[g] = float64(len(who))
		values := make([]float64, len(who))
		for k, i := range who {
			own[i], values[k] = g, -v[at[i]] // Ranks begins with the largest
		}
		for k, r := range Ranks(values) {
			rank[who[k]] = r
		}
	}
	best := func() (most float64, from int) {
		clear(higher)
		most = math.NaN()
		sum, pairs := 0.0, 0.0 // pairs of a higher and a lower value, and those in which v is higher, too
		for k, g := range own {
			sum += rank[k] - higher[g] - 1
			pairs += size[g] - float64(2*higher[g]) - 1
			higher[g]++
			if sides := 5 * min(k+1, n-k-1); sides < n || of[k] == of[k+1] || pairs == 0 {
				continue
			}
			if auc := sum / pairs; !(max(auc, 1-auc) <= most) {
				most, from = max(auc, 1-auc), k
			}
		}
		return most, from
	}
	seen, from := best()
	c := Cut{AUC: seen, From: math.NaN(), P: math.NaN()}
	if math.IsNaN(seen) {
		return c
	}
	c.From = of[from]
	as := 0
	for range permutations {
		for _, who := range strata {
			s.Shuffle(len(who), func(i, j int) { rank[who[i]], rank[who[j]] = rank[who[j]], rank[who[i]] })
		}
		if most, _ := best(); AsLarge(most, seen) {
			as++
		}
	}
	c.P = PermutationP(as, permutations)
	return c
}
