package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Link is an edge between two regions, from 0, with its value.
type Link struct {
	A, B  int
	Value float64
}

// Links draws edges between regions, red for values above 0 and blue below, the larger in magnitude the darker: in
// three views of a brain where the regions that have edges have places in one, otherwise on a circle, regions in blocks
// by their group, with a key of the names of those that have most edges.
func Links(links []Link, at [3][]float64, groups, names []string) ours.Figure {
	links = weakestFirst(links)
	if InBrain(links, at) {
		return linksInBrain(links, at, Page, Above, Left, Behind)
	}
	return linksOnCircle(links, groups, names)
}

// glance is the width of a picture of one view, in points.
const glance = 110

// LinksFromAbove draws edges in one small view of a brain, where all regions that have edges have places.
func LinksFromAbove(links []Link, at [3][]float64) ours.Figure {
	return linksInBrain(weakestFirst(links), at, glance, Above)
}

func weakestFirst(links []Link) []Link {
	return slices.SortedStableFunc(slices.Values(links), func(a, b Link) int {
		return cmp.Compare(math.Abs(a.Value), math.Abs(b.Value))
	})
}

// InBrain reports whether all regions that have edges have places in a brain.
func InBrain(links []Link, at [3][]float64) bool {
	var of [3][]float64
	for _, l := range links {
		for _, i := range []int{l.A, l.B} {
			for k := range at {
				if i >= len(at[k]) || math.IsNaN(at[k][i]) {
					return false
				}
				of[k] = append(of[k], at[k][i])
			}
		}
	}
	return Holds(of[0], of[1], of[2])
}

// shade is the color of a link among others, of which the largest has this magnitude.
func (l Link) shade(largest float64) color.NRGBA {
	x := 0.3 + float64(0.2*math.Abs(l.Value)/largest)
	return ours.Diverging.At(0.5 + math.Copysign(x, l.Value))
}

func largestOf(links []Link) float64 { return math.Abs(links[len(links)-1].Value) }

func linksInBrain(links []Link, at [3][]float64, width vg.Length, sides ...Side) ours.Figure {
	var views []discs
	wide := 0.0
	for _, side := range sides {
		d := Atlas{At: &at}.discs(side).(discs)
		views = append(views, d)
		wide += d.end - d.left
	}
	const head = 14
	sty := ours.Style(ours.TextSize, false)
	beside := func(word string) vg.Length { return sty.Width(word) + 8 } // the place of a word beside a view
	words := vg.Length(0)
	for _, d := range views {
		_, left, right := d.names()
		words += beside(left) + beside(right)
	}
	unit := (width - words) / vg.Length(wide)
	tall := vg.Length(0)
	for _, d := range views {
		tall = max(tall, unit*vg.Length(d.above-d.below))
	}
	return ours.Figure{Width: width, Height: tall + head, Paint: func(c draw.Canvas) {
		x := c.Min.X
		for _, d := range views {
			name, left, right := d.names()
			x += beside(left)
			w, h := unit*vg.Length(d.end-d.left), unit*vg.Length(d.above-d.below)
			in := rect(x, c.Min.Y+(tall-h)/2, x+w, c.Min.Y+(tall-h)/2+h)
			place, unit := d.ground(c, in)
			for _, l := range links {
				c.StrokeLines(Style{Color: l.shade(largestOf(links)), Width: 0.8},
					[]vg.Point{place(d.flat(l.A)), place(d.flat(l.B))})
			}
			for i, degree := range degreesOf(links, len(at[0])) {
				if degree > 0 {
					c.DrawGlyph(draw.GlyphStyle{Color: ours.Ink, Shape: draw.CircleGlyph{},
						Radius: unit * vg.Length(1.2+float64(0.6*math.Sqrt(float64(degree))))}, place(d.flat(i)))
				}
			}
			ours.Text(c, vg.Point{X: x + w/2, Y: c.Min.Y + tall + 3}, name, sty, draw.XCenter, draw.YBottom)
			ours.Text(c, vg.Point{X: in.Min.X - 2, Y: in.Min.Y + h/2}, left, sty, draw.XRight, draw.YCenter)
			ours.Text(c, vg.Point{X: in.Max.X + 2, Y: in.Min.Y + h/2}, right, sty, draw.XLeft, draw.YCenter)
			x += w + beside(right)
		}
	}}
}

func degreesOf(links []Link, regions int) []int {
	of := make([]int, regions)
	for _, l := range links {
		of[l.A]++
		of[l.B]++
	}
	return of
}

// MostNamed is how many regions have a number and a name on a circle.
const MostNamed = 24

func linksOnCircle(links []Link, groups, names []string) ours.Figure {
	order, blocks := arrange(groups)
	n := float64(len(order))
	angle := func(position float64) float64 { return math.Pi/2 + 2*math.Pi*position/n } // the left comes first
	position := make([]float64, len(order))
	for i, region := range order {
		position[region] = float64(i) + 0.5
	}
	degrees := degreesOf(links, len(groups))
	named := slices.DeleteFunc(slices.Clone(order), func(region int) bool { return degrees[region] == 0 })
	slices.SortStableFunc(named, func(a, b int) int { return cmp.Compare(degrees[b], degrees[a]) })
	named = named[:min(len(named), MostNamed)]
	slices.SortFunc(named, func(a, b int) int { return cmp.Compare(position[a], position[b]) })
	var key []sign
	for i, region := range named {
		key = append(key, sign{word: fmt.Sprintf("%d %s", i+1, names[region])})
	}
	const side, line = Column, 11
	foot := line * vg.Length(signLines(key, side))
	return ours.Figure{Width: side, Height: side + foot, Paint: func(c draw.Canvas) {
		drawSigns(c, vg.Point{X: c.Min.X + 4, Y: c.Min.Y + foot - 2}, side, key)
		center := vg.Point{X: c.Min.X + side/2, Y: c.Min.Y + foot + side/2}
		const radius, numbers, blockNames = side/2 - 48, 9, 24 // points; the others from the circle
		at := func(angle float64, r vg.Length) vg.Point {
			return vg.Point{X: center.X + r*vg.Length(math.Cos(angle)), Y: center.Y + r*vg.Length(math.Sin(angle))}
		}
		for _, b := range blocks {
			var arc []vg.Point
			const steps = 24
			for k := range steps + 1 {
				from, to := float64(b.from)+0.1, float64(b.to)-0.1
				arc = append(arc, at(angle(from+(to-from)*float64(k)/steps), radius+3))
			}
			c.StrokeLines(Style{Color: ours.Rule, Width: 2}, arc)
			middle := angle(float64(b.from+b.to) / 2)
			x := draw.XLeft
			if math.Cos(middle) < 0 {
				x = draw.XRight
			}
			ours.Text(c, at(middle, radius+blockNames), b.name, ours.Style(ours.TextSize, false), x, draw.YCenter)
		}
		for _, l := range links {
			var path vg.Path
			path.Move(at(angle(position[l.A]), radius))
			path.QuadTo(center, at(angle(position[l.B]), radius))
			c.SetLineStyle(Style{Color: l.shade(largestOf(links)), Width: 1})
			c.Stroke(path)
		}
		for i, degree := range degrees {
			if degree > 0 {
				c.DrawGlyph(draw.GlyphStyle{Color: ours.Ink, Shape: draw.CircleGlyph{}, Radius: 1.6},
					at(angle(position[i]), radius))
			}
		}
		near := vg.Length(numbers)
		for i, region := range named {
			here := at(angle(position[region]), radius+numbers)
			if i > 0 && near == numbers {
				if d := here.Sub(at(angle(position[named[i-1]]), radius+numbers)); d.X*d.X+d.Y*d.Y < 10*10 {
					near = numbers + 9 // farther out than its neighbor
				}
			} else {
				near = numbers
			}
			ours.Text(c, at(angle(position[region]), radius+near), fmt.Sprint(i+1), ours.Style(ours.TextSize, true),
				draw.XCenter, draw.YCenter)
		}
	}}
}
