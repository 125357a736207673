package pipelines

import (
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// connectChecks connects every stage that waits for checks (role.Checks) to them, in addition to what the file
// connects: no accuracy is made before a leakage check, or in spite of one. A stage whose results some check needs
// waits only for the checks that need no waiting stage; every other stage waits for all checks. So they add no circle.
func (l *loader) connectChecks() {
	users := l.users()
	var checks []*stage
	late := map[*stage]bool{}   // stages that need the results of a waiting one
	needed := map[*stage]bool{} // by a check
	for _, s := range l.stages {
		if s.input(role.Checks) != nil {
			downstream(users[s], users, late)
		}
		if _, ok := s.work.(role.Check); ok && !s.vague {
			checks = append(checks, s)
			s.upstream(needed)
		}
	}
	// The order in the file changes no task.
	slices.SortFunc(checks, func(a, b *stage) int { return strings.Compare(a.name, b.name) })
	silent := map[*stage]bool{} // checks without a table for who waits
	for _, s := range l.stages {
		if s.kind == nil || s.vague {
			continue
		}
		if p := s.input(role.Checks); p != nil {
			if pos, null := l.layers.Removed["stages."+s.name+".in."+p.Name]; null {
				l.bad.Add(pos, "stage %s: input %s cannot be null, since the stage waits for every leakage check of the file: remove this line, or the stages of the kind leakage",
					s.name, p.Name)
			}
			for _, check := range checks {
				if late[check] && needed[s] || silent[check] {
					continue
				}
				at := slices.IndexFunc(check.ports.Out, func(out dag.Port) bool {
					return dag.Fits(out.Type,
						p.Type) == nil
				})
				if silent[check] = at < 0; at < 0 {
					l.bad.Add(check.pos, "stage %s: other stages wait for it (%s), but none of its outputs fits their input %s: give it a table with the columns %s",
						check.name, s.name, p.Name, words.Some(p.Type.Columns, 8))
					continue
				}
				l.connectTo(s, p, check, check.ports.Out[at].Name, false)
			}
		}
		s.sortLinks()
	}
}

// input is the port that a stage uses in this way; nil for none.
func (s *stage) input(as role.Use) *dag.Port {
	if s.work == nil {
		return nil
	}
	at := slices.IndexFunc(s.ports.In, func(p dag.Port) bool { return p.Name == role.Port(s.work, as) })
	if at < 0 {
		return nil
	}
	return &s.ports.In[at]
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

// connectCollected connects the ports that collect tables with their columns (role.Collected): warnings reach the
// summary and the report from every stage, also from one that the file adds. What needs the stage itself is left out.
func (l *loader) connectCollected() {
	type output struct {
		of   *stage
		name string
	}
	var outs []output // with columns, in the order of the file
	columns := map[output][]string{}
	for _, s := range l.stages {
		if s.kind == nil || s.vague {
			continue
		}
		for _, out := range s.ports.Out {
			if o := (output{s, out.Name}); out.Type.Columns != nil {
				outs, columns[o] = append(outs, o), out.Type.Columns
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
			if p.Type.Columns == nil || !slices.Contains(role.Ports(s.work, role.Collected), p.Name) {
				continue
			}
			follow, taken := map[*stage]bool{}, map[output]bool{}
			downstream([]*stage{s}, users, follow)
			for _, k := range s.links {
				for _, f := range k.from {
					if k.port.Type.Columns != nil && f.producer != nil && f.producer.of != nil {
						taken[output{f.producer.of, f.output}] = true
					}
				}
			}
			lacks := func(o output) bool {
				return slices.ContainsFunc(p.Type.Columns,
					func(c string) bool { return !slices.Contains(columns[o], c) })
			}
			for _, from := range outs {
				if !lacks(from) && !follow[from.of] && !taken[from] {
					l.connectTo(s, p, from.of, from.name, true)
					users[from.of] = append(users[from.of], s)
				}
			}
		}
		s.sortLinks()
	}
}

// connectPages gives an output of the pipeline itself to every page (summary, report) with a port of this name, whether
// the file connects it or not; where another port is named, to those on which it is connected. A page must not say that
// the leakage checks passed where there are stages that they do not see, and finds by the settings the classifier of a
// permutation test, those that a fold chose from, the models that were trained on a residual, the division that a
// result comes from where there are several, the choice that it is of, and partial correlations that no stage takes.
func (l *loader) connectPages(output, where string) {
	for _, s := range l.stages {
		if s.kind == nil || !isPage(s.kind, output) {
			continue
		}
		for i := range s.nodes {
			n := s.nodes[i]
			has := func(port string) bool {
				return slices.ContainsFunc(n.Inputs(), func(b dag.Binding) bool { return b.Port == port })
			}
			if has(output) || where != "" && !has(where) {
				continue
			}
			l.build.Connect(n, output, l.settings.Tasks()[0].Output(output))
			l.settled = true
		}
	}
}

// connectEvaluations gives the settings to evaluations of models whose data were fitted to one group: such a model has
// no p.
func (l *loader) connectEvaluations() {
	const output = "settings"
	for _, s := range l.stages {
		if s.kind == nil || !slices.Contains([]string{"evaluate", "evaluate-regression"}, s.kind.Name) ||
			!s.fitsBehind(map[*stage]bool{}) {
			continue
		}
		for i := range s.nodes {
			if !slices.ContainsFunc(s.nodes[i].Inputs(), func(b dag.Binding) bool { return b.Port == output }) {
				l.build.Connect(s.nodes[i], output, l.settings.Tasks()[0].Output(output))
				l.settled = true
			}
		}
	}
}

// fitsBehind reports whether something that results of a stage depend on was fitted to one group.
func (s *stage) fitsBehind(seen map[*stage]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	for _, k := range s.links {
		if s.work == nil || slices.Contains(role.Ports(s.work, role.Aside, role.Checks), k.port.Name) {
			continue
		}
		for i := range k.from {
			p := k.from[i].producer
			if p != nil && p.of != nil && (role.FitsGroup(p.of.works) != "" || p.of.fitsBehind(seen)) {
				return true
			}
		}
	}
	return false
}

// leavesPartial reports whether a stage makes partial correlations that no stage takes. Warnings about them concern no
// result.
func (l *loader) leavesPartial(s *stage) bool {
	const output = "partial"
	if s.kind == nil || !slices.ContainsFunc(s.kind.New().Ports().Out,
		func(p dag.Port) bool { return p.Name == output }) {
		return false
	}
	return !slices.ContainsFunc(l.stages, func(other *stage) bool {
		return slices.ContainsFunc(other.links, func(k link) bool {
			return slices.ContainsFunc(k.from, func(f source) bool {
				return f.output == output && f.producer != nil && f.producer.of == s
			})
		})
	})
}

// takesTargets reports whether a stage is connected to the number to predict without what covariates explain.
func (s *stage) takesTargets() bool {
	return slices.ContainsFunc(s.links, func(k link) bool { return k.port.Name == "targets" })
}

// isPage reports whether a kind writes a page that takes this output of the pipeline itself: only pages have the port
// of unchecked stages.
func isPage(kind *dag.Kind, output string) bool {
	ports := kind.New().Ports().In
	has := func(name string) bool {
		return slices.ContainsFunc(ports, func(p dag.Port) bool { return p.Name == name })
	}
	return has(column.UncheckedPort) && has(output)
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
