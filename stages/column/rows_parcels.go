package column

// A ParcelRow says how well the labels of a participant fit its scan (parcellate).
type ParcelRow struct {
	Resampling   string  `column:"resampling" doc:"how a voxel got its label"`
	Empty        int32   `column:"empty" doc:"nodes without a voxel, or with too little coverage"`
	Mask         *int32  `column:"mask" doc:"voxels of the brain mask"`
	Unlabeled    *int32  `column:"mask_unlabeled" doc:"voxels of the brain mask whose center has no label in the label image; of labels without white matter, about half of them"`
	Outside      *int32  `column:"mask_outside" doc:"voxels of the brain mask whose center lies outside of the label image or of the displacement field"`
	Determinant  float64 `column:"determinant,missing" doc:"of the affine parts of the transforms: how many times a volume grows from the scan's space to that of the labels"`
	Rotation     float64 `column:"rotation,missing" unit:"degree" doc:"by which transform turns the head; that from fsnative to T1w is near 0"`
	Displacement float64 `column:"displacement,missing" unit:"mm" doc:"length of the longest vector of the displacement field"`
	Caution      string  `column:"caution" doc:"what makes the registration doubtful; empty when nothing does"`
}

// A SampleRow is a voxel that carpet plots show (parcellate).
type SampleRow struct {
	Voxel int32  `column:"voxel" doc:"place on the scan's grid, x fastest, or number of the grayordinate; from 0"`
	Band  string `column:"band" doc:"tissue, or hemisphere and structure or network"`
}
