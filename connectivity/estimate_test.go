package connectivity

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

var estimators = []Estimator{Empirical, LedoitWolf, OAS, Ridge, Glasso}

// series draws T×N numbers with common courses, so that correlations are of all sizes.
func series(t *rapid.T) Matrix {
	n := rapid.IntRange(2, 14).Draw(t, "regions")
	volumes := rapid.IntRange(n+margin+1, 60).Draw(t, "volumes")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
	x := NewMatrix(volumes, n)
	for i := range volumes {
		common := r.NormFloat64()
		for j := range n {
			x.Row(i)[j] = r.NormFloat64() + common*float64(j%3)
		}
	}
	return x
}

func TestMatricesHaveTheirProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := series(t)
		before := x.Clone()
		e := rapid.SampledFrom(estimators).Draw(t, "estimator")
		o := Options{Partial: e, Rho: 0.1, Alpha: 0.2, Both: true, Tolerance: 1e-12}
		if e == LedoitWolf || e == OAS {
			o.Pearson = e
		}
		c := need.Value(Estimate([]Matrix{x}, o))(t)
		for i := range x.Data {
			if x.Data[i] != before.Data[i] {
				t.Fatal("the input was changed")
			}
		}
		n := x.Cols
		for kind, v := range map[string][]float64{"pearson": c.Pearson, "partial": c.Partial,
			"covariance": c.Covariance, "precision": c.Precision} {
			s := mat.NewSymDense(n, v)
			for i := range n {
				for j := range n {
					if v[i*n+j] != v[j*n+i] {
						t.Fatalf("%s is not symmetric at (%d,%d)", kind, i, j)
					}
					if kind != "covariance" && kind != "precision" &&
						(math.Abs(v[i*n+j]) > 1 || (i == j) != (v[i*n+j] == 1) && i == j) {
						t.Fatalf("%s has %v at (%d,%d)", kind, v[i*n+j], i, j)
					}
				}
			}
			if kind == "partial" { // 2I − R is the scaled precision: positive definite
				for i := range n {
					for j := range n {
						if i != j {
							s.SetSym(i, j, -v[i*n+j])
						}
					}
				}
			}
			var eigen mat.EigenSym
			if !eigen.Factorize(s, false) {
				t.Fatal("no eigenvalues")
			}
			if low := eigen.Values(nil)[0]; low < -1e-12 {
				t.Fatalf("%s by %s has the eigenvalue %v", kind, e, low)
			}
		}
		// The precision is the inverse of the covariance.
		var product mat.Dense
		product.Mul(mat.NewSymDense(n, c.Covariance), mat.NewSymDense(n, c.Precision))
		tolerance := 1e-9
		if e == Glasso {
			tolerance = 1e-4 // the root of the dual gap where it ends, and some
		}
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(product.At(i, j)-want) > tolerance {
					t.Fatalf("%s: covariance times precision is %v at (%d,%d)", e, product.At(i, j), i, j)
				}
			}
		}
	})
}

// Another order of the regions gives the same matrices in that order, and another
// scale or level of a region gives the same matrices.
func TestMatricesFollowTheRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := series(t)
		e := rapid.SampledFrom(estimators).Draw(t, "estimator")
		o := Options{Partial: e, Rho: 0.1, Alpha: 0.2, Tolerance: 1e-12}
		perm := rapid.Permutation(lists.UpTo(x.Cols)).Draw(t, "order")
		y := NewMatrix(x.Rows, x.Cols)
		for i := range x.Rows {
			for j, p := range perm {
				y.Row(i)[j] = 1000 + float64(j+1)*x.At(i, p)
			}
		}
		tolerance := 1e-8
		if e == Glasso {
			tolerance = 1e-5 // the root of the dual gap where it ends, and some
		}
		a, b := need.Value(Estimate([]Matrix{x}, o))(t), need.Value(Estimate([]Matrix{y}, o))(t)
		for i, pi := range perm {
			for j, pj := range perm {
				for kind, v := range map[string][2]float64{
					"pearson": {a.Pearson[pi*x.Cols+pj], b.Pearson[i*x.Cols+j]},
					"partial": {a.Partial[pi*x.Cols+pj], b.Partial[i*x.Cols+j]},
				} {
					if math.Abs(v[0]-v[1]) > tolerance {
						t.Fatalf("%s by %s: %v becomes %v", kind, e, v[0], v[1])
					}
				}
			}
		}
	})
}

func TestPearsonIsGonums(t *testing.T) {
	x := Matrix{Rows: 146, Cols: 84, Data: randoms(8, 146*84)}
	c := need.Value(Estimate([]Matrix{x}, Options{}))(t)
	var want mat.SymDense
	stat.CorrelationMatrix(&want, mat.NewDense(x.Rows, x.Cols, x.Clone().Data), nil)
	closeTo(t, "pearson", c.view(c.Pearson, 0),
		Matrix{Rows: 84, Cols: 84, Data: mat.DenseCopyOf(&want).RawMatrix().Data}, 1e-13)
}

// What Inspect calls constant, Estimate does, too.
func TestNearlyConstantRegionsHaveNoSignal(t *testing.T) {
	x := columns(randoms(1, 40), randoms(2, 40), randoms(3, 40))
	for i := range 40 {
		x.Row(i)[1] = 1e6 + 1e-7*x.At(i, 1)
	}
	c := need.Value(Estimate([]Matrix{x}, Options{}))(t)
	if q := c.Quality[0]; q.Constant != 1 || c.Pearson[1] != 0 || c.Pearson[2] == 0 {
		t.Errorf("%d constant regions, correlations %v", q.Constant, c.Pearson)
	}
}

// nilearn's example of a precision and its partial correlations.
func TestPartialOfAPrecision(t *testing.T) {
	const m = 8
	p := make([]float64, m*m)
	for i, row := range [][]float64{{2, -1, 1}, {-1, 2, -1}, {1, -1, 1}} {
		copy(p[i*m:], row)
	}
	got := NewMatrix(3, 3)
	partials(got, []int{0, 1, 2}, p, m)
	h := math.Sqrt2 / 2
	closeTo(t, "partial", got, columns([]float64{1, 0.5, -h}, []float64{0.5, 1, h}, []float64{-h, h, 1}), 1e-15)
}

func TestRegionsWithoutASignalTakeNoPart(t *testing.T) {
	x := Matrix{Rows: 60, Cols: 9, Data: randoms(1, 540)}
	y := NewMatrix(60, 11)
	place := []int{0, 1, 2, 4, 5, 6, 7, 9, 10}
	for i := range 60 {
		for j, p := range place {
			y.Row(i)[p] = x.At(i, j)
		}
		y.Row(i)[3], y.Row(i)[8] = nan, 42
	}
	for _, e := range estimators {
		o := Options{Pearson: LedoitWolf, Partial: e, Rho: 0.1, Alpha: 0.1, Both: true}
		a, b := need.Value(Estimate([]Matrix{x}, o))(t), need.Value(Estimate([]Matrix{y}, o))(t)
		if q := b.Quality[0]; q.Missing != 1 || q.Constant != 1 || q.Regions != 11 ||
			q.Shrinkage != a.Quality[0].Shrinkage && e != Empirical || q.PartialSE != a.Quality[0].PartialSE {
			t.Errorf("%s: quality %+v", e, q)
		}
		for kind, v := range map[string][2][]float64{"pearson": {a.Pearson, b.Pearson}, "partial": {a.Partial,
			b.Partial}, "covariance": {a.Covariance, b.Covariance}, "precision": {a.Precision, b.Precision}} {
			for i, pi := range place {
				for j, pj := range place {
					if v[0][i*9+j] != v[1][pi*11+pj] {
						t.Fatalf("%s of %s: (%d,%d) is %v with and %v without", kind, e, i, j, v[1][pi*11+pj], v[0][i*9+j])
					}
				}
			}
			for _, k := range []int{3, 8} {
				for j := range 11 {
					want := 0.0
					if j == k && (kind == "pearson" || kind == "partial") {
						want = 1
					}
					if v[1][k*11+j] != want || v[1][j*11+k] != want {
						t.Fatalf("%s of %s: (%d,%d) is %v, want %v", kind, e, k, j, v[1][k*11+j], want)
					}
				}
			}
		}
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	draws := manySeries(9)
	for _, e := range estimators[:4] {
		o := Options{Partial: e, Rho: 1, Pearson: LedoitWolf, FisherZ: FisherBoth}
		one := need.Value(Estimate(draws, o))(t)
		o.Workers = 8
		eight := need.Value(Estimate(draws, o))(t)
		for i := range one.Partial {
			if math.Float64bits(one.Partial[i]) != math.Float64bits(eight.Partial[i]) ||
				math.Float64bits(one.Pearson[i]) != math.Float64bits(eight.Pearson[i]) {
				t.Fatalf("%s: element %d differs", e, i)
			}
		}
		for d := range draws {
			if one.Quality[d].Condition != eight.Quality[d].Condition {
				t.Fatalf("%s: the quality of draw %d differs", e, d)
			}
		}
	}
}

func TestQuality(t *testing.T) {
	x := Matrix{Rows: 146, Cols: 84, Data: randoms(1, 146*84)}
	q := need.Value(Estimate([]Matrix{x}, Options{Partial: Empirical}))(t).Quality[0]
	if want := 1 / math.Sqrt(146-82-3); q.TEff != 145 || math.Abs(q.PartialSE-want) > 1e-15 { // 0.128
		t.Errorf("T_eff %v, standard error %v, want 145, %v", q.TEff, q.PartialSE, want)
	}
	want := Weakness{Noisy, 84, 146, 145, q.PartialSE, Empirical, false, false, "ledoit-wolf or ridge", false}
	if q.Weakness == nil || *q.Weakness != want || !math.IsNaN(q.Shrinkage) {
		t.Errorf("%+v, shrinkage %v", q.Weakness, q.Shrinkage)
	}
	// The empirical partial correlations of independent series have that spread.
	c := need.Value(Estimate([]Matrix{x}, Options{Partial: Empirical, FisherZ: FisherPartial}))(t)
	sum, n := 0.0, 0
	for i := range 84 {
		for j := range i {
			sum += c.Partial[i*84+j] * c.Partial[i*84+j]
			n++
		}
	}
	if sd := math.Sqrt(sum / float64(n)); math.Abs(sd/q.PartialSE-1) > 0.06 {
		t.Errorf("the partial correlations of noise have the standard deviation %v, and %v was foretold", sd, q.PartialSE)
	}
	// The condition number, from its definition.
	e := need.Value(Estimate([]Matrix{x}, Options{Both: true}))(t)
	s := mat.NewSymDense(84, e.Covariance)
	var inverse mat.Dense
	need.NoError(t, inverse.Inverse(s))
	if want := mat.Norm(s, 1) * mat.Norm(&inverse, 1); math.Abs(e.Quality[0].Condition/want-1) > 1e-10 {
		t.Errorf("condition number %v, want %v", e.Quality[0].Condition, want)
	}
	need.Equal(t, e.Quality[0].Weakness == nil, true, "at T = 146")
	for _, c := range []struct {
		teff float64
		want string
	}{{94, ""}, {93.9, Poor}, {84, Poor}, {83, Undetermined}} {
		o := Options{TEff: c.teff, Band: true}
		switch w := need.Value(Estimate([]Matrix{x}, o))(t).Quality[0].Weakness; {
		case w == nil:
			need.Equal(t, "", c.want, c.teff)
		case w.Kind != c.want || w.Regions != 84 || w.Volumes != 146 || w.TEff != c.teff ||
			w.Estimator != LedoitWolf || !w.Band || w.Nuisance:
			t.Errorf("%+v, want %s", w, c.want)
		}
	}
	shorter := need.Value(Estimate([]Matrix{{Rows: 85, Cols: 84, Data: x.Data[:85*84]}}, Options{}))(t)
	if !math.IsNaN(shorter.Quality[0].PartialSE) {
		t.Error("a standard error where there is none")
	}
}

func TestFisherZIsBounded(t *testing.T) {
	v := randoms(1, 30)
	c := need.Value(Estimate([]Matrix{columns(v, v, randoms(2, 30))}, Options{FisherZ: FisherPearson}))(t)
	if q := c.Quality[0]; q.Saturated != 1 {
		t.Errorf("%d saturated pairs, want 1", q.Saturated)
	}
	if z := c.Pearson[1]; z < 17 || z > 18 || c.Pearson[0] != 0 {
		t.Errorf("z %v, diagonal %v", z, c.Pearson[0])
	}
}

func TestEstimateRefusesWhatHasNoAnswer(t *testing.T) {
	v := randoms(1, 40)
	copies, square := columns(v, v, randoms(2, 40)), make([]float64, 40)
	for i := range square {
		square[i] = 1 - 2*float64(i%2)
	}
	equal := columns(square, square, square) // every volume has the same products, so that δ is 0
	for _, c := range []struct {
		x    Matrix
		o    Options
		want string
	}{
		{copies, Options{Partial: Empirical}, "the empirical covariance of 3 regions over 40 volumes is singular: two regions may be identical, or there are too few volumes; use ledoit-wolf or ridge"},
		{copies, Options{Partial: Ridge}, "the ridge covariance of 3 regions over 40 volumes is singular: two regions may be identical, or there are too few volumes; use a larger rho"},
		{equal, Options{}, "the ledoit-wolf covariance of 3 regions over 40 volumes is singular: two regions may be identical, or there are too few volumes; ledoit-wolf regularizes too little here: use ridge, or leave out one of identical regions"},
		{columns(v, make([]float64, 40)), Options{}, "too few volumes or regions for connectivity: 40 volumes, 1 region with a signal (0 missing, 1 constant)"},
		{columns([]float64{1, 3, 2, 2}, []float64{nan, nan, nan, nan}, []float64{nan, nan, nan, nan}), Options{}, "too few volumes or regions for connectivity: 4 volumes, 1 region with a signal (2 missing, 0 constant): the labels may not overlap the brain"},
		{columns([]float64{1, nan, 2}, []float64{3, 1, 2}), Options{}, "region 1 has no value in 1 of 3 volumes, first in volume 2; a region needs all volumes, or none when it is missing"},
		{copies, Options{Partial: "lasso"}, `unknown estimator "lasso"`},
		{copies, Options{Pearson: Glasso}, `unknown correlation estimator "glasso": choose empirical, ledoit-wolf or oas`},
	} {
		if _, err := Estimate([]Matrix{c.x}, c.o); err == nil || err.Error() != "draw 0: "+c.want {
			t.Errorf("error %v\nwant  %s", err, c.want)
		}
	}
	if _, err := Estimate(nil, Options{}); err == nil {
		t.Error("no series have connectivity")
	}
	if _, err := Estimate([]Matrix{copies, columns(v, v)}, Options{}); err == nil || err.Error() != "draw 1: it has 2 regions, but draw 0 has 3" {
		t.Errorf("error %v", err)
	}
}
