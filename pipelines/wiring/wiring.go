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
	pages   bool                // those of pages, and nodes, too: the file, or one that it extends, has connect: usual
	scans   bool                // the cohort is one of participants, and not of rows
	cohort  bool                // the file has one
	seen    map[string]bool     // the stages whose axes are known, or looked for
	done    map[string]bool     // the stages whose ports are connected, or are being connected
	added   bool

	decisions []Decision
	options   *tree.Node // of the decisions, as the file has them
}

// Connect changes the tree of a file before --set and before anything is understood, and reports whether it added
// anything: what it adds stands there as if the file had it. Of files that extend another, the extended one comes
// first: without connect: usual, a stage that is added changes no connection of a stage that was there, and is
// connected to open inputs of pages only. file is the one of this turn; "" is for what --set changed. Ports that a file
// leaves open on purpose are added to removed.
func Connect(root *tree.Node, file string, removed Removed, bad *tree.Mistakes) bool {
	all := root.Get("stages")
	if root.Kind != tree.Mapping || all == nil || all.Kind != tree.Mapping {
		return false
	}
	w := &wirer{bad: bad, removed: removed, stages: map[string]*tree.Node{}, of: map[string][]string{},
		cohort: root.Get("cohort") != nil, seen: map[string]bool{}, done: map[string]bool{}}
	for _, k := range all.Keys {
		if k.Value.Kind == tree.Mapping {
			w.stages[k.Name] = k.Value
			w.of[Kind(k.Value)] = append(w.of[Kind(k.Value)], k.Name)
		}
	}
	w.scans = root.Get("cohort").Get("rows") == nil
	w.options = root.Get(decisionsKey)
	w.decisions = Decisions(root, &tree.Mistakes{}) // whose mistakes are reported where universes are made
	switch how := root.Get("connect"); {
	case how == nil || how.Bad || how.Kind == tree.Empty:
	case how.Kind == tree.Scalar && how.Text == "usual":
		w.whole, w.pages = file == "" || how.Pos.File == file, true
	default:
		bad.Add(how.Pos, "connect is %s; its one value, usual, connects optional inputs, too, to what they usually take",
			how)
	}
	for _, k := range all.Keys {
		if k.Value.Kind == tree.Mapping {
			w.ports(k)
		}
	}
	w.agree(all.Keys)
	for _, k := range all.Keys {
		w.axes(k.Name)
	}
	if file == "" { // a file that extends this one, and --set, may change the options
		w.decide(all.Keys)
	}
	if w.whole {
		w.unread(all.Keys)
	}
	return w.added
}

// Forget takes the key connect out of a file that is connected: what is kept with a run has every connection.
func Forget(root *tree.Node) {
	forget := func(t *tree.Node) {
		t.Keys = slices.DeleteFunc(t.Keys, func(k tree.Key) bool { return k.Name == "connect" })
	}
	forget(root)
	if all := root.Get("stages"); all != nil {
		for _, k := range all.Keys {
			forget(k.Value)
		}
	}
}

// between are the kinds that only change data for other stages.
var between = []string{"harmonize", "residualize", "project", "join", "sessions"}

// references are those of all inputs.
func references(stages []tree.Key) (refs []*tree.Node) {
	for _, k := range stages {
		if in := k.Value.Get("in"); in != nil {
			for _, port := range in.Keys {
				refs = append(refs, port.Value.Each()...)
			}
		}
	}
	return refs
}

// unread refuses a stage that changes data which no stage takes: a classifier of what it harmonizes is connected by
// hand.
func (w *wirer) unread(stages []tree.Key) {
	read := map[string]bool{}
	refs := references(stages)
	for _, d := range w.decisions {
		for _, o := range d.Options {
			for _, set := range o.Inputs {
				refs = append(refs, set.Value.Each()...)
			}
		}
	}
	for _, ref := range refs {
		read[Stage(ref)] = true
	}
	for _, k := range stages {
		if slices.Contains(between, Kind(k.Value)) && !read[k.Name] {
			w.bad.Add(k.Pos, "stage %s: no stage takes its outputs; write it in the stage that is to take them (in: { PORT: %s }), or remove it",
				k.Name, k.Name)
		}
	}
}

// ports connects the ports of a stage that the file leaves out. A port with null stays open.
func (w *wirer) ports(s tree.Key) {
	if w.done[s.Name] {
		return
	}
	w.done[s.Name] = true
	whole := w.whole || w.pages && slices.Contains(pages, Kind(s.Value))
	if how := s.Value.Get("connect"); how != nil && !how.Bad {
		if how.Text != "required" {
			w.bad.Add(how.Pos, "stage %s: connect is %s; its one value, required, leaves optional inputs open",
				s.Name, how)
		}
		whole = false
	}
	kind, ok := dag.Lookup(Kind(s.Value))
	in := s.Value.Get("in")
	if !ok || in != nil && in.Kind != tree.Mapping && in.Kind != tree.Empty {
		return
	}
	w.dropGone(s, in)
	in = w.chosen(s, in)
	w.chosenOrigins(s, kind)
	open := map[string]bool{}
	takes := portsOf(kind, s.Value).In
	if in != nil {
		in.Keys = slices.DeleteFunc(in.Keys, func(k tree.Key) bool {
			if k.Value.Kind == tree.Empty && !k.Value.Bad && k.Value.Text != "" {
				open[k.Name], w.removed[w.path(s, k.Name)] = true, k.Pos
			}
			return open[k.Name]
		})
	}
	w.checkOpen(s, kind, takes, open)
	if how := s.Value.Get("connect"); how != nil {
		for _, p := range takes {
			if p.Optional && in.Get(p.Name) == nil && role.UsualOf(kind.Name, p.Name).From != nil {
				w.removed[w.path(s, p.Name)] = how.Pos
			}
		}
	}
	if at := slices.IndexFunc(takes, func(p dag.Port) bool { return p.Name == folds }); at > 0 {
		takes = slices.Concat(takes[at:at+1], takes[:at], takes[at+1:]) // other inputs are of the same division
	}
	_, checks := kind.New().(role.Check)
	var made []string
	for _, p := range takes {
		usual := role.UsualOf(kind.Name, p.Name)
		_, removed := w.removed[w.path(s, p.Name)]
		if _, free := w.removed[w.path(s, p.Name)+freed]; free && len(usual.From) > 1 {
			removed = true
		}
		before := in.Get(p.Name)
		refs := w.sameOrigin(s, p, kind)
		// A check takes the folds that there are; a model without the names of its regions would accept others.
		taken := checks && p.Name == folds || w.pages && p.Name == nodes && s.Value.Get("connect") == nil
		left := p.Optional && !whole && !taken
		if removed || open[p.Name] || refs == nil && (len(usual.From) == 0 || left) {
			continue
		}
		given, siblings := w.siblings(s, usual)
		if before != nil && refs == nil {
			if usual = w.anew(before, usual, siblings && !p.Gather); len(usual.From) == 0 {
				continue
			}
		}
		if refs == nil {
			refs = w.find(s, p, before, usual, given, siblings)
		}
		if len(refs) == 0 && before != nil && siblings && !p.Gather { // of another origin
			in.Keys = slices.DeleteFunc(in.Keys, func(k tree.Key) bool { return k.Name == p.Name })
		}
		if len(refs) == 0 || before != nil && same(before, refs) {
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
		w.added = true
		if !value.Bad && before == nil {
			made = append(made, p.Name)
		}
	}
	if made != nil {
		shown := in
		if s.Value.InBrackets() { // which has one line
			shown = s.Value
		}
		shown.Remark("connected automatically: ", made)
	}
}

// chosen connects the inputs that all options of a decision connect as the first of them does: what else is connected
// by itself goes by it, and each task has the connection of its own option.
func (w *wirer) chosen(s tree.Key, in *tree.Node) *tree.Node {
	for _, d := range w.decisions {
		for _, first := range d.Options[0].InputsOf(s.Name) {
			var value *tree.Node
			for _, o := range d.Options {
				ref := o.Input(s.Name, first.Parameter)
				if ref == nil {
					value = nil
					break
				}
				if value == nil && ref.Kind != tree.Empty {
					value = ref
				}
			}
			if value == nil || in.Get(first.Parameter) != nil {
				continue
			}
			if in == nil || in.Kind == tree.Empty {
				in = &tree.Node{Pos: s.Pos, Kind: tree.Mapping}
				s.Value.Put("in", in)
			}
			in.Put(first.Parameter, value.Copy())
			w.added = true
		}
	}
	return in
}

// chosenOrigins adds to each option that connects inputs the input that states how these were made, as sameOrigin does
// in a stage.
func (w *wirer) chosenOrigins(s tree.Key, kind *dag.Kind) {
	port, of := role.OriginOf(kind.New())
	at := slices.IndexFunc(portsOf(kind, s.Value).In, func(p dag.Port) bool { return p.Name == port })
	if at < 0 || !w.whole {
		return
	}
	for i := range w.decisions {
		for j := range w.decisions[i].Options {
			d, o := &w.decisions[i], &w.decisions[i].Options[j]
			stage, connects := s.Value.Copy(), false
			in := stage.Get("in")
			if in == nil || in.Kind == tree.Empty {
				in = &tree.Node{Pos: s.Pos, Kind: tree.Mapping}
				stage.Put("in", in)
			}
			for _, set := range o.InputsOf(s.Name) {
				connects = connects || slices.Contains(of, set.Parameter)
				in.Put(set.Parameter, set.Value)
			}
			if !connects || o.Input(s.Name, port) != nil {
				continue
			}
			if before := in.Get(port); before != nil && !before.Usual {
				continue
			}
			in.Put(port, &tree.Node{Pos: s.Pos, Kind: tree.Scalar, Usual: true})
			made := tree.Key{Name: s.Name, Pos: s.Pos, Value: stage}
			for _, ref := range w.sameOrigin(made, portsOf(kind, s.Value).In[at], kind) {
				w.options.Get(d.Name).Get(o.Name).Put(s.Name+inputKey+port, ref)
				o.Inputs = append(o.Inputs, Setting{s.Name, port, o.Pos, ref})
				w.added = true
			}
		}
	}
}

// sameOrigin is the reference of an input that states how others were made (role.Origin), to the stage that made these:
// where this one, or that one, passes such a statement on, a model would else not refuse other data. What a person
// wrote
// stays. Of two stages it is the one that passes on, which can state the origin of both.
func (w *wirer) sameOrigin(s tree.Key, p dag.Port, kind *dag.Kind) []*tree.Node {
	port, of := role.OriginOf(kind.New())
	in := s.Value.Get("in")
	before := in.Get(p.Name)
	if in == nil || p.Name != port || before != nil && !before.Usual {
		return nil
	}
	var from, passing []string
	for _, k := range in.Keys {
		if !slices.Contains(of, k.Name) || k.Value.Bad || k.Value.Kind != tree.Scalar {
			continue
		}
		o := originOf(k.Value)
		made, known := dag.Lookup(Kind(w.stages[o.stage]))
		states := known && slices.ContainsFunc(portsOf(made, w.stages[o.stage]).Out, func(out dag.Port) bool {
			return out.Name == port && dag.Fits(out.Type, p.Type) == nil
		})
		text := o.stage + o.selected + "." + port
		if !states || slices.Contains(from, text) {
			continue
		}
		if from = append(from, text); role.PassesOrigin(made.New()) {
			passing = append(passing, text)
		}
	}
	if passing == nil && (role.PassesOrigin(kind.New()) || before != nil) {
		passing = from
	}
	if len(passing) != 1 {
		return nil
	}
	return []*tree.Node{{Pos: s.Pos, Kind: tree.Scalar, Value: passing[0], Text: passing[0], Usual: true,
		Plain: !strings.Contains(passing[0], "[")}}
}

// anew is what may replace a connection that an extended file made by itself: an output of the stage that the file
// states for an input of the same origin; in a file with connect: usual also all, where the input takes all, or else
// what the input prefers to what it has. What a person wrote stays.
func (w *wirer) anew(before *tree.Node, usual role.Usual, siblings bool) role.Usual {
	if !before.Usual {
		return role.Usual{}
	}
	if siblings || usual.All && w.whole {
		return usual
	}
	if !w.whole || usual.All {
		return role.Usual{}
	}
	had := Kind(w.stages[Stage(before)])
	at := slices.IndexFunc(usual.From, func(from string) bool { return strings.HasPrefix(from, had+".") })
	return role.Usual{From: usual.From[:max(at, 0)]}
}

// same reports whether a value holds these references.
func same(value *tree.Node, refs []*tree.Node) bool {
	return slices.EqualFunc(value.Each(), refs, func(a, b *tree.Node) bool { return a.Text == b.Text })
}

// dropGone disconnects what was connected by itself to a stage that the extending file removes, or replaces by one
// without such an output. The port stays open: a file without its denoising is not meant to go on with what was not
// denoised. That of a page takes what a new stage of that kind has (freed).
func (w *wirer) dropGone(s tree.Key, in *tree.Node) {
	if in == nil {
		return
	}
	ports := map[string]dag.Port{}
	if kind, known := dag.Lookup(Kind(s.Value)); known {
		for _, p := range portsOf(kind, s.Value).In {
			ports[p.Name] = p
		}
	}
	gone := func(ref *tree.Node, port string) bool {
		name := Stage(ref)
		if !ref.Usual || ref.Kind != tree.Scalar || name == "cohort" || name == Settings {
			return false
		}
		_, output, _ := strings.Cut(ref.Text[strings.LastIndex(ref.Text, "]")+1:], ".")
		kind, known := dag.Lookup(Kind(w.stages[name]))
		return w.stages[name] == nil || known && !slices.ContainsFunc(portsOf(kind, w.stages[name]).Out,
			func(p dag.Port) bool {
				return p.Name == output && (!ports[port].Optional || dag.Fits(p.Type, ports[port].Type) == nil)
			})
	}
	in.Keys = slices.DeleteFunc(in.Keys, func(k tree.Key) bool {
		v := k.Value
		drop := gone(v, k.Name)
		if v.Usual && v.Kind == tree.List {
			v.Items = slices.DeleteFunc(v.Items, func(ref *tree.Node) bool { return gone(ref, k.Name) })
			if len(v.Items) == 1 {
				*v = *v.Items[0]
			}
			drop = v.Kind == tree.List && len(v.Items) == 0
		}
		switch {
		case !drop || w.whole && role.UsualOf(Kind(s.Value), k.Name).All:
		case slices.Contains(pages, Kind(s.Value)):
			w.removed[w.path(s, k.Name)+freed] = s.Pos
		default:
			w.removed[w.path(s, k.Name)] = s.Pos
		}
		return drop
	})
}

// freed marks an input of a page whose stage a file removed. What several kinds could supply then has a note only.
const freed = " freed"

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

// portsOf are the ports of a stage with the parameters that the file sets plainly.
func portsOf(kind *dag.Kind, stage *tree.Node) dag.Ports {
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
	return work.Ports()
}

const (
	folds = "folds"
	nodes = "nodes"
)

// find lists the references of a port: none where nothing fits, several only of a port that takes all, a bad one after
// a mistake.
func (w *wirer) find(s tree.Key, p dag.Port, before *tree.Node, usual role.Usual, given []origin,
	siblings bool) []*tree.Node {
	var refs []*tree.Node
	add := func(text string) {
		refs = append(refs, &tree.Node{Pos: s.Pos, Kind: tree.Scalar, Value: text, Text: text, Usual: true,
			Plain: !strings.Contains(text, "[")})
	}
	if siblings && !usual.All { // inputs of one origin are outputs of one stage
		for _, from := range slices.Concat(usual.From, usual.Rivals) {
			kind, output, _ := strings.Cut(from, ".")
			for _, g := range given {
				if w.stages[g.stage] != nil && Kind(w.stages[g.stage]) == kind {
					add(g.stage + g.selected + "." + output)
					return refs
				}
			}
		}
		return nil
	}
	var texts []string // of what fits
	for _, from := range usual.From {
		kind, output, _ := strings.Cut(from, ".")
		switch name, _, _ := strings.Cut(kind, "["); name {
		case "cohort":
			if w.cohort {
				add(from)
			}
		case Settings:
			add(from)
		default:
			for _, name := range w.of[kind] {
				ours := !siblings || slices.ContainsFunc(given, func(g origin) bool { return g.stage == name })
				if name == s.Name || !ours || w.otherFolds(s, before, name) ||
					!w.whole && p.Optional && !p.Gather && w.fansOut(name) {
					continue
				}
				texts = append(texts, name+"."+output)
				if !p.Gather || !w.fansOut(name) {
					add(name + "." + output)
				} else {
					add(name + "[*]." + output)
				}
			}
		}
		if len(refs) > 0 && !usual.All {
			break
		}
	}
	if len(refs) == 0 || usual.All {
		return refs
	}
	for _, from := range usual.Rivals {
		kind, output, _ := strings.Cut(from, ".")
		for _, name := range w.of[kind] {
			if name != s.Name && !w.otherFolds(s, before, name) {
				texts = append(texts, name+"."+output)
			}
		}
	}
	if len(texts) > 1 && !w.whole && p.Optional {
		return nil
	}
	if len(texts) > 1 {
		w.bad.Add(s.Pos, "stage %s: its input %s can take %s or %s; write one of them: in: { %s: … }, or null for none",
			s.Name, p.Name, strings.Join(texts[:len(texts)-1], ", "), texts[len(texts)-1], p.Name)
		return []*tree.Node{{Pos: s.Pos, Bad: true}}
	}
	return refs
}

// An origin is a stage that a file states for an input, with the members that it selects: connectivity, [draw=1].
type origin struct{ stage, selected string }

// siblings are the origins of the inputs that the file states and that usually come from the kinds of this one, or from
// some of them. is reports whether there are such inputs.
func (w *wirer) siblings(s tree.Key, usual role.Usual) (of []origin, is bool) {
	in := s.Value.Get("in")
	if in == nil {
		return nil, false
	}
	kinds := func(u role.Usual) (names []string) {
		for _, from := range slices.Concat(u.From, u.Rivals) {
			name, _, _ := strings.Cut(from, ".")
			if name != "cohort" && name != "cohort[*]" && name != Settings {
				names = append(names, name)
			}
		}
		return names
	}
	own := kinds(usual)
	for _, k := range in.Keys {
		theirs := kinds(role.UsualOf(Kind(s.Value), k.Name))
		related := len(theirs) > 0 && len(own) > 0 && (within(theirs, own) || within(own, theirs))
		if !related || k.Value.Usual || k.Value.Bad {
			continue
		}
		is = true
		for _, ref := range append(slices.Clone(k.Value.Items), k.Value) {
			if ref.Kind == tree.Scalar {
				of = append(of, originOf(ref))
			}
		}
	}
	return of, is
}

func originOf(ref *tree.Node) origin {
	text := strings.TrimSpace(ref.Text)
	at := strings.IndexAny(text+".", "[.")
	end := at
	if close := strings.LastIndex(text, "]"); close > at {
		end = close + 1
	}
	return origin{text[:at], text[at:end]}
}

func within(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// otherFolds reports whether a stage belongs to another division into folds than s, or, where s has none, than what the
// input has that is looked for.
func (w *wirer) otherFolds(s tree.Key, before *tree.Node, name string) bool {
	own := s.Value.Get("in").Get(folds)
	if own == nil && before != nil {
		for _, ref := range append(slices.Clone(before.Items), before) {
			if own == nil && ref.Kind == tree.Scalar {
				own = w.stages[Stage(ref)].Get("in").Get(folds)
			}
		}
	}
	if own == nil {
		return false
	}
	w.ports(tree.Key{Name: name, Pos: w.stages[name].Pos, Value: w.stages[name]})
	other := w.stages[name].Get("in").Get(folds)
	return other != nil && Stage(own) != Stage(other)
}
