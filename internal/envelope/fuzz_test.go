package envelope

import (
	"bytes"
	"testing"

	"prgnn/internal/need"
)

// Two readers could take another of two payloads.
func TestKeysTwice(t *testing.T) {
	private, public, err := NewKey()
	need.NoError(t, err)
	key := need.Value(ReadPrivateKey(private))(t)
	pub := need.Value(ReadPublicKey(public))(t)
	signed := need.Value(Sign("application/x", []byte("payload"), key))(t)
	for _, more := range []string{`"payload":"Zm9yZ2Vk",`, `"Payload":"Zm9yZ2Vk",`, `"payloadType":"text/x",`,
		`"\u0070ayload":"Zm9yZ2Vk",`, `"\u017fignatures":[],`, `"more":[{"a":1,"b":{},"a":[]}],`} {
		twice := append([]byte("{"+more), signed[1:]...)
		_, err := Verify(twice, "application/x", pub)
		need.Error(t, err, "appears twice", more)
		_, err = Open(twice, "application/x")
		need.Error(t, err, "appears twice", more)
	}
	one := append([]byte(`{"more":[{"a":1},{"a":2}],`), signed[1:]...)
	need.Equal(t, string(need.Value(Verify(one, "application/x", pub))(t)), "payload")
}

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
