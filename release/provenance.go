package main

import (
	"encoding/json"
	"io"
	"os"
	"runtime"

	"prgnn/internal/envelope"
	"prgnn/internal/version"
)

// payloadType is what DSSE envelopes of in-toto statements say they hold.
const payloadType = "application/vnd.in-toto+json"

// sign writes the statement of what the files were made from, as SLSA provenance v1 in an
// in-toto statement v1, signed.
//
// Sources: slsa.dev/spec/v1.0/provenance; in-toto Attestation Framework, spec/v1/statement.md.
func sign(out string, src source, keyFile string) error {
	pem, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	key, err := envelope.ReadPrivateKey(pem)
	if err != nil {
		return err
	}
	files, err := digests(out)
	if err != nil {
		return err
	}
	type resource struct {
		Name   string            `json:"name,omitempty"`
		URI    string            `json:"uri,omitempty"`
		Digest map[string]string `json:"digest"`
	}
	var subjects []resource
	for _, f := range files {
		subjects = append(subjects, resource{Name: f.name, Digest: map[string]string{"sha256": f.sum}})
	}
	text, err := json.Marshal(map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":            "urn:prgnn:release:1",
				"externalParameters":   map[string]string{"command": "go run ./release", "version": version.Number},
				"internalParameters":   map[string]string{"go": runtime.Version()},
				"resolvedDependencies": []resource{{URI: "git+commit", Digest: map[string]string{"gitCommit": src.commit}}},
			},
			"runDetails": map[string]any{"builder": map[string]string{"id": "urn:prgnn:release"}},
		},
	})
	if err != nil {
		return err
	}
	signed, err := envelope.Sign(payloadType, text, key)
	if err != nil {
		return err
	}
	return create(named(out, "provenance.dsse.json"), func(w io.Writer) error {
		_, err := w.Write(signed)
		return err
	})
}
