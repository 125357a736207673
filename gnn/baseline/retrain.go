package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
)

// A Retrainer trains a model on many lists of targets of the same rows, as a permutation test does, and predicts the
// test rows: for each list of targets one value a row. What does not depend on the targets is computed once.
type Retrainer func(ctx context.Context, targets [][]float64) ([][]float64, error)

// Probabilities trains on lists of labels of the training rows, and gives the probabilities of the test rows, row ×
// class, one list for each: those of the ordinary training on these labels.
func (r Retrainer) Probabilities(ctx context.Context, labels [][]int, classes int) ([][]float64, error) {
	var targets [][]float64
	for _, of := range labels {
		targets = append(targets, signs(of, classes)...)
	}
	decided, err := r(ctx, targets)
	if err != nil {
		return nil, fmt.Errorf("permuted labels: %w", err)
	}
	machines := len(targets) / len(labels)
	out := make([][]float64, len(labels))
	for b := range out {
		of := decided[b*machines:][:machines]
		f := make([]float64, 0, machines*len(of[0]))
		for i := range of[0] {
			for _, v := range of {
				f = append(f, v[i])
			}
		}
		out[b] = probabilityOf(f, machines)
	}
	return out, nil
}

// products are the products of all rows with one another; of unit rows, those of the centered rows of length 1. The
// rows that are trained on come first.
type products struct {
	k        []float64
	all, fit int // rows, and those that are trained on
}

func productsOf(x Rows, train, threads int) (*products, error) {
	if err := x.squares(); err != nil {
		return nil, err
	}
	if err := TooMany(x.N); err != nil {
		return nil, err
	}
	if x.unit {
		x.unit = false
		x = unitRows(x)
	}
	return &products{gram[float64](x, threads), x.N, train}, nil
}

// train are the products of the training rows.
func (p *products) train() []float64 { return corner(p.k, p.all, p.fit) }

// row are the products of a row with the training rows.
func (p *products) row(i int) []float64 { return p.k[i*p.all:][:p.fit] }

// hat is the matrix H with which ridge regression with a free offset predicts some rows from the targets y of others,
// H·y: with A = K + λ, f = K*·A⁻¹(y − b·1) + b, b = 1ᵀA⁻¹y / 1ᵀA⁻¹1. It does not depend on the targets.
// L is the Cholesky factor of A.
func hat(l []float64, n int, rows [][]float64, threads int) []float64 {
	one := make([]float64, n)
	for i := range one {
		one[i] = 1
	}
	substitute(l, one)
	total := dense.Sum(one)
	x := make([]float64, n*len(rows)) // a column of each row
	for c, row := range rows {
		for j, v := range row {
			x[j*len(rows)+c] = v
		}
	}
	substituteAll(l, x, n, threads)
	h := make([]float64, len(rows)*n)
	for c, row := range rows {
		out := h[c*n:][:n]
		for j := range out {
			out[j] = x[j*len(rows)+c]
		}
		dense.Axpy(out, (1-dense.Inner(row, one))/total, one)
	}
	return h
}

// predict multiplies a hat matrix of n columns by targets: one list of predictions a list of targets.
func predict(h []float64, n int, targets [][]float64, threads int) [][]float64 {
	rows, y := len(h)/n, slices.Concat(targets...)
	f := make([]float64, len(targets)*rows)
	dense.Multiply(f, rows, dense.Rows(y, n), dense.Rows(h, n).T(), len(targets), n, rows, false, threads)
	out := make([][]float64, len(targets))
	for t := range out {
		out[t] = f[t*rows:][:rows]
	}
	return out
}

// testRows are the products of the test rows with the training rows.
func (p *products) testRows() (rows [][]float64) {
	for i := p.fit; i < p.all; i++ {
		rows = append(rows, p.row(i))
	}
	return rows
}

// RetrainRidge is FitRidge and RidgeTo on the first rows, and tests the others.
func RetrainRidge(x Rows, train int, penalty float64, threads int) (Retrainer, error) {
	p, err := productsOf(x, train, threads)
	if err != nil {
		return nil, err
	}
	l := p.train()
	for i := range train {
		l[i*train+i] += penalty
	}
	if err := cholesky(l, train, threads); err != nil {
		return nil, err
	}
	h := hat(l, train, p.testRows(), threads)
	return func(_ context.Context, targets [][]float64) ([][]float64, error) {
		return predict(h, train, targets, threads), nil
	}, nil
}

// RetrainKernelRidge is FitKernelRidge, or with numbers KernelRidgeTo, on the first rows, and tests the others. The
// penalty is chosen for each list of targets anew, in the same inner folds.
func RetrainKernelRidge(o KernelRidge, numbers bool, x Rows, train, threads int) (Retrainer, error) {
	o.relative = numbers
	x.unit = true
	p, err := productsOf(x, train, threads)
	if err != nil {
		return nil, err
	}
	k := p.train()
	o.Penalties = o.solvable(k, train, threads)
	return func(ctx context.Context, targets [][]float64) ([][]float64, error) {
		chosen := make([]int, len(targets))
		if len(o.Penalties) > 1 {
			errs, err := o.innerHats(ctx, k, train, targets, threads)
			if err != nil {
				return nil, err
			}
			for t := range targets {
				chosen[t] = smallestAt(errs[t])
			}
		}
		out := make([][]float64, len(targets))
		for l, lambda := range o.Penalties {
			var of [][]float64
			var at []int
			for t, c := range chosen {
				if c == l {
					of, at = append(of, targets[t]), append(at, t)
				}
			}
			if of == nil {
				continue
			}
			factor, err := factored(slices.Clone(k), train, lambda, threads)
			if err = errors.Join(ctx.Err(), err); err != nil {
				return nil, err
			}
			for i, f := range predict(hat(factor, train, p.testRows(), threads), train, of, threads) {
				out[at[i]] = f
			}
		}
		return out, nil
	}, nil
}

// innerHats is inner by one hat matrix of each inner fold and penalty, which all targets share.
func (o KernelRidge) innerHats(ctx context.Context, k []float64, n int, targets [][]float64,
	threads int) ([][]float64, error) {
	folds := slices.Max(o.Inner) + 1
	out := make([][]float64, len(targets))
	for t := range out {
		out[t] = make([]float64, len(o.Penalties))
	}
	for f := range folds {
		var taught, held []int
		for i, in := range o.Inner {
			if in == f {
				held = append(held, i)
			} else {
				taught = append(taught, i)
			}
		}
		part := make([]float64, 0, len(taught)*len(taught))
		for _, i := range taught {
			part = append(part, lists.At(k[i*n:], taught)...)
		}
		var rows [][]float64
		for _, i := range held {
			rows = append(rows, lists.At(k[i*n:], taught))
		}
		learned, tested := make([][]float64, len(targets)), make([][]float64, len(targets))
		unit := make([]float64, len(targets)) // what squared errors are divided by
		for t, y := range targets {
			learned[t], tested[t] = lists.At(y, taught), lists.At(y, held)
			unit[t] = float64(len(held))
			if o.relative {
				unit[t] = 0
				mean := dense.Sum(learned[t]) / float64(len(taught))
				for _, v := range tested[t] {
					unit[t] += float64((v - mean) * (v - mean))
				}
			}
		}
		dense.Each(threads, len(o.Penalties), func(l int) {
			if ctx.Err() != nil {
				return
			}
			factor, err := factored(slices.Clone(part), len(taught), o.Penalties[l], 1)
			if err != nil {
				for t := range out {
					out[t][l] = math.Inf(1)
				}
				return
			}
			for t, f := range predict(hat(factor, len(taught), rows, 1), len(taught), learned, 1) {
				sum := 0.0
				for i, v := range f {
					sum += float64((v - tested[t][i]) * (v - tested[t][i]))
				}
				out[t][l] += sum / unit[t]
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for t := range out {
		if math.IsInf(slices.Min(out[t]), 1) {
			return nil, errSingular
		}
		for l := range out[t] {
			out[t][l] /= float64(folds)
		}
	}
	return out, nil
}

// RetrainSVM is FitSVM on the first rows, and tests the others.
func RetrainSVM(s SVM, x Rows, train, threads int) (Retrainer, error) {
	p, err := productsOf(x, train, threads)
	if err != nil {
		return nil, err
	}
	k := kernel{linear: s.Kernel == "linear", gamma: s.Gamma}
	if k.gamma == 0 {
		k.gamma = scale(x.First(train))
	}
	if !k.linear {
		norm := make([]float64, p.all)
		for i := range norm {
			norm[i] = p.k[i*(p.all+1)]
		}
		dense.Each(threads, p.all, func(i int) { k.apply(p.k[i*p.all:][:p.all], norm[i], norm) })
	}
	pairs, hinge := p.train(), slices.Repeat([]float64{-1}, train)
	return func(ctx context.Context, targets [][]float64) ([][]float64, error) {
		return each(ctx, targets, threads, func(y []float64) ([]float64, error) {
			alpha, rho, err := smo(ctx, pairs, hinge, y, s.C, s.Tolerance)
			if err != nil {
				return nil, err
			}
			for i := range alpha {
				alpha[i] *= y[i]
			}
			return p.decide(alpha, -rho), nil
		})
	}, nil
}

// decide are the decision values of the test rows.
func (p *products) decide(coef []float64, offset float64) []float64 {
	f := make([]float64, p.all-p.fit)
	i := 0
	for ; i+4 <= len(f); i += 4 { // four sums do not wait for each other
		a, b, c, d := p.row(p.fit+i), p.row(p.fit+i+1), p.row(p.fit+i+2), p.row(p.fit+i+3)
		b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
		var s [4]float64
		for j, v := range coef[:len(a)] {
			s[0] += float64(a[j] * v)
			s[1] += float64(b[j] * v)
			s[2] += float64(c[j] * v)
			s[3] += float64(d[j] * v)
		}
		for k, v := range s {
			f[i+k] = v + offset
		}
	}
	for ; i < len(f); i++ {
		f[i] = dense.Inner(p.row(p.fit+i), coef) + offset
	}
	return f
}

// each trains on each list of targets.
func each(ctx context.Context, targets [][]float64, threads int,
	train func(y []float64) ([]float64, error)) ([][]float64, error) {
	out, errs := make([][]float64, len(targets)), make([]error, len(targets))
	dense.Each(threads, len(targets), func(t int) {
		if errs[t] = ctx.Err(); errs[t] == nil {
			out[t], errs[t] = train(targets[t])
		}
	})
	return out, errors.Join(errs...)
}

// RetrainLogistic is FitLogistic on the first rows, and tests the others.
func RetrainLogistic(x Rows, train int, c float64, threads int) (Retrainer, error) {
	p, err := productsOf(x, train, threads)
	if err != nil {
		return nil, err
	}
	pairs, n := p.train(), train
	return func(ctx context.Context, targets [][]float64) ([][]float64, error) {
		return inStep(pairs, n, threads, targets, func(times product, y []float64) ([]float64, error) {
			d := newDescent(y, c)
			err := d.run(ctx, times, times, optimum)
			if errors.Is(err, errStalled) && !d.near() {
				d.least = 0x1p-900
				err = d.run(ctx, times, times, optimum)
			}
			if err != nil && !errors.Is(err, errStalled) {
				return nil, err
			}
			if !d.near() {
				return nil, stalled(x, c, d.norm/norm(d.alpha))
			}
			return p.decide(d.alpha, d.b), nil
		})
	}, nil
}

// inStep trains on each list of targets, all at the same time: when each training waits for a product of k (n × n)
// with a vector, these products are computed as one. They are the same bits as alone.
func inStep(k []float64, n, threads int, targets [][]float64,
	train func(times product, y []float64) ([]float64, error)) ([][]float64, error) {
	const together = 48 // whole rows of the kernels of package dense, which take 12 at once
	out, errs := make([][]float64, len(targets)), make([]error, len(targets))
	for first := 0; first < len(targets); first += together {
		some := targets[first:min(len(targets), first+together)]
		s := &steps{k: k, n: n, threads: threads, at: len(some), turn: make(chan struct{}, max(1, threads))}
		s.arrived.L = &s.mu
		var all sync.WaitGroup
		for i, y := range some {
			all.Go(func() {
				s.turn <- struct{}{}
				out[first+i], errs[first+i] = train(s.times, y)
				<-s.turn
				s.leave()
			})
		}
		all.Wait()
	}
	return out, errors.Join(errs...)
}

// steps are trainings at the same time, as many of them at work as there are threads.
type steps struct {
	k          []float64
	n, threads int
	turn       chan struct{}

	mu      sync.Mutex
	arrived sync.Cond
	at      int // trainings that have not ended
	round   int
	asked   [][2][]float64 // f and u of the next products
}

// times sets f to the product with u, as soon as all other trainings ask for theirs.
func (s *steps) times(f, u []float64) {
	<-s.turn
	s.mu.Lock()
	s.asked = append(s.asked, [2][]float64{f, u})
	if round := s.round; len(s.asked) == s.at {
		s.multiply()
	} else {
		for s.round == round {
			s.arrived.Wait()
		}
	}
	s.mu.Unlock()
	s.turn <- struct{}{}
}

// leave ends a training: the others no longer wait for it.
func (s *steps) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at--; s.at > 0 && len(s.asked) == s.at {
		s.multiply()
	}
}

// multiply computes what all have asked for.
func (s *steps) multiply() {
	m, n := (len(s.asked)+11)/12*12, s.n
	u, f := make([]float64, 0, m*n), make([]float64, m*n)
	for _, of := range s.asked {
		u = append(u, of[1]...)
	}
	u = u[:m*n] // zeros
	dense.Multiply(f, n, dense.Rows(u, n), dense.Rows(s.k, n), m, n, n, false, s.threads)
	for i, of := range s.asked {
		copy(of[0], f[i*n:])
	}
	s.asked = s.asked[:0]
	s.round++
	s.arrived.Broadcast()
}
