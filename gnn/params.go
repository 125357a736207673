package gnn

import (
	"fmt"
	"math"
	"strings"

	"prgnn/numeric/random"
)

// A Param is one array of a model: its name, its shape, and where it begins in
// the one slice that holds them all, each row-major.
type Param struct {
	Name   string
	Shape  []int
	Offset int
}

// Len is the number of values of the array.
func (p Param) Len() int {
	n := 1
	for _, s := range p.Shape {
		n *= s
	}
	return n
}

// A Layout is the table of a model's arrays, in order.
type Layout []Param

// Len is the number of values of all arrays together.
func (l Layout) Len() int {
	if len(l) == 0 {
		return 0
	}
	last := l[len(l)-1]
	return last.Offset + last.Len()
}

// Find returns the array of that name.
func (l Layout) Find(name string) (Param, bool) {
	for _, p := range l {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

func (l *Layout) add(name string, shape ...int) {
	*l = append(*l, Param{Name: name, Shape: shape, Offset: l.Len()})
}

// Layout lists the trainable arrays.
func (o Options) Layout() Layout {
	var l Layout
	ends := 2 // halves of the attention vector
	if o.Tied {
		ends = 1
	}
	in := o.Features
	for b, out := range o.Widths {
		l.add(fmt.Sprintf("conv%d_Theta", b+1), out, in)
		l.add(fmt.Sprintf("conv%d_a", b+1), ends*out)
		if o.ConvBias {
			l.add(fmt.Sprintf("conv%d_b", b+1), out)
		}
		if o.Pool == "topk" {
			l.add(fmt.Sprintf("pool%d_w", b+1), out)
		} else {
			l.add(fmt.Sprintf("pool%d_theta", b+1), 1, out)
			l.add(fmt.Sprintf("pool%d_a", b+1), ends)
		}
		in = out
	}
	widths := o.mlpWidths()
	for i := range len(widths) - 1 {
		l.add(fmt.Sprintf("fc%d_W", i+1), widths[i+1], widths[i])
		l.add(fmt.Sprintf("fc%d_b", i+1), widths[i+1])
		if o.BatchNorm && i < len(widths)-2 {
			l.add(fmt.Sprintf("bn%d_g", i+1), widths[i+1])
			l.add(fmt.Sprintf("bn%d_b", i+1), widths[i+1])
		}
	}
	return l
}

// Buffers lists the arrays that training keeps but no gradient moves: the
// running mean and variance of each batch normalization.
func (o Options) Buffers() Layout {
	var l Layout
	if o.BatchNorm {
		for i, w := range o.Hidden {
			l.add(fmt.Sprintf("bn%d_mean", i+1), w)
			l.add(fmt.Sprintf("bn%d_var", i+1), w)
		}
	}
	return l
}

// mlpWidths are the widths of the MLP from z to the logits.
func (o Options) mlpWidths() []int {
	w := append([]int{o.readoutWidth()}, o.Hidden...)
	return append(w, o.outputs())
}

// initial draws the starting values of an array, uniform in ±bound: Glorot's
// √(6/(fan in + fan out)) for Θ and the attention vectors (counted as a matrix
// of one row per half), 1/√d for the TopK projection (as PyG), 1/√(fan in) for
// the linear layers (as PyTorch). A convolution's bias starts at 0, batch normalization
// at the identity. Each array has its own stream, named by the seed and its name.
func (o Options) initial(l Layout, p Param, seed uint64, stream ...any) []float64 {
	v := make([]float64, p.Len())
	kind := p.Name[strings.IndexByte(p.Name, '_')+1:]
	var bound float64
	switch {
	case strings.HasPrefix(p.Name, "bn"):
		if kind == "g" || kind == "var" {
			for i := range v {
				v[i] = 1
			}
		}
		return v
	case strings.HasPrefix(p.Name, "conv") && kind == "b":
		return v
	case kind == "Theta" || kind == "theta":
		bound = math.Sqrt(6 / float64(p.Shape[0]+p.Shape[1]))
	case kind == "a":
		width := p.Shape[0] / 2
		if o.Tied {
			width = p.Shape[0]
		}
		bound = math.Sqrt(6 / float64(1+width))
	case kind == "w":
		bound = 1 / math.Sqrt(float64(p.Shape[0]))
	default: // fc
		w, _ := l.Find(strings.TrimSuffix(p.Name, kind) + "W")
		bound = 1 / math.Sqrt(float64(w.Shape[1]))
	}
	r := random.New(seed, append([]any{"weights", p.Name}, stream...)...)
	for i := range v {
		v[i] = float64(bound * (float64(2*r.Float64()) - 1))
	}
	return v
}
