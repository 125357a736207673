package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
	"prgnn/artifacts/session"
	"prgnn/artifacts/whole"
	"prgnn/internal/need"
)

func ids(n int) string { return fmt.Sprintf("%016x", n) }

// threeRuns makes runs of an hour, two and three ago, with one common result and
// one of its own each.
func threeRuns(t *testing.T, s *Store) (runs []*artifacts.RunRecord) {
	t.Helper()
	for i := range 3 {
		r := recordRun(t, s, ids(i), time.Now().Add(time.Duration(i-3)*time.Hour), "common",
			fmt.Sprint("result of run ", i))
		runs = append(runs, r)
	}
	// As if time had passed since: what the runs used is older than their end.
	for i, r := range runs {
		for _, task := range r.Tasks {
			age(t, lies(s, task.Outputs.Of("text").Digest), time.Duration(4-i)*time.Hour)
		}
	}
	return runs
}

func TestGCKeepsRuns(t *testing.T) {
	both(t, func(t *testing.T) {
		for keep := range 4 {
			s := newStore(t)
			runs := threeRuns(t, s)
			_, garbage := work(t, s, "of no run", "garbage")
			age(t, lies(s, garbage.Digest), 5*time.Hour)
			plan := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: keep}))(t)
			kept := keep
			if keep == 0 {
				kept = 3
			}
			if plan.Blobs != 8 || len(plan.Remove) != 4-kept || len(plan.Kept) != kept ||
				plan.Remove[0].Digest != garbage.Digest {
				t.Fatalf("keep %d: %+v", keep, plan)
			}
			var freed int64
			for _, v := range plan.Remove {
				freed += v.Size
			}
			n, bytes, err := plan.Execute()
			if err != nil || n != 4-kept || bytes != freed || plan.Freed != freed {
				t.Errorf("keep %d: %d blobs, %d bytes, %v; planned %d", keep, n, bytes, err, plan.Freed)
			}
			if _, _, err := plan.Execute(); err == nil {
				t.Error("a plan was carried out twice")
			}
			for i, r := range runs {
				for j, task := range r.Tasks {
					// The common result is in every run.
					need.Equal(t, s.Has(task.Outputs.Of("text")), j == 0 || i >= 3-kept, "keep", keep, "run", i, "task",
						task.ID, "there is")
					// What is gone is still known.
					if a, err := s.Lookup(task.Key); err != nil || a.Outputs.Of("text") != task.Outputs.Of("text") {
						t.Errorf("keep %d: the record of %s: %v", keep, task.ID, err)
					}
				}
				if got, err := s.LoadRun(r.ID); err != nil || len(got.Tasks) != 2 {
					t.Errorf("keep %d: run %d: %v", keep, i, err)
				}
			}
			// What gc removed is not missing, and made again is not collected any more.
			if r := mustVerify(t, s.Dir()); r.Collected != 4-kept {
				t.Errorf("keep %d: %d collected", keep, r.Collected)
			}
			work(t, s, "of no run", "garbage")
			if r := mustVerify(t, s.Dir()); r.Collected != 3-kept {
				t.Errorf("keep %d: %d collected", keep, r.Collected)
			}
		}
	})
}

// The list of what gc removed stays writable for the next gc, and one that is read-only becomes so again.
func TestCollectedIsWritable(t *testing.T) {
	s := newStore(t)
	key, path := artifacts.Key(artifacts.DigestOf([]byte("key"))), s.collectedPath()
	writable := func(when string) {
		t.Helper()
		if mode := need.Value(os.Stat(path))(t).Mode(); mode&0o200 == 0 {
			t.Errorf("%s: %v", when, mode)
		}
	}
	victims := []Victim{{Digest: artifacts.DigestOf([]byte("a")), Size: 1}}
	need.NoError(t, s.appendCollected(victims))
	need.NoError(t, s.appendCollected(victims)) // the second line is one too many
	need.NoError(t, s.compactCollected())
	writable("compacted")
	need.NoError(t, os.Chmod(path, 0o444))
	need.NoError(t, s.appendForgotten([]artifacts.Key{key}))
	writable("appended")
	blobs, records := s.readCollected()
	need.Equal(t, len(blobs), 1)
	need.Equal(t, len(records), 1)
}

// A run that is dated in the future stays, and takes the place of none of the newest: its clock was wrong.
func TestGCRunInFuture(t *testing.T) {
	s := newStore(t)
	runs := threeRuns(t, s)
	ahead := recordRun(t, s, ids(9), time.Now().Add(1000*time.Hour), "common", "result of the future")
	for _, task := range ahead.Tasks {
		age(t, lies(s, task.Outputs.Of("text").Digest), 2*time.Hour)
	}
	plan := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1}))(t)
	need.Equal(t, fmt.Sprint(plan.Kept, plan.Ahead), fmt.Sprint([]string{ahead.ID, runs[2].ID}, []string{ahead.ID}))
	n, _, err := plan.Execute()
	need.NoError(t, err)
	need.Equal(t, n, 2, "removed")
	for _, r := range []*artifacts.RunRecord{ahead, runs[2]} {
		for _, task := range r.Tasks {
			need.Equal(t, s.Has(task.Outputs.Of("text")), true, r.ID, task.ID)
		}
	}
}

// What a record keeps stays as long as the record, whether the run's results do or not.
func TestGCKeepsWhatRecordsKeep(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		threeRuns(t, s)
		kept := need.Value(s.Health.PutOnce(artifacts.Bytes{Kind: "notes", Data: []byte("notes")}))(t)
		sealed(t, s)
		lost := need.Value(s.Health.PutOnce(artifacts.Bytes{Kind: "notes", Data: []byte("other notes")}))(t)
		sealed(t, s)
		old := need.Value(s.LoadRun(ids(0)))(t)
		old.Keeps = []artifacts.Ref{kept}
		need.NoError(t, s.SaveRun(old))
		for _, r := range []artifacts.Ref{kept, lost} {
			age(t, lies(s, r.Digest), 5*time.Hour)
		}
		if _, _, err := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1}))(t).Execute(); err != nil {
			t.Fatal(err)
		}
		if s.Has(old.Tasks[1].Outputs.Of("text")) || s.Has(lost) || !s.Has(kept) {
			t.Errorf("result of an old run: %v; kept by its record: %v; kept by none: %v", s.Has(old.Tasks[1].Outputs.Of("text")), s.Has(kept), s.Has(lost))
		}
		mustVerify(t, s.Dir())
		need.NoError(t, whole.Remove(s.relativePath("runs/"+old.ID)))
		age(t, lies(s, kept.Digest), 5*time.Hour)
		if _, _, err := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1}))(t).Execute(); err != nil || s.Has(kept) {
			t.Errorf("without the record: %v, %v", s.Has(kept), err)
		}
	})
}

// With a size, the longest unused goes first, and no more than is needed.
func TestGCMaxSize(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		threeRuns(t, s)
		full := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1}))(t)
		if len(full.Remove) != 2 {
			t.Fatalf("%+v", full)
		}
		plan := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1, MaxSize: full.Bytes - 1}))(t)
		if len(plan.Remove) != 1 || plan.Remove[0].Digest != full.Remove[0].Digest || plan.Over != 0 {
			t.Errorf("%+v", plan)
		}
		if plan := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1, MaxSize: full.Bytes}))(t); len(plan.Remove) != 0 {
			t.Errorf("%+v", plan)
		}
		if plan := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1, MaxSize: 1}))(t); len(plan.Remove) != 2 ||
			plan.Over != full.Bytes-full.Freed-1 {
			t.Errorf("%+v", plan)
		}
		if _, err := s.Health.PlanGC(GCOptions{KeepRuns: -1}); err == nil {
			t.Error("negative")
		}
	})
}

// What a run that was killed has made is kept for the one that resumes it: whether
// its record says that it began, or there is none at all.
func TestGCAfterKill(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		_, alone := work(t, s, "of the very first run", "alone")
		if plan := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1}))(t); len(plan.Remove) != 0 || plan.InUse != 1 {
			t.Errorf("no run is recorded: %+v", plan)
		}
		age(t, lies(s, alone.Digest), 3*time.Hour)
		recordRun(t, s, ids(1), time.Now().Add(-2*time.Hour), "finished")
		_, late := work(t, s, "of a run without a record", "late")
		need.NoError(t, s.SaveRun(&artifacts.RunRecord{ID: ids(2), Started: time.Now().Add(-time.Hour)}))
		plan := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 2}))(t)
		if len(plan.Remove) != 1 || plan.Remove[0].Digest != alone.Digest || plan.InUse != 1 {
			t.Errorf("%+v", plan)
		}
		if _, _, err := plan.Execute(); err != nil || !s.Has(late) || s.Has(alone) {
			t.Error(err, s.Has(late), s.Has(alone))
		}
	})
}

// gc is safe while a run is going on: what the run found or made stays, also when it
// found it between the plan and its execution.
func TestGCDuringRun(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		threeRuns(t, s)
		_, found := work(t, s, "of no run", "found by the run")
		_, garbage := work(t, s, "of no run either", "garbage")
		for _, r := range []artifacts.Ref{found, garbage} {
			age(t, lies(s, r.Digest), 5*time.Hour)
		}
		plan := need.Value(s.Health.PlanGC(GCOptions{}))(t)
		if len(plan.Remove) != 2 {
			t.Fatalf("%+v", plan)
		}
		run := openStore(t, s.Dir())
		need.NoError(t, run.Work.Hold())
		if !run.Has(found) {
			t.Fatal("not there")
		}
		_, made := work(t, run, "of the run", "made")
		n, _, err := plan.Execute()
		if err != nil || n != 1 || !s.Has(found) || s.Has(garbage) {
			t.Errorf("%d removed, %v", n, err)
		}
		late := need.Value(s.Health.PlanGC(GCOptions{KeepRuns: 1}))(t)
		for _, v := range late.Remove {
			if v.Digest == found.Digest || v.Digest == made.Digest {
				t.Errorf("gc would take %s from the run", v.Digest)
			}
		}
		if late.InUse != 2 {
			t.Errorf("%+v", late)
		}
		// When the run has ended without a record, gc forgets it.
		run.Close()
		age(t, lies(s, found.Digest), 5*time.Hour)
		if plan := need.Value(s.Health.PlanGC(GCOptions{}))(t); len(plan.Remove) != 1 {
			t.Errorf("%+v", plan)
		}
	})
}

// A blob that was used so lately that a run does not mark it again is safe, too, when
// the run began after the plan was made.
func TestGCFreshlyUsed(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		_, fresh := work(t, s, "of no run", "used five minutes ago")
		recordRun(t, s, ids(1), time.Now().Add(-time.Hour), "x")
		age(t, lies(s, fresh.Digest), 5*time.Minute)
		plan := need.Value(s.Health.PlanGC(GCOptions{}))(t)
		if len(plan.Remove) != 1 {
			t.Fatalf("%+v", plan)
		}
		run := openStore(t, s.Dir())
		if err := run.Work.Hold(); err != nil || !run.Has(fresh) {
			t.Fatal(err)
		}
		if n, _, err := plan.Execute(); err != nil || n != 0 || !s.Has(fresh) {
			t.Errorf("%d removed, %v", n, err)
		}
	})
}

// A blob that is removed between being seen and being marked is not there.
func TestUseOfGone(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		_, r := work(t, s, "recipe", "result")
		path := lies(s, r.Digest)
		if here, _ := s.session.Use(path, memo.State{}); !here {
			t.Error("there, and not found")
		}
		if here, _ := s.session.Use(path+".gone", memo.State{}); here {
			t.Error("gone, and found")
		}
	})
}

// What a run makes is safe from gc also when the clock is set back meanwhile.
func TestGCClockSetBack(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		need.NoError(t, s.SaveRun(&artifacts.RunRecord{ID: ids(1), Started: time.Now(),
			Finished: time.Now().Add(2 * time.Hour)}))
		run := openStore(t, s.Dir())
		need.NoError(t, run.Work.Hold())
		// The session began at three o'clock; now it is two.
		lease := filepath.Join(run.session.Dir(), session.LeaseFile)
		age(t, lease, -time.Hour)
		run.session.Since.Store(need.Value(os.Stat(lease))(t).ModTime().UnixNano())
		_, r := work(t, run, "of the run", "made at two")
		plan := need.Value(s.Health.PlanGC(GCOptions{}))(t)
		if len(plan.Remove) != 0 || !s.Has(r) {
			t.Errorf("%+v", plan)
		}
	})
}

// A run asks for blobs at the very moment at which gc removes them: what it was
// told is there, stays there.
func TestGCRace(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		recordRun(t, s, ids(1), time.Now().Add(-time.Hour), "x")
		var kept, gone int
		for round := range 6 {
			var refs []artifacts.Ref
			for i := range 40 {
				_, r := work(t, s, fmt.Sprint(round, i), fmt.Sprint("result ", round, i))
				age(t, lies(s, r.Digest), 5*time.Hour)
				refs = append(refs, r)
			}
			plan := need.Value(s.Health.PlanGC(GCOptions{}))(t)
			run := need.Value(Open(s.Dir()))(t)
			need.NoError(t, run.Work.Hold())
			told := make([]bool, len(refs))
			done := make(chan bool)
			go func() {
				defer close(done)
				for i, r := range refs {
					told[i] = run.Has(r)
					if told[i] {
						if _, err := content(run, r); err != nil {
							t.Errorf("round %d: it is there, and: %v", round, err)
						}
					}
				}
			}()
			if _, _, err := plan.Execute(); err != nil {
				t.Fatal(err)
			}
			<-done
			for i, r := range refs {
				if _, err := os.Stat(lies(s, r.Digest)); told[i] && err != nil {
					t.Errorf("round %d: a blob that the run was told of is gone", round)
				}
				if told[i] {
					kept++
				} else {
					gone++
				}
			}
			run.Close()
		}
		t.Logf("%d kept, %d gone", kept, gone)
	})
}

// The same against a process of its own, which may be killed.
func TestGCOtherProcess(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		threeRuns(t, s)
		_, r := work(t, s, "of no run", "garbage")
		age(t, lies(s, r.Digest), time.Minute)
		cmd, out := child(t, "holder", s.Dir())
		if !out.Scan() {
			t.Fatal("the holder did not begin")
		}
		plan := need.Value(s.Health.PlanGC(GCOptions{}))(t)
		if len(plan.Remove) != 0 || plan.InUse != 1 || len(plan.Strays) != 0 {
			t.Errorf("beside a run: %+v", plan)
		}
		if f := verify(t, s.Dir()).Findings; len(f) != 0 {
			t.Errorf("beside a run: %v", f)
		}
		cmd.Process.Kill()
		cmd.Wait()
		theirs := need.Value(filepath.Glob(filepath.Join(s.Dir(), "tmp", "*", "lease")))(t)
		for _, lease := range theirs { // in one of them nothing was unfinished
			need.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(lease), "blob"), make([]byte, 1000), 0o666))
		}
		age(t, lies(s, r.Digest), 5*time.Hour)
		plan = need.Value(s.Health.PlanGC(GCOptions{}))(t)
		if len(plan.Remove) != 1 || len(plan.Strays) != 1 || !strings.HasPrefix(plan.Strays[0], "tmp/") ||
			plan.Left < 1000 || plan.Left > 1100 {
			t.Errorf("after its death: %+v", plan)
		}
		if f := damage(verify(t, s.Dir())); f != "tmp: stray file" {
			t.Error(f)
		}
		if _, _, err := plan.Execute(); err != nil {
			t.Error(err)
		}
		if left := need.Value(os.ReadDir(filepath.Join(s.Dir(), "tmp")))(t); len(left) != 1 { // our own
			t.Errorf("left in tmp: %v", left)
		}
		if left := need.Value(filepath.Glob(filepath.Join(s.Dir(), "locks", "*", "*")))(t); len(left) != 0 {
			t.Errorf("left in locks: %v", left)
		}
	})
}

// A run frees what a killed one left, and nothing of one that lives.
func TestRunFreesAfterKill(t *testing.T) {
	s := newStore(t)
	killed, out := child(t, "holder", s.Dir())
	if !out.Scan() {
		t.Fatal("the holder did not begin")
	}
	sessions := func() []string {
		return need.Value(filepath.Glob(filepath.Join(s.Dir(), "tmp", "*", "lease")))(t)
	}
	left := sessions()[0]
	killed.Process.Kill()
	killed.Wait()
	other, out := child(t, "holder", s.Dir())
	if !out.Scan() {
		t.Fatal("the other holder did not begin")
	}
	need.NoError(t, s.Work.Hold())
	if now := sessions(); len(now) != 2 || slices.Contains(now, left) {
		t.Errorf("sessions after %s was killed: %s", left, now)
	}
	other.Process.Kill()
	other.Wait()
	if _, _, err := need.Value(s.Health.PlanGC(GCOptions{}))(t).Execute(); err != nil {
		t.Error(err)
	}
}

// A gc that dies between setting a blob aside and putting it back leaves a blob that
// is missing, which its producer makes again; and a plan that is never carried
// out leaves nothing at all.
func TestGCPlanTouchesNothing(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		threeRuns(t, s)
		s.Close()
		before := tree(t, s.Dir())
		other := need.Value(Open(s.Dir()))(t)
		need.Value(other.Health.PlanGC(GCOptions{KeepRuns: 1}))(t)
		other.Close()
		if after := tree(t, s.Dir()); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
	})
}

// tree lists all files of a directory with their sizes.
func tree(t *testing.T, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err == nil && !e.IsDir() {
			fmt.Fprintln(&b, path, fi.Size())
		}
		return err
	})
	need.NoError(t, err)
	return b.String()
}

// Checkpoints of work that is done go; those of work that is not stay.
func TestGCScratch(t *testing.T) {
	s := newStore(t)
	k, _ := work(t, s, "done", "result")
	for _, c := range []Scratch{s.Work.Scratch(k), s.Work.Scratch(artifacts.KeyOf("not done"))} {
		need.NoError(t, c.Put([]byte("epoch 3")))
	}
	if _, _, err := need.Value(s.Health.PlanGC(GCOptions{}))(t).Execute(); err != nil {
		t.Fatal(err)
	}
	if s.Work.Scratch(k).Get() != nil || s.Work.Scratch(artifacts.KeyOf("not done")).Get() == nil {
		t.Error("the wrong checkpoint went")
	}
	if _, err := os.Stat(s.Work.Scratch(k).path()); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// When not a byte is left, what saves time is forgotten. What nothing else tells is not.
func TestForget(t *testing.T) {
	s := newStore(t)
	memo := filepath.Join(s.Dir(), memoDir)
	for _, path := range []string{"actions", unsharedDir + "/1"} {
		need.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(memo, path)), 0o777),
			os.WriteFile(filepath.Join(memo, path), nil, 0o666)))
	}
	s.forget()
	if _, err := os.Stat(filepath.Join(memo, "actions")); err == nil {
		t.Error("the index is there still")
	}
	if _, err := os.Stat(filepath.Join(memo, unsharedDir, "1")); err != nil {
		t.Error(err)
	}
}

// A directory of the store may be a link to where others have files: gc leaves them alone.
func TestGCBehindLinks(t *testing.T) {
	s := newStore(t)
	threeRuns(t, s)
	need.NoError(t, s.Close())
	for _, sub := range []string{session.TmpDir, session.LocksDir} {
		elsewhere := filepath.Join(t.TempDir(), "scratch")
		need.NoError(t, os.MkdirAll(filepath.Join(elsewhere, "thesis"), 0o777))
		need.NoError(t, os.WriteFile(filepath.Join(elsewhere, "thesis", "text"), []byte("mine"), 0o666))
		need.NoError(t, os.WriteFile(filepath.Join(elsewhere, "notes"), []byte("mine"), 0o666))
		path := filepath.Join(s.Dir(), sub)
		need.NoError(t, os.RemoveAll(path))
		if os.Symlink(elsewhere, path) != nil {
			t.Skip("no links here")
		}
		again := openStore(t, s.Dir())
		plan := need.Value(again.Health.PlanGC(GCOptions{}))(t)
		_, _, err := plan.Execute()
		need.NoError(t, err)
		for _, name := range []string{"notes", filepath.Join("thesis", "text")} {
			if b, err := os.ReadFile(filepath.Join(elsewhere, name)); string(b) != "mine" {
				t.Errorf("%s behind %s: %v", name, sub, err)
			}
		}
		need.NoError(t, again.Close())
	}
}

// What gc removes while verify looks is not lost.
func TestVerifyBesideGC(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		threeRuns(t, s)
		const garbage = 40
		for i := range garbage {
			_, r := work(t, s, fmt.Sprint("of no run ", i), fmt.Sprint("garbage ", i))
			age(t, lies(s, r.Digest), 5*time.Hour)
		}
		collected := 0
		var once sync.Once
		report := need.Value(s.Health.Verify(context.Background(), func(_, _ int64) {
			once.Do(func() {
				n, _, err := need.Value(s.Health.PlanGC(GCOptions{}))(t).Execute()
				need.NoError(t, err)
				collected = n
			})
		}))(t)
		if collected != garbage || report.Damaged() != 0 {
			t.Errorf("%d were removed meanwhile: %v", collected, report.Findings)
		}
	})
}

// A directory in place of the gate keeps every run from beginning: verify lists it, and the error has the remedy.
func TestGateTaken(t *testing.T) {
	s := newStore(t)
	gate := filepath.Join(s.Dir(), "locks", "gate")
	need.NoError(t, os.Remove(gate))
	need.NoError(t, os.Mkdir(gate, 0o777))
	need.Error(t, s.Work.Hold(), gate+" is a directory, not a regular file: move or delete it")
	need.Equal(t, damage(verify(t, s.Dir())), "locks: foreign file")
	need.NoError(t, os.Remove(gate))
	need.NoError(t, s.Work.Hold())
}
