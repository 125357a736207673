package progress

import (
	"math"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/param"
)

// A Past is what earlier runs tell of the tasks of a graph.
type Past struct {
	last    map[string]*dag.TaskRecord
	changed func(*dag.Node) []dag.Difference
	// work is a task's stage as it was when it last ran; nil where that is not known.
	work func(*dag.Node) dag.Stage
	// members is how many inputs the task had at a port when it last ran; 0 where that is not known.
	members func(n *dag.Node, port string) int

	loads [2]map[string]load // now and then, by task without the participant
	ports map[string]map[string]dag.Port
}

// Remember reads the recorded runs of a graph's pipeline.
func Remember(g *dag.Graph, s *artifacts.Store) *Past {
	p := &Past{}
	p.last, p.changed = dag.LastRan(g, s)
	recipes := map[*dag.Node]*dag.Recipe{}
	recipe := func(n *dag.Node) *dag.Recipe {
		r, known := recipes[n]
		if t := p.last[n.ID]; !known && t != nil {
			if a, err := s.Lookup(t.Key); err == nil {
				if read, err := dag.ReadRecipe(a.Recipe); err == nil && read.Kind == n.Stage.Kind.Name {
					r = &read
				}
			}
			recipes[n] = r
		}
		return r
	}
	p.work = func(n *dag.Node) dag.Stage {
		if r := recipe(n); r != nil {
			if work, err := n.Stage.Kind.Make(*r); err == nil {
				return work
			}
		}
		return nil
	}
	p.members = func(n *dag.Node, port string) (count int) {
		if r := recipe(n); r != nil {
			for _, in := range r.Inputs {
				if in.Port == port {
					count++
				}
			}
		}
		return count
	}
	return p
}

// seconds are those that each task took.
func (p *Past) seconds() map[string]float64 {
	took := make(map[string]float64, len(p.last))
	for id, t := range p.last {
		took[id] = t.Seconds
	}
	return took
}

// A load is how much a task works on.
type load struct {
	draws   float64 // arrays of each participant that reach it, in its results where these have an axis of draws
	members float64 // participants whose data come together in it, or before it
	epochs  float64 // passes over them
	learns  bool    // it goes through all of them in each pass: its time and its tables are in proportion
}

func (l load) product() float64 { return l.draws * l.members * l.epochs }

// A drawer is a Stage that says how many draws, draw 0 among them, its arrays have; a drawUser one that says how many
// graphs of each participant it learns from, of so many draws (0: not known).
type (
	drawer   interface{ DrawsOf(input int) int }
	drawUser interface {
		Graphs(draws int, of string) (int, error)
	}
)

// then and now are the two times of a load.
const (
	now = iota
	then
)

// loadOf is the load of a task. Tasks that differ in the participant alone have one in common.
func (p *Past) loadOf(n *dag.Node, when int) load {
	key := n.Stage.Name
	for _, c := range n.Coords {
		if c.Axis != "subject" && c.Axis != "run" && c.Axis != "session" {
			key += "\x00" + c.Value
		}
	}
	if l, known := p.loads[when][key]; known {
		return l
	}
	if p.loads[when] == nil {
		p.loads[when] = map[string]load{}
	}
	work := n.Work
	if past := p.work(n); when == then && past != nil {
		work = past
	}
	l := load{draws: 1, members: 1, epochs: 1}
	drawn := 0.0 // at the ports that have an axis of draws
	for _, b := range n.Inputs {
		port := p.port(n, b.Port)
		if port.Gate != "" || len(b.Sources) == 0 || b.Sources[0].Node == nil {
			continue
		}
		before := p.loadOf(b.Sources[0].Node, when)
		l.draws = max(l.draws, before.draws)
		if hasDraws(port.Type) {
			drawn = max(drawn, before.draws)
		}
		members := 1.0
		if port.Gather && hasSubject(b.Sources[0].Coords) {
			members = float64(len(b.Sources))
			if past := p.members(n, b.Port); when == then && past > 0 {
				members = float64(past)
			}
		}
		l.members = max(l.members, before.members, members)
	}
	if d, ok := work.(drawer); ok {
		if draws := d.DrawsOf(int(drawn)); draws > 0 {
			l.draws = float64(draws)
		}
	}
	if u, ok := work.(drawUser); ok && drawn > 0 {
		if graphs, err := u.Graphs(int(drawn), ""); err == nil {
			l.draws, l.learns = float64(graphs), true
		}
		for _, p := range param.Of(work) {
			if epochs, whole := p.Default.(int); p.Name == "epochs" && whole {
				l.epochs = float64(max(epochs, 1))
			}
		}
	}
	p.loads[when][key] = l
	return l
}

// port is an input port of a task's kind, or an output port.
func (p *Past) port(n *dag.Node, name string) dag.Port {
	ports, known := p.ports[n.Stage.Name]
	if !known {
		ports = map[string]dag.Port{}
		of := n.Work.Ports()
		for _, port := range of.In {
			ports[port.Name] = port
		}
		for _, port := range of.Out {
			ports["→"+port.Name] = port
		}
		if p.ports == nil {
			p.ports = map[string]map[string]dag.Port{}
		}
		p.ports[n.Stage.Name] = ports
	}
	return ports[name]
}

func hasDraws(t dag.Type) bool { return len(t.Axes) > 0 && t.Axes[0] == "draw" }

func hasSubject(coords []dag.Coord) bool {
	for _, c := range coords {
		if c.Axis == "subject" {
			return true
		}
	}
	return false
}

// A span is an estimate: no less than low, and no more than high, where the time or the size may grow in proportion or
// stay as it was.
type span struct{ low, high float64 }

func (s span) plus(t span) span { return span{s.low + t.low, s.high + t.high} }

// stretch multiplies an earlier value by a factor that may apply in full, in part or not at all.
func stretch(value, factor float64, proportional bool) span {
	if proportional {
		return span{value * factor, value * factor}
	}
	return span{value * min(1, factor), value * max(1, factor)}
}

// factor is by how much the load of a task has grown since it last ran.
func (p *Past) factor(n *dag.Node) (factor float64, proportional bool) {
	a, b := p.loadOf(n, then), p.loadOf(n, now)
	return b.product() / a.product(), b.learns
}

// needs are the time (s) and the size (bytes) of a task's results, by when it last ran.
func (p *Past) needs(n *dag.Node, seen map[artifacts.Digest]bool) (time, size span, known bool) {
	t := p.last[n.ID]
	if t == nil {
		return time, size, false
	}
	factor, proportional := p.factor(n)
	draws := p.loadOf(n, now).draws / p.loadOf(n, then).draws
	for _, out := range t.Outputs {
		if seen[out.Ref.Digest] { // the store has one copy
			continue
		}
		seen[out.Ref.Digest] = true
		bytes := float64(out.Ref.Size)
		switch port := p.port(n, "→"+out.Name); {
		case hasDraws(port.Type):
			size = size.plus(stretch(bytes, draws, true))
		case port.Type.Axes != nil: // the store may have it: the bytes are often the same
			size.high += bytes
		case proportional:
			size = size.plus(stretch(bytes, factor, true))
		case port.Type.Format == "": // of a command
			size = size.plus(stretch(bytes, factor, false))
		default: // a table or a picture of participants, not of their draws
			size.high += stretch(bytes, factor/draws, false).high
		}
	}
	return stretch(t.Seconds, factor, proportional), size, true
}

// counted reports whether the load of a task tells of a parameter that has changed.
func (p *Past) counted(n *dag.Node, name string) bool {
	if p.work(n) == nil {
		return false
	}
	_, draws := n.Work.(drawer)
	learns := p.loadOf(n, now).learns
	return name == "draws" && (draws || learns) || name == "epochs" && learns
}

// A taken is what a task takes.
type taken struct{ time, size span }

// each is what the tasks to run need that have run before, and the mean of each stage.
func (p *Past) each(steps []dag.Step) (known map[*dag.Node]taken, means map[string]taken) {
	known, means = map[*dag.Node]taken{}, map[string]taken{}
	n, seen := map[string]float64{}, map[artifacts.Digest]bool{}
	add := func(node *dag.Node, seen map[artifacts.Digest]bool) (of taken, there bool) {
		if of.time, of.size, there = p.needs(node, seen); !there {
			return of, false
		}
		stage, sum := node.Stage.Name, means[node.Stage.Name]
		means[stage], n[stage] = taken{sum.time.plus(of.time), sum.size.plus(of.size)}, n[stage]+1
		return of, true
	}
	for _, s := range steps {
		if s.State != dag.Stale && s.State != dag.Unknown {
			if s.State == dag.Cached {
				add(s.Node, map[artifacts.Digest]bool{})
			}
			continue
		}
		if of, there := add(s.Node, seen); there {
			known[s.Node] = of
		}
	}
	for id, t := range p.last { // of stages whose tasks had other names
		stage := dag.StageOf(id)
		if known := means[stage]; known == (taken{}) || n[stage] < 0 {
			bytes := 0.0
			for _, out := range t.Outputs {
				bytes += float64(out.Size)
			}
			means[stage] = taken{known.time.plus(span{t.Seconds, t.Seconds}), known.size.plus(span{bytes, bytes})}
			n[stage]--
		}
	}
	for stage, sum := range means {
		k := 1 / math.Abs(n[stage])
		means[stage] = taken{span{k * sum.time.low, k * sum.time.high}, span{k * sum.size.low, k * sum.size.high}}
	}
	return known, means
}
