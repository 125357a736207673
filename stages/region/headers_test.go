package region

import (
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/column"
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
	need.Equal(t, strings.Join(column.NoteTexts(notes), "\n"), "sform and qform of the label image are opposite in anterior-posterior, "+
		"superior-inferior for sub-2 1: the sform is used; check which is right, and write the image with it as both\n"+
		"sform and qform of the scan are opposite in left-right for sub-2 1, sub-3: the sform is used; check which is "+
		"right, and write the image with it as both")
}

// One label image cannot lie on the brains of several participants, each in a space of its own.
func TestShared(t *testing.T) {
	same := [3]float64{1, 1, 1}
	h := Headers{"a.nii": headerOf(0, same), "b.nii": headerOf(0, same), "c.nii": headerOf(4, same),
		"atlas.nii": headerOf(0, same), "none.nii": nil, "metre.nii": headerOf(0, same),
		"nowhere.nii": headerOf(0, same)}
	h["metre.nii"].XYZTUnits = 9
	h["nowhere.nii"].SformCode, h["nowhere.nii"].QformCode = 0, 0
	all := []Laid{{ID: "sub-1", Scan: "a.nii"}, {ID: "sub-2", Scan: "b.nii"}, {ID: "sub-3", Scan: "c.nii"}}
	for _, c := range []struct {
		space, labels string
		scans         []Laid
		why, note     string
	}{
		{"T1w", "atlas.nii", all, "labels: atlas.nii is one image for 3 participants, but the scans are in the space of each participant (space: T1w), and brains differ: the scan of sub-3 has ", ""},
		{"native", "atlas.nii", all, "labels: atlas.nii is one image for 3 participants", ""},
		{"T1w", "atlas.nii", all[:2], "", "labels: atlas.nii is one image for 2 participants in space: T1w; all scans have its grid, and are taken to be aligned with it"},
		{"native", "atlas.nii", []Laid{all[0], {ID: "sub-4", Scan: "metre.nii"}, {ID: "sub-5", Scan: "nowhere.nii"}},
			"", "labels: atlas.nii is one image for 3 participants in space: native; 1 of 3 scans have its grid, and are taken to be aligned with it"},
		{"native", "atlas.nii", []Laid{{ID: "sub-4", Scan: "metre.nii"}, {ID: "sub-5", Scan: "nowhere.nii"}},
			"", ""},
		{"MNI152NLin6Asym", "atlas.nii", all, "", ""},
		{"", "atlas.nii", all, "", ""},
		{"T1w", "atlas.nii", all[2:], "", ""}, // one participant
		{"T1w", "none.nii", all, "", ""},      // its tasks say why it cannot be read
		{"T1w", "atlas.nii", []Laid{{ID: "sub-1", Scan: "none.nii"}, {ID: "sub-2"}}, "", ""},
	} {
		why, note := h.Shared(c.space, c.labels, c.scans)
		if !strings.HasPrefix(why, c.why) || c.why == "" && why != "" || note != c.note {
			t.Errorf("%s, %s: %q, note %q", c.space, c.labels, why, note)
		}
	}
}
