package remote

import (
	"bytes"
	"encoding/base64"
	"errors"
	"testing"

	"prgnn/internal/envelope"
)

func newKey(t *testing.T) envelope.PrivateKey {
	t.Helper()
	private, _, err := envelope.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := envelope.ReadPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// A record comes out of an envelope only if a trusted key signed it, as a record.
func TestTrust(t *testing.T) {
	lab, other := newKey(t), newKey(t)
	record := []byte("prgnn action 1\n")
	signed, err := Trust(&lab, nil).Signer.Sign(record)
	if err != nil {
		t.Fatal(err)
	}
	open := func(b []byte, k envelope.PublicKey) ([]byte, error) {
		return Trust(nil, []envelope.PublicKey{k}).Keys[0].Open(b)
	}
	if got, err := open(signed, lab.Public()); err != nil || !bytes.Equal(got, record) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := open(signed, other.Public()); !errors.Is(err, envelope.ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	changed := bytes.Replace(signed, []byte(base64.StdEncoding.EncodeToString(record)), []byte(base64.StdEncoding.EncodeToString([]byte("prgnn action 2\n"))), 1)
	if _, err := open(changed, lab.Public()); bytes.Equal(changed, signed) || !errors.Is(err, envelope.ErrSignature) {
		t.Errorf("another record under the signature: %v", err)
	}
	statement, err := envelope.Sign("application/vnd.in-toto+json", record, lab)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(statement, lab.Public()); err == nil {
		t.Error("a signed statement passes for a record")
	}
	if n := len(Trust(&lab, nil).Keys); n != 0 {
		t.Errorf("a key that signs makes %d keys trusted, and nobody asked for that", n)
	}
	if n := len(Trust(&lab, []envelope.PublicKey{other.Public()}).Keys); n != 2 {
		t.Errorf("%d keys are trusted, want the other one and its own", n)
	}
}
