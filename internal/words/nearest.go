package words

import (
	"strings"

	"prgnn/internal/lists"
)

// Nearest is the candidate that name was most likely meant to be, for a "did
// you mean", or "" when none is near. Near means that at most a third of the
// longer word has to be changed, where one change is a letter put in, left out
// or replaced, or two neighbors swapped (the optimal string alignment form of
// the Damerau-Levenshtein distance). Capitals do not count; of candidates
// equally near the first one is meant. Where none is near, it is the first
// one that begins with name, of at least three letters.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", 0
	from := []rune(strings.ToLower(name))
	for _, c := range candidates {
		to := []rune(strings.ToLower(c))
		d := editDistance(from, to)
		if d > max(len(from), len(to))/3 {
			continue
		}
		if best == "" || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	for i := 0; best == "" && len(from) >= 3 && i < len(candidates); i++ {
		if strings.HasPrefix(strings.ToLower(candidates[i]), string(from)) {
			best = candidates[i]
		}
	}
	return best
}

// editDistance needs three rows of the usual table: a swap looks back two.
func editDistance(a, b []rune) int {
	before, last, now := make([]int, len(b)+1), lists.UpTo(len(b)+1), make([]int, len(b)+1)
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			now[j] = min(replace, last[j]+1, now[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
