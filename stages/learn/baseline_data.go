package learn

import (
	"context"
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/stages/column"
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
	out   []bool        // regions that are left out; nil: none

	file    *baseline.RowFile // takes all of them
	newFile func(rows, taught, inputs int) (*baseline.RowFile, error)
}

// A rowNeed is what a model needs of its rows.
type rowNeed int

const (
	allRows  rowNeed = iota // all in memory
	passes                  // passes through them
	manyPass                // passes, where too many are taught to compare each with each; else all in memory
	pairs                   // no more than can be compared with each other
)

// readRows reads what a model is trained on; for one that makes passes, so many rows of them that memory holds. After
// the last use, the file of the set is to be closed.
func readRows(ctx context.Context, t *dag.Task, p fold.Params, form matrixForm, standardize string,
	of rowNeed) (*rowSet, error) {
	r := &rowSet{newFile: func(rows, taught, inputs int) (*baseline.RowFile, error) {
		memory, many := int64(-1), baseline.TooMany(taught)
		switch {
		case of == pairs && many != nil:
			return nil, many
		case of == passes, of == manyPass && many != nil:
			memory = graphMemory
		}
		return baseline.NewRowFile(ctx, rows, inputs, memory, t.Threads, t.File), nil
	}}
	err := r.read(t, p, form)
	if err != nil {
		return nil, err
	}
	if r.all, err = r.file.Rows(); err != nil {
		return nil, err
	}
	r.label = make([]int, r.all.N)
	taught := 0
	for i, row := range r.rows {
		r.label[r.at[i]] = row.Label
		taught += 1 - row.Side
	}
	r.train = r.all.First(taught)
	if standardize == "training" {
		r.sd = baseline.Standardize(r.train, r.all)
	}
	return r, nil
}

// either is the first error: what could not be read, or what came of it.
func (r *rowSet) either(err error) error {
	if failed := r.all.Err(); failed != nil {
		return failed
	}
	return err
}

// inSet gives what was made of the rows, as many values of each, in the order of the set.
func inSet[T any](r *rowSet, made []T) []T {
	each, out := len(made)/len(r.at), make([]T, 0, len(made))
	for _, i := range r.at {
		out = append(out, made[i*each:][:each]...)
	}
	return out
}

// read gives the inputs of each matrix as a row, and puts each participant on its side of the fold. It goes
// through the participants twice, so that the rows of each side lie together and nothing is held a second time.
func (r *rowSet) read(t *dag.Task, p fold.Params, form matrixForm) error {
	d, err := p.Divide(t.In("folds"))
	if err != nil {
		return err
	}
	r.trainingSet = &trainingSet{groups: d.Groups}
	nodes := 0
	if form.tangent {
		facts, _, err := region.ReadReference(t.In("fitted"))
		if err == nil {
			nodes, err = facts.Nodes, refuseLeak(t.In("fitted"), facts.Repeat, facts.Fold, d)
		}
		if err != nil {
			return err
		}
	}
	if form.states {
		facts, _, err := region.ReadStates(t.In("states_fitted"))
		if err == nil {
			err = refuseLeak(t.In("states_fitted"), facts.Repeat, facts.Fold, d)
		}
		if err != nil {
			return err
		}
	}
	inputs := t.All(form.port)
	if !form.states { // two participants may stay in the same states
		if err := fold.RefuseDuplicates(inputs, d); err != nil {
			return err
		}
		if r.out, r.note, err = p.LeftOut(inputs, d, fold.AbsentRows, nil); err != nil {
			return err
		}
	}
	taught := 0 // inputs
	for _, in := range inputs {
		of, err := d.Row(in)
		if err != nil {
			return err
		}
		if of.Side == 0 {
			taught++
		}
	}
	rows, graphs := 0, make([][]fold.Row, len(inputs))
	first := make([]int, len(inputs)) // the first row of each input
	for side := range 2 {
		for i, in := range inputs {
			of, err := d.Row(in)
			if err != nil {
				return err
			}
			if of.Side != side {
				continue
			}
			if graphs[i], err = r.add(of, in, [2]int{len(inputs), taught}, p, form, &nodes); err != nil {
				return err
			}
			first[i] = rows
			rows += len(graphs[i])
			t.Progress(side*len(inputs)+i+1, 2*len(inputs), "reading")
		}
	}
	for i, of := range graphs {
		for j, row := range of {
			r.rows, r.at = append(r.rows, row), append(r.at, first[i]+j)
		}
	}
	return r.check(d)
}

// add reads the matrices of one of count participants, of whom the second count are taught. nodes is how many regions
// the others have, 0 before the first.
func (r *rowSet) add(of fold.Row, in dag.Input, count [2]int, p fold.Params, form matrixForm, nodes *int) ([]fold.Row,
	error) {
	draws, err := region.SharedDraws(in, "draw, roi, roi")
	if err != nil {
		return nil, err
	}
	numbers, err := p.Numbers(len(draws), in.Name)
	if err != nil {
		return nil, err
	}
	n := draws[0].Rows
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
	width := form.width(n)
	if r.file == nil {
		if r.file, err = r.newFile(count[0]*len(numbers), count[1]*len(numbers), width); err != nil {
			return nil, err
		}
	}
	var graphs []fold.Row
	row := make([]float64, 0, width)
	for _, draw := range numbers {
		if row, err = form.row(row[:0], draws[draw].Data, n); err == nil {
			form.leaveOut(row, r.out)
			err = r.file.Add(row)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, draw %d: %w", in.Name, draw, err)
		}
		of.Draw = draw
		graphs = append(graphs, of)
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

// fewEnough tells from the planned folds whether a model that compares each training graph with each has too many, with
// so many graphs a participant.
func fewEnough(planned *encoding.Table, p fold.Params, model string, graphs int) error {
	members, err := column.Rows[fold.LabeledMember](planned)
	if err != nil {
		return err
	}
	taught := 0
	for _, m := range members {
		if int(m.Repeat) == p.Repeat && m.Fold != 0 && int(m.Fold) != p.Fold {
			taught++
		}
	}
	if err := baseline.TooMany(taught * graphs); err != nil {
		return fmt.Errorf("%s, fold %d: %w", model, p.Fold, err)
	}
	return nil
}
