package present

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/fold"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// performance is the section of accuracies and the tests of them.
func (a *author) performance() error {
	if len(a.accuracy) == 0 {
		return nil
	}
	rows := a.perParticipant()
	first := a.accuracy[0]
	t := tableOf("Performance on test participants", 1, rows,
		text("classifier", "", func(r accuracyRow) string { return r.called() }),
		strong(number("accuracy", "share of correct predictions, pooled over the folds", func(r accuracyRow) string { return report.Share(r.Accuracy) })),
		number("95 % CI", "Wilson's interval of the accuracy, for the number of participants", func(r accuracyRow) string { return report.Range(r.Low, r.High) }),
		number("over folds", "accuracy of each fold: mean ± standard deviation (n − 1) over the folds", func(r accuracyRow) string { return plusMinus(r.FoldMean, r.FoldSD) }),
		number("p", "of the accuracy: test labels permuted within folds, models not retrained", func(r accuracyRow) string { return report.DrawnP(r.P, r.Permutations) }),
		number("balanced", "balanced accuracy: mean over the groups of the share of correct predictions, mean over the folds", func(r accuracyRow) string { return report.Share(r.Balanced) }),
		number("AUC", "area under the ROC curve, mean over the folds", func(r accuracyRow) string { return report.Share(r.AUC) }),
		number("sens./spec.", "sensitivity and specificity for "+first.Positive+", mean over the folds", func(r accuracyRow) string {
			if math.IsNaN(r.Sensitivity) {
				return "n/a"
			}
			return report.Share(r.Sensitivity) + "/" + report.Share(r.Specificity)
		}))
	same := sameTested(rows)
	if same {
		t.Note = fmt.Sprintf("%s, %s. Majority-class rate: %s, the share of the largest group among the tested participants.",
			words.Count(int(first.Folds), "fold"), words.Count(int(first.Participants), "participant"),
			report.Share(first.Majority))
	} else {
		t.Note = "The classifiers were not tested on the same participants: the rows cannot be compared."
	}
	if slices.ContainsFunc(rows, accuracyRow.majority) {
		t.Note += " The majority classifier names the largest group of the training participants."
	}
	t.Note += fmt.Sprintf(" Positive: %s. Accuracy, its 95 %% CI and p are pooled over the folds; balanced accuracy, AUC, sensitivity and specificity are means over the folds.", first.Positive)
	a.table(t, "gives the performance per participant, by the mean probability over the participant's draws.")
	if !same {
		a.table(tableOf("Tested participants of each classifier", 1, rows,
			text("classifier", "", func(r accuracyRow) string { return r.called() }),
			number("n", "participants tested", func(r accuracyRow) string { return fmt.Sprint(r.Participants) }),
			number("folds", "", func(r accuracyRow) string { return fmt.Sprint(r.Folds) }),
			number("majority-class rate", "share of the largest group among the tested participants", func(r accuracyRow) string { return report.Share(r.Majority) })),
			"gives the test participants of each classifier.")
	}
	a.supplement(tableOf("Performance per graph and per participant", 2, a.accuracy,
		text("classifier", "", func(r accuracyRow) string { return r.called() }),
		text("level", "graph: every draw counts; participant: the mean probability over the draws decides", func(r accuracyRow) string { return r.Level }),
		number("accuracy", "pooled over the folds", func(r accuracyRow) string { return report.Share(r.Accuracy) }),
		number("95 % CI", "Wilson's interval of the accuracy, for the number of participants", func(r accuracyRow) string { return report.Range(r.Low, r.High) }),
		number("over folds", "accuracy of each fold: mean ± standard deviation (n − 1) over the folds", func(r accuracyRow) string { return plusMinus(r.FoldMean, r.FoldSD) }),
		number("balanced", "", func(r accuracyRow) string { return report.Share(r.Balanced) }),
		number("AUC", "", func(r accuracyRow) string { return report.Share(r.AUC) }),
		number("AUC p", "of the AUC: test labels permuted within folds, models not retrained", func(r accuracyRow) string { return report.DrawnP(r.AUCP, r.Permutations) }),
		number("sensitivity", "", func(r accuracyRow) string { return report.Share(r.Sensitivity) }),
		number("specificity", "", func(r accuracyRow) string { return report.Share(r.Specificity) })))
	a.cautionAccuracy()
	if nested, err := a.nested(); err != nil {
		return err
	} else if r := nested; r != nil {
		a.say("With the setting chosen inside each fold (nested cross-validation), accuracy per participant is %s, 95 %% CI %s (over the folds %s), AUC %s.",
			report.Share(r.Accuracy), report.Range(r.Low, r.High), plusMinus(r.FoldMean, r.FoldSD), report.Share(r.AUC))
	}
	if err := a.folds(); err != nil {
		return err
	}
	for _, part := range []func() error{a.permutation, a.comparison, a.paperTables} {
		if err := part(); err != nil {
			return err
		}
	}
	return a.performanceFigures(rows)
}

// sameTested reports whether all classifiers were tested on as many participants in as many folds,
// with the same majority-class rate.
func sameTested(rows []accuracyRow) bool {
	return !slices.ContainsFunc(rows, func(r accuracyRow) bool {
		return r.Participants != rows[0].Participants || r.Folds != rows[0].Folds || r.Majority != rows[0].Majority
	})
}

// plusMinus writes a mean with its standard deviation.
func plusMinus(mean, sd float64) string {
	if math.IsNaN(sd) {
		return report.Share(mean)
	}
	return report.Share(mean) + " ± " + report.Share(sd)
}

// A foldScore is a row of evaluate's scores, with what its fold leaves out (leave_out of split).
type foldScore struct {
	column.FoldRow
	LeftOut string `column:"left_out,optional"`
}

// folds adds the accuracy of each fold: with bars for the headline, in a supplement for all.
func (a *author) folds() error {
	rows, err := read[foldScore](a.t, "scores")
	if err != nil || len(rows) == 0 {
		return err
	}
	table, err := a.t.In("scores").Table()
	if err != nil {
		return err
	}
	all, err := wholeTable(table, 400)
	if err != nil {
		return err
	}
	all.Caption = "Performance in each fold"
	a.supplement(all)
	if a.first == nil {
		return nil
	}
	repeats := slices.ContainsFunc(rows, func(r foldScore) bool { return r.Repeat > 1 })
	own := slices.DeleteFunc(rows, func(r foldScore) bool {
		return r.Level != "participant" || column.CoordText(r.Coords) != a.first.setting
	})
	const most = 10 // folds; the supplement has all
	if len(own) == 0 || len(own) > most {
		return nil
	}
	t := tableOf("Accuracy in each fold, per participant", 1, own,
		text("fold", "", func(r foldScore) string {
			if repeats {
				return fmt.Sprintf("%d.%d", r.Repeat, r.Fold)
			}
			return fmt.Sprint(r.Fold)
		}),
		number("accuracy", "", func(r foldScore) string { return report.Share(r.Accuracy) }))
	if own[0].LeftOut != "" {
		t.Heads = slices.Insert(t.Heads, 1, report.Head{Text: "left out"})
		for i, r := range own {
			t.Rows[i] = slices.Insert(t.Rows[i], 1, report.Cell{Text: r.LeftOut})
		}
	}
	for i, r := range own {
		t.Rows[i][len(t.Rows[i])-1].Bar = &report.Bar{Share: r.Accuracy, Mark: a.first.Majority}
	}
	t.Note = "Line: majority-class rate."
	a.table(t, fmt.Sprintf("gives the accuracy of %s in each fold.", the(a.first.called())))
	return nil
}

// the puts a sentence's subject into the middle of one.
func the(name string) string { return strings.Replace(name, "The model", "the model", 1) }

// permutation adds the test by models that are retrained on permuted groups.
func (a *author) permutation() error {
	rows := a.permuted
	if len(rows) == 0 {
		if slices.ContainsFunc(a.accuracy, func(r accuracyRow) bool { return !math.IsNaN(r.P) }) {
			a.say("No models were retrained on permuted labels. Without retraining, p is slightly too small.")
		}
		return nil
	}
	name := func(r column.PermutationTestRow) string { return r.Name }
	columns := keyed("classifier", name, rows,
		text("measure", "per participant", func(r column.PermutationTestRow) string { return plainName(r.Measure) }),
		number("observed", "with the true labels", func(r column.PermutationTestRow) string { return report.Share(r.Observed) }),
		number("chance, mean", "over the permutations", func(r column.PermutationTestRow) string { return report.Share(r.Mean) }),
		number("chance, 95 %", "95th percentile of the permutations", func(r column.PermutationTestRow) string { return report.Share(r.Quantile95) }),
		number("permutations", "", func(r column.PermutationTestRow) string { return fmt.Sprint(r.Permutations) }),
		number("p", "", func(r column.PermutationTestRow) string { return report.DrawnP(r.P, r.Permutations) }))
	t := tableOf(fmt.Sprintf("Permutation test (%s)", words.Count(int(rows[0].Permutations), "label shuffle")),
		len(columns)-5, rows, columns...)
	t.Note = "Folds and trainings are repeated for every permutation; p = (b + 1) / (n + 1) for b of n permutations that do at least as well."
	a.table(t, "gives the permutation test with retrained models.")
	a.cautionRetrained()
	significant := map[string]bool{}
	for _, r := range rows {
		if r.P < 0.05 {
			significant[r.Name] = true
		}
	}
	for _, r := range rows {
		if r.Measure == "auc" && !significant[r.Name] {
			of := ""
			if r.Name != "" {
				of = r.Name + ": "
			}
			if few := report.TooFewDraws(r.Permutations, "label shuffle"); few != "" {
				a.caution("%sThe permutation test cannot be significant: %s", of, few)
				continue
			}
			a.caution("%sThe permutation test is not significant (%s for the AUC): the accuracy may be due to chance", of, report.DrawnPText(r.P, r.Permutations))
		}
	}
	return nil
}

// comparison adds the tests between classifiers.
func (a *author) comparison() error {
	rows, err := read[column.PairRow](a.t, "comparison")
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
	t := tableOf("Comparison of classifiers", 2, rows,
		text("A", "", func(r column.PairRow) string { return r.NameA }),
		text("B", "", func(r column.PairRow) string { return r.NameB }),
		number("accuracy A", "per participant, by the mean probability over the draws, pooled over the folds", func(r column.PairRow) string { return report.Share(r.AccuracyA) }),
		number("accuracy B", "", func(r column.PairRow) string { return report.Share(r.AccuracyB) }),
		number("only A : only B", "participants classified correctly by one of the two only",
			func(r column.PairRow) string { return fmt.Sprintf("%d : %d", r.OnlyA, r.OnlyB) }),
		number("McNemar p", "exact, two-sided",
			func(r column.PairRow) string { return report.Probability(r.McNemarP) }),
		number("Holm", "corrected for the number of pairs", func(r column.PairRow) string { return report.Probability(r.McNemarHolm) }),
		number("t p", "corrected resampled t-test over the folds", func(r column.PairRow) string { return report.Probability(r.TP) }),
		number("t Holm", "", func(r column.PairRow) string { return report.Probability(r.THolm) }))
	t.Note = "McNemar's exact test, and the corrected resampled t-test over the folds; Holm corrects for the number of pairs."
	sentence := fmt.Sprintf("compares classifiers over the same participants (%s).", words.Count(len(rows), "pair"))
	const most = 24 // pairs in the text
	if len(rows) > most {
		a.supplement(t)
		a.say("%s %s", t.Label(), sentence)
		return nil
	}
	a.table(t, sentence)
	return nil
}

// paperTables adds the paper's Tables 1 and 2.
func (a *author) paperTables() error {
	const note = "Over folds: mean ± SD of the accuracy of each fold. Accuracy: pooled over the folds, with its 95 % interval for the number of participants. Paper: mean ± SD over the folds, as printed there, on its own 118 participants."
	printed := func(mean, sd float64) string { return strings.Replace(plusMinus(mean, sd), "n/a", "–", 1) }
	ones, err := read[variationRow](a.t, "table1")
	if err != nil {
		return err
	}
	if len(ones) > 0 {
		t := tableOf("Variations of the model", 3, ones,
			text("distance", "distance loss", func(r variationRow) string { return printedName(r.Distance) }),
			text("pooling", "", func(r variationRow) string { return printedName(r.Pool) }),
			text("λ1-λ2", "weights of the distance losses and of the group-level consistency",
				func(r variationRow) string { return report.Short(r.Lambda1) + "-" + report.Short(r.Lambda2) }),
			strong(number("over folds", "accuracy, mean ± SD over the folds", func(r variationRow) string { return plusMinus(r.FoldMean, r.FoldSD) })),
			number("accuracy", "pooled over the folds", func(r variationRow) string { return report.Share(r.Accuracy) }),
			number("95 % CI", "", func(r variationRow) string { return report.Range(r.Low, r.High) }),
			number("paper", "as printed in the paper", func(r variationRow) string { return printed(r.Paper, r.PaperSD) }))
		t.Note = note
		a.table(t, "gives the accuracy of the model's variations, beside the paper's Table 1.")
	}
	twos, err := read[classifierRow](a.t, "table2")
	if err != nil || len(twos) == 0 {
		return err
	}
	t := tableOf("Other classifiers", 1, twos,
		text("classifier", "", func(r classifierRow) string { return orItself(column.Classifiers, r.Model) }),
		strong(number("over folds", "accuracy, mean ± SD over the folds", func(r classifierRow) string { return plusMinus(r.FoldMean, r.FoldSD) })),
		number("accuracy", "pooled over the folds", func(r classifierRow) string { return report.Share(r.Accuracy) }),
		number("95 % CI", "", func(r classifierRow) string { return report.Range(r.Low, r.High) }),
		number("parameters", "trainable", func(r classifierRow) string { return report.Thousands(r.Parameters) }),
		number("paper", "as printed in the paper", func(r classifierRow) string { return printed(r.Paper, r.PaperSD) }),
		number("paper, parameters", "", func(r classifierRow) string { return report.Thousands(r.PaperParameters) }))
	t.Note = note
	a.table(t, "gives the accuracy of other classifiers, beside the paper's Table 2.")
	return nil
}

// calibrationBins are few: a bin of a small study holds few participants.
const calibrationBins = 5

// performanceFigures are drawn from what is connected.
func (a *author) performanceFigures(rows []accuracyRow) error {
	if !a.pictures {
		return nil
	}
	if c := accuracyChart(rows); c != nil && len(rows) > 1 {
		if err := a.figures("the accuracy of the classifiers", c); err != nil {
			return err
		}
	}
	if len(a.t.All("predictions")) > 0 {
		all, err := fold.ReadSettings(a.t.All("predictions"))
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
			return a.first != nil &&
				a.first.is(column.CoordTexts(f[0].Coords))
		}))
		if err := a.figures("the confusion matrix and the ROC curves", figure.DrawConfusion(all, shown), roc); err != nil {
			return err
		}
		calibration, err := figure.DrawCalibration(all, "", calibrationBins)
		if err != nil {
			return err
		}
		if err := a.figures("the calibration of the predicted probabilities", calibration); err != nil {
			return err
		}
	}
	training, err := figure.DrawTraining(a.t, 8)
	if err != nil {
		return err
	}
	distributions, err := figure.DrawDistributions(a.t.All("distribution"), 8)
	if err != nil {
		return err
	}
	if err := a.figures("cross-entropy and accuracy during training", training); err != nil {
		return err
	}
	return a.figures("how the pooling scores develop during training", distributions)
}

// othersLast is 1 for a classifier to compare with.
func (a *author) othersLast(coords []dag.Coord) int {
	for _, c := range coords {
		for _, s := range a.run.stages {
			if c.Axis == "stage" && s.stage == c.Value &&
				slices.Contains([]string{"baseline", "meanmlp", "bnt"}, s.kind) {
				return 1
			}
		}
	}
	return 0
}

// accuracyChart draws the accuracy of each classifier over participants, with its interval.
func accuracyChart(rows []accuracyRow) *figure.Chart {
	d := chart.Dots{Axis: "accuracy, per participant", Interval: "95 % CI (Wilson)", Mark: math.NaN(), MarkName: "majority-class rate"}
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	series := column.Series(names)
	for i, r := range rows[:min(len(rows), 40)] {
		d.Rows = append(d.Rows, chart.Row{Series: series[i], Name: region.Clip(r.called(), 40), Value: r.Accuracy,
			Low: r.Low, High: r.High, Chance: math.NaN()})
		d.Mark = r.Majority
	}
	if d.Rows == nil {
		return nil
	}
	return &figure.Chart{Figure: d.Figure(), Title: "Accuracy of the classifiers",
		Alt:     fmt.Sprintf("A dot for %s at its accuracy over participants, with the 95 %% interval; a dashed line at the majority-class rate, %s", words.Each(len(d.Rows), "classifier"), report.Share(d.Mark)),
		Caption: "Accuracy per participant, pooled over the folds, with Wilson's 95 % interval for the number of participants. Overlap of intervals is no test: compare in pairs."}
}
