package present

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// checks is the section of leakage, covariates, training and the quality of each step.
func (a *author) checks() error {
	for _, part := range []func() error{a.leakage, a.covariates, a.training, a.Quality, a.Motion} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// A checkRow is one check of a leakage stage.
type checkRow struct {
	Check       string `column:"check"`
	Comparisons int64  `column:"of"`
	Violations  int64  `column:"found"`
}

// comparisons are what leakage stages should compare, and the check that does.
var comparisons = []struct{ check, words string }{
	{fold.ScansCompared, "volumes of scans"},
	{fold.SignalsCompared, "signals of series"},
	{fold.FeaturesCompared, "features"},
	{fold.PredictionsCompared, "predictions with the folds"},
}

// leakage counts the checks of all leakage stages, and names those that no stage made. A violation lets nothing be
// written.
func (a *author) leakage() error {
	unchecked, err := section.Read[column.Unchecked](a.T, column.UncheckedPort)
	if err != nil {
		return err
	}
	a.unchecked(unchecked)
	if !a.T.Has("leakage") {
		if a.Accuracy != nil || a.Regression != nil {
			a.Caution("No stage of this pipeline checks leakage: one scan under two ids may be in training and test data")
			a.Say("No stage of this pipeline checks leakage. Training alone refuses a participant on both sides of a split, and two participants with the same features; it does not compare scans.")
		}
		return nil
	}
	checks, compared, violations := map[string]bool{}, int64(0), int64(0)
	count := 0
	for _, in := range a.T.All("leakage") {
		table, err := in.Table()
		if err != nil {
			return err
		}
		if err := a.foundIn(table); err != nil {
			return err
		}
		if text := table.Meta[column.AlikeByChance]; text != "" {
			a.Say("%s", text)
		}
		rows, err := column.Read[checkRow](in)
		if err != nil {
			return err
		}
		count += len(rows)
		for _, r := range rows {
			checks[r.Check] = true
			compared, violations = compared+r.Comparisons, violations+r.Violations
		}
	}
	if violations > 0 {
		return fmt.Errorf("leakage: %d violations; no accuracy is reported", violations)
	}
	found, passed := "0 violations", "Leakage checks passed"
	if leaks := len(a.Admitted); leaks > 0 {
		found, passed = words.Count(leaks, "violation")+", admitted", "Leakage checks"
	}
	made := fmt.Sprintf("%s, %s comparisons, %s", words.Count(count, "check"), report.Thousands(float64(compared)), found)
	var missing []string
	for _, c := range comparisons {
		switch {
		case checks[c.check]:
		case c.check == fold.SignalsCompared && checks[fold.MeanSignalsCompared]:
			missing = append(missing, "signals of series after a temporal filter or global signal regression")
		default:
			missing = append(missing, c.words)
		}
	}
	if missing == nil && len(unchecked) == 0 {
		a.Say("%s: %s. No copy of a scan was found under a second id: no two participants share volumes, mean signals, filtered signals of the same regions, or features. Not found are copies that were filtered and also have other regions, or have more noise than signal; those that were interpolated or shuffled in time may be missed. Two scans of one person under two ids are not looked for, unless a caution names them (docs/statistics.md).", passed, made)
		return nil
	}
	said := fmt.Sprintf("Leakage checks: %s.", made)
	if missing != nil {
		a.Caution("The leakage checks of this pipeline did not compare %s", words.Some(missing, len(missing)))
		said += fmt.Sprintf(" Not compared: %s.", words.Some(missing, len(missing)))
	}
	if by := programs(unchecked); by != nil {
		said += fmt.Sprintf(" Not checked: what %s computed from several participants or their labels.", words.Some(by, len(by)))
	}
	a.Say("%s", said)
	return nil
}

// unchecked is a caution of each stage that can read several participants before a test, and whose work is not known.
func (a *author) unchecked(all []column.Unchecked) {
	for _, by := range programs(all) {
		var to []string
		for _, u := range all {
			if u.By == by {
				to = append(to, fmt.Sprintf("%s (input %s)", u.Stage, u.Input))
			}
		}
		a.Weighed(section.Overturns, "No leakage check knows what %s did with the participants or labels that it could read. If it fitted anything to the test participants among them, or used their labels, the performance is too high. It enters %s", by, words.Some(to, 6))
	}
}

// programs are these stages, each once.
func programs(all []column.Unchecked) (by []string) {
	for _, u := range all {
		if !slices.Contains(by, u.By) {
			by = append(by, u.By)
		}
	}
	return by
}

// covariates says how well single covariates distinguish the groups.
func (a *author) covariates() error {
	if a.Who != nil && a.Who.Numbers != nil {
		return a.covariatesOfNumber()
	}
	all, err := section.Read[column.CovariateRow](a.T, "covariates")
	if err != nil || len(all) == 0 {
		return err
	}
	within, err := a.permutedWithin()
	if err != nil {
		return err
	}
	name := func(r column.CovariateRow) string { return covariateName(r.Name) }
	rows, note := varying(a, all, name, func(r column.CovariateRow) bool { return r.AUC == 0.5 && r.Chance == 0.5 })
	if rows == nil {
		a.Say("No covariate was tested.%s", note)
		return nil
	}
	both := found(rows, func(r column.CovariateRow) (string, float64) { return r.Name, r.P })
	of, _ := a.Predicted()
	if of != "group" {
		a.Caution("No covariate was tested against %s, which the models predict: the table of covariates is of the groups of the participants", cmp.Or(section.PlainName(of), "the classes"))
	}
	for _, r := range rows {
		switch {
		case of != "group":
		case !(r.P < 0.05) || both && r.Name == "volumes":
		case r.Name == column.UnusablePattern:
			a.Weighed(section.Overturns, "The groups lack different regions (%s, corrected over the regions): %s. A region without a usable series has the same features in every participant who lacks it, so the classifier may have learned which regions are missing instead of the group difference: leave these regions out of the node list for everybody", report.DrawnPText(r.P, r.Permutations), a.Named(r.Values))
		case r.Name == column.UnusableRegions:
			a.Weighed(section.Overturns, "The groups differ in regions without a usable series: their number alone distinguishes them (AUC %.2f, chance %.2f, %s), and the classifier may have learned which regions are missing instead of the group difference", r.AUC, r.Chance, report.DrawnPText(r.P, r.Permutations))
		default:
			a.Weighed(section.Overturns, "The covariate %s alone distinguishes the groups (AUC %.2f, chance %.2f, %s): the classifier may have learned it instead of the group difference",
				volumes(name(r), r.Name, both), r.AUC, r.Chance, report.DrawnPText(r.P, r.Permutations))
		}
	}
	columns := []section.Column[column.CovariateRow]{
		section.Text("covariate", "", name),
		section.Number("n", "", func(r column.CovariateRow) string { return fmt.Sprint(r.N) }),
		section.Number("missing", "", func(r column.CovariateRow) string { return fmt.Sprint(r.Missing) }),
		section.Number("AUC", "area under the ROC curve of the covariate alone", func(r column.CovariateRow) string { return report.Share(r.AUC) }),
		section.Number("chance", "mean over permutations", func(r column.CovariateRow) string { return report.Share(r.Chance) }),
		section.Number("p", "", func(r column.CovariateRow) string { return report.DrawnP(r.P, r.Permutations) }),
		section.Number("q", "false discovery rate over the covariates", func(r column.CovariateRow) string { return report.Probability(r.Q) }),
	}
	if a.Pictures {
		columns = slices.Insert(columns, 1, section.Text("values", "numbers: mean (SD)",
			func(r column.CovariateRow) string { return a.Named(r.Values) }))
	}
	t := section.TableOf("Covariates alone", 1, rows, columns...)
	t.Note = "p: labels permuted" + times(rows[0].Permutations) + within + ". AUC: in the direction in which it is larger, so its chance level is above 0.5."
	if slices.ContainsFunc(rows, func(r column.CovariateRow) bool { return math.IsNaN(r.AUC) }) {
		t.Note += " AUC n/a: known in one group only."
	}
	if slices.ContainsFunc(rows, func(r column.CovariateRow) bool { return math.IsNaN(r.P) && !math.IsNaN(r.AUC) }) {
		t.Note += " n/a: no permutation" + cutWithin(within) + " changes the AUC."
	}
	t.Note += note
	a.Table(t, "gives how well each covariate alone distinguishes the groups: a classifier may learn age, sex, site or motion instead of the group difference.")
	return nil
}

// covariatesOfNumber says how covariates go with the number to predict.
func (a *author) covariatesOfNumber() error {
	all, err := section.Read[column.NumberCovariateRow](a.T, "covariates")
	if err != nil || len(all) == 0 {
		return err
	}
	within, err := a.permutedWithin()
	if err != nil {
		return err
	}
	name := func(r column.NumberCovariateRow) string { return covariateName(r.Name) }
	rows, note := varying(a, all, name, func(r column.NumberCovariateRow) bool { return math.IsNaN(r.R) })
	if rows == nil {
		a.Say("No covariate was tested.%s", note)
		return nil
	}
	both := found(rows, func(r column.NumberCovariateRow) (string, float64) { return r.Name, r.P })
	for _, r := range rows {
		if r.P < 0.05 && !(both && r.Name == "volumes") {
			a.Weighed(section.Overturns, "The covariate %s is associated with %s (%s %s, %s): a model may have learned it instead of %[2]s", volumes(name(r), r.Name, both), a.Number,
				coefficient(r), report.Share(r.R), report.DrawnPText(r.P, r.Permutations))
		}
	}
	t := section.TableOf("Covariates", 1, rows,
		section.Text("covariate", "", name),
		section.Number("n", "", func(r column.NumberCovariateRow) string { return fmt.Sprint(r.N) }),
		section.Number("missing", "", func(r column.NumberCovariateRow) string { return fmt.Sprint(r.Missing) }),
		section.Text("coefficient", "r: Pearson's correlation; η: correlation ratio of a category", coefficient),
		section.Number("value", "", func(r column.NumberCovariateRow) string { return report.Share(r.R) }),
		section.Number("p", "", func(r column.NumberCovariateRow) string { return report.DrawnP(r.P, r.Permutations) }),
		section.Number("q", "false discovery rate over the covariates", func(r column.NumberCovariateRow) string { return report.Probability(r.Q) }))
	t.Note = fmt.Sprintf("p: %s permuted%s%s. r: Pearson's correlation; η: correlation ratio of a category, never below 0.", a.Number, times(rows[0].Permutations), within) + note
	a.Table(t, fmt.Sprintf("gives the association of each covariate with %s: a model may learn age, sex, site or motion instead.", a.Number))
	return nil
}

// times is a number of permutations in a sentence; "" where it is not known.
func times(permutations int32) string {
	if permutations < 1 {
		return ""
	}
	return fmt.Sprintf(" %s times", report.Thousands(float64(permutations)))
}

// found reports whether both the volumes that were scanned and those that were kept have p < 0.05: of the length of
// scans there is one caution.
func found[R any](rows []R, of func(R) (name string, p float64)) bool {
	n := 0
	for _, r := range rows {
		if name, p := of(r); (name == "volumes" || name == "kept") && p < 0.05 {
			n++
		}
	}
	return n == 2
}

// volumes is the name of a covariate in a caution, which may be that of both numbers of volumes.
func volumes(shown, name string, both bool) string {
	if both && name == "kept" {
		return "volumes (scanned and kept)"
	}
	return shown
}

// permutedWithin says within what labels were permuted for the covariates, and repeats the cautions of their table;
// "" for over all participants.
func (a *author) permutedWithin() (string, error) {
	table, err := a.T.In("covariates").Table()
	if err != nil {
		return "", err
	}
	if of, _ := a.Predicted(); of == "group" {
		if err := a.foundIn(table); err != nil {
			return "", err
		}
	}
	switch by := table.Meta["within"]; by {
	case "":
		return "", nil
	case "site":
		return " within sites (those of site over all participants)", nil
	default:
		return fmt.Sprintf(" within the values of %s (those of %[1]s over all participants)", covariateName(by)), nil
	}
}

// cutWithin is what permutedWithin says, without the exception.
func cutWithin(within string) string {
	text, _, _ := strings.Cut(within, " (")
	return text
}

// foundIn adds the findings of a table.
func (a *author) foundIn(table *encoding.Table) error {
	all, err := finding.Of(table.Meta)
	a.Find(all...)
	return err
}

func coefficient(r column.NumberCovariateRow) string {
	if r.Kind == "category" {
		return "η"
	}
	return "r"
}

// covariateName is the name of a covariate for people.
func covariateName(name string) string {
	return section.PlainName(section.OrItself(participants.CovariateNames, name))
}

// varying are the covariates that were tested; the note names those that are constant, and the columns of the
// participants that are no covariates.
func varying[R any](a *author, all []R, name func(R) string, constant func(R) bool) (rows []R, note string) {
	var same, others []string
	shown := map[string]bool{}
	for _, r := range all {
		if shown[name(r)] = true; constant(r) {
			same = append(same, name(r))
		} else {
			rows = append(rows, r)
		}
	}
	for _, p := range a.Properties {
		if n := covariateName(p); !shown[n] {
			others = append(others, n)
		}
	}
	if same != nil {
		note = " The same in all participants: " + strings.Join(same, ", ") + "."
	}
	if others != nil {
		note += " Not tested: " + strings.Join(others, ", ") + "."
	}
	return rows, note
}

// stuckSkill is the least skill of a training that has learned something: the share of the way from the majority
// rate to 1 that its training accuracy goes, (accuracy − majority)/(1 − majority). As a chance-corrected
// agreement, values to 0.2 are called slight (Landis and Koch, Biometrics 33 (1977), 159). With a majority of 0.636
// the threshold is an accuracy of 0.709.
const stuckSkill = 0.2

// An epochRow is one epoch of a training (train's history).
type epochRow struct {
	Accuracy float64 `column:"train_accuracy"`
	Majority float64 `column:"majority,optional"`
}

// A trained is the end of one training.
type trained struct {
	model   string // of column.Classifiers; "" where the history names none
	name    string
	end     epochRow
	mixed   bool // the accuracy is of mixed graphs
	unknown bool // whether the graphs were learned
}

// trainings are the last epochs of all networks; a history without rows is of a classifier that has no epochs.
func (a *author) trainings() (all []trained, err error) {
	stages := map[string][]string{} // by model
	for _, in := range a.T.All("training") {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		rows, err := column.Read[epochRow](in)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			continue
		}
		model, mixed := table.Meta["model"], table.Meta[column.MixedTraining] != ""
		if _, ok := table.Column("glc"); ok { // the group-level loss is PR-GNN's own
			model = column.PrGNN
		}
		end := rows[len(rows)-1]
		all = append(all, trained{model: model, end: end, mixed: mixed, unknown: mixed || math.IsNaN(end.Majority)})
		if stage := in.Coord("stage"); !slices.Contains(stages[model], stage) {
			stages[model] = append(stages[model], stage)
		}
	}
	i := 0
	for _, in := range a.T.All("training") {
		if table, err := in.Table(); err != nil || table.Rows() == 0 {
			continue
		}
		model := all[i].model
		coords := slices.DeleteFunc(slices.Clone(in.Coords), func(c dag.Coord) bool {
			return model != "" && (c.Axis == "stage" && len(stages[model]) == 1 || c.Axis == "model")
		})
		parts := slices.DeleteFunc([]string{section.OrItself(column.Classifiers, model), section.MemberText(coords)},
			func(s string) bool { return s == "" })
		all[i].name = cmp.Or(strings.Join(parts, ", "), "the model")
		i++
	}
	return all, nil
}

// training warns of networks that did not learn, and of those that learned by heart.
func (a *author) training() error {
	all, err := a.trainings()
	if err != nil || len(all) == 0 {
		return err
	}
	var stuck, unknown []string
	judged, least := 0, 1.0
	for _, t := range all {
		if t.unknown {
			unknown = append(unknown, t.name)
			continue
		}
		judged++
		if threshold := t.end.Majority + float64(stuckSkill*(1-t.end.Majority)); t.end.Accuracy < threshold {
			stuck, least = append(stuck, fmt.Sprintf("%s (%.3f)", t.name, t.end.Accuracy)), min(least, threshold)
		}
	}
	if stuck != nil {
		a.Weighed(section.Overturns, "%d of %s did not learn their training graphs: %s; training accuracy (running mean over the batches of the last epoch) below %.3f, a fifth of the way from the majority rate to 1. The predictions and regions of such a model depend little on training", len(stuck), words.Count(judged, "model"), words.Some(stuck, 8), least)
	}
	if unknown != nil {
		a.Say("Whether %s learned the training graphs is not known: %s (no majority rate in the history, or accuracies of mixed graphs, which are lower than those of the graphs).",
			words.Count(len(unknown), "model"), words.Some(unknown, 6))
	}
	a.learned(all)
	return nil
}

// learned sets the accuracy on training graphs beside that on test graphs, of the classifier that the page is about.
func (a *author) learned(all []trained) {
	tested, trained := map[string][]float64{}, map[string][]float64{} // by model
	named := map[string]string{}
	for _, r := range a.Accuracy {
		if r.Own && r.Level == "graph" {
			model := finding.ModelOf(r.Title)
			if tested[model] = append(tested[model], r.Accuracy); r.Title != "" {
				named[model] = " of " + column.Classifiers[model]
			}
		}
	}
	mixed := map[string]bool{}
	for _, t := range all {
		model := cmp.Or(t.model, column.PrGNN)
		trained[model] = append(trained[model], t.end.Accuracy)
		mixed[model] = mixed[model] || t.mixed
	}
	for _, model := range slices.Sorted(maps.Keys(tested)) {
		if trained[model] == nil || mixed[model] {
			continue
		}
		of, _ := column.MeanSD(trained[model])
		on, _ := column.MeanSD(tested[model])
		a.Say("Accuracy%s per graph is %s on training graphs (running mean over the batches of the last epoch, while the weights change; mean over %s) and %s on test graphs.", named[model], report.Share(of), words.Count(len(trained[model]), "model"), report.Share(on))
		if of-on > 0.15 {
			a.Weighed(section.Notes, "Overfitting: accuracy%s %s on training graphs, %s on test graphs", named[model], report.Share(of), report.Share(on))
		}
	}
}
