package learn

import (
	"fmt"
	"math"

	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// A rowSet is the inputs of a study, a row a graph: those of the training side first.
type rowSet struct {
	*trainingSet
	all   baseline.Rows
	at    []int         // the row of each graph of the set
	label []int         // of each row
	train baseline.Rows // the training side
	sd    []float64     // of each input in training, by which it is divided; nil: by nothing
}

func readRows(t *dag.Task, p fold.Params, form matrixForm, standardize string) (*rowSet, error) {
	r, err := readMatrices(t, p, form)
	if err != nil {
		return nil, err
	}
	r.label = make([]int, r.all.N)
	for i, row := range r.rows {
		r.label[r.at[i]] = row.Label
		r.train.N += 1 - row.Side
	}
	r.train.D, r.train.X = r.all.D, r.all.X[:r.train.N*r.all.D]
	if standardize == "training" {
		r.sd = standardizeRows(r.train, r.all)
	}
	return r, nil
}

// inSet gives what was made of the rows, as many values of each, in the order of the set.
func inSet[T any](r *rowSet, made []T) []T {
	each, out := len(made)/len(r.at), make([]T, 0, len(made))
	for _, i := range r.at {
		out = append(out, made[i*each:][:each]...)
	}
	return out
}

// readMatrices gives the inputs of each matrix as a row, and puts each participant on its side of the fold. It goes
// through the participants twice, so that the rows of each side lie together and nothing is held a second time.
func readMatrices(t *dag.Task, p fold.Params, form matrixForm) (*rowSet, error) {
	d, err := p.Divide(t.In("folds"))
	if err != nil {
		return nil, err
	}
	set := &rowSet{trainingSet: &trainingSet{groups: d.Groups}}
	nodes := 0
	if form.tangent {
		facts, _, err := region.ReadReference(t.In("fitted"))
		if err == nil {
			nodes, err = facts.Nodes, refuseLeak(t.In("fitted"), facts.Repeat, facts.Fold, d)
		}
		if err != nil {
			return nil, err
		}
	}
	if form.states {
		facts, _, err := region.ReadStates(t.In("states_fitted"))
		if err == nil {
			err = refuseLeak(t.In("states_fitted"), facts.Repeat, facts.Fold, d)
		}
		if err != nil {
			return nil, err
		}
	}
	inputs := t.All(form.port)
	if !form.states { // two participants may stay in the same states
		if err := fold.RefuseDuplicates(inputs, d); err != nil {
			return nil, err
		}
	}
	graphs := make([][]fold.Row, len(inputs))
	first := make([]int, len(inputs)) // the first row of each input
	for side := range 2 {
		for i, in := range inputs {
			r, err := d.Row(in)
			if err != nil {
				return nil, err
			}
			if r.Side != side {
				continue
			}
			first[i] = set.all.N
			if graphs[i], err = set.add(r, in, len(inputs), p, form, &nodes); err != nil {
				return nil, err
			}
			t.Progress(side*len(inputs)+i+1, 2*len(inputs), "reading")
		}
	}
	for i, of := range graphs {
		for j, r := range of {
			set.rows, set.at = append(set.rows, r), append(set.at, first[i]+j)
		}
	}
	return set, set.check(d)
}

// add reads the matrices of one of count participants. nodes is how many regions the others have, 0 before the first.
func (r *rowSet) add(of fold.Row, in dag.Input, count int, p fold.Params, form matrixForm, nodes *int) ([]fold.Row,
	error) {
	draws, err := region.ReadDraws(in, "draw, roi, roi")
	if err != nil {
		return nil, err
	}
	numbers, err := p.Numbers(len(draws), in.Name)
	if err != nil {
		return nil, err
	}
	n, all := draws[0].Rows, &r.all
	switch {
	case form.states && draws[0].Cols != n+2:
		return nil, fmt.Errorf("%s: %d × %d numbers, want features of the stage occupancy", in.Name, n, draws[0].Cols)
	case !form.states && (n != draws[0].Cols || n < 2):
		return nil, fmt.Errorf("%s: %d × %d numbers, want a symmetric matrix", in.Name, n, draws[0].Cols)
	case *nodes == 0:
		*nodes = n
	case n != *nodes:
		return nil, fmt.Errorf("%s: %d regions, but other participants have %d: use the same atlas for all", in.Name, n, *nodes)
	}
	if all.X == nil {
		if all.D = form.width(n); form.states {
			all.D = n * (n + 2)
		}
		all.X = make([]float64, 0, count*len(numbers)*all.D)
	}
	var graphs []fold.Row
	for _, draw := range numbers {
		if all.X, err = form.row(all.X, draws[draw].Data, n); err != nil {
			return nil, fmt.Errorf("%s, draw %d: %w", in.Name, draw, err)
		}
		of.Draw = draw
		graphs = append(graphs, of)
		all.N++
	}
	return graphs, nil
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
func standardizeRows(by, rows baseline.Rows) []float64 {
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
	for i := range rows.N {
		row := rows.Row(i)
		for j := range row {
			row[j] = (row[j] - mean[j]) / sd[j]
		}
	}
	return sd
}
