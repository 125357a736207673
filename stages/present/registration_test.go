package present

import (
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// A doubtful registration is a caution with the participant's name; how voxels got their labels
// is said where the label image was resampled.
func TestRegistrationIsTold(t *testing.T) {
	row := func(how, caution string) column.ParcelRow {
		return column.ParcelRow{Resampling: how, Caution: caution, Determinant: math.NaN(), Rotation: math.NaN(),
			Displacement: math.NaN()}
	}
	for _, c := range []struct {
		rows           []column.ParcelRow
		told, cautions string
	}{
		{[]column.ParcelRow{row("none: the label image is on the scan's grid", "")}, "", ""},
		{[]column.ParcelRow{row("nearest neighbor", ""), row("nearest neighbor", "its transform rotates the head by 90°: check the registration"), row("majority of 27 samples a voxel", "")},
			"Labels resampled by majority of 27 samples a voxel, nearest neighbor.",
			"Labels that may not fit the scan: sub-2 (its transform rotates the head by 90°: check the registration)"},
	} {
		var in []dag.Input
		for i, r := range c.rows {
			one := dag.InputOf(column.Table([]column.ParcelRow{r}))
			one.Coords = []dag.Coord{{Axis: "subject", Value: []string{"sub-1", "sub-2", "sub-3"}[i]}}
			in = append(in, one)
		}
		a := &author{t: dag.NewTask(map[string][]dag.Input{"registration": in}), page: &report.Page{},
			section: &report.Section{}}
		var err error
		if a.labeled, err = labeledScans(a.t); err != nil {
			t.Fatal(err)
		}
		a.registration()
		told := ""
		for _, b := range a.section.Blocks {
			told += b.Text
		}
		if told != c.told || strings.Join(a.page.Cautions, "|") != c.cautions {
			t.Errorf("told %q, want %q; cautions %q, want %q", told, c.told, a.page.Cautions, c.cautions)
		}
	}
}

// The methods say what parcellate did and what the loader knows, and no more.
func TestMethodsOfScans(t *testing.T) {
	row := func(how string) labeledScan { return labeledScan{"sub-1", column.ParcelRow{Resampling: how}} }
	const surfer = "FreeSurfer's aparc+aseg.mgz, through the transforms fsnative → T1w → MNI152NLin2009cAsym"
	for _, c := range []struct {
		about     column.Scans
		labeled   []labeledScan
		parameter string
		want      string
	}{
		{column.Scans{MadeBy: "fMRIPrep 25.2.0", Space: "MNI152NLin2009cAsym res-2", Labels: map[string]int{surfer: 2}},
			[]labeledScan{row("majority of 27 samples a voxel"), row("majority of 27 samples a voxel")}, "auto",
			"2 participants were taken from derivatives of fMRIPrep 25.2.0 [1]. The scans are in the space MNI152NLin2009cAsym res-2. " +
				"Each scan was parcellated on its own grid by majority resampling of a label image, 27 samples a voxel; a region with less than 0.5 of its label on this grid counts as missing. The labels are " + surfer + "."},
		{column.Scans{MadeBy: "XCP-D 0.10.6", Space: "native", Labels: map[string]int{"as given": 2}},
			[]labeledScan{row("none: the label image is on the scan's grid")}, "auto",
			"2 participants were taken from derivatives of XCP-D 0.10.6. The scans are in their own space. " +
				"Each scan was parcellated on its own grid by a label image on that grid, without resampling; a region with less than 0.5 of its label on this grid counts as missing. The labels are of an image given to the pipeline."},
		{column.Scans{Labels: map[string]int{"A": 1, "B": 1}}, []labeledScan{row("nearest neighbor"),
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
		about, err := column.ScansOf(c.about.Meta())
		if err != nil {
			t.Fatal(err)
		}
		a := &author{about: about, at: &[3][]float64{make([]float64, 84), make([]float64, 84), make([]float64, 84)},
			labeled: c.labeled, who: &column.People{Ids: []string{"sub-1", "sub-2"}},
			run: &pipelineSettings{stages: []stageSettings{
				{stage: "cohort", kind: "bids"}, {stage: "parcels", kind: "parcellate",
					value: map[string]string{"min_coverage": "0.5", "resampling": c.parameter}}}}}
		m := &methodsText{}
		a.methodsOfCohort(m)
		if got := strings.Join(m.sentences, " "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
