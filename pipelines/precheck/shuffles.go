package precheck

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/folds"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Notes are what a person is told of a graph before it runs: families that a division parts, and permutations of
// labels that can show little.
func Notes(r *cohort.Roster, g *dag.Graph) []column.Note {
	notes := Families(r, g)
	add := func(texts ...string) {
		for _, text := range texts {
			if n := (column.Note{Text: text}); !slices.Contains(notes, n) { // several pages show one test
				notes = append(notes, n)
			}
		}
	}
	for _, s := range g.Stages {
		if r != nil && r.Participants != nil && r.Axis == "" {
			add(sparse(r.Participants, s)...)
			add(acrossSites(r.Participants, s)...)
		}
		add(uncorrected(s)...)
	}
	return notes
}

// sparse notes a stage whose permutations are more than there are different ones.
func sparse(people *encoding.Table, s *dag.StageNode) []string {
	asked := map[string]bool{}
	for _, n := range s.Tasks {
		if v := folds.Coord(n.Coords, "permutation"); v != "" && v != "0" {
			asked[v] = true
		}
	}
	if len(asked) < 2 {
		return nil
	}
	work, ok := s.Tasks[len(s.Tasks)-1].Work.(role.Divider)
	if !ok || !folds.OfCohort(s.Tasks[0]) {
		return nil
	}
	ways := work.Arrangements(people, float64(len(asked)))
	if ways > float64(len(asked)) || ways < 2 { // one is refused
		return nil
	}
	within := ""
	if by := role.Within(s.Tasks[len(s.Tasks)-1].Work); column.Categories(people, by) > 0 {
		within = " within the values of " + by
	}
	return []string{fmt.Sprintf("%s: %d permutations of the labels%s are asked for, and there are only %.0f different ones: p cannot be much below %.2g",
		s.Name, len(asked), within, ways, 1/ways)}
}

// acrossSites notes a stage that would permute labels within sites if it knew them.
func acrossSites(people *encoding.Table, s *dag.StageNode) []string {
	if len(s.Tasks) == 0 {
		return nil
	}
	n := s.Tasks[0]
	by := role.Within(n.Work)
	if by == "" || bound(n, "participants") || !bound(n, "predictions") {
		return nil
	}
	sites := column.Categories(people, by)
	for _, m := range behind(n, "predictions") {
		for _, d := range behind(m, "folds") {
			if l, ok := d.Work.(role.Divider); ok && l.Divides() == by { // the site itself is predicted
				return nil
			}
		}
	}
	if sites < 2 {
		return nil
	}
	return []string{fmt.Sprintf("%s permutes labels over all participants, whatever their %s (%d values): participants of different sites are not exchangeable; add participants: cohort.participants to its inputs",
		s.Name, by, sites)}
}

// uncorrected notes retrained permutation tests on a page that have too few label permutations for Holm's correction.
func uncorrected(s *dag.StageNode) (notes []string) {
	for _, n := range s.Tasks {
		classifiers := map[string]bool{}
		for _, e := range behind(n, "evaluation") {
			for _, b := range e.Inputs {
				for _, src := range b.Sources {
					if b.Port == "predictions" && src.Node != nil && !largestGroup(src.Node) {
						classifiers[src.Node.Stage.Name+settingOf(src.Node.Coords)] = true
					}
				}
			}
		}
		for _, p := range behind(n, "permutation") {
			shuffles := map[string]bool{}
			for _, m := range behind(p, "predictions") {
				if v := folds.Coord(m.Coords, "permutation"); v != "" && v != "0" {
					shuffles[v] = true
				}
			}
			needed := 20 * max(1, len(classifiers)) // classifiers/(needed + 1) < 0.05
			if k := len(shuffles); k > 0 && k < needed {
				correction := ""
				if len(classifiers) > 1 {
					correction = fmt.Sprintf(" after Holm's correction for %d classifiers", len(classifiers))
				}
				notes = append(notes, fmt.Sprintf("%s: with %s, no p is sure to fall below 0.05%s, however accurate a classifier is: use at least %d (permutation: [0..%d])",
					p.Stage.Name, words.Count(k, "label permutation"), correction, needed, needed))
			}
		}
	}
	return notes
}

// largestGroup reports whether a task predicts the largest group, always: nobody asks whether that is above chance.
func largestGroup(n *dag.Node) bool {
	work, ok := n.Work.(role.Trainer)
	return ok && work.PredictsLargest()
}

// settingOf are the coordinates that tell settings apart.
func settingOf(coords []dag.Coord) string {
	var text []string
	for _, c := range coords {
		if c.Axis != "fold" && c.Axis != "repeat" {
			text = append(text, c.Axis+"="+c.Value)
		}
	}
	return "[" + strings.Join(text, ",") + "]"
}

// behind are the tasks whose results a task takes at a port.
func behind(n *dag.Node, port string) (of []*dag.Node) {
	for _, b := range n.Inputs {
		for _, src := range b.Sources {
			if b.Port == port && src.Node != nil {
				of = append(of, src.Node)
			}
		}
	}
	return of
}

// bound reports whether a port is connected.
func bound(n *dag.Node, port string) bool {
	return slices.ContainsFunc(n.Inputs, func(b dag.Binding) bool { return b.Port == port && len(b.Sources) > 0 })
}
