package folds

import (
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

// A preserver is a Stage that keeps effects of covariates: it tells which of them are the label to predict or stand for
// it, and which tell much of it.
type preserver interface {
	Tells(people, folds *encoding.Table) (refused []error, doubts []string)
}

// Preserved are the covariates that would carry the label into the matrices of test participants, and those that may.
func (p *Plans) Preserved(tasks []dag.Node) (refused, doubts []string) {
	for i := range tasks {
		work, ok := tasks[i].Work.(preserver)
		if !ok || p.Participants == nil || !OfCohort(&tasks[i]) {
			continue
		}
		errs, some := work.Tells(p.Participants, p.planned(&tasks[i]))
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
