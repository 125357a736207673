package fold

import (
	"prgnn/dag"
	"prgnn/stages/column"
)

// A Row is one graph of a training: one draw of one participant.
type Row struct {
	Id     string
	Draw   int
	Label  int
	Target float64 // the number to predict; NaN where groups are predicted
	Side   int     // 0 train, 1 test, or apart
}

// A PredictionRow is the prediction of one model for one graph: a row of a table of predictions, before its
// columns of probabilities, p_GROUP.
type PredictionRow struct {
	ID          string  `column:"participant_id"`
	Group       string  `column:"group"`
	Draw        int32   `column:"draw,optional"`
	Fold        int32   `column:"fold"`
	Repeat      int32   `column:"repeat"`
	Set         string  `column:"set" doc:"train or test"`
	Label       int32   `column:"label" doc:"number of the participant's group, from 0, in sorted order"`
	Probability float64 `column:"probability,optional" doc:"of group 1; with more than two groups, of the predicted one"`
	Predicted   int32   `column:"predicted" doc:"number of the predicted group"`
}

// PredictionsPort takes the predictions of several trainings.
func PredictionsPort(doc string) dag.Port {
	return dag.Port{Name: "predictions", Gather: true,
		Doc:  doc + ", with a column p_GROUP for each group (p_ASD, p_HC): its probability",
		Type: column.Needs[PredictionRow]()}
}

// A TargetRow is the number to predict of one participant, without what covariates explain (deconfound).
type TargetRow struct {
	ID        string  `column:"participant_id"`
	Target    float64 `column:"target" doc:"as in the folds"`
	Explained float64 `column:"explained,missing" doc:"by the covariates, with the coefficients of the fit"`
	Residual  float64 `column:"residual,missing"`
	Why       string  `column:"why" doc:"the reason of a missing one"`
}

// RemovalMeta is the metadata of a table of TargetRow that has the fit, a confound.Removal as JSON, and of one of
// CoefficientRow the confound.Design.
const RemovalMeta = "removal"

// A NumberRow is the prediction of a number for one graph, by one model.
type NumberRow struct {
	ID        string  `column:"participant_id"`
	Target    float64 `column:"target" doc:"the number to predict, as observed"`
	Draw      int32   `column:"draw"`
	Fold      int32   `column:"fold"`
	Repeat    int32   `column:"repeat"`
	Set       string  `column:"set" doc:"train or test"`
	Predicted float64 `column:"predicted" doc:"the predicted number"`
}
