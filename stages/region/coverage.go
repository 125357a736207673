package region

// A CoverageRow is one node of the table of coverage.
type CoverageRow struct {
	Node
	LabelVoxels int32   `column:"label_voxels" doc:"voxels of its label in the label image"`
	Voxels      int32   `column:"voxels" doc:"voxels of the scan's grid inside it"`
	Coverage    float64 `column:"coverage" doc:"share of the label's voxels (or a probabilistic map's weight) on the scan's grid and inside the connected mask"`
	Kept        bool    `column:"kept" doc:"whether the node has voxels and enough coverage"`
}
