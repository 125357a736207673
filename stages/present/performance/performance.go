package performance

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

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

	predictions *fold.Settings // nil before they are read
	levels      func() bool    // sameLevels of Accuracy, once, as each of many universes asks
}

// Predictions are those of all settings, of groups or of a number, by the names of the page; nil where none are
// connected.
func (a *Results) Predictions() (*fold.Settings, error) {
	port, read := "predictions", fold.ReadSettings
	if a.Regression != nil {
		port, read = "predicted", fold.ReadNumbers
	}
	ins := a.T.All(port)
	if a.predictions != nil || len(ins) == 0 {
		return a.predictions, nil
	}
	all, err := read(ins)
	if err != nil {
		return nil, err
	}
	for _, folds := range all.Settings {
		name := a.NameOf(column.CoordText(folds[0].Coords), folds[0].Name)
		if a.isChoice(folds) {
			name = a.Nested.Title
		}
		for i := range folds {
			folds[i].Name = name
		}
	}
	a.predictions = all
	return all, nil
}

// A Row is one row of evaluate's summary.
type Row = finding.Row

// values are what entries of the catalog use.
type values = wording.Values

// Describe writes the section on accuracies and their tests.
func (a *Results) Describe() {
	if len(a.Accuracy) == 0 {
		return
	}
	rows := a.PerParticipant()
	first := a.Accuracy[0]
	same := sameTested(rows)
	retrained := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		_, t := a.Chance(r, "accuracy") // of several tests, the one that decides
		return !t.Shuffled
	})
	over := a.Over()
	of := values{"Positive": first.Positive, "Same": same, "FoldsOf": a.FoldsOf(), "Folds": int(first.Folds),
		"N":        int(first.Participants),
		"Majority": first.Majority, "Retrained": called(retrained), "Over": over, "Candidates": a.Candidates(),
		"HasMajority": slices.ContainsFunc(rows, Row.IsMajority),
		"Tests":       a.describeTests(ClassifierTests(rows), "labels", "accuracy", rows[0].Within)}
	maps.Copy(of, first.OverFolds())
	a.Table(section.Lay(a.Writer, "performance.accuracy", of, rows,
		"classifier | accuracy* interval over-folds p balanced auc sens-spec", classifierColumn))
	a.corrected(rows, of)
	if !same {
		a.Table(section.Lay(a.Writer, "performance.tested", of, rows, "classifier | tested folds majority",
			classifierColumn))
	}
	if over != "" {
		graphs := slices.DeleteFunc(slices.Clone(a.Accuracy), func(r Row) bool { return r.Level != "graph" })
		a.Supplement(section.Lay(a.Writer, "performance.graphs", nil, graphs,
			"classifier | accuracy interval over-folds balanced auc sensitivity specificity", classifierColumn))
	}
	a.Find(a.Performance()...)
	if a.Nested != nil {
		of := values(finding.Values(a.Nested.AccuracyRow))
		of["Chosen"] = a.IsChosen()
		of["Tests"] = a.describeTests(ClassifierTests([]Row{*a.Nested}), "labels", "accuracy", a.Nested.Within)
		a.Put("performance.nested", of)
	}
	for _, part := range []func(){a.folds, a.permutationTables, a.comparison, a.leftOut, a.otherLabel,
		a.published, a.paperTables} {
		part()
	}
	if a.Pictures {
		a.performanceFigures(rows)
	}
}

// called are classifiers in a sentence.
func called(rows []Row) []string {
	return lists.Map(rows, func(r Row) string { return wording.InSentence(r.Called()) })
}

// Uncalibrated are the results of classifiers that give decision values: of many, the classifiers alone.
func Uncalibrated(rows []Row) []string {
	const many = 6
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		return r.Classifier == "" || fold.Calibrated(r.Classifier)
	})
	names := func(of func(Row) string) []string {
		return lists.Map(lists.By(rows, of), func(g lists.Group[string, Row]) string { return g.Key })
	}
	all := names(func(r Row) string { return wording.InSentence(r.Called()) })
	if len(all) > many {
		return names(func(r Row) string { return section.OrItself(column.Classifiers, r.Classifier) })
	}
	return all
}

// classifierColumn is the name of a classifier.
var classifierColumn = section.Words("classifier", func(r Row) string {
	if r.Leaks {
		return wording.Label("performance.admitted", wording.Values{"Name": r.Called()})
	}
	return r.Called()
})

// A TestOf is the test of one model against chance, by evaluate or evaluate-regression.
type TestOf struct {
	Test, Model  string // column.Retrained, column.PerFold, or "" for none
	Permutations int32
	Exact        string  // "all", "some" or "": folds in which each arrangement of the labels was made
	OfFirst      bool    // p is of the first of several repeats
	First        float64 // the measure there; NaN where it has no p, as r of a constant prediction
}

// testOf is that of a model whose p is of so many folds of all, for the measure in them.
func testOf(test, model string, permutations, exact, of, folds int32, p, measure float64) TestOf {
	t := TestOf{test, model, permutations, "", test != "" && of > 0 && of < folds, math.NaN()}
	switch tested := cmp.Or(of, folds); {
	case exact > 0 && exact < tested:
		t.Exact = "some"
	case exact > 0:
		t.Exact = "all"
	}
	if t.OfFirst && !math.IsNaN(p) {
		t.First = measure
	}
	return t
}

// ClassifierTests are those of the accuracy of classifiers.
func ClassifierTests(rows []Row) []TestOf {
	return lists.Map(finding.PerParticipant(rows), func(r Row) TestOf {
		name := wording.InSentence(r.Called())
		return testOf(r.Test, name, r.Permutations, r.Exact, r.TestFolds, r.Folds, r.P, r.TestAccuracy)
	})
}

// areaTests are those of the AUC.
func areaTests(rows []Row) []TestOf {
	return lists.Map(rows, func(r Row) TestOf {
		name := wording.InSentence(r.Called())
		return testOf(r.Test, name, r.Permutations, r.Exact, r.TestFolds, r.Folds, r.AUCP, r.TestAUC)
	})
}

// RegressionTests are those of r of models of a number.
func RegressionTests(rows []column.RegressionRow) []TestOf {
	return lists.Map(rows, func(r column.RegressionRow) TestOf {
		return testOf(r.Test, r.Name, r.Permutations, r.Exact, r.TestFolds, r.Folds, r.P, r.TestR)
	})
}

// errorTests are those of the mean absolute error of models of a number.
func errorTests(rows []column.RegressionRow) []TestOf {
	return lists.Map(rows, func(r column.RegressionRow) TestOf {
		return testOf(r.Test, r.Name, r.Permutations, r.Exact, r.TestFolds, r.Folds, r.MAEP, r.TestMAE)
	})
}

// FirstRepeat are the models whose p is of the first of several repeats, and those measures there that have a p.
func FirstRepeat(all []TestOf, short func(float64) string) (models, measures []string) {
	for _, t := range all {
		if t.OfFirst {
			models = append(models, t.Model)
		}
		if !math.IsNaN(t.First) {
			measures = append(measures, t.Model+" "+short(t.First))
		}
	}
	return models, measures
}

// A Testing is one way in which models were tested, with one number of permutations.
type Testing struct {
	Test         string
	Permutations int32
	Exact        string // as in TestOf
	First        bool   // of the first of several repeats only
}

// A TestGroup is the models that were tested in one way.
type TestGroup struct {
	Testing
	Models []string
}

// GroupTests are the groups: models that were retrained, those tested fold by fold, those without a test.
func GroupTests(all []TestOf) (groups []TestGroup) {
	for _, test := range []string{column.Retrained, column.PerFold, ""} {
		own := slices.DeleteFunc(slices.Clone(all), func(t TestOf) bool { return t.Test != test })
		for _, of := range lists.By(own, TestOf.way) {
			groups = append(groups, TestGroup{of.Key, lists.Map(of.All, func(t TestOf) string { return t.Model })})
		}
	}
	return groups
}

func (t TestOf) way() Testing {
	if t.Test == "" {
		return Testing{}
	}
	return Testing{t.Test, t.Permutations, t.Exact, t.OfFirst}
}

// describeTests describes tests by permutations of labels or targets, in sentences.
func (a *Results) describeTests(all []TestOf, what, measure, within string) (text string) {
	for _, group := range GroupTests(all) {
		of := values{"Of": group.Models, "All": group.Models, "Permutations": group.Permutations, "Exact": group.Exact,
			"What": what, "Within": within, "First": group.First}
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
	models, measures := FirstRepeat(all, report.Share)
	if models == nil {
		return ""
	}
	return " " + a.Text("tests.first-repeat", values{"Measure": measure, "First": measures})
}

// corrected is the table of all measures of the classifiers, with their intervals, corrected p, and p of the AUC.
func (a *Results) corrected(rows []Row, of values) {
	var retrained, without []string
	for _, r := range rows {
		switch state, t := a.Chance(r, "accuracy"); {
		case state == finding.Unattributed:
			without = append(without, wording.InSentence(r.Called()))
		case state < finding.Untested && t.Retrained && !r.IsMajority():
			retrained = append(retrained, wording.InSentence(r.Called()))
		}
	}
	maps.Copy(of, values{"DecisionValues": nil, "Permuted": len(a.Permuted) > 0, "AsRetrained": retrained,
		"Without":     without,
		"FirstRepeat": a.firstRepeat(ClassifierTests(rows), "accuracy") + a.firstRepeat(areaTests(rows), "AUC")})
	measures := "classifier | accuracy balanced auc"
	if rows[0].Positive != "n/a" {
		measures += " sensitivity specificity brier"
		of["DecisionValues"] = Uncalibrated(rows)
	}
	corrected := a.Corrected()
	a.Supplement(section.Lay(a.Writer, "performance.intervals", of, rows, measures+" p-holm auc-p", classifierColumn,
		section.Num("p-holm", func(r Row) string {
			if p, ok := corrected[column.CoordText(r.Coords)]; ok {
				return report.CorrectedP(p.P, p.AtMost)
			}
			return "n/a"
		})))
}

// Over are the graphs or matrices over which the predictions of a participant are averaged: draws, sessions, or
// both; "" where each has one, and for a number whose predictions are not connected.
func (a *Results) Over() string {
	if a.levels == nil {
		a.levels = sync.OnceValue(func() bool { return sameLevels(a.Accuracy, a.PerParticipant()) })
	}
	several := len(a.Accuracy) > 0 && !a.levels()
	if a.Regression != nil {
		all, err := a.Predictions()
		if a.Fail(err); all == nil {
			return ""
		}
		several = slices.ContainsFunc(slices.Concat(all.Settings...), func(f fold.Tested) bool {
			return len(f.Graphs) > len(f.Participants)
		})
	}
	if !several {
		return ""
	}
	return a.GraphsAre()
}

// GraphsAre is what a participant has several graphs or matrices of: draws, sessions, or both.
func (a *Results) GraphsAre() string {
	sessions := a.Plan.Of("sessions") != nil || slices.ContainsFunc(a.T.All("cleaning"),
		func(in dag.Input) bool { return in.Coord("session") != "" })
	draws := slices.ContainsFunc(a.Plan.Stages, func(s finding.StageSettings) bool {
		return s.Number("draws") > 1 && (s.Kind == "bootstrap" || s.Kind == "denoise")
	})
	return a.Text("performance.graphs-are", values{"Sessions": sessions, "Draws": draws})
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
func (a *Results) folds() {
	if len(a.Scores) == 0 {
		return
	}
	all := a.WholeTable(a.TableOf(a.T.In("scores")), 400)
	all.Caption = a.Text("performance.all-folds", nil)
	a.Supplement(all)
	if a.First == nil {
		return
	}
	repeats := slices.ContainsFunc(a.Scores, func(r finding.FoldScore) bool { return r.Repeat > 1 })
	own := slices.DeleteFunc(slices.Clone(a.Scores), func(r finding.FoldScore) bool {
		return r.Level != "participant" || !a.First.Is(r.Coords)
	})
	const most = 10 // folds; the supplement has all
	if len(own) == 0 || len(own) > most {
		return
	}
	of := values{"Title": a.First.Title, "Called": wording.InSentence(a.First.Called()), "Repeated": repeats}
	t := section.Lay(a.Writer, "performance.folds", of, own, "fold | left-out? accuracy")
	for i, r := range own {
		t.Rows[i][len(t.Rows[i])-1].Bar = &report.Bar{Share: r.Accuracy, Mark: a.First.Majority}
	}
	a.Table(t)
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
			"Attributed": test.Of != nil, "Other": test.Other}
		a.Table(section.Lay(a.Writer, "performance.permutation", of, test.Rows,
			"measure | observed chance-mean chance-95 permutations p",
			number("observed", func(r row) float64 { return r.Observed }),
			number("chance-mean", func(r row) float64 { return r.Mean }),
			number("chance-95", func(r row) float64 { return r.Quantile95 })))
	}
}

// comparison adds the tests between classifiers.
func (a *Results) comparison() {
	type row = column.PairRow
	rows := section.Rows[row](a.Writer, "comparison")
	if len(rows) == 0 {
		return
	}
	place := func(setting string) int { // the headline, the accuracies in their order, others
		if a.First != nil && column.CoordText(a.First.Coords) == setting {
			return -1
		}
		at := slices.IndexFunc(a.Accuracy, func(r Row) bool { return column.CoordText(r.Coords) == setting })
		if at < 0 {
			return len(a.Accuracy)
		}
		return at
	}
	for i := range rows {
		r := &rows[i]
		r.NameA, r.NameB = a.NameOf(r.A, cmp.Or(r.NameA, r.A)), a.NameOf(r.B, cmp.Or(r.NameB, r.B))
		if place(r.B) < place(r.A) { // both tests are two-sided
			r.A, r.B, r.NameA, r.NameB = r.B, r.A, r.NameB, r.NameA
			r.AccuracyA, r.AccuracyB, r.OnlyA, r.OnlyB = r.AccuracyB, r.AccuracyA, r.OnlyB, r.OnlyA
		}
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		return cmp.Or(place(x.A)-place(y.A), place(x.B)-place(y.B))
	})
	of := values{"Over": a.Over(), "Pairs": len(rows),
		"Repeats": slices.ContainsFunc(rows, func(r row) bool { return r.McNemarRepeat > 0 })}
	different := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Folds > 0 })
	of["Different"] = lists.Map(different, func(r row) string { return r.NameA + " and " + r.NameB })
	of["Equal"] = slices.ContainsFunc(rows, func(r row) bool { return r.Folds > 0 && math.IsNaN(r.TP) })
	folds := ""
	if slices.ContainsFunc(rows, func(r row) bool { return r.Folds != rows[0].Folds || r.McNemarRepeat > 0 }) {
		folds = "folds-of-both"
	}
	t := section.Lay(a.Writer, "performance.comparison", of, rows,
		"a b | accuracy-a accuracy-b only "+folds+" t-p t-holm mcnemar-p mcnemar-holm")
	const most = 24 // pairs in the text
	a.LongTable(t, most)
}

// paperTables adds the paper's Tables 1 and 2.
func (a *Results) paperTables() {
	if ones := section.Rows[tables.VariationRow](a.Writer, "table1"); len(ones) > 0 {
		type row = tables.VariationRow
		a.Table(section.Lay(a.Writer, "performance.paper-1", nil, ones,
			"distance pooling lambdas | over-folds* accuracy interval paper",
			section.Words("distance", func(r row) string { return tables.PrintedName(r.Distance) }),
			section.Words("pooling", func(r row) string { return tables.PrintedName(r.Pool) })))
	}
	if twos := section.Rows[tables.ClassifierRow](a.Writer, "table2"); len(twos) > 0 {
		a.Table(section.Lay(a.Writer, "performance.paper-2", nil, twos,
			"classifier | over-folds* accuracy interval parameters paper paper-parameters"))
	}
}

// calibrationBins are few: a bin of a small study holds few participants.
const calibrationBins = 5

// performanceFigures are drawn from what is connected.
func (a *Results) performanceFigures(rows []Row) {
	var small []*figure.Chart
	all, err := a.Predictions()
	a.Fail(err)
	all = a.evaluated(all)
	if len(rows) > 1 {
		small = append(small, a.accuracyChart(rows, a.lead(rows, all)))
	}
	if all != nil {
		positive := "" // as in the table above
		if slices.Contains(all.Groups, rows[0].Positive) {
			positive = rows[0].Positive
		}
		if shown := a.shown(all.Settings); shown >= 0 {
			small = append(small, figure.DrawConfusion(all, shown))
		}
		whole := max(len(all.Settings), len(rows)) // a page of one of several settings has the predictions of that
		all.Settings = reference(a, all.Settings, whole, func(f []fold.Tested) ([]dag.Coord, string) {
			return f[0].Coords, column.ClassifierOf(f[0].Coords, f[0].Model)
		}, max(0, a.shown(all.Settings)))
		roc, err := figure.DrawROC(all, positive)
		a.Fail(err)
		calibration, err := figure.DrawCalibration(all, positive, calibrationBins)
		a.Fail(err)
		for _, c := range []*figure.Chart{roc, calibration} {
			if c != nil {
				a.drawnOf(c, len(all.Settings), whole)
			}
		}
		small = append(small, roc, calibration)
	}
	a.Figures(small...)
	var headline []dag.Coord
	if a.First != nil {
		headline = a.First.Coords
	}
	a.Figure(figure.DrawTraining(a.T, headline, 8))
	a.Figure(figure.DrawDistributions(a.T.All("distribution"), headline, 8))
}

// evaluated are the predictions that the evaluation is of, the headline first: others have folds of their own, such as
// those with each site left out. Nil without any.
func (a *Results) evaluated(all *fold.Settings) *fold.Settings {
	if all == nil {
		return nil
	}
	kind, ports := "evaluate", []string{"evaluation", "nested"}
	if a.Regression != nil {
		kind, ports = "evaluate-regression", []string{"regression"}
	}
	var of []string
	for _, port := range ports {
		if made := a.Plan.Shown(kind, port); made != nil {
			for _, s := range a.Plan.Sources(made, "predictions") {
				of = append(of, s.Stage)
			}
		}
	}
	own := *all
	own.Settings = slices.DeleteFunc(slices.Clone(all.Settings), func(f []fold.Tested) bool {
		stage := finding.StageOf(f[0].Coords)
		return of != nil && stage != "" && !slices.Contains(of, stage)
	})
	if len(own.Settings) == 0 {
		return nil
	}
	slices.SortStableFunc(own.Settings,
		func(x, y []fold.Tested) int { return a.othersLast(x[0].Coords) - a.othersLast(y[0].Coords) })
	if shown := a.shown(own.Settings); shown > 0 {
		first := own.Settings[shown]
		own.Settings = slices.Insert(slices.Delete(own.Settings, shown, shown+1), 0, first)
	}
	return &own
}

// shown is the setting of predictions whose figures the page has: the headline, or the first without one; −1 where the
// headline is a choice inside each fold that is not among them.
func (a *Results) shown(settings [][]fold.Tested) int {
	if a.IsChosen() {
		return slices.IndexFunc(settings, a.isChoice)
	}
	return max(0, slices.IndexFunc(settings, func(f []fold.Tested) bool {
		return a.First != nil && isOf(a.First.Coords, f[0].Coords) ||
			a.FirstNumber != nil && isOf(a.FirstNumber.Coords, f[0].Coords)
	}))
}

// isOf reports whether a row of an evaluation is of a setting of predictions: an evaluation of one stage does not have
// its name.
func isOf(row, setting []dag.Coord) bool {
	if finding.StageOf(row) == "" {
		setting = column.Without(setting, "stage")
	}
	return column.Holds(row, setting)
}

// isChoice reports whether predictions are those of the settings chosen inside each fold.
func (a *Results) isChoice(folds []fold.Tested) bool {
	s := a.Plan.Stage(finding.StageOf(folds[0].Coords))
	return a.Nested != nil && s != nil && s.Kind == "choose"
}

// othersLast is 1 for a classifier to compare with.
func (a *Results) othersLast(coords []dag.Coord) int {
	if s := a.Plan.Stage(finding.StageOf(coords)); s != nil &&
		slices.Contains([]string{"baseline", "network", "estimator"}, s.Kind) {
		return 1
	}
	return 0
}

// lead is the row that leads captions: the headline, or the classifier whose figures the page has without one. The
// first row may be the most accurate one.
func (a *Results) lead(rows []Row, all *fold.Settings) int {
	return max(0, slices.IndexFunc(rows, func(r Row) bool {
		if a.First != nil || a.IsChosen() {
			return a.First != nil && r.Is(a.First.Coords) || a.IsChosen() && r.Is(a.Nested.Coords)
		}
		return all != nil && isOf(r.Coords, all.Settings[0][0].Coords)
	}))
}

// accuracyChart draws the accuracy of each classifier over participants, with its interval.
func (a *Results) accuracyChart(rows []Row, lead int) *figure.Chart {
	d := chart.Dots{Axis: a.Text("figure.accuracy.axis", nil), Interval: a.Text("figure.accuracy.interval", nil),
		Mark: math.NaN(), MarkName: a.Text("figure.accuracy.majority", nil)}
	called, classifiers := []string{rows[lead].Called()}, []string{rows[lead].Classifier}
	accuracy := []float64{rows[lead].Accuracy}
	for i, r := range rows {
		if i != lead && !r.IsMajority() {
			called, classifiers = append(called, r.Called()), append(classifiers, r.Classifier)
			accuracy = append(accuracy, r.Accuracy)
		}
	}
	drawn := reference(a, rows, len(rows), func(r Row) ([]dag.Coord, string) { return r.Coords, r.Classifier }, lead)
	series := column.Series(lists.Map(drawn, func(r Row) string { return r.Title }))
	names := labels(lists.Map(drawn, Row.Called), 40)
	for i, r := range drawn[:min(len(drawn), 40)] {
		d.Rows = append(d.Rows, chart.Row{Series: series[i], Name: names[i], Value: r.Accuracy,
			Low: r.Low, High: r.High, Chance: math.NaN()})
		d.Mark = r.Majority
	}
	c := figure.Captioned(d.Figure(), "figure.accuracy", figure.Led(called, classifiers, accuracy,
		values{"N": len(d.Rows), "Majority": d.Mark, "Low": rows[lead].Low, "High": rows[lead].High}))
	a.drawnOf(c, len(drawn), len(rows))
	return c
}

// reference are the settings that figures of classifiers have: of a multiverse of more than a few evaluated ones, that
// of each classifier which shares most options with the one at lead.
func reference[T any](a *Results, all []T, evaluated int, of func(T) ([]dag.Coord, string), lead int) (drawn []T) {
	const most = 8
	if evaluated <= most || len(a.Plan.Universes) == 0 {
		return all
	}
	first, _ := of(all[lead])
	for _, own := range lists.By(all, func(x T) string { _, classifier := of(x); return classifier }) {
		drawn = append(drawn, slices.MinFunc(own.All, func(x, y T) int {
			differ := func(x T) (n int) {
				coords, _ := of(x)
				for _, c := range coords {
					if !slices.Contains(first, c) {
						n++
					}
				}
				return n
			}
			return differ(x) - differ(y)
		}))
	}
	return drawn
}

// drawnOf adds to a caption which of all settings the figure has, if not all.
func (a *Results) drawnOf(c *figure.Chart, drawn, all int) {
	if drawn < all {
		of := values{"Headline": a.First != nil, "All": all, "Curve": false}
		for _, r := range section.Rows[column.JointRow](a.Writer, "universe_tests") {
			of["Curve"], of["Universes"], of["Repeated"] = true, r.Universes, r.Repeated
		}
		c.Caption += " " + a.Text("figure.reference", of)
	}
}

// labels shortens names to n characters so that they differ: without what all have in common, where they are long.
func labels(names []string, n int) []string {
	clip := func(names []string) []string {
		return lists.Map(names, func(name string) string { return region.Clip(name, n) })
	}
	if slices.Equal(clip(names), names) || len(names) < 2 {
		return clip(names)
	}
	parts := lists.Map(names, func(name string) []string { return strings.Split(name, ", ") })
	own := lists.Map(parts, func(of []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(of), func(part string) bool {
			return !slices.ContainsFunc(parts, func(other []string) bool { return !slices.Contains(other, part) })
		}), ", ")
	})
	if slices.Contains(own, "") {
		own = names
	}
	if short := clip(own); len(slices.Compact(slices.Sorted(slices.Values(short)))) == len(names) {
		return short
	}
	return own
}
