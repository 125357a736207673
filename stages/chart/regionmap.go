package chart

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// An Atlas is how a parcellation is shown. Without Surfaces, regions are discs at their places (mm, MNI).
type Atlas struct {
	Surfaces []Raster // left lateral, left medial, dorsal, right medial, right lateral
	Inner    []Raster // the subcortical regions alone, from above and from below
	Cuts     []Raster // axial slices, from below
	At       *[3][]float64
}

// Views are what the regions are shown as: surfaces and slices, slices alone, or discs.
func (a Atlas) Views() string {
	switch {
	case len(a.Surfaces) > 0:
		return "surfaces"
	case len(a.Cuts) > 0:
		return "slices"
	}
	return "discs"
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

// Measures of a map of regions, in points.
const (
	mapGap  = 6
	mapBar  = 58 // width of the color bar
	mapWide = Page - mapBar
)

// RegionMaps draws regions on the cortex and in slices, a map a setting. ring says what a green outline means; "" for
// none.
func (a Atlas) RegionMaps(maps []RegionMap, bar Colorbar, ring string) ours.Figure {
	if len(a.Surfaces)+len(a.Cuts) == 0 {
		return regionMaps([][]view{{a.discs(Left), a.discs(Above), a.discs(Behind)}}, maps, bar, ring)
	}
	cuts := a.Cuts
	if n := len(a.Inner); n > 0 && len(cuts) > n { // in place of the lowest and the highest slice
		cuts = cuts[n/2 : len(cuts)-(n-n/2)]
	}
	var inner []view
	for _, r := range a.Inner {
		by := math.Inf(1)
		for _, cut := range cuts {
			w, h := r.size()
			width, height := cut.size()
			by = min(by, width/w, height/h)
		}
		if len(cuts) == 0 {
			by = 1
		}
		inner = append(inner, enlarged{r, by})
	}
	return regionMaps([][]view{views(a.Surfaces), append(inner, views(cuts)...)}, maps, bar, ring)
}

// An enlarged view is drawn at a larger scale than the others in its row.
type enlarged struct {
	Raster
	by float64
}

func (e enlarged) size() (width, height float64) {
	w, h := e.Raster.size()
	return w * e.by, h * e.by
}

func views(of []Raster) (all []view) {
	for _, r := range of {
		all = append(all, r)
	}
	return all
}

func regionMaps(rows [][]view, maps []RegionMap, bar Colorbar, ring string) ours.Figure {
	const caption, line = 12, 11
	of := lay(rows, mapWide, mapGap, caption)
	f, foot := ours.Figure{Width: Page}, vg.Length(2)
	if ring != "" {
		foot = 14
	}
	keys := make([][]sign, len(maps)) // the names of the regions
	heights := make([]vg.Length, len(maps))
	for k, m := range maps {
		for i, n := range m.Named {
			keys[k] = append(keys[k], sign{word: fmt.Sprintf("%d %s", i+1, n.Name)})
		}
		if heights[k] = 4; m.Title != "" {
			heights[k] = 18
		}
		f.Height += heights[k] + of.height() + mapGap + line*vg.Length(signLines(keys[k], mapWide))
	}
	f.Height += foot
	f.Paint = func(c draw.Canvas) {
		top := c.Max.Y
		for k, m := range maps {
			ours.Text(c, vg.Point{X: c.Min.X + 4, Y: top - 4}, m.Title, ours.Style(ours.TextSize, true),
				draw.XLeft, draw.YTop)
			top -= heights[k]
			if k == 0 {
				ours.Bar(part(c, c.Max.X-mapBar+12, top-max(of.heights[0], 80), c.Max.X, top), heat, bar.Low,
					bar.High, bar.Label)
			}
			of.paint(c, vg.Point{X: c.Min.X, Y: top}, m, true)
			top -= of.height()
			drawSigns(c, vg.Point{X: c.Min.X + 4, Y: top - 5}, mapWide, keys[k])
			top -= mapGap + line*vg.Length(signLines(keys[k], mapWide))
		}
		if ring != "" {
			drawSigns(c, vg.Point{X: c.Min.X + 4, Y: c.Min.Y + 7}, Page,
				[]sign{{word: ring, draw: stroke(Style{Color: ringColor, Width: 2})}})
		}
	}
	return f
}

// A view is a picture of the regions from one side, or in a slice.
type view interface {
	size() (width, height float64) // mm
	names() (below, left, right string)
	paint(c draw.Canvas, in vg.Rectangle, of Regions)
	spot(region int) spot
}

// A spot is where a region is in a view, as shares from its upper left, and how much of the region the view shows, mm²;
// where regions are seen from everywhere, infinite.
type spot struct{ x, y, area float64 }

// A layout is rows of views, each of one scale.
type layout struct {
	rows                [][]view
	width, gap, caption vg.Length
	units, heights      []vg.Length // points a mm, and of each row
}

func lay(rows [][]view, width, gap, caption vg.Length) layout {
	l := layout{width: width, gap: gap, caption: caption}
	for _, row := range rows {
		if len(row) == 0 {
			continue
		}
		unit, tall := vg.Length(1e9), 0.0
		for _, v := range row {
			w, h := v.size()
			unit, tall = min(unit, (width/vg.Length(len(row))-gap)/vg.Length(w)), max(tall, h)
		}
		l.rows, l.units, l.heights = append(l.rows, row), append(l.units, unit), append(l.heights, vg.Length(tall)*unit)
	}
	return l
}

func (l layout) height() (sum vg.Length) {
	for _, h := range l.heights {
		sum += h + l.caption
	}
	return sum
}

// paint draws a map below a point, with the numbers of its regions; lettered views have letters at their corners, and
// their names where there is room below.
func (l layout) paint(c draw.Canvas, at vg.Point, m RegionMap, lettered bool) {
	small, name := ours.Style(ours.TextSize, false), ours.Style(ours.TextSize, false)
	marks := l.marks(m.Named)
	for i, row := range l.rows {
		each := l.width / vg.Length(len(row))
		for j, v := range row {
			w, h := v.size()
			middle := at.X + each*(vg.Length(j)+0.5)
			half := vg.Length(w) * l.units[i] / 2
			in := rect(middle-half, at.Y-vg.Length(h)*l.units[i], middle+half, at.Y)
			v.paint(c, in, m.Regions)
			below, left, right := v.names()
			if lettered {
				ours.Text(c, vg.Point{X: middle - each/2 + l.gap/2 + 1, Y: at.Y}, left, small, draw.XLeft, draw.YTop)
				ours.Text(c, vg.Point{X: middle + each/2 - l.gap/2 - 1, Y: at.Y}, right, small, draw.XRight, draw.YTop)
			}
			if l.caption >= ours.TextSize {
				ours.Text(c, vg.Point{X: middle, Y: at.Y - l.heights[i] - 1}, below, name, draw.XCenter, draw.YTop)
			}
			number(c, in, marks[[2]int{i, j}])
		}
		at.Y -= l.heights[i] + l.caption
	}
}

// A mark is the number of a named region.
type mark struct {
	number int
	spot
}

// marks finds for each named region the view that shows most of it, in the first row that does.
func (l layout) marks(named []Named) map[[2]int][]mark {
	out := map[[2]int][]mark{}
	const least = 60 // mm²: less is not seen
	for k, n := range named {
		for i, row := range l.rows {
			best, found := -1, spot{area: least}
			for j, v := range row {
				s := v.spot(n.Region)
				if math.IsInf(s.area, 1) {
					out[[2]int{i, j}] = append(out[[2]int{i, j}], mark{k + 1, s})
				} else if s.area >= found.area {
					best, found = j, s
				}
			}
			if best >= 0 {
				out[[2]int{i, best}] = append(out[[2]int{i, best}], mark{k + 1, found})
				break
			}
		}
	}
	return out
}

// number writes numbers, the first ranks first, beside discs and else on a pale ground; one that would lie on another
// is left out.
func number(c draw.Canvas, in vg.Rectangle, marks []mark) {
	var taken []vg.Rectangle
	sty := ours.Style(ours.TextSize, true)
	for _, k := range marks {
		p := vg.Point{X: in.Min.X + vg.Length(k.x)*in.Size().X, Y: in.Max.Y - vg.Length(k.y)*in.Size().Y}
		beside := math.IsInf(k.area, 1)
		if beside {
			p.X += 6 + sty.Width(fmt.Sprint(k.number))/2
		}
		box := rect(p.X-5, p.Y-5, p.X+5, p.Y+5)
		if slices.ContainsFunc(taken, func(t vg.Rectangle) bool {
			return t.Min.X < box.Max.X && box.Min.X < t.Max.X && t.Min.Y < box.Max.Y && box.Min.Y < t.Max.Y
		}) {
			continue
		}
		taken = append(taken, box)
		if !beside {
			c.DrawGlyph(draw.GlyphStyle{Color: Faded(ours.Ground, 0xd8), Radius: 4.8, Shape: draw.CircleGlyph{}}, p)
		}
		ours.Text(c, p, fmt.Sprint(k.number), sty, draw.XCenter, draw.YCenter)
	}
}
