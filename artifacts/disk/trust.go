package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/remote"
)

// longestEnvelope is the size in bytes of the longest envelope of a record (base64 in JSON).
const longestEnvelope = 11 << 20

// A trust is the Trust of a store, with what it has turned away.
type trust struct {
	remote.Trust
	mu     sync.Mutex
	doubts map[artifacts.Key]bool // actions that no trusted key has signed; true: a signature does not fit
}

// SetTrust sets whose records are used, and who signs those of this store. It must be called before the store is used.
func (x *Sharing) SetTrust(t remote.Trust) {
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
		slices.ContainsFunc(t.Keys, func(v remote.Verifier) bool { return v.ID() == origin })
}

func (s *Store) distrust(k artifacts.Key, forged bool) {
	s.trust.mu.Lock()
	defer s.trust.mu.Unlock()
	if s.trust.doubts == nil {
		s.trust.doubts = map[artifacts.Key]bool{}
	}
	s.trust.doubts[k] = s.trust.doubts[k] || forged
}

// believe forgets a doubt about an action, of which a record was found that is signed.
func (t *trust) believe(k artifacts.Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.doubts, k)
}

// Untrusted reports whether an action was met that is not believed.
func (x *Sharing) Untrusted(k artifacts.Key) bool {
	s := x.store
	s.trust.mu.Lock()
	defer s.trust.mu.Unlock()
	_, doubted := s.trust.doubts[k]
	return doubted
}

// signedName is the name of an action's signed record in a remote. The key's id is part
// of it, so that nobody's signature hides another's.
func signedName(k artifacts.Key, id string) string {
	return remote.Name(signedDir, k.String()) + "." + id
}

// putSigned shares the signed record of an action.
func (s *Store) putSigned(ctx context.Context, k artifacts.Key, record []byte) error {
	envelope, err := s.trust.Signer.Sign(record)
	if err != nil {
		return fmt.Errorf("signing action %s: %w", k, err)
	}
	return s.putRecord(ctx, signedName(k, s.trust.Signer.ID()), envelope, s.Remote.Untrusted(k))
}

// Forget removes the records that came from a remote, and counts them.
func (x *Sharing) Forget() (int, error) {
	s := x.store
	all, err := s.objects(actionsDir)
	if err != nil {
		return 0, s.fault(err)
	}
	var fetched []object
	var keys []artifacts.Key
	for _, o := range all {
		k, err := artifacts.ParseKey(o.name)
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
