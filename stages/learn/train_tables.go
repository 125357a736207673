package learn

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// predictionTable has a row a graph; model is what classifiers calls it.
func predictionTable(s fold.Params, set *trainingSet, predictions []gnn.Prediction, model string,
	leaks []column.Leak) *encoding.Table {
	rows, each := make([]fold.PredictionRow, len(set.rows)), make([][]float64, len(set.rows))
	for i, r := range set.rows {
		p := predictions[i]
		rows[i] = fold.PredictionRow{
			ID: r.Id, Group: set.groups[r.Label], Draw: int32(r.Draw), Fold: int32(s.Fold), Repeat: int32(s.Repeat),
			Set: fold.SideNames[r.Side], Label: int32(r.Label), Probability: p.Probability[p.Class],
			Predicted: int32(p.Class),
		}
		if len(set.groups) == 2 {
			rows[i].Probability = p.Probability[1]
		}
		each[i] = p.Probability
	}
	table := encoding.NewTable(append(column.Columns(rows), groupColumns(set.groups, each)...)...)
	table.Meta = map[string]string{"groups": column.JSON(set.groups)}
	return set.described(table, model, leaks)
}

// described is a table of predictions with its model and what it was trained on in the metadata.
func (set *trainingSet) described(table *encoding.Table, model string, leaks []column.Leak) *encoding.Table {
	if table.Meta == nil {
		table.Meta = map[string]string{}
	}
	table.Meta["model"] = model
	if leaks != nil {
		table.Meta[column.LeaksMeta] = column.JSON(leaks)
	}
	if set.left != nil {
		table.Meta[column.LeftOutMeta] = column.JSON(set.left)
	}
	return table
}

// groupColumns are the probabilities of each group; each is row × group.
func groupColumns(groups []string, each [][]float64) []encoding.Column {
	var cols []encoding.Column
	for c, g := range groups {
		v := lists.Map(each, func(p []float64) float64 { return p[c] })
		cols = append(cols, encoding.Column{Name: "p_" + g, Values: v, Doc: "probability of group " + g})
	}
	return cols
}

// A lossRow is what every epoch of a training has: the columns of a history before the distance losses.
type lossRow struct {
	Epoch int32   `column:"epoch"`
	Rate  float64 `column:"rate" doc:"learning rate of the epoch's last step"`
	Loss  float64 `column:"loss" doc:"mean over the epoch's batches of ce + lambda1·Σdist + lambda2·glc"`
	CE    float64 `column:"ce" doc:"cross-entropy"`
}

// An accuracyRow is the columns behind them.
type accuracyRow struct {
	TrainAccuracy float64 `column:"train_accuracy" doc:"over the training graphs, during the epoch"`
	TestAccuracy  float64 `column:"test_accuracy,missing" doc:"over the test graphs, after the epoch"`
	TestCE        float64 `column:"test_ce,missing" doc:"cross-entropy on the test graphs, after the epoch"`
	Majority      float64 `column:"majority" doc:"train_accuracy of the majority-class classifier"`
}

// accuracies are the accuracyRow of an epoch of a network to compare with.
func accuracies(e network.Epoch, majority float64) accuracyRow {
	return accuracyRow{e.Accuracy, e.TestAccuracy, e.TestLoss, majority}
}

// A finalRow is the accuracyRow of train, between what only train has.
type finalRow struct {
	GLC float64 `column:"glc" doc:"group-level consistency, sum over the groups"`
	accuracyRow
}

func historyTable(history []gnn.Epoch, majority float64) *encoding.Table {
	losses, finals := make([]lossRow, len(history)), make([]finalRow, len(history))
	distances := make([][]float64, len(history[0].Losses.Dist)) // block × epoch
	for i, e := range history {
		losses[i] = lossRow{int32(e.Number), e.Rate, e.Losses.Total, e.Losses.CE}
		finals[i] = finalRow{e.Losses.GLC, accuracyRow{e.TrainAccuracy, e.TestAccuracy, e.TestCE, majority}}
		for l, v := range e.Losses.Dist {
			distances[l] = append(distances[l], v)
		}
	}
	cols := column.Columns(losses)
	for l, v := range distances {
		cols = append(cols, encoding.Column{Name: fmt.Sprintf("dist%d", l+1), Values: v, Doc: fmt.Sprintf("distance loss of block %d", l+1)})
	}
	return encoding.NewTable(append(cols, column.Columns(finals)...)...)
}

// scoreTable has a row a graph, layer and node. untrained are the scores of the first layer at the starting weights.
func scoreTable[T gnn.Float](set *trainingSet, predictions []gnn.Prediction, untrained [][]T) *encoding.Table {
	n := 0
	for _, p := range predictions {
		for _, l := range p.Layers {
			n += len(l.Node)
		}
	}
	return column.TableOf(n, func(yield func(column.ScoreRow[T]) bool) {
		for i, p := range predictions {
			r := set.rows[i]
			for l, s := range p.Layers {
				for j, node := range s.Node {
					row := column.ScoreRow[T]{
						ID: r.Id, Group: set.groups[r.Label], Draw: int32(r.Draw), Set: fold.SideNames[r.Side],
						NodeScore: column.NodeScore[T]{Layer: int32(l + 1), Index: node + 1, Score: T(s.Score[j]),
							Kept: s.Kept[j]},
						Untrained: T(math.NaN()),
					}
					if l == 0 { // every node reaches the first layer, in the same order
						row.Untrained = untrained[i][j]
					}
					yield(row)
				}
			}
		}
	})
}

// outputs are those of a network, trained and untrained, that scores regions.
func (set *trainingSet) outputs(s fold.Params, trained, untrained []gnn.Prediction, history *encoding.Table,
	model modelRow) dag.Outputs {
	set.facts.byRegion(trained)
	first := lists.Map(set.facts.byRegion(untrained), func(p gnn.Prediction) []float64 { return p.Layers[0].Score })
	history.Meta = map[string]string{"model": model.Model}
	model.Note = set.noted(model.Note)
	return dag.Outputs{
		"predictions": predictionTable(s, set, trained, model.Model, nil),
		"history":     history,
		"scores":      scoreTable(set, trained, first),
		"model":       column.Table([]modelRow{model}),
	}
}

// A distributionRow counts the nodes whose score lies in one interval, in one epoch and layer.
type distributionRow struct {
	Epoch   int32   `column:"epoch"`
	Layer   int32   `column:"layer" doc:"pooling layer, from 1"`
	Low     float64 `column:"low" doc:"lower end of the interval of scores"`
	High    float64 `column:"high" doc:"upper end"`
	Kept    int32   `column:"kept" doc:"number of nodes that were kept"`
	Dropped int32   `column:"dropped" doc:"number of nodes that were dropped"`
}

func distributionTable(history []gnn.Epoch) *encoding.Table {
	var rows []distributionRow
	for _, e := range history {
		for l, s := range e.Scores {
			for b := range gnn.ScoreBins {
				rows = append(rows, distributionRow{int32(e.Number), int32(l + 1),
					float64(b) / gnn.ScoreBins, float64(b+1) / gnn.ScoreBins, s.Kept[b], s.Dropped[b]})
			}
		}
	}
	return column.Table(rows)
}

// A parameterRow is one array of parameters of a model.
type parameterRow struct {
	Name      string `column:"name"`
	Shape     string `column:"shape" doc:"row-major"`
	Offset    int64  `column:"offset" doc:"index of its first value in weights"`
	Length    int64  `column:"length" doc:"number of values"`
	Trainable bool   `column:"trainable"`
}

func parameterTable(o gnn.Options, set *trainingSet, trained gnn.Layout, norm standardization) *encoding.Table {
	var rows []parameterRow
	at := 0
	add := func(p gnn.Param, trainable bool) {
		shape := lists.Map(p.Shape, strconv.Itoa)
		rows = append(rows, parameterRow{p.Name, strings.Join(shape, "×"), int64(at), int64(p.Len()), trainable})
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
	t := column.Table(rows)
	t.Meta = map[string]string{"groups": column.JSON(set.groups), "model": column.JSON(o),
		"graphs": column.JSON(set.facts), "trainable parameters": strconv.Itoa(trained.Len())}
	return t
}
