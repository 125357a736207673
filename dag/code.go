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
		if s.Kind.Code != "" {
			r.code[s.Kind] = artifacts.DigestOf([]byte(s.Kind.Code)).String()
			continue
		}
		// A kind without an identity is taken to change with every build of the
		// program: that runs too much again, and never too little.
		d, err := programDigest()
		if err != nil {
			return fmt.Errorf("stage kind %s has no generated code identity (go generate makes it), and the file of the program cannot stand in for it: %w", s.Kind.Name, err)
		}
		r.code[s.Kind] = d
	}
	return nil
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
