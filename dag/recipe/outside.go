package recipe

import (
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/dag/internal/line"
)

// An Outside is what a stage reads beside its inputs, and its digest.
type Outside struct {
	content.Code
	Digest string
}

// Line is its line in a recipe.
func (c *Outside) Line() string { return string(c.append(nil)) }

func (c *Outside) append(b []byte) []byte {
	b = append(append(append(append(b, c.What...), ' '), c.Name...), " = "...)
	if c.What == "environment" {
		b = append(b, line.Content...)
	}
	return append(b, c.Digest...)
}

// OutsideFiles are what a stage reads beside its inputs.
func OutsideFiles(s dag.Stage, inputs []dag.Binding) []content.Code {
	return content.CodeOf(s, func(port string) bool {
		return slices.ContainsFunc(inputs, func(b dag.Binding) bool { return b.Port == port })
	})
}

// OutsideOf digests them, once in a run.
func OutsideOf(f *content.Digests, hash content.Hashing, s dag.Stage, inputs []dag.Binding) ([]Outside, error) {
	return Digest(f, hash, OutsideFiles(s, inputs))
}

// Digest digests files that a stage reads beside its inputs.
func Digest(f *content.Digests, hash content.Hashing, files []content.Code) ([]Outside, error) {
	var all []Outside
	for _, c := range files {
		digest, err := f.Code(hash, c.Paths, c.Except)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		all = append(all, Outside{c, digest})
	}
	return all, nil
}
