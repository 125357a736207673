// Package stagetest helps to test stages: it runs them on made-up inputs.
package stagetest

import (
	"slices"

	"prgnn/dag"
)

var kinds []dag.Kind

// Use makes the kinds of some topics known to Fresh, New and Lookup.
func Use(topics ...[]dag.Kind) { kinds = append(kinds, slices.Concat(topics...)...) }

// Lookup finds a kind that Use made known.
func Lookup(name string) (*dag.Kind, bool) {
	i := slices.IndexFunc(kinds, func(k dag.Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, false
	}
	return &kinds[i], true
}
