//go:build !amd64 || purego

package random

func radii(q []float64) { radiiGo(q) }
