package pipelines

import (
	"fmt"
	"reflect"
	"slices"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/words"
	"prgnn/stages"
)

var stageKeys = []string{"use", "in", "with", "each", "matrix", "resources"}

// A stage is one entry under stages: as it has been read.
type stage struct {
	name  string
	pos   dag.Pos
	kind  *dag.Kind // nil when use: names none
	work  dag.Stage // with its parameters, except those that its axes fill
	ports dag.Ports // those of its first task; they may follow from its parameters
	vague bool      // they do, and the parameters are wrong
	loose bool      // one of its references could not be understood

	with, in *tree
	needs    dag.Needs
	axes     []axis
	units    [][]int32 // what each: names: the places of a participant, or of it and a run
	picks    []int32   // members × axes: the place of each coordinate among its axis' values
	members  int
	unknown  bool // what it fans out over could not be found out

	links []link
	nodes []dag.Node // one a member
	node  *dag.StageNode
}

func (l *loader) readStages(root *tree) {
	all := root.get("stages")
	switch {
	case all == nil:
		if !root.bad {
			l.bad.add(root.pos, "the file has no stages")
		}
		return
	case all.kind != mapping:
		l.bad.add(all.pos, "stages takes a mapping of names to stages, not %s", all)
		return
	case len(all.keys) == 0 && !all.bad:
		l.bad.add(all.pos, "the file has no stages")
	}
	for _, k := range all.keys {
		switch {
		case !isName(k.name):
			l.bad.add(k.pos, "a stage cannot be called %q: a name is letters, digits, _ and -, and begins with a letter", k.name)
		case k.name == "cohort":
			l.bad.add(k.pos, "a stage cannot be called cohort: that name refers to the participants")
		case k.name == settingsName:
			l.bad.add(k.pos, "a stage cannot be called pipeline: that name refers to the pipeline's settings")
		case k.value.kind != mapping:
			l.bad.add(k.value.pos, "stage %s takes a mapping with the key use, not %s", k.name, k.value)
		default:
			s := l.readStage(k)
			l.stages = append(l.stages, s)
			l.names = append(l.names, s.name)
			l.byName[s.name] = s
			continue
		}
		l.byName[k.name] = nil // there, but not to be used
	}
}

func (l *loader) readStage(k key) *stage {
	s := &stage{name: k.name, pos: k.pos, with: k.value.get("with"), in: k.value.get("in")}
	s.kind = l.readUse(s, k.value.get("use"))
	s.needs = l.readNeeds(s, k.value.get("resources"))
	for _, part := range k.value.keys {
		if s.kind != nil && !slices.Contains(stageKeys, part.name) && hasParam(k.value, part.name) {
			l.bad.add(part.pos, "stage %s has no key %q, but its kind has that parameter: with: { %s: … }", s.name, part.name, part.name)
			continue
		}
		l.known(part, "stage "+s.name, stageKeys)
	}
	each, matrix := k.value.get("each"), k.value.get("matrix")
	l.readEach(s, each)
	combos := l.readMatrix(s, matrix)

	var open []string // the axes that ${…} may name
	for _, a := range s.axes {
		open = append(open, a.name)
	}
	for _, t := range []*tree{s.with, s.in} {
		if t != nil {
			l.vars.resolve(t, open)
		}
	}
	s.with = l.wantMapping(s.with, "with of stage "+s.name+" takes a mapping of parameters")
	s.in = l.wantMapping(s.in, "in of stage "+s.name+" takes a mapping of ports to references")
	if s.kind == nil {
		l.fanOut(s, combos)
		return s
	}
	before := len(l.bad.list)
	l.fillStage(s)
	fine := len(l.bad.list) == before
	l.fanOut(s, combos)
	if fine {
		l.makeTasks(s)
	}
	s.vague = !fine && len(s.kind.New().Ports().In) == 0
	s.ports = s.work.Ports()
	if len(s.nodes) > 0 {
		s.ports = s.nodes[0].Work.Ports()
	}
	return s
}

// wantMapping gives nil in place of anything else.
func (l *loader) wantMapping(t *tree, want string) *tree {
	switch {
	case t == nil || t.kind == empty:
		return nil
	case t.kind != mapping:
		if !t.bad {
			l.bad.add(t.pos, "%s, not %s", want, t)
		}
		return nil
	}
	return t
}

func (l *loader) readUse(s *stage, t *tree) *dag.Kind {
	if t == nil || t.kind == empty {
		l.bad.add(s.pos, "stage %s has no kind (use: KIND)", s.name)
		return nil
	}
	l.vars.resolve(t, nil)
	if t.bad {
		return nil
	}
	k, ok := stages.Lookup(t.text)
	if !ok {
		var names []string
		for _, k := range stages.Kinds() {
			names = append(names, k.Name)
		}
		l.bad.add(t.pos, "there is no stage kind %q%s", t.text, words.OrAll(t.text, names))
	}
	return k
}

// fillStage sets the parameters that are the same in all tasks.
func (l *loader) fillStage(s *stage) {
	s.work = s.kind.New()
	owner := "stage " + s.name
	l.fill(s.work, s.with, owner, func(name string) bool {
		return slices.ContainsFunc(s.axes, func(a axis) bool { return a.name == name })
	})
	params := param.Of(s.work)
	for i := range s.axes {
		a := &s.axes[i]
		at := slices.IndexFunc(params, func(p param.Param) bool { return p.Name == a.name })
		if a.param = at >= 0; !a.param {
			continue
		}
		if s.with != nil && s.with.get(a.name) != nil {
			l.bad.add(s.with.get(a.name).pos, "%s: parameter %q is an axis of the fan-out, which fills it: set it in one place", owner, a.name)
		}
		probe := clone(s.work)
		for j := range a.values {
			v := &a.values[j]
			v.value = textual(params[at].Type, v.value, v.text)
			if err := param.Set(probe, a.name, v.value); err != nil {
				l.bad.add(v.pos, "%s: %s", owner, oneLine(err))
			}
		}
	}
}

// makeTasks makes the work of every member and lets it check its parameters.
func (l *loader) makeTasks(s *stage) {
	s.nodes = make([]dag.Node, s.members)
	open, said := s.openParams(), map[string]bool{}
	open = slices.DeleteFunc(open, func(k key) bool { return !l.fits(s, k.value.pos, float64(s.members), k.value.width(s)) })
	types := map[string]string{}
	for _, p := range param.Of(s.work) {
		types[p.Name] = p.Type
	}
	for m := range s.nodes {
		w := s.work
		if len(s.axes) > 0 {
			w = clone(s.work)
		}
		for i := range s.axes {
			if a := &s.axes[i]; a.param {
				_ = param.Set(w, a.name, s.at(m, i).value) // every value has been tried in fillStage
			}
		}
		for _, k := range open {
			value := k.value.fill(func(axis string) (any, string) { return s.coordinate(m, axis) })
			if err := param.Set(w, k.name, textual(types[k.name], value, fmt.Sprint(value))); err != nil {
				l.once(said, k.value.pos, s.name, err)
			}
		}
		s.nodes[m].Work = w
		if v, ok := w.(dag.Validator); ok {
			for _, err := range v.Validate() {
				l.once(said, placeOf(s.pos, s.with)(err.Error()), s.name, err)
			}
		}
		if a, ok := w.(dag.Adviser); ok {
			for _, advice := range a.Advise() {
				l.note("stage %s: %s", s.name, advice)
			}
		}
	}
}

// once reports what is wrong with many tasks for the first of them.
func (l *loader) once(said map[string]bool, pos dag.Pos, stage string, err error) {
	for _, e := range parts(err) {
		if text := oneLine(e); !said[text] {
			said[text] = true
			l.bad.add(pos, "stage %s: %s", stage, text)
		}
	}
}

// openParams are those that hold an ${axis}.
func (s *stage) openParams() []key {
	if s.with == nil || len(s.axes) == 0 {
		return nil
	}
	var open []key
	for _, k := range s.with.keys {
		if k.value.open() != nil && !k.value.broken() {
			open = append(open, k)
		}
	}
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
