package inference

import (
	"math"

	"prgnn/numeric/random"
)

// Absences compares which participants lack a region between groups, for many regions at once: absent[r][i] of region r
// and participant i. Of each region it returns p, corrected over the regions by the distribution of the largest
// statistic over permutations of the groups within strata (Westfall & Young 1993, Resampling-Based Multiple Testing);
// 1 where no permutation within strata changes anything.
//
// The statistic is that of Mantel & Haenszel (1959, J Natl Cancer Inst 22:719) without continuity correction, the
// largest of each group against the rest: (ΣO − ΣE)²/ΣV, summed over strata of n participants, of whom m lack
// the region and k are in the group: E = mk/n, V = m(n−m)k(n−k)/(n²(n−1)).
func Absences(absent [][]bool, group []int, groups int, stratum []int, permutations int, s *random.Stream) []float64 {
	strata := ByStratum(stratum)
	type moments struct{ mean, variance []float64 }
	of, lack := make([]moments, len(absent)), make([][]int, len(absent))
	for r, is := range absent {
		of[r] = moments{make([]float64, groups), make([]float64, groups)}
		for i, a := range is {
			if a {
				lack[r] = append(lack[r], i)
			}
		}
		for _, at := range strata {
			n, m, k := float64(len(at)), 0.0, make([]float64, groups)
			for _, i := range at {
				k[group[i]]++
				if is[i] {
					m++
				}
			}
			for g := range k {
				if n > 1 {
					of[r].mean[g] += float64(m*k[g]) / n
					of[r].variance[g] += float64(m*(n-m)*k[g]*(n-k[g])) / float64(n*n*(n-1))
				} else if n == 1 {
					of[r].mean[g] += float64(m * k[g])
				}
			}
		}
	}
	count := make([]float64, groups)
	statistic := func(r int, label []int) (largest float64) {
		clear(count)
		for _, i := range lack[r] {
			count[label[i]]++
		}
		for g, n := range count {
			if v := of[r].variance[g]; v > 0 {
				d := n - of[r].mean[g]
				largest = max(largest, float64(d*d)/v)
			}
		}
		return largest
	}
	seen, as := make([]float64, len(absent)), make([]int, len(absent))
	for r := range absent {
		seen[r] = statistic(r, group)
	}
	label := append([]int(nil), group...)
	for range permutations {
		Permute(label, strata, s)
		largest := 0.0
		for r := range absent {
			largest = max(largest, statistic(r, label))
		}
		for r, x := range seen {
			if AsLarge(largest, x) {
				as[r]++
			}
		}
	}
	p := make([]float64, len(absent))
	for r := range p {
		p[r] = math.Min(1, PermutationP(as[r], permutations))
	}
	return p
}
