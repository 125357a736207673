package shelf

import (
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
