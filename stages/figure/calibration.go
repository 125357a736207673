package figure

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	ours "prgnn/stages/draw"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var kindCalibration = dag.Kind{
	Name: "figure-calibration",
	Doc:  "reliability curves of classifiers, with Brier scores, per participant\nIn bins of equal width of the predicted probability (the mean over a participant's test graphs): its mean, and the share of participants of the positive group with its 95% interval (Wilson); participants of all folds are pooled. The first two classifiers are drawn, and the bins of all are a table. SVMs and ridge give decision values, not calibrated probabilities, and are left out. For two groups.",
	New:  func() dag.Stage { return &Calibration{Bins: 5} },
}

var (
	_ role.Reader   = (*Calibration)(nil)
	_ role.PortUser = (*Calibration)(nil)
)

// Calibration draws reliability curves.
type Calibration struct {
	Positive string `param:"positive" doc:"the group whose probability is drawn; by default as in evaluate"`
	Bins     int    `param:"bins" doc:"number of bins" min:"2" max:"50"`
}

// A calibrationRow is a bin of one classifier.
type calibrationRow struct {
	Classifier string  `column:"classifier"`
	Brier      float64 `column:"brier,missing" doc:"Brier score of the classifier: mean of (probability − outcome)², 0 at best"`
	Low        float64 `column:"low" doc:"of the bin: predicted probabilities above it, and 0"`
	High       float64 `column:"high" doc:"of the bin: predicted probabilities up to it"`
	N          int32   `column:"n" doc:"participants in the bin; of repeated divisions, in each"`
	Mean       float64 `column:"mean,missing" doc:"their mean predicted probability of the positive group"`
	Share      float64 `column:"share,missing" doc:"share of the positive group among them"`
	ShareLow   float64 `column:"share_low,missing" doc:"of its 95% interval (Wilson), of the participants of one division"`
	ShareHigh  float64 `column:"share_high,missing"`
}

// UsesPorts are the checks.
func (*Calibration) UsesPorts() []role.PortUse { return fold.AfterChecks() }

func (*Calibration) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{predictionsPort, fold.LeakagePort()},
		Out: append(picturePorts("the curves"), dag.Port{Name: "bins", Type: column.Type[calibrationRow](),
			Doc: "the numbers of the figure"})}
}

// ReadsParticipants is the group that its parameter names, of two.
func (s *Calibration) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "positive", Name: s.Positive, Group: true, Two: true}}
}

func (s *Calibration) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	draw := outputsOr("a reliability curve needs two groups, and a classifier with calibrated probabilities (not an SVM or ridge) that differ between participants")
	return draw(DrawCalibration(all, s.Positive, s.Bins))
}

// mostCalibrated is how many curves one plot has: the intervals of more of them hide each other.
const mostCalibrated = 2

// DrawCalibration is nil when there are not two groups, or no classifier whose probabilities are estimates.
func DrawCalibration(all *fold.Settings, named string, bins int) (*Chart, error) {
	positive, _, err := fold.PositiveGroup(named, all.Groups)
	if err != nil || positive < 0 || len(all.Groups) != 2 {
		return nil, err
	}
	var curves, counts, key []chart.Mark
	var rows []calibrationRow
	series, taken := seriesOf(all), []int(nil)
	var scores []values
	share, tested, drawn := 0.0, 0.0, 0
	for k, folds := range all.Settings {
		var probability []float64
		repeats := map[int64]bool{}
		var is []bool
		for _, f := range folds {
			repeats[f.Repeat] = true
			for _, p := range f.Participants {
				probability, is = append(probability, p.Probability[positive]), append(is, p.Label == positive)
			}
		}
		if series[k] < 0 || len(probability) == 0 || !folds[0].Calibrated() {
			continue // the majority classifier gives one answer to everybody
		}
		counted, brier := fold.Calibrate(probability, is, bins)
		var mean, rate, low, high, n, zero []float64
		for _, b := range counted {
			from, to := inference.Wilson(b.Share, float64(b.N)/float64(len(repeats)))
			if b.N == 0 {
				from, to = math.NaN(), math.NaN()
			}
			rows = append(rows, calibrationRow{Classifier: folds[0].Name, Brier: brier, Low: b.Low, High: b.High,
				N: int32(b.N), Mean: b.Mean, Share: b.Share, ShareLow: from, ShareHigh: to})
			if b.N > 0 {
				mean, rate, n, zero = append(mean, b.Mean), append(rate, b.Share), append(n, float64(b.N)),
					append(zero, 0)
				low, high = append(low, from), append(high, to)
			}
		}
		if drawn++; drawn == 1 {
			for _, yes := range is {
				if tested++; yes {
					share++
				}
			}
		}
		if drawn > mostCalibrated {
			continue
		}
		scores = append(scores, values{"Name": folds[0].Name, "Brier": brier})
		name := label("figure.calibration.legend", scores[len(scores)-1])
		taken = append(taken, apart(taken, series[k]))
		number := taken[drawn-1]
		color := chart.Color(number)
		discs := func(y []float64, radius vg.Length) []chart.Mark {
			if drawn == 1 {
				return []chart.Mark{chart.Discs(mean, y, radius, color)}
			}
			return []chart.Mark{chart.Circles(mean, y, radius, color), chart.Discs(mean, y, radius, ours.Ground)}
		}
		key = append(key, chart.Line(nil, nil, chart.Series(number, 1.8)).Called(name))
		curves = append(slices.Concat(curves, discs(rate, 2.4)), chart.Whiskers(mean, low, high,
			chart.Style{Color: color, Width: 1}, false), chart.Line(mean, rate, chart.Series(number, 1.5)))
		counts = append(slices.Concat(counts, discs(n, 2)),
			chart.Whiskers(mean, zero, n, chart.Style{Color: color, Width: 1}, false))
	}
	if drawn == 0 {
		return nil, nil
	}
	share /= tested
	group := values{"Positive": all.Groups[positive]}
	above := chart.Panel{X: chart.Unit(""), Y: chart.Unit(label("figure.calibration.share", group)),
		Marks: append([]chart.Mark{chart.Diagonal(0, 1)}, chart.FirstOnTop(curves)...)}
	above.X.Names = make([]string, len(above.X.At)) // they stand below
	below := chart.Panel{X: chart.Unit(label("figure.calibration.x", group)),
		Y: chart.Axis{Label: label("figure.calibration.count", nil), Zero: true, Most: 3, Whole: true}, Marks: chart.FirstOnTop(counts)}
	f := chart.Plot{Rows: [][]chart.Panel{{above}, {below}}, Width: chart.Column, Key: key,
		Height: []vg.Length{0.8 * chart.Column, 80}}
	c := Captioned(f.Figure(), "figure.calibration", most(mostCalibrated, drawn, "classifiers", values{
		"Scores":   scores,
		"Positive": all.Groups[positive], "Bins": bins, "Share": share, "Constant": share * (1 - share)}))
	c.tables = dag.Outputs{"bins": column.Table(rows)}
	return c, nil
}

// seriesOf numbers the classifiers of a figure by their fixed colors; −1 for one that is not drawn.
func seriesOf(all *fold.Settings) []int { return column.Series(settingNames(all)) }

func settingNames(all *fold.Settings) []string {
	return lists.Map(all.Settings, func(folds []fold.Tested) string { return folds[0].Name })
}

// apart is the number of a classifier in a figure, or the first number whose color none of the others has that are
// taken: on a page of many classifiers two have one color.
func apart(taken []int, number int) int {
	free := func(n int) bool {
		return !slices.ContainsFunc(taken, func(other int) bool { return chart.Color(n) == chart.Color(other) })
	}
	for n := 0; !free(number) && n <= len(taken); n++ {
		if free(n) {
			return n
		}
	}
	return number
}

// seriesAmong numbers the classifiers of a figure that has only some of those of its page: they keep their colors.
func seriesAmong(names, page []string) []int {
	others := slices.DeleteFunc(slices.Clone(page), func(name string) bool { return slices.Contains(names, name) })
	return column.Series(slices.Concat(names, others))[:len(names)]
}
