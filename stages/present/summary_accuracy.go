package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// An accuracyRow is one row of evaluate's summary.
type accuracyRow struct {
	setting, name            string // its coordinates, and in words
	level, positive          string
	folds, participants      float64
	mean, sd, low, high      float64
	majority                 float64
	balanced, auc            float64
	sensitivity, specificity float64
	p, aucP                  float64
}

func readAccuracy(in dag.Input) ([]accuracyRow, error) {
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	setting, err := column.SettingsOf(table, "name", "level")
	if err != nil {
		return nil, err
	}
	name, err := column.NamesOf(table, "level")
	if err != nil {
		return nil, err
	}
	level, err := table.Strings("level")
	if err != nil {
		return nil, err
	}
	positive, err := table.Strings("positive")
	if err != nil {
		return nil, err
	}
	rows := make([]accuracyRow, len(level))
	for i := range rows {
		rows[i].setting, rows[i].name, rows[i].level, rows[i].positive = setting[i], name[i], level[i], positive[i]
	}
	for _, c := range []struct {
		name string
		to   func(*accuracyRow) *float64
	}{
		{"folds", func(r *accuracyRow) *float64 { return &r.folds }},
		{"participants", func(r *accuracyRow) *float64 { return &r.participants }},
		{"accuracy", func(r *accuracyRow) *float64 { return &r.mean }},
		{"sd", func(r *accuracyRow) *float64 { return &r.sd }},
		{"ci_low", func(r *accuracyRow) *float64 { return &r.low }},
		{"ci_high", func(r *accuracyRow) *float64 { return &r.high }},
		{"majority", func(r *accuracyRow) *float64 { return &r.majority }},
		{"balanced_accuracy", func(r *accuracyRow) *float64 { return &r.balanced }},
		{"auc", func(r *accuracyRow) *float64 { return &r.auc }},
		{"sensitivity", func(r *accuracyRow) *float64 { return &r.sensitivity }},
		{"specificity", func(r *accuracyRow) *float64 { return &r.specificity }},
		{"p", func(r *accuracyRow) *float64 { return &r.p }},
		{"auc_p", func(r *accuracyRow) *float64 { return &r.aucP }},
	} {
		if _, ok := table.Column(c.name); !ok && (c.name == "p" || c.name == "auc_p") {
			for i := range rows { // a table of somebody else's
				*c.to(&rows[i]) = math.NaN()
			}
			continue
		}
		v, err := table.Floats(c.name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		for i := range rows {
			*c.to(&rows[i]) = v[i]
		}
	}
	return rows, nil
}

// inOrder sorts settings for people by the accuracy of participants: see compareNamed.
func inOrder(rows []accuracyRow) []accuracyRow {
	accuracy := map[string]float64{}
	for _, r := range rows {
		if r.level == "participant" {
			accuracy[r.setting] = r.mean
		}
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b accuracyRow) int {
		return column.CompareNamed(a.name, b.name, accuracy[a.setting], accuracy[b.setting])
	})
	return rows
}

// accuracySection tells how well the groups were told apart.
func (s *Summary) accuracySection(t *dag.Task, p *page) error {
	if !t.Has("evaluation") {
		return nil
	}
	rows, err := readAccuracy(t.In("evaluation"))
	if err != nil || len(rows) == 0 {
		return err
	}
	at, several, err := headlineOf(rows, ownByName(rows), s.Headline)
	if err != nil {
		return err
	}
	headline := ""
	switch {
	case s.Headline != nil:
		headline = fmt.Sprintf("Headline, as named in the pipeline file: %s, accuracy %s per participant", rows[at].name, report.Share(rows[at].mean))
	case several > 1 && !t.Has("nested"):
		headline = noHeadline(several)
	}
	rows = inOrder(rows)
	var settings, names []string
	for _, r := range rows {
		if !slices.Contains(settings, r.setting) {
			settings, names = append(settings, r.setting), append(names, r.name)
		}
	}
	p.line("")
	p.line("Accuracy on participants who were not trained on; always naming the largest group gives %s", report.Share(rows[0].majority))
	if headline != "" {
		for _, l := range wrap(headline, width-2) {
			p.line("  %s", l)
		}
	}
	if len(settings) > 2 {
		settingLines(p, rows)
		cautionCompared(p, rows)
		return cautionTraining(t, p, ownRows(rows))
	}
	for i, setting := range settings {
		if names[i] != "" && len(settings) > 1 {
			p.line("")
			for _, l := range wrap(names[i], width-2) {
				p.line("  %s", l)
			}
		}
		for _, r := range rows {
			if r.setting != setting {
				continue
			}
			p.line("  %-12s %s (sd %s) over %.0f folds · 95 %% CI %s–%s · balanced %s · AUC %s", r.level, report.Share(r.mean), report.Share(r.sd), r.folds,
				report.Share(r.low), report.Share(r.high), report.Share(r.balanced), report.Share(r.auc))
			if r.level == "participant" {
				cautionAccuracy(p, r, len(settings) > 1)
				p.line("  %-12s %s, of the AUC %s (the groups of the tested permuted)", "", pText(r.p), pText(r.aucP))
				if !math.IsNaN(r.sensitivity) {
					p.line("  %-12s sensitivity %s, specificity %s for %s", "", report.Share(r.sensitivity), report.Share(r.specificity), r.positive)
				}
			}
		}
		if err := foldLines(t, p, setting, rows[0].majority); err != nil {
			return err
		}
	}
	cautionCompared(p, rows)
	return cautionTraining(t, p, ownRows(rows))
}

// settingLines tell many settings, one a line, of participants.
func settingLines(p *page, rows []accuracyRow) {
	p.line("  %-34s %8s %7s  %-11s %8s %6s  %-8s %s", "of participants", "accuracy", "sd", "95 % CI", "balanced", "AUC", "p", "AUC's p")
	untold := 0
	for _, r := range rows {
		if r.level != "participant" {
			continue
		}
		p.line("  %-34s %8s %7s  %-11s %8s %6s  %-8s %s", region.Clip(r.name, 34), report.Share(r.mean), report.Share(r.sd), report.Share(r.low)+"–"+report.Share(r.high), report.Share(r.balanced), report.Share(r.auc),
			pText(r.p), pText(r.aucP))
		if r.low <= r.majority {
			p.untold = append(p.untold, r.setting)
			if !strings.HasPrefix(r.name, column.Classifiers["majority"]) {
				untold++
			}
		}
	}
	p.line("  p: as many right, with the groups of the tested permuted and the models as they are")
	if untold > 0 {
		p.caution("of %d of the settings the confidence interval of the accuracy holds the share of the largest group, or lies below it: they are not shown to tell the groups apart", untold)
	}
}

// cautionAccuracy says what an accuracy does not show.
func cautionAccuracy(p *page, r accuracyRow, several bool) {
	of := ""
	if several {
		of = r.name + ": "
	}
	switch {
	case r.low <= r.majority && r.majority <= r.high:
		p.untold = append(p.untold, r.setting)
		p.caution("%sthe confidence interval of the accuracy (%s–%s) holds the share of the largest group (%s): the groups are not shown to be told apart", of, report.Share(r.low), report.Share(r.high), report.Share(r.majority))
	case r.high < r.majority:
		p.untold = append(p.untold, r.setting)
		p.caution("%sthe accuracy is below the share of the largest group (%s)", of, report.Share(r.majority))
	}
	if r.sensitivity < 0.5 {
		p.caution("%sfewer than half of the group %s are recognised (%s)", of, r.positive, report.Share(r.sensitivity))
	}
	if r.specificity < 0.5 {
		p.caution("%smore than half of those who are not %s are taken for it (%s are not)", of, r.positive, report.Share(r.specificity))
	}
}

// foldLines draws the accuracy of each fold, graphs and participants.
func foldLines(t *dag.Task, p *page, setting string, majority float64) error {
	if !t.Has("scores") {
		return nil
	}
	table, err := t.In("scores").Table()
	if err != nil {
		return err
	}
	of, err := column.SettingsOf(table, "name", "repeat")
	if err != nil {
		return err
	}
	repeat, err := table.Ints("repeat")
	if err != nil {
		return err
	}
	fold, err := table.Ints("fold")
	if err != nil {
		return err
	}
	level, err := table.Strings("level")
	if err != nil {
		return err
	}
	accuracy, err := table.Floats("accuracy")
	if err != nil {
		return err
	}
	const most = 10 // folds; more would hide the rest
	drawn := 0
	for i := range fold {
		if of[i] != setting || level[i] != "participant" {
			continue
		}
		if drawn++; drawn > most {
			p.line("  … and the other folds")
			break
		}
		name := fmt.Sprintf("fold %d", fold[i])
		if slices.Max(repeat) > 1 {
			name = fmt.Sprintf("fold %d.%d", repeat[i], fold[i])
		}
		p.line("  %-12s %s %s of the participants", name, bar(accuracy[i], majority, 40), report.Share(accuracy[i]))
	}
	return nil
}

// cautionCompared counts those among whom a best one may be chosen: the majority class is none.
func cautionCompared(p *page, rows []accuracyRow) {
	compared := map[string]bool{}
	for _, r := range rows {
		if !strings.HasPrefix(r.name, column.Classifiers["majority"]) {
			compared[r.setting] = true
		}
	}
	if len(compared) > 1 {
		p.caution("%d classifiers were compared: the best of them looks better than it is", len(compared))
	}
}

// ownRows are those of PR-GNN, whose histories the summary reads, and not of classifiers to
// compare it with.
func ownRows(rows []accuracyRow) []accuracyRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r accuracyRow) bool {
		for model, name := range column.Classifiers {
			if model != column.PrGNN && strings.HasPrefix(r.name, name) {
				return true
			}
		}
		return false
	})
}

// cautionTraining warns of models that know their training set by heart.
func cautionTraining(t *dag.Task, p *page, rows []accuracyRow) error {
	if err := cautionStuck(t, p); err != nil {
		return err
	}
	var last []float64
	for _, in := range t.All("training") {
		table, err := in.Table()
		if err != nil {
			return err
		}
		v, err := table.Floats("train_accuracy")
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		if len(v) > 0 {
			last = append(last, v[len(v)-1])
		}
	}
	if len(last) == 0 {
		return nil
	}
	trained, _ := column.MeanSD(last)
	tested, n := 0.0, 0.0
	for _, r := range rows {
		if r.level == "graph" {
			tested += r.mean
			n++
		}
	}
	if tested /= n; trained-tested > 0.15 {
		p.caution("the models reach %s on the graphs that they were trained on and %s on the others: they know more of the training set by heart than carries over", report.Share(trained), report.Share(tested))
	}
	return nil
}
