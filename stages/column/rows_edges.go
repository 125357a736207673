package column

import "prgnn/dag"

// An EdgeTestRow is the test of one edge over participants.
type EdgeTestRow struct {
	Source       int32   `column:"source" doc:"node number"`
	Target       int32   `column:"target" doc:"node number"`
	SourceName   string  `column:"source_name,missing" doc:"name of the node"`
	TargetName   string  `column:"target_name,missing" doc:"name of the node"`
	Statistic    float64 `column:"statistic,missing" doc:"t, or F of several groups; missing for an edge that is missing in a participant, or does not vary"`
	Estimate     float64 `column:"estimate,missing" doc:"difference between the groups, slope or change, adjusted for the covariates, in units of the edges (Fisher z); missing of several groups"`
	EstimateLow  float64 `column:"estimate_low,missing" doc:"lower end of its 95% interval (Student's t)"`
	EstimateHigh float64 `column:"estimate_high,missing" doc:"upper end"`
	Effect       float64 `column:"effect,missing" doc:"standardized effect size, which the summary's column effect names"`
	EffectLow    float64 `column:"effect_low,missing" doc:"lower end of its 95% interval, for this edge alone"`
	EffectHigh   float64 `column:"effect_high,missing" doc:"upper end"`
	P            float64 `column:"p,missing" doc:"two-sided, parametric, uncorrected"`
	Q            float64 `column:"q,missing" doc:"false discovery rate of p over the edges (Benjamini and Hochberg)"`
	PPermutation float64 `column:"p_permutation,missing" doc:"two-sided, by permutation, uncorrected"`
	QPermutation float64 `column:"q_permutation,missing" doc:"false discovery rate of p_permutation"`
	PMax         float64 `column:"p_max,missing" doc:"by the largest statistic of all edges in each permutation: family-wise error over the edges"`
	TFNBS        float64 `column:"tfnbs,missing" doc:"threshold-free network-based statistic, with the sign of t"`
	PTFNBS       float64 `column:"p_tfnbs,missing" doc:"by its largest magnitude in each permutation"`
	Component    int32   `column:"component" doc:"connected component of edges above the tested threshold; 0: none"`
	Significant  bool    `column:"significant" doc:"p or q of the correction of the file is below 0.05; with nbs: the edge's component is significant, and nothing is claimed of the edge itself"`
}

// A RegionTestRow has the tests of edges aggregated to a region.
type RegionTestRow struct {
	Rank        int32   `column:"rank" doc:"by the score; equal ones in the order of the nodes"`
	Index       int32   `column:"index" doc:"node number"`
	Name        string  `column:"name,missing" doc:"name of the node"`
	Score       float64 `column:"score,missing" doc:"mean of |t| (for several groups, of √F) over the tested edges of the region"`
	Edges       int32   `column:"edges" doc:"tested edges of the region"`
	Significant int32   `column:"significant" doc:"significant edges among them by the correction of the file"`
	PMax        float64 `column:"p_max,missing" doc:"of the score, by the largest score of all regions in each permutation: family-wise error over the regions"`
}

// A ComponentRow is a connected component of edges above a threshold.
type ComponentRow struct {
	Threshold   float64 `column:"threshold" doc:"of |t|, t, −t or F"`
	Tested      bool    `column:"tested" doc:"the first threshold, whose p is the test; others are descriptive"`
	Component   int32   `column:"component" doc:"number, in the order of the first node"`
	Edges       int32   `column:"edges" doc:"size: number of edges"`
	Intensity   float64 `column:"intensity" doc:"sum over the edges of the statistic above the threshold"`
	Nodes       []int32 `column:"nodes" doc:"nodes of the component"`
	P           float64 `column:"p" doc:"of its size, by the largest component of each permutation: family-wise error over the components"`
	PIntensity  float64 `column:"p_intensity" doc:"of its intensity"`
	Significant bool    `column:"significant" doc:"tested, and p of the measure of the file is below 0.05"`
}

// An EdgeNullRow is what one permutation gave.
type EdgeNullRow struct {
	Permutation int32   `column:"permutation" doc:"from 1; its index set follows from the seed"`
	Largest     float64 `column:"largest" doc:"largest |t| or F"`
	Edges       int32   `column:"edges" doc:"size of the largest component above the tested threshold"`
	Intensity   float64 `column:"intensity" doc:"largest intensity of a component"`
	TFNBS       float64 `column:"tfnbs" doc:"largest magnitude of TFNBS"`
	Region      float64 `column:"region,missing,optional" doc:"largest score of a region"`
}

// An EdgeSummaryRow states what was tested, and what came out.
type EdgeSummaryRow struct {
	Related bool // relatives were permuted as independent participants, as the notes of the pipeline state
	Pooled  any  // groups whose participants the change is tested over together, as a finding of the table has them

	Test          string    `column:"test" doc:"the column that is tested, or session"`
	Design        string    `column:"design" doc:"groups (two), several groups, number, or change (two sessions)"`
	Statistic     string    `column:"statistic" doc:"t or F"`
	Effect        string    `column:"effect" doc:"standardized effect size: d, partial r or partial eta squared"`
	Groups        []string  `column:"groups" doc:"groups, or the two sessions; t is above 0 where the last one of two is larger"`
	Counts        []int32   `column:"counts" doc:"participants of each group"`
	Sessions      []string  `column:"sessions" doc:"the two sessions whose change is tested"`
	Covariates    []string  `column:"covariates"`
	Dropped       []string  `column:"dropped" doc:"columns of the design that are linear combinations of others"`
	Participants  int32     `column:"participants"`
	Left          []string  `column:"left_out" doc:"participants without a covariate or a session"`
	Degrees       int32     `column:"degrees" doc:"degrees of freedom of the residuals"`
	Edges         int32     `column:"edges" doc:"edges that were tested"`
	MissingEdges  int32     `column:"missing_edges" doc:"edges that a participant lacks: not tested"`
	ConstantEdges int32     `column:"constant_edges" doc:"edges that do not vary, or that the covariates explain: not tested"`
	LackedRegions []int32   `column:"lacked_regions" doc:"nodes without a signal in a participant"`
	Within        string    `column:"within,missing" doc:"column within whose values residuals are permuted"`
	Family        string    `column:"family,missing" doc:"column of families, which are exchanged as wholes"`
	VarianceRatio float64   `column:"variance_ratio,missing" doc:"residual variance of the block (of 5 participants or more) with the largest over that with the smallest; mean over edges"`
	Permutations  int32     `column:"permutations"`
	Correction    string    `column:"correction" doc:"the test: max-t, bh, bh-permutation, nbs or tfnbs"`
	Size          string    `column:"size" doc:"measure of components: edges or intensity"`
	Tail          string    `column:"tail" doc:"of components"`
	Threshold     float64   `column:"threshold" doc:"of components: the tested one"`
	Thresholds    []float64 `column:"thresholds" doc:"all of them"`
	Significant   int32     `column:"significant" doc:"significant edges by the correction; with nbs edges of significant components"`
	Components    int32     `column:"components" doc:"significant components at the tested threshold"`
	LeastP        float64   `column:"least_p,missing" doc:"smallest p or q of the correction"`
}

// A ReliabilityRow states how reliable connectivity is over sessions.
type ReliabilityRow struct {
	Participants int32    `column:"participants" doc:"with all sessions"`
	Left         []string `column:"left_out" doc:"participants without one of the sessions"`
	Sessions     []string `column:"sessions"`
	ICC          string   `column:"icc" doc:"agreement, ICC(2,1), or consistency, ICC(3,1)"`
	Edges        int32    `column:"edges" doc:"edges that all participants have in all sessions, and that vary"`
	Median       float64  `column:"median,missing" doc:"median ICC of the edges; missing with fewer than 10 participants"`
	Fair         float64  `column:"share_fair,missing" doc:"share of the edges with an ICC above 0.4"`
	Regions      float64  `column:"median_regions,missing" doc:"median ICC of the regions, of the mean of their edges"`
	Identified   float64  `column:"identified,missing" doc:"share of the scans whose most similar scan of another session is of the same participant; mean over the pairs of sessions and both directions"`
	P            float64  `column:"p,missing" doc:"largest p of a pair of sessions, by permuted identities"`
	Permutations int32    `column:"permutations"`
	Differential float64  `column:"idiff,missing" doc:"differential identifiability: 100 times the mean similarity of the scans of a participant minus that with the scans of others; mean over pairs of sessions"`
	Within       string   `column:"within,missing" doc:"column within whose values identities are permuted, and halves are balanced"`
}

// OneScan is the metadata by which reliability lists the participants of whom two sessions are one scan, by their
// connectivity: a JSON list of texts.
const OneScan = "one_scan"

// A SessionPairRow is the identification of participants between two sessions.
type SessionPairRow struct {
	First        string  `column:"first" doc:"session"`
	Second       string  `column:"second" doc:"session"`
	Participants int32   `column:"participants"`
	Forward      float64 `column:"forward" doc:"share of the scans of the first session whose most similar scan of the second session is of the same participant; a tie does not count"`
	Back         float64 `column:"back" doc:"the same from the second session to the first"`
	Identified   float64 `column:"identified" doc:"mean of both"`
	Chance       float64 `column:"chance" doc:"expected for permuted identities"`
	P            float64 `column:"p" doc:"of identified, by permuted identities"`
	Self         float64 `column:"self" doc:"mean similarity (Pearson over the edges) of the two scans of a participant"`
	Others       float64 `column:"others" doc:"mean similarity with scans of other participants"`
	Differential float64 `column:"idiff" doc:"100 times their difference"`
	MotionFirst  float64 `column:"motion_first,missing" doc:"mean framewise displacement in the first session, mm"`
	MotionSecond float64 `column:"motion_second,missing" doc:"in the second session"`
}

// A SessionComponentsRow is the identification of scans that are reconstructed from some of their principal components.
type SessionComponentsRow struct {
	First        string  `column:"first" doc:"session"`
	Second       string  `column:"second" doc:"session"`
	Components   int32   `column:"components" doc:"leading principal components of the scans of both sessions"`
	Explained    float64 `column:"explained" doc:"share of the variance over the edges"`
	Identified   float64 `column:"identified" doc:"share of the scans that are identified, mean of both directions"`
	Self         float64 `column:"self,missing" doc:"mean similarity of the two scans of a participant"`
	Others       float64 `column:"others,missing" doc:"mean similarity with scans of other participants"`
	Differential float64 `column:"idiff,missing" doc:"100 times their difference; the largest value is selected on the same scans and is not a result"`
}

// An EdgeReliabilityRow is the reliability of one edge.
type EdgeReliabilityRow struct {
	Source     int32   `column:"source" doc:"node number"`
	Target     int32   `column:"target" doc:"node number"`
	SourceName string  `column:"source_name,missing" doc:"name of the node"`
	TargetName string  `column:"target_name,missing" doc:"name of the node"`
	ICC        float64 `column:"icc,missing" doc:"over the sessions; missing with fewer than 10 participants, and for an edge that someone lacks"`
	Low        float64 `column:"icc_low,missing" doc:"lower end of the 95% interval of ICC(2,1) (McGraw and Wong 1996)"`
	High       float64 `column:"icc_high,missing" doc:"upper end"`
	Replicated float64 `column:"replicated,missing" doc:"share of the halves of the participants in which the edge is among the top ones by the group difference or association"`
}

// A RegionReliabilityRow is the reliability of one region.
type RegionReliabilityRow struct {
	Index      int32   `column:"index" doc:"node number"`
	Name       string  `column:"name,missing" doc:"name of the node"`
	ICC        float64 `column:"icc,missing" doc:"of the mean of its edges, over the sessions"`
	Low        float64 `column:"icc_low,missing" doc:"lower end of the 95% interval of ICC(2,1)"`
	High       float64 `column:"icc_high,missing" doc:"upper end"`
	Edges      float64 `column:"median_edges,missing" doc:"median ICC of its edges"`
	Replicated float64 `column:"replicated,missing" doc:"share of the halves of the participants in which the region is among the top ones"`
}

// A ReplicationRow states how far maps of two halves of the participants agree.
type ReplicationRow struct {
	Of           string  `column:"of" doc:"edges, or regions (mean magnitude of the statistic over the edges of a region)"`
	Statistic    string  `column:"statistic" doc:"t (Welch) of the groups, of more than two the pair with the largest |t| of each edge; or r with a number: its magnitude in each half"`
	Groups       int32   `column:"groups,optional" doc:"number of groups; 0 with a number"`
	Tested       string  `column:"tested" doc:"the column of the groups or the number"`
	Participants int32   `column:"participants" doc:"of both halves"`
	Halves       int32   `column:"halves" doc:"how many times the participants were halved"`
	Values       int32   `column:"values" doc:"edges that all participants have, or regions that have such an edge"`
	K            int32   `column:"k" doc:"number of top values that are compared"`
	Spearman     float64 `column:"spearman,missing" doc:"mean over the halves; 0 by chance"`
	SpearmanLow  float64 `column:"spearman_low,missing" doc:"2.5% quantile over the halves"`
	SpearmanHigh float64 `column:"spearman_high,missing" doc:"97.5% quantile"`
	Full         float64 `column:"full,missing" doc:"approximate Spearman's correlation for all participants, by the Spearman–Brown formula"`
	Dice         float64 `column:"dice,missing" doc:"share of the top k that both halves have in common, mean over the halves"`
	DiceLow      float64 `column:"dice_low,missing" doc:"2.5% quantile over the halves"`
	DiceHigh     float64 `column:"dice_high,missing" doc:"97.5% quantile"`
	Chance       float64 `column:"dice_chance" doc:"expected for random orders: k of all values"`
}

// A WeightStabilityRow states how far the weights of regions agree between trainings of one setting.
type WeightStabilityRow struct {
	Coords    []dag.Coord `column:"*"`
	Setting   string      `column:"setting" doc:"for people"`
	Group     string      `column:"group,missing" doc:"the group for which the decision value is positive"`
	Of        string      `column:"of" doc:"weight: what the model uses; pattern: what covaries with its decision value (Haufe et al. 2014)"`
	Trainings int32       `column:"trainings" doc:"models: folds, repeats and seeds, which share training participants"`
	Regions   int32       `column:"regions"`
	ICC       float64     `column:"icc,missing" doc:"ICC(2,1) of regions over trainings"`
	Low       float64     `column:"icc_low,missing" doc:"lower end of its 95% interval, for independent trainings"`
	High      float64     `column:"icc_high,missing" doc:"upper end"`
	Spearman  float64     `column:"spearman,missing" doc:"mean over pairs of trainings"`
	K         int32       `column:"k" doc:"top regions that are compared"`
	Dice      float64     `column:"dice,missing" doc:"share of the top k that two trainings have in common, mean over pairs"`
	Chance    float64     `column:"dice_chance" doc:"expected for random orders"`
}
