package gnn

// induce makes a the adjacency among the k kept nodes of b, numbered by rank: node i
// becomes rank[i]. Whether an edge stays is as good as random, so it is found
// without branches: every edge is written, and the next one goes over it when it
// does not stay.
func (a *adjacency[T]) induce(b *adjacency[T], rank []int32, k int) {
	edges := len(b.from)
	a.from, a.to, a.strength = resize(a.from, edges+1), resize(a.to, edges+1), resize(a.strength, edges+1)
	from, to, strength := a.from, a.to[:len(a.from)], a.strength[:len(a.from)]
	oldTo, oldStrength := b.to[:edges], b.strength[:edges]
	n, limit := 0, int32(k)
	for i, p := range b.from {
		p, q := rank[p], rank[oldTo[i]]
		from[n], to[n], strength[n] = p, q, oldStrength[i]
		n += int(uint32((p-limit)&(q-limit)) >> 31) // 1 when both are below k
	}
	a.from, a.to, a.strength, a.self = from[:n], to[:n], strength[:n], b.self
	a.build(k)
}
