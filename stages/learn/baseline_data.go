package learn

import (
	"fmt"
	"math"

	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// A rowSet is the inputs of a study, a row a graph.
type rowSet struct {
	*trainingSet
	all     baseline.Rows // in the order of the set
	ordered baseline.Rows // those of the training side first
	label   []int         // of ordered
	train   baseline.Rows // the training side
	sd      []float64     // of each input in training, by which it is divided; nil: by nothing
}

func readRows(t *dag.Task, p fold.Params, form matrixForm, standardize string) (*rowSet, error) {
	set, all, err := readMatrices(t, p, form)
	if err != nil {
		return nil, err
	}
	r := &rowSet{trainingSet: set, all: all,
		ordered: baseline.Rows{N: all.N, D: all.D, X: make([]float64, 0, len(all.X))}}
	for side := range 2 {
		for i, row := range set.rows {
			if row.Side == side {
				r.ordered.X, r.label = append(r.ordered.X, all.Row(i)...), append(r.label, row.Label)
				r.train.N += 1 - side
			}
		}
	}
	r.train.D, r.train.X = all.D, r.ordered.X[:r.train.N*all.D]
	if standardize == "training" {
		r.sd = standardizeRows(r.train, r.all, r.ordered)
	}
	return r, nil
}

// readMatrices gives the inputs of each matrix as a row, and puts each participant on its side of the fold.
func readMatrices(t *dag.Task, p fold.Params, form matrixForm) (*trainingSet, baseline.Rows, error) {
	var all baseline.Rows
	d, err := p.Divide(t.In("folds"))
	if err != nil {
		return nil, all, err
	}
	set := &trainingSet{groups: d.Groups}
	nodes := 0
	if form.tangent {
		facts, _, err := region.ReadReference(t.In("fitted"))
		if err == nil {
			nodes, err = facts.Nodes, refuseLeak(t.In("fitted"), facts.Repeat, facts.Fold, d)
		}
		if err != nil {
			return nil, all, err
		}
	}
	if form.states {
		facts, _, err := region.ReadStates(t.In("states_fitted"))
		if err == nil {
			err = refuseLeak(t.In("states_fitted"), facts.Repeat, facts.Fold, d)
		}
		if err != nil {
			return nil, all, err
		}
	}
	inputs := t.All(form.port)
	if !form.states { // two participants may stay in the same states
		if err := fold.RefuseDuplicates(inputs, d); err != nil {
			return nil, all, err
		}
	}
	for i, in := range inputs {
		r, err := d.Row(in)
		if err != nil {
			return nil, all, err
		}
		if r.Side == fold.Apart {
			continue
		}
		draws, err := region.ReadDraws(in, "draw, roi, roi")
		if err != nil {
			return nil, all, err
		}
		numbers, err := p.Numbers(len(draws), in.Name)
		if err != nil {
			return nil, all, err
		}
		n := draws[0].Rows
		switch {
		case form.states && draws[0].Cols != n+2:
			return nil, all, fmt.Errorf("%s: %d × %d numbers, want features of the stage occupancy", in.Name, n, draws[0].Cols)
		case !form.states && (n != draws[0].Cols || n < 2):
			return nil, all, fmt.Errorf("%s: %d × %d numbers, want a symmetric matrix", in.Name, n, draws[0].Cols)
		case nodes == 0:
			nodes = n
		case n != nodes:
			return nil, all, fmt.Errorf("%s: %d regions, but other participants have %d: use the same atlas for all", in.Name, n, nodes)
		}
		if all.X == nil {
			if all.D = form.width(n); form.states {
				all.D = n * (n + 2)
			}
			all.X = make([]float64, 0, len(inputs)*len(numbers)*all.D)
		}
		for _, draw := range numbers {
			if all.X, err = form.row(all.X, draws[draw].Data, n); err != nil {
				return nil, all, fmt.Errorf("%s, draw %d: %w", in.Name, draw, err)
			}
			r.Draw = draw
			set.rows = append(set.rows, r)
			all.N++
		}
		t.Progress(i+1, len(inputs), "reading")
	}
	return set, all, set.check(d)
}

// innerRows is the inner fold of each training row, from 0; nil where there is nothing to choose of the penalties.
func innerRows(set *trainingSet, p fold.Params, penalties []float64, count int, seed uint64,
	name string) ([]int, error) {
	if len(penalties) < 2 {
		return nil, nil
	}
	of, err := innerFolds(set, p, count, seed, "inner", name)
	if err != nil {
		return nil, err
	}
	var folds []int
	for _, r := range set.rows {
		if r.Side == 0 {
			folds = append(folds, of[r.Id])
		}
	}
	return folds, nil
}

// standardizeRows z-scores rows by mean and sd of the columns of by; a column that
// does not vary only loses its mean. It returns the sd of each column, 1 of those.
func standardizeRows(by baseline.Rows, rows ...baseline.Rows) []float64 {
	mean, sd := make([]float64, by.D), make([]float64, by.D)
	for i := range by.N {
		for j, v := range by.Row(i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(by.N)
	}
	for i := range by.N {
		for j, v := range by.Row(i) {
			sd[j] += float64((v - mean[j]) * (v - mean[j]))
		}
	}
	for j := range sd {
		if sd[j] = math.Sqrt(sd[j] / float64(by.N)); sd[j] == 0 {
			sd[j] = 1
		}
	}
	for _, r := range rows {
		for i := range r.N {
			row := r.Row(i)
			for j := range row {
				row[j] = (row[j] - mean[j]) / sd[j]
			}
		}
	}
	return sd
}
