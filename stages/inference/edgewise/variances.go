package edgewise

import (
	"errors"
	"math"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/stages/inference"
)

// ErrVariance: the design leaves less than a degree of freedom to the residuals of a group.
var ErrVariance = errors.New("the variance of the residuals of a group cannot be estimated")

// A spread is the participants whose residuals have one variance, Σe² over them divided by its degrees of freedom: all
// of them, or those of a group.
type spread struct {
	in      []bool    // nil of all
	rows    int       // rank of the design within the group
	unit    []float64 // rows × participant: orthonormal, 0 outside the group
	mix     []float64 // basis × rows: the basis within the group is mix·unit
	degrees float64   // Σ(1 − leverage)
	tested  []float64 // tested × tested: UᵀU within the group
}

// marked is how many columns the squared residuals are multiplied with for a permutation.
func (m *Model) marked() int {
	if m.each {
		return 1
	}
	return len(m.groups) - 1
}

// spreads divides the participants by the numbers of their groups, from 0; nil is one group.
func (m *Model) spreads(level []int) error {
	if level == nil {
		all := spread{rows: m.rows, unit: m.basis, mix: make([]float64, m.rows*m.rows), degrees: float64(m.Degrees)}
		for j := range m.rows {
			all.mix[j*m.rows+j] = 1
		}
		m.groups = []spread{all}
		m.groups[0].multiplyTested(m.Tested)
		return nil
	}
	for g := 0; ; g++ {
		s := spread{in: make([]bool, m.N)}
		for i, l := range level {
			if s.in[i] = l == g; s.in[i] {
				s.degrees++
			}
		}
		if s.degrees == 0 {
			return nil
		}
		var units [][]float64
		for j := range m.rows {
			column := make([]float64, m.N)
			for i, of := range m.basis[j*m.N:][:m.N] {
				if s.in[i] {
					column[i] = of
				}
			}
			length := dense.Inner(column, column)
			if unit, _, ok := inference.Remainder(units, column, 1e-8); ok && length > 1e-16 {
				units, s.unit = append(units, unit), append(s.unit, unit...)
			}
			s.degrees -= length
		}
		s.rows = len(units)
		for j := range m.rows {
			for _, unit := range units {
				s.mix = append(s.mix, dense.Inner(unit, m.basis[j*m.N:][:m.N]))
			}
		}
		if s.degrees < 1-1e-9 {
			return ErrVariance
		}
		s.multiplyTested(m.Tested)
		m.groups = append(m.groups, s)
	}
}

func (s *spread) multiplyTested(q int) {
	mix := func(row int) []float64 { return s.mix[row*s.rows:][:s.rows] }
	for i := range q {
		for j := range q {
			s.tested = append(s.tested, dense.Inner(mix(i), mix(j)))
		}
	}
}

// multiplied is how many columns the residuals are multiplied with for a permutation.
func (m *Model) multiplied() (rows int) {
	for _, s := range m.groups {
		rows += s.rows
	}
	return rows
}

// sums are over the participants of permutations, for each edge. What else they have is for one permutation.
type sums struct {
	columns, scores []float64   // permutation × row of unit
	marks, squares  []float64   // permutation × group but the last, which has what the others leave, or u²
	basis           [][]float64 // UᵀPR, then QᵀPR
	within          [][]float64 // group: its variance
	statistic       []float64
	spread, degrees []float64 // √V of one tested column, and its degrees of freedom
	row             []float64
	f               *Fit
	wald            *dense.Cholesky
	inverse         []float64
	product         []float64 // tested × tested
}

// sums has the memory for so many permutations at once.
func (f *Fit) sums(each int) *sums {
	edges := func(rows int) []float64 { return make([]float64, rows*f.Edges) }
	rows, others, marked := f.multiplied(), len(f.groups)-1, f.marked()
	s := &sums{columns: make([]float64, each*rows*f.N), scores: edges(each * rows),
		marks: make([]float64, each*marked*f.N), squares: edges(each * marked), row: edges(1), statistic: edges(1),
		spread: edges(1), degrees: edges(1), f: f, wald: dense.NewCholesky(f.Tested)}
	for range f.rows {
		s.basis = append(s.basis, edges(min(1, others)))
	}
	for range f.groups {
		s.within = append(s.within, edges(1))
	}
	s.inverse, s.product = make([]float64, s.wald.M*s.wald.M), make([]float64, f.Tested*f.Tested)
	return s
}

// of multiplies the residuals with the columns of n permutations.
func (s *sums) of(n int, permutation func(b int) Permutation) {
	f := s.f
	rows, others, marked := f.multiplied(), len(f.groups)-1, f.marked()
	columns, marks := s.columns[:n*rows*f.N], s.marks[:n*marked*f.N]
	clear(columns)
	clear(marks)
	for b := range n {
		p := permutation(b)
		to := columns[b*rows*f.N:]
		for g, group := range f.groups {
			for k := range group.rows {
				for i, v := range group.unit[k*f.N:][:f.N] {
					if p.Sign != nil {
						v *= p.Sign[i]
					}
					to[p.From[i]] = v
				}
				to = to[f.N:]
			}
			if g < others {
				for i, in := range group.in {
					if in {
						marks[(b*others+g)*f.N+p.From[i]] = 1
					}
				}
			}
		}
		if f.each {
			for i, u := range f.basis[:f.N] {
				marks[b*f.N+p.From[i]] = u * u
			}
		}
	}
	multiply := func(to, by, of []float64, rows int) {
		dense.Multiply(to, f.Edges, dense.Rows(by, f.N), dense.Rows(of, f.Edges), rows, f.N, f.Edges, false, 1)
	}
	multiply(s.scores, columns, f.residuals, n*rows)
	if marked > 0 {
		multiply(s.squares, marks, f.squared, n*marked)
	}
}

// variances sets the estimates and the variances of the groups in the b-th permutation.
func (s *sums) variances(b int) {
	f := s.f
	rows, others := f.multiplied(), len(f.groups)-1
	scores, squares := s.scores[b*rows*f.Edges:], s.squares[b*f.marked()*f.Edges:]
	for j := range s.basis {
		if others == 0 {
			s.basis[j] = scores[j*f.Edges:][:f.Edges]
			continue
		}
		clear(s.basis[j])
		k := 0
		for _, group := range f.groups {
			for _, mix := range group.mix[j*group.rows:][:group.rows] {
				dense.Axpy(s.basis[j], mix, scores[k*f.Edges:][:f.Edges])
				k++
			}
		}
	}
	if f.each {
		copy(s.within[0], squares)
		return
	}
	last := s.within[others]
	copy(last, f.total)
	for g, group := range f.groups {
		to := s.within[g]
		if g < others {
			copy(to, squares[g*f.Edges:][:f.Edges])
			dense.Axpy(last, -1, to)
		}
		clear(s.row) // what the design explains within the group at most
		for k := range group.rows {
			dense.AddSquares(s.row, scores[k*f.Edges:][:f.Edges])
		}
		dense.Axpy(to, -1, s.row)
		for k := 0; others > 0 && k < group.rows; k++ { // less what it explains over all groups
			copy(s.row, scores[k*f.Edges:][:f.Edges])
			for j, of := range s.basis {
				dense.Axpy(s.row, -group.mix[j*group.rows+k], of)
			}
			dense.AddSquares(to, s.row)
		}
		scores = scores[group.rows*f.Edges:]
		for e, total := range f.total { // leastRest of one variance, by which rounding can fall below 0
			to[e] = max(to[e], float64(leastRest*total)) / group.degrees
		}
	}
}

// test sets the statistics from the estimates and the variances. The variance of the estimates UᵀPR is V = Σ σ²(UᵀU)
// over the groups. Of one group, t and F are the usual ones. Of several, t is UᵀPR/√V (without covariates that of Welch
// 1947, Biometrika 34:28), whose permutations are valid for large samples whatever the variances are (Janssen 1997,
// Stat Probab Lett 36:9; DiCiccio and Romano 2017, JASA 112:1211), and F is (UᵀPR)ᵀV⁻¹(UᵀPR)/c (Johansen 1980,
// Biometrika 67:85; without covariates that of Welch 1951, Biometrika 38:330). Both are converted to the degrees of
// freedom of the model, so that edges and permutations of different degrees of freedom are compared by their p. Where
// each participant has a variance, t is that of the mean of the products u·PR (White 1980, Econometrica 48:817, with
// the residuals of the nuisance columns, as in a score test): UᵀPR·√(degrees/(N·Σ(u·PR)² − (UᵀPR)²)).
func (s *sums) test() {
	f := s.f
	for e, total := range f.total {
		s.degrees[e] = float64(f.Degrees)
		switch {
		case total == 0:
			s.statistic[e] = 0
		case f.Tested == 1:
			s.student(e)
		case len(f.groups) > 1:
			s.welch(e)
		default:
			explained := 0.0
			for _, of := range s.basis[:f.Tested] {
				explained += float64(of[e] * of[e])
			}
			s.statistic[e] = explained / float64(f.Tested) / s.within[0][e]
		}
	}
}

// converted is F of q and so many degrees of freedom with the p of another one, both by Bartlett's approximation
// (1938, Math Proc Camb Philos Soc 34:33): (degrees + q/2 − 1)·log(1 + qF/degrees) is χ² of q degrees of freedom.
func converted(f float64, q int, from, to float64) float64 {
	n := float64(q)
	less := float64(n/2) - 1
	square := (from + less) * exact.Log1p(float64(n*f)/from)
	return to / n * (exact.Exp(square/(to+less)) - 1)
}

// student is t of an edge, with the degrees of freedom of Satterthwaite (1946, Biometrics Bulletin 2:110).
func (s *sums) student(e int) {
	if f := s.f; f.each {
		score, squares := s.basis[0][e], float64(float64(f.N)*s.within[0][e])
		rest := max(squares-float64(score*score), float64(leastRest*squares))
		s.statistic[e] = score * math.Sqrt(float64(f.Degrees)/rest)
		return
	}
	sum, squares := 0.0, 0.0
	for g, group := range s.f.groups {
		part := float64(group.tested[0] * s.within[g][e])
		sum += part
		squares += float64(part*part) / group.degrees
	}
	s.spread[e] = math.Sqrt(sum)
	t := s.basis[0][e] / s.spread[e]
	if len(s.f.groups) > 1 {
		s.degrees[e] = sum * sum / squares
		t = math.Copysign(math.Sqrt(converted(t*t, 1, s.degrees[e], float64(s.f.Degrees))), t)
	}
	s.statistic[e] = t
}

// welch is F of an edge, with the denominator's degrees of freedom of Johansen.
func (s *sums) welch(e int) {
	q, m := s.f.Tested, s.wald.M
	clear(s.inverse)
	part := func(group spread, g, i, j int) float64 {
		return s.within[g][e] * group.tested[i*q+j]
	}
	for g, group := range s.f.groups {
		for i := range q {
			for j := range q {
				s.inverse[i*m+j] += float64(part(group, g, i, j))
			}
		}
	}
	if !s.wald.Factor(s.inverse) {
		s.statistic[e] = 0
		return
	}
	s.wald.Invert(s.inverse)
	wald, a := 0.0, 0.0
	for i := range q {
		for j := range q {
			wald += float64(s.basis[i][e] * s.basis[j][e] * s.inverse[i*m+j])
		}
	}
	product := s.product // of a group: its part of V, times V⁻¹
	for g, group := range s.f.groups {
		clear(product)
		trace, square := 0.0, 0.0
		for i := range q {
			for k := range q {
				of := part(group, g, i, k)
				for j := range q {
					product[i*q+j] += float64(of * s.inverse[k*m+j])
				}
			}
			trace += product[i*q+i]
		}
		for i := range q {
			for j := range q {
				square += float64(product[i*q+j] * product[j*q+i])
			}
		}
		a += (square + float64(trace*trace)) / 2 / group.degrees
	}
	n := float64(q)
	s.degrees[e] = n * (n + 2) / float64(3*a)
	s.statistic[e] = converted(wald/(n+float64(2*a)-float64(6*a)/(n+2)), q, s.degrees[e], float64(s.f.Degrees))
}
