package present

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// A salientRow is one row of biomarkers' ranking.
type salientRow struct {
	setting, name, abbreviation string
	rank                        float64
	score, low, high, frequency float64
	best, worst                 float64
	contrast, p, q              float64
	planted                     float64 // 1, 0, or NaN where the truth is not known
}

func readRanking(in dag.Input) ([]salientRow, error) {
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	rows, err := readNumbers(table, map[string]func(*salientRow) *float64{
		"rank":        func(r *salientRow) *float64 { return &r.rank },
		"score":       func(r *salientRow) *float64 { return &r.score },
		"ci_low":      func(r *salientRow) *float64 { return &r.low },
		"ci_high":     func(r *salientRow) *float64 { return &r.high },
		"frequency":   func(r *salientRow) *float64 { return &r.frequency },
		"model_best":  func(r *salientRow) *float64 { return &r.best },
		"model_worst": func(r *salientRow) *float64 { return &r.worst },
		"contrast":    func(r *salientRow) *float64 { return &r.contrast },
		"p":           func(r *salientRow) *float64 { return &r.p },
		"q":           func(r *salientRow) *float64 { return &r.q },
		"planted":     func(r *salientRow) *float64 { return &r.planted },
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	setting, err := column.SettingsOf(table, "rank")
	if err != nil {
		return nil, err
	}
	name, err := table.Strings("name")
	if err != nil {
		return nil, err
	}
	short, err := table.Strings("abbreviation")
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].setting, rows[i].name, rows[i].abbreviation = setting[i], name[i], short[i]
		if short[i] == name[i] {
			rows[i].abbreviation = ""
		}
	}
	return rows, nil
}

// readNumbers fills one struct a row from columns of numbers.
func readNumbers[R any](t *encoding.Table, columns map[string]func(*R) *float64) ([]R, error) {
	rows := make([]R, t.Rows())
	for _, c := range t.Columns {
		to, ok := columns[c.Name]
		if !ok {
			continue
		}
		v, err := t.Floats(c.Name)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			*to(&rows[i]) = v[i]
		}
		delete(columns, c.Name)
	}
	for name := range columns {
		if _, err := t.Floats(name); err != nil { // it says which columns there are
			return nil, err
		}
	}
	return rows, nil
}

// salientSection ends the text with the regions that the models look at, and how
// sure that is.
func (s *Summary) salientSection(t *dag.Task, p *page) error {
	if !t.Has("ranking") || s.Top == 0 {
		return nil
	}
	rows, err := readRanking(t.In("ranking"))
	if err != nil || len(rows) == 0 {
		return err
	}
	of, said := p.regionsOf(settingsOfRows(rows))
	title := fmt.Sprintf("The %d most salient regions, by %s%s", s.Top, readingOf(t.In("ranking")), said)
	p.line("")
	for _, l := range wrap(title, width) {
		p.line("%s", l)
	}
	if slices.ContainsFunc(p.untold, func(u string) bool { return unstagedText(u) == unstagedText(of) }) {
		p.line("  (of models that are not shown to tell the groups apart: they mark nothing about the groups)")
	}
	p.line("      %-32s %-9s %5s  %-11s  %-10s %s", "", "", "score", "95 % CI", "by model", "kept in")
	regions := 0
	for _, r := range rows {
		if r.setting != of {
			continue
		}
		regions++
		if r.rank > float64(s.Top) {
			continue
		}
		mark := ""
		if r.planted == 1 {
			mark = "  planted"
		}
		p.line("  %3.0f %-32s %-9s %.3f  %-11s  %-10s %3.0f %%%s", r.rank, region.Clip(r.name, 32), region.Clip(r.abbreviation, 9), r.score,
			fmt.Sprintf("%.3f–%.3f", r.low, r.high), fmt.Sprintf("%.0f to %.0f", r.best, r.worst), 100*r.frequency, mark)
	}
	if err := stabilityLines(t, p, of); err != nil {
		return err
	}
	contrastLines(p, rows, of, s.Top)
	if err := recoveryLines(t, p, of, regions); err != nil {
		return err
	}
	if err := nullLines(t, p, of, s.Top); err != nil {
		return err
	}
	return fidelityLines(t, p, of)
}

// nullLines name the regions that stand out from trainings on permuted groups: of a setting, or of
// the first that was compared with them, which is named then.
func nullLines(t *dag.Task, p *page, of string, top int) error {
	if !t.Has("null") {
		return nil
	}
	in := t.In("null")
	table, err := in.Table()
	if err != nil || table.Rows() == 0 {
		return err
	}
	type nullRegion struct{ q, any, permutations float64 }
	rows, err := readNumbers(table, map[string]func(*nullRegion) *float64{
		"q":            func(r *nullRegion) *float64 { return &r.q },
		"p_any":        func(r *nullRegion) *float64 { return &r.any },
		"permutations": func(r *nullRegion) *float64 { return &r.permutations },
	})
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	settings, err := column.SettingsOf(table, "index")
	if err != nil {
		return err
	}
	short, err := table.Strings("abbreviation")
	if err != nil {
		return err
	}
	if !slices.Contains(settings, of) && settings[0] != "" {
		p.line("  Permuted groups: %s", column.ShownSetting(settings[0]))
	}
	if !slices.Contains(settings, of) {
		of = settings[0]
	}
	least, found := 1.0, 0
	var names []string
	for i, r := range rows {
		if settings[i] != of {
			continue
		}
		least = min(least, r.any)
		if r.q < 0.05 {
			if found++; found <= top {
				names = append(names, short[i])
			}
		}
	}
	text := fmt.Sprintf("Beside %.0f trainings on permuted groups no region stands out (%s for the first of them)", rows[0].permutations, pText(least))
	if found > 0 {
		text = fmt.Sprintf("Beside %.0f trainings on permuted groups %d region%s out (q<0.05): %s", rows[0].permutations, found, [2]string{" stands", "s stand"}[min(found-1, 1)], strings.Join(names, ", "))
		if found > len(names) {
			text += " …"
		}
	}
	for _, l := range wrap(text, width-2) {
		p.line("  %s", l)
	}
	return nil
}

// unstagedText takes the name of the stage out of a setting: evaluate takes the
// trainings of several stages, the ranking is of one.
func unstagedText(setting string) string {
	words := strings.Fields(setting)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "stage=") }), " ")
}

// readingOf says in words what a ranking is by.
func readingOf(in dag.Input) string {
	if table, err := in.Table(); err == nil && table.Meta["reading"] == "contrast" {
		return "contrast of the groups"
	}
	return "mean pooling score"
}

// contrastLines name the regions that the models score differently in the groups.
func contrastLines(p *page, rows []salientRow, of string, top int) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r salientRow) bool { return r.setting != of || math.IsNaN(r.q) })
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b salientRow) int { return cmp.Compare(b.contrast, a.contrast) })
	least := math.Inf(1)
	var names []string
	found := 0
	for _, r := range rows {
		least = min(least, r.q)
		if r.q >= 0.05 {
			continue
		}
		if found++; found <= top {
			name := r.abbreviation
			if name == "" {
				name = r.name
			}
			names = append(names, fmt.Sprintf("%s %.2f", name, r.contrast))
		}
	}
	text := fmt.Sprintf("No region is scored differently in the groups (contrast in participants whom a model has not seen; least q %.2f)", least)
	if found > 0 {
		text = fmt.Sprintf("%d region%s scored differently in the groups (contrast in participants whom a model has not seen, q<0.05): %s", found, [2]string{" is", "s are"}[min(found-1, 1)], strings.Join(names, ", "))
		if found > len(names) {
			text += " …"
		}
	}
	for _, l := range wrap(text, width-2) {
		p.line("  %s", l)
	}
}

// An agreementRow is one row of biomarkers' consistency.
type agreementRow struct {
	rankings, k                              float64
	common, commonChance, every, everyChance float64
	kuncheva, spearman, p                    float64
}

// stabilityLines tells how far the models agree on the first regions.
func stabilityLines(t *dag.Task, p *page, of string) error {
	r, ok, err := agreementOf(t, of, "models")
	if err != nil || !ok {
		return err
	}
	for _, l := range wrap(fmt.Sprintf("%.0f models (folds) rank them: of the first %.0f, two models have %.1f in common (%.1f by chance, %s), all have %.0f (%.1f by chance); rank correlation %.2f",
		r.rankings, r.k, r.common, r.commonChance, pText(r.p), r.every, r.everyChance, r.spearman), width-2) {
		p.line("  %s", l)
	}
	return nil
}

// stabilitySection warns of a ranking that another training would change: of the
// setting whose regions are named.
func stabilitySection(t *dag.Task, p *page) error {
	if !t.Has("ranking") || !t.Has("consistency") {
		return nil
	}
	rows, err := readRanking(t.In("ranking"))
	if err != nil || len(rows) == 0 {
		return err
	}
	of, said := p.regionsOf(settingsOfRows(rows))
	r, ok, err := agreementOf(t, of, "models")
	if err != nil || !ok {
		return err
	}
	if r.kuncheva < 0.5 {
		p.caution("of the first %.0f regions%s two models have only %.1f in common, on average: which regions come first depends on the training, and the next one may give others", r.k, said, r.common)
	}
	return nil
}

// agreementOf finds how far the rankings over something agree, of one setting.
func agreementOf(t *dag.Task, setting, over string) (agreementRow, bool, error) {
	if !t.Has("consistency") {
		return agreementRow{}, false, nil
	}
	in := t.In("consistency")
	table, err := in.Table()
	if err != nil {
		return agreementRow{}, false, err
	}
	rows, err := readNumbers(table, map[string]func(*agreementRow) *float64{
		"rankings":      func(r *agreementRow) *float64 { return &r.rankings },
		"k":             func(r *agreementRow) *float64 { return &r.k },
		"common":        func(r *agreementRow) *float64 { return &r.common },
		"common_chance": func(r *agreementRow) *float64 { return &r.commonChance },
		"every":         func(r *agreementRow) *float64 { return &r.every },
		"every_chance":  func(r *agreementRow) *float64 { return &r.everyChance },
		"kuncheva":      func(r *agreementRow) *float64 { return &r.kuncheva },
		"spearman":      func(r *agreementRow) *float64 { return &r.spearman },
		"p":             func(r *agreementRow) *float64 { return &r.p },
	})
	if err != nil {
		return agreementRow{}, false, fmt.Errorf("%s: %w", in.Name, err)
	}
	settings, err := column.SettingsOf(table, "over")
	if err != nil {
		return agreementRow{}, false, err
	}
	what, err := table.Strings("over")
	if err != nil {
		return agreementRow{}, false, err
	}
	for i, r := range rows {
		if settings[i] == setting && what[i] == over {
			return r, true, nil
		}
	}
	return agreementRow{}, false, nil
}

// pText writes a p to the figures that count.
func pText(p float64) string {
	switch {
	case math.IsNaN(p):
		return "p n/a"
	case p < 0.001:
		return "p<0.001"
	case p < 0.0995:
		return fmt.Sprintf("p=%.3f", p)
	}
	return fmt.Sprintf("p=%.2f", p)
}
