package learn

import (
	"context"
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/role"
)

var trainRegressionKind = dag.Kind{
	Name: "train-regression",
	Doc: "trains PR-GNN to predict a number, such as age or a score\n" +
		"The model and its pooling losses are those of train. The MLP has one output, and the mean squared error of the z-scored target (mean and SD of the training participants) takes the place of the cross-entropy. The paper has classes only: as groups of its consistency loss we take quantiles of the training participants' numbers (groups). For folds of split with label: target; give the predictions to evaluate-regression beside those of regression.",
	New:        func() dag.Stage { return trainRegressionOf("paper") },
	Defaults:   func(s dag.Stage) dag.Stage { return trainRegressionOf(s.(*TrainRegression).Variant) },
	MaxThreads: 8,
	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Base: 256 << 20, Each: 1e6, Ceiling: 2e9, Packed: 250e3}.For,
}

var (
	_ role.Trainer  = (*TrainRegression)(nil)
	_ role.DataUser = (*TrainRegression)(nil)
	_ role.PortUser = (*TrainRegression)(nil)
)

// TrainRegression trains one model of a number.
type TrainRegression struct {
	ModelParams
	TrainingParams
	fold.Params
	Groups int `param:"groups" doc:"groups of the consistency loss: so many quantiles of the numbers of the training participants; 1: all graphs of a batch are one group" min:"1" max:"100"`
}

// UsesPorts are each participant's data, of one setting, and the checks.
func (*TrainRegression) UsesPorts() []role.PortUse {
	return append(fold.AfterChecks(role.OneSettingOf("edges", "features")...), role.Uses(role.Aside, "nodes")...)
}

// Ports are the stage's inputs and outputs.
func (*TrainRegression) Ports() dag.Ports {
	in := (&Train{}).Ports().In
	in[slices.IndexFunc(in, func(p dag.Port) bool { return p.Name == "folds" })] = dag.Port{Name: "folds",
		Type: column.Type[fold.NumberMember](), Doc: "the assignment to folds, of split with label: target"}
	return dag.Ports{In: in, Out: []dag.Port{
		{Name: "predictions", Type: column.Type[fold.NumberRow](), Doc: "of every graph"},
		{Name: "history", Type: column.Type[numberEpochRow](), Doc: "losses by term per epoch"},
		{Name: "model", Type: dag.Format("npz"), Doc: "the trained model in one file, for numpy.load: every array by name, and model.json with its description; target has the mean and SD of the training participants"},
	}}
}

// A numberEpochRow is one epoch.
type numberEpochRow struct {
	Epoch     int32   `column:"epoch"`
	Rate      float64 `column:"rate" doc:"learning rate of the epoch's last step"`
	Loss      float64 `column:"loss" doc:"mean over the epoch's batches of error + lambda1·distance + lambda2·glc"`
	Error     float64 `column:"error" doc:"mean squared error of the z-scored target"`
	Distance  float64 `column:"distance" doc:"distance losses, sum over the blocks"`
	GLC       float64 `column:"glc" doc:"group-level consistency, sum over the groups"`
	TestError float64 `column:"test_error,missing" doc:"mean squared error of the test graphs, after the epoch"`
}

func trainRegressionOf(variant string) *TrainRegression {
	return &TrainRegression{ModelParams: modelOf(variant), TrainingParams: trainingOf(variant), Params: fold.First(),
		Groups: 2}
}

// InEpochs: its history has epochs.
func (*TrainRegression) InEpochs() bool { return true }

// Leaks states which settings use test participants; "" where none does.
func (s *TrainRegression) Leaks() string { return column.LeakText(s.leaks()) }

// Validate checks parameters against each other.
func (s *TrainRegression) Validate() []error { return s.train().Validate() }

// train is the classifier with the same parameters.
func (s *TrainRegression) train() *Train {
	return &Train{ModelParams: s.ModelParams, TrainingParams: s.TrainingParams, Params: s.Params}
}

// Run trains.
func (s *TrainRegression) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	set, graphs, norm, err := readGraphs[float32](t, s.train())
	if err != nil {
		return nil, err
	}
	unit, err := scaleOf(set.rows)
	if err != nil {
		return nil, fmt.Errorf("%s, fold %d: %w", t.In("folds").Name, s.Fold, err)
	}
	cuts := quantileCuts(set.rows, s.Groups)
	var sides [2][]*gnn.Graph[float32]
	for i, r := range set.rows {
		graphs[i].Target = (r.Target - unit.mean) / unit.sd
		graphs[i].Label, _ = slices.BinarySearch(cuts, r.Target)
		sides[r.Side] = append(sides[r.Side], graphs[i])
	}
	o := s.options(set.facts.Features, max(2, s.Groups))
	o.Number = true
	m, err := gnn.New[float32](o, s.Seed, s.Stream()...)
	if err != nil {
		return nil, err
	}
	training := s.training(t, s.Params)
	training.Progress = func(e gnn.Epoch) {
		t.Progress(e.Number, s.Epochs, fmt.Sprintf("epoch %d, squared error %.3f, test %.3f", e.Number, e.Losses.CE, e.TestCE))
	}
	history, err := m.Train(ctx, sides[0], sides[1], training)
	if err != nil {
		return nil, err
	}
	predicted := make([]float64, 0, len(graphs))
	err = m.PredictEach(graphs, t.Threads, func(p gnn.Prediction) { predicted = append(predicted, p.Probability[0]) })
	if err != nil {
		return nil, err
	}
	weights := slices.Concat(m.Params, m.Buffers, convert[float32](norm.values()))
	about, err := set.about(t, s.Params, modelfile.Header{Format: modelfile.Format, Model: column.PrGNN,
		Target: &[2]float64{unit.mean, unit.sd}, Calibrated: true})
	if err != nil {
		return nil, err
	}
	about.Options = o
	model, err := modelNPZ(about, norm, weights)
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"predictions": numberTable(s.Params, set, predicted, unit, column.PrGNN, s.leaks()),
		"history":     numberHistory(history),
		"model":       model,
	}, nil
}

// quantileCuts are the numbers above which the second group begins, the third, and so on: quantiles of the training
// participants, each counted once.
func quantileCuts(rows []fold.Row, groups int) []float64 {
	var numbers, cuts []float64
	for i, r := range rows {
		if r.Side == 0 && (i == 0 || rows[i-1].Id != r.Id) {
			numbers = append(numbers, r.Target)
		}
	}
	slices.Sort(numbers)
	for g := 1; g < groups; g++ {
		cuts = append(cuts, numbers[(g*len(numbers)-1)/groups])
	}
	return cuts
}

func numberHistory(history []gnn.Epoch) *encoding.Table {
	rows := make([]numberEpochRow, len(history))
	for i, e := range history {
		rows[i] = numberEpochRow{Epoch: int32(e.Number), Rate: e.Rate, Loss: e.Losses.Total, Error: e.Losses.CE,
			GLC: e.Losses.GLC, TestError: e.TestCE}
		for _, d := range e.Losses.Dist {
			rows[i].Distance += d
		}
	}
	return column.Table(rows)
}
