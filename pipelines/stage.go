package pipelines

import (
	"fmt"
	"reflect"
	"slices"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/dag/selector"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/role"
)

// A stage is one entry under stages: as it has been read.
type stage struct {
	name  string
	pos   dag.Pos
	kind  *dag.Kind // nil when use: names none
	work  dag.Stage // with its parameters, except those that its axes fill
	ports dag.Ports // those of its first task; they may follow from its parameters
	vague bool      // they do, and the parameters are wrong
	loose bool      // one of its references could not be understood

	with, in *tree.Node
	needs    dag.Needs
	axes     []axis
	units    [][]int32 // what each: names: the places of a participant, or of it and a run
	picks    []int32   // members × axes: the place of each coordinate among its axis' values
	members  int
	unknown  bool // what it fans out over could not be found out

	links []link
	works []dag.Stage // one a member: its parameters; none where these have mistakes
	valid []dag.Stage // of works, or of what stands for them, those that found no mistake in their parameters
	unset []string    // parameters whose values are mistakes, or unknown
	nodes []*dag.Node // of the graph, likewise
	node  *dag.StageNode
}

func (l *loader) readStages(root *tree.Node) {
	all := root.Get("stages")
	switch {
	case all == nil:
		if !root.Bad {
			l.bad.Add(root.Pos, "the file has no stages: add stages: { NAME: { use: KIND } }")
		}
		return
	case all.Kind != tree.Mapping:
		l.bad.Add(all.Pos, "stages must be a mapping of names to stages, not %s", all)
		return
	case len(all.Keys) == 0 && !all.Bad:
		l.bad.Add(all.Pos, "the file has no stages: add stages: { NAME: { use: KIND } }")
	}
	l.tree, l.done = all, map[string]*stage{}
	for _, k := range all.Keys {
		switch {
		case !selector.IsName(k.Name):
			l.bad.Add(k.Pos, "a stage cannot be named %q: use %s", k.Name, selector.NameRule)
		case k.Name == "cohort":
			l.bad.Add(k.Pos, "a stage cannot be named cohort: that name refers to the participants")
		case k.Name == settingsName:
			l.bad.Add(k.Pos, "a stage cannot be named pipeline: that name refers to the pipeline's settings")
		case k.Value.Kind != tree.Mapping:
			l.bad.Add(k.Value.Pos, "stage %s must be a mapping with the key use, not %s", k.Name, k.Value)
		default:
			s := l.stageOf(k)
			l.stages = append(l.stages, s)
			l.names = append(l.names, s.name)
			l.byName[s.name] = s
			continue
		}
		l.byName[k.Name] = nil // there, but not to be used
	}
}

// stageOf reads a stage, unless fold: all of another one has read it; nil while it is read.
func (l *loader) stageOf(k tree.Key) *stage {
	if s, there := l.done[k.Name]; there {
		return s
	}
	l.done[k.Name] = nil
	l.done[k.Name] = l.readStage(k)
	return l.done[k.Name]
}

func (l *loader) readStage(k tree.Key) *stage {
	s := &stage{name: k.Name, pos: k.Pos, with: k.Value.Get("with"), in: k.Value.Get("in")}
	s.kind = l.readUse(s, k.Value.Get("use"))
	s.needs = l.readNeeds(s, k.Value.Get("resources"))
	for _, part := range k.Value.Keys {
		if s.kind != nil && !slices.Contains(layer.StageKeys, part.Name) && wiring.HasParameter(k.Value, part.Name) {
			l.bad.Add(part.Pos, "stage %s has no key %q, but its kind has that parameter: with: { %s: … }", s.name, part.Name, part.Name)
			continue
		}
		l.known(part, "stage "+s.name, layer.StageKeys)
	}
	each, matrix := k.Value.Get("each"), k.Value.Get("matrix")
	l.readEach(s, each)
	combos := l.readMatrix(s, matrix)

	open := lists.Map(s.axes, func(a axis) string { return a.name }) // the axes that ${…} may name
	for _, t := range []*tree.Node{s.with, s.in} {
		if t != nil {
			l.vars.Resolve(t, open)
		}
	}
	s.with = l.wantMapping(s.with, "with of stage "+s.name+" must be a mapping of parameters")
	s.in = l.wantMapping(s.in, "in of stage "+s.name+" must be a mapping of ports to references")
	if s.kind == nil {
		l.fanOut(s, combos)
		return s
	}
	before := len(l.bad.List)
	l.fillStage(s)
	fine := len(l.bad.List) == before
	l.fanOut(s, combos)
	works := l.makeTasks(s)
	if fine && s.members > 0 {
		s.works = works
	}
	s.vague = !fine && len(s.kind.New().Ports().In) == 0
	s.ports = s.work.Ports()
	if len(s.works) > 0 {
		s.ports = s.works[0].Ports()
	}
	return s
}

// wantMapping gives nil in place of anything else.
func (l *loader) wantMapping(t *tree.Node, want string) *tree.Node {
	switch {
	case t == nil || t.Kind == tree.Empty:
		return nil
	case t.Kind != tree.Mapping:
		if !t.Bad {
			l.bad.Add(t.Pos, "%s, not %s", want, t)
		}
		return nil
	}
	return t
}

func (l *loader) readUse(s *stage, t *tree.Node) *dag.Kind {
	if t == nil || t.Kind == tree.Empty {
		l.bad.Add(s.pos, "stage %s has no kind (use: KIND, or at the top extends: FILE that has the stage)", s.name)
		return nil
	}
	l.vars.Resolve(t, nil)
	if t.Bad {
		return nil
	}
	k, ok := dag.Lookup(t.Text)
	if !ok {
		names := lists.Map(dag.Kinds(), func(k *dag.Kind) string { return k.Name })
		l.bad.Add(t.Pos, "%v", UnknownKind(t.Text, names))
	}
	return k
}

// fillStage sets the parameters that are the same in all tasks.
func (l *loader) fillStage(s *stage) {
	s.work = s.kind.New()
	owner := "stage " + s.name
	l.fill(s.work, s.with, owner, s.isAxis)
	s.kind.SetDefaults(s.work, s.isSet)
	params := param.Of(s.work)
	for i := range s.axes {
		a := &s.axes[i]
		if a.decision != nil {
			l.tryOptions(s, a, params)
			l.replaced(s, a)
			continue
		}
		at := slices.IndexFunc(params, func(p param.Param) bool { return p.Name == a.name })
		if a.param = at >= 0; !a.param {
			continue
		}
		if s.with != nil && s.with.Get(a.name) != nil {
			l.bad.Add(s.with.Get(a.name).Pos, "%s: parameter %q is also an axis of the fan-out: set it in one place only", owner, a.name)
		}
		probe := clone(s.work)
		for j := range a.values {
			v := &a.values[j]
			v.value = wiring.Textual(params[at].Type, v.value, v.text)
			if err := param.Set(probe, a.name, v.value); err != nil {
				l.bad.Add(v.pos, "%s: %s", owner, oneLine(err))
			}
		}
	}
}

// isAxis reports whether an axis sets a parameter, at least in some tasks.
func (s *stage) isAxis(name string) bool {
	return slices.ContainsFunc(s.axes, func(a axis) bool {
		return a.decision == nil && a.name == name || a.decision != nil && a.decision.Sets(s.name, name)
	})
}

// isSet reports whether the file sets a parameter.
func (s *stage) isSet(name string) bool {
	return s.isAxis(name) || s.with != nil && s.with.Get(name) != nil
}

// makeTasks makes the work of every member and lets it check its parameters. Parameters with mistakes have their
// defaults, and where the members are not known, one task stands for them.
func (l *loader) makeTasks(s *stage) []dag.Stage {
	works := make([]dag.Stage, max(s.members, 1))
	open, said := s.openParams(), map[string]bool{}
	s.unset = l.unset(s)
	if s.members > 0 {
		open = slices.DeleteFunc(open, func(k tree.Key) bool {
			return !l.fits(s, k.Value.Pos, float64(s.members), width(k.Value, s))
		})
	}
	types := map[string]string{}
	for _, p := range param.Of(s.work) {
		types[p.Name] = p.Type
	}
	for m := range works {
		w := s.work
		if len(s.axes) > 0 {
			w = clone(s.work)
		}
		if s.members > 0 {
			for i := range s.axes {
				if a := &s.axes[i]; a.param {
					_ = param.Set(w, a.name, s.at(m, i).value) // every value has been tried in fillStage
				} else if a.decision != nil {
					for _, set := range s.option(m, i).Of(s.name) {
						_ = param.Set(w, set.Parameter, set.Value.Parameter(types[set.Parameter])) // likewise
					}
				}
			}
			for _, k := range open {
				value := k.Value.Fill(func(axis string) (any, string) { return s.coordinate(m, axis) })
				if err := param.Set(w, k.Name, wiring.Textual(types[k.Name], value, fmt.Sprint(value))); err != nil {
					l.once(said, k.Value.Pos, s.name, err)
					s.unset = append(s.unset, k.Name)
				}
			}
		}
		s.kind.SetDefaults(w, func(name string) bool {
			return s.members == 0 && s.isSet(name) || s.members > 0 && s.isSetIn(m, name)
		})
		works[m] = w
		var wrong []error
		if v, ok := w.(dag.Validator); ok {
			wrong = v.Validate()
		}
		for _, err := range wrong {
			if !s.follows(err) {
				l.once(said, placeOf(s.pos, s.with)(err.Error()), s.name, err)
			}
		}
		if wrong == nil {
			s.valid = append(s.valid, w)
		}
		if a, ok := w.(role.Adviser); ok && s.members > 0 {
			for _, advice := range a.Advise() {
				l.note("%s: stage %s: %s", placeOf(s.pos, s.with)(advice), s.name, advice)
			}
		}
	}
	return works
}

// unset are the parameters whose values are mistakes, or not known.
func (l *loader) unset(s *stage) (names []string) {
	wrong := func(pos dag.Pos) bool {
		return slices.ContainsFunc(l.bad.List, func(m *tree.Mistake) bool { return m.Pos == pos })
	}
	params := lists.Map(param.Of(s.work), func(p param.Param) string { return p.Name })
	if s.with != nil {
		for _, k := range s.with.Keys {
			switch {
			case slices.Contains(params, k.Name):
				if k.Value.Broken() || wrong(k.Value.Pos) || s.members == 0 && k.Value.Open() != nil {
					names = append(names, k.Name)
				}
			case words.Nearest(k.Name, params) != "":
				names = append(names, words.Nearest(k.Name, params))
			default: // it stands for any parameter
				names = append(names, slices.DeleteFunc(slices.Clone(params), s.isSet)...)
			}
		}
	}
	for _, a := range s.axes {
		if s.members == 0 || slices.ContainsFunc(a.values, func(v axisValue) bool { return wrong(v.pos) }) {
			names = append(names, slices.DeleteFunc(slices.Clone(params), func(name string) bool {
				return name != a.name && (a.decision == nil || !a.decision.Sets(s.name, name))
			})...)
		}
	}
	return names
}

// follows reports whether an error can follow from a parameter whose value is a mistake.
func (s *stage) follows(err error) bool {
	return slices.ContainsFunc(s.unset, func(name string) bool { return indexWord(err.Error(), name) >= 0 })
}

// refuseInputs reports inputs that do not belong together where the file has other mistakes. Package design finds them
// in a graph, which such a file has not.
func (l *loader) refuseInputs() {
	for _, s := range l.stages {
		has := func(port string) bool {
			return s.in != nil && s.in.Get(port) != nil ||
				slices.ContainsFunc(s.links, func(k link) bool { return k.port.Name == port })
		}
		misnamed := s.in != nil && slices.ContainsFunc(s.in.Keys, func(k tree.Key) bool {
			return !slices.ContainsFunc(s.ports.In, func(p dag.Port) bool { return p.Name == k.Name })
		})
		if misnamed {
			continue
		}
		said := map[string]bool{}
		for _, w := range s.valid {
			user, ok := w.(role.InputUser)
			if !ok {
				break
			}
			for _, err := range tree.Parts(user.RefusesInputs(has)) {
				if !s.follows(err) {
					l.once(said, placeOf(s.pos, s.with)(err.Error()), s.name, err)
				}
			}
		}
	}
}

// once reports what is wrong with many tasks for the first of them.
func (l *loader) once(said map[string]bool, pos dag.Pos, stage string, err error) {
	for _, e := range tree.Parts(err) {
		if text := oneLine(e); !said[text] {
			said[text] = true
			l.bad.Stage(pos, stage, e)
		}
	}
}

// openParams are those that hold an ${axis}.
func (s *stage) openParams() []tree.Key {
	if s.with == nil || len(s.axes) == 0 {
		return nil
	}
	open := lists.Keep(s.with.Keys, func(k tree.Key) bool { return k.Value.Open() != nil && !k.Value.Broken() })
	return open
}

// clone copies the parameters. Lists are shared: nobody writes into them.
func clone(w dag.Stage) dag.Stage {
	v := reflect.ValueOf(w).Elem()
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return c.Interface().(dag.Stage)
}

// label names a stage with its kind, where that is not the same word.
func (s *stage) label() string {
	if s.kind == nil || s.kind.Name == s.name {
		return s.name
	}
	return fmt.Sprintf("%s (%s)", s.name, s.kind.Name)
}

// UnknownKind is the error for a name that is no kind; names are those to choose from.
func UnknownKind(name string, names []string) error {
	for _, k := range dag.Kinds() {
		if slices.Contains(k.Former, name) {
			return fmt.Errorf("the stage kind %q is now a model of the kind %s: write use: %s, with: { model: %s, … }",
				name, k.Name, k.Name, name)
		}
	}
	return fmt.Errorf("there is no stage kind %q%s", name, words.OrAll(name, names))
}
