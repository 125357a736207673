package present

import (
	"fmt"

	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// validation writes how stored models predict the groups of another cohort.
func (a *author) validation() error {
	all, err := column.ReadPort[column.ValidationSummaryRow](a.T, "validation_summary")
	if err != nil || len(all) == 0 {
		return err
	}
	s := all[0]
	rows, err := column.ReadPort[column.ValidationRow](a.T, "validation")
	if err != nil {
		return err
	}
	of := values{"Models": s.Models, "Participants": s.Participants, "Trained": s.Trained, "Positive": s.Positive,
		"Threshold": s.Threshold, "ShiftInputs": s.ShiftInputs, "ShiftMedian": s.ShiftMedian, "ShiftHigh": s.ShiftHigh}
	var sizes []string
	for i, g := range s.Groups {
		sizes = append(sizes, fmt.Sprintf("%d %s", s.Counts[i], g))
	}
	of["Sizes"] = sizes
	a.Put("validation.result", of)
	a.Find(finding.Validation(s, rows)...)
	if s.ShiftInputs > 0 {
		a.Put("validation.shift", of)
	}
	a.Table(section.Lay(a.Writer, "validation.measures", of, rows, "measure | value interval participants"))
	bins, err := column.ReadPort[column.ValidationBinRow](a.T, "validation_calibration")
	if err == nil && a.Pictures && len(bins) > 0 {
		a.Table(section.Lay(a.Writer, "validation.bins", of, bins, "bin | participants mean share interval"))
	}
	return err
}
