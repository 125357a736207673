//go:build !purego

package gnn

// fastest gives the kernels for this machine; their results are those of the portable ones, bit for bit. In
// float32 the sums over edges and the exponentials are written in assembly (by internal/asm), for the vectors that
// every arm64 processor has.
func fastest[T Float]() *kernels[T] {
	k := portable[T]()
	if k, ok := any(k).(*kernels[float32]); ok {
		k.spread, k.attend, k.softmax = spreadRows, attendBy(expFours), softmaxBy(expFours)
	}
	return k
}

func expFours(v []float32) {
	n := len(v) &^ 3
	if n > 0 {
		expVec(&v[0], n/4)
	}
	exps(v[n:])
}

// spreadRows checks that every access of the assembly is inside the slices.
func spreadRows(out []float32, a *adjacency[float32], coef, z []float32, w int, back bool) {
	_, _, _ = out[a.n*w-1], coef[a.size()-1], z[a.n*w-1]
	for i := range a.n {
		e, degree := a.first[i], int(a.degree[i])
		var reverse *int32
		c := &coef[e]
		if back {
			reverse, c = &a.reverse[e], &coef[0]
		}
		j := 0
		for ; j+16 <= w; j += 16 {
			spreadRow16(&out[i*w+j], degree, &a.col[e], reverse, c, &z[j], 4*w)
		}
		if j < w {
			spreadRow8(&out[i*w+j], degree, &a.col[e], reverse, c, &z[j], 4*w)
		}
	}
}
