package column

import (
	"math"
	"slices"

	"prgnn/dag"
)

// Retrained and PerFold are the tests against chance in the column test.
const Retrained, PerFold = "retrained", "per fold"

// A FoldRow holds the measures of one fold of one setting (evaluate).
type FoldRow struct {
	Coords      []dag.Coord `column:"*"`
	Name        string      `column:"name,optional" doc:"display name of the classifier"`
	Classifier  string      `column:"classifier,optional" doc:"its kind: pr-gnn, svm, majority …; empty for a program of yours that states none"`
	Repeat      int32       `column:"repeat"`
	Fold        int32       `column:"fold"`
	Level       string      `column:"level" doc:"graph: every graph counts; participant: mean probability over the graphs of a participant"`
	N           int32       `column:"n,optional" doc:"graphs or participants tested"`
	Accuracy    float64     `column:"accuracy,missing" doc:"share of correct predictions"`
	Balanced    float64     `column:"balanced_accuracy,missing,optional" doc:"mean over the groups of the share of correct predictions"`
	AUC         float64     `column:"auc,missing,optional" doc:"area under the ROC curve"`
	Sensitivity float64     `column:"sensitivity,missing,optional" doc:"share of the positive group predicted as positive"`
	Specificity float64     `column:"specificity,missing,optional" doc:"share of the other participants not predicted as positive"`
}

// An AccuracyRow holds the measures of one setting over its folds (evaluate).
type AccuracyRow struct {
	Coords       []dag.Coord `column:"*"`
	Name         string      `column:"name,optional" doc:"display name of the classifier"`
	Classifier   string      `column:"classifier,optional" doc:"its kind: pr-gnn, svm, majority …; empty for a program of yours that states none"`
	Level        string      `column:"level" doc:"graph: every graph counts; participant: mean probability over the graphs of a participant"`
	Folds        int32       `column:"folds" doc:"folds of all repeats"`
	Participants int32       `column:"participants" doc:"distinct participants tested"`
	Accuracy     float64     `column:"accuracy,missing" doc:"share of correct predictions, pooled over the folds"`
	Low          float64     `column:"ci_low,missing" doc:"95% confidence interval of the expected accuracy of models trained on as many participants as the models of each fold (Wilson, corrected for overlapping training sets)"`
	High         float64     `column:"ci_high,missing"`
	FoldMean     float64     `column:"fold_mean,missing" doc:"accuracy of each fold, mean over the folds, as in the paper's tables"`
	FoldSD       float64     `column:"fold_sd,missing" doc:"its standard deviation over the folds (n−1)"`
	Majority     float64     `column:"majority,missing" doc:"majority-class rate: share of the largest group among the tested participants"`
	Balanced     float64     `column:"balanced_accuracy,missing" doc:"mean over the folds"`
	BalancedLow  float64     `column:"balanced_accuracy_low,missing,optional" doc:"95% confidence interval, from those of the groups' shares (Zou and Donner)"`
	BalancedHigh float64     `column:"balanced_accuracy_high,missing,optional"`
	AUC          float64     `column:"auc,missing" doc:"mean over the folds"`
	AUCLow       float64     `column:"auc_low,missing,optional" doc:"95% confidence interval (Newcombe's method 5, corrected likewise); none for more than two groups without a positive one"`
	AUCHigh      float64     `column:"auc_high,missing,optional"`
	Sensitivity  float64     `column:"sensitivity,missing" doc:"mean over the folds"`
	SensLow      float64     `column:"sensitivity_low,missing,optional" doc:"95% confidence interval, as that of accuracy"`
	SensHigh     float64     `column:"sensitivity_high,missing,optional"`
	Specificity  float64     `column:"specificity,missing" doc:"mean over the folds"`
	SpecLow      float64     `column:"specificity_low,missing,optional" doc:"95% confidence interval, as that of accuracy"`
	SpecHigh     float64     `column:"specificity_high,missing,optional"`
	AUCFolds     int32       `column:"auc_folds,optional" doc:"where test folds lack a class: folds that have an AUC, over which it is the mean"`
	SensFolds    int32       `column:"sensitivity_folds,optional" doc:"folds that have a sensitivity, likewise"`
	SpecFolds    int32       `column:"specificity_folds,optional" doc:"folds that have a specificity, likewise"`
	Incomplete   int32       `column:"incomplete_folds,optional" doc:"of more than two groups: folds whose test participants lack a group, whose balanced accuracy and AUC are means over the others"`
	Brier        float64     `column:"brier,missing,optional" doc:"Brier score of the positive group's probability, mean over the participants of all folds; per participant only; missing for decision values (svm, linear-svm, ridge, kernel-ridge)"`
	BrierLow     float64     `column:"brier_low,missing,optional" doc:"95% confidence interval (logit scale, corrected likewise)"`
	BrierHigh    float64     `column:"brier_high,missing,optional"`
	Positive     string      `column:"positive" doc:"the positive group"`
	Test         string      `column:"test,optional" doc:"test of p: retrained: models retrained on permuted labels; per fold: test labels permuted in each fold, models not retrained, of K folds K/k times the k-th smallest p, k being a majority (conservative); empty: none"`
	P            float64     `column:"p,missing,optional" doc:"p of the accuracy: share of label permutations with at least this accuracy, (b+1)/(n+1); of the first repeat"`
	BalancedP    float64     `column:"balanced_p,missing,optional" doc:"p of the balanced accuracy, likewise"`
	AUCP         float64     `column:"auc_p,missing,optional" doc:"p of the AUC, likewise"`
	TestFolds    int32       `column:"test_folds,optional" doc:"with several repeats: folds that p is of, those of the first repeat, while the other measures are of all folds"`
	TestAccuracy float64     `column:"test_accuracy,missing,optional" doc:"with several repeats: accuracy of the first one, which p is of"`
	TestAUC      float64     `column:"test_auc,missing,optional" doc:"its AUC, which auc_p is of"`
	Permutations int32       `column:"permutations,optional" doc:"number of label permutations; per fold: of each fold, if all arrangements of its labels are more (exact_folds)"`
	Exact        int32       `column:"exact_folds,optional" doc:"test per fold: folds in which p is of all arrangements of the test labels, each made once"`
	Least        float64     `column:"p_least,missing,optional" doc:"smallest p that these permutations can give: few labels may differ within folds and sites"`
}

// LacksFolds reports whether the AUC, sensitivity or specificity is a mean over fewer than all folds, or no fold has an
// AUC: test participants of one class have none.
func (r AccuracyRow) LacksFolds() bool {
	if r.Folds == 0 || max(r.AUCFolds, r.SensFolds, r.SpecFolds) == 0 &&
		!math.IsNaN(r.AUC) { // a table without the columns
		return false
	}
	return r.AUCFolds < r.Folds || r.Positive != "n/a" && min(r.SensFolds, r.SpecFolds) < r.Folds
}

// A Tally is N of some predictions of participants, over all folds and repeats; of 0 where it is not known.
type Tally struct{ N, Of int }

// BelowHalf reports whether it is less than half; mean is the mean over the folds, for a tally that is not known.
func (t Tally) BelowHalf(mean float64) bool { return t.Of == 0 && mean < 0.5 || 2*t.N < t.Of }

// Correct counts the correct predictions of a setting for the positive group, and for the other one of two. The groups
// of a fold follow from n·accuracy = sensitivity·positive + specificity·(n − positive), unless sensitivity and
// specificity are equal there; then from the same fold of another setting.
func Correct(folds []FoldRow, setting []dag.Coord, groups int) (all [2]Tally) {
	type tested struct{ repeat, fold, n int32 }
	positives := map[tested]int{}
	for _, f := range folds {
		if of, known := f.positives(); known && f.Level == "participant" {
			positives[tested{f.Repeat, f.Fold, f.N}] = of
		}
	}
	for _, f := range folds {
		if f.Level != "participant" || !slices.Equal(f.Coords, setting) {
			continue
		}
		positive, known := f.positives()
		if !known {
			positive, known = positives[tested{f.Repeat, f.Fold, f.N}]
		}
		if groups != 2 || !known {
			return [2]Tally{}
		}
		for i, of := range [2]int{positive, int(f.N) - positive} {
			if of > 0 {
				share := [2]float64{f.Sensitivity, f.Specificity}[i]
				all[i] = Tally{all[i].N + int(math.Round(float64(share*float64(of)))), all[i].Of + of}
			}
		}
	}
	return all
}

// positives is how many participants of the fold are of the positive group, where it follows from the measures.
func (f FoldRow) positives() (n int, known bool) {
	of := float64(f.N) * (f.Accuracy - f.Specificity) / (f.Sensitivity - f.Specificity)
	switch {
	case math.IsNaN(f.Sensitivity):
		of = 0
	case math.IsNaN(f.Specificity):
		of = float64(f.N)
	}
	return int(math.Round(of)), math.Abs(of-math.Round(of)) < 1e-6
}

// A PairRow compares two settings (compare).
type PairRow struct {
	A             string  `column:"a" doc:"a setting, by its coordinates"`
	B             string  `column:"b" doc:"another one"`
	NameA         string  `column:"name_a,optional" doc:"display name of a"`
	NameB         string  `column:"name_b,optional" doc:"display name of b"`
	Participants  int32   `column:"participants,optional" doc:"tested by both"`
	AccuracyA     float64 `column:"accuracy_a" doc:"of a, per participant, pooled over folds, as in evaluate"`
	AccuracyB     float64 `column:"accuracy_b" doc:"of b"`
	Difference    float64 `column:"difference,optional" doc:"accuracy_a − accuracy_b"`
	OnlyA         int32   `column:"only_a" doc:"participants classified correctly only by a, pooled over the folds of one repeat"`
	OnlyB         int32   `column:"only_b" doc:"participants classified correctly only by b"`
	McNemarP      float64 `column:"mcnemar_p" doc:"exact two-sided p of McNemar's test: these models, as they were trained, are correct equally often; too small for a claim about the classifiers, since it ignores how models differ between training sets"`
	McNemarHolm   float64 `column:"mcnemar_holm" doc:"corrected for the number of pairs (Holm)"`
	McNemarRepeat int32   `column:"mcnemar_repeat,optional" doc:"with several repeats: the one that only_a, only_b and McNemar's test are of, the first that both have, while accuracies are over all repeats; 0: there is one"`
	Folds         int32   `column:"folds,optional" doc:"folds that both have, of all their common repeats, which t is of; 0 when the two have different folds"`
	T             float64 `column:"t,missing,optional" doc:"corrected resampled t of the difference in accuracy over the folds, folds − 1 degrees of freedom"`
	TP            float64 `column:"t_p,missing" doc:"its two-sided p"`
	THolm         float64 `column:"t_holm,missing,optional" doc:"corrected for the number of pairs (Holm)"`
}

// A CovariateRow tells how well one covariate alone tells the groups apart (covariates).
type CovariateRow struct {
	Name         string    `column:"covariate"`
	Kind         string    `column:"kind,optional" doc:"number or category"`
	N            int32     `column:"n" doc:"participants with a value"`
	Missing      int32     `column:"missing" doc:"participants without a value"`
	Groups       []string  `column:"groups,optional" doc:"by name; what follows is of each of them"`
	Means        []float64 `column:"means,optional" doc:"of a number"`
	SDs          []float64 `column:"sds,optional" doc:"of a number (n−1)"`
	Levels       []string  `column:"levels,optional" doc:"of a category"`
	Counts       []int32   `column:"counts,optional" doc:"participants with each level, group by group"`
	AUC          float64   `column:"auc,missing" doc:"area under the ROC curve of the covariate alone, in the direction in which it is larger; 0.5: no discrimination"`
	Within       float64   `column:"within,missing,optional" doc:"AUC over pairs of participants of one site; p tests it if labels are permuted within sites; otherwise missing, and p tests auc"`
	Chance       float64   `column:"chance,missing" doc:"mean over permuted labels of the AUC that p tests; missing where no permutation within sites changes it"`
	P            float64   `column:"p,missing" doc:"share of permutations with at least this within, or auc where within is missing, (b+1)/(n+1); missing where no permutation within sites changes the AUC"`
	Q            float64   `column:"q,missing" doc:"p, corrected for the number of different covariates (Benjamini and Hochberg)"`
	Permutations int32     `column:"permutations,optional" doc:"number of label permutations"`
	Sites        []string  `column:"sites,optional" doc:"sites (values of within) where the covariate was tested alone; not those whose participants cannot give p < 0.05"`
	SiteAUC      []float64 `column:"site_auc,optional" doc:"AUC of the covariate alone at each of these sites"`
	SiteP        []float64 `column:"site_p,optional" doc:"its p, corrected for all tests of a covariate at a site (Holm)"`
}

// TestedWithin is what p tests, of a value over all participants and that within sites, and whether it is the latter.
func TestedWithin(all, within float64) (tested float64, is bool) {
	if math.IsNaN(within) {
		return all, false
	}
	return within, true
}

// A PermutationTestRow compares one measure of one setting with permuted groups (permutation).
type PermutationTestRow struct {
	Coords       []dag.Coord `column:"*"`
	Name         string      `column:"name,optional" doc:"display name of the classifier"`
	Measure      string      `column:"measure" doc:"accuracy (pooled over the folds), balanced_accuracy, auc (means over the folds); of participants"`
	Observed     float64     `column:"observed,missing" doc:"with the true labels (permutation 0)"`
	Mean         float64     `column:"chance_mean,missing" doc:"mean over the permutations"`
	SD           float64     `column:"chance_sd,missing,optional" doc:"standard deviation over the permutations (n−1)"`
	Quantile95   float64     `column:"chance_95,missing" doc:"95th percentile of the permutations"`
	Permutations int32       `column:"permutations" doc:"0 not among them"`
	P            float64     `column:"p,missing" doc:"share of permutations that do at least as well, (b+1)/(n+1)"`
}

// A PermutationRow holds the measures of one permutation of one setting (permutation).
type PermutationRow struct {
	Coords      []dag.Coord `column:"*"`
	Name        string      `column:"name" doc:"display name of the classifier"`
	Permutation int32       `column:"permutation" doc:"0: the true labels"`
	Accuracy    float64     `column:"accuracy,missing" doc:"of participants, pooled over the folds"`
	Balanced    float64     `column:"balanced_accuracy,missing" doc:"of participants, the mean over the folds"`
	AUC         float64     `column:"auc,missing" doc:"of participants, the mean over the folds"`
}
