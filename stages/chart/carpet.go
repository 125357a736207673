package chart

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
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
func (p Participant) carpet(c draw.Canvas, box vg.Rectangle, values []float64, timed bool) {
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
	panel := p.overTime(ours.Categories[1], Picture(img))
	panel.Y = Axis{Max: float64(len(rows)), Names: []string{}, Bare: true}
	if panel.X.Names = nil; !timed {
		panel.X.Names, panel.X.Label = []string{}, ""
	}
	for k, b := range blocks {
		top := panel.Y.Max - float64(slices.IndexFunc(rows, func(row block) bool { return row.from == b.from }))
		end := panel.Y.Max - 1 - float64(slices.IndexFunc(rows, func(row block) bool { return row.to == b.to }))
		panel.Marks = append(panel.Marks, Mark{Paint: func(c draw.Canvas, _, y func(float64) vg.Length) {
			c.SetColor(ours.Categories[k%len(ours.Categories)])
			c.Fill(rect(c.Min.X-5, y(end), c.Min.X-1, y(top)).Path())
		}})
		if b.name != "" && (top-end)/panel.Y.Max*carpetHigh >= ours.TextSize {
			panel.Y.At, panel.Y.Names = append(panel.Y.At, (top+end)/2), append(panel.Y.Names, b.name+"\u00a0")
		}
	}
	panel.within(c, box)
}

// overTime is a panel over the volumes, in seconds where the repetition time is known, with a line where a run begins
// behind another.
func (p Participant) overTime(joins color.Color, below ...Mark) Panel {
	unit, label := p.unit()
	panel := Panel{X: Axis{Label: label, Max: float64(len(p.Out)) * unit, Most: 7, Names: []string{}},
		Blank: true,
		Marks: below}
	for k, run := range p.Runs {
		if k > 0 {
			panel.Marks = append(panel.Marks, Upright(float64(run.From)*unit, Style{Color: joins, Width: 1}))
		}
	}
	return panel
}

// unit is the duration of a volume and its unit.
func (p Participant) unit() (float64, string) {
	if p.TR > 0 {
		return p.TR, "s"
	}
	return 1, wording.Label("chart.volumes", nil)
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

func (p Participant) runNames(c draw.Canvas, y vg.Length) {
	left, right := c.Min.X+traceLeft, c.Max.X-traceRight
	for _, run := range p.Runs {
		ours.Text(c, vg.Point{X: left + (right-left)*vg.Length(run.From)/vg.Length(len(p.Out)) + 1, Y: y}, run.Name,
			ours.Style(ours.TextSize, true), draw.XLeft, draw.YBottom)
	}
}
