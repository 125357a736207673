package design

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/role"
)

// references refuses a headline, or a reference, that is not exactly one setting, and a decision that does not exist:
// before anything runs, and so before anybody has seen which setting does best.
func (s *Study) references(stage *dag.StageNode) {
	for n, work := range role.With[role.Referrer](stage) {
		r := work.RefersTo()
		if stage.Kind().Name == "multiverse" && len(settings([]*dag.Node{n}, r.Gathered)) == 1 {
			s.mistake(stage, "", "there is one universe, but a multiverse has at least two, which differ in a decision")
			return
		}
		if err := cmp.Or(oneSetting(n, r), oneAxis(n, r)); err != nil {
			s.mistake(stage, err.Error(), err.Error())
			return
		}
	}
}

// headlines refuses a headline that is not that of an earlier stage which could have it, too: a file has one.
func (s *Study) headlines() {
	type head struct {
		stage  *dag.StageNode
		chosen []dag.Coord
		among  [][]dag.Coord
	}
	same := func(a, b []dag.Coord) bool { // a multiverse of one stage has no stage
		if column.ValueOn(a, "stage") == "" || column.ValueOn(b, "stage") == "" {
			a, b = column.Without(a, "stage"), column.Without(b, "stage")
		}
		return slices.Equal(a, b)
	}
	var heads []head
	for _, stage := range s.stages {
		for n, work := range role.With[role.Referrer](stage) {
			r := work.RefersTo()
			h := head{stage: stage, among: referred(n, r)}
			at := slices.IndexFunc(h.among, func(of []dag.Coord) bool {
				return column.Holds(of, column.ReadCoords(r.Coords))
			})
			if r.Parameter != "headline" || len(r.Coords) == 0 || at < 0 {
				continue
			}
			h.chosen = h.among[at]
			for _, before := range heads {
				if !same(h.chosen, before.chosen) && slices.ContainsFunc(before.among,
					func(of []dag.Coord) bool { return same(of, h.chosen) }) {
					s.refuse(stage, r.Parameter, fmt.Sprintf("it is %s here and %s in the stage %s, but a file has one headline: state the same in both",
						column.CoordText(h.chosen), column.CoordText(before.chosen), before.stage.Name()))
					break
				}
			}
			heads = append(heads, h)
			break
		}
	}
}

// referred are the settings that a reference can mean.
func referred(n *dag.Node, r role.Reference) [][]dag.Coord {
	from := []*dag.Node{n}
	if r.Inputs != nil {
		from = nil
		for _, port := range r.Inputs {
			from = append(from, behind(n, port)...)
		}
	}
	return settings(from, r.Gathered)
}

// inputs refuses inputs that do not belong together, before the trainings behind them run.
func (s *Study) inputs(stage *dag.StageNode) {
	for n, work := range role.With[role.InputUser](stage) {
		has := func(port string) bool { return len(Sources(n, port)) > 0 }
		wrong := tree.Parts(work.RefusesInputs(has))
		for _, err := range wrong {
			s.mistake(stage, err.Error(), err.Error())
		}
		if wrong != nil {
			return
		}
	}
	for _, n := range stage.Tasks() {
		if err := trainedAgain(n); err != nil {
			s.mistake(stage, err.Error(), err.Error())
			return
		}
	}
}

// trainedAgain refuses tables of models retrained that belong to no setting, or to several, of a task that tests
// its predictions with them, and those of a training whose predictions it does not have.
func trainedAgain(n *dag.Node) error {
	port := cmp.Or(role.Port(n.Instance(), role.AllFolds, role.SomeFolds), "predictions")
	tested := Sources(n, port)
	if len(tested) == 0 {
		return nil
	}
	settingOf := fold.SettingsOf(settings([]*dag.Node{n}, port))
	models := lists.SetOf(tested, func(src dag.Source) *dag.Node { return src.Node })
	for _, in := range n.Instance().Ports().In {
		if !in.Gather || !slices.Contains(role.Ports(n.Instance(), role.PermutedLabels), in.Name) {
			continue // not models, but the labels
		}
		for _, src := range Sources(n, in.Name) {
			if src.Node == nil {
				continue
			}
			name := in.Name + ": " + src.Node.ID() + "." + src.Output
			if _, err := settingOf(name, src.Coords); err != nil {
				return err
			}
			if !models[src.Node] {
				return fmt.Errorf("%s is connected without its predictions: connect predictions and %s of the same stage", name, in.Name)
			}
		}
	}
	return nil
}

// oneSetting checks that a reference is one of the settings.
func oneSetting(n *dag.Node, r role.Reference) error {
	if len(r.Coords) == 0 {
		return nil
	}
	input := r.Gathered
	if r.Inputs != nil {
		input = strings.Join(r.Inputs, " or ")
	}
	var fit, all []string
	first := ""
	for _, coords := range referred(n, r) {
		all = append(all, column.CoordText(coords))
		if column.Holds(coords, column.ReadCoords(r.Coords)) {
			fit = append(fit, column.CoordText(coords))
			first = cmp.Or(first, strings.Join(column.CoordTexts(coords), ", "))
		}
	}
	named, or := strings.Join(r.Coords, ", "), ""
	if r.Without != "" {
		or = fmt.Sprintf("; %s: [] %s", r.Parameter, r.Without)
	}
	switch {
	case len(fit) == 1:
		return nil
	case all == nil:
		return fmt.Errorf("%s: there is no setting %s: %s is not connected to several trainings%s", r.Parameter, named, input, or)
	case fit == nil:
		return fmt.Errorf("%s: no setting matches %s; available: %s%s", r.Parameter, named, words.Some(all, 10), or)
	}
	return fmt.Errorf("%s: %d settings match %s (%s); give one, such as %s: { with: { %[1]s: [%[6]s] } }%[7]s", r.Parameter,
		len(fit), named, words.Some(fit, 4), n.Stage().Name(), first, or)
}

// oneAxis checks that settings differ on the axis that a reference names.
func oneAxis(n *dag.Node, r role.Reference) error {
	if r.By[1] == "" {
		return nil
	}
	var axes []string
	value, all := map[string]string{}, settings([]*dag.Node{n}, r.Gathered)
	for _, coords := range all {
		for _, c := range coords {
			if first, known := value[c.Axis]; known && first != c.Value && !slices.Contains(axes, c.Axis) {
				axes = append(axes, c.Axis)
			} else if !known {
				value[c.Axis] = c.Value
			}
		}
	}
	if slices.Contains(axes, r.By[1]) || all == nil {
		return nil
	}
	slices.Sort(axes)
	return fmt.Errorf("%s: universes do not differ in %q%s", r.By[0], r.By[1], words.OrAll(r.By[1], axes))
}

// settings are those that tasks gather at a port.
func settings(tasks []*dag.Node, gathered string) (all [][]dag.Coord) {
	seen := map[string]bool{}
	for _, n := range tasks {
		for _, src := range Sources(n, gathered) {
			coords := setting(src.Coords)
			if key := column.CoordText(coords); !seen[key] {
				seen[key] = true
				all = append(all, coords)
			}
		}
	}
	return all
}

// checksFail notes trainings that leak by their parameters, and the checks that fail for that reason.
func (s *Study) checksFail() {
	for n, check := range role.With[role.Check](s.stages...) {
		for _, from := range behind(n, "predictions") {
			if t, ok := from.Instance().(role.Trainer); ok && !check.Admits() && t.Leaks() != "" {
				s.note(column.Notef("%s will fail: %s: %s (admitted: true lets it pass)", n.Stage().Name(), from.Stage().Name(),
					t.Leaks()))
			}
		}
	}
}

// histories notes the networks whose accuracy a page shows while no page gets the history of their training: it could
// not state that a network did not learn.
func (s *Study) histories() {
	page, checked := "", map[string]bool{}
	var shown []string // networks
	for _, stage := range s.stages {
		for _, n := range stage.Tasks() {
			for _, from := range behind(n, "training") {
				checked[from.Stage().Name()] = true
			}
			for _, e := range behind(n, "evaluation") {
				page = stage.Name() // the last one, which is the report of most files
				for _, from := range behind(e, "predictions") {
					t, ok := from.Instance().(role.Trainer)
					if ok && t.InEpochs() && !slices.Contains(shown, from.Stage().Name()) {
						shown = append(shown, from.Stage().Name())
					}
				}
			}
		}
	}
	shown = slices.DeleteFunc(shown, func(name string) bool { return checked[name] })
	if len(shown) > 0 {
		s.note(column.Doubtful(column.DoubtTraining, "noted.training-unchecked",
			column.Values{"Networks": shown, "Page": page}))
	}
}
