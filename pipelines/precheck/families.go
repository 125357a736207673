package precheck

import (
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/folds"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

// A dividing Stage assigns participants to folds. LeavesOut is the column whose values it leaves out, or "";
// KeepsTogether are columns of whose values none is in two folds.
type dividing interface {
	LeavesOut() string
	KeepsTogether() []string
}

// Families notes the columns of families whose members a division may put on both sides, and those whose members it
// keeps together, but everything else counts as independent.
func Families(r *cohort.Roster, g *dag.Graph) []string {
	if r == nil || r.Participants == nil || r.Axis != "" {
		return nil
	}
	var divided, kept []string // stages that divide without regard to families; columns that others keep together
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			d, ok := n.Work.(dividing)
			if !ok || !folds.OfCohort(n) {
				continue
			}
			kept = append(kept, d.KeepsTogether()...)
			if d.KeepsTogether() == nil && !column.NamesFamily(d.LeavesOut()) && !slices.Contains(divided, s.Name) {
				divided = append(divided, s.Name)
			}
		}
	}
	if divided != nil {
		return column.DoubtFamilies(r.Participants, words.Some(divided, 4))
	}
	slices.Sort(kept)
	var notes []string
	for _, name := range slices.Compact(kept) {
		if shared, _ := column.SharedValues(r.Participants, name); shared > 0 {
			notes = append(notes, fmt.Sprintf("column %s: relatives are in one fold, but confidence intervals and p-values %s, so "+
				"intervals are too narrow and p-values too small; only models retrained on label shuffles "+
				"(the kind permutation) exchange the labels of whole families", name, column.NotIndependent))
		}
	}
	return notes
}
