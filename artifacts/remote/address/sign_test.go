package address

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote"
	"prgnn/internal/envelope"
	"prgnn/internal/need"
)

func newKey(t *testing.T) envelope.PrivateKey {
	t.Helper()
	private, _, err := envelope.NewKey()
	need.NoError(t, err)
	key, err := envelope.ReadPrivateKey(private)
	need.NoError(t, err)
	return key
}

// A record comes out of an envelope only if a trusted key signed it, as a record.
func TestTrust(t *testing.T) {
	lab, other := newKey(t), newKey(t)
	record := []byte("prgnn action 1\n")
	signed := need.Value(Trust(&lab, nil).Signer.Sign(record))(t)
	open := func(b []byte, k envelope.PublicKey) ([]byte, error) {
		return Trust(nil, []envelope.PublicKey{k}).Keys[0].Open(b)
	}
	if got, err := open(signed, lab.Public()); err != nil || !bytes.Equal(got, record) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := open(signed, other.Public()); !errors.Is(err, envelope.ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	changed := bytes.Replace(signed, []byte(base64.StdEncoding.EncodeToString(record)),
		[]byte(base64.StdEncoding.EncodeToString([]byte("prgnn action 2\n"))), 1)
	if _, err := open(changed, lab.Public()); bytes.Equal(changed, signed) || !errors.Is(err, envelope.ErrSignature) {
		t.Errorf("another record under the signature: %v", err)
	}
	statement := need.Value(envelope.Sign("application/vnd.in-toto+json", record, lab))(t)
	if _, err := open(statement, lab.Public()); err == nil {
		t.Error("a signed statement passes for a record")
	}
	need.Equal(t, len(Trust(&lab, nil).Keys), 0, "a key that signs makes", "keys trusted, and nobody asked for that")
	if n := len(Trust(&lab, []envelope.PublicKey{other.Public()}).Keys); n != 2 {
		t.Errorf("%d keys are trusted, want the other one and its own", n)
	}
}

// The signed record of a gather of 40,000 inputs, and the longest record that is shared, go through a remote.
func TestLongSignedRecords(t *testing.T) {
	key := newKey(t)
	place := "file://" + filepath.ToSlash(t.TempDir())
	attached := func(trust remote.Trust) *disk.Store {
		s, err := disk.Open(filepath.Join(t.TempDir(), "store"))
		need.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		r, err := Open(place)
		if err == nil {
			s.Remote.SetTrust(trust)
			err = s.Remote.Attach(context.Background(), r)
		}
		need.NoError(t, err)
		return s
	}
	one, two := attached(Trust(&key, nil)), attached(Trust(nil, []envelope.PublicKey{key.Public()}))
	gather := strings.Repeat("in    scores "+artifacts.DigestOf(nil).String()+" arrow subject=sub-00000,fold=10,pool=topk,lambda=0.1-0.1\n", 40_000)
	for _, recipe := range []string{gather, strings.Repeat("x", 8<<20-200)} {
		ref, err := one.Put(artifacts.Text("result"))
		need.NoError(t, err)
		k, err := one.Record(artifacts.Action{Recipe: recipe, Outputs: artifacts.Refs{{Name: "out", Ref: ref}}})
		need.NoError(t, err)
		one.Remote.Share(context.Background(), func(int) {})
		if a, err := two.Lookup(k); err != nil || a.Recipe != recipe || a.Origin != key.Public().ID() {
			t.Errorf("a recipe of %d bytes: signed by %q, %v", len(recipe), a.Origin, err)
		}
	}
	if unsigned, forged := two.Remote.Distrusted(); unsigned+forged > 0 {
		t.Errorf("%d unsigned, %d forged", unsigned, forged)
	}
}
