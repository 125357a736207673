package learn

import (
	"context"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// iterated is how many labelings a model is retrained on that is solved step by step for each.
const iterated = 199

// permutedPort takes the label permutations.
var permutedPort = dag.Port{Name: "permuted", Type: fold.PermutedSets(), Optional: true,
	Doc: "split's label permutations: the model is trained again on each, for the p of the evaluation"}

// A relabeling is what a model is retrained on: the labels of the rows of a study under each permutation.
type relabeling struct {
	*fold.Permuted
	unit []int // of each row, the place of its participant
	set  *rowSet
}

// relabel reads the label permutations; nil where none are connected, and for other repeats than the first.
func relabel(t *dag.Task, set *rowSet, p fold.Params) (*relabeling, error) {
	if !t.Has("permuted") || p.Repeat > 1 {
		return nil, nil
	}
	permuted, err := fold.ReadPermuted(t.In("permuted"), t.In("folds"))
	if err != nil {
		return nil, err
	}
	r := &relabeling{permuted, make([]int, len(set.rows)), set}
	for i, row := range set.rows {
		at, known := permuted.At[row.Id]
		if !known {
			return nil, fmt.Errorf("%s: no label permutation of %s", t.In("permuted").Name, row.Id)
		}
		r.unit[set.at[i]] = at
	}
	return r, nil
}

// pairedFor lets training share the products of the rows with training again.
func (r *rowSet) pairedFor(t *dag.Task, p fold.Params) {
	if t.Has("permuted") && p.Repeat <= 1 && r.all.N <= baseline.MostPaired {
		r.all = r.all.Paired()
		r.train = r.all.First(r.train.N)
	}
}

// first keeps so many permutations beside the true labels.
func (r *relabeling) first(n int) { r.From = r.From[:min(len(r.From), n+1)] }

// tested are the test graphs in the order of their rows, with what was predicted of each.
func (r *relabeling) tested(predicted func(row int) []float64) []fold.Case {
	var cases []fold.Case
	for i, row := range r.set.rows {
		if row.Side == 1 {
			cases = append(cases, fold.Case{Id: row.Id, Probability: predicted(r.set.at[i] - r.set.train.N)})
		}
	}
	return cases
}

// Retrains is on how many label permutations the model is trained again.
func (s *Baseline) Retrains(permutations int) int {
	switch s.Model {
	case "majority", "ridge", "kernel-ridge":
		return permutations
	case "svm", "linear-svm", "logistic":
		return min(permutations, iterated)
	}
	return 0
}

// retrain is the table of the model's performance under each label permutation; without rows for models of which each
// training takes long.
func (s *Baseline) retrain(ctx context.Context, t *dag.Task, set *rowSet) (*encoding.Table, error) {
	r, err := relabel(t, set, s.Params)
	if err != nil || r == nil || set.all.N > baseline.MostPaired {
		return column.Table([]fold.PermutedRow(nil)), err
	}
	label := make([]int, len(r.IDs))
	for i, row := range set.rows {
		label[r.unit[set.at[i]]] = row.Label
	}
	train, classes := set.train.N, len(set.groups)
	var again baseline.Retrainer
	switch s.Model {
	case "majority":
		fixed := baseline.Majority(set.label[:train], classes).Probability(set.all.First(1), 1)
		return r.rows(s.Params, label, func(int, int) []float64 { return fixed }), nil
	case "ridge":
		again, err = baseline.RetrainRidge(set.all, train, s.Penalty, t.Threads)
	case "kernel-ridge":
		again, err = kernelRidgeAgain(t, set, s.Params, s.Penalties, s.Inner, s.Seed, false)
	case "svm", "linear-svm", "logistic":
		r.first(s.Retrains(len(r.From) - 1))
		again, err = s.again(set, t.Threads)
	default:
		return column.Table([]fold.PermutedRow(nil)), nil
	}
	if err != nil {
		return nil, err
	}
	labels := make([][]int, len(r.From))
	for b, from := range r.From {
		for _, at := range r.unit[:train] {
			labels[b] = append(labels[b], label[from[at]])
		}
	}
	p, err := again.Probabilities(ctx, labels, classes)
	if err != nil {
		return nil, err
	}
	return r.rows(s.Params, label, func(b, row int) []float64 { return p[b][row*classes:][:classes] }), nil
}

// kernelRidgeAgain retrains kernel ridge regression, to a number or to ±1, with the inner folds of the true labels.
func kernelRidgeAgain(t *dag.Task, set *rowSet, p fold.Params, penalties []float64, folds int, seed uint64,
	number bool) (baseline.Retrainer, error) {
	inner, err := innerRows(set.trainingSet, p, penalties, folds, seed, t.In("folds").Name)
	if err != nil {
		return nil, err
	}
	return baseline.RetrainKernelRidge(baseline.KernelRidge{Penalties: penalties, Inner: inner}, number, set.all,
		set.train.N, t.Threads)
}

// again retrains a model that is solved step by step.
func (s *Baseline) again(set *rowSet, threads int) (baseline.Retrainer, error) {
	svm := baseline.SVM{Kernel: "linear", C: s.C, Gamma: s.Gamma, Tolerance: s.Tolerance}
	switch s.Model {
	case "logistic":
		return baseline.RetrainLogistic(set.all, set.train.N, s.C, threads)
	case "svm":
		svm.Kernel = "rbf"
	}
	return baseline.RetrainSVM(svm, set.all, set.train.N, threads)
}

// rows are those of all permutations, by the probabilities of the test graphs.
func (r *relabeling) rows(p fold.Params, label []int, predicted func(b, row int) []float64) *encoding.Table {
	var rows []fold.PermutedRow
	for b, from := range r.From {
		people := fold.OverDraws(r.tested(func(row int) []float64 { return predicted(b, row) }))
		for i := range people {
			people[i].Label = label[from[r.At[people[i].Id]]]
		}
		changed := 0
		for _, c := range people {
			if c.Label != label[r.At[c.Id]] {
				changed++
			}
		}
		for _, row := range fold.ScoreGroups(people, r.set.groups) {
			row.Permutation, row.Repeat, row.Fold = int32(b), int32(p.Repeat), int32(p.Fold)
			row.Changed = int32(changed)
			rows = append(rows, row)
		}
	}
	return column.Table(rows)
}

// Retrains is on how many permutations of the target the model is trained again.
func (s *Regression) Retrains(permutations int) int {
	if s.Model == "mean" || s.Model == "ridge" || s.Model == "kernel-ridge" {
		return permutations
	}
	return 0
}

// retrain is the table of the model's performance under each permutation of the target, as that of Baseline.
func (s *Regression) retrain(ctx context.Context, t *dag.Task, set *rowSet, unit scale) (*encoding.Table, error) {
	none := column.Table([]fold.PermutedNumberRow(nil))
	r, err := relabel(t, set, s.Params)
	if err != nil || r == nil || set.all.N > baseline.MostPaired {
		return none, err
	}
	train := set.train.N
	target := make([]float64, len(r.IDs))
	for i, row := range set.rows {
		target[r.unit[set.at[i]]] = row.Target
	}
	var again baseline.Retrainer
	switch s.Model {
	case "mean":
		again = func(_ context.Context, targets [][]float64) ([][]float64, error) {
			zero := make([]float64, set.all.N-train)
			return lists.Map(targets, func([]float64) []float64 { return zero }), nil
		}
	case "ridge":
		again, err = baseline.RetrainRidge(set.all, train, s.Penalty, t.Threads)
	case "kernel-ridge":
		again, err = kernelRidgeAgain(t, set, s.Params, s.Penalties, s.Inner, s.Seed, true)
	default:
		return none, nil
	}
	if err != nil {
		return nil, err
	}
	targets := make([][]float64, len(r.From)) // z-scored: all have the training numbers of the folds, in another order
	for b, from := range r.From {
		targets[b] = lists.Map(r.unit[:train], func(at int) float64 { return (target[from[at]] - unit.mean) / unit.sd })
	}
	decided, err := again(ctx, targets)
	if err != nil {
		return nil, err
	}
	var rows []fold.PermutedNumberRow
	for b, from := range r.From {
		people := fold.OverDraws(r.tested(func(row int) []float64 {
			return []float64{unit.mean + float64(unit.sd*decided[b][row])}
		}))
		f := inference.NumberFold{Mean: unit.mean}
		changed := 0
		for i, c := range people {
			own := r.At[c.Id]
			f.Person, f.Predicted = append(f.Person, i), append(f.Predicted, c.Probability[0])
			f.Target = append(f.Target, target[from[own]])
			if target[from[own]] != target[own] {
				changed++
			}
		}
		of := f.Score()
		if math.IsNaN(of.R) {
			of.R = 0
		}
		rows = append(rows, fold.PermutedNumberRow{Permutation: int32(b), Repeat: int32(s.Repeat), Fold: int32(s.Fold),
			Tested: int32(len(people)), Changed: int32(changed), R: of.R, R2: of.R2, MAE: of.MAE})
	}
	return column.Table(rows), nil
}
