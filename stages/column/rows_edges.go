package column

// An EdgeTestRow is the test of one edge over participants.
type EdgeTestRow struct {
	Source       int32   `column:"source" doc:"node number"`
	Target       int32   `column:"target" doc:"node number"`
	SourceName   string  `column:"source_name,missing" doc:"name of the node"`
	TargetName   string  `column:"target_name,missing" doc:"name of the node"`
	Statistic    float64 `column:"statistic,missing" doc:"t, or F of several groups; missing for an edge that is missing in a participant, or does not vary"`
	Estimate     float64 `column:"estimate,missing" doc:"difference between the groups, slope or change, adjusted for the covariates, in units of the edges (Fisher z); missing of several groups"`
	EstimateLow  float64 `column:"estimate_low,missing" doc:"lower end of its 95 % interval (Student's t)"`
	EstimateHigh float64 `column:"estimate_high,missing" doc:"upper end"`
	Effect       float64 `column:"effect,missing" doc:"standardized effect size, which the summary's column effect names"`
	EffectLow    float64 `column:"effect_low,missing" doc:"lower end of its 95 % interval, for this edge alone"`
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
}

// An EdgeSummaryRow states what was tested, and what came out.
type EdgeSummaryRow struct {
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
