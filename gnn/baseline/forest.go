package baseline

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

// A Forest describes a random forest (Breiman 2001): trees grown to the end on
// bootstraps of the cases, each split the best among some of the features, which are drawn
// anew at each node: by Gini impurity for classes, by the squared error for numbers.
type Forest struct {
	Trees    int
	Features int // tried at each split; 0: √d for classes, d/3 for numbers, rounded down
	Seed     uint64
	Stream   []any // further words that name the random numbers of a tree
}

// A forest is grown; nodes of all trees lie one after the other.
type forest struct {
	inputs, classes int
	trees           [][]treeNode
}

// A treeNode sends cases with x[feature] ≤ threshold to the next node, the
// others to right. A leaf (feature −1) has the shares of the classes, or the mean of the numbers.
type treeNode struct {
	feature   int32
	right     int32
	threshold float64
	share     []float64
}

// mostRanked is how many cases a forest takes: their ranks have 16 bits.
const mostRanked = 1 << 16

// FitForest grows a forest. progress, which may be nil, is called after each tree, from any goroutine.
func FitForest(ctx context.Context, o Forest, x Rows, label []int, classes, threads int,
	progress func()) (Classifier, error) {
	if o.Features == 0 {
		o.Features = int(math.Sqrt(float64(x.D)))
	}
	return grown(ctx, newGrowth(o, x, label, nil, classes, threads), threads, progress)
}

// ForestTo grows a forest to numbers.
func ForestTo(ctx context.Context, o Forest, x Rows, y []float64, threads int, progress func()) (Regressor, error) {
	if o.Features == 0 {
		o.Features = x.D / 3
	}
	f, err := grown(ctx, newGrowth(o, x, nil, y, 1, threads), threads, progress)
	if err != nil {
		return nil, err
	}
	return numbersForest{f}, nil
}

// A numbersForest predicts the mean over its trees.
type numbersForest struct{ *forest }

func (f numbersForest) Decide(x Rows, threads int) []float64 { return f.Probability(x, threads) }

// grown grows all trees.
func grown(ctx context.Context, g *growth, threads int, progress func()) (*forest, error) {
	o, x := &g.Forest, g.x
	if x.N >= mostRanked {
		return nil, fmt.Errorf("%d training graphs: a random forest takes fewer than %d; use fewer draws", x.N, mostRanked)
	}
	o.Features = max(1, min(o.Features, x.D))
	f := &forest{inputs: x.D, classes: g.classes, trees: make([][]treeNode, o.Trees)}
	dense.Each(threads, o.Trees, func(i int) {
		if ctx.Err() == nil {
			f.trees[i] = g.grow(i)
			if progress != nil {
				progress()
			}
		}
	})
	return f, ctx.Err()
}

func (f *forest) Probability(x Rows, threads int) []float64 {
	out := make([]float64, x.N*f.classes)
	dense.Each(threads, x.N, func(i int) {
		row, p := x.Row(i), out[i*f.classes:][:f.classes]
		for _, nodes := range f.trees {
			at := 0
			for nodes[at].feature >= 0 {
				if row[nodes[at].feature] <= nodes[at].threshold {
					at++
				} else {
					at = int(nodes[at].right)
				}
			}
			for c, s := range nodes[at].share {
				p[c] += s
			}
		}
		for c := range p {
			p[c] /= float64(len(f.trees))
		}
	})
	return out
}

func (f *forest) Parameters() int { return f.inputs }

func (f *forest) Note() string {
	nodes := 0
	for _, t := range f.trees {
		nodes += len(t)
	}
	return words.Count(len(f.trees), "tree") + fmt.Sprintf(", %d nodes in total", nodes)
}

// growth is what all trees of a forest share.
type growth struct {
	Forest
	x       Rows
	label   []int
	y       []float64   // numbers, in place of labels
	classes int         // 1 of numbers
	rank    []uint16    // feature × case: which place its value has among the different values of the feature
	inverse []float64   // 1/w
	pure    [][]float64 // shares of leaves with one class
}

func newGrowth(o Forest, x Rows, label []int, y []float64, classes, threads int) *growth {
	g := &growth{Forest: o, x: x, label: label, y: y, classes: classes, rank: make([]uint16, x.D*x.N),
		inverse: make([]float64, x.N+1)}
	for w := range g.inverse {
		g.inverse[w] = 1 / float64(w)
	}
	for c := range classes {
		share := make([]float64, classes)
		share[c] = 1
		g.pure = append(g.pure, share)
	}
	dense.Each(threads, (x.D+63)/64, func(b int) {
		values := make([]float64, x.N)
		for f := 64 * b; f < min(x.D, 64*(b+1)); f++ {
			for i := range values {
				values[i] = x.X[i*x.D+f]
			}
			slices.Sort(values)
			different := slices.Compact(values)
			for i := range x.N {
				r, _ := slices.BinarySearch(different, x.X[i*x.D+f])
				g.rank[f*x.N+i] = uint16(r)
			}
		}
	})
	return g
}

// A tree while it grows.
type growing struct {
	*growth
	r        *random.Stream
	nodes    []treeNode
	cases    []int32  // those of the bootstrap; each node has a part of them
	weight   []uint32 // per case: how often it was drawn, in the half of its class (two classes)
	drawn    []int32  // per case: how often it was drawn
	features []int32  // a permutation, of which a prefix was drawn
	tally    []uint32 // per rank: weights of both classes, 16 bits each
	masses   []mass   // of numbers: per rank
	own      []mass   // of numbers: of each case of a node
	marks    []uint64 // a bit a rank that has cases
	keys     []uint64 // rank, class and weight of each case of a node
	left     []int    // weights by class
}

// A mass is a weight, and the weighted sum of numbers.
type mass struct {
	weight int
	sum    float64
}

func (m *mass) add(o mass) { m.weight, m.sum = m.weight+o.weight, m.sum+o.sum }

// A cut is a split: cases with a rank of at most rank go left.
type cut struct {
	feature int32
	rank    uint16
	gain    float64
}

func (g *growth) grow(number int) []treeNode {
	n := g.x.N
	t := &growing{growth: g, r: random.New(g.Seed, append([]any{"forest", number}, g.Stream...)...),
		drawn: make([]int32, n), weight: make([]uint32, n), features: make([]int32, g.x.D), tally: make([]uint32, n),
		marks: make([]uint64, (n+63)/64), left: make([]int, g.classes)}
	if g.y != nil {
		t.masses = make([]mass, n)
	}
	for range n {
		t.drawn[t.r.IntN(n)]++
	}
	for i, w := range t.drawn {
		if w > 0 {
			t.cases = append(t.cases, int32(i))
			t.weight[i] = uint32(w)
			if g.y == nil {
				t.weight[i] <<= 16 * (g.label[i] & 1)
			}
		}
	}
	for f := range t.features {
		t.features[f] = int32(f)
	}
	t.node(t.cases)
	return t.nodes
}

// A pile is what the cases of a node amount to.
type pile struct {
	count int     // weight
	total []int   // of it by class
	sum   float64 // or of the numbers
	alike bool    // one class, or one number
}

func (t *growing) pile(cases []int32) pile {
	p := pile{alike: true}
	if t.y != nil {
		for _, i := range cases {
			p.count += int(t.drawn[i])
			p.sum += float64(float64(t.drawn[i]) * t.y[i])
			p.alike = p.alike && t.y[i] == t.y[cases[0]]
		}
		return p
	}
	p.total = make([]int, t.classes)
	for _, i := range cases {
		p.total[t.label[i]] += int(t.drawn[i])
		p.count += int(t.drawn[i])
	}
	p.alike = slices.Max(p.total) == p.count
	return p
}

// share is what a leaf predicts.
func (t *growing) share(p pile) []float64 {
	if t.y != nil {
		return []float64{p.sum / float64(p.count)}
	}
	if p.alike {
		return t.pure[slices.Index(p.total, p.count)]
	}
	share := make([]float64, t.classes)
	for c, n := range p.total {
		share[c] = float64(n) / float64(p.count)
	}
	return share
}

// node grows the tree below some cases: the left side follows the node at once.
func (t *growing) node(cases []int32) {
	p := t.pile(cases)
	var best cut
	found := false
	if !p.alike {
		best, found = t.search(cases, p)
	}
	at := len(t.nodes)
	t.nodes = append(t.nodes, treeNode{feature: -1})
	if !found { // nothing tells them apart
		t.nodes[at].share = t.share(p)
		return
	}
	// Left ones to the front; the threshold is halfway between the nearest values.
	ranks := t.rank[int(best.feature)*t.x.N:][:t.x.N]
	low, high := math.Inf(-1), math.Inf(1)
	k := 0
	for j, i := range cases {
		v := t.x.X[int(i)*t.x.D+int(best.feature)]
		if ranks[i] <= best.rank {
			low = max(low, v)
			cases[k], cases[j] = i, cases[k]
			k++
		} else {
			high = min(high, v)
		}
	}
	middle := float64(low/2) + float64(high/2)
	if middle >= high {
		middle = low
	}
	t.node(cases[:k])
	t.nodes[at] = treeNode{feature: best.feature, threshold: middle, right: int32(len(t.nodes))}
	t.node(cases[k:])
}

// search draws features and finds the best split. It goes on beyond their number
// until there is one, as long as there are features.
func (t *growing) search(cases []int32, p pile) (best cut, found bool) {
	best.gain = math.Inf(-1)
	if t.y != nil {
		t.own = t.own[:0]
		for _, i := range cases {
			t.own = append(t.own, mass{int(t.drawn[i]), float64(float64(t.drawn[i]) * t.y[i])})
		}
	}
	for tried := range t.features {
		if tried >= t.Features && found {
			break
		}
		j := tried + t.r.IntN(len(t.features)-tried)
		t.features[tried], t.features[j] = t.features[j], t.features[tried]
		feature := t.features[tried]
		ranks := t.rank[int(feature)*t.x.N:][:t.x.N]
		var rank uint16
		var gain float64
		switch {
		case t.y != nil && len(cases) > few:
			rank, gain = t.byMass(cases, ranks, p)
		case t.y != nil:
			rank, gain = t.byOrder(cases, ranks, p)
		case t.classes == 2 && len(cases) > few:
			rank, gain = t.byTally(cases, ranks, p.total, p.count)
		default:
			rank, gain = t.bySort(cases, ranks, p.total, p.count)
		}
		if gain > best.gain {
			best, found = cut{feature, rank, gain}, true
		}
	}
	return best, found
}

// few cases are sorted; more are tallied.
const few = 12

// The gain of a split is Σ L_c²/ΣL + Σ R_c²/ΣR over the weights L, R of the
// classes on either side: it is largest where the Gini impurity is smallest. Of numbers it is
// (Σy over L)²/ΣL + (Σy over R)²/ΣR, largest where the squared error is smallest. All
// searches give −∞ when all cases have one value.

// byMass adds up weights and numbers by rank, and goes through the ranks.
func (t *growing) byMass(cases []int32, ranks []uint16, p pile) (uint16, float64) {
	masses, marks := t.masses, t.marks
	for k, i := range cases {
		r := ranks[i]
		masses[r].add(t.own[k])
		marks[r>>6] |= 1 << (r & 63)
	}
	at, gain := uint16(0), math.Inf(-1)
	var left mass
	for w, word := range marks {
		marks[w] = 0
		for ; word != 0; word &= word - 1 {
			r := w<<6 + bits.TrailingZeros64(word)
			left.add(masses[r])
			masses[r] = mass{}
			if left.weight == p.count {
				break
			}
			if v := t.gain(left, p); v > gain {
				at, gain = uint16(r), v
			}
		}
	}
	return at, gain
}

// byOrder sorts a few cases by rank; it adds up in the same order as byMass.
func (t *growing) byOrder(cases []int32, ranks []uint16, p pile) (uint16, float64) {
	var keys [few]uint32 // rank, and place among the cases
	for k, i := range cases {
		key, at := uint32(ranks[i])<<16|uint32(k), k
		for ; at > 0 && keys[at-1] > key; at-- {
			keys[at] = keys[at-1]
		}
		keys[at] = key
	}
	at, gain := uint16(0), math.Inf(-1)
	var left mass
	for k := 0; ; {
		var here mass
		r := keys[k] >> 16
		for ; k < len(cases) && keys[k]>>16 == r; k++ {
			here.add(t.own[keys[k]&0xffff])
		}
		if left.add(here); k == len(cases) {
			return at, gain
		}
		if v := t.gain(left, p); v > gain {
			at, gain = uint16(r), v
		}
	}
}

// gain is that of a split of numbers.
func (t *growing) gain(left mass, p pile) float64 {
	rest := p.sum - left.sum
	return float64(float64(left.sum*left.sum)*t.inverse[left.weight]) +
		float64(float64(rest*rest)*t.inverse[p.count-left.weight])
}

// byTally adds up the weights of two classes by rank, and goes through the ranks.
func (t *growing) byTally(cases []int32, ranks []uint16, total []int, count int) (uint16, float64) {
	tally, marks := t.tally, t.marks
	for _, i := range cases {
		r := ranks[i]
		tally[r] += t.weight[i]
		marks[r>>6] |= 1 << (r & 63)
	}
	at, gain := uint16(0), math.Inf(-1)
	var l0, l1 int
	all0, all1 := total[0], total[1]
	inverse := t.inverse[:count+1]
	for w, word := range marks {
		if word == 0 {
			continue
		}
		marks[w] = 0
		for ; word != 0; word &= word - 1 {
			r := w<<6 + bits.TrailingZeros64(word)
			both := tally[r]
			tally[r] = 0
			l0 += int(both & 0xffff)
			l1 += int(both >> 16)
			left := l0 + l1
			if left == count {
				break
			}
			r0, r1 := all0-l0, all1-l1
			if v := float64(float64(l0*l0+l1*l1)*inverse[left]) +
				float64(float64(r0*r0+r1*r1)*inverse[count-left]); v > gain {
				at, gain = uint16(r), v
			}
		}
	}
	return at, gain
}

// bySort is for any number of classes.
func (t *growing) bySort(cases []int32, ranks []uint16, total []int, count int) (uint16, float64) {
	keys := t.keys[:0]
	for _, i := range cases {
		keys = append(keys, uint64(ranks[i])<<48|uint64(t.label[i])<<32|uint64(t.drawn[i]))
	}
	t.keys = keys
	if len(keys) > few {
		slices.Sort(keys)
	} else {
		for i := 1; i < len(keys); i++ {
			for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
				keys[j], keys[j-1] = keys[j-1], keys[j]
			}
		}
	}
	at, gain := uint16(0), math.Inf(-1)
	clear(t.left)
	left := 0
	for k, key := range keys[:len(keys)-1] {
		t.left[key>>32&0xffff] += int(uint32(key))
		left += int(uint32(key))
		if key>>48 == keys[k+1]>>48 {
			continue
		}
		l2, r2 := 0, 0
		for c, l := range t.left {
			l2 += l * l
			r2 += (total[c] - l) * (total[c] - l)
		}
		if v := float64(float64(l2)*t.inverse[left]) + float64(float64(r2)*t.inverse[count-left]); v > gain {
			at, gain = uint16(key>>48), v
		}
	}
	return at, gain
}
