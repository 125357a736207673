// Package tex holds boxes of text.
package tex

// A Node is a box.
type Node interface {
	Width() float64
	Height() float64
	Depth() float64
}

// A Tree is a box of boxes.
type Tree = Node

type Ship struct{}

func (*Ship) Call(x, y float64, box Tree) {}
