package finding

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// nearPerfect is an accuracy per participant that is rather a sign of the label in the data than of brains, unless an
// expected accuracy of generous gives it in 5% of cohorts or more: by the binomial distribution, all of 13
// participants are correct with probability 0.055, all of 14 with 0.044. Diagnoses in cohorts that are not small are
// less accurate (schizophrenia: below 0.7 from 150 participants of a group on; Schnack and Kahn 2016, Front Psychiatry
// 7:50).
const nearPerfect, generous = 0.98, 0.8

// isNearPerfect reports whether an accuracy is, and the probability of it with the generous one.
func isNearPerfect(r Row) (is bool, p float64) {
	if r.Accuracy < nearPerfect {
		return false, math.NaN()
	}
	p = 1 // below 50 participants all are correct, and from 50 on p is far below 0.05 in any case
	for range r.Participants {
		p *= generous
	}
	return inference.Significant(p), p
}

// about is a finding about one classifier; numbers are a struct, a map or nil.
func about(code string, weight Weight, r Row, numbers any) Finding {
	return Finding{code, weight, r.Subject(), numbers}
}

// Performance are the findings about the accuracies of classifiers.
func (a *Results) Performance() (all List) {
	rows := a.PerParticipant()
	slices.SortStableFunc(rows, func(x, y Row) int { return a.behind(x) - a.behind(y) })
	var compared []Row
	if a.IsChosen() {
		all.Add(a.accuracyOf(*a.Nested)...)
	}
	for i, r := range rows {
		if !r.IsMajority() && r.SameAs == "" {
			compared = append(compared, r)
		}
		rows[i].Own = r.Own && !a.IsCandidate(r)
		all.Add(a.accuracyOf(rows[i])...)
	}
	all.Add(fitted(lists.Map(rows, func(r Row) fitOf { return fitOf{r.Called(), r.Fit} }))...)
	all.Add(a.unequalFolds()...)
	all.Add(a.undenoised()...)
	all.Add(a.betterOther()...)
	all.Add(a.seeds()...)
	// What is chosen inside each fold is not the best of several on the test folds.
	if len(compared) > 1 && !a.IsChosen() {
		all.Study("accuracy.best-of-several", Notes, countedOf(compared))
	}
	for _, r := range rows {
		if r.SameAs != "" {
			all.Add(about("accuracy.same-predictions", Notes, r, values{"Same": a.NameOf(r.SameAs, r.SameAs)}))
		}
	}
	for _, r := range rows {
		all.Add(a.oneClass(r)...)
		if r.LacksFolds() {
			all.Study("folds.of-one-class", Limits, r.OverFolds())
		}
		if r.Incomplete > 0 {
			all.Study("folds.lack-groups", Limits, r.OverFolds())
		}
	}
	if a.Beyond != nil {
		for _, r := range a.Beyond.Accuracy {
			all.Add(a.Beyond.accuracyOf(a.LeavingOut(r))...)
			if r.LacksFolds() {
				of := r.OverFolds()
				of["Beyond"] = a.leftOutName()
				all.Study("folds.of-one-class", Limits, of)
			}
		}
	}
	all.Add(a.siteIsLeft()...)
	all.Add(a.PermutationTests()...)
	all.Add(a.RetrainedOthers()...)
	for _, f := range a.Found {
		if f.Code != GroupUnrecognized && f.Code != OneClass {
			all.Add(f)
		}
	}
	all.Add(a.unrecognized()...)
	return all
}

// siteIsLeft is that the column that ComBat adjusts for, such as site, is still predicted from matrices that ComBat
// harmonized, where models of the page have such matrices.
func (a *Results) siteIsLeft() (all List) {
	if a.OtherLabel == nil {
		return nil
	}
	site, corrected := a.OtherLabel.Predicts, a.OtherLabel.Corrected()
	var left []values
	for _, r := range a.OtherLabel.PerParticipant() {
		state, _ := a.OtherLabel.ChanceAmong(r, corrected)
		model := a.OtherLabel.StageBehind(r.Coords, "other_label")
		if state == Above && !r.IsMajority() && a.Plan.harmonizes(model, site) {
			p := corrected[column.CoordText(r.Coords)]
			left = append(left, values{"Name": r.Called(), "Accuracy": r.Accuracy, "P": p.P, "AtMost": p.AtMost})
		}
	}
	var models []string
	for _, r := range a.PerParticipant() {
		if !r.IsMajority() && a.Plan.harmonizes(a.StageBehind(r.Coords, "evaluation"), site) {
			models = append(models, r.Called())
		}
	}
	if left != nil && models != nil {
		all.Study("accuracy.site-is-left", Limits, values{"Site": site, "Left": left, "Models": models,
			"Majority": a.OtherLabel.Accuracy[0].Majority, "Compared": a.OtherLabel.Tested()})
	}
	return all
}

func (a *Results) leftOutName() string {
	return strings.ReplaceAll(cmp.Or(a.LeftOut(), "group"), "_", " ")
}

// LeavingOut is a row of Beyond with the title that findings give it.
func (a *Results) LeavingOut(r Row) Row {
	r.Title = r.Called() + " with each " + a.leftOutName() + " left out"
	return r
}

// GroupUnrecognized is that a classifier assigns the participants of a group, of more than two, to it no more often
// than others.
const GroupUnrecognized = "accuracy.group-not-recognized"

// unrecognized are the groups that classifiers above chance do not recognize: they distinguish the others.
func (a *Results) unrecognized() (all List) {
	rows := a.PerParticipant()
	for _, f := range a.Found {
		at := slices.IndexFunc(rows, func(r Row) bool { return r.Is(f.Subject.Setting) })
		if f.Code != GroupUnrecognized || at < 0 || !a.IsAbove(rows[at]) {
			continue
		}
		all.Add(f)
	}
	return all
}

// Unrecognized are the groups that a classifier does not recognize.
func (a *Results) Unrecognized(r Row) (groups []string) {
	for _, f := range a.Found {
		group, is := Values(f.Numbers)["Group"].(string)
		if is && f.Code == GroupUnrecognized && r.Is(f.Subject.Setting) {
			groups = append(groups, group)
		}
	}
	return groups
}

// A fitOf is what the data of a model were fitted to.
type fitOf struct {
	model string
	fit   *GroupFit
}

// fitted are the findings about models whose data were fitted to one group, one for each fit.
func fitted(models []fitOf) (all List) {
	models = slices.DeleteFunc(models, func(m fitOf) bool { return m.fit == nil })
	for _, of := range lists.By(models, func(m fitOf) string { return m.fit.Stage + "\x00" + m.fit.Group }) {
		numbers := Values(of.All[0].fit)
		numbers["Models"] = lists.Map(of.All, func(m fitOf) string { return m.model })
		all.Study("fit.one-group", Overturns, numbers)
	}
	return all
}

// behind is 0 for the headline, 1 for other settings of the model that the page is about, 2 for classifiers to compare
// with.
func (a *Results) behind(r Row) int {
	switch {
	case a.First != nil && r.Is(a.First.Coords):
		return 0
	case r.Own:
		return 1
	}
	return 2
}

// accuracyOf are the findings about one classifier.
func (a *Results) accuracyOf(r Row) (all List) {
	// Unharmonized data reveal the site.
	if is, p := isNearPerfect(r); is && !column.NamesSite(a.Predicts) {
		numbers := values{"N": int(r.Participants), "Accuracy": r.Accuracy, "Generous": generous, "P": math.NaN(),
			"Cause": nil} // Linked
		if p >= 0.001 {
			numbers["P"] = p
		}
		all.Add(about("accuracy.near-perfect", Overturns, r, numbers))
	}
	state, test := a.Chance(r, "accuracy")
	if state == Above && r.Low <= r.Majority && !r.IsMajority() {
		all.Add(about("accuracy.interval-includes-majority", Limits, r,
			values{"Low": r.Low, "High": r.High, "Majority": r.Majority, "First": r.TestFolds > 0}))
	}
	if 0 < r.AUCHigh && r.AUCHigh < 0.5 {
		all.Add(about("auc.below-chance", Limits, r, values{"AUC": r.AUC, "Low": r.AUCLow, "High": r.AUCHigh}))
	}
	below := r.Own && r.High < r.Majority // which includes that it is not above
	if state == NotAboveMajority && !r.IsMajority() && !below {
		weight := Limits
		if r.Own {
			weight = Overturns
		}
		all.Add(about("accuracy.not-above-majority", weight, r, values{"Accuracy": r.Accuracy, "Majority": r.Majority}))
	}
	if !r.Own {
		return all
	}
	if r.TestFolds > 0 {
		all.Add(about("accuracy.p-of-first-repeat", Limits, r, values{"Accuracy": r.Accuracy, "AUC": r.AUC,
			"First": r.TestAccuracy, "FirstAUC": r.TestAUC}))
	}
	ofAUC, auc := a.Chance(r, "auc")
	switch {
	case below:
		all.Add(about("accuracy.below-majority", Overturns, r, values{"Majority": r.Majority}))
	case state == Untested && r.Fit == nil:
		all.Add(about("accuracy.untested", Overturns, r, values{"Measure": "accuracy", "Fit": r.Fit}))
	case state == Undecidable:
		numbers := Values(test)
		numbers["Below"], numbers["Accuracy"], numbers["Majority"] = r.Accuracy <= r.Majority, r.Accuracy, r.Majority
		numbers["AUC"] = ofAUC == Undecidable && auc.Least == test.Least
		all.Add(about("accuracy.undecidable", Overturns, r, numbers))
	case state == NotAbove:
		numbers := Values(test)
		numbers["Below"], numbers["Accuracy"], numbers["Majority"] = r.Accuracy <= r.Majority, r.Accuracy, r.Majority
		all.Add(about("accuracy.not-above-chance", Overturns, r, numbers))
	}
	if not, area := state == NotAbove && r.Low > r.Majority, ofAUC == NotAbove && r.AUCLow > 0.5; not || area {
		all.Add(about("accuracy.interval-excludes-chance", Limits, r, values{"Accuracy": not, "AUC": area, "Low": r.Low,
			"High": r.High, "Majority": r.Majority, "AUCLow": r.AUCLow, "AUCHigh": r.AUCHigh,
			"Retrained": test.Retrained || auc.Retrained}))
	}
	if state < Untested && ofAUC < Untested && test.Significant() != auc.Significant() {
		all.Add(about("accuracy.auc-disagrees", Limits, r, values{"Test": test, "AUCTest": auc}))
	}
	if ofAUC == Above && r.AUCLow <= 0.5 {
		all.Add(about("auc.interval-includes-chance", Limits, r, values{"Low": r.AUCLow, "High": r.AUCHigh,
			"First": r.TestFolds > 0}))
	}
	folds := lists.Map(a.Scores, func(s FoldScore) column.FoldRow { return s.FoldRow })
	correct := column.Correct(folds, r.Coords, len(a.Labels))
	for i, m := range []struct {
		name                  string
		x, other              float64
		oneClass, none, fewer string // codes
	}{
		{"Sensitivity", r.Sensitivity, r.Specificity, "sensitivity.nobody", "sensitivity.none", "sensitivity.below-half"},
		{"Specificity", r.Specificity, r.Sensitivity, "specificity.everybody", "specificity.none",
			"specificity.below-half"},
	} {
		numbers := values{"Positive": r.Positive}
		switch {
		case m.x == 0 && m.other == 1:
			all.Add(about(m.oneClass, Overturns, r, numbers))
		case m.x == 0:
			all.Add(about(m.none, Limits, r, numbers))
		case correct[i].BelowHalf(m.x):
			numbers[m.name], numbers["N"], numbers["Of"] = m.x, correct[i].N, correct[i].Of
			numbers["Repeated"] = correct[i].Of > int(r.Participants)
			all.Add(about(m.fewer, Limits, r, numbers))
		}
	}
	return all
}

// betterOther is the classifiers for comparison, of equal accuracy, that are more accurate than the headline.
func (a *Results) betterOther() (all List) {
	if a.First == nil {
		return nil
	}
	var best, better []Row
	for _, r := range a.PerParticipant() {
		if !r.Own && !r.IsMajority() && r.Accuracy > a.First.Accuracy {
			better = append(better, r)
		}
		switch {
		case r.Own || r.IsMajority() || best != nil && r.Accuracy < best[0].Accuracy:
		case best != nil && r.Accuracy == best[0].Accuracy:
			best = append(best, r)
		default:
			best = []Row{r}
		}
	}
	if best != nil && best[0].Accuracy > max(a.First.Accuracy, best[0].Majority) {
		p, weight := a.comparedWith(best), Limits
		if !math.IsNaN(p) && !inference.Significant(p) {
			weight = Notes
		}
		of := countedOf(better)
		all.Add(about("accuracy.other-is-better", weight, *a.First, values{"Accuracy": a.First.Accuracy,
			"SameFolds": !slices.ContainsFunc(best, func(r Row) bool { return r.Folds != a.First.Folds }),
			"Others":    lists.Map(best, func(r Row) string { return r.Title }), "OtherAccuracy": best[0].Accuracy,
			"More": len(better) - len(best), "Settings": of.Settings > of.Classifiers, "P": p,
			"Significant": inference.Significant(p), "Compared": len(a.Pairs)}))
	}
	return all
}

// comparedWith is the smallest p of the corrected resampled t-tests of the headline and others, corrected for all pairs
// that were compared; NaN where one of them has no test.
func (a *Results) comparedWith(others []Row) float64 {
	p := 1.0
	for _, r := range others {
		pair := []string{column.CoordText(a.First.Coords), column.CoordText(r.Coords)}
		at := slices.IndexFunc(a.Pairs, func(of column.PairRow) bool {
			return of.A != of.B && slices.Contains(pair, of.A) && slices.Contains(pair, of.B)
		})
		if at < 0 {
			return math.NaN()
		}
		p = min(p, a.Pairs[at].THolm)
	}
	return p
}

// seeds is a headline that is one of several seeds of the same training.
func (a *Results) seeds() (all List) {
	if a.First == nil || !column.HasSeed(a.First.Coords) {
		return nil
	}
	var accuracy []float64
	for _, r := range a.PerParticipant() {
		if slices.Equal(column.WithoutSeed(r.Coords), column.WithoutSeed(a.First.Coords)) {
			accuracy = append(accuracy, r.Accuracy)
		}
	}
	if len(accuracy) > 1 {
		mean, _ := column.MeanSD(accuracy)
		all.Study("accuracy.one-of-seeds", Limits, values{"Seeds": len(accuracy),
			"Least": slices.Min(accuracy), "Most": slices.Max(accuracy), "Mean": mean})
	}
	return all
}

// OneClass is that a classifier assigns all test participants of each fold to one group.
const OneClass = "accuracy.one-class"

// oneClass is a classifier that predicts one class for all test participants of each fold.
func (a *Results) oneClass(r Row) (all List) {
	add := func(numbers values) {
		weight := Notes
		if r.Own {
			weight = Limits
		}
		numbers["AUC"] = r.AUC
		all.Add(about(OneClass, weight, r, numbers))
	}
	if len(a.Labels) > 2 { // sensitivity and specificity are of one group and the rest: evaluate has found it
		for _, f := range a.Found {
			if f.Code == OneClass && r.Is(f.Subject.Setting) && !r.IsMajority() {
				add(f.Values())
			}
		}
		return all
	}
	folds, one, positive := 0, 0, 0
	for _, s := range a.Scores {
		if s.Level != "participant" || !r.Is(s.Coords) {
			continue
		}
		folds++
		if min(s.Sensitivity, s.Specificity) == 0 && max(s.Sensitivity, s.Specificity) == 1 {
			one++
			positive += int(s.Sensitivity)
		}
	}
	if folds > 0 && one == folds && !r.IsMajority() {
		add(values{"Positive": r.Positive, "N": positive, "Folds": folds})
	}
	return all
}

// A FoldsOf is the models that were tested in as many folds.
type FoldsOf struct {
	Folds  int
	Models []string
}

// FoldsOf are the numbers of folds of the models of the page, fewest first; nil where all have the same.
func (a *Results) FoldsOf() (all []FoldsOf) {
	type tested struct {
		name  string
		folds int32
	}
	if len(a.Regression) == 0 && !slices.ContainsFunc(a.Accuracy, func(r Row) bool {
		return r.Folds != a.Accuracy[0].Folds
	}) {
		return nil
	}
	models := lists.Map(a.PerParticipant(), func(r Row) tested { return tested{r.Called(), r.Folds} })
	for _, r := range a.Regression {
		models = append(models, tested{r.Name, r.Folds})
	}
	for _, of := range lists.By(models, func(t tested) int32 { return t.folds }) {
		all = append(all, FoldsOf{int(of.Key), lists.Map(of.All, func(t tested) string { return t.name })})
	}
	if len(all) < 2 {
		return nil
	}
	slices.SortFunc(all, func(x, y FoldsOf) int { return x.Folds - y.Folds })
	return all
}

// unequalFolds is the finding that models were tested in different numbers of folds: in one repeat, beside others in
// several.
func (a *Results) unequalFolds() (all List) {
	if groups := a.FoldsOf(); groups != nil {
		all.Study("folds.unequal", Limits, values{"FoldsOf": groups})
	}
	return all
}

// readers are the kinds that train models on, or test, what the connected outputs hold.
var readers = []string{"baseline", "regression", "network", "estimator", "train", "train-regression", "edges",
	"confounds", "reliability"}

// undenoised is the finding that stages read series that were not denoised, or not all of them: raw ones, or those of
// files beside a stage that denoises them.
func (a *Results) undenoised() (all List) {
	if a.Plan == nil {
		return nil
	}
	denoises := slices.ContainsFunc(a.Plan.Stages, func(s StageSettings) bool { return s.Kind == "denoise" })
	var stages []string
	for i := range a.Plan.Stages {
		s := &a.Plan.Stages[i]
		d := a.Plan.HoldsAny(s, "states", "tangent", "pearson", "series", "features", "matrices")
		if slices.Contains(readers, s.Kind) && d.Measure != "" && d.Measure != column.Identities &&
			(d.Series == column.Raw || denoises && d.Series != column.Denoised) {
			stages = append(stages, s.Stage)
		}
	}
	if stages != nil {
		all.Study("inputs.undenoised", Limits, values{"Stages": stages})
	}
	return all
}

// fewTested is the number of test participants of a fold below which its correlation says little: at 10 the standard
// error of Fisher's z is 1/√7 = 0.38.
const fewTested = 10

// A Residual is what deconfound left of the number to predict, and the models that were trained on it.
type Residual struct {
	Covariates []string // whose effects were removed
	Scored     bool     // r, R² and MAE are of the residual; otherwise of the number, to whose mean it is added
	Models     []string // by their names
	Mixed      bool     // other models are measured beside them, in another way
}

// Values are what an entry on the residual of a number uses.
func (r *Residual) Values(number string) map[string]any {
	return map[string]any{"Number": number, "Models": r.Models, "Covariates": r.Covariates, "Scored": r.Scored,
		"Mixed": r.Mixed}
}

// ResidualOf is the residual on which a model was trained; nil for a model of the number itself.
func (a *Results) ResidualOf(setting []dag.Coord) *Residual {
	if a.Plan == nil {
		return nil
	}
	evaluate := a.Plan.Shown("evaluate-regression", "regression")
	if evaluate == nil {
		return nil
	}
	stage := a.Plan.Stage(StageOf(setting))
	if from := a.Plan.Sources(evaluate, "predictions"); stage == nil && len(from) == 1 {
		stage = from[0]
	}
	if stage == nil {
		return nil
	}
	fits := a.Plan.Sources(stage, "targets")
	if len(fits) == 0 {
		return nil
	}
	const residuals = "residuals"
	of := &Residual{Covariates: fits[0].List("covariates"),
		Scored: slices.Contains(evaluate.Inputs["predictions"], column.Result{Stage: stage.Stage, Output: residuals})}
	if output := column.ValueOn(setting, column.Output); output != "" {
		of.Scored = output == residuals
	}
	return of
}

// Residuals are the residuals on which models of the page were trained.
func (a *Results) Residuals() (all []*Residual) {
	for _, r := range a.Regression {
		of := a.ResidualOf(r.Coords)
		if of == nil {
			continue
		}
		at := slices.IndexFunc(all, func(o *Residual) bool {
			return o.Scored == of.Scored && slices.Equal(o.Covariates, of.Covariates)
		})
		if at < 0 {
			at, all = len(all), append(all, of)
		}
		all[at].Models = append(all[at].Models, r.Name)
	}
	for _, of := range all {
		of.Mixed = len(of.Models) < len(a.Regression)
	}
	return all
}

// Regressions are the findings about models of a number.
func (a *Results) Regressions() (all List) {
	all.Add(a.unequalFolds()...)
	all.Add(a.undenoised()...)
	compared := map[string]bool{} // models: its prediction of a number and of the residual are of one
	all.Add(fitted(lists.Map(a.Regression, func(r column.RegressionRow) fitOf {
		return fitOf{r.Name, a.FitBehind(r)}
	}))...)
	corrected, among := a.CorrectedR()
	for _, r := range a.Regression {
		if IsMean(r) {
			continue
		}
		if same := a.SameNumbers(r); same != nil {
			all.Add(Finding{"regression.same-predictions", Notes, Subject{Classifier: r.Name, Setting: r.Coords},
				values{"Same": same.Name}})
		} else if of := column.Without(r.Coords, column.Output); len(of) < len(r.Coords) {
			compared[column.CoordText(of)] = true
		} else {
			compared[RKey(r)] = true
		}
		residual := a.ResidualOf(r.Coords)
		found := func(code string, weight Weight, numbers values) {
			numbers["Number"], numbers["Scored"] = a.Number, residual != nil && residual.Scored
			all.Add(Finding{code, weight, Subject{Classifier: r.Name, Setting: r.Coords}, numbers})
		}
		weight := Overturns
		if a.FirstNumber != nil && !a.IsFirstNumber(r) {
			weight = Limits // nothing at the top of the page concludes from it
		}
		if r.Constant > 0 {
			weight := Limits
			if math.IsNaN(r.R) {
				weight = Overturns
			}
			found("regression.constant", weight, values{"Constant": int(r.Constant), "Folds": int(r.Folds),
				"All": math.IsNaN(r.R)})
		}
		switch state, t := a.TestOfR(r); {
		case state == Unattributed: // RetrainedOthers
		case math.IsNaN(r.R): // regression.constant, or folds without r
		case state == Untested && a.FitBehind(r) != nil: // fit.one-group
		case state == Untested:
			found("regression.untested", Overturns, values{"Measure": "r", "Fit": nil})
		case state == Undecidable:
			found("regression.undecidable", Limits, Values(t))
		case state == NotAbove || !a.IsFirstNumber(r) && !inference.Significant(corrected[RKey(r)]):
			numbers := Values(t)
			numbers["R"], numbers["Corrected"], numbers["Among"] = r.R, corrected[RKey(r)], among
			numbers["RWithin"], numbers["Site"], numbers["Headline"] = r.RWithin, a.Within, a.IsFirstNumber(r)
			found("regression.not-above-chance", weight, numbers)
		case r.R2 <= 0:
			found("regression.r2-not-positive", weight, values{"R2": r.R2})
		case r.R2Low <= 0:
			found("regression.r2-may-be-0", Limits, values{"R2": r.R2, "Low": r.R2Low, "High": r.R2High})
		}
	}
	for _, of := range a.Residuals() {
		all.Study("regression.residual", Limits, of.Values(a.Number))
	}
	for _, r := range a.Regression {
		if r.LacksFolds() {
			all.Study("regression.folds-without-r", Limits, values{"Folds": int(r.Folds), "RFolds": int(r.RFolds)})
		}
	}
	if len(a.Regression) > 0 && a.Regression[0].Folds > 0 {
		r := a.Regression[0]
		folds := r.Folds // each repeat tests everybody
		if r.TestFolds > 0 {
			folds = r.TestFolds
		}
		if r.Participants < fewTested*folds {
			all.Study("regression.few-tested", Limits, values{"N": int(r.Participants / folds)})
		}
	}
	if n := len(compared); n > 1 {
		numbers := values{"N": n, "Tests": 0}
		if among > n {
			numbers["Tests"] = among
		}
		all.Study("regression.best-of-several", Notes, numbers)
	}
	all.Add(a.RetrainedOthers()...)
	all.Add(a.Found...)
	return all
}

// Masking are the findings about masking regions of models that do not classify, or whose predictions do not change.
func (a *Results) Masking(rows []column.FidelityRow) (all List) {
	if len(rows) == 0 {
		return nil
	}
	masked := a.StagesBehind("fidelity", "model")
	var unproven []string
	for _, r := range rows {
		for _, name := range a.Unproven(r.Coords, masked) {
			if !slices.Contains(unproven, name) {
				unproven = append(unproven, name)
			}
		}
	}
	if unproven != nil {
		all.Study("masking.not-above-chance", Limits, values{"Models": unproven})
	}
	if !slices.ContainsFunc(rows, func(r column.FidelityRow) bool { return r.Changed > 0 || r.RandomChanged > 0 }) {
		all.Study("masking.no-change", Notes, nil)
	}
	return all
}
