package learn

import (
	"context"
	"fmt"
	"math"

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
	Doc: "split's label permutations: the model is retrained on each, for the p of the evaluation"}

// givenPort takes the label permutations given covariates.
var givenPort = dag.Port{Name: "given", Type: fold.PermutedSets(), Gather: true, Optional: true,
	Doc: "permute-given's label permutations: the model is retrained on each, for the full confounder test"}

// givenOut has what the full confounder test takes.
var givenOut = dag.Port{Name: "given", Type: column.Type[fold.GivenRow](),
	Doc: "the model retrained on each label permutation of the input given, and tested, for confounds; no rows where permuted has none"}

// A relabeling is what a model is retrained on: the labels of the rows of a study under each permutation.
type relabeling struct {
	*fold.Permuted
	covariate string // given which labels are permuted; "" for none
	unit      []int  // of each row, the place of its participant
	set       *rowSet
}

// relabel reads the label permutations of both ports; none for other repeats than the first.
func relabel(t *dag.Task, set *rowSet, p fold.Params) (all []*relabeling, err error) {
	if p.Repeat > 1 || set.all.N > baseline.MostPaired {
		return nil, nil
	}
	ins := t.All("given")
	if t.Has("permuted") {
		ins = append([]dag.Input{t.In("permuted")}, ins...)
	}
	for k, in := range ins {
		permuted, err := fold.ReadPermuted(in, t.In("folds"))
		if err != nil {
			return nil, err
		}
		r := &relabeling{permuted, "", make([]int, len(set.rows)), set}
		if k > 0 || !t.Has("permuted") {
			if r.covariate = in.Coord("covariate"); r.covariate == "" {
				return nil, fmt.Errorf("%s: the covariate is unknown: give permute-given its covariates as an axis (matrix: {covariate: [age, sex]})", in.Name)
			}
		}
		for i, row := range set.rows {
			at, known := permuted.At[row.Id]
			if !known {
				return nil, fmt.Errorf("%s: no label permutation of %s", in.Name, row.Id)
			}
			r.unit[set.at[i]] = at
		}
		all = append(all, r)
	}
	return all, nil
}

// pairedFor lets training share the products of the rows with training again.
func (r *rowSet) pairedFor(t *dag.Task, p fold.Params) {
	if (t.Has("permuted") || t.Has("given")) && p.Repeat <= 1 && r.all.N <= baseline.MostPaired {
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

// Retrains is on how many label permutations the model is retrained.
func (s *Baseline) Retrains(permutations int) int {
	switch s.Model {
	case "majority", "ridge", "kernel-ridge":
		return permutations
	case "svm", "linear-svm", "logistic":
		return min(permutations, iterated)
	}
	return 0
}

// retrain is the model's performance under each label permutation; without rows for models of which each training takes
// long.
func (s *Baseline) retrain(ctx context.Context, t *dag.Task, set *rowSet) (permuted []fold.PermutedRow,
	given []fold.GivenRow, err error) {
	all, err := relabel(t, set, s.Params)
	if err != nil || all == nil {
		return nil, nil, err
	}
	train, classes := set.train.N, len(set.groups)
	var again baseline.Retrainer
	switch s.Model {
	case "majority":
	case "ridge":
		again, err = baseline.RetrainRidge(set.all, train, s.Penalty, t.Threads)
	case "kernel-ridge":
		again, err = kernelRidgeAgain(t, set, s.Params, s.Penalties, s.Inner, s.Seed, false)
	case "svm", "linear-svm", "logistic":
		again, err = s.again(set, t.Threads)
	default:
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, r := range all {
		label := make([]int, len(r.IDs))
		for i, row := range set.rows {
			label[r.unit[set.at[i]]] = row.Label
		}
		r.first(s.Retrains(len(r.From) - 1))
		var predicted func(b, row int) []float64
		if s.Model == "majority" {
			fixed := baseline.Majority(set.label[:train], classes).Probability(set.all.First(1), 1)
			predicted = func(int, int) []float64 { return fixed }
		} else {
			labels := make([][]int, len(r.From))
			for b, from := range r.From {
				for _, at := range r.unit[:train] {
					labels[b] = append(labels[b], label[from[at]])
				}
			}
			p, err := again.Probabilities(ctx, labels, classes)
			if err != nil {
				return nil, nil, err
			}
			predicted = func(b, row int) []float64 { return p[b][row*classes:][:classes] }
		}
		rows := r.rows(s.Params, label, predicted)
		if r.covariate == "" {
			permuted = rows
			continue
		}
		for _, row := range rows {
			given = append(given, fold.GivenRow{Covariate: r.covariate, Permutation: row.Permutation,
				Repeat: row.Repeat, Fold: row.Fold, Group: row.Group, Score: row.AUC, Changed: row.Changed})
		}
	}
	return permuted, given, nil
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
func (r *relabeling) rows(p fold.Params, label []int, predicted func(b, row int) []float64) (rows []fold.PermutedRow) {
	for b, from := range r.From {
		people := fold.OverDraws(r.tested(func(row int) []float64 { return predicted(b, row) }))
		for i := range people {
			people[i].Label = label[from[r.At[people[i].Id]]]
		}
		changed := lists.Count(people, func(c fold.Case) bool { return c.Label != label[r.At[c.Id]] })
		for _, row := range fold.ScoreGroups(people, r.set.groups) {
			row.Permutation, row.Repeat, row.Fold = int32(b), int32(p.Repeat), int32(p.Fold)
			row.Changed = int32(changed)
			rows = append(rows, row)
		}
	}
	return rows
}

// Retrains is on how many permutations of the target the model is retrained.
func (s *Regression) Retrains(permutations int) int {
	if s.Model == "mean" || s.Model == "ridge" || s.Model == "kernel-ridge" {
		return permutations
	}
	return 0
}

// retrain is the model's performance under each permutation of the target, as that of Baseline.
func (s *Regression) retrain(ctx context.Context, t *dag.Task, set *rowSet, unit scale) (
	permuted []fold.PermutedNumberRow, given []fold.GivenRow, err error) {
	all, err := relabel(t, set, s.Params)
	if err != nil || all == nil {
		return nil, nil, err
	}
	train := set.train.N
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
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, r := range all {
		rows, err := r.numbers(ctx, s.Params, unit, again)
		if err != nil {
			return nil, nil, err
		}
		if r.covariate == "" {
			permuted = rows
			continue
		}
		for _, row := range rows {
			given = append(given, fold.GivenRow{Covariate: r.covariate, Permutation: row.Permutation,
				Repeat: row.Repeat, Fold: row.Fold, Score: row.R, Changed: row.Changed})
		}
	}
	return permuted, given, nil
}

// numbers are the rows of all permutations of a target.
func (r *relabeling) numbers(ctx context.Context, p fold.Params, unit scale, again baseline.Retrainer) (
	rows []fold.PermutedNumberRow, err error) {
	target := make([]float64, len(r.IDs))
	for i, row := range r.set.rows {
		target[r.unit[r.set.at[i]]] = row.Target
	}
	targets := make([][]float64, len(r.From)) // z-scored: all have the training numbers of the folds, in another order
	for b, from := range r.From {
		targets[b] = lists.Map(r.unit[:r.set.train.N], func(at int) float64 {
			return (target[from[at]] - unit.mean) / unit.sd
		})
	}
	decided, err := again(ctx, targets)
	if err != nil {
		return nil, err
	}
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
		rows = append(rows, fold.PermutedNumberRow{Permutation: int32(b), Repeat: int32(p.Repeat), Fold: int32(p.Fold),
			Tested: int32(len(people)), Changed: int32(changed), R: of.R, R2: of.R2, MAE: of.MAE})
	}
	return rows, nil
}
