package assess

import "prgnn/dag"

// Kinds are the stage kinds of this topic.
var Kinds = []dag.Kind{
	biomarkersKind,
	compareKind,
	covariatesKind,
	evaluateKind,
	fidelityKind,
	individualityKind,
	leakageKind,
	saliencyKind,
}
