package chart

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// Degrees are how many nodes of the graphs of a group have each degree, from 0.
type Degrees struct {
	Group  string
	Graphs int
	Nodes  []float64 // number of nodes by degree
}

// DegreeDistribution draws the share of nodes that have each degree, a line a group.
func DegreeDistribution(groups []Degrees) ours.Figure {
	f := ours.Figure{Width: 120 * vg.Millimeter, Height: 75 * vg.Millimeter}
	f.Paint = func(c draw.Canvas) {
		p := ours.NewPlot("", "degree (edges of a node)", "share of the nodes, %")
		p.Add(paintOn(grid))
		p.X.Min, p.Y.Min = 0, 0
		var words []string
		var strokes []draw.LineStyle
		for i, g := range groups {
			total := 0.0
			for _, n := range g.Nodes {
				total += n
			}
			var line plotter.XYs
			for d, n := range g.Nodes {
				y := 0.0
				if total > 0 {
					y = 100 * n / total
				}
				line = append(line, plotter.XY{X: float64(d), Y: y})
				p.X.Max, p.Y.Max = max(p.X.Max, float64(d)), max(p.Y.Max, 1.08*y)
			}
			style := draw.LineStyle{Color: ours.Categories[i%len(ours.Categories)], Width: 1.4,
				Dashes: dashes[i%len(dashes)]}
			p.Add(paintOn(func(c draw.Canvas, p *plot.Plot) { staircase(c, p, line, style) }))
			words, strokes = append(words, fmt.Sprintf("%s (%d graphs)", g.Group, g.Graphs)), append(strokes, style)
		}
		p.Draw(draw.Crop(c, 2, -8, 16, -4))
		key(c, vg.Point{X: c.Min.X + 34, Y: c.Min.Y + 8}, words, strokes)
	}
	return f
}

// dashes tell lines apart without their colors.
var dashes = [][]vg.Length{nil, {4, 2}, {1, 1.5}, {6, 2, 1, 2}}

// staircase draws a value for each whole number as a step of width 1 around it.
func staircase(c draw.Canvas, p *plot.Plot, line plotter.XYs, style draw.LineStyle) {
	x, y := p.Transforms(&c)
	var points []vg.Point
	for _, at := range line {
		points = append(points, vg.Point{X: x(max(at.X-0.5, p.X.Min)), Y: y(at.Y)},
			vg.Point{X: x(min(at.X+0.5, p.X.Max)), Y: y(at.Y)})
	}
	c.StrokeLines(style, points)
}
