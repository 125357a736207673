package baseline

import (
	"math"

	"prgnn/gnn/network"
	"prgnn/numeric/exact"
)

// NodesOf is the number of nodes whose matrix has d numbers above its diagonal.
func NodesOf(d int) int { return int(math.Round((1 + math.Sqrt(1+8*float64(d))) / 2)) }

// A Classifier is trained, and predicts the classes of cases.
type Classifier interface {
	// Probability of each class for each case: n × classes, row-major.
	Probability(x Rows, threads int) []float64
	// Parameters is the number of parameters as Table 2 of the paper counts them.
	Parameters() int
	// Note tells what else there is to know of the fitted model.
	Note() string
}

// A machine tells two classes apart: it gives a decision value a case.
type machine interface {
	decide(x Rows, threads int) []float64
	describe() (parameters int, note string)
}

// machines are one machine for two classes, or one a class against the others.
type machines []machine

// signs are +1 for a class and −1 for the others: of the last of two classes, or of each.
func signs(label []int, classes int) (all [][]float64) {
	for class := range classes {
		if class == 0 && classes == 2 {
			continue
		}
		sign := make([]float64, len(label))
		for i, l := range label {
			sign[i] = -1
			if l == class {
				sign[i] = 1
			}
		}
		all = append(all, sign)
	}
	return all
}

// oneAgainstRest fits a machine to the signs of each class.
func oneAgainstRest(label []int, classes int, fit func(sign []float64) (machine, error)) (machines, error) {
	var all machines
	for _, sign := range signs(label, classes) {
		m, err := fit(sign)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Decide gives the decision values: one a case for two classes, else n × classes.
func (ms machines) Decide(x Rows, threads int) []float64 {
	out := make([]float64, x.N*len(ms))
	for c, m := range ms {
		for i, f := range m.decide(x, threads) {
			out[i*len(ms)+c] = f
		}
	}
	return out
}

func (ms machines) Probability(x Rows, threads int) []float64 {
	return probabilityOf(ms.Decide(x, threads), len(ms))
}

// probabilityOf turns decision values, so many a case, into the probabilities of the classes.
func probabilityOf(f []float64, machines int) []float64 {
	if machines > 1 {
		for i := 0; i < len(f); i += machines {
			network.Softmax(f[i:][:machines])
		}
		return f
	}
	out := make([]float64, 2*len(f))
	for i, v := range f {
		out[2*i+1] = sigmoid(v)
		if out[2*i] = 1 - out[2*i+1]; out[2*i] == 0 {
			out[2*i] = sigmoid(-v) // not 0: its size keeps the order of f
		}
	}
	return out
}

func (ms machines) Parameters() int {
	n := 0
	for _, m := range ms {
		p, _ := m.describe()
		n += p
	}
	return n
}

func (ms machines) Note() string {
	_, note := ms[0].describe()
	if len(ms) > 1 {
		note += "; the first of one machine per class"
	}
	return note
}

func sigmoid(x float64) float64 {
	e := exact.Exp(-math.Abs(x))
	if x >= 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}

// majority names the largest class, always.
type majority struct{ share []float64 }

// Majority predicts the class shares of the training set for every case.
func Majority(label []int, classes int) Classifier {
	m := majority{make([]float64, classes)}
	for _, l := range label {
		m.share[l]++
	}
	for c := range m.share {
		m.share[c] /= float64(len(label))
	}
	return m
}

func (m majority) Probability(x Rows, _ int) []float64 {
	out := make([]float64, 0, x.N*len(m.share))
	for range x.N {
		out = append(out, m.share...)
	}
	return out
}

func (m majority) Parameters() int { return 0 }
func (m majority) Note() string    { return "the share of each group in the training set" }
