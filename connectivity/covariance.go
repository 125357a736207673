package connectivity

import (
	"fmt"
	"math"

	"prgnn/numeric/dense"
)

// An Estimator is a way to estimate a covariance matrix, and by it a correlation
// or partial correlation.
type Estimator string

// The estimators. With Z the T×N series, centered (and scaled, unless Options.Raw),
// S = ZᵀZ/T, μ = tr(S)/N:
//
//   - Empirical is S;
//   - LedoitWolf is (1−δ)S + δμI with the δ of Ledoit & Wolf 2004 (J Multivariate
//     Anal 88:365), lemma 3.3-3.5, in the form of scikit-learn;
//   - OAS is the same with the δ of Chen et al. 2010 (IEEE Trans Signal Process
//     58:5016), eq. 23, in scikit-learn's form, which leaves out the 2/N terms;
//   - Ridge is C/√(mean of C_ii²) + ρI with C = ZᵀZ/(T−1), as the "ridgep" of FSLNets
//     (Smith et al. 2011, NeuroImage 54:875);
//   - Glasso is the inverse of the sparse precision matrix that maximizes the
//     likelihood less α Σ_{i≠j}|P_ij| (Friedman et al. 2008, Biostatistics 9:432);
//     GlassoCV chooses α by cross-validation over the volumes.
const (
	Empirical  Estimator = "empirical"
	LedoitWolf Estimator = "ledoit-wolf"
	OAS        Estimator = "oas"
	Ridge      Estimator = "ridge"
	Glasso     Estimator = "glasso"
	GlassoCV   Estimator = "glasso-cv"
)

// moments are what all estimators start from: n regions with a signal over t
// volumes, in matrices of row length m = dense.Padded(n), zero beyond n.
type moments struct {
	t, n, m int
	x       []float64 // t×m, centered
	s       []float64 // m×m, the empirical covariance, both triangles
	fourth  float64   // Σ_t (Σ_i x_ti²)²
}

// load takes in the present columns of a series. It returns false when one of them
// may have no signal after all: it is not finite throughout, or next to constant.
func (c *moments) load(x Matrix, present []int, raw bool) bool {
	c.t, c.n = x.Rows, len(present)
	m := dense.Padded(c.n)
	if m != c.m || len(c.x) != c.t*m {
		c.m, c.x, c.s = m, make([]float64, c.t*m), make([]float64, m*m)
	}
	mean, spread, factor := make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
	for t := range c.t {
		src, dst := x.Row(t), c.x[t*m:][:c.n]
		if c.n == x.Cols {
			copy(dst, src)
		} else {
			for i, j := range present {
				dst[i] = src[j]
			}
		}
		clear(c.x[t*m+c.n : (t+1)*m]) // what a larger load may have left
		dense.Axpy(mean, 1, dst)
	}
	for i := range mean {
		mean[i] /= float64(c.t)
	}
	for t := range c.t {
		dst := c.x[t*m:][:c.n]
		dense.Axpy(dst, -1, mean)
		dense.AddSquares(spread, dst)
	}
	varies := true
	for i, v := range spread {
		// A constant column has at most flat·|mean| of rounding in every volume.
		varies = varies && v > float64(float64(c.t)*float64(4*flat*flat))*float64(mean[i]*mean[i]) && finite(v)
		factor[i] = 1
		if !raw && v > 0 {
			factor[i] = 1 / math.Sqrt(v/float64(c.t-1))
		}
	}
	c.fourth = 0
	for t := range c.t {
		dst := c.x[t*m:][:m] // the padding is 0
		dense.Scale(dst[:c.n], dst, 1, factor)
		sum := dense.SumSquares(dst)
		c.fourth += float64(sum * sum)
	}
	dense.GramColumns(c.s, c.x, c.t, m)
	share := 1 / float64(c.t)
	for i := range c.n {
		row := c.s[i*m+i:][:c.n-i]
		for j := range row {
			row[j] *= share
		}
	}
	dense.Mirror(c.s, m)
	return varies
}

// trace is tr(S), and power Σ_ij S_ij².
func (c *moments) trace() (trace, power float64) {
	for i := range c.n {
		row := c.s[i*c.m:][:c.m]
		trace += row[i]
		power += dense.SumSquares(row)
	}
	return trace, power
}

// ledoitWolf is the shrinkage δ = min(β, d²)/d².
func (c *moments) ledoitWolf() (shrinkage, mu float64) {
	n, t := float64(c.n), float64(c.t)
	trace, power := c.trace()
	mu = trace / n
	d2 := (power - float64(mu*trace)) / n // ‖S − μI‖² in the normalized Frobenius norm
	b2 := (c.fourth/t - power) / (n * t)
	b2 = min(b2, d2)
	if !(b2 > 0) {
		return 0, mu
	}
	return b2 / d2, mu
}

// oas is the shrinkage of the oracle approximating estimator.
func (c *moments) oas() (shrinkage, mu float64) {
	n := float64(c.n)
	trace, power := c.trace()
	mu = trace / n
	mean, mu2 := power/float64(n*n), float64(mu*mu)
	den := float64((float64(c.t) + 1) * (mean - mu2/n))
	if !(den > 0) {
		return 1, mu
	}
	return min((mean+mu2)/den, 1), mu
}

// covariance sets dst (like c.s) to the estimate, and returns its shrinkage: δ, the
// ρ of a ridge, the α of a graphical lasso, NaN for the empirical one. The graphical
// lasso sets precision (like c.s) instead.
func (c *moments) covariance(dst, precision []float64, e Estimator, o Options) (shrinkage float64, err error) {
	switch e {
	case Empirical:
		copy(dst, c.s)
		return math.NaN(), nil
	case LedoitWolf:
		d, mu := c.ledoitWolf()
		c.shrink(dst, 1-d, float64(d*mu))
		return d, nil
	case OAS:
		d, mu := c.oas()
		c.shrink(dst, 1-d, float64(d*mu))
		return d, nil
	case Ridge:
		unbiased, sum := float64(c.t)/float64(c.t-1), 0.0
		for i := range c.n {
			v := c.s[i*c.m+i] * unbiased
			sum += float64(v * v)
		}
		c.shrink(dst, unbiased/math.Sqrt(sum/float64(c.n)), o.Rho)
		return o.Rho, nil
	case Glasso, GlassoCV:
		return c.glasso(precision, e, o)
	}
	return 0, fmt.Errorf("unknown estimator %q", e)
}

// shrink sets dst to f·S + d·I.
func (c *moments) shrink(dst []float64, f, d float64) {
	for i, v := range c.s {
		dst[i] = f * v
	}
	for i := range c.n {
		dst[i*c.m+i] += d
	}
}
