package connectivity

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prgnn/internal/need"
)

func TestReadRelmat(t *testing.T) {
	want := []float64{1, .5, .25, .5, 1, -.1, .25, -.1, 1}
	abc := []string{"a", "b", "c"}
	for name, c := range map[string]struct {
		text  string
		names []string
	}{
		"XCP-D":             {"Node\ta\tb\tc\na\t1\t.5\t.25\nb\t.5\t1\t-.1\nc\t.25\t-.1\t1\n", abc},
		"pandas with names": {",a,b,c\na,1,.5,.25\nb,.5,1,-.1\nc,.25,-.1,1\n", abc},
		"giga_connectome":   {"0\t1\t2\n1.0\t0.5\t0.25\n0.5\t1.0\t-0.1\n0.25\t-0.1\t1.0\n", []string{"0", "1", "2"}},
		"pandas":            {"\t0\t1\t2\n0\t1.0\t0.5\t0.25\n1\t0.5\t1.0\t-0.1\n2\t0.25\t-0.1\t1.0\n", []string{"0", "1", "2"}},
		"columns alone":     {"a,b,c\n1,.5,.25\n.5,1,-.1\n.25,-.1,1\n", abc},
		"in quotes":         {"\"1\",\".5\",\".25\"\n\".5\",\"1\",\"-.1\"\n\".25\",\"-.1\",\"1\"\n", nil},
		"R":                 {"\"\",\"a\",\"b\",\"c\"\n\"a\",1,.5,.25\n\"b\",.5,1,-.1\n\"c\",.25,-.1,1\n", abc},
		"whole first row":   {"1 0 0\n.5 1 0\n.25 -.1 1\n", nil},
		"MRtrix":            {"# mrtrix\n1 .5 .25\n.5 1 -.1\n.25 -.1 1\n", nil},
	} {
		names, x, err := ReadRelmat(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Join(names, " ") != strings.Join(c.names, " ") {
			t.Errorf("%s: names %q, want %q", name, names, c.names)
		}
		for i, v := range want {
			if x.Data[i] != v && !(name == "whole first row" && i%3 > i/3 && x.Data[i] == 0) {
				t.Errorf("%s: read %v", name, x.Data)
				break
			}
		}
	}
	for text, want := range map[string]string{
		"Node\ta\tb\nb\t1\t0\na\t0\t1\n": `row 1 is "b" and column 1 is "a"`,
		"1 2 3\n4 5 6\n":                 "2 rows and 3 columns",
		"\x00":                           "not a text",
	} {
		if _, _, err := ReadRelmat(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzReadRelmat(f *testing.F) {
	f.Add([]byte("Node\ta\tb\na\t1\t.5\nb\t.5\t1\n"))
	f.Add([]byte(",0,1\n0,1,.5\n1,.5,1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		names, x, err := ReadRelmat(strings.NewReader(string(b)))
		if err == nil && (x.Rows != x.Cols || len(x.Data) != x.Rows*x.Cols || names != nil && len(names) != x.Cols) {
			t.Errorf("%d names, %d×%d, %d numbers", len(names), x.Rows, x.Cols, len(x.Data))
		}
	})
}

// One triangle of a matrix is refused as such, and no correlations as of another unit.
func TestTriangleAndIndefinite(t *testing.T) {
	_, _, _, err := Given(square(3, 1, 0, 0, .5, 1, 0, .25, -.1, 1), false)
	need.Error(t, err, "all entries above the diagonal are 0: the file holds one triangle")
	_, _, _, err = Given(square(3, 1, .5, .25, 0, 1, -.1, 0, 0, 1), false)
	need.Error(t, err, "all entries below the diagonal are 0: the file holds one triangle")
	_, _, err = PartialOf(square(3, 1, -.9, -.9, -.9, 1, -.9, -.9, -.9, 1), Ridge, 0.1, 0)
	need.Error(t, err, "if the files hold Fisher's z, set fisher_z")
	need.Equal(t, errors.As(err, new(UnitError)), true)
}

func randomSeries(seed uint64, volumes, regions int) Matrix {
	return Matrix{Rows: volumes, Cols: regions, Data: randoms(seed, volumes*regions)}
}

func square(n int, v ...float64) Matrix { return Matrix{Rows: n, Cols: n, Data: v} }

func TestGiven(t *testing.T) {
	nan := math.NaN()
	r, missing, constant, err := Given(square(4,
		0, .5, nan, 0,
		.5000001, nan, nan, 0,
		nan, nan, nan, nan,
		0, 0, nan, 0), false)
	need.NoError(t, err)
	if missing != 1 || constant != 1 {
		t.Errorf("%d missing, %d constant, want one each", missing, constant)
	}
	for i, want := range square(4, 1, .50000005, 0, 0, .50000005, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1).Data {
		if math.Abs(r.Data[i]-want) > 1e-15 {
			t.Errorf("entry %d is %v, want %v", i, r.Data[i], want)
		}
	}
	z, _, _, err := Given(square(2, math.Inf(1), 1, 1, 0), true)
	if err != nil || math.Abs(z.At(0, 1)-math.Tanh(1)) > 1e-15 || z.At(0, 0) != 1 {
		t.Errorf("Fisher's z: %v, %v", z.Data, err)
	}
	inf := math.Inf(1)
	for _, v := range [][2]float64{{inf, inf}, {-inf, -inf}, {inf, 1}, {1, -inf}} {
		m := square(2, 0, v[0], v[1], 0)
		_, _, _, err := Given(m, true)
		need.Error(t, err, "only a correlation of ±1 has an infinite Fisher's z: the two regions have the same series", v)
		_, _, _, err = Given(m, false)
		need.Error(t, err, "a correlation is between −1 and 1", v)
	}
	for want, m := range map[string]Matrix{
		"not symmetric":      square(2, 1, .5, .6, 1),
		"between −1 and 1":   square(2, 0, 1.5, 1.5, 0),
		"on the diagonal":    square(2, 2, .5, .5, 2),
		"row 2, column 1":    square(3, 1, nan, .5, nan, 1, .5, .5, .5, 1),
		"regions by regions": {Rows: 1, Cols: 2, Data: []float64{1, 2}},
	} {
		if _, _, _, err := Given(m, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", m.Data, err, want)
		}
	}
}

// Numbers of another unit are those of a matrix; a value that is alone in it is damaged, and −1 on the diagonal is what
// a precision matrix leaves there.
func TestGivenUnit(t *testing.T) {
	of := func(diagonal, a, b, c float64) Matrix {
		return square(3, diagonal, a, b, a, diagonal, c, b, c, diagonal)
	}
	one := of(1, .5, .5, .5)
	one.Data[4] = 7
	negative := of(1, .5, .5, .5)
	negative.Data[8] = -7
	missing := square(4, 1, .5, 9, math.NaN(), .5, 1, .5, math.NaN(), 9, .5, 1, math.NaN(), math.NaN(),
		math.NaN(), math.NaN(),
		math.NaN())
	for _, c := range []struct {
		name, want string
		m          Matrix
		unit       bool
	}{
		{"two beside 1", "if these are Fisher's z", of(1, 1.5, .2, 1.2), true},
		{"one beside 0", "if these are Fisher's z", of(0, 1.5, .2, .3), true},
		{"one beside 1", "row 2, column 1 is 1.5, but a correlation is between −1 and 1, as all others here are", of(1, 1.5, .2, .3), false},
		{"one beside 1, a region missing", "row 3, column 1 is 9, ", missing, false},
		{"one beyond any z", "row 3, column 2 is -70, ", of(0, .1, .2, -70), false},
		{"one infinite", "row 2, column 1 is +Inf", of(1, math.Inf(1), .2, .3), false},
		{"covariance", "covariance and precision matrices are refused", of(2, .5, .2, .3), true},
		{"z, infinite diagonal", "set fisher_z", of(math.Inf(1), .5, .2, .3), true},
		{"one variance", "row 2 has 7 on the diagonal, but a correlation matrix has 1 (or 0, or n/a), as 2 of 3 rows here", one, false},
		{"one negative", "row 3 has -7 on the diagonal", negative, false},
		{"precision", "set it to 1 in all files", of(-1, .5, .2, .3), false},
	} {
		_, _, _, err := Given(c.m, false)
		need.Error(t, err, c.want)
		need.Equal(t, errors.As(err, new(UnitError)), c.unit, c.name)
	}
}

// From the empirical correlation follows the empirical partial correlation, and with
// ridge that of the series by ridge: FSLNets' covariance of z-scored series has unit
// diagonal.
func TestPartialOfIsThatOfTheSeries(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(3, 20).Draw(rt, "regions")
		x := randomSeries(rapid.Uint64().Draw(rt, "seed"), 3*n+20, n)
		if rapid.Bool().Draw(rt, "constant region") {
			for i := range x.Rows {
				x.Row(i)[n/2] = 7
			}
		}
		for _, e := range []Estimator{Empirical, Ridge} {
			c, err := Estimate([]Matrix{x}, Options{Partial: e, Rho: 0.1})
			need.NoError(rt, err)
			r, _, _, err := Given(square(n, c.Pearson...), false)
			need.NoError(rt, err)
			p, q, err := PartialOf(r, e, 0.1, float64(x.Rows-1))
			need.NoError(rt, err)
			for i, v := range p.Data {
				if math.Abs(v-c.Partial[i]) > 1e-9 {
					rt.Fatalf("%s: entry %d is %v, of the series %v", e, i, v, c.Partial[i])
				}
			}
			if want := c.Quality[0]; q.Constant != want.Constant ||
				q.PartialSE != want.PartialSE && !math.IsNaN(want.PartialSE) ||
				math.Abs(q.Condition-want.Condition) > 1e-6*want.Condition {
				rt.Fatalf("%s: quality %+v, of the series %+v", e, q, want)
			}
		}
	})
}

func TestPartialOfRefuses(t *testing.T) {
	c := need.Value(Estimate([]Matrix{randomSeries(1, 60, 10)}, Options{}))(t)
	r := square(10, c.Pearson...)
	copies := r.Clone()
	for j := range 10 {
		copies.Row(1)[j] = copies.At(0, j)
	}
	for j := range 10 {
		copies.Row(j)[1] = copies.At(j, 0)
	}
	indefinite := square(3, 1, .9, -.9, .9, 1, .9, -.9, .9, 1) // its least eigenvalue is -0.8
	_, _, err := PartialOf(indefinite, Ridge, 0.81, 60)
	need.NoError(t, err)
	for want, f := range map[string]func() error{
		"use a larger rho": func() error {
			_, _, err := PartialOf(indefinite, Ridge, 0.79, 60)
			return err
		},
		"needs at least 20 degrees of freedom, but there are 15: the estimate would be mostly noise; use partial: ridge": func() error { _, _, err := PartialOf(r, Empirical, 0, 15); return err },
		"needs the time series": func() error {
			_, _, err := PartialOf(r, LedoitWolf, 0, 60)
			return err
		},
		"cannot be inverted": func() error {
			_, _, err := PartialOf(copies, Empirical, 0, 60)
			return err
		},
	} {
		need.Error(t, f(), want)
	}
}

// The correlation of series and their partial correlations, by any estimator, also rounded, are no problem. One matrix
// for both is one, and so are the two exchanged: by their inverse, or where the correlation has large eigenvalues.
func TestCheckPartial(t *testing.T) {
	rounded := func(x Matrix, unit float64) Matrix {
		x = x.Clone()
		for i, v := range x.Data {
			x.Data[i] = math.Round(v/unit) * unit
		}
		return x
	}
	found := map[PartialProblem]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(3, 30).Draw(rt, "regions")
		x := randomSeries(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(n/2+3, 5*n+20).Draw(rt, "volumes"), n)
		shared := rapid.SampledFrom([]float64{0, 0.1, 0.5, 1, 3}).Draw(rt, "shared")
		for i := range x.Rows {
			for j := 1; j < n; j++ {
				x.Row(i)[j] += float64(shared * x.At(i, 0))
			}
		}
		e := rapid.SampledFrom([]Estimator{Empirical, Ridge, LedoitWolf}).Draw(rt, "estimator")
		c, err := Estimate([]Matrix{x}, Options{Partial: e, Rho: 0.1})
		if err != nil {
			return
		}
		r, p := square(n, c.Pearson...), square(n, c.Partial...)
		unit := rapid.SampledFrom([]float64{1e-12, 1e-6, 1e-3}).Draw(rt, "unit")
		need.Equal(rt, CheckPartial(rounded(r, unit), rounded(p, 1e-2)), NoProblem)
		for _, one := range []Matrix{r, p} {
			of, ok := inverted(one)
			if farthest(one, NewMatrix(n, n)) > 0.15 && (!ok || farthest(of, one) > 0.05) {
				need.Equal(rt, CheckPartial(rounded(one, unit), rounded(one, 1e-3)), EqualMatrix)
			}
		}
		exchanged := CheckPartial(rounded(p, unit), rounded(r, unit))
		found[exchanged]++
		if e == Empirical && unit < 1e-6 && shared == 1 && n > 5 {
			need.Equal(rt, exchanged, Exchanged)
		}
	})
	if found[Exchanged] == 0 || found[NoPartial] == 0 {
		t.Errorf("problems of exchanged matrices: %v", found)
	}
	two := square(2, 1, .5, .5, 1)
	need.Equal(t, CheckPartial(two, two), NoProblem)
	pairs := square(4, 1, .5, 0, 0, .5, 1, 0, 0, 0, 0, 1, -.3, 0, 0, -.3, 1) // each its own partial correlation
	need.Equal(t, CheckPartial(pairs, pairs), NoProblem)
}

// The form of a matrix: its diagonal and its negative entries, without the regions that have no signal.
func TestForm(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		rows     []float64
		diagonal string
		negative float64
		repeated float64
	}{
		{[]float64{1, 0.5, -0.2, 0.5, 1, 0.1, -0.2, 0.1, 1}, "1", 1. / 3, 0},
		{[]float64{0, 0.5, 0.2, 0.5, 0, 0.1, 0.2, 0.1, 0}, "0", 0, 0},
		{[]float64{nan, 0.5, 0.2, 0.5, nan, -0.1, 0.2, -0.1, nan}, "n/a", 1. / 3, 0},
		{[]float64{7.2, 0.5, 0.2, 0.5, 7.2, 0.1, 0.2, 0.1, 7.2}, "others", 0, 0},
		{[]float64{1, 0.5, nan, 0.5, 1, nan, nan, nan, nan}, "1", 0, 0},
		{[]float64{1, 0.2, 0.2, 0.2, 1, 0.1, 0.2, 0.1, 1}, "1", 0, 2. / 3},
		{[]float64{1, 0.3, 0.3, 0.3, 1, 0.3, 0.3, 0.3, 1}, "1", 0, 1},
	} {
		diagonal, negative, repeated := Form(Matrix{Rows: 3, Cols: 3, Data: c.rows})
		need.Equal(t, diagonal, c.diagonal)
		need.Equal(t, negative, c.negative)
		need.Equal(t, repeated, c.repeated)
	}
}
