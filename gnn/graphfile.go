package gnn

import (
	"fmt"
	"os"
	"runtime/debug"

	"prgnn/gnn/spill"
)

// A GraphFile takes the graphs of a training. If they are too many for memory, all go to a file, in the packed form,
// and are read when their batch comes. The results are the same.
type GraphFile[T Float] struct {
	memory  int64 // bytes
	open    func() (*os.File, error)
	held    []*Graph[T] // until there is a file
	bytes   int64       // of them
	records *spill.File // nil until it is needed
}

// NewGraphFile keeps so many bytes of graphs in memory. open gives an empty file, which the caller closes after the
// last use of the graphs.
func NewGraphFile[T Float](memory int64, open func() (*os.File, error)) *GraphFile[T] {
	return &GraphFile[T]{memory: memory, open: open}
}

// A record is a packed graph in a file.
type record[T Float] struct {
	packed[T]
	file   *GraphFile[T]
	number int32
}

// Add takes a graph, which others must not be using.
func (f *GraphFile[T]) Add(g *Graph[T]) error {
	if f.records != nil {
		return f.put(g)
	}
	f.held = append(f.held, g)
	f.bytes += g.bytes()
	if f.bytes <= f.memory/2 { // the garbage collector takes as much again
		return nil
	}
	file, err := f.open()
	if err != nil {
		return fmt.Errorf("a file for graphs: %w", err)
	}
	f.records = spill.NewFile(file)
	for _, g := range f.held {
		if err := f.put(g); err != nil {
			return err
		}
	}
	f.held = nil
	debug.FreeOSMemory() // what they took is wanted for their packed form
	return nil
}

func (f *GraphFile[T]) put(g *Graph[T]) error {
	p, data := pack(g.whole)
	number, err := f.records.Add(data)
	g.whole, g.record = nil, record[T]{p, f, number}
	return err
}
