package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// readRecovery reads the rankings and references of one setting; none where the port is not connected.
func readRecovery(t *dag.Task, setting string) ([]column.RecoveryRow, error) {
	if !t.Has("recovery") {
		return nil, nil
	}
	rows, err := column.Read[column.RecoveryRow](t.In("recovery"))
	if err != nil {
		return nil, err
	}
	table, err := t.In("recovery").Table()
	if err != nil {
		return nil, err
	}
	settings, err := column.SettingsOf(table, "top")
	if err != nil {
		return nil, err
	}
	var own []column.RecoveryRow
	for i, r := range rows {
		if settings[i] == setting {
			own = append(own, r)
		}
	}
	return own, nil
}

// A verdict compares the trained models' ranking with its references.
type verdict struct {
	trained    column.RecoveryRow
	references []column.RecoveryRow
	equal      []column.RecoveryRow // not distinguishable from it
	ahead      []column.RecoveryRow // do better
	measure    string               // by what: "planted regions found" or "held-out effect"; "" when neither is known
}

// judge compares the ranking by a reading with the untrained models' of that reading and with the references
// without a network: by AUROC where the truth is known, else by the held-out effect, over the models with p < 0.05.
// To beat every reference each single test has to reject, so that no p is corrected for their number
// (intersection-union test, Berger 1982). What looks equal in the text is not told apart.
func judge(rows []column.RecoveryRow, by string) (v verdict, ok bool) {
	for _, r := range rows {
		switch {
		case r.Method == column.TrainedModels && r.By == by:
			v.trained, ok = r, true
		case r.Method == column.UntrainedModels && r.By == by, r.By == "statistic":
			v.references = append(v.references, r)
		}
	}
	if !ok || len(v.references) == 0 {
		return v, false
	}
	known := v.trained.Planted != nil && *v.trained.Planted > 0
	switch {
	case known:
		v.measure = "planted regions found"
	case !math.IsNaN(v.trained.HeldOut):
		v.measure = "held-out effect"
	default:
		return v, false
	}
	for _, r := range v.references {
		switch lead, p := r.Lead(by); {
		case !(p < 0.05) || v.value(r) == v.value(v.trained):
			v.equal = append(v.equal, r)
		case lead < 0:
			v.ahead = append(v.ahead, r)
		}
	}
	return v, true
}

// value is what a ranking is worth, in words.
func (v verdict) value(r column.RecoveryRow) string {
	if v.measure == "held-out effect" {
		return fmt.Sprintf("%.2f", r.HeldOut)
	}
	text := fmt.Sprintf("%d of %d, AUROC %.2f", *r.Found, r.Top, r.AUROC)
	if upsideDown(r) {
		text += fmt.Sprintf(", upside down %.2f", 1-r.AUROC)
	}
	return text
}

const upsideDownText = "An AUROC below 0.5 of untrained scores is a ranking upside down: before training the sign of a score is arbitrary, and 1 − AUROC counts"

// upsideDown reports whether a ranking by untrained scores has the planted regions at its end: before training
// nothing ties the sign of a score to the groups.
func upsideDown(r column.RecoveryRow) bool {
	return r.Method == column.UntrainedModels && r.By == "score" && r.AUROC < 0.5
}

// sentence is the verdict in words; said names the setting, after a blank, where there are several.
func (v verdict) sentence(said string) string {
	reading := map[string]string{"score": "mean pooling score", "contrast": "contrast"}[v.trained.By] + said
	named := func(rows []column.RecoveryRow) string {
		var names []string
		for _, r := range rows {
			names = append(names, fmt.Sprintf("%s (%s)", r.Method, v.value(r)))
		}
		return strings.Join(names, ", ")
	}
	var parts []string
	if v.equal != nil {
		parts = append(parts, "is not distinguishable from "+named(v.equal))
	}
	if v.ahead != nil {
		parts = append(parts, "does worse than "+named(v.ahead))
	}
	if parts == nil {
		parts = []string{"beats every reference"}
	}
	text := fmt.Sprintf("The trained models' ranking by %s (%s %s) %s (corrected resampled t over the models, p<0.05)", reading, v.measure, v.value(v.trained), strings.Join(parts, " and "))
	if len(v.equal)+len(v.ahead) == len(v.references) {
		text += ": it is no evidence that training found anything"
	}
	return text
}

// cautionReferences warns of a ranking that does no better than a reference: of the setting whose regions
// are named, by the reading that they are ranked by.
func cautionReferences(t *dag.Task, p *page, setting, said string) error {
	rows, err := readRecovery(t, setting)
	if err != nil || len(rows) == 0 {
		return err
	}
	if v, ok := judge(rows, rows[0].By); ok && (v.equal != nil || v.ahead != nil) {
		p.caution("t%s", strings.TrimPrefix(v.sentence(said), "T"))
	}
	return nil
}

// referencesSection warns in the summary.
func referencesSection(t *dag.Task, p *page) error {
	if !t.Has("ranking") || !t.Has("recovery") {
		return nil
	}
	rows, err := readRanking(t.In("ranking"))
	if err != nil || len(rows) == 0 {
		return err
	}
	of, said := p.regionsOf(settingsOfRows(rows))
	return cautionReferences(t, p, of, said)
}

// recoveryLines list what each ranking is worth, and say by which the trained models beat the references.
func recoveryLines(t *dag.Task, p *page, setting string, regions int) error {
	rows, err := readRecovery(t, setting)
	if err != nil || len(rows) == 0 {
		return err
	}
	known := rows[0].Planted != nil && *rows[0].Planted > 0
	title := fmt.Sprintf("Rankings and references without training: first %d of %d regions", rows[0].Top, regions)
	if known {
		title += fmt.Sprintf("; %d planted (%.1f of %d by chance)", *rows[0].Planted, float64(rows[0].Top*(*rows[0].Planted))/float64(regions), rows[0].Top)
	}
	p.line("  %s", title)
	p.line("    %-40s %8s %6s %10s %7s %9s", "", "planted", "AUROC", "agreement", "shared", "held-out")
	for _, r := range rows {
		found := "–"
		if known {
			found = fmt.Sprint(*r.Found)
		}
		p.line("    %-40s %8s %6s %10s %7s %9s", r.Name(), found, dashed(r.AUROC, 2), dashed(r.Agreement, 2), dashed(r.Shared(rows[0].By), 0), dashed(r.HeldOut, 2))
	}
	if all := rows[0].All; !math.IsNaN(all) {
		p.line("    %-40s %8s %6s %10s %7s %9s", "all regions", "", "", "", "", dashed(all, 2))
	}
	if slices.ContainsFunc(rows, upsideDown) {
		for _, l := range wrap(upsideDownText, width-2) {
			p.line("  %s", l)
		}
	}
	for _, by := range []string{rows[0].By, rows[1].By} {
		if v, ok := judge(rows, by); ok {
			for _, l := range wrap(v.sentence(""), width-2) {
				p.line("  %s", l)
			}
		}
	}
	return nil
}

// dashed writes a number, or a dash where there is none.
func dashed(x float64, digits int) string {
	if math.IsNaN(x) {
		return "–"
	}
	return report.Fixed(x, digits)
}
