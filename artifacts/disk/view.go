package disk

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/pack"
)

// A View answers many questions one after another, for one goroutine, with fewer calls of the system than the
// Store: what lies in packs it reads together with what lies beside it. Whatever it does not find whole there, it
// leaves to the Store.
type View struct {
	s      *Store
	packs  *pack.View
	shards [256]bool       // directories of blobs that are there
	listed time.Time       // mtime of their directory then; zero when it was too young to tell of all changes
	asked  bool            // since Begin
	wholes map[string]bool // which packs are, of those that were asked for since Begin
}

// View is a view that has to begin.
func (s *Store) View() *View { return &View{s: s, packs: s.packs.View(), wholes: map[string]bool{}} }

// Begin makes the view one of now. It is asked soon after: what others damage or remove meanwhile is met by the next
// that looks.
func (v *View) Begin() {
	v.packs.Begin()
	v.asked = false
	clear(v.wholes)
}

// shard reports whether the directory of a blob is there.
func (v *View) shard(d artifacts.Digest) bool {
	if !v.asked {
		v.asked = true
		v.list()
	}
	return v.shards[d[0]]
}

func (v *View) list() {
	dir := filepath.Join(v.s.dir, blobsDir)
	fi, err := os.Stat(dir)
	if err == nil && fi.ModTime().Equal(v.listed) {
		return
	}
	now := time.Now()
	entries, listErr := os.ReadDir(dir)
	v.shards, v.listed = [256]bool{}, time.Time{}
	for _, e := range entries {
		if shard, err := hex.DecodeString(e.Name()); err == nil && len(shard) == 1 {
			v.shards[shard[0]] = true
		}
	}
	switch {
	case err != nil || listErr != nil:
		for i := range v.shards {
			v.shards[i] = true
		}
	case now.Sub(fi.ModTime()) > time.Second:
		v.listed = fi.ModTime()
	}
}

// Lookup is Store.Lookup, or without the remote Work.LookupHere, and gives no recipe.
func (v *View) Lookup(k artifacts.Key, remote bool) (outputs artifacts.Refs, fetched bool, err error) {
	if text, _, ok := v.packs.Get(packedAction(k)); ok {
		a, err := record.ParseAction(k, text)
		if err == nil && v.s.trust.believes(a.Origin) {
			return a.Outputs, a.Origin != "", nil
		}
	}
	lookup := v.s.Work.LookupHere
	if remote {
		lookup = v.s.Lookup
	}
	a, err := lookup(k)
	return a.Outputs, a.Origin != "", err
}

// packed reports whether a blob is whole in a pack.
func (v *View) packed(r artifacts.Ref) bool {
	if r.Size > packedUpTo {
		return false
	}
	if r.Size > smallUpTo && v.inWhole(r) {
		return true
	}
	b, sum, ok := v.packs.Get(packedBlob(r.Digest))
	return ok && sum == r.Digest && int64(len(b)) == r.Size
}

// inWhole reports whether a blob is in a pack that is whole, without reading the blob.
func (v *View) inWhole(r artifacts.Ref) bool {
	for _, i := range v.s.packs.Known(packedBlob(r.Digest)) {
		if i.Size != r.Size {
			continue
		}
		sealed, read := v.s.packs.Settled(i)
		if read {
			return true
		}
		whole, asked := v.wholes[i.Pack()]
		if sealed && !asked {
			whole = v.s.isWhole(i.Pack())
			v.wholes[i.Pack()] = whole
		}
		if whole {
			return true
		}
	}
	return false
}

// Damaged is Health.Damaged.
func (v *View) Damaged(r artifacts.Ref) bool {
	if !v.packed(r) {
		return v.s.Health.Damaged(r)
	}
	if v.shard(r.Digest) {
		v.s.mendFile(r)
	}
	return false
}

// Mend removes copies in packs that are damaged while another one is whole, of what was asked for since Begin. What
// cannot be removed stays for the next run.
func (v *View) Mend() {
	for _, n := range v.packs.Several() {
		var damaged []pack.Item
		whole := false
		for _, i := range v.s.packs.Known(n) {
			_, err := v.s.packs.Read(i)
			if whole = whole || err == nil; errors.Is(err, pack.ErrDamaged) {
				damaged = append(damaged, i)
			}
		}
		if whole {
			_ = v.s.unpackAll(damaged)
		}
	}
}

// KnownDamaged is Health.KnownDamaged.
func (v *View) KnownDamaged(r artifacts.Ref) bool { return !v.packed(r) && v.s.Health.KnownDamaged(r) }
