package present

import (
	"fmt"

	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// validation writes how stored models predict the groups of a cohort.
func (a *author) validation() {
	all := section.Rows[column.ValidationSummaryRow](a.Writer, "validation_summary")
	if len(all) == 0 {
		return
	}
	s := all[0]
	rows := section.Rows[column.ValidationRow](a.Writer, "validation")
	of := values(finding.Values(s))
	var sizes []string
	for i, g := range s.Groups {
		sizes = append(sizes, fmt.Sprintf("%d %s", s.Counts[i], g))
	}
	of["Sizes"] = sizes
	a.Put("validation.result", of)
	a.Find(finding.Validation(s, rows)...)
	of["Inputs"] = map[bool]string{true: "matrices", false: "features"}[s.ShiftInputs > 0]
	a.Put("validation.compared", of)
	if s.ShiftInputs > 0 {
		a.Put("validation.shift", of)
	}
	a.Table(section.Lay(a.Writer, "validation.measures", of, rows, "measure | value interval participants"))
	bins := section.Rows[column.ValidationBinRow](a.Writer, "validation_calibration")
	if a.Pictures && len(bins) > 0 {
		a.Table(section.Lay(a.Writer, "validation.bins", of, bins, "bin | participants mean share interval"))
	}
}
