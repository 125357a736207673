package chart

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
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
	p := Plot{Width: Page, Height: []vg.Length{70 * vg.Millimeter}}
	for _, row := range rows {
		var panels []Panel
		for _, d := range row {
			panels = append(panels, d.panel())
		}
		p.Rows = append(p.Rows, panels)
	}
	return p.Figure()
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

func (d Distribution) panel() Panel {
	at := chosen(d.Epochs)
	// One step of y is one epoch drawn; the last one is nearest, at 0.
	p := Panel{Title: d.Title, Blank: true, Y: Axis{Label: wording.Label("chart.epoch", nil),
		Max: float64(len(at)-1) + 1.9},
		X: Axis{Label: wording.Label("chart.pooling-score", nil), Max: 1, At: []float64{0, 0.25, 0.5, 0.75, 1}, Names: []string{"0",
			"0.25", "0.5", "0.75", "1"}}}
	peak := 0.0 // heights are linear: scores that gather at 0 and 1 stand out
	for _, e := range at {
		peak = max(peak, slices.Max(d.Kept[e]), slices.Max(d.Dropped[e]))
	}
	for i, e := range at {
		base := float64(len(at) - 1 - i)
		p.Y.At, p.Y.Names = append(p.Y.At, base), append(p.Y.Names, fmt.Sprint(d.Epochs[e]))
		p.Marks = append(p.Marks, Across(base, Style{Color: ours.Faint, Width: 0.5}),
			ridge(d.Dropped[e], base, peak, droppedColor, 0x55).Called(wording.Label("chart.dropped", nil)),
			ridge(d.Kept[e], base, peak, keptColor, 0x66).Called(wording.Label("chart.kept", nil)))
	}
	return p
}

// ridge fills the hills of a histogram that stands on base.
func ridge(counts []float64, base, peak float64, color color.NRGBA, alpha uint8) Mark {
	n := float64(len(counts))
	return Mark{sign: stroke(Style{Color: color, Width: 4}), Paint: func(c draw.Canvas, x, y func(float64) vg.Length) {
		for _, hill := range hills(counts) {
			line := []vg.Point{{X: x(max((float64(hill[0])-0.5)/n, 0)), Y: y(base)}}
			for b := hill[0]; b < hill[1]; b++ {
				line = append(line, vg.Point{X: x((float64(b) + 0.5) / n), Y: y(base + float64(1.7*counts[b])/peak)})
			}
			line = append(line, vg.Point{X: x(min((float64(hill[1])+0.5)/n, 1)), Y: y(base)})
			c.FillPolygon(Faded(color, alpha), line)
			c.StrokeLines(Style{Color: color, Width: 0.8}, line)
		}
	}}
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
