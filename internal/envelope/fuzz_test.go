package envelope

import (
	"bytes"
	"testing"

	"prgnn/internal/need"
)

// FuzzVerify: no bytes but the signed ones pass under a key, whatever the envelope.
func FuzzVerify(f *testing.F) {
	private, public, err := NewKey()
	need.NoError(f, err)
	key, err1 := ReadPrivateKey(private)
	pub, err2 := ReadPublicKey(public)
	signed, err3 := Sign("application/x", []byte("payload"), key)
	if err1 != nil || err2 != nil || err3 != nil {
		f.Fatal(err1, err2, err3)
	}
	f.Add(signed, public)
	f.Add(signed[:len(signed)/2], private)
	f.Add(bytes.Replace(signed, []byte(`"signatures":`), []byte(`"signatures":[],"none":`), 1), append(bytes.Clone(public), public...))
	f.Fuzz(func(t *testing.T, envelope, keys []byte) {
		Open(envelope, "application/x")
		if all, err := ReadPublicKeys(keys); err == nil && (len(all) == 0 || all[0].ID() == "") {
			t.Error("no key, and no error")
		}
		ReadPrivateKey(keys)
		if payload, err := Verify(envelope, "application/x", pub); err == nil && string(payload) != "payload" {
			t.Errorf("the key vouches for %q", payload)
		}
	})
}
