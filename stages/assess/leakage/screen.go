package leakage

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A screen finds the pairs of traces that may correlate by least at some lag, by products of a few numbers each.
//
// Where two traces overlap at a lag let u and v be their values, each channel about its mean, of length 1 in all: they
// correlate by r = u·v. Both are turned into the same orthonormal basis: the main directions of the channels, and in
// time the cosines of the overlap (a discrete cosine transform, without the constant). Of the numbers there some are
// kept, p and q; the others have the lengths ρ and σ. By the inequality of Cauchy and Schwarz |r| ≤ |p·q| + ρσ, and
// least − ρσ ≥ √(least − ρ²)·√(least − σ²), for (least − ρσ)² − (least − ρ²)(least − σ²) = least·(ρ − σ)² ≥ 0. So with
// P = p/√(least − ρ²) and Q = q/√(least − σ²), |r| ≥ least only where |P·Q| ≥ 1: one product of two matrices says it
// of all pairs. Which numbers are kept decides about the time alone.
type screen struct {
	least    float64
	channels int
	turn     []float64       // channels × channels: a row for each main direction
	kept     map[int][][]int // of each overlap: of each main direction, the cosines that are kept
}

const (
	// screenRoom is what rounding may do to a correlation over windows that hold leastPart of a trace's squares: less
	// than 1e-7 of 5,000 values, for sums before each place that are subtracted.
	screenRoom = 1e-6
	leastPart  = 1e-5
	// So many numbers are kept that unrelated traces pass at a lag only from so many standard deviations on, as far as
	// a sample of traces says.
	screenSD     = 4
	screenSample = 64
)

// newScreen is for traces with as many channels, at these overlaps.
func newScreen(traces []*trace, least float64, overlaps []int, threads int) (*screen, error) {
	n := len(traces[0].channels)
	s := &screen{least: least - screenRoom, channels: n, kept: map[int][][]int{}}
	var sample []*trace
	gram := make([]float64, n*n)
	for i := 0; i < len(traces); i += (len(traces) + screenSample - 1) / screenSample {
		x := traces[i]
		sample = append(sample, x)
		for i, v := range x.channels {
			for j, w := range x.channels {
				gram[i*n+j] += dense.Dot(v, w) / max(x.squares[x.len()], math.SmallestNonzeroFloat32)
			}
		}
	}
	var err error
	if _, s.turn, err = dense.Eigen(gram, n); err != nil {
		return nil, err
	}
	turned := make([][]float64, len(sample))
	for i, x := range sample {
		turned[i] = s.turned([]*trace{x})
	}
	kept := make([][][]int, len(overlaps))
	dense.Each(threads, len(overlaps), func(i int) { kept[i] = s.choose(turned, overlaps[i]) })
	for i, n := range overlaps {
		s.kept[n] = kept[i]
	}
	return s, nil
}

// choose keeps the numbers that hold most of the squares of a sample of turned traces at an overlap.
func (s *screen) choose(sample [][]float64, overlap int) [][]int {
	type number struct {
		direction, cosine int
		part              float64 // of the squares
	}
	count := overlap - 1
	var numbers []number
	var all []int
	for j := range count {
		all = append(all, j+1)
	}
	for d := range s.channels {
		for _, j := range all {
			numbers = append(numbers, number{d, j, 0})
		}
	}
	whole := 0.0
	basis := cosines(overlap, all)
	of := make([]float64, len(numbers))
	for _, v := range sample {
		length := len(v) / s.channels
		if length < overlap {
			continue
		}
		dense.Multiply(of, count, dense.Rows(v, length), dense.Rows(basis, count), s.channels, overlap, count, false, 1)
		for i, x := range of {
			numbers[i].part += float64(x * x)
			whole += float64(x * x)
		}
	}
	slices.SortStableFunc(numbers, func(a, b number) int { return cmp.Compare(b.part, a.part) })
	kept := make([][]int, s.channels)
	rest, squares := 1.0, 0.0
	for _, x := range numbers {
		kept[x.direction] = append(kept[x.direction], x.cosine)
		part := x.part / whole
		rest -= part
		squares += float64(part * part)
		if s.least-rest > screenSD*math.Sqrt(squares) { // the SD of the product of unrelated traces
			break
		}
	}
	return kept
}

// cosines are overlap × len(which): some of the discrete cosine transform (Ahmed, Natarajan & Rao 1974), of length 1.
func cosines(overlap int, which []int) []float64 {
	table := make([]float64, 4*overlap)
	scale := math.Sqrt(2 / float64(overlap))
	for i := range table {
		_, c := exact.Sincos(math.Pi * float64(i) / float64(2*overlap))
		table[i] = scale * c
	}
	out := make([]float64, 0, overlap*len(which))
	for i := range overlap {
		for _, j := range which {
			out = append(out, table[(2*i+1)*j%len(table)])
		}
	}
	return out
}

// turned are traces of one length in the main directions: direction, trace, time.
func (s *screen) turned(traces []*trace) []float64 {
	n, length := s.channels, traces[0].len()
	out := make([]float64, n*len(traces)*length)
	for i, x := range traces {
		dense.Multiply(out[i*length:], len(traces)*length, dense.Rows(s.turn, n),
			dense.Rows(slices.Concat(x.channels...), length), n, n, length, false, 1)
	}
	return out
}

// A tile is a part of all pairs of traces: of two lists of places, of one length each, or of one list with itself.
type tile struct {
	screen *screen // nil for a few pairs, which are all told
	xs, ys []int
}

const (
	tileTraces = 1024
	tileValues = 4 << 20 // of the traces on a side: 32 MB
)

// fewTraces is how many pairs of each trace are compared as soon as its signatures are made; tests lower it.
var fewTraces = 16

// tiles are all pairs of traces that can be of one scan.
func (s *Leakage) tiles(all []*trace, threads int) (tiles []tile, err error) {
	lengths := map[int]map[int][]int{} // regions → length → places
	for i, x := range all {
		if lengths[x.regions] == nil {
			lengths[x.regions] = map[int][]int{}
		}
		lengths[x.regions][x.len()] = append(lengths[x.regions][x.len()], i)
	}
	for _, regions := range slices.Sorted(maps.Keys(lengths)) {
		least := s.Correlation
		if regions > 0 {
			least = s.Filtered
		}
		var blocks [][]int
		var traces []*trace
		overlaps := map[int]bool{}
		for _, length := range slices.Sorted(maps.Keys(lengths[regions])) {
			places := lengths[regions][length]
			x := all[places[0]]
			for _, i := range places {
				traces = append(traces, all[i])
			}
			for n := x.leastOverlap(length); n <= length; n++ {
				overlaps[n] = true
			}
			size := min(tileTraces, max(64, tileValues/(length*len(x.channels))))
			blocks = slices.AppendSeq(blocks, slices.Chunk(places, size))
		}
		screen, err := newScreen(traces, least, slices.Sorted(maps.Keys(overlaps)), threads)
		if err != nil {
			return nil, err
		}
		for i, xs := range blocks {
			for _, ys := range blocks[:i+1] {
				if len(xs)*len(ys) > fewTraces*(len(xs)+len(ys)) {
					tiles = append(tiles, tile{screen, xs, ys})
				} else {
					tiles = append(tiles, tile{nil, xs, ys})
				}
			}
		}
	}
	return tiles, nil
}

// pairs calls found once for each pair that may be of one scan, the earlier place first.
func (t *tile) pairs(all []*trace, found func(i, j int)) {
	told := make([]bool, len(t.xs)*len(t.ys))
	same := &t.xs[0] == &t.ys[0]
	tell := func(i, j int) {
		told[i*len(t.ys)+j] = true
		if at, other := t.xs[i], t.ys[j]; at != other && !(same && told[j*len(t.ys)+i]) {
			found(min(at, other), max(at, other))
		}
	}
	if t.screen == nil {
		for i := range t.xs {
			for j := range t.ys {
				tell(i, j)
			}
		}
		return
	}
	xs := lists.Map(t.xs, func(i int) *trace { return all[i] })
	ys := lists.Map(t.ys, func(i int) *trace { return all[i] })
	low, high := xs[0].lags(ys[0])
	if same {
		low = 0 // both orders of a pair are compared
	}
	turnedX, turnedY := t.screen.turned(xs), t.screen.turned(ys)
	for lag := low; lag <= high; lag++ {
		from, to := xs[0].overlap(ys[0], lag)
		b := t.screen.basis(to - from)
		u, v := b.signatures(xs, turnedX, from), b.signatures(ys, turnedY, from+lag)
		dense.Above(u, v, len(xs), len(ys), b.depth, 1-1e-4, func(i, j int) {
			if !told[i*len(ys)+j] && t.screen.may(xs[i], ys[j], lag) {
				tell(i, j)
			}
		})
	}
}

// A basis turns windows of one length.
type basis struct {
	screen  *screen
	overlap int
	cosines [][]float64 // of each main direction
	depth   int         // numbers that are kept
}

func (s *screen) basis(overlap int) basis {
	b := basis{screen: s, overlap: overlap}
	for _, which := range s.kept[overlap] {
		b.cosines = append(b.cosines, cosines(overlap, which))
		b.depth += len(which)
	}
	return b
}

// signatures are P of windows of turned traces; NaN of those about which they say nothing.
func (b *basis) signatures(traces []*trace, turned []float64, from int) []float32 {
	numbers, signatures := make([]float64, len(traces)*b.depth), make([]float32, len(traces)*b.depth)
	length, at := traces[0].len(), 0
	for d, c := range b.cosines {
		if n := len(c) / b.overlap; n > 0 {
			dense.Multiply(numbers[at:], b.depth, dense.Rows(turned[d*len(traces)*length+from:], length),
				dense.Rows(c, n), len(traces), b.overlap, n, false, 1)
			at += n
		}
	}
	for i, x := range traces {
		p := numbers[i*b.depth:][:b.depth]
		squares := x.variation(from, from+b.overlap)
		room := b.screen.least - max(0, 1-dense.SumSquares(p)/squares) // least − ρ²
		scale := math.NaN()
		if squares > leastPart*x.squares[length] && room > 0.05 {
			scale = 1 / math.Sqrt(squares*room)
		}
		for k, v := range p {
			signatures[i*b.depth+k] = float32(scale * v)
		}
	}
	return signatures
}

// may reports whether two traces correlate by least at a lag, or rounding hides whether they do.
func (s *screen) may(x, y *trace, lag int) bool {
	from, to := x.overlap(y, lag)
	vx, vy := x.variation(from, to), y.variation(from+lag, to+lag)
	if !(vx > leastPart*x.squares[x.len()] && vy > leastPart*y.squares[y.len()]) {
		return true
	}
	dot := -x.means(y, lag, from, to)
	for c, v := range x.channels {
		dot += dense.Dot(v[from:to], y.channels[c][from+lag:to+lag])
	}
	return float64(dot*dot) >= float64(s.least*s.least)*float64(vx*vy)
}
