package precheck

import (
	"slices"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/folds"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Families notes the columns of families, and of persons with several ids, whose members a division may put on both
// sides, and those whose members it keeps together, but everything else counts as independent; and families in two
// spellings.
func Families(r *cohort.Roster, g *dag.Graph) []column.Note {
	if r == nil || r.Participants == nil || r.Axis != "" {
		return nil
	}
	var divided, kept []string // stages that divide without regard to families; columns that others keep together
	var categories []string    // columns that stages read so
	divides := false
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			for _, read := range role.Readings(n.Work) {
				if read.Categories && folds.OfCohort(n) {
					categories = append(categories, read.Name)
				}
			}
			d, ok := n.Work.(role.Divider)
			if !ok || !folds.OfCohort(n) {
				continue
			}
			divides, kept = true, append(kept, d.KeepsTogether()...)
			whole := column.NamesFamily(d.LeavesOut()) || column.NamesPerson(d.LeavesOut())
			if d.KeepsTogether() == nil && !whole && !slices.Contains(divided, s.Name) {
				divided = append(divided, s.Name)
			}
		}
	}
	if !divides {
		return nil
	}
	slices.Sort(kept)
	kept = slices.Compact(kept)
	notes := column.DoubtSpelling(r.Participants, kept, categories)
	if divided != nil {
		return append(notes, column.DoubtRelatives(r.Participants, words.Some(divided, 4))...)
	}
	for _, name := range kept {
		notes = append(notes, column.DoubtLargest(r.Participants, name)...)
		if !column.Shares(r.Participants, name) {
			continue
		}
		who, whole := "relatives", "families"
		if column.NamesPerson(name) {
			who, whole = "scans of one person", "persons"
		}
		notes = append(notes, column.Doubtf(column.DoubtIndependence, "column %s: %s are in one fold, but confidence intervals, and p-values other than those of "+
			"label permutations, count %[2]s as independent participants, so intervals are too narrow and these p-values too small; label "+
			"permutations exchange the labels of whole %[3]s", name, who, whole))
	}
	return notes
}
