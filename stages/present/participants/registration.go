package participants

import (
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
)

// RegistrationPort takes parcellate's tables of quality.
func RegistrationPort() dag.Port {
	return dag.Port{Name: "registration", Type: column.Type[column.ParcelRow](), Gather: true, Optional: true, Doc: "parcellate's quality for each participant: how well its labels fit the scan"}
}

// A LabeledScan is a row of parcellate's quality, with its participant (and run).
type LabeledScan struct {
	who    string
	Coords []dag.Coord
	column.ParcelRow
}

// labeledScans reads what is connected to the port registration, in its order.
func (a *Cohort) labeledScans() {
	for in, rows := range section.Members[column.ParcelRow](a.Writer, "registration") {
		column.Keep(rows)
		for _, r := range rows {
			a.Labeled = append(a.Labeled, LabeledScan{scanName(in), in.Coords, r})
		}
	}
}

// registration states how voxels got their labels, and lists the participants whose registration is doubtful.
func (a *Cohort) registration() {
	var how []string
	var doubtful []quality.Doubtful
	var covered []quality.Coverage
	for _, s := range a.Labeled {
		resampled := s.Resampling != column.LabelsOnGrid && s.Resampling != column.LabelsMatched
		if resampled && !slices.Contains(how, s.Resampling) {
			how = append(how, s.Resampling)
		}
		if s.Mask != nil && s.Unlabeled != nil && *s.Mask > 0 {
			covered = append(covered, quality.Coverage{Who: s.who, Share: float64(*s.Unlabeled) / float64(*s.Mask)})
		}
		if s.Caution != "" {
			doubtful = append(doubtful, quality.Doubtful{Who: s.who, Why: finding.Warned(s.Caution)})
		}
	}
	if slices.Sort(how); how != nil {
		a.Put("scans.labels-resampled", values{"How": how})
	}
	a.FindOf(a.At("registration"), quality.Registration(doubtful)...)
	a.FindOf(a.At("registration"), quality.Uncovered(covered)...)
}

// gray reports whether the regions are of grayordinates.
func (s LabeledScan) gray() bool { return s.Resampling == column.LabelsMatched }

// Element is what regions consist of: "voxel" or "grayordinate".
func (a *Cohort) Element() string {
	if slices.ContainsFunc(a.Labeled, LabeledScan.gray) {
		return "grayordinate"
	}
	return "voxel"
}
