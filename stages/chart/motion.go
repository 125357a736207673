package chart

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"prgnn/internal/exact"
	ours "prgnn/stages/draw"
)

// A Motion is QC-FC of one cleaning: r, over participants, of head motion with each edge.
type Motion struct {
	Name        string
	R, Distance []float64 // of each edge; NaN where there is none; mm
	Rho         float64   // Spearman's correlation of the two
	Median      float64   // of |r|
	Share       float64   // of edges at p < 0.05
	Freedom     float64   // degrees of freedom of r
	Lost, Left  float64   // degrees of freedom of the series
}

// bins of r in the histogram are 0.05 wide.
const motionBins = 40

// Share of the edges in each bin of r from −1 to 1, %.
func (m Motion) shares() (share [motionBins]float64) {
	edges := 0.0
	for _, r := range m.R {
		if !math.IsNaN(r) {
			share[max(0, min(motionBins-1, int(math.Floor((r+1)*motionBins/2))))]++
			edges++
		}
	}
	for b := range share {
		share[b] *= 100 / max(edges, 1)
	}
	return share
}

// unrelated is the share of the edges that a bin around r would have without any relation, %: the density of a
// correlation of 0 with this many degrees of freedom, ∝ (1 − r²)^(freedom/2 − 1).
func (m Motion) unrelated() func(r float64) float64 {
	density := func(r float64) float64 { return exact.Exp((m.Freedom/2 - 1) * exact.Log1p(-r*r)) }
	const steps = 2000
	area := 0.0
	for i := range steps {
		area += density((float64(i)+0.5)/steps) * 2 / steps
	}
	return func(r float64) float64 { return 100 * 2 / motionBins * density(r) / area }
}

// line is the least-squares line of r on distance; ok is false without edges of known distance.
func (m Motion) line() (at0, slope float64, ok bool) {
	n, md, mr := 0.0, 0.0, 0.0
	for e, d := range m.Distance {
		if !math.IsNaN(d) && !math.IsNaN(m.R[e]) {
			n, md, mr = n+1, md+d, mr+m.R[e]
		}
	}
	md, mr = md/n, mr/n
	dd, dr := 0.0, 0.0
	for e, d := range m.Distance {
		if !math.IsNaN(d) && !math.IsNaN(m.R[e]) {
			dd, dr = dd+(d-md)*(d-md), dr+(d-md)*(m.R[e]-mr)
		}
	}
	if !(dd > 0) {
		return 0, 0, false
	}
	return mr - dr/dd*md, dr / dd, true
}

// A motionScale is what all panels share.
type motionScale struct{ r, share, far float64 }

// HeadMotion draws QC-FC of strategies side by side: the distribution of r over the edges, r against the distance of
// the
// regions, and the degrees of freedom that each costs.
func HeadMotion(of []Motion) ours.Figure {
	const across, head, panel, bar = 4, 42, 128, 14
	scale := motionScale{r: 0.2, share: 1}
	for _, m := range of {
		for e, r := range m.R {
			if !math.IsNaN(r) {
				scale.r = max(scale.r, math.Abs(r))
				if d := m.Distance[e]; !math.IsNaN(d) {
					scale.far = max(scale.far, d)
				}
			}
		}
		for _, s := range m.shares() {
			scale.share = max(scale.share, s)
		}
		scale.share = max(scale.share, m.unrelated()(0))
	}
	scale.r, scale.share, scale.far = min(1, math.Ceil(10*scale.r)/10), 1.06*scale.share, 1.02*scale.far
	panels := vg.Length(1)
	beside := len(of) == 1 && scale.far > 0 // the two panels of a single strategy
	if scale.far > 0 && !beside {
		panels = 2
	}
	bands := (len(of) + across - 1) / across
	columns := min(across, len(of))
	band := head + panels*panel
	f := ours.Figure{Width: page, Height: vg.Length(bands)*band + 30 + vg.Length(len(of))*bar}
	f.Paint = func(c draw.Canvas) {
		wide := (c.Max.X - c.Min.X) / vg.Length(columns)
		if beside {
			wide /= 2
		}
		for i, m := range of {
			left, top := c.Min.X+wide*vg.Length(i%across), c.Max.Y-band*vg.Length(i/across)
			at := func(y vg.Length) vg.Point { return vg.Point{X: left + 4, Y: y} }
			ours.Text(c, at(top-3), m.Name, ours.Style(ours.LabelSize, true), draw.XLeft, draw.YTop)
			ours.Text(c, at(top-16), fmt.Sprintf("median |r| %.3f (%.3f expected by chance)", m.Median,
				0.6744897501960817/math.Sqrt(m.Freedom-1)), ours.Style(ours.TickSize-1, false), draw.XLeft, draw.YTop)
			ours.Text(c, at(top-26), fmt.Sprintf("p < 0.05: %.1f %% of edges", 100*m.Share),
				ours.Style(ours.TickSize-1, false), draw.XLeft, draw.YTop)
			box := func(k vg.Length) draw.Canvas {
				left, k := left, k
				if beside {
					left, k = left+k*wide, 0
				}
				return draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: left + 2,
					Y: top - head - (k+1)*panel}, Max: vg.Point{X: left + wide - 8, Y: top - head - k*panel - 6}}}
			}
			m.histogram(scale, i%across == 0).Draw(box(0))
			if scale.far > 0 {
				m.distances(scale, i%across == 0).Draw(box(1))
			}
		}
		freedoms(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: c.Min,
			Max: vg.Point{X: c.Max.X, Y: c.Min.Y + 26 + vg.Length(len(of))*bar}}}, of, bar)
	}
	return f
}

// histogram is the distribution of r over the edges.
func (m Motion) histogram(s motionScale, first bool) *plot.Plot {
	p := ours.NewPlot("", "r", "")
	if first {
		p.Y.Label.Text = "share of the edges, %"
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -s.r, s.r, 0, s.share
	p.X.Tick.Marker, p.Y.Tick.Marker = ours.Ticks{Most: 5}, ours.Ticks{Most: 5}
	p.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		c.SetColor(ours.Categories[0])
		for b, share := range m.shares() {
			from, to := max(-1+2*float64(b)/motionBins, -s.r), min(-1+2*float64(b+1)/motionBins, s.r)
			if share > 0 && from < to {
				c.Fill(vg.Rectangle{Min: vg.Point{X: x(from), Y: y(0)},
					Max: vg.Point{X: x(to) - 0.4, Y: y(share)}}.Path())
			}
		}
		var line []vg.Point
		null := m.unrelated()
		for i := range 101 {
			r := s.r * (float64(i)/50 - 1)
			if math.Abs(r) < 1 {
				line = append(line, vg.Point{X: x(r), Y: y(null(r))})
			}
		}
		c.StrokeLines(draw.LineStyle{Color: ours.Ink, Width: 1, Dashes: []vg.Length{3, 2}}, line)
	}))
	small(p)
	return p
}

// distances is how many edges have each r at each distance, with the least-squares line.
func (m Motion) distances(s motionScale, first bool) *plot.Plot {
	p := ours.NewPlot("", "distance, mm", "")
	if first {
		p.Y.Label.Text = "r"
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, s.far, -s.r, s.r
	p.X.Tick.Marker, p.Y.Tick.Marker = ours.Ticks{Most: 4}, ours.Ticks{Most: 5}
	p.Add(paintOn(func(c draw.Canvas, p *plot.Plot) {
		const w, h = 48, 40
		var count [w * h]float64
		most := 1.0
		for e, r := range m.R {
			if d := m.Distance[e]; !math.IsNaN(r) && !math.IsNaN(d) {
				i, j := min(w-1, int(d/s.far*w)), min(h-1, int((s.r-r)/(2*s.r)*h))
				count[j*w+i]++
				most = max(most, count[j*w+i])
			}
		}
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for k, n := range count {
			paint := ours.Ground
			if n > 0 {
				paint = densities.At(math.Sqrt(n / most))
			}
			img.SetNRGBA(k%w, k/w, paint)
		}
		x, y := p.Transforms(&c)
		c.DrawImage(vg.Rectangle{Min: vg.Point{X: x(0), Y: y(-s.r)}, Max: vg.Point{X: x(s.far), Y: y(s.r)}},
			ours.Cells{Image: img})
		c.StrokeLine2(draw.LineStyle{Color: ours.Rule, Width: 0.5}, x(0), y(0), x(s.far), y(0))
		if at0, slope, ok := m.line(); ok {
			c.StrokeLine2(draw.LineStyle{Color: ours.Categories[1], Width: 1.5}, x(0), y(at0), x(s.far),
				y(at0+slope*s.far))
		}
		if !math.IsNaN(m.Rho) {
			ours.Text(c, vg.Point{X: x(s.far) - 3, Y: y(s.r) - 2}, fmt.Sprintf("ρ = %s", signed(m.Rho)),
				ours.Style(ours.TickSize-1, true), draw.XRight, draw.YTop)
		}
	}))
	small(p)
	return p
}

// densities go from pale to dark blue.
var densities = ours.Scale{ours.Diverging[4], ours.Diverging[3], ours.Diverging[2],
	ours.Diverging[1], ours.Diverging[0]}

// signed is a number with two decimals and a minus sign that is as wide as a digit.
func signed(v float64) string {
	if v < 0 {
		return fmt.Sprintf("−%.2f", -v)
	}
	return fmt.Sprintf("%.2f", v)
}

// freedoms are bars of the degrees of freedom, left and lost.
func freedoms(c draw.Canvas, of []Motion, high vg.Length) {
	const name, number = 110, 96
	most := 1.0
	for _, m := range of {
		most = max(most, m.Left+m.Lost)
	}
	ours.Text(c, vg.Point{X: c.Min.X + 4, Y: c.Max.Y - 4},
		"degrees of freedom: left (blue) and lost (gray), means over participants", ours.Style(ours.TickSize-1, false), draw.XLeft, draw.YTop)
	for i, m := range of {
		top := c.Max.Y - 20 - high*vg.Length(i)
		middle := top - high/2
		x := func(v float64) vg.Length {
			return c.Min.X + name + (c.Max.X-c.Min.X-name-number)*vg.Length(v/most)
		}
		ours.Text(c, vg.Point{X: c.Min.X + name - 6, Y: middle + 1.5}, m.Name, ours.Style(ours.TickSize-1, true),
			draw.XRight, draw.YCenter)
		c.SetColor(ours.Categories[0])
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(0), Y: top - high + 3},
			Max: vg.Point{X: x(max(m.Left, 0)), Y: top}}.Path())
		c.SetColor(ours.None)
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(max(m.Left, 0)), Y: top - high + 3},
			Max: vg.Point{X: x(m.Left + m.Lost), Y: top}}.Path())
		ours.Text(c, vg.Point{X: x(m.Left+m.Lost) + 6, Y: middle + 1.5}, fmt.Sprintf("%.0f left, %.0f lost", m.Left,
			m.Lost), ours.Style(ours.TickSize-1, false), draw.XLeft, draw.YCenter)
	}
}
