package learn

import (
	"fmt"
	"math"

	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/internal/exact"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// read gives the upper triangle of each matrix as a row, and puts each
// participant on its side of the fold.
func (s *Baseline) read(t *dag.Task) (*trainingSet, baseline.Rows, error) {
	var all baseline.Rows
	d, err := s.Divide(t.In("folds"))
	if err != nil {
		return nil, all, err
	}
	set := &trainingSet{groups: d.Groups}
	fisher := s.Transform == "fisher" || s.Transform == "own" && (s.Model == "ridge" || s.Model == "logistic")
	nodes := 0
	inputs := t.All("pearson")
	if err := fold.RefuseDuplicates(inputs, d); err != nil {
		return nil, all, err
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
		numbers, err := s.Numbers(len(draws), in.Name)
		if err != nil {
			return nil, all, err
		}
		n := draws[0].Rows
		switch {
		case n != draws[0].Cols || n < 2:
			return nil, all, fmt.Errorf("%s: %d × %d numbers, want a correlation matrix", in.Name, n, draws[0].Cols)
		case nodes == 0:
			nodes = n
			all.D = n * (n - 1) / 2
			all.X = make([]float64, 0, len(inputs)*len(draws)*all.D)
		case n != nodes:
			return nil, all, fmt.Errorf("%s: %d regions, other participants have %d: all must be made with the same atlas", in.Name, n, nodes)
		}
		for _, draw := range numbers {
			m := draws[draw]
			for i := range n {
				for j := i + 1; j < n; j++ {
					v := m.Data[i*n+j]
					if math.IsNaN(v) || math.IsInf(v, 0) {
						return nil, all, fmt.Errorf("%s, draw %d: the correlation of nodes %d and %d is %v: a number is needed; leave the participant or the nodes out", in.Name, draw, i+1, j+1, v)
					}
					if fisher {
						v = exact.Atanh(max(-0.9999999, min(0.9999999, v)))
					}
					all.X = append(all.X, v)
				}
			}
			r.Draw = draw
			set.rows = append(set.rows, r)
			all.N++
		}
		t.Progress(i+1, len(inputs), "reading")
	}
	return set, all, set.check(d)
}

// ordered gives the rows of the training side, then those of the test side, with their
// labels, and how many are for the test.
func (set *trainingSet) ordered(all baseline.Rows) (rows baseline.Rows, label []int, test int) {
	rows = baseline.Rows{N: all.N, D: all.D, X: make([]float64, 0, len(all.X))}
	for side := range 2 {
		for i, r := range set.rows {
			if r.Side == side {
				rows.X = append(rows.X, all.Row(i)...)
				label = append(label, r.Label)
				test += side
			}
		}
	}
	return rows, label, test
}

// standardizeRows z-scores rows by mean and sd of the columns of by; a column that
// does not vary only loses its mean.
func standardizeRows(by baseline.Rows, rows ...baseline.Rows) {
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
}
