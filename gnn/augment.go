package gnn

// augment replaces E by the off-diagonal part of (E+I)², as the authors' program
// does between the blocks: nodes two steps apart become neighbors. Entries that
// come out as zero are no edges. Without weighted every weight is 1 again. The edges
// then are in the order of this block's nodes.
func (a *adjacency[T]) augment(k *kernels[T], weighted bool) {
	n, w := a.n, padded(a.n)
	a.dense = resize(a.dense, 2*n*w)
	sum, square := a.dense[:n*w], a.dense[n*w:] // E+I and its square, n × w
	clear(sum)
	for i := range n {
		sum[i*w+i] = 1
	}
	for i, p := range a.from {
		q := a.to[i]
		sum[int(p)*w+int(q)], sum[int(q)*w+int(p)] = a.strength[i], a.strength[i]
	}
	k.gemm(square, w, sum, w, 1, sum, w, n, n, w, nil)
	a.from, a.to, a.strength = a.from[:0], a.to[:0], a.strength[:0]
	for i := range n {
		for j, x := range square[i*w:][:n] {
			if j <= i || x == 0 {
				continue
			}
			if !weighted {
				x = 1
			}
			a.from, a.to, a.strength = append(a.from, int32(i)), append(a.to, int32(j)), append(a.strength, x)
		}
	}
	a.build(k, n)
}
