package present

import "prgnn/dag"

// Kinds are the stage kinds of this topic.
var Kinds = []dag.Kind{
	reportKind,
	summaryKind,
	tablesKind,
}
