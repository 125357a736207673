package disk

import (
	"errors"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// TestView: a view answers as the store does, and each beginning shows what others did before it: damage, what was
// removed, and a copy outside the packs that came, or is damaged.
func TestView(t *testing.T) {
	s := newStore(t)
	k, small := work(t, s, "small", "result")
	_, other := work(t, s, "other", "another result")
	v := s.View()
	check := func(what string, known, damaged bool) {
		t.Helper()
		v.Begin()
		outputs, fetched, err := v.Lookup(k, true)
		if known != (err == nil) || known != (len(outputs) == 1 && outputs[0].Ref == small) || fetched {
			t.Errorf("%s: %v, %v, %v", what, outputs, fetched, err)
		}
		if !known && !errors.Is(err, artifacts.ErrMiss) {
			t.Error(what, err)
		}
		if v.Damaged(small) != damaged || v.KnownDamaged(small) != damaged || v.Damaged(other) {
			t.Errorf("%s: damaged %v, known to be %v", what, v.Damaged(small), v.KnownDamaged(small))
		}
	}
	check("whole", true, false)
	path := need.Value(s.File(small))(t) // the shard is new
	overwrite(t, path, flip)
	check("copy damaged", true, false)
	if clean(s) != nil {
		t.Error("the copy stays damaged", clean(s))
	}
	spoil(t, s, packedBlob(small.Digest))
	check("copy outside", true, false)
	overwrite(t, path, flip)
	check("both damaged", true, true)
	spoil(t, s, packedAction(k))
	check("record damaged", false, true)
	work(t, s, "small", "result")
	check("made again", true, false)
}
