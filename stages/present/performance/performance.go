package performance

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
	"prgnn/stages/present/tables"
	"prgnn/stages/region"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// Results writes the classifiers' performance, or that of models of a number.
type Results struct {
	*section.Writer
	*finding.Results
}

// A Row is one row of evaluate's summary.
type Row = finding.Row

// values are what entries of the catalog use.
type values = wording.Values

// Describe writes the section on accuracies and their tests.
func (a *Results) Describe() error {
	if len(a.Accuracy) == 0 {
		return nil
	}
	rows := a.PerParticipant()
	first := a.Accuracy[0]
	same := sameTested(rows)
	retrained := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		return len(a.Retrained(r.Coords,
			r.Title)) == 0
	})
	of := values{"Positive": first.Positive, "Same": same, "FoldsOf": a.FoldsOf(), "Folds": int(first.Folds),
		"N":        int(first.Participants),
		"Majority": first.Majority, "Retrained": called(retrained), "Draws": !sameLevels(a.Accuracy, rows),
		"HasMajority": slices.ContainsFunc(rows, Row.IsMajority),
		"Tests":       a.describeTests(ClassifierTests(rows), "labels", "accuracy", rows[0].Within)}
	maps.Copy(of, first.OverFolds())
	t := section.Lay(a.Writer, "performance.accuracy", of, 1, rows,
		classifierColumn, accuracyColumn, intervalColumn, foldsColumn, permutedColumn,
		section.Num("balanced", func(r Row) string { return report.Share(r.Balanced) }),
		areaColumn,
		section.Num("sens-spec", func(r Row) string {
			if math.IsNaN(r.Sensitivity) {
				return "n/a"
			}
			return report.Share(r.Sensitivity) + "/" + report.Share(r.Specificity)
		}))
	a.Table(t, a.Text("performance.accuracy.lead", of))
	a.Supplement(a.intervals(rows, of))
	if !same {
		a.Table(section.Lay(a.Writer, "performance.tested", of, 1, rows,
			classifierColumn,
			section.Num("tested", func(r Row) string { return fmt.Sprint(r.Participants) }),
			section.Num("folds", func(r Row) string { return fmt.Sprint(r.Folds) }),
			section.Num("majority", func(r Row) string { return report.Share(r.Majority) })),
			a.Text("performance.tested.lead", of))
	}
	a.eachLevel()
	a.Find(a.Performance()...)
	if a.Nested != nil {
		a.Put("performance.nested", a.Nested.AccuracyRow)
	}
	if err := a.folds(); err != nil {
		return err
	}
	a.permutationTables()
	for _, part := range []func() error{a.comparison, a.leftOut, a.published, a.paperTables} {
		if err := part(); err != nil {
			return err
		}
	}
	return a.performanceFigures(rows)
}

// called are classifiers in a sentence.
func called(rows []Row) []string {
	return lists.Map(rows, func(r Row) string { return wording.InSentence(r.Called()) })
}

// intervals is the table of measures with their confidence intervals.
func (a *Results) intervals(rows []Row, about values) *report.Table {
	of := func(key string, value, low, high func(Row) float64) section.Column[Row] {
		return section.Num(key, func(r Row) string {
			if math.IsNaN(low(r)) {
				return report.Share(value(r))
			}
			return report.Share(value(r)) + " (" + report.Range(low(r), high(r)) + ")"
		})
	}
	columns := []section.Column[Row]{classifierColumn,
		of("accuracy", func(r Row) float64 { return r.Accuracy },
			func(r Row) float64 { return r.Low }, func(r Row) float64 { return r.High }),
		of("balanced", func(r Row) float64 { return r.Balanced },
			func(r Row) float64 { return r.BalancedLow }, func(r Row) float64 { return r.BalancedHigh }),
		of("auc", func(r Row) float64 { return r.AUC },
			func(r Row) float64 { return r.AUCLow }, func(r Row) float64 { return r.AUCHigh })}
	if about["Positive"] != "n/a" {
		columns = append(columns,
			of("sensitivity", func(r Row) float64 { return r.Sensitivity },
				func(r Row) float64 { return r.SensLow }, func(r Row) float64 { return r.SensHigh }),
			of("specificity", func(r Row) float64 { return r.Specificity },
				func(r Row) float64 { return r.SpecLow }, func(r Row) float64 { return r.SpecHigh }),
			of("brier", func(r Row) float64 { return r.Brier },
				func(r Row) float64 { return r.BrierLow }, func(r Row) float64 { return r.BrierHigh }))
	}
	return section.Lay(a.Writer, "performance.intervals", about, 1, rows, columns...)
}

// Columns that the tables of performance share.
var (
	classifierColumn = section.Words("classifier", func(r Row) string {
		if r.Leaks {
			return r.Called() + " (leakage, admitted)"
		}
		return r.Called()
	})
	accuracyColumn = section.Strong(section.Num("accuracy", func(r Row) string { return report.Share(r.Accuracy) }))
	intervalColumn = section.Num("interval", func(r Row) string { return report.Range(r.Low, r.High) })
	foldsColumn    = section.Num("over-folds", func(r Row) string { return wording.PlusMinus(r.FoldMean, r.FoldSD) })
	areaColumn     = section.Num("auc", func(r Row) string { return report.Share(r.AUC) })
	permutedColumn = section.Num("p", func(r Row) string { return testedP(r.Test, r.P, r.Permutations) })
)

// testedP is a p of evaluate; n/a where its table does not state the test.
func testedP(test string, p float64, permutations int32) string {
	if test == "" {
		return "n/a"
	}
	return report.DrawnP(p, permutations)
}

// A TestOf is the test of one model against chance, by evaluate or evaluate-regression.
type TestOf struct {
	Test, Model  string // column.Retrained, column.PerFold, or "" for none
	Permutations int32
	First        float64 // the measure in the first repeat, which p is of; NaN where p is of all folds
}

// ClassifierTests are those of the accuracy of classifiers.
func ClassifierTests(rows []Row) []TestOf {
	return lists.Map(finding.PerParticipant(rows), func(r Row) TestOf {
		return TestOf{r.Test, wording.InSentence(r.Called()), r.Permutations, ofFirst(r.Test, r.TestFolds,
			r.TestAccuracy)}
	})
}

// areaTests are those of the AUC.
func areaTests(rows []Row) []TestOf {
	return lists.Map(rows, func(r Row) TestOf {
		return TestOf{r.Test, wording.InSentence(r.Called()), r.Permutations, ofFirst(r.Test, r.TestFolds, r.TestAUC)}
	})
}

// RegressionTests are those of r of models of a number.
func RegressionTests(rows []column.RegressionRow) []TestOf {
	return lists.Map(rows, func(r column.RegressionRow) TestOf {
		return TestOf{r.Test, r.Name, r.Permutations, ofFirst(r.Test, r.TestFolds, r.TestR)}
	})
}

func ofFirst(test string, folds int32, measure float64) float64 {
	if test == "" || folds == 0 {
		return math.NaN()
	}
	return measure
}

// A TestGroup is the models that were tested in one way, with one number of permutations.
type TestGroup struct {
	Test         string
	Permutations int32
	First        bool // of the first of several repeats only
	Models       []string
}

// GroupTests are the groups: models that were retrained, those tested fold by fold, those without a test.
func GroupTests(all []TestOf) (groups []TestGroup) {
	for _, test := range []string{column.Retrained, column.PerFold, ""} {
		begin := len(groups)
		for _, t := range all {
			if t.Test != test {
				continue
			}
			n, first := t.Permutations, !math.IsNaN(t.First)
			if test == "" {
				n = 0
			}
			at := slices.IndexFunc(groups[begin:], func(g TestGroup) bool {
				return g.Permutations == n &&
					g.First == first
			})
			if at < 0 {
				at = len(groups) - begin
				groups = append(groups, TestGroup{Test: test, Permutations: n, First: first})
			}
			groups[begin+at].Models = append(groups[begin+at].Models, t.Model)
		}
	}
	return groups
}

// describeTests describes tests by permutations of labels or targets, in sentences.
func (a *Results) describeTests(all []TestOf, what, measure, within string) (text string) {
	for _, group := range GroupTests(all) {
		of := values{"Of": group.Models, "All": group.Models, "Permutations": group.Permutations, "What": what,
			"Within": within, "First": group.First}
		if len(group.Models) == len(all) {
			of["Of"] = nil
		}
		code := map[string]string{column.Retrained: "tests.retrained", column.PerFold: "tests.per-fold",
			"": "tests.none"}[group.Test]
		text += " " + a.Text(code, of)
	}
	return text + a.firstRepeat(all, measure)
}

// firstRepeat is the sentence that p is of the first repeat, with the measure of each model there; "" for one repeat.
func (a *Results) firstRepeat(all []TestOf, measure string) string {
	var first []string
	for _, t := range all {
		if !math.IsNaN(t.First) {
			first = append(first, t.Model+" "+report.Share(t.First))
		}
	}
	if first == nil {
		return ""
	}
	return " " + a.Text("tests.first-repeat", values{"Measure": measure, "First": first})
}

// eachLevel adds the accuracies per graph beside those per participant, where they differ.
func (a *Results) eachLevel() {
	rows, people := a.Accuracy, a.PerParticipant()
	graphs := !sameLevels(rows, people)
	if !graphs {
		rows = people
	}
	corrected := a.Corrected()
	var retrained, without []string
	for _, r := range people {
		switch state, t := a.Chance(r, "accuracy"); {
		case state == finding.Unattributed:
			without = append(without, wording.InSentence(r.Called()))
		case state < finding.Untested && t.Retrained && !r.IsMajority():
			retrained = append(retrained, wording.InSentence(r.Called()))
		}
	}
	of := values{"Graphs": graphs, "Permuted": len(a.Permuted) > 0, "Retrained": retrained, "Without": without,
		"FirstRepeat": a.firstRepeat(ClassifierTests(people), "accuracy") + a.firstRepeat(areaTests(people), "AUC")}
	a.Supplement(section.Lay(a.Writer, "performance.levels", of, 2, rows,
		classifierColumn,
		section.Words("level", func(r Row) string { return r.Level }),
		accuracyColumn.Plain(), intervalColumn, foldsColumn,
		section.Num("p-holm", func(r Row) string {
			if p, ok := corrected[column.CoordText(r.Coords)]; ok && r.Level == "participant" {
				return report.Probability(p)
			}
			return "n/a"
		}),
		section.Num("balanced", func(r Row) string { return report.Share(r.Balanced) }),
		section.Num("auc", func(r Row) string { return report.Share(r.AUC) }),
		section.Num("auc-p", func(r Row) string { return testedP(r.Test, r.AUCP, r.Permutations) }),
		section.Num("sensitivity", func(r Row) string { return report.Share(r.Sensitivity) }),
		section.Num("specificity", func(r Row) string { return report.Share(r.Specificity) })))
}

// sameLevels reports whether each setting has the same measures per graph and per participant: of one graph each.
func sameLevels(all, people []Row) bool {
	type measures [12]float64
	of := map[string]measures{}
	bits := func(r Row) measures {
		m := measures{float64(r.Folds), float64(r.Participants), r.Accuracy, r.Low, r.High, r.FoldMean,
			r.FoldSD, r.Majority,
			r.Balanced, r.AUC, r.Sensitivity, r.Specificity}
		for i, x := range m {
			if math.IsNaN(x) { // is not equal to itself
				m[i] = -1
			}
		}
		return m
	}
	for _, r := range people {
		of[column.CoordText(r.Coords)] = bits(r)
	}
	return len(people) < len(all) && !slices.ContainsFunc(all, func(r Row) bool {
		return bits(r) != of[column.CoordText(r.Coords)]
	})
}

// sameTested reports whether all classifiers were tested on as many participants, with the same majority-class rate.
func sameTested(rows []Row) bool {
	return !slices.ContainsFunc(rows, func(r Row) bool {
		return r.Participants != rows[0].Participants || r.Majority != rows[0].Majority
	})
}

// HeldOut are the values that the folds leave out in turn (leave_out of split); none where folds leave out none.
func (a *Results) HeldOut() (values []string) {
	for _, r := range a.Scores {
		if r.LeftOut != "" && !slices.Contains(values, r.LeftOut) {
			values = append(values, r.LeftOut)
		}
	}
	return values
}

// folds adds the accuracy of each fold: with bars for the headline, in a supplement for all.
func (a *Results) folds() error {
	if len(a.Scores) == 0 {
		return nil
	}
	table, err := a.T.In("scores").Table()
	if err != nil {
		return err
	}
	all, err := section.WholeTable(table, 400)
	if err != nil {
		return err
	}
	all.Caption = a.Text("performance.all-folds", nil)
	a.Supplement(all)
	if a.First == nil {
		return nil
	}
	repeats := slices.ContainsFunc(a.Scores, func(r finding.FoldScore) bool { return r.Repeat > 1 })
	own := slices.DeleteFunc(slices.Clone(a.Scores), func(r finding.FoldScore) bool {
		return r.Level != "participant" || !a.First.Is(r.Coords)
	})
	const most = 10 // folds; the supplement has all
	if len(own) == 0 || len(own) > most {
		return nil
	}
	columns := []section.Column[finding.FoldScore]{
		section.Words("fold", func(r finding.FoldScore) string {
			if repeats {
				return fmt.Sprintf("%d.%d", r.Repeat, r.Fold)
			}
			return fmt.Sprint(r.Fold)
		}),
		section.Num("accuracy", func(r finding.FoldScore) string { return report.Share(r.Accuracy) })}
	if own[0].LeftOut != "" {
		columns = slices.Insert(columns, 1,
			section.Words("left-out", func(r finding.FoldScore) string { return r.LeftOut }))
	}
	of := values{"Title": a.First.Title, "Called": wording.InSentence(a.First.Called())}
	t := section.Lay(a.Writer, "performance.folds", of, 1, own, columns...)
	for i, r := range own {
		t.Rows[i][len(t.Rows[i])-1].Bar = &report.Bar{Share: r.Accuracy, Mark: a.First.Majority}
	}
	a.Table(t, a.Text("performance.folds.lead", of))
	return nil
}

// permutationTables are those of the tests by models that are retrained, one for each model.
func (a *Results) permutationTables() {
	type row = column.PermutationTestRow
	number := func(key string, of func(r row) float64) section.Column[row] {
		return section.Num(key, func(r row) string {
			if r.Measure == "mae" {
				return a.Error(of(r))
			}
			return report.Share(of(r))
		})
	}
	for _, test := range a.RetrainedTests() {
		of := values{"Name": test.Name(), "Draws": int(test.Rows[0].Permutations), "MAE": test.Measured("mae") != nil,
			"Attributed": test.Of != nil}
		a.Table(section.Lay(a.Writer, "performance.permutation", of, 1, test.Rows,
			section.Words("measure", func(r row) string { return wording.PlainName(r.Measure) }),
			number("observed", func(r row) float64 { return r.Observed }),
			number("chance-mean", func(r row) float64 { return r.Mean }),
			number("chance-95", func(r row) float64 { return r.Quantile95 }),
			section.Num("permutations", func(r row) string { return fmt.Sprint(r.Permutations) }),
			section.Num("p", func(r row) string { return report.DrawnP(r.P, r.Permutations) })),
			a.Text("performance.permutation.lead", of))
	}
}

// comparison adds the tests between classifiers.
func (a *Results) comparison() error {
	type row = column.PairRow
	rows, err := column.ReadPort[row](a.T, "comparison")
	if err != nil || len(rows) == 0 {
		return err
	}
	for i, r := range rows {
		rows[i].NameA, rows[i].NameB = cmp.Or(r.NameA, r.A), cmp.Or(r.NameB, r.B)
	}
	place := func(setting string) int { // of the accuracies, in their order
		return slices.IndexFunc(a.Accuracy, func(r Row) bool { return column.CoordText(r.Coords) == setting })
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		return cmp.Or(place(x.A)-place(y.A), place(x.B)-place(y.B))
	})
	of := values{"Draws": !sameLevels(a.Accuracy, a.PerParticipant()), "Pairs": len(rows),
		"Repeats": slices.ContainsFunc(rows, func(r row) bool { return r.McNemarRepeat > 0 })}
	different := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Folds > 0 })
	of["Different"] = lists.Map(different, func(r row) string { return r.NameA + " and " + r.NameB })
	of["Equal"] = slices.ContainsFunc(rows, func(r row) bool { return r.Folds > 0 && math.IsNaN(r.TP) })
	columns := []section.Column[row]{
		section.Words("a", func(r row) string { return r.NameA }),
		section.Words("b", func(r row) string { return r.NameB }),
		section.Num("accuracy-a", func(r row) string { return report.Share(r.AccuracyA) }),
		section.Num("accuracy-b", func(r row) string { return report.Share(r.AccuracyB) }),
		section.Num("only", func(r row) string { return fmt.Sprintf("%d : %d", r.OnlyA, r.OnlyB) }),
		section.Num("t-p", func(r row) string { return report.Probability(r.TP) }),
		section.Num("t-holm", func(r row) string { return report.Probability(r.THolm) }),
		section.Num("mcnemar-p", func(r row) string { return report.Probability(r.McNemarP) }),
		section.Num("mcnemar-holm", func(r row) string { return report.Probability(r.McNemarHolm) })}
	if slices.ContainsFunc(rows, func(r row) bool { return r.Folds != rows[0].Folds || r.McNemarRepeat > 0 }) {
		columns = slices.Insert(columns, 5, section.Num("folds-of-both",
			func(r row) string { return fmt.Sprint(r.Folds) }))
	}
	t := section.Lay(a.Writer, "performance.comparison", of, 2, rows, columns...)
	const most = 24 // pairs in the text
	a.LongTable(t, most, a.Text("performance.comparison.lead", of))
	return nil
}

// paperTables adds the paper's Tables 1 and 2.
func (a *Results) paperTables() error {
	printed := func(mean, sd float64) string { return strings.Replace(wording.PlusMinus(mean, sd), "n/a", "–", 1) }
	ones, err := column.ReadPort[tables.VariationRow](a.T, "table1")
	if err != nil {
		return err
	}
	if len(ones) > 0 {
		type row = tables.VariationRow
		a.Table(section.Lay(a.Writer, "performance.paper-1", nil, 3, ones,
			section.Words("distance", func(r row) string { return tables.PrintedName(r.Distance) }),
			section.Words("pooling", func(r row) string { return tables.PrintedName(r.Pool) }),
			section.Words("lambdas",
				func(r row) string { return report.Short(r.Lambda1) + "-" + report.Short(r.Lambda2) }),
			section.Strong(section.Num("over-folds", func(r row) string {
				return wording.PlusMinus(r.FoldMean,
					r.FoldSD)
			})),
			section.Num("accuracy", func(r row) string { return report.Share(r.Accuracy) }),
			section.Num("interval", func(r row) string { return report.Range(r.Low, r.High) }),
			section.Num("paper", func(r row) string { return printed(r.Paper, r.PaperSD) })),
			a.Text("performance.paper-1.lead", nil))
	}
	twos, err := column.ReadPort[tables.ClassifierRow](a.T, "table2")
	if err != nil || len(twos) == 0 {
		return err
	}
	type row = tables.ClassifierRow
	a.Table(section.Lay(a.Writer, "performance.paper-2", nil, 1, twos,
		section.Words("classifier", func(r row) string { return section.OrItself(column.Classifiers, r.Model) }),
		section.Strong(section.Num("over-folds", func(r row) string {
			return wording.PlusMinus(r.FoldMean,
				r.FoldSD)
		})),
		section.Num("accuracy", func(r row) string { return report.Share(r.Accuracy) }),
		section.Num("interval", func(r row) string { return report.Range(r.Low, r.High) }),
		section.Num("parameters", func(r row) string { return report.Thousands(r.Parameters) }),
		section.Num("paper", func(r row) string { return printed(r.Paper, r.PaperSD) }),
		section.Num("paper-parameters", func(r row) string { return report.Thousands(r.PaperParameters) })),
		a.Text("performance.paper-2.lead", nil))
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
			return a.First != nil && column.Holds(a.First.Coords, f[0].Coords)
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
	if s := a.Plan.Stage(finding.StageOf(coords)); s != nil &&
		(s.Kind == "baseline" || s.Kind == "network") {
		return 1
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
	return figure.Captioned(d.Figure(), "figure.accuracy", values{"N": len(d.Rows), "Majority": d.Mark})
}
