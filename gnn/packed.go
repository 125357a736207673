package gnn

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"
)

// packed says how a graph lies in its packed form, which is exact: 16.3 kB in place of 43 kB for 84 nodes, 348 edges
// and symmetric features in single precision. The form is
//
//	values   the features, nodes × features, or of a symmetric matrix its upper triangle, row by row;
//	         then the strength of each edge
//	nodes    8, 16 or 32 bits each, as their number wants: to how many later nodes each has edges;
//	         to how many nodes; the nodes in the order of adjacency.row; then the later end of each edge
type packed[T Float] struct {
	n, features, edges int32 // features: per node
	self               T
	symmetric          bool
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
	data := view[byte](values)
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
func (p *packed[T]) bytes() int { return p.values() * int(unsafe.Sizeof(p.self)) }

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

// unpack gives the values of the graph whose packed form is data.
func (p *packed[T]) unpack(data []byte) []T { return view[T](data[:p.bytes()]) }

// matrix gives the features, nodes × features, there or in the room, which stay until the next graph.
func (p *packed[T]) matrix(k *kernels[T], room *[]T, values []T) []T {
	if !p.symmetric {
		return values[:p.inputs()]
	}
	n := int(p.n)
	*room = resize(*room, n*n)
	k.unfold(*room, values, n)
	return *room
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
