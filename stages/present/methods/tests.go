package methods

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// methodsOfMeasures tells which measures of the classifiers are given, and which are not; and where their p come from.
func (a *Author) methodsOfMeasures(m *Text, e *finding.StageSettings) {
	known := func(of func(performance.Row) float64) bool {
		return slices.ContainsFunc(a.Accuracy, func(r performance.Row) bool { return !math.IsNaN(of(r)) })
	}
	given, missing := []string{"Accuracy", "balanced accuracy"}, []string(nil)
	for _, measure := range []struct {
		name string
		of   func(performance.Row) float64
	}{
		{"sensitivity", func(r performance.Row) float64 { return r.Sensitivity }},
		{"specificity", func(r performance.Row) float64 { return r.Specificity }},
		{"the area under the ROC curve (AUC)", func(r performance.Row) float64 { return r.AUC }},
	} {
		if known(measure.of) {
			given = append(given, measure.name)
		} else {
			missing = append(missing, measure.name)
		}
	}
	drawn := ""
	if a.drawn() {
		drawn = " (mean probability over the draws)"
	}
	m.say("%s are given per graph and per participant%s. Accuracy is the share of correct predictions, pooled over the folds, the mean and standard deviation over the folds are also given. The other measures are means over the folds. The 95 %% confidence intervals are of the expected measure of models trained on as many participants as in each fold: of shares Wilson's %s, of the AUC Newcombe's %s, for numbers of participants that are reduced for overlapping training sets %s.", join(given), drawn, m.cite("wilson"), m.cite("newcombe"), m.cite("nadeau"))
	if known(func(r performance.Row) float64 { return r.AUC }) {
		_, classes := a.Predicted()
		switch positive := a.Accuracy[0].Positive; {
		case positive == "n/a":
			m.say("The AUC is the mean over the groups, each against the rest.")
		case len(classes) > 2:
			m.say("The AUC is that of %s against all other groups.", positive)
		}
	}
	if missing != nil {
		m.say("Not computed: %s.", join(missing))
	}
	var tested []string
	if known(func(r performance.Row) float64 { return r.P }) {
		tested = append(tested, "accuracy")
	}
	if known(func(r performance.Row) float64 { return r.AUCP }) {
		tested = append(tested, "AUC")
	}
	a.methodsOfChance(m, tested, "labels", lists.Map(a.PerParticipant(), func(r performance.Row) chanceOf {
		return chanceOf{section.InSentence(r.Called()), r.Test, r.Permutations, r.TestFolds > 0}
	}))
}

// A chanceOf is the test of a model against chance.
type chanceOf struct {
	model, test  string
	permutations int32
	first        bool // of the first of several repeats
}

// methodsOfChance tell how models were tested against chance.
func (a *Author) methodsOfChance(m *Text, measures []string, what string, of []chanceOf) {
	names, count := map[string][]string{}, map[string][]string{}
	for _, c := range of {
		names[c.test] = append(names[c.test], c.model)
		if n := report.Thousands(float64(c.permutations)); !slices.Contains(count[c.test], n) {
			count[c.test] = append(count[c.test], n)
		}
	}
	if measures == nil || names[column.Retrained] == nil && names[column.PerFold] == nil {
		m.say("No p value was computed from permuted %s.", what)
		return
	}
	within := ""
	if split := a.Run.Of("split"); split != nil && a.T.Has("participants") {
		within = a.exchanged(split, "")
	}
	if models := names[column.Retrained]; models != nil {
		m.say("p values of %s of %s come from permutation tests: the models of all folds were trained again on each of %s permutations of the %s within folds%s %s %s.",
			join(measures), words.Some(models, 8), strings.Join(count[column.Retrained], " or "), what, within,
			m.cite("ojala"), m.cite("phipson"))
	}
	if models := names[column.PerFold]; models != nil {
		m.say("p values of %s of %s were computed without retraining: in each fold, the %s of the test participants were permuted %s times%s, and of K folds K/k times the k-th smallest p value was taken, k being a majority, which is valid for dependent tests %s %s.",
			join(measures), words.Some(models, 8), what, strings.Join(count[column.PerFold], " or "), within,
			m.cite("phipson"), m.cite("ruger"))
	}
	if slices.ContainsFunc(of, func(c chanceOf) bool { return c.first }) {
		m.say("These p values are of the first repeat of the cross-validation, the other measures of all repeats.")
	}
}

// drawn reports whether a participant has draws: of voxels, of volumes, or sessions.
func (a *Author) drawn() bool {
	return slices.ContainsFunc(a.Run.Stages, func(s finding.StageSettings) bool {
		return s.Kind == "sessions" || s.Number("draws") > 0 && (s.Kind == "bootstrap" || s.Kind == "denoise")
	})
}

// inputsOfBaselines tells what the classifiers that need no graph were trained on.
func (a *Author) inputsOfBaselines(m *Text) {
	var inputs []string
	models := map[string][]string{}
	add := func(what string, names ...string) {
		if models[what] == nil {
			inputs = append(inputs, what)
		}
		models[what] = append(models[what], names...)
	}
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		if s.Kind == "bnt" && a.sameFolds(s) {
			add("the correlations of all pairs of regions", a.models(s))
		}
		if s.Kind == "meanmlp" && a.sameFolds(s) {
			add("the denoised series", a.models(s))
		}
		windows := s.Inputs["states"] != nil || a.Run.KindOf(s, "pearson") == "windows"
		if s.Kind != "baseline" || !a.sameFolds(s) || windows {
			continue // see inputsOfWindows
		}
		for _, model := range strings.Split(s.Value["model"], "; ") {
			what := "the correlations of all pairs of regions"
			switch {
			case model == "majority":
				continue
			case model == "li2019":
				what = "the graphs"
			case s.Inputs["tangent"] != nil:
				what = "the entries of the tangent-space matrices"
			case s.Is("transform", "fisher") || s.Is("transform", "own") && (model == "ridge" || model == "logistic"):
				what += ", as Fisher's z"
			}
			name := section.OrItself(column.Classifiers, model)
			one := *s
			one.Value = map[string]string{"model": model}
			if which := a.which(&one); which != "" {
				name += " (" + which + ")"
			}
			add(what, name)
		}
	}
	for _, what := range inputs {
		m.say("The inputs of %s are %s.", join(models[what]), what)
	}
}

// groupSizes are the sizes of the groups, " (75 ASD, 43 HC)"; "" without groups.
func (a *Author) groupSizes() string {
	if a.Who == nil {
		return ""
	}
	size := map[string]int{}
	for _, g := range a.Who.Group {
		if g != "" {
			size[g]++
		}
	}
	var parts []string
	for _, g := range slices.Sorted(maps.Keys(size)) {
		parts = append(parts, column.CountOf(size[g], g, " "))
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// methodsOfReferences tells what the rankings of regions were compared with.
func (a *Author) methodsOfReferences(m *Text) error {
	rows, err := section.Read[column.RecoveryRow](a.T, "recovery")
	var methods []string
	for _, r := range rows {
		if r.Method != column.TrainedModels && !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
	}
	if methods != nil {
		m.say("Rankings were compared with references without the training of the models: %s.", join(methods))
	}
	return err
}

// methodsOfChecks tells of the tests that no accuracy comes from: masked regions, covariates alone, head motion.
func (a *Author) methodsOfChecks(m *Text) error {
	if f := a.Run.Of("fidelity"); f != nil && a.T.Has("fidelity") {
		k := "an eighth, a quarter and half of them"
		numbers := strings.FieldsFunc(f.Value["k"], func(r rune) bool { return strings.ContainsRune("[], ", r) })
		if len(numbers) > 0 {
			k = join(numbers)
		}
		order := "by their scores in each graph"
		if f.Is("order", "group") {
			order = "of the ranking"
		}
		of := ""
		if n := int(f.Number("draws")); n > 0 && a.drawn() {
			of = fmt.Sprintf(" of %s of each participant", words.Count(n, "draw"))
		}
		m.say("To test whether the predictions depend on the ranked regions, the first regions %s (%s) were removed from the test graphs%s, or they alone were kept, in comparison with %s of as many regions.",
			order, k, of, words.Count(int(f.Number("random")), "random choice"))
	}
	if c := a.Run.Of("covariates"); c != nil && a.T.Has("covariates") {
		table, err := a.T.In("covariates").Table()
		if err != nil {
			return err
		}
		what := "how well it alone tells the groups apart (AUC)"
		label := "the groups"
		if c.Is("label", column.Target) {
			label = a.target()
			what = "its association with " + label
		}
		m.say("Each covariate was tested by %s, with p values from %s permutations of %s%s, corrected by the false discovery rate %s; no model takes covariates.",
			what, report.Thousands(c.Number("permutations")), label, withinValues(table.Meta["within"]),
			m.cite("benjamini"))
	}
	if !a.T.Has("qcfc") {
		return nil
	}
	computed := false
	for _, in := range a.T.All("qcfc") {
		rows, err := column.Read[column.MotionRow](in)
		if err != nil {
			return err
		}
		computed = computed || slices.ContainsFunc(rows, func(r column.MotionRow) bool { return !math.IsNaN(r.Median) })
	}
	if !computed {
		m.say("The correlation of connectivity with head motion (QC-FC) was not computed, for lack of framewise displacements.")
		return nil
	}
	partial := ""
	if names := listed(a.Run.Of("qcfc"), "covariates"); names != "" {
		partial = fmt.Sprintf(", with %s partialled out", names)
	}
	m.say("After denoising, mean framewise displacement was correlated with the connectivity of each pair of regions over the participants (QC-FC)%s.", partial)
	return nil
}
