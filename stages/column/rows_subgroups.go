package column

import "prgnn/dag"

// An AnySubgroupRow is read from tables of subgroups and of subgroups-regression.
type AnySubgroupRow struct {
	SubgroupRow
	NumberMeasures
}

// PositiveMeta is where a table of subgroups has the positive group.
const PositiveMeta = "positive"

// A SubgroupRow is how a classifier does in one group of participants (kind subgroups).
type SubgroupRow struct {
	Coords      []dag.Coord `column:"*"`
	Name        string      `column:"name" doc:"display name of the classifier"`
	Column      string      `column:"column" doc:"column of the participants"`
	Group       string      `column:"group" doc:"value, or band of a number; missing: participants without a value"`
	From        float64     `column:"from,missing" doc:"smallest value of a band of a number"`
	To          float64     `column:"to,missing" doc:"largest value"`
	Suppressed  string      `column:"suppressed,missing" doc:"<10: fewer than 10 participants; complementary: the next smallest group, since the size of the group with <10 would follow by subtraction"`
	N           float64     `column:"n,missing" doc:"tested participants"`
	Positive    float64     `column:"positive,missing,optional" doc:"of the positive group"`
	Accuracy    float64     `column:"accuracy,missing,optional" doc:"share of correct predictions; the mean over repeats"`
	Low         float64     `column:"accuracy_low,missing,optional" doc:"95% interval, given the models: Wilson"`
	High        float64     `column:"accuracy_high,missing,optional"`
	AUC         float64     `column:"auc,missing,optional" doc:"of pairs in the group and one fold; missing with fewer than 5 participants of either class, as sensitivity and specificity"`
	AUCLow      float64     `column:"auc_low,missing,optional" doc:"95% interval, given the models: Newcombe's method 5"`
	AUCHigh     float64     `column:"auc_high,missing,optional"`
	Sensitivity float64     `column:"sensitivity,missing,optional"`
	SensLow     float64     `column:"sensitivity_low,missing,optional" doc:"95% interval: Wilson"`
	SensHigh    float64     `column:"sensitivity_high,missing,optional"`
	Specificity float64     `column:"specificity,missing,optional"`
	SpecLow     float64     `column:"specificity_low,missing,optional" doc:"95% interval: Wilson"`
	SpecHigh    float64     `column:"specificity_high,missing,optional"`
	Score       float64     `column:"mean_score,missing,optional" doc:"mean predicted probability of the positive group; missing for decision values (svm, linear-svm, ridge, kernel-ridge), as Brier score and calibration"`
	Brier       float64     `column:"brier,missing,optional" doc:"mean of (probability − outcome)²"`
	BrierLow    float64     `column:"brier_low,missing,optional" doc:"95% interval, on the logit scale"`
	BrierHigh   float64     `column:"brier_high,missing,optional"`
	Large       float64     `column:"observed_less_predicted,missing,optional" doc:"share of the positive group less the mean probability"`
	LargeLow    float64     `column:"observed_less_predicted_low,missing,optional" doc:"95% interval of a mean (Student's t)"`
	LargeHigh   float64     `column:"observed_less_predicted_high,missing,optional"`
	Intercept   float64     `column:"intercept,missing,optional" doc:"of logit P(positive) = intercept + slope · log odds (Cox); missing with fewer than 10 participants of either class"`
	InterLow    float64     `column:"intercept_low,missing,optional"`
	InterHigh   float64     `column:"intercept_high,missing,optional"`
	Slope       float64     `column:"slope,missing,optional"`
	SlopeLow    float64     `column:"slope_low,missing,optional"`
	SlopeHigh   float64     `column:"slope_high,missing,optional"`
}

// A NumberSubgroupRow is how predictions of a number do in one group of participants (kind subgroups-regression).
type NumberSubgroupRow struct {
	Coords     []dag.Coord `column:"*"`
	Name       string      `column:"name" doc:"display name of the model"`
	Column     string      `column:"column" doc:"column of the participants"`
	Group      string      `column:"group" doc:"value, or band of a number; missing: participants without a value"`
	From       float64     `column:"from,missing" doc:"smallest value of a band of a number"`
	To         float64     `column:"to,missing" doc:"largest value"`
	Suppressed string      `column:"suppressed,missing" doc:"as in subgroups"`
	N          float64     `column:"n,missing" doc:"tested participants"`
	NumberMeasures
}

// NumberMeasures are those of a NumberSubgroupRow.
type NumberMeasures struct {
	Mean      float64 `column:"mean,missing,optional" doc:"of the number"`
	SD        float64 `column:"sd,missing,optional" doc:"of the number (n − 1)"`
	R         float64 `column:"r,missing,optional" doc:"within-fold r: correlation of predicted and observed numbers over the participants of all folds, after their means over the test participants of a fold are subtracted; missing where either is constant"`
	RLow      float64 `column:"r_low,missing,optional" doc:"95% interval, given the models: Fisher's z"`
	RHigh     float64 `column:"r_high,missing,optional"`
	MAE       float64 `column:"mae,missing,optional" doc:"mean absolute error; the mean over repeats"`
	MAELow    float64 `column:"mae_low,missing,optional" doc:"95% interval of a mean, given the models (Student's t)"`
	MAEHigh   float64 `column:"mae_high,missing,optional"`
	Error     float64 `column:"mean_error,missing,optional" doc:"mean of predicted − observed: bias in the group"`
	ErrorLow  float64 `column:"mean_error_low,missing,optional" doc:"95% interval of a mean, given the models (Student's t)"`
	ErrorHigh float64 `column:"mean_error_high,missing,optional"`
}

// A NumberSubgroupTestRow compares one measure between the groups of a column.
type NumberSubgroupTestRow struct {
	Coords       []dag.Coord `column:"*"`
	Name         string      `column:"name" doc:"display name of the model"`
	Column       string      `column:"column" doc:"column of the participants"`
	Measure      string      `column:"measure" doc:"r, mae or mean_error"`
	Groups       int32       `column:"groups" doc:"that have the measure; of these, the two that differ most, in standard errors, are compared"`
	High         string      `column:"group_high" doc:"of the two, the group whose value exceeds the one expected from its sites by more"`
	Low          string      `column:"group_low" doc:"the other group"`
	Difference   float64     `column:"difference,missing" doc:"value of group_high minus that of group_low"`
	Expected     float64     `column:"expected,missing" doc:"the part of the difference that the sites alone give: the difference of the measure over all participants, each weighted by the share of the group at its site, r without the effects of the groups; p tests difference minus this"`
	DiffLow      float64     `column:"difference_low,missing" doc:"95% interval of this pair alone, from the intervals of both (Zou and Donner 2008)"`
	DiffHigh     float64     `column:"difference_high,missing"`
	P            float64     `column:"p,missing" doc:"share of permutations of the groups within site in which the largest difference between two groups, minus the expected one, in standard errors, is at least as large; for r, after the effects of the groups are subtracted from both numbers"`
	Holm         float64     `column:"p_holm,missing" doc:"corrected for all comparisons: of all models, columns and measures"`
	Permutations int32       `column:"permutations"`
	Related      bool        `column:"related" doc:"as in subgroups"`
}

// A SubgroupTestRow compares one measure between the groups of a column. It is read from tables of
// subgroups-regression, too.
type SubgroupTestRow struct {
	Coords       []dag.Coord `column:"*"`
	Name         string      `column:"name" doc:"display name of the classifier"`
	Column       string      `column:"column" doc:"column of the participants"`
	Measure      string      `column:"measure" doc:"accuracy, auc, sensitivity or specificity"`
	Groups       int32       `column:"groups" doc:"that have the measure; of these, the two that differ most are compared"`
	High         string      `column:"group_high,missing" doc:"the group whose value most exceeds the one expected from its classes and sites"`
	Low          string      `column:"group_low,missing" doc:"the group whose value is farthest below the expected one"`
	Difference   float64     `column:"difference,missing" doc:"value of group_high minus that of group_low"`
	Expected     float64     `column:"expected,missing,optional" doc:"the part of the difference that classes and sites alone give: the difference of the measure over all participants, each weighted by the share of the group in its class at its site; p tests difference minus this"`
	DiffLow      float64     `column:"difference_low,missing" doc:"95% interval of this pair alone, from the intervals of both (Newcombe 1998; Zou and Donner 2008)"`
	DiffHigh     float64     `column:"difference_high,missing"`
	P            float64     `column:"p,missing" doc:"share of permutations of the groups within class and site in which the largest difference between two groups, minus the expected one, is at least as large; for the AUC, after the effects of the groups are subtracted from the scores"`
	Holm         float64     `column:"p_holm,missing" doc:"corrected for all comparisons: of all classifiers, columns and measures"`
	Chi          float64     `column:"chi_square,missing,optional" doc:"of accuracy: heterogeneity over all groups (Pearson), against what classes and sites alone give"`
	ChiP         float64     `column:"p_chi_square,missing,optional" doc:"by the same permutations, not corrected"`
	Detectable   float64     `column:"detectable,missing,optional" doc:"smallest difference of the two groups that the test finds with a power of 80% at a level of 0.05 divided by the number of comparisons, as for the smallest p in Holm's correction; not of the AUC"`
	Permutations int32       `column:"permutations"`
	Related      bool        `column:"related" doc:"the folds keep participants together, such as relatives; intervals and p take them as independent"`
}
