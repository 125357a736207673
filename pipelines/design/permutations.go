package design

import (
	"fmt"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// permutations notes label permutations of a stage that can show little.
func (s *Study) permutations(stage *dag.StageNode) {
	if s.people() != nil && len(stage.Tasks()) > 0 {
		s.sparse(stage)
		s.acrossSites(stage.Tasks()[0])
	}
	s.uncorrected(stage)
}

// permuted are the label permutations of tasks, without the true labels.
func permuted(tasks []*dag.Node) map[string]bool {
	all := map[string]bool{}
	for _, n := range tasks {
		if v := Coord(n.Coords(), "permutation"); v != "" && v != "0" {
			all[v] = true
		}
	}
	return all
}

// sparse notes a stage whose permutations are more than there are different ones.
func (s *Study) sparse(stage *dag.StageNode) {
	last := stage.Tasks()[len(stage.Tasks())-1]
	work, ok := last.Instance().(role.Divider)
	if !ok || !OfCohort(last) {
		return
	}
	asked := float64(len(permuted(stage.Tasks())))
	if asked < 2 {
		return
	}
	ways := work.Arrangements(s.people(), asked)
	if ways > asked || ways < 2 { // one is refused
		return
	}
	within := ""
	if by := role.Within(last.Instance()); column.Categories(s.people(), by) > 0 {
		within = " within the values of " + by
	}
	s.note(column.Notef("%s: %.0f permutations of the labels%s are asked for, and there are only %.0f different ones: p cannot be much below %.2g",
		stage.Name(), asked, within, ways, 1/ways))
}

// acrossSites notes a stage that would permute labels within sites if it knew them.
func (s *Study) acrossSites(n *dag.Node) {
	by := role.Within(n.Instance())
	if by == "" || len(Sources(n, "participants")) > 0 || len(Sources(n, "predictions")) == 0 {
		return
	}
	for _, m := range behind(n, "predictions") {
		for _, d := range behind(m, "folds") {
			if l, ok := d.Instance().(role.Divider); ok && l.Divides() == by { // the site itself is predicted
				return
			}
		}
	}
	if sites := column.Categories(s.people(), by); sites >= 2 {
		s.note(column.Notef("%s permutes labels over all participants, whatever their %s (%d values): participants of different sites are not exchangeable; add participants: cohort.participants to its inputs",
			n.Stage().Name(), by, sites))
	}
}

// uncorrected notes retrained permutation tests on a page that have too few label permutations for Holm's correction.
func (s *Study) uncorrected(stage *dag.StageNode) {
	for _, n := range stage.Tasks() {
		classifiers := map[string]bool{}
		for _, e := range behind(n, "evaluation") {
			for _, m := range behind(e, "predictions") {
				// Whether the largest group, always predicted, is above chance is no test.
				if t, ok := m.Instance().(role.Trainer); !ok || !t.PredictsLargest() {
					classifiers[m.Stage().Name()+" "+column.CoordText(setting(m.Coords()))] = true
				}
			}
		}
		for _, p := range behind(n, "permutation") {
			needed := 20 * max(1, len(classifiers)) // classifiers/(needed + 1) < 0.05
			if k := len(permuted(behind(p, "predictions"))); k > 0 && k < needed {
				correction := ""
				if len(classifiers) > 1 {
					correction = fmt.Sprintf(" after Holm's correction for %d classifiers", len(classifiers))
				}
				s.note(column.Notef("%s: with %s, no p is sure to fall below 0.05%s, however accurate a classifier is: use at least %d (permutation: [0..%d])",
					p.Stage().Name(), words.Count(k, "label permutation"), correction, needed, needed))
			}
		}
	}
}
