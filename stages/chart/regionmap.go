package chart

import (
	"cmp"
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

// Named is a region with a number and a name in a map.
type Named struct {
	Region, Number int
	Name           string
}

// Fills reports whether a region fills at least 10% of a surface.
func (a Atlas) Fills(region int) bool {
	return slices.ContainsFunc(a.Surfaces, func(r Raster) bool {
		own, all := 0, 0
		for _, n := range r.Region {
			if n != 0 {
				all++
			}
			if n == region {
				own++
			}
		}
		return own > 0 && 10*own >= all
	})
}

// A RegionMap is a map of one setting.
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

func (e enlarged) spot(region int) spot {
	s := e.Raster.spot(region)
	s.area *= e.by * e.by
	return s
}

func views(of []Raster) (all []view) {
	for _, r := range of {
		all = append(all, r)
	}
	return all
}

func regionMaps(rows [][]view, maps []RegionMap, bar Colorbar, ring string) ours.Figure {
	const caption, line = 15, 11
	of := lay(rows, mapWide, mapGap, caption)
	f, foot := ours.Figure{Width: Page}, vg.Length(2)
	if ring != "" {
		foot = 14
	}
	keys := make([][]sign, len(maps)) // the names of the regions
	heights := make([]vg.Length, len(maps))
	for k, m := range maps {
		for _, n := range m.Named {
			keys[k] = append(keys[k], sign{word: fmt.Sprintf("%d %s", n.Number, n.Name)})
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
					bar.High, bar.Label, false)
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
			var taken []vg.Rectangle
			if lettered {
				from, to := middle-each/2+l.gap/2+1, middle+each/2-l.gap/2-1
				ours.Text(c, vg.Point{X: from, Y: at.Y}, left, small, draw.XLeft, draw.YTop)
				ours.Text(c, vg.Point{X: to, Y: at.Y}, right, small, draw.XRight, draw.YTop)
				taken = append(taken, rect(from, at.Y-ours.TextSize, from+small.Width(left), at.Y),
					rect(to-small.Width(right), at.Y-ours.TextSize, to, at.Y))
			}
			if l.caption >= ours.TextSize {
				ours.Text(c, vg.Point{X: middle, Y: at.Y - l.heights[i] - 1}, below, name, draw.XCenter, draw.YTop)
			}
			room := part(c, c.Min.X, at.Y-l.heights[i]-1, c.Max.X, at.Y+4) // without the names of views
			number(room, in, taken, marks[[2]int{i, j}])
		}
		at.Y -= l.heights[i] + l.caption
	}
}

// A mark is the number of a named region: on it, or apart from one that it would cover.
type mark struct {
	number int
	spot
	apart bool
}

// numberRadius is that of the pale ground of a number, in points.
const numberRadius = 4.8

// marks finds for each named region the view that shows most of it, in the first row where its number covers at most
// a third of that; without such a row, the view that shows most of it.
func (l layout) marks(named []Named) map[[2]int][]mark {
	out := map[[2]int][]mark{}
	const room, least = 3 * math.Pi * numberRadius * numberRadius, 4 // points²; less than the latter is not seen
	for _, n := range named {
		var place [2]int
		most := spot{area: least}
		for i, row := range l.rows {
			if most.area >= room {
				break
			}
			for j, v := range row {
				s := v.spot(n.Region)
				if math.IsInf(s.area, 1) {
					out[[2]int{i, j}] = append(out[[2]int{i, j}], mark{n.Number, s, false})
				} else if s.area *= float64(l.units[i] * l.units[i]); s.area > most.area {
					place, most = [2]int{i, j}, s
				}
			}
		}
		if most.area > least {
			out[place] = append(out[place], mark{n.Number, most, most.area < room})
		}
	}
	return out
}

// number writes numbers, the first ranks first: beside discs, and else on a pale ground on the region, or apart from
// it with a line to it, within the canvas. One that would lie on another, or on what else is taken, everywhere is
// left out.
func number(c draw.Canvas, in vg.Rectangle, taken []vg.Rectangle, marks []mark) {
	sty := ours.Style(ours.TextSize, true)
	for _, k := range marks {
		p := vg.Point{X: in.Min.X + vg.Length(k.x)*in.Size().X, Y: in.Max.Y - vg.Length(k.y)*in.Size().Y}
		places := []vg.Point{p}
		beside := math.IsInf(k.area, 1)
		switch {
		case beside:
			places[0].X += 6 + sty.Width(fmt.Sprint(k.number))/2
		case k.apart:
			places = around(p, in)
		default:
			places = append(places, around(p, in)...)
		}
		for _, at := range places {
			box := rect(at.X-5, at.Y-5, at.X+5, at.Y+5)
			if at != p && (box.Min.X < c.Min.X || box.Min.Y < c.Min.Y || box.Max.X > c.Max.X || box.Max.Y > c.Max.Y) {
				continue
			}
			if slices.ContainsFunc(taken, func(t vg.Rectangle) bool {
				return t.Min.X < box.Max.X && box.Min.X < t.Max.X && t.Min.Y < box.Max.Y && box.Min.Y < t.Max.Y
			}) {
				continue
			}
			taken = append(taken, box)
			if at != p && !beside {
				c.StrokeLine2(Style{Color: ours.Ink, Width: 0.7}, p.X, p.Y, at.X, at.Y)
				c.DrawGlyph(draw.GlyphStyle{Color: ours.Ink, Radius: 1.1, Shape: draw.CircleGlyph{}}, p)
			}
			if !beside {
				ground := Faded(ours.Ground, 0xd8)
				if at != p { // the line ends at it
					ground = ours.Ground
				}
				c.DrawGlyph(draw.GlyphStyle{Color: ground, Radius: numberRadius, Shape: draw.CircleGlyph{}}, at)
			}
			ours.Text(c, at, fmt.Sprint(k.number), sty, draw.XCenter, draw.YCenter)
			break
		}
	}
}

// around are places beside a region in a view, the near ones and those away from the middle of the view first.
func around(p vg.Point, in vg.Rectangle) (places []vg.Point) {
	const far, askew = 14, 9.9 // points; on a diagonal
	from := p.Sub(in.Min.Add(in.Max).Scale(0.5))
	ways := []vg.Point{{X: far}, {X: askew, Y: askew}, {Y: far}, {X: -askew, Y: askew}, {X: -far},
		{X: -askew, Y: -askew}, {Y: -far}, {X: askew, Y: -askew}}
	along := func(way vg.Point) float64 { return float64(way.X*from.X) + float64(way.Y*from.Y) }
	slices.SortStableFunc(ways, func(a, b vg.Point) int { return cmp.Compare(along(b), along(a)) })
	for _, by := range []vg.Length{1, 1.7} {
		for _, way := range ways {
			places = append(places, p.Add(way.Scale(by)))
		}
	}
	return places
}
