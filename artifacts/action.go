package artifacts

import (
	"errors"
	"fmt"

	"prgnn/artifacts/pack"
	"prgnn/internal/regular"
)

// An action record is text:
//
//	prgnn action 1
//	output 9f86d081… 40960 npy partial
//	output 60303ae2… 40960 npy pearson
//	fetched 5d41402a…
//	recipe 412
//	…the recipe, 412 bytes…
//	sha256 d7a8fbb3…
//
// The key is the digest of the recipe, so that a record in the wrong place is found out, too. The line "fetched"
// stands only in the record of work that came from a remote, with the id of the key that signed it, or "unsigned".
const actionMagic = "prgnn action 1\n"

// Record stores an action. Its blobs must be there already. When it returns, the
// action is there for everybody, and durable a moment later, at the latest when SaveRun or Close
// returns: never before its blobs. Before that a loss of power loses the work, and no more.
func (s *Store) Record(a Action) (Key, error) {
	k := KeyOf(a.Recipe)
	a.Origin = ""
	text, err := a.encode()
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
func (s *Store) keepRecord(k Key, text []byte) error {
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

func (s *Store) actionPath(k Key) string { return s.object(actionsDir, k.String()) }

// Lookup finds an action by its key. Anything wrong with the record is ErrMiss; a record that is here, and damaged, is
// ErrCorrupt too. That its blobs are there is another question (see Has): gc removes blobs and keeps actions, so that
// a result made again can be compared with what it was.
func (s *Store) Lookup(k Key) (Action, error) {
	a, err := s.Work.LookupHere(k)
	if err != nil && s.link != nil {
		if a, err := s.lookupRemote(k); err == nil {
			return a, nil
		}
	}
	return a, err
}

// LookupHere is Lookup without the remote, for callers that poll.
func (x *Work) LookupHere(k Key) (Action, error) {
	s := x.store
	a, err := s.recorded(k)
	if err == nil && !s.trust.believes(a.Origin) {
		s.distrust(k, false)
		return Action{}, fmt.Errorf("action %s: %w: it is not signed by a trusted key", k, ErrMiss)
	}
	return a, err
}

// recorded finds the record of an action, wherever it came from.
func (s *Store) recorded(k Key) (Action, error) {
	text, _, err := s.packs.Get(packedAction(k))
	if err != nil {
		damaged := errors.Is(err, pack.ErrDamaged)
		if text, err = regular.ReadFile(s.actionPath(k)); err != nil && damaged {
			return Action{}, fmt.Errorf("action %s: %w: %w", k, ErrMiss, ErrCorrupt)
		}
	}
	if err != nil {
		return Action{}, fmt.Errorf("action %s: %w", k, ErrMiss)
	}
	a, err := ParseAction(k, text)
	if err != nil {
		return Action{}, fmt.Errorf("action %s: %w: %w: %w", k, ErrMiss, ErrCorrupt, err)
	}
	return a, nil
}

func (a Action) encode() ([]byte, error) {
	b, err := appendOutputs([]byte(actionMagic), a.Outputs)
	if err != nil {
		return nil, err
	}
	if a.Origin != "" {
		b = fmt.Appendf(b, "fetched %s\n", a.Origin)
	}
	return seal(appendText(b, "recipe", []byte(a.Recipe))), nil
}

// ParseAction reads what encode wrote, and nothing else. The recipe is part of it, and nobody changes it any more.
func ParseAction(k Key, sealed []byte) (Action, error) {
	body, err := unseal(sealed)
	if err != nil {
		return Action{}, err
	}
	a, err := parseActionBody(body)
	// The recipe is the last thing in a record, and a newline ends it.
	if end := len(body) - 1; err == nil && KeyOf(body[end-len(a.Recipe):end]) != k {
		err = errOtherKey
	}
	return a, err
}

var errOtherKey = errors.New("the record belongs to another key")

func parseActionBody(body []byte) (Action, error) {
	r := readLines(body)
	r.magic(actionMagic)
	a := Action{Outputs: r.outputs()}
	if r.next("fetched") {
		if a.Origin = r.line("fetched"); checkWord("key", a.Origin) != nil {
			r.fail("the name %.40q of the signing key is not one word", a.Origin)
		}
	}
	a.Recipe = r.text("recipe")
	return a, r.err
}
