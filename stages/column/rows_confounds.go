package column

// A ConfounderRow has the confounder tests of one classifier and one covariate (kind confounds).
type ConfounderRow struct {
	Setting      string  `column:"setting,optional" doc:"the classifier, by its coordinates"`
	Name         string  `column:"name" doc:"the classifier"`
	Model        string  `column:"model,optional" doc:"its kind, as in baseline or regression"`
	Covariate    string  `column:"covariate"`
	Participants int32   `column:"participants" doc:"with a prediction and a value"`
	Association  float64 `column:"association,missing" doc:"R² of the covariate and the predictions"`
	Chance       float64 `column:"chance,missing" doc:"95% quantile of that R² over permutations of the covariate, given the label"`
	Partial      float64 `column:"p_partial,missing" doc:"partial test: predictions are independent of the covariate given the label"`
	PartialHolm  float64 `column:"p_partial_holm,missing" doc:"corrected for all partial and full tests of the table (Holm)"`
	Prediction   float64 `column:"prediction,missing" doc:"mean over the folds of the AUC, or of r for a number to predict; missing without the full test"`
	FullChance   float64 `column:"chance_full,missing" doc:"95% quantile of the same over permutations of the label, given the covariate, with models retrained on each"`
	Full         float64 `column:"p_full,missing" doc:"full test: predictions are independent of the label given the covariate; missing where models are not retrained (given)"`
	FullHolm     float64 `column:"p_full_holm,missing" doc:"corrected for all partial and full tests of the table (Holm)"`
	FullLeast    float64 `column:"p_full_least,missing" doc:"smallest p_full that these permutations can give"`
	FullDraws    int32   `column:"full_permutations" doc:"of the label; 0 without the full test"`
	Detectable   float64 `column:"detectable,missing" doc:"R² that the partial test finds with a power of about 80%; missing where the covariate is constant within folds, which leaves no partial test"`
	Permutations int32   `column:"permutations" doc:"of the covariate"`
	Why          string  `column:"why,missing" doc:"the reason of missing p_partial"`
}

// A ConfoundModelRow is ridge regression with one kind of features.
type ConfoundModelRow struct {
	Features     string  `column:"features" doc:"edges, covariates, edges and covariates, or deconfounded edges"`
	Sample       string  `column:"sample" doc:"all; matched: trained and tested on matched participants; matched test: trained on all, tested on matched ones"`
	Participants int32   `column:"participants" doc:"tested"`
	Score        float64 `column:"score,missing" doc:"mean over the folds of the AUC, or of r for a number to predict"`
	Low          float64 `column:"score_low,missing" doc:"95% interval: bootstrap of participants with the whole cross-validation repeated"`
	High         float64 `column:"score_high,missing"`
}

// A ConfoundSummaryRow states what the edges add to the covariates.
type ConfoundSummaryRow struct {
	Covariates   []string `column:"covariates"`
	Measure      string   `column:"measure" doc:"AUC, or r"`
	Positive     string   `column:"positive,missing" doc:"of two groups, the positive one"`
	Participants int32    `column:"participants"`
	Left         []string `column:"left_out" doc:"participants without a covariate"`
	Edges        int32    `column:"edges" doc:"that all participants have"`
	Alone        float64  `column:"covariates_score,missing" doc:"of the covariates alone"`
	Both         float64  `column:"both_score,missing" doc:"of edges and covariates"`
	Increment    float64  `column:"increment,missing" doc:"score of edges and covariates less that of the covariates alone"`
	Low          float64  `column:"increment_low,missing" doc:"95% interval, as of the scores"`
	High         float64  `column:"increment_high,missing"`
	Removal      float64  `column:"removal,missing" doc:"score of the edges without what the covariates explain less that of the edges"`
	RemovalLow   float64  `column:"removal_low,missing" doc:"95% interval of this difference, over the same resamples"`
	RemovalHigh  float64  `column:"removal_high,missing"`
	P            float64  `column:"p,missing" doc:"residuals of the edges permuted within folds and sites, models retrained; missing where these leave the labels fewer than 21 arrangements"`
	Within       string   `column:"within,missing,optional" doc:"the column of the sites; missing where there is one site"`
	Permutations int32    `column:"permutations"`
	Resamples    int32    `column:"resamples"`
	Pairs        int32    `column:"pairs,missing" doc:"matched pairs; −1 where none were asked for"`
	Match        []string `column:"match" doc:"matched covariates, the nearest first"`
}

// Chance is the score of a model without information: 0.5 for AUC, 0 for r.
func (r ConfoundSummaryRow) Chance() float64 {
	if r.Measure == "AUC" {
		return 0.5
	}
	return 0
}

// Gains reports whether the interval of what edges add lies above 0, and above what the covariates alone lack to the
// score of chance: cross-validation of few participants can give these a score below it.
func (r ConfoundSummaryRow) Gains() bool { return r.Low > max(0, r.Chance()-r.Alone) }

// ConstantWithin is why a covariate has no partial test (ConfounderRow.Why).
const ConstantWithin = "constant within folds"

// Why a covariate has no standardized difference.
const (
	EqualInAll    = "equal in all"
	EqualInGroups = "equal in each group"
)

// A ConfoundMatchRow is one covariate before and after matching.
type ConfoundMatchRow struct {
	Covariate string  `column:"covariate" doc:"NAME=LEVEL of a category"`
	Before    float64 `column:"before,missing" doc:"standardized difference of the means of the two groups; missing where neither group varies"`
	After     float64 `column:"after,missing" doc:"of the matched pairs; below 0.1 is wanted"`
	BeforeWhy string  `column:"before_why,missing,optional" doc:"why there is no difference before: the covariate is equal in all, or equal in each group only"`
	AfterWhy  string  `column:"after_why,missing,optional" doc:"likewise after"`
}
