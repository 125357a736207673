package chart

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// An Atlas is how a parcellation is shown. Without Surfaces, regions are discs at their places (mm, MNI).
type Atlas struct {
	Surfaces []Raster // left lateral, left medial, right medial, right lateral
	Cuts     []Raster // axial slices, from below
	At       *[3][]float64
}

// Named is a region with a name in a map.
type Named struct {
	Region int
	Name   string
}

// A RegionMap is a map of one setting. Named regions have a number in it, the first 1.
type RegionMap struct {
	Title string
	Regions
	Named []Named
}

// A Colorbar is a color scale with the values of its ends.
type Colorbar struct {
	Low, High float64
	Label     string
}

// sides are the views of discs.
var sides = []struct {
	side Side
	name string
}{{Left, "from the left"}, {Above, "from above"}, {Behind, "from behind"}}

// Measures of a map of regions, in points.
const (
	mapHead, mapCaption, mapGap, mapLine = 18, 12, 6, 11
	mapBar                               = 58 // width of the color bar
	mapWide                              = Page - mapBar
)

// RegionMaps draws regions on the cortex and in slices, a map a setting. ring says what a green outline means; "" for
// none.
func (a Atlas) RegionMaps(maps []RegionMap, bar Colorbar, ring string) ours.Figure {
	views := a.views()
	foot := vg.Length(2)
	if ring != "" {
		foot = 14
	}
	f := ours.Figure{Width: Page, Height: foot}
	for _, m := range maps {
		f.Height += views.height(m)
	}
	f.Paint = func(c draw.Canvas) {
		top := c.Max.Y
		for k, m := range maps {
			ours.Text(c, vg.Point{X: c.Min.X + 4, Y: top - 4}, m.Title, ours.Style(ours.LabelSize, true),
				draw.XLeft, draw.YTop)
			y := top - m.headHeight()
			if k == 0 {
				strip := c
				strip.Min = vg.Point{X: c.Max.X - mapBar + 12, Y: y - max(views.heights[0], 80)}
				strip.Max = vg.Point{X: c.Max.X, Y: y}
				ours.Bar(strip, heat, bar.Low, bar.High, bar.Label)
			}
			views.paint(c, m, y)
			top -= views.height(m)
		}
		if ring != "" {
			drawSigns(c, vg.Point{X: c.Min.X + 4, Y: c.Min.Y + 7}, Page,
				[]sign{{ring, stroke(draw.LineStyle{Color: ringColor, Width: 2})}})
		}
	}
	return f
}

// mapViews are the rows of views of a map: of rasters with the points of a pixel, or one row of discs.
type mapViews struct {
	Atlas
	rows           [][]Raster
	units, heights []vg.Length // of each row
	small          draw.TextStyle
}

func (a Atlas) views() mapViews {
	v := mapViews{Atlas: a, small: ours.Style(ours.TickSize, false)}
	for _, row := range [][]Raster{a.Surfaces, a.Cuts} {
		if len(row) == 0 {
			continue
		}
		each, unit, tall := vg.Length(mapWide)/vg.Length(len(row))-mapGap, vg.Length(1e9), 0.0
		for _, r := range row {
			w, h := r.sizes()
			unit, tall = min(unit, each/vg.Length(w)), max(tall, h)
		}
		v.rows, v.units, v.heights = append(v.rows, row), append(v.units, unit), append(v.heights, vg.Length(tall)*unit)
	}
	if len(v.rows) == 0 {
		v.heights = []vg.Length{vg.Length(mapWide) / vg.Length(len(sides)) * 0.95}
	}
	return v
}

func (m RegionMap) headHeight() vg.Length {
	if m.Title == "" {
		return 4
	}
	return mapHead
}

// lines are the names of the regions, in lines below the views.
func (v mapViews) lines(m RegionMap) (all [][]string) {
	var x vg.Length
	for i, n := range m.Named {
		word := fmt.Sprintf("%d %s", i+1, n.Name)
		if w := v.small.Width(word) + 10; len(all) == 0 || x+w > mapWide {
			all, x = append(all, []string{word}), w
		} else {
			all[len(all)-1], x = append(all[len(all)-1], word), x+w
		}
	}
	return all
}

func (v mapViews) height(m RegionMap) vg.Length {
	h := m.headHeight() + vg.Length(len(v.lines(m)))*mapLine + mapGap
	for _, one := range v.heights {
		h += one + mapCaption
	}
	return h
}

// paint draws a map below y: the views with their marks, and the names.
func (v mapViews) paint(c draw.Canvas, m RegionMap, y vg.Length) {
	if len(v.rows) == 0 {
		v.discs(c, vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y - v.heights[0]},
			Max: vg.Point{X: c.Min.X + mapWide, Y: y}}, m)
		y -= v.heights[0] + mapCaption
	}
	marks := v.marks(v.rows, m.Named)
	for i, row := range v.rows {
		each := vg.Length(mapWide) / vg.Length(len(row))
		for j, r := range row {
			cell := vg.Rectangle{Min: vg.Point{X: c.Min.X + each*vg.Length(j) + mapGap/2, Y: y - v.heights[i]},
				Max: vg.Point{X: c.Min.X + each*vg.Length(j+1) - mapGap/2, Y: y}}
			at := r.paint(c, cell, v.units[i], m.Regions)
			ours.Text(c, vg.Point{X: (cell.Min.X + cell.Max.X) / 2, Y: y - v.heights[i] - 1}, r.Name,
				ours.Style(ours.TickSize-1, false), draw.XCenter, draw.YTop)
			writeMarks(c, at, v.units[i], r, marks[[2]int{i, j}])
		}
		y -= v.heights[i] + mapCaption
	}
	for i, words := range v.lines(m) {
		x := c.Min.X + 4
		for _, w := range words {
			ours.Text(c, vg.Point{X: x, Y: y - vg.Length(i)*mapLine - 1}, w, v.small, draw.XLeft, draw.YTop)
			x += v.small.Width(w) + 10
		}
	}
}

// A mark is the number of a named region, at a pixel.
type mark struct{ number, x, y int }

// marks finds for each named region the view that shows most of it: a surface, else a slice.
func (a Atlas) marks(rows [][]Raster, named []Named) map[[2]int][]mark {
	out := map[[2]int][]mark{}
	const least = 60 // mm²: less is not seen
	visible := make([][]map[int][]int, len(rows))
	for i, row := range rows {
		for _, r := range row {
			visible[i] = append(visible[i], r.visible())
		}
	}
	for k, n := range named {
		for i, row := range rows {
			best, area := -1, float64(least)
			for j, r := range row {
				if v := float64(len(visible[i][j][n.Region])) * r.Step * r.Step; v >= area {
					best, area = j, v
				}
			}
			if best >= 0 {
				x, y := row[best].middle(visible[i][best][n.Region])
				at := [2]int{i, best}
				out[at] = append(out[at], mark{k + 1, x, y})
				break
			}
		}
	}
	return out
}

// writeMarks writes numbers, the first ranks first; one that would lie on another is left out.
func writeMarks(c draw.Canvas, at vg.Rectangle, unit vg.Length, r Raster, marks []mark) {
	var taken []vg.Rectangle
	for _, k := range marks {
		sty := ours.Style(ours.TickSize-1.5, true)
		word := fmt.Sprint(k.number)
		step := vg.Length(r.Step) * unit
		p := vg.Point{X: at.Min.X + (vg.Length(k.x)+0.5)*step, Y: at.Max.Y - (vg.Length(k.y)+0.5)*step}
		half := vg.Point{X: 5, Y: 5}
		box := vg.Rectangle{Min: vg.Point{X: p.X - half.X, Y: p.Y - half.Y},
			Max: vg.Point{X: p.X + half.X, Y: p.Y + half.Y}}
		if free(taken, box) {
			taken = append(taken, box)
			c.DrawGlyph(draw.GlyphStyle{Color: Faded(ours.Ground, 0xd8), Radius: 4.8, Shape: draw.CircleGlyph{}}, p)
			ours.Text(c, p, word, sty, draw.XCenter, draw.YCenter)
		}
	}
}

func free(taken []vg.Rectangle, box vg.Rectangle) bool {
	for _, t := range taken {
		if t.Min.X < box.Max.X && box.Min.X < t.Max.X && t.Min.Y < box.Max.Y && box.Min.Y < t.Max.Y {
			return false
		}
	}
	return true
}

// discs draws the regions at their places, from three sides.
func (a Atlas) discs(c draw.Canvas, in vg.Rectangle, m RegionMap) {
	each := (in.Max.X - in.Min.X) / vg.Length(len(sides))
	spots := a.spots(m.Regions)
	for j, s := range sides {
		one := c
		one.Rectangle = vg.Rectangle{Min: vg.Point{X: in.Min.X + each*vg.Length(j) + 4, Y: in.Min.Y},
			Max: vg.Point{X: in.Min.X + each*vg.Length(j+1) - 4, Y: in.Max.Y}}
		place := drawSpots(one, s.side, spots, heat)
		ours.Text(c, vg.Point{X: one.Min.X + (each-8)/2, Y: in.Min.Y - 1}, s.name, ours.Style(ours.TickSize-1, false),
			draw.XCenter, draw.YTop)
		var taken []vg.Rectangle
		for i, n := range m.Named {
			if n.Region < 1 || n.Region > len(a.At[0]) {
				continue
			}
			word, sty := fmt.Sprint(i+1), ours.Style(ours.TickSize-1, true)
			p := place(spots[n.Region-1])
			p.X += 5
			box := vg.Rectangle{Min: vg.Point{X: p.X, Y: p.Y - 4}, Max: vg.Point{X: p.X + sty.Width(word), Y: p.Y + 4}}
			if free(taken, box) {
				taken = append(taken, box)
				ours.Text(c, p, word, sty, draw.XLeft, draw.YCenter)
			}
		}
	}
}
