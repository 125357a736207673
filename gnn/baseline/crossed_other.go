//go:build !amd64 || purego

package baseline

import "prgnn/gnn"

// fastest are the loops for this machine; their results are those of the portable ones, bit for bit.
func fastest[T gnn.Float]() sums[T] { return sums[T]{fill[T], add[T], slopes[T]} }
