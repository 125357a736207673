package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/memo"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/storetest"
	"prgnn/internal/need"
)

// TestPackedDamage: each object of a pack that a bit flips in is named with its task, misses, and is
// mended by the same work, by repair and by what removes it alone; the others of the pack stay.
func TestPackedDamage(t *testing.T) {
	for _, kind := range []string{"blobs", "actions"} {
		for _, mend := range []string{"work", "repair", "discard"} {
			for _, live := range []bool{false, true} { // the pack is still being written
				t.Run(fmt.Sprint(kind, " ", mend, " live ", live), func(t *testing.T) {
					s := need.Value(Open(filepath.Join(t.TempDir(), "store")))(t)
					defer s.Close()
					do := func(recipe string) (artifacts.Key, artifacts.Ref) {
						r := need.Value(s.Put(artifacts.Text("result of " + recipe)))(t)
						return need.Value(s.Record(artifacts.Action{Recipe: recipe,
							Outputs: artifacts.Refs{{Name: "text", Ref: r}}}))(t), r
					}
					do("before")
					k, r := do("recipe")
					other, otherRef := do("after")
					need.NoError(t, s.SaveRun(&artifacts.RunRecord{ID: ids(1), Started: time.Now(),
						Finished: time.Now(),
						Tasks: []artifacts.RunTask{{ID: "task", Key: k, Outputs: artifacts.Refs{{Name: "text",
							Ref: r}}}}}))
					if !live {
						sealed(t, s)
					}
					name := r.Digest.String()
					if kind == "actions" {
						name = k.String()
					}
					storetest.Named(t, s.Dir(), name).Flip(t)
					_, err := s.Lookup(k)
					if errors.Is(err, artifacts.ErrMiss) != (kind == "actions") ||
						s.Health.Damaged(r) != (kind == "blobs") {
						t.Errorf("lookup: %v, damaged: %v", err, s.Health.Damaged(r))
					}
					rep := need.Value(s.Health.Verify(context.Background(), nil))(t)
					want := "packs: damaged " + strings.TrimSuffix(kind, "s")
					if got := damage(rep); got != want || rep.Findings[0].Tasks[0] != "task" {
						t.Fatalf("found %q, %v; want %q", got, rep.Findings, want)
					}
					switch {
					case mend == "repair":
						need.NoError(t, s.Health.Repair(rep))
						need.NoError(t, clean(s))
					case mend == "discard" && kind == "blobs":
						if err := s.Health.Discard(r); err != nil || s.Has(r) {
							t.Errorf("%v, there: %v", err, s.Has(r))
						}
						if err := s.Health.Discard(otherRef); err != nil || !s.Has(otherRef) {
							t.Errorf("%v, the other one is there: %v", err, s.Has(otherRef))
						}
					}
					do("recipe")
					// Of a pack that is not sealed, others believe what stands before the damage.
					sealed(t, s)
					for _, st := range []*Store{s, openStore(t, s.Dir())} {
						if _, err := st.Lookup(k); err != nil || !st.Has(r) || st.Health.Damaged(r) {
							t.Errorf("made again: %v", err)
						}
						if _, err := st.Lookup(other); err != nil || !st.Has(otherRef) {
							t.Errorf("the other: %v", err)
						}
					}
					need.NoError(t, clean(s))
				})
			}
		}
	}
}

// TestPackMore: large results in packs. A pack that this store sealed, or read once, is known to be whole, and nothing
// of it is read again, whatever marks its use; damage is met, and mended alone.
func TestPackMore(t *testing.T) {
	s := newStore(t)
	s.packing.Store(packedUpTo)
	text := func(i int) artifacts.Bytes { return artifacts.Text(strings.Repeat(fmt.Sprint("result ", i), 1+i*500)) }
	var refs []artifacts.Ref
	for i := range 20 { // of up to 85 kB
		refs = append(refs, need.Value(s.Put(text(i)))(t))
		need.Value(s.Record(artifacts.Action{Recipe: fmt.Sprint(i), Outputs: artifacts.Refs{{Name: "text",
			Ref: refs[i]}}}))(t)
	}
	ask := func(s *Store) string {
		var damaged []int
		v := s.View()
		v.Begin()
		for i, r := range refs {
			if v.Damaged(r) {
				damaged = append(damaged, i)
			}
			if _, err := content(s, r); (err != nil) != v.Damaged(r) || !s.Has(r) {
				t.Errorf("%d: %v", i, err)
			}
		}
		return fmt.Sprint(damaged)
	}
	need.Equal(t, ask(s), "[]", "while it is written")
	need.Equal(t, ask(openStore(t, s.Dir())), "[]", "of another process")
	name := s.packs.Known(packedBlob(refs[9].Digest))[0].Pack()
	path := s.packs.Path(name)
	need.NoError(t, s.Close())
	if files := need.Value(filepath.Glob(filepath.Join(s.Dir(), blobsDir, "*")))(t); len(files) > 0 {
		t.Errorf("%v", files)
	}
	known := func(s *Store) bool {
		whole, known := s.bytes.Whole(name, need.Value(memo.StateOf(path))(t))
		return whole && known
	}
	next := openStore(t, s.Dir())
	if !known(next) {
		t.Error("what was written is read again")
	}
	age(t, path, 24*time.Hour) // as a copy of the store would be
	if known(next) {
		t.Error("known in another state")
	}
	need.Equal(t, ask(next), "[]", "of a copy")
	if !known(next) {
		t.Error("what was read is read again")
	}
	need.NoError(t, next.Work.Hold())
	if !next.Has(refs[9]) || !known(next) || time.Since(need.Value(os.Stat(path))(t).ModTime()) > time.Hour {
		t.Error("what was marked is read again, or it is not marked")
	}
	spoil(t, next, packedBlob(refs[9].Digest))
	for range 2 {
		need.Equal(t, ask(next), "[9]", "after a flip")
	}
	need.NoError(t, next.Health.Discard(refs[9]))
	next.packing.Store(packedUpTo)
	need.Value(next.Put(text(9)))(t)
	need.Equal(t, ask(next), "[]", "made again")
}

// TestFileBesidePacks: a result in a file, as programs before and pilots store it, is asked for there: nobody reads on
// in the packs of others for it.
func TestFileBesidePacks(t *testing.T) {
	s := newStore(t)
	other := openStore(t, s.Dir())
	need.Value(other.Put(artifacts.Text("the pack of the other")))(t)
	large := need.Value(s.Put(artifacts.Text(strings.Repeat("large", 10000))))(t)
	need.Value(s.Record(artifacts.Action{Recipe: "large", Outputs: artifacts.Refs{{Name: "text", Ref: large}}}))(t)
	need.Value(os.Stat(s.Health.BlobPath(large.Digest)))(t)
	s.packs.Find(packedBlob(artifacts.Digest{})) // knows it
	more := need.Value(other.Put(artifacts.Text("appended")))(t)
	v := s.View()
	v.Begin()
	if _, err := content(s, large); err != nil || v.Damaged(large) || !s.Has(large) {
		t.Error(err)
	}
	if len(s.packs.Known(packedBlob(more.Digest))) > 0 {
		t.Error("it read on in another one's pack")
	}
	spoil(t, s, packedBlob(large.Digest))
	if v.Begin(); !v.Damaged(large) {
		t.Error("damage is not met")
	}
	need.NoError(t, s.Health.Discard(large))
}

// TestEqualRecords: of equal records in the packs of two processes, which remove at once what is double, one stays.
func TestEqualRecords(t *testing.T) {
	a := newStore(t)
	stores := []*Store{a, openStore(t, a.Dir())}
	for round := range 20 {
		r := need.Value(a.Put(artifacts.Text(fmt.Sprint("result ", round))))(t)
		do := artifacts.Action{Recipe: fmt.Sprint("recipe ", round), Outputs: artifacts.Refs{{Name: "text", Ref: r}}}
		record := need.Value(record.EncodeAction(do))(t)
		for _, s := range stores {
			need.NoError(t, s.packs.Append(packedAction(artifacts.KeyOf(do.Recipe)), record))
			sealed(t, s)
		}
		var group sync.WaitGroup
		for _, s := range stores {
			group.Go(func() {
				need.Equal(t, s.packRecord(artifacts.KeyOf(do.Recipe), record), nil)
			})
		}
		group.Wait()
		if _, err := a.Lookup(artifacts.KeyOf(do.Recipe)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecordLooksAtNoOtherPack: of K processes that each record a task, each would open the packs of all others.
func TestRecordLooksAtNoOtherPack(t *testing.T) {
	a := newStore(t)
	b := openStore(t, a.Dir())
	record := func(s *Store, name string) artifacts.Key {
		r := need.Value(s.Put(artifacts.Text(name)))(t)
		return need.Value(s.Record(artifacts.Action{Recipe: name, Outputs: artifacts.Refs{{Name: "text", Ref: r}}}))(t)
	}
	record(a, "the pack of a")
	record(b, "knows it")
	k := record(a, "appended")
	record(b, "of b")
	if known := b.packs.Known(packedAction(k)); len(known) > 0 {
		t.Error("what another process appended was read")
	}
	if _, err := b.Lookup(k); err != nil { // and found when it is asked for
		t.Error(err)
	}
}

// TestTornPack: what a dead process did not write to its end is a stray, which gc clears away; the rest stays.
func TestTornPack(t *testing.T) {
	s := newStore(t)
	k, r := work(t, s, "recipe", "result")
	from := need.Value(os.ReadFile(lies(s, r.Digest)))(t)
	path := filepath.Join(s.Dir(), packsDir, "00000000000000dd-1")
	need.NoError(t, os.WriteFile(path, from[:len(from)-100], 0o666))
	need.Equal(t, damage(verify(t, s.Dir())), "packs: stray file", "found")
	s.Close()
	gc := openStore(t, s.Dir())
	if _, _, err := need.Value(gc.Health.PlanGC(GCOptions{}))(t).Execute(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("it is there still", err)
	}
	if _, err := gc.Lookup(k); err != nil || !gc.Has(r) {
		t.Error(err)
	}
}

// TestGCJoinsPacks: many small packs become one, also beside a run, which goes on finding everything.
func TestGCJoinsPacks(t *testing.T) {
	s := newStore(t)
	var tasks []artifacts.RunTask
	for i := range 3 * fewPacks {
		k, r := work(t, s, fmt.Sprint("recipe ", i), fmt.Sprint("result ", i))
		tasks = append(tasks, artifacts.RunTask{ID: fmt.Sprint(i), Key: k,
			Outputs: artifacts.Refs{{Name: "text", Ref: r}}})
	}
	need.NoError(t, s.SaveRun(&artifacts.RunRecord{ID: ids(1), Started: time.Now(), Finished: time.Now(),
		Tasks: tasks}))
	s.Close()
	run := openStore(t, s.Dir())
	if err := run.Work.Hold(); err != nil || !run.Has(tasks[0].Outputs.Of("text")) {
		t.Fatal(err)
	}
	_, made := work(t, run, "of the run", "made")
	gc := need.Value(Open(s.Dir()))(t)
	if _, _, err := need.Value(gc.Health.PlanGC(GCOptions{}))(t).Execute(); err != nil {
		t.Fatal(err)
	}
	gc.Close()
	packs := need.Value(filepath.Glob(filepath.Join(s.Dir(), packsDir, "*")))(t)
	if len(packs) != 2 { // with that of the run
		t.Errorf("%d packs", len(packs))
	}
	for _, st := range []*Store{run, openStore(t, s.Dir())} {
		for _, task := range tasks {
			r := task.Outputs.Of("text")
			if _, err := st.Lookup(task.Key); err != nil || !st.Has(r) || st.Health.Damaged(r) {
				t.Errorf("%s: %v", task.ID, err)
			}
			if got, err := content(st, r); got != "result "+task.ID {
				t.Errorf("%q, %v", got, err)
			}
		}
		if !st.Has(made) {
			t.Error("the run's own is gone")
		}
	}
}

// TestOldStoreMigrates: a store of the older layout is read as it is, and gets the new one with the first
// result; a program of the older layout then refuses it.
func TestOldStoreMigrates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	t.Run("older", func(t *testing.T) {
		unpacked(t)
		work(t, openStore(t, dir), "recipe", "result")
	})
	need.NoError(t, os.WriteFile(filepath.Join(dir, "new"), []byte(remote.Version), 0o444))
	need.NoError(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, versionFile)))
	s := openStore(t, dir)
	layout := func() string { return string(need.Value(os.ReadFile(filepath.Join(dir, versionFile)))(t)) }
	if a, err := s.Lookup(artifacts.KeyOf("recipe")); err != nil || !s.Has(a.Outputs.Of("text")) ||
		layout() != remote.Version {
		t.Errorf("%v, %q", err, layout())
	}
	_, again := work(t, s, "recipe", "another result") // as a forced run gives it
	a, err := openStore(t, dir).Lookup(artifacts.KeyOf("recipe"))
	if err != nil || a.Outputs.Of("text") != again || layout() != version {
		t.Errorf("%v, %v, %q", a, err, layout())
	}
	if _, err := os.Stat(s.actionPath(artifacts.KeyOf("recipe"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the older record is there still: %v", err)
	}
}

// TestFile: a small result is written out for programs that open files, in a store that cannot be written into the
// user's cache.
func TestFile(t *testing.T) {
	s := newStore(t)
	_, small := work(t, s, "small", "result")
	_, large := work(t, s, "large", strings.Repeat("result", packedUpTo))
	if s.Path(small) != "" || s.Path(large) != s.Health.BlobPath(large.Digest) {
		t.Errorf("%q, %q", s.Path(small), s.Path(large))
	}
	for _, r := range []artifacts.Ref{small, large, small} {
		path := need.Value(s.File(r))(t)
		if path != s.Health.BlobPath(r.Digest) || artifacts.DigestOf(need.Value(os.ReadFile(path))(t)) != r.Digest {
			t.Error(path)
		}
	}
	overwrite(t, s.Health.BlobPath(small.Digest), flip)
	if path := need.Value(s.File(small))(t); artifacts.DigestOf(need.Value(os.ReadFile(path))(t)) != small.Digest {
		t.Error("a damaged file is handed out")
	}
	overwrite(t, s.Health.BlobPath(small.Digest), flip)
	if s.Health.Damaged(small) || clean(s) != nil {
		t.Error("a run leaves it damaged", clean(s))
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for range 2 {
		path := need.Value(inCache(small.Digest, []byte("result")))(t)
		if strings.HasPrefix(path, s.Dir()) || artifacts.DigestOf(need.Value(os.ReadFile(path))(t)) != small.Digest {
			t.Error(path)
		}
	}
	if _, err := s.File(artifacts.Ref{Digest: artifacts.DigestOf([]byte("nowhere")), Size: 7}); err != nil {
		t.Error(err)
	}
	for d, want := range map[artifacts.Digest]error{small.Digest: nil, large.Digest: nil,
		artifacts.DigestOf([]byte("nowhere")): artifacts.ErrMiss} {
		if err := s.Health.Stored(d); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
