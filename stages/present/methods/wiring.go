package methods

import (
	"slices"
	"strings"

	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// learners are the kinds that train models.
var learners = []string{"train", "train-regression", "baseline", "regression", "meanmlp", "bnt", "braingnn"}

// takers are the stages that train models on what comes of a stage, and whether these are all that train models.
// Where no connection is known, they are all.
func (a *Author) takers(of *finding.StageSettings) (takers []*finding.StageSettings, all bool) {
	known, others := false, false
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		known = known || len(s.Inputs) > 0
		switch {
		case !slices.Contains(learners, s.Kind):
		case a.comesOf(s, of, map[string]bool{}):
			takers = append(takers, s)
		default:
			others = true
		}
	}
	return takers, !known || !others
}

// comesOf reports whether the results of a stage come of those of another. A leakage check gives leave, and no data.
func (a *Author) comesOf(s, of *finding.StageSettings, seen map[string]bool) bool {
	if s == of {
		return true
	}
	if seen[s.Stage] || s.Kind == "leakage" {
		return false
	}
	seen[s.Stage] = true
	for port := range s.Inputs {
		for _, from := range a.Run.Sources(s, port) {
			if a.comesOf(from, of, seen) {
				return true
			}
		}
	}
	return false
}

// only begins a sentence on a step that some models alone take: "For ridge regression (after combat), "; it is empty
// where all take it.
func (a *Author) only(of *finding.StageSettings) string {
	takers, all := a.takers(of)
	switch {
	case all:
		return ""
	case takers == nil:
		return "For no classifier (" + section.PlainName(of.Stage) + "), "
	}
	return "For " + a.models(takers...) + ", "
}

// sentence writes its first letter, an ASCII one, as a capital where nothing stands before it.
func sentence(before, text string) string {
	if before == "" {
		return section.UpperFirst(text)
	}
	return before + text
}

// takes reports whether some stage takes an output of another; true where no connection is known.
func (a *Author) takes(s *finding.StageSettings, output string) bool {
	known := false
	for i := range a.Run.Stages {
		for _, from := range a.Run.Stages[i].Inputs {
			known = true
			if slices.Contains(from, s.Stage+"."+output) {
				return true
			}
		}
	}
	return !known
}

// kinds are the stages of a kind, in the order of the file.
func (a *Author) kinds(kind string) (of []*finding.StageSettings) {
	for i := range a.Run.Stages {
		if s := &a.Run.Stages[i]; s.Kind == kind {
			of = append(of, s)
		}
	}
	return of
}

// matrices are what a step takes at its port matrices, in words.
func (a *Author) matrices(s *finding.StageSettings) string {
	for _, from := range s.Inputs["matrices"] {
		if strings.HasSuffix(from, ".partial") {
			return "partial correlations"
		}
	}
	return "correlations"
}
