package gnn

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

// The numbers of parameters that the readings of the paper state.
func TestParameterCounts(t *testing.T) {
	sage := Paper(84)
	sage.Pool = "sage"
	six := Paper(84)
	six.Widths, six.Hidden, six.Readout, six.ConvBias = []int{32, 32}, []int{32, 8}, "maxmean", true
	for name, c := range map[string]struct {
		o    Options
		want int
	}{"topk": {Paper(84), 2122}, "sage": {sage, 2126}, "32, maxmean": {six, 6330}} {
		need.Equal(t, c.o.Layout().Len(), c.want, name, "parameters")
	}
}

// Starting weights fill ±bound evenly, and each array has its own.
func TestInitial(t *testing.T) {
	o := AuthorsCode(84)
	o.Tied = false
	l := o.Layout()
	bounds := map[string]float64{
		"conv1_Theta": math.Sqrt(6. / (32 + 84)), "conv2_Theta": math.Sqrt(6. / 64), "conv1_a": math.Sqrt(6. / 33),
		"pool1_w": 1 / math.Sqrt(32), "fc1_W": 1 / math.Sqrt(128), "fc1_b": 1 / math.Sqrt(128),
		"fc3_W": 1 / math.Sqrt(8),
	}
	for name, bound := range bounds {
		p, ok := l.Find(name)
		if !ok {
			t.Fatalf("no array %s", name)
		}
		v := o.initial(l, p, 1)
		largest, sum := 0.0, 0.0
		for _, x := range v {
			largest = max(largest, math.Abs(x))
			sum += x
		}
		n := float64(len(v))
		if largest > bound || largest < bound*(1-8/n) || math.Abs(sum/n) > 4*bound/math.Sqrt(3*n) {
			t.Errorf("%s: values up to %v with mean %v, bound %v", name, largest, sum/n, bound)
		}
	}
	a, _ := l.Find("fc1_b")
	x, y, z := o.initial(l, a, 1), o.initial(l, a, 2), o.initial(l, a, 1, "repeat", 2)
	if x[0] == y[0] || x[0] == z[0] {
		t.Error("another seed or repeat gives the same starting weights")
	}
}

func TestCheck(t *testing.T) {
	for _, o := range []Options{Paper(84), AuthorsCode(84)} {
		need.NoError(t, o.Check())
	}
	bad := Paper(0)
	bad.Pool, bad.Ratio, bad.Sigma, bad.Lambda1 = "topkk", 0, -1, math.NaN()
	want := "features: 0 per node, want at least 1\npool: \"topkk\", want one of topk, sage\nratio: 0, want more than 0 and at most 1\n" +
		"sigma: -1, want a positive number\nlambda1: NaN is not finite"
	if err := bad.Check(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
