package column

import (
	"math"

	"prgnn/dag"
)

// A UniverseRow is one universe of a multiverse: a combination of the options of all decisions.
type UniverseRow struct {
	Coords   []dag.Coord `column:"*"`
	Universe string      `column:"universe" doc:"DECISION=OPTION for each decision, by the names of the decisions"`
	Name     string      `column:"name" doc:"display name of the classifier"`
	Order    int32       `column:"order" doc:"place in the curve, from 1, by rising effect"`
	Effect   float64     `column:"effect" doc:"AUC less 0.5, or accuracy less the majority-class rate"`
	Measure  float64     `column:"measure" doc:"the AUC, mean over the folds, or the accuracy"`
	Low      float64     `column:"effect_low,missing" doc:"95% confidence interval of the effect, as in evaluate"`
	High     float64     `column:"effect_high,missing"`
	P        float64     `column:"p,missing" doc:"of this universe alone, retrained on permuted labels; not corrected for the number of universes; missing where there is no joint test"`
	Z        float64     `column:"z" doc:"normal quantile of the mid-rank of the effect among its permutations"`
	Weight   float64     `column:"weight" doc:"of this universe in the joint statistics; 0 for one that repeats another"`
	NullLow  float64     `column:"null_low,missing" doc:"2.5th percentile, over the permutations, of the effect at this place of the sorted curve"`
	NullHigh float64     `column:"null_high,missing" doc:"97.5th percentile"`
	SameAs   string      `column:"same_as,missing" doc:"an earlier universe with the same predictions, which counts for both"`
	Headline bool        `column:"headline" doc:"the universe that the file states as the headline"`
}

// HasInterval reports whether its effect has an interval, which the mean AUC of several groups has not.
func (r UniverseRow) HasInterval() bool { return !math.IsNaN(r.Low) }

// A UniverseRegionRow is one region in the rankings of all universes.
type UniverseRegionRow struct {
	Index     int32   `column:"index" doc:"node, from 1"`
	Share     float64 `column:"share" doc:"share of the universes in which the region is among the top"`
	Chance    float64 `column:"chance" doc:"the same of a random ranking: top over the number of regions"`
	Rank      float64 `column:"rank" doc:"median rank over the universes, 1 the first"`
	Top       int32   `column:"top" doc:"number of regions that count as found"`
	Universes int32   `column:"universes" doc:"with different predictions, and a pattern of each region"`
}

// A JointRow is one statistic of all universes together.
type JointRow struct {
	Statistic    string  `column:"statistic" doc:"median: weighted median of the effects; share: weight of the universes with p < 0.05; stouffer: weighted sum of z over the root of the sum of squared weights, only a scale; best: the largest effect"`
	Value        float64 `column:"value,missing" doc:"missing for share without a joint test"`
	NullMedian   float64 `column:"null_median,missing" doc:"median of the statistic over the permutations"`
	P            float64 `column:"p,missing" doc:"share of the label permutations, the same in every universe, with at least this value, (b+1)/(m+1); of best: corrected for choosing the universe; missing where no p could be below 0.05: there is no joint test"`
	Least        float64 `column:"p_least,missing,optional" doc:"smallest p that the permutations can give: few labels may differ within folds and sites"`
	Test         bool    `column:"test" doc:"the statistic that the file sets as the test"`
	Universes    int32   `column:"universes" doc:"with different predictions"`
	Repeated     int32   `column:"repeated" doc:"universes with the predictions of another"`
	Positive     int32   `column:"positive" doc:"universes with an effect above 0"`
	Significant  int32   `column:"significant" doc:"universes with p < 0.05; share has their weight"`
	By           string  `column:"by,missing" doc:"the decision whose options have the same total weight each; missing: universes have equal weights"`
	Permutations int32   `column:"permutations"`
	Effect       string  `column:"effect" doc:"auc or accuracy"`
}

// An OptionRow is one option of a decision.
type OptionRow struct {
	Decision   string  `column:"decision"`
	Option     string  `column:"option"`
	Universes  int32   `column:"universes" doc:"with this option; those that repeat another are among them"`
	Weight     float64 `column:"weight" doc:"of these universes together in the joint statistics"`
	Median     float64 `column:"median" doc:"median of their effects"`
	Share      float64 `column:"share,missing" doc:"share of them with p < 0.05; missing where there is no joint test"`
	Explained  float64 `column:"explained,missing" doc:"share of the variance of the effects that the decision explains alone (R²)"`
	ExplainedP float64 `column:"explained_p,missing" doc:"share of the label permutations, and the actual labels, with at least this share of the variance; missing where there is no joint test"`
	Balanced   bool    `column:"balanced" doc:"each combination of options has as many universes; if not, the shares of the decisions overlap"`
}
