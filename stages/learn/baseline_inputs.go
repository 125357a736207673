package learn

import (
	"errors"
	"math"

	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/region"
)

// form is how this model sees the matrices that are connected.
func (s *Baseline) form(has func(port string) bool) (modelfile.Form, error) {
	// brainnetcnn makes matrices of the rows, with a diagonal of its own
	return formOf(has, s.Model == "ridge" || s.Model == "logistic", s.Model == "brainnetcnn", s.Transform, s.Diagonal,
		s.OffDiagonal)
}

// formOf is how a model sees the matrices that are connected: after Fisher's transform by default or not, and rows that
// are made matrices again or not.
func formOf(has func(port string) bool, fisher, square bool, transform string, diagonal bool,
	off string) (modelfile.Form, error) {
	if has("states") {
		return statesForm(has, square, transform)
	}
	f := modelfile.Form{Port: "pearson", Upper: true, Off: 1, Fisher: transform == "fisher" ||
		transform == "own" && fisher}
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
	f.Port, f.Fisher = "tangent", false
	if square {
		return f, nil
	}
	f.Upper, f.Diagonal = false, diagonal
	if off == "sqrt2" {
		f.Off = math.Sqrt2
	}
	return f, nil
}

// statesForm takes features of connectivity states as they are.
func statesForm(has func(port string) bool, square bool, transform string) (f modelfile.Form, err error) {
	switch {
	case has("pearson") || has("tangent"):
		err = errors.New("states and matrices are both connected: connect one of the two")
	case !has("states_fitted"):
		err = errors.New("states is connected without the states: connect states_fitted to the stage states, to show that no test participant was used for them")
	case square || transform == "fisher":
		err = errors.New("features of states are no matrices: brainnetcnn and transform: fisher do not take them")
	}
	return modelfile.Form{Port: "states"}, err
}

// A regionWeightRow is what a linear model of groups makes of one region.
type regionWeightRow struct {
	Group string `column:"group" doc:"the group for which the decision value is positive"`
	regionWeight
}

// A regionWeight is what a linear model makes of one region.
type regionWeight struct {
	Index   int32   `column:"index" doc:"node, from 1"`
	Weight  float64 `column:"weight,missing" doc:"sum of the magnitudes of the weights on the entries of the node; with tangent matrices of G^-1/2 W G^-1/2, the weights on the covariance; missing, as pattern, for a region that is excluded for all participants"`
	Pattern float64 `column:"pattern,missing" doc:"the same of the covariances, over the training graphs, of the entries with the decision value (Haufe et al. 2014)"`
}

// regionWeights maps a linear model back to the regions.
func regionWeights(f modelfile.Form, t *dag.Task, model any, set *rowSet, groups []string) ([]regionWeightRow, error) {
	lin, ok := baseline.AsLinear(model)
	if !ok || f.States() {
		return nil, nil
	}
	train := set.train
	n := f.Nodes(train.D)
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
		f.Each(n, func(i, j int, factor float64) {
			weight, cov := w[at], pattern[at]
			if set.sd != nil {
				weight, cov = weight/set.sd[at], cov*set.sd[at]
			}
			at++
			weight, cov = weight*factor, cov/factor
			if i != j && f.Tangent() { // an inner product of matrices has the entry twice
				weight /= 2
			}
			wm[i*n+j], wm[j*n+i], pm[i*n+j], pm[j*n+i] = weight, weight, cov, cov
		})
		if f.Tangent() {
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
			if set.out != nil && set.out[i] {
				r.Weight, r.Pattern = math.NaN(), math.NaN() // no input of the model
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}
