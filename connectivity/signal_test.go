package connectivity

import (
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
)

var nan, inf = math.NaN(), math.Inf(1)

func columns(cols ...[]float64) Matrix {
	m := NewMatrix(len(cols[0]), len(cols))
	for j, c := range cols {
		m.setColumn(j, c)
	}
	return m
}

func (s Status) String() string { return [...]string{"present", "missing", "constant"}[s] }

func TestInspect(t *testing.T) {
	status, err := Inspect(columns(
		[]float64{1, 2, 3}, []float64{nan, nan, nan}, []float64{1000, 1000, 1000},
		[]float64{1000, 1000.0000000001, 1000}, []float64{0, 0, 0}, []float64{0, 1e-300, 0}))
	need.NoError(t, err)
	want := []Status{Present, Missing, Constant, Constant, Constant, Present}
	for j, s := range status {
		need.Equal(t, s, want[j], "region", j+1)
	}
	if m, c := count(status); m != 1 || c != 3 {
		t.Errorf("%d missing and %d constant, want 1 and 3", m, c)
	}
	for _, c := range []struct {
		x    Matrix
		want string
	}{
		{columns([]float64{1, nan, 3}), "region 1 has no value in 1 of 3 volumes, first in volume 2; a region needs all volumes, or none when it is missing"},
		{columns([]float64{1, 2, 3}, []float64{1, -inf, 2}), "region 2 is infinite in volume 2"},
		{columns([]float64{1, 2, 3}, []float64{1e308, -1e308, 2}), "region 2 holds values as large as 1e+308: sums of their squares overflow; scale the series"},
	} {
		if _, err := Inspect(c.x); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	many := NewMatrix(2, 9)
	for j := range 9 {
		many.Data[j] = inf
	}
	if _, err := Inspect(many); err == nil || strings.Count(err.Error(), "\n") != 5 ||
		!strings.HasSuffix(err.Error(), "and 4 more") {
		t.Errorf("nine mistakes are told as %v", err)
	}
}

func TestZScore(t *testing.T) {
	x := columns([]float64{1, 2, 3, 6}, []float64{nan, nan, nan, nan}, []float64{7, 7, 7, 7})
	status := need.Value(Inspect(x))(t)
	z := x.Clone()
	zscore(z, status)
	// mean 3, sum of squares 14, standard deviation √(14/3)
	for i, v := range []float64{-2, -1, 0, 3} {
		if want := v / math.Sqrt(14.0/3); math.Abs(z.At(i, 0)-want) > 1e-15 {
			t.Errorf("z(%d) = %v, want %v", i, z.At(i, 0), want)
		}
		if !math.IsNaN(z.At(i, 1)) || z.At(i, 2) != 0 {
			t.Errorf("a missing region became %v, a constant one %v", z.At(i, 1), z.At(i, 2))
		}
	}
}

func unchanged(t *testing.T, x, before Matrix) {
	t.Helper()
	for i := range x.Data {
		if math.Float64bits(x.Data[i]) != math.Float64bits(before.Data[i]) {
			t.Fatalf("the input was changed at %d", i)
		}
	}
}
