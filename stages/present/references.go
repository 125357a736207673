package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A verdict compares the trained models' ranking with its references.
type verdict struct {
	trained    column.RecoveryRow
	references []column.RecoveryRow
	equal      []column.RecoveryRow // not significantly different from it
	ahead      []column.RecoveryRow // do better
	tested     bool                 // some reference has a p: it takes several models
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
		lead, p := r.Lead(by)
		v.tested = v.tested || !math.IsNaN(p)
		switch {
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
		return report.Fixed(r.HeldOut, 2)
	}
	text := fmt.Sprintf("%d of %d, AUROC %.2f", *r.Found, r.Top, r.AUROC)
	if upsideDown(r) {
		text += fmt.Sprintf(", inverted %.2f", 1-r.AUROC)
	}
	return text
}

const upsideDownText = "An AUROC below 0.5 of untrained scores is an inverted ranking: before training the sign of a score is arbitrary, so 1 − AUROC is compared"

// upsideDown reports whether a ranking by untrained scores has the planted regions at its end: before training
// nothing ties the sign of a score to the groups.
func upsideDown(r column.RecoveryRow) bool {
	return r.Method == column.UntrainedModels && r.By == "score" && r.AUROC < 0.5
}

// against names references with their values and the p of the trained models' lead over each.
func (v verdict) against(rows []column.RecoveryRow) string {
	var names []string
	for _, r := range rows {
		text := fmt.Sprintf("%s (%s", r.Method, v.value(r))
		_, p := r.Lead(v.trained.By)
		switch {
		case !v.tested:
		case math.IsNaN(p):
			text += "; the same lead in every model"
		case p < 0.05 && v.value(r) == v.value(v.trained):
			text += "; equal to these digits"
		default:
			text += "; " + report.P(p)
		}
		names = append(names, text+")")
	}
	return strings.Join(names, ", ")
}

// reading is what the trained models' ranking is by.
func (v verdict) reading() string {
	return map[string]string{"score": "mean pooling score", "contrast": "contrast"}[v.trained.By]
}

// caution is the verdict in short, where the trained models do not beat every reference. regions is how many are
// ranked. A ranking that is worse than a reference, or has no more planted regions than a random one, names no regions.
func (v verdict) caution(said string, regions int) (weight section.Weight, text string) {
	weight, text = section.Limits, fmt.Sprintf("The trained models' ranking of regions by %s%s", v.reading(), said)
	measure := " (" + v.measure + ")"
	if r := v.trained; r.Planted != nil && *r.Planted > 0 {
		chance := float64(r.Top*(*r.Planted)) / float64(regions)
		text += fmt.Sprintf(" has %d of %s among the top %d, %.1f by chance", *r.Found,
			words.Count(int(*r.Planted), "planted region"), r.Top, chance)
		if measure = ""; float64(*r.Found) <= chance {
			weight = section.Overturns
			text += ": no more than a random ranking"
		}
		text += ". It"
	}
	names := func(rows []column.RecoveryRow) string {
		return words.Some(lists.Map(rows, func(r column.RecoveryRow) string { return r.Method }), 6)
	}
	var parts []string
	if v.ahead != nil {
		weight = section.Overturns
		parts = append(parts, "is worse than that of "+names(v.ahead))
	}
	if v.equal != nil {
		parts = append(parts, "is not shown to be better than that of "+names(v.equal))
	}
	return weight, text + " " + strings.Join(parts, ", and ") + measure
}

// sentence is the verdict in words; said names the setting, after a blank, where there are several.
func (v verdict) sentence(said string) string {
	text := fmt.Sprintf("The trained models' ranking by %s (%s %s) ", v.reading()+said, v.measure, v.value(v.trained))
	const none = "there is no evidence that training improved the ranking"
	if !v.tested {
		return text + fmt.Sprintf("was not tested against %s (the test needs several models whose leads differ): %s", v.against(v.references), none)
	}
	var parts []string
	if v.equal != nil {
		parts = append(parts, "does not differ significantly from "+v.against(v.equal))
	}
	if v.ahead != nil {
		parts = append(parts, "is worse than "+v.against(v.ahead))
	}
	if parts == nil {
		parts = []string{"beats every reference: " + v.against(v.references)}
	}
	text += strings.Join(parts, " and ")
	if len(v.equal)+len(v.ahead) == len(v.references) {
		text += ": " + none
	}
	return text + ". Test: corrected resampled t-test of the lead over the models, two-sided, level 0.05"
}

// fewHeldOut is how many participants of each group a fold should test at least: of two, the difference of the
// groups' means has a standard error of 0.7 SD or more.
const fewHeldOut = 3

// recovered shows what the rankings of each setting are worth, and says whether training
// beats the references.
func (a *author) recovered(first []column.RankingRow, said string) error {
	type row = column.RecoveryRow
	rows, err := section.Read[row](a.T, "recovery")
	if err != nil || len(rows) == 0 {
		return err
	}
	setting := slices.DeleteFunc(slices.Clone(rows),
		func(r row) bool { return !slices.Equal(r.Coords, first[0].Coords) })
	if len(setting) == 0 {
		setting = rows
	} else {
		for i, by := range []string{setting[0].By, setting[min(1, len(setting)-1)].By} {
			if v, ok := judge(setting, by); ok && (i == 0 || by != setting[0].By) {
				a.Say("%s.", v.sentence(said))
				if i == 0 && (v.equal != nil || v.ahead != nil) {
					weight, text := v.caution(said, len(first))
					a.Weighed(weight, "%s", text)
				}
			}
		}
	}
	if least := setting[0].TestedLeast; least > 0 && least < fewHeldOut {
		tests := fmt.Sprintf("a fold tests only %s of a group", words.Count(int(least), "participant"))
		switch {
		case !math.IsNaN(setting[0].HeldOut):
			a.Caution("Held-out effects of regions are noisy: %s", tests)
		case slices.ContainsFunc(setting, func(r row) bool { return r.By == "statistic" }): // features are connected
			a.Weighed(section.Notes, "No held-out effects of regions: %s, and with fewer than three degrees of freedom a difference in SDs has no finite variance (Hedges 1981)", tests)
		}
	}
	leading := map[string]string{} // reading of the first ranking of each setting
	for _, r := range rows {
		if name := column.CoordText(r.Coords); leading[name] == "" {
			leading[name] = r.By
		}
	}
	measures := []section.Column[row]{
		section.Number("agreement", "Kuncheva's index of the top regions between models; 0 by chance, 1 for the same regions", func(r row) string { return report.Fixed(r.Agreement, 2) }),
		section.Number("shared", "top regions that are also top in the trained models' ranking in the first row", func(r row) string {
			return report.Fixed(r.Shared(leading[column.CoordText(r.Coords)]), 0)
		}),
		section.Number("held-out", "difference between the groups in test participants, in SDs, over the features of the top regions; ranking and direction from training participants; 0 by chance", func(r row) string { return report.Fixed(r.HeldOut, 2) })}
	// of real data nobody knows the truth
	if slices.ContainsFunc(rows, func(r row) bool { return r.Planted != nil && *r.Planted > 0 }) {
		measures = append([]section.Column[row]{
			section.Number("planted", "planted regions among the top ones", func(r row) string {
				if r.Planted == nil || *r.Planted == 0 {
					return "n/a"
				}
				return fmt.Sprintf("%d of %d", *r.Found, r.Top)
			}),
			section.Number("AUROC", "chance that a planted region has a higher value than another one", func(r row) string { return report.Fixed(r.AUROC, 2) }),
		}, measures...)
	}
	columns := section.Keyed("setting", func(r row) string { return section.SettingName(r.Coords) }, rows,
		slices.Insert(measures, 0, section.Text("ranking", "", func(r row) string { return r.Name() }))...)
	t := section.TableOf(fmt.Sprintf("Rankings of the regions and references without a network, top %d of %d", setting[0].Top, len(first)), len(columns)-len(measures), rows, columns...)
	if known := setting[0].Planted; known != nil && *known > 0 {
		t.Note = fmt.Sprintf("%s; %.1f of %d by chance. ", words.Count(int(*known), "planted region"),
			float64(setting[0].Top*(*known))/float64(len(first)), setting[0].Top)
	}
	t.Note += "Untrained models: architecture, folds and starting weights of the trained ones. Welch's t-test and ridge regression: in the training participants of each fold, averaged over folds; two folds share most of these participants, so their agreement is higher than that of rankings from test participants."
	if a.many() {
		t.Note += " Welch's t-test: of each feature the two groups with the largest |t|; the held-out difference is of the same two."
	}
	if slices.ContainsFunc(setting, upsideDown) {
		t.Note += " " + upsideDownText + "."
	}
	if all := setting[0].All; !math.IsNaN(all) {
		t.Note += fmt.Sprintf(" Over all regions the held-out effect is %s.", report.Fixed(all, 2))
	}
	a.Table(t, "compares the rankings with references without a network, or before its training.")
	return nil
}
