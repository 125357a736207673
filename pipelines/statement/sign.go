package statement

import (
	"encoding/json"

	"prgnn/internal/envelope"
)

// payloadType is the type of an in-toto statement within an envelope.
const payloadType = "application/vnd.in-toto+json"

// ErrSignature says that a signature is not that of the key.
var ErrSignature = envelope.ErrSignature

// Sign signs a statement with a private key in PEM.
func Sign(s *Statement, private []byte) ([]byte, error) {
	key, err := envelope.ReadPrivateKey(private)
	if err != nil {
		return nil, err
	}
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return envelope.Sign(payloadType, payload, key)
}

// Verify reads an envelope and checks its signature by a public key in PEM.
func Verify(signed, public []byte) (*Statement, error) {
	key, err := envelope.ReadPublicKey(public)
	if err != nil {
		return nil, err
	}
	payload, err := envelope.Verify(signed, payloadType, key)
	if err != nil {
		return nil, err
	}
	return parse(payload)
}

// Read reads an envelope and does not check the signature.
func Read(signed []byte) (*Statement, error) {
	payload, err := envelope.Open(signed, payloadType)
	if err != nil {
		return nil, err
	}
	return parse(payload)
}
