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
	for _, s := range l.stages {
		if s.kind != nil && !s.vague {
			gates[s.kind.Name] = append(gates[s.kind.Name], s)
		}
	}
	early, needed := map[*stage]bool{}, map[string]map[*stage]bool{} // by kind of gate
	for kind, of := range gates {
		// The order in the file changes no task.
		slices.SortFunc(of, func(a, b *stage) int { return strings.Compare(a.name, b.name) })
		needed[kind] = map[*stage]bool{}
		for _, gate := range of {
			upstream := map[*stage]bool{}
			gate.upstream(upstream)
			early[gate] = true
			for s := range upstream {
				needed[kind][s] = true
				early[gate] = early[gate] && (s == gate || !s.gated())
			}
		}
	}
	for _, s := range l.stages {
		if s.kind == nil || s.vague {
			continue
		}
		for i := range s.ports.In {
			p := &s.ports.In[i]
			for _, gate := range gates[p.Gate] {
				if p.Gate != "" && (early[gate] || !needed[p.Gate][s]) {
					l.connectTo(s, p, gate, gate.ports.Out[0].Name, false)
				}
			}
		}
		s.sortLinks()
	}
}

// gated reports whether a stage has a port that is a gate.
func (s *stage) gated() bool {
	return slices.ContainsFunc(s.ports.In, func(p dag.Port) bool { return p.Gate != "" })
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
	for _, s := range l.stages {
		if s.kind == nil || s.vague {
			continue
		}
		for i := range s.ports.In {
			p := &s.ports.In[i]
			for _, from := range l.stages {
				if p.Collect == "" || from.kind == nil || from.vague || from.follows(s) {
					continue
				}
				for _, out := range from.ports.Out {
					if slices.Contains(out.Type.Columns, p.Collect) && !s.takes(from, out.Name) {
						l.connectTo(s, p, from, out.Name, true)
					}
				}
			}
		}
		s.sortLinks()
	}
}

// follows reports whether a stage is another one, or needs its results.
func (s *stage) follows(other *stage) bool {
	upstream := map[*stage]bool{}
	s.upstream(upstream)
	return upstream[other]
}

// takes reports whether some input of a stage is connected to an output.
func (s *stage) takes(from *stage, output string) bool {
	return slices.ContainsFunc(s.links, func(k link) bool {
		return slices.ContainsFunc(k.from, func(f source) bool {
			return f.producer != nil && f.producer.of == from && f.output == output
		})
	})
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
