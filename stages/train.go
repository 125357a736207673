package stages

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
)

func init() {
	Register(dag.Kind{
		Name: "train",
		Doc: "trains a PR-GNN on the participants outside one fold and tests it on those inside\n" +
			"One task is one model: fan out over fold (and repeat, pool, distance, lambda …) with matrix. No participant is on both sides, and nothing is fitted to those of the test side (select: test and standardize: all, which the authors' program does, are the exceptions).",
		New: func() dag.Stage {
			return &Train{ModelParams: paperModel(), TrainingParams: paperTraining(), Fold: 1, Repeat: 1, Precision: "float32", Checkpoint: 10}
		},
		Memory: 256 << 20,
	})
}

// Train trains one model.
type Train struct {
	ModelParams
	TrainingParams
	Fold       int    `param:"fold" doc:"the fold whose participants are tested" min:"1"`
	Repeat     int    `param:"repeat" doc:"the division into folds" min:"1"`
	DrawZero   bool   `param:"draw_zero" doc:"use draw 0, the mean over all voxels, beside the random draws; without draws it is used anyway"`
	Precision  string `param:"precision" doc:"of the computation" choices:"float32|float64"`
	Checkpoint int    `param:"checkpoint" doc:"epochs between checkpoints, from which an interrupted training goes on; 0: none" min:"0"`
	Seed       uint64 `param:"seed" doc:"of the starting weights, the order of the graphs, and dropout"`
}

// Ports are the stage's inputs and outputs.
func (s *Train) Ports() dag.Ports {
	history := []string{"epoch", "rate", "loss", "ce"}
	for l := range s.Widths {
		history = append(history, fmt.Sprintf("dist%d", l+1))
	}
	history = append(history, "glc", "train_accuracy", "test_accuracy", "test_ce")
	return dag.Ports{
		In: []dag.Port{
			{Name: "edges", Type: dag.Arrow("draw", "source", "target", "weight"), Gather: true, Doc: "the edges of each participant's graphs"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Doc: "their node features"},
			{Name: "folds", Type: dag.Arrow("participant_id", "group", "repeat", "fold"), Doc: "the division into folds"},
		},
		Out: []dag.Port{
			{Name: "predictions", Type: dag.Arrow("participant_id", "group", "draw", "fold", "repeat", "set", "label", "probability", "predicted"),
				Doc: "of every graph: label and predicted are numbers of the groups in sorted order, from 0; probability is that of group 1 (of the predicted one when there are more than two groups); p_GROUP is that of each"},
			{Name: "history", Type: dag.Arrow(history...), Doc: "losses by term, and accuracies, per epoch"},
			{Name: "scores", Type: dag.Arrow("participant_id", "group", "draw", "set", "layer", "index", "score", "kept"),
				Doc: "the trained model's pooling score of every node that reaches a pooling layer, and whether it is kept"},
			{Name: "distribution", Type: dag.Arrow("epoch", "layer", "low", "high", "kept", "dropped"),
				Doc: "how many pooling scores of the training graphs lay in each interval, per epoch (the paper's Figure 3)"},
			{Name: "weights", Type: dag.Format("npy"), Doc: "all arrays of the model, one after the other"},
			{Name: "parameters", Type: dag.Arrow("name", "shape", "offset", "length", "trainable"), Doc: "which array is where in weights; the model is in the table's metadata"},
		},
	}
}

// Validate checks parameters against each other.
func (s *Train) Validate() []error {
	return append(s.ModelParams.validate(), s.TrainingParams.follow(s.Variant).validate()...)
}

// Run trains.
func (s *Train) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	set, err := s.read(t)
	if err != nil {
		return nil, err
	}
	if s.Precision == "float64" {
		return train[float64](ctx, t, s, set)
	}
	return train[float32](ctx, t, s, set)
}

func train[T gnn.Float](ctx context.Context, t *dag.Task, s *Train, set *trainingSet) (dag.Outputs, error) {
	p := s.TrainingParams.follow(s.Variant)
	o := s.options(set.features, len(set.groups))
	norm := set.standardize(p.Standardize)
	graphs := make([]*gnn.Graph[T], len(set.rows))
	var sides [2][]*gnn.Graph[T] // train, test
	for i := range set.rows {
		r := &set.rows[i]
		g, err := gnn.NewGraph[T](o, r.label, r.features, r.edges)
		if err != nil {
			return nil, fmt.Errorf("%s, draw %d: %w", r.id, r.draw, err)
		}
		r.features, r.edges = nil, nil // the graph has its own
		graphs[i] = g
		sides[r.side] = append(sides[r.side], g)
	}
	stream := []any{"repeat", s.Repeat}
	m, err := gnn.New[T](o, s.Seed, stream...)
	if err != nil {
		return nil, err
	}
	training := p.training()
	training.Seed, training.Stream = s.Seed, append(stream, "fold", s.Fold)
	training.Workers = t.Threads
	training.Every, training.Save, training.Resume = s.Checkpoint, t.SaveCheckpoint, t.Checkpoint()
	training.Progress = func(e gnn.Epoch) {
		t.Progress(e.Number, p.Epochs, fmt.Sprintf("epoch %d, loss %.3f, accuracy %.2f, test %.2f", e.Number, e.Losses.Total, e.TrainAccuracy, e.TestAccuracy))
	}
	history, err := m.Train(ctx, sides[0], sides[1], training)
	if err != nil {
		return nil, err
	}
	predictions, err := m.Predict(graphs, t.Threads)
	if err != nil {
		return nil, err
	}
	weights := slices.Concat(m.Params, m.Buffers, convert[T](norm.values()))
	return dag.Outputs{
		"predictions":  s.predictionTable(set, predictions),
		"history":      historyTable(history),
		"scores":       scoreTable[T](set, predictions),
		"distribution": distributionTable(history),
		"weights":      weightArray(weights),
		"parameters":   parameterTable(o, set, m.Layout, norm),
	}, nil
}

func weightArray[T gnn.Float](v []T) *artifacts.Array {
	switch v := any(v).(type) {
	case []float32:
		return artifacts.NewArray(v, len(v))
	default:
		return artifacts.NewArray(v.([]float64), len(v.([]float64)))
	}
}

func convert[T gnn.Float](v []float64) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return out
}

var sideNames = [2]string{"train", "test"}

func (s *Train) predictionTable(set *trainingSet, predictions []gnn.Prediction) *artifacts.Table {
	n := len(set.rows)
	id, group, side := make([]string, n), make([]string, n), make([]string, n)
	draw, fold, repeat := make([]int32, n), make([]int32, n), make([]int32, n)
	label, predicted, probability := make([]int32, n), make([]int32, n), make([]float64, n)
	each := make([][]float64, len(set.groups))
	for c := range each {
		each[c] = make([]float64, n)
	}
	for i, r := range set.rows {
		p := predictions[i]
		id[i], group[i], side[i] = r.id, set.groups[r.label], sideNames[r.side]
		draw[i], fold[i], repeat[i] = int32(r.draw), int32(s.Fold), int32(s.Repeat)
		label[i], predicted[i], probability[i] = int32(r.label), int32(p.Class), p.Probability[p.Class]
		if len(each) == 2 {
			probability[i] = p.Probability[1]
		}
		for c := range each {
			each[c][i] = p.Probability[c]
		}
	}
	cols := []artifacts.Column{
		{Name: "participant_id", Values: id},
		{Name: "group", Values: group},
		{Name: "draw", Values: draw},
		{Name: "fold", Values: fold},
		{Name: "repeat", Values: repeat},
		{Name: "set", Values: side, Doc: "train or test"},
		{Name: "label", Values: label, Doc: "number of the participant's group, from 0, in sorted order"},
		{Name: "probability", Values: probability, Doc: "of group 1; with more than two groups, of the predicted one"},
		{Name: "predicted", Values: predicted, Doc: "number of the predicted group"},
	}
	for c, g := range set.groups {
		cols = append(cols, artifacts.Column{Name: "p_" + g, Values: each[c], Doc: "probability of group " + g})
	}
	table := artifacts.NewTable(cols...)
	table.Meta = map[string]string{"groups": textOf(set.groups)}
	return table
}

// textOf is the JSON of a value that cannot fail.
func textOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("stages: " + err.Error())
	}
	return string(b)
}

func historyTable(history []gnn.Epoch) *artifacts.Table {
	n := len(history)
	epoch := make([]int32, n)
	number := func(get func(gnn.Epoch) float64) []float64 {
		v := make([]float64, n)
		for i, e := range history {
			v[i] = get(e)
		}
		return v
	}
	for i, e := range history {
		epoch[i] = int32(e.Number)
	}
	cols := []artifacts.Column{
		{Name: "epoch", Values: epoch},
		{Name: "rate", Values: number(func(e gnn.Epoch) float64 { return e.Rate }), Doc: "learning rate of the epoch's last step"},
		{Name: "loss", Values: number(func(e gnn.Epoch) float64 { return e.Losses.Total }), Doc: "mean over the epoch's batches of ce + lambda1·Σdist + lambda2·glc"},
		{Name: "ce", Values: number(func(e gnn.Epoch) float64 { return e.Losses.CE }), Doc: "cross-entropy"},
	}
	for l := range history[0].Losses.Dist {
		cols = append(cols, artifacts.Column{Name: fmt.Sprintf("dist%d", l+1), Values: number(func(e gnn.Epoch) float64 { return e.Losses.Dist[l] }),
			Doc: fmt.Sprintf("distance loss of block %d", l+1)})
	}
	cols = append(cols,
		artifacts.Column{Name: "glc", Values: number(func(e gnn.Epoch) float64 { return e.Losses.GLC }), Doc: "group-level consistency, sum over the groups"},
		artifacts.Column{Name: "train_accuracy", Values: number(func(e gnn.Epoch) float64 { return e.TrainAccuracy }), Doc: "over the training graphs, as each batch came by"},
		optionalColumn("test_accuracy", "over the test graphs, after the epoch", number(func(e gnn.Epoch) float64 { return e.TestAccuracy })),
		optionalColumn("test_ce", "cross-entropy on the test graphs, after the epoch", number(func(e gnn.Epoch) float64 { return e.TestCE })),
	)
	return artifacts.NewTable(cols...)
}

// optionalColumn marks what is no number as missing.
func optionalColumn(name, doc string, v []float64) artifacts.Column {
	valid, all := make([]bool, len(v)), true
	for i, x := range v {
		valid[i] = !math.IsNaN(x)
		all = all && valid[i]
	}
	if all {
		valid = nil
	}
	return artifacts.Column{Name: name, Doc: doc, Values: v, Valid: valid}
}

func scoreTable[T gnn.Float](set *trainingSet, predictions []gnn.Prediction) *artifacts.Table {
	n := 0
	for _, p := range predictions {
		for _, l := range p.Layers {
			n += len(l.Node)
		}
	}
	id, group, side := make([]string, 0, n), make([]string, 0, n), make([]string, 0, n)
	draw, layer, index := make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	score, kept := make([]T, 0, n), make([]bool, 0, n)
	for i, p := range predictions {
		r := set.rows[i]
		for l, s := range p.Layers {
			for j, node := range s.Node {
				id, group, side = append(id, r.id), append(group, set.groups[r.label]), append(side, sideNames[r.side])
				draw, layer, index = append(draw, int32(r.draw)), append(layer, int32(l+1)), append(index, node+1)
				score, kept = append(score, T(s.Score[j])), append(kept, s.Kept[j])
			}
		}
	}
	return artifacts.NewTable(
		artifacts.Column{Name: "participant_id", Values: id},
		artifacts.Column{Name: "group", Values: group},
		artifacts.Column{Name: "draw", Values: draw},
		artifacts.Column{Name: "set", Values: side, Doc: "train or test"},
		artifacts.Column{Name: "layer", Values: layer, Doc: "pooling layer, from 1"},
		artifacts.Column{Name: "index", Values: index, Doc: "node number, from 1"},
		artifacts.Column{Name: "score", Values: score, Doc: "after the sigmoid"},
		artifacts.Column{Name: "kept", Values: kept},
	)
}

func distributionTable(history []gnn.Epoch) *artifacts.Table {
	var epoch, layer, kept, dropped []int32
	var low, high []float64
	for _, e := range history {
		for l := range e.Scores {
			for b := range gnn.ScoreBins {
				epoch, layer = append(epoch, int32(e.Number)), append(layer, int32(l+1))
				low, high = append(low, float64(b)/gnn.ScoreBins), append(high, float64(b+1)/gnn.ScoreBins)
				kept, dropped = append(kept, e.Scores[l].Kept[b]), append(dropped, e.Scores[l].Dropped[b])
			}
		}
	}
	return artifacts.NewTable(
		artifacts.Column{Name: "epoch", Values: epoch},
		artifacts.Column{Name: "layer", Values: layer, Doc: "pooling layer, from 1"},
		artifacts.Column{Name: "low", Values: low, Doc: "lower end of the interval of scores"},
		artifacts.Column{Name: "high", Values: high, Doc: "upper end"},
		artifacts.Column{Name: "kept", Values: kept, Doc: "number of nodes that were kept"},
		artifacts.Column{Name: "dropped", Values: dropped, Doc: "number of nodes that were dropped"},
	)
}

func parameterTable(o gnn.Options, set *trainingSet, trained gnn.Layout, norm standardization) *artifacts.Table {
	var name, shape []string
	var offset, length []int64
	var trainable []bool
	at := 0
	add := func(p gnn.Param, t bool) {
		var text []string
		for _, d := range p.Shape {
			text = append(text, strconv.Itoa(d))
		}
		name, shape = append(name, p.Name), append(shape, strings.Join(text, "×"))
		offset, length, trainable = append(offset, int64(at)), append(length, int64(p.Len())), append(trainable, t)
		at += p.Len()
	}
	for _, p := range trained {
		add(p, true)
	}
	for _, p := range o.Buffers() {
		add(p, false)
	}
	for _, p := range norm.layout() {
		add(p, false)
	}
	t := artifacts.NewTable(
		artifacts.Column{Name: "name", Values: name},
		artifacts.Column{Name: "shape", Values: shape, Doc: "row-major"},
		artifacts.Column{Name: "offset", Values: offset, Doc: "of its first value in weights"},
		artifacts.Column{Name: "length", Values: length, Doc: "number of values"},
		artifacts.Column{Name: "trainable", Values: trainable},
	)
	t.Meta = map[string]string{"groups": textOf(set.groups), "model": textOf(o), "trainable parameters": strconv.Itoa(trained.Len())}
	return t
}
