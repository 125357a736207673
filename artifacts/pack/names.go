package pack

import "encoding/binary"

// A table finds the newest entry of a name: open addressing with one number a place, since the entries themselves
// hold the names. A map of names takes five times the memory, which is read anew by every program that starts.
type table struct {
	places []int32 // 1 + the number of an entry; 0: free. A power of two of them, half of them free
	names  int
}

// place is where a name stands, or would stand.
func (t *table) place(n Name, all []entry) int {
	// A name is a digest, except those of removals: a pack, and an offset at the end.
	h := binary.LittleEndian.Uint64(n.ID[:]) ^ (binary.LittleEndian.Uint64(n.ID[24:])+uint64(n.Kind))*0x9e3779b97f4a7c15
	at := int(h) & (len(t.places) - 1)
	for t.places[at] != 0 && all[t.places[at]-1].Name != n {
		at = (at + 1) & (len(t.places) - 1)
	}
	return at
}

// find is the number of the newest entry of a name; -1: none.
func (t *table) find(n Name, all []entry) int32 {
	if len(t.places) == 0 {
		return -1
	}
	return t.places[t.place(n, all)] - 1
}

// put says that the newest entry of a name is the one of that number.
func (t *table) put(number int32, all []entry) {
	if 2*t.names >= len(t.places) {
		t.reserve(t.names+1, all)
	}
	at := t.place(all[number].Name, all)
	if t.places[at] == 0 {
		t.names++
	}
	t.places[at] = number + 1
}

// reserve makes room for so many names.
func (t *table) reserve(names int, all []entry) {
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
			t.places[t.place(all[number-1].Name, all)] = number
		}
	}
}
