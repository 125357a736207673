package statement

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"prgnn/artifacts"
	"prgnn/internal/envelope"
	"prgnn/internal/need"
	"prgnn/internal/version"
	"prgnn/pipelines/lock"
)

func example() *lock.Lock {
	return &lock.Lock{
		Pipeline: "small", File: "small.yaml", Text: "stages: {}\n", Sets: []string{"data=x"},
		Program: version.Program{Version: "v1.2.3", Revision: "abc", Go: "go1.26", Platform: "linux/arm64"},
		Codes:   []lock.Code{{Kind: "echo", Digest: strings.Repeat("1", 64)}},
		Stages: []lock.Stage{{Name: "first", Kind: "echo", Tasks: []lock.Task{{
			ID: "first[value=1.5]", Key: artifacts.Key{7},
			Files: []lock.File{{Port: "input", Name: "data.txt",
				Ref: artifacts.Ref{Digest: artifacts.Digest{9}, Size: 5}}},
			Outputs: artifacts.Refs{{Name: "value",
				Ref: artifacts.Ref{Digest: artifacts.Digest{8}, Size: 136, Format: "npy"}}},
		}}}},
	}
}

func signed(t *testing.T) (env, private, public []byte) {
	t.Helper()
	private, public, err := envelope.NewKey()
	need.NoError(t, err)
	s, err := Of(example())
	need.NoError(t, err)
	if env, err = Sign(s, private); err != nil {
		t.Fatal(err)
	}
	return env, private, public
}

// The judge is in-toto's own package.
func TestInTotoAcceptsTheStatement(t *testing.T) {
	s := need.Value(Of(example()))(t)
	b := need.Value(json.Marshal(s))(t)
	var theirs intoto.Statement
	need.NoError(t, protojson.Unmarshal(b, &theirs))
	need.NoError(t, theirs.Validate())
	if theirs.Type != intoto.StatementTypeUri || len(theirs.Subject) != 2 || theirs.Subject[1].Name != "first[value=1.5].value" {
		t.Errorf("%v", &theirs)
	}
	for _, r := range theirs.Subject {
		need.NoError(t, r.Validate())
	}
}

func TestSignAndVerify(t *testing.T) {
	envelope, private, public := signed(t)
	s := need.Value(Verify(envelope, public))(t)
	text, _ := example().Encode()
	if s.Lock() != artifacts.DigestOf(text) ||
		s.Outputs()["first[value=1.5]"].Of("value").Digest != (artifacts.Digest{8}) ||
		s.Program() != example().Program {
		t.Errorf("%+v", s)
	}
	if again, err := Sign(s, private); err != nil || string(again) != string(envelope) {
		t.Error("the same statement, signed again, is another file", err)
	}
}

// What is damaged, forged, or of somebody else is refused, with the reason.
func TestRefusals(t *testing.T) {
	envelope, private, public := signed(t)
	_, _, other := signed(t)
	type env struct {
		PayloadType string              `json:"payloadType"`
		Payload     string              `json:"payload"`
		Signatures  []map[string]string `json:"signatures"`
	}
	change := func(f func(*env)) []byte {
		var e env
		need.NoError(t, json.Unmarshal(envelope, &e))
		f(&e)
		b, _ := json.Marshal(e)
		return b
	}
	payload := func(old, new string) []byte {
		return change(func(e *env) {
			b, _ := base64.StdEncoding.DecodeString(e.Payload)
			if !strings.Contains(string(b), old) {
				t.Fatalf("no %s in %s", old, b)
			}
			e.Payload = base64.StdEncoding.EncodeToString([]byte(strings.Replace(string(b), old, new, 1)))
		})
	}
	resigned := func(f func(*Statement)) []byte {
		s, _ := Of(example())
		f(s)
		b := need.Value(Sign(s, private))(t)
		return b
	}
	rsa := func() []byte {
		k, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		b, _ := x509.MarshalPKIXPublicKey(&k.PublicKey)
		return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b})
	}()
	for _, c := range []struct {
		about            string
		envelope, public []byte
		want             string
	}{
		{"another key", envelope, other, "the signature does not fit"},
		{"a result that was exchanged", payload(strings.Repeat("0", 60), strings.Repeat("0", 59)+"1"), public, "the signature does not fit"},
		{"a signature of something else",
			change(func(e *env) { e.Signatures[0]["sig"] = base64.StdEncoding.EncodeToString(make([]byte, 64)) }),
			public, "the signature does not fit"},
		{"a signature that is cut", change(func(e *env) { e.Signatures[0]["sig"] = e.Signatures[0]["sig"][:20] }), public, "the signature does not fit"},
		{"no signature", change(func(e *env) { e.Signatures = nil }), public, "it is not signed"},
		{"another type of payload", change(func(e *env) { e.PayloadType = "text/plain" }), public, "is needed"},
		{"no envelope", []byte(`{"a": 1}`), public, "it has no payload"},
		{"a text", []byte("hello"), public, "not a DSSE envelope"},
		{"cut short", envelope[:len(envelope)/2], public, "not a DSSE envelope"},
		{"a key that is none", envelope, []byte("key"), "not a PEM file"},
		{"the private key", envelope, private, "holds a PRIVATE KEY"},
		{"two keys", envelope, append(append([]byte{}, public...), other...), "more than one key"},
		{"a key of another kind", envelope, rsa, "an ed25519 key is needed"},
		{"a statement of another type", resigned(func(s *Statement) { s.Type = "https://in-toto.io/Statement/v0.1" }), public, "not an in-toto statement"},
		{"is not about a run", resigned(func(s *Statement) { s.PredicateType = "https://example.org/review" }), public, "is not about a run"},
		{"without a lock", resigned(func(s *Statement) { s.Subject = s.Subject[1:] }), public, "lists no run.lock"},
		{"a subject twice", resigned(func(s *Statement) { s.Subject = append(s.Subject, s.Subject[1]) }),
			public, "appears twice"},
		{"a subject without a digest", resigned(func(s *Statement) { s.Subject[1].Digest = nil }), public, "has 0 characters"},
		{"a weaker digest alone", resigned(func(s *Statement) {
			s.Subject[1].Digest = map[string]string{
				"md5": strings.Repeat("0", 32)}
		}), public, "has 0 characters"},
	} {
		if _, err := Verify(c.envelope, c.public); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.about, err, c.want)
		}
	}
	if _, err := Verify(envelope, other); !errors.Is(err, ErrSignature) {
		t.Error(err)
	}
	if _, err := Sign(&Statement{}, public); err == nil || !strings.Contains(err.Error(), "holds a PUBLIC KEY") {
		t.Error(err)
	}
}
