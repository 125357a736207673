package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
)

// A Participant holds the measures of one scan. Traces have one value per volume, NaN where it is missing; a nil
// trace is not drawn.
type Participant struct {
	Head              string    // a line at the top
	FD, DVARS, Global []float64 // mm; standardized; as in the table of confounds
	Threshold         float64   // mm: a line in the trace of FD
	Out               []bool    // volumes left out
	TR                float64   // s; NaN where it is not known
	// Volume × row of the carpet, z; NaN where a row has no signal, and after denoising where a volume was left out.
	Before, After []float64
	Bands         []string     // of the rows of the carpet
	Rows          string       // what a row of the carpet is, in the plural
	Runs          []Run        // that were joined; nil for a single one
	Groups        []string     // the block of each region
	Matrix        []float64    // region × region
	TSNR          []float64    // of each region; nil where the series are not in units of the scanner
	Brains        []NamedBrain // of each run the regions, numbered from 1, over the mean of the scan
}

// Sizes of the parts of the figure in points. What goes over time stands left, the rest right of it: the figure is
// wider than high, as a screen is.
const (
	headHigh, traceHigh, carpetHigh, edgesHigh = 16, 32, 104, 108
	traceLeft, traceRight                      = 74, 10
	partGap                                    = 10
	overTimeWide                               = 0.63 * Page
	barWide                                    = 42
	matrixHigh                                 = Page - overTimeWide - barWide
)

// ScanQuality draws the quality of one participant's scan: motion, DVARS and global signal over the volumes, carpet
// plots before and after denoising, the connectivity matrix with its distribution, and tSNR.
func ScanQuality(p Participant) ours.Figure {
	traces := p.traces()
	var outlines []layout
	below := vg.Length(0)
	for _, b := range p.Brains {
		of := p.outlines(b)
		outlines, below = append(outlines, of), below+of.height()+outlinesHead
	}
	height := headHigh + max(vg.Length(len(traces))*(traceHigh+partGap)+2*(carpetHigh+partGap+6)+22,
		matrixHigh+edgesHigh+3*partGap+below)
	return ours.Figure{Width: Page, Height: height, Paint: func(c draw.Canvas) {
		head := ours.Style(ours.TextSize, false)
		if wide := head.Width(p.Head); wide > Page-4 {
			head = ours.Style(ours.TextSize*float64((Page-4)/wide), false)
		}
		ours.Text(c, vg.Point{X: c.Min.X + 2, Y: c.Max.Y - 3}, p.Head, head, draw.XLeft, draw.YTop)
		top := c.Max.Y - 4 - headHigh
		p.beside(part(c, c.Min.X+overTimeWide, c.Min.Y, c.Max.X, top), outlines)
		c.Max.X = c.Min.X + overTimeWide
		p.runNames(c, top+1)
		for _, t := range traces {
			p.trace(c, rect(c.Min.X+traceLeft, top-traceHigh, c.Max.X-traceRight, top), t)
			top -= traceHigh + partGap
		}
		for i, part := range []struct {
			code   string
			values []float64
		}{{"chart.carpet-before", p.Before}, {"chart.carpet-after", p.After}} {
			top -= 6
			box := rect(c.Min.X+traceLeft, top-carpetHigh, c.Max.X-traceRight, top)
			ours.Text(c, vg.Point{X: box.Min.X, Y: box.Max.Y + 1}, wording.Label(part.code,
				wording.Values{"N": len(p.Bands), "Rows": p.Rows}),
				ours.Style(ours.TextSize, false), draw.XLeft, draw.YBottom)
			p.carpet(c, box, part.values, i == 1)
			top -= carpetHigh + partGap
		}
	}}
}

// A trace is one number over the volumes.
type trace struct {
	name, unit string
	values     []float64
	line       float64 // a threshold; NaN for none
}

func (p Participant) traces() []trace {
	all := []trace{{"FD", "mm", p.FD, p.Threshold}, {"DVARS", wording.Label("chart.standardized", nil), p.DVARS,
		math.NaN()},
		{wording.Label("chart.global-signal", nil), "", p.Global, math.NaN()}}
	return slices.DeleteFunc(all, func(t trace) bool {
		return !slices.ContainsFunc(t.values, func(v float64) bool { return !math.IsNaN(v) })
	})
}

// trace draws one trace; volumes that are left out are shaded.
func (p Participant) trace(c draw.Canvas, box vg.Rectangle, t trace) {
	unit, _ := p.unit()
	var at, from, to []float64
	for v, out := range p.Out {
		if at = append(at, unit*(float64(v)+0.5)); out {
			from, to = append(from, unit*float64(v)), append(to, unit*float64(v+1))
		}
	}
	panel := p.overTime(ours.Rule, Shades(from, to, ours.Faint))
	panel.X.Label, panel.Y.Most = "", 3
	if !math.IsNaN(t.line) {
		panel.Y.Zero = true
		panel.Marks = append(panel.Marks, Across(t.line, Style{Color: ours.Categories[1], Width: 0.8,
			Dashes: []vg.Length{3, 2}}))
	}
	panel.Marks = append(panel.Marks, Line(at, t.values, Style{Color: ours.Categories[0], Width: 0.8}))
	panel.within(c, box)
	middle := (box.Min.Y + box.Max.Y) / 2
	ours.Text(c, vg.Point{X: c.Min.X + 2, Y: middle}, t.name, ours.Style(ours.TextSize-1, true),
		draw.XLeft, draw.YBottom)
	ours.Text(c, vg.Point{X: c.Min.X + 2, Y: middle - 1}, t.unit, ours.Style(ours.TextSize-2, false),
		draw.XLeft, draw.YTop)
}

// beside draws the matrix, its distribution and tSNR, and outlines.
func (p Participant) beside(c draw.Canvas, outlines []layout) {
	n := len(p.Groups)
	order, blocks := arrange(p.Groups)
	most := limit(p.Matrix, n)
	square := rect(c.Min.X+2, c.Max.Y-matrixHigh, c.Min.X+2+matrixHigh, c.Max.Y)
	MatrixPanel{Values: p.Matrix}.paint(c, square, order, blocks, most, false)
	for k, b := range blocks { // in the colors of tSNR
		at := func(i int) vg.Length { return square.Max.Y - matrixHigh*vg.Length(i)/vg.Length(n) }
		c.SetColor(ours.Categories[k%len(ours.Categories)])
		c.Fill(rect(square.Min.X-4, at(b.to), square.Min.X-1, at(b.from)).Path())
	}
	ours.Bar(part(c, square.Max.X+6, square.Min.Y+matrixHigh/4, square.Max.X+barWide-2, square.Max.Y),
		ours.Diverging, -most, most, "r", exceeds(p.Matrix, n, most))
	var r []float64
	for i := range n {
		r = append(r, p.Matrix[i*n:i*n+i]...)
	}
	edges := histogram(r)
	edges.X.Most = 3
	edges.Marks = append(edges.Marks, Upright(0, Style{Color: ours.Ink, Width: 0.6, Dashes: []vg.Length{2, 2}}))
	row := []Panel{edges}
	if p.TSNR != nil {
		row = append(row, p.tsnr(order, blocks))
	}
	top := square.Min.Y - partGap
	Plot{Rows: [][]Panel{row}, Height: []vg.Length{edgesHigh}}.paint(part(c, c.Min.X, top-edgesHigh, c.Max.X, top))
	top -= edgesHigh + partGap
	for i, of := range outlines {
		p.paintOutlines(c, top, p.Brains[i].Name, of)
		top -= of.height() + outlinesHead
	}
}

// tsnr is tSNR of each region, in the blocks of the matrix.
func (p Participant) tsnr(order []int, blocks []block) Panel {
	out := Panel{X: Axis{Label: wording.Label("chart.regions", wording.Values{"N": len(order)}),
		Max:   float64(len(order)),
		Names: []string{}}, Y: Axis{Label: "tSNR", Zero: true}}
	for k, b := range blocks {
		edges, heights := []float64{float64(b.from)}, []float64(nil)
		for i := b.from; i < b.to; i++ {
			edges, heights = append(edges, float64(i+1)), append(heights, p.TSNR[order[i]])
		}
		out.Marks = append(out.Marks, Bars(edges, heights, 0, ours.Categories[k%len(ours.Categories)]))
	}
	return out
}
