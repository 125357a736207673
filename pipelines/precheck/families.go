package precheck

import (
	"slices"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/folds"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

// A dividing Stage assigns participants to folds; LeavesOut is the column whose values it leaves out, or "".
type dividing interface{ LeavesOut() string }

// Families notes the columns of families whose members a division may put on both sides.
func Families(r *cohort.Roster, g *dag.Graph) []string {
	if r == nil || r.Participants == nil || r.Axis != "" {
		return nil
	}
	var divided []string // stages that divide without regard to families
	for _, s := range g.Stages {
		if slices.ContainsFunc(s.Tasks, func(n *dag.Node) bool {
			d, ok := n.Work.(dividing)
			return ok && !column.NamesFamily(d.LeavesOut()) && folds.OfCohort(n)
		}) {
			divided = append(divided, s.Name)
		}
	}
	if divided == nil {
		return nil
	}
	return column.DoubtFamilies(r.Participants, words.Some(divided, 4))
}
