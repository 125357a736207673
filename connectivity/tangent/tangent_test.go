package tangent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/testdir"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

// The fixtures are of testdata/tangent.py (scipy, nilearn 0.14.1): 11 participants, the first 8 of
// whom are the training participants, 15 regions.
const people, training, regions = 11, 8, 15

func npy(t *testing.T, name string) []float64 {
	t.Helper()
	return testdir.Floats(t, filepath.Join("testdata", name+".npy"))
}

// apart is the largest difference of two arrays.
func apart(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

func covariances(t *testing.T, n int) [][]float64 {
	t.Helper()
	all := npy(t, "covariance")
	var out [][]float64
	for i := range n {
		out = append(out, all[i*regions*regions:][:regions*regions])
	}
	return out
}

func fitted(t *testing.T, all [][]float64, n int, o Options) *Space {
	t.Helper()
	s, err := Fit(context.Background(), all, n, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// logs are the tangent matrices of everybody.
func (s *Space) logs(t *testing.T, all [][]float64) []float64 {
	t.Helper()
	var out []float64
	for _, c := range all {
		v := make([]float64, len(c))
		if err := s.Log(v, c); err != nil {
			t.Fatal(err)
		}
		out = append(out, v...)
	}
	return out
}

// vectors are lower triangles by rows, the diagonal over √2, as nilearn has them.
func vectors(t []float64) []float64 {
	var out []float64
	for at := 0; at < len(t); at += regions * regions {
		for i := range regions {
			for j := range i {
				out = append(out, t[at+i*regions+j])
			}
			out = append(out, t[at+i*regions+i]/math.Sqrt2)
		}
	}
	return out
}

func TestGeometricMeanAgainstTheOracle(t *testing.T) {
	all := covariances(t, people)
	s := fitted(t, all[:training], regions, Options{Reference: Geometric, Tolerance: 1e-13})
	logs := s.logs(t, all)
	for _, c := range []struct {
		name string
		got  []float64
	}{
		{"mean", s.Mean}, {"whitening", s.Whitening}, {"tangent", logs}, {"vector", vectors(logs)},
	} {
		if d := apart(c.got, npy(t, c.name)); !(d <= 1e-12) {
			t.Errorf("%s: %g apart from the oracle", c.name, d)
		}
	}
	// The oracle takes steps of length 1: the first norms are its own, and the others fall faster.
	for i, want := range npy(t, "gradient_norm") {
		if i < 2 && math.Abs(s.Steps[i].Norm-want) > 1e-6*want || i > 2 && i < len(s.Steps) && want > 1e-11 &&
			s.Steps[i].Norm > want {
			t.Errorf("norm before update %d: %v, the oracle's is %v", i+1, s.Steps[i].Norm, want)
		}
	}
	// The default stops at 1e-10, one update later than where the norm says so.
	byDefault := fitted(t, all[:training], regions, Options{Reference: Geometric, Tolerance: 1e-10})
	if d := apart(byDefault.Mean, s.Mean); d > 2e-11 || len(byDefault.Steps) != 8 {
		t.Errorf("at 1e-10: %g apart after %d updates", d, len(byDefault.Steps))
	}
	// A mean that has seen the three others is another one.
	leaky := fitted(t, all, regions, Options{Reference: Geometric, Tolerance: 1e-13})
	if d := apart(leaky.Mean, npy(t, "mean_leaky")); d > 1e-12 {
		t.Errorf("mean of all 11: %g apart from the oracle", d)
	}
	if d := apart(vectors(leaky.logs(t, all))[training*120:], vectors(logs)[training*120:]); d < 0.09 {
		t.Errorf("the leak moves the held-out vectors by %g only", d)
	}
}

// With nilearn's stopping rule the numbers are nilearn's.
func TestGeometricMeanAgainstNilearn(t *testing.T) {
	all := covariances(t, people)
	s := fitted(t, all[:training], regions, Options{Reference: Geometric, Nilearn: true})
	if d := apart(s.Mean, npy(t, "nilearn_mean")); d > 1e-12 {
		t.Errorf("mean: %g apart", d)
	}
	if d := apart(vectors(s.logs(t, all)), npy(t, "nilearn_vector")); d > 1e-12 {
		t.Errorf("vectors: %g apart", d)
	}
}

// The other references by closed form: of matrices that commute, the geometric and the log-Euclidean
// mean are the geometric mean of the eigenvalues.
func TestReferences(t *testing.T) {
	const n = 3
	_, turn, _ := dense.Eigen([]float64{1, 2, -1, 2, 3, 5, -1, 5, 0}, n) // some orthogonal matrix
	var all [][]float64
	lambda := [][]float64{{1, 2, 8}, {4, 2, 2}, {2, 16, 1}}
	for _, l := range lambda {
		c := make([]float64, n*n)
		dense.Spectral(c, l, turn, n, func(l float64) float64 { return l })
		all = append(all, c)
	}
	for reference, want := range map[Reference][]float64{
		Geometric: {2, 4, math.Cbrt(16)}, LogEuclidean: {2, 4, math.Cbrt(16)},
		Euclidean: {7.0 / 3, 20.0 / 3, 11.0 / 3}} {
		s := fitted(t, all, n, Options{Reference: reference, Tolerance: 1e-10})
		mean := make([]float64, n*n)
		dense.Spectral(mean, want, turn, n, func(l float64) float64 { return l })
		if d := apart(s.Mean, mean); d > 1e-13 {
			t.Errorf("%s: %g apart", reference, d)
		}
	}
}

// Weights and patterns against differences of the map itself at the reference: the change of ⟨W, T⟩
// with C is ⟨Weights(W), dC⟩, and the change of C with T is Pattern(dT).
func TestWeightsAreTheDerivative(t *testing.T) {
	all := covariances(t, training)
	s := fitted(t, all, regions, Options{Reference: Geometric, Tolerance: 1e-10})
	r := random.New(3, "weights")
	w, dc := make([]float64, regions*regions), make([]float64, regions*regions)
	for i := range regions {
		for j := range i + 1 {
			w[i*regions+j], dc[i*regions+j] = r.Normal(), r.Normal()
			w[j*regions+i], dc[j*regions+i] = w[i*regions+j], dc[i*regions+j]
		}
	}
	at := func(h float64) (f float64, log []float64) {
		c := slices.Clone(s.Mean)
		dense.Axpy(c, h, dc)
		log = make([]float64, len(c))
		if err := s.Log(log, c); err != nil {
			t.Fatal(err)
		}
		return sum(w, log), log
	}
	const h = 1e-6
	up, logUp := at(h)
	down, logDown := at(-h)
	if got, want := sum(s.Weights(w), dc), (up-down)/(2*h); math.Abs(got-want) > 1e-7*math.Abs(want) {
		t.Errorf("⟨Weights(W), dC⟩ = %v, by difference %v", got, want)
	}
	dense.Axpy(logUp, -1, logDown)
	for i := range logUp {
		logUp[i] /= 2 * h
	}
	back, err := s.Pattern(logUp)
	if d := apart(back, dc); err != nil || d > 1e-7 {
		t.Errorf("Pattern(dT) is %g apart from dC, %v", d, err)
	}
}

func sum(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += float64(v * b[i])
	}
	return s
}

func TestFitRefuses(t *testing.T) {
	all := covariances(t, training)
	singular := make([]float64, regions*regions)
	for i := range singular {
		singular[i] = 1
	}
	all[5] = singular
	for _, reference := range []Reference{Geometric, Euclidean, LogEuclidean} {
		var not *DefiniteError
		var one *MatrixError
		_, err := Fit(context.Background(), all, regions, Options{Reference: reference, Tolerance: 1e-10})
		if !errors.As(err, &not) || !errors.As(err, &one) || one.Index != 5 {
			t.Errorf("%s of a singular matrix: %v", reference, err)
		}
	}
	all[5] = slices.Clone(all[4])
	all[5][3] = math.NaN()
	_, err := Fit(context.Background(), all, regions, Options{Reference: Geometric, Tolerance: 1e-10})
	if !errors.Is(err, dense.ErrNotFinite) {
		t.Errorf("a matrix with NaN is fitted: %v", err)
	}
	// Below rounding the mean is as good as it can be; where matrices lie too far apart there is an error.
	s := fitted(t, covariances(t, training), regions, Options{Reference: Geometric, Tolerance: 1e-30})
	if d := apart(s.Mean, npy(t, "mean")); d > 1e-12 {
		t.Errorf("below rounding: %g apart", d)
	}
	far := [][]float64{{1, 0, 0, 1e9}, {1e9, 0, 0, 1}, {5e8, 4.9999e8, 4.9999e8, 5e8}, {1, -1 + 1e-8, -1 + 1e-8, 1}}
	if s, err := Fit(context.Background(), far, 2, Options{Reference: Geometric, Tolerance: 1e-10}); err == nil {
		least := slices.MinFunc(s.Steps, func(a, b Step) int { return cmp.Compare(a.Norm, b.Norm) })
		if least.Norm > 1e-8 { // its mean is taken
			t.Errorf("the norm is %g, and there is no error", least.Norm)
		}
	} else if !strings.Contains(err.Error(), "is not found in") {
		t.Error(err)
	}
	var turned [][]float64 // two of the three nearly alike: nilearn's steps end far from the mean, with any rounding
	for _, angle := range []float64{0, 0.001, 0.8} {
		s, c := math.Sincos(angle)
		off := (1 - 1e-6) * s * c
		turned = append(turned, []float64{c*c + 1e-6*s*s, off, off, s*s + 1e-6*c*c})
	}
	if s := fitted(t, turned, 2, Options{Reference: Geometric, Nilearn: true}); !s.Stopped {
		t.Errorf("nilearn's steps end at the norm %g, and no word of it", s.Steps[len(s.Steps)-1].Norm)
	}
}

// Shrunken covariances of fewer independent volumes than regions have a mean: most of their eigenvalues are equal.
func TestFitOfManyEqualEigenvalues(t *testing.T) {
	const n, volumes = 120, 14
	r := random.New(3, "equal")
	for _, shrinkage := range []float64{0.1, 1e-3, 1e-6} {
		var all [][]float64
		for range 6 {
			x, c := make([]float64, volumes*n), make([]float64, n*n)
			for i := range volumes {
				common := r.Normal()
				for j := range n {
					x[i*n+j] = (r.Normal() + common) / math.Sqrt(2*volumes)
				}
			}
			dense.Gram(c, dense.Rows(x, n).T(), n, volumes, 1)
			for i := range c {
				c[i] *= 1 - shrinkage
				if i%(n+1) == 0 {
					c[i] += shrinkage
				}
			}
			all = append(all, c)
		}
		s := fitted(t, all, n, Options{Reference: Euclidean})
		one := make([]float64, n*n)
		sandwich(one, s.Whitening, s.Mean, n)
		for i, v := range one {
			if id := float64(max(0, 1-i%(n+1))); !(math.Abs(v-id) <= 1e-13/shrinkage) { // rounding of the largest
				t.Fatalf("shrinkage %g: entry %d of G^-1/2 G G^-1/2 is %g", shrinkage, i, v)
			}
		}
	}
}

// TestBits: the same bits on every machine (gnn/bits.sh) and for any number of threads.
func TestBits(t *testing.T) {
	const n, volumes = 21, 40
	r := random.New(2010, "bits")
	var all [][]float64
	for range 19 {
		x := make([]float64, volumes*n)
		for i := range x {
			x[i] = r.Normal()
		}
		c := make([]float64, n*n)
		dense.Gram(c, dense.Rows(x, n).T(), n, volumes, 1)
		all = append(all, c)
	}
	for reference, want := range map[Reference]string{Geometric: "2067b658be0f5ec9", Euclidean: "ab4308297fac7a8c",
		LogEuclidean: "fd1b94ec021b2aa9"} {
		for _, threads := range []int{1, 3} {
			s := fitted(t, all, n, Options{Reference: reference, Tolerance: 1e-10, Threads: threads})
			h := sha256.New()
			for _, v := range [][]float64{s.Mean, s.Whitening, s.logs(t, all)} {
				for _, x := range v {
					h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
				}
			}
			if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
				t.Errorf("%s, %d threads: %s, want %s", reference, threads, got, want)
			}
		}
	}
}
