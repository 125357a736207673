package fold

import (
	"math"
	"slices"
	"strings"

	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// foldScores are the measures of one fold at one level.
type foldScores struct {
	N                                                 int
	Accuracy, Balanced, Auc, Sensitivity, Specificity float64
}

// Levels are what is counted: each graph (draw), or each participant once.
var Levels = [2]string{"graph", "participant"}

// Order is what orders cases by a group: its probability, or, where that is 1 by rounding, the inverse of what the
// other groups have, which goes on where the probability ends. Decision values up to 708 keep their order so.
func (c Case) Order(group int) float64 {
	p, others := c.Probability[group], 0.0
	if p != 1 {
		return p
	}
	for k, other := range c.Probability {
		if k != group {
			others += other
		}
	}
	return 1 / max(0, others)
}

// Calibrated reports whether the probabilities of a model are estimates, not 1/(1+exp(−f)) of a decision value f. Of
// several models, as choose names them, all are.
func Calibrated(model string) bool {
	return !slices.ContainsFunc([]string{"svm", "linear-svm", "ridge", "kernel-ridge"}, func(m string) bool {
		return m == model || slices.Contains(strings.Split(model, " or "), column.Classifiers[m])
	})
}

// Calibrated reports whether the probabilities of a setting are estimates.
func (f Tested) Calibrated() bool { return Calibrated(column.ClassifierOf(f.Coords, f.Model)) }

// Score measures one fold. The AUC of more than two groups is that of the positive one against the rest, or without
// one the mean over the groups.
func Score(cases []Case, positive int) foldScores {
	classes := len(cases[0].Probability)
	table := gnn.NewConfusion(classes)
	for _, c := range cases {
		table.Add(c.Label, c.Predicted)
	}
	out := foldScores{N: len(cases), Accuracy: table.Accuracy(), Balanced: table.Balanced(), Sensitivity: math.NaN(),
		Specificity: math.NaN()}
	if positive >= 0 {
		out.Sensitivity, out.Specificity = table.Recall(positive), table.Specificity(positive)
	}
	if classes == 2 || positive >= 0 {
		out.Auc = groupAUC(cases, max(positive, 0))
		return out
	}
	var each []float64
	for c := range classes {
		each = append(each, groupAUC(cases, c))
	}
	out.Auc, _ = column.MeanSD(column.Known(each))
	return out
}

// groupAUC is the area under the ROC curve of one group against the rest.
func groupAUC(cases []Case, group int) float64 {
	p, is := make([]float64, len(cases)), make([]bool, len(cases))
	for i, c := range cases {
		p[i], is[i] = c.Order(group), c.Label == group
	}
	return gnn.AUC(p, is)
}

// Numbers are the predicted numbers of the folds of a setting, their participants numbered, and the fold in which each
// participant is first tested.
func Numbers(folds []Tested) (out []inference.NumberFold, stratum []int) {
	person := map[string]int{}
	for at, f := range folds {
		n := inference.NumberFold{Mean: f.Mean}
		for _, c := range f.Participants {
			if _, known := person[c.Id]; !known {
				person[c.Id] = len(stratum)
				stratum = append(stratum, at)
			}
			n.Person, n.Target = append(n.Person, person[c.Id]), append(n.Target, c.Target)
			n.Predicted = append(n.Predicted, c.Probability[0])
		}
		out = append(out, n)
	}
	return out, stratum
}

// Distinct are the labels of the different participants of a setting.
func Distinct(folds []Tested) map[string]int {
	label := map[string]int{}
	for _, f := range folds {
		for _, p := range f.Participants {
			label[p.Id] = p.Label
		}
	}
	return label
}

// Incomplete counts the folds whose test participants lack one of so many groups, of more than two.
func Incomplete(folds []Tested, groups int) (n int32) {
	for _, f := range folds {
		if groups > 2 && len(lists.By(f.Participants, func(p Case) int { return p.Label })) < groups {
			n++
		}
	}
	return n
}

// Accuracy is the share of correct predictions, pooled over the folds of all repeats.
func Accuracy(folds []Tested, level string) float64 {
	correct, all := 0, 0
	for _, f := range folds {
		for _, c := range f.Cases(level) {
			all++
			if c.Label == c.Predicted {
				correct++
			}
		}
	}
	return float64(correct) / float64(all)
}

// Majority is the majority-class rate: the share of the largest group among the tested participants.
func Majority(folds []Tested, classes int) float64 {
	n := make([]int, classes)
	tested := Distinct(folds)
	for _, l := range tested {
		n[l]++
	}
	return float64(slices.Max(n)) / float64(len(tested))
}
