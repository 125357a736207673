package learn

import (
	"context"
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/role"
)

var trainKind = dag.Kind{
	Name: "train",
	Doc: "trains PR-GNN on the participants outside one fold and tests it on those inside\n" +
		"One task is one model: fan out over fold (and repeat, pool, distance, lambda …) with matrix. No participant is on both sides, and nothing is fitted to test participants (exceptions: select: test and standardize: all, as in the authors' program).",
	New:        func() dag.Stage { return trainOf("paper") },
	Defaults:   func(s dag.Stage) dag.Stage { return trainOf(s.(*Train).Variant) },
	MaxThreads: 8,
	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Base: 256 << 20, Each: 1e6, Ceiling: 2e9, Packed: 250e3}.For,
}

var (
	_ role.Trainer  = (*Train)(nil)
	_ role.DataUser = (*Train)(nil)
	_ role.PortUser = (*Train)(nil)
)

// Train trains one model.
type Train struct {
	ModelParams
	TrainingParams
	fold.Params
	ScoresOf  string `param:"scores_of" doc:"graphs whose pooling scores are kept: all, or test graphs only (a fifth of them)" choices:"all|test"`
	Precision string `param:"precision" doc:"of the computation" choices:"float32|float64"`
}

func trainOf(variant string) *Train {
	return &Train{ModelParams: modelOf(variant), TrainingParams: trainingOf(variant), Params: fold.First(),
		ScoresOf: "all", Precision: "float32"}
}

// UsesPorts are each participant's data, of one setting, and the checks.
func (*Train) UsesPorts() []role.PortUse {
	return append(fold.AfterChecks(role.OneSettingOf("edges", "features")...), role.Uses(role.Aside, "nodes")...)
}

func (s *Train) Ports() dag.Ports {
	history := []string{"epoch", "rate", "loss", "ce"}
	for l := range s.Widths {
		history = append(history, fmt.Sprintf("dist%d", l+1))
	}
	history = append(history, "glc", "train_accuracy", "test_accuracy", "test_ce", "majority")
	return dag.Ports{
		In: []dag.Port{
			{Name: "edges", Type: column.Type[column.EdgeRow](), Gather: true, Doc: "the edges of each participant's graphs"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Doc: "their node features"},
			{Name: "folds", Type: column.Type[fold.Member](), Doc: "the assignment to folds"},
			{Name: "nodes", Type: dag.Arrow("name"), Optional: true, Doc: "the node list; the model then records its regions and refuses others"},
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "predictions", Type: column.Type[fold.PredictionRow](),
				Doc: "predictions for every graph: label and predicted are numbers of the groups in sorted order, from 0; probability is that of group 1 (with more than two groups, of the predicted one); p_GROUP is that of each group"},
			{Name: "history", Type: dag.Arrow(history...), Doc: "losses by term, and accuracies, per epoch"},
			{Name: "scores", Type: column.Type[column.ScoreRow[float32]](),
				Doc: "the trained model's pooling score of every node that reaches a pooling layer, whether it is kept, and in the first layer the score of the same model at its initial weights"},
			{Name: "distribution", Type: column.Type[distributionRow](),
				Doc: "histogram of the pooling scores of the training graphs, per epoch (the paper's Figure 3)"},
			{Name: "model", Type: dag.Format("npz"), Doc: "the trained model in one file, for the kind predict and for numpy.load: every array by name, and model.json with its description"},
			{Name: "weights", Type: dag.Format("npy"), Doc: "all arrays of the model, concatenated"},
			{Name: "parameters", Type: column.Type[parameterRow](), Doc: "position of each array in weights; the model is in the table's metadata"},
		},
	}
}

// InEpochs: its history has epochs.
func (*Train) InEpochs() bool { return true }

// Leaks states which settings use test participants; "" where none does.
func (s *Train) Leaks() string { return column.LeakText(s.leaks()) }

// Validate checks parameters against each other.
func (s *Train) Validate() []error {
	return append(s.ModelParams.validate(), s.TrainingParams.validate()...)
}

func (s *Train) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	if s.Precision == "float64" {
		return train[float64](ctx, t, s)
	}
	return train[float32](ctx, t, s)
}

func train[T gnn.Float](ctx context.Context, t *dag.Task, s *Train) (dag.Outputs, error) {
	set, graphs, norm, err := readGraphs[T](t, s)
	if err != nil {
		return nil, err
	}
	o := s.options(set.facts.Features, len(set.groups))
	var sides [2][]*gnn.Graph[T] // train, test
	for i, r := range set.rows {
		sides[r.Side] = append(sides[r.Side], graphs[i])
	}
	m, err := gnn.New[T](o, s.Seed, s.Stream()...)
	if err != nil {
		return nil, err
	}
	training := s.training(t, s.Params)
	first := true
	training.Progress = func(e gnn.Epoch) {
		if first && e.Number > 1 {
			fmt.Fprintf(t.Log(), "resumes after epoch %d, from the checkpoint of an interrupted run\n", e.Number-1)
		}
		first = false
		t.Progress(e.Number, s.Epochs, fmt.Sprintf("epoch %d, loss %.3f, accuracy %.2f, test %.2f", e.Number, e.Losses.Total, e.TrainAccuracy, e.TestAccuracy))
	}
	kept := func(i int) bool { return s.ScoresOf != "test" || set.rows[i].Side == 1 } // its scores
	untrained := make([][]T, 0, len(graphs))
	err = m.PredictEach(graphs, t.Threads, func(p gnn.Prediction) {
		if !kept(len(untrained)) {
			p.Layers[0].Score = nil
		}
		untrained = append(untrained, convert[T](p.Layers[0].Score))
	})
	if err != nil {
		return nil, err
	}
	history, err := m.Train(ctx, sides[0], sides[1], training)
	if err != nil {
		return nil, err
	}
	predictions := make([]gnn.Prediction, 0, len(graphs))
	err = m.PredictEach(graphs, t.Threads, func(p gnn.Prediction) {
		if !kept(len(predictions)) {
			p.Layers = nil
		}
		predictions = append(predictions, p)
	})
	if err != nil {
		return nil, err
	}
	weights := slices.Concat(m.Params, m.Buffers, convert[T](norm.values()))
	about, err := set.about(t, s.Params, modelfile.HeaderOf(column.PrGNN, set.groups, true))
	if err != nil {
		return nil, err
	}
	about.Options = o
	model, err := modelNPZ(about, norm, weights)
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"model":        model,
		"predictions":  predictionTable(s.Params, set, predictions, column.PrGNN, s.leaks()),
		"history":      historyTable(history, set.majority()),
		"scores":       scoreTable(set, set.facts.byRegion(predictions), untrained),
		"distribution": distributionTable(history),
		"weights":      weightArray(weights, len(weights)),
		"parameters":   parameterTable(o, set, m.Layout, norm),
	}, nil
}

func weightArray[T gnn.Float](v []T, shape ...int) *encoding.Array {
	switch v := any(v).(type) {
	case []float32:
		return encoding.NewArray(v, shape...)
	default:
		return encoding.NewArray(v.([]float64), shape...)
	}
}

func convert[T gnn.Float](v []float64) []T {
	out := lists.Map(v, func(x float64) T { return T(x) })
	return out
}
