package figure

import (
	"cmp"
	"context"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/draw"
	"prgnn/stages/fold"
	"prgnn/stages/role"
)

var kindTraining = dag.Kind{
	Name: "figure-training",
	Doc:  "cross-entropy and accuracy over the epochs, on training and test graphs\nOne row per setting; thin lines are the folds, thick ones their mean, bands one SD over the folds.",
	New:  func() dag.Stage { return &Training{Most: 8} },
}

var _ role.PortUser = (*Training)(nil)

// Training draws training curves.
type Training struct {
	Most int `param:"most" doc:"maximum number of settings drawn, the first ones" min:"1" max:"40"`
}

// UsesPorts are the checks.
func (*Training) UsesPorts() []role.PortUse { return fold.AfterChecks() }

func (*Training) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "training", Gather: true, Doc: "train's or baseline's history of each model",
				Type: dag.Arrow("epoch", "ce", "train_accuracy", "test_accuracy", "test_ce")},
			{Name: "evaluation", Optional: true, Doc: "evaluate's summary, for the majority-class rate", Type: dag.Arrow("level", "majority")},
			fold.LeakagePort(),
		},
		Out: picturePorts("the curves"),
	}
}

func (s *Training) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	draw := outputsOr("no curves to draw: connect training to the history of a train stage, or of a baseline that is a network")
	return draw(DrawTraining(t, nil, s.Most))
}

// An epochRow is one epoch of a training (train's or baseline's history).
type epochRow struct {
	CE           float64 `column:"ce,optional"`
	TestCE       float64 `column:"test_ce,optional"`
	Accuracy     float64 `column:"train_accuracy,optional"`
	TestAccuracy float64 `column:"test_accuracy,optional"`
}

type majorityRow struct {
	Majority float64 `column:"majority"`
}

// noRows tells the history of a classifier that is not trained in epochs.
func noRows(in dag.Input) bool {
	table, err := in.Table()
	return err == nil && table.Rows() == 0
}

// nameNetworks names settings of several classifiers by these, the headline first, then PR-GNN. names are those of the
// classifiers, also where the figure shows one only.
func nameNetworks(settings []settingInputs, headline []dag.Coord) (names []string, err error) {
	coords, models := make([][]dag.Coord, len(settings)), make([]string, len(settings))
	several := false
	for i, s := range settings {
		coords[i] = column.Without(s.members[0].Coords, "seed")
		several = several || column.ValueOn(coords[i], "stage") != "" || column.ValueOn(coords[i], "model") != ""
		table, err := s.members[0].Table()
		if err != nil {
			return nil, err
		}
		models[i] = table.Meta["model"]
		if _, ok := table.Column("glc"); ok { // the group-level loss is PR-GNN's own
			models[i] = column.PrGNN
		}
	}
	if names = column.NameClassifiers(coords, models); !several {
		return names, nil
	}
	for i, name := range names {
		settings[i].name, settings[i].model = name, models[i]
	}
	slices.SortStableFunc(settings, func(a, b settingInputs) int {
		return cmp.Or(afterHeadline(headline, a.members[0].Coords)-afterHeadline(headline, b.members[0].Coords),
			column.CompareClassifiers(a.model, b.model))
	})
	return lists.Map(settings, func(s settingInputs) string { return s.name }), nil
}

// DrawTraining is nil when there is nothing to draw.
func DrawTraining(t *dag.Task, headline []dag.Coord, drawn int) (*Chart, error) {
	chance := math.NaN()
	rows, err := column.ReadPort[majorityRow](t, "evaluation")
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		chance = rows[0].Majority
	}
	settings := bySettings(slices.DeleteFunc(slices.Clone(t.All("training")), noRows), headline)
	names, err := nameNetworks(settings, headline)
	if err != nil {
		return nil, err
	}
	p := chart.Plot{Width: chart.Page, Height: []vg.Length{62 * vg.Millimeter}}
	var page []string
	if t.Has("predictions") { // of the report
		all, err := fold.ReadSettings(t.All("predictions"))
		if err != nil {
			return nil, err
		}
		page = settingNames(all)
	}
	series := seriesAmong(names, page)
	var last values // of the first setting
	for i, s := range settings[:min(len(settings), drawn)] {
		folds := make([][]epochRow, len(s.members))
		for k, in := range s.members {
			if folds[k], err = column.Read[epochRow](in); err != nil {
				return nil, err
			}
		}
		if last == nil {
			last = lastEpoch(folds)
		}
		color := chart.Color(max(series[i], 0))
		loss := trainingPanel(folds, color, func(e epochRow) (train, test float64) { return e.CE, e.TestCE })
		accuracy := trainingPanel(folds, color, func(e epochRow) (train, test float64) {
			return e.Accuracy, e.TestAccuracy
		})
		loss.Title, loss.Y = s.name, chart.Axis{Label: label("figure.training.loss", nil), Zero: true}
		accuracy.Y = chart.Axis{Label: label("figure.training.accuracy", nil), Min: 0.4, Max: 1}
		for _, m := range accuracy.Marks {
			for _, v := range column.Known(m.Y) {
				accuracy.Y.Min = min(accuracy.Y.Min, v-0.02)
			}
		}
		if !math.IsNaN(chance) {
			accuracy.Marks = append(accuracy.Marks, chart.Across(chance, chart.Chance))
		}
		p.Rows = append(p.Rows, []chart.Panel{loss, accuracy})
	}
	if p.Rows == nil {
		return nil, nil
	}
	test := chart.Color(max(series[0], 0)) // that of the key: the classifier's, or black for several
	if slices.ContainsFunc(series[:len(p.Rows)], func(of int) bool { return max(of, 0) != max(series[0], 0) }) {
		test = draw.Ink
	}
	p.Key = []chart.Mark{chart.Line(nil, nil, trainLine).Called(label("figure.training.train", nil)),
		chart.Line(nil, nil, chart.Style{Color: test, Width: 1.8}).Called(label("figure.training.test", nil))}
	if !math.IsNaN(chance) {
		p.Key = append(p.Key, chart.Across(chance, chart.Chance).Called(label("figure.training.majority", nil)))
	}
	last["Majority"], last["First"] = !math.IsNaN(chance), settings[0].name
	return Captioned(p.Figure(), "figure.training", most(drawn, len(settings), "settings", last)), nil
}

// lastEpoch has the means over the folds of their last epochs.
func lastEpoch(folds [][]epochRow) values {
	var loss, train, test []float64
	for _, f := range folds {
		if len(f) > 0 {
			end := f[len(f)-1]
			loss, train, test = append(loss, end.CE), append(train, end.Accuracy), append(test, end.TestAccuracy)
		}
	}
	v := values{}
	v["Loss"], _ = column.MeanSD(loss)
	v["Train"], _ = column.MeanSD(train)
	v["Test"], _ = column.MeanSD(test)
	return v
}

// Training graphs are gray and dashed, test graphs have the color of their classifier.
var trainLine = chart.Style{Color: color.NRGBA{0x6b, 0x71, 0x7a, 0xff}, Width: 1.8, Dashes: []vg.Length{4, 2}}

// trainingPanel draws a value of training and of test graphs over the epochs: thin lines are the folds, thick ones
// their mean over the folds that reach an epoch, in a band of one SD.
func trainingPanel(folds [][]epochRow, testColor color.NRGBA, of func(epochRow) (train, test float64)) chart.Panel {
	var epochs []float64
	for _, f := range folds {
		for e := len(epochs); e < len(f); e++ {
			epochs = append(epochs, float64(e+1))
		}
	}
	p := chart.Panel{X: chart.Axis{Label: label("figure.training.x", nil), Min: 1, Max: float64(max(len(epochs),
		2)), Whole: true}}
	for k, sty := range []chart.Style{trainLine, {Color: testColor, Width: 1.8}} {
		paint := [2]color.NRGBA{trainLine.Color.(color.NRGBA), testColor}[k]
		at := make([][]float64, len(epochs)) // of each fold
		var thin []chart.Mark
		for _, f := range folds {
			line := make([]float64, len(f))
			for e, row := range f {
				train, test := of(row)
				line[e] = [2]float64{train, test}[k]
				at[e] = append(at[e], line[e])
			}
			thin = append(thin, chart.Line(epochs[:len(f)], line,
				chart.Style{Color: chart.Faded(paint, 0x60), Width: 0.6, Dashes: sty.Dashes}))
		}
		var mean, low, high []float64
		for _, v := range at {
			m, sd := column.MeanSD(v)
			if len(v) < 2 {
				sd = 0
			}
			mean, low, high = append(mean, m), append(low, m-sd), append(high, m+sd)
		}
		if len(folds) > 1 {
			p.Marks = append(p.Marks, chart.Band(epochs, low, high, chart.Faded(paint, 0x1c)))
		}
		p.Marks = append(append(p.Marks, thin...), chart.Line(epochs, mean, sty))
	}
	return p
}
