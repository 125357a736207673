package baseline

import (
	"context"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/random"
)

// What a machine that does not converge is said to need is what its settings leave.
func TestSVMRemediesFitTheSettings(t *testing.T) {
	near, label := Rows{N: 8, D: 2}, make([]int, 8)
	for i, r := 0, random.New(1, "test", "svm"); i < near.N; i++ { // groups that mix
		near.X, label[i] = append(near.X, 1+r.Normal()/8, 1+r.Normal()/8), i%2
	}
	_, err := FitSVM(context.Background(), SVM{Kernel: "linear", C: 1e12, Tolerance: 1e-12}, near, label, 2, 1)
	need.Error(t, err, "the SVM has not converged in 10 million steps: use a smaller c, or a larger tolerance")
	large := Rows{N: 2, D: 2, X: []float64{30, 40, -30, 50}}
	for _, c := range []struct {
		o      SVM
		x      Rows
		p      float64
		others []string
		want   string
	}{
		{SVM{Kernel: "rbf", C: 1}, large, -1, []string{"a larger tolerance"}, "a smaller c, or a larger tolerance"},
		// C·n is beside 1e9, to which numbers of that size lead, nothing
		{SVM{Kernel: "rbf", C: 1}, large, -1e9, []string{"a larger tolerance"}, "a larger tolerance"},
		{SVM{Kernel: "linear", C: 1}, large, -1, nil, "a smaller c, or inputs nearer 1 (standardize: training)"},
		{SVM{Kernel: "linear", C: 1e-9}, large, -1, nil, "inputs nearer 1 (standardize: training)"},
		{SVM{Kernel: "linear", C: 1e-9}, near, -1, nil, "inputs that differ more, or another model"},
	} {
		need.Equal(t, c.o.calmer(c.x, []float64{c.p, c.p}, c.others...), c.want)
	}
}

// A support vector machine compares each case with each, whatever its kernel, and refuses more than have a matrix.
func TestTooManyCasesOfSupportVectors(t *testing.T) {
	x, label, sign := shifted(MostPaired+1, 2)
	for _, kernel := range []string{"linear", "rbf"} {
		o := SVM{Kernel: kernel, C: 1, Tolerance: 1e-3}
		_, err := FitSVM(context.Background(), o, x, label, 2, 2)
		need.Error(t, err, "11586 training graphs", "at most 11585", "draws: 1")
		_, err = SVMTo(context.Background(), o, 0.1, x, sign, 2)
		need.Error(t, err, "11586 training graphs")
	}
}
