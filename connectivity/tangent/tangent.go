package tangent

import (
	"context"
	"errors"
	"fmt"
	"math"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A Reference is a mean of covariance matrices.
type Reference string

// Geometric is the affine-invariant mean; Euclidean the arithmetic mean; LogEuclidean is
// exp(mean of log C) (Arsigny et al. 2006, Magn Reson Med 56:411).
const (
	Geometric    Reference = "geometric"
	Euclidean    Reference = "euclidean"
	LogEuclidean Reference = "logeuclidean"
)

// Options say how a reference is found.
type Options struct {
	Reference Reference
	Tolerance float64    // of Geometric: Frobenius norm of the mean logarithm
	Nilearn   bool       // of Geometric: stop as nilearn does, whatever Tolerance is
	Threads   int        // 0 is one
	Progress  func(Step) // may be nil
}

// A Step is one update of a geometric mean.
type Step struct {
	Number int     // from 1
	Norm   float64 // Frobenius norm of the mean logarithm before the update
	Length float64 // s
}

// A Space is the tangent space at a reference.
type Space struct {
	N         int
	Mean      []float64 // G
	Whitening []float64 // G^−½
	Steps     []Step    // of a geometric mean
	Stopped   bool      // Options.Nilearn: after the last step, above its tolerance
}

// A DefiniteError is about a covariance that is not positive definite to working precision.
type DefiniteError struct{ Smallest, Largest float64 }

func (e *DefiniteError) Error() string {
	return fmt.Sprintf("the matrix is not positive definite: its eigenvalues go from %.3g to %.3g", e.Smallest, e.Largest)
}

// A MatrixError is about one of the covariances that a reference is fitted to.
type MatrixError struct {
	Index int
	Err   error
}

func (e *MatrixError) Error() string { return e.Err.Error() }
func (e *MatrixError) Unwrap() error { return e.Err }

// smallest is how small the smallest eigenvalue may be beside the largest.
const smallest = 1e-10

// Fit finds the reference of covariances, n × n each.
func Fit(ctx context.Context, covariances [][]float64, n int, o Options) (*Space, error) {
	if len(covariances) == 0 {
		return nil, errors.New("a reference needs at least one covariance matrix")
	}
	f := &fit{n: n, threads: max(1, o.Threads), all: covariances}
	identity := func(dst, c []float64) error { copy(dst, c); return definite(c, n) }
	logarithm := func(dst, c []float64) error {
		if err := definite(c, n); err != nil {
			return err
		}
		return logOf(dst, c, n)
	}
	s := &Space{N: n}
	var err error
	switch o.Reference {
	case Geometric:
		if s.Mean, err = f.average(ctx, identity); err == nil {
			err = f.geometric(ctx, s, o)
		}
	case Euclidean:
		s.Mean, err = f.average(ctx, identity)
	case LogEuclidean:
		var mean []float64
		if mean, err = f.average(ctx, logarithm); err == nil {
			s.Mean = make([]float64, n*n)
			err = apply(s.Mean, mean, n, exact.Exp)
		}
	default:
		err = fmt.Errorf("there is no reference %q", o.Reference)
	}
	if err != nil {
		return nil, err
	}
	s.Whitening = make([]float64, n*n)
	return s, apply(s.Whitening, s.Mean, n, inverseRoot)
}

// At is the tangent space at a mean that Fit found.
func At(mean, whitening []float64, n int) *Space {
	return &Space{N: n, Mean: mean, Whitening: whitening}
}

// Log maps a covariance to the tangent space; dst may not be c.
func (s *Space) Log(dst, c []float64) error {
	if err := definite(c, s.N); err != nil {
		return err
	}
	w := make([]float64, s.N*s.N)
	sandwich(w, s.Whitening, c, s.N)
	return logOf(dst, w, s.N)
}

// Weights are what weights w on the tangent matrix are on the covariance, to first order: G^−½·w·G^−½.
func (s *Space) Weights(w []float64) []float64 {
	out := make([]float64, s.N*s.N)
	sandwich(out, s.Whitening, w, s.N)
	return out
}

// Pattern is the pattern of the covariance that is a on the tangent matrix, to first order: G^½·a·G^½.
func (s *Space) Pattern(a []float64) ([]float64, error) {
	root, out := make([]float64, s.N*s.N), make([]float64, s.N*s.N)
	if err := apply(root, s.Mean, s.N, math.Sqrt); err != nil {
		return nil, err
	}
	sandwich(out, root, a, s.N)
	return out, nil
}

// A fit is a reference on its way.
type fit struct {
	n, threads int
	all        [][]float64
}

// average is the mean of what work makes of each covariance, added in their order.
func (f *fit) average(ctx context.Context, work func(dst, c []float64) error) ([]float64, error) {
	const together = 16 // covariances whose results are held at once
	size := f.n * f.n
	sum, held := make([]float64, size), make([]float64, min(together, len(f.all))*size)
	errs := make([]error, together)
	share := 1 / float64(len(f.all))
	for at := 0; at < len(f.all); at += together {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := f.all[at:min(len(f.all), at+together)]
		dense.Each(f.threads, len(part), func(i int) {
			errs[i] = work(held[i*size:][:size], part[i])
		})
		for i := range part {
			if errs[i] != nil {
				return nil, &MatrixError{at + i, errs[i]}
			}
			dense.Axpy(sum, share, held[i*size:][:size])
		}
	}
	return sum, nil
}

// rounding is how large the norm of the mean logarithm may be where it falls no more.
const rounding = 1e-8

// geometric moves s.Mean, the arithmetic mean, to the geometric one.
func (f *fit) geometric(ctx context.Context, s *Space, o Options) error {
	n := f.n
	most, done := 100, func(norm float64) bool { return norm < o.Tolerance }
	if o.Nilearn {
		most, done = 30, func(norm float64) bool { return norm/float64(n*n) < 1e-7 }
	}
	root, white := make([]float64, n*n), make([]float64, n*n)
	best, direction := s.Mean, []float64(nil) // the mean of the smallest norm, and its mean logarithm
	length, least := 1.0, math.Inf(1)
	for step := 1; step <= most && length > 1e-3; step++ {
		values, vectors, err := dense.Eigen(s.Mean, n)
		if err != nil {
			return err
		}
		dense.Spectral(white, values, vectors, n, inverseRoot)
		mean, err := f.average(ctx, func(dst, c []float64) error {
			w := make([]float64, n*n)
			sandwich(w, white, c, n)
			return logOf(dst, w, n)
		})
		if err != nil {
			return err
		}
		norm := math.Sqrt(dense.SumSquares(mean))
		falls := norm < least
		if falls && !o.Nilearn && direction != nil {
			if length, err = secant(white, root, direction, mean, length, n); err != nil {
				return err
			}
		}
		taken := Step{Number: step, Norm: norm, Length: length}
		s.Steps = append(s.Steps, taken)
		if o.Progress != nil {
			o.Progress(taken)
		}
		if falls || o.Nilearn {
			best, direction, least = s.Mean, mean, min(norm, least)
			dense.Spectral(root, values, vectors, n, math.Sqrt)
		} else if length /= 2; least < rounding {
			s.Mean = best
			return nil
		}
		if s.Mean, err = moved(root, direction, length, n); err != nil || done(least) {
			return err
		}
		if o.Nilearn && !falls {
			length /= 2
		}
	}
	if o.Nilearn { // it warns, and goes on
		s.Stopped = true
		return nil
	}
	return fmt.Errorf("the geometric mean of %d matrices is not found in %d steps: the mean logarithm has the norm %.3g, and %g is asked for; the matrices lie too far apart or too close to singular (shrink them: ledoit-wolf), or tolerance is below rounding", len(f.all), len(s.Steps), least, o.Tolerance)
}

// secant is the length of the next step from the change of the mean logarithm over the last one, of this length along
// last from the mean root², to where it is now. The mean logarithms belong to two points, and are compared in the same
// coordinates: at the new mean those of the old one are turned by Q = G^−½·root·exp(length·last/2).
func secant(white, root, last, now []float64, length float64, n int) (float64, error) {
	half, turn, turned := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	if err := apply(half, last, n, func(l float64) float64 { return exact.Exp(float64(length * l / 2)) }); err != nil {
		return 0, err
	}
	multiply := func(dst, a []float64, b dense.View[float64]) {
		dense.Multiply(dst, n, dense.Rows(a, n), b, n, n, n, false, 1)
	}
	multiply(turned, root, dense.Rows(half, n))
	multiply(turn, white, dense.Rows(turned, n))
	multiply(half, turn, dense.Rows(last, n))
	multiply(turned, half, dense.Rows(turn, n).T())
	squares, change := dense.SumSquares(turned), 0.0
	for i, v := range turned {
		change += float64(v * (v - now[i]))
	}
	if change <= 0 { // rounding
		return length, nil
	}
	return min(max(float64(length*squares)/change, 0.5), 1), nil
}

// moved is root·exp(length·direction)·root.
func moved(root, direction []float64, length float64, n int) ([]float64, error) {
	exp, out := make([]float64, n*n), make([]float64, n*n)
	err := apply(exp, direction, n, func(l float64) float64 { return exact.Exp(float64(length * l)) })
	if err == nil {
		sandwich(out, root, exp, n)
	}
	return out, err
}

// apply sets dst to f of the symmetric matrix a.
func apply(dst, a []float64, n int, f func(float64) float64) error {
	values, vectors, err := dense.Eigen(a, n)
	if err != nil {
		return err
	}
	dense.Spectral(dst, values, vectors, n, f)
	return nil
}

func inverseRoot(l float64) float64 { return 1 / math.Sqrt(l) }

// logOf sets dst to log a.
func logOf(dst, a []float64, n int) error {
	values, vectors, err := dense.Eigen(a, n)
	if err != nil {
		return err
	}
	low, high := extent(values)
	if !(low > 0) {
		return &DefiniteError{Smallest: low, Largest: high}
	}
	dense.Spectral(dst, values, vectors, n, exact.Log)
	return nil
}

func extent(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// definite refuses a matrix whose smallest eigenvalue is not above smallest times its largest.
func definite(c []float64, n int) error {
	values, err := dense.Eigenvalues(c, n)
	if err != nil {
		return err
	}
	if low, high := extent(values); !(low > smallest*high) {
		return &DefiniteError{Smallest: low, Largest: high}
	}
	return nil
}

// sandwich is b·a·b for symmetric a and b.
func sandwich(dst, b, a []float64, n int) {
	half := make([]float64, n*n)
	dense.Multiply(half, n, dense.Rows(b, n), dense.Rows(a, n), n, n, n, false, 1)
	dense.Multiply(dst, n, dense.Rows(half, n), dense.Rows(b, n), n, n, n, false, 1)
	dense.Mirror(dst, n)
}
