//go:build !amd64

package connectivity

func tileAdd(c []float64, ldc int, a, b []float64, ld, n int) { tileAddGo(c, ldc, a, b, ld, n) }
func axpy(y []float64, f float64, x []float64)                { axpyGo(y, f, x) }
func addSquares(y, x []float64)                               { addSquaresGo(y, x) }
func scale(y, x []float64, f float64, g []float64)            { scaleGo(y, x, f, g) }
func clip(v []float64)                                        { clipGo(v) }
func sumSquares(v []float64) float64                          { return sumSquaresGo(v) }
func sumMagnitudes(v []float64) float64                       { return sumMagnitudesGo(v) }
