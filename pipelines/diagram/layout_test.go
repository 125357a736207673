package diagram

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prgnn/dag/engine"
	"prgnn/internal/need"
)

// drawingOf makes boxes named by letters and arrows between them, "ab" from a to b.
func drawingOf(n int, arrows ...string) Diagram {
	d := Diagram{name: "test"}
	for i := range n {
		d.boxes = append(d.boxes, &box{name: string(rune('a' + i)), kind: "echo", tasks: 1})
	}
	for _, e := range arrows {
		d.arrows = append(d.arrows, arrow{from: d.boxes[e[0]-'a'], to: d.boxes[e[1]-'a']})
	}
	return d
}

func TestLayoutUncrosses(t *testing.T) {
	// Drawn in the order of the boxes, a→e and b→d would cross.
	d := drawingOf(5, "ae", "bd", "cd", "ac")
	l := place(d, func(*box) float64 { return 50 }, 10)
	need.Equal(t, crossings(l), 0, "crossings in a graph that has a plane drawing")
}

// crossings counts pairs of arrows that cross between two layers.
func crossings(l *layout) (n int) {
	for _, layer := range l.layers {
		for i, a := range layer {
			for _, b := range layer[i+1:] {
				for _, x := range a.down {
					for _, y := range b.down {
						if x.x > y.x {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// TestLayoutProperties: arrows point down, boxes of a layer keep their gap, all
// lie to the right of zero, and the same graph gives the same places.
func TestLayoutProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "boxes")
		var arrows []string
		for i := range n {
			for j := i + 1; j < n; j++ {
				if rapid.Float64Range(0, 1).Draw(t, "p") < 0.3 {
					arrows = append(arrows, string(rune('a'+i))+string(rune('a'+j)))
				}
			}
		}
		const gap = 7
		width := func(b *box) float64 { return 20 + float64(b.name[0]-'a') }
		d := drawingOf(n, arrows...)
		l := place(d, width, gap)
		for _, e := range d.arrows {
			if l.spots[e.from].layer >= l.spots[e.to].layer {
				t.Fatalf("%s → %s does not point down", e.from.name, e.to.name)
			}
			path := l.paths[e]
			for i := 1; i < len(path); i++ {
				if path[i].layer != path[i-1].layer+1 {
					t.Fatalf("%s → %s jumps a layer", e.from.name, e.to.name)
				}
			}
		}
		for _, layer := range l.layers {
			for i, s := range layer {
				if s.x-s.w/2 < -1e-9 {
					t.Fatalf("a box at %g", s.x)
				}
				if i > 0 && s.x-s.w/2 < layer[i-1].x+layer[i-1].w/2+gap-1e-9 {
					t.Fatalf("two boxes of a layer overlap")
				}
			}
		}
		again := place(d, width, gap)
		for _, b := range d.boxes {
			if l.spots[b].x != again.spots[b].x {
				t.Fatal("the same graph was laid out differently")
			}
		}
	})
}

func TestDrawings(t *testing.T) {
	d := drawingOf(2, "ab")
	d.boxes[0].name = `<a> & "b"` // names come from the user's file
	d.boxes[0].tasks, d.boxes[0].state = 12, engine.Stale
	d.boxes[0].states = map[engine.State]int{engine.Stale: 2, engine.Cached: 10}
	d.arrows[0].gather = true

	var svg bytes.Buffer
	d.SVG(&svg)
	x := xml.NewDecoder(&svg)
	var text strings.Builder
	rects := 0
	for {
		tok, err := x.Token()
		if err == io.EOF {
			break
		}
		need.NoError(t, err, "the svg is not XML")
		switch e := tok.(type) {
		case xml.StartElement:
			if e.Name.Local == "rect" {
				rects++
			}
		case xml.CharData:
			text.Write(e)
		}
	}
	if rects != 2 {
		t.Errorf("%d boxes, want 2", rects)
	}
	for _, want := range []string{`<a> & "b"`, "echo × 12", "10 cached, 2 stale"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the svg does not say %q", want)
		}
	}

	var dot, mermaid strings.Builder
	d.DOT(&dot)
	wantDot := "digraph \"test\" {\n" +
		"  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n" +
		"  \"<a> & \\\"b\\\"\" [label=\"<a> & \\\"b\\\"\\necho × 12\\n10 cached, 2 stale\", fillcolor=\"#ffe3b3\"];\n" +
		"  \"b\" [label=\"b\\necho\", fillcolor=\"#eceff4\"];\n" +
		"  \"<a> & \\\"b\\\"\" -> \"b\" [color=\"black:invis:black\"];\n}\n"
	if dot.String() != wantDot {
		t.Errorf("dot: got\n%s\nwant\n%s", dot.String(), wantDot)
	}
	d.Mermaid(&mermaid)
	wantMermaid := "flowchart TD\n  %% stages of test\n" +
		"  s0[\"#lt;a#gt; & #quot;b#quot;<br/>echo × 12<br/>10 cached, 2 stale\"]\n" +
		"  s1[\"b<br/>echo\"]\n  s0 ==> s1\n  class s0 stale\n" +
		fmt.Sprintf("  classDef stale fill:%s,stroke:#555,color:#111\n", fills[engine.Stale])
	if mermaid.String() != wantMermaid {
		t.Errorf("mermaid: got\n%s\nwant\n%s", mermaid.String(), wantMermaid)
	}
}

// TestReduced: the same boxes can be reached, and no arrow could be spared.
func TestReduced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "boxes")
		var arrows []string
		for i := range n {
			for j := i + 1; j < n; j++ {
				if rapid.Bool().Draw(t, "arrow") {
					arrows = append(arrows, string(rune('a'+i))+string(rune('a'+j)))
				}
			}
		}
		// Warshall's closure, without one arrow or with all.
		closure := func(arrows []arrow, without int) (c [9][9]bool) {
			for i, e := range arrows {
				if i != without {
					c[e.from.name[0]-'a'][e.to.name[0]-'a'] = true
				}
			}
			for k := range c {
				for i := range c {
					for j := range c {
						c[i][j] = c[i][j] || c[i][k] && c[k][j]
					}
				}
			}
			return c
		}
		d := drawingOf(n, arrows...)
		few := d.Reduced().arrows
		if closure(d.arrows, -1) != closure(few, -1) {
			t.Fatalf("of %q only %d arrows are left, which lead elsewhere", arrows, len(few))
		}
		for i := range few {
			if closure(few, i) == closure(few, -1) {
				t.Fatalf("of %q, %s → %s could be spared", arrows, few[i].from.name, few[i].to.name)
			}
		}
	})
}
