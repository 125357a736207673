package chart

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
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

// Heights of the parts of the figure, and what stands left and right of them, in points.
const (
	headHigh, traceHigh, carpetHigh, lowerHigh = 16, 46, 140, 168
	traceLeft, traceRight                      = 74, 10
	partGap                                    = 10
)

// ScanQuality draws the quality of one participant's scan: motion, DVARS and global signal over the volumes, carpet
// plots before and after denoising, the connectivity matrix with its distribution, and tSNR.
func ScanQuality(p Participant) ours.Figure {
	traces := p.traces()
	height := vg.Length(len(traces))*(traceHigh+partGap) + 2*(carpetHigh+partGap+6) + 24 + lowerHigh +
		headHigh + p.allOutlinesHigh()
	return ours.Figure{Width: page, Height: height, Paint: func(c draw.Canvas) {
		ours.Text(c, vg.Point{X: c.Min.X + 2, Y: c.Max.Y - 3}, p.Head, ours.Style(ours.TickSize-2, false),
			draw.XLeft, draw.YTop)
		top := c.Max.Y - 4 - headHigh
		p.runNames(c, top+1)
		for _, t := range traces {
			p.trace(c, vg.Rectangle{Min: vg.Point{X: c.Min.X + traceLeft, Y: top - traceHigh},
				Max: vg.Point{X: c.Max.X - traceRight, Y: top}}, t)
			top -= traceHigh + partGap
		}
		for i, part := range []struct {
			name   string
			values []float64
		}{{"before denoising", p.Before}, {"after denoising", p.After}} {
			top -= 6
			box := vg.Rectangle{Min: vg.Point{X: c.Min.X + traceLeft, Y: top - carpetHigh},
				Max: vg.Point{X: c.Max.X - traceRight, Y: top}}
			ours.Text(c, vg.Point{X: box.Min.X, Y: box.Max.Y + 1}, fmt.Sprintf("%s: %d %s (z from −2, black, to 2, white)", part.name, len(p.Bands), p.Rows),
				ours.Style(ours.TickSize-1, false), draw.XLeft, draw.YBottom)
			p.carpet(c, box, part.values)
			if i == 1 {
				p.times(c, box)
			}
			top -= carpetHigh + partGap
		}
		rest := c.Min.Y + p.allOutlinesHigh()
		p.lower(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: rest},
			Max: vg.Point{X: c.Max.X, Y: rest + lowerHigh}}})
		for _, b := range p.Brains {
			p.outlines(draw.Canvas{Canvas: c.Canvas,
				Rectangle: vg.Rectangle{Min: c.Min, Max: vg.Point{X: c.Max.X, Y: rest}}}, b)
			rest -= b.outlinesHigh()
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
	all := []trace{{"FD", "mm", p.FD, p.Threshold}, {"DVARS", "standardized", p.DVARS, math.NaN()},
		{"global signal", "", p.Global, math.NaN()}}
	return slices.DeleteFunc(all, func(t trace) bool {
		return !slices.ContainsFunc(t.values, func(v float64) bool { return !math.IsNaN(v) })
	})
}

// trace draws one trace; volumes that are left out are shaded.
func (p Participant) trace(c draw.Canvas, box vg.Rectangle, t trace) {
	n := len(t.values)
	x := func(v float64) vg.Length { return box.Min.X + (box.Max.X-box.Min.X)*vg.Length(v)/vg.Length(n) }
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range t.values {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if !math.IsNaN(t.line) {
		low, high = 0, max(high, 1.1*t.line)
	}
	if !(high > low) {
		low, high = low-1, high+1
	}
	y := func(v float64) vg.Length {
		return box.Min.Y + vg.Length((box.Max.Y-box.Min.Y)*vg.Length((v-low)/(high-low)))
	}
	for v, out := range p.Out {
		if out {
			c.SetColor(ours.Faint)
			c.Fill(vg.Rectangle{Min: vg.Point{X: x(float64(v)), Y: box.Min.Y},
				Max: vg.Point{X: x(float64(v + 1)), Y: box.Max.Y}}.Path())
		}
	}
	for _, tick := range (ours.Ticks{Most: 3}).Ticks(low, high) {
		if tick.Label != "" && tick.Value >= low && tick.Value <= high {
			ours.Text(c, vg.Point{X: box.Min.X - 5, Y: y(tick.Value)}, tick.Label, ours.Style(ours.TickSize-1, false),
				draw.XRight, draw.YCenter)
			c.StrokeLine2(draw.LineStyle{Color: ours.Rule, Width: 0.5}, box.Min.X-3, y(tick.Value), box.Min.X,
				y(tick.Value))
		}
	}
	c.StrokeLines(draw.LineStyle{Color: ours.Rule, Width: 0.5}, []vg.Point{{X: box.Min.X, Y: box.Max.Y}, box.Min,
		{X: box.Max.X, Y: box.Min.Y}})
	p.joins(c, box, ours.Rule)
	if !math.IsNaN(t.line) {
		c.StrokeLine2(draw.LineStyle{Color: ours.Categories[1], Width: 0.8, Dashes: []vg.Length{3, 2}}, box.Min.X,
			y(t.line), box.Max.X, y(t.line))
	}
	var line []vg.Point
	stroke := func() {
		c.StrokeLines(draw.LineStyle{Color: ours.Categories[0], Width: 0.8}, line)
		line = nil
	}
	for v, value := range t.values {
		if math.IsNaN(value) {
			stroke()
			continue
		}
		line = append(line, vg.Point{X: x(float64(v) + 0.5), Y: y(value)})
	}
	stroke()
	middle := (box.Min.Y + box.Max.Y) / 2
	ours.Text(c, vg.Point{X: c.Min.X + 2, Y: middle}, t.name, ours.Style(ours.TickSize-1, true),
		draw.XLeft, draw.YBottom)
	ours.Text(c, vg.Point{X: c.Min.X + 2, Y: middle - 1}, t.unit, ours.Style(ours.TickSize-2, false),
		draw.XLeft, draw.YTop)
}

// lower draws the matrix, its distribution and tSNR.
func (p Participant) lower(c draw.Canvas) {
	n := len(p.Groups)
	order, blocks := arrange(p.Groups)
	side := c.Max.Y - c.Min.Y - 26
	most := limit(p.Matrix, n)
	square := vg.Rectangle{Min: vg.Point{X: c.Min.X + 2, Y: c.Min.Y + 10}, Max: vg.Point{X: c.Min.X + 2 + side,
		Y: c.Min.Y + 10 + side}}
	MatrixPanel{Values: p.Matrix}.paint(c, square, order, blocks, most, false)
	ours.Bar(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: square.Max.X + 6, Y: square.Min.Y +
		side/4}, Max: vg.Point{X: square.Max.X + 40, Y: square.Max.Y}}}, ours.Diverging, -most, most, "r")
	rest := square.Max.X + 44
	half := c.Max.X - rest
	if p.TSNR != nil {
		half /= 2
	}
	p.histogram().Draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: rest, Y: c.Min.Y + 2},
		Max: vg.Point{X: rest + half - 8, Y: c.Max.Y - 8}}})
	if p.TSNR != nil {
		p.tsnr(order, blocks).Draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: rest + half,
			Y: c.Min.Y + 2}, Max: vg.Point{X: c.Max.X - 8, Y: c.Max.Y - 8}}})
	}
}

// histogram is the distribution of r over the edges, in bins of 0.05.
func (p Participant) histogram() *plot.Plot {
	const bins = 40
	var count [bins]float64
	n, edges := len(p.Groups), 0.0
	for i := range n {
		for j := range i {
			if r := p.Matrix[i*n+j]; !math.IsNaN(r) {
				count[max(0, min(bins-1, int(math.Floor((r+1)*bins/2))))]++
				edges++
			}
		}
	}
	out := ours.NewPlot("", "r", "share of the edges, %")
	out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = -1, 1, 0, 1
	out.X.Tick.Marker = ticks([]float64{-1, -0.5, 0, 0.5, 1}, []string{"−1", "−0.5", "0", "0.5", "1"})
	for b := range count {
		count[b] *= 100 / max(edges, 1)
		out.Y.Max = max(out.Y.Max, 1.08*count[b])
	}
	out.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		c.SetColor(ours.Categories[0])
		var bars vg.Path
		for b, share := range count {
			if share > 0 {
				bars = append(bars, vg.Rectangle{Min: vg.Point{X: x(-1 + 2*float64(b)/bins), Y: y(0)},
					Max: vg.Point{X: x(-1+2*float64(b+1)/bins) - 0.4, Y: y(share)}}.Path()...)
			}
		}
		c.Fill(bars)
		c.StrokeLine2(draw.LineStyle{Color: ours.Ink, Width: 0.6, Dashes: []vg.Length{2, 2}}, x(0),
			c.Min.Y, x(0), c.Max.Y)
	}))
	small(out)
	return out
}

// small takes the size of the traces for the texts of a plot.
func small(p *plot.Plot) {
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = ours.Sans(ours.TickSize-1, false), ours.Sans(ours.TickSize-1, false)
	}
}

// tsnr is tSNR of each region, in the blocks of the matrix.
func (p Participant) tsnr(order []int, blocks []block) *plot.Plot {
	out := ours.NewPlot("", fmt.Sprintf("%d regions, in the order of the matrix", len(order)), "tSNR")
	out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = 0, float64(len(order)), 0, 1
	out.X.Tick.Marker = ticks(nil, nil)
	for _, v := range p.TSNR {
		if !math.IsNaN(v) {
			out.Y.Max = max(out.Y.Max, 1.08*v)
		}
	}
	out.Add(paintOn(grid), paintOn(func(c draw.Canvas, plot *plot.Plot) {
		x, y := plot.Transforms(&c)
		for k, b := range blocks {
			c.SetColor(ours.Categories[k%len(ours.Categories)])
			var bars vg.Path
			for i := b.from; i < b.to; i++ {
				if v := p.TSNR[order[i]]; !math.IsNaN(v) {
					bars = append(bars, vg.Rectangle{Min: vg.Point{X: x(float64(i)), Y: y(0)},
						Max: vg.Point{X: x(float64(i + 1)), Y: y(v)}}.Path()...)
				}
			}
			c.Fill(bars)
		}
	}))
	small(out)
	return out
}
