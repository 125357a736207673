package disk

import (
	"errors"
	"fmt"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/pack"
	"prgnn/internal/regular"
)

// Record stores an action. Its blobs must be there already. When it returns, the
// action is there for everybody, and durable a moment later, at the latest when SaveRun or Close
// returns: never before its blobs. Before that a loss of power loses the work, and no more.
func (s *Store) Record(a artifacts.Action) (artifacts.Key, error) {
	k := artifacts.KeyOf(a.Recipe)
	a.Origin = ""
	text, err := record.EncodeAction(a)
	if err != nil {
		return k, fmt.Errorf("action %s: %w", k, err)
	}
	if s.link != nil {
		s.contradict(k, a)
	}
	if err := s.syncBlobs(a.Outputs.List()...); err != nil {
		return k, s.fault(err)
	}
	if err := s.keepRecord(k, text); err != nil {
		return k, s.fault(err)
	}
	s.Remote.Offer(k)
	return k, nil
}

// keepRecord gives the record of an action its name. What it promises is durable, or stands in a pack before it.
func (s *Store) keepRecord(k artifacts.Key, text []byte) error {
	if int64(len(text)) <= s.packing.Load() {
		return s.packRecord(k, text)
	}
	t, err := s.temp()
	if err == nil {
		if err = s.packs.Sync(); err == nil {
			err = t.PublishBytes(text, s.actionPath(k))
		} else {
			t.Discard()
		}
	}
	if err == nil {
		err = s.unpackAll(s.olderRecords(k))
	}
	return err
}

func (s *Store) actionPath(k artifacts.Key) string { return s.object(actionsDir, k.String()) }

// Lookup finds an action by its key. Anything wrong with the record is ErrMiss; a record that is here, and damaged, is
// ErrCorrupt too. That its blobs are there is another question (see Has): gc removes blobs and keeps actions, so that
// a result made again can be compared with what it was.
func (s *Store) Lookup(k artifacts.Key) (artifacts.Action, error) {
	a, err := s.Work.LookupHere(k)
	if err != nil && s.link != nil {
		if a, err := s.lookupRemote(k); err == nil {
			return a, nil
		}
	}
	return a, err
}

// LookupHere is Lookup without the remote, for callers that poll.
func (x *Work) LookupHere(k artifacts.Key) (artifacts.Action, error) {
	s := x.store
	a, err := s.recorded(k)
	if err == nil && !s.trust.believes(a.Origin) {
		s.distrust(k, false)
		return artifacts.Action{}, fmt.Errorf("action %s: %w: it is not signed by a trusted key", k, artifacts.ErrMiss)
	}
	return a, err
}

// recorded finds the record of an action, wherever it came from.
func (s *Store) recorded(k artifacts.Key) (artifacts.Action, error) {
	text, _, err := s.packs.Get(packedAction(k))
	if err != nil {
		damaged := errors.Is(err, pack.ErrDamaged)
		if text, err = regular.ReadFile(s.actionPath(k)); err != nil && damaged {
			return artifacts.Action{}, fmt.Errorf("action %s: %w: %w", k, artifacts.ErrMiss, artifacts.ErrCorrupt)
		}
	}
	if err != nil {
		return artifacts.Action{}, fmt.Errorf("action %s: %w", k, artifacts.ErrMiss)
	}
	a, err := record.ParseAction(k, text)
	if err != nil {
		return artifacts.Action{}, fmt.Errorf("action %s: %w: %w: %w", k, artifacts.ErrMiss, artifacts.ErrCorrupt, err)
	}
	return a, nil
}
