package spill

import (
	"cmp"
	"hash/crc32"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	window = 512 // records that are read ahead of a batch: disks want many requests at once, and pause
	depth  = 224 // most records that are being read: Linux has 256 requests a disk, and would wait for more
	piece  = 32  // records that one call of Ahead begins to read
)

// A Reader reads records batch by batch: Begin a pass, then for each batch call Next, Get its records, and call Ahead
// Pieces times. Get and Ahead may be called from several goroutines at once.
type Reader struct {
	file  *File
	reads engine
	arena []byte // slots of equal size

	slots  []slot
	slotOf []int32 // per record: its slot, or −1
	free   []int32 // slots
	keep   int32   // records with lower numbers stay in memory

	order []int32
	ended int     // the end of batch in order
	batch []int32 // a part of order: what is in use
	uses  []use   // of the batch

	mu      sync.Mutex   // of Ahead
	asked   int          // of order: what stands before is read or being read
	reading atomic.Int64 // how many are being read
}

// A slot holds a record, or is free.
type slot struct {
	pins  int32 // how often it is needed for what was asked for
	state state
	err   error
}

// A use is what Get wants of a record. Next looks it up for the whole batch: one by one, each look-up waits for memory.
type use struct {
	slot   *slot
	memory []byte
	sum    uint32
}

type state uint8

const (
	reading state = iota
	unchecked
	checked
)

// NewReader reads batches of batch records in about memory bytes, or more if a batch needs them.
func (f *File) NewReader(memory int64, batch int) (*Reader, error) {
	if err := f.flush(); err != nil {
		return nil, err
	}
	need, room := 2*batch+window, int(memory/int64(f.largest))
	keep := max(0, room-need)
	slots := min(keep+need, len(f.records)) // no record has two
	arena, err := newArena(slots * f.largest)
	if err != nil {
		return nil, failed(err)
	}
	r := &Reader{file: f, reads: newEngine(f.file), arena: arena, slots: make([]slot, slots),
		slotOf: make([]int32, len(f.records)), keep: int32(min(keep, slots))}
	for i := range r.slotOf {
		r.slotOf[i] = -1
	}
	for i := range r.slots {
		r.free = append(r.free, int32(i))
	}
	return r, nil
}

// Close ends what is being read and frees the memory of the records.
func (r *Reader) Close() {
	r.settle() // an engine that closes would wait for its reads, or write into freed memory
	r.reads.close()
	freeArena(r.arena)
}

// settle waits for all that is being read.
func (r *Reader) settle() error {
	for n := r.reading.Load(); n > 0; n = r.reading.Load() {
		if err := r.reads.wait(int(n), r.arrived); err != nil {
			return failed(err)
		}
	}
	return nil
}

// Begin starts a pass through records in an order. After an error, here or of Next, the reader can only be closed.
func (r *Reader) Begin(order []int32) error {
	if err := r.settle(); err != nil {
		return err
	}
	r.drop(r.batch)
	r.drop(r.order[r.ended:r.asked])
	r.order, r.batch, r.uses, r.asked, r.ended = order, nil, nil, 0, 0
	return nil
}

// Next waits for the next n records of the order. The records before them are out of use.
func (r *Reader) Next(n int) error {
	for _, u := range r.uses {
		u.slot.state = checked // by Get
	}
	r.drop(r.batch)
	r.batch = r.order[r.ended:][:n]
	r.ended += n
	for {
		if r.asked < r.ended { // more than that is for Ahead: who calls Next computes nothing meanwhile
			r.ask(r.ended - r.asked)
		}
		waiting := max(0, r.ended-r.asked)
		for _, k := range r.batch[:n-waiting] {
			if r.slots[r.slotOf[k]].state == reading {
				waiting++
			}
		}
		if waiting == 0 {
			break
		}
		if err := r.reads.wait(min(waiting, int(r.reading.Load())), r.arrived); err != nil {
			return failed(err)
		}
	}
	r.uses = r.uses[:0]
	for _, k := range r.batch {
		e, s := r.file.records[k], r.slotOf[k]
		r.uses = append(r.uses, use{&r.slots[s], r.memory(s)[:e.size], e.sum})
	}
	return nil
}

// Pieces is how many calls of Ahead read as many records as the batch has.
func (r *Reader) Pieces() int { return (len(r.batch) + piece - 1) / piece }

// Ahead begins to read some of the records that follow.
func (r *Reader) Ahead() { r.ask(piece) }

// ask begins to read up to n more records.
func (r *Reader) ask(n int) {
	wanted := r.choose(n)
	slices.SortFunc(wanted, func(a, b request) int { return cmp.Compare(a.at, b.at) })
	r.reads.submit(wanted, r.arrived)
}

// choose gives up to n more records their slots, and returns those that are to be read.
func (r *Reader) choose(n int) []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, r.ended+len(r.batch)+window-r.asked, len(r.order)-r.asked, depth-int(r.reading.Load()))
	if n <= 0 {
		return nil
	}
	var wanted []request
	for _, k := range r.order[r.asked:][:n] {
		s := r.slotOf[k]
		if s < 0 {
			last := len(r.free) - 1
			s, r.free = r.free[last], r.free[:last]
			r.slots[s], r.slotOf[k] = slot{}, s
			e := r.file.records[k]
			wanted = append(wanted, request{s, e.at, r.memory(s)[:sectors(int(e.size))]})
		}
		r.slots[s].pins++
	}
	r.asked += n
	r.reading.Add(int64(len(wanted)))
	return wanted
}

// drop ends one use of each of these records.
func (r *Reader) drop(records []int32) {
	for _, k := range records {
		s := r.slotOf[k]
		if r.slots[s].pins--; r.slots[s].pins == 0 && k >= r.keep {
			r.free = append(r.free, s)
			r.slotOf[k] = -1
		}
	}
}

// arrived notes that a slot was read.
func (r *Reader) arrived(s int32, err error) {
	r.slots[s].state, r.slots[s].err = unchecked, err
	r.reading.Add(-1)
}

// Get returns the record at a place of the batch, checked if it was read for this batch.
func (r *Reader) Get(i int) ([]byte, error) {
	u := r.uses[i]
	if u.slot.err != nil {
		return nil, failed(u.slot.err)
	}
	if u.slot.state == unchecked && crc32.Checksum(u.memory, castagnoli) != u.sum {
		return nil, errAltered
	}
	return u.memory, nil
}

// Memory is what Get returns, without a check.
func (r *Reader) Memory(i int) []byte { return r.uses[i].memory }

func (r *Reader) memory(s int32) []byte {
	size := r.file.largest
	return r.arena[int(s)*size:][:size:size]
}
