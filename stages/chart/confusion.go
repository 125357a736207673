package chart

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// Confusion draws how often the members of each group (rows) were taken for each group
// (columns): the number, and the share of the row, which colors the cell.
func Confusion(groups []string, counts [][]float64) ours.Figure {
	n := len(groups)
	f := ours.Figure{Width: column, Height: column}
	f.Paint = func(c draw.Canvas) {
		p := ours.NewPlot("", "predicted group", "true group")
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(n), 0, float64(n)
		var at, up []float64
		for i := range n {
			at, up = append(at, float64(i)+0.5), append(up, float64(n-1-i)+0.5)
		}
		p.X.Tick.Marker, p.Y.Tick.Marker = ticks(at, groups), ticks(up, groups)
		p.X.Tick.Length, p.Y.Tick.Length = 0, 0
		p.X.LineStyle.Width, p.Y.LineStyle.Width = 0, 0
		p.Add(paintOn(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			for i, row := range counts {
				sum := 0.0
				for _, v := range row {
					sum += v
				}
				for j, v := range row {
					r := vg.Rectangle{Min: vg.Point{X: x(float64(j)), Y: y(float64(n - 1 - i))},
						Max: vg.Point{X: x(float64(j + 1)), Y: y(float64(n - i))}}
					share := 0.0
					if sum > 0 {
						share = v / sum
					}
					// The pale half of the scale leaves dark text readable; the rest has white.
					c.SetColor(blues.At(share))
					c.Fill(r.Path())
					c.StrokeLines(draw.LineStyle{Color: color.White, Width: 1.5},
						[]vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
					ink := color.Color(ours.Ink)
					if share > 0.55 {
						ink = color.White
					}
					middle := vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
					large, small := ours.Style(16, true), ours.Style(ours.LabelSize, false)
					large.Color, small.Color = ink, ink
					ours.Text(c, vg.Point{X: middle.X, Y: middle.Y + 2}, number(v), large, draw.XCenter, draw.YBottom)
					ours.Text(c, vg.Point{X: middle.X, Y: middle.Y - 4}, fmt.Sprintf("%.0f %%", 100*share), small,
						draw.XCenter, draw.YTop)
				}
			}
		}))
		p.Draw(draw.Crop(c, 2, -8, 2, -4))
	}
	return f
}

// blues goes from white to a dark blue (ColorBrewer's Blues).
var blues = ours.Scale{{0xf7, 0xfb, 0xff, 0xff}, {0xde, 0xeb, 0xf7, 0xff}, {0xc6, 0xdb, 0xef, 0xff},
	{0x9e, 0xca, 0xe1, 0xff}, {0x6b, 0xae, 0xd6, 0xff}, {0x42, 0x92, 0xc6, 0xff}, {0x21, 0x71, 0xb5, 0xff},
	{0x08, 0x51, 0x9c, 0xff}, {0x08, 0x30, 0x6b, 0xff}}

func number(v float64) string {
	if v == float64(int(v)) {
		return fmt.Sprint(int(v))
	}
	return fmt.Sprintf("%.1f", v)
}
