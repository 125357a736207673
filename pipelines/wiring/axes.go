package wiring

import (
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/dag/selector"
	"prgnn/internal/lists"
	"prgnn/pipelines/tree"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// fansOut reports whether a stage makes several tasks, as it is written or by the axes of its inputs.
func (w *wirer) fansOut(name string) bool {
	w.axes(name)
	return isGiven(w.stages[name].Get("each")) || isGiven(w.stages[name].Get("matrix")) || len(w.decided(name)) > 0
}

func isGiven(t *tree.Node) bool { return t != nil && t.Kind != tree.Empty }

// wholeCohort are the ports of the cohort that are tables of all participants.
var wholeCohort = []string{"", "participants", "nodes", "truth", "inventory"}

// axes passes the axes of the inputs on to a stage: each, where it has none, and the axes of a matrix that it lacks. An
// axis that two inputs have with different values is left to the person.
func (w *wirer) axes(name string) {
	t := w.stages[name]
	if t == nil || w.seen[name] {
		return
	}
	w.seen[name] = true
	in := t.Get("in")
	kind, ok := dag.Lookup(Kind(t))
	if !ok || in == nil || in.Kind != tree.Mapping {
		return
	}
	gathers := map[string]bool{}
	for _, p := range portsOf(kind, t).In {
		gathers[p.Name] = p.Gather
	}
	for _, k := range in.Keys {
		gather, known := gathers[k.Name]
		if !known || gather || k.Value.Kind != tree.Scalar || strings.ContainsAny(k.Value.Text, "*$") {
			continue
		}
		text, selected := unselected(strings.TrimSpace(k.Value.Text))
		from, output, _ := strings.Cut(text, ".")
		if from == "cohort" && w.scans && !slices.Contains(wholeCohort, output) && !isGiven(t.Get("each")) {
			w.put(t, "each", &tree.Node{Pos: t.Pos, Kind: tree.Scalar, Value: column.Subject,
				Text: column.Subject, Plain: true})
			continue
		}
		w.axes(from)
		if each := w.stages[from].Get("each"); isGiven(each) && !isGiven(t.Get("each")) &&
			!slices.Contains(selected, each.Text) {
			w.put(t, "each", each.Copy())
		}
		w.passMatrix(t, kind, w.stages[from].Get("matrix"), selected)
	}
}

// unselected is a reference without its brackets, and the axes on which they select a member.
func unselected(ref string) (text string, axes []string) {
	at, end := strings.IndexByte(ref, '['), strings.LastIndexByte(ref, ']')
	if at < 0 || end < at {
		return ref, nil
	}
	for _, sel := range selector.Split(ref[at+1 : end]) {
		axis, _, named := strings.Cut(strings.TrimSpace(sel), "=")
		if !named {
			axis = column.Subject
		}
		axes = append(axes, strings.TrimSpace(axis))
	}
	return ref[:at] + ref[end+1:], axes
}

// passMatrix gives a stage the axes of an input's matrix. A matrix that leaves out or adds combinations is left alone,
// and so is an axis that would set a parameter, unless it is the fold or the repeat, which mean the same everywhere.
func (w *wirer) passMatrix(t *tree.Node, kind *dag.Kind, matrix *tree.Node, selected []string) {
	if matrix == nil || matrix.Kind != tree.Mapping || matrix.Get("exclude") != nil || matrix.Get("include") != nil {
		return
	}
	own := t.Get("matrix")
	parameters := lists.Map(param.Of(kind.New()), func(p param.Param) string { return p.Name })
	for _, axis := range matrix.Keys {
		if slices.Contains(selected, axis.Name) ||
			slices.ContainsFunc(w.decisions, func(d Decision) bool { return d.Name == axis.Name }) {
			continue
		}
		if slices.Contains(parameters, axis.Name) && axis.Name != "fold" && axis.Name != "repeat" {
			continue
		}
		if own == nil || own.Kind == tree.Empty {
			own = &tree.Node{Pos: t.Pos, Kind: tree.Mapping}
			w.put(t, "matrix", own)
		}
		if own.Kind == tree.Mapping && own.Get(axis.Name) == nil {
			w.put(own, axis.Name, axis.Value.Copy())
		}
	}
}

func (w *wirer) put(t *tree.Node, name string, value *tree.Node) {
	t.Put(name, value)
	w.added = true
}

// decided are the decisions that a stage fans out over: those that set a parameter of it, those of its matrix, and
// those of its inputs, as long as each input is of one universe. An input that gathers results, such as the
// predictions of
// evaluate, takes those of all universes.
func (w *wirer) decided(name string) []string {
	found := map[string][]string{}
	var visit func(name string) []string
	visit = func(name string) []string {
		if of, seen := found[name]; seen {
			return of
		}
		found[name] = nil
		t := w.stages[name]
		if t == nil {
			return nil
		}
		has := map[string]bool{}
		for _, d := range w.decisions {
			has[d.Name] = d.Of(name) || t.Get("matrix").Get(d.Name) != nil
		}
		if kind, ok := dag.Lookup(Kind(t)); ok {
			for _, from := range w.sameUniverse(kind, name, t) {
				text, selected := unselected(strings.TrimSpace(from.Text))
				stage, _, _ := strings.Cut(text, ".")
				for _, d := range visit(strings.TrimSpace(stage)) {
					has[d] = has[d] || !slices.Contains(selected, d)
				}
			}
		}
		var of []string
		for _, d := range w.decisions {
			if has[d.Name] {
				of = append(of, d.Name)
			}
		}
		found[name] = of
		return of
	}
	return visit(name)
}

// sameUniverse are the references of a stage that mean the universe of its own task.
func (w *wirer) sameUniverse(kind *dag.Kind, name string, t *tree.Node) (refs []*tree.Node) {
	given := slices.Clone(keysIn(t.Get("in")))
	for _, d := range w.decisions {
		for _, o := range d.Options {
			for _, set := range o.InputsOf(name) {
				given = append(given, tree.Key{Name: set.Parameter, Value: set.Value})
			}
		}
	}
	one := role.Ports(kind.New(), role.OneSetting)
	gathers := map[string]bool{}
	for _, p := range portsOf(kind, t).In {
		gathers[p.Name] = p.Gather && !slices.Contains(one, p.Name)
	}
	for _, k := range given {
		if gather, known := gathers[k.Name]; known && !gather {
			for _, ref := range append(slices.Clone(k.Value.Items), k.Value) {
				if ref.Kind == tree.Scalar {
					refs = append(refs, ref)
				}
			}
		}
	}
	return refs
}

// decide gives the stages the axes of their decisions.
func (w *wirer) decide(stages []tree.Key) {
	if len(w.decisions) == 0 {
		return
	}
	for _, s := range stages {
		t := s.Value
		if t.Kind != tree.Mapping {
			continue
		}
		for _, name := range w.decided(s.Name) {
			own := t.Get("matrix")
			if own == nil || own.Kind == tree.Empty {
				own = &tree.Node{Pos: t.Pos, Kind: tree.Mapping}
				w.put(t, "matrix", own)
			}
			if own.Kind == tree.Mapping && own.Get(name) == nil {
				w.put(own, name, &tree.Node{Pos: t.Pos, Kind: tree.Scalar, Value: all, Text: all, Plain: true})
			}
		}
	}
}
