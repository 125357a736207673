package leakage

import (
	"cmp"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
)

// Partial correlations p that were supplied fit the correlations R of a participant by the largest correlation, over
// the ridges ρ, of p with the partial correlations that follow from R + ρI, each over edges and without its mean over
// the participants. Partial correlations that fit the correlations of somebody else better are doubted. Estimators
// shrink by amounts that are not known here, from nothing to more than half.
var fitRidges = [...]float64{0.001, 0.05, 1}

const (
	mostFitEdges = 2048
	mostFitted   = 2000 // participants with whom each is compared
	leastToFit   = 3    // regions
)

// A fitted is a participant's correlations and partial correlations, in the same edges.
type fitted struct {
	id       string
	followed [len(fitRidges)][]float64 // from the correlations, by each ridge; nil where R + ρI has no inverse
	own      []float64
}

// fit is how well partial correlations fit the correlations of a participant.
func (f *fitted) fit(of *fitted) float64 {
	r := -1.0
	for _, v := range of.followed {
		if v != nil {
			r = max(r, dense.Dot(f.own, v))
		}
	}
	return r
}

// misfits are the partial correlations that fit the correlations of another participant better than those of their own.
func misfits(pearson, partial []dag.Input, threads int) (finding.List, error) {
	of := map[string]dag.Input{}
	for _, in := range pearson {
		of[column.CoordText(column.Without(in.Coords, "stage"))] = in
	}
	all := make([]*fitted, len(partial))
	errs := make([]error, len(partial))
	dense.Each(threads, len(partial), func(i int) {
		if in, there := of[column.CoordText(column.Without(partial[i].Coords, "stage"))]; there {
			all[i], errs[i] = fittedOf(in, partial[i])
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(f *fitted) bool { return f == nil })
	all = slices.DeleteFunc(all, func(f *fitted) bool { return len(f.own) != len(all[0].own) })
	var own meanOf
	var followed [len(fitRidges)]meanOf
	for _, f := range all {
		own.add(f.own)
		for k, v := range f.followed {
			if v != nil {
				followed[k].add(v)
			}
		}
	}
	dense.Each(threads, len(all), func(i int) {
		own.from(all[i].own)
		unit(all[i].own)
		for k, v := range all[i].followed {
			followed[k].from(v)
			unit(v)
		}
	})
	pairs := make([]any, len(all))
	dense.Each(threads, len(all), func(i int) {
		f := all[i]
		r, best := f.fit(f), -1
		most := r
		for j, other := range all[:min(mostFitted, len(all))] {
			if x := f.fit(other); other.id != f.id && x > most {
				most, best = x, j
			}
		}
		if best >= 0 {
			pairs[i] = map[string]any{"ID": f.id, "R": r, "Other": all[best].id, "OtherR": most}
		}
	})
	n := len(pairs)
	if pairs = slices.DeleteFunc(pairs, func(p any) bool { return p == nil }); len(pairs) == 0 {
		return nil, nil
	}
	var ids []string
	for _, p := range pairs {
		ids = append(ids, p.(map[string]any)["ID"].(string))
	}
	return finding.List{{Code: "leakage.partial-misfit", Weight: finding.Overturns,
		Subject: finding.Subject{Participants: ids},
		Numbers: map[string]any{"N": len(pairs), "Of": n, "Pairs": pairs}}}, nil
}

// fittedOf reads the two matrices of a participant; nil where they are not two of one size.
func fittedOf(pearson, partial dag.Input) (*fitted, error) {
	read := func(in dag.Input) (m []float64, n int, err error) {
		a, err := in.SharedArray()
		if err != nil {
			return nil, 0, err
		}
		m, n = fold.Matrix(a)
		m = slices.Clone(m)
		if !correlations(m, n) {
			return nil, 0, nil
		}
		return m, n, nil
	}
	r, n, err := read(pearson)
	if err != nil || n < leastToFit {
		return nil, err
	}
	p, other, err := read(partial)
	if err != nil || n != other {
		return nil, err
	}
	chosen := random.New(0, "leakage", "partial").Perm(n * (n - 1) / 2)
	chosen = chosen[:min(mostFitEdges, len(chosen))]
	take := func(m []float64) []float64 {
		v, _ := triangle(m, n, false)
		return lists.Map(chosen, func(k int) float64 { return v[k] })
	}
	if !partialOf(slices.Clone(r), n, 0.01) { // no valid correlations: what follows from them fits anybody
		return nil, nil
	}
	f := &fitted{id: pearson.Coord(column.Subject), own: take(p)}
	inverted := false
	for k, ridge := range fitRidges {
		if m := slices.Clone(r); partialOf(m, n, ridge) {
			f.followed[k], inverted = take(m), true
		}
	}
	if !inverted {
		return nil, nil
	}
	return f, nil
}

// partialOf makes correlations R, NaN for regions without a signal, the partial correlations of R + ρI.
func partialOf(m []float64, n int, ridge float64) bool {
	var present []int
	for i := range n {
		if !math.IsNaN(m[i*n+i]) {
			present = append(present, i)
		}
	}
	s := dense.NewCholesky(len(present))
	a := make([]float64, s.M*s.M)
	for i, k := range present {
		for j, l := range present {
			a[i*s.M+j] = m[k*n+l]
		}
		a[i*s.M+i] += ridge
	}
	if len(present) < leastToFit || slices.ContainsFunc(a, math.IsNaN) || !s.Factor(a) {
		return false
	}
	s.Invert(a)
	for i, k := range present {
		for j, l := range present {
			if i != j {
				m[k*n+l] = -a[i*s.M+j] / math.Sqrt(float64(a[i*s.M+i]*a[j*s.M+j]))
			}
		}
	}
	return true
}

// unit gives a vector length 1 about its mean; a missing value is the mean.
func unit(v []float64) {
	mean, n := 0.0, 0.0
	for _, x := range v {
		if !math.IsNaN(x) {
			mean, n = mean+x, n+1
		}
	}
	squares := 0.0
	for i, x := range v {
		if v[i] = x - mean/n; math.IsNaN(x) {
			v[i] = 0
		}
		squares += float64(v[i] * v[i])
	}
	for i := range v {
		if squares > 0 {
			v[i] /= math.Sqrt(squares)
		}
	}
}
