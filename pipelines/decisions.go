package pipelines

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/column"
)

// readDecisions combines the decisions of the file into universes.
func (l *loader) readDecisions(root *tree.Node) {
	if t := root.Get("decisions"); t != nil {
		l.vars.Resolve(t, []string{l.memberAxis(), "run", "session"}) // in files at inputs
	}
	var seed uint64
	switch n := l.seed.(type) {
	case int:
		seed = uint64(n)
	case uint64:
		seed = n
	}
	decisions := wiring.Decisions(root, l.bad)
	if at := wiring.Sample(root); at != nil && l.seed == nil {
		l.bad.Add(at.Pos, "decisions: sample needs the seed of the pipeline: write seed: NUMBER at the top of the file")
	}
	l.universes = wiring.ReadUniverses(root, decisions, seed, l.limit, l.bad)
	l.universes.Unseeded = l.seed == nil
}

// decisionAxis finds whether an axis is a decision, and gives it the options where its value is the word all.
func (l *loader) decisionAxis(s *stage, a *axis, t *tree.Node) {
	at := slices.IndexFunc(l.universes.Decisions, func(d wiring.Decision) bool { return d.Name == a.name })
	if at < 0 {
		return
	}
	d := &l.universes.Decisions[at]
	a.decision = d
	if isAll(t) {
		for i, o := range d.Options {
			l.addValue(s, a, axisValue{o.Name, o.Name, t.Pos})
			a.used = a.used || len(d.Options[i].Of(s.name)) > 0 || d.Options[i].InputsOf(s.name) != nil
		}
		l.values -= len(a.values)
		return
	}
	if s.kind != nil && param.Has(s.kind.New(), a.name) && !d.Sets(s.name, a.name) {
		l.bad.Add(a.pos, "stage %s: its matrix sets the parameter %s, and the file has a decision of that name, which does not: "+
			"rename the decision, or add %[1]s.%[2]s to its options", s.name, a.name)
		s.unknown = true
		return
	}
	for _, item := range t.Each() {
		if text, ok := wiring.ValueText(item); ok && d.Option(text) < 0 {
			l.bad.Add(item.Pos, "stage %s: the axis %s is a decision, which has no option %s%s", s.name, a.name, text,
				words.OrAll(text, d.Names()))
			s.unknown = true
		}
	}
}

// tryOptions sets the parameters of each option once, and reports what is wrong with them.
func (l *loader) tryOptions(s *stage, a *axis, params []param.Param) {
	types, places := map[string]string{}, map[string]param.Place{}
	for _, p := range params {
		types[p.Name], places[p.Name] = p.Type, p.Place
	}
	for i := range a.decision.Options {
		o := &a.decision.Options[i]
		if _, there := a.index[o.Name]; !there {
			continue
		}
		probe := clone(s.work)
		for _, set := range o.Of(s.name) {
			a.used = true
			if open := set.Value.Open(); open != nil {
				l.bad.Add(set.Value.Pos, "decision %s, option %s: %s.%s is the same for all tasks, and has no ${%s}", a.name, o.Name, s.name,
					set.Parameter, open[0])
				continue
			}
			if set.Value.Broken() {
				s.unknown = true
				continue
			}
			if of := fmt.Sprint(set.Value.Value); set.Parameter == "model" && of != o.Name &&
				column.Classifiers[o.Name] != "" && column.Classifiers[of] != "" {
				l.bad.Add(set.Value.Pos, "decision %s: the option %s has the name of another model than %s, which it sets: rename it",
					a.name, o.Name, of)
			}
			if places[set.Parameter] != param.PlaceNever {
				l.places.add(set.Value, places[set.Parameter])
			}
			if err := param.Set(probe, set.Parameter, set.Value.Parameter(types[set.Parameter])); err != nil {
				l.bad.Add(set.Value.Pos, "decision %s, option %s: stage %s: %s", a.name, o.Name, s.name, oneLine(err))
			}
		}
		l.effective.Add(a.decision, o, s.name, probe)
	}
}

// replaced refuses a --set that is in no task, since every option of a decision sets the same, and notes such a
// parameter of the file. In a file that this one extends it is as it should be: options replace what that states.
func (l *loader) replaced(s *stage, a *axis) {
	options := slices.DeleteFunc(slices.Clone(a.decision.Options), func(o wiring.Option) bool {
		_, has := a.index[o.Name]
		return !has
	})
	layerOf := func(pos dag.Pos) int { return slices.Index(l.layers.Files, pos.File) } // −1: of a --set
	look := func(t *tree.Node, infix string, sets func(o *wiring.Option) []wiring.Setting) {
		if t == nil {
			return
		}
		for _, k := range t.Keys {
			lacks := func(o wiring.Option) bool {
				return !slices.ContainsFunc(sets(&o), func(set wiring.Setting) bool { return set.Parameter == k.Name })
			}
			if options == nil || slices.ContainsFunc(options, lacks) {
				continue
			}
			text := fmt.Sprintf("%s%s%s has no effect, because every option of the decision %s sets it (%s): change or add "+
				"options of decisions.%[4]s", s.name, infix, k.Name, a.name,
				words.Some(lists.Map(options, func(o wiring.Option) string { return o.Name }), 8))
			switch {
			case strings.HasPrefix(k.Pos.File, layer.SetPlace):
				l.bad.Add(k.Pos, "%s", text)
			case infix == "." && layerOf(k.Pos) <= layerOf(a.decision.Pos):
				l.note("%s: %s", k.Pos, text)
			}
		}
	}
	look(s.with, ".", func(o *wiring.Option) []wiring.Setting { return o.Of(s.name) })
	look(s.in, ".in.", func(o *wiring.Option) []wiring.Setting { return o.InputsOf(s.name) })
}

// checkOptions refuses an option that none of the stages has whose parameters its decision sets, because it would count
// among the universes without any result.
func (l *loader) checkOptions() {
	if l.universes.Note != "" {
		l.note("%s", l.universes.Note)
	}
	for i := range l.universes.Decisions {
		d := &l.universes.Decisions[i]
		var setting []string
		has := map[string]bool{}
		for _, s := range l.stages {
			at := slices.IndexFunc(s.axes, func(a axis) bool { return a.decision == d })
			if !d.Of(s.name) {
				continue
			}
			if s.unknown || at < 0 { // which is reported at the stage
				setting = nil
				break
			}
			setting = append(setting, s.name)
			for text := range s.axes[at].index {
				has[text] = true
			}
		}
		if setting != nil {
			d.RefuseEqual(l.effective, l.bad)
		}
		for _, o := range d.Options {
			if setting != nil && !has[o.Name] {
				l.bad.Add(o.Pos, "decision %s: no task has the option %s, because the matrix of %s does not list it; remove it from the decision, or write %[1]s: all in the matrix",
					d.Name, o.Name, strings.Join(setting, " and "))
			}
		}
	}
}

// option is the option of a decision that a member of a stage has.
func (s *stage) option(member, axis int) *wiring.Option {
	d := s.axes[axis].decision
	return &d.Options[d.Option(s.at(member, axis).text)]
}

// A portChoice is what an option connects an input to, in the tasks that have it.
type portChoice struct {
	ref  *tree.Node
	only []bool
}

// choices are the connections of an input by options, and the tasks in which no option connects it; nil: all of them.
func (s *stage) choices(port string) (all []portChoice, rest []bool) {
	for i, a := range s.axes {
		if a.decision == nil {
			continue
		}
		for _, o := range a.decision.Options {
			ref := o.Input(s.name, port)
			if ref == nil {
				continue
			}
			if rest == nil {
				rest = slices.Repeat([]bool{true}, s.members)
			}
			c := portChoice{ref, make([]bool, s.members)}
			for m := range s.members {
				if s.at(m, i).text == o.Name {
					c.only[m], rest[m] = true, false
				}
			}
			if slices.Contains(c.only, true) {
				all = append(all, c)
			}
		}
	}
	return all, rest
}

// isSetIn reports whether the file sets a parameter of one task.
func (s *stage) isSetIn(member int, name string) bool {
	if s.with != nil && s.with.Get(name) != nil {
		return true
	}
	for i, a := range s.axes {
		if a.decision == nil && a.name == name {
			return true
		}
		if a.decision != nil && slices.ContainsFunc(s.option(member, i).Of(s.name), func(set wiring.Setting) bool {
			return set.Parameter == name
		}) {
			return true
		}
	}
	return false
}

// projected are the universes on the axes of a stage; nil where none of them is a decision.
func (l *loader) projected(axes []axis) (all [][]int32) {
	if !slices.ContainsFunc(axes, func(a axis) bool { return a.decision != nil }) {
		return nil
	}
	return l.universes.Project(lists.Map(axes, func(a axis) func(option string) (place int32, there bool) {
		if a.decision == nil {
			return nil
		}
		return func(option string) (int32, bool) { place, there := a.index[option]; return place, there }
	}), lists.Map(axes, func(a axis) string { return a.name }))
}
