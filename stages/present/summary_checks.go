package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// A covariateRow is one row of covariates' checks.
type covariateRow struct {
	n, missing, auc, chance, p float64
}

// covariatesSection tells what covariates alone tell of the groups.
func covariatesSection(t *dag.Task, p *page) error {
	if !t.Has("covariates") {
		return nil
	}
	in := t.In("covariates")
	table, err := in.Table()
	if err != nil {
		return err
	}
	rows, err := readNumbers(table, map[string]func(*covariateRow) *float64{
		"n":       func(r *covariateRow) *float64 { return &r.n },
		"missing": func(r *covariateRow) *float64 { return &r.missing },
		"auc":     func(r *covariateRow) *float64 { return &r.auc },
		"chance":  func(r *covariateRow) *float64 { return &r.chance },
		"p":       func(r *covariateRow) *float64 { return &r.p },
	})
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	names, err := table.Strings("covariate")
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	var parts []string
	for i, r := range rows {
		parts = append(parts, fmt.Sprintf("%s %.2f (%s)", names[i], r.auc, pText(r.p)))
		if r.p < 0.05 {
			p.caution("%s alone tells the groups apart (AUC %.2f, %.2f by chance, %s): a classifier may have learnt it instead of the disorder", names[i], r.auc, r.chance, pText(r.p))
		}
	}
	if parts == nil {
		return nil
	}
	p.line("")
	p.line("What covariates alone tell of the groups (AUC; p over permuted groups)")
	for _, l := range wrap(strings.Join(parts, " · "), width-2) {
		p.line("  %s", l)
	}
	return nil
}

// A permutationRow is one row of permutation's test.
type permutationRow struct {
	seen, mean, most, permutations, p float64
}

// permutationSection tells whether an accuracy could be luck.
func permutationSection(t *dag.Task, p *page) error {
	if !t.Has("permutation") {
		return nil
	}
	in := t.In("permutation")
	table, err := in.Table()
	if err != nil {
		return err
	}
	rows, err := readNumbers(table, map[string]func(*permutationRow) *float64{
		"observed":     func(r *permutationRow) *float64 { return &r.seen },
		"chance_mean":  func(r *permutationRow) *float64 { return &r.mean },
		"chance_95":    func(r *permutationRow) *float64 { return &r.most },
		"permutations": func(r *permutationRow) *float64 { return &r.permutations },
		"p":            func(r *permutationRow) *float64 { return &r.p },
	})
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	names, err := column.NamesOf(table, "measure")
	if err != nil {
		return err
	}
	measure, err := table.Strings("measure")
	if err != nil || len(rows) == 0 {
		return err
	}
	p.line("")
	p.line("Trained %.0f times on permuted groups, of participants: observed, mean and 95th percentile by chance", rows[0].permutations)
	for i, r := range rows {
		if measure[i] == "accuracy" { // the balanced one is in the table
			name := strings.TrimSpace(names[i] + " " + measure[i])
			p.line("  %-50s %s, by chance %s, %s  %s", region.Clip(name, 50), report.Share(r.seen), report.Share(r.mean), report.Share(r.most), pText(r.p))
		}
		if measure[i] == "auc" {
			p.line("  %-50s %s, by chance %s, %s  %s", "  AUC", report.Share(r.seen), report.Share(r.mean), report.Share(r.most), pText(r.p))
			if r.p >= 0.05 && !(rows[max(0, i-2)].p < 0.05) {
				p.caution("%spermuted groups are told apart as well as the groups as they are (%s): the accuracy may be luck", prefix(names[i]), pText(r.p))
			}
		}
	}
	return nil
}

// prefix names a setting at the beginning of a sentence.
func prefix(setting string) string {
	if setting == "" {
		return ""
	}
	return setting + ": "
}

// A pairRow is one row of compare's pairs.
type pairRow struct {
	a, b                               string
	accuracyA, accuracyB, onlyA, onlyB float64
	mcnemar, holm, tp                  float64
}

// comparisonSection tells which settings are better than others.
func comparisonSection(t *dag.Task, p *page) error {
	if !t.Has("comparison") {
		return nil
	}
	in := t.In("comparison")
	table, err := in.Table()
	if err != nil {
		return err
	}
	rows, err := readNumbers(table, map[string]func(*pairRow) *float64{
		"accuracy_a":   func(r *pairRow) *float64 { return &r.accuracyA },
		"accuracy_b":   func(r *pairRow) *float64 { return &r.accuracyB },
		"only_a":       func(r *pairRow) *float64 { return &r.onlyA },
		"only_b":       func(r *pairRow) *float64 { return &r.onlyB },
		"mcnemar_p":    func(r *pairRow) *float64 { return &r.mcnemar },
		"mcnemar_holm": func(r *pairRow) *float64 { return &r.holm },
		"t_p":          func(r *pairRow) *float64 { return &r.tp },
	})
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	a, err := table.Strings("a")
	if err != nil {
		return err
	}
	b, err := table.Strings("b")
	if err != nil || len(rows) == 0 {
		return err
	}
	if _, ok := table.Column("name_a"); ok {
		if a, err = table.Strings("name_a"); err != nil {
			return err
		}
		if b, err = table.Strings("name_b"); err != nil {
			return err
		}
	}
	for i := range rows {
		rows[i].a, rows[i].b = a[i], b[i]
	}
	slices.SortStableFunc(rows, func(x, y pairRow) int {
		return cmp.Or(column.CompareNamed(x.a, y.a, x.accuracyA, y.accuracyA), column.CompareNamed(x.b, y.b, x.accuracyB, y.accuracyB))
	})
	const most = 12 // pairs; the table has them all
	p.line("")
	p.line("Participants whom only the one has right, and only the other; p (McNemar; corrected for %d pair%s)", len(rows), column.Plural(len(rows)))
	for i, r := range rows {
		if i == most {
			p.line("  … and others")
			break
		}
		p.line("  %-50s %.3f to %.3f  %3.0f : %-3.0f  %s (%s)", region.Clip(r.a+" against "+r.b, 50), r.accuracyA, r.accuracyB, r.onlyA, r.onlyB, pText(r.mcnemar), strings.TrimPrefix(strings.TrimPrefix(pText(r.holm), "p"), "="))
	}
	return nil
}

// nestedSection tells the accuracy when the setting is chosen inside each fold.
func nestedSection(t *dag.Task, p *page) error {
	rows, err := nestedRows(t)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.level == "participant" {
			p.line("")
			for _, l := range wrap(fmt.Sprintf("With the setting chosen inside each fold: %s (sd %s) · 95 %% CI %s–%s · AUC %s · %s", report.Share(r.mean), report.Share(r.sd), report.Share(r.low), report.Share(r.high), report.Share(r.auc), pText(r.p)), width) {
				p.line("%s", l)
			}
		}
	}
	return nil
}

// nestedRows are the accuracies of the port nested; none where it is not connected.
func nestedRows(t *dag.Task) ([]accuracyRow, error) {
	if !t.Has("nested") {
		return nil, nil
	}
	return readAccuracy(t.In("nested"))
}

// leakageSection tells that nothing leaked: otherwise there would be no summary.
func leakageSection(t *dag.Task, p *page) error {
	text, err := leakageText(t)
	if err != nil || text == "" {
		return err
	}
	p.line("")
	p.line("%s", text)
	return nil
}

// A checkRow is one check of a leakage stage.
type checkRow struct {
	Comparisons int64 `column:"of"`
	Violations  int64 `column:"found"`
}

// leakageText counts the checks of all leakage stages; "" without one.
func leakageText(t *dag.Task) (string, error) {
	if !t.Has("leakage") {
		return "", nil
	}
	checks, comparisons, violations := 0, int64(0), int64(0)
	for _, in := range t.All("leakage") {
		rows, err := column.Read[checkRow](in)
		if err != nil {
			return "", err
		}
		checks += len(rows)
		for _, r := range rows {
			comparisons, violations = comparisons+r.Comparisons, violations+r.Violations
		}
	}
	if violations > 0 {
		return "", fmt.Errorf("leakage: %d violations; no accuracy is reported", violations)
	}
	return fmt.Sprintf("No leakage: %d check%s, %s comparisons, 0 violations", checks, column.Plural(checks), report.Thousands(float64(comparisons))), nil
}

// A fidelityRow is one row of fidelity.
type fidelityRow struct {
	k, drop, random, p float64
}

// fidelityLines tell whether the answers hang on the marked regions.
func fidelityLines(t *dag.Task, p *page, of string) error {
	if !t.Has("fidelity") {
		return nil
	}
	in := t.In("fidelity")
	table, err := in.Table()
	if err != nil {
		return err
	}
	rows, err := readNumbers(table, map[string]func(*fidelityRow) *float64{
		"k":           func(r *fidelityRow) *float64 { return &r.k },
		"drop":        func(r *fidelityRow) *float64 { return &r.drop },
		"random_drop": func(r *fidelityRow) *float64 { return &r.random },
		"p":           func(r *fidelityRow) *float64 { return &r.p },
	})
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	settings, err := column.SettingsOf(table, "action")
	if err != nil {
		return err
	}
	action, err := table.Strings("action")
	if err != nil {
		return err
	}
	var parts []string
	for i, r := range rows {
		if settings[i] == of {
			parts = append(parts, fmt.Sprintf("%s %.0f: %.3f (%.3f; %s)", action[i], r.k, r.drop, r.random, pText(r.p)))
		}
	}
	if parts == nil {
		return nil
	}
	for _, l := range wrap("Probability that the answer loses without the first regions of each graph, or with them alone (with as many at random): "+strings.Join(parts, " · "), width-2) {
		p.line("  %s", l)
	}
	return nil
}
