package artifacts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
)

// A Digest names bytes: it is their SHA-256.
type Digest [sha256.Size]byte

// A Key names work: it is the SHA-256 of a recipe.
type Key [sha256.Size]byte

// String returns the digest as 64 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// String returns the key as 64 lower-case hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// DigestOf is the digest of bytes.
func DigestOf(b []byte) Digest { return sha256.Sum256(b) }

// KeyOf is the key of a recipe.
func KeyOf[T string | []byte](recipe T) Key { return sha256.Sum256([]byte(recipe)) }

// ParseDigest reads 64 lower-case hexadecimal digits.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	if err := parseHex(d[:], s); err != nil {
		return d, fmt.Errorf("digest %q: %w", s, err)
	}
	return d, nil
}

// ParseKey reads 64 lower-case hexadecimal digits.
func ParseKey(s string) (Key, error) {
	var k Key
	if err := parseHex(k[:], s); err != nil {
		return k, fmt.Errorf("key %q: %w", s, err)
	}
	return k, nil
}

func parseHex(dst []byte, s string) error {
	if len(s) != 2*len(dst) {
		return fmt.Errorf("has %d characters, want %d", len(s), 2*len(dst))
	}
	if strings.ContainsAny(s, "ABCDEF") {
		return fmt.Errorf("has upper-case digits")
	}
	var digits [2 * len(Digest{})]byte // on the stack
	_, err := hex.Decode(dst, append(digits[:0], s...))
	return err
}

// A Value is something a stage makes.
type Value interface {
	// Format is the short name of the encoding, one word: "npy", "arrow", "nifti", "text", "json", "svg", "html" …
	Format() string
	// Encode writes the bytes. Equal values give equal bytes, on every machine.
	Encode(w io.Writer) error
}

// A Ref names the bytes of a value, in a store or not.
type Ref struct {
	Digest Digest
	Size   int64  // bytes
	Format string // of the value; "" if unknown
}

// RefOf encodes a value, and names its bytes. It stores nothing.
func RefOf(v Value) (Ref, error) {
	c := hashCounter{hash: sha256.New()}
	if err := v.Encode(&c); err != nil {
		return Ref{}, err
	}
	return Ref{Digest: Digest(c.hash.Sum(nil)), Size: c.size, Format: v.Format()}, nil
}

// A hashCounter hashes what is written, and counts it.
type hashCounter struct {
	hash hash.Hash
	size int64
}

func (c *hashCounter) Write(p []byte) (int, error) {
	c.size += int64(len(p))
	return c.hash.Write(p)
}

// An Action states that a recipe was carried out, and which bytes resulted.
type Action struct {
	Recipe  string
	Outputs Refs   // by output port
	Origin  string // "" for work of this store; if it came from a remote, the id of the key that signed it, or Unsigned
}

// Unsigned is the Origin of an action whose record has no signature, or whose signature was not checked because no keys
// are trusted.
const Unsigned = "unsigned"

// Bytes is a Value whose encoding is already in hand, such as a compressed
// NIfTI image ("nifti"), an SVG picture ("svg") or a text for people ("text").
type Bytes struct {
	Kind string
	Data []byte
}

// Format returns b.Kind.
func (b Bytes) Format() string { return b.Kind }

// Encode writes b.Data as it is.
func (b Bytes) Encode(w io.Writer) error {
	_, err := w.Write(b.Data)
	return err
}

// Text is a Value for people to read: UTF-8, lines ending in \n.
func Text(s string) Bytes { return Bytes{Kind: "text", Data: []byte(s)} }
