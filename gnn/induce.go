package gnn

// A pruning is working memory of induce.
type pruning struct {
	moved []int32 // per entry of the old adjacency: its place in the new one
	entry []int32 // entries that stay, row after row, without the nodes' own: place in the old adjacency
	col   []int32 // and the neighbour's new number,
	row   []int32 // and the row's
	base  []int32 // per new row: the place of its entry 0, less 8·(its first in the lists above − 1)
}

// induce makes a the adjacency among the kept nodes of b, numbered by rank: node i
// becomes rank[i]. Which entries stay is as good as random, so it is found without
// branches: every entry is written, and the next one goes over it when it does not stay.
func (a *adjacency[T]) induce(b *adjacency[T], rank, kept []int32, x *pruning) {
	k := int32(len(kept))
	a.reset(int(k))
	x.moved = resize(x.moved, b.size())
	x.entry, x.col, x.row = resize(x.entry, b.size()+1), resize(x.col, b.size()+1), resize(x.row, b.size()+1)
	x.base = resize(x.base, len(kept))
	moved, entry, col, row, base := x.moved, x.entry, x.col[:len(x.entry)], x.row[:len(x.entry)], x.base
	oldCol, oldReverse, oldWeight := b.col, b.reverse[:len(moved)], b.weight[:len(moved)]
	n := 0
	for p, i := range kept {
		e := b.entry(int(i), 0)
		first := n
		for range b.degree[i] - 1 {
			e += lanes
			q := rank[oldCol[e]]
			entry[n], col[n], row[n] = int32(e), q, int32(p)
			n += int(uint32(q-k) >> 31) // 1 when q < k
		}
		a.degree[p] = int32(n - first + 1)
		base[p] = int32(-lanes * (first - 1))
	}
	a.place()
	newCol, newReverse, newWeight := a.col, a.reverse[:len(a.col)], a.weight[:len(a.col)]
	for p, i := range kept {
		to := a.entry(p, 0)
		newWeight[to] = oldWeight[b.entry(int(i), 0)]
		base[p] += int32(to)
	}
	entry, col, row = entry[:n], col[:n], row[:n]
	for i, e := range entry {
		to := base[row[i]] + int32(lanes*i)
		newCol[to], newWeight[to] = col[i], oldWeight[e]
		moved[e] = to
	}
	for _, e := range entry {
		newReverse[moved[e]] = moved[oldReverse[e]]
	}
}
