package participants

import (
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// RegistrationPort takes parcellate's tables of quality.
func RegistrationPort() dag.Port {
	return dag.Port{Name: "registration", Type: column.Type[column.ParcelRow](), Gather: true, Optional: true, Doc: "parcellate's quality for each participant: how well its labels fit the scan"}
}

// A LabeledScan is a row of parcellate's quality, with its participant (and run).
type LabeledScan struct {
	who string
	column.ParcelRow
}

// labeledScans reads what is connected to the port registration, in its order.
func labeledScans(t *dag.Task) (scans []LabeledScan, err error) {
	err = eachTable(t, "registration", func(in dag.Input, table *encoding.Table) error {
		rows, err := column.Rows[column.ParcelRow](table)
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		column.Keep(rows)
		for _, r := range rows {
			scans = append(scans, LabeledScan{scanName(in), r})
		}
		return nil
	})
	return scans, err
}

// registration states how voxels got their labels, and lists the participants whose registration is doubtful.
func (a *Cohort) registration() {
	var how []string
	var doubtful []finding.Doubtful
	for _, s := range a.Labeled {
		resampled := s.Resampling != column.LabelsOnGrid && s.Resampling != column.LabelsMatched
		if resampled && !slices.Contains(how, s.Resampling) {
			how = append(how, s.Resampling)
		}
		if s.Caution != "" {
			doubtful = append(doubtful, finding.Doubtful{Who: s.who, Why: finding.Warned(s.Caution)})
		}
	}
	if slices.Sort(how); how != nil {
		a.Put("scans.labels-resampled", values{"How": how})
	}
	a.Find(finding.Registration(doubtful)...)
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
