// Package envelope signs bytes, and checks who signed them: DSSE envelopes with
// ed25519 signatures.
//
// Source: DSSE protocol.md and envelope.md (secure-systems-lab/dsse).
package envelope

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// ErrSignature says that a signature was not made by the key, or not of these bytes.
var ErrSignature = errors.New("the signature does not fit")

// Sign returns the envelope of a payload, as JSON. The signature covers the type too.
func Sign(payloadType string, payload []byte, key PrivateKey) ([]byte, error) {
	s, err := dsse.NewEnvelopeSigner(signer{key, key.Public()})
	if err != nil {
		return nil, err
	}
	env, err := s.SignPayload(context.Background(), payloadType, payload)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(env)
	return append(b, '\n'), err
}

// Verify returns the payload of an envelope that the key has signed. The error wraps
// ErrSignature when it has not.
func Verify(envelope []byte, payloadType string, key PublicKey) ([]byte, error) {
	env, err := parse(envelope, payloadType)
	if err != nil {
		return nil, err
	}
	verifier, err := dsse.NewEnvelopeVerifier(signer{public: key})
	if err != nil {
		return nil, err
	}
	if _, err := verifier.Verify(context.Background(), env); err != nil {
		return nil, fmt.Errorf("it is not signed by the key %s: %w (it claims the key %s)", key.ID(), ErrSignature, signers(env))
	}
	return env.DecodeB64Payload()
}

// Open returns the payload of an envelope and does not check the signature.
func Open(envelope []byte, payloadType string) ([]byte, error) {
	env, err := parse(envelope, payloadType)
	if err != nil {
		return nil, err
	}
	payload, err := env.DecodeB64Payload()
	if err != nil {
		return nil, fmt.Errorf("its payload: %w", err)
	}
	return payload, nil
}

func parse(b []byte, payloadType string) (*dsse.Envelope, error) {
	var env dsse.Envelope
	if err := json.Unmarshal(b, &env); err != nil {
		return nil, fmt.Errorf("it is not a DSSE envelope: %w", err)
	}
	if err := once(json.NewDecoder(bytes.NewReader(b))); err != nil {
		return nil, fmt.Errorf("it is not a DSSE envelope: %w", err)
	}
	switch {
	case env.PayloadType == "" && env.Payload == "":
		return nil, fmt.Errorf("it is not a DSSE envelope: it has no payload")
	case env.PayloadType != payloadType:
		return nil, fmt.Errorf("it holds %.60q, but %s is needed", env.PayloadType, payloadType)
	case len(env.Signatures) == 0:
		return nil, fmt.Errorf("it is not signed")
	}
	return &env, nil
}

// once refuses an object that has a key twice, in upper or lower case: another program may take the one that
// encoding/json does not, whose bytes nobody signed. d reads valid JSON.
func once(d *json.Decoder) error {
	token, err := d.Token()
	open, nested := token.(json.Delim)
	if err != nil || !nested {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			token, err := d.Token()
			if err != nil {
				return err
			}
			key, _ := token.(string)
			folded := strings.ToLower(strings.ToUpper(key)) // also of ſ and the Kelvin sign
			if seen[folded] {
				return fmt.Errorf("the key %.60q appears twice: get the file again from whoever signed it", key)
			}
			seen[folded] = true
		}
		if err := once(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

func signers(env *dsse.Envelope) string {
	var ids []string
	for i, s := range env.Signatures {
		if i == 3 {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, fmt.Sprintf("%.64q", s.KeyID))
	}
	return strings.Join(ids, ", ")
}
