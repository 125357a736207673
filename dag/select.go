package dag

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag/selector"
	"prgnn/internal/words"
)

// Select finds the tasks that patterns describe, in the order of the graph.
//
//	train[fold=2]         those whose fold is 2
//	graph[sub-003]        a value alone is that of the bare axis, or of the only axis
//	graph[sub-00*]        * stands for any text, ? for any one character, outside quotes
//	*[universe=a=1 b=2]   those with a=1 and b=2, as far as they have these axes, and at least one of them
func (g *Graph) Select(patterns ...string) ([]*Node, error) {
	chosen := map[*Node]bool{}
	for _, text := range patterns {
		p, err := parsePattern(text)
		if err != nil {
			return nil, err
		}
		if err := g.checkUniverse(p); err != nil {
			return nil, fmt.Errorf("there is no task %q: %w", text, err)
		}
		some := false
		for _, s := range g.stages {
			if !selector.Glob(p.stage, s.name) {
				continue
			}
			for _, t := range s.tasks {
				if p.matches(t, g.bare) {
					chosen[t], some = true, true
				}
			}
		}
		if !some {
			return nil, g.noMatch(text, p)
		}
	}
	var nodes []*Node
	for _, s := range g.stages {
		for _, t := range s.tasks {
			if chosen[t] {
				nodes = append(nodes, t)
			}
		}
	}
	return nodes, nil
}

func (g *Graph) noMatch(text string, p pattern) error {
	var names, ids []string
	known, one, several := false, false, false
	for _, s := range g.stages {
		names = append(names, s.name)
		known = known || selector.Glob(p.stage, s.name)
		for _, t := range s.tasks {
			ids, one = append(ids, t.id), one || t.id == p.stage
			several = several || s.name == p.stage && t.id != p.stage
		}
	}
	for _, c := range append(p.coords, wanted{Coord: Coord{Value: p.stage}}) {
		if why := g.absent[c.Value]; why != "" {
			return fmt.Errorf("there is no task %q: %s takes no part (%s)", text, c.Value, why)
		}
	}
	if why := g.independent(text, p); why != "" {
		return fmt.Errorf("there is no task %q: %s", text, why)
	}
	near, of := words.Nearest(p.stage, names), "stage"
	if known {
		near, of = cmp.Or(g.unquoted(text), words.Nearest(text, ids)), "task"
	}
	switch {
	case strings.Contains(near, `"`) && !strings.Contains(near, "'"): // as a shell takes it
		return fmt.Errorf("there is no %s %q (did you mean '%s'?)", of, text, near)
	case near != "":
		return fmt.Errorf("there is no %s %q (did you mean %q?)", of, text, near)
	case one && !several:
		return fmt.Errorf("there is no task %q: %s is one task, without [ ]", text, p.stage)
	case known:
		return fmt.Errorf("there is no task %q", text)
	}
	return fmt.Errorf("there is no stage %q; available: %s", text, strings.Join(slices.Compact(names), ", "))
}

// independent is why no stage of a pattern has the axes that it asks for, although others have them, and how its tasks
// are addressed; "" where that is not so.
func (g *Graph) independent(text string, p pattern) string {
	var stages, axes []string
	for _, s := range g.stages {
		if selector.Glob(p.stage, s.name) && len(s.tasks) > 0 {
			stages = append(stages, s.name)
			for _, c := range s.tasks[0].coords {
				axes = append(axes, c.Axis)
			}
		}
	}
	lacks := func(axis string) bool {
		return !slices.Contains(axes, axis) && g.hasValue(func(string) bool { return true }, axis)
	}
	var of, rest []string
	_, inner, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	for i, part := range selector.Split(inner) {
		switch c := p.coords; {
		case i >= len(c):
		case c[i].Axis == "universe" && !slices.Contains(axes, c[i].Axis):
			for _, one := range strings.Fields(c[i].Value) {
				axis, _, _ := strings.Cut(one, "=")
				if !lacks(axis) {
					return "" // isOf asks for one of them only
				}
				of = append(of, axis)
			}
		case lacks(c[i].Axis):
			of = append(of, c[i].Axis)
		default:
			rest = append(rest, part)
		}
	}
	if of == nil || stages == nil {
		return ""
	}
	does, write, has := "does", p.stage, ""
	if len(stages) > 1 {
		does = "do"
	}
	if rest != nil {
		write += "[" + strings.Join(rest, ",") + "]"
	}
	if slices.Sort(axes); axes != nil {
		has = " (axes: " + strings.Join(slices.Compact(axes), ", ") + ")"
	}
	return fmt.Sprintf("%s %s not depend on %s, so the same tasks are part of all of its options: write %s%s",
		strings.Join(stages, ", "), does, strings.Join(of, ", "), write, has)
}

// unquoted is the name of the task that a text is without quotes around its values; "" for none.
func (g *Graph) unquoted(text string) string {
	for t := range g.Tasks() {
		inner, is := strings.CutPrefix(text, t.stage.name+"[")
		if !is || len(t.coords) == 0 {
			continue
		}
		var all, values []string
		for _, c := range t.coords {
			all, values = append(all, c.Axis+"="+c.Value), append(values, c.Value)
			if c.Axis == g.bare {
				all = append([]string{c.Value}, all[:len(all)-1]...)
			}
		}
		inner = strings.TrimSuffix(inner, "]")
		if inner == strings.Join(all, ",") || len(values) == 1 && (inner == values[0] ||
			inner == t.coords[0].Axis+"="+values[0]) {
			return t.id
		}
	}
	return ""
}

// A pattern is one argument of Select, taken apart.
type pattern struct {
	stage  string
	coords []wanted
}

// A wanted coordinate has the axis "" for a value alone. An exact one stood in quotes, and has no wildcards.
type wanted struct {
	Coord
	exact bool
}

func (w wanted) fits(value string) bool {
	return w.exact && w.Value == value || !w.exact && selector.Glob(w.Value, value)
}

// CoordsOf are the coordinates in the name of a task, as TaskID writes them.
func CoordsOf(task, bare string) (coords []Coord, err error) {
	p, err := parsePattern(task)
	for _, c := range p.coords {
		coords = append(coords, Coord{cmp.Or(c.Axis, bare), c.Value})
	}
	return coords, err
}

func parsePattern(text string) (pattern, error) {
	stage, rest, has := strings.Cut(text, "[")
	p := pattern{stage: strings.TrimSpace(stage)}
	if !has {
		return p, nil
	}
	if !strings.HasSuffix(rest, "]") {
		return p, fmt.Errorf("task %q: the bracket is not closed", text)
	}
	for _, part := range selector.Split(rest[:len(rest)-1]) {
		c := wanted{Coord: Coord{Value: strings.TrimSpace(part)}}
		if axis, value, ok := strings.Cut(part, "="); ok && !strings.ContainsAny(axis, `"[`) {
			c.Coord = Coord{Axis: strings.TrimSpace(axis), Value: strings.TrimSpace(value)}
		}
		if strings.HasPrefix(c.Value, `"`) {
			v, err := strconv.Unquote(c.Value)
			if err != nil {
				return p, fmt.Errorf("task %q: %s is not quoted", text, c.Value)
			}
			c.Value, c.exact = v, true
		}
		p.coords = append(p.coords, c)
	}
	return p, nil
}

func (p pattern) matches(n *Node, bare string) bool {
	for _, want := range p.coords {
		if want.Axis == "universe" && !slices.ContainsFunc(n.coords,
			func(c Coord) bool { return c.Axis == want.Axis }) {
			if !isOf(n, want.Value) {
				return false
			}
			continue
		}
		found := want == wanted{Coord: Coord{Value: "*"}} && len(n.coords) > 0 // all members, as in a pipeline file
		for _, c := range n.coords {
			axisFits := want.Axis == c.Axis || want.Axis == "" && (c.Axis == bare || len(n.coords) == 1)
			found = found || axisFits && want.fits(c.Value)
		}
		if !found {
			return false
		}
	}
	return true
}

// checkUniverse refuses a universe that is not there, since the tasks that have only some of its axes would fit it.
func (g *Graph) checkUniverse(p pattern) error {
	for _, want := range p.coords {
		if want.Axis != "universe" || g.hasValue(want.fits, want.Axis) {
			continue
		}
		if g.universe != nil {
			if err := g.universe(want.Value); err != nil {
				return err
			}
			continue
		}
		for _, part := range strings.Fields(want.Value) {
			axis, value, _ := strings.Cut(part, "=")
			if !g.hasValue(func(of string) bool { return selector.Glob(value, of) }, axis) {
				return fmt.Errorf("no task has %s", part)
			}
		}
	}
	return nil
}

// hasValue reports whether some task has a value that fits on an axis.
func (g *Graph) hasValue(fits func(value string) bool, axis string) bool {
	for n := range g.Tasks() {
		if slices.ContainsFunc(n.coords, func(c Coord) bool { return c.Axis == axis && fits(c.Value) }) {
			return true
		}
	}
	return false
}

// isOf reports whether a task is of a universe, AXIS=VALUE AXIS=VALUE …: it has one of the axes, and no other value.
func isOf(n *Node, universe string) (is bool) {
	for _, part := range strings.Fields(universe) {
		axis, value, _ := strings.Cut(part, "=")
		for _, c := range n.coords {
			if c.Axis == axis {
				if !selector.Glob(value, c.Value) {
					return false
				}
				is = true
			}
		}
	}
	return is
}
