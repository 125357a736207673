package stages

import (
	"fmt"
	"math"

	"prgnn/stages/report"
)

// results tells how well the groups were told apart.
func (r *reporter) results() (report.Section, error) {
	s := report.Section{ID: "classification", Title: "Telling the groups apart"}
	if !r.t.Has("evaluation") {
		return s, nil
	}
	rows, err := readAccuracy(r.t.In("evaluation"))
	if err != nil || len(rows) == 0 {
		return s, err
	}
	several := map[string]bool{}
	for _, row := range rows {
		several[row.setting] = true
	}
	table := &report.Table{
		Caption: "Accuracy on participants who were not trained on",
		Heads: []report.Head{{Text: "level", Doc: "graph: every draw counts; participant: the mean probability over the draws decides"}, {Text: "accuracy", Number: true, Doc: "mean over the folds"},
			{Text: "SD", Number: true, Doc: "over the folds (n − 1)"}, {Text: "95 % CI", Number: true, Doc: "Wilson's interval for the number of participants"},
			{Text: "largest group", Number: true, Doc: "accuracy of always naming the largest group"}, {Text: "balanced", Number: true, Doc: "mean over the groups of the share of right predictions"},
			{Text: "AUC", Number: true, Doc: "area under the ROC curve"}, {Text: "sensitivity", Number: true, Doc: "share of the positive group that was found"}, {Text: "specificity", Number: true, Doc: "share of the others that were not taken for it"}},
		Keys: 1,
	}
	if len(several) > 1 {
		table.Keys = 2
		table.Heads = append([]report.Head{{Text: "setting"}}, table.Heads...)
	}
	best := -1
	for i, row := range rows {
		cells := []report.Cell{{Text: row.level}, {Text: number3(row.mean), Strong: row.level == "participant"}, {Text: number3(row.sd)},
			{Text: number3(row.low) + "–" + number3(row.high)}, {Text: number3(row.majority)}, {Text: number3(row.balanced)},
			{Text: number3(row.auc)}, {Text: number3(row.sensitivity)}, {Text: number3(row.specificity)}}
		if len(several) > 1 {
			cells = append([]report.Cell{{Text: row.setting}}, cells...)
		}
		table.Rows = append(table.Rows, cells)
		if row.level == "participant" {
			cautionAccuracy(r.told, row, len(several) > 1)
			if best < 0 {
				best = i
			}
		}
	}
	if best >= 0 {
		r.facts(rows[best], len(several) > 1)
	}
	if len(several) > 1 {
		r.told.caution("%d settings were compared: the best of them looks better than it is", len(several))
	}
	if err := cautionTraining(r.t, r.told, rows); err != nil {
		return s, err
	}
	table.Note = fmt.Sprintf("%.0f participants, %.0f folds; all graphs of a participant are on one side of every split. Positive: %s.", rows[0].participants, rows[0].folds, rows[0].positive)
	s.Blocks = append(s.Blocks, report.Block{Table: table})
	if r.t.Has("scores") {
		folds, err := r.t.In("scores").Table()
		if err != nil {
			return s, err
		}
		shown, err := shownTable(folds, 400)
		if err != nil {
			return s, err
		}
		shown.Caption = "Each fold"
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Summary: "Each fold", Blocks: []report.Block{{Table: shown}}}})
	}
	small, wide, err := r.classificationFigures()
	if len(small) > 0 {
		s.Blocks = append(s.Blocks, report.Block{Figures: small})
	}
	for i := range wide {
		s.Blocks = append(s.Blocks, report.Block{Figure: &wide[i]})
	}
	return s, err
}

// facts puts the result in a few numbers at the top.
func (r *reporter) facts(row accuracyRow, first bool) {
	note := fmt.Sprintf("95 %% CI %s–%s · always naming the largest group gives %s", number3(row.low), number3(row.high), number3(row.majority))
	label := "Accuracy, per participant"
	if first {
		label += " (" + row.setting + ")"
	}
	r.page.Facts = append(r.page.Facts, report.Fact{Value: number3(row.mean), Label: label, Note: note, Share: row.mean, Mark: row.majority, HasBar: true})
	if !math.IsNaN(row.auc) {
		r.page.Facts = append(r.page.Facts, report.Fact{Value: number3(row.auc), Label: "Area under the ROC curve", Note: "0.5 by guessing", Share: row.auc, Mark: 0.5, HasBar: true})
	}
	if !math.IsNaN(row.sensitivity) {
		r.page.Facts = append(r.page.Facts, report.Fact{Value: number3(row.sensitivity) + " / " + number3(row.specificity), Label: "Sensitivity / specificity", Note: "for " + row.positive})
	}
}

// classificationFigures are drawn of what is connected.
func (r *reporter) classificationFigures() (small, wide []report.Figure, err error) {
	var charts []*chartOf
	if len(r.t.All("predictions")) > 0 {
		all, err := readSettings(r.t.All("predictions"))
		if err != nil {
			return nil, nil, err
		}
		roc, err := rocChart(all, "")
		if err != nil {
			return nil, nil, err
		}
		charts = append(charts, confusionChart(all, 0), roc)
	}
	training, err := trainingChart(r.t, 8)
	if err != nil {
		return nil, nil, err
	}
	distributions, err := distributionsChart(r.t.All("distribution"), 8)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range append(charts, training, distributions) {
		if c == nil {
			continue
		}
		f, err := c.figure()
		if err != nil {
			return nil, nil, err
		}
		if f.Wide {
			wide = append(wide, f)
		} else {
			small = append(small, f)
		}
	}
	return small, wide, nil
}
