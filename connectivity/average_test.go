package connectivity

import (
	"math"
	"testing"
)

func TestAverage(t *testing.T) {
	var a Average
	a.Add(square(3, 1, .2, 0, .2, 1, 0, 0, 0, 1)) // region 3 has no signal here
	a.Add(square(3, 1, .6, .5, .6, 1, -.5, .5, -.5, 1))
	m := a.Mean()
	want := math.Tanh((math.Atanh(.2) + math.Atanh(.6)) / 2)
	if math.Abs(m.At(0, 1)-want) > 1e-15 || m.At(1, 0) != m.At(0, 1) || math.Abs(m.At(0, 2)-.5) > 1e-15 ||
		m.At(2, 2) != 1 || a.Matrices() != 2 {
		t.Errorf("mean %v, want %v, .5 and 1", m.Data, want)
	}
	var none Average
	none.Add(square(2, 1, 0, 0, 1))
	if !math.IsNaN(none.Mean().At(0, 1)) {
		t.Errorf("the mean of nothing is %v", none.Mean().At(0, 1))
	}
	var copies Average
	copies.Add(square(2, 1, 1, 1, 1))
	if v := copies.Mean().At(0, 1); !(v > 0.999999 && v <= 1) {
		t.Errorf("the mean of two copies is %v", v)
	}
	plain := Average{Plain: true} // covariances: their diagonal counts, too
	plain.Add(square(2, 4, -2, -2, 9))
	plain.Add(square(2, 2, 5, 5, 1))
	if v := plain.Mean().Data; v[0] != 3 || v[1] != 1.5 || v[2] != 1.5 || v[3] != 5 {
		t.Errorf("the mean of covariances is %v", v)
	}
}
