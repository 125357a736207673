package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/numeric/exact"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// A matrixForm says which entries of a symmetric matrix are inputs, in their order: those above the
// diagonal by rows, or the lower triangle by rows, as nilearn has tangent vectors.
type matrixForm struct {
	port     string
	tangent  bool
	diagonal bool    // tangent: over √2
	off      float64 // tangent: factor of the other entries
	upper    bool
	fisher   bool
	states   bool // no matrix: features of connectivity states, all of them
}

// form is how this model sees the matrices that are connected.
func (s *Baseline) form(has func(port string) bool) (matrixForm, error) {
	// brainnetcnn makes matrices of the rows, with a diagonal of its own
	return formOf(has, s.Model == "ridge" || s.Model == "logistic", s.Model == "brainnetcnn", s.Transform, s.Diagonal,
		s.OffDiagonal)
}

// formOf is how a model sees the matrices that are connected: after Fisher's transform by default or not, and rows that
// are made matrices again or not.
func formOf(has func(port string) bool, fisher, square bool, transform string, diagonal bool,
	off string) (matrixForm, error) {
	if has("states") {
		return statesForm(has, square, transform)
	}
	f := matrixForm{port: "pearson", upper: true, off: 1, fisher: transform == "fisher" || transform == "own" && fisher}
	if !has("tangent") {
		if !has("pearson") {
			return f, errors.New("there is nothing to train on: connect pearson (correlation matrices) or tangent (matrices of the stage project)")
		}
		return f, nil
	}
	switch {
	case has("pearson"):
		return f, errors.New("pearson and tangent are both connected: connect one of the two")
	case !has("fitted"):
		return f, errors.New("tangent is connected without its reference: connect fitted of the stage tangent, to show that no test participant was used for it")
	case transform == "fisher":
		return f, errors.New("transform: fisher is for correlations: tangent matrices are logarithms already")
	}
	f.port, f.tangent, f.fisher = "tangent", true, false
	if square {
		return f, nil
	}
	f.upper, f.diagonal = false, diagonal
	if off == "sqrt2" {
		f.off = math.Sqrt2
	}
	return f, nil
}

// statesForm takes features of connectivity states as they are.
func statesForm(has func(port string) bool, square bool, transform string) (f matrixForm, err error) {
	switch {
	case has("pearson") || has("tangent"):
		err = errors.New("states and matrices are both connected: connect one of the two")
	case !has("states_fitted"):
		err = errors.New("states is connected without the states: connect states_fitted to the stage states, to show that no test participant was used for them")
	case square || transform == "fisher":
		err = errors.New("features of states are no matrices: brainnetcnn and transform: fisher do not take them")
	}
	return matrixForm{port: "states", states: true}, err
}

// width is the number of inputs of n nodes or states.
func (f matrixForm) width(n int) int {
	switch {
	case f.states:
		return n * (n + 2)
	case f.diagonal:
		return n * (n + 1) / 2
	}
	return n * (n - 1) / 2
}

// spans calls visit for the entries that are inputs, in their order: those of row i from one column to before another,
// with the factor of them all.
func (f matrixForm) spans(n int, visit func(i, from, to int, factor float64)) {
	for i := range n {
		if f.upper {
			visit(i, i+1, n, 1)
			continue
		}
		visit(i, 0, i, f.off)
		if f.diagonal {
			visit(i, i, i+1, 1/math.Sqrt2)
		}
	}
}

// each calls visit for the entries that are inputs, in their order, with the factor of each.
func (f matrixForm) each(n int, visit func(i, j int, factor float64)) {
	f.spans(n, func(i, from, to int, factor float64) {
		for j := from; j < to; j++ {
			visit(i, j, factor)
		}
	})
}

// row appends the inputs of a matrix m of n nodes.
func (f matrixForm) row(to, m []float64, n int) ([]float64, error) {
	if f.states {
		return append(to, m...), nil
	}
	if err := f.check(m, n); err != nil {
		return nil, err
	}
	var failed error
	f.spans(n, func(i, from, upTo int, factor float64) {
		to = append(to, m[i*n+from:i*n+upTo]...)
		part := to[len(to)-(upTo-from):]
		for k, v := range part {
			if v-v != 0 || f.fisher && math.Abs(v) > 1 {
				if failed == nil {
					failed = f.refuse(i, from+k, v)
				}
				return
			}
			if f.fisher {
				v = exact.Atanh(max(-0.9999999, min(0.9999999, v)))
			}
			part[k] = v * factor
		}
	})
	return to, failed
}

// leaveOut makes the inputs of regions that are left out zero.
func (f matrixForm) leaveOut(row []float64, out []bool) {
	if out == nil {
		return
	}
	at := 0
	f.each(len(out), func(i, j int, _ float64) {
		if out[i] || out[j] {
			row[at] = 0
		}
		at++
	})
}

// refuse says why an entry is no input.
func (f matrixForm) refuse(i, j int, v float64) error {
	low, high := min(i, j)+1, max(i, j)+1
	switch {
	case v-v == 0:
		return fmt.Errorf("the correlation of nodes %d and %d is %v: not a correlation; if these are Fisher's z already, set transform: none", low, high, v)
	case f.tangent:
		return fmt.Errorf("the tangent entry of nodes %d and %d is %v: not finite; exclude the participant or the nodes", low, high, v)
	}
	return fmt.Errorf("the correlation of nodes %d and %d is %v: not finite; exclude the participant or the nodes", low, high, v)
}

// check tells correlation matrices, whose diagonal is 1 (of Fisher's z, 0), from tangent matrices.
func (f matrixForm) check(m []float64, n int) error {
	constant, negative := m[0] == 0 || m[0] == 1, false
	for i := range n {
		constant = constant && m[i*n+i] == m[0]
		negative = negative || m[i*n+i] < 0
	}
	switch {
	case f.tangent && constant:
		return fmt.Errorf("all entries of the diagonal are %v: these are correlation matrices, and the port tangent takes those of the stage project", m[0])
	case !f.tangent && negative:
		return errors.New("the diagonal has negative entries: these are not correlation matrices; connect tangent matrices to the port tangent")
	}
	return nil
}

// refuseLeak refuses what was fitted for another fold, and what a test participant was used for.
func refuseLeak(in dag.Input, repeat, test int, d *fold.Division) error {
	if test != d.Fold || repeat != d.Repeat {
		return fmt.Errorf("%s was fitted for fold %d, repeat %d, and fold %d, repeat %d is tested here: fan both stages out over the same axes", in.Name, test, repeat, d.Fold, d.Repeat)
	}
	table, err := in.Table()
	if err != nil {
		return err
	}
	var ids []string
	if err := json.Unmarshal([]byte(table.Meta["participants"]), &ids); err != nil || len(ids) == 0 {
		return fmt.Errorf("%s: its metadata do not name the participants that it was fitted to", in.Name)
	}
	for _, id := range ids {
		if side, known := d.Side[id]; !known || side != 0 {
			return fmt.Errorf("leakage: %s was fitted to %s, who is not a training participant of fold %d", in.Name, id, d.Fold)
		}
	}
	return nil
}

// A regionWeightRow is what a linear model of groups makes of one region.
type regionWeightRow struct {
	Group string `column:"group" doc:"the group for which the decision value is positive"`
	regionWeight
}

// A regionWeight is what a linear model makes of one region.
type regionWeight struct {
	Index   int32   `column:"index" doc:"node, from 1"`
	Weight  float64 `column:"weight" doc:"sum of the magnitudes of the weights on the entries of the node; with tangent matrices of G^-1/2 W G^-1/2, the weights on the covariance"`
	Pattern float64 `column:"pattern" doc:"the same of the covariances, over the training graphs, of the entries with the decision value (Haufe et al. 2014)"`
}

// regions maps a linear model back to the regions.
func (f matrixForm) regions(t *dag.Task, model any, set *rowSet, groups []string) ([]regionWeightRow, error) {
	lin, ok := baseline.AsLinear(model)
	if !ok || f.states {
		return nil, nil
	}
	train := set.train
	n := f.nodes(train.D)
	var rows []regionWeightRow
	decisions, all := lin.Decide(train, t.Threads), lin.Weights()
	for k, w := range all {
		d := make([]float64, train.N)
		for i := range d {
			d[i] = decisions[i*len(all)+k]
		}
		pattern := baseline.Pattern(train, d)
		wm, pm := make([]float64, n*n), make([]float64, n*n)
		at := 0
		f.each(n, func(i, j int, factor float64) {
			weight, cov := w[at], pattern[at]
			if set.sd != nil {
				weight, cov = weight/set.sd[at], cov*set.sd[at]
			}
			at++
			weight, cov = weight*factor, cov/factor
			if i != j && f.tangent { // an inner product of matrices has the entry twice
				weight /= 2
			}
			wm[i*n+j], wm[j*n+i], pm[i*n+j], pm[j*n+i] = weight, weight, cov, cov
		})
		if f.tangent {
			_, space, err := region.ReadReference(t.In("fitted"))
			if err != nil {
				return nil, err
			}
			wm = space.Weights(wm)
			if pm, err = space.Pattern(pm); err != nil {
				return nil, err
			}
		}
		group := groups[len(groups)-1]
		if len(all) > 1 {
			group = groups[k]
		}
		for i := range n {
			r := regionWeightRow{group, regionWeight{Index: int32(i + 1)}}
			for j := range n {
				r.Weight += math.Abs(wm[i*n+j])
				r.Pattern += math.Abs(pm[i*n+j])
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// nodes is the number of nodes of rows of d inputs.
func (f matrixForm) nodes(d int) int {
	if f.diagonal {
		return baseline.NodesOf(d) - 1
	}
	return baseline.NodesOf(d)
}
