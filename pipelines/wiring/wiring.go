// Package wiring connects the inputs that a pipeline file leaves out to what they usually take (role.Usually), and
// passes the axes of a fan-out on to later stages.
package wiring

import (
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Kind is the kind that a stage states; "" where it states none.
func Kind(stage *tree.Node) string {
	if use := stage.Get("use"); use != nil {
		return use.Text
	}
	return ""
}

// Stage is the stage in a reference: STAGE[SELECTION].OUTPUT.
func Stage(ref *tree.Node) string {
	stage, _, _ := strings.Cut(ref.Text, "[")
	stage, _, _ = strings.Cut(stage, ".")
	return strings.TrimSpace(stage)
}

// Settings is the name by which references refer to the settings of the pipeline.
const Settings = "pipeline"

// Removed are the paths that a file removes (stages.clean.in.events) and where it does so.
type Removed map[string]dag.Pos

// a wirer changes the tree of one file of a chain, with all that it extends.
type wirer struct {
	bad     *tree.Mistakes
	removed Removed
	stages  map[string]*tree.Node
	of      map[string][]string // names of stages, by kind, in the order of the file
	whole   bool                // optional ports too: the file, and not one that it extends, has connect: usual
	scans   bool                // the cohort is one of participants, and not of rows
	seen    map[string]bool     // the stages whose axes are known, or looked for
	added   bool
}

// Connect changes the tree of a file before --set and before anything is understood, and reports whether it added
// anything: what it adds stands there as if the file had it. Of files that extend another, the extended one comes
// first: a stage that is added changes no connection of a stage that was there. Ports that a file leaves open on
// purpose are added to removed.
func Connect(root *tree.Node, removed Removed, bad *tree.Mistakes) bool {
	all := root.Get("stages")
	if root.Kind != tree.Mapping || all == nil || all.Kind != tree.Mapping {
		return false
	}
	w := &wirer{bad: bad, removed: removed, stages: map[string]*tree.Node{}, of: map[string][]string{},
		seen: map[string]bool{}}
	for _, k := range all.Keys {
		if k.Value.Kind == tree.Mapping {
			w.stages[k.Name] = k.Value
			w.of[Kind(k.Value)] = append(w.of[Kind(k.Value)], k.Name)
		}
	}
	w.scans = root.Get("cohort").Get("rows") == nil
	switch how := root.Get("connect"); {
	case how == nil || how.Bad || how.Kind == tree.Empty:
	case how.Kind == tree.Scalar && how.Text == "usual":
		w.whole = true
		// What is kept with a run has every connection, and is not connected again.
		root.Keys = slices.DeleteFunc(root.Keys, func(k tree.Key) bool { return k.Name == "connect" })
	default:
		bad.Add(how.Pos, "connect is %s; its one value, usual, connects optional inputs, too, to what they usually take",
			how)
	}
	for _, k := range all.Keys {
		if k.Value.Kind == tree.Mapping {
			w.ports(k, root.Get("cohort") != nil)
		}
	}
	for _, k := range all.Keys {
		w.axes(k.Name)
	}
	return w.added
}

// ports connects the ports of a stage that the file leaves out. A port with null stays open.
func (w *wirer) ports(s tree.Key, cohort bool) {
	kind, ok := dag.Lookup(Kind(s.Value))
	in := s.Value.Get("in")
	if !ok || in != nil && in.Kind != tree.Mapping && in.Kind != tree.Empty {
		return
	}
	w.dropGone(s, in)
	open := map[string]bool{}
	takes := portsOf(kind, s.Value)
	if in != nil {
		in.Keys = slices.DeleteFunc(in.Keys, func(k tree.Key) bool {
			if k.Value.Kind == tree.Empty && !k.Value.Bad && k.Value.Text != "" {
				open[k.Name], w.removed[w.path(s, k.Name)] = true, k.Pos
			}
			return open[k.Name]
		})
	}
	w.checkOpen(s, kind, takes, open)
	var made []string
	for _, p := range takes {
		usual := role.UsualOf(kind.Name, p.Name)
		_, removed := w.removed[w.path(s, p.Name)]
		if usual.From == nil || removed || open[p.Name] || in != nil && in.Get(p.Name) != nil || p.Optional &&
			!w.whole {
			continue
		}
		refs := w.find(s, p, usual, cohort)
		if len(refs) == 0 {
			continue
		}
		if in == nil || in.Kind == tree.Empty {
			in = &tree.Node{Pos: s.Pos, Kind: tree.Mapping}
			s.Value.Put("in", in)
		}
		value := refs[0]
		if len(refs) > 1 {
			value = &tree.Node{Pos: s.Pos, Kind: tree.List, Items: refs, Usual: true}
		}
		in.Put(p.Name, value)
		made = append(made, p.Name)
	}
	if made != nil {
		shown := in
		if s.Value.InBrackets() { // which has one line
			shown = s.Value
		}
		shown.Remark("by itself: " + strings.Join(made, ", "))
		w.added = true
	}
}

// dropGone disconnects what was connected by itself to a stage that the extending file removes. The port stays open: a
// file without its denoising is not meant to go on with what was not denoised.
func (w *wirer) dropGone(s tree.Key, in *tree.Node) {
	if in == nil {
		return
	}
	gone := func(ref *tree.Node) bool {
		name := Stage(ref)
		return ref.Usual && ref.Kind == tree.Scalar && name != "cohort" && name != Settings && w.stages[name] == nil
	}
	in.Keys = slices.DeleteFunc(in.Keys, func(k tree.Key) bool {
		v := k.Value
		drop := gone(v)
		if v.Usual && v.Kind == tree.List {
			if v.Items = slices.DeleteFunc(v.Items, gone); len(v.Items) == 1 {
				*v = *v.Items[0]
			}
			drop = v.Kind == tree.List && len(v.Items) == 0
		}
		if drop {
			w.removed[w.path(s, k.Name)] = s.Pos
		}
		return drop
	})
}

// checkOpen refuses null for an input that no task of the kind has.
func (w *wirer) checkOpen(s tree.Key, kind *dag.Kind, takes []dag.Port, open map[string]bool) {
	names := lists.Map(slices.Concat(takes, kind.New().Ports().In), func(p dag.Port) string { return p.Name })
	for _, name := range slices.Sorted(maps.Keys(open)) {
		if len(names) > 0 && !slices.Contains(names, name) {
			w.bad.Add(w.removed[w.path(s, name)], "stage %s has no input %q%s", s.Name, name, words.OrAll(name, names))
		}
	}
}

func (w *wirer) path(s tree.Key, port string) string { return "stages." + s.Name + ".in." + port }

// portsOf are the input ports of a stage with the parameters that the file sets plainly.
func portsOf(kind *dag.Kind, stage *tree.Node) []dag.Port {
	work := kind.New()
	set := map[string]bool{}
	apply := func(t *tree.Node, first bool) {
		if t == nil || t.Kind != tree.Mapping {
			return
		}
		for _, k := range t.Keys {
			v := k.Value
			if first && v.Kind == tree.List && len(v.Items) > 0 {
				v = v.Items[0] // an axis: its first value
			}
			if v.Bad || v.Kind == tree.Empty || strings.Contains(v.Text, "${") {
				continue
			}
			set[k.Name] = param.Set(work, k.Name, v.Decoded()) == nil // mistakes are reported where parameters are read
		}
	}
	apply(stage.Get("with"), false)
	apply(stage.Get("matrix"), true)
	kind.SetDefaults(work, func(name string) bool { return set[name] })
	return work.Ports().In
}

// find lists the references of a port: none where nothing fits, several only of a port that takes all.
func (w *wirer) find(s tree.Key, p dag.Port, usual role.Usual, cohort bool) []*tree.Node {
	var refs []*tree.Node
	add := func(text string) {
		refs = append(refs, &tree.Node{Pos: s.Pos, Kind: tree.Scalar, Value: text, Text: text, Usual: true,
			Plain: !strings.Contains(text, "[")})
	}
	for _, from := range usual.From {
		kind, output, _ := strings.Cut(from, ".")
		switch name, _, _ := strings.Cut(kind, "["); name {
		case "cohort":
			if cohort {
				add(from)
			}
		case Settings:
			add(from)
		default:
			names := slices.DeleteFunc(slices.Clone(w.of[kind]), func(name string) bool { return name == s.Name })
			if len(names) > 1 && !usual.All {
				w.bad.Add(s.Pos, "stage %s: its input %s can take %s; write one of them: in: { %s: … }, or null for none",
					s.Name, p.Name, outputs(names, output), p.Name)
				return nil
			}
			for _, name := range names {
				if p.Gather && w.fansOut(name) {
					name += "[*]"
				}
				add(name + "." + output)
			}
		}
		if len(refs) > 0 && !usual.All {
			break
		}
	}
	return refs
}

func outputs(stages []string, output string) string {
	texts := make([]string, len(stages))
	for i, name := range stages {
		texts[i] = name + "." + output
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " or " + texts[len(texts)-1]
}

// fansOut reports whether a stage makes several tasks, as it is written or by the axes of its inputs.
func (w *wirer) fansOut(name string) bool {
	w.axes(name)
	return isGiven(w.stages[name].Get("each")) || isGiven(w.stages[name].Get("matrix"))
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
	for _, p := range portsOf(kind, t) {
		gathers[p.Name] = p.Gather
	}
	for _, k := range in.Keys {
		gather, known := gathers[k.Name]
		if !known || gather || k.Value.Kind != tree.Scalar || strings.ContainsAny(k.Value.Text, "[$") {
			continue
		}
		from, output, _ := strings.Cut(strings.TrimSpace(k.Value.Text), ".")
		if from == "cohort" && w.scans && !slices.Contains(wholeCohort, output) && !isGiven(t.Get("each")) {
			w.put(t, "each", &tree.Node{Pos: t.Pos, Kind: tree.Scalar, Value: column.Subject,
				Text: column.Subject, Plain: true})
			continue
		}
		w.axes(from)
		if each := w.stages[from].Get("each"); isGiven(each) && !isGiven(t.Get("each")) {
			w.put(t, "each", each.Copy())
		}
		w.passMatrix(t, kind, w.stages[from].Get("matrix"))
	}
}

// passMatrix gives a stage the axes of an input's matrix. A matrix that leaves out or adds combinations is left alone,
// and so is an axis that would set a parameter, unless it is the fold or the repeat, which mean the same everywhere.
func (w *wirer) passMatrix(t *tree.Node, kind *dag.Kind, matrix *tree.Node) {
	if matrix == nil || matrix.Kind != tree.Mapping || matrix.Get("exclude") != nil || matrix.Get("include") != nil {
		return
	}
	own := t.Get("matrix")
	parameters := lists.Map(param.Of(kind.New()), func(p param.Param) string { return p.Name })
	for _, axis := range matrix.Keys {
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
