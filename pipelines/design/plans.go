package design

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/role"
)

// A plan is a division of the cohort's participants before it runs; none where it is not of these.
type plan struct {
	folds *encoding.Table
	err   error
}

// planOf is the plan of a division; nil has none.
func (s *Study) planOf(n *dag.Node) plan {
	if n == nil || s.people() == nil || !OfCohort(n) {
		return plan{}
	}
	made, ok := s.plans[n]
	if !ok {
		made.folds, made.err = n.Instance().(role.Divider).Plan(s.people())
		s.plans[n] = made
	}
	return made
}

// plansFail states why tasks of a stage will fail on the planned folds, or by what the table of participants states.
func (s *Study) plansFail(stage *dag.StageNode) {
	why := s.faults(stage)
	for _, n := range stage.Tasks() {
		if err := s.planFails(n); err != nil {
			why = append(why, err.Error())
			break
		}
	}
	for _, text := range why {
		m := Mistake{Stage: stage.Name(), Text: text}
		s.outcome.Doomed = append(s.outcome.Doomed, m)
		s.noteOf(stage, column.Doubtful("", "noted.will-fail", column.Values{"Why": m.Err().Error()}))
	}
}

// planFails is why a task will fail: there are too few participants for its folds, one is in none, most groups are of
// one participant, or a group has no training participants. A division that fails itself is left to its own stage.
func (s *Study) planFails(n *dag.Node) error {
	if d, ok := n.Instance().(role.Divider); ok {
		if err := s.notGroups(n, d); err != nil {
			return err
		}
		if who := s.foldless(n, d); who != nil {
			return errors.New(s.faultText(column.Fault{Column: d.LeavesOut(), IDs: who,
				Why: "no value, but each value of this column is a fold (leave_out)"}))
		}
		return s.withExclusions(s.planOf(n).err)
	}
	t, ok := n.Instance().(role.Trainer)
	if !ok {
		return nil
	}
	graphs, err := s.GraphsOf(n)
	if err != nil {
		return err
	}
	repeat, tested := t.TestFold()
	planned := s.planOf(divisionOf(n)).folds
	if repeat != 1 || planned == nil {
		return nil
	}
	of, err := fold.Params{Repeat: repeat, Fold: tested}.Divide(dag.InputOf(planned))
	if err != nil {
		return nil // the fold axis is compared with the division elsewhere
	}
	of.Name = divisionOf(n).Stage().Name()
	if err := of.Untaught(); err != nil && !t.PredictsLargest() {
		return err
	}
	return t.RefusesFolds(planned, graphs)
}

// foldless are the participants without a value in the column that a division leaves out.
func (s *Study) foldless(n *dag.Node, d role.Divider) []string {
	if s.people() == nil || !OfCohort(n) || d.LeavesOut() == "" {
		return nil
	}
	return column.Unplaced(s.people(), d.LeavesOut())
}

// GraphsOf is how many graphs of each participant a training uses, 1 of what is no training.
func (s *Study) GraphsOf(n *dag.Node) (int, error) {
	t, ok := n.Instance().(role.Trainer)
	if !ok {
		return 1, nil
	}
	return t.Graphs(s.drawsBefore(n))
}

// drawsBefore is how many draws the arrays have that a task takes, 0 where that is unknown, and what they are called.
func (s *Study) drawsBefore(n *dag.Node) (draws int, from string) {
	for _, b := range n.Inputs() {
		src := b.Sources[0]
		if src.Node == nil || !s.hasDraws(n, b.Port) {
			continue
		}
		d, ok := src.Node.Instance().(role.Drawer)
		if !ok {
			continue
		}
		draws, known := s.draws[src.Node]
		if !known {
			before, _ := s.drawsBefore(src.Node)
			draws = d.DrawsOf(before)
			s.draws[src.Node] = draws
		}
		return draws, src.Node.ID() + "." + src.Output
	}
	return 0, ""
}

// hasDraws reports whether the arrays of a port have an axis of draws.
func (s *Study) hasDraws(n *dag.Node, port string) bool {
	ports, known := s.drawn[n.Stage()]
	if !known {
		for _, in := range n.Instance().Ports().In {
			if len(in.Type.Axes) > 0 && in.Type.Axes[0] == "draw" {
				ports = append(ports, in.Name)
			}
		}
		s.drawn[n.Stage()] = ports
	}
	return slices.Contains(ports, port)
}

// oneGroup notes the folds of a division that test participants of one group only.
func (s *Study) oneGroup(stage *dag.StageNode) {
	for n, work := range role.With[role.Divider](stage) {
		planned := s.planOf(n).folds
		if planned == nil || work.Divides() == column.Target || work.OuterFold() > 0 ||
			role.Within(n.Instance()) != "" {
			continue
		}
		members, err := column.Rows[struct {
			ID    string `column:"participant_id"`
			Group string `column:"group,optional"`
			Fold  int32  `column:"fold"`
		}](planned)
		if err != nil {
			continue
		}
		var left map[string]string // what each participant's fold leaves out
		if by := work.LeavesOut(); by != "" {
			_, left, _ = column.ByParticipant(s.people(), by)
		}
		tested, name, all := map[int32]map[string]bool{}, map[int32]string{}, map[string]bool{}
		for _, m := range members {
			if tested[m.Fold] == nil {
				tested[m.Fold] = map[string]bool{}
			}
			tested[m.Fold][m.Group], all[m.Group], name[m.Fold] = true, true, left[m.ID]
		}
		few := slices.DeleteFunc(slices.Sorted(maps.Keys(tested)), func(f int32) bool { return len(tested[f]) > 1 })
		if len(few) == 0 || len(all) < 2 {
			continue
		}
		s.noteOf(stage, column.Doubtful("", "noted.folds-of-one-group", column.Values{
			"Folds": lists.Map(few, func(f int32) column.Values { return column.Values{"Fold": f, "Name": name[f]} })}))
	}
}

// preserved refuses sites and covariates that would carry the label into the matrices of test participants, and notes
// those that may.
func (s *Study) preserved(stage *dag.StageNode) {
	if s.people() == nil {
		return
	}
	var refused, spared []string
	var doubts []column.Note
	by := ""
	for n, work := range role.With[role.Fitter](stage) {
		if !OfCohort(n) {
			continue
		}
		errs, some := work.LeaksLabel(s.people(), s.planOf(divisionOf(n)).folds)
		for _, err := range errs {
			refused = append(refused, err.Error())
		}
		doubts = append(doubts, some...)
		name, values := work.Spared(s.people(), s.planOf(divisionOf(n)).folds)
		by, spared = name, append(spared, values...)
	}
	if spared = sorted(spared); spared != nil {
		s.noteOf(stage, column.Doubtful(column.DoubtUnharmonized, "noted.unharmonized",
			column.Values{"Column": by, "Values": spared}))
	}
	if text := removedTwice(stage); text != "" {
		refused = append(refused, text)
	}
	for _, text := range sorted(refused) {
		parameter, _, _ := strings.Cut(text, ":")
		s.mistake(stage, parameter, text)
	}
	for _, n := range doubts {
		s.noteOf(stage, n)
	}
}

// gathers refuses a stage that fails on what the trainings before it make.
func (s *Study) gathers(stage *dag.StageNode) {
	for n, work := range role.With[role.Gatherer](stage) {
		var all []role.Training
		for _, src := range Sources(n, role.Port(n.Instance(), role.InnerFolds, role.AllFolds)) {
			if src.Node == nil {
				return // of a file
			}
			if _, trains := src.Node.Instance().(role.Trainer); !trains {
				continue
			}
			t := role.Training{Parameters: map[string]string{}}
			for _, p := range param.Values(src.Node.Instance()) {
				t.Parameters[p.Name] = p.Text
			}
			t.Setting = src.Node.Stage().Name() + " " + column.CoordText(column.Without(src.Node.Coords(), "fold",
				"repeat", "outer"))
			all = append(all, t)
		}
		if err := work.RefusesTrainings(all); err != nil {
			name, _, _ := strings.Cut(err.Error(), ":")
			s.mistake(stage, name, err.Error())
			return
		}
	}
}

// removedTwice is why a stage may not remove a column's effect that a stage upstream has removed; "" where none has.
func removedTwice(stage *dag.StageNode) string {
	removes := map[string]string{} // column → parameter
	for n := range role.With[role.Fitter](stage) {
		for _, r := range role.Readings(n.Instance()) {
			if r.Removes {
				removes[r.Name] = r.Parameter
			}
		}
		break
	}
	if len(removes) == 0 {
		return ""
	}
	seen := map[*dag.StageNode]bool{stage: true}
	next := []*dag.StageNode{stage}
	for len(next) > 0 {
		from := next[0]
		next = next[1:]
		for _, n := range from.Tasks()[:min(1, len(from.Tasks()))] {
			for _, b := range n.Inputs() {
				if len(b.Sources) == 0 || b.Sources[0].Node == nil || seen[b.Sources[0].Node.Stage()] {
					continue
				}
				up := b.Sources[0].Node
				seen[up.Stage()], next = true, append(next, up.Stage())
				if _, fits := up.Instance().(role.Fitter); !fits {
					continue
				}
				for _, r := range role.Readings(up.Instance()) {
					if parameter := removes[r.Name]; r.Removes && parameter != "" {
						return fmt.Sprintf("%s: the effect of %s is removed by the stage %s already: remove it in one of the two", parameter, r.Name, up.Stage().Name())
					}
				}
			}
		}
	}
	return ""
}

// faults are why tasks of a stage will fail by what the table states of participants, over all folds: for a fit those
// that it is fitted to, and for what applies it the others.
func (s *Study) faults(stage *dag.StageNode) (why []string) {
	var fits []*dag.Node
	applied := false
	for _, n := range stage.Tasks() {
		if _, ok := n.Instance().(role.Fitter); ok {
			fits = append(fits, n)
		}
		if from := behind(n, role.Port(n.Instance(), role.FittedTable)); len(from) == 1 &&
			!slices.Contains(fits, from[0]) {
			fits, applied = append(fits, from[0]), true
		}
	}
	known := map[string]any{}
	once := func(name string, value func() any) any {
		if _, there := known[name]; !there {
			known[name] = value()
		}
		return known[name]
	}
	var faults []column.Fault
	for _, n := range fits {
		if work, ok := n.Instance().(role.Fitter); ok && s.people() != nil && OfCohort(n) {
			faults = merged(faults, work.Faults(s.people(), s.planOf(divisionOf(n)).folds, once))
		}
	}
	for _, f := range faults {
		if f.Tested == applied {
			why = append(why, s.faultText(f))
		}
	}
	slices.Sort(why)
	return why
}

// merged adds the faults of a fold to those of others.
func merged(all, more []column.Fault) []column.Fault {
	for _, f := range more {
		at := slices.IndexFunc(all, func(g column.Fault) bool {
			return g.Column == f.Column && g.Why == f.Why && (f.IDs == nil || slices.Equal(g.Values, f.Values))
		})
		if at < 0 {
			all = append(all, f)
			continue
		}
		g := &all[at]
		g.Tested = g.Tested && f.Tested
		g.Values, g.IDs = sorted(slices.Concat(g.Values, f.Values)), sorted(slices.Concat(g.IDs, f.IDs))
	}
	return all
}

// mostNamed is how many participants a fault names.
const mostNamed = 8

// faultText has a fault with the lines of the table where it stands.
func (s *Study) faultText(f column.Fault) string {
	if f.Column == "" {
		return f.Why
	}
	named := f.Column
	if f.Values != nil {
		named += " " + words.Some(f.Values, 8)
	}
	who := lists.Map(f.IDs, func(id string) string {
		if line := s.roster.Line(id); line != "" {
			return id + " (" + line + ")"
		}
		return id
	})
	text := named + ": " + f.Why
	if len(who) > 0 {
		text = fmt.Sprintf("%s of %s: %s", named, words.Some(who, mostNamed), f.Why)
	}
	if f.Values != nil || f.IDs == nil {
		return text + ": " + f.Remedy
	}
	var out []string // missing
	if s.roster.Incomplete != "" {
		out = append(out, "incomplete: skip")
	}
	if len(f.IDs) <= mostNamed {
		out = append(out, "exclude: ["+strings.Join(f.IDs, ", ")+"]")
	}
	if out != nil {
		return fmt.Sprintf("%s: fill it in, leave the participants out (%s)%s", text, strings.Join(out, ", or "), f.Remedy)
	}
	return text + ": fill it in, leave the participants out" + f.Remedy
}
