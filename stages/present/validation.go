package present

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/finding/claim"
	"prgnn/stages/fold"
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
		sizes = append(sizes, words.CountOf(int(s.Counts[i]), g, " "))
	}
	of["Sizes"] = sizes
	of["NewSites"], of["Controls"] = 0, false
	for _, one := range a.methods.Applied() {
		if one.NewSites != nil {
			of["NewSites"], of["Controls"] = len(one.NewSites.Sites), one.NewSites.Controls
		}
	}
	a.Put("validation.result", of)
	shift := section.Rows[column.ValidationShiftRow](a.Writer, "validation_shift")
	a.Find(finding.Validation(s, rows, shift)...)
	of["Inputs"] = map[bool]string{true: "matrices", false: "features"}[s.ShiftInputs > 0]
	a.Put("validation.compared", of)
	if s.ShiftInputs > 0 {
		a.Put("validation.shift", of)
	}
	a.Table(section.Lay(a.Writer, "validation.measures", of, rows,
		"measure | value interval participants training? training_interval?"))
	if len(s.Assigned) > 0 {
		a.Table(section.Lay(a.Writer, "validation.assigned", of, assignedRows(s), "group | n to correct"))
	}
	if len(shift) > 0 {
		a.Table(section.Lay(a.Writer, "validation.cohorts", of, shift,
			"variable | training training_range? new difference outside? participants"))
	}
	if a.Pictures {
		a.validationFigures(s, rows)
	}
	bins := section.Rows[column.ValidationBinRow](a.Writer, "validation_calibration")
	if a.Pictures && len(bins) > 0 {
		a.Table(section.Lay(a.Writer, "validation.bins", of, bins, "bin | participants mean share interval"))
	}
}

// An assignedRow is a group of the new cohort, and to which groups its participants were assigned.
type assignedRow struct {
	Group   string
	N       int32
	To      []string
	Correct float64
}

func assignedRows(s column.ValidationSummaryRow) (rows []assignedRow) {
	for k, group := range s.Groups {
		r := assignedRow{Group: group, N: s.Counts[k]}
		for i, n := range s.Assigned[k*len(s.Groups):][:len(s.Groups)] {
			r.To = append(r.To, words.CountOf(int(n), s.Groups[i], " "))
		}
		r.Correct = float64(s.Assigned[k*len(s.Groups)+k]) / float64(r.N)
		rows = append(rows, r)
	}
	return rows
}

// validationFigures are the ROC curve and the calibration of the predictions for a cohort.
func (a *author) validationFigures(s column.ValidationSummaryRow, measures []column.ValidationRow) {
	rows := section.Rows[struct {
		ID           string  `column:"participant_id"`
		Group        string  `column:"group"`
		Probability  float64 `column:"probability"`
		Recalibrated float64 `column:"recalibrated,missing,optional"`
	}](a.Writer, "validation_people")
	positive := slices.Index(s.Groups, s.Positive)
	if len(rows) == 0 || positive < 0 {
		return
	}
	setting := func(name string, of func(i int) float64) []fold.Tested {
		one := fold.Tested{Name: name}
		for i, r := range rows {
			p := []float64{1 - of(i), 1 - of(i)}
			p[positive] = of(i)
			one.Participants = append(one.Participants, fold.Case{Id: r.ID, Label: slices.Index(s.Groups, r.Group),
				Probability: p})
		}
		return []fold.Tested{one}
	}
	stored := func(i int) float64 { return rows[i].Probability }
	v := values{"Positive": s.Positive, "Participants": len(rows)}
	for name, of := range map[string][3]string{"auc": {"AUC", "Low", "High"},
		"brier": {"Brier", "BrierLow", "BrierHigh"},
		"slope": {"Slope", "SlopeLow", "SlopeHigh"}} {
		at := slices.IndexFunc(measures, func(r column.ValidationRow) bool { return r.Measure == name })
		v[of[0]], v[of[1]], v[of[2]] = math.NaN(), math.NaN(), math.NaN()
		if at >= 0 {
			v[of[0]], v[of[1]], v[of[2]] = measures[at].Value, measures[at].Low, measures[at].High
		}
	}
	one := &fold.Settings{Groups: s.Groups, Settings: [][]fold.Tested{setting("", stored)}}
	curve, err := figure.DrawROC(one, s.Positive)
	a.Fail(err)
	var all [][]fold.Tested
	if s.Calibrated {
		all = append(all, setting("as stored", stored))
	}
	if r := rows[0].Recalibrated; r-r == 0 {
		all = append(all, setting("recalibrated", func(i int) float64 { return rows[i].Recalibrated }))
	}
	var calibration *figure.Chart
	if all != nil {
		calibration, err = figure.DrawCalibration(&fold.Settings{Groups: s.Groups, Settings: all}, s.Positive,
			validationBins)
		a.Fail(err)
	}
	v["Bins"] = validationBins
	if curve != nil {
		curve = figure.Captioned(curve.Figure, "figure.validation-roc", v)
	}
	if calibration != nil {
		calibration = figure.Captioned(calibration.Figure, "figure.validation-calibration", v)
	}
	a.Figures(curve, calibration)
}

const validationBins = 5

// validated is the result of a validation in a sentence; "" without one. It is the answer of a page without models of
// its own.
func (a *author) validated() string {
	all := section.Rows[column.ValidationSummaryRow](a.Writer, "validation_summary")
	rows := section.Rows[column.ValidationRow](a.Writer, "validation")
	for _, name := range []string{"auc", "r", "accuracy", "mae"} {
		at := slices.IndexFunc(rows, func(r column.ValidationRow) bool { return r.Measure == name })
		if at < 0 || len(all) == 0 || rows[at].Value-rows[at].Value != 0 {
			continue
		}
		of := values(finding.Values(rows[at]))
		of["Participants"], of["Models"] = all[0].Participants, all[0].Models
		of["Below"] = name == "mae" || name == "auc" && rows[at].Low <= 0.5 || name == "r" && rows[at].Low <= 0
		of["Beside"] = rows[at].TrainingLow < rows[at].TrainingHigh
		of["Questioned"] = slices.ContainsFunc(a.methods.Applied(),
			func(one finding.Applied) bool { return one.Questioned != nil })
		scale := finding.ScaleOf(rows)
		of["Wrong"], of["None"] = name == "r" && scale.Wrong, scale.R2 <= 0
		of["R2"], of["Error"], of["Trained"] = scale.R2, scale.Error, scale.Trained
		if a.Accuracy == nil && a.Regression == nil {
			a.answerOfValidation(all[0], rows, of)
		}
		return a.Text("abstract.validation", of)
	}
	return ""
}

// answerOfValidation writes question and answer; of has the measure that decides.
func (a *author) answerOfValidation(s column.ValidationSummaryRow, rows []column.ValidationRow, of values) {
	v := a.asked()
	v["Models"], v["Below"], v["Accuracy"], v["Majority"] = s.Models, of["Below"], 0.0, 0.0
	v["Includes"] = false
	v["Shifted"] = ""
	for _, one := range a.methods.Applied() {
		switch {
		case one.NewSites == nil || len(s.Groups) == 0:
		case one.NewSites.Controls:
			v["Shifted"] = "controls"
		case finding.SharesOf(s).Differ:
			v["Shifted"] = "inputs"
		}
	}
	for _, name := range []string{"Measure", "Value", "Low", "High", "Wrong", "None", "R2", "Error", "Trained"} {
		v[name] = of[name]
	}
	if v["Classes"], _ = finding.Represented(s); len(s.Groups) == 0 {
		residual := slices.ContainsFunc(a.methods.Applied(),
			func(one finding.Applied) bool { return one.Removed != nil })
		v["Number"] = a.Text("regression.number", values{"Number": a.Number, "Scored": residual})
	}
	for _, r := range rows {
		if r.Measure != "accuracy" {
			continue
		}
		v["AccuracyLow"], v["AccuracyHigh"] = r.Low, r.High
		v["Accuracy"], v["Majority"] = r.Value, float64(slices.Max(s.Counts))/float64(s.Participants)
		if v["Includes"] = r.Low <= v["Majority"].(float64); of["Measure"] == "accuracy" {
			v["Below"] = v["Includes"]
		}
	}
	v["Unrecognized"] = []string(nil)
	if v["Below"] == false {
		v["Unrecognized"] = lists.Map(finding.Unrecognized(s.Groups, s.Assigned), func(r finding.Recognition) string {
			return r.Group
		})
	}
	a.claim(nil, "abstract.questioned", claim.Claim{Cohort: v["Below"] == false})
	a.Page.Answer = a.Text("abstract.validation-answer", v)
	a.Page.Question = a.Text("abstract.validation-question", v)
}
