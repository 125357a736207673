package pipelines

import (
	"maps"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/userfile"
)

// A producer is what a reference can name: a stage, or one of the two halves of
// the cohort (its tables, and the files of each participant).
type producer struct {
	name    string
	of      *stage // nil for the cohort
	outs    []dag.Port
	axes    []string
	members int
	unknown bool // its members could not be found out
	// text is a coordinate of a member.
	text func(member, axis int) string
	// value is where the value of a coordinate stands among those of its axis,
	// and texts are these values.
	value func(member, axis int) int32
	texts func(axis int) []string
	// source is an output of a member; nil when it has none and need not.
	source func(member int, output string, optional bool, user string) *dag.Source

	coords [][]dag.Coord // of each member, by the names of the axes; made when first asked for
	ranks  [][]int32     // of each value of each axis, in the order of gathers; likewise
}

func (l *loader) stageProducer(s *stage) *producer {
	return &producer{
		name: s.name, of: s, outs: s.ports.Out, axes: axisNames(s.axes), members: s.members,
		unknown: s.unknown || s.kind == nil,
		text:    func(m, a int) string { return s.at(m, a).text },
		value:   func(m, a int) int32 { return s.picks[m*len(s.axes)+a] },
		texts:   func(a int) []string { return s.axes[a].texts() },
		source: func(m int, output string, _ bool, _ string) *dag.Source {
			return &dag.Source{Node: s.nodes[m], Output: output}
		},
	}
}

// cohortPorts are what some cohort gives and another does not: an optional
// input that asks for one that is not there stays unconnected, so that a
// pipeline can change its cohort and nothing else.
var cohortPorts = []string{"bold", "labels", "confounds", "series", "truth", "transform", "warp", "mask", "within",
	"weights", "realignment", "reference", "registration", "fieldmap", "fieldmap_transform", "sidecar",
	"confounds_sidecar", "components", "component_table", "events", "inventory", "layout"}

// missedPorts are those of cohortPorts that a person would miss: it is said when
// they stay unconnected. That a cohort has no transform means that it needs none.
var missedPorts = []string{"bold", "labels", "confounds", "series"}

// A cohortGraph is what the cohort adds to the graph.
type cohortGraph struct {
	build   *dag.Builder
	values  *dag.StageNode
	members *dag.StageNode // tasks that make a participant's files, or say why they cannot be had
	axis    string         // that the members span
	root    string         // from which the files of participants are named
	needed  map[string]*dag.Node
	lacks   map[string][]string // participant → what is missing, and who needs it
}

func (l *loader) cohortProducers(pos dag.Pos) []*producer {
	r := l.roster
	work, err := newCohortValues(r)
	if err != nil {
		l.bad.Add(pos, "%v", err)
		return nil
	}
	kind := cohortKindOf
	if r.Make != nil {
		kind = makingKind(r)
	}
	g := &cohortGraph{
		build:   l.build,
		values:  l.build.Stage("cohort", cohortKindOf),
		members: l.build.Stage("cohort", kind, r.AxisName()),
		axis:    r.AxisName(),
		root:    r.Root,
		needed:  map[string]*dag.Node{}, lacks: map[string][]string{},
	}
	l.cohortNodes = g
	l.build.Locate(g.values, pos)
	l.build.Locate(g.members, pos)
	node := l.build.Task(g.values, work)
	whole := &producer{
		name: "cohort", outs: work.ports, members: 1,
		source: func(_ int, output string, _ bool, _ string) *dag.Source {
			return &dag.Source{Node: node, Output: output}
		},
	}
	ids := lists.Map(r.Subjects, func(s cohort.Subject) string { return s.ID })
	each := &producer{
		name: "cohort", axes: []string{g.axis}, members: len(r.Subjects),
		text:  func(m, _ int) string { return ids[m] },
		value: func(m, _ int) int32 { return int32(m) },
		texts: func(int) []string { return ids },
	}
	subject := func(m int) (*cohort.Subject, map[string]string) {
		return &r.Subjects[m], r.Subjects[m].Files
	}
	if r.PerRun {
		subject = each.fanOverRuns(r, ids)
	}
	if r.Make != nil {
		l.makeSubjects(each, g)
	} else {
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			each.outs = append(each.outs, dag.Port{Name: name, Type: r.Files[name]})
		}
		for _, name := range slices.Sorted(maps.Keys(r.Values)) {
			each.outs = append(each.outs, dag.Port{Name: name, Type: r.Values[name]})
		}
		each.source = func(m int, output string, optional bool, user string) *dag.Source {
			s, files := subject(m)
			if _, known := r.Values[output]; known {
				return &dag.Source{Node: l.knownValues(g, s, pos), Output: output}
			}
			return g.file(s, files, output, r.Files[output].Format, optional, user)
		}
		for i := range r.Subjects {
			if s := &r.Subjects[i]; s.Problem != nil {
				l.build.Refuse(g.problem(s), s.Problem)
			}
		}
	}
	return []*producer{whole, each}
}

// makingKind is the kind of the tasks that make the files of a cohort.
func makingKind(r *cohort.Roster) *dag.Kind {
	kind, ok := dag.Lookup(r.MakeKind)
	if !ok {
		panic("pipelines: the cohort's files are made by a kind that is not registered: " + r.MakeKind)
	}
	return kind
}

// makeSubjects makes the tasks of a cohort that makes its own files.
func (l *loader) makeSubjects(p *producer, g *cohortGraph) {
	r := l.roster
	nodes := make([]*dag.Node, len(r.Subjects))
	for i, s := range r.Subjects {
		nodes[i] = l.build.Task(g.members, r.Make(s.ID), s.ID)
		l.build.Refuse(nodes[i], s.Problem)
	}
	p.outs = nodes[0].Instance().Ports().Out
	p.source = func(m int, output string, _ bool, _ string) *dag.Source {
		return &dag.Source{Node: nodes[m], Output: output}
	}
}

// fanOverRuns makes the members of the cohort the runs of its participants. It gives
// the way from a member to its participant and files.
func (p *producer) fanOverRuns(r *cohort.Roster, ids []string) func(member int) (*cohort.Subject, map[string]string) {
	type member struct{ subject, run, name int32 }
	var members []member
	var names []string
	for i, s := range r.Subjects {
		for j, name := range s.RunNames() {
			at := slices.Index(names, name)
			if at < 0 {
				at = len(names)
				names = append(names, name)
			}
			members = append(members, member{int32(i), int32(j), int32(at)})
		}
	}
	p.axes, p.members = []string{"subject", r.PartAxis()}, len(members)
	p.texts = func(axis int) []string { return [][]string{ids, names}[axis] }
	p.value = func(m, axis int) int32 { return [2]int32{members[m].subject, members[m].name}[axis] }
	p.text = func(m, axis int) string { return p.texts(axis)[p.value(m, axis)] }
	return func(m int) (*cohort.Subject, map[string]string) {
		s := &r.Subjects[members[m].subject]
		if len(s.Runs) == 0 {
			return s, nil
		}
		return s, s.Runs[members[m].run].Files
	}
}

// file is a file of a participant's. Where there is none, the task that needs
// it waits for one that fails and says so, once for each participant.
func (g *cohortGraph) file(s *cohort.Subject, files map[string]string, port, format string, optional bool,
	user string) *dag.Source {
	path, there := files[port]
	switch {
	case s.Problem != nil:
		return &dag.Source{Node: g.problem(s), Output: port}
	case there:
		return &dag.Source{File: path, Name: userfile.NameIn(g.root, path), Format: format}
	case optional:
		return nil
	}
	if lack := port + ", which " + user + " needs"; !slices.Contains(g.lacks[s.ID], lack) {
		g.lacks[s.ID] = append(g.lacks[s.ID], lack)
	}
	return &dag.Source{Node: g.problem(s), Output: port}
}

// problem is the task that stands for what a participant does not have.
func (g *cohortGraph) problem(s *cohort.Subject) *dag.Node {
	n := g.needed[s.ID]
	if n == nil {
		n = g.build.Task(g.members, &cohortValues{}, s.ID)
		g.needed[s.ID] = n
	}
	return n
}

// knownValues is the task of what is known of a member when the cohort is loaded; of one for
// whom nothing can be done, the task that says so.
func (l *loader) knownValues(g *cohortGraph, s *cohort.Subject, pos dag.Pos) *dag.Node {
	n := g.problem(s)
	if work := n.Instance().(*cohortValues); n.Problem() == nil && work.outputs == nil {
		work.outputs, work.refs = dag.Outputs{}, artifacts.Refs{}
		for _, name := range slices.Sorted(maps.Keys(s.Values)) {
			if err := work.add(name, s.Values[name], "the row of a task"); err != nil {
				l.bad.Add(pos, "%v", err)
			}
		}
	}
	return n
}
