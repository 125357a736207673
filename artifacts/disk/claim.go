package disk

import (
	"context"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/whole"
)

// A Claim is the right to carry out one piece of work. It spares two processes
// doing the same at once; correctness never depends on it.
type Claim struct{ release func() error }

// TryClaim takes the claim on a key, unless another process, or another goroutine of this one, has it: then ok is
// false. Who has won it should Lookup once more, since another may have done the work in the meantime, and must
// Release it. The kernel releases it when the process dies.
func (x *Work) TryClaim(k artifacts.Key) (c *Claim, ok bool, err error) {
	s := x.store
	release, ok, err := s.claims.Try(k)
	switch {
	case whole.LocksUnknown(err): // a file system without locks: work may be done twice
		return &Claim{func() error { return nil }}, true, nil
	case err != nil || !ok:
		return nil, false, s.fault(err)
	}
	s.session.Introduce()
	return &Claim{release}, true, nil
}

// Claimants are the other processes that have taken claims, each as text for a person: "process 12 on node3,
// since 2026-01-31 14:05".
func (x *Work) Claimants() []string { return x.store.session.Claimants() }

// Hold begins a run: until Close, blobs that Has finds or Put makes are safe from a gc in another process.
// In a store that cannot be written it fails, and the run can only read. What killed runs left unfinished is removed.
func (x *Work) Hold() error {
	s := x.store
	_, err := s.session.Begin()
	if err == nil {
		s.freeDead()
	}
	return s.fault(err)
}

// Claim waits for the claim on a key. After another process releases it, or dies, it takes at most claimPoll.
func (x *Work) Claim(ctx context.Context, k artifacts.Key) (*Claim, error) {
	s := x.store
	for wait := time.Millisecond; ; wait = min(2*wait, claimPoll) {
		c, ok, err := s.Work.TryClaim(k)
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
// question costs some µs, and tasks take seconds.
const claimPoll = 25 * time.Millisecond

// Release gives the claim up.
func (c *Claim) Release() error { return c.release() }
