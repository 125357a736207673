package gnn

import (
	"fmt"
	"math"
)

// A Model is a network with its weights, in one precision. Params holds all
// trainable arrays in the order of Layout, Buffers the rest (Options.Buffers).
type Model[T Float] struct {
	Options
	Layout  Layout
	Params  []T
	Buffers []T

	bufferLayout Layout
	k            *kernels[T]
	blocks       []block[T]
	fc           []linear[T]
	bn           []norm[T]
	one          []T // 1
	working      int // length of a graph's gradient in the layout of the kernels
}

// New makes a model with its starting weights; they depend on the seed, the
// names of the arrays and the further words of the stream.
func New[T Float](o Options, seed uint64, stream ...any) (*Model[T], error) {
	m, err := Zero[T](o)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		l Layout
		v []T
	}{{m.Layout, m.Params}, {m.bufferLayout, m.Buffers}} {
		for _, p := range part.l {
			for i, x := range o.initial(part.l, p, seed, stream...) {
				part.v[p.Offset+i] = T(x)
			}
		}
	}
	return m, nil
}

// Zero makes a model whose arrays are all zero, to be filled by the caller.
func Zero[T Float](o Options) (*Model[T], error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	m := &Model[T]{Options: o, Layout: o.Layout(), bufferLayout: o.Buffers(), k: kernelsOf[T](), one: []T{1}}
	m.Params = make([]T, m.Layout.Len())
	m.Buffers = make([]T, m.bufferLayout.Len())
	in := o.Features
	for l, out := range o.Widths {
		m.blocks = append(m.blocks, newBlock(m, l, in, out))
		in = out
	}
	widths := o.mlpWidths()
	for i := range len(widths) - 1 {
		m.fc = append(m.fc, newLinear(m, i, widths[i], widths[i+1]))
	}
	if o.BatchNorm {
		for i := range o.Hidden {
			m.bn = append(m.bn, newNorm(m, i))
		}
	}
	return m, nil
}

// param finds an array of the model by name; the name is the program's own.
func (m *Model[T]) param(format string, a ...any) Param {
	p, ok := m.Layout.Find(fmt.Sprintf(format, a...))
	if !ok {
		panic("gnn: no array " + fmt.Sprintf(format, a...))
	}
	return p
}

// of is the array p in a slice laid out as Params.
func of[T Float](v []T, p Param) []T { return v[p.Offset:][:p.Len()] }

// A span is a part of a graph's gradient in the layout of the kernels.
type span struct{ at, n int }

func part[T Float](v []T, s span) []T { return v[s.at:][:s.n] }

// room sets aside n places, rounded up, of a graph's gradient.
func (m *Model[T]) room(n int) span {
	s := span{m.working, padded(n)}
	m.working += s.n
	return s
}

// prepare lays the weights out for the kernels. It comes after every change of Params.
func (m *Model[T]) prepare() {
	for l := range m.blocks {
		m.blocks[l].prepare(m.Params)
	}
	for i := range m.fc {
		m.fc[i].prepare(m.Params)
	}
}

// finish turns a gradient in the layout of the kernels into one in the layout of
// Params, and so through what prepare did.
func (m *Model[T]) finish(grad, working []T) {
	for l := range m.blocks {
		m.blocks[l].finish(grad, working)
	}
	for i := range m.fc {
		m.fc[i].finish(grad, working)
	}
}

// length is the Euclidean length of a vector.
func length[T Float](v []T) T {
	var s T
	for _, x := range v {
		s += T(x * x)
	}
	return T(math.Sqrt(float64(s)))
}
