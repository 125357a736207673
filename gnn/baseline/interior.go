package baseline

import (
	"context"
	"fmt"
	"math"

	"prgnn/internal/dense"
)

// An interior is a linear support vector machine of more cases than have a matrix of pairs, on its way to the optimum:
// the problem of smo, min ½‖Xᵀa‖² + p·α for 0 ≤ α ≤ C and Σa = 0, where a_i sums y_k·α_k over the multipliers k of case
// i, by a primal-dual interior-point method (Mehrotra 1992, SIAM J. Optim. 2:575, with one step length) whose Newton
// equations are solved for the weights (Ferris & Munson 2002, SIAM J. Optim. 13:783): as many equations as there are
// inputs, in four passes through the cases. What is kept are some numbers a case.
type interior struct {
	x       Rows
	mean    []float64 // of the inputs, which are taken less it
	p, y    []float64 // of each multiplier k, which is of case k mod x.N
	near    float64
	c       float64
	threads int

	w, f               []float64 // weights and their products with the cases
	b                  float64
	alpha, slack, z, v []float64 // slack is C − α; z and v are the multipliers of α ≥ 0 and slack ≥ 0
	dAlpha, dZ, dV     []float64 // a step
	dW, dF             []float64
	dB                 float64
	pull               []float64 // Xᵀa
	equations                    // E is the inverse of the curvatures
}

// interiorGap is the share of the objective by which it may miss the optimum, as the dual one proves.
const interiorGap = 1e-13

// A primalMachine is a support vector machine that was solved for its weights.
type primalMachine struct{ linear }

func (m *primalMachine) describe() (int, string) { return len(m.w), m.note }

// fitInterior solves the problem.
func fitInterior(ctx context.Context, o SVM, x Rows, p, y []float64, threads int) (machine, error) {
	if x.D > MostPaired {
		return nil, tooWide(x)
	}
	m, c := len(p), o.C
	s := &interior{x: x, mean: x.mean(), p: p, y: y, c: c, threads: threads, w: make([]float64, x.D),
		f: make([]float64, x.N), dF: make([]float64, x.N), dW: make([]float64, x.D)}
	for _, v := range []*[]float64{&s.alpha, &s.slack, &s.z, &s.v, &s.dAlpha, &s.dZ, &s.dV} {
		*v = make([]float64, m)
	}
	x.eachRow(func(_ int, row []float64) {
		for j, v := range row {
			s.near += float64(1e-9 * (v - s.mean[j]) * (v - s.mean[j]) / float64(x.N))
		}
	})
	unit := 0.0 // of the loss
	for _, v := range p {
		unit += math.Abs(v) / float64(m)
	}
	for k := range m {
		s.alpha[k], s.slack[k], s.z[k], s.v[k] = c/2, c/2, unit, unit
	}
	gap, steps := math.Inf(1), 0
	for ; steps < 100; steps++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := s.prepare()
		if err := x.Err(); err != nil {
			return nil, err
		}
		last := gap
		gap = s.gap()
		// to the optimum, or as near as rounding lets it come
		if gap <= interiorGap || gap <= 1e-8 && (gap > last/2 || err != nil) {
			break
		}
		if err != nil {
			return nil, err
		}
		s.step()
	}
	if !(gap <= 1e-8) {
		return nil, fmt.Errorf("the SVM has not converged: it may miss the optimum by %.1g of its objective; use %s", gap, o.calmer(x, p))
	}
	taken, support := make([]bool, x.N), 0
	for k, a := range s.alpha {
		if i := k % x.N; a/c > s.z[k]/unit && !taken[i] {
			taken[i] = true
			support++
		}
	}
	note := fmt.Sprintf("%d support vectors of %d graphs, solved for the weights in %d steps", support, x.N, steps)
	return &primalMachine{linear{s.w, s.b - dot(s.w, s.mean), note}}, nil
}

// of sums a number of each multiplier up over those of each case.
func (s *interior) of(number func(k int) float64) []float64 {
	out := make([]float64, s.x.N)
	for k := range s.p {
		out[k%s.x.N] += float64(number(k))
	}
	return out
}

// curve is D: what z and v add to the curvature along α_k, and a little that keeps the equations well conditioned, as
// if each step had to stay near (Friedlander & Orban 2012, Math. Program. Comput. 4:71). It changes no optimum.
func (s *interior) curve(k int) float64 { return s.z[k]/s.alpha[k] + s.v[k]/s.slack[k] + s.near }

// prepare sets up and factors what the steps from here are solved with.
func (s *interior) prepare() error {
	share := s.of(func(k int) float64 { return 1 / s.curve(k) })
	a := s.of(func(k int) float64 { return s.y[k] * s.alpha[k] })
	s.pull = make([]float64, s.x.D)
	return s.set(s.x, s.mean, share, 0, s.threads, func(i int, centered []float64) {
		dense.Axpy(s.pull, a[i], centered)
	})
}

// gap is by how much of it the objective is above what the dual one says that it may be at least, with what constraints
// lack; it is that of the last equations.
func (s *interior) gap() float64 {
	primal, dual, lack := dot(s.w, s.w)/2, -dot(s.pull, s.pull)/2, 0.0
	for k, p := range s.p {
		primal += float64(s.c * max(0, -(p+float64(s.y[k]*(s.f[k%s.x.N]+s.b)))))
		dual -= float64(p * s.alpha[k])
		lack += float64(s.y[k] * s.alpha[k])
	}
	far := 0.0
	for j, w := range s.w {
		far += float64((w - s.pull[j]) * (w - s.pull[j]))
	}
	open := math.Abs(float64(lack*s.b)) + math.Sqrt(far*(1+dot(s.w, s.w)))
	return (math.Abs(primal-dual) + open) / max(primal, math.SmallestNonzeroFloat64)
}

// step goes to a point with smaller products zα and vs.
func (s *interior) step() {
	m := float64(2 * len(s.p))
	mu := (dot(s.z, s.alpha) + dot(s.v, s.slack)) / m
	zero := func(int) (z, v float64) { return 0, 0 }
	s.direction(zero)
	length := s.room(1)
	after := 0.0
	crossZ, crossV := make([]float64, len(s.p)), make([]float64, len(s.p))
	for k := range s.p {
		crossZ[k], crossV[k] = float64(s.dAlpha[k]*s.dZ[k]), float64(-s.dAlpha[k]*s.dV[k])
		step := float64(length * s.dAlpha[k])
		after += float64((s.alpha[k]+step)*(s.z[k]+float64(length*s.dZ[k]))) +
			float64((s.slack[k]-step)*(s.v[k]+float64(length*s.dV[k])))
	}
	after /= m
	goal := after / mu * (after / mu) * after // σμ, σ = (after/μ)³
	s.direction(func(k int) (z, v float64) { return goal - crossZ[k], goal - crossV[k] })
	length = min(1, 0.995*s.room(1/0.995))
	for k := range s.p {
		s.alpha[k] += float64(length * s.dAlpha[k])
		s.slack[k] -= float64(length * s.dAlpha[k])
		s.z[k] += float64(length * s.dZ[k])
		s.v[k] += float64(length * s.dV[k])
	}
	dense.Axpy(s.w, length, s.dW)
	dense.Axpy(s.f, length, s.dF)
	s.b += float64(length * s.dB)
}

// room is the longest step, up to one, that keeps all numbers positive.
func (s *interior) room(longest float64) float64 {
	for k, d := range s.dAlpha {
		for _, c := range [][2]float64{{s.alpha[k], d}, {s.slack[k], -d}, {s.z[k], s.dZ[k]}, {s.v[k], s.dV[k]}} {
			if c[1] < 0 {
				longest = min(longest, -c[0]/c[1])
			}
		}
	}
	return longest
}

// direction is Newton's to the point where zα and vs are what target says.
func (s *interior) direction(target func(k int) (z, v float64)) {
	n := s.x.N
	toZ, toV, h := make([]float64, len(s.p)), make([]float64, len(s.p)), make([]float64, len(s.p))
	for k := range s.p {
		z, v := target(k)
		toZ[k], toV[k] = z-float64(s.z[k]*s.alpha[k]), v-float64(s.v[k]*s.slack[k])
		lack := s.z[k] - s.v[k] - s.p[k] - float64(s.y[k]*(s.f[k%n]+s.b))
		h[k] = (lack + toZ[k]/s.alpha[k] - toV[k]/s.slack[k]) / s.curve(k)
	}
	g := s.of(func(k int) float64 { return s.y[k] * h[k] })
	a := s.of(func(k int) float64 { return s.y[k] * s.alpha[k] })
	s.dW = weights(s.x, g, s.threads)
	dense.Axpy(s.dW, -sumOf(g), s.mean)
	for j := range s.dW {
		s.dW[j] += s.pull[j] - s.w[j]
	}
	s.dB = s.solve(s.dW, sumOf(g)+sumOf(a))
	s.x.times(s.dF, s.dW, s.threads)
	less := dot(s.dW, s.mean)
	for i := range s.dF {
		s.dF[i] -= less
	}
	for k := range s.p {
		s.dAlpha[k] = h[k] - float64(s.y[k]*(s.dF[k%n]+s.dB))/s.curve(k)
		s.dZ[k] = (toZ[k] - float64(s.z[k]*s.dAlpha[k])) / s.alpha[k]
		s.dV[k] = (toV[k] + float64(s.v[k]*s.dAlpha[k])) / s.slack[k]
	}
}
