package column

// A ValidationRow is one measure of how trained models predict the groups of another cohort.
type ValidationRow struct {
	Measure string  `column:"measure" doc:"accuracy, balanced_accuracy, auc, sensitivity, specificity, ppv, npv, brier, brier_scaled, miscalibration, discrimination, in_the_large, intercept, slope, calibration_p; with the ending _recalibrated, of probabilities that the recalibration of the model files gives"`
	Value   float64 `column:"value,missing" doc:"missing where it cannot be estimated"`
	Low     float64 `column:"low,missing" doc:"of its 95% interval"`
	High    float64 `column:"high,missing"`
	N       int32   `column:"n" doc:"participants that it is computed from"`

	Training     float64 `column:"training,missing,optional" doc:"cross-validated in the training study, as recorded in the model file"`
	TrainingLow  float64 `column:"training_low,missing,optional" doc:"of its 95% interval"`
	TrainingHigh float64 `column:"training_high,missing,optional"`
}

// A ValidationShiftRow compares the participants of a validation with those of the training in one variable.
type ValidationShiftRow struct {
	Name       string  `column:"variable" doc:"age, sex, mean_fd: columns of the participants, and the motion"`
	Category   string  `column:"category" doc:"of a variable with categories"`
	Training   float64 `column:"training" doc:"mean, or share of the category, over the training participants"`
	TrainingSD float64 `column:"training_sd,missing"`
	Low        float64 `column:"training_low,missing" doc:"mean of the five lowest values in training"`
	High       float64 `column:"training_high,missing" doc:"mean of the five highest values in training"`
	New        float64 `column:"new" doc:"mean, or share, over the participants"`
	NewSD      float64 `column:"new_sd,missing"`
	Difference float64 `column:"difference,missing" doc:"standardized: difference of the means over the root of the mean variance; missing where both variances are 0"`
	Outside    float64 `column:"outside,missing" doc:"share of the participants below training_low or above training_high"`
	N          int32   `column:"n" doc:"participants with a value"`
}

// A ValidationSummaryRow states what was validated on whom.
type ValidationSummaryRow struct {
	Groups        []string `column:"groups" doc:"in the order of the models"`
	Counts        []int32  `column:"counts" doc:"participants of each group"`
	Assigned      []int32  `column:"assigned,optional" doc:"participants of each group that were assigned to each group: those of the first group first, in the order of groups"`
	Positive      string   `column:"positive" doc:"group whose sensitivity and probabilities are given; empty for more than two groups"`
	Assumed       bool     `column:"assumed" doc:"the positive group was not named, and neither or both are named like controls"`
	Threshold     float64  `column:"threshold,missing" doc:"above this probability of the positive group it is predicted"`
	Calibrated    bool     `column:"calibrated" doc:"false: the models give decision values, so that probabilities are not assessed"`
	Models        int32    `column:"models"`
	Participants  int32    `column:"participants"`
	Trained       int32    `column:"trained" doc:"different participants in the training of the models"`
	TrainingShare float64  `column:"training_share,missing" doc:"share of the positive group in training"`
	ShiftInputs   int32    `column:"shift_inputs" doc:"inputs of the models of matrices that were compared with those of the training; 0: none"`
	ShiftMedian   float64  `column:"shift_median,missing" doc:"absolute standardized mean difference of an input between training and new participants: median"`
	ShiftHigh     float64  `column:"shift_high,missing" doc:"its 95th percentile"`
	Separated     bool     `column:"separated" doc:"the probabilities separate the groups, so that there is no calibration slope"`
	HeldOutT      float64  `column:"held_out_t,missing,optional" doc:"Student's t over the participants of a difference of distances: from the median of the models to the one least certain of the correct group, minus that to the most certain one. It is about 0 for new participants and large for training participants, because each of these is new to only one or a few models; missing for fewer than 3 models or 10 participants, and for more than two groups"`
	HeldOutP      float64  `column:"held_out_p,missing,optional" doc:"its p, one-sided for a larger t"`
}

// A ValidationBinRow compares probabilities with outcomes, in bins of equal size.
type ValidationBinRow struct {
	Bin   int32   `column:"bin"`
	N     int32   `column:"n"`
	Mean  float64 `column:"mean" doc:"predicted probability of the positive group"`
	Share float64 `column:"share" doc:"share of the positive group"`
	Low   float64 `column:"low" doc:"of the 95% interval (Wilson) of the share"`
	High  float64 `column:"high"`
}
