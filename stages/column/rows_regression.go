package column

import (
	"math"

	"prgnn/dag"
)

// A RegressionFoldRow holds the measures of one fold of one setting (evaluate-regression).
type RegressionFoldRow struct {
	Coords     []dag.Coord `column:"*"`
	Name       string      `column:"name" doc:"display name of the model"`
	Classifier string      `column:"classifier,optional" doc:"its kind: pr-gnn, svr, mean …; empty for a program of yours that states none"`
	Repeat     int32       `column:"repeat"`
	Fold       int32       `column:"fold"`
	N          int32       `column:"n" doc:"participants tested"`
	R          float64     `column:"r,missing" doc:"Pearson's correlation of predicted and observed values; none where either is constant, or with fewer than three participants"`
	R2         float64     `column:"r2,missing" doc:"R² about the mean of the test participants; none with fewer than three, or a constant target"`
	R2Trained  float64     `column:"r2_training,missing" doc:"R² about the mean of the training participants"`
	MAE        float64     `column:"mae" doc:"mean absolute error, in units of the target"`
}

// A RegressionRow holds the measures of one setting, means over its folds (evaluate-regression).
type RegressionRow struct {
	Coords       []dag.Coord `column:"*"`
	Name         string      `column:"name" doc:"display name of the model"`
	Classifier   string      `column:"classifier,optional" doc:"its kind: pr-gnn, svr, mean …; empty for a program of yours that states none"`
	Folds        int32       `column:"folds" doc:"folds of all repeats"`
	RFolds       int32       `column:"r_folds,optional" doc:"where some folds have no r and no R², with fewer than three test participants or a constant target: folds that have them, over which they are means"`
	Participants int32       `column:"participants" doc:"distinct participants tested"`
	R            float64     `column:"r,missing" doc:"Pearson's correlation of predicted and observed values, mean over the folds; a fold with constant predictions counts as 0; none where all folds have such"`
	Constant     int32       `column:"constant_folds" doc:"folds in which the model predicts the same number for all participants"`
	RLow         float64     `column:"r_low,missing" doc:"95% confidence interval of the expected r of models trained on as many participants as the models of each fold (Fisher's z, corrected for overlapping training sets)"`
	RHigh        float64     `column:"r_high,missing"`
	RWithin      float64     `column:"r_within,missing,optional" doc:"r after the means of each site are subtracted from predicted and observed values, mean over the folds; missing where no fold tests several sites"`
	RSD          float64     `column:"r_sd,missing" doc:"standard deviation of r over the folds (n−1)"`
	R2           float64     `column:"r2,missing" doc:"R² about the mean of the test participants, mean over the folds"`
	R2Low        float64     `column:"r2_low,missing" doc:"95% confidence interval of r2 (scale of log(1 − R²), corrected likewise)"`
	R2High       float64     `column:"r2_high,missing"`
	R2Trained    float64     `column:"r2_training,missing" doc:"R² about the mean of the training participants, mean over the folds"`
	MAE          float64     `column:"mae" doc:"mean absolute error, in units of the target, mean over the folds"`
	MAELow       float64     `column:"mae_low,missing" doc:"95% confidence interval of mae (logarithmic scale, corrected likewise)"`
	MAEHigh      float64     `column:"mae_high,missing"`
	Test         string      `column:"test,optional" doc:"test of p: retrained: models retrained on permuted targets; per fold: target of the test participants permuted in each fold, models not retrained, of K folds K/k times the k-th smallest p, k being a majority (conservative); empty: none"`
	P            float64     `column:"p,missing" doc:"p of r: share of permutations of the target with at least this r, (b+1)/(n+1); of the first repeat"`
	MAEP         float64     `column:"mae_p,missing" doc:"p of the mean absolute error, likewise: with at most this error"`
	TestFolds    int32       `column:"test_folds,optional" doc:"with several repeats: folds of the first one, which p is of, while the other measures are of all folds"`
	TestR        float64     `column:"test_r,missing,optional" doc:"with several repeats: r of the first one, which p is of"`
	TestMAE      float64     `column:"test_mae,missing,optional" doc:"its mean absolute error, which mae_p is of"`
	Permutations int32       `column:"permutations" doc:"number of permutations; per fold: of each fold, if all arrangements of its targets are more (exact_folds)"`
	Exact        int32       `column:"exact_folds,optional" doc:"test per fold: folds in which p is of all arrangements of the test targets, each made once"`
	Least        float64     `column:"p_least,missing" doc:"smallest p that these permutations can give: few targets may differ within folds and sites"`
}

// LacksFolds reports whether r and R² are means over fewer than all folds, which a table without the column does not.
func (r RegressionRow) LacksFolds() bool {
	return r.RFolds < r.Folds && (r.RFolds > 0 || math.IsNaN(r.R2))
}

// A NumberPermutationTestRow compares one measure of one setting with permuted numbers (permutation-regression).
type NumberPermutationTestRow struct {
	Coords       []dag.Coord `column:"*"`
	Name         string      `column:"name,optional" doc:"display name of the model"`
	Measure      string      `column:"measure" doc:"r, r2 (about the mean of the test participants), mae; of participants, means over the folds"`
	Observed     float64     `column:"observed,missing" doc:"with the true numbers (permutation 0)"`
	Mean         float64     `column:"chance_mean,missing" doc:"mean over the permutations; no r in any fold counts as 0"`
	SD           float64     `column:"chance_sd,missing,optional" doc:"standard deviation over the permutations (n−1)"`
	Quantile95   float64     `column:"chance_95,missing" doc:"95th percentile of the permutations; of mae the 5th"`
	Permutations int32       `column:"permutations" doc:"0 not among them"`
	P            float64     `column:"p,missing" doc:"share of permutations that do at least as well, (b+1)/(n+1)"`
}

// A NumberPermutationRow holds the measures of one permutation of one setting (permutation-regression).
type NumberPermutationRow struct {
	Coords      []dag.Coord `column:"*"`
	Name        string      `column:"name" doc:"display name of the model"`
	Permutation int32       `column:"permutation" doc:"0: the true numbers"`
	R           float64     `column:"r,missing" doc:"Pearson's correlation, mean over the folds, as in evaluate-regression"`
	R2          float64     `column:"r2,missing" doc:"R² about the mean of the test participants, mean over the folds"`
	MAE         float64     `column:"mae" doc:"mean absolute error, mean over the folds"`
}

// A NumberCovariateRow tells how one covariate goes with a number to predict (covariates).
type NumberCovariateRow struct {
	Name         string  `column:"covariate"`
	Kind         string  `column:"kind" doc:"number or category"`
	N            int32   `column:"n" doc:"participants with a value"`
	Missing      int32   `column:"missing" doc:"participants without a value"`
	R            float64 `column:"r,missing" doc:"Pearson's correlation of the covariate with the target; of a category the correlation ratio η, the square root of the share of the target's variance that lies between the categories; none of a covariate that does not vary"`
	Within       float64 `column:"within,missing,optional" doc:"r after the means of the sites are subtracted (for a category, only from the target); p tests it if the target is permuted within sites; otherwise missing, and p tests r"`
	P            float64 `column:"p,missing" doc:"share of permutations of the target with at least the magnitude of within, or of r where within is missing, (b+1)/(n+1); missing where no permutation within sites changes r"`
	Q            float64 `column:"q,missing" doc:"p, corrected for the number of different covariates (Benjamini and Hochberg)"`
	Permutations int32   `column:"permutations" doc:"of the target"`

	Sites []string  `column:"sites,optional" doc:"sites (values of within) where the covariate was tested alone; not those whose participants cannot give p < 0.05"`
	SiteR []float64 `column:"site_r,optional" doc:"r or η at each of these sites"`
	SiteP []float64 `column:"site_p,optional" doc:"its p, corrected for all tests of a covariate at a site (Holm)"`
}
