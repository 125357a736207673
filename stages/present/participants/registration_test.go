package participants

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// A doubtful registration is a caution with the participant's name; how voxels got their labels
// is said where the label image was resampled.
func TestRegistrationIsTold(t *testing.T) {
	row := func(how, caution string) column.ParcelRow {
		return column.ParcelRow{Resampling: how, Caution: caution, Determinant: math.NaN(), Rotation: math.NaN(),
			Displacement: math.NaN()}
	}
	labeled := func(unlabeled int32) column.ParcelRow {
		r, mask := row(column.LabelsOnGrid, ""), int32(1000)
		r.Mask, r.Unlabeled = &mask, &unlabeled
		return r
	}
	for _, c := range []struct {
		rows           []column.ParcelRow
		told, cautions string
	}{
		{[]column.ParcelRow{row(column.LabelsOnGrid, "")}, "", ""},
		{[]column.ParcelRow{row(column.LabelsNearest, ""), row(column.LabelsNearest,
			finding.Written(finding.List{finding.Warning("registration.rotation",
				map[string]any{"Degrees": 90.2})})), row(column.LabelsMajority, "")},
			"Labels were resampled (majority of 27 samples a voxel and nearest neighbor).",
			"Labels that may not fit the scan: sub-2 (its transform rotates the head by 90°; check the registration)"},
		{[]column.ParcelRow{labeled(500), labeled(510), labeled(495), labeled(500), labeled(620), labeled(505),
			labeled(490), labeled(500)}, "",
			"A larger part of the brain mask has no label than in the other scans (median 50%), so the label image or the mask may belong to a different participant; check the registration: sub-5 (62%)"},
	} {
		var in []dag.Input
		for i, r := range c.rows {
			one := dag.InputOf(column.Table([]column.ParcelRow{r}))
			one.Coords = []dag.Coord{{Axis: "subject", Value: fmt.Sprintf("sub-%d", i+1)}}
			in = append(in, one)
		}
		a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"registration": in}))}
		a.labeledScans()
		need.NoError(t, a.Err())
		a.registration()
		told := ""
		for _, b := range a.Section.Blocks {
			told += b.Text
		}
		if told != c.told || strings.Join(a.Cautions(), "|") != c.cautions {
			t.Errorf("told %q, want %q; cautions %q, want %q", told, c.told, a.Cautions(), c.cautions)
		}
	}
}
