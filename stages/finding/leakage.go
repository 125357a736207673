package finding

import (
	"slices"

	"prgnn/stages/column"
)

// Comparisons of a leakage check, in the order in which a page lists those that no stage made.
const (
	ComparedScans       = "scans"
	ComparedSignals     = "signals"
	ComparedFiltered    = "filtered signals" // mean signals were compared
	ComparedFeatures    = "features"
	ComparedPredictions = "predictions"
)

// Leakage is what the leakage checks of a pipeline did.
type Leakage struct {
	Connected   bool  // the pipeline has a leakage stage
	Evaluated   bool  // models were evaluated
	Checks      int   // all of them
	Comparisons int64 // by all of them
	Admitted    int   // violations that were let pass
	Missing     []string
	Unchecked   []column.Unchecked // programs that could read several participants, unseen by the checks
	Uncovered   []string           // stages whose trained models no check has
}

// Passed reports whether every comparison was made, none was violated, and no program and no training is unchecked.
func (l Leakage) Passed() bool { return l.Complete() && l.Admitted == 0 && l.Uncovered == nil }

// Complete reports whether every comparison was made, and no program is unchecked.
func (l Leakage) Complete() bool { return l.Connected && len(l.Missing) == 0 && len(l.Unchecked) == 0 }

// Programs are the unchecked ones, each once.
func (l Leakage) Programs() (by []string) {
	for _, u := range l.Unchecked {
		if !slices.Contains(by, u.By) {
			by = append(by, u.By)
		}
	}
	return by
}

// Findings are that checks are missing, and programs whose use of participants is unknown.
func (l Leakage) Findings() (all List) {
	for _, by := range l.Programs() {
		var to []string
		for _, u := range l.Unchecked {
			if u.By == by {
				to = append(to, u.Stage+" (input "+u.Input+")")
			}
		}
		all.Add(Finding{"leakage.unchecked-program", Overturns, Subject{Stage: by}, values{"Enters": to}})
	}
	switch {
	case !l.Connected && l.Evaluated:
		all.Study("leakage.no-check", Limits, nil)
	case l.Connected && len(l.Missing) > 0:
		all.Study("leakage.not-compared", Limits, values{"Missing": l.Missing})
	}
	if l.Connected && l.Uncovered != nil {
		all.Study("leakage.uncovered", Limits, values{"Stages": l.Uncovered})
	}
	return all
}
