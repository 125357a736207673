package shelf

import (
	"slices"
	"testing"

	"prgnn/artifacts"
)

func TestShelfIsBounded(t *testing.T) {
	var s Shelf
	refs := []artifacts.Ref{{Digest: artifacts.Digest{1}, Size: room - 1}, {Digest: artifacts.Digest{2}, Size: 2}}
	for i, r := range refs {
		s.Put(r, nil, i)
	}
	if s.Get(refs[0].Digest, nil) != 0 || s.Get(refs[1].Digest, nil) != nil {
		t.Error("the second value is held beyond the room, or the first is not")
	}
	s.Drop(refs[0].Digest)
	s.Drop(refs[0].Digest) // is not there any more
	s.Put(refs[1], nil, 1)
	if s.Get(refs[1].Digest, nil) != 1 || s.used != 2 {
		t.Errorf("the room of what was dropped is not free: %d bytes are used", s.used)
	}
}

type sized int64

func (s sized) Size() int64 { return int64(s) }

func TestShelfCountsWhatValuesTake(t *testing.T) {
	var s Shelf
	for i := range byte(3) {
		s.Put(artifacts.Ref{Digest: artifacts.Digest{i}, Size: room - 1}, nil, sized(10))
	}
	if s.Used() != 30 {
		t.Errorf("%d bytes are used, want 30", s.Used())
	}
}

// What the last tasks have not read makes room, the longest unread first; what they have read stays.
func TestRoomIsMadeOfWhatTheLastTasksHaveNotRead(t *testing.T) {
	s := Shelf{AtOnce: 2}
	ref := func(i byte) artifacts.Ref { return artifacts.Ref{Digest: artifacts.Digest{i}} }
	held := func() (there []byte) {
		for i := range byte(10) {
			if len(s.held[ref(i).Digest]) > 0 {
				there = append(there, i)
			}
		}
		return there
	}
	const third = sized(room / 3)
	s.Begin() // task 1
	s.Put(ref(1), nil, third)
	s.Put(ref(2), nil, third)
	s.Begin() // task 2
	s.Put(ref(3), nil, third)
	s.Put(ref(4), nil, third) // task 1 may still read 1 and 2
	if got := held(); !slices.Equal(got, []byte{1, 2, 3}) {
		t.Fatalf("after two tasks %d are held, want 1, 2 and 3", got)
	}
	s.Begin() // task 3
	s.Get(ref(1).Digest, nil)
	s.Put(ref(4), nil, third) // in place of 2: the longest unread is 1 no more
	s.Put(ref(5), nil, third) // in place of none
	if got := held(); !slices.Equal(got, []byte{1, 3, 4}) {
		t.Fatalf("after three tasks %d are held, want 1, 3 and 4", got)
	}
	s.Begin() // task 4
	s.Put(ref(6), nil, sized(room+1))
	if got := held(); !slices.Equal(got, []byte{1, 3, 4}) {
		t.Errorf("a value beyond the room left %d, want 1, 3 and 4", got)
	}
	s.Put(ref(3), "another reader", third-100)
	if s.Get(ref(3).Digest, nil) != nil || s.Get(ref(3).Digest, "another reader") == nil {
		t.Error("of two values of the same bytes, the one that was not read is not the one that made room")
	}
	if s.used != 3*int64(third)-100 || s.read.Len() != 3 {
		t.Errorf("%d values of %d bytes, want 3 of %d", s.read.Len(), s.used, 3*int64(third)-100)
	}
}
