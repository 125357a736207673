package dense

// Dot is the sum of products of two vectors of one length, added in four lanes: each addition of a single one would
// wait for the one before.
func Dot[T Float](a, b []T) T {
	var s0, s1, s2, s3 T
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += T(a[0] * b[0])
		s1 += T(a[1] * b[1])
		s2 += T(a[2] * b[2])
		s3 += T(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for j, v := range a {
		s0 += T(v * b[j])
	}
	return (s0 + s1) + (s2 + s3)
}
