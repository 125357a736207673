package statement

import (
	"bytes"
	"os"
	"testing"

	"prgnn/internal/need"
	_ "prgnn/stages" // the kinds
)

// FuzzVerify: an envelope and a key come from strangers. No bytes but those that were
// signed pass under the golden key, and none panic.
func FuzzVerify(f *testing.F) {
	envelope, err1 := os.ReadFile("testdata/golden-1.intoto.json")
	public, err2 := os.ReadFile("testdata/golden-1.pub.pem")
	if err1 != nil || err2 != nil {
		f.Fatal(err1, err2)
	}
	signed := need.Value(Verify(envelope, public))(f)
	f.Add(envelope, public)
	f.Add(envelope[:len(envelope)/2], public)
	f.Add([]byte(`{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"keyid":"","sig":"AA=="}]}`), public)
	f.Add(bytes.Replace(envelope, []byte(`"signatures":`), []byte(`"signatures":[],"none":`), 1), public[:20])
	f.Fuzz(func(t *testing.T, b, key []byte) {
		Read(b)
		Verify(b, key)
		if s, err := Verify(b, public); err == nil && s.Lock() != signed.Lock() {
			t.Fatalf("the key vouches for another lock: %q", b)
		}
	})
}
