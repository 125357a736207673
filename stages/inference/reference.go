package inference

import "math"

// A Sample is values of participants who are in groups: participant × value, NaN where there is none.
type Sample struct {
	Values [][]float64
	Group  []int // of each participant, from 0
	Groups int
}

// moments of one value in one group.
type moments struct{ n, mean, squares float64 } // squares: sum of squared deviations

// moments of value j in each group, in the order of the participants.
func (s Sample) moments(j int, into []moments) {
	clear(into)
	for i, v := range s.Values {
		if x := v[j]; !math.IsNaN(x) {
			m := &into[s.Group[i]]
			m.n++
			d := x - m.mean
			m.mean += d / m.n
			m.squares += float64(d * (x - m.mean))
		}
	}
}

// welch is t = (mean a − mean b)/√(s²a/na + s²b/nb) (Welch, Biometrika 34 (1947), 28); NaN when a
// group has fewer than two values or nothing varies.
func welch(a, b moments) float64 {
	if a.n < 2 || b.n < 2 {
		return math.NaN()
	}
	variance := a.squares/(a.n-1)/a.n + b.squares/(b.n-1)/b.n
	if !(variance > 1e-24*float64((a.mean-b.mean)*(a.mean-b.mean))) || variance == 0 {
		return math.NaN()
	}
	return (a.mean - b.mean) / math.Sqrt(variance)
}

// apart finds the two groups whose means differ most, by |t|; NaN without any.
func apart(m []moments) (a, b int, t float64) {
	t = math.NaN()
	for i := range m {
		for j := range i {
			if v := welch(m[j], m[i]); math.IsNaN(t) || math.Abs(v) > math.Abs(t) {
				a, b, t = j, i, v
			}
		}
	}
	return a, b, t
}

// WelchT is the t of Welch's test of each value; of more than two groups, of the two that it tells
// apart best.
func WelchT(s Sample) []float64 {
	out := make([]float64, len(s.Values[0]))
	m := make([]moments, s.Groups)
	for j := range out {
		s.moments(j, m)
		_, _, out[j] = apart(m)
	}
	return out
}

// Replicated is the difference between two groups in test, in units of the standard deviation within them
// (Cohen's d), counted positive in the direction that it has in train. Chance gives 0: no sign and
// no group was chosen by looking at test. Of more than two groups, those that differ most in train. NaN with fewer
// than three degrees of freedom: the effect has no finite variance then (Hedges, J. Educ. Stat. 6 (1981), 107).
func Replicated(train, test Sample) []float64 {
	out := make([]float64, len(train.Values[0]))
	seen, held := make([]moments, train.Groups), make([]moments, train.Groups)
	for j := range out {
		train.moments(j, seen)
		test.moments(j, held)
		a, b, t := apart(seen)
		x, y := held[a], held[b]
		sd := math.Sqrt((x.squares + y.squares) / (x.n + y.n - 2))
		if out[j] = math.NaN(); math.IsNaN(t) || x.n < 1 || y.n < 1 || x.n+y.n-2 < 3 ||
			!(sd > 1e-12*math.Abs(x.mean-y.mean)) || sd == 0 {
			continue
		}
		out[j] = math.Copysign(1, t) * ((x.mean - y.mean) / sd)
	}
	return out
}

// Pattern is the activation pattern of a linear model: the covariance of each value with what the model
// says of the participants, decision (participant × output), without sign and summed over the outputs.
// The weights themselves also say what a model subtracts as noise; the pattern says where the signal
// is (Haufe et al., NeuroImage 87 (2014), 96, equation 6, up to a factor that all values share).
func Pattern(values, decision [][]float64) []float64 {
	n := float64(len(values))
	out := make([]float64, len(values[0]))
	for c := range decision[0] {
		mean := 0.0
		for i := range decision {
			mean += decision[i][c]
		}
		mean /= n
		sum := make([]float64, len(out))
		for i, v := range values {
			d := decision[i][c] - mean
			for j, x := range v {
				sum[j] += float64(d * x)
			}
		}
		for j, s := range sum {
			out[j] += math.Abs(s / (n - 1))
		}
	}
	return out
}
