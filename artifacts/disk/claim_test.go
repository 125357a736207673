package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/session"
	"prgnn/internal/need"
)

// childClaimer does a hundred pieces of work, each once among all claimers, and
// prints the ones that it did.
func childClaimer(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for i := range 100 {
		recipe := fmt.Sprint("recipe ", i)
		c, err := s.Work.Claim(context.Background(), artifacts.KeyOf(recipe))
		if err != nil {
			return err
		}
		if _, err := s.Lookup(artifacts.KeyOf(recipe)); errors.Is(err, artifacts.ErrMiss) {
			fmt.Println(i)
			r, err := s.Put(artifacts.Text(recipe))
			if err == nil {
				_, err = s.Record(artifacts.Action{Recipe: recipe, Outputs: artifacts.Refs{{Name: "text", Ref: r}}})
			}
			if err != nil {
				return err
			}
		}
		if err := c.Release(); err != nil {
			return err
		}
	}
	return s.Close()
}

// childHolder claims a key and does not give it up.
func childHolder(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	if _, err := s.Work.Claim(context.Background(), artifacts.KeyOf("held")); err != nil {
		return err
	}
	if err := s.Work.Hold(); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour) // select {} would be a deadlock in a program without cgo
	return nil
}

// Processes that run the same work at the same time do each piece once.
func TestClaimOnce(t *testing.T) {
	s := newStore(t)
	did := map[string]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 3 {
		cmd, out := child(t, "claimer", s.Dir())
		group.Go(func() {
			for out.Scan() {
				mu.Lock()
				did[out.Text()]++
				mu.Unlock()
			}
			need.Equal(t, cmd.Wait(), nil)
		})
	}
	group.Wait()
	need.Equal(t, len(did), 100, "pieces of work were done")
	for i, n := range did {
		need.Equal(t, n, 1, "work", i, "was done", "times")
	}
}

// The claim of a process that dies is free at once; where a claim is a file (not on Linux), that is gone with the next
// holder.
func TestClaimOfTheDead(t *testing.T) {
	s := newStore(t)
	k := artifacts.KeyOf("held")
	cmd, out := child(t, "holder", s.Dir())
	if !out.Scan() {
		t.Fatal("the holder did not begin")
	}
	if _, ok, err := s.Work.TryClaim(k); ok || err != nil {
		t.Fatalf("claimed what another process has: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Work.Claim(ctx, k); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waited for a claim: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { cmd.Process.Kill() })
	c := need.Value(s.Work.Claim(context.Background(), k))(t)
	cmd.Wait()
	need.NoError(t, c.Release())
	if _, err := os.Stat(s.object(session.LocksDir, k.String())); !errors.Is(err, os.ErrNotExist) {
		t.Error("the file of a claim stays behind")
	}
	if _, _, err := need.Value(s.Health.PlanGC(GCOptions{}))(t).Execute(); err != nil { // what the holder left
		t.Error(err)
	}
}

// If the file of the locks is removed, the next claims exclude each other in a new one.
func TestClaimAfterLocksWereRemoved(t *testing.T) {
	s := newStore(t)
	need.NoError(t, need.Value(s.Work.Claim(context.Background(), artifacts.KeyOf("before")))(t).Release())
	need.NoError(t, os.RemoveAll(filepath.Join(s.Dir(), session.LocksDir, "claims")))
	c := need.Value(s.Work.Claim(context.Background(), artifacts.KeyOf("k")))(t)
	if _, ok, err := openStore(t, s.Dir()).Work.TryClaim(artifacts.KeyOf("k")); ok || err != nil {
		t.Errorf("two have the claim (%v)", err)
	}
	need.NoError(t, c.Release())
}

// Among goroutines, and among stores of one process, one at a time has a claim, also when all ask without a pause.
func TestClaimExcludes(t *testing.T) {
	s := newStore(t)
	stores := []*Store{s, openStore(t, s.Dir())}
	var inside, rounds atomic.Int32
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for rounds.Load() < 2000 {
				c, ok, err := stores[w%2].Work.TryClaim(artifacts.KeyOf("k"))
				if err != nil {
					t.Error(err)
					return
				}
				if !ok {
					continue
				}
				if inside.Add(1) != 1 {
					t.Error("two have the claim")
				}
				runtime.Gosched()
				rounds.Add(1)
				inside.Add(-1)
				need.Equal(t, c.Release(), nil)
			}
		})
	}
	group.Wait()
}

// Who waits for a claim can name the processes that have some; a process that only reads, or is dead, is none.
func TestClaimants(t *testing.T) {
	s := newStore(t)
	need.NoError(t, s.Work.Hold())
	other := openStore(t, s.Dir())
	need.NoError(t, other.Work.Hold())
	need.Equal(t, len(s.Work.Claimants()), 0, "claimants, before there is a claim")
	need.Value(other.Work.Claim(context.Background(), artifacts.KeyOf("k")))(t)
	list := s.Work.Claimants()
	if len(list) != 1 || !strings.HasPrefix(list[0], fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("%q", list)
	}
	need.Equal(t, len(other.Work.Claimants()), 0, "claimants beside itself")
	cmd, out := child(t, "holder", s.Dir())
	if !out.Scan() {
		t.Fatal("the holder did not begin")
	}
	need.Equal(t, len(s.Work.Claimants()), 2, "claimants")
	cmd.Process.Kill()
	cmd.Wait()
	need.NoError(t, other.Close())
	need.Equal(t, len(s.Work.Claimants()), 0, "claimants, all dead or gone")
	if _, _, err := need.Value(s.Health.PlanGC(GCOptions{}))(t).Execute(); err != nil { // what the holder left
		t.Error(err)
	}
}
