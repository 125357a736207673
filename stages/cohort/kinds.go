package cohort

import "prgnn/dag"

// Kinds are the stage kinds of this topic.
var Kinds = []dag.Kind{
	simulateKind,
}

// Sources are the cohort kinds: what stands under `cohort:` in a pipeline file.
var Sources = []Source{
	bidsCohortKind,
	matricesCohortKind,
	simulateCohortKind,
	tableCohortKind,
	timeseriesCohortKind,
}
