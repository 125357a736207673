package diagram

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"prgnn/dag/engine"
	"prgnn/internal/markup"
)

// The measures of the picture, in pixels. The widths of letters are those of a
// common sans-serif on average; boxes leave room for wider ones.
const (
	letter    = 7.4
	lineStep  = 18.0
	boxPad    = 12.0
	boxGap    = 28.0
	layerStep = 64.0 // between the bottom of one layer and the top of the next
	margin    = 20.0
)

// SVG writes the picture as one file that needs nothing else, with colors for
// light and dark backgrounds and the states in words too.
func (d Diagram) SVG(w io.Writer) { d.write(w, svgStyle+svgDark) }

// LightSVG is for a white ground, whatever the reader's is.
func (d Diagram) LightSVG(w io.Writer) { d.write(w, svgStyle) }

func (d Diagram) write(w io.Writer, style string) {
	l := place(d, boxWidth, boxGap)
	top, tall := make([]float64, len(l.layers)), make([]float64, len(l.layers))
	y := margin
	for i, layer := range l.layers {
		top[i] = y
		for _, s := range layer {
			tall[i] = math.Max(tall[i], boxHeight(s.box))
		}
		y += tall[i] + layerStep
	}
	height := y - layerStep + margin
	width := 0.0
	for _, layer := range l.layers {
		for _, s := range layer {
			width = math.Max(width, s.x+s.w/2)
		}
	}
	width += 2 * margin
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`+"\n",
		width, height, width, height, markup.Shown("stages of "+d.name))
	fmt.Fprintf(w, "<title>%s</title>\n", markup.Shown("stages of "+d.name))
	io.WriteString(w, "<style>\n"+style+"</style>\n"+svgHead)
	middle := func(s *spot) (x, upper, lower float64) {
		h := tall[s.layer] // a bend goes straight through its layer
		if s.box != nil {
			h = boxHeight(s.box)
		}
		return s.x + margin, top[s.layer], top[s.layer] + h
	}
	for _, e := range d.arrows {
		class := "arrow"
		if e.gather {
			class = "arrow gather"
		}
		fmt.Fprintf(w, `<path class="%s" marker-end="url(#head)" d="%s"><title>%s</title></path>`+"\n",
			class, wayOf(l.paths[e], middle), markup.Shown(e.from.name+" → "+e.to.name))
	}
	for _, b := range d.boxes {
		s := l.spots[b]
		x, y, _ := middle(s)
		lines := b.lines()
		radius := 8
		if b.source {
			radius = 0
		}
		fmt.Fprintf(w, `<g class="%s"><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%d"/>`,
			stateClass(b.state), markup.Shown(strings.Join(lines, ", ")), x-s.w/2, y, s.w, boxHeight(b), radius)
		for i, line := range lines {
			class := ""
			if i == 0 {
				class = ` class="name"`
			}
			fmt.Fprintf(w, `<text%s x="%.1f" y="%.1f">%s</text>`, class, x, y+boxPad+lineStep*(float64(i)+0.7), markup.Shown(line))
		}
		io.WriteString(w, "</g>\n")
	}
	io.WriteString(w, "</svg>\n")
}

// wayOf is a smooth line through the spots of a path. Each piece leaves and
// comes in vertically.
func wayOf(path []*spot, middle func(*spot) (x, upper, lower float64)) string {
	var way strings.Builder
	x, _, y := middle(path[0])
	fmt.Fprintf(&way, "M%.1f %.1f", x, y)
	for i, s := range path[1:] {
		nx, ny, bottom := middle(s)
		if i == len(path)-2 {
			ny -= 7 // room for the head
		}
		bend := (ny - y) / 2
		fmt.Fprintf(&way, "C%.1f %.1f %.1f %.1f %.1f %.1f", x, y+bend, nx, ny-bend, nx, ny)
		x, y = nx, ny
		if s.box == nil && bottom > ny {
			fmt.Fprintf(&way, "V%.1f", bottom)
			y = bottom
		}
	}
	return way.String()
}

func boxWidth(b *box) float64 {
	widest := 0
	for _, line := range b.lines() {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	return math.Max(90, float64(widest)*letter+2*boxPad)
}

func boxHeight(b *box) float64 {
	if b == nil {
		return 0
	}
	return float64(len(b.lines()))*lineStep + 2*boxPad - 4
}

func stateClass(s engine.State) string {
	if s == "" {
		return "plain"
	}
	return string(s)
}

const svgStyle = `text { font: 13px system-ui, sans-serif; fill: #1c2126; text-anchor: middle }
.name { font-weight: 600 }
rect { stroke: #5b6670; fill: #eceff4 }
.cached rect { fill: #d5ecd8 }
.stale rect { fill: #ffe3b3 }
.unknown rect { fill: #f3eecb; stroke-dasharray: 4 3 }
.failed rect { fill: #f7cfcf }
.arrow { fill: none; stroke: #5b6670; stroke-width: 1.4 }
.gather { stroke-width: 3.2 }
#head path { fill: #5b6670 }
`

const svgDark = `@media (prefers-color-scheme: dark) {
  text { fill: #e8eaed }
  rect { stroke: #9aa5b1; fill: #2b3138 }
  .cached rect { fill: #1f4527 }
  .stale rect { fill: #5c4413 }
  .unknown rect { fill: #48431d }
  .failed rect { fill: #5e2323 }
  .arrow { stroke: #9aa5b1 }
  #head path { fill: #9aa5b1 }
}
`

const svgHead = `<defs><marker id="head" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
`
