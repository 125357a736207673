package draw

import (
	"image"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar draws the legend of a color scale into the rectangle of the canvas: a vertical
// strip at its left, ticks at its right, the label above, a word a line. low and high are the values
// of the scale's ends; a low end above 0 is labeled too: values below it have no color. clipped: values beyond the ends
// have their colors, and the ends are labeled so.
func Bar(c draw.Canvas, s Scale, low, high float64, label string, clipped bool) {
	const steps, thick = 64, 9
	img := image.NewNRGBA(image.Rect(0, 0, 1, steps))
	for i := range steps {
		img.SetNRGBA(0, steps-1-i, s.At(float64(i)/(steps-1)))
	}
	lines := strings.Fields(label)
	head := vg.Length(max(len(lines), 1)-1) * (TextSize + 1)
	strip := vg.Rectangle{Min: c.Min, Max: vg.Point{X: c.Min.X + thick, Y: c.Max.Y - TextSize - 6 - head}}
	number := func(v float64) string {
		return strings.Replace(strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64), "-", "−", 1)
	}
	if clipped { // above and below the strip: beside it is too little room
		strip.Min.Y, strip.Max.Y = strip.Min.Y+TextSize+3, strip.Max.Y-TextSize-1
		sty := Style(TextSize, false)
		Text(c, vg.Point{X: strip.Min.X, Y: strip.Max.Y + 2}, "≥ "+number(high), sty, draw.XLeft, draw.YBottom)
		Text(c, vg.Point{X: strip.Min.X, Y: strip.Min.Y - 2}, "≤ "+number(low), sty, draw.XLeft, draw.YTop)
	}
	c.DrawImage(strip, Cells{img})
	c.StrokeLines(draw.LineStyle{Color: Rule, Width: 0.5}, Outline(strip))
	height := strip.Max.Y - strip.Min.Y
	at := func(v float64) vg.Length { return vg.Length(height * vg.Length((v-low)/(high-low))) }
	mark := func(y vg.Length, label string) {
		y += strip.Min.Y
		c.StrokeLine2(draw.LineStyle{Color: Rule, Width: 0.5}, strip.Max.X, y, strip.Max.X+3, y)
		Text(c, vg.Point{X: strip.Max.X + 5, Y: y}, label, Style(TextSize, false), draw.XLeft, draw.YCenter)
	}
	least := height
	for _, t := range (Ticks{Most: 5}).Ticks(low, high) {
		if t.Label == "" || t.Value < low || t.Value > high {
			continue
		}
		y := at(t.Value)
		if low > 0 && y > 0 && y < TextSize+1 { // too near to the label of the low end
			continue
		}
		if clipped && min(y, height-y) < TextSize {
			continue
		}
		mark(y, t.Label)
		least = min(least, y)
	}
	if low > 0 && least > 0 && !clipped {
		mark(0, number(math.Round(low*100)/100))
	}
	for i, word := range lines {
		Text(c, vg.Point{X: c.Min.X, Y: c.Max.Y - vg.Length(i)*(TextSize+1)}, word, Style(TextSize, false), draw.XLeft,
			draw.YTop)
	}
}

// Outline is the border of a rectangle.
func Outline(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
}
