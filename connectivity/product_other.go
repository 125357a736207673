//go:build !amd64

package connectivity

func tileAdd(c []float64, ldc int, a, b []float64, ld, n int) { tileAddGo(c, ldc, a, b, ld, n) }
