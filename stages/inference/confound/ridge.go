package confound

import (
	"math"

	"prgnn/numeric/dense"
)

// A Sample is the participants of one cross-validation by their places, the fold that tests each, and how many times a
// resample has each; nil: once.
type Sample struct {
	Of, Fold, Copies []int
}

// CopiesOf is how many times the sample has its member k. Equations with copies are those of distinct participants with
// weights.
func (s Sample) CopiesOf(k int) int {
	if s.Copies == nil {
		return 1
	}
	return s.Copies[k]
}

// Kinds of features of Scores.
const (
	Edges        = "edges"
	Covariates   = "covariates"
	Both         = "edges and covariates"
	Deconfounded = "deconfounded edges"
)

// Features are the features in the order of tables.
func Features() []string { return []string{Edges, Covariates, Both, Deconfounded} }

// A Study is what models of one cohort see: the Gram matrix of the edges of all participants, their covariates, and
// what is predicted (±1 of two groups, or a number).
type Study struct {
	N          int
	Gram       []float64 // N × N
	Covariates []Covariate
	Y          []float64
	Options    Options
	Penalty    float64 // of ridge regression
	Threads    int
}

// A Division is one fold of a sample: its design, and the Gram matrices over the members of the sample.
type Division struct {
	study       *Study
	sample      Sample
	train, test []int       // places in the sample
	z           [][]float64 // rows of the design
	hat         []float64   // sample × train: Z(Z'Z)⁺Z' of the rows, so that fitted = hat · training edges
}

// Divide fits the design of a fold to its training participants.
func (s *Study) Divide(sample Sample, fold int) (*Division, error) {
	d := &Division{study: s, sample: sample}
	var fit, of []int // with copies; the place of each among the training side
	for k, f := range sample.Fold {
		if f == fold {
			d.test = append(d.test, k)
			continue
		}
		for range sample.CopiesOf(k) {
			fit, of = append(fit, sample.Of[k]), append(of, len(d.train))
		}
		d.train = append(d.train, k)
	}
	design, err := NewDesign(s.Covariates, fit, s.Options)
	if err != nil {
		return nil, err
	}
	var rows [][]float64
	for _, i := range sample.Of {
		z, _, err := design.Row(s.Covariates, i)
		if err != nil {
			return nil, err
		}
		d.z = append(d.z, z)
	}
	for _, i := range of {
		rows = append(rows, d.z[d.train[i]])
	}
	solver := NewSolver(rows)
	t := len(d.train)
	identity := make([]float64, len(of)*t)
	for copied, i := range of {
		identity[copied*t+i] = 1
	}
	inverse := solver.Solve(identity, t, s.Threads) // columns × train
	d.hat = make([]float64, len(sample.Of)*t)
	for k, z := range d.z {
		row := d.hat[k*t:][:t]
		copy(row, inverse[:t])
		for c, v := range z {
			dense.Axpy(row, v, inverse[(c+1)*t:][:t])
		}
	}
	return d, nil
}

// gram is the Gram matrix of the edges over the sample.
func (d *Division) gram() []float64 {
	n := len(d.sample.Of)
	g := make([]float64, n*n)
	for a, i := range d.sample.Of {
		for b, j := range d.sample.Of {
			g[a*n+b] = d.study.Gram[i*d.study.N+j]
		}
	}
	return g
}

// addDesign adds the Gram matrix of the covariates.
func (d *Division) addDesign(g []float64) {
	n := len(d.z)
	for a, x := range d.z {
		for b, y := range d.z {
			g[a*n+b] += dense.Inner(x, y)
		}
	}
}

// parts are the Gram matrices of fitted edges F = hat·X and residuals E = X − F: F·F', F·E' and E·E'.
func (d *Division) parts() (ff, fe, ee []float64) {
	n, t := len(d.sample.Of), len(d.train)
	g := d.gram()
	rows := make([]float64, 0, t*n) // of the training participants
	for _, k := range d.train {
		rows = append(rows, g[k*n:][:n]...)
	}
	threads := d.study.Threads
	fx := make([]float64, n*n) // F·X'
	dense.Multiply(fx, n, dense.Rows(d.hat, t), dense.Rows(rows, n), n, t, n, false, threads)
	columns := make([]float64, n*t)
	for a := range n {
		for b, k := range d.train {
			columns[a*t+b] = fx[a*n+k]
		}
	}
	ff = make([]float64, n*n)
	dense.Multiply(ff, n, dense.Rows(columns, t), dense.Rows(d.hat, t).T(), n, t, n, false, threads)
	fe, ee = make([]float64, n*n), make([]float64, n*n)
	for a := range n {
		for b := range n {
			fe[a*n+b] = fx[a*n+b] - ff[a*n+b]
			ee[a*n+b] = g[a*n+b] - fx[a*n+b] - fx[b*n+a] + ff[a*n+b]
		}
	}
	return ff, fe, ee
}

// Scores are the decision values of ridge regression, trained on the training side with one kind of features, for the
// test side.
func (d *Division) Scores(features string) []float64 {
	n := len(d.sample.Of)
	var g []float64
	switch features {
	case Edges:
		g = d.gram()
	case Covariates:
		g = make([]float64, n*n)
		d.addDesign(g)
	case Both:
		g = d.gram()
		d.addDesign(g)
	default:
		_, _, g = d.parts()
	}
	return d.ridge(g)
}

// Permuted has the decision values with edges and covariates where the residuals of the edges are permuted: X becomes
// F + PE (Freedman and Lane 1983), and labels and covariates stay. The permutations are of places in the sample.
func (d *Division) Permuted(permutations [][]int, done func(b int, scores []float64)) {
	n := len(d.sample.Of)
	ff, fe, ee := d.parts()
	d.addDesign(ff)
	dense.Each(d.study.Threads, len(permutations), func(b int) {
		p := permutations[b]
		g := make([]float64, n*n)
		for i := range n {
			for j := range n {
				g[i*n+j] = ff[i*n+j] + fe[i*n+p[j]] + fe[j*n+p[i]] + ee[p[i]*n+p[j]]
			}
		}
		done(b, d.ridge(g))
	})
}

// ridge is ridge regression with an intercept on a Gram matrix over the sample: f = ȳ + K(K + λI)⁻¹(y − ȳ), centered by
// the training participants.
func (d *Division) ridge(g []float64) []float64 {
	n, t := len(d.sample.Of), len(d.train)
	weight, root, total := make([]float64, t), make([]float64, t), 0.0
	for i, k := range d.train {
		weight[i] = float64(d.sample.CopiesOf(k))
		root[i] = math.Sqrt(weight[i])
		total += weight[i]
	}
	mean := make([]float64, n) // of each row over the training participants
	for i := range n {
		for j, k := range d.train {
			mean[i] += float64(weight[j] * g[i*n+k])
		}
		mean[i] /= total
	}
	whole, y := 0.0, 0.0
	for i, k := range d.train {
		whole += float64(weight[i] * mean[k])
		y += float64(weight[i] * d.study.Y[d.sample.Of[k]])
	}
	whole, y = whole/total, y/total
	centered := func(i, k int) float64 { return g[i*n+k] - mean[i] - mean[k] + whole }
	w := dense.NewCholesky(t)
	a := make([]float64, w.M*w.M)
	for i := t; i < w.M; i++ {
		a[i*w.M+i] = 1
	}
	for i, k := range d.train {
		for j, l := range d.train {
			a[i*w.M+j] = float64(float64(root[i]*root[j]) * centered(k, l))
		}
		a[i*w.M+i] += d.study.Penalty
	}
	w.Factor(a)
	w.Invert(a)
	dual := make([]float64, t)
	for i := range dual {
		for j, k := range d.train {
			dual[i] += float64(a[i*w.M+j] * float64(root[j]*(d.study.Y[d.sample.Of[k]]-y)))
		}
		dual[i] *= root[i]
	}
	out := make([]float64, len(d.test))
	for r, i := range d.test {
		out[r] = y
		for j, k := range d.train {
			out[r] += float64(dual[j] * centered(i, k))
		}
	}
	return out
}

// Test are the places in the sample of the test side.
func (d *Division) Test() []int { return d.test }
