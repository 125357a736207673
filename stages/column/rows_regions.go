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
	Score          float64     `column:"score,missing" doc:"ranking criterion (parameter reading): mean_score or contrast"`
	SD             float64     `column:"sd,missing,optional" doc:"standard deviation of the score over participants (n−1)"`
	Low            float64     `column:"ci_low,missing,optional" doc:"95% interval of the score over participants (bootstrap within groups; models held fixed)"`
	High           float64     `column:"ci_high,missing,optional"`
	RankLow        int32       `column:"rank_low,optional" doc:"95% interval of the rank over the same bootstrap samples"`
	RankHigh       int32       `column:"rank_high,optional"`
	TopShare       float64     `column:"top_share,optional" doc:"share of bootstrap samples in which the region is among the top regions (parameter top)"`
	Best           int32       `column:"model_best,optional" doc:"best rank in a single model, over its test participants"`
	Worst          int32       `column:"model_worst,optional" doc:"worst rank in a single model"`
	Frequency      float64     `column:"frequency,missing,optional" doc:"share of a participant's test graphs in which the layer kept the region, mean over participants"`
	Participants   int32       `column:"participants,optional" doc:"participants with a score of the region"`
	Mean           float64     `column:"mean_score,missing,optional" doc:"the mean over participants of their means over test graphs"`
	Contrast       float64     `column:"contrast,missing,optional" doc:"largest difference between two groups' mean scores over the sd within groups, in a model's test participants; mean over models"`
	ContrastChance float64     `column:"contrast_chance,missing,optional" doc:"mean of the same over permuted labels of the test participants"`
	ContrastHigh   float64     `column:"contrast_chance_95,missing,optional" doc:"95th percentile of the contrast under the null hypothesis: over models retrained on permuted labels where these are connected, else over permuted labels of the test participants"`
	P              float64     `column:"p,missing,optional" doc:"p of the contrast: test labels permuted in each fold, models not retrained; with sites, for scores minus the mean of their site; for K folds, K/k times the k-th smallest p, where k is a majority"`
	Q              float64     `column:"q,missing,optional" doc:"p corrected for the number of regions: false discovery rate (Benjamini and Hochberg)"`
	PAny           float64     `column:"p_any,missing,optional" doc:"family-wise p: any region has as large a contrast by chance (Westfall and Young in each fold, combined as p)"`
	Least          float64     `column:"p_least,missing,optional" doc:"smallest p that the permutations can give"`
	Planted        *bool       `column:"planted,optional" doc:"whether the region has a planted edge (simulated data)"`
}

// A NullRow is one region against trainings with permuted labels (biomarkers).
type NullRow struct {
	Coords       []dag.Coord `column:"*"`
	Index        int32       `column:"index" doc:"node number"`
	Name         string      `column:"name"`
	Abbreviation string      `column:"abbreviation"`
	Observed     float64     `column:"observed,missing" doc:"with the true labels: the contrast, or the mean score relative to the other regions, (s − mean)/sd"`
	Mean         float64     `column:"chance_mean,missing" doc:"mean of the same over trainings with permuted labels"`
	SD           float64     `column:"chance_sd,missing" doc:"its standard deviation (n−1)"`
	Excess       float64     `column:"excess,missing" doc:"(observed − chance_mean)/chance_sd; missing where all permutations are equal"`
	P            float64     `column:"p,missing" doc:"share of permutations with at least this value, (b+1)/(n+1)"`
	Q            float64     `column:"q,missing" doc:"p corrected for the number of regions: false discovery rate (Benjamini and Hochberg)"`
	PAny         float64     `column:"p_any,missing" doc:"family-wise p: any region is as far beyond its own chance level (Westfall and Young)"`
	Permutations int32       `column:"permutations" doc:"trainings with permuted labels"`
	Planted      *bool       `column:"planted" doc:"whether the region has a planted edge (simulated data)"`
}

// A ConsistencyRow measures how far several rankings of one setting agree (biomarkers).
type ConsistencyRow struct {
	Coords        []dag.Coord `column:"*"`
	Over          string      `column:"over" doc:"the unit of each ranking: single models (folds and repeats), repeats, seeds, draws, participants"`
	Rankings      int32       `column:"rankings" doc:"number of rankings compared"`
	K             int32       `column:"k" doc:"number of top regions compared"`
	Common        float64     `column:"common,missing" doc:"shared regions among the top k of two rankings; mean over pairs"`
	CommonChance  float64     `column:"common_chance,missing" doc:"the same for random rankings: k²/N"`
	Every         int32       `column:"every" doc:"regions among the top k of every ranking"`
	EveryChance   float64     `column:"every_chance,missing" doc:"the same for random rankings"`
	Jaccard       float64     `column:"jaccard,missing" doc:"shared regions divided by those in either ranking"`
	JaccardChance float64     `column:"jaccard_chance,missing" doc:"the same for random rankings"`
	Kuncheva      float64     `column:"kuncheva,missing" doc:"Kuncheva's index: 0 by chance, 1 for the same regions"`
	Spearman      float64     `column:"spearman,missing" doc:"rank correlation of all regions; 0 by chance"`
	Kendall       float64     `column:"kendall,missing" doc:"Kendall's τ_b of all regions; 0 by chance"`
	P             float64     `column:"p,missing" doc:"probability that random rankings share at least as many"`
}

// An IndividualRow is one region of one participant (biomarkers).
type IndividualRow struct {
	Coords      []dag.Coord `column:"*"`
	Participant string      `column:"participant_id"`
	Group       string      `column:"group"`
	Index       int32       `column:"index" doc:"node number"`
	Score       float64     `column:"score,missing" doc:"mean score over the participant's test graphs"`
	Frequency   float64     `column:"frequency" doc:"share of the participant's test graphs in which the layer kept the region"`
}

// An IndividualityRow tells how much of the scores of one setting is a participant's own (individuality).
type IndividualityRow struct {
	Coords          []dag.Coord `column:"*"`
	Setting         string      `column:"setting" doc:"for people"`
	Lambda2         float64     `column:"lambda2,missing" doc:"weight of the group-level consistency loss"`
	Participants    int32       `column:"participants" doc:"tested"`
	Draws           int32       `column:"draws" doc:"of each"`
	Individual      float64     `column:"individual,missing" doc:"share of the score variance between participants of a group, region by region; the rest is common to the group. Noise of the draws is in neither"`
	IndividualLow   float64     `column:"individual_low,missing" doc:"95% interval (jackknife over participants, models held fixed)"`
	IndividualHigh  float64     `column:"individual_high,missing"`
	IndividualLeast float64     `column:"individual_least,missing" doc:"smallest value of a single model"`
	IndividualMost  float64     `column:"individual_most,missing" doc:"largest value of a single model"`
	K               int32       `column:"k" doc:"number of top regions compared"`
	Jaccard         float64     `column:"jaccard,missing" doc:"regions among the top k of both of two participants of a group, divided by those in either; mean over pairs"`
	JaccardLow      float64     `column:"jaccard_low,missing" doc:"95% interval (jackknife over participants)"`
	JaccardHigh     float64     `column:"jaccard_high,missing"`
	JaccardGroups   float64     `column:"jaccard_groups,missing" doc:"the same for two participants of different groups"`
	JaccardChance   float64     `column:"jaccard_chance,missing" doc:"the same for random rankings"`
	SDCommon        float64     `column:"sd_common,missing" doc:"variance of the region scores common to a group"`
	SDIndividual    float64     `column:"sd_individual,missing" doc:"variance between participants, region by region"`
	SDDraw          float64     `column:"sd_draw,missing" doc:"variance between the draws of a participant"`
}

// A FidelityRow is the effect of masking the first k regions on the predictions of one setting (fidelity).
type FidelityRow struct {
	Coords         []dag.Coord `column:"*"`
	Action         string      `column:"action" doc:"remove: the top k regions are removed; keep: all other regions are removed"`
	K              int32       `column:"k"`
	Participants   int32       `column:"participants" doc:"test participants of at least one model"`
	Drop           float64     `column:"drop,missing" doc:"decrease of the probability of the predicted group from the whole graph to the masked one; mean over participants"`
	RandomDrop     float64     `column:"random_drop,missing" doc:"the same with k regions at random: regions exchange their places in the ranking, in all graphs alike"`
	RandomSD       float64     `column:"random_sd,missing" doc:"its SD over the random selections (n−1)"`
	P              float64     `column:"p,missing" doc:"share of random selections with at least this decrease (remove), or at most this decrease (keep), (b+1)/(n+1)"`
	Changed        float64     `column:"changed,missing" doc:"share of predictions that change"`
	RandomChanged  float64     `column:"random_changed,missing" doc:"with random regions"`
	Accuracy       float64     `column:"accuracy,missing" doc:"accuracy per participant on masked graphs, by the mean probability over the graphs of a participant; mean over the models"`
	RandomAccuracy float64     `column:"random_accuracy,missing" doc:"with random regions"`
	WholeAccuracy  float64     `column:"accuracy_whole,missing" doc:"accuracy on whole graphs, likewise"`
	Choices        int32       `column:"choices,optional" doc:"random selections of k regions"`
	Graphs         []string    `column:"graphs,optional" doc:"the graphs of each participant that are masked: graph 1 of 10"`
}
