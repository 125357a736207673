package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Course is how one training went: a value an epoch, NaN where it is not known.
type Course struct {
	TrainLoss, TestLoss         []float64 // cross-entropy
	TrainAccuracy, TestAccuracy []float64
}

// Training is the courses of one setting, a course a fold.
type Training struct {
	Title   string
	Courses []Course
	Series  int     // of the classifier
	Chance  float64 // majority-class rate; NaN when not known
}

// Curves draws cross-entropy and accuracy over the epochs: thin lines are the folds,
// thick ones their mean, in a band of one SD.
func Curves(rows []Training) ours.Figure {
	const foot = 20
	f := ours.Figure{Width: page, Height: vg.Length(len(rows))*62*vg.Millimeter + foot}
	f.Paint = func(c draw.Canvas) {
		words := []string{"training graphs", "test graphs", "majority-class rate"}
		strokes := []draw.LineStyle{{Color: trainColor, Width: 1.8, Dashes: trainDashes},
			{Color: testColor(rows), Width: 1.8}, chanceLine}
		key(c, vg.Point{X: c.Min.X + 40, Y: c.Min.Y + 9}, words, strokes)
		cells := tiles(draw.Crop(c, 0, 0, foot, 0), len(rows), 2, 12)
		for i, t := range rows {
			loss := ours.NewPlot(t.Title, "epoch", "cross-entropy")
			loss.Y.Min = 0
			t.add(loss, func(c Course) ([]float64, []float64) { return c.TrainLoss, c.TestLoss })
			accuracy := ours.NewPlot("", "epoch", "accuracy")
			if t.Title != "" {
				accuracy.Title.Text = " "
			}
			t.add(accuracy, func(c Course) ([]float64, []float64) { return c.TrainAccuracy, c.TestAccuracy })
			accuracy.Y.Min, accuracy.Y.Max = min(0.4, accuracy.Y.Min), 1
			if !math.IsNaN(t.Chance) {
				accuracy.Add(paintOn(func(c draw.Canvas, p *plot.Plot) {
					_, y := p.Transforms(&c)
					c.StrokeLine2(chanceLine, c.Min.X, y(t.Chance), c.Max.X, y(t.Chance))
				}))
			}
			loss.Draw(cells[i][0])
			accuracy.Draw(cells[i][1])
		}
	}
	return f
}

// Training graphs are gray and dashed, test graphs have the color of their classifier.
var (
	trainDashes = []vg.Length{4, 2}
	trainColor  = color.NRGBA{0x6b, 0x71, 0x7a, 0xff}
)

// testColor is that of the key: the classifier's, or black for several.
func testColor(rows []Training) color.NRGBA {
	for _, r := range rows {
		if r.Series != rows[0].Series {
			return ours.Ink
		}
	}
	return seriesColor(rows[0].Series)
}

var chanceLine = draw.LineStyle{Color: ours.Rule, Width: vg.Points(1), Dashes: []vg.Length{3, 2}}

// add draws the two kinds of lines, and sets the axes so that they fit.
func (t Training) add(p *plot.Plot, of func(Course) (train, test []float64)) {
	epochs := 0
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range t.Courses {
		train, test := of(c)
		epochs = max(epochs, len(train), len(test))
		for _, v := range append(train[:len(train):len(train)], test...) {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	p.X.Min, p.X.Max = 1, float64(max(epochs, 2))
	p.X.Tick.Marker = ours.Ticks{Whole: true}
	if low <= high {
		p.Y.Min, p.Y.Max = low-0.05*(high-low), high+0.05*(high-low)
	}
	if p.Y.Label.Text == "cross-entropy" {
		p.Y.Min = 0
	}
	p.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		stroke := func(v []float64, sty draw.LineStyle) {
			var line []vg.Point
			for e, one := range v {
				if math.IsNaN(one) {
					c.StrokeLines(sty, line)
					line = nil
					continue
				}
				line = append(line, vg.Point{X: x(float64(e + 1)), Y: y(one)})
			}
			c.StrokeLines(sty, line)
		}
		for k := range 2 {
			var all [][]float64
			for _, one := range t.Courses {
				train, test := of(one)
				all = append(all, [2][]float64{train, test}[k])
			}
			mean, low, high := meanBand(all)
			var band []vg.Point
			for e := range mean {
				if !math.IsNaN(mean[e]) {
					band = append(band, vg.Point{X: x(float64(e + 1)), Y: y(max(low[e], p.Y.Min))})
				}
			}
			for e := range slices.Backward(mean) {
				if !math.IsNaN(mean[e]) {
					band = append(band, vg.Point{X: x(float64(e + 1)), Y: y(min(high[e], p.Y.Max))})
				}
			}
			color, dashes := seriesColor(t.Series), []vg.Length(nil)
			if k == 0 {
				color, dashes = trainColor, trainDashes
			}
			if len(all) > 1 && len(band) > 0 {
				c.FillPolygon(faded(color, 0x1c), band)
			}
			for _, v := range all {
				stroke(v, draw.LineStyle{Color: faded(color, 0x60), Width: vg.Points(0.6), Dashes: dashes})
			}
			stroke(mean, draw.LineStyle{Color: color, Width: vg.Points(1.8), Dashes: dashes})
		}
	}))
}

// meanBand are, epoch by epoch, the mean over the courses that reach it, and the same less and plus their SD; NaN
// where one of them is NaN.
func meanBand(all [][]float64) (mean, low, high []float64) {
	epochs := 0
	for _, v := range all {
		epochs = max(epochs, len(v))
	}
	for e := range epochs {
		var values []float64
		for _, v := range all {
			if e < len(v) {
				values = append(values, v[e])
			}
		}
		m, sd := meanSD(values)
		mean, low, high = append(mean, m), append(low, m-sd), append(high, m+sd)
	}
	return mean, low, high
}
