package dag

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag/content"
)

// A codeDigest is the content of one of the CodeFiles of a stage.
type codeDigest struct {
	name, digest string
	variable     bool
}

// planned has the digests of files for what has no run of its own: the check of a job on its machine, and recipes that
// are written to be compared.
var planned content.Digests

// codeDigests digests what a stage reads beside its inputs, once in a run.
func codeDigests(f *content.Digests, hash content.Hashing, n *Node) ([]codeDigest, error) {
	reader, ok := n.Work.(CodeReader)
	if !ok {
		return nil, nil
	}
	var all []codeDigest
	for _, c := range reader.CodeFiles(func(port string) bool {
		return slices.ContainsFunc(n.Inputs, func(b Binding) bool { return b.Port == port })
	}) {
		digest, err := f.Code(hash, c.Paths)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		name := strings.Map(func(r rune) rune { // a recipe has one fact a line
			if r < ' ' {
				return '_'
			}
			return r
		}, c.Name)
		all = append(all, codeDigest{name, digest, c.Variable})
	}
	return all, nil
}
