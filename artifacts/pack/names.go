package pack

import "encoding/binary"

// A table has entries, in the order in which they came, and finds the newest of a name: open addressing with one number
// a place, since the entries themselves hold the names. A map of names takes five times the memory, which is made anew
// by every program that starts.
type table struct {
	blocks  [][]entry // each of perBlock, so that none moves when there are more
	entries int32
	places  []int32 // 1 + the number of an entry; 0: free. A power of two of them, half of them free
	names   int
}

const perBlock = 1 << 10

// at is the entry of a number.
func (t *table) at(number int32) *entry { return &t.blocks[number/perBlock][number%perBlock] }

// place is where a name stands, or would stand.
func (t *table) place(n Name) int {
	// A name is a digest, except those of removals: a pack, and an offset at the end.
	h := binary.LittleEndian.Uint64(n.ID[:]) ^ (binary.LittleEndian.Uint64(n.ID[24:])+uint64(n.Kind))*0x9e3779b97f4a7c15
	at := int(h) & (len(t.places) - 1)
	for t.places[at] != 0 && t.at(t.places[at]-1).Name != n {
		at = (at + 1) & (len(t.places) - 1)
	}
	return at
}

// find is the number of the newest entry of a name; -1: none.
func (t *table) find(n Name) int32 {
	if len(t.places) == 0 {
		return -1
	}
	return t.places[t.place(n)] - 1
}

// add appends an entry, which is the newest of its name from now on.
func (t *table) add(e entry) {
	if 2*t.names >= len(t.places) {
		t.reserve(t.names + 1)
	}
	at := t.place(e.Name)
	if e.next = t.places[at] - 1; e.next < 0 {
		t.names++
	}
	if int(t.entries) == perBlock*len(t.blocks) {
		t.blocks = append(t.blocks, make([]entry, perBlock))
	}
	*t.at(t.entries) = e
	t.entries++
	t.places[at] = t.entries
}

// reserve makes room for so many names.
func (t *table) reserve(names int) {
	size := max(len(t.places), 64)
	for size < 2*names+2 {
		size *= 2
	}
	if size == len(t.places) {
		return
	}
	old := t.places
	t.places = make([]int32, size)
	for _, number := range old {
		if number > 0 {
			t.places[t.place(t.at(number-1).Name)] = number
		}
	}
}
