package pipelines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
)

// graph writes out what has been checked: the cohort, then every stage after
// those it needs, and otherwise in the order of the file.
func (l *loader) graph() {
	for _, s := range l.stages {
		s.node = l.build.Stage(s.name, s.kind, axisNames(s.axes)...)
		l.build.Locate(s.node, s.pos)
		l.build.Require(s.node, s.needs)
		s.nodes = make([]*dag.Node, s.members)
		values := make([]string, len(s.axes))
		for m := range s.nodes {
			for a := range values {
				values[a] = s.at(m, a).text
			}
			s.nodes[m] = l.build.Task(s.node, s.works[m], values...)
		}
	}
	var ordered []*dag.StageNode
	placed := map[*stage]bool{}
	var place func(s *stage)
	place = func(s *stage) {
		placed[s] = true
		for _, k := range s.links {
			for i := range k.from {
				if p := k.from[i].producer; p != nil && p.of != nil && !placed[p.of] {
					place(p.of)
				}
			}
		}
		l.bind(s)
		ordered = append(ordered, s.node)
	}
	for _, s := range l.stages {
		if !placed[s] {
			place(s)
		}
	}
	l.build.Order(append(l.cohortStages(), ordered...)...)
}

// bind gives every task its inputs.
func (l *loader) bind(s *stage) {
	for i := range s.links {
		k := &s.links[i]
		if k.port.Gather {
			l.bindAll(s, k)
		} else {
			l.bindOne(s, k)
		}
	}
}

func (l *loader) bindOne(s *stage, k *link) {
	src := &k.from[0]
	slab := make([]dag.Source, s.members)
	for m := range s.nodes {
		if !k.in(m) {
			continue
		}
		if src.producer == nil {
			slab[m] = src.filesFor(m)[0]
		} else if got := src.producer.member(
			src.groups[src.group[m]][0], src.output, k.port.Optional, s.name); got != nil {
			slab[m] = *got
		} else {
			continue
		}
		l.build.Connect(s.nodes[m], k.port.Name, slab[m:m+1:m+1]...)
	}
}

func (src *source) filesFor(m int) []dag.Source { return src.files[min(m, len(src.files)-1)] }

// bindAll gathers. Tasks that gather the same members share one list of them.
func (l *loader) bindAll(s *stage, k *link) {
	lists := map[string][]dag.Source{}
	var b []byte
	for m := range s.nodes {
		if !k.in(m) {
			continue
		}
		b = b[:0]
		for i := range k.from {
			if k.from[i].producer == nil {
				b = appendInt(b, int32(min(m, len(k.from[i].files)-1)))
			} else {
				b = appendInt(b, k.from[i].group[m])
			}
		}
		all, ok := lists[string(b)]
		if !ok {
			all = l.gather(s, k, m)
			lists[string(b)] = all
		}
		if len(all) > 0 {
			l.build.Connect(s.nodes[m], k.port.Name, all...)
		}
	}
}

func (l *loader) gather(s *stage, k *link, m int) []dag.Source {
	var all []dag.Source
	for i := range k.from {
		src := &k.from[i]
		if src.producer == nil {
			all = append(all, src.filesFor(m)...)
			continue
		}
		members := slices.Clone(src.groups[src.group[m]])
		src.producer.sort(members)
		for _, member := range members {
			got := src.producer.member(member, src.output, k.port.Optional, s.name)
			if got == nil {
				continue
			}
			if k.stage {
				own := []dag.Coord{{Axis: "stage", Value: src.stage}}
				if k.several(src) && !slices.Contains(src.producer.axes, column.Output) {
					own = append(own, dag.Coord{Axis: column.Output, Value: src.output})
				}
				got.Coords = append(own, got.Coords...)
				slices.SortFunc(got.Coords, func(a, b dag.Coord) int { return strings.Compare(a.Axis, b.Axis) })
			}
			all = append(all, *got)
		}
	}
	if k.stage {
		slices.SortStableFunc(all, func(a, b dag.Source) int { return dag.CompareCoords(a.Coords, b.Coords) })
	}
	return all
}

// several reports whether a link has another output of the stage of a source, too: their coordinates have the output.
func (k *link) several(src *source) bool {
	return slices.ContainsFunc(k.from, func(other source) bool {
		return other.producer == src.producer && other.output != src.output
	})
}

// member is one output with the coordinates that it is gathered under: by the
// names of the axes, so that the order in which a file writes them is nothing
// that a result could depend on.
func (p *producer) member(m int32, output string, optional bool, user string) *dag.Source {
	got := p.source(int(m), output, optional, user)
	if got == nil || len(p.axes) == 0 {
		return got
	}
	if p.coords == nil {
		p.coords = make([][]dag.Coord, p.members)
		order := p.byName()
		slab := make([]dag.Coord, p.members*len(order))
		for i := range p.coords {
			c := slab[i*len(order) : (i+1)*len(order) : (i+1)*len(order)]
			for at, a := range order {
				c[at] = dag.Coord{Axis: p.axes[a], Value: p.text(i, a)}
			}
			p.coords[i] = c
		}
	}
	got.Coords = p.coords[m]
	return got
}

// byName are the axes in the order of their names.
func (p *producer) byName() []int {
	order := lists.UpTo(len(p.axes))
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(p.axes[a], p.axes[b]) })
	return order
}

// sort puts members in the order of dag.CompareCoords. Values are compared once
// an axis, not once a pair of members.
func (p *producer) sort(members []int32) {
	order := p.byName()
	if p.ranks == nil && len(members) > 1 {
		p.ranks = make([][]int32, len(p.axes))
		for a := range p.axes {
			texts := p.texts(a)
			places := make([]int32, len(texts))
			for i := range places {
				places[i] = int32(i)
			}
			slices.SortFunc(places, func(x, y int32) int { return dag.CompareValues(texts[x], texts[y]) })
			p.ranks[a] = make([]int32, len(texts))
			for rank, place := range places {
				p.ranks[a][place] = int32(rank)
			}
		}
	}
	slices.SortFunc(members, func(x, y int32) int {
		for _, a := range order {
			if c := cmp.Compare(p.ranks[a][p.value(int(x), a)], p.ranks[a][p.value(int(y), a)]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// cohortStages are what the cohort adds: its tables as one task, and tasks that
// make the files of a participant or say why there are none.
func (l *loader) cohortStages() []*dag.StageNode {
	g := l.cohortNodes
	if g == nil {
		return nil
	}
	if l.roster.Make == nil {
		place := map[*dag.Node]int{}
		for i, s := range l.roster.Subjects {
			n := g.needed[s.ID]
			if n == nil {
				continue
			}
			place[n] = i
			if lacks := g.lacks[s.ID]; n.Problem() == nil && lacks != nil {
				l.build.Refuse(n, fmt.Errorf("%[1]s %[2]s has no %[3]s: add it, or exclude the %[1]s (exclude: [%[4]s] under cohort)",
					l.roster.Noun(), s.ID, strings.Join(lacks, ", and no "), listed.Item(s.ID)))
			}
		}
		l.build.Sort(g.members, func(a, b *dag.Node) int { return cmp.Compare(place[a], place[b]) })
	}
	if len(g.members.Tasks()) == 0 {
		return []*dag.StageNode{g.values}
	}
	return []*dag.StageNode{g.values, g.members}
}
