package region

import (
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/nifti"
)

// headerOf is the header of an image of 4×4×4 voxels of 2 mm that begins at x, with sform and qform; the sign of the
// axes is that of the sform.
func headerOf(x float64, signs [3]float64) *nifti.Header {
	h := &nifti.Header{Version: 1, Dim: [8]int64{3, 4, 4, 4}, Pixdim: [8]float64{1, 2, 2, 2}, XYZTUnits: 10,
		SformCode: 1, QformCode: 1}
	for a, sign := range signs {
		h.Srow[a][a] = 2 * sign
	}
	h.Srow[0][3], h.QOffset[0] = x, x
	return h
}

func TestOpposed(t *testing.T) {
	h := Headers{"a.nii": headerOf(0, [3]float64{1, 1, 1}), "b.nii": headerOf(0, [3]float64{-1, 1, 1}),
		"labels.nii": headerOf(0, [3]float64{1, -1, -1}), "none.nii": nil}
	notes := h.Opposed([]Laid{{"sub-1", "", "a.nii", "none.nii"}, {"sub-2", "1", "b.nii", "labels.nii"},
		{"sub-3", "", "b.nii", ""}})
	need.Equal(t, strings.Join(wording.NoteTexts(notes), "\n"), "sform and qform of the label image are opposite in anterior-posterior, "+
		"superior-inferior for sub-2 1: the sform is used; check which is right, and write the image with it as both\n"+
		"sform and qform of the scan are opposite in left-right for sub-2 1, sub-3: the sform is used; check which is "+
		"right, and write the image with it as both")
}
