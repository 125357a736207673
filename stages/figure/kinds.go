package figure

import "prgnn/dag"

// Kinds are the stage kinds of this room.
var Kinds = []dag.Kind{
	kindBrainMap,
	kindConfusion,
	kindConnectivity,
	kindDegrees,
	kindDistributions,
	kindIndividuality,
	kindIndividuals,
	kindROC,
	kindRanking,
	kindTraining,
}
