package chart

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
)

// Similarities are those of all pairs of scans of a cohort.
type Similarities struct {
	Low, Step   float64 // of the bins, in Fisher's z
	Counts      []int
	From, Scale float64 // of the exponential tail: Pairs above From
	Pairs       int
	Threshold   float64 // in z
	Above       []SimilarPair
}

// A SimilarPair is above the threshold.
type SimilarPair struct {
	Name     string
	R, Limit float64 // limit NaN: not known
	Kind     int     // of the pair, among Kinds
}

// oneAt is the height of one pair: the axis is logarithmic, and 0 is half a pair.
const oneAt = 0.30102999566398120

// tail are the pairs of different people that are expected in the bin from z on.
func (s Similarities) tail(z float64) float64 {
	above := func(z float64) float64 { return float64(s.Pairs) * math.Exp(-(z-s.From)/s.Scale) }
	return above(z) - above(z+s.Step)
}

// height is that of a number of pairs.
func height(pairs float64) float64 { return max(0, math.Log10(max(pairs, 1e-9))+oneAt) }

// Copies draws the distribution of z with its tail and threshold, beside the pairs above it against their limits. kinds
// name them.
func Copies(s Similarities, kinds []string) ours.Figure {
	label := func(code string) string { return wording.Label(code, nil) }
	first, last, most := len(s.Counts), 0, 1
	for i, n := range s.Counts {
		if n > 0 {
			first, last, most = min(first, i), i+1, max(most, n)
		}
	}
	last = max(last, int((s.Threshold-s.Low)/s.Step)+4)
	var edges, heights, x, y []float64
	for i := first; i <= last; i++ {
		z := s.Low + float64(i)*s.Step
		edges = append(edges, z)
		if i < last {
			n := 0
			if i < len(s.Counts) {
				n = s.Counts[i]
			}
			h := 0.0
			if n > 0 {
				h = height(float64(n))
			}
			heights = append(heights, h)
		}
		if z >= s.From && height(s.tail(z)) > 0 {
			x, y = append(x, z+s.Step/2), append(y, height(s.tail(z)))
		}
	}
	left := Panel{X: Axis{Label: label("chart.similarity-z"), Min: edges[0], Max: edges[len(edges)-1]},
		Y: Axis{Label: label("chart.similarity-pairs"), Max: height(float64(most)) + 0.3}}
	for n := 1; n <= most; n *= 10 {
		left.Y.At, left.Y.Names = append(left.Y.At, height(float64(n))), append(left.Y.Names, strconv.Itoa(n))
	}
	left.Marks = []Mark{Bars(edges, heights, 0, ours.Blues[4]),
		Line(x, y, Style{Color: ours.Ink, Width: 1.2}).Called(label("chart.similarity-tail")),
		Upright(s.Threshold, Chance).Called(label("chart.similarity-threshold"))}
	low := 0.6
	for _, p := range s.Above {
		low = min(low, math.Floor(10*p.R)/10)
	}
	right := Panel{X: Axis{Label: label("chart.similarity-limit"), Min: low, Max: 1.02},
		Y: Axis{Label: label("chart.similarity-r"), Min: low, Max: 1.02}, Marks: []Mark{Diagonal(low, 1)}}
	for _, r := range named(s.Above, (1-low)/16) {
		p := s.Above[r]
		right.Marks = append(right.Marks, note(p.Limit, p.R, p.Name, kindColor(p.Kind)))
	}
	for k, name := range kinds {
		fill := kindColor(k)
		var z, one, r, limit []float64
		for _, p := range s.Above {
			if p.Kind != k {
				continue
			}
			at := min(math.Atanh(min(p.R, 0.9999999)), edges[len(edges)-1]-s.Step/2)
			z, one = append(z, at), append(one, height(1))
			r, limit = append(r, p.R), append(limit, p.Limit)
		}
		if z == nil {
			continue
		}
		left.Marks = append(left.Marks, Discs(z, one, 2.5, fill).Called(name))
		right.Marks = append(right.Marks, Discs(limit, r, 2.5, fill))
	}
	return Plot{Rows: [][]Panel{{left, right}}, Width: Page, Height: []vg.Length{70 * vg.Millimeter}}.Figure()
}

// kindColor is the color of a kind of pairs: the first one is a warning.
func kindColor(kind int) color.NRGBA { return ours.Categories[[]int{1, 0, 2}[kind%3]] }

// named are the pairs whose names have room: none within a distance above or below.
func named(all []SimilarPair, room float64) (which []int) {
	for i, p := range all {
		if !math.IsNaN(p.Limit) && !slices.ContainsFunc(which, func(j int) bool {
			return math.Abs(all[j].R-p.R) < room
		}) {
			which = append(which, i)
		}
	}
	return which
}

// note is a text to the left of a point.
func note(atX, atY float64, name string, col color.NRGBA) Mark {
	return Mark{Paint: func(c draw.Canvas, x, y func(float64) vg.Length) {
		sty := ours.Style(ours.TextSize, false)
		sty.Color = col
		ours.Text(c, vg.Point{X: x(atX) - 5, Y: y(atY)}, name, sty, draw.XRight, draw.YCenter)
	}}
}
