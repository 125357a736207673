// Package layer makes one tree from the layers of a pipeline file, before anything in it is understood: it reads the
// file and those that it extends, merges them, puts values of --set over them, and takes out the stages that are left
// out. It prints the tree, and compares the settings of an earlier run with it.
package layer

import (
	"slices"

	"prgnn/internal/lists"
	"prgnn/pipelines/tree"
)

// FileKeys are the keys of a pipeline file, which no variable may be called:
// --set seed=7 must mean one thing.
var FileKeys = []string{"extends", "pipeline", "seed", "vars", "cohort", "connect", "decisions", "study", "stages"}

// StageKeys are the keys of a stage.
var StageKeys = []string{"use", "in", "with", "each", "matrix", "resources"}

// CohortKeys stand beside the kind under cohort:, whatever the kind is.
var CohortKeys = []string{"exclude", "limit"}

// CohortKinds are the keys under cohort: that name a kind, or try to.
func CohortKinds(t *tree.Node) []tree.Key {
	kinds := lists.Keep(t.Keys, func(k tree.Key) bool { return !slices.Contains(CohortKeys, k.Name) })
	return kinds
}
