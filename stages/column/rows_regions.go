package column

import "prgnn/dag"

// A RankingRow is one region in the ranking of one setting (biomarkers). A ranking by another program needs
// only rank, index, abbreviation and score.
type RankingRow struct {
	Coords         []dag.Coord `column:"*"`
	Rank           int32       `column:"rank" doc:"1 is the most salient"`
	Index          int32       `column:"index" doc:"node number"`
	ID             int32       `column:"id,optional" doc:"value in the label image"`
	Name           string      `column:"name,optional"`
	Abbreviation   string      `column:"abbreviation"`
	Score          float64     `column:"score,missing" doc:"what the regions are ranked by (parameter reading): mean_score or contrast"`
	SD             float64     `column:"sd,missing,optional" doc:"standard deviation of the pooling score over participants (n−1)"`
	Low            float64     `column:"ci_low,missing,optional" doc:"95 % interval of the score over participants (bootstrap within the groups; the models are held as they are)"`
	High           float64     `column:"ci_high,missing,optional"`
	RankLow        int32       `column:"rank_low,optional" doc:"95 % interval of the rank over the same resamples"`
	RankHigh       int32       `column:"rank_high,optional"`
	TopShare       float64     `column:"top_share,optional" doc:"share of the resamples in which the region is among the first (parameter top)"`
	Best           int32       `column:"model_best,optional" doc:"best rank that a single model gives it, over the participants whom the model was tested on"`
	Worst          int32       `column:"model_worst,optional" doc:"worst such rank"`
	Frequency      float64     `column:"frequency,missing,optional" doc:"share of a participant's test graphs in which the layer kept the region, the mean over participants"`
	Participants   int32       `column:"participants,optional" doc:"participants who have a score of the region"`
	Mean           float64     `column:"mean_score,missing,optional" doc:"pooling score: the mean over participants of their means over test graphs"`
	Contrast       float64     `column:"contrast,missing,optional" doc:"largest difference between two groups' mean scores over the sd within groups, in a model's test participants; mean over models"`
	ContrastChance float64     `column:"contrast_chance,missing,optional" doc:"mean of the same over permuted groups"`
	ContrastHigh   float64     `column:"contrast_chance_95,missing,optional" doc:"95th percentile of the contrast under the null hypothesis: over models retrained on permuted groups where these are connected, else over permuted groups of the test participants"`
	P              float64     `column:"p,missing,optional" doc:"of the contrast, over permutations of the participants whom the models have not seen"`
	Q              float64     `column:"q,missing,optional" doc:"p corrected for the number of regions: false discovery rate (Benjamini and Hochberg)"`
	PAny           float64     `column:"p_any,missing,optional" doc:"that any region has as large a contrast by chance (Westfall and Young)"`
	Planted        *bool       `column:"planted,optional" doc:"whether the region has a planted edge, where the truth is known"`
}

// A NullRow is one region against trainings with permuted groups (biomarkers).
type NullRow struct {
	Coords       []dag.Coord `column:"*"`
	Index        int32       `column:"index" doc:"node number"`
	Name         string      `column:"name"`
	Abbreviation string      `column:"abbreviation"`
	Observed     float64     `column:"observed,missing" doc:"of the trainings with the groups as they are: the contrast, or the mean score relative to the other regions, (s − mean)/sd"`
	Mean         float64     `column:"chance_mean,missing" doc:"mean of the same over trainings with permuted groups"`
	SD           float64     `column:"chance_sd,missing" doc:"its standard deviation (n−1)"`
	Excess       float64     `column:"excess,missing" doc:"(observed − chance_mean)/chance_sd"`
	P            float64     `column:"p,missing" doc:"share of permutations that give the region at least as much, (b+1)/(n+1)"`
	Q            float64     `column:"q,missing" doc:"p corrected for the number of regions: false discovery rate (Benjamini and Hochberg)"`
	PAny         float64     `column:"p_any,missing" doc:"that any region lies as far beyond its own chance (Westfall and Young)"`
	Permutations int32       `column:"permutations" doc:"trainings with permuted groups"`
	Planted      *bool       `column:"planted" doc:"whether the region has a planted edge, where the truth is known"`
}

// A ConsistencyRow measures how far several rankings of one setting agree (biomarkers).
type ConsistencyRow struct {
	Coords        []dag.Coord `column:"*"`
	Over          string      `column:"over" doc:"what the rankings are of: single models (folds and repeats), repeats, seeds, draws, participants"`
	Rankings      int32       `column:"rankings" doc:"how many are compared"`
	K             int32       `column:"k" doc:"how many of the first regions are compared"`
	Common        float64     `column:"common,missing" doc:"of the first k regions of two rankings, those in common; mean over pairs"`
	CommonChance  float64     `column:"common_chance,missing" doc:"the same of rankings in random order: k²/N"`
	Every         int32       `column:"every" doc:"regions among the first k of every ranking"`
	EveryChance   float64     `column:"every_chance,missing" doc:"the same of rankings in random order"`
	Jaccard       float64     `column:"jaccard,missing" doc:"in common, of those in either"`
	JaccardChance float64     `column:"jaccard_chance,missing" doc:"the same of rankings in random order"`
	Kuncheva      float64     `column:"kuncheva,missing" doc:"Kuncheva's index: 0 by chance, 1 for the same regions"`
	Spearman      float64     `column:"spearman,missing" doc:"rank correlation of all regions; 0 by chance"`
	Kendall       float64     `column:"kendall,missing" doc:"Kendall's τ_b of all regions; 0 by chance"`
	P             float64     `column:"p,missing" doc:"chance that rankings in random order have as much in common"`
}

// An IndividualRow is one region of one participant (biomarkers).
type IndividualRow struct {
	Coords      []dag.Coord `column:"*"`
	Participant string      `column:"participant_id"`
	Group       string      `column:"group"`
	Index       int32       `column:"index" doc:"node number"`
	Score       float64     `column:"score,missing" doc:"mean pooling score over the participant's test graphs"`
	Frequency   float64     `column:"frequency" doc:"share of the participant's test graphs in which the layer kept the region"`
}

// An IndividualityRow tells how much of the scores of one setting is a participant's own (individuality).
type IndividualityRow struct {
	Coords          []dag.Coord `column:"*"`
	Setting         string      `column:"setting" doc:"for people"`
	Lambda2         float64     `column:"lambda2,missing" doc:"weight of the group-level consistency loss"`
	Participants    int32       `column:"participants" doc:"tested"`
	Draws           int32       `column:"draws" doc:"of each"`
	Individual      float64     `column:"individual,missing" doc:"share of the variance of scores that lies between people of a group, region by region; the rest is common to the group. Noise of the draws is in neither"`
	IndividualLow   float64     `column:"individual_low,missing" doc:"95 % interval (jackknife over people, the models held as they are)"`
	IndividualHigh  float64     `column:"individual_high,missing"`
	IndividualLeast float64     `column:"individual_least,missing" doc:"least of a single model"`
	IndividualMost  float64     `column:"individual_most,missing" doc:"most of a single model"`
	K               int32       `column:"k" doc:"first regions that are compared"`
	Jaccard         float64     `column:"jaccard,missing" doc:"regions among the first k of both of two people of a group, of those in either; mean over pairs"`
	JaccardLow      float64     `column:"jaccard_low,missing" doc:"95 % interval (jackknife over people)"`
	JaccardHigh     float64     `column:"jaccard_high,missing"`
	JaccardGroups   float64     `column:"jaccard_groups,missing" doc:"the same of two people of different groups"`
	JaccardChance   float64     `column:"jaccard_chance,missing" doc:"the same of rankings in random order"`
	SDCommon        float64     `column:"sd_common,missing" doc:"of the regions' scores that a group has in common"`
	SDIndividual    float64     `column:"sd_individual,missing" doc:"of a person's own, region by region"`
	SDDraw          float64     `column:"sd_draw,missing" doc:"of a person's draws"`
}

// A FidelityRow is the effect of masking the first k regions on the predictions of one setting (fidelity).
type FidelityRow struct {
	Coords         []dag.Coord `column:"*"`
	Action         string      `column:"action" doc:"remove: the first k regions are taken out; keep: all others are"`
	K              int32       `column:"k"`
	Participants   int32       `column:"participants" doc:"whom at least one model was not trained on"`
	Drop           float64     `column:"drop,missing" doc:"how much less probable the answer on the whole graph is on the masked one; mean over participants"`
	RandomDrop     float64     `column:"random_drop,missing" doc:"the same with as many regions at random"`
	RandomSD       float64     `column:"random_sd,missing" doc:"its sd over the random choices (n−1)"`
	P              float64     `column:"p,missing" doc:"share of random choices that lower it as much (remove), or as little (keep), (b+1)/(n+1)"`
	Changed        float64     `column:"changed,missing" doc:"share of answers that change"`
	RandomChanged  float64     `column:"random_changed,missing" doc:"with random regions"`
	Accuracy       float64     `column:"accuracy,missing" doc:"accuracy on masked graphs, mean over the models"`
	RandomAccuracy float64     `column:"random_accuracy,missing" doc:"with random regions"`
	WholeAccuracy  float64     `column:"accuracy_whole,missing" doc:"accuracy on whole graphs, likewise"`
	Choices        int32       `column:"choices,optional" doc:"random choices of k regions"`
}
