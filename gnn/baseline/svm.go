package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// An SVM describes a support vector machine with the hinge loss (Cortes & Vapnik
// 1995): it minimizes ½‖w‖² + C·Σ max(0, 1 − y·f(x)) in the space of its kernel.
type SVM struct {
	// Kernel is rbf, exp(−γ‖x−y‖²), or linear, x·y.
	Kernel string
	C      float64
	// Gamma is γ; 0 stands for 1/(d·var), var being the variance of all
	// numbers of the training rows (scikit-learn's "scale").
	Gamma float64
	// Tolerance is by how much the optimality conditions may be missed.
	Tolerance float64
}

// MostPaired is how many cases a machine that compares each with each may have: their matrix is 1 GiB then.
const MostPaired = 11585

// TooMany refuses n training cases of a machine that needs the matrix of their pairs.
func TooMany(n int) error {
	if n > MostPaired {
		return fmt.Errorf("%d training graphs: this model compares each with each and takes at most %d; use fewer draws (draws: 1), or ridge, kernel ridge or logistic regression, which take more", n, MostPaired)
	}
	return nil
}

// FitSVM trains a support vector machine.
func FitSVM(ctx context.Context, o SVM, x Rows, label []int, classes, threads int) (Classifier, error) {
	train, err := o.trainer(ctx, x, threads)
	if err != nil {
		return nil, err
	}
	hinge := make([]float64, x.N)
	for i := range hinge {
		hinge[i] = -1
	}
	return oneAgainstRest(label, classes, func(sign []float64) (machine, error) { return train(hinge, sign) })
}

// SVMTo is support vector regression of numbers y (Drucker et al. 1996; Smola & Schölkopf 2004): it minimizes
// ½‖w‖² + C·Σ max(0, |y − f(x)| − epsilon).
func SVMTo(ctx context.Context, o SVM, epsilon float64, x Rows, y []float64, threads int) (Regressor, error) {
	train, err := o.trainer(ctx, x, threads)
	if err != nil {
		return nil, err
	}
	// Each row has two multipliers, of which at most one is not 0: that of f(x) < y − epsilon and that of
	// f(x) > y + epsilon.
	n := x.N
	linear, sign := make([]float64, 2*n), make([]float64, 2*n)
	for i, v := range y {
		linear[i], sign[i] = epsilon-v, 1
		linear[n+i], sign[n+i] = epsilon+v, -1
	}
	m, err := train(linear, sign)
	return machines{m}, err
}

// trainer gives a function that solves the problem of smo for p and y, by the matrix of all pairs.
func (o SVM) trainer(ctx context.Context, x Rows, threads int) (func(p, y []float64) (machine, error), error) {
	if err := x.squares(); err != nil {
		return nil, err
	}
	k := kernel{linear: o.Kernel == "linear", gamma: o.Gamma}
	if err := TooMany(x.N); err != nil {
		return nil, err
	}
	if k.gamma == 0 {
		k.gamma = scale(x)
	}
	products := k.gram(x, threads)
	return func(p, y []float64) (machine, error) {
		alpha, rho, err := smo(ctx, products, p, y, o.C, o.Tolerance)
		if errors.Is(err, errSteps) {
			return nil, fmt.Errorf("%w: use %s", err, o.calmer(x, p, "a larger tolerance"))
		}
		if err != nil {
			return nil, err
		}
		coef := make([]float64, x.N)
		for i, a := range alpha {
			coef[i%x.N] += float64(a * y[i])
		}
		return newVectorMachine(k, x, coef, rho), nil
	}, nil
}

var errSteps = errors.New("the SVM has not converged in 10 million steps")

// calmer says what makes the problem for p easier. A smaller C does where the multipliers have a say in the gradient,
// and inputs nearer 1 where the kernel is linear and they are larger.
func (o SVM) calmer(x Rows, p []float64, others ...string) string {
	sum, _ := x.size()
	square, linear, products := sum/float64(x.N*x.D), 0.0, 1.0
	if o.Kernel == "linear" {
		products = float64(x.D) * square
	}
	for _, v := range p {
		linear = max(linear, math.Abs(v))
	}
	if o.C*products*float64(x.N) > linear {
		others = append([]string{"a smaller c"}, others...)
	}
	if o.Kernel == "linear" && square > 4 {
		others = append(others, "inputs nearer 1 (standardize: training)")
	}
	if others == nil {
		return "inputs that differ more, or another model"
	}
	return strings.Join(others, ", or ")
}

// scale is 1/(d·var).
func scale(x Rows) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range x.X {
		mean += v
	}
	mean /= float64(len(x.X))
	for _, v := range x.X {
		sum += float64((v - mean) * (v - mean))
	}
	if sum == 0 {
		return 1
	}
	return 1 / (float64(x.D) * (sum / float64(len(x.X))))
}

type kernel struct {
	linear bool
	gamma  float64
}

// gram compares each row with each.
func (k kernel) gram(x Rows, threads int) []float64 {
	n, g := x.N, gram[float64](x, threads)
	if k.linear {
		return g
	}
	norm := make([]float64, n)
	for i := range n {
		norm[i] = g[i*n+i]
	}
	dense.Each(threads, n, func(i int) { k.apply(g[i*n:][:n], norm[i], norm) })
	return g
}

// apply turns the products of a row with others into values of the kernel.
func (k kernel) apply(row []float64, norm float64, norms []float64) {
	for j, dot := range row {
		row[j] = exact.Exp(-k.gamma * max(0, norm+norms[j]-float64(2*dot)))
	}
}

func norms(x Rows) []float64 {
	out := make([]float64, x.N)
	for i := range out {
		for _, v := range x.Row(i) {
			out[i] += float64(v * v)
		}
	}
	return out
}

// A vectorMachine is f(x) = Σ coef_i·k(x_i, x) − rho over its support vectors.
type vectorMachine struct {
	kernel
	vectors Rows
	coef    []float64
	rho     float64
	of      int // cases it was trained on

	pairs *pairs // of these cases and others; may be nil
	at    []int  // the vectors among them
}

func newVectorMachine(k kernel, x Rows, coef []float64, rho float64) *vectorMachine {
	m := &vectorMachine{kernel: k, vectors: Rows{D: x.D}, rho: rho, of: x.N, pairs: x.pairs}
	for i, c := range coef {
		if c != 0 {
			m.at = append(m.at, i)
			m.vectors.X = append(m.vectors.X, x.Row(i)...)
			m.coef = append(m.coef, c)
		}
	}
	m.vectors.N = len(m.coef)
	return m
}

func (m *vectorMachine) decide(x Rows, threads int) []float64 {
	n := m.vectors.N
	k := make([]float64, x.N*n)
	if p := m.pairs; p != nil && p == x.pairs && p.k != nil {
		for i := range x.N {
			for j, at := range m.at {
				k[i*n+j] = p.k[i*p.all.N+at]
			}
		}
	} else {
		dense.Multiply(k, n, x.view(), m.vectors.view().T(), x.N, x.D, n, false, threads)
	}
	if !m.linear {
		own, theirs := norms(x), norms(m.vectors)
		dense.Each(threads, x.N, func(i int) { m.apply(k[i*n:][:n], own[i], theirs) })
	}
	out := make([]float64, x.N)
	for i := range out {
		f := 0.0
		for j, c := range m.coef {
			f += float64(c * k[i*n+j])
		}
		out[i] = f - m.rho
	}
	return out
}

func (m *vectorMachine) describe() (int, string) {
	note := words.Count(m.vectors.N, "support vector") + " of " + words.Count(m.of, "graph")
	if !m.linear {
		note += fmt.Sprintf(", γ = %.3g", m.gamma)
	}
	return m.vectors.D, note
}

// smo minimizes ½αᵀQα + p·α for 0 ≤ α ≤ C and Σ yα = 0, where Q_ij = y_i·y_j·K_ij, two
// multipliers at a time, chosen by second-order information (Fan, Chen & Lin 2005,
// "Working set selection using second order information for training SVM", WSS 2), as
// libsvm does. It stops when the conditions of optimality hold within the tolerance. The kernel k is of all
// multipliers, or of half of them: the others have the same rows once more.
func smo(ctx context.Context, k, p, y []float64, c, tolerance float64) (alpha []float64, rho float64, err error) {
	n := len(y)
	rows := int(math.Sqrt(float64(len(k))))
	alpha, g := make([]float64, n), slices.Clone(p) // g: y times the gradient, Qα + p
	for t := range g {
		g[t] *= y[t]
	}
	var twice [2][]float64
	rowOf := func(i, slot int) []float64 {
		row := k[i%rows*rows:][:rows]
		if n == rows {
			return row
		}
		twice[slot] = append(append(twice[slot][:0], row...), row...)
		return twice[slot]
	}
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = k[i%rows*(rows+1)]
	}
	// 0 where α may grow along y, or may shrink, and −∞ where it may not: added to what is compared, these leave a
	// multiplier out without a branch that no processor can predict.
	grow, shrink := make([]float64, n), make([]float64, n)
	out := math.Inf(-1)
	border := func(i int) {
		grow[i], shrink[i] = out, out
		if y[i] > 0 && alpha[i] < c || y[i] < 0 && alpha[i] > 0 {
			grow[i] = 0
		}
		if y[i] > 0 && alpha[i] > 0 || y[i] < 0 && alpha[i] < c {
			shrink[i] = 0
		}
	}
	for t := range g {
		border(t)
	}
	pass := fastestPasses()
	i, best := pass.move(g, grow, g, g, 0, 0)
	for step := 0; best > out; step++ {
		if step%1000 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if step > 10000000 {
			return nil, 0, errSteps
		}
		row := rowOf(i, 0)
		own := row[i]
		j, worst := pass.second(g, shrink, diagonal, row, best, own)
		if j < 0 || best+worst < tolerance {
			break
		}
		di, dj := pairStep(alpha[i], alpha[j], y[i], y[j], g[i], g[j], own+diagonal[j]-float64(2*row[j]), c)
		alpha[i], alpha[j] = alpha[i]+di, alpha[j]+dj
		border(i)
		border(j)
		i, best = pass.move(g, grow, row, rowOf(j, 1), y[i]*di, y[j]*dj)
	}
	return alpha, offset(alpha, y, g, c), nil
}

// passes are the two passes over all multipliers in a step. Both look for a largest value, the last of equal ones.
type passes struct {
	// move adds the change of two multipliers to g, and finds the multiplier that then violates the conditions most.
	move func(g, grow, row, other []float64, ci, cj float64) (i int, best float64)
	// second finds the second multiplier of a pair, the one by which the objective falls most, and the largest g of
	// those that may shrink.
	second func(g, shrink, diagonal, row []float64, best, own float64) (j int, worst float64)
}

// A top is the largest value so far, and its place.
type top struct {
	value float64
	at    int
}

func moveGo(g, grow, row, other []float64, ci, cj float64) (i int, best float64) {
	most := top{math.Inf(-1), -1}
	most.move(0, g, grow, row, other, ci, cj)
	return most.at, most.value
}

// move goes on at multiplier t.
func (m *top) move(t int, g, grow, row, other []float64, ci, cj float64) {
	row, other, grow = row[:len(g)], other[:len(g)], grow[:len(g)]
	for ; t < len(g); t++ {
		v := g[t] + (float64(ci*row[t]) + float64(cj*other[t]))
		g[t] = v
		if v = grow[t] - v; v >= m.value {
			m.value, m.at = v, t
		}
	}
}

func secondGo(g, shrink, diagonal, row []float64, best, own float64) (j int, worst float64) {
	gain := top{0, -1}
	worst = gain.second(0, g, shrink, diagonal, row, best, own, math.Inf(-1))
	return gain.at, worst
}

// second goes on at multiplier t. Only the few that may be better than the ones before are divided.
func (m *top) second(t int, g, shrink, diagonal, row []float64, best, own, worst float64) float64 {
	const tau = 1e-12 // stands for a curvature that is not positive
	less := m.nearly()
	shrink, diagonal, row = shrink[:len(g)], diagonal[:len(g)], row[:len(g)]
	for ; t < len(g); t++ {
		v := g[t] + shrink[t]
		if v > worst {
			worst = v
		}
		u := math.Float64bits(best + v)
		b := math.Float64frombits(u &^ uint64(int64(u)>>63)) // 0 where it is negative
		curve := own + diagonal[t] - float64(2*row[t])
		if float64(b*b) < float64(less*curve) || b <= 0 {
			continue
		}
		if curve <= 0 {
			curve = tau
		}
		if better := b * b / curve; better >= m.value {
			m.value, m.at = better, t
			less = m.nearly()
		}
	}
	return worst
}

// nearly is below the value by more than a quotient is rounded, and 0 where rounding is not relative.
func (m *top) nearly() float64 {
	if less := m.value * (1 - 1e-12); less > 0x1p-900 && less <= math.MaxFloat64 {
		return less
	}
	return 0
}

// pairStep is by how much two multipliers change: to the minimum along the line
// on which Σ yα stays, or to the border of the box, which is met exactly. gi and gj are y times the gradient.
func pairStep(ai, aj, yi, yj, gi, gj, curve, c float64) (di, dj float64) {
	if curve <= 0 {
		curve = 1e-12
	}
	t := (gj - gi) / curve // α_i moves by y_i·t, α_j by −y_j·t
	room := func(a, y float64) float64 {
		if y > 0 {
			return c - a
		}
		return a
	}
	ri, rj := room(ai, yi), room(aj, -yj)
	bounded := func(a, y float64) float64 { // the border itself, without rounding
		if y > 0 {
			return c - a
		}
		return -a
	}
	di, dj = yi*t, -yj*t
	if t >= ri || t >= rj {
		if ri <= rj {
			di, dj = bounded(ai, yi), -yj*ri
		} else {
			di, dj = yi*rj, bounded(aj, -yj)
		}
	}
	return di, dj
}

// offset is rho: g, y times the gradient, is the same for all multipliers off the borders, and is
// averaged over them; without any, it is the middle of what the borders allow.
func offset(alpha, y, g []float64, c float64) float64 {
	low, high := math.Inf(-1), math.Inf(1)
	sum, free := 0.0, 0.0
	for i, a := range alpha {
		v := g[i]
		switch {
		case a > 0 && a < c:
			sum, free = sum+v, free+1
		case (a >= c) == (y[i] > 0):
			low = max(low, v)
		default:
			high = min(high, v)
		}
	}
	if free > 0 {
		return sum / free
	}
	return (low + high) / 2
}
