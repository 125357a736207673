package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/session"
	"prgnn/artifacts/storetest"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

const listed = 5 // tasks of listedRun

// listedRun has a process do work, and another one save the run that lists it: so the list is in another pack. It
// returns the pack of the work.
func listedRun(t *testing.T, dir string) string {
	t.Helper()
	one := need.Value(Open(dir))(t)
	run := &artifacts.RunRecord{ID: ids(1), Started: time.Now(), Finished: time.Now()}
	for i := range listed {
		run.Tasks = append(run.Tasks, doListed(t, one, i))
	}
	need.NoError(t, one.Close())
	two := need.Value(Open(dir))(t)
	need.NoError(t, two.SaveRun(run))
	need.NoError(t, two.Close())
	for _, o := range storetest.Objects(t, dir) {
		if o.Name == run.Tasks[0].Key.String() {
			return o.Path
		}
	}
	t.Fatal("no record")
	return ""
}

func doListed(t *testing.T, s *Store, i int) artifacts.RunTask {
	t.Helper()
	var outputs artifacts.Refs
	outputs.Set("text", need.Value(s.Put(artifacts.Text(fmt.Sprint("result ", i))))(t))
	k := need.Value(s.Record(artifacts.Action{Recipe: fmt.Sprint("make ", i), Outputs: outputs}))(t)
	return artifacts.RunTask{ID: fmt.Sprintf("make[%d]", i), Key: k, Outputs: outputs}
}

// doMissing does the work of the run that has no record, and counts it.
func doMissing(t *testing.T, dir string) (n int) {
	t.Helper()
	s := need.Value(Open(dir))(t)
	for i := range listed {
		if _, err := s.Lookup(artifacts.KeyOf(fmt.Sprint("make ", i))); err != nil {
			doListed(t, s, i)
			n++
		}
	}
	need.NoError(t, s.Close())
	return n
}

// TestCutPack: of a pack that was cut off anywhere, verify counts the records that a run lists and that are gone, and
// names the pack; repaired, the store is clean, and the next run does what was lost and no more. So it is, too, where
// the permissions do not tell that the pack was complete.
func TestCutPack(t *testing.T) {
	base := filepath.Join(t.TempDir(), "store")
	path := listedRun(t, base)
	name, _ := filepath.Rel(base, path)
	whole := need.Value(os.ReadFile(path))(t)
	var ends []int64 // of the records
	for _, o := range storetest.Objects(t, base) {
		if o.Kind == "actions" {
			ends = append(ends, o.At+o.Size)
		}
	}
	need.Equal(t, len(ends), listed, "records")
	var lengths []int
	for n := 0; n < len(whole); n += 97 {
		lengths = append(lengths, n)
	}
	for _, end := range ends {
		lengths = append(lengths, int(end)-1, int(end))
	}
	for _, n := range lengths {
		lost := lists.Count(ends, func(end int64) bool { return end > int64(n) })
		for _, mode := range []os.FileMode{0o444, 0o644} {
			dir := filepath.Join(t.TempDir(), "store")
			need.NoError(t, os.CopyFS(dir, os.DirFS(base)))
			cut := filepath.Join(dir, name)
			need.NoError(t, os.Chmod(cut, 0o644))
			need.NoError(t, os.Truncate(cut, int64(n)))
			need.NoError(t, os.Chmod(cut, mode))
			want := lost
			sealed := n >= len(whole)-16 // an index without its tail is read, too
			if mode == 0o444 && !sealed {
				want = max(1, lost)
			}
			r := verify(t, dir)
			if r.Damaged() != want {
				t.Fatalf("cut to %d of %d bytes, mode %v: %d damaged, want %d: %v", n, len(whole), mode, r.Damaged(), want,
					r.Findings)
			}
			if lost > 0 && (r.Findings[0].Path != filepath.ToSlash(name) || len(r.Findings[0].Tasks) != lost) {
				t.Fatalf("%+v", r.Findings[0])
			}
			s := need.Value(Open(dir))(t)
			need.NoError(t, s.Health.Repair(r))
			need.NoError(t, s.Close())
			if again := verify(t, dir); again.Damaged() != 0 {
				t.Fatalf("cut to %d bytes, repaired: %v", n, again.Findings)
			}
			need.Equal(t, doMissing(t, dir), lost, "tasks that ran again")
			need.Equal(t, verify(t, dir).Damaged(), 0, "damaged when all is made again")
		}
	}
}

// What is lost once more, after it was repaired and made again, is told again.
func TestLostTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	path := listedRun(t, dir)
	for range 2 {
		need.NoError(t, os.Remove(path))
		r := verify(t, dir)
		if r.Damaged() != listed || r.Findings[0].Problem != LostRecord || r.Findings[0].Path != packsDir {
			t.Fatalf("%v", r.Findings)
		}
		s := need.Value(Open(dir))(t)
		need.NoError(t, s.Health.Repair(r))
		need.NoError(t, s.Close())
		mustVerify(t, dir)
		path = listedRun(t, dir)
	}
}

// gc of a store that was not repaired leaves the damage told, and forgets what was repaired once it is made again.
func TestLostAfterGC(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	path := listedRun(t, dir)
	need.NoError(t, os.Truncate(path, 20))
	collect := func() {
		t.Helper()
		s := need.Value(Open(dir))(t)
		defer s.Close()
		_, _, err := need.Value(s.Health.PlanGC(GCOptions{}))(t).Execute()
		need.NoError(t, err)
	}
	collect()
	r := verify(t, dir)
	need.Equal(t, r.Damaged(), listed, "damaged")
	s := need.Value(Open(dir))(t)
	need.NoError(t, s.Health.Repair(r))
	need.NoError(t, s.Close())
	collect()
	mustVerify(t, dir)
	need.Equal(t, doMissing(t, dir), listed, "tasks that ran again")
	collect()
	s = need.Value(Open(dir))(t)
	defer s.Close()
	if _, records := s.readCollected(); len(records) != 0 {
		t.Errorf("still noted as gone: %v", records)
	}
}

// TestTornIsNotCut: a pack that a killed process was writing is no damage, wherever it ends, and that of an archive
// whose files nobody may write neither.
func TestTornIsNotCut(t *testing.T) {
	base := filepath.Join(t.TempDir(), "store")
	listedRun(t, base)
	s := need.Value(Open(base))(t)
	doListed(t, s, listed)
	doListed(t, s, listed+1)
	need.NoError(t, s.packs.Sync())
	packs := need.Value(s.packs.Packs())(t)
	killed := filepath.Join(t.TempDir(), "store")
	need.NoError(t, os.CopyFS(killed, os.DirFS(base)))
	need.NoError(t, s.Close())
	for _, p := range packs {
		path := filepath.Join(killed, packsDir, p.Pack)
		need.NoError(t, os.RemoveAll(filepath.Join(killed, session.TmpDir)))
		if p.Sealed {
			continue
		}
		for n := p.Size; n >= 0; n-- {
			need.NoError(t, os.Truncate(path, n))
			if r := verify(t, killed); r.Damaged() != 0 {
				t.Fatalf("%d of %d bytes: %v", n, p.Size, r.Findings)
			}
			if n == p.Size-1 {
				gate := filepath.Join(killed, session.LocksDir, "gate")
				need.NoError(t, os.Chmod(path, 0o444))
				need.NoError(t, os.Chmod(gate, 0o444))
				need.Equal(t, verify(t, killed).Damaged(), 0, "damaged in an archive")
				need.NoError(t, os.Chmod(gate, 0o644))
				need.Equal(t, verify(t, killed).Damaged(), 1, "the test tests nothing: damaged")
				need.NoError(t, os.Chmod(path, 0o644))
			}
		}
	}
}
