package chart

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Distribution is how the scores of one pooling layer lay in each epoch.
type Distribution struct {
	Title         string
	Epochs        []int       // in order
	Kept, Dropped [][]float64 // epochs × bins over 0 … 1: numbers of nodes
}

// Ridges draws distributions over the epochs, the early ones far and the late ones
// near, as Figure 3 of the paper: a row for each setting, a column for each layer.
func Ridges(rows [][]Distribution) ours.Figure {
	columns := 0
	for _, r := range rows {
		columns = max(columns, len(r))
	}
	const head, foot = 6, 20
	f := ours.Figure{Width: page, Height: vg.Length(len(rows))*70*vg.Millimeter + head + foot}
	f.Paint = func(c draw.Canvas) {
		key(c, vg.Point{X: c.Min.X + 34, Y: c.Min.Y + 9}, []string{"nodes that are kept", "nodes that are dropped"}, []draw.LineStyle{
			{Color: keptColor, Width: 4}, {Color: droppedColor, Width: 4}})
		cells := tiles(draw.Crop(c, 0, 0, foot, -head), len(rows), columns, 10)
		for i, row := range rows {
			for j, d := range row {
				d.plot().Draw(cells[i][j])
			}
		}
	}
	return f
}

var keptColor, droppedColor = ours.Categories[1], ours.Categories[0]

// chosen are the epochs that are drawn, as in the paper: the first, those nearest to a quarter, half and three
// quarters of the last, and the last (1, 25, 50, 75 and 100 of 100).
func chosen(epochs []int) []int {
	if len(epochs) == 0 {
		return nil
	}
	at := []int{0}
	for quarter := 1; quarter <= 4; quarter++ {
		want, best := epochs[len(epochs)-1]*quarter, 0 // in quarters of an epoch
		for i, e := range epochs {
			if abs(4*e-want) < abs(4*epochs[best]-want) {
				best = i
			}
		}
		if best > at[len(at)-1] {
			at = append(at, best)
		}
	}
	return at
}

func abs(x int) int { return max(x, -x) }

func (d Distribution) plot() *plot.Plot {
	at := chosen(d.Epochs)
	p := ours.NewPlot(d.Title, "pooling score", "epoch")
	p.X.Min, p.X.Max = 0, 1
	p.X.Tick.Marker = ticks([]float64{0, 0.25, 0.5, 0.75, 1}, []string{"0", "0.25", "0.5", "0.75", "1"})
	// One step of y is one epoch drawn; the last one is nearest, at 0.
	p.Y.Min, p.Y.Max = 0, float64(len(at)-1)+1.9
	var values []float64
	var labels []string
	for i, e := range at {
		values, labels = append(values, float64(len(at)-1-i)), append(labels, fmt.Sprint(d.Epochs[e]))
	}
	p.Y.Tick.Marker = ticks(values, labels)
	peak := 0.0 // heights are linear: scores that gather at 0 and 1 stand out
	for _, e := range at {
		for b := range d.Kept[e] {
			peak = max(peak, d.Kept[e][b], d.Dropped[e][b])
		}
	}
	p.Add(paintOn(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for i, e := range at {
			base := float64(len(at) - 1 - i)
			c.StrokeLine2(draw.LineStyle{Color: ours.Faint, Width: vg.Points(0.5)}, x(0), y(base), x(1), y(base))
			for _, side := range []struct {
				counts []float64
				color  int
			}{{d.Dropped[e], 0}, {d.Kept[e], 1}} {
				color := [2]draw.LineStyle{{Color: droppedColor, Width: vg.Points(0.8)},
					{Color: keptColor, Width: vg.Points(0.8)}}[side.color]
				fill := [2]uint8{0x55, 0x66}[side.color]
				n := float64(len(side.counts))
				for _, hill := range hills(side.counts) {
					line := []vg.Point{{X: x(max((float64(hill[0])-0.5)/n, 0)), Y: y(base)}}
					for b := hill[0]; b < hill[1]; b++ {
						line = append(line, vg.Point{X: x((float64(b) + 0.5) / n),
							Y: y(base + float64(1.7*side.counts[b])/peak)})
					}
					line = append(line, vg.Point{X: x(min((float64(hill[1])+0.5)/n, 1)), Y: y(base)})
					if side.color == 0 {
						c.FillPolygon(faded(droppedColor, fill), line)
					} else {
						c.FillPolygon(faded(keptColor, fill), line)
					}
					c.StrokeLines(color, line)
				}
			}
		}
	}))
	return p
}

// hills are the runs of intervals that hold anything: from one, to behind the last.
func hills(counts []float64) (runs [][2]int) {
	for b, v := range counts {
		switch {
		case !(v > 0):
		case len(runs) > 0 && runs[len(runs)-1][1] == b:
			runs[len(runs)-1][1] = b + 1
		default:
			runs = append(runs, [2]int{b, b + 1})
		}
	}
	return runs
}
