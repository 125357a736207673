package column

// An EdgeRow is one edge of a participant's graph (graph's edges).
type EdgeRow struct {
	Draw   int32   `column:"draw" doc:"0 is the plain mean"`
	Source int32   `column:"source" doc:"node, from 1"`
	Target int32   `column:"target" doc:"node, from 1; above source"`
	Weight float64 `column:"weight" doc:"partial correlation"`
}
