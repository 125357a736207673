package disk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/lively"
	"prgnn/artifacts/refused"
	"prgnn/artifacts/remote"
)

// Fetch reports of each blob whether it is in the store, and brings it from the remote
// when it is not and the remote has it. The store then keeps it as its own.
func (x *Sharing) Fetch(ctx context.Context, refs ...artifacts.Ref) []bool {
	s := x.store
	here := make([]bool, len(refs))
	var some errgroup.Group
	some.SetLimit(fetchers)
	for i, r := range refs {
		if here[i] = s.hasHere(r); !here[i] && s.link != nil {
			some.Go(func() error {
				here[i] = s.fetch(ctx, r) == nil
				return nil
			})
		}
	}
	some.Wait()
	return here
}

// fetchers is how many blobs one task brings at once: a round trip to a store far
// away takes some 30 ms, and a task may gather hundreds of small blobs.
const fetchers = 8

// fetch copies a blob from the remote. It gets its name only when its bytes are the ones named.
func (s *Store) fetch(ctx context.Context, r artifacts.Ref) error {
	name := remote.Name(blobsDir, r.Digest.String())
	if n, err := s.link.blobSize(ctx, r.Digest); err != nil {
		return err
	} else if n != r.Size {
		s.link.refuseBlob(r.Digest, refused.Damaged)
		return fmt.Errorf("%s has %d bytes, not %d: %w", name, n, r.Size, artifacts.ErrCorrupt)
	}
	a := arrival{s: s}
	defer a.Discard()
	err := s.link.talk(ctx, func(ctx context.Context) error {
		open := func(ctx context.Context) (io.ReadCloser, error) { return s.link.remote.Get(ctx, name) }
		return lively.Copy(ctx, &a, open, r.Size+1, patience)
	})
	if got := a.ref(); err == nil && (got.Size != r.Size || got.Digest != r.Digest) {
		err = fmt.Errorf("%s: %w", name, artifacts.ErrCorrupt)
	}
	if errors.Is(err, artifacts.ErrCorrupt) {
		s.link.refuseBlob(r.Digest, refused.Damaged)
	}
	if err != nil {
		return err
	}
	if err := a.keep(r); err != nil {
		return s.fault(err)
	}
	s.link.mu.Lock()
	s.link.fetched++
	s.link.mu.Unlock()
	return nil
}

// lookupRemote finds an action in the remote, and keeps the record if it is whole
// and, where keys are trusted, signed by one of them.
func (s *Store) lookupRemote(k artifacts.Key) (artifacts.Action, error) {
	if len(s.trust.Keys) == 0 {
		name := remote.Name(actionsDir, k.String())
		a, err := s.lookupRecord(k, name, artifacts.Unsigned, remote.LongestRecord, func(b []byte) ([]byte,
			error) {
			return b, nil
		})
		if errors.Is(err, artifacts.ErrCorrupt) {
			s.link.refuse(name)
		}
		return a, err
	}
	forged := false
	for _, key := range s.trust.Keys {
		a, err := s.lookupRecord(k, signedName(k, key.ID()), key.ID(), longestEnvelope, key.Open)
		if err == nil {
			s.trust.believe(k)
			return a, nil
		}
		if !errors.Is(err, artifacts.ErrMiss) && !errors.Is(err, artifacts.ErrCorrupt) {
			return artifacts.Action{}, err
		}
		forged = forged || errors.Is(err, artifacts.ErrCorrupt)
	}
	if _, err := s.link.size(context.Background(), remote.Name(actionsDir, k.String())); forged || err == nil {
		s.distrust(k, forged)
	}
	return artifacts.Action{}, artifacts.ErrMiss
}

// shortRecord bounds the bytes of records that are read at the same time as others. A task of few inputs has 1 kB.
const shortRecord = 64 << 10

// read is one object of at most so many bytes; a longer one is ErrCorrupt.
func (l *link) read(name string, most int64) (text []byte, err error) {
	err = l.ask(context.Background(), func(ctx context.Context) (err error) {
		text, err = remote.ReadAll(ctx, l.remote, name, most)
		return err
	})
	return text, err
}

// lookupRecord reads one object that holds, once it is opened, the record of an action.
func (s *Store) lookupRecord(k artifacts.Key, name, origin string, most int64,
	open func([]byte) ([]byte, error)) (artifacts.Action, error) {
	text, err := s.link.read(name, shortRecord)
	if errors.Is(err, artifacts.ErrCorrupt) { // it may be longer: one at a time, so that memory is bounded
		s.link.record.Lock()
		defer s.link.record.Unlock()
		text, err = s.link.read(name, most)
	}
	var a artifacts.Action
	if err == nil {
		if text, err = open(text); err == nil {
			a, err = record.ParseAction(k, text)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w: %w", name, artifacts.ErrCorrupt, err)
		}
	}
	if err != nil {
		return artifacts.Action{}, err
	}
	s.link.accept(name)
	s.link.use(k)
	a.Origin = origin // whatever the record says
	// In a store that cannot be written, it is asked for again next time.
	_ = s.adopt(k, a)
	return a, nil
}

// adopt keeps a record of another store's. It is written down first which of its
// blobs are not here, so that verify does not take them for lost.
func (s *Store) adopt(k artifacts.Key, a artifacts.Action) error {
	text, err := record.EncodeAction(a)
	if err != nil {
		return err
	}
	var away []Victim
	for _, r := range a.Outputs {
		if !s.hasHere(r.Ref) {
			away = append(away, Victim{Digest: r.Digest, Size: r.Size})
		}
	}
	if err := s.appendCollected(away); err != nil {
		return err
	}
	return s.keepRecord(k, text)
}

// hasRemote reports whether the remote has a blob of that digest and size.
func (s *Store) hasRemote(r artifacts.Ref) bool {
	n, err := s.link.blobSize(context.Background(), r.Digest)
	return err == nil && n == r.Size
}
