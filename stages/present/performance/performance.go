package performance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
	"prgnn/stages/present/tables"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// Describe writes the section on accuracies and their tests.
func (a *Results) Describe() error {
	if len(a.Accuracy) == 0 {
		return nil
	}
	rows := a.PerParticipant()
	first := a.Accuracy[0]
	t := section.TableOf("Performance on test participants", 1, rows,
		classifierColumn,
		accuracyColumn,
		intervalColumn,
		foldsColumn,
		permutedColumn(rows),
		section.Number("balanced", "balanced accuracy: mean over the groups of the share of correct predictions, mean over the folds", func(r Row) string { return report.Share(r.Balanced) }),
		areaColumn,
		section.Number("sens./spec.", "sensitivity and specificity for "+first.Positive+", mean over the folds", func(r Row) string {
			if math.IsNaN(r.Sensitivity) {
				return "n/a"
			}
			return report.Share(r.Sensitivity) + "/" + report.Share(r.Specificity)
		}))
	same := sameTested(rows)
	if same {
		t.Note = fmt.Sprintf("%s, %s. Majority-class rate: %s, the share of the largest class among the tested participants.",
			words.Count(int(first.Folds), "fold"), words.Count(int(first.Participants), "participant"),
			report.Share(first.Majority))
	} else {
		t.Note = "The classifiers were not tested on the same participants: the rows cannot be compared."
	}
	retrained := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return len(a.Retrained(r)) == 0 })
	if len(retrained) > 0 {
		t.Note += " A permutation test below gives the p that counts for " +
			words.Some(lists.Map(retrained, func(r Row) string { return section.InSentence(r.Called()) }), 8) + "."
	}
	t.Note += testsOf(rows)
	if slices.ContainsFunc(rows, Row.IsMajority) {
		t.Note += " The majority classifier predicts the largest class of the training participants."
	}
	if first.Positive == "n/a" { // more than two groups
		t.Note += " Accuracy and its 95 % CI are pooled over the folds; balanced accuracy and AUC are means over the folds. AUC: mean over the groups, each against the rest. Sensitivity and specificity need two groups, or evaluate's parameter positive."
	} else {
		t.Note += fmt.Sprintf(" Positive: %s. Accuracy and its 95 %% CI are pooled over the folds; balanced accuracy, AUC, sensitivity and specificity are means over the folds.", first.Positive)
	}
	a.Table(t, "gives the performance per participant"+a.byDraws(", by the mean probability over the participant's draws")+".")
	a.Supplement(intervals(rows, first.Positive))
	if !same {
		a.Table(section.TableOf("Tested participants of each classifier", 1, rows,
			classifierColumn,
			section.Number("n", "participants tested", func(r Row) string { return fmt.Sprint(r.Participants) }),
			section.Number("folds", "", func(r Row) string { return fmt.Sprint(r.Folds) }),
			section.Number("majority-class rate", "share of the largest class among the tested participants", func(r Row) string { return report.Share(r.Majority) })),
			"gives the test participants of each classifier.")
	}
	a.eachLevel()
	a.CautionAccuracy()
	if err := a.cautionOneGroup(); err != nil {
		return err
	}
	if nested, err := a.Nested(); err != nil {
		return err
	} else if r := nested; r != nil {
		if above, _ := a.AboveChance(*r); !above {
			a.Unproven = append(a.Unproven, strings.Join(unstaged(r.Setting), " "))
		}
		a.Say("With the setting chosen inside each fold (nested cross-validation), accuracy per participant is %s, 95 %% CI %s (over the folds %s), AUC %s.",
			report.Share(r.Accuracy), report.Range(r.Low, r.High), section.PlusMinus(r.FoldMean, r.FoldSD),
			report.Share(r.AUC))
	}
	if err := a.folds(); err != nil {
		return err
	}
	for _, part := range []func() error{a.permutation, a.comparison, a.leftOut, a.published, a.paperTables} {
		if err := part(); err != nil {
			return err
		}
	}
	return a.performanceFigures(rows)
}

// intervals is the table of measures with their confidence intervals.
func intervals(rows []Row, positive string) *report.Table {
	of := func(value, low, high func(Row) float64) func(Row) string {
		return func(r Row) string {
			if math.IsNaN(low(r)) {
				return report.Share(value(r))
			}
			return report.Share(value(r)) + " (" + report.Range(low(r), high(r)) + ")"
		}
	}
	columns := []section.Column[Row]{classifierColumn,
		section.Number("accuracy", "pooled over the folds", of(func(r Row) float64 { return r.Accuracy },
			func(r Row) float64 { return r.Low }, func(r Row) float64 { return r.High })),
		section.Number("balanced accuracy", "mean over the folds", of(func(r Row) float64 { return r.Balanced },
			func(r Row) float64 { return r.BalancedLow }, func(r Row) float64 { return r.BalancedHigh })),
		section.Number("AUC", "mean over the folds", of(func(r Row) float64 { return r.AUC },
			func(r Row) float64 { return r.AUCLow }, func(r Row) float64 { return r.AUCHigh }))}
	if positive != "n/a" {
		columns = append(columns,
			section.Number("sensitivity", "for "+positive+", mean over the folds", of(func(r Row) float64 { return r.Sensitivity },
				func(r Row) float64 { return r.SensLow }, func(r Row) float64 { return r.SensHigh })),
			section.Number("specificity", "for "+positive+", mean over the folds", of(func(r Row) float64 { return r.Specificity },
				func(r Row) float64 { return r.SpecLow }, func(r Row) float64 { return r.SpecHigh })),
			section.Number("Brier score", "mean of (probability − outcome)² over the participants", of(func(r Row) float64 { return r.Brier },
				func(r Row) float64 { return r.BrierLow }, func(r Row) float64 { return r.BrierHigh })))
	}
	t := section.TableOf("Measures with 95 % confidence intervals", 1, rows, columns...)
	t.Note = "Each interval is of the expected value for models trained on as many participants as in each fold, not of these models. An interval is not a test."
	return t
}

// Columns that the tables of performance share.
var (
	classifierColumn = section.Text("classifier", "", func(r Row) string {
		if r.Leaks {
			return r.Called() + " (leakage, admitted)"
		}
		return r.Called()
	})
	accuracyColumn = section.Strong(section.Number("accuracy", "share of correct predictions, pooled over the folds",
		func(r Row) string { return report.Share(r.Accuracy) }))
	intervalColumn = section.Number("95 % CI", "of the expected accuracy of models trained on as many participants as in each fold",
		func(r Row) string { return report.Range(r.Low, r.High) })
	foldsColumn = section.Number("over folds", "accuracy of each fold: mean ± standard deviation (n − 1) over the folds",
		func(r Row) string { return section.PlusMinus(r.FoldMean, r.FoldSD) })
	areaColumn = section.Number("AUC", "area under the ROC curve, mean over the folds", func(r Row) string { return report.Share(r.AUC) })
)

// permutedColumn is the p of accuracies.
func permutedColumn(rows []Row) section.Column[Row] {
	return section.Number("p", "of the accuracy."+testsOf(rows), func(r Row) string { return testedP(r, r.P) })
}

// testedP is a p of evaluate; n/a where its table does not state the test.
func testedP(r Row, p float64) string {
	if r.Test == "" {
		return "n/a"
	}
	return report.DrawnP(p, r.Permutations)
}

// testsOf says how the p of classifiers were computed, in sentences.
func testsOf(rows []Row) (text string) {
	names, counts := map[string][]string{}, map[string][]int32{}
	for _, r := range perParticipant(rows) {
		names[r.Test] = append(names[r.Test], section.InSentence(r.Called()))
		counts[r.Test] = append(counts[r.Test], r.Permutations)
	}
	for _, c := range []struct{ test, how string }{
		{fold.Retrained, "the models were retrained on %s permutations of the labels"},
		{fold.PerFold, "test labels were permuted %s times fold by fold, without retraining, and p combines most of the folds: conservative, a test with retrained models (kind permutation, docs/statistics.md gives the lines) finds smaller effects"},
	} {
		slices.Sort(counts[c.test])
		times := lists.Map(slices.Compact(counts[c.test]), func(n int32) string { return report.Thousands(float64(n)) })
		how := fmt.Sprintf(c.how, strings.Join(times, " or "))
		if of := names[c.test]; len(of) == len(rows) {
			text += " In the test against chance, " + how + "."
		} else if of != nil {
			text += " In the test of " + words.Some(of, 8) + ", " + how + "."
		}
	}
	text += ofFirst("accuracy", lists.Map(rows, func(r Row) string {
		of := section.InSentence(r.Called()) + " " + report.Share(r.TestAccuracy)
		return map[bool]string{true: of}[r.TestFolds > 0]
	}))
	if of := names[""]; of != nil {
		text += " Without a test against chance: " + words.Some(of, 8) + "."
	}
	return text
}

// ofFirst says that p is of the first repeat, with the measure of each model there: "" for a model tested in all folds.
func ofFirst(measure string, models []string) string {
	models = slices.DeleteFunc(models, func(m string) bool { return m == "" })
	if len(models) == 0 {
		return ""
	}
	return fmt.Sprintf(" p is of the first repeat only, with the %s %s; the other measures are of all repeats.", measure,
		words.Some(models, 8))
}

// eachLevel adds the accuracies per graph beside those per participant, where they differ.
func (a *Results) eachLevel() {
	rows, caption := a.Accuracy, "Performance per graph and per participant"
	if people := a.PerParticipant(); sameLevels(rows, people) {
		rows, caption = people, "Further measures of performance; per graph they are the same"
	}
	corrected := a.Corrected()
	t := section.TableOf(caption, 2, rows,
		classifierColumn,
		section.Text("level", "graph: every draw counts; participant: the mean probability over the draws decides", func(r Row) string { return r.Level }),
		section.Number("accuracy", "pooled over the folds", func(r Row) string { return report.Share(r.Accuracy) }),
		intervalColumn,
		foldsColumn,
		section.Number("p Holm", "p of the accuracy per participant (of the kind permutation, where it has enough label shuffles), corrected for all classifiers that have one", func(r Row) string {
			if p, ok := corrected[r.Setting]; ok && r.Level == "participant" {
				return report.Probability(p)
			}
			return "n/a"
		}),
		section.Number("balanced", "", func(r Row) string { return report.Share(r.Balanced) }),
		section.Number("AUC", "", func(r Row) string { return report.Share(r.AUC) }),
		section.Number("AUC p", "of the AUC, by the same test as p", func(r Row) string { return testedP(r, r.AUCP) }),
		section.Number("sensitivity", "", func(r Row) string { return report.Share(r.Sensitivity) }),
		section.Number("specificity", "", func(r Row) string { return report.Share(r.Specificity) }))
	t.Note = a.judgedBy(corrected)
	a.Supplement(t)
}

// judgedBy says which p of a table, corrected, are of retrained models; "" where no models were retrained.
func (a *Results) judgedBy(corrected map[string]float64) string {
	var retrained, without []string
	for _, r := range a.PerParticipant() {
		if _, ok := corrected[r.Setting]; !ok {
			if a.Unattributed(r.Setting, r.Title) {
				without = append(without, section.InSentence(r.Called()))
			}
		} else if t, _ := a.decisive(r, "accuracy"); t.retrained {
			retrained = append(retrained, section.InSentence(r.Called()))
		}
	}
	note := ""
	if len(a.Permuted) > 0 {
		note = "p Holm: with retrained models for " + cmp.Or(words.Some(retrained, 8), "no classifier") +
			"; otherwise fold by fold, with models not retrained."
	}
	if without != nil {
		note += " A permutation test cannot be attributed to " + words.Some(without, 8) + ": no p."
	}
	return note
}

// sameLevels reports whether each setting has the same measures per graph and per participant: of one graph each.
func sameLevels(all, people []Row) bool {
	of := map[string]column.AccuracyRow{}
	plain := func(r Row) column.AccuracyRow {
		r.Coords, r.Level, r.Test, r.Permutations = nil, "", "", 0 // graphs have no p
		r.P, r.BalancedP, r.AUCP, r.Least = 0, 0, 0, 0
		r.TestFolds, r.TestAccuracy, r.TestAUC = 0, 0, 0
		return r.AccuracyRow
	}
	for _, r := range people {
		of[r.Setting] = plain(r)
	}
	return len(people) < len(all) && !slices.ContainsFunc(all, func(r Row) bool {
		return fmt.Sprint(plain(r)) != fmt.Sprint(of[r.Setting]) // as text, for NaN is not NaN
	})
}

// byDraws is a text on the draws of a participant; "" where each has one graph, and the levels are the same.
func (a *Results) byDraws(text string) string {
	if sameLevels(a.Accuracy, a.PerParticipant()) {
		return ""
	}
	return text
}

// sameTested reports whether all classifiers were tested on as many participants in as many folds,
// with the same majority-class rate.
func sameTested(rows []Row) bool {
	return !slices.ContainsFunc(rows, func(r Row) bool {
		return r.Participants != rows[0].Participants || r.Folds != rows[0].Folds || r.Majority != rows[0].Majority
	})
}

// A foldScore is a row of evaluate's scores, with what its fold leaves out (leave_out of split).
type foldScore struct {
	column.FoldRow
	LeftOut string `column:"left_out,optional"`
}

// HeldOut are the values that the folds leave out in turn (leave_out of split); none where folds leave out none.
func (a *Results) HeldOut() (values []string, err error) {
	rows, err := section.Read[foldScore](a.T, "scores")
	for _, r := range rows {
		if r.LeftOut != "" && !slices.Contains(values, r.LeftOut) {
			values = append(values, r.LeftOut)
		}
	}
	return values, err
}

// folds adds the accuracy of each fold: with bars for the headline, in a supplement for all.
func (a *Results) folds() error {
	rows, err := section.Read[foldScore](a.T, "scores")
	if err != nil || len(rows) == 0 {
		return err
	}
	table, err := a.T.In("scores").Table()
	if err != nil {
		return err
	}
	all, err := section.WholeTable(table, 400)
	if err != nil {
		return err
	}
	all.Caption = "Performance in each fold"
	a.Supplement(all)
	if a.First == nil {
		return nil
	}
	repeats := slices.ContainsFunc(rows, func(r foldScore) bool { return r.Repeat > 1 })
	own := slices.DeleteFunc(rows, func(r foldScore) bool {
		return r.Level != "participant" || column.CoordText(r.Coords) != a.First.Setting
	})
	const most = 10 // folds; the supplement has all
	if len(own) == 0 || len(own) > most {
		return nil
	}
	t := section.TableOf(fmt.Sprintf("Accuracy%s in each fold, per participant", ofClassifiers(a.First.Title)), 1, own,
		section.Text("fold", "", func(r foldScore) string {
			if repeats {
				return fmt.Sprintf("%d.%d", r.Repeat, r.Fold)
			}
			return fmt.Sprint(r.Fold)
		}),
		section.Number("accuracy", "", func(r foldScore) string { return report.Share(r.Accuracy) }))
	if own[0].LeftOut != "" {
		t.Heads = slices.Insert(t.Heads, 1, report.Head{Text: "left out"})
		for i, r := range own {
			t.Rows[i] = slices.Insert(t.Rows[i], 1, report.Cell{Text: r.LeftOut})
		}
	}
	for i, r := range own {
		t.Rows[i][len(t.Rows[i])-1].Bar = &report.Bar{Share: r.Accuracy, Mark: a.First.Majority}
	}
	t.Note = "Line: majority-class rate."
	a.Table(t, fmt.Sprintf("gives the accuracy of %s in each fold.", section.InSentence(a.First.Called())))
	return nil
}

// permutationTables are those of the tests by models that are retrained, one for each model.
func (a *Results) permutationTables() {
	type row = column.PermutationTestRow
	number := func(head, help string, of func(r row) float64) section.Column[row] {
		return section.Number(head, help, func(r row) string {
			if r.Measure == "mae" {
				return a.Error(of(r))
			}
			return report.Share(of(r))
		})
	}
	for _, test := range a.RetrainedTests() {
		name := ofClassifiers(test.Name())
		t := section.TableOf(fmt.Sprintf("Permutation test%s, %s", name, words.Count(int(test.Rows[0].Permutations), "label shuffle")),
			1, test.Rows,
			section.Text("measure", "per participant", func(r row) string { return section.PlainName(r.Measure) }),
			number("observed", "with the true labels", func(r row) float64 { return r.Observed }),
			number("chance, mean", "over the permutations", func(r row) float64 { return r.Mean }),
			number("chance, 95 %", "95th percentile of the permutations", func(r row) float64 { return r.Quantile95 }),
			section.Number("permutations", "", func(r row) string { return fmt.Sprint(r.Permutations) }),
			section.Number("p", "", func(r row) string { return report.DrawnP(r.P, r.Permutations) }))
		t.Note = "Folds and trainings are repeated for every permutation; p = (b + 1) / (n + 1) for b of n permutations that do at least as well."
		if test.Measured("mae") != nil {
			t.Note += " Of MAE, where less is better, the 5th percentile is given."
		}
		if test.of == nil {
			t.Note += " The test is attributed to no evaluated model (see Cautions)."
		}
		a.Table(t, fmt.Sprintf("gives the permutation test%s with retrained models.", name))
	}
}

// permutation adds the test by models that are retrained on permuted groups.
func (a *Results) permutation() error {
	tests := a.RetrainedTests()
	if len(tests) == 0 {
		return nil
	}
	a.permutationTables()
	a.cautionRetrained()
	var tooFew []string // why, each once
	names := map[string][]string{}
	for _, t := range tests {
		r, of := t.Measured("accuracy"), "accuracy"
		if r == nil {
			r, of = t.Measured("auc"), "AUC"
		}
		if r == nil || slices.ContainsFunc(t.Rows, func(r column.PermutationTestRow) bool { return r.P < 0.05 }) {
			continue
		}
		if why := report.TooFewDraws(r.Permutations, "label shuffle"); why != "" {
			if names[why] == nil {
				tooFew = append(tooFew, why)
			}
			names[why] = append(names[why], t.Name())
			continue
		}
		a.Weighed(section.Overturns, "The permutation test%s is not significant (%s for the %s; significant is p < 0.05): the %[3]s may be due to chance",
			ofClassifiers(t.Name()), report.DrawnPText(r.P, r.Permutations), of)
	}
	for _, why := range tooFew {
		a.Caution("The permutation test%s cannot be significant: %s", ofClassifiers(names[why]...), why)
	}
	return nil
}

// ofClassifiers names classifiers; "" for one without a name.
func ofClassifiers(names ...string) string {
	if names[0] == "" {
		return ""
	}
	return " of " + words.Some(names, len(names))
}

// comparison adds the tests between classifiers.
func (a *Results) comparison() error {
	rows, err := section.Read[column.PairRow](a.T, "comparison")
	if err != nil || len(rows) == 0 {
		return err
	}
	for i, r := range rows {
		rows[i].NameA, rows[i].NameB = cmp.Or(r.NameA, r.A), cmp.Or(r.NameB, r.B)
	}
	slices.SortStableFunc(rows, func(x, y column.PairRow) int {
		return cmp.Or(column.CompareNamed(x.NameA, y.NameA, x.AccuracyA, y.AccuracyA),
			column.CompareNamed(x.NameB, y.NameB, x.AccuracyB, y.AccuracyB))
	})
	t := section.TableOf("Comparison of classifiers", 2, rows,
		section.Text("A", "", func(r column.PairRow) string { return r.NameA }),
		section.Text("B", "", func(r column.PairRow) string { return r.NameB }),
		section.Number("accuracy A",
			"per participant, "+a.byDraws("by the mean probability over the draws, ")+"pooled over the folds",
			func(r column.PairRow) string { return report.Share(r.AccuracyA) }),
		section.Number("accuracy B", "", func(r column.PairRow) string { return report.Share(r.AccuracyB) }),
		section.Number("only A : only B", "participants classified correctly by one of the two only",
			func(r column.PairRow) string { return fmt.Sprintf("%d : %d", r.OnlyA, r.OnlyB) }),
		section.Number("t p", "corrected resampled t-test over the folds", func(r column.PairRow) string { return report.Probability(r.TP) }),
		section.Number("t Holm", "corrected for the number of pairs", func(r column.PairRow) string { return report.Probability(r.THolm) }),
		section.Number("McNemar p", "of these models; exact, two-sided",
			func(r column.PairRow) string { return report.Probability(r.McNemarP) }),
		section.Number("McNemar Holm", "", func(r column.PairRow) string { return report.Probability(r.McNemarHolm) }))
	t.Note = "The t-test is of the classifiers: the same expected accuracy of models trained on as many participants. McNemar's test is of these models, as they were trained, and of no others: it ignores how models differ between training sets. Holm corrects for the number of pairs."
	const most = 24 // pairs in the text
	a.LongTable(t, most,
		fmt.Sprintf("compares classifiers over the same participants (%s).", words.Count(len(rows), "pair")))
	return nil
}

// paperTables adds the paper's Tables 1 and 2.
func (a *Results) paperTables() error {
	const note = "Over folds: mean ± SD of the accuracy of each fold. Accuracy: pooled over the folds, with its 95 % confidence interval. Paper: mean ± SD over the folds, as printed there, on its own 118 participants."
	printed := func(mean, sd float64) string { return strings.Replace(section.PlusMinus(mean, sd), "n/a", "–", 1) }
	ones, err := section.Read[tables.VariationRow](a.T, "table1")
	if err != nil {
		return err
	}
	if len(ones) > 0 {
		type row = tables.VariationRow
		t := section.TableOf("Variations of the model", 3, ones,
			section.Text("distance", "distance loss", func(r row) string { return tables.PrintedName(r.Distance) }),
			section.Text("pooling", "", func(r row) string { return tables.PrintedName(r.Pool) }),
			section.Text("λ1-λ2", "weights of the distance losses and of the group-level consistency",
				func(r row) string { return report.Short(r.Lambda1) + "-" + report.Short(r.Lambda2) }),
			section.Strong(section.Number("over folds", "accuracy, mean ± SD over the folds",
				func(r row) string { return section.PlusMinus(r.FoldMean, r.FoldSD) })),
			section.Number("accuracy", "pooled over the folds", func(r row) string { return report.Share(r.Accuracy) }),
			section.Number("95 % CI", "", func(r row) string { return report.Range(r.Low, r.High) }),
			section.Number("paper", "as printed in the paper", func(r row) string { return printed(r.Paper, r.PaperSD) }))
		t.Note = note
		a.Table(t, "gives the accuracy of the model's variations, beside the paper's Table 1.")
	}
	twos, err := section.Read[tables.ClassifierRow](a.T, "table2")
	if err != nil || len(twos) == 0 {
		return err
	}
	type row = tables.ClassifierRow
	t := section.TableOf("Other classifiers", 1, twos,
		section.Text("classifier", "", func(r row) string { return section.OrItself(column.Classifiers, r.Model) }),
		section.Strong(section.Number("over folds", "accuracy, mean ± SD over the folds",
			func(r row) string { return section.PlusMinus(r.FoldMean, r.FoldSD) })),
		section.Number("accuracy", "pooled over the folds", func(r row) string { return report.Share(r.Accuracy) }),
		section.Number("95 % CI", "", func(r row) string { return report.Range(r.Low, r.High) }),
		section.Number("parameters", "trainable", func(r row) string { return report.Thousands(r.Parameters) }),
		section.Number("paper", "as printed in the paper", func(r row) string { return printed(r.Paper, r.PaperSD) }),
		section.Number("paper, parameters", "", func(r row) string { return report.Thousands(r.PaperParameters) }))
	t.Note = note
	a.Table(t, "gives the accuracy of other classifiers, beside the paper's Table 2.")
	return nil
}

// calibrationBins are few: a bin of a small study holds few participants.
const calibrationBins = 5

// performanceFigures are drawn from what is connected.
func (a *Results) performanceFigures(rows []Row) error {
	if !a.Pictures {
		return nil
	}
	if c := accuracyChart(rows); c != nil && len(rows) > 1 {
		if err := a.Figures("the accuracy of the classifiers", c); err != nil {
			return err
		}
	}
	if len(a.T.All("predictions")) > 0 {
		all, err := fold.ReadSettings(a.T.All("predictions"))
		if err != nil {
			return err
		}
		slices.SortStableFunc(all.Settings,
			func(x, y []fold.Tested) int { return a.othersLast(x[0].Coords) - a.othersLast(y[0].Coords) })
		roc, err := figure.DrawROC(all, "")
		if err != nil {
			return err
		}
		shown := max(0, slices.IndexFunc(all.Settings, func(f []fold.Tested) bool {
			return a.First != nil &&
				a.First.is(column.CoordTexts(f[0].Coords))
		}))
		drawn := "the confusion matrix"
		if roc != nil {
			drawn += " and the ROC curves"
		}
		if err := a.Figures(drawn, figure.DrawConfusion(all, shown), roc); err != nil {
			return err
		}
		calibration, err := figure.DrawCalibration(all, "", calibrationBins)
		if err != nil {
			return err
		}
		if err := a.Figures("the calibration of the predicted probabilities", calibration); err != nil {
			return err
		}
	}
	training, err := figure.DrawTraining(a.T, 8)
	if err != nil {
		return err
	}
	distributions, err := figure.DrawDistributions(a.T.All("distribution"), 8)
	if err != nil {
		return err
	}
	if err := a.Figures("cross-entropy and accuracy during training", training); err != nil {
		return err
	}
	return a.Figures("how the pooling scores develop during training", distributions)
}

// othersLast is 1 for a classifier to compare with.
func (a *Results) othersLast(coords []dag.Coord) int {
	for _, c := range coords {
		for _, s := range a.Run.Stages {
			if c.Axis == "stage" && s.Stage == c.Value &&
				slices.Contains([]string{"baseline", "meanmlp", "bnt", "braingnn"}, s.Kind) {
				return 1
			}
		}
	}
	return 0
}

// accuracyChart draws the accuracy of each classifier over participants, with its interval.
func accuracyChart(rows []Row) *figure.Chart {
	d := chart.Dots{Axis: "accuracy, per participant", Interval: "95 % CI", Mark: math.NaN(), MarkName: "majority-class rate"}
	names := lists.Map(rows, func(r Row) string { return r.Title })
	series := column.Series(names)
	for i, r := range rows[:min(len(rows), 40)] {
		d.Rows = append(d.Rows, chart.Row{Series: series[i], Name: region.Clip(r.Called(), 40), Value: r.Accuracy,
			Low: r.Low, High: r.High, Chance: math.NaN()})
		d.Mark = r.Majority
	}
	if d.Rows == nil {
		return nil
	}
	return &figure.Chart{Figure: d.Figure(), Title: "Accuracy of the classifiers",
		Alt:     fmt.Sprintf("A dot for %s at its accuracy over participants, with the 95 %% interval; a dashed line at the majority-class rate, %s", words.Each(len(d.Rows), "classifier"), report.Share(d.Mark)),
		Caption: "Accuracy per participant, pooled over the folds, with the 95 % confidence interval of the expected accuracy of models trained on as many participants as in each fold. Overlapping intervals are not a test of the difference."}
}
