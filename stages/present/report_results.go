package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/fold"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// results is the classification performance.
func (r *reporter) results() (report.Section, error) {
	s := report.Section{ID: "classification", Title: "Classification performance"}
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
	names, err := column.NamesOf(table, "level")
	if err != nil {
		return s, err
	}
	own := r.ownSettings(rows)
	if err := r.headline(rows, names, own); err != nil {
		return s, err
	}
	several := len(slices.Compact(slices.Clone(names))) > 1
	shown := &report.Table{
		Caption: "Accuracy on participants who were not trained on",
		Heads: []report.Head{{Text: "level", Doc: "graph: every draw counts; participant: the mean probability over the draws decides"}, {Text: "accuracy", Number: true, Doc: "mean over the folds"},
			{Text: "SD", Number: true, Doc: "over the folds (n − 1)"}, {Text: "95 % CI", Number: true, Doc: "Wilson's interval of the share of right predictions, pooled over folds, for the number of participants"},
			{Text: "balanced", Number: true, Doc: "mean over the groups of the share of right predictions; mean over the folds"},
			{Text: "AUC", Number: true, Doc: "area under the ROC curve, mean over the folds"}, {Text: "sensitivity", Number: true, Doc: "share of the positive group predicted as such, mean over the folds"}, {Text: "specificity", Number: true, Doc: "share of the other participants not predicted as positive, mean over the folds"}},
		Keys: 1,
	}
	if several {
		shown.Keys = 2
		shown.Heads = append([]report.Head{{Text: "setting"}}, shown.Heads...)
	}
	// The models that the pipeline is about first, then those to compare with.
	order := byAccuracy(rows, names)
	for _, mine := range []bool{true, false} {
		for _, i := range order {
			row := rows[i]
			if own[i] != mine {
				continue
			}
			cells := []report.Cell{{Text: row.level}, {Text: report.Share(row.mean), Strong: row.level == "participant"}, {Text: report.Share(row.sd)},
				{Text: report.Share(row.low) + "–" + report.Share(row.high)}, {Text: report.Share(row.balanced)},
				{Text: report.Share(row.auc)}, {Text: report.Share(row.sensitivity)}, {Text: report.Share(row.specificity)}}
			if several {
				cells = append([]report.Cell{{Text: names[i]}}, cells...)
			}
			shown.Rows = append(shown.Rows, cells)
			if row.level != "participant" || !mine {
				continue
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
	shown.Note = fmt.Sprintf("Every measure is the mean over the folds. Majority class: %s. %.0f participants, %.0f folds. Positive: %s.",
		report.Share(rows[0].majority), rows[0].participants, rows[0].folds, rows[0].positive)
	s.Blocks = append(s.Blocks, report.Block{Table: shown})
	checked, err := leakageText(r.t)
	if err != nil {
		return s, err
	}
	if checked == "" {
		checked = "No stage of this pipeline checks leakage. Training alone refuses a participant on both sides of a split, and one scan under two ids"
	}
	s.Blocks = append(s.Blocks, report.Block{Note: checked + "."})
	nested, err := nestedRows(r.t)
	if err != nil {
		return s, err
	}
	for _, row := range nested {
		if row.level == "participant" {
			s.Blocks = append(s.Blocks, report.Block{Text: fmt.Sprintf("With the setting chosen inside each fold (nested cross-validation): accuracy per participant %s (SD %s), 95 %% CI %s–%s, AUC %s.",
				report.Share(row.mean), report.Share(row.sd), report.Share(row.low), report.Share(row.high), report.Share(row.auc))})
		}
	}
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
		f, err := c.InReport()
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

// headline puts one result at the top: of the setting that the file names, of the only
// one, or of what was chosen inside each fold. Otherwise it says that there is none.
func (r *reporter) headline(rows []accuracyRow, names []string, own []bool) error {
	at, several, err := headlineOf(rows, own, r.Headline)
	if err != nil {
		return err
	}
	if at >= 0 {
		r.first = &rows[at]
		r.facts(rows[at], names[at])
		return nil
	}
	nested, err := nestedRows(r.t)
	if err != nil {
		return err
	}
	for _, row := range nested {
		if row.level == "participant" {
			r.facts(row, "setting chosen inside each fold")
			return nil
		}
	}
	if several > 1 {
		r.page.Facts = append(r.page.Facts, report.Fact{Value: fmt.Sprintf("%d settings", several), Label: "No headline", Note: "Name a setting in the file (headline), or choose inside each fold (choose): never by test performance"})
	}
	return nil
}

// facts puts the result in a few numbers at the top.
func (r *reporter) facts(row accuracyRow, setting string) {
	note := fmt.Sprintf("mean over the folds · 95 %% CI %s–%s · majority class %s", report.Share(row.low), report.Share(row.high), report.Share(row.majority))
	label := "Accuracy, per participant"
	if setting != "" {
		label += " (" + setting + ")"
	}
	r.page.Facts = append(r.page.Facts, report.Fact{Value: report.Share(row.mean), Label: label, Note: note, Share: row.mean, Mark: row.majority, HasBar: true})
	if !math.IsNaN(row.auc) {
		r.page.Facts = append(r.page.Facts, report.Fact{Value: report.Share(row.auc), Label: "Area under the ROC curve", Note: "mean over the folds · 0.5 by chance", Share: row.auc, Mark: 0.5, HasBar: true})
	}
	if !math.IsNaN(row.sensitivity) {
		r.page.Facts = append(r.page.Facts, report.Fact{Value: report.Share(row.sensitivity) + " / " + report.Share(row.specificity), Label: "Sensitivity / specificity", Note: "for " + row.positive + " · mean over the folds"})
	}
}

// classificationFigures are drawn of what is connected.
func (r *reporter) classificationFigures() (small, wide []report.Figure, err error) {
	var charts []*figure.Chart
	if len(r.t.All("predictions")) > 0 {
		all, err := fold.ReadSettings(r.t.All("predictions"))
		if err != nil {
			return nil, nil, err
		}
		slices.SortStableFunc(all.Settings, func(a, b []fold.Tested) int { return r.othersLast(a[0].Coords) - r.othersLast(b[0].Coords) })
		roc, err := figure.DrawROC(all, "")
		if err != nil {
			return nil, nil, err
		}
		shown := max(0, slices.IndexFunc(all.Settings, func(f []fold.Tested) bool {
			return r.first != nil && r.first.is(column.CoordTexts(f[0].Coords))
		}))
		charts = append(charts, figure.DrawConfusion(all, shown), roc)
	}
	training, err := figure.DrawTraining(r.t, 8)
	if err != nil {
		return nil, nil, err
	}
	distributions, err := figure.DrawDistributions(r.t.All("distribution"), 8)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range append(charts, training, distributions) {
		if c == nil {
			continue
		}
		f, err := c.InReport()
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
// parameters of the stages are connected and say so; by its name otherwise.
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
		return ownByName(rows)
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
	slices.SortStableFunc(order, func(a, b int) int {
		return column.CompareNamed(names[a], names[b], accuracy[names[a]], accuracy[names[b]])
	})
	return order
}

// accuracyChart draws the accuracy of each classifier over participants, with its interval.
func accuracyChart(rows []accuracyRow, names []string) *figure.Chart {
	d := chart.Dots{Axis: "accuracy, per participant", Interval: "95 % CI (Wilson)", Mark: math.NaN(), MarkName: "majority class"}
	for _, i := range byAccuracy(rows, names) {
		if r := rows[i]; r.level == "participant" && len(d.Rows) < 40 {
			d.Rows = append(d.Rows, chart.Row{Name: region.Clip(names[i], 40), Value: r.mean, Low: r.low, High: r.high, Chance: math.NaN()})
			d.Mark = r.majority
		}
	}
	if d.Rows == nil {
		return nil
	}
	return &figure.Chart{Figure: d.Figure(), Title: "Accuracy of the classifiers",
		Alt:     fmt.Sprintf("A dot for each of %d classifiers at its accuracy over participants, with the 95 %% interval; a dashed line at the majority class, %s", len(d.Rows), report.Share(d.Mark)),
		Caption: "Accuracy per participant, mean over the folds, with Wilson's 95 % interval (pooled over folds) for the number of participants. Overlap of intervals is no test: compare in pairs."}
}
