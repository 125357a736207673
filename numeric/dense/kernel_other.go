//go:build (!amd64 && !arm64) || purego

package dense

// kernels are those that this machine can run.
func kernels[T Float]() []*kernel[T] { return []*kernel[T]{portable[T]()} }

func addTiles(c []float64, cs int, a, b []float64, ld, m, depth int) {
	addTilesGo(c, cs, a, b, ld, m, depth)
}

// Axpy adds f·x to y.
func Axpy[T Float](y []T, f T, x []T) { axpyGo(y, f, x) }

// AddSquares adds x[i]² to y[i].
func AddSquares(y, x []float64) { addSquaresGo(y, x) }

// SumSquares is Σ v[i]², added in eight lanes.
func SumSquares(v []float64) float64 { return sumSquaresGo(v) }

func dotLanes[T Float](*[4]T, []T, []T) int { return 0 }
