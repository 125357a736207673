package baseline

import "prgnn/numeric/dense"

// A Regressor is trained on one number a case, and predicts it.
type Regressor interface {
	// Decide predicts the number of each case.
	Decide(x Rows, threads int) []float64
	// Parameters is the number of parameters, counted as those of a Classifier.
	Parameters() int
	// Note tells what else there is to know of the fitted model.
	Note() string
}

// A constant predicts one number, always.
type constant float64

// Mean predicts the mean of y for every case.
func Mean(y []float64) Regressor {
	sum := dense.Sum(y)
	return machines{constant(sum / float64(len(y)))}
}

func (m constant) decide(x Rows, _ int) []float64 {
	out := make([]float64, x.N)
	for i := range out {
		out[i] = float64(m)
	}
	return out
}

func (constant) describe() (int, string) { return 0, "the mean of the training participants" }
