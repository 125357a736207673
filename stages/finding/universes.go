package finding

import (
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// What limits a multiverse: label permutations below, and the share of significant universes below.
const (
	fewJoint = 199
	fewShare = 0.5
)

// A Universe names the test of a multiverse in the numbers of findings.
type Universe struct {
	Statistic                         string
	P, Share, Best                    float64
	Universes, Repeated, Permutations int32
	Significant                       int32  // universes with p < 0.05; Share is their weight
	By                                string // the decision whose options have the same total weight each
}

// Joint is what the joint test of a multiverse, the one that was stated in advance, shows.
func (a *Results) Joint(rows []column.JointRow) State {
	for _, r := range rows {
		switch {
		case !r.Test:
		case a.Plan != nil && a.Plan.groupFit(a.Plan.Shown("multiverse", "universe_tests"), nil) != nil:
			return Untested
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
func Multiverse(rows []column.JointRow) (all List) {
	var u Universe
	for _, r := range rows {
		u.Universes, u.Repeated, u.Permutations = r.Universes, r.Repeated, r.Permutations
		u.Significant, u.By = r.Significant, r.By
		if r.Test {
			u.Statistic, u.P = r.Statistic, r.P
		}
		switch r.Statistic {
		case "share":
			u.Share = r.Value
		case "best":
			u.Best = r.P
		}
	}
	switch {
	case !inference.Significant(u.P) && u.Share > 0:
		all.Study("multiverse.not-significant", Limits, u)
	case inference.Significant(u.P) && u.Share < fewShare:
		all.Study("multiverse.few-universes", Limits, u)
	}
	if u.Permutations < fewJoint {
		all.Study("multiverse.few-permutations", Limits, u)
	}
	if u.Repeated > 0 {
		all.Study("multiverse.repeated", Notes, u)
	}
	return all
}
