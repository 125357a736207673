package learn

import (
	"fmt"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/gnn"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// predictionTable has a row a graph; model is what classifiers calls it.
func predictionTable(s fold.Params, set *trainingSet, predictions []gnn.Prediction, model, caution string) *artifacts.Table {
	n := len(set.rows)
	id, group, side := make([]string, n), make([]string, n), make([]string, n)
	draw, number, repeat := make([]int32, n), make([]int32, n), make([]int32, n)
	label, predicted, probability := make([]int32, n), make([]int32, n), make([]float64, n)
	each := make([][]float64, len(set.groups))
	for c := range each {
		each[c] = make([]float64, n)
	}
	for i, r := range set.rows {
		p := predictions[i]
		id[i], group[i], side[i] = r.Id, set.groups[r.Label], fold.SideNames[r.Side]
		draw[i], number[i], repeat[i] = int32(r.Draw), int32(s.Fold), int32(s.Repeat)
		label[i], predicted[i], probability[i] = int32(r.Label), int32(p.Class), p.Probability[p.Class]
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
		{Name: "fold", Values: number},
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
	table.Meta = map[string]string{"groups": column.JSON(set.groups), "model": model}
	if caution != "" {
		table.Meta["caution"] = caution
	}
	return table
}

func historyTable(history []gnn.Epoch, majority float64) *artifacts.Table {
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
		column.Optional("test_accuracy", "over the test graphs, after the epoch", number(func(e gnn.Epoch) float64 { return e.TestAccuracy })),
		column.Optional("test_ce", "cross-entropy on the test graphs, after the epoch", number(func(e gnn.Epoch) float64 { return e.TestCE })),
		artifacts.Column{Name: "majority", Values: number(func(gnn.Epoch) float64 { return majority }), Doc: "train_accuracy of always naming the largest group"},
	)
	return artifacts.NewTable(cols...)
}

// scoreTable has a row a graph, layer and node. before are the predictions at the starting weights.
func scoreTable[T gnn.Float](set *trainingSet, predictions, before []gnn.Prediction, testOnly bool) *artifacts.Table {
	n := 0
	for _, p := range predictions {
		for _, l := range p.Layers {
			n += len(l.Node)
		}
	}
	id, group, side := make([]string, 0, n), make([]string, 0, n), make([]string, 0, n)
	draw, layer, index := make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	score, kept := make([]T, 0, n), make([]bool, 0, n)
	untrained, first := make([]T, 0, n), make([]bool, 0, n)
	for i, p := range predictions {
		r := set.rows[i]
		if testOnly && r.Side != 1 {
			continue
		}
		for l, s := range p.Layers {
			for j, node := range s.Node {
				id, group, side = append(id, r.Id), append(group, set.groups[r.Label]), append(side, fold.SideNames[r.Side])
				draw, layer, index = append(draw, int32(r.Draw)), append(layer, int32(l+1)), append(index, node+1)
				score, kept = append(score, T(s.Score[j])), append(kept, s.Kept[j])
				if first = append(first, l == 0); l == 0 { // every node reaches the first layer, in the same order
					untrained = append(untrained, T(before[i].Layers[0].Score[j]))
				} else {
					untrained = append(untrained, 0)
				}
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
		artifacts.Column{Name: "untrained", Values: untrained, Valid: first, Doc: "score by the same model at its starting weights, before training; of the first layer only"},
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
	t.Meta = map[string]string{"groups": column.JSON(set.groups), "model": column.JSON(o), "graphs": column.JSON(set.facts), "trainable parameters": strconv.Itoa(trained.Len())}
	return t
}
