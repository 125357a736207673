package envelope

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// A PublicKey checks signatures.
type PublicKey struct{ key ed25519.PublicKey }

// A PrivateKey signs.
type PrivateKey struct{ key ed25519.PrivateKey }

const (
	privateBlock = "PRIVATE KEY"
	publicBlock  = "PUBLIC KEY"
)

// NewKey returns a new pair of keys as PEM files (PKCS #8 and PKIX), in the form that
// openssl genpkey -algorithm ed25519 and openssl pkey -pubout write.
func NewKey() (private, public []byte, err error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	a, err1 := x509.MarshalPKCS8PrivateKey(priv)
	b, err2 := x509.MarshalPKIXPublicKey(pub)
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: a}),
		pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: b}), errors.Join(err1, err2)
}

// ReadPrivateKey reads a PEM file that holds one private key.
func ReadPrivateKey(file []byte) (PrivateKey, error) {
	der, rest, err := block(file, privateBlock)
	if err == nil && hasMore(rest) {
		err = errors.New("the PEM file holds more than one key")
	}
	if err != nil {
		return PrivateKey{}, err
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("the private key cannot be read: %w", err)
	}
	priv, ok := key.(ed25519.PrivateKey)
	if !ok {
		return PrivateKey{}, fmt.Errorf("the private key is a %T, but an ed25519 key is needed (pipeline sign --new-key makes one)", key)
	}
	return PrivateKey{priv}, nil
}

// ReadPublicKey reads a PEM file that holds one public key.
func ReadPublicKey(file []byte) (PublicKey, error) {
	keys, err := ReadPublicKeys(file)
	if err == nil && len(keys) > 1 {
		err = errors.New("the PEM file holds more than one key")
	}
	if err != nil {
		return PublicKey{}, err
	}
	return keys[0], nil
}

// ReadPublicKeys reads a PEM file that holds one public key or several.
func ReadPublicKeys(file []byte) ([]PublicKey, error) {
	var keys []PublicKey
	for first := true; first || hasMore(file); first = false {
		der, rest, err := block(file, publicBlock)
		if err != nil {
			return nil, err
		}
		key, err := x509.ParsePKIXPublicKey(der)
		if err != nil {
			return nil, fmt.Errorf("the public key cannot be read: %w", err)
		}
		pub, ok := key.(ed25519.PublicKey)
		if !ok {
			return nil, fmt.Errorf("the public key is a %T, but an ed25519 key is needed", key)
		}
		keys, file = append(keys, PublicKey{pub}), rest
	}
	return keys, nil
}

// block reads the first PEM block of a file, which must be of this type.
func block(file []byte, typ string) (der, rest []byte, err error) {
	b, rest := pem.Decode(file)
	switch {
	case b == nil:
		return nil, nil, errors.New("the key is not a PEM file")
	case b.Type != typ:
		return nil, nil, fmt.Errorf("the PEM file holds a %s, but a %s is needed", b.Type, typ)
	}
	return b.Bytes, rest, nil
}

func hasMore(rest []byte) bool { return strings.TrimSpace(string(rest)) != "" }

// Public returns the public half of a private key.
func (k PrivateKey) Public() PublicKey { return PublicKey{k.key.Public().(ed25519.PublicKey)} }

// ID returns the name of a key: the SHA-256 of its DER form, in hexadecimal digits.
func (k PublicKey) ID() string {
	der, err := x509.MarshalPKIXPublicKey(k.key)
	if err != nil {
		return "" // an ed25519 key always has one
	}
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// A signer is a pair of keys in the form that package dsse wants. To verify, the
// private key may be absent.
type signer struct {
	private PrivateKey
	public  PublicKey
}

func (s signer) Sign(_ context.Context, data []byte) ([]byte, error) {
	return ed25519.Sign(s.private.key, data), nil
}

func (s signer) Verify(_ context.Context, data, sig []byte) error {
	if len(s.public.key) != ed25519.PublicKeySize || !ed25519.Verify(s.public.key, data, sig) {
		return ErrSignature
	}
	return nil
}

func (s signer) KeyID() (string, error)   { return s.public.ID(), nil }
func (s signer) Public() crypto.PublicKey { return s.public.key }
