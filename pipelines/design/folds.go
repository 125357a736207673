package design

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// folds refuses folds that a division does not make, accuracies of some of its folds only, and choices by other folds
// than inner ones.
func (s *Study) folds(stage *dag.StageNode) {
	refuse := func(text string) {
		if text != "" {
			s.mistake(stage, text, text)
		}
	}
	largest, wrong := 0, ""
	for _, n := range stage.Tasks() {
		if over, text := s.beyond(n); over > largest {
			largest, wrong = over, text
		}
		refuse(apart(n))
		for _, text := range s.untested(n) {
			refuse(text)
		}
	}
	refuse(wrong)
}

// divisionOf is the task behind the folds of another one; nil where there is none.
func divisionOf(n *dag.Node) *dag.Node {
	for src := range n.Upstream() {
		if _, ok := src.Node.Instance().(role.Divider); ok {
			return src.Node
		}
	}
	return nil
}

// divisions is what a division will have; 0 folds where that is unknown before it runs.
func (s *Study) divisions(n *dag.Node) (repeats, folds int) {
	people := s.people()
	if !OfCohort(n) {
		people = nil
	}
	return Divisions(n.Instance(), people)
}

// Divisions is how many repeats and folds a Stage divides these participants into; 0 folds where that is unknown, or
// it divides none.
func Divisions(work dag.Stage, people *encoding.Table) (repeats, folds int) {
	d, ok := work.(role.Divider)
	if !ok {
		return 0, 0
	}
	repeats, folds = d.Divisions()
	by := d.LeavesOut()
	if by == "" || people == nil {
		return repeats, folds
	}
	_, values, err := column.ByParticipant(people, by)
	if err != nil {
		return repeats, folds
	}
	distinct := map[string]bool{}
	for _, v := range values {
		if !cell.Missing(v) { // the task fails for the participant without a value, and its plan states that
			distinct[v] = true
		}
	}
	return repeats, len(distinct)
}

// NoFolds is why the column that a Stage leaves out makes no folds of these participants; "" where it makes some.
func NoFolds(work dag.Stage, people *encoding.Table) string {
	d, ok := work.(role.Divider)
	if !ok || d.LeavesOut() == "" || people == nil {
		return ""
	}
	if _, there := people.Column(d.LeavesOut()); !there {
		return "leave_out: " + missing(lacksColumn, d.LeavesOut(), columns(people))
	}
	if _, folds := Divisions(work, people); folds == 0 {
		return fmt.Sprintf("leave_out: column %s has no values, and each value would be one fold", d.LeavesOut())
	}
	return ""
}

// beyond is the fold or repeat of a task that its division does not make, and the mistake; else 0.
func (s *Study) beyond(n *dag.Node) (int, string) {
	t, ok := n.Instance().(role.Tester)
	by := divisionOf(n)
	if !ok || by == nil {
		return 0, ""
	}
	d, values, param := by.Instance().(role.Divider), "all", "folds"
	if d.OuterFold() > 0 {
		param = "inner"
	}
	repeat, fold := t.TestFold()
	repeats, folds := s.divisions(by)
	axis, want, have := "fold", fold, folds
	if fold <= folds {
		axis, want, have, param = "repeat", repeat, repeats, "repeats"
		values = fmt.Sprintf("[1..%d]", have)
	}
	if folds == 0 || want <= have {
		return 0, ""
	}
	for _, other := range n.Stage().Tasks() {
		of := divisionOf(other)
		if of == nil || of == by {
			continue
		}
		if repeats, folds := s.divisions(of); axis == "fold" && folds >= want || axis == "repeat" && repeats >= want {
			coords := lists.Map(by.Coords(), func(c dag.Coord) string { return c.Axis + ": " + c.Value })
			return want, fmt.Sprintf("%[1]s: %[2]s uses %[1]s %[3]d, but %[4]s makes only %[5]s, while %[6]s makes more; write exclude: [{ %[1]s: %[3]d, %[7]s }] in the matrix of %[8]s",
				axis, n.ID(), want, by.ID(), words.Count(have, axis), of.ID(), strings.Join(coords, ", "),
				n.Stage().Name())
		}
	}
	or := fmt.Sprintf(", or with: { %s: %d } in %s", param, want, by.Stage().Name())
	if d.LeavesOut() != "" { // the participants decide
		or = ""
	}
	return want, fmt.Sprintf("%[1]s: %[2]s uses %[1]s %[3]d, but %[4]s makes %[5]s: write matrix: { %[1]s: %[6]s } in %[8]s%[7]s",
		axis, n.ID(), want, by.ID(), words.Count(have, axis), values, or, n.Stage().Name())
}

// untested are the mistakes of the settings of which a task evaluates some folds of their division in place of all.
func (s *Study) untested(n *dag.Node) (wrong []string) {
	type settingOf struct {
		stage, coords string
		repeat        int
	}
	tests, by := map[settingOf][]int{}, map[settingOf]*dag.Node{}
	var order []settingOf
	for _, from := range behind(n, role.Port(n.Instance(), role.AllFolds)) {
		t, ok := from.Instance().(role.Tester)
		d := divisionOf(from)
		if !ok || d == nil {
			continue
		}
		repeat, fold := t.TestFold()
		k := settingOf{from.Stage().Name(), column.CoordText(setting(from.Coords())), repeat}
		if by[k] == nil {
			order = append(order, k)
		}
		tests[k], by[k] = append(tests[k], fold), d
	}
	s.fewerRepeats(lists.Map(order, func(k settingOf) repeatOf {
		return repeatOf{k.stage, by[k].Stage(), k.repeat}
	}))
	said := map[string]bool{}
	for _, k := range order {
		repeats, folds := s.divisions(by[k])
		s.unusedRepeats(by[k].Stage(), repeats)
		have := slices.Compact(slices.Sorted(slices.Values(tests[k])))
		if len(have) >= folds || said[k.stage] {
			continue
		}
		said[k.stage] = true
		names := lists.Map(have, func(f int) string { return fmt.Sprint(f) })
		wrong = append(wrong, fmt.Sprintf("%s tests fold %s, but %s makes %s, so not every participant is tested: write matrix: { fold: all } in %s, or partial: true in %s to evaluate only these participants",
			k.stage, words.Some(names, 8), by[k].ID(), words.Count(folds, "fold"), k.stage, n.Stage().Name()))
	}
	return wrong
}

// A repeatOf is a repeat of a division that a stage tests.
type repeatOf struct {
	stage    string
	division *dag.StageNode
	repeat   int
}

// fewerRepeats notes the stages that test fewer repeats of a division than others that are evaluated with them.
func (s *Study) fewerRepeats(tests []repeatOf) {
	count := map[[2]string]int{} // by division and stage
	most, seen := map[string]int{}, map[repeatOf]bool{}
	for _, t := range tests {
		if at := [2]string{t.division.Name(), t.stage}; !seen[t] {
			seen[t] = true
			count[at]++
			most[at[0]] = max(most[at[0]], count[at])
		}
	}
	for _, t := range tests {
		of := t.division.Name()
		if n := count[[2]string{of, t.stage}]; n < most[of] {
			s.note(column.Doubtful("", "noted.repeats-untested",
				column.Values{ofStages: []string{t.stage}, "N": n, "All": most[of], "Division": of}))
		}
	}
}

// unusedRepeats refuses repeats of an evaluated division that no task of the file tests.
func (s *Study) unusedRepeats(division *dag.StageNode, repeats int) {
	if repeats < 2 {
		return
	}
	used := map[int]bool{}
	for n, t := range role.With[role.Tester](s.stages...) {
		if by := divisionOf(n); by != nil && by.Stage() == division {
			repeat, _ := t.TestFold()
			used[repeat] = true
		}
	}
	if len(used) >= repeats {
		return
	}
	text := fmt.Sprintf("the tests use %[1]d of %[2]d repeats: add repeat: [1..%[2]d] to the matrix of the stages that have the "+
		"axis fold, or set repeats: %[1]d", len(used), repeats)
	s.mistake(division, text, text)
}

// apart is why a task may not choose by the folds at its input for choices: they divide the participants outside other
// outer folds than those that are tested. "" where they do not, or where it is unknown.
func apart(n *dag.Node) string {
	port, outer := role.Port(n.Instance(), role.InnerFolds), divisionsOf(n, role.Port(n.Instance(), role.OuterFolds))
	for _, in := range divisionsOf(n, port) {
		if in.Instance().(role.Divider).OuterFold() == 0 {
			return fmt.Sprintf("%s: the trainings test folds of %s, but a choice needs inner folds: add the axis outer to that split, with inner for their number (matrix: { outer: [1..5] })",
				port, in.ID())
		}
		for _, out := range outer {
			what, a, b := unlike(in, out)
			if what == "" && !slices.EqualFunc(Sources(in, "participants"), Sources(out, "participants"), sameSource) {
				what, a, b = "participants", "other participants", "its own"
			}
			if what != "" {
				return fmt.Sprintf("%s: %s divides the participants outside other outer folds than those of %s (%s, and %s there), so participants who are tested would take part in the choice: give both the same %s",
					port, in.ID(), out.ID(), a, b, what)
			}
		}
	}
	return ""
}

// divisionsOf are the divisions whose folds the tasks behind a port test, each once.
func divisionsOf(n *dag.Node, port string) (all []*dag.Node) {
	for _, from := range behind(n, port) {
		if d := divisionOf(from); d != nil && !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return all
}

// unlike is the first parameter of two divisions that differs, and its values in both; those of the inner folds, and
// the number of label permutations, do not count.
func unlike(in, out *dag.Node) (parameter, a, b string) {
	own, other := param.Values(in.Instance()), param.Values(out.Instance())
	for i, p := range own {
		if !slices.Contains([]string{"outer", "inner", "permutations"}, p.Name) && i < len(other) && p != other[i] {
			return p.Name, p.String(), other[i].String()
		}
	}
	return "", "", ""
}

// notGroups refuses a column that does not hold groups: more than two values, most of them of one participant alone.
func (s *Study) notGroups(n *dag.Node, d role.Divider) error {
	if s.people() == nil || !OfCohort(n) || d.Divides() == column.Target { // a number: the task states what is wrong
		return nil
	}
	_, values, err := column.ByParticipant(s.people(), d.Divides())
	if err != nil {
		return nil // the task states it
	}
	count, alone := map[string]int{}, 0
	for _, v := range values {
		count[v]++
	}
	for _, n := range count {
		if n == 1 {
			alone++
		}
	}
	if len(count) < 3 || 2*alone <= len(count) {
		return nil
	}
	named := lists.Map(slices.Sorted(maps.Keys(count)), func(v string) string {
		return fmt.Sprintf("%s (%d)", v, count[v])
	})
	return fmt.Errorf("the column %s holds %d values in %s, most of them of one participant alone: %s; such groups cannot "+
		"be trained on and tested: give misspelled groups their name by levels, or name a column of groups "+
		"(group of the cohort, or label of the stage)", d.Divides(), len(count), words.Count(len(values), "participant"),
		words.Some(named, 10))
}
