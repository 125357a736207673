package gnn

// induce makes a the adjacency among the k kept nodes of b, numbered by rank: node i
// becomes rank[i].
func (a *adjacency[T]) induce(kn *kernels[T], b *adjacency[T], rank []int32, k int) {
	const over = 16 // what a kernel may write beyond
	edges := len(b.from)
	a.from, a.to, a.strength = resize(a.from, edges+over), resize(a.to, edges+over), resize(a.strength, edges+over)
	n := kn.edges(a, b, rank, k)
	a.from, a.to, a.strength, a.self = a.from[:n], a.to[:n], a.strength[:n], b.self
	a.build(kn, k)
}

// keepEdges goes on with edge i of b and edge n of a. Whether an edge stays is as good as random, so it is found
// without branches: every edge is written, and the next one goes over it when it does not stay.
func keepEdges[T Float](a, b *adjacency[T], rank []int32, k, i, n int) int {
	edges := len(b.from)
	from, to, strength := a.from, a.to[:len(a.from)], a.strength[:len(a.from)]
	oldTo, oldStrength := b.to[:edges], b.strength[:edges]
	limit := int32(k)
	for ; i < edges; i++ {
		p, q := rank[b.from[i]], rank[oldTo[i]]
		from[n], to[n], strength[n] = p, q, oldStrength[i]
		n += int(uint32((p-limit)&(q-limit)) >> 31) // 1 when both are below k
	}
	return n
}
