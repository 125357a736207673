package design

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

// permutations notes label permutations of a stage that can show little.
func (s *Study) permutations(stage *dag.StageNode) {
	if s.people() != nil && len(stage.Tasks()) > 0 {
		s.sparse(stage)
		s.acrossSites(stage.Tasks()[0])
	}
	s.uncorrected(stage)
	s.retrained(stage)
	s.permutedFits(stage)
}

// permutedFits refuses label permutations of models whose data were fitted to one group, because no permutation repeats
// the fit: their p is invalid.
func (s *Study) permutedFits(stage *dag.StageNode) {
	for n := range role.With[role.Trainer](stage) {
		port := ""
		for _, p := range []string{"permuted", "given"} {
			if port == "" && len(behind(n, p)) > 0 {
				port = p
			}
		}
		again := port != ""
		if !again && len(permuted([]*dag.Node{n})) == 0 {
			continue
		}
		of := s.groupFit(n, map[*dag.Node]bool{})
		if of == nil {
			continue
		}
		place, remedy := "", "train without the axis permutation"
		if again {
			place, remedy = port, fmt.Sprintf("leave out %s (%[1]s: null)", port)
		}
		s.mistake(stage, place, fmt.Sprintf("label permutations do not repeat the fit of %s to one group (%s), so p is not valid: %s, or remove %[2]s from %[1]s to fit to all training participants",
			of.Stage().Name(), role.FitsGroup([]dag.Stage{of.Instance()}), remedy))
		return
	}
}

// groupFit is a task that is fitted to one group and that a task depends on; nil where there is none.
func (s *Study) groupFit(n *dag.Node, seen map[*dag.Node]bool) *dag.Node {
	for _, b := range n.Inputs() {
		for _, src := range b.Sources {
			from := src.Node
			if from == nil || seen[from] || b.Port == role.Port(n.Instance(), role.Checks) {
				continue
			}
			seen[from] = true
			if role.FitsGroup([]dag.Stage{from.Instance()}) != "" {
				return from
			}
			if of := s.groupFit(from, seen); of != nil {
				return of
			}
		}
	}
	return nil
}

// retrains is on how many label permutations the model of a task is retrained; false where it is unknown.
func (s *Study) retrains(n *dag.Node) (of int, known bool) {
	work, ok := n.Instance().(role.Trainer)
	if !ok {
		return 0, false
	}
	participants := 0
	if people := s.people(); people != nil {
		participants = people.Rows()
	}
	for _, from := range behind(n, "permuted") {
		d, ok := from.Instance().(role.Divider)
		if !ok {
			return 0, false
		}
		of = work.Retrains(d.Permuted(participants))
	}
	return of, true
}

// retrained refuses a stage that cannot do without models retrained on permuted labels, if those of a setting are
// not, or on too few permutations, and notes what settings with fewer permutations do to the rest.
func (s *Study) retrained(stage *dag.StageNode) {
	for _, n := range stage.Tasks() {
		if !slices.ContainsFunc(n.Instance().Ports().In, func(p dag.Port) bool {
			return p.Gather && !p.Optional && slices.Contains(role.Ports(n.Instance(), role.PermutedLabels), p.Name)
		}) {
			continue
		}
		least, most := math.MaxInt, 0
		of := map[int][]string{} // settings, by their permutations
		for _, src := range Sources(n, role.Port(n.Instance(), role.AllFolds, role.SomeFolds)) {
			if src.Node == nil {
				continue
			}
			if k, known := s.retrains(src.Node); known {
				least, most = min(least, k), max(most, k)
				of[k] = append(of[k], cmp.Or(column.CoordText(setting(src.Coords)), src.Node.Stage().Name()))
			}
		}
		few := words.Some(sorted(of[least]), 3)
		switch {
		case of[0] != nil:
			s.mistake(stage, "predictions", fmt.Sprintf("predictions: the models of %s are not retrained on permuted labels, which the joint test needs: leave these settings out, or connect permuted of split to models that can be retrained (pipeline stages baseline)", few))
		case most > 0 && least < inference.LeastPermutations:
			s.mistake(stage, "predictions", fmt.Sprintf("predictions: %s for %s, but the joint test needs at least %d: set permutations of split",
				words.Count(least, "label permutation"), few, inference.LeastPermutations))
		case least < most:
			s.note(column.Notef("%s: all settings use the first %d of %d label permutations, since the models of %s are retrained on no more: permutations: %[2]d of split saves the rest",
				stage.Name(), least, most, few))
		}
	}
}

// permuted are the label permutations of tasks, without the true labels.
func permuted(tasks []*dag.Node) map[string]bool {
	all := map[string]bool{}
	for _, n := range tasks {
		if v := column.ValueOn(n.Coords(), "permutation"); v != "" && v != "0" {
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
	s.note(column.Notef("%s: %.0f permutations of the labels%s were requested, but only %.0f are distinct, so p cannot be much below %.2g",
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

// permutes is the reading of the column within which a task permutes labels that something uses; its name is "" where
// they are permuted over all participants.
func (s *Study) permutes(n *dag.Node) (of role.Reading, ok bool) {
	if work, reads := n.Instance().(role.Reader); reads {
		for _, read := range work.ReadsParticipants() {
			if read.Permutes && s.takes(n, read.Output) {
				return read, true
			}
		}
	}
	return of, false
}

// takes reports whether a stage takes an output of a task's stage; "" is any.
func (s *Study) takes(n *dag.Node, output string) bool {
	if s.taken == nil {
		s.taken = map[[2]string]bool{}
		for _, stage := range s.stages {
			for _, m := range stage.Tasks() {
				for _, b := range m.Inputs() {
					for _, src := range b.Sources {
						if src.Node != nil {
							s.taken[[2]string{src.Node.Stage().Name(), src.Output}] = true
						}
					}
				}
			}
		}
	}
	return output == "" || s.taken[[2]string{n.Stage().Name(), output}]
}

// blocks is the number of different values of a column of the participants; 0 without the column, or where nobody has
// a value.
func (s *Study) blocks(by string) int {
	values, err := s.people().Strings(by)
	if err != nil {
		return 0
	}
	return len(sorted(slices.DeleteFunc(slices.Clone(values), cell.Missing)))
}

// permutedWithin refuses a stage whose p is of labels that another stage permutes within another column than its own:
// its results state its own.
func (s *Study) permutedWithin() {
	for n := range role.With[role.Reader](s.stages...) {
		read, permutes := s.permutes(n)
		if !permutes || len(Sources(n, "participants")) == 0 {
			continue
		}
		seen := map[*dag.Node]bool{}
		for _, port := range role.Ports(n.Instance(), role.PermutedLabels) {
			for _, src := range Sources(n, port) {
				for _, p := range s.permuters(src, seen) {
					s.sameWithin(n.Stage(), read.Name, p)
				}
			}
		}
	}
}

// permuters are the divisions that permute the labels behind a source.
func (s *Study) permuters(src dag.Source, seen map[*dag.Node]bool) (all []*dag.Node) {
	if src.Node == nil {
		return nil
	}
	if _, ok := src.Node.Instance().(role.Divider); ok {
		if of, permutes := s.permutes(src.Node); permutes && (of.Output == "" || of.Output == src.Output) {
			return []*dag.Node{src.Node}
		}
		return nil
	}
	if seen[src.Node] {
		return nil
	}
	seen[src.Node] = true
	for _, b := range src.Node.Inputs() {
		for _, from := range b.Sources {
			all = append(all, s.permuters(from, seen)...)
		}
	}
	return all
}

// sameWithin refuses a stage that permutes within a column, and uses labels that a division permutes within another.
// A column of one value, one that does not exist, and the label itself are none.
func (s *Study) sameWithin(stage *dag.StageNode, own string, from *dag.Node) {
	of, _ := s.permutes(from)
	its, in, at := of.Name, stage, from.Stage()
	label := from.Instance().(role.Divider).Divides()
	for _, by := range []*string{&own, &its} {
		if *by == label || s.blocks(*by) < 2 {
			*by = ""
		}
	}
	if own == its || its == "" && s.spreads(from, own) {
		return
	}
	by := its
	if its == "" || own != "" && s.set(stage.Name(), "within") {
		by, in, at = own, from.Stage(), stage
	}
	if s.set(in.Name(), "within") || !s.set(at.Name(), "within") { // else the place is that of the stage that sets it
		at = in
	}
	text := func(by string) string { return cmp.Or(by, "no column") }
	s.mistake(at, "within", fmt.Sprintf("within: %s uses labels that %s permutes within %s, and itself within %s: set within: %s in %s too",
		stage.Name(), from.Stage().Name(), text(its), text(own), by, in.Name()))
}

// spreads reports whether the label permutations that a division outputs also stay within a column because its folds
// are balanced by it (stratify_by).
func (s *Study) spreads(n *dag.Node, by string) bool {
	of, permutes := s.permutes(n)
	return permutes && of.Output != "" && slices.ContainsFunc(role.Readings(n.Instance()), func(r role.Reading) bool {
		return r.Parameter == "stratify_by" && r.Name == by
	})
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
		needed := inference.LeastPermutations * max(1, len(classifiers)) // classifiers/(needed + 1) < 0.05
		for _, p := range behind(n, "permutation") {
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
