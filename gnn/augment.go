package gnn

// augment replaces E by the off-diagonal part of (E+I)², as the authors' program
// does between the blocks: nodes two steps apart become neighbours. Entries that
// come out as zero are no edges. Without weighted every weight is 1 again.
func (a *adjacency[T]) augment(weighted bool) {
	n := a.n
	dense := make([]T, n*n) // E+I
	for i := range n {
		dense[i*n+i] = 1
		for t := 1; t < int(a.degree[i]); t++ {
			e := a.entry(i, t)
			dense[i*n+int(a.col[e])] = a.weight[e]
		}
	}
	square := make([]T, n*n)
	for i := range n {
		for j := range n {
			var sum T
			for p := range n {
				sum += T(dense[i*n+p] * dense[p*n+j])
			}
			square[i*n+j] = sum
		}
	}
	self := a.weight[:0:0]
	for i := range n {
		self = append(self, a.weight[a.entry(i, 0)])
	}
	a.reset(n)
	for i := range n {
		for j := range n {
			if i != j && square[i*n+j] != 0 {
				a.degree[i]++
			}
		}
	}
	a.place()
	at := make([]int32, n*n) // where (i, j) is
	for i := range n {
		e := a.entry(i, 0)
		a.weight[e] = self[i]
		for j := range n {
			if i != j && square[i*n+j] != 0 {
				e += lanes
				a.col[e], a.weight[e] = int32(j), 1
				if weighted {
					a.weight[e] = square[i*n+j]
				}
				at[i*n+j] = int32(e)
			}
		}
	}
	for i := range n {
		for t := 1; t < int(a.degree[i]); t++ {
			e := a.entry(i, t)
			a.reverse[e] = at[int(a.col[e])*n+i]
		}
	}
}
