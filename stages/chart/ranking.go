package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	ours "prgnn/stages/draw"
)

// A Row is one line of Dots.
type Row struct {
	Name      string
	Value     float64
	Low, High float64 // its interval; NaN when not known
	Chance    float64 // what chance gives; NaN when not known
	Hollow    bool    // not to be told from chance
	Ring      bool
	Series    int // of a classifier, −1 for the majority classifier; otherwise 0, which is blue
}

// Dots are values with their intervals, a row each, the first at the top.
type Dots struct {
	Axis     string
	Rows     []Row
	Interval string  // what the intervals are, for the key
	Ring     string  // what a ring means
	Filled   string  // what sets filled dots apart from hollow ones
	Mark     float64 // a dashed line, such as what guessing gives; NaN for none
	MarkName string
}

func (d Dots) Figure() ours.Figure {
	blue := ours.Categories[0]
	names, named := ours.Style(ours.TextSize, false), vg.Length(0)
	y := Axis{Min: -0.6, Max: float64(len(d.Rows)) - 0.4, Bare: true}
	var chance, chanceAt, rings, ringsAt, hollow, hollowAt []float64
	var intervals, dots, key []Mark
	interval := Style{Color: blue, Width: 1.2}
	for i, r := range d.Rows {
		at := []float64{float64(len(d.Rows) - 1 - i)}
		y.At, y.Names, named = append(y.At, at[0]), append(y.Names, r.Name), max(named, names.Width(r.Name))
		if !math.IsNaN(r.Low + r.High) {
			sty, ends := Style{Color: Color(r.Series), Width: 1.2}, []float64{r.Low, r.High}
			intervals = append(intervals, Whiskers(at, ends[:1], ends[1:], sty, true),
				Ticks(ends, []float64{at[0], at[0]}, 2, sty))
		}
		dots = append(dots, Discs([]float64{r.Value}, at, 2.8, Color(r.Series)))
		if !math.IsNaN(r.Chance) {
			chance, chanceAt = append(chance, r.Chance), append(chanceAt, at[0])
		}
		if r.Ring {
			rings, ringsAt = append(rings, r.Value), append(ringsAt, at[0])
		}
		if r.Hollow {
			hollow, hollowAt = append(hollow, r.Value), append(hollowAt, at[0])
		}
		if r.Series != d.Rows[0].Series {
			interval.Color = ours.Ink // of all colors
		}
	}
	all := slices.Concat(intervals, dots)
	if intervals != nil {
		key = append(key, Line(nil, nil, interval).Called(d.Interval))
	}
	if rings != nil {
		all = append(all, Circles(rings, ringsAt, 4.6, ours.Categories[2]))
		key = append(key, all[len(all)-1].Called(d.Ring))
	}
	if hollow != nil {
		all = append(all, Discs(hollow, hollowAt, 1.7, ours.Ground))
		key = append(key, Discs(nil, nil, 2.8, blue).Called(d.Filled))
	}
	if chance != nil {
		all = append(all, Ticks(chance, chanceAt, 3.5, Style{Color: ours.Ink, Width: 1}))
		key = append(key, all[len(all)-1].Called("95th percentile by chance"))
	}
	if !math.IsNaN(d.Mark) {
		line := Upright(d.Mark, Chance)
		all, key = slices.Insert(all, 0, line), append(key, line.Called(d.MarkName))
	}
	p := Plot{Rows: [][]Panel{{{X: Axis{Label: d.Axis}, Y: y, Marks: all}}}, Width: Column, Key: key,
		Height: []vg.Length{vg.Length(len(d.Rows))*11 + 44}}
	if named > Column/2 { // else hardly any room would be left for the values
		p.Width = Page
	}
	return p.Figure()
}
