package gnn

// induce makes a the adjacency among the k kept nodes of b, numbered by rank: node i
// becomes rank[i]. Whether an edge stays is as good as random, so it is found without branches: every edge is
// written, and the next one goes over it when it does not stay.
func (a *adjacency[T]) induce(kn *kernels[T], b *adjacency[T], rank []int32, k int) {
	edges, n, limit := len(b.from), 0, int32(k)
	from, to, strength := resize(a.from, edges), resize(a.to, edges), resize(a.strength, edges)
	to, strength = to[:len(from)], strength[:len(from)]
	oldTo, oldStrength := b.to[:edges], b.strength[:edges]
	for i := range edges {
		p, q := rank[b.from[i]], rank[oldTo[i]]
		from[n], to[n], strength[n] = p, q, oldStrength[i]
		n += int(uint32((p-limit)&(q-limit)) >> 31) // 1 when both are below k
	}
	a.from, a.to, a.strength, a.self = from[:n], to[:n], strength[:n], b.self
	a.build(kn, k)
}
