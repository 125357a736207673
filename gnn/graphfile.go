package gnn

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"sync/atomic"
)

// A GraphFile takes the graphs of a training. The first stay in memory, up to a limit; the others go to a file, in the
// packed form, and are read when their batch comes. The results are the same.
type GraphFile[T Float] struct {
	memory int64 // bytes that are left for graphs
	open   func() (*os.File, error)
	file   *os.File // nil until it is needed
	end    int64
}

// NewGraphFile keeps so many bytes of graphs in memory. open gives an empty file, which the caller closes after the
// last use of the graphs.
func NewGraphFile[T Float](memory int64, open func() (*os.File, error)) *GraphFile[T] {
	return &GraphFile[T]{memory: memory, open: open}
}

// A record is a packed graph in a file.
type record[T Float] struct {
	packed[T]
	file *os.File
	at   int64
	sum  uint32 // of its bytes
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Add takes a graph, which others must not be using.
func (f *GraphFile[T]) Add(g *Graph[T]) error {
	if f.memory -= g.bytes(); f.memory >= 0 {
		return nil
	}
	f.memory = 0
	if f.file == nil {
		file, err := f.open()
		if err != nil {
			return fmt.Errorf("a file for graphs: %w", err)
		}
		f.file = file
	}
	p, data := pack(g.whole)
	b := view[byte](data)
	if _, err := f.file.WriteAt(b, f.end); err != nil {
		return fmt.Errorf("the file of graphs: %w", err)
	}
	g.whole, g.record = nil, &record[T]{p, f.file, f.end, crc32.Checksum(b, castagnoli)}
	f.end += int64(len(b))
	return nil
}

// read gives the packed data, in buf if it is long enough.
func (r *record[T]) read(buf []T) ([]T, error) {
	data := resize(buf, r.size())
	b := view[byte](data)
	if _, err := r.file.ReadAt(b, r.at); err != nil {
		return data, fmt.Errorf("the file of graphs: %w", err)
	}
	if crc32.Checksum(b, castagnoli) != r.sum {
		return data, errors.New("the file of graphs: a graph is not as it was written: check the disk")
	}
	return data, nil
}

// readers is how many records are read at once: disks want several requests.
const readers = 16

// An ahead reads the graphs of a batch that are in a file, while another batch is computed.
type ahead[T Float] struct {
	batch  []*Graph[T]
	data   [][]T // a graph: what was read
	taken  atomic.Int64
	failed atomic.Pointer[error]
	work   sync.WaitGroup
}

// begin starts to read a batch, after wait.
func (a *ahead[T]) begin(batch []*Graph[T]) {
	filed := 0
	for _, g := range batch {
		if g.record != nil {
			filed++
		}
	}
	for filed > 0 && len(a.data) < len(batch) {
		a.data = append(a.data, nil)
	}
	a.batch = batch
	a.taken.Store(0)
	a.failed.Store(nil)
	for range min(filed, readers) {
		a.work.Go(func() {
			for i := int(a.taken.Add(1)) - 1; i < len(batch); i = int(a.taken.Add(1)) - 1 {
				if r := batch[i].record; r != nil {
					var err error
					if a.data[i], err = r.read(a.data[i]); err != nil {
						a.failed.Store(&err)
					}
				}
			}
		})
	}
}

// wait returns when the batch is read.
func (a *ahead[T]) wait() error {
	a.work.Wait()
	if err := a.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// of reports whether it is this batch that is read.
func (a *ahead[T]) of(batch []*Graph[T]) bool {
	return len(batch) > 0 && len(a.batch) == len(batch) && &a.batch[0] == &batch[0]
}
