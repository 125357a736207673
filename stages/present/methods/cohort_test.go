package methods

import (
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/section"
)

// The methods say what parcellate did and what the loader knows, and no more.
func TestMethodsOfScans(t *testing.T) {
	row := func(how string) participants.LabeledScan {
		return participants.LabeledScan{ParcelRow: column.ParcelRow{Resampling: how}}
	}
	const surfer = "FreeSurfer's aparc+aseg.mgz, through the transforms fsnative → T1w → MNI152NLin2009cAsym"
	for _, c := range []struct {
		about     column.Scans
		labeled   []participants.LabeledScan
		parameter string
		want      string
	}{
		{column.Scans{MadeBy: "fMRIPrep 25.2.0", Space: "MNI152NLin2009cAsym res-2", Labels: map[string]int{surfer: 2}},
			[]participants.LabeledScan{row("majority of 27 samples a voxel"), row("majority of 27 samples a voxel")}, "auto",
			"2 participants were taken from derivatives of fMRIPrep 25.2.0 [1]. The scans are in the space MNI152NLin2009cAsym res-2. " +
				"Each scan was parcellated on its own grid by majority resampling of a label image, 27 samples a voxel; a region with less than 0.5 of its label on this grid counts as missing. The labels are " + surfer + "."},
		{column.Scans{MadeBy: "XCP-D 0.10.6", Space: "native", Aligned: true, Labels: map[string]int{"from atlas.nii.gz, given to the pipeline": 2}},
			[]participants.LabeledScan{row("none: the label image is on the scan's grid")}, "auto",
			"2 participants were taken from derivatives of XCP-D 0.10.6. The scans are in their own space. " +
				"Each scan was parcellated on its own grid by a label image on that grid, without resampling; a region with less than 0.5 of its label on this grid counts as missing. In this space, the positions of regions were compared with those of the atlas after an affine alignment only. The labels are from atlas.nii.gz, given to the pipeline."},
		{column.Scans{Labels: map[string]int{"A": 1, "B": 1}}, []participants.LabeledScan{row("nearest neighbor"),
			row("nearest neighbor"), row("majority of 27 samples a voxel")}, "auto",
			"2 participants were taken from derivatives in BIDS layout, which name no program. " +
				"Each scan was parcellated on its own grid by nearest-neighbor resampling of a label image (2 scans), or majority resampling of a label image, 27 samples a voxel (1 scan); a region with less than 0.5 of its label on this grid counts as missing. The labels of 1 participant are A. The labels of 1 participant are B."},
		{column.Scans{}, nil, "auto", "2 participants were taken from derivatives in BIDS layout, which name no program. " +
			"Each scan was parcellated on its own grid by a label image; a region with less than 0.5 of its label on this grid counts as missing."},
		{column.Scans{}, nil, "nearest", "2 participants were taken from derivatives in BIDS layout, which name no program. " +
			"Each scan was parcellated on its own grid by nearest-neighbor resampling of a label image; a region with less than 0.5 of its label on this grid counts as missing."},
		{column.Scans{DK84: true}, nil, "nearest", "2 participants were taken from derivatives in BIDS layout, which name no program. " +
			"Each scan was parcellated on its own grid by nearest-neighbor resampling of a label image (Desikan–Killiany atlas with subcortical structures, 84 regions) [1]; a region with less than 0.5 of its label on this grid counts as missing."},
	} {
		about := need.Value(column.ScansOf(c.about.Meta()))(t)
		w := section.NewWriter(nil)
		*w.Run = finding.Settings{Stages: []finding.StageSettings{
			{Stage: "cohort", Kind: "bids"}, {Stage: "parcels", Kind: "parcellate",
				Value: map[string]string{"min_coverage": "0.5", "resampling": c.parameter}}}}
		a := &Author{Writer: w, Cohort: &participants.Cohort{About: about, Labeled: c.labeled,
			Who: &column.People{Ids: []string{"sub-1", "sub-2"}}}}
		m := &Text{}
		a.methodsOfCohort(m)
		if got := strings.Join(m.sentences, " "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
