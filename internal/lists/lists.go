// Package lists makes lists of others.
package lists

// Map is a list with f of each element. It is never nil.
func Map[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}
