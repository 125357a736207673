package learn

import "prgnn/dag"

// Kinds are the stage kinds of this topic.
var Kinds = []dag.Kind{
	baselineKind,
	chooseKind,
	permutationKind,
	predictKind,
	splitKind,
	trainKind,
}
