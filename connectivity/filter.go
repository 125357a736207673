package connectivity

// padding is how many samples filtfilt puts before and after a series: three times
// the length of the filter, of which factors that are exactly 0 are no part (the
// rule of scipy.signal.sosfiltfilt, so that both give the same numbers).
func padding(sections []section) int {
	b, a := 0, 0
	for _, s := range sections {
		if s.b2 == 0 {
			b++
		}
		if s.a2 == 0 {
			a++
		}
	}
	return 3 * (2*len(sections) + 1 - min(a, b))
}

// filtfilt filters every column of x forwards and backwards in place, so that the
// phase is kept and the gain squared. Each end is continued by its reflection
// through the end point ("odd" padding), and each pass starts in the steady state of
// its first value (Gustafsson 1996 describes the problem; this is the rule of
// scipy). x must have more rows than padding(sections).
func filtfilt(x Matrix, sections []section) {
	n, pad := x.Rows, padding(sections)
	steady := steadyState(sections)
	long := make([]float64, n+2*pad)
	for j := range x.Cols {
		for t := range n {
			long[pad+t] = x.At(t, j)
		}
		first, last := x.At(0, j), x.At(n-1, j)
		for k := 1; k <= pad; k++ {
			long[pad-k] = 2*first - x.At(k, j)
			long[pad+n-1+k] = 2*last - x.At(n-1-k, j)
		}
		cascade(long, sections, steady)
		reverse(long)
		cascade(long, sections, steady)
		reverse(long)
		for t := range n {
			x.Data[t*x.Cols+j] = long[pad+t]
		}
	}
}

func reverse(v []float64) {
	for i, j := 0, len(v)-1; i < j; i, j = i+1, j-1 {
		v[i], v[j] = v[j], v[i]
	}
}

// steadyState is the state (transposed direct form II) that each section holds
// when the series has always been 1.
func steadyState(sections []section) [][2]float64 {
	states := make([][2]float64, len(sections))
	level := 1.0 // what reaches the section
	for i, s := range sections {
		gain := (s.b0 + s.b1 + s.b2) / (1 + s.a1 + s.a2)
		out := level * gain
		z2 := float64(s.b2*level) - float64(s.a2*out)
		z1 := float64(s.b1*level) - float64(s.a1*out) + z2
		states[i] = [2]float64{z1, z2}
		level = out
	}
	return states
}

// cascade runs v through all sections, starting in the steady state of v[0].
func cascade(v []float64, sections []section, steady [][2]float64) {
	first := v[0]
	for i, s := range sections {
		z1, z2 := float64(steady[i][0]*first), float64(steady[i][1]*first)
		for t, x := range v {
			y := float64(s.b0*x) + z1
			z1 = float64(s.b1*x) - float64(s.a1*y) + z2
			z2 = float64(s.b2*x) - float64(s.a2*y)
			v[t] = y
		}
	}
}
