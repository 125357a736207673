package wiring

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/selector"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/random"
	"prgnn/pipelines/tree"
	"prgnn/stages/column"
)

// Universes are the combinations of the decisions that are analyzed.
type Universes struct {
	Decisions []Decision
	Rows      [][]int32 // the place of an option for each decision, the last one running fastest
	Not       []column.Not
	Left      int  // that sample did not draw
	Unseeded  bool // the file has no seed, which sample needs
	Note      string
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

// Check refuses a text DECISION=OPTION … that no universe fits. Options may have wildcards; decisions may be missing.
func (u *Universes) Check(text string) error {
	fits := make(combination, len(u.Decisions))
	for _, part := range strings.Fields(text) {
		name, option, has := strings.Cut(part, "=")
		if !has {
			return fmt.Errorf("%q is no option of a decision: write universe=DECISION=OPTION", part)
		}
		at := slices.IndexFunc(u.Decisions, func(d Decision) bool { return d.Name == name })
		if at < 0 {
			return fmt.Errorf("there is no decision %q%s", name, words.OrAll(name,
				lists.Map(u.Decisions, func(d Decision) string { return d.Name })))
		}
		d, before := &u.Decisions[at], fits[at]
		fits[at] = []int32{}
		known := false
		for i, o := range d.Names() {
			if selector.Glob(option, o) {
				known = true
				if before == nil || slices.Contains(before, int32(i)) {
					fits[at] = append(fits[at], int32(i))
				}
			}
		}
		if !known {
			return fmt.Errorf("decision %s has no option %q%s", name, option, words.OrAll(option, d.Names()))
		}
	}
	if !slices.ContainsFunc(u.Rows, fits.has) {
		return fmt.Errorf("no universe has %s: pipeline plan --json lists them", text)
	}
	return nil
}

// Excluded is how many universes not excludes.
func (u *Universes) Excluded() (n int) {
	for _, not := range u.Not {
		n += not.Number
	}
	return n
}

// Reasons are the lines of Summary about the universes that not excludes.
func (u *Universes) Reasons() []string {
	return lists.Map(u.Not, func(n column.Not) string {
		text := fmt.Sprintf("excluded: %s (%d)", strings.Join(lists.Map(n.Of, func(o column.NotOptions) string {
			return o.Decision + "=" + strings.Join(o.Options, "|")
		}), " "), n.Number)
		if n.Because != "" {
			text += ", because: " + n.Because
		}
		return text
	})
}

// ReadUniverses combines the decisions of a file: all combinations without those that not excludes, and of these as
// many as sample draws. most is how many combinations there may be.
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
	for range product {
		if at := slices.IndexFunc(excluded, func(c combination) bool { return c.has(row) }); at >= 0 {
			u.Not[at].Number++
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
	u.draw(t.Get(sampleKey), seed, u.headline(root), bad)
	return u
}

// headline is the combination that the headline of the file means; nil for none.
func (u *Universes) headline(root *tree.Node) combination {
	for _, k := range keysIn(root.Get("stages")) {
		given := k.Value.Get("with").Get("headline")
		if given == nil || given.Kind != tree.List ||
			Kind(k.Value) != "multiverse" && !slices.Contains(pages, Kind(k.Value)) {
			continue
		}
		c, some := make(combination, len(u.Decisions)), false
		for _, item := range given.Items {
			name, option, _ := strings.Cut(item.Text, "=")
			at := slices.IndexFunc(u.Decisions, func(d Decision) bool { return d.Name == strings.TrimSpace(name) })
			if at >= 0 {
				c[at], some = []int32{int32(u.Decisions[at].Option(strings.TrimSpace(option)))}, true
			}
		}
		if some {
			return c
		}
	}
	return nil
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
		c, not, before := make(combination, len(u.Decisions)), column.Not{}, len(bad.List)
		for _, k := range item.Keys {
			if k.Name == becauseKey {
				if k.Value.Kind != tree.Scalar && !k.Value.Bad {
					bad.Add(k.Value.Pos, "decisions: because must be a text, not %s", k.Value)
				}
				not.Because = fmt.Sprint(k.Value.Value)
				continue
			}
			at := slices.IndexFunc(u.Decisions, func(d Decision) bool { return d.Name == k.Name })
			if at < 0 {
				bad.Add(k.Pos, "decisions: not: there is no decision %q%s", k.Name, words.OrAll(k.Name,
					lists.Map(u.Decisions, func(d Decision) string { return d.Name })))
				continue
			}
			d, of := &u.Decisions[at], column.NotOptions{Decision: k.Name}
			c[at] = []int32{}
			for _, o := range k.Value.Each() {
				text, _ := ValueText(o)
				place := d.Option(text)
				if place < 0 && !o.Bad {
					bad.Add(o.Pos, "decisions: not: decision %s has no option %q%s", d.Name, text, words.OrAll(text, d.Names()))
				}
				c[at], of.Options = append(c[at], int32(place)), append(of.Options, text)
			}
			not.Of = append(not.Of, of)
		}
		if not.Of == nil && len(bad.List) == before {
			bad.Add(item.Pos, "decisions: not: a combination states at least one decision: %s", form)
		}
		if len(bad.List) == before {
			all, u.Not = append(all, c), append(u.Not, not)
		}
	}
	return all
}

// draw keeps as many universes as sample states. Each has a random number of its own, from the seed and its name, so an
// option that is added changes no order among the universes that were there. That of the headline takes the last place
// if it is not among them.
func (u *Universes) draw(t *tree.Node, seed uint64, headline combination, bad *tree.Mistakes) {
	if t == nil || t.Bad || t.Kind == tree.Empty {
		return
	}
	n, whole := t.Value.(int)
	if !whole || n < 1 {
		bad.Add(t.Pos, "decisions: sample must be an integer from 1, the number of universes, not %s", t)
		return
	}
	if n >= len(u.Rows) {
		if n > len(u.Rows) && u.Rows != nil {
			u.Note = fmt.Sprintf("%s: decisions: sample is %d, but there are only %s: none is left out", t.Pos, n,
				words.Count(len(u.Rows), "universe"))
		}
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
	at := slices.IndexFunc(order, func(d drawn) bool { return headline != nil && headline.has(d.row) })
	if at >= n {
		order[n-1] = order[at]
	}
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
	if n := u.Excluded(); n > 0 {
		text += fmt.Sprintf(", %d excluded", n)
	}
	if u.Left > 0 {
		text += fmt.Sprintf(", %d not in the sample", u.Left)
	}
	tasks, shared := u.Sharing(g)
	return fmt.Sprintf("%s), %s, %d shared by several universes", text, words.Count(tasks, "task"), shared)
}

// Sharing counts the tasks, and those that serve more than one universe.
func (u *Universes) Sharing(g *dag.Graph) (tasks, shared int) {
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
