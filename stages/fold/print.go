package fold

import (
	"encoding/binary"
	"math"

	"prgnn/artifacts"
)

// A Print stands for numbers in a comparison: a volume, a time point of all regions, a participant's features.
type Print struct {
	digest artifacts.Digest
	sketch *[64]float64 // of their z-scores; nil where only the digest counts
}

// fewestValues have a sketch: fewer numbers correlate too easily.
const fewestValues = 16

// PrintOf is the print of some numbers.
func PrintOf(v []float64) Print {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	p := PrintOfDigest(artifacts.DigestOf(b))
	if len(v) >= fewestValues {
		p.sketch = sketchOf(v)
	}
	return p
}

// PrintOfDigest is that of a file that is compared as a whole.
func PrintOfDigest(d artifacts.Digest) Print { return Print{digest: d} }

// Same reports whether two numbers correlate by 1 − tolerance or more, or by −(1 − tolerance) or less; without
// sketches, whether they are the same. The squared distance of two sketches is about that of the z-scores, 2(1 − r).
func (p Print) Same(q Print, tolerance float64) bool {
	if p.sketch == nil || q.sketch == nil {
		return p.digest == q.digest
	}
	far, reversed := 0.0, 0.0
	for i, x := range p.sketch {
		y := q.sketch[i]
		far += float64((x - y) * (x - y))
		reversed += float64((x + y) * (x + y))
		if far > 2*tolerance && reversed > 2*tolerance {
			return false
		}
	}
	return true
}

// sketchOf is the count sketch (Charikar, Chen & Farach-Colton 2002) of the values' z-scores, which
// have length 1 here: each is added to, or taken from, one of 64 sums. Values that are not finite count as the mean.
// It is nil where no value differs from another.
func sketchOf(v []float64) *[64]float64 {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	var mean, squares, n float64
	for _, x := range v {
		if finite(x) {
			mean, n = mean+x, n+1
		}
	}
	mean /= n
	for _, x := range v {
		if finite(x) {
			squares += float64((x - mean) * (x - mean))
		}
	}
	s := new([64]float64)
	length := math.Sqrt(squares)
	if !(length > 0) || math.IsInf(length, 0) {
		return nil
	}
	for i, x := range v {
		if !finite(x) {
			continue
		}
		h := uint64(i+1) * 0x9e3779b97f4a7c15 // splitmix64
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
		z := (x - mean) / length
		if h>>6&1 == 1 {
			z = -z
		}
		s[h&63] += z
	}
	return s
}

// A PrintIndex finds a print among many. The distance of two sketches bounds that of their projections, so only prints
// in neighboring cells of a grid of two projections are compared.
type PrintIndex struct {
	tolerance float64 // see Same
	prints    []Print
	same      map[artifacts.Digest]int // the first of each digest
	cells     map[[2]int][]int         // by the projections
}

// NewPrintIndex makes an empty index; tolerance is that of Same.
func NewPrintIndex(tolerance float64) *PrintIndex {
	return &PrintIndex{tolerance: tolerance, same: map[artifacts.Digest]int{}, cells: map[[2]int][]int{}}
}

// Add takes a print; their numbers count from 0.
func (x *PrintIndex) Add(p Print) {
	at := len(x.prints)
	x.prints = append(x.prints, p)
	if _, ok := x.same[p.digest]; !ok {
		x.same[p.digest] = at
	}
	if p.sketch != nil {
		c := x.cell(p.sketch, 1)
		x.cells[c] = append(x.cells[c], at)
	}
}

// Find is the first print that is the same as p, or -1.
func (x *PrintIndex) Find(p Print) int {
	first, ok := x.same[p.digest]
	if !ok {
		first = len(x.prints)
	}
	if p.sketch != nil {
		for _, sign := range []float64{1, -1} { // Same allows either
			c := x.cell(p.sketch, sign)
			for i := range 9 {
				for _, at := range x.cells[[2]int{c[0] + i/3 - 1, c[1] + i%3 - 1}] {
					if at < first && p.Same(x.prints[at], x.tolerance) {
						first = at
					}
				}
			}
		}
	}
	if first == len(x.prints) {
		return -1
	}
	return first
}

// cell is where two projections on unit vectors lie, in steps of the largest distance of what is the same.
func (x *PrintIndex) cell(sketch *[64]float64, sign float64) [2]int {
	var all, alternating float64
	for i, v := range sketch {
		all += v / 8
		alternating += v * float64(1-i%2*2) / 8
	}
	step := 1.001 * math.Sqrt(2*x.tolerance) // with room for rounding
	return [2]int{int(math.Floor(sign * all / step)), int(math.Floor(sign * alternating / step))}
}
