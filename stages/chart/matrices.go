package chart

import (
	"image"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"prgnn/internal/lists"
	ours "prgnn/stages/draw"
)

// A MatrixPanel is a matrix of regions by regions, row-major; NaN is gray. The diagonal is
// left white.
type MatrixPanel struct {
	Title  string
	Values []float64
	Label  string // of the colors, such as "r"
}

// Matrices draws matrices side by side, regions in blocks by their group (such as "L
// cortex"; empty for none). Colors go from blue for negative over white for 0 to red, to
// the same limit in panels of one label: the 99th percentile of the magnitudes; larger ones have the color of the
// limit.
func Matrices(panels []MatrixPanel, groups []string) ours.Figure {
	return matrixRows(panels, groups, len(panels))
}

// matrixRows draws so many matrices in a row.
func matrixRows(panels []MatrixPanel, groups []string, perRow int) ours.Figure {
	order, blocks := arrange(groups)
	limits, clipped := map[string]float64{}, map[string]bool{}
	for _, p := range panels {
		limits[p.Label] = max(limits[p.Label], limit(p.Values, len(groups)))
	}
	for _, p := range panels {
		clipped[p.Label] = clipped[p.Label] || exceeds(p.Values, len(groups), limits[p.Label])
	}
	rows := slices.Collect(slices.Chunk(panels, perRow))
	k := vg.Length(len(rows[0]))
	words := vg.Length(4)
	sty := ours.Style(ours.TextSize, false)
	for _, b := range blocks {
		words = max(words, sty.Width(b.name)+8)
	}
	const bar, gap, head, foot = 46, 10, 20, 6
	width := vg.Length(Page)
	if len(panels) == 1 {
		width = Column
	}
	last := func(row []MatrixPanel, i int) bool { return i == len(row)-1 || row[i+1].Label != row[i].Label }
	bars := vg.Length(0)
	for i := range rows[0] {
		if last(rows[0], i) {
			bars++
		}
	}
	side := (width - words - bars*bar - (k-1)*gap) / k
	height := side + head + foot
	return ours.Figure{Width: width, Height: vg.Length(len(rows)) * height, Paint: func(c draw.Canvas) {
		for r, row := range rows {
			x, y := c.Min.X+words, c.Min.Y+foot+vg.Length(len(rows)-1-r)*height
			for i, p := range row {
				square := rect(x, y, x+side, y+side)
				ours.Text(c, vg.Point{X: x, Y: square.Max.Y + 5}, p.Title, ours.Style(ours.TextSize, true),
					draw.XLeft, draw.YBottom)
				p.paint(c, square, order, blocks, limits[p.Label], i == 0)
				x += side
				if last(row, i) {
					ours.Bar(part(c, x+6, square.Min.Y+side/4, x+bar, square.Max.Y-side/8), ours.Diverging,
						-limits[p.Label], limits[p.Label], p.Label, clipped[p.Label])
					x += bar
				}
				x += gap
			}
		}
	}}
}

// paint draws one matrix into a square, and the names of the blocks at its left.
func (p MatrixPanel) paint(c draw.Canvas, square vg.Rectangle, order []int, blocks []block, limit float64, named bool) {
	n := len(order)
	img := image.NewNRGBA(image.Rect(0, 0, n, n))
	for i, from := range order {
		for j, to := range order {
			const steps = 64 // of the scale: few enough colors for a small file
			color := ours.Diverging.At(math.Round(steps*(0.5+p.Values[from*n+to]/(2*limit))) / steps)
			if i == j {
				color.R, color.G, color.B = 0xff, 0xff, 0xff
			}
			img.SetNRGBA(j, i, color)
		}
	}
	c.DrawImage(square, ours.Cells{Image: img})
	side := square.Max.X - square.Min.X
	line := draw.LineStyle{Color: ours.Ink, Width: 0.4}
	at := func(i int) vg.Length { return side * vg.Length(i) / vg.Length(n) }
	var middles []vg.Length
	for _, b := range blocks {
		middles = append(middles, square.Max.Y-(at(b.from)+at(b.to))/2)
	}
	middles = spread(middles, ours.TextSize, square)
	for k, b := range blocks {
		if k > 0 {
			c.StrokeLine2(line, square.Min.X, square.Max.Y-at(b.from), square.Max.X, square.Max.Y-at(b.from))
			c.StrokeLine2(line, square.Min.X+at(b.from), square.Min.Y, square.Min.X+at(b.from), square.Max.Y)
		}
		high := at(b.to) - at(b.from)
		middle := square.Max.Y - at(b.from) - high/2
		switch {
		case !named || b.name == "":
			continue
		case middles != nil:
			c.StrokeLine2(line, square.Min.X-3.5, middles[k], square.Min.X, middle)
			middle = middles[k]
		case high < ours.TextSize:
			continue
		}
		ours.Text(c, vg.Point{X: square.Min.X - 4, Y: middle}, b.name, ours.Style(ours.TextSize, false), draw.XRight,
			draw.YCenter)
	}
	c.StrokeLines(draw.LineStyle{Color: ours.Rule, Width: 0.6}, ours.Outline(square))
}

// spread moves heights, from the top, apart by at least gap within a square; nil where there is no room.
func spread(heights []vg.Length, gap vg.Length, in vg.Rectangle) []vg.Length {
	if vg.Length(len(heights))*gap > in.Size().Y {
		return nil
	}
	top, bottom := in.Max.Y-gap/2, in.Min.Y+gap/2
	for i := range heights {
		heights[i] = min(heights[i], top)
		top = heights[i] - gap
	}
	for i := range slices.Backward(heights) {
		heights[i] = max(heights[i], bottom)
		bottom = heights[i] + gap
	}
	return heights
}

// A block is the regions of one group, from … to−1 in the order of the picture.
type block struct {
	name     string
	from, to int
}

// arrange puts the regions of a group together, groups in the order in which they come.
func arrange(groups []string) (order []int, blocks []block) {
	regions := make([]int, len(groups))
	for i := range regions {
		regions[i] = i
	}
	for _, of := range lists.By(regions, func(i int) string { return groups[i] }) {
		blocks = append(blocks, block{of.Key, len(order), len(order) + len(of.All)})
		order = append(order, of.All...)
	}
	return order, blocks
}

// exceeds reports whether a magnitude off the diagonal is above a limit.
func exceeds(v []float64, n int, limit float64) bool {
	for i, x := range v {
		if i/n != i%n && math.Abs(x) > limit {
			return true
		}
	}
	return false
}

// limit is the 99th percentile of the magnitudes off the diagonal, rounded up to two
// digits; 1 when there is none.
func limit(v []float64, n int) float64 {
	var all []float64
	for i := range n {
		for j := range n {
			if x := math.Abs(v[i*n+j]); i != j && !math.IsNaN(x) {
				all = append(all, x)
			}
		}
	}
	if all == nil {
		return 1
	}
	slices.Sort(all)
	x := stat.Quantile(0.99, stat.Empirical, all, nil)
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Ceil(x/unit) * unit
}
