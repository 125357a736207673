package column

// A NodeScore is the pooling score of one node in one layer.
type NodeScore[T float32 | float64] struct {
	Layer int32 `column:"layer" doc:"pooling layer, from 1"`
	Index int32 `column:"index" doc:"node number, from 1"`
	Score T     `column:"score" doc:"after the sigmoid"`
	Kept  bool  `column:"kept"`
}

// A ScoreRow is the pooling score that a training gives to one node of one graph (train's scores).
type ScoreRow[T float32 | float64] struct {
	ID    string `column:"participant_id"`
	Group string `column:"group,optional"`
	Draw  int32  `column:"draw"`
	Set   string `column:"set" doc:"train or test"`
	NodeScore[T]
	Untrained T `column:"untrained,missing,optional" doc:"score by the same model at its initial weights, before training; first layer only"`
}
