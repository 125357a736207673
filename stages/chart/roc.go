package chart

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Case is one who was tested.
type Case struct {
	Score    float64 // the higher, the more positive
	Positive bool
	Fold     int
}

// A Classifier is what one setting said of those who were tested.
type Classifier struct {
	Name  string
	Cases []Case
}

// A Rate is a point of a ROC curve.
type Rate struct{ False, True float64 }

// Rates is the ROC curve, one point for each distinct score, from (0, 0) to (1, 1);
// nil when one side is empty.
func Rates(cases []Case) []Rate {
	sorted := slices.Clone(cases)
	slices.SortStableFunc(sorted, func(a, b Case) int { return cmp.Compare(b.Score, a.Score) })
	positive, negative := 0.0, 0.0
	for _, c := range sorted {
		if c.Positive {
			positive++
		} else {
			negative++
		}
	}
	if positive == 0 || negative == 0 {
		return nil
	}
	rates := []Rate{{}}
	found, wrong := 0.0, 0.0
	for i, c := range sorted {
		if c.Positive {
			found++
		} else {
			wrong++
		}
		if i+1 == len(sorted) || sorted[i+1].Score != c.Score {
			rates = append(rates, Rate{wrong / negative, found / positive})
		}
	}
	return rates
}

// Area is that under a ROC curve, by trapezoids; ties count half.
func Area(rates []Rate) float64 {
	a := 0.0
	for i := 1; i < len(rates); i++ {
		a += float64((rates[i].False - rates[i-1].False) * (rates[i].True + rates[i-1].True) / 2)
	}
	return a
}

// ROC draws the curves of up to eight classifiers, all folds together; of a single one
// the folds too, as thin lines.
func ROC(of []Classifier, positive string) ours.Figure {
	of = of[:min(len(of), len(ours.Categories))]
	f := ours.Figure{Width: column, Height: column}
	f.Paint = func(c draw.Canvas) {
		p := ours.NewPlot("", "1 − specificity", "sensitivity for "+positive)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		fifths, words := []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}
		p.X.Tick.Marker, p.Y.Tick.Marker = ticks(fifths, words), ticks(fifths, words)
		p.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			c.StrokeLine2(chanceLine, x(0), y(0), x(1), y(1))
			stroke := func(cases []Case, sty draw.LineStyle) {
				var line []vg.Point
				for _, r := range Rates(cases) {
					line = append(line, vg.Point{X: x(r.False), Y: y(r.True)})
				}
				c.StrokeLines(sty, line)
			}
			if len(of) == 1 {
				folds := map[int][]Case{}
				var order []int
				for _, one := range of[0].Cases {
					if folds[one.Fold] == nil {
						order = append(order, one.Fold)
					}
					folds[one.Fold] = append(folds[one.Fold], one)
				}
				for _, fold := range order {
					stroke(folds[fold], draw.LineStyle{Color: faded(ours.Categories[0], 0x60), Width: vg.Points(0.6)})
				}
			}
			for i, one := range of {
				stroke(one.Cases, draw.LineStyle{Color: ours.Categories[i], Width: vg.Points(1.8)})
			}
			rocKey(c, of)
		}))
		p.Draw(draw.Crop(c, 2, -8, 2, -4))
	}
	return f
}

// rocKey names the curves at the lower right, where good ones do not go.
func rocKey(c draw.Canvas, of []Classifier) {
	sty := ours.Style(ours.TickSize, false)
	var words []string
	var wide vg.Length
	for _, one := range of {
		word := fmt.Sprintf("AUC %.3f", Area(Rates(one.Cases)))
		if one.Name != "" {
			word = one.Name + ": " + word
		}
		words, wide = append(words, word), max(wide, sty.Width(word))
	}
	left, top := c.Max.X-wide-24, c.Min.Y+vg.Length(len(of))*11+6
	c.SetColor(faded(ours.Ground, 0xd8))
	c.Fill(vg.Rectangle{Min: vg.Point{X: left - 4, Y: c.Min.Y + 3}, Max: vg.Point{X: c.Max.X - 2, Y: top}}.Path())
	for i, word := range words {
		key(c, vg.Point{X: left, Y: top - 7 - vg.Length(i)*11}, []string{word}, []draw.LineStyle{{Color: ours.Categories[i], Width: 2}})
	}
}
