package chart

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Step is a box of a flow diagram, and beside the arrow below it what leaves there. The first line of each is bold.
type Step struct{ Lines, Aside []string }

// Sizes of a flow diagram.
const (
	stepWidth  = Column - 4
	betweenBox = 10 * vg.Millimeter
	asideWidth = Page - Column - betweenBox
	lineHeight = 11
	boxMargin  = 5
)

// Flow draws boxes from top to bottom, joined by arrows, and what leaves between them at the right.
func Flow(steps []Step) ours.Figure {
	f := ours.Figure{Width: Column, Height: 4}
	steps = append([]Step(nil), steps...)
	for i, s := range steps {
		steps[i] = Step{wrapped(s.Lines, stepWidth), wrapped(s.Aside, asideWidth)}
		f.Height += boxHeight(steps[i].Lines)
		if len(s.Aside) > 0 {
			f.Width = Page
		}
		if len(s.Aside) > 0 || i+1 < len(steps) {
			f.Height += gapBelow(steps[i])
		}
	}
	f.Paint = func(c draw.Canvas) {
		line := Style{Color: ours.Rule, Width: 0.9}
		left, top := c.Min.X+2, c.Max.Y-2
		middle, right := left+stepWidth/2, left+stepWidth+betweenBox
		for i, s := range steps {
			below := top - boxHeight(s.Lines)
			box(c, rect(left, below, left+stepWidth, top), s.Lines)
			top = below - gapBelow(s)
			if i+1 < len(steps) {
				arrow(c, line, vg.Point{X: middle, Y: below}, vg.Point{X: middle, Y: top})
			}
			if s.Aside != nil {
				at, half := (below+top)/2, boxHeight(s.Aside)/2
				arrow(c, line, vg.Point{X: middle, Y: at}, vg.Point{X: right, Y: at})
				if i+1 == len(steps) {
					c.StrokeLine2(line, middle, below, middle, at)
				}
				box(c, rect(right, at-half, right+asideWidth, at+half), s.Aside)
			}
		}
	}
	return f
}

func boxHeight(lines []string) vg.Length { return vg.Length(len(lines))*lineHeight + 2*boxMargin }

// gapBelow is the length of the arrow below a box.
func gapBelow(s Step) vg.Length {
	if s.Aside == nil {
		return 16
	}
	return boxHeight(s.Aside) + 8
}

// lineStyle is that of a line of a box.
func lineStyle(i int) draw.TextStyle { return ours.Style(ours.TextSize, i == 0) }

// box writes lines into a frame.
func box(c draw.Canvas, in vg.Rectangle, lines []string) {
	c.StrokeLines(Style{Color: ours.Rule, Width: 0.9}, ours.Outline(in))
	for i, text := range lines {
		at := vg.Point{X: in.Min.X + boxMargin + 1, Y: in.Max.Y - boxMargin - lineHeight*vg.Length(2*i+1)/2}
		ours.Text(c, at, text, lineStyle(i), draw.XLeft, draw.YCenter)
	}
}

// arrow is a line with a head at its end; it is upright or lies.
func arrow(c draw.Canvas, sty Style, from, to vg.Point) {
	const head = 4
	c.StrokeLine2(sty, from.X, from.Y, to.X, to.Y)
	wing := func(side vg.Length) vg.Point {
		if from.X == to.X {
			return to.Add(vg.Point{X: side, Y: head})
		}
		return to.Add(vg.Point{X: -head, Y: side})
	}
	c.FillPolygon(ours.Rule, []vg.Point{to, wing(-head / 2), wing(head / 2)})
}

// wrapped breaks lines of a box at blanks; a word that is wider than the box is broken within.
func wrapped(lines []string, width vg.Length) (out []string) {
	width -= 2*boxMargin + 2
	for i, line := range lines {
		sty, now := lineStyle(i), ""
		for _, word := range strings.Fields(line) {
			if now != "" && sty.Width(now+" "+word) <= width {
				now += " " + word
				continue
			}
			if now != "" {
				out = append(out, now)
			}
			now = ""
			for _, r := range word {
				if now != "" && sty.Width(now+string(r)) > width {
					out, now = append(out, now), ""
				}
				now += string(r)
			}
		}
		out = append(out, now)
	}
	return out
}
