package prepare

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// What a covariate tells of the label is measured by the area under the ROC curve for groups, and by Spearman's rank
// correlation for a number. From tellsAll on the covariate stands for the label, from tellsMuch on that is a doubt.
const (
	tellsAll  = 0.95
	tellsMuch = 0.8
	// fewestTold is how many participants must be on either side: fewer numbers may be in order by chance.
	fewestTold = 5
)

// A combatLabel is what is predicted of each participant: a group, or a number.
type combatLabel struct {
	name   string // in a sentence
	group  map[string]string
	number map[string]float64 // nil for groups
}

// LeaksLabel refuses sites that are the label to predict or determine it, and covariates to preserve that are the
// label, stand for it or are the names of participants; it doubts those that predict the label well. folds may be nil.
func (s *Combat) LeaksLabel(people, folds *encoding.Table) (refused []error, doubts []string) {
	labels, err := combatLabels(people, folds)
	if err != nil {
		return nil, nil // the task says so
	}
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, nil
	}
	if s.Site == targetColumn || s.Site == "group" {
		refused = append(refused, fmt.Errorf("site: %s is the label to predict, which would leak into the matrices of test participants: set site to the column of the scanners", s.Site))
	} else if sites, err := people.Strings(s.Site); err == nil && len(labels) == 1 &&
		determines(sites, ids, labels[0].group) {
		refused = append(refused, fmt.Errorf("site: every value of %s has participants of one group alone, so ComBat would remove the difference between the groups, and the label would leak into the matrices of test participants: set site to a column whose values have both groups, or leave combat out", s.Site))
	}
	for _, name := range s.Preserve {
		if name == targetColumn || name == "group" {
			refused = append(refused, leaksLabel(name))
			continue
		}
		if _, ok := people.Column(name); !ok {
			continue
		}
		c, err := column.ReadCovariate(people, name)
		if err != nil {
			continue
		}
		if c.Identifies() {
			refused = append(refused, fmt.Errorf("preserve: %s names participants or families rather than a property of theirs, and has no effect that could be estimated: remove it from preserve", name))
			continue
		}
		switch l, how, much := closest(c, labels, ids); {
		case much >= tellsAll:
			refused = append(refused, fmt.Errorf("preserve: %s stands for %s (%s %.3f, refused from %g), so it would leak into the matrices of test participants: preserve other covariates",
				name, l.name, how, much, tellsAll))
		case much >= tellsMuch:
			doubts = append(doubts, fmt.Sprintf("preserve: %s is closely tied to %s (%s %.2f; refused from %g): test participants are harmonized by it; compare with a run that does not preserve it",
				name, l.name, how, much, tellsAll))
		}
	}
	return refused, doubts
}

// closest is the label to which a covariate is tied most closely, and how.
func closest(c column.CovariateColumn, labels []combatLabel, ids []string) (of combatLabel, how string, much float64) {
	for _, l := range labels {
		if by, m := l.told(c, ids); m > much {
			of, how, much = l, by, m
		}
	}
	return of, how, much
}

// determines reports whether every site has participants of one group alone, of several groups in all.
func determines(sites, ids []string, group map[string]string) bool {
	of, groups := map[string]string{}, map[string]bool{}
	for i, site := range sites {
		g := group[ids[i]]
		if site == "" || g == "" {
			continue
		}
		if known, ok := of[site]; ok && known != g {
			return false
		}
		of[site], groups[g] = g, true
	}
	return len(groups) > 1 && len(of) < len(ids)
}

// combatLabels are the label of the cohort, and that of the folds where it is another one.
func combatLabels(people, folds *encoding.Table) ([]combatLabel, error) {
	own := combatLabel{name: "the group"}
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	if column.LabelOf(people) == column.Target {
		numbers, err := people.Floats(column.Target)
		if err != nil {
			return nil, err
		}
		own = combatLabel{name: people.Meta[column.Target], number: map[string]float64{}}
		for i, id := range ids {
			own.number[id] = numbers[i]
		}
	} else if _, own.group, err = column.ByParticipant(people, "group"); err != nil {
		return nil, err
	}
	labels := []combatLabel{own}
	if folds == nil {
		return labels, nil
	}
	members, err := column.Rows[fold.LabeledMember](folds)
	if err != nil {
		return nil, err
	}
	of, same := combatLabel{name: "the label to predict", group: map[string]string{}}, true
	for _, m := range members {
		if m.Repeat != members[0].Repeat {
			continue
		}
		if math.IsNaN(m.Target) {
			of.group[m.ID], same = m.Group, same && own.group[m.ID] == m.Group
			continue
		}
		if of.number == nil {
			of.number = map[string]float64{}
		}
		of.number[m.ID], same = m.Target, same && own.number[m.ID] == m.Target
	}
	if !same {
		labels = append(labels, of)
	}
	return labels, nil
}

// told measures what a covariate tells of the label: as a number by its order, as a category (also one that numbers
// name) by the others of its category.
func (l combatLabel) told(c column.CovariateColumn, ids []string) (how string, much float64) {
	var value, target []float64 // of those of whom all is known
	var category, group []string
	kinds := map[string]bool{}
	for i, id := range ids {
		g, x := l.group[id], l.number[id]
		_, numbered := l.number[id]
		text := ""
		if c.Text != nil {
			text = c.Text[i]
		} else if !math.IsNaN(c.Number[i]) {
			text = fmt.Sprint(c.Number[i])
			if g != "" || numbered && !math.IsNaN(x) {
				value = append(value, c.Number[i])
			}
		}
		if text == "" || g == "" && (!numbered || math.IsNaN(x)) {
			continue
		}
		category, group, target = append(category, text), append(group, g), append(target, x)
		kinds[text] = true
	}
	few := len(kinds) > 1 && 2*len(kinds) <= len(category)
	if l.number != nil {
		if len(target) < fewestTold {
			return "", 0
		}
		if value != nil {
			much = math.Abs(inference.Spearman(value, target))
		}
		if few {
			much = larger(much, inference.Spearman(ofTheOthers(category, inference.Ranks(negative(target))),
				target))
		}
		return "rank correlation", larger(0, much)
	}
	for _, of := range slices.Compact(slices.Sorted(slices.Values(group))) {
		in := make([]float64, len(group))
		n := 0
		for i, g := range group {
			if g == of {
				in[i] = 1
				n++
			}
		}
		if value != nil && min(n, len(group)-n) >= fewestTold {
			a := areaOf(value, in)
			much = larger(much, max(a, 1-a))
		}
		if few {
			much = larger(much, areaOf(ofTheOthers(category, in), in))
		}
	}
	return "AUC", much
}

// larger is the larger one of two measures, of which the second may not be known.
func larger(a, b float64) float64 {
	if b > a {
		return b
	}
	if math.IsNaN(a) {
		return 0
	}
	return a
}

func negative(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = -x
	}
	return out
}

// ofTheOthers is the mean of the others of everybody's category; of everybody for one who is alone in it. Without
// itself no category tells anything by being small.
func ofTheOthers(category []string, v []float64) []float64 {
	sum, n, all := map[string]float64{}, map[string]float64{}, 0.0
	for i, c := range category {
		sum[c] += v[i]
		n[c]++
		all += v[i]
	}
	out := make([]float64, len(v))
	for i, c := range category {
		if out[i] = all / float64(len(v)); n[c] > 1 {
			out[i] = (sum[c] - v[i]) / (n[c] - 1)
		}
	}
	return out
}

// areaOf is the area under the ROC curve of a score for those who are marked by 1 (Mann and Whitney 1947).
func areaOf(score, marked []float64) float64 {
	ranks := inference.Ranks(negative(score)) // the smallest first
	sum, n := 0.0, 0.0
	for i, m := range marked {
		if m == 1 {
			sum += ranks[i]
			n++
		}
	}
	return (sum - float64(n*(n+1))/2) / float64(n*(float64(len(score))-n))
}
