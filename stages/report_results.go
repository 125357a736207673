package stages

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/chart"
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
	first := true
	order := byAccuracy(rows, names)
	for _, mine := range []bool{true, false} {
		for _, i := range order {
			row := rows[i]
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
			if first {
				r.facts(row, names[i])
				first = false
			}
			cautionAccuracy(r.told, row, several)
		}
	}
	cautionCompared(r.told, rows)
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
	checked, err := leakageText(r.t)
	if err != nil {
		return s, err
	}
	if checked == "" {
		checked = "No stage of this pipeline checks leakage. Training alone refuses a participant on both sides of a split, and one scan under two ids"
	}
	s.Blocks = append(s.Blocks, report.Block{Note: checked + "."})
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
	if c := accuracyChart(rows, names); c != nil && several {
		f, err := c.figure()
		if err != nil {
			return s, err
		}
		s.Blocks = slices.Insert(s.Blocks, 1, report.Block{Figure: &f})
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

// byAccuracy is the order of compareNamed, by the accuracy over participants.
func byAccuracy(rows []accuracyRow, names []string) []int {
	accuracy := map[string]float64{}
	order := make([]int, len(rows))
	for i, r := range rows {
		order[i] = i
		if r.level == "participant" {
			accuracy[names[i]] = r.mean
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareNamed(names[a], names[b], accuracy[names[a]], accuracy[names[b]]) })
	return order
}

// accuracyChart draws the accuracy of each classifier over participants, with its interval.
func accuracyChart(rows []accuracyRow, names []string) *chartOf {
	d := chart.Dots{Axis: "accuracy, per participant", Interval: "95 % CI (Wilson)", Mark: math.NaN(), MarkName: "majority class"}
	for _, i := range byAccuracy(rows, names) {
		if r := rows[i]; r.level == "participant" && len(d.Rows) < 40 {
			d.Rows = append(d.Rows, chart.Row{Name: clip(names[i], 40), Value: r.mean, Low: r.low, High: r.high, Chance: math.NaN()})
			d.Mark = r.majority
		}
	}
	if d.Rows == nil {
		return nil
	}
	return &chartOf{Figure: d.Figure(), title: "Accuracy of the classifiers",
		alt:     fmt.Sprintf("A dot for each of %d classifiers at its accuracy over participants, with the 95 %% interval; a dashed line at the majority class, %s", len(d.Rows), number3(d.Mark)),
		caption: "Mean accuracy over the folds, with the interval for the number of participants. Intervals that overlap are no test: see the comparison of pairs, over the same participants."}
}
