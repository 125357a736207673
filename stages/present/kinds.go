package present

import "prgnn/dag"

// Kinds are the stage kinds of this topic.
var Kinds = []dag.Kind{
	brainmapKind,
	figureConfusionKind,
	figureConnectivityKind,
	figureDegreesKind,
	figureDistributionsKind,
	figureIndividualityKind,
	figureIndividualsKind,
	figureROCKind,
	figureRankingKind,
	figureTrainingKind,
	reportKind,
	summaryKind,
	tablesKind,
}
