package pipelines

import (
	"slices"
	"strings"

	"prgnn/dag"
)

// connectGates connects the gates (dag.Port.Gate) of every stage, in addition to what
// the file connects: no accuracy is made before a leakage check, or in spite of one. A
// stage whose results some check needs waits only for the checks that need no gated
// stage; every other stage waits for all checks. So the gates add no circle.
func (l *loader) connectGates() {
	gates := map[string][]*stage{} // kind → its stages
	users := l.users()
	late := map[*stage]bool{} // stages that need the results of a gated one
	for _, s := range l.stages {
		for _, p := range s.ports.In {
			if p.Gate != "" {
				gates[p.Gate] = nil
				downstream(users[s], users, late)
			}
		}
	}
	for _, s := range l.stages {
		if s.kind != nil && !s.vague {
			if of, is := gates[s.kind.Name]; is {
				gates[s.kind.Name] = append(of, s)
			}
		}
	}
	needed := map[string]map[*stage]bool{} // by kind of gate
	for kind, of := range gates {
		// The order in the file changes no task.
		slices.SortFunc(of, func(a, b *stage) int { return strings.Compare(a.name, b.name) })
		needed[kind] = map[*stage]bool{}
		for _, gate := range of {
			gate.upstream(needed[kind])
		}
	}
	for _, s := range l.stages {
		if s.kind == nil || s.vague {
			continue
		}
		for i := range s.ports.In {
			p := &s.ports.In[i]
			for _, gate := range gates[p.Gate] {
				if !late[gate] || !needed[p.Gate][s] {
					l.connectTo(s, p, gate, gate.ports.Out[0].Name, false)
				}
			}
		}
		s.sortLinks()
	}
}

// users are the stages that need the results of each.
func (l *loader) users() map[*stage][]*stage {
	users := map[*stage][]*stage{}
	for _, s := range l.stages {
		for _, k := range s.links {
			for i := range k.from {
				if p := k.from[i].producer; p != nil && p.of != nil {
					users[p.of] = append(users[p.of], s)
				}
			}
		}
	}
	return users
}

// downstream adds stages, and every stage that needs their results.
func downstream(of []*stage, users map[*stage][]*stage, found map[*stage]bool) {
	for _, s := range of {
		if !found[s] {
			found[s] = true
			downstream(users[s], users, found)
		}
	}
}

// upstream adds a stage and every stage whose results it needs.
func (s *stage) upstream(found map[*stage]bool) {
	if found[s] {
		return
	}
	found[s] = true
	for _, k := range s.links {
		for i := range k.from {
			if p := k.from[i].producer; p != nil && p.of != nil {
				p.of.upstream(found)
			}
		}
	}
}

// connectCollected connects the ports that collect tables with a column (dag.Port.Collect): warnings reach the summary
// and the report from every stage, also from one that the file adds. What needs the stage itself is left out.
func (l *loader) connectCollected() {
	type output struct {
		of   *stage
		name string
	}
	with := map[string][]output{} // by column, in the order of the file
	for _, s := range l.stages {
		if s.kind == nil || s.vague {
			continue
		}
		for _, out := range s.ports.Out {
			for _, column := range out.Type.Columns {
				with[column] = append(with[column], output{s, out.Name})
			}
		}
	}
	users := l.users()
	for _, s := range l.stages {
		if s.kind == nil || s.vague {
			continue
		}
		for i := range s.ports.In {
			p := &s.ports.In[i]
			if p.Collect == "" || with[p.Collect] == nil {
				continue
			}
			follow, taken := map[*stage]bool{}, map[output]bool{}
			downstream([]*stage{s}, users, follow)
			for _, k := range s.links {
				for _, f := range k.from {
					if f.producer != nil && f.producer.of != nil {
						taken[output{f.producer.of, f.output}] = true
					}
				}
			}
			for _, from := range with[p.Collect] {
				if !follow[from.of] && !taken[from] {
					l.connectTo(s, p, from.of, from.name, true)
					users[from.of] = append(users[from.of], s)
				}
			}
		}
		s.sortLinks()
	}
}

// connectTo adds all members of a stage to a port, unless they are there. named: each carries the name of its stage.
func (l *loader) connectTo(s *stage, p *dag.Port, to *stage, output string, named bool) {
	from := l.producers[to.name][0]
	at := slices.IndexFunc(s.links, func(k link) bool { return k.port == p })
	there := func(f source) bool { return f.producer == from && f.output == output }
	if at >= 0 && slices.ContainsFunc(s.links[at].from, there) {
		return
	}
	fans := len(from.axes) > 0
	src := source{ref: ref{pos: s.pos, text: to.name, stage: to.name, gather: fans, picked: fans},
		producer: from, output: output}
	if !l.matchAxes(s, p, &src, "stage "+s.name+": input "+p.Name) {
		s.loose = true
		return
	}
	if at < 0 {
		at = len(s.links)
		s.links = append(s.links, link{port: p, stage: named})
	}
	s.links[at].from = append(s.links[at].from, src)
}

// sortLinks puts the links of a stage in the order of its ports.
func (s *stage) sortLinks() {
	place := func(p *dag.Port) int {
		return slices.IndexFunc(s.ports.In, func(q dag.Port) bool { return q.Name == p.Name })
	}
	slices.SortFunc(s.links, func(a, b link) int { return place(a.port) - place(b.port) })
}
