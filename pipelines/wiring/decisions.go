package wiring

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/numeric/random"
	"prgnn/pipelines/tree"
	"prgnn/stages/role"
)

// A Decision is one choice of an analysis: an axis whose values are its options.
type Decision struct {
	Name    string
	Pos     dag.Pos
	Options []Option
}

// An Option sets parameters of stages.
type Option struct {
	Name string
	Pos  dag.Pos
	Sets []Setting
}

// A Setting is one parameter that an option sets.
type Setting struct {
	Stage, Parameter string
	Pos              dag.Pos
	Value            *tree.Node
}

// Option is the place of an option; −1 where the decision has none of that name.
func (d *Decision) Option(name string) int {
	return slices.IndexFunc(d.Options, func(o Option) bool { return o.Name == name })
}

// Names are those of the options.
func (d *Decision) Names() []string {
	return lists.Map(d.Options, func(o Option) string { return o.Name })
}

// Of are the settings of an option in one stage.
func (o *Option) Of(stage string) (sets []Setting) {
	for _, s := range o.Sets {
		if s.Stage == stage {
			sets = append(sets, s)
		}
	}
	return sets
}

// Sets reports whether an option sets a parameter of a stage.
func (d *Decision) Sets(stage, parameter string) bool {
	return slices.ContainsFunc(d.Options, func(o Option) bool {
		return slices.ContainsFunc(o.Of(stage), func(s Setting) bool { return s.Parameter == parameter })
	})
}

// Universes are the combinations of the decisions that are analyzed.
type Universes struct {
	Decisions []Decision
	Rows      [][]int32 // the place of an option for each decision, the last one running fastest
	Excluded  int       // by not
	Left      int       // that sample did not draw
}

// Name is DECISION=OPTION for each decision, by the names of the decisions: their order in the file does not matter.
func (u *Universes) Name(row int) string {
	parts := make([]string, len(u.Decisions))
	for i, at := range u.Rows[row] {
		parts[i] = u.Decisions[i].Name + "=" + u.Decisions[i].Options[at].Name
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

const (
	decisionsKey = "decisions"
	notKey       = "not"     // lists combinations that are excluded
	sampleKey    = "sample"  // the number of universes that are drawn
	becauseKey   = "because" // of a combination that is excluded
	all          = "all"     // the options of a decision, in a matrix
)

// taken are the names that no decision may have: of its own keys, of coordinates, and of divisions into folds.
var taken = []string{notKey, sampleKey, becauseKey, "stage", "subject", "run", "session", "fold", "repeat",
	"permutation",
	"universe"}

// optionForm is how an option is called: its name stands in names of tasks, of universes and on command lines.
var optionForm = pattern.New(`^[A-Za-z0-9_.+-]{1,100}$`)

// Decisions reads the decisions of a file. Its variables may still be open.
func Decisions(root *tree.Node, bad *tree.Mistakes) (all []Decision) {
	t := root.Get(decisionsKey)
	if t == nil || t.Bad || t.Kind == tree.Empty {
		return nil
	}
	if t.Kind != tree.Mapping {
		bad.Add(t.Pos, "decisions must be a mapping of decisions to their options, not %s", t)
		return nil
	}
	r := decisionReader{root.Get("stages"), t, bad}
	setBy := map[string]string{}
	for _, k := range t.Keys {
		switch {
		case k.Name == notKey || k.Name == sampleKey:
			continue
		case slices.Contains(taken, k.Name):
			bad.Add(k.Pos, "a decision cannot be named %s", k.Name)
			continue
		case !tree.IsName(k.Name):
			bad.Add(k.Pos, "a decision cannot be named %q: use %s", k.Name, tree.NameRule)
			continue
		case k.Value.Bad:
			continue
		}
		d := Decision{Name: k.Name, Pos: k.Pos, Options: r.options(k)}
		for _, o := range d.Options {
			for _, s := range o.Sets {
				path := s.Stage + "." + s.Parameter
				if by, twice := setBy[path]; twice && by != d.Name {
					bad.Add(s.Pos, "decision %s: %s is set by the decision %s already", d.Name, path, by)
				}
				setBy[path] = d.Name
			}
		}
		if len(d.Options) > 0 {
			all = append(all, d)
		}
	}
	return all
}

type decisionReader struct {
	stages, decisions *tree.Node
	bad               *tree.Mistakes
}

// options reads OPTION: { STAGE.PARAMETER: value, … }, or STAGE.PARAMETER: [values], or [values] of the parameter that
// has the name of the decision.
func (r *decisionReader) options(k tree.Key) (all []Option) {
	switch t := k.Value; {
	case t.Kind == tree.List:
		var of []string
		for _, s := range keysIn(r.stages) {
			if kind, ok := dag.Lookup(Kind(s.Value)); ok && hasParameter(kind, k.Name) {
				of = append(of, s.Name+"."+k.Name)
			}
		}
		if len(of) != 1 {
			found := "no stage has a parameter of that name"
			if len(of) > 1 {
				found = words.Some(of, 8) + " have that name"
			}
			r.bad.Add(t.Pos, "decision %s: a list has the values of the one parameter with the name of the decision, but %s; "+
				"write %[1]s: { STAGE.PARAMETER: [ … ] }", k.Name, found)
			return nil
		}
		return r.values(k.Name, of[0], k.Pos, t)
	case t.Kind == tree.Mapping && len(t.Keys) == 1 && t.Keys[0].Value.Kind == tree.List:
		return r.values(k.Name, t.Keys[0].Name, t.Keys[0].Pos, t.Keys[0].Value)
	case t.Kind == tree.Mapping && len(t.Keys) > 0:
		for _, o := range t.Keys {
			if o.Value.Bad {
				continue
			}
			if o.Value.Kind != tree.Mapping {
				r.bad.Add(o.Value.Pos, "decision %s: option %s must be a mapping such as { STAGE.PARAMETER: value }, not %s; "+
					"{} leaves every parameter as it is", k.Name, o.Name, o.Value)
				continue
			}
			option := Option{Name: o.Name, Pos: o.Pos}
			fine := r.named(k.Name, o.Name, o.Pos)
			for _, s := range o.Value.Keys {
				if set, ok := r.setting(k.Name, s.Name, s.Pos, s.Value); ok {
					option.Sets = append(option.Sets, set)
				}
			}
			if fine {
				all = append(all, option)
			}
		}
		return all
	default:
		r.bad.Add(t.Pos, "decision %s must have options: { OPTION: { STAGE.PARAMETER: value } }, or { STAGE.PARAMETER: [ values ] }, not %s",
			k.Name, t)
		return nil
	}
}

// values are the options that each have one value of a parameter.
func (r *decisionReader) values(decision, path string, pos dag.Pos, t *tree.Node) (all []Option) {
	for _, item := range t.Items {
		text, ok := ValueText(item)
		if item.Bad || !r.named(decision, text, item.Pos) {
			continue
		}
		set, fine := r.setting(decision, path, pos, item)
		if !ok || !fine {
			if !ok {
				r.bad.Add(item.Pos, "decision %s: a value must be a number, text, true or false, or a list of these, not %s", decision, item)
			}
			continue
		}
		if slices.ContainsFunc(all, func(o Option) bool { return o.Name == text }) {
			r.bad.Add(item.Pos, "decision %s has the option %s twice", decision, text)
			continue
		}
		all = append(all, Option{Name: text, Pos: item.Pos, Sets: []Setting{set}})
	}
	if len(t.Items) == 0 {
		r.bad.Add(t.Pos, "decision %s has no options", decision)
	}
	return all
}

func (r *decisionReader) named(decision, option string, pos dag.Pos) bool {
	if !optionForm.MatchString(option) {
		r.bad.Add(pos, "decision %s: an option cannot be named %q: use letters, digits, _, -, + and ., at most 100; "+
			"write OPTION: { STAGE.PARAMETER: value } to name it", decision, option)
		return false
	}
	return true
}

// setting reads a path STAGE.PARAMETER.
func (r *decisionReader) setting(decision, path string, pos dag.Pos, value *tree.Node) (Setting, bool) {
	stage, parameter, dotted := strings.Cut(path, ".")
	refuse := func(format string, args ...any) (Setting, bool) {
		r.bad.Add(pos, "decision "+decision+": "+format, args...)
		return Setting{}, false
	}
	switch {
	case stage == "cohort":
		return refuse("%s: the cohort is read once for all universes; an option sets parameters of stages", path)
	case !dotted:
		return refuse("%q is no path; write STAGE.PARAMETER", path)
	}
	t := r.stages.Get(stage)
	if t == nil {
		return refuse("there is no stage %q%s", stage, words.OrAll(stage, keys(r.stages)))
	}
	kind, ok := dag.Lookup(Kind(t))
	switch {
	case !ok:
		return Setting{}, false // which is reported at the stage
	case !hasParameter(kind, parameter):
		return refuse("stage %s has no parameter %q%s", stage, parameter, words.OrAll(parameter, lists.Map(param.Of(kind.New()),
			func(p param.Param) string { return p.Name })))
	case t.Get("matrix").Get(parameter) != nil && r.decisions.Get(parameter) == nil:
		return refuse("%s is also an axis of the matrix of stage %s: set it in one place only", path, stage)
	}
	return Setting{Stage: stage, Parameter: parameter, Pos: pos, Value: value}, true
}

func hasParameter(kind *dag.Kind, name string) bool {
	return slices.ContainsFunc(param.Of(kind.New()), func(p param.Param) bool { return p.Name == name })
}

func keys(t *tree.Node) []string {
	return lists.Map(keysIn(t), func(k tree.Key) string { return k.Name })
}

func keysIn(t *tree.Node) []tree.Key {
	if t == nil {
		return nil
	}
	return t.Keys
}

// ReadUniverses combines the decisions of a file: all combinations without those that not excludes, and of these as
// many
// as sample draws. most is how many combinations there may be.
func ReadUniverses(root *tree.Node, decisions []Decision, seed uint64, most int, bad *tree.Mistakes) *Universes {
	u := &Universes{Decisions: decisions}
	t := root.Get(decisionsKey)
	if len(decisions) == 0 {
		return u
	}
	product := 1
	for _, d := range decisions {
		if product *= len(d.Options); product > most {
			bad.Add(d.Pos, "the decisions have more than %d combinations", most)
			return u
		}
	}
	excluded := u.readNot(t.Get(notKey), bad)
	row := make([]int32, len(decisions))
	used := make([]bool, len(excluded))
	for range product {
		out := false
		for i, e := range excluded {
			if e.has(row) {
				out, used[i] = true, true
			}
		}
		if out {
			u.Excluded++
		} else {
			u.Rows = append(u.Rows, slices.Clone(row))
		}
		for i := len(row) - 1; i >= 0; i-- {
			if row[i]++; int(row[i]) < len(decisions[i].Options) {
				break
			}
			row[i] = 0
		}
	}
	if len(u.Rows) == 0 {
		bad.Add(t.Get(notKey).Pos, "decisions: not excludes every universe")
	}
	u.draw(t.Get(sampleKey), seed, bad)
	return u
}

// A combination has for each decision the options that it means; nil means all.
type combination [][]int32

func (c combination) has(row []int32) bool {
	for i, options := range c {
		if options != nil && !slices.Contains(options, row[i]) {
			return false
		}
	}
	return true
}

func (u *Universes) readNot(t *tree.Node, bad *tree.Mistakes) (all []combination) {
	if t == nil || t.Bad || t.Kind == tree.Empty {
		return nil
	}
	const form = "{ DECISION: OPTION, DECISION: [OPTION, OPTION], because: TEXT }"
	if t.Kind != tree.List {
		bad.Add(t.Pos, "decisions: not must be a list of combinations such as [%s], not %s", form, t)
		return nil
	}
	for _, item := range t.Items {
		if item.Bad {
			continue
		}
		if item.Kind != tree.Mapping {
			bad.Add(item.Pos, "decisions: not must hold combinations such as %s, not %s", form, item)
			continue
		}
		c, named, before := make(combination, len(u.Decisions)), 0, len(bad.List)
		for _, k := range item.Keys {
			if k.Name == becauseKey {
				if k.Value.Kind != tree.Scalar && !k.Value.Bad {
					bad.Add(k.Value.Pos, "decisions: because must be a text, not %s", k.Value)
				}
				continue
			}
			named++
			at := slices.IndexFunc(u.Decisions, func(d Decision) bool { return d.Name == k.Name })
			if at < 0 {
				bad.Add(k.Pos, "decisions: not: there is no decision %q%s", k.Name, words.OrAll(k.Name,
					lists.Map(u.Decisions, func(d Decision) string { return d.Name })))
				continue
			}
			d := &u.Decisions[at]
			options := []*tree.Node{k.Value}
			if k.Value.Kind == tree.List {
				options = k.Value.Items
			}
			c[at] = []int32{}
			for _, o := range options {
				text, _ := ValueText(o)
				place := d.Option(text)
				if place < 0 && !o.Bad {
					bad.Add(o.Pos, "decisions: not: decision %s has no option %q%s", d.Name, text, words.OrAll(text, d.Names()))
				}
				c[at] = append(c[at], int32(place))
			}
		}
		if named == 0 {
			bad.Add(item.Pos, "decisions: not: a combination states at least one decision: %s", form)
		}
		if len(bad.List) == before {
			all = append(all, c)
		}
	}
	return all
}

// draw keeps as many universes as sample states. Each has a random number of its own, from the seed and its name, so an
// option that is added changes no order among the universes that were there.
func (u *Universes) draw(t *tree.Node, seed uint64, bad *tree.Mistakes) {
	if t == nil || t.Bad || t.Kind == tree.Empty {
		return
	}
	n, whole := t.Value.(int)
	if !whole || n < 1 {
		bad.Add(t.Pos, "decisions: sample must be an integer from 1, the number of universes, not %s", t)
		return
	}
	if n >= len(u.Rows) {
		return
	}
	u.Left = len(u.Rows) - n
	type drawn struct {
		row    []int32
		number uint64
	}
	order := make([]drawn, len(u.Rows))
	for i, row := range u.Rows {
		order[i] = drawn{row, random.New(seed, "universe", u.Name(i)).Uint64()}
	}
	slices.SortStableFunc(order, func(a, b drawn) int { return cmp.Compare(a.number, b.number) })
	u.Rows = lists.Map(order[:n], func(d drawn) []int32 { return d.row })
	slices.SortFunc(u.Rows, slices.Compare)
}

// Project gives the combinations of options that universes have on some axes: each once, and −1 for an axis that is no
// decision. place finds the place of an option on its axis, where it may be missing; nil: the axis is no decision.
func (u *Universes) Project(place []func(option string) (int32, bool), names []string) [][]int32 {
	of := lists.Map(names, func(name string) int {
		return slices.IndexFunc(u.Decisions, func(d Decision) bool { return d.Name == name })
	})
	all, seen := [][]int32{}, sets{}
universes:
	for _, chosen := range u.Rows {
		row := slices.Repeat([]int32{-1}, len(names))
		for i, d := range of {
			if place[i] == nil {
				continue
			}
			at, there := place[i](u.Decisions[d].Options[chosen[d]].Name)
			if !there {
				continue universes
			}
			row[i] = at
		}
		if !seen.match(row) {
			seen.add(row)
			all = append(all, row)
		}
	}
	return all
}

// Summary is one line about the universes and the tasks of a graph that several of them share; "" without decisions.
func (u *Universes) Summary(g *dag.Graph) string {
	if len(u.Decisions) == 0 {
		return ""
	}
	parts := lists.Map(u.Decisions, func(d Decision) string { return fmt.Sprintf("%s %d", d.Name, len(d.Options)) })
	text := fmt.Sprintf("universes: %d (%s", len(u.Rows), strings.Join(parts, " × "))
	if u.Excluded > 0 {
		text += fmt.Sprintf(", %d excluded", u.Excluded)
	}
	if u.Left > 0 {
		text += fmt.Sprintf(", %d not in the sample", u.Left)
	}
	tasks, shared := u.sharing(g)
	return fmt.Sprintf("%s), %s, %d shared by several universes", text, words.Count(tasks, "task"), shared)
}

// sharing counts the tasks, and those that serve more than one universe.
func (u *Universes) sharing(g *dag.Graph) (tasks, shared int) {
	serve := map[string]int{} // by the options of a task
	for _, s := range g.Stages() {
		for _, n := range s.Tasks() {
			want := slices.Repeat([]int32{-1}, len(u.Decisions))
			for _, c := range n.Coords() {
				if at := slices.IndexFunc(u.Decisions, func(d Decision) bool { return d.Name == c.Axis }); at >= 0 {
					want[at] = int32(u.Decisions[at].Option(c.Value))
				}
			}
			key := fmt.Sprint(want)
			count, known := serve[key]
			if !known {
				one := newSets([][]int32{want})
				for _, row := range u.Rows {
					if one.match(row) {
						count++
					}
				}
				serve[key] = count
			}
			tasks++
			if count > 1 {
				shared++
			}
		}
	}
	return tasks, shared
}

// Sample is where a file states the number of universes, or nil.
func Sample(root *tree.Node) *tree.Node { return root.Get(decisionsKey).Get(sampleKey) }

// decided are the decisions that a stage fans out over: those that set a parameter of it, those of its matrix, and
// those
// of its inputs, as long as each input is of one universe. An input that gathers results, such as the predictions of
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
			sets := slices.ContainsFunc(d.Options, func(o Option) bool { return o.Of(name) != nil })
			has[d.Name] = sets || t.Get("matrix").Get(d.Name) != nil
		}
		if kind, ok := dag.Lookup(Kind(t)); ok {
			for _, from := range w.sameUniverse(kind, t) {
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
func (w *wirer) sameUniverse(kind *dag.Kind, t *tree.Node) (refs []*tree.Node) {
	in := t.Get("in")
	if in == nil {
		return nil
	}
	one := role.Ports(kind.New(), role.OneSetting)
	gathers := map[string]bool{}
	for _, p := range portsOf(kind, t).In {
		gathers[p.Name] = p.Gather && !slices.Contains(one, p.Name)
	}
	for _, k := range in.Keys {
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

// ValueText is the canonical text of an axis value: numbers in their shortest
// form, the elements of a list joined by -.
func ValueText(t *tree.Node) (string, bool) {
	switch t.Kind {
	case tree.Scalar:
		x, isFloat := t.Value.(float64)
		return ScalarText(t.Value), !isFloat || !math.IsNaN(x) && !math.IsInf(x, 0)
	case tree.List:
		texts := make([]string, len(t.Items))
		for i, item := range t.Items {
			text, ok := ValueText(item)
			if !ok || item.Kind != tree.Scalar {
				return "", false
			}
			texts[i] = text
		}
		return strings.Join(texts, "-"), len(texts) > 0
	}
	return "", false
}

// ScalarText is the canonical text of a number, text or Boolean.
func ScalarText(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x+0, 'g', -1, 64) // −0 + 0 is 0
	}
	return fmt.Sprint(v)
}
