// Package edgewise tests each edge of connectomes over participants: a linear model with covariates, Freedman and
// Lane's permutations of its residuals within exchangeability blocks, and corrections over the edges: the largest
// statistic, the false discovery rate, components (NBS) and threshold-free components (TFNBS).
//
// Products of matrices are fused as numeric/dense defines them, and sums of squares by its AddSquares.
package edgewise

import (
	"errors"
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/stages/inference"
)

// A Design holds the columns of the linear model Y = XB + E, a value for each participant. One tested column gives t,
// several give F. Group numbers the groups from 0 whose residuals may have different variances; nil: all have one, or,
// with Each, of one tested column, each participant has an own.
type Design struct {
	Tested, Nuisance [][]float64
	Group            []int
	Each             bool
}

// A Model is a design with orthonormal columns. By the theorem of Frisch, Waugh and Lovell, the tested columns without
// what the nuisance columns explain, fitted to the residuals of these, give the estimates of the full model.
type Model struct {
	N       int   // participants
	Tested  int   // independent tested columns
	Degrees int   // of freedom of the residuals: N less the rank of the design
	Dropped []int // nuisance columns that are linear combinations of those before them

	basis  []float64 // tested, then nuisance, each of N values
	rows   int       // of basis
	length float64   // of one tested column without what the nuisance explains
	groups []spread
	each   bool // participant has a variance

	leverage []float64 // where each participant has a variance
}

// ErrNotEstimable: the nuisance columns explain a tested column.
var ErrNotEstimable = errors.New("the tested effect is a linear combination of the covariates")

// ErrSaturated: the design has as many independent columns as there are participants.
var ErrSaturated = errors.New("no degrees of freedom are left")

// NewModel makes the model of so many participants. The order of the nuisance columns decides which of several
// collinear ones are dropped; the residuals are the same for any choice.
func NewModel(d Design, n int) (*Model, error) {
	const least = 1e-10 // of the length of a column
	m := &Model{N: n, Tested: len(d.Tested), each: d.Each}
	var nuisance, all [][]float64
	for i, c := range d.Nuisance {
		if unit, _, ok := inference.Remainder(nuisance, c, least); ok {
			nuisance = append(nuisance, unit)
		} else {
			m.Dropped = append(m.Dropped, i)
		}
	}
	all = nuisance
	for _, c := range d.Tested {
		unit, length, ok := inference.Remainder(all, c, least)
		if !ok {
			return nil, ErrNotEstimable
		}
		m.basis, m.length, all = append(m.basis, unit...), length, append(all, unit)
	}
	for _, unit := range nuisance {
		m.basis = append(m.basis, unit...)
	}
	m.rows = len(all)
	if m.Degrees = n - m.rows; m.Degrees < 1 {
		return nil, ErrSaturated
	}
	if m.each {
		m.leverage = m.Leverage()
	}
	for i, h := range m.leverage {
		if m.Tested > 1 || 1-h < 1e-9 && math.Abs(m.basis[i]) > 1e-6 { // one alone determines the effect
			return nil, ErrVariance
		}
	}
	return m, m.spreads(d.Group)
}

// Leverage is how far each participant's own value determines its fitted value: 0 to 1; the mean is the rank of the
// design over N (Hoaglin and Welsch 1978, The American Statistician 32:17).
func (m *Model) Leverage() []float64 {
	h := make([]float64, m.N)
	for i := range h {
		for j := range m.rows {
			h[i] += float64(m.basis[j*m.N+i] * m.basis[j*m.N+i])
		}
	}
	return h
}

// LeverageOfTested is the part of the leverage that the tested columns have beyond the nuisance columns: of one column,
// the share of its residual sum of squares that each participant has (Velleman and Welsch 1981, The American
// Statistician 35:234).
func (m *Model) LeverageOfTested() []float64 {
	h := make([]float64, m.N)
	for i := range h {
		for j := range m.Tested {
			h[i] += float64(m.basis[j*m.N+i] * m.basis[j*m.N+i])
		}
	}
	return h
}

// Explained is the share of the variance of one tested column that the nuisance columns explain together (R²); NaN of
// several columns, and of one that does not vary.
func (m *Model) Explained(tested []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range tested {
		mean += v / float64(m.N)
	}
	for _, v := range tested {
		squares += float64((v - mean) * (v - mean))
	}
	if m.Tested != 1 || !(squares > 0) {
		return math.NaN()
	}
	return max(0, 1-float64(m.length*m.length)/squares)
}

// A Fit holds the residuals of the nuisance columns and the estimates of each edge.
type Fit struct {
	*Model
	Edges     int
	Statistic []float64 // t, or F, of the degrees of freedom of the model
	Beta, SE  []float64 // of one tested column, in units of the edges
	SD        []float64 // of the residuals of the full model
	P         []float64 // parametric, two-sided
	Usual     []float64 // of several tested columns: F with one variance, of which partial η² is made
	Half      []float64 // of the 95% interval of one tested column

	residuals []float64 // participant × edge, in place of the data
	squared   []float64 // the same, squared; nil where all have one variance
	total     []float64 // sum of squared residuals of each edge; 0 where nothing is tested
}

// Fit fits the model to y (participant × edge), and keeps y as its residuals. Of an edge that the nuisance columns
// explain, all estimates are NaN.
func (m *Model) Fit(y []float64, edges, threads int) *Fit {
	f := &Fit{Model: m, Edges: edges, residuals: y, total: make([]float64, edges), Statistic: make([]float64, edges),
		Beta: make([]float64, edges), SE: make([]float64, edges), SD: make([]float64, edges), P: make([]float64, edges),
		Usual: make([]float64, edges), Half: make([]float64, edges)}
	before := make([]float64, edges)
	for i := range m.N {
		dense.AddSquares(before, y[i*edges:][:edges])
	}
	tested := dense.Rows(m.basis[:m.Tested*m.N], m.N)
	k := m.rows - m.Tested
	nuisance := dense.Rows(m.basis[m.Tested*m.N:], m.N)
	scores := make([]float64, max(k, m.Tested)*edges)
	for range 2 { // the second time takes out the rounding of the first
		dense.Multiply(scores, edges, nuisance, dense.Rows(y, edges), k, m.N, edges, false, threads)
		negate(scores[:k*edges])
		dense.Multiply(y, edges, nuisance.T(), dense.Rows(scores, edges), m.N, k, edges, true, threads)
	}
	for i := range m.N {
		dense.AddSquares(f.total, y[i*edges:][:edges])
	}
	dense.Multiply(scores, edges, tested, dense.Rows(y, edges), m.Tested, m.N, edges, false, threads)
	negate(scores[:m.Tested*edges])
	rest, row := make([]float64, edges), make([]float64, edges) // RSS of the full model, without cancellation
	own := make([]float64, edges)                               // Σ(ue/(1 − leverage))²
	for i := range m.N {
		copy(row, y[i*edges:][:edges])
		for j := range m.Tested {
			dense.Axpy(row, m.basis[j*m.N+i], scores[j*edges:][:edges])
		}
		dense.AddSquares(rest, row)
		if u := m.basis[i]; m.each && u != 0 {
			for e := range row {
				row[e] *= u / (1 - m.leverage[i])
			}
			dense.AddSquares(own, row)
		}
	}
	if m.marked() > 0 {
		f.squared = make([]float64, len(y))
		dense.AddSquares(f.squared, y)
	}
	for e, total := range f.total {
		if !(total > 1e-20*before[e]) {
			f.total[e] = 0
		}
		rest[e] = max(rest[e], float64(leastRest*f.total[e])) / float64(m.Degrees)
		f.SD[e] = math.Sqrt(rest[e])
	}
	as := lists.UpTo(m.N)
	s := f.sums(1)
	s.of(1, func(int) Permutation { return Permutation{From: as} })
	if s.variances(0); m.marked() == 0 {
		copy(s.within[0], rest)
	}
	s.test()
	for e := range edges {
		for _, of := range s.basis[:m.Tested] {
			f.Usual[e] += float64(of[e]*of[e]) / float64(m.Tested) / rest[e]
		}
	}
	t := inference.StudentT(0.05, m.Degrees)
	for e, statistic := range s.statistic {
		f.Statistic[e] = statistic
		switch {
		case f.total[e] == 0:
			for _, v := range [][]float64{f.Statistic, f.Beta, f.SE, f.SD, f.Half, f.P} {
				v[e] = math.NaN()
			}
		case m.Tested > 1:
			f.Beta[e], f.SE[e] = math.NaN(), math.NaN()
			f.P[e] = inference.VarianceRatioP(statistic, m.Tested, m.Degrees)
		default:
			if m.each {
				s.spread[e] = math.Sqrt(own[e])
			}
			f.Beta[e], f.SE[e] = s.basis[0][e]/m.length, s.spread[e]/m.length
			f.Half[e] = float64(f.SE[e] * t)
			if len(m.groups) > 1 {
				f.Half[e] = f.SE[e] * math.Sqrt(converted(t*t, 1, float64(m.Degrees), s.degrees[e]))
			}
			f.P[e] = inference.StudentP(statistic, m.Degrees)
		}
	}
	return f
}

// BlockVariances are the variances of the residuals of the full model in each block, the mean over edges. block numbers
// the participants' blocks from 0.
func (f *Fit) BlockVariances(block []int, blocks int) []float64 {
	sum, n := make([]float64, blocks), make([]float64, blocks)
	scores := make([]float64, f.Tested*f.Edges)
	dense.Multiply(scores, f.Edges, dense.Rows(f.basis[:f.Tested*f.N], f.N), dense.Rows(f.residuals, f.Edges), f.Tested,
		f.N, f.Edges, false, 1)
	negate(scores)
	row := make([]float64, f.Edges)
	for i, b := range block {
		copy(row, f.residuals[i*f.Edges:][:f.Edges])
		for j := range f.Tested {
			dense.Axpy(row, f.basis[j*f.N+i], scores[j*f.Edges:][:f.Edges])
		}
		for e, v := range row {
			if sd := f.SD[e]; sd > 0 {
				sum[b] += float64((v / sd) * (v / sd))
			}
		}
		n[b]++
	}
	for b := range sum {
		sum[b] /= float64(n[b] * float64(f.Edges))
	}
	return sum
}

// leastRest is the share of the sum of squares that is left at least: rounding can leave nothing where the model
// explains an edge entirely.
const leastRest = 1e-14

func negate(v []float64) {
	for i := range v {
		v[i] = -v[i]
	}
}
