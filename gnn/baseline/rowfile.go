package baseline

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"unsafe"

	"prgnn/gnn/spill"
	"prgnn/internal/dense"
)

// A RowFile takes the rows of a training. If they are too many for memory, all go to a file, from where models that
// need no more than passes through the rows read them block by block. The results are the same.
type RowFile struct {
	ctx     context.Context // ends a pass
	d       int             // values a row
	memory  int64           // bytes
	threads int
	open    func() (*os.File, error)

	n       int         // rows
	size    size        // of all numbers
	held    []float64   // all rows; when there is a file, those of the record that is not full
	records *spill.File // nil until it is needed
	per     int         // rows a record
	reader  *spill.Reader
	order   []int32   // of the records: as they are
	block   []float64 // rows side by side
	mean    []float64 // nil, or what rows are z-scored with
	sd      []float64
	err     error
}

// batch is how many records are a block.
const batch = 32

// NewRowFile keeps so many bytes in memory; less than 0: all. About so many rows of d values are expected. open gives
// an empty file, which the caller closes after the last use of the rows.
func NewRowFile(ctx context.Context, rows, d int, memory int64, threads int, open func() (*os.File, error)) *RowFile {
	if memory < 0 {
		memory = math.MaxInt64
	}
	f := &RowFile{ctx: ctx, d: d, memory: memory, threads: threads, open: open}
	f.per = max(1, int(min(memory/4096, 256<<10))/(8*d))
	f.held = make([]float64, 0, min(int64(rows)*int64(d), memory/16+int64(d)))
	return f
}

// Add takes a row, which is copied.
func (f *RowFile) Add(row []float64) error {
	f.n++
	f.size.add(row)
	f.held = append(f.held, row...)
	switch {
	case f.records != nil:
		return f.put(f.per)
	case 8*int64(len(f.held)) <= f.memory/2: // the reader takes all of it
		return nil
	}
	file, err := f.open()
	if err != nil {
		return fmt.Errorf("a file for inputs: %w", err)
	}
	f.records = spill.NewFile(file)
	err = f.put(f.per)
	f.held = append([]float64(nil), f.held...)
	debug.FreeOSMemory() // what they took is wanted for the reader
	return err
}

// put writes records of so many rows.
func (f *RowFile) put(rows int) error {
	rest := f.held
	for size := rows * f.d; size > 0 && len(rest) >= size; rest = rest[size:] {
		number, err := f.records.Add(bytes(rest[:size]))
		if err != nil {
			return err
		}
		f.order = append(f.order, number)
	}
	f.held = f.held[:copy(f.held, rest)]
	return nil
}

// Rows are the rows that were added. No more can be.
func (f *RowFile) Rows() (Rows, error) {
	r := Rows{N: f.n, D: f.d}
	if f.records == nil {
		r.X = f.held
		return r, nil
	}
	if err := f.put(len(f.held) / f.d); err != nil {
		return r, err
	}
	var err error
	f.reader, err = f.records.NewReader(f.memory, batch)
	f.block = make([]float64, batch*f.per*f.d)
	r.file = f
	return r, err
}

// Close frees what reading takes.
func (f *RowFile) Close() {
	if f.reader != nil {
		f.reader.Close()
	}
}

// group is how many rows may be in memory beside the reader's.
func (f *RowFile) group() int { return int(max(1, f.memory/4/int64(8*f.d))) }

// each calls use for the rows from one to before another.
func (f *RowFile) each(from, to int, use func(first int, b Rows)) {
	records := f.order[from/f.per : (to+f.per-1)/f.per]
	if f.err == nil {
		f.err = f.reader.Begin(records)
	}
	for at := from / f.per * f.per; at < to && f.err == nil; at += batch * f.per {
		n := min(batch, len(records))
		records = records[n:]
		if f.err = f.read(n); f.err != nil {
			return
		}
		low, high := max(from, at), min(to, at+n*f.per)
		use(low, Rows{N: high - low, D: f.d, X: f.block[(low-at)*f.d : (high-at)*f.d]})
		f.err = f.ctx.Err()
	}
}

// read lays the next n records side by side, while those that follow are read.
func (f *RowFile) read(n int) error {
	if err := f.reader.Next(n); err != nil {
		return err
	}
	size, errs := f.per*f.d, make([]error, n)
	dense.Each(f.threads, n, func(i int) {
		if i < f.reader.Pieces() {
			f.reader.Ahead()
		}
		var record []byte
		record, errs[i] = f.reader.Get(i)
		to := f.block[i*size:]
		to = to[:copy(bytes(to), record)/8]
		if f.mean != nil {
			zscore(to, f.mean, f.sd)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// bytes are numbers as they lie in memory.
func bytes(v []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}
