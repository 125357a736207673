package baseline

// A Linear model has decision values that are linear in its inputs.
type Linear interface {
	// Decide gives the decision values: one a case for two classes and of a number, else n × classes.
	Decide(x Rows, threads int) []float64
	// Weights are those of each input, one slice a decision value.
	Weights() [][]float64
}

// AsLinear is a Classifier or a Regressor as a linear model, if it is one.
func AsLinear(model any) (Linear, bool) {
	ms, ok := model.(machines)
	if !ok {
		return nil, false
	}
	all := linearMachines{machines: ms}
	for _, m := range ms {
		w, ok := m.(interface{ weights() []float64 })
		if !ok || w.weights() == nil {
			return nil, false
		}
		all.w = append(all.w, w.weights())
	}
	return all, true
}

// LinearOf is a linear model without an offset, with one row of weights a decision value.
func LinearOf(weights [][]float64) any {
	var ms machines
	for _, w := range weights {
		ms = append(ms, &linear{w: w})
	}
	return ms
}

type linearMachines struct {
	machines
	w [][]float64
}

func (ms linearMachines) Weights() [][]float64 { return ms.w }

func (m *linear) weights() []float64 { return m.w }

// weights are Σ coef_i·x_i; nil with a kernel that is not linear.
func (m *vectorMachine) weights() []float64 {
	if !m.linear {
		return nil
	}
	w := make([]float64, m.vectors.D)
	for i, c := range m.coef {
		for j, v := range m.vectors.Row(i) {
			w[j] += float64(c * v)
		}
	}
	return w
}

// Pattern is the covariance of each input with decision values f of the cases (n−1): the activation
// pattern of a linear model but for its scale (Haufe et al. 2014, NeuroImage 87:96, eq. 6).
func Pattern(x Rows, f []float64) []float64 {
	mean, sum, center := 0.0, make([]float64, x.D), x.mean()
	for _, v := range f {
		mean += v
	}
	mean /= float64(len(f))
	x.eachRow(func(i int, row []float64) {
		d := f[i] - mean
		for j, v := range row {
			sum[j] += float64((v - center[j]) * d)
		}
	})
	for j := range sum {
		sum[j] /= float64(x.N - 1)
	}
	return sum
}
