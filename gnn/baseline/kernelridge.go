package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/numeric/dense"
)

// A KernelRidge describes kernel ridge regression to ±1 with the correlation kernel (Li, Kong et al.
// 2019, NeuroImage 196:126; He et al. 2020, NeuroImage 206:116276; the program of CBIG): K_mn is the
// Pearson correlation of rows m and n across their values, and
//
//	f = K·α + β, α = (K + λI)⁻¹(y − β1), β = 1ᵀ(K + λI)⁻¹y / 1ᵀ(K + λI)⁻¹1.
//
// It is ridge regression with a free intercept on rows that are centered and scaled to length 1.
type KernelRidge struct {
	Penalties []float64 // λ, ascending; of several the inner folds choose
	Inner     []int     // inner fold of each row, from 0; nil where there is one penalty
	relative  bool      // inner squared errors are divided by those of the mean of the rows that were fitted to
}

// CBIG are the penalties that the program of CBIG tries.
func CBIG() []float64 {
	return []float64{0, 1e-5, 1e-4, 1e-3, 4e-3, 7e-3, .01, .04, .07, .1, .4, .7,
		1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 10, 15, 20}
}

// FitKernelRidge trains it. The penalty of each machine has the smallest squared error, mean over the
// inner folds; of equals the smallest. A penalty for which K + λI is singular is not taken: of all
// training rows, too, for tangent vectors average to 0 over them, and not over a part.
func FitKernelRidge(ctx context.Context, o KernelRidge, x Rows, label []int, classes, threads int) (Classifier, error) {
	return o.fit(ctx, x, signs(label, classes), threads)
}

// KernelRidgeTo trains it to numbers y in place of ±1. The penalty has the largest R² about the mean of the rows that
// were fitted to (CBIG's predictive_COD), mean over the inner folds; of equals the smallest.
func KernelRidgeTo(ctx context.Context, o KernelRidge, x Rows, y []float64, threads int) (Regressor, error) {
	o.relative = true
	return o.fit(ctx, x, [][]float64{y}, threads)
}

// fit trains one machine for each target.
func (o KernelRidge) fit(ctx context.Context, x Rows, targets [][]float64, threads int) (machines, error) {
	if err := x.squares(); err != nil {
		return nil, err
	}
	if x.N > MostPaired {
		return o.primal(ctx, x, targets, threads)
	}
	z := unitRows(x)
	k := make([]float64, x.N*x.N)
	dense.Gram(k, z.view(), x.N, x.D, threads)
	o.Penalties = o.solvable(k, x.N, threads)
	chosen := make([]int, len(targets))
	if len(o.Penalties) > 1 {
		mse, err := o.inner(ctx, k, targets, threads)
		if err != nil {
			return nil, err
		}
		for m := range targets {
			chosen[m] = smallestAt(mse[m])
		}
	}
	var ms machines
	for m, y := range targets {
		lambda := o.Penalties[chosen[m]]
		alpha, beta, err := dual(k, lambda, y, threads)
		if err != nil {
			return nil, err
		}
		ms = append(ms, &kernelMachine{linear{weights(z, alpha, threads), beta, o.note(lambda)}, x.N, alpha})
	}
	return ms, nil
}

// solvable are the penalties with which the kernel of n rows is not singular, or the largest alone.
func (o KernelRidge) solvable(k []float64, n, threads int) []float64 {
	for i, lambda := range o.Penalties {
		if i == len(o.Penalties)-1 {
			break
		}
		if _, err := factored(slices.Clone(k), n, lambda, threads); err == nil {
			return o.Penalties[i:]
		}
	}
	return o.Penalties[len(o.Penalties)-1:]
}

// note names a penalty.
func (o KernelRidge) note(lambda float64) string {
	if n := len(o.Penalties); n > 1 {
		return fmt.Sprintf("λ = %g, of %d by inner cross-validation", lambda, n)
	}
	return fmt.Sprintf("λ = %g", lambda)
}

// primal is fit of more rows than have a matrix of pairs, by the products of the inputs: the kernel of the correlation
// is linear in the centered rows of length 1. Without a penalty that matrix would be singular, so 0 is not taken.
func (o KernelRidge) primal(ctx context.Context, x Rows, targets [][]float64, threads int) (machines, error) {
	if x.D > MostPaired {
		return nil, tooWide(x)
	}
	x.unit = true
	for len(o.Penalties) > 1 && o.Penalties[0] == 0 {
		o.Penalties = o.Penalties[1:]
	}
	if o.Penalties[0] == 0 {
		return nil, errSingular
	}
	chosen := make([]int, len(targets))
	if len(o.Penalties) > 1 {
		mse := make([][]float64, len(targets))
		for t := range mse {
			mse[t] = make([]float64, len(o.Penalties))
		}
		folds := slices.Max(o.Inner) + 1
		for f := range folds {
			if err := o.validatePrimal(ctx, mse, x, f, folds, targets, threads); err != nil {
				return nil, err
			}
		}
		for t := range targets {
			chosen[t] = smallestAt(mse[t])
		}
	}
	every := slices.Repeat([]float64{1}, x.N)
	fit := newPrimalFit(x, every, targets, threads)
	var ms machines
	for t := range targets {
		lambda := o.Penalties[chosen[t]]
		if err := errors.Join(ctx.Err(), fit.factor(lambda)); err != nil {
			return nil, err
		}
		w, b := fit.solve(t)
		ms = append(ms, &kernelMachine{linear{w, b, o.note(lambda)}, x.N, nil})
	}
	return ms, nil
}

// A primalFit is ridge regression to targets of those rows whose weight is 1, and not of those with 0.
type primalFit struct {
	d, threads   int
	mean, level  []float64   // of the inputs, and of each target
	matrix, work []float64   // products of the inputs; their factor with a penalty
	pull         [][]float64 // of each target: products of the inputs with it
}

func newPrimalFit(x Rows, weight []float64, targets [][]float64, threads int) *primalFit {
	p := &primalFit{d: x.D, threads: threads, mean: make([]float64, x.D), matrix: make([]float64, x.D*x.D)}
	count := dense.Sum(weight)
	x.eachRow(func(i int, row []float64) { dense.Axpy(p.mean, weight[i]/count, row) })
	for _, y := range targets {
		p.level, p.pull = append(p.level, dense.Inner(weight, y)/count), append(p.pull, make([]float64, x.D))
	}
	x.products(p.matrix, p.mean, weight, threads, func(i int, centered []float64) {
		for t, y := range targets {
			dense.Axpy(p.pull[t], weight[i]*(y[i]-p.level[t]), centered)
		}
	})
	return p
}

func (p *primalFit) factor(lambda float64) error {
	p.work = append(p.work[:0], p.matrix...)
	for j := range p.d {
		p.work[j*p.d+j] += lambda
	}
	return cholesky(p.work, p.d, p.threads)
}

func (p *primalFit) solve(target int) (w []float64, b float64) {
	w = slices.Clone(p.pull[target])
	substitute(p.work, w)
	return w, p.level[target] - dense.Inner(w, p.mean)
}

// validatePrimal adds the squared errors in one of the inner folds to the means over all of them.
func (o KernelRidge) validatePrimal(ctx context.Context, mse [][]float64, x Rows, fold, folds int, targets [][]float64,
	threads int) error {
	taught, count := make([]float64, x.N), 0.0
	for i, f := range o.Inner {
		if f != fold {
			taught[i] = 1
		} else {
			count++
		}
	}
	fit := newPrimalFit(x, taught, targets, threads)
	var all []*linear // of each penalty and target
	for _, lambda := range o.Penalties {
		if err := errors.Join(ctx.Err(), fit.factor(lambda)); err != nil {
			return err
		}
		for t := range targets {
			w, b := fit.solve(t)
			all = append(all, &linear{w: w, b: b})
		}
	}
	unit := make([]float64, len(targets)) // what errors are divided by
	for t, y := range targets {
		unit[t] = count
		if o.relative {
			unit[t] = 0
			for i, v := range y {
				unit[t] += float64((1 - taught[i]) * (v - fit.level[t]) * (v - fit.level[t]))
			}
		}
	}
	x.each(func(first int, b Rows) {
		for k, m := range all {
			t := k % len(targets)
			for i, f := range m.decide(b, threads) {
				if at := first + i; taught[at] == 0 {
					d := f - targets[t][at]
					mse[t][k/len(targets)] += float64(d*d) / unit[t] / float64(folds)
				}
			}
		}
	})
	return nil
}

func smallestAt(v []float64) (at int) {
	for i, x := range v {
		if x < v[at] {
			at = i
		}
	}
	return at
}

// inner is the squared error of each target and penalty, mean over the inner folds.
func (o KernelRidge) inner(ctx context.Context, k []float64, targets [][]float64, threads int) ([][]float64, error) {
	n, folds := len(o.Inner), 0
	for _, f := range o.Inner {
		folds = max(folds, f+1)
	}
	count := len(o.Penalties)
	errs := make([]float64, folds*count*len(targets)) // fold, penalty, target
	dense.Each(threads, folds*count, func(i int) {
		if ctx.Err() == nil {
			o.validate(errs[i*len(targets):][:len(targets)], k, n, i/count, o.Penalties[i%count], targets)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float64, len(targets))
	for t := range targets {
		out[t] = make([]float64, count)
		finite := false
		for l := range count {
			for f := range folds {
				out[t][l] += errs[(f*count+l)*len(targets)+t]
			}
			out[t][l] /= float64(folds)
			finite = finite || !math.IsInf(out[t][l], 0)
		}
		if !finite {
			return nil, errSingular
		}
	}
	return out, nil
}

// validate sets mse to the squared error of each target in one inner fold; +Inf where the kernel is singular.
func (o KernelRidge) validate(mse, k []float64, n, fold int, lambda float64, targets [][]float64) {
	var taught, held []int
	for i, f := range o.Inner {
		if f == fold {
			held = append(held, i)
		} else {
			taught = append(taught, i)
		}
	}
	part := make([]float64, len(taught)*len(taught))
	for a, i := range taught {
		for b, j := range taught {
			part[a*len(taught)+b] = k[i*n+j]
		}
	}
	l, err := factored(part, len(taught), lambda, 1)
	for t, target := range targets {
		if err != nil {
			mse[t] = math.Inf(1)
			continue
		}
		y := make([]float64, len(taught))
		mean := 0.0
		for a, i := range taught {
			y[a] = target[i]
			mean += y[a]
		}
		mean /= float64(len(y))
		alpha, beta := solveDual(l, y)
		spread := 0.0
		for _, i := range held {
			f := 0.0
			for a, j := range taught {
				f += float64(alpha[a] * k[i*n+j])
			}
			d := f + beta - target[i]
			mse[t] += float64(d * d)
			spread += float64((target[i] - mean) * (target[i] - mean))
		}
		if o.relative {
			mse[t] /= spread
		} else {
			mse[t] /= float64(len(held))
		}
	}
}

// dual solves for α and β.
func dual(k []float64, lambda float64, y []float64, threads int) (alpha []float64, beta float64, err error) {
	l, err := factored(append([]float64(nil), k...), len(y), lambda, threads)
	if err != nil {
		return nil, 0, err
	}
	alpha, beta = solveDual(l, y)
	return alpha, beta, nil
}

var errSingular = errors.New("the kernel is singular without a penalty: there are more rows than values per row, or two rows are identical; use a penalty above 0")

// factored overwrites k by the Cholesky factor of k + λI.
func factored(k []float64, n int, lambda float64, threads int) ([]float64, error) {
	largest := 0.0
	for i := range n {
		k[i*n+i] += lambda
		largest = max(largest, k[i*n+i])
	}
	if err := cholesky(k, n, threads); err != nil {
		return nil, errSingular
	}
	for i := range n {
		if p := k[i*n+i]; float64(p*p) <= float64(n)*0x1p-52*largest {
			return nil, errSingular
		}
	}
	return k, nil
}

func solveDual(l, y []float64) (alpha []float64, beta float64) {
	alpha = append([]float64(nil), y...)
	one := make([]float64, len(y))
	for i := range one {
		one[i] = 1
	}
	substitute(l, alpha)
	substitute(l, one)
	return alpha, balance(alpha, one)
}

// balance takes b·v from u, in place, so that the sum of u is 0, and returns b: the intercept that ridge regression
// leaves free, where u and v solve the system for the targets and for ones.
func balance(u, v []float64) (b float64) {
	sumU, sumV := 0.0, 0.0
	for i := range u {
		sumU += u[i]
		sumV += v[i]
	}
	b = sumU / sumV
	for i := range u {
		u[i] -= float64(b * v[i])
	}
	return b
}

// unitRows are the rows centered and scaled to length 1; a constant row becomes 0.
func unitRows(x Rows) Rows {
	out := Rows{N: x.N, D: x.D, X: make([]float64, len(x.X))}
	for i := range x.N {
		row, to := x.Row(i), out.Row(i)
		mean, sum := 0.0, 0.0
		for _, v := range row {
			mean += v
		}
		mean /= float64(x.D)
		for j, v := range row {
			to[j] = v - mean
			sum += float64(to[j] * to[j])
		}
		if length := math.Sqrt(sum); length > 0 {
			for j := range to {
				to[j] /= length
			}
		}
	}
	return out
}

// A kernelMachine is f(x) = Σ α_m·corr(x_m, x) + β = w·z(x) + β, z(x) being x centered and of length 1.
type kernelMachine struct {
	linear
	taught int       // rows
	alpha  []float64 // nil where it was solved for w
}

func (m *kernelMachine) decide(x Rows, threads int) []float64 {
	x.unit = true
	return m.linear.decide(x, threads)
}

func (m *kernelMachine) describe() (int, string) { return m.taught + 1, m.note }
