package statement

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// payloadType is the type of an in-toto statement within an envelope.
const payloadType = "application/vnd.in-toto+json"

// NewKey makes a pair of keys, as PEM files: PKCS #8 and PKIX, those that openssl
// genpkey -algorithm ed25519 and openssl pkey -pubout write.
func NewKey() (private, public []byte, err error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	a, err1 := x509.MarshalPKCS8PrivateKey(priv)
	b, err2 := x509.MarshalPKIXPublicKey(pub)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: a}),
		pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b}), errors.Join(err1, err2)
}

// Sign signs a statement with a private key in PEM.
func Sign(s *Statement, private []byte) ([]byte, error) {
	block, err := onlyBlock(private, "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(block)
	if err != nil {
		return nil, fmt.Errorf("the private key cannot be read: %w", err)
	}
	priv, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the private key is a %T, and an ed25519 key is needed (pipeline sign --new-key makes one)", key)
	}
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	signer, err := dsse.NewEnvelopeSigner(pair{priv, priv.Public().(ed25519.PublicKey)})
	if err != nil {
		return nil, err
	}
	env, err := signer.SignPayload(context.Background(), payloadType, payload)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(env)
	return append(b, '\n'), err
}

// Verify reads an envelope and checks its signature by a public key in PEM.
func Verify(envelope, public []byte) (*Statement, error) {
	block, err := onlyBlock(public, "PUBLIC KEY")
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKIXPublicKey(block)
	if err != nil {
		return nil, fmt.Errorf("the public key cannot be read: %w", err)
	}
	pub, ok := key.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("the public key is a %T, and an ed25519 key is needed", key)
	}
	env, err := readEnvelope(envelope)
	if err != nil {
		return nil, err
	}
	verifier, err := dsse.NewEnvelopeVerifier(pair{nil, pub})
	if err != nil {
		return nil, err
	}
	if _, err := verifier.Verify(context.Background(), env); err != nil {
		return nil, fmt.Errorf("it is not signed by the key %s: %w (it says that it is signed by %s)", keyID(pub), ErrSignature, signers(env))
	}
	payload, err := env.DecodeB64Payload()
	if err != nil {
		return nil, err
	}
	return parse(payload)
}

// ErrSignature says that a signature is not that of the key.
var ErrSignature = errors.New("the signature does not fit")

// Read reads an envelope without asking who signed it.
func Read(envelope []byte) (*Statement, error) {
	env, err := readEnvelope(envelope)
	if err != nil {
		return nil, err
	}
	payload, err := env.DecodeB64Payload()
	if err != nil {
		return nil, fmt.Errorf("its payload: %w", err)
	}
	return parse(payload)
}

func readEnvelope(b []byte) (*dsse.Envelope, error) {
	var env dsse.Envelope
	if err := json.Unmarshal(b, &env); err != nil {
		return nil, fmt.Errorf("it is no DSSE envelope: %w", err)
	}
	switch {
	case env.PayloadType == "" && env.Payload == "":
		return nil, fmt.Errorf("it is no DSSE envelope: it has no payload")
	case env.PayloadType != payloadType:
		return nil, fmt.Errorf("it holds %.60q, and not an in-toto statement (%s)", env.PayloadType, payloadType)
	case len(env.Signatures) == 0:
		return nil, fmt.Errorf("it is not signed")
	}
	return &env, nil
}

func signers(env *dsse.Envelope) string {
	var ids []string
	for _, s := range env.Signatures {
		ids = append(ids, fmt.Sprintf("%.64q", s.KeyID))
	}
	return strings.Join(ids, ", ")
}

// onlyBlock is the one PEM block of a type.
func onlyBlock(b []byte, typ string) ([]byte, error) {
	block, rest := pem.Decode(b)
	switch {
	case block == nil:
		return nil, fmt.Errorf("the key is no PEM file")
	case block.Type != typ:
		return nil, fmt.Errorf("the PEM file holds a %s, and a %s is needed", block.Type, typ)
	case strings.TrimSpace(string(rest)) != "":
		return nil, fmt.Errorf("the PEM file holds more than one key")
	}
	return block.Bytes, nil
}

// keyID names a key: the SHA-256 of its DER form.
func keyID(pub ed25519.PublicKey) string {
	der, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		return "" // an ed25519 key always has one
	}
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// A pair is a key as package dsse wants it.
type pair struct {
	private ed25519.PrivateKey
	public  ed25519.PublicKey
}

func (p pair) Sign(_ context.Context, data []byte) ([]byte, error) {
	return ed25519.Sign(p.private, data), nil
}

func (p pair) Verify(_ context.Context, data, sig []byte) error {
	if len(p.public) != ed25519.PublicKeySize || !ed25519.Verify(p.public, data, sig) {
		return ErrSignature
	}
	return nil
}

func (p pair) KeyID() (string, error)   { return keyID(p.public), nil }
func (p pair) Public() crypto.PublicKey { return p.public }
