package chart

import (
	"cmp"
	"math"
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
	Name   string // in the key, with its AUC
	Series int
	Cases  []Case
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
// their true positive rates (vertical averaging, Fawcett 2006), and the same less and plus their SD, within 0 and 1.
// Scores of different folds are never compared, and the area of the mean is the mean of the folds' areas. Folds that
// lack one side have no curve; nil when all do.
func MeanRates(cases []Case) (mean, low, high []Rate) {
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
	add := func(x float64, values []float64) {
		m, sd := meanSD(values)
		mean = append(mean, Rate{x, m})
		low, high = append(low, Rate{x, max(m-sd, 0)}), append(high, Rate{x, min(m+sd, 1)})
	}
	for _, x := range slices.Compact(at) {
		var from, to []float64
		for _, rates := range curves {
			a, b := trueRates(rates, x)
			from, to = append(from, a), append(to, b)
		}
		if add(x, from); !slices.Equal(from, to) {
			add(x, to)
		}
	}
	return mean, low, high
}

// meanSD are the mean and the standard deviation (n−1; 0 of one value).
func meanSD(values []float64) (mean, sd float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		sd += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(sd / float64(max(len(values)-1, 1)))
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

// MostBands is how many classifiers have bands in one plot: more of them hide each other.
const MostBands = 4

// ROC draws the mean curves of classifiers in bands of one SD over the folds; of a single one the folds' own
// curves too, as thin lines. Of more than MostBands classifiers the first alone has a band.
func ROC(of []Classifier, positive string) ours.Figure {
	lines := keyLines(of)
	f := ours.Figure{Width: column, Height: column + vg.Length(lines)*11}
	f.Paint = func(c draw.Canvas) {
		p := unitSquare("1 − specificity", "sensitivity for "+positive)
		p.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			c.StrokeLine2(chanceLine, x(0), y(0), x(1), y(1))
			line := func(rates []Rate) (line []vg.Point) {
				for _, r := range rates {
					line = append(line, vg.Point{X: x(r.False), Y: y(r.True)})
				}
				return line
			}
			means := make([][]vg.Point, len(of))
			for i, one := range of {
				mean, low, high := MeanRates(one.Cases)
				means[i] = line(mean)
				if i > 0 && len(of) > MostBands {
					continue
				}
				back := line(high)
				slices.Reverse(back)
				c.FillPolygon(faded(seriesColor(one.Series), 0x1c), append(line(low), back...))
			}
			if len(of) == 1 {
				for _, fold := range byFold(of[0].Cases) {
					c.StrokeLines(draw.LineStyle{Color: faded(seriesColor(of[0].Series), 0x60), Width: vg.Points(0.6)},
						line(Rates(fold)))
				}
			}
			for i, one := range slices.Backward(of) { // the first on top
				c.StrokeLines(Series(one.Series, 1.8), means[i])
			}
		}))
		p.Draw(draw.Crop(c, 2, -8, 2+vg.Length(lines)*11, -4))
		seriesKey(c, of)
	}
	return f
}

func unitSquare(x, y string) *plot.Plot {
	p := ours.NewPlot("", x, y)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	fifths, words := []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks(fifths, words), ticks(fifths, words)
	return p
}

// seriesKey names the lines of classifiers below a plot.
func seriesKey(c draw.Canvas, of []Classifier) {
	drawSigns(c, vg.Point{X: c.Min.X + 12, Y: c.Min.Y + vg.Length(keyLines(of))*11 - 5}, column-16, seriesSigns(of))
}

func seriesSigns(of []Classifier) (signs []sign) {
	for _, one := range of {
		signs = append(signs, sign{one.Name, stroke(Series(one.Series, 1.8))})
	}
	return signs
}

func keyLines(of []Classifier) int { return signLines(seriesSigns(of), column-16) }
