package connectivity

import (
	"errors"
	"math"
	"slices"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// The penalty is chosen as in scikit-learn's GraphicalLassoCV: five folds of
// consecutive volumes; four penalties, evenly spaced in logarithm between the
// largest |S_ij| and a hundredth of it; then, four times, four more between the
// neighbors of the best. A penalty is judged by the likelihood of the volumes left
// out, averaged over the folds.
const (
	cvFolds       = 5
	cvAlphas      = 4
	cvRefinements = 4
)

const log2Pi = 1.8378770664093454836

// A trial is one penalty with its score.
type trial struct{ alpha, score float64 }

func (c *moments) chooseAlpha(o Options) (float64, error) {
	if c.t < 2*cvFolds {
		return 0, errors.New("too few volumes to choose the penalty by cross-validation; use glasso with a fixed alpha")
	}
	folds := make([]*cvFold, cvFolds)
	for k := range folds {
		folds[k] = c.fold(k, o)
	}
	high := 0.0
	for i := range c.n {
		for j := range i {
			high = max(high, math.Abs(c.s[i*c.m+j]))
		}
	}
	if high == 0 {
		return 0, errors.New("no two regions are correlated, so no penalty can be chosen")
	}
	low := 1e-2 * high
	grid := spaced(high, low, cvAlphas)
	var path []trial
	best := 0
	for range cvRefinements {
		scores := make([]float64, len(grid))
		for _, f := range folds {
			f.path(grid, scores)
		}
		for i, a := range grid {
			path = append(path, trial{a, scores[i] / cvFolds})
		}
		slices.SortFunc(path, func(a, b trial) int {
			if a.alpha > b.alpha {
				return -1
			}
			return 1
		})
		best = -1
		lastFinite := 0
		for i, t := range path {
			if !finite(t.score) {
				continue
			}
			lastFinite = i
			if best < 0 || t.score >= path[best].score {
				best = i
			}
		}
		if best < 0 {
			return 0, errors.New("no penalty converges in every fold; use ledoit-wolf")
		}
		switch {
		case best == 0:
			high, low = path[0].alpha, path[1].alpha
		case best == len(path)-1:
			high, low = path[best].alpha, 0.01*path[best].alpha
		case best == lastFinite:
			high, low = path[best].alpha, path[best+1].alpha
		default:
			high, low = path[best-1].alpha, path[best+1].alpha
		}
		grid = spaced(high, low, cvAlphas+2)[1 : cvAlphas+1]
	}
	return path[best].alpha, nil
}

// spaced gives n numbers from high to low, evenly spaced in logarithm.
func spaced(high, low float64, n int) []float64 {
	v := make([]float64, n)
	a, b := exact.Log(high), exact.Log(low)
	for i := range v {
		v[i] = exact.Exp(a + float64((b-a)*float64(i))/float64(n-1))
	}
	v[0], v[n-1] = high, low
	return v
}

// A cvFold holds the covariance of the volumes left in and of those left out.
type cvFold struct {
	lasso *lasso
	train []float64
	test  []float64
	chol  *dense.Cholesky
}

// fold splits off the k-th fifth of the volumes; the first folds are one longer
// when five does not divide.
func (c *moments) fold(k int, o Options) *cvFold {
	size, rest := c.t/cvFolds, c.t%cvFolds
	first := k*size + min(k, rest)
	last := first + size
	if k < rest {
		last++
	}
	in := make([]float64, 0, (c.t-last+first)*c.m)
	in = append(append(in, c.x[:first*c.m]...), c.x[last*c.m:]...)
	out := slices.Clone(c.x[first*c.m : last*c.m])
	return &cvFold{
		lasso: newLasso(c.n, c.m, o.Tolerance), chol: dense.NewCholesky(c.n),
		train: covarianceOf(in, c.m), test: covarianceOf(out, c.m),
	}
}

// covarianceOf is the empirical covariance of the rows of x (row length m), which
// it centers in place.
func covarianceOf(x []float64, m int) []float64 {
	t := len(x) / m
	center(Matrix{Rows: t, Cols: m, Data: x})
	s := make([]float64, m*m)
	dense.GramColumns(s, x, t, m)
	for i := range s {
		s[i] /= float64(t)
	}
	dense.Mirror(s, m)
	return s
}

// path adds to scores the likelihood of the volumes left out for each penalty of
// the descending grid: (−tr(SP) + log det P − N log 2π)/2; −∞ without a solution.
func (f *cvFold) path(grid, scores []float64) {
	l := f.lasso
	l.begin(f.train)
	for i, alpha := range grid {
		if err := l.solve(alpha); err != nil || !f.chol.Factor(l.p) {
			scores[i] = math.Inf(-1)
			l.begin(f.train)
			continue
		}
		product := 0.0
		for r := range l.n {
			for k := range l.n {
				product += float64(f.test[r*l.m+k] * l.p[r*l.m+k])
			}
		}
		scores[i] += float64((f.chol.LogDet() - product - float64(float64(l.n)*log2Pi)) / 2)
	}
}
