package artifacts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Trust tells which records of other machines a store believes, and who signs its own.
//
// A blob cannot lie, for its digest names it. A record can: "this recipe gave 666". So records are signed where they
// are made, and a reader who trusts keys computes again what none of these keys has signed.
type Trust struct {
	Signer Signer     // signs the records that are shared; nil: they go unsigned
	Keys   []Verifier // the trusted keys, first choice first; none: any record is believed
}

// A Signer puts a record into an envelope with the signature of its key.
type Signer interface {
	ID() string // of the key; one word
	Sign(record []byte) (envelope []byte, err error)
}

// A Verifier takes a record out of an envelope that its key has signed.
type Verifier interface {
	ID() string
	Open(envelope []byte) (record []byte, err error)
}

// Unsigned is the origin of an action that was fetched and whose record nobody has signed,
// or whose signature was not checked, since no keys were trusted.
const Unsigned = "unsigned"

// LongestRecord is the size in bytes of the longest record that is exchanged with a remote, and longestEnvelope that of
// its envelope (base64 in JSON). A recipe that gathers 40,000 inputs has some 5 MiB.
const (
	LongestRecord   = 8 << 20
	longestEnvelope = 11 << 20
)

// A trust is the Trust of a store, with what it has turned away.
type trust struct {
	Trust
	mu     sync.Mutex
	doubts map[Key]bool // actions that no trusted key has signed; true: a signature does not fit
}

// SetTrust says whose records are believed. It must be called before the store is used.
func (x *Sharing) SetTrust(t Trust) {
	s := x.store
	s.trust.Trust = t
}

// Distrusted counts the actions that were there, in the store or in its remote, and were not believed: those without a
// signature by a trusted key, and those with a signature of a trusted key that does not fit.
func (x *Sharing) Distrusted() (unsigned, forged int) {
	s := x.store
	s.trust.mu.Lock()
	defer s.trust.mu.Unlock()
	for _, bad := range s.trust.doubts {
		if bad {
			forged++
		} else {
			unsigned++
		}
	}
	return unsigned, forged
}

// believes reports whether an action of this origin is believed.
func (t *trust) believes(origin string) bool {
	return origin == "" || len(t.Keys) == 0 ||
		slices.ContainsFunc(t.Keys, func(v Verifier) bool { return v.ID() == origin })
}

func (s *Store) distrust(k Key, forged bool) {
	s.trust.mu.Lock()
	defer s.trust.mu.Unlock()
	if s.trust.doubts == nil {
		s.trust.doubts = map[Key]bool{}
	}
	s.trust.doubts[k] = s.trust.doubts[k] || forged
}

// believe forgets a doubt about an action, of which a record was found that is signed.
func (t *trust) believe(k Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.doubts, k)
}

// Untrusted reports whether an action was met that is not believed.
func (x *Sharing) Untrusted(k Key) bool {
	s := x.store
	s.trust.mu.Lock()
	defer s.trust.mu.Unlock()
	_, doubted := s.trust.doubts[k]
	return doubted
}

// signedName is the name of an action's signed record in a remote. The key's id is part
// of it, so that nobody's signature hides another's.
func signedName(k Key, id string) string {
	return ObjectName(signedDir, k.String()) + "." + id
}

// putSigned shares the signed record of an action.
func (s *Store) putSigned(ctx context.Context, k Key, record []byte) error {
	envelope, err := s.trust.Signer.Sign(record)
	if err != nil {
		return fmt.Errorf("signing action %s: %w", k, err)
	}
	return s.putRecord(ctx, signedName(k, s.trust.Signer.ID()), envelope, s.Remote.Untrusted(k))
}

// ForgetFetched removes the records that came from a remote, and counts them.
func (x *Sharing) Forget() (int, error) {
	s := x.store
	all, err := s.objects(actionsDir)
	if err != nil {
		return 0, s.fault(err)
	}
	var fetched []object
	var keys []Key
	for _, o := range all {
		k, err := ParseKey(o.name)
		if err != nil || o.foreign != "" {
			continue
		}
		if a, err := s.recorded(k); err != nil || a.Origin == "" {
			continue
		}
		fetched, keys = append(fetched, o), append(keys, k)
	}
	errs := []error{s.appendForgotten(keys)}
	for _, o := range fetched {
		errs = append(errs, s.removeObject(o))
	}
	return len(fetched), s.fault(errors.Join(errs...))
}
