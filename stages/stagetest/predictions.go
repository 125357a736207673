package stagetest

import (
	"reflect"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

// TwoFolds are the predictions of one setting: the probability of HC for a and b (fold 1), c and d (fold 2); a and c
// are ASD.
func TwoFolds(model string, p ...float64) []dag.Input {
	g := [2]string{"ASD", "HC"}
	m := dag.Coord{Axis: "model", Value: model}
	return []dag.Input{
		dag.InputOf(OneFold(1, g, [3]any{"a", 0, p[0]}, [3]any{"b", 1, p[1]}), m, dag.Coord{Axis: "fold", Value: "1"}),
		dag.InputOf(OneFold(2, g, [3]any{"c", 0, p[2]}, [3]any{"d", 1, p[3]}), m, dag.Coord{Axis: "fold", Value: "2"}),
	}
}

// OneFold are the predictions of one fold: per row the id, the true group, and the probability of the
// second group.
func OneFold(fold int32, groups [2]string, rows ...[3]any) *encoding.Table {
	n := len(rows)
	id, group, set := make([]string, n), make([]string, n), make([]string, n)
	draw, folds, repeat := make([]int32, n), make([]int32, n), make([]int32, n)
	label, predicted := make([]int32, n), make([]int32, n)
	p0, p1 := make([]float64, n), make([]float64, n)
	for i, r := range rows {
		id[i], label[i], p1[i] = r[0].(string), int32(r[1].(int)), r[2].(float64)
		group[i], set[i], draw[i], folds[i], repeat[i] = groups[label[i]], "test", int32(i), fold, 1
		p0[i] = 1 - p1[i]
		if p1[i] > 0.5 {
			predicted[i] = 1
		}
	}
	return encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: id}, encoding.Column{Name: "group", Values: group},
		encoding.Column{Name: "draw", Values: draw}, encoding.Column{Name: "fold", Values: folds},
		encoding.Column{Name: "repeat", Values: repeat},
		encoding.Column{Name: "set", Values: set}, encoding.Column{Name: "label", Values: label},
		encoding.Column{Name: "probability", Values: p1},
		encoding.Column{Name: "predicted", Values: predicted},
		encoding.Column{Name: "p_" + groups[0], Values: p0}, encoding.Column{Name: "p_" + groups[1], Values: p1})
}

// Twice is a table with one of its rows at the end once more.
func Twice(t *encoding.Table, row int) *encoding.Table {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for i := range out.Columns {
		c := &out.Columns[i]
		v := reflect.ValueOf(c.Values)
		all := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()+1), v)
		c.Values = reflect.Append(all, v.Index(row)).Interface()
	}
	return &out
}
