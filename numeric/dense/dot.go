package dense

// Dot is the sum of products of two vectors of one length, added in four lanes: each addition of a single one would
// wait for the one before.
func Dot[T Float](a, b []T) T {
	var lane [4]T
	b = b[:len(a)]
	n := dotLanes(&lane, a, b)
	dotGo(&lane, a[n:], b[n:])
	return (lane[0] + lane[1]) + (lane[2] + lane[3])
}

// dotGo adds to the lanes; a multiple of four products is before these.
func dotGo[T Float](lane *[4]T, a, b []T) {
	s0, s1, s2, s3 := lane[0], lane[1], lane[2], lane[3]
	for len(a) >= 4 && len(b) >= 4 {
		s0 = fma(a[0], b[0], s0)
		s1 = fma(a[1], b[1], s1)
		s2 = fma(a[2], b[2], s2)
		s3 = fma(a[3], b[3], s3)
		a, b = a[4:], b[4:]
	}
	for j, v := range a {
		s0 = fma(v, b[j], s0)
	}
	*lane = [4]T{s0, s1, s2, s3}
}

// Inner is the sum of products in their order, for few numbers, or results that keep these bits.
func Inner(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}
