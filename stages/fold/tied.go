package fold

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/inference/confound"
)

// How closely a covariate is tied to the label is the area under the ROC curve for groups, in either direction, and the
// magnitude of Spearman's rank correlation for a number. From StandsFor on the covariate stands for the label, from
// CloselyTied on that is a doubt.
const (
	StandsFor   = 0.95
	CloselyTied = 0.8
	// fewestTied is how many participants must be on either side: fewer numbers may be in order by chance.
	fewestTied = 5
)

// A Label is what is predicted of each participant: a group, or a number.
type Label struct {
	Name   string // in a sentence
	Group  map[string]string
	number map[string]float64 // nil for groups
}

// LabelOfColumn is a label from the values of a column; missing values are left out.
func LabelOfColumn(name string, c column.CovariateColumn, ids []string) Label {
	l := Label{Name: name, Group: map[string]string{}}
	if c.Text == nil {
		l.number = map[string]float64{}
	}
	for i, id := range ids {
		if c.Text != nil {
			l.Group[id] = c.Text[i]
		} else {
			l.number[id] = c.Number[i]
		}
	}
	return l
}

// Tied is the label to which a covariate is tied most closely, and how.
func Tied(c column.CovariateColumn, labels []Label, ids []string) (of Label, how string, much float64) {
	for _, l := range labels {
		if by, m := l.tied(c, ids); m > much {
			of, how, much = l, by, m
		}
	}
	return of, how, much
}

// Labels are the label of the cohort, and that of the folds where it is another one.
func Labels(people, folds *encoding.Table) ([]Label, error) {
	own := Label{Name: "the group"}
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	if column.LabelOf(people) == column.Target {
		numbers, err := people.Floats(column.Target)
		if err != nil {
			return nil, err
		}
		own = Label{Name: people.Meta[column.Target], number: map[string]float64{}}
		for i, id := range ids {
			own.number[id] = numbers[i]
		}
	} else if _, own.Group, err = column.ByParticipant(people, "group"); err != nil {
		return nil, err
	}
	labels := []Label{own}
	if folds == nil {
		return labels, nil
	}
	members, err := column.Rows[LabeledMember](folds)
	if err != nil {
		return nil, err
	}
	of, same := Label{Name: "the label to predict", Group: map[string]string{}}, true
	for _, m := range members {
		if m.Repeat != members[0].Repeat {
			continue
		}
		if math.IsNaN(m.Target) {
			of.Group[m.ID], same = m.Group, same && own.Group[m.ID] == m.Group
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

// tied measures what a covariate tells of the label: as a number by its order, as a category (also one that numbers
// name) by the others of its category.
func (l Label) tied(c column.CovariateColumn, ids []string) (how string, much float64) {
	var value, target []float64 // of those of whom all is known
	var category, group []string
	kinds := map[string]bool{}
	for i, id := range ids {
		g, x := l.Group[id], l.number[id]
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
		if len(target) < fewestTied {
			return "", 0
		}
		if value != nil {
			much = math.Abs(inference.Spearman(value, target))
		}
		if few {
			down := lists.Map(target, func(x float64) float64 { return -x })
			much = larger(much, inference.Spearman(ofTheOthers(category, inference.Ranks(down)), target))
		}
		return "rank correlation", larger(0, much)
	}
	for _, of := range slices.Compact(slices.Sorted(slices.Values(group))) {
		in, share := make([]bool, len(group)), make([]float64, len(group))
		n := 0
		for i, g := range group {
			if g == of {
				in[i], share[i] = true, 1
				n++
			}
		}
		if value != nil && min(n, len(group)-n) >= fewestTied {
			a := confound.AUC(value, in)
			much = larger(much, max(a, 1-a))
		}
		if few {
			much = larger(much, confound.AUC(ofTheOthers(category, share), in))
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
