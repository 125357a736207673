package inference

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
)

// curveFixture are the sizes and errors (1 − AUC) of the fixture's five folds.
func curveFixture(t *testing.T) (n []float64, folds []Learned, v Validation) {
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", name+".npy"))
	}
	curve, result := floats("curve"), floats("result")
	for k := range 5 {
		var errors []float64
		for s := range 6 {
			errors = append(errors, 1-result[(k*6+s)*2+1])
		}
		folds = append(folds, Learned{errors})
		v.Test, v.Train = append(v.Test, 24), append(v.Train, 96)
	}
	for s := range 6 {
		n = append(n, curve[2*s])
	}
	return n, folds, v
}

// The law is that of a grid with scipy's nnls (the fixture's oracle.py), also of resampled folds.
func TestPowerLawIsThatOfTheOracle(t *testing.T) {
	n, folds, v := curveFixture(t)
	curve := NewLearningCurve(n, folds, v)
	p := newExponents(n, exponentStep).fit(curve.Error)
	for k, x := range [][2]float64{{p.A, 0}, {p.B, 0.5098002836159852}, {p.C, 0.243},
		{1 - p.At(200), 0.8593143557217728}, {1 - p.At(400), 0.8811225461025958}} {
		if math.Abs(x[0]-x[1]) > 1e-9 {
			t.Errorf("number %d is %v, want %v", k, x[0], x[1])
		}
	}
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", name+".npy"))
	}
	picked, want := floats("boot_folds"), floats("boot_auc_200")
	e := newExponents(n, 0.05)
	for i := range e.c { // the oracle's grid begins at 0.05
		c := 0.05 + float64(float64(i)*0.05)
		if e.c[i] = c; c > mostExponent+1e-9 {
			e.c, e.powers = e.c[:i], e.powers[:i]
			break
		}
		e.powers[i] = slices.Clone(n)
		for j, x := range n {
			e.powers[i][j] = math.Pow(x, -c)
		}
	}
	for b, auc := range want {
		errors := make([]float64, len(n))
		for k := range folds {
			for s, x := range folds[int(picked[5*b+k])][0] {
				errors[s] += x / 5
			}
		}
		if got := 1 - e.fit(errors).At(200); math.Abs(got-auc) > 1e-6 {
			t.Errorf("resample %d: %v, want %v", b, got, auc)
		}
	}
}

// A law without noise is found again; errors that rise, or that are all floor, have no exponent.
func TestPowerLaw(t *testing.T) {
	n := []float64{10, 20, 40, 60, 100, 200}
	law := PowerLaw{0.15, 1.2, 0.5}
	errors := lists.Map(n, func(x float64) float64 { return 0.15 + 1.2/math.Sqrt(x) })
	got := newExponents(n, exponentStep).fit(errors)
	if math.Abs(got.A-law.A) > 1e-9 || math.Abs(got.B-law.B) > 1e-9 || math.Abs(got.C-law.C) > 1e-9 {
		t.Errorf("%+v, want %+v", got, law)
	}
	slices.Reverse(errors)
	if got := newExponents(n, exponentStep).fit(errors); got.B != 0 {
		t.Errorf("rising errors: %+v", got)
	}
}

// Parts have the rounded share of each class, at least two participants, and no more than there are.
func TestSizes(t *testing.T) {
	got := fmt.Sprint(Sizes(0.1, []int{5, 40, 1}), Sizes(0.35, []int{30, 9}), Sizes(1, []int{7}))
	need.Equal(t, got, "[2 4 1] [11 3] [7]")
}

// The sampling variance of an error is Hanley and McNeil's (1982; Newcombe's mean number of cases) of a fold, or that
// of a share, with the correction of a mean over five folds with overlapping training sets.
func TestSampledErrors(t *testing.T) {
	v := Validation{Test: []float64{24, 24, 24, 24, 24}, Train: []float64{96, 96, 96, 96, 96}}
	const a, m = 0.8, (9.6+14.4)/2 - 1
	of := a * (1 - a) * (1 + m*(1-a)/(2-a) + m*a/(1+a)) / (9.6 * 14.4)
	for k, x := range [][2]float64{{v.SampledAUC(48, 72)(1 - a), of * (1./5 + 24./96)},
		{v.SampledShare()(0.3), 0.3 * 0.7 / 24 * (1./5 + 24./96)}} {
		if math.Abs(x[0]-x[1]) > 1e-12 {
			t.Errorf("variance %d is %v, want %v", k, x[0], x[1])
		}
	}
}

// The standard errors are those of a mean over folds with overlapping training sets; a target is reached where the law
// has it, and not beyond the largest number.
func TestLearningCurve(t *testing.T) {
	n, folds, v := curveFixture(t)
	c := NewLearningCurve(n, folds, v)
	last := make([]float64, 5)
	mean, squares := 0.0, 0.0
	for k, f := range folds {
		last[k] = f[0][0] - f[0][5]
		mean += last[k] / 5
	}
	for _, x := range last {
		squares += (x - mean) * (x - mean) / 4
	}
	if want := math.Sqrt(squares * (1./5 + 24./96)); math.Abs(c.RiseSE-want) > 1e-12 || math.Abs(c.Rise-mean) > 1e-12 {
		t.Errorf("rise %v ± %v, want %v ± %v", c.Rise, c.RiseSE, mean, want)
	}
	need.Equal(t, c.Flat(), false)
	c.Fit(folds, v, v.SampledAUC(48, 72), 100, random.New(1, "test"))
	error, low, high := c.At(96)
	if !(low < error && error < high) || error != c.Law.At(96) {
		t.Errorf("%v (%v to %v)", error, low, high)
	}
	at, least, most := c.Reach(0.2, 192)
	if math.Abs(c.Law.At(at)-0.2) > 0.001 || c.Law.At(at) > 0.2 || c.Law.At(at-1) <= 0.2 {
		t.Errorf("an error of 0.2 at %v, where it is %v", at, c.Law.At(at))
	}
	if !(least < at) || !math.IsInf(most, 1) {
		t.Errorf("from %v to %v", least, most)
	}
	if at, _, _ := c.Reach(0.05, 192); !math.IsInf(at, 1) {
		t.Errorf("0.05 at %v", at)
	}
	for _, f := range folds {
		for _, errors := range f {
			slices.Reverse(errors)
		}
	}
	need.Equal(t, NewLearningCurve(n, folds, v).Flat(), true)
}

// The sampling variance of r is Fisher's, and that of 1 − R² is seen in simulated test sets; without noise of the
// resamples, an interval is that of a mean of z.
func TestSampledNumbers(t *testing.T) {
	v := Validation{Test: []float64{50}, Train: []float64{1e12}} // no correction
	if got, want := v.SampledR()(0.4), math.Pow(1-0.36, 2)/47; math.Abs(got-want) > 1e-9 {
		t.Errorf("r: %v, want %v", got, want)
	}
	s := random.New(5, "explained")
	for _, c := range []struct{ explained, noise float64 }{{0.5, 0}, {0.2, 0}, {0, 0.5}} {
		// y = p + u; the prediction is p with noise
		var all []float64
		for range 4000 {
			var miss, y, yy float64
			for range 50 {
				p := math.Sqrt(c.explained) * s.Normal()
				u := math.Sqrt(1-c.explained) * s.Normal()
				d := u - math.Sqrt(c.noise)*s.Normal()
				miss, y, yy = miss+d*d, y+(p+u), yy+(p+u)*(p+u)
			}
			all = append(all, math.Log(miss/(yy-y*y/50)))
		}
		_, got := meanVariance(all)
		error := 1 - c.explained + c.noise
		if want := v.SampledExplained()(error) / (error * error); math.Abs(got/want-1) > 0.15 {
			t.Errorf("%v: variance %v, want %v", c, got, want)
		}
	}
}
