package diagram

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/words"
)

// A Diagram is the graph of stages: boxes, arrows, and how far each stage is.
type Diagram struct {
	name   string
	boxes  []*box
	arrows []arrow
}

type box struct {
	name, kind string
	tasks      int
	state      engine.State // "" when nothing is known
	states     map[engine.State]int
	source     bool // files of the user's
}

type arrow struct {
	from, to *box
	gather   bool
}

// lines are the texts in a box.
func (b *box) lines() []string {
	if b.source {
		return []string{b.name, words.Count(b.tasks, "file")}
	}
	second := b.kind
	if b.tasks != 1 {
		second += fmt.Sprintf(" × %d", b.tasks)
	}
	lines := []string{b.name, second}
	if b.state == "" {
		return lines
	}
	var parts []string
	for _, s := range []engine.State{engine.Cached, engine.Stale, engine.Unknown, engine.Failed} {
		n := b.states[s]
		word := string(s)
		if s == engine.Failed {
			word = "cannot run"
		}
		switch {
		case n == 0:
		case n == b.tasks:
			parts = append(parts, word)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return append(lines, strings.Join(parts, ", "))
}

// Of reads the graph: a box a stage, one for files of the user's, an arrow
// where anything flows.
func Of(g *dag.Graph, steps []engine.Step) Diagram {
	d := Diagram{name: g.Name()}
	boxOf := map[*dag.StageNode]*box{}
	files := &box{name: "files", source: true}
	seenFile := map[string]bool{}
	named := map[string]*box{}
	for _, s := range g.Stages() {
		b := named[s.Name()]
		if b == nil {
			b = &box{name: s.Name(), states: map[engine.State]int{}}
			named[s.Name()] = b
			d.boxes = append(d.boxes, b)
		}
		// The cohort may have two parts of one name: its tables, and the tasks that
		// make its files, whose kind says more.
		b.kind = s.Kind().Name
		b.tasks += len(s.Tasks())
		boxOf[s] = b
	}
	at := map[[2]*box]int{}
	connect := func(from, to *box, gather bool) {
		i, seen := at[[2]*box{from, to}]
		if !seen {
			i = len(d.arrows)
			at[[2]*box{from, to}] = i
			d.arrows = append(d.arrows, arrow{from: from, to: to})
		}
		d.arrows[i].gather = d.arrows[i].gather || gather
	}
	for _, s := range g.Stages() {
		gathers := map[string]bool{}
		for _, n := range s.Tasks() {
			for _, p := range n.Instance().Ports().In {
				gathers[p.Name] = p.Gather
			}
			for _, b := range n.Inputs() {
				for _, src := range b.Sources {
					if src.Node == nil {
						if !seenFile[src.File] {
							seenFile[src.File] = true
							files.tasks++
						}
						connect(files, boxOf[s], false)
					} else {
						connect(boxOf[src.Node.Stage()], boxOf[s], gathers[b.Port] && len(b.Sources) > 1)
					}
				}
			}
		}
	}
	if files.tasks > 0 {
		d.boxes = append([]*box{files}, d.boxes...)
	}
	for _, s := range steps {
		boxOf[s.Node.Stage()].states[s.State]++
	}
	for _, b := range d.boxes {
		// The state that matters most to a reader colors the box.
		for _, s := range []engine.State{engine.Failed, engine.Stale, engine.Unknown, engine.Cached} {
			if b.states[s] > 0 {
				b.state = s
				break
			}
		}
	}
	return d
}

// Reduced leaves out arrows where a longer way leads to the same box (the transitive
// reduction): what a report takes from everywhere would hide what follows from what.
func (d Diagram) Reduced() Diagram {
	next := map[*box][]*box{}
	for _, e := range d.arrows {
		next[e.from] = append(next[e.from], e.to)
	}
	var reach func(from, to *box, seen map[*box]bool) bool
	reach = func(from, to *box, seen map[*box]bool) bool {
		if from == to {
			return true
		}
		if seen[from] {
			return false
		}
		seen[from] = true
		return slices.ContainsFunc(next[from], func(b *box) bool { return reach(b, to, seen) })
	}
	out := Diagram{name: d.name, boxes: d.boxes}
	for _, e := range d.arrows {
		longer := slices.ContainsFunc(next[e.from], func(b *box) bool {
			return b != e.to && b != e.from &&
				reach(b, e.to, map[*box]bool{})
		})
		if !longer {
			out.arrows = append(out.arrows, e)
		}
	}
	return out
}

// fills are the colors of states, for light backgrounds.
var fills = map[engine.State]string{
	"":             "#eceff4",
	engine.Cached:  "#d5ecd8",
	engine.Stale:   "#ffe3b3",
	engine.Unknown: "#f3eecb",
	engine.Failed:  "#f7cfcf",
}

// IsDrawing reports whether a text is a diagram that this package wrote.
func IsDrawing(text []byte) bool {
	return bytes.HasPrefix(text, []byte("<svg ")) && bytes.Contains(text, []byte("<title>stages of ")) ||
		bytes.HasPrefix(text, []byte("digraph ")) && bytes.Contains(text, []byte(dotStyle)) ||
		bytes.HasPrefix(text, []byte(mermaidStart))
}

// dotStyle is a line of every diagram in DOT, mermaidStart what one in Mermaid begins with.
const (
	dotStyle     = `  node [shape=box, style="rounded,filled", fontname="sans-serif"];`
	mermaidStart = "flowchart TD\n  %% stages of "
)

// DOT writes the diagram in the language of Graphviz.
func (d Diagram) DOT(w io.Writer) {
	fmt.Fprintf(w, "digraph %s {\n", dotQuote(d.name))
	fmt.Fprintln(w, dotStyle)
	for _, b := range d.boxes {
		shape := ""
		if b.source {
			shape = ", shape=folder, style=filled"
		}
		fmt.Fprintf(w, "  %s [label=%s, fillcolor=%q%s];\n", dotQuote(b.name), dotQuote(strings.Join(b.lines(), "\n")), fills[b.state], shape)
	}
	for _, e := range d.arrows {
		style := ""
		if e.gather {
			style = ` [color="black:invis:black"]`
		}
		fmt.Fprintf(w, "  %s -> %s%s;\n", dotQuote(e.from.name), dotQuote(e.to.name), style)
	}
	fmt.Fprintln(w, "}")
}

func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// Mermaid writes the diagram as a Mermaid flowchart.
func (d Diagram) Mermaid(w io.Writer) {
	fmt.Fprintf(w, "%s%s\n", mermaidStart, strings.Join(strings.Fields(d.name), " "))
	id := map[*box]string{}
	for i, b := range d.boxes {
		id[b] = fmt.Sprintf("s%d", i)
		text := strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;").Replace(strings.Join(b.lines(), "\n"))
		fmt.Fprintf(w, "  %s[\"%s\"]\n", id[b], strings.ReplaceAll(text, "\n", "<br/>"))
	}
	for _, e := range d.arrows {
		line := "-->"
		if e.gather {
			line = "==>"
		}
		fmt.Fprintf(w, "  %s %s %s\n", id[e.from], line, id[e.to])
	}
	used := map[engine.State]bool{}
	for _, b := range d.boxes {
		if b.state != "" {
			fmt.Fprintf(w, "  class %s %s\n", id[b], b.state)
			used[b.state] = true
		}
	}
	for _, s := range []engine.State{engine.Cached, engine.Stale, engine.Unknown, engine.Failed} {
		if used[s] {
			fmt.Fprintf(w, "  classDef %s fill:%s,stroke:#555,color:#111\n", s, fills[s])
		}
	}
}
