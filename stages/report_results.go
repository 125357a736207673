package stages

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
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
	table, err := r.t.In("evaluation").Table()
	if err != nil {
		return s, err
	}
	names, err := namesOf(table, "level")
	if err != nil {
		return s, err
	}
	own := r.ownSettings(rows)
	several := len(slices.Compact(slices.Clone(names))) > 1
	shown := &report.Table{
		Caption: "Accuracy on participants who were not trained on",
		Heads: []report.Head{{Text: "level", Doc: "graph: every draw counts; participant: the mean probability over the draws decides"}, {Text: "accuracy", Number: true, Doc: "mean over the folds"},
			{Text: "SD", Number: true, Doc: "over the folds (n − 1)"}, {Text: "95 % CI", Number: true, Doc: "Wilson's interval for the number of participants"},
			{Text: "balanced", Number: true, Doc: "mean over the groups of the share of right predictions"},
			{Text: "AUC", Number: true, Doc: "area under the ROC curve"}, {Text: "sensitivity", Number: true, Doc: "share of the positive group that was found"}, {Text: "specificity", Number: true, Doc: "share of the others that were not taken for it"}},
		Keys: 1,
	}
	if several {
		shown.Keys = 2
		shown.Heads = append([]report.Head{{Text: "setting"}}, shown.Heads...)
	}
	// The models that the pipeline is about first, then those to compare with.
	compared := 0
	for _, mine := range []bool{true, false} {
		for i, row := range rows {
			if own[i] != mine {
				continue
			}
			cells := []report.Cell{{Text: row.level}, {Text: number3(row.mean), Strong: row.level == "participant"}, {Text: number3(row.sd)},
				{Text: number3(row.low) + "–" + number3(row.high)}, {Text: number3(row.balanced)},
				{Text: number3(row.auc)}, {Text: number3(row.sensitivity)}, {Text: number3(row.specificity)}}
			if several {
				cells = append([]report.Cell{{Text: names[i]}}, cells...)
			}
			shown.Rows = append(shown.Rows, cells)
			if row.level != "participant" || !mine {
				continue
			}
			if compared++; compared == 1 {
				r.facts(row, names[i])
			}
			cautionAccuracy(r.told, row, several)
		}
	}
	if compared > 1 {
		r.told.caution("%d settings were compared: the best of them looks better than it is", compared)
	}
	var mine []accuracyRow
	for i, row := range rows {
		if own[i] {
			mine = append(mine, row)
		}
	}
	if err := cautionTraining(r.t, r.told, mine); err != nil {
		return s, err
	}
	shown.Note = fmt.Sprintf("Always naming the largest group gives %s. %.0f participants, %.0f folds; all graphs of a participant are on one side of every split. Positive: %s.",
		number3(rows[0].majority), rows[0].participants, rows[0].folds, rows[0].positive)
	s.Blocks = append(s.Blocks, report.Block{Table: shown})
	if r.t.Has("scores") {
		folds, err := r.t.In("scores").Table()
		if err != nil {
			return s, err
		}
		each, err := shownTable(folds, 400)
		if err != nil {
			return s, err
		}
		each.Caption = "Each fold"
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: "Each fold", Blocks: []report.Block{{Table: each}}}})
	}
	if err := r.statistics(&s); err != nil {
		return s, err
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
func (r *reporter) facts(row accuracyRow, setting string) {
	note := fmt.Sprintf("95 %% CI %s–%s · always naming the largest group gives %s", number3(row.low), number3(row.high), number3(row.majority))
	label := "Accuracy, per participant"
	if setting != "" {
		label += " (" + setting + ")"
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
		slices.SortStableFunc(all.settings, func(a, b []testedFold) int { return r.othersLast(a[0].coords) - r.othersLast(b[0].coords) })
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

// ownSettings tells of each row whether it is of the model that the pipeline is about,
// and not of one to compare with: whether its stage is of the kind train, where the
// parameters of the stages are connected and say so.
func (r *reporter) ownSettings(rows []accuracyRow) []bool {
	own, found := make([]bool, len(rows)), false
	for i, row := range rows {
		for _, s := range r.set.stages {
			if s.kind == "train" && slices.Contains(strings.Fields(row.setting), "stage="+s.stage) {
				own[i], found = true, true
			}
		}
	}
	if !found {
		for i := range own {
			own[i] = true
		}
	}
	return own
}

// statistics shows the tests and tables that are connected, with what they warn of.
func (r *reporter) statistics(s *report.Section) error {
	for _, section := range []func(*dag.Task, *page) error{permutationSection, comparisonSection, covariatesSection} {
		if err := section(r.t, r.told); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		port, heading, note string
		folded              bool
	}{
		{"permutation", "Could it be luck?", "Trainings with the groups exchanged among the participants, beside those with the groups as they are; p = (b + 1) / (n + 1).", false},
		{"table1", "Variations of the model", "What the paper prints, on its own 118 participants, stands in columns of its own.", false},
		{"table2", "Other classifiers", "What the paper prints, on its own 118 participants, stands in columns of its own.", false},
		{"comparison", "Is one better than another?", "Over the same participants: McNemar's exact test, and the corrected resampled t-test over the folds.", true},
		{"covariates", "What covariates alone tell of the groups", "A classifier may have learnt what age, sex, site or motion tell; 0.5 is the area under the curve by guessing.", false},
	} {
		if !r.t.Has(part.port) {
			continue
		}
		table, err := r.t.In(part.port).Table()
		if err != nil {
			return err
		}
		if table.Rows() == 0 {
			continue
		}
		shown, err := shownTable(table, 400)
		if err != nil {
			return err
		}
		shown.Caption, shown.Note = part.heading, strings.TrimSpace(part.note+" "+shown.Note)
		switch part.port {
		case "table1":
			shown.Keys = 2
		case "comparison":
			shown.Keys = 2
		}
		block := report.Block{Table: shown}
		if part.folded && table.Rows() > 6 {
			block = report.Block{Details: &report.Details{Summary: fmt.Sprintf("All %d pairs", table.Rows()), Blocks: []report.Block{block}}}
		}
		s.Blocks = append(s.Blocks, block)
	}
	return nil
}

// kindOf is the kind of a stage; "" when it is not known.
func (r *reporter) kindOf(stage string) string {
	for _, s := range r.set.stages {
		if s.stage == stage {
			return s.kind
		}
	}
	return ""
}

// othersLast is 1 for a classifier to compare with.
func (r *reporter) othersLast(coords []dag.Coord) int {
	for _, c := range coords {
		if c.Axis == "stage" && r.kindOf(c.Value) == "baseline" {
			return 1
		}
	}
	return 0
}
