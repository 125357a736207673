package fold

import (
	"cmp"
	"math"
	"slices"

	"prgnn/stages/finding"
)

// mostTied is the share of pairs of test participants of different groups that may have the same saturated
// probability without a caution.
const mostTied = 0.05

// rounding is the share by which probabilities differ that differ by rounding alone.
const rounding = 1e-15

// Saturated are cautions of classifiers whose probabilities are so near 0 and 1, or so near each other, that rounding
// makes them equal: of such pairs of participants of different groups nobody knows the order, and the AUC counts one
// half. Of the probability 1/(1+exp(−f)) of a decision value f the order is lost where |f| is above 708 (of tables
// that have 1 − p for the other group, above 37), or where values differ by less than 1e-15. The majority classifier
// gives one probability to all, as it should.
func Saturated(settings [][]Tested, positive int) (all finding.List) {
	for _, folds := range settings {
		if folds[0].Model == "majority" {
			continue
		}
		pairs, atEnds, close := 0, 0, 0
		for _, f := range folds {
			p, ends, alike := tied(f.Participants, positive)
			pairs, atEnds, close = pairs+p, atEnds+ends, close+alike
		}
		for _, c := range []struct {
			code string
			tied int
		}{{"probability.at-ends", atEnds}, {"probability.rounded", close}} {
			if float64(c.tied) > mostTied*float64(pairs) {
				all.Add(finding.Finding{Code: c.code, Weight: finding.Notes,
					Subject: finding.Subject{Classifier: cmp.Or(folds[0].Name, "the model"), Setting: folds[0].Coords},
					Numbers: map[string]any{"Share": float64(c.tied) / float64(pairs)}})
			}
		}
	}
	return all
}

// tied counts the pairs of cases of different groups in a fold, and those in which both have a probability of 0 or of
// 1, of the group whose AUC is taken (of more than two groups, of one of theirs), or the same but for rounding.
func tied(cases []Case, positive int) (pairs, ends, alike int) {
	for i, a := range cases {
		for _, b := range cases[:i] {
			if a.Label == b.Label {
				continue
			}
			pairs++
			of := []int{max(positive, 0)}
			if len(a.Probability) > 2 {
				of = []int{a.Label, b.Label}
			}
			switch {
			case slices.ContainsFunc(of, func(k int) bool {
				p := a.Probability[k]
				return a.Order(k) == b.Order(k) && (p == 0 || p == 1)
			}):
				ends++
			case slices.EqualFunc(a.Probability, b.Probability, func(p, q float64) bool {
				return math.Abs(p-q) <= rounding*max(p, q)
			}):
				alike++
			}
		}
	}
	return pairs, ends, alike
}
