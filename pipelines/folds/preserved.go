package folds

import (
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/role"
)

// Preserved are the covariates that would carry the label into the matrices of test participants, and those that may.
func (p *Plans) Preserved(tasks []dag.Node) (refused, doubts []string) {
	for i := range tasks {
		work, ok := tasks[i].Work.(role.Fitter)
		if !ok || p.Participants == nil || !OfCohort(&tasks[i]) {
			continue
		}
		errs, some := work.LeaksLabel(p.Participants, p.planned(&tasks[i]))
		for _, err := range errs {
			refused = append(refused, err.Error())
		}
		doubts = append(doubts, some...)
	}
	return slices.Compact(slices.Sorted(slices.Values(refused))), slices.Compact(slices.Sorted(slices.Values(doubts)))
}

// planned are the folds that a task takes; nil where they are not known.
func (p *Plans) planned(n *dag.Node) *encoding.Table {
	if by := divisionOf(n); by != nil {
		return p.of(by).folds
	}
	return nil
}
