package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/draw"
	"prgnn/stages/inference"
)

// DrawUniverses draws the specification curve: the effects of the universes in rising order over the null band, and
// below them the option of each decision. Universes that repeat another are left out. of are the values of the entries.
func DrawUniverses(rows []column.UniverseRow, options []column.OptionRow, of map[string]any) *Chart {
	rows = distinct(rows)
	if len(rows) == 0 {
		return nil
	}
	top, headline := effects(rows, of)
	x := top.X
	y := chart.Axis{Min: -0.6, Max: float64(len(options)) - 0.4, Bare: true}
	marks := make([]chart.Mark, 0, len(options))
	for i, o := range options {
		height := float64(len(options) - 1 - i)
		y.At, y.Names = append(y.At, height), append(y.Names, o.Decision+": "+o.Option)
		var has, heights []float64
		for j, r := range rows {
			if column.ValueOn(r.Coords, o.Decision) == o.Option {
				has, heights = append(has, float64(j+1)), append(heights, height)
			}
		}
		marks = append(marks, chart.Ticks(has, heights, 3.2, chart.Style{Color: draw.Ink,
			Width: vg.Length(max(0.5, min(2.5, 300/float64(len(rows)))))}))
	}
	plot := chart.Plot{
		Rows: [][]chart.Panel{
			{top},
			{{X: chart.Axis{Label: label("figure.multiverse.order", of), Min: x.Min, Max: x.Max, Whole: true}, Y: y,
				Marks: marks, Blank: true}},
		},
		Width:  chart.Page,
		Height: []vg.Length{62 * vg.Millimeter, vg.Length(len(options))*11 + 34},
		Key:    headline,
	}
	if headline == nil {
		plot.Key = []chart.Mark{}
	}
	return Captioned(plot.Figure(), "figure.multiverse", of)
}

// DrawUniverseTile draws the effects of the universes alone, small, for the top of a page.
func DrawUniverseTile(rows []column.UniverseRow, of map[string]any) *Chart {
	rows = distinct(rows)
	if len(rows) == 0 {
		return nil
	}
	panel, _ := effects(rows, of)
	panel.X.Bare, panel.X.Names = true, []string{}
	plot := chart.Plot{Rows: [][]chart.Panel{{panel}}, Width: 51 * vg.Millimeter, // a tile is 12 rem wide
		Height: []vg.Length{36 * vg.Millimeter}, Key: []chart.Mark{}}
	return Captioned(plot.Figure(), "tile.multiverse", of)
}

// distinct are the universes that repeat no other.
func distinct(rows []column.UniverseRow) []column.UniverseRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r column.UniverseRow) bool { return r.SameAs != "" })
}

// effects is the panel of the sorted effects with their intervals over the null band, and the mark of the headline.
func effects(rows []column.UniverseRow, of map[string]any) (panel chart.Panel, headline []chart.Mark) {
	blue := chart.Color(0)
	var at, low, high, nullLow, nullHigh, filled, filledAt, hollow, hollowAt []float64
	for i, r := range rows {
		x := float64(i + 1)
		at, low, high = append(at, x), append(low, r.Low), append(high, r.High)
		nullLow, nullHigh = append(nullLow, r.NullLow), append(nullHigh, r.NullHigh)
		if inference.Significant(r.P) {
			filled, filledAt = append(filled, r.Effect), append(filledAt, x)
		} else {
			hollow, hollowAt = append(hollow, r.Effect), append(hollowAt, x)
		}
		if r.Headline {
			headline = append(headline, chart.Circles([]float64{x}, []float64{r.Effect}, 5,
				draw.Categories[2]).Called(label("figure.multiverse.headline", of)))
		}
	}
	radius := vg.Length(max(0.8, min(2.6, 160/float64(len(rows)))))
	x := chart.Axis{Min: 0.4, Max: float64(len(rows)) + 0.6, Whole: true}
	band := chart.Band(at, nullLow, nullHigh, chart.Faded(draw.Ink, 40))
	band.Y = slices.Concat(nullLow, nullHigh)
	interval := chart.Style{Color: chart.Faded(blue, 110), Width: 0.6}
	curve := []chart.Mark{band, chart.Across(0, chart.Chance), chart.Whiskers(at, low, high, interval, false),
		chart.Discs(hollowAt, hollow, radius, blue), chart.Discs(hollowAt, hollow, 0.6*radius, draw.Ground),
		chart.Discs(filledAt, filled, radius, blue)}
	if !rows[0].HasInterval() {
		curve = slices.Delete(curve, 2, 3)
	}
	if math.IsNaN(rows[0].NullLow) { // nothing is tested
		curve = curve[1:]
	}
	y := chart.Axis{Label: label("multiverse.effect", of)}
	return chart.Panel{X: x, Y: y, Marks: slices.Concat(curve, headline)}, headline
}
