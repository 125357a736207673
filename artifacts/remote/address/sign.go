package address

import (
	"slices"

	"prgnn/artifacts/remote"
	"prgnn/internal/envelope"
)

// payloadType is the type of an action's record in an envelope. It is signed too, so
// that no signature of something else passes for one of a record.
const payloadType = "application/vnd.prgnn.action"

// Trust is what a store believes that signs with one key (nil: it signs nothing) and trusts
// others. A store that trusts any key trusts its own.
func Trust(sign *envelope.PrivateKey, trusted []envelope.PublicKey) remote.Trust {
	var t remote.Trust
	if sign != nil {
		t.Signer = signer{*sign}
		if own := sign.Public(); len(trusted) > 0 &&
			!slices.ContainsFunc(trusted, func(k envelope.PublicKey) bool { return k.ID() == own.ID() }) {
			trusted = append(slices.Clone(trusted), own)
		}
	}
	for _, k := range trusted {
		t.Keys = append(t.Keys, verifier{k, k.ID()})
	}
	return t
}

type signer struct{ key envelope.PrivateKey }

func (s signer) ID() string                         { return s.key.Public().ID() }
func (s signer) Sign(record []byte) ([]byte, error) { return envelope.Sign(payloadType, record, s.key) }

type verifier struct {
	key envelope.PublicKey
	id  string
}

func (v verifier) ID() string { return v.id }
func (v verifier) Open(signed []byte) ([]byte, error) {
	return envelope.Verify(signed, payloadType, v.key)
}
