package precheck

import (
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// A dividing Stage assigns participants to folds; LeavesOut is the column whose values it leaves out, or "".
type dividing interface{ LeavesOut() string }

// Families notes the columns of families whose members a division may put on both sides.
func Families(g *dag.Graph, participants *encoding.Table) []string {
	var divided []string // stages that divide without regard to families
	for _, s := range g.Stages {
		if slices.ContainsFunc(s.Tasks, func(n *dag.Node) bool {
			d, ok := n.Work.(dividing)
			return ok && !column.NamesFamily(d.LeavesOut()) && TakesParticipants(n)
		}) {
			divided = append(divided, s.Name)
		}
	}
	if divided == nil {
		return nil
	}
	return column.DoubtFamilies(participants, words.Some(divided, 4))
}

// TakesParticipants reports whether a task takes the cohort's own participants.
func TakesParticipants(n *dag.Node) bool {
	return slices.ContainsFunc(n.Inputs, func(b dag.Binding) bool {
		return b.Port == "participants" && len(b.Sources) == 1 && b.Sources[0].Node != nil &&
			b.Sources[0].Node.Stage.Name == "cohort"
	})
}
