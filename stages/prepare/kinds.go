package prepare

import "prgnn/dag"

// Kinds are the stage kinds of this topic.
var Kinds = []dag.Kind{
	bootstrapKind,
	combatKind,
	connectivityKind,
	denoiseKind,
	graphKind,
	harmonizeKind,
	joinKind,
	matricesKind,
	meanVolumeKind,
	parcellateKind,
	timeseriesKind,
}
