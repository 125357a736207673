package column

// How voxels were labeled (ParcelRow.Resampling).
const (
	LabelsMatched  = "none: grayordinates are matched by structure, vertex and voxel"
	LabelsOnGrid   = "none: the label image is on the scan's grid"
	LabelsNearest  = "nearest neighbor"
	LabelsMajority = "majority of 27 samples a voxel"
)

// A ParcelRow says how well the labels of a participant fit its scan (parcellate).
type ParcelRow struct {
	Resampling   string  `column:"resampling" doc:"how voxels were labeled"`
	Empty        int32   `column:"empty" doc:"nodes without a voxel, or with too little coverage"`
	Mask         *int32  `column:"mask" doc:"voxels of the brain mask"`
	Unlabeled    *int32  `column:"mask_unlabeled" doc:"voxels of the brain mask whose center has no label; for labels without white matter, about half of them"`
	Outside      *int32  `column:"mask_outside" doc:"voxels of the brain mask whose center is outside the label image or the displacement field"`
	Determinant  float64 `column:"determinant,missing" doc:"volume change by the affine parts of the transforms, from the scan's space to that of the labels"`
	Rotation     float64 `column:"rotation,missing" unit:"degree" doc:"rotation of the head by transform; near 0 from fsnative to T1w"`
	Displacement float64 `column:"displacement,missing" unit:"mm" doc:"length of the longest vector of the displacement field"`
	Caution      string  `column:"caution" doc:"what the registration warns of, for programs: a JSON list of findings; empty if none"`
}

// A SampleRow is a voxel that carpet plots show (parcellate).
type SampleRow struct {
	Voxel int32  `column:"voxel" doc:"place on the scan's grid, x fastest, or number of the grayordinate; from 0"`
	Band  string `column:"band" doc:"tissue, or hemisphere and structure or network"`
}
