package connectivity

// bridge replaces the rows of x that are not kept by values interpolated from the
// kept ones, column by column, so that a filter does not smear what was censored
// into its neighbors: on a straight line between the kept volumes beside a gap, and
// the nearest kept value outside. Neither leaves the range of the kept values.
func bridge(x Matrix, keep []int) {
	first, last := keep[0], keep[len(keep)-1]
	for t := range first {
		copy(x.Row(t), x.Row(first))
	}
	for i, to := range keep[1:] {
		from := keep[i]
		for t := from + 1; t < to; t++ {
			share, row := float64(t-from)/float64(to-from), x.Row(t)
			for j, a := range x.Row(from) {
				row[j] = a + float64(share*(x.At(to, j)-a))
			}
		}
	}
	for t := last + 1; t < x.Rows; t++ {
		copy(x.Row(t), x.Row(last))
	}
}

// bridgeCubic replaces the rows between the first and the last kept one by a cubic spline through the kept ones, as
// nilearn does. In a long gap the spline runs away from them. There are at least two.
func bridgeCubic(x Matrix, keep []int) {
	n := len(keep)
	s := newSpline(keep)
	y, slope := make([]float64, n), make([]float64, n)
	for j := range x.Cols {
		for i, t := range keep {
			y[i] = x.At(t, j)
		}
		s.slopes(slope, y)
		for i := 1; i < n; i++ {
			for t := keep[i-1] + 1; t < keep[i]; t++ {
				x.Data[t*x.Cols+j] = s.at(float64(t), i-1, y, slope)
			}
		}
	}
}

// A spline is the cubic spline through given places with the not-a-knot condition
// at both ends (de Boor 1978, A Practical Guide to Splines, ch. IV), found from its
// slopes: a tridiagonal system that is factored once for all columns. Through three
// places it is a parabola, through two a line.
type spline struct {
	x                   []float64
	diag, above, factor []float64
}

func newSpline(places []int) *spline {
	n := len(places)
	s := &spline{x: make([]float64, n), diag: make([]float64, n), above: make([]float64, n), factor: make([]float64, n)}
	for i, p := range places {
		s.x[i] = float64(p)
	}
	if n < 4 {
		return s
	}
	below := make([]float64, n)
	s.diag[0], s.above[0] = s.h(1), s.h(0)+s.h(1)
	for i := 1; i < n-1; i++ {
		below[i], s.diag[i], s.above[i] = s.h(i), 2*(s.h(i-1)+s.h(i)), s.h(i-1)
	}
	below[n-1], s.diag[n-1] = s.h(n-3)+s.h(n-2), s.h(n-3)
	for i := 1; i < n; i++ {
		s.factor[i] = below[i] / s.diag[i-1]
		s.diag[i] -= float64(s.factor[i] * s.above[i-1])
	}
	return s
}

// h is the distance from place i to the next.
func (s *spline) h(i int) float64 { return s.x[i+1] - s.x[i] }

// slopes sets dst to the slopes of the spline through y.
func (s *spline) slopes(dst, y []float64) {
	n := len(y)
	chord := func(i int) float64 { return (y[i+1] - y[i]) / s.h(i) }
	switch n {
	case 2:
		dst[0], dst[1] = chord(0), chord(0)
		return
	case 3:
		bend := (chord(1) - chord(0)) / (s.h(0) + s.h(1))
		dst[0] = chord(0) - float64(bend*s.h(0))
		dst[1] = chord(0) + float64(bend*s.h(0))
		dst[2] = chord(1) + float64(bend*s.h(1))
		return
	}
	end := func(near, far, slopeNear, slopeFar float64) float64 {
		return (float64(float64((float64(3*near)+float64(2*far))*far)*slopeNear) +
			float64(float64(near*near)*slopeFar)) / (near + far)
	}
	dst[0] = end(s.h(0), s.h(1), chord(0), chord(1))
	for i := 1; i < n-1; i++ {
		dst[i] = 3 * (float64(s.h(i)*chord(i-1)) + float64(s.h(i-1)*chord(i)))
	}
	dst[n-1] = end(s.h(n-2), s.h(n-3), chord(n-2), chord(n-3))
	for i := 1; i < n; i++ {
		dst[i] -= float64(s.factor[i] * dst[i-1])
	}
	dst[n-1] /= s.diag[n-1]
	for i := n - 2; i >= 0; i-- {
		dst[i] = (dst[i] - float64(s.above[i]*dst[i+1])) / s.diag[i]
	}
}

// at evaluates the spline between places i and i+1.
func (s *spline) at(x float64, i int, y, slope []float64) float64 {
	h, u := s.h(i), x-s.x[i]
	chord := (y[i+1] - y[i]) / h
	cubic := (slope[i] + slope[i+1] - float64(2*chord)) / float64(h*h)
	square := (float64(3*chord) - float64(2*slope[i]) - slope[i+1]) / h
	v := square + float64(cubic*u)
	v = slope[i] + float64(v*u)
	return y[i] + float64(v*u)
}
