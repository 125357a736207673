package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"prgnn/numeric/exact"
	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
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

// bins of r in a histogram are 0.05 wide.
const bins = 40

// binEdges are those from −1 to 1.
var binEdges = func() (edges []float64) {
	for b := range bins + 1 {
		edges = append(edges, -1+2*float64(b)/bins)
	}
	return edges
}()

// shares of r in each bin from −1 to 1, %.
func shares(r []float64) []float64 {
	share, n := make([]float64, bins), 0.0
	for _, v := range r {
		if !math.IsNaN(v) {
			share[max(0, min(bins-1, int(math.Floor((v+1)*bins/2))))]++
			n++
		}
	}
	for b := range share {
		share[b] *= 100 / max(n, 1)
	}
	return share
}

// histogram is the distribution of r over the edges.
func histogram(r []float64) Panel {
	return Panel{X: Axis{Label: "r", Min: -1, Max: 1, Most: 5},
		Y:     Axis{Label: wording.Label("chart.share-of-edges", nil), Zero: true, Most: 5},
		Marks: []Mark{Bars(binEdges, shares(r), 0.4, ours.Categories[0])}}
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
	return func(r float64) float64 { return 100 * 2 / bins * density(r) / area }
}

// line is the least-squares line of r on distance; ok is false without edges of known distance.
func (m Motion) line() (at0, slope float64, ok bool) {
	var x, y []float64
	for e, d := range m.Distance {
		if !math.IsNaN(d + m.R[e]) {
			x, y = append(x, d), append(y, m.R[e])
		}
	}
	if len(x) == 0 || slices.Max(x) == slices.Min(x) {
		return 0, 0, false
	}
	at0, slope = stat.LinearRegression(x, y, nil, false)
	return at0, slope, true
}

// A motionScale is what all panels share.
type motionScale struct{ r, share, far float64 }

// HeadMotion draws QC-FC of strategies side by side: the distribution of r over the edges, r against the distance of
// the regions, and the degrees of freedom that each costs.
func HeadMotion(of []Motion) ours.Figure {
	const across, head, panel, bar = 4, 42, 128, 14
	s := motionScale{r: 0.2, share: 1}
	for _, m := range of {
		for e, r := range m.R {
			if !math.IsNaN(r) {
				s.r = max(s.r, math.Abs(r))
				if d := m.Distance[e]; !math.IsNaN(d) {
					s.far = max(s.far, d)
				}
			}
		}
		s.share = max(s.share, slices.Max(shares(m.R)), m.unrelated()(0))
	}
	s.r, s.share, s.far = min(1, math.Ceil(10*s.r)/10), 1.06*s.share, 1.02*s.far
	beside := len(of) == 1 && s.far > 0 // the two panels of a single strategy
	var bands []Plot
	f := ours.Figure{Width: Page, Height: 30 + vg.Length(len(of))*bar}
	for band := range slices.Chunk(of, across) {
		p := Plot{Width: Page, Height: []vg.Length{panel}, Rows: [][]Panel{nil}}
		for i, m := range band {
			p.Rows[0] = append(p.Rows[0], m.histogram(s, i == 0))
		}
		switch {
		case beside:
			p.Rows[0] = append(p.Rows[0], of[0].distances(s, true))
		case s.far > 0:
			p.Rows = append(p.Rows, nil)
			for i, m := range band {
				p.Rows[1] = append(p.Rows[1], m.distances(s, i == 0))
			}
		}
		for len(bands) > 0 && len(p.Rows[0]) < across { // as wide as those above
			for k := range p.Rows {
				p.Rows[k] = append(p.Rows[k], Panel{})
			}
		}
		bands = append(bands, p)
		f.Height += head + panel*vg.Length(len(p.Rows))
	}
	f.Paint = func(c draw.Canvas) {
		top := c.Max.Y
		for k, p := range bands {
			for i, m := range of[k*across : min((k+1)*across, len(of))] {
				left := c.Min.X + (c.Max.X-c.Min.X)*vg.Length(i)/vg.Length(len(p.Rows[0]))
				at := func(y vg.Length) vg.Point { return vg.Point{X: left + 4, Y: top - y} }
				small := ours.Style(ours.TextSize, false)
				ours.Text(c, at(3), m.Name, ours.Style(ours.TextSize, true), draw.XLeft, draw.YTop)
				ours.Text(c, at(16), wording.Label("chart.median", wording.Values{"Median": m.Median,
					"Chance": 0.6744897501960817 / math.Sqrt(m.Freedom-1)}), small, draw.XLeft, draw.YTop)
				ours.Text(c, at(26), wording.Label("chart.edges", wording.Values{"Share": m.Share}), small,
					draw.XLeft, draw.YTop)
			}
			body := c
			body.Max.Y = top - head
			p.paint(body)
			top -= head + panel*vg.Length(len(p.Rows))
		}
		freedoms(part(c, c.Min.X, c.Min.Y, c.Max.X, c.Min.Y+26+vg.Length(len(of))*bar), of, bar)
	}
	return f
}

// histogram is the distribution of r over the edges, with that without relation.
func (m Motion) histogram(s motionScale, first bool) Panel {
	p := histogram(m.R)
	p.X.Min, p.X.Max, p.Y.Max = -s.r, s.r, s.share
	if !first {
		p.Y.Label = ""
	}
	null := m.unrelated()
	var x, y []float64
	for i := range 101 {
		if r := s.r * (float64(i)/50 - 1); math.Abs(r) < 1 {
			x, y = append(x, r), append(y, null(r))
		}
	}
	p.Marks = append(p.Marks, Line(x, y, Style{Color: ours.Ink, Width: 1, Dashes: []vg.Length{3, 2}}))
	return p
}

// distances is how many edges have each r at each distance, with the least-squares line.
func (m Motion) distances(s motionScale, first bool) Panel {
	const w, h = 48, 40
	var count [w * h]float64
	most := 1.0
	for e, r := range m.R {
		if d := m.Distance[e]; !math.IsNaN(r + d) {
			i, j := min(w-1, int(d/s.far*w)), min(h-1, int((s.r-r)/(2*s.r)*h))
			count[j*w+i]++
			most = max(most, count[j*w+i])
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for k, n := range count {
		paint := ours.Ground
		if n > 0 {
			paint = ours.Blues[2:].At(math.Sqrt(n / most))
		}
		img.SetNRGBA(k%w, k/w, paint)
	}
	p := Panel{X: Axis{Label: wording.Label("chart.distance", nil), Max: s.far, Most: 4}, Y: Axis{Min: -s.r,
		Max: s.r, Most: 5}, Blank: true,
		Marks: []Mark{Picture(img), Across(0, Style{Color: ours.Rule, Width: 0.5})}}
	if first {
		p.Y.Label = "r"
	}
	if at0, slope, ok := m.line(); ok {
		p.Marks = append(p.Marks, Line([]float64{0, s.far}, []float64{at0, at0 + slope*s.far},
			Style{Color: ours.Categories[1], Width: 1.5}))
	}
	if !math.IsNaN(m.Rho) {
		p.Marks = append(p.Marks, Mark{Paint: func(c draw.Canvas, _, _ func(float64) vg.Length) {
			ours.Text(c, vg.Point{X: c.Max.X - 3, Y: c.Max.Y - 2}, "ρ = "+strings.Replace(fmt.Sprintf("%.2f",
				m.Rho), "-", "−", 1),
				ours.Style(ours.TextSize, true), draw.XRight, draw.YTop)
		}})
	}
	return p
}

// freedoms are bars of the degrees of freedom, left and lost.
func freedoms(c draw.Canvas, of []Motion, high vg.Length) {
	const name, number = 110, 96
	most := 1.0
	for _, m := range of {
		most = max(most, m.Left+m.Lost)
	}
	ours.Text(c, vg.Point{X: c.Min.X + 4, Y: c.Max.Y - 4},
		wording.Label("chart.freedom", nil), ours.Style(ours.TextSize, false), draw.XLeft, draw.YTop)
	for i, m := range of {
		top := c.Max.Y - 20 - high*vg.Length(i)
		middle := top - high/2
		x := func(v float64) vg.Length {
			return c.Min.X + name + (c.Max.X-c.Min.X-name-number)*vg.Length(v/most)
		}
		ours.Text(c, vg.Point{X: c.Min.X + name - 6, Y: middle + 1.5}, m.Name, ours.Style(ours.TextSize, true),
			draw.XRight, draw.YCenter)
		left := max(m.Left, 0)
		for _, part := range []struct {
			from, to float64
			paint    color.NRGBA
		}{{0, left, ours.Categories[0]}, {left, m.Left + m.Lost, ours.None}} {
			c.SetColor(part.paint)
			c.Fill(rect(x(part.from), top-high+3, x(part.to), top).Path())
		}
		ours.Text(c, vg.Point{X: x(m.Left+m.Lost) + 6, Y: middle + 1.5}, fmt.Sprintf("%.0f left, %.0f lost", m.Left,
			m.Lost), ours.Style(ours.TextSize, false), draw.XLeft, draw.YCenter)
	}
}
