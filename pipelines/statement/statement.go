// Package statement says in public form what a run came to, signed: an in-toto
// Statement v1 (subjects are the lock and every result, by SHA-256; the predicate
// is SLSA provenance v1) in a DSSE envelope with an ed25519 signature.
//
// Sources: in-toto Attestation Framework, spec/v1/statement.md and envelope.md;
// DSSE protocol.md (secure-systems-lab/dsse); SLSA v1.0 provenance.
package statement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"prgnn/artifacts"
	"prgnn/internal/version"
	"prgnn/pipelines/lock"
)

const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://slsa.dev/provenance/v1"
	buildType     = "urn:prgnn:pipeline-run:1"
	builderID     = "urn:prgnn:pipeline"
)

// A Statement is the signed content.
type Statement struct {
	Type          string     `json:"_type"`
	Subject       []Resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     Predicate  `json:"predicate"`
}

// A Resource is something named with its digest.
type Resource struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// A Predicate is SLSA provenance: what was requested, and which builder ran it.
type Predicate struct {
	BuildDefinition struct {
		BuildType            string            `json:"buildType"`
		ExternalParameters   Asked             `json:"externalParameters"`
		InternalParameters   map[string]string `json:"internalParameters"` // the code of each kind
		ResolvedDependencies []Resource        `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder struct {
			ID      string            `json:"id"`
			Version map[string]string `json:"version"`
		} `json:"builder"`
	} `json:"runDetails"`
}

// Asked is what the user gave.
type Asked struct {
	Pipeline string   `json:"pipeline"`
	File     string   `json:"file"`
	Text     string   `json:"text"`
	Sets     []string `json:"sets,omitempty"`
}

// Of makes the statement of a lock.
func Of(l *lock.Lock) (*Statement, error) {
	text, err := l.Encode()
	if err != nil {
		return nil, err
	}
	s := &Statement{Type: statementType, PredicateType: predicateType}
	s.Subject = []Resource{resource(lock.FileName, artifacts.DigestOf(text))}
	for t := range l.All() {
		for _, ref := range t.Outputs {
			s.Subject = append(s.Subject, resource(t.ID+"."+ref.Name, ref.Digest))
		}
	}
	d := &s.Predicate.BuildDefinition
	d.BuildType = buildType
	d.ExternalParameters = Asked{l.Pipeline, l.File, l.Text, l.Sets}
	d.InternalParameters = map[string]string{}
	for _, c := range l.Codes {
		d.InternalParameters["code "+c.Kind] = c.Digest
	}
	d.ResolvedDependencies = []Resource{}
	for _, f := range l.Inputs() {
		d.ResolvedDependencies = append(d.ResolvedDependencies, resource(f.Name, f.Ref.Digest))
	}
	b := &s.Predicate.RunDetails.Builder
	b.ID = builderID
	b.Version = map[string]string{"pipeline": l.Program.Version, "go": l.Program.Go, "platform": l.Program.Platform}
	if l.Program.Revision != "" {
		b.Version["revision"] = l.Program.Revision
	}
	return s, nil
}

func resource(name string, d artifacts.Digest) Resource {
	return Resource{name, map[string]string{"sha256": d.String()}}
}

// Program is the program that carried the run out.
func (s *Statement) Program() version.Program {
	v := s.Predicate.RunDetails.Builder.Version
	return version.Program{Version: v["pipeline"], Revision: v["revision"], Go: v["go"], Platform: v["platform"]}
}

// Lock is the digest of the lock that the statement is about.
func (s *Statement) Lock() artifacts.Digest {
	d, _ := artifacts.ParseDigest(s.Subject[0].Digest["sha256"]) // parse has looked at it
	return d
}

// Outputs are the results by task; only their digests are known.
func (s *Statement) Outputs() map[string]artifacts.Refs {
	all := map[string]artifacts.Refs{}
	for _, r := range s.Subject[1:] {
		at := strings.LastIndexByte(r.Name, '.')
		outputs := all[r.Name[:at]]
		d, _ := artifacts.ParseDigest(r.Digest["sha256"]) // parse has read it
		outputs.Set(r.Name[at+1:], artifacts.Ref{Digest: d})
		all[r.Name[:at]] = outputs
	}
	return all
}

// parse reads a statement of ours.
func parse(payload []byte) (*Statement, error) {
	in := json.NewDecoder(bytes.NewReader(payload))
	in.DisallowUnknownFields()
	var s Statement
	if err := in.Decode(&s); err != nil {
		return nil, fmt.Errorf("the signed content is not a statement of a run: %w", err)
	}
	switch {
	case s.Type != statementType:
		return nil, fmt.Errorf("the signed content has the type %.60q and is not an in-toto statement (%s)", s.Type, statementType)
	case s.PredicateType != predicateType || s.Predicate.BuildDefinition.BuildType != buildType:
		return nil, fmt.Errorf("the statement (%.60q, %.60q) is not about a run of a pipeline", s.PredicateType, s.Predicate.BuildDefinition.BuildType)
	case len(s.Subject) == 0 || s.Subject[0].Name != lock.FileName:
		return nil, fmt.Errorf("the statement lists no %s", lock.FileName)
	}
	seen := map[string]bool{}
	for i, r := range s.Subject {
		if _, err := artifacts.ParseDigest(r.Digest["sha256"]); err != nil {
			return nil, fmt.Errorf("the statement's subject %.60q: %w", r.Name, err)
		}
		if seen[r.Name] || i > 0 && strings.LastIndexByte(r.Name, '.') < 1 {
			return nil, fmt.Errorf("the statement's subject %.60q appears twice, or is not an output of a task", r.Name)
		}
		seen[r.Name] = true
	}
	return &s, nil
}
