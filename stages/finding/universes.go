package finding

import (
	"math"

	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// What limits a multiverse: label permutations below, and the share of significant universes below.
const (
	fewJoint = 199
	fewShare = 0.5
	offNull  = 0.05 // median effect under permuted labels
)

// A Universe names the test of a multiverse in the numbers of findings.
type Universe struct {
	Statistic                         string
	P, Share, Best                    float64
	Universes, Repeated, Permutations int32
	Significant                       int32   // universes with p < 0.05; Share is their weight
	Null                              float64 // median effect under permuted labels
	Kept                              bool    // it is above 0: permuted labels keep what predicts the group
	Within                            string  // the column within whose values labels were permuted, beside folds
	By                                string  // the decision whose options have the same total weight each
}

const nullAboveChance = "test.null-above-chance"

// NullAboveChance is the finding that labels permuted within a column predict the group: auc is the median AUC of
// models that were retrained on them, same the share of labels that permutations keep on average, and differ whether
// they keep it because the groups differ between the column's values. A multiverse has the same of its effects.
func NullAboveChance(of Subject, auc float64, within string, same float64, differ bool) (all List) {
	if within != "" && auc-0.5 >= offNull { // false of NaN
		all.Add(Finding{nullAboveChance, Limits, of, values{"AUC": auc, "Within": within, "Same": same,
			"Differ": differ, "Classifier": of.Classifier}})
	}
	return all
}

// A NotJoint is why a multiverse has no joint test.
type NotJoint struct {
	Fit          *GroupFit // a fit that label permutations do not repeat; nil: too few permutations differ
	Least        float64   // the smallest p that they can give
	Permutations int32
	Within       string // the column within whose values labels were permuted, beside folds; "" for nothing else
}

// NotJoint is why there is no joint test; nil where there is one, or no multiverse.
func (a *Results) NotJoint(rows []column.JointRow) *NotJoint {
	if len(rows) == 0 {
		return nil
	}
	of := &NotJoint{Least: rows[0].Least, Permutations: rows[0].Permutations}
	if len(a.Accuracy) > 0 {
		of.Within = a.Accuracy[0].Within
	}
	if a.Plan != nil {
		of.Fit = a.Plan.groupFit(a.Plan.Shown("multiverse", "universe_tests"), nil)
	}
	if of.Fit != nil || inference.Powerless(of.Least) {
		return of
	}
	return nil
}

// Repeats is how many repeats of the cross-validation there are, of which a multiverse has the first; 0 for one.
func (a *Results) Repeats() int {
	for _, r := range a.PerParticipant() {
		if r.TestFolds > 0 && r.TestFolds < r.Folds {
			return int(r.Folds / r.TestFolds)
		}
	}
	return 0
}

// Joint is what the joint test of a multiverse, the one that the file sets, shows.
func (a *Results) Joint(rows []column.JointRow) State {
	if a.NotJoint(rows) != nil {
		return Untested
	}
	for _, r := range rows {
		switch {
		case !r.Test:
		case !inference.Significant(r.P):
			return NotAbove
		case a.isRelated(a.divisionsOfUniverses()):
			return Dependent
		case r.Statistic == "median" && r.Value <= 0: // p can be small, where permuted labels do worse than chance
			return NotAboveMajority
		default:
			return Above
		}
	}
	return Untested
}

// Multiverse are the findings about the joint test of many analyses.
func (a *Results) Multiverse(rows []column.JointRow) (all List) {
	var u Universe
	for _, r := range rows {
		u.Universes, u.Repeated, u.Permutations = r.Universes, r.Repeated, r.Permutations
		u.Significant, u.By = r.Significant, r.By
		if r.Test {
			u.Statistic, u.P = r.Statistic, r.P
		}
		switch r.Statistic {
		case "median":
			u.Null, u.Kept = r.NullMedian, r.NullMedian > 0
		case "share":
			u.Share = r.Value
		case "best":
			u.Best = r.P
		}
	}
	if len(a.Accuracy) > 0 {
		u.Within = a.Accuracy[0].Within
	}
	not := a.NotJoint(rows)
	switch {
	case not != nil && not.Fit == nil:
		all.Study("multiverse.untested", Limits, *not)
	case not != nil: // fit.one-group
	case !inference.Significant(u.P) && u.Share > 0:
		all.Study("multiverse.not-significant", Limits, u)
	case inference.Significant(u.P) && u.Share < fewShare:
		all.Study("multiverse.few-universes", Limits, u)
	}
	if not == nil && math.Abs(u.Null) >= offNull {
		all.Study("multiverse.null-not-zero", Limits, u)
	}
	if u.Permutations < fewJoint && not == nil {
		all.Study("multiverse.few-permutations", Limits, u)
	}
	if u.Repeated > 0 {
		all.Study("multiverse.repeated", Notes, u)
	}
	return all
}
