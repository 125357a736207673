package finding

import (
	"cmp"
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
)

// divisions are the stages that divided the participants of the models that a stage trains or evaluates; nil where they
// are not known.
func (s *Settings) divisions(of *StageSettings) (names []string) {
	seen := map[*StageSettings]bool{}
	var find func(of *StageSettings)
	find = func(of *StageSettings) {
		if of == nil || seen[of] || of.Kind == "leakage" {
			return
		}
		if seen[of] = true; of.Kind == "split" {
			names = append(names, of.Stage)
		}
		for port := range of.Inputs {
			for _, from := range s.Sources(of, port) {
				if !of.aside[port] {
					find(from)
				}
			}
		}
	}
	find(of)
	return names
}

// LeavesOut reports whether the folds of the models that a stage takes leave out each value of a column in turn: no
// participant with the value of a test participant is in the training set.
func (s *Settings) LeavesOut(of *StageSettings, column string) bool {
	if s == nil || of == nil {
		return false
	}
	divisions := s.divisions(of)
	return column != "" && divisions != nil && !slices.ContainsFunc(divisions, func(name string) bool {
		return s.Stage(name).Value("leave_out") != column
	})
}

// divisionsOf are those of a setting at a port of the page.
func (a *Results) divisionsOf(setting []dag.Coord, port string) []string {
	if a.Plan == nil {
		return nil
	}
	return a.Plan.divisions(a.StageBehind(setting, port))
}

func (a *Results) divisionsOfRow(r Row) []string {
	if r.Chosen {
		return a.divisionsOf(r.Coords, "nested")
	}
	return a.divisionsOf(r.Coords, cmp.Or(a.Port, "evaluation"))
}

func (a *Results) divisionsOfUniverses() []string {
	if a.Plan == nil {
		return nil
	}
	return a.Plan.divisions(a.Plan.Shown("multiverse", "universe_tests"))
}

// isRelated reports whether relatives, or scans of one person, may be in training and test data of some divisions.
func (a *Results) isRelated(divisions []string) bool {
	return slices.ContainsFunc(a.Related, func(n column.Note) bool { return n.Concerns(divisions) })
}

// IsRelated reports whether relatives, or scans of one person, may be in training and test data of a classifier.
func (a *Results) IsRelated(r Row) bool {
	return len(a.Related) > 0 && a.isRelated(a.divisionsOfRow(r))
}

// IsRelatedR is IsRelated of a model of a number.
func (a *Results) IsRelatedR(r column.RegressionRow) bool {
	return len(a.Related) > 0 && a.isRelated(a.divisionsOf(r.Coords, "regression"))
}

// Answers reports whether a note concerns the answer of the page: the division of the headline, or without one that of
// any result.
func (a *Results) Answers(n column.Note) bool {
	switch {
	case a.First != nil:
		return n.Concerns(a.divisionsOfRow(*a.First))
	case a.Nested != nil:
		return n.Concerns(a.divisionsOfRow(*a.Nested))
	case a.FirstNumber != nil:
		return n.Concerns(a.divisionsOf(a.FirstNumber.Coords, "regression"))
	}
	return a.Accuracy == nil && a.Regression == nil ||
		slices.ContainsFunc(a.Accuracy, func(r Row) bool { return n.Concerns(a.divisionsOfRow(r)) }) ||
		slices.ContainsFunc(a.Regression, func(r column.RegressionRow) bool {
			return n.Concerns(a.divisionsOf(r.Coords, "regression"))
		})
}
