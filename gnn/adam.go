package gnn

import "math"

// Adam is the optimizer of Kingma & Ba (2015), in the form of torch.optim.Adam:
// weight decay is an L2 term in the gradient.
type Adam[T Float] struct {
	Beta1, Beta2, Epsilon, Decay float64

	Steps          int
	Power1, Power2 float64 // of Beta1 and Beta2, to the number of steps
	M, V           []T
}

// NewAdam makes an optimizer of n values with β₁ = 0.9, β₂ = 0.999, ε = 1e-8.
func NewAdam[T Float](n int, decay float64) *Adam[T] {
	return &Adam[T]{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Decay: decay,
		Power1: 1, Power2: 1, M: make([]T, n), V: make([]T, n)}
}

// Step moves the parameters against the gradient:
//
//	m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g²
//	p ← p − rate/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε)
func (a *Adam[T]) Step(params, grad []T, rate float64) {
	a.Steps++
	a.Power1 = float64(a.Power1 * a.Beta1)
	a.Power2 = float64(a.Power2 * a.Beta2)
	kernelsOf[T]().adam(params, grad[:len(params)], a.M[:len(params)], a.V[:len(params)], &adamRates[T]{
		decay: T(a.Decay), b1: T(a.Beta1), c1: T(1 - a.Beta1), b2: T(a.Beta2), c2: T(1 - a.Beta2),
		root: T(math.Sqrt(1 - a.Power2)), epsilon: T(a.Epsilon), step: T(rate / (1 - a.Power1))})
}

// adamRates are the numbers of a step, in the order that the assembly reads.
type adamRates[T Float] struct{ decay, b1, c1, b2, c2, root, epsilon, step T }
