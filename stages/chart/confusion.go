package chart

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
)

// Confusion draws how often the members of each group (rows) were taken for each group
// (columns): the number, and the share of the row, which colors the cell.
func Confusion(groups []string, counts [][]float64) ours.Figure {
	n := float64(len(groups))
	x := Axis{Label: wording.Label("chart.predicted", nil), Max: n, Names: groups, Bare: true}
	y := Axis{Label: wording.Label("chart.true", nil), Max: n, Names: groups, Bare: true}
	for i := range groups {
		x.At, y.At = append(x.At, float64(i)+0.5), append(y.At, n-0.5-float64(i))
	}
	cells := Mark{Paint: func(c draw.Canvas, x, y func(float64) vg.Length) {
		for i, row := range counts {
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			for j, v := range row {
				r := rect(x(float64(j)), y(n-1-float64(i)), x(float64(j+1)), y(n-float64(i)))
				share := 0.0
				if sum > 0 {
					share = v / sum
				}
				c.SetColor(ours.Blues.At(share))
				c.Fill(r.Path())
				c.StrokeLines(Style{Color: color.White, Width: 1.5}, ours.Outline(r))
				high := r.Size().Y.Points()
				large := ours.Style(min(ours.TextSize+2, 0.4*high), true)
				small := ours.Style(min(ours.TextSize, 0.25*high), false)
				if share > 0.55 { // the pale half of the scale leaves dark text readable; the rest has white
					large.Color, small.Color = color.White, color.White
				}
				middle := r.Min.Add(r.Size().Scale(0.5))
				ours.Text(c, vg.Point{X: middle.X, Y: middle.Y}, countText(v), large, draw.XCenter, draw.YBottom)
				ours.Text(c, vg.Point{X: middle.X, Y: middle.Y - vg.Length(min(4, 0.07*high))},
					fmt.Sprintf("%.0f%%", 100*share), small,
					draw.XCenter, draw.YTop)
			}
		}
	}}
	return Plot{Rows: [][]Panel{{{X: x, Y: y, Marks: []Mark{cells}, Blank: true}}}, Width: Column,
		Height: []vg.Length{0.7 * Column}}.Figure()
}

func countText(v float64) string {
	if v == float64(int(v)) {
		return fmt.Sprint(int(v))
	}
	return fmt.Sprintf("%.1f", v)
}
