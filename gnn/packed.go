package gnn

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// packed says how a graph lies in its packed form, which is exact: 14.3 kB in place of 43 kB for 84 nodes, 348 edges
// and symmetric features in single precision. The form is
//
//	values   the features, nodes × features, or of a symmetric matrix its upper triangle, row by row;
//	         then the strength of each edge; all of them narrow, or as they are
//	nodes    8, 16 or 32 bits each, as their number wants: to how many later nodes each has edges;
//	         to how many nodes; the nodes in the order of adjacency.row; then the later end of each edge
type packed[T Float] struct {
	n, features, edges int32 // features: per node
	self               T
	narrow             narrow
	symmetric          bool
}

// narrow says how numbers in single precision lie in 28 bits each. Correlations differ in all bits but those of the
// exponent, which has few values: four bits count it down from the largest. Numbers that are too small for that are
// exceptions. The form is, with as many numbers as fill registers of 16,
//
//	low          per number: the 16 low bits, of it rotated left by 1: exponent, fraction, sign
//	high         per number: the 8 above
//	codes        per number, 4 bits: the largest exponent less its own
//	exceptions   32 bits each: which number, times 256, and its exponent
type narrow struct {
	exceptions int32
	used       bool
	largest    uint8
}

// register is how many numbers one holds at most.
const register = 16

// inRegisters is how many numbers fill the registers.
func inRegisters(n int) int { return (n + register - 1) &^ (register - 1) }

// size is how many bytes n numbers take.
func (f narrow) size(n int) int { return inRegisters(n)*7/2 + 4*int(f.exceptions) }

// parts are those of the narrow form.
func (f narrow) parts(n int, data []byte) (low []uint16, high, codes []byte, exceptions []uint32) {
	n = inRegisters(n)
	return view[uint16](data[:2*n]), data[2*n : 3*n], data[3*n : n*7/2], view[uint32](data[n*7/2:][:4*f.exceptions])
}

// narrowed gives values in the narrow form. It is not used if that is not shorter, or in double precision.
func narrowed[T Float](values []T) (f narrow, data []byte) {
	v, single := any(values).([]float32)
	if !single || len(v) >= 1<<24 {
		return f, nil
	}
	f.used = true
	turned := make([]uint32, len(v))
	for i, x := range v {
		turned[i] = bits.RotateLeft32(math.Float32bits(x), 1)
		f.largest = max(f.largest, uint8(turned[i]>>24))
	}
	var exceptions []uint32
	for i, x := range turned {
		if uint32(f.largest)-x>>24 > 15 {
			exceptions = append(exceptions, uint32(i)<<8|x>>24)
		}
	}
	f.exceptions = int32(len(exceptions))
	if f.size(len(v)) >= 4*len(v) {
		return narrow{}, nil
	}
	data = make([]byte, f.size(len(v)))
	low, high, codes, rest := f.parts(len(v), data)
	for i, x := range turned {
		low[i], high[i] = uint16(x), uint8(x>>16)
		if code := uint32(f.largest) - x>>24; code <= 15 {
			codes[i/2] |= uint8(code << (i % 2 * 4))
		}
	}
	copy(rest, exceptions)
	return f, data
}

// widened gives the n numbers whose narrow form is data, in room or what is made for them.
func widened[T Float](k *kernels[T], f narrow, room []T, n int, data []byte) []T {
	room = resize(room, inRegisters(n))
	low, high, codes, exceptions := f.parts(n, data)
	k.widen(room, low, high, codes, f.largest)
	for _, x := range exceptions {
		at := &room[x>>8]
		*at = T(math.Float32frombits(math.Float32bits(float32(*at))&^(0xff<<23) | x&0xff<<23))
	}
	return room[:n]
}

// pack gives the packed form of a graph.
func pack[T Float](w *whole[T]) (packed[T], []byte) {
	n := w.n
	p := packed[T]{n: int32(n), features: int32(len(w.Features) / n), edges: int32(len(w.from)), self: w.self,
		symmetric: symmetric(n, w.Features)}
	values := make([]T, 0, p.values())
	if p.symmetric {
		for i := range n {
			values = append(values, w.Features[i*n+i:(i+1)*n]...)
		}
	} else {
		values = append(values, w.Features...)
	}
	values = append(values, w.strength...)
	var data []byte
	if p.narrow, data = narrowed(values); !p.narrow.used {
		data = view[byte](values)
	}
	numbers := slices.Concat(make([]int32, n), w.degree[:n], w.row[:n], w.to)
	for _, from := range w.from {
		numbers[from]++
	}
	for i := range n {
		numbers[n+i]-- // the node itself, so that a node of 256 has no more than a byte holds
	}
	data = slices.Grow(data, p.nodeBytes()*len(numbers))
	for _, x := range numbers {
		switch p.nodeBytes() {
		case 1:
			data = append(data, uint8(x))
		case 2:
			data = binary.NativeEndian.AppendUint16(data, uint16(x))
		default:
			data = binary.NativeEndian.AppendUint32(data, uint32(x))
		}
	}
	return p, data
}

// symmetric reports whether the features are a symmetric matrix, bit by bit.
func symmetric[T Float](n int, features []T) bool {
	if len(features) != n*n {
		return false
	}
	for i := range n {
		for j := range i {
			x, y := features[i*n+j], features[j*n+i]
			if x != y || math.Signbit(float64(x)) != math.Signbit(float64(y)) {
				return false
			}
		}
	}
	return true
}

// nodeBytes is how many bytes a node takes.
func (p *packed[T]) nodeBytes() int {
	switch {
	case p.n <= 1<<8:
		return 1
	case p.n <= 1<<16:
		return 2
	}
	return 4
}

// inputs is how many of the values are features.
func (p *packed[T]) inputs() int {
	n := int(p.n)
	if p.symmetric {
		return n * (n + 1) / 2
	}
	return n * int(p.features)
}

func (p *packed[T]) values() int { return p.inputs() + int(p.edges) }

// bytes is how many the values take.
func (p *packed[T]) bytes() int {
	if p.narrow.used {
		return p.narrow.size(p.values())
	}
	return p.values() * int(unsafe.Sizeof(p.self))
}

// A Packer takes the graphs of a training. If they need more memory than it was given, it packs all of them. The
// results are the same.
type Packer[T Float] struct {
	memory int64       // bytes of graphs that are not packed
	held   []*Graph[T] // until they are packed
	bytes  int64       // of them
	packs  bool
	room   []byte // for packed graphs, which lie side by side
}

// NewPacker keeps so many bytes of graphs as they are.
func NewPacker[T Float](memory int64) *Packer[T] { return &Packer[T]{memory: memory} }

// Add takes a graph, which others must not be using.
func (p *Packer[T]) Add(g *Graph[T]) {
	p.held = append(p.held, g)
	p.bytes += g.bytes()
	if p.packs = p.packs || p.bytes > p.memory; p.packs {
		for _, g := range p.held {
			packed, data := pack(g.whole)
			g.packed, g.data, g.whole = packed, p.keep(data), nil
		}
		clear(p.held)
		p.held = p.held[:0]
	}
}

// keep copies a packed graph to where its numbers are aligned.
func (p *Packer[T]) keep(data []byte) []byte {
	n := (len(data) + 7) &^ 7
	if len(p.room) < n {
		p.room = make([]byte, max(n, 1<<20))
	}
	kept := p.room[:len(data):len(data)]
	p.room = p.room[n:]
	copy(kept, data)
	return kept
}

// A room is where a goroutine unpacks graphs. What is there stays until the next one.
type room[T Float] struct{ values, features []T }

// unpack gives the values of the graph whose packed form is data, there or in the room.
func (p *packed[T]) unpack(k *kernels[T], r *room[T], data []byte) []T {
	if !p.narrow.used {
		return view[T](data[:p.bytes()])
	}
	r.values = widened(k, p.narrow, r.values, p.values(), data)
	return r.values
}

// matrix gives the features, nodes × features, there or in the room.
func (p *packed[T]) matrix(k *kernels[T], r *room[T], values []T) []T {
	if !p.symmetric {
		return values[:p.inputs()]
	}
	n := int(p.n)
	r.features = resize(r.features, n*n)
	k.unfold(r.features, values, n)
	return r.features
}

// join makes a the adjacency of the graph.
func (p *packed[T]) join(k *kernels[T], a *adjacency[T], values []T, data []byte) {
	a.self = p.self
	const over = 8 // what a kernel may write beyond
	a.from, a.to = resize(a.from, int(p.edges)+over), resize(a.to, int(p.edges))
	a.strength = append(a.strength[:0], values[p.inputs():]...)
	a.rows(int(p.n))
	switch data = data[p.bytes():]; p.nodeBytes() {
	case 1:
		joinNodes(a, data, k.integers, k.repeated)
	case 2:
		joinNodes(a, view[uint16](data), integers, repeated)
	default:
		joinNodes(a, view[uint32](data), integers, repeated)
	}
	a.layOut(k)
}

func joinNodes[N uint8 | uint16 | uint32, T Float](a *adjacency[T], nodes []N, integers, repeated func([]int32, []N)) {
	n := a.n
	repeated(a.from, nodes[:n])
	a.from = a.from[:len(a.to)]
	integers(a.degree, nodes[n:2*n])
	integers(a.row, nodes[2*n:3*n])
	integers(a.to, nodes[3*n:][:len(a.to)])
	for i := range a.degree {
		if i < n {
			a.degree[i]++
		} else {
			a.degree[i], a.row[i] = 0, int32(i)
		}
	}
}

// view is the same memory as elements of another type.
func view[To, From any](s []From) []To {
	var from From
	var to To
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(s))),
		uintptr(len(s))*unsafe.Sizeof(from)/unsafe.Sizeof(to))
}
