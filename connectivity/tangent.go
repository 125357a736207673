package connectivity

import (
	"errors"
	"fmt"
	"math"

	"prgnn/internal/exact"
)

// A Tangent maps covariances to the tangent space at their mean (Varoquaux et al.
// 2010, MICCAI, LNCS 6361:200), where differences between people are ordinary
// vectors. It is fitted on some participants, those of a training set, and applied to
// all: a mean that has seen the tested ones has leaked.
type Tangent struct {
	Mean      Matrix // the geometric mean, N×N
	whitening Matrix // its inverse square root
}

const (
	tangentSteps     = 1000
	tangentTolerance = 1e-11
)

// FitTangent finds the geometric mean of positive definite matrices: the point at
// which their logarithms average to 0 (Moakher 2005, SIAM J Matrix Anal Appl 26:735), by
// gradient descent with a step that is halved when it goes too far.
func FitTangent(covariances []Matrix) (*Tangent, error) {
	if len(covariances) == 0 {
		return nil, errors.New("a tangent space needs at least one covariance")
	}
	n := covariances[0].Rows
	mean := NewMatrix(n, n)
	for i, c := range covariances {
		if c.Rows != n || c.Cols != n {
			return nil, fmt.Errorf("covariance %d is %d×%d, and the first is %d×%d", i+1, c.Rows, c.Cols, n, n)
		}
		if _, ok := logarithm(c); !ok {
			return nil, fmt.Errorf("covariance %d is not positive definite; use ledoit-wolf, and leave out regions that some participants lack", i+1)
		}
		axpy(mean.Data, 1/float64(len(covariances)), c.Data)
	}
	step, before := 1.0, math.Inf(1)
	var root, direction Matrix // of the last step that was kept
	for range tangentSteps {
		values, vectors := symmetricEigen(mean)
		inverse := spectral(values, vectors, func(l float64) float64 { return 1 / math.Sqrt(l) })
		gradient := NewMatrix(n, n)
		for _, c := range covariances {
			log, ok := logarithm(sandwich(inverse, c))
			if !ok {
				return nil, errors.New("the covariances are too close to singular; use ledoit-wolf")
			}
			axpy(gradient.Data, 1/float64(len(covariances)), log.Data)
		}
		size := math.Sqrt(dot(gradient.Data, gradient.Data))
		if size/float64(n*n) < tangentTolerance {
			return &Tangent{Mean: mean, whitening: inverse}, nil
		}
		if size < before { // go on from here; otherwise once more, half as far
			before, direction = size, gradient
			root = spectral(values, vectors, math.Sqrt)
		} else {
			step /= 2
		}
		values, vectors = symmetricEigen(direction)
		mean = sandwich(root, spectral(values, vectors, func(l float64) float64 { return exact.Exp(float64(step * l)) }))
	}
	return nil, fmt.Errorf("the mean of %d covariances is not found after %d steps; they lie too far apart, or too close to singular: use ledoit-wolf", len(covariances), tangentSteps)
}

// Transform maps a covariance to the tangent space: log(M^{-1/2} C M^{-1/2}).
func (t *Tangent) Transform(c Matrix) (Matrix, error) {
	if c.Rows != t.Mean.Rows || c.Cols != t.Mean.Cols {
		return Matrix{}, fmt.Errorf("a covariance of %d×%d, and the tangent space was fitted on %d×%d", c.Rows, c.Cols, t.Mean.Rows, t.Mean.Cols)
	}
	log, ok := logarithm(sandwich(t.whitening, c))
	if !ok {
		return Matrix{}, errors.New("the covariance is not positive definite; use ledoit-wolf, and leave out regions without a signal")
	}
	return log, nil
}

// logarithm of a matrix; false when it is not positive definite.
func logarithm(a Matrix) (Matrix, bool) {
	values, vectors := symmetricEigen(a)
	for _, v := range values {
		if !(v > 0) {
			return Matrix{}, false
		}
	}
	return spectral(values, vectors, exact.Log), true
}
