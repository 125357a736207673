package column

import "prgnn/dag"

// A SubsetRow is a model trained on a part of the training participants of a fold (output curve of baseline).
type SubsetRow struct {
	Model    string  `column:"model"`
	Repeat   int32   `column:"repeat"`
	Fold     int32   `column:"fold"`
	Order    int32   `column:"order" doc:"order of the training participants, from 1; the parts of one order lie in each other"`
	Share    float64 `column:"share" doc:"of the training participants of each group"`
	Trained  int32   `column:"trained" doc:"participants trained on"`
	Whole    int32   `column:"whole" doc:"training participants of the fold"`
	Tested   int32   `column:"tested" doc:"test participants, the same for all parts"`
	Smallest int32   `column:"smallest" doc:"of these, participants of the smallest group"`
	Accuracy float64 `column:"accuracy,missing"`
	AUC      float64 `column:"auc,missing"`
	Before   bool    `column:"fitted_before" doc:"the inputs were fitted to all training participants of the fold, as by harmonize"`
	Why      string  `column:"why,missing" doc:"why the model cannot be trained on this part"`
}

// A NumberSubsetRow is the same for a model of a number (output curve of regression).
type NumberSubsetRow struct {
	Model   string  `column:"model"`
	Repeat  int32   `column:"repeat"`
	Fold    int32   `column:"fold"`
	Order   int32   `column:"order" doc:"order of the training participants, from 1; the parts of one order lie in each other"`
	Share   float64 `column:"share" doc:"of the training participants"`
	Trained int32   `column:"trained" doc:"participants trained on"`
	Whole   int32   `column:"whole" doc:"training participants of the fold"`
	Tested  int32   `column:"tested" doc:"test participants, the same for all parts"`
	R       float64 `column:"r,missing" doc:"Pearson's correlation of predicted and observed numbers; missing where the predictions are all equal"`
	R2      float64 `column:"r2,missing" doc:"R² about the mean of the test participants"`
	Before  bool    `column:"fitted_before" doc:"as in baseline"`
	Why     string  `column:"why,missing" doc:"why the model cannot be trained on this part"`
}

// A PartRow is a row of either; smallest, accuracy and auc, or r and r2, are there.
type PartRow struct {
	Model    string  `column:"model"`
	Repeat   int32   `column:"repeat"`
	Fold     int32   `column:"fold"`
	Order    int32   `column:"order"`
	Share    float64 `column:"share"`
	Trained  int32   `column:"trained"`
	Whole    int32   `column:"whole"`
	Tested   int32   `column:"tested"`
	Smallest int32   `column:"smallest,optional"`
	Accuracy float64 `column:"accuracy,missing,optional"`
	AUC      float64 `column:"auc,missing,optional"`
	R        float64 `column:"r,missing,optional"`
	R2       float64 `column:"r2,missing,optional"`
	Before   bool    `column:"fitted_before"`
	Why      string  `column:"why,missing"`
}

// A CurvePointRow is the mean performance at one size (kind learning-curve).
type CurvePointRow struct {
	Coords []dag.Coord `column:"*"`
	Name   string      `column:"name" doc:"display name of the classifier"`
	Share  float64     `column:"share"`
	N      float64     `column:"n" doc:"training participants, mean over the folds"`
	Value  float64     `column:"value" doc:"the measure, mean over folds and orders"`
	SE     float64     `column:"se,missing" doc:"its standard error, for training sets that overlap (Nadeau and Bengio 2003)"`
}

// A CurveRow is a place of the fitted curve.
type CurveRow struct {
	Coords []dag.Coord `column:"*"`
	Name   string      `column:"name" doc:"display name of the classifier"`
	N      float64     `column:"n" doc:"training participants"`
	Value  float64     `column:"value" doc:"the measure by the fit"`
	Low    float64     `column:"low,missing" doc:"95% interval"`
	High   float64     `column:"high,missing"`
	Beyond bool        `column:"beyond" doc:"more participants than any model was trained on"`
}

// A LearningRow is the learning curve of one classifier.
type LearningRow struct {
	Coords   []dag.Coord `column:"*"`
	Name     string      `column:"name" doc:"display name of the classifier"`
	Measure  string      `column:"measure" doc:"auc, accuracy, r or r2"`
	Folds    int32       `column:"folds" doc:"of all repeats"`
	Orders   int32       `column:"orders" doc:"of the training participants of each fold"`
	N        float64     `column:"n" doc:"training participants of a whole fold, mean"`
	Least    float64     `column:"n_least" doc:"of the smallest part"`
	Value    float64     `column:"value" doc:"the measure of models trained on whole folds"`
	Rise     float64     `column:"rise" doc:"value less the measure of models trained on the smallest part"`
	RiseSE   float64     `column:"rise_se,missing" doc:"standard error of the rise"`
	Flat     bool        `column:"flat" doc:"the rise is not larger than its standard error, so there is no evidence that more participants would help, and nothing is fitted"`
	Why      string      `column:"why,missing" doc:"why nothing is fitted: one fold, few sizes, no errors, or flat"`
	Limit    float64     `column:"limit,missing" doc:"the measure with any number of participants by the fit, 1 − a of the error a + b·n^−c"`
	B        float64     `column:"b,missing"`
	C        float64     `column:"c,missing"`
	At       float64     `column:"at_n,missing" doc:"the measure at n by the fit"`
	AtLow    float64     `column:"at_n_low,missing" doc:"95% interval, approximate"`
	AtHigh   float64     `column:"at_n_high,missing"`
	Twice    float64     `column:"at_2n,missing" doc:"at twice as many training participants, the largest number to which the fit is extrapolated"`
	TwiceLow float64     `column:"at_2n_low,missing"`
	TwiceUp  float64     `column:"at_2n_high,missing"`
	Target   float64     `column:"target,missing" doc:"the requested measure"`
	Needed   float64     `column:"needed,missing" doc:"training participants that reach it by the fit; missing where 2n do not suffice"`
	NeedLow  float64     `column:"needed_low,missing" doc:"95% interval, approximate"`
	NeedHigh float64     `column:"needed_high,missing" doc:"missing where 2n do not suffice"`
	Before   bool        `column:"fitted_before" doc:"the inputs were fitted to all training participants of each fold at every size"`
}
