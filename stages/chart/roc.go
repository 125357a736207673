package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Case is one tested participant.
type Case struct {
	Score    float64 // the higher, the more positive
	Positive bool
	Fold     int
}

// A Classifier holds the predictions of one setting for its tested participants.
type Classifier struct {
	Name  string // in the key, with its AUC
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

// MeanRates is the mean of the folds' ROC curves: at each false positive rate the mean of
// their true positive rates (vertical averaging, Fawcett 2006). Scores of different folds
// are never compared, and the area is the mean of the folds' areas. Folds that lack one
// side have no curve; nil when all do.
func MeanRates(cases []Case) []Rate {
	var curves [][]Rate
	var at []float64
	for _, fold := range byFold(cases) {
		if rates := Rates(fold); rates != nil {
			curves = append(curves, rates)
			for _, r := range rates {
				at = append(at, r.False)
			}
		}
	}
	slices.Sort(at)
	var mean []Rate
	for _, x := range slices.Compact(at) {
		low, high := Rate{False: x}, Rate{False: x}
		for _, rates := range curves {
			from, to := trueRates(rates, x)
			low.True += from / float64(len(curves))
			high.True += to / float64(len(curves))
		}
		if mean = append(mean, low); high != low {
			mean = append(mean, high)
		}
	}
	return mean
}

// trueRates are the lowest and the highest true positive rate of a curve at x.
func trueRates(rates []Rate, x float64) (low, high float64) {
	i := slices.IndexFunc(rates, func(r Rate) bool { return r.False >= x })
	if b := rates[i]; b.False > x {
		a := rates[i-1]
		y := a.True + float64((b.True-a.True)*(x-a.False)/(b.False-a.False))
		return y, y
	}
	low, high = rates[i].True, rates[i].True
	for ; i < len(rates) && rates[i].False == x; i++ {
		high = rates[i].True
	}
	return low, high
}

// byFold groups cases by fold, in the order in which the folds appear.
func byFold(cases []Case) [][]Case {
	var folds [][]Case
	at := map[int]int{}
	for _, c := range cases {
		i, known := at[c.Fold]
		if !known {
			i = len(folds)
			at[c.Fold] = i
			folds = append(folds, nil)
		}
		folds[i] = append(folds[i], c)
	}
	return folds
}

// ROC draws the mean curves of up to eight classifiers; of a single one the folds' own
// curves too, as thin lines.
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
			stroke := func(rates []Rate, sty draw.LineStyle) {
				var line []vg.Point
				for _, r := range rates {
					line = append(line, vg.Point{X: x(r.False), Y: y(r.True)})
				}
				c.StrokeLines(sty, line)
			}
			if len(of) == 1 {
				for _, fold := range byFold(of[0].Cases) {
					stroke(Rates(fold), draw.LineStyle{Color: faded(ours.Categories[0], 0x60), Width: vg.Points(0.6)})
				}
			}
			for i, one := range of {
				stroke(MeanRates(one.Cases), draw.LineStyle{Color: ours.Categories[i], Width: vg.Points(1.8)})
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
		words, wide = append(words, one.Name), max(wide, sty.Width(one.Name))
	}
	left, top := c.Max.X-wide-24, c.Min.Y+vg.Length(len(of))*11+6
	c.SetColor(faded(ours.Ground, 0xd8))
	c.Fill(vg.Rectangle{Min: vg.Point{X: left - 4, Y: c.Min.Y + 3}, Max: vg.Point{X: c.Max.X - 2, Y: top}}.Path())
	for i, word := range words {
		key(c, vg.Point{X: left, Y: top - 7 - vg.Length(i)*11}, []string{word},
			[]draw.LineStyle{{Color: ours.Categories[i], Width: 2}})
	}
}
