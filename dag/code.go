package dag

import (
	"fmt"
	"os"
	"sync"

	"prgnn/artifacts"
)

// identify digests the code identities of the kinds in the graph.
func (r *runner) identify() error {
	r.code = map[*Kind]string{}
	for _, s := range r.graph.Stages {
		if _, known := r.code[s.Kind]; known {
			continue
		}
		d, err := s.Kind.CodeDigest()
		if err != nil {
			return err
		}
		r.code[s.Kind] = d
	}
	return nil
}

// CodeDigest is what recipes say of the kind's code: the digest of its identity.
// A kind without an identity is taken to change with every build of the program:
// that runs too much again, and never too little.
func (k *Kind) CodeDigest() (string, error) {
	if k.Code != "" {
		return artifacts.DigestOf([]byte(k.Code)).String(), nil
	}
	d, err := programDigest()
	if err != nil {
		return "", fmt.Errorf("stage kind %s has no generated code identity (go generate makes it), and the file of the program cannot stand in for it: %w", k.Name, err)
	}
	return d, nil
}

// programDigest is the digest of the running program's own file.
var programDigest = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return artifacts.DigestOf(b).String(), nil
})
