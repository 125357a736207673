package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Run is one of several scans that were joined.
type Run struct {
	Name string
	From int // its first volume, from 0
}

// A NamedBrain is a brain of a run.
type NamedBrain struct {
	Name string
	*Brain
}

// Most pixels of a carpet: what is larger is averaged, so that a page of a long scan is not larger than others. It has
// 15 grays and a color for what is missing (4 bits a pixel), and about as many rows as a screen shows there.
const carpetVolumes, carpetRows = 600, 160

// carpet draws rows × volumes in bands, with the names and colors of the bands at the left.
func (p Participant) carpet(c draw.Canvas, box vg.Rectangle, values []float64) {
	order, blocks := arrange(p.Bands)
	n := len(order)
	volumes := len(values) / n
	w, rows := atMost(volumes, carpetVolumes), carpetLines(blocks)
	img := image.NewNRGBA(image.Rect(0, 0, w, len(rows)))
	for j := range w { // a volume at a time, as they lie
		for i, row := range rows {
			sum, count := 0.0, 0.0
			for _, r := range order[row.from:row.to] {
				for v := j * volumes / w; v < (j+1)*volumes/w; v++ {
					if z := values[v*n+r]; !math.IsNaN(z) {
						sum, count = sum+z, count+1
					}
				}
			}
			paint := ours.Faint
			if count > 0 {
				g := uint8(18 * math.Round(14*min(max((sum/count+2)/4, 0), 1)))
				paint = color.NRGBA{g, g, g, 0xff}
			}
			img.SetNRGBA(j, i, paint)
		}
	}
	c.DrawImage(box, ours.Cells{Image: img})
	p.joins(c, box, ours.Categories[1])
	at := func(row int) vg.Length { // the upper edge of a row
		return box.Max.Y - (box.Max.Y-box.Min.Y)*vg.Length(row)/vg.Length(len(rows))
	}
	for k, b := range blocks {
		first := slices.IndexFunc(rows, func(row block) bool { return row.from == b.from })
		last := slices.IndexFunc(rows, func(row block) bool { return row.to == b.to })
		from, to := at(first), at(last+1)
		c.SetColor(ours.Categories[k%len(ours.Categories)])
		c.Fill(vg.Rectangle{Min: vg.Point{X: box.Min.X - 6, Y: to}, Max: vg.Point{X: box.Min.X - 2, Y: from}}.Path())
		if b.name != "" && from-to >= ours.TickSize-1 {
			ours.Text(c, vg.Point{X: box.Min.X - 11, Y: (from + to) / 2}, b.name, ours.Style(ours.TickSize-1.5, false),
				draw.XRight, draw.YCenter)
		}
	}
}

// carpetLines are the rows of a carpet, each the mean of as many of its lines, and of one band.
func carpetLines(bands []block) (rows []block) {
	n := bands[len(bands)-1].to
	each := (n + carpetRows - 1) / carpetRows
	for _, b := range bands {
		size := b.to - b.from
		for i, count := 0, (size+each-1)/each; i < count; i++ {
			rows = append(rows, block{b.name, b.from + i*size/count, b.from + (i+1)*size/count})
		}
	}
	return rows
}

// atMost is how many pixels n lines take if each is the mean of as many lines.
func atMost(n, most int) int {
	each := (n + most - 1) / most
	return (n + each - 1) / each
}

// joins draws a line where a run begins behind another.
func (p Participant) joins(c draw.Canvas, box vg.Rectangle, paint color.Color) {
	for k, run := range p.Runs {
		if k > 0 {
			x := box.Min.X + (box.Max.X-box.Min.X)*vg.Length(run.From)/vg.Length(len(p.Out))
			c.StrokeLine2(draw.LineStyle{Color: paint, Width: 1}, x, box.Min.Y, x, box.Max.Y)
		}
	}
}

func (p Participant) runNames(c draw.Canvas, y vg.Length) {
	left, right := c.Min.X+traceLeft, c.Max.X-traceRight
	for _, run := range p.Runs {
		ours.Text(c, vg.Point{X: left + (right-left)*vg.Length(run.From)/vg.Length(len(p.Out)) + 1, Y: y}, run.Name,
			ours.Style(ours.TickSize-1.5, true), draw.XLeft, draw.YBottom)
	}
}

// times writes the axis below a carpet: seconds, or volumes where the repetition time is not known.
func (p Participant) times(c draw.Canvas, box vg.Rectangle) {
	end, unit := float64(len(p.Out)), "volumes"
	if p.TR > 0 {
		end, unit = end*p.TR, "s"
	}
	step := 1.0
	for _, s := range []float64{2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600} {
		if end/step > 12 {
			step = s
		}
	}
	for at := 0.0; at <= end; at += step {
		x := box.Min.X + (box.Max.X-box.Min.X)*vg.Length(at/end)
		c.StrokeLine2(draw.LineStyle{Color: ours.Rule, Width: 0.5}, x, box.Min.Y, x, box.Min.Y-3)
		label := fmt.Sprint(at)
		if at == 0 {
			label += " " + unit
		}
		ours.Text(c, vg.Point{X: x, Y: box.Min.Y - 4}, label, ours.Style(ours.TickSize-1, false),
			draw.XCenter, draw.YTop)
	}
}
