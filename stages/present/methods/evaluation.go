package methods

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// measured states how the result was measured.
func (a *Author) measured() {
	if p := a.Run.Locked; p != nil {
		a.say("methods.plan", p.Values())
	}
	a.folds()
	a.validated()
	a.nested()
	if a.Run.Of("evaluate") != nil && a.T.Has("evaluation") {
		a.baselines()
		a.begins = true
		a.measures()
		a.leftOutTests()
		a.otherLabelTests()
	} else if a.T.Has("comparison") || a.T.Has("universe_tests") { // without evaluate; they are tested below
		a.baselines()
	}
	if a.Run.Of("evaluate-regression") != nil && a.T.Has("regression") {
		a.regression()
	}
	if a.Run.Of("compare") != nil && a.T.Has("comparison") {
		rows := section.Rows[column.PairRow](a.Writer, "comparison")
		a.tested("")
		a.say("methods.comparison", values{"Repeats": slices.ContainsFunc(rows, func(r column.PairRow) bool {
			return r.McNemarRepeat > 0
		})})
	}
	a.permutations()
	a.multiverse()
	for _, topic := range [][]func(){{a.learning}, {a.rankings, a.fidelity}, {a.edgeTests, a.reliability},
		{a.covariates, a.confounds}, {a.subgroups}, {a.motion}} {
		a.begins = true
		for _, part := range topic {
			part()
		}
	}
	a.begins = true
	a.level()
}

// Tests of larger values alone, of which a page may have several.
const (
	ofPerformance    = "performance"
	ofUniverses      = "universes"
	ofMasking        = "masking"
	ofInformation    = "information"
	ofIdentification = "identification"
	ofComponents     = "components" // of edges, on one side
)

// tested notes that the page has such a test, or one of both sides ("").
func (a *Author) tested(of string) {
	if !slices.Contains(a.sides, of) {
		a.sides = append(a.sides, of)
	}
}

// level states the level of significance, and which tests are one-sided.
func (a *Author) level() {
	if a.sides != nil {
		one := slices.DeleteFunc(slices.Clone(a.sides), func(of string) bool { return of == "" })
		names := lists.Map(one, func(of string) string {
			return a.Text("methods.one-sided", values{"Of": of, "Number": a.Regression != nil})
		})
		a.say("methods.level", values{"OneSided": names, "Others": len(one) < len(a.sides)})
	}
}

// nested states from which settings each fold chose, and how.
func (a *Author) nested() {
	c := a.Run.Of("choose")
	if c == nil {
		return
	}
	inner := a.Run.Sources(c, "inner")
	of := parameters(c, values{"Inner": 0})
	var candidates, varied []string
	for _, s := range inner {
		for _, model := range modelsOf(s) {
			if name := section.OrItself(column.Classifiers, model); !slices.Contains(candidates, name) {
				candidates = append(candidates, name)
			}
		}
		for _, name := range s.Parameters {
			if len(s.Values[name]) > 1 && name != "model" && Unstated[name] != place {
				varied = append(varied, a.Text("methods.setting", values{"Name": name, "Values": s.Over(name)}))
			}
		}
		for _, split := range a.Run.Sources(s, "folds") {
			of["Inner"] = int(split.Number("inner"))
		}
	}
	before := map[string]bool{}
	for _, s := range inner {
		a.upstream(s, before)
	}
	for _, d := range a.Run.Decisions.Decisions {
		if slices.ContainsFunc(d.Options[0].Sets, func(set column.OptionSet) bool { return before[set.Stage] }) {
			options := lists.Map(d.Options, func(o column.Option) string { return o.Name })
			varied = append(varied, a.Text("methods.setting", values{"Name": d.Name, "Values": options}))
		}
	}
	slices.Sort(varied)
	of["Candidates"], of["Varied"] = candidates, slices.Compact(varied)
	a.say("methods.nested", of)
}

// upstream marks the stages that a stage needs.
func (a *Author) upstream(s *finding.StageSettings, before map[string]bool) {
	for port := range s.Inputs {
		for _, of := range a.Run.Sources(s, port) {
			if !before[of.Stage] {
				before[of.Stage] = true
				a.upstream(of, before)
			}
		}
	}
}

// folds states how participants were divided, and what was predicted.
func (a *Author) folds() {
	first := a.division()
	if first == nil {
		return
	}
	if first.Uses("leave_out") {
		a.say("methods.left-out", parameters(first, nil))
	} else {
		a.say("methods.folds", parameters(first, values{"Label": label(first), "Target": a.targetOf(first),
			"Within": first.List("stratify_by"), "Together": first.List("keep_together"),
			"Repeated": first.Number("repeats") > 1, "Unit": a.unit()}))
	}
	if groups := a.FoldsOf(); groups != nil {
		a.say("methods.folds-of", values{"FoldsOf": groups})
	}
	if where := a.LeftOut(); where != "" {
		a.say("methods.second-left-out", values{"Where": where})
	}
	for _, s := range a.kinds("split") {
		if by, _ := a.takers(s); by != nil && label(s) != label(first) {
			a.say("methods.other-label", values{"Label": label(s), "Models": a.named(by...),
				"Stratified": s.Value("stratify") != "false"})
		}
	}
}

// firstOf calls the division that the methods describe first, beside others; "" where it is the only one.
func (a *Author) firstOf() string {
	if a.LeftOut() != "" || a.OtherLabel != nil {
		return "first"
	}
	return ""
}

// label is the column that the models of a split predict.
func label(split *finding.StageSettings) string {
	return cmp.Or(strings.Join(split.Over("label"), " or "), "group")
}

// targetOf is the number that is the label of a stage; "" where groups are.
func (a *Author) targetOf(s *finding.StageSettings) string {
	if s.Value("label") == column.Target {
		return a.Number
	}
	return ""
}

// baselines states the classifiers for comparison, and their inputs.
func (a *Author) baselines() {
	if names := a.fittedModels("baseline", "network", "estimator"); names != nil {
		a.say("methods.baselines", values{"Another": a.Another, "Alone": a.evaluated("train", "evaluation") == nil,
			"Names": names, "FoldsOf": a.FoldsOf(), "Division": a.firstOf()})
	}
	a.networks()
	a.inputs("baseline", "network", "estimator")
	a.ownModels()
}

// ownModels states what the processes of the study's own models had.
func (a *Author) ownModels() {
	if names := a.named(a.kinds("estimator")...); names != nil {
		a.say("methods.handed-over", values{"Models": names})
	}
}

// measures states which measures of the classifiers are given and which are not, and how they were tested. The results
// are those of all universes, so the text is written once for all that it is the same for.
func (a *Author) measures() {
	key := fmt.Sprint(a.unit(), a.Over(), a.exchanged(a.division()))
	if a.universe == nil || a.Nested != nil {
		a.writeMeasures()
		return
	}
	if _, known := a.measuring[key]; !known {
		before := len(a.said)
		a.writeMeasures()
		if a.measuring == nil {
			a.measuring = map[string][]statement{}
		}
		a.measuring[key], a.said = slices.Clone(a.said[before:]), a.said[:before]
	}
	a.said = append(a.said, a.measuring[key]...)
}

func (a *Author) writeMeasures() {
	known := func(of func(performance.Row) float64) bool {
		return slices.ContainsFunc(a.Accuracy, func(r performance.Row) bool { return !math.IsNaN(of(r)) })
	}
	given, missing := []string{"accuracy", "balanced accuracy"}, []string(nil)
	hasAUC := known(func(r performance.Row) float64 { return r.AUC })
	for _, measure := range []struct {
		name  string
		known bool
	}{
		{"sensitivity", known(func(r performance.Row) float64 { return r.Sensitivity })},
		{"specificity", known(func(r performance.Row) float64 { return r.Specificity })},
		{"auc", hasAUC},
	} {
		if name := a.Text("methods.measure", values{"Measure": measure.name}); measure.known {
			given = append(given, name)
		} else {
			missing = append(missing, name)
		}
	}
	first := a.Accuracy[0]
	of := a.foldCount(first.Folds, first.TestFolds)
	of["Given"], of["Over"], of["Unit"] = given, a.Over(), a.unit()
	of["Output"] = a.Text("methods.output", values{"Decisions": performance.Uncalibrated(a.Accuracy)})
	of["Shares"] = slices.DeleteFunc(slices.Clone(given), func(name string) bool {
		return !slices.Contains([]string{"accuracy", "sensitivity", "specificity"}, name)
	})
	of["AUC"], of["Incomplete"], of["Positive"] = hasAUC, int(first.Incomplete), first.Positive
	of["Brier"] = known(func(r performance.Row) float64 { return r.BrierLow })
	a.say("methods.measures", of)
	if _, classes := a.Predicted(); hasAUC && (len(classes) > 2 || a.Accuracy[0].Positive == "n/a") {
		a.say("methods.auc", values{"Positive": a.Accuracy[0].Positive})
	}
	if missing != nil {
		a.say("methods.not-computed", values{"Missing": missing})
	}
	var tested []string
	if known(func(r performance.Row) float64 { return r.P }) {
		tested = append(tested, "accuracy")
	}
	if known(func(r performance.Row) float64 { return r.AUCP }) {
		tested = append(tested, "AUC")
	}
	rows := slices.DeleteFunc(slices.Clone(a.Accuracy), performance.Row.IsMajority) // which has no p
	if a.Nested != nil {
		rows = slices.Concat(rows, []performance.Row{*a.Nested})
	}
	a.tests(performance.ClassifierTests(rows), tested, "labels")
	headline := ""
	if a.First != nil {
		headline = a.First.Called()
	}
	a.holm(a.Tested(), values{"Headline": headline, "Where": "", "Label": ""})
	if names := a.Candidates(); names != nil {
		a.say("performance.not-of-choice", values{"Candidates": names})
	}
}

// holm states for which tests p values of the accuracy, or of r, were corrected.
func (a *Author) holm(tested finding.Counted, of values) {
	if of["Compared"] = tested; tested.Settings > 1 {
		a.say("methods.holm", of)
	}
}

// leftOutTests states how the p values of a second cross-validation, of what is left out in turn, were computed.
func (a *Author) leftOutTests() {
	where := a.LeftOut()
	if where == "" {
		return
	}
	split := slices.IndexFunc(a.Run.Stages, func(s finding.StageSettings) bool {
		return s.Kind == "split" && s.Value("leave_out") == where
	})
	a.besideTests(a.Beyond, &a.Run.Stages[split], values{"Where": where, "Label": ""})
}

// otherLabelTests states the same of models that predict another column.
func (a *Author) otherLabelTests() {
	if a.OtherLabel == nil || a.OtherLabel.Predicts == "" {
		return
	}
	for _, s := range a.kinds("split") {
		if label(s) == a.OtherLabel.Predicts {
			a.besideTests(a.OtherLabel, s, values{"Where": "", "Label": a.OtherLabel.Predicts})
			return
		}
	}
}

func (a *Author) besideTests(other *finding.Results, split *finding.StageSettings, of values) {
	rows := other.Accuracy
	maps.Copy(of, a.exchanged(split))
	a.tested(ofPerformance)
	of["What"], of["Measures"] = "labels", []string{"accuracy"}
	if slices.ContainsFunc(rows, func(r performance.Row) bool { return !math.IsNaN(r.AUCP) }) {
		of["Measures"] = []string{"accuracy", "AUC"}
	}
	for _, g := range performance.GroupTests(performance.ClassifierTests(rows)) {
		if g.Test != "" {
			of["Models"], of["Permutations"], of["Exact"] = g.Models, g.Permutations, g.Exact
			of["Retrained"] = g.Test == column.Retrained
			a.say("methods.left-out-tested", of)
		}
	}
	of["Headline"] = ""
	a.holm(other.Tested(), of)
}

// regression states how a number was predicted, and how that was measured.
func (a *Author) regression() {
	of := values{"Target": a.Number, "Names": a.fittedModels("regression"), "Over": a.Over(),
		"FoldsOf": a.FoldsOf(), "Residual": a.Residuals() != nil, "Site": ""}
	if slices.ContainsFunc(a.Regression, func(r column.RegressionRow) bool { return r.RWithin-r.RWithin == 0 }) {
		of["Site"] = a.Within
	}
	if of["Names"].([]string) != nil {
		a.say("methods.regressions", of)
		a.inputs("regression")
	}
	a.ownModels()
	if len(a.Regression) > 0 {
		maps.Copy(of, a.foldCount(a.Regression[0].Folds, a.Regression[0].TestFolds))
	} else {
		maps.Copy(of, a.foldCount(0, 0))
	}
	if a.Residuals() == nil {
		a.say("methods.output-number", of)
	}
	a.say("methods.regression-measures", of)
	for _, r := range a.Residuals() {
		a.say("methods.residual", r.Values(a.Number))
	}
	rows := slices.DeleteFunc(slices.Clone(a.Regression), finding.IsMean) // which has no r
	a.tests(performance.RegressionTests(rows), []string{"r", "MAE"}, "targets")
	headline := ""
	if a.FirstNumber != nil {
		headline = a.FirstNumber.Name
	}
	_, among := a.CorrectedR()
	a.holm(finding.Counted{Settings: among}, values{"Headline": headline, "Where": "", "Label": ""})
}

// foldCount counts the folds of all repeats, over which measures are means, and several repeats; first are the folds of
// the first of several. They are not counted where models differ in them.
func (a *Author) foldCount(folds, first int32) values {
	if a.FoldsOf() != nil {
		folds, first = 0, 0
	}
	repeats := 0
	if first > 0 {
		repeats = int(folds / first)
	}
	return values{"Folds": int(folds), "Repeats": repeats}
}

// tests states how models were tested against chance: measures by permutations of what, labels or targets.
func (a *Author) tests(all []performance.TestOf, measures []string, what string) {
	of := a.exchanged(a.division())
	of["Measures"], of["What"] = measures, what
	groups := slices.DeleteFunc(performance.GroupTests(all), func(g performance.TestGroup) bool { return g.Test == "" })
	if measures == nil || len(groups) == 0 {
		a.say("methods.untested", of)
		return
	}
	a.tested(ofPerformance)
	for _, g := range groups {
		of["Models"], of["Permutations"], of["Exact"], of["First"] = g.Models, g.Permutations, g.Exact, g.First
		if many := 8; len(g.Models) > many && len(g.Models) == len(all) {
			of["Models"] = nil
		}
		if g.Test == column.Retrained {
			a.say("methods.p-retrained", of)
		} else {
			a.say("methods.p-per-fold", of)
		}
	}
	first, known := performance.FirstRepeat(all, report.Share)
	if first == nil {
		return
	}
	if !slices.ContainsFunc(all, func(t performance.TestOf) bool { return t.Test != "" && !t.OfFirst }) {
		first = nil // all
	}
	a.say("methods.p-of-first-repeat", values{"Models": first, "Measure": measures[0], "Values": known})
}

// exchanged is within which column's values the labels of a split were permuted, and the columns whose values relatives
// share, who exchanged labels as a whole; not Known without the participants.
func (a *Author) exchanged(split *finding.StageSettings) values {
	of := values{"Known": false, "Within": "", "Together": nil}
	if split == nil || split.Kind != "split" || a.People == nil {
		return of
	}
	of["Known"], of["Together"] = true, split.List("keep_together")
	of["Within"] = a.PermutedWithin(split.Value("within"))
	return of
}

// together are the sets of participants that a split keeps in one fold; "" for none.
func together(split *finding.StageSettings) string {
	if split == nil || !split.Uses("keep_together") {
		return ""
	}
	return column.SetsOf(split.List("keep_together")...)
}

// permutations states which models were retrained on permuted labels, on how many, and how these were permuted.
func (a *Author) permutations() {
	target := ""
	if a.Regression != nil {
		target = a.Number
	}
	tests := a.RetrainedTests()
	for _, how := range lists.By(tests, func(t *finding.RetrainedTest) string {
		var split *finding.StageSettings
		if t.Stage != nil {
			split = slices.Concat(a.Run.Sources(t.Stage, "folds"), []*finding.StageSettings{nil})[0]
		}
		of := a.exchanged(split)
		of["Draws"], of["Target"] = int(t.Rows[0].Permutations), target
		return a.Text("methods.permuted", of)
	}) {
		a.tested(ofPerformance)
		a.say("methods.permutation", values{"Models": lists.Map(how.All, retrainedName), "How": how.Key})
	}
	for _, t := range tests {
		of := values{"Name": retrainedName(t), "Other": t.Other, "Reason": t.Reason, "Design": t.Design}
		if t.Other != nil {
			a.say("methods.other-training", of)
		}
		if t.Reason != "" {
			a.say("methods.unattributed", of)
		}
	}
}

func retrainedName(t *finding.RetrainedTest) string { return cmp.Or(t.Name(), "the model") }

// rankings states how regions were ranked: first in the ranking that the page shows, then in those of other stages.
func (a *Author) rankings() {
	if !a.T.Has("ranking") {
		return
	}
	if shown := a.Run.Shown("biomarkers", "ranking"); shown != nil {
		a.say("methods.ranking", a.rankedBy(shown))
		a.tested("")
		a.say("methods.ranking-test", values{"Within": a.TableOf(a.T.In("ranking")).Meta["within"]})
		for _, s := range a.kinds("biomarkers") {
			if s != shown {
				a.say("methods.other-ranking", a.rankedBy(s))
			}
		}
	}
	var methods []values
	for _, r := range section.Rows[column.RecoveryRow](a.Writer, "recovery") {
		if r.Method != column.TrainedModels && !slices.ContainsFunc(methods, func(of values) bool {
			return of["Method"] == r.Method
		}) {
			methods = append(methods, values{"Method": r.Method})
		}
	}
	if methods != nil {
		a.say("methods.references", values{"Methods": methods})
	}
	if a.T.Has("individuality") {
		a.say("methods.individuality", nil)
	}
}

// rankedBy is what a stage of the kind biomarkers ranks by: the scores of a layer of the models that it takes.
func (a *Author) rankedBy(b *finding.StageSettings) values {
	from, model := a.Run.Sources(b, "scores"), column.PrGNN
	if len(from) > 0 {
		model = modelsOf(from[0])[0]
	}
	score, work := "pooling", cmp.Or(works[model], "li2020")
	switch {
	case len(from) > 0 && from[0].Kind == "estimator":
		score, work = "own", ""
	case model == "meanmlp" && from[0].Value("attribution") == "integrated":
		score = "integrated"
	case model == "meanmlp" || model == "bnt" && b.Value("layer") == "3":
		score = "gradient"
	case model == "bnt":
		score = "attention"
	}
	return parameters(b, values{"Stage": b.Stage, "Score": score, "Models": a.named(from...),
		"Difference": a.Difference(), "Work": work,
		"Resamples": int(b.Number("resamples"))})
}

// fidelity states how it was tested that predictions depend on the ranked regions.
func (a *Author) fidelity() {
	f := a.Run.Of("fidelity")
	if f == nil || !a.T.Has("fidelity") {
		return
	}
	draws, of := 0, "draw"
	if a.drawn() {
		draws = int(f.Number("draws"))
	}
	if a.Run.Of("sessions") != nil {
		of = "graph"
	}
	a.tested(ofMasking)
	a.say("methods.fidelity", parameters(f, values{"K": f.List("k"), "Draws": draws, "Of": of,
		"Random": int(f.Number("random"))}))
}

// covariates states how covariates alone were tested.
func (a *Author) covariates() {
	if c := a.Run.Of("covariates"); c != nil && a.T.Has("covariates") {
		a.tested("")
		a.say("methods.covariates", values{"Target": a.targetOf(c), "Permutations": c.Number("permutations"),
			"Within": a.TableOf(a.T.In("covariates")).Meta["within"],
			"Alone":  len(section.Rows[column.ConfoundModelRow](a.Writer, "confound_models")) > 0})
	}
}

// confounds states the models of covariates, the matching and the confounder tests.
func (a *Author) confounds() {
	s := a.Run.Shown("confounds", "confound_summary")
	if s == nil {
		return
	}
	shown := func(covariates []string) []values {
		return lists.Map(covariates, func(name string) values { return values{"Name": name} })
	}
	rows := section.Rows[column.ConfoundSummaryRow](a.Writer, "confound_summary")
	of := parameters(s, values{"Target": "", "Data": a.held(s, "matrices")})
	if a.Regression != nil || len(rows) == 1 && rows[0].Measure == "r" {
		of["Target"] = a.Number
	}
	if models := section.Rows[column.ConfoundModelRow](a.Writer, "confound_models"); len(models) > 0 && len(rows) == 1 {
		r := rows[0]
		maps.Copy(of, finding.Values(r))
		of["Names"], of["Left"] = shown(r.Covariates), len(r.Left)
		split := a.division()
		of["Repeated"] = split != nil && split.Number("repeats") > 1
		of["Families"], of["Division"], of["Drawn"] = together(split), a.firstOf(), a.Over() == "draws"
		if r.Permutations > 0 {
			a.tested(ofInformation)
		}
		a.say("methods.confound-models", of)
		if r.Pairs >= 0 {
			of["Matched"], of["Nearest"] = shown(r.Match), values{"Name": r.Match[0]}
			of["Few"], of["Least"] = r.Pairs < finding.LeastPairs, finding.LeastPairs
			a.say("methods.confound-matching", of)
		}
	}
	if tests := section.Rows[column.ConfounderRow](a.Writer, "confounders"); len(tests) > 0 {
		draws := lists.Map(tests, func(r column.ConfounderRow) int32 { return r.FullDraws })
		of["Tests"], of["Full"], of["Fewer"] = tests[0].Permutations, slices.Max(draws), int32(0)
		if draws = slices.DeleteFunc(draws, func(n int32) bool { return n == 0 }); len(draws) > 0 {
			if least := slices.Min(draws); least < of["Full"].(int32) {
				of["Fewer"] = least
			}
		}
		of["Within"] = a.PermutedWithin(s.Value("within"))
		done := slices.DeleteFunc(slices.Clone(tests), func(r column.ConfounderRow) bool {
			return math.IsNaN(r.Partial) && math.IsNaN(r.Full) // of the majority classifier, say
		})
		byModel := lists.By(done, func(r column.ConfounderRow) string { return r.Setting + r.Name })
		of["Classifiers"] = lists.Map(byModel, func(g lists.Group[string, column.ConfounderRow]) string {
			return wording.InSentence(a.NameOf(g.All[0].Setting, g.All[0].Name))
		})
		a.tested("")
		a.say("methods.confounder-tests", of)
	}
}

// learning states how models were trained on parts of the training participants.
func (a *Author) learning() {
	s := a.Run.Shown("learning-curve", "learning")
	rows := section.Rows[column.LearningRow](a.Writer, "learning")
	if s == nil || len(rows) == 0 {
		return
	}
	split := a.division()
	a.say("methods.learning", parameters(s, values{"Measure": rows[0].Measure,
		"Number": rows[0].Measure == "r" || rows[0].Measure == "r2", "Orders": rows[0].Orders,
		"Resamples": int(s.Number("resamples")),
		"Families":  together(split),
		"Fitted":    slices.ContainsFunc(rows, func(r column.LearningRow) bool { return !math.IsNaN(r.At) })}))
}

// subgroups states how performance was compared between groups of participants.
func (a *Author) subgroups() {
	rows := section.Rows[column.AnySubgroupRow](a.Writer, "subgroups")
	has := func(of func(column.AnySubgroupRow) float64) bool {
		return slices.ContainsFunc(rows, func(r column.AnySubgroupRow) bool { return !math.IsNaN(of(r)) })
	}
	number := has(func(r column.AnySubgroupRow) float64 { return r.MAE })
	kind := "subgroups"
	if number {
		kind = "subgroups-regression"
	}
	s := a.Run.Shown(kind, "subgroups")
	if s == nil || len(rows) == 0 {
		return
	}
	names := slices.Compact(lists.Map(rows, func(r column.AnySubgroupRow) string { return r.Column }))
	slices.Sort(names)
	names = slices.Compact(names)
	tests := section.Rows[column.SubgroupTestRow](a.Writer, "subgroup_tests")
	of := parameters(s, values{"Names": lists.Map(names, func(name string) values { return values{"Name": name} }),
		"Bands":        has(func(r column.AnySubgroupRow) float64 { return r.From }),
		"Edges":        s.List("edges"),
		"Calibrated":   has(func(r column.AnySubgroupRow) float64 { return r.Slope }),
		"Positive":     has(func(r column.AnySubgroupRow) float64 { return r.Positive }),
		"Brier":        has(func(r column.AnySubgroupRow) float64 { return r.Brier }),
		"Large":        has(func(r column.AnySubgroupRow) float64 { return r.Large }),
		"Number":       number,
		"Permutations": int32(0)})
	if len(tests) > 0 {
		of["Permutations"] = tests[0].Permutations
		a.tested("")
	}
	of["Within"], of["Alone"] = a.PermutedWithin(s.Value("within")), ""
	if of["Within"] != "" && slices.Contains(names, s.Value("within")) {
		if of["Alone"] = of["Within"]; len(names) == 1 {
			of["Within"], of["Alone"] = "", ""
		}
	}
	a.say("methods.subgroups", of)
	if within := s.Value("within"); slices.Contains(names, within) && a.LeftOut() != within {
		a.say("methods.clusters", values{"Column": within, "LeftOut": a.Run.LeavesOut(s, within)})
	}
}

// motion states how connectivity was compared with head motion, or that it was not.
func (a *Author) motion() {
	computed := false
	for _, rows := range section.Members[column.MotionRow](a.Writer, "qcfc") {
		computed = computed || slices.ContainsFunc(rows, func(r column.MotionRow) bool { return !math.IsNaN(r.Median) })
	}
	switch q := a.Run.Of("qcfc"); {
	case !a.T.Has("qcfc"):
	case !computed:
		a.say("methods.no-motion", nil)
	case q == nil:
		a.tested("")
		a.say("methods.motion", values{"Covariates": nil})
	default:
		a.tested("")
		a.say("methods.motion", values{"Covariates": q.List("covariates")})
	}
}

// multiverse states how many analyses were tested jointly, and by what.
func (a *Author) multiverse() {
	rows := section.Rows[column.JointRow](a.Writer, "universe_tests")
	if len(rows) == 0 || a.Run.Of("multiverse") == nil {
		return
	}
	options := section.Rows[column.OptionRow](a.Writer, "universe_options")
	of := values{"Universes": rows[0].Universes, "Repeated": rows[0].Repeated, "Permutations": rows[0].Permutations,
		"Effect": rows[0].Effect, "By": rows[0].By, "Not": a.NotJoint(rows),
		"Stated": a.Run.JointStated(),
		"Decisions": slices.Compact(lists.Map(options,
			func(o column.OptionRow) string { return o.Decision }))}
	for _, r := range rows {
		if r.Test {
			of["Statistic"] = r.Statistic
		}
	}
	a.tested(ofUniverses)
	a.say("methods.multiverse", of)
	if d := a.Run.Decisions; d.All > 0 {
		a.say("methods.multiverse-space", a.space())
	}
	if slices.ContainsFunc(section.Rows[column.UniverseRow](a.Writer, "universes"), column.UniverseRow.HasInterval) {
		a.say("methods.multiverse-intervals", values{"Measure": rows[0].Effect, "Repeats": a.Repeats()})
	}
}

// reliability states how the reliability of connectivity was measured.
func (a *Author) reliability() {
	s := a.Run.Of("reliability")
	if s == nil {
		return
	}
	of := parameters(s, values{"Sessions": []string(nil), "Halves": int32(0), "ICC": "", "Statistic": "", "Tested": "",
		"Groups": int32(0), "Several": false, "Permutations": int32(0),
		"Stability": len(section.Rows[column.WeightStabilityRow](a.Writer, "stability")) > 0,
		"Data":      a.held(s, "matrices")})
	if rows := section.Rows[column.ReliabilityRow](a.Writer, "reliability"); len(rows) > 0 {
		of["Sessions"], of["ICC"], of["Permutations"] = rows[0].Sessions, rows[0].ICC, rows[0].Permutations
		a.tested(ofIdentification)
	}
	if rows := section.Rows[column.ReplicationRow](a.Writer, "replication"); len(rows) > 0 {
		of["Halves"], of["Statistic"], of["Tested"] = rows[0].Halves, rows[0].Statistic, rows[0].Tested
		of["Groups"], of["Several"] = rows[0].Groups, rows[0].Groups > 2
		if rows[0].Tested == column.Target {
			of["Tested"] = a.Number // the column
		}
	}
	if of["Sessions"].([]string) != nil || of["Halves"] != int32(0) || of["Stability"] == true {
		a.say("methods.reliability", of)
	}
}

// space are the combinations of options that are no universes.
func (a *Author) space() values {
	d, left := a.Run.Decisions, a.Run.Combinations()
	return values{"All": d.All, "Excluded": d.All - left, "Not": d.Not, "Drawn": left - d.Left, "Left": d.Left,
		"Seed": d.Seed, "Headline": len(a.Run.Of("multiverse").List("headline")) > 0}
}

// edgeTests states how edges were tested over participants.
func (a *Author) edgeTests() {
	rows, s := section.Rows[column.EdgeSummaryRow](a.Writer, "edge_tests"), a.Run.Of("edges")
	if len(rows) > 0 && s != nil {
		if rows[0].Test == column.Target {
			rows[0].Test = a.Number // the column
		}
		rows[0].Related = finding.PermutesRelatives(section.Rows[column.Note](a.Writer, "notes"), s.Stage)
		var err error
		rows[0].Pooled, err = figure.PooledGroups(a.T.In("edge_tests"))
		a.Fail(err)
		of := figure.EdgeValues(rows[0])
		of["Settings"] = finding.OneOf(a.At("cleaning", "connectivity", "graphs"), a.Evaluated).Texts()
		of["Data"] = a.held(s, "matrices")
		if of["OneSided"] == true {
			a.tested(ofComponents)
		} else {
			a.tested("")
		}
		a.say("methods.edge-tests", parameters(s, of))
	}
}
