package artifacts

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// A Claim is the right to carry out one piece of work. It spares two processes
// doing the same at once; correctness never depends on it.
type Claim struct{ lock *flock.Flock }

// TryClaim takes the claim on a key, unless another process, or another goroutine
// of this one, has it: then ok is false. Who has won it should Lookup once more,
// since another may have done the work in the meantime, and must Release it. The
// kernel releases it when the process dies.
func (s *Store) TryClaim(k Key) (c *Claim, ok bool, err error) {
	path := s.object(locksDir, k.String())
	for {
		l := newLock(path)
		ok, err := l.TryLock()
		switch {
		case os.IsNotExist(err):
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return nil, false, s.fault(err)
			}
			continue
		case locksUnknown(err): // a file system without locks: work may be done twice
			return &Claim{lock: l}, true, nil
		case err != nil:
			return nil, false, s.fault(err)
		case !ok:
			return nil, false, nil
		}
		// Who had the claim before may have removed the file between our opening and
		// our locking it; then we hold a lock that nobody else will look at.
		ours, err := l.Stat()
		if err == nil {
			if named, err := os.Stat(path); err == nil && os.SameFile(ours, named) {
				return &Claim{lock: l}, true, nil
			}
		}
		l.Unlock()
	}
}

// Claim waits for the claim on a key. After another process releases it, or dies, it takes at most
// claimPoll.
func (s *Store) Claim(ctx context.Context, k Key) (*Claim, error) {
	for wait := time.Millisecond; ; wait = min(2*wait, claimPoll) {
		c, ok, err := s.TryClaim(k)
		if ok || err != nil {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// claimPoll is how often a claim that another process has is asked for: one
// question costs some 10 µs, and tasks take seconds.
const claimPoll = 25 * time.Millisecond

// Release gives the claim up. The file goes first, so that none is left behind for
// each task ever run.
func (c *Claim) Release() error {
	if runtime.GOOS == "windows" { // which keeps the files that somebody has open
		err := c.lock.Unlock()
		os.Remove(c.lock.Path())
		return err
	}
	os.Remove(c.lock.Path())
	return c.lock.Unlock()
}
