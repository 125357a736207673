package methods

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/wording"
)

// hasModels reports whether something of the page comes from trained models: after a failed leakage check nothing does,
// and the methods state no training and no accuracy.
func (a *Author) hasModels() bool {
	return slices.ContainsFunc([]string{"evaluation", "regression", "comparison", "predictions", "training",
		"ranking"}, a.T.Has)
}

// training states the model that the pipeline is about, and its training.
func (a *Author) training() {
	t, target := a.evaluated("train", "evaluation"), ""
	if t == nil {
		t, target = a.evaluated("train-regression", "regression"), a.Number
	}
	if t == nil || !a.hasModels() {
		return
	}
	if a.Another {
		a.say("methods.other-headline", values{"Called": wording.InSentence(a.First.Called())})
	}
	of := parameters(t, values{"Another": a.Another, "Ratio": t.Numbers("ratio"), "Target": target,
		"Poolings": t.Over("pool"), "Distances": t.Over("distance"),
		"Lambdas": t.Over("lambda")})
	a.say("methods.model", of)
	if t.Value("variant") == "paper" {
		of["Readings"] = a.readings(t)
		a.say("methods.readings", of)
	}
	a.say("methods.losses", of)
	of["Initial"] = a.Text("methods.initial", of)
	a.say("methods.adam", of)
}

// AppliedPort takes the participants that trained models were applied to.
func AppliedPort() dag.Port {
	return dag.Port{Name: "applied", Type: dag.Arrow("models", "trained", "same_data"), Gather: true, Optional: true,
		Doc: "predict's participants: those of every predict stage are connected, also when the file does not name them"}
}

// Applied is what each predict stage did.
func (a *Author) Applied() []finding.Applied {
	all := slices.Concat(a.T.All(AppliedPort().Name), a.T.All("validation_people")) // collected unless it is connected
	return slices.DeleteFunc(lists.Map(all, func(in dag.Input) finding.Applied {
		one, err := finding.ReadApplied(a.TableOf(in))
		a.Fail(err)
		return one
	}), func(one finding.Applied) bool { return one.Models == 0 })
}

// applied states which models were applied to whom.
func (a *Author) applied() {
	for _, one := range a.Applied() {
		name := section.OrItself(column.Classifiers, one.Model)
		if one.Model != "" {
			a.say("methods.applied-model", values{"Models": one.Models, "Name": a.appliedModel(one)})
		}
		takes := one.Takes
		if takes == nil {
			takes = []finding.Takes{{Inputs: one.Inputs, Holds: one.Holds, ZScored: one.ZScored}}
		}
		for _, of := range takes {
			shown, part := name, values{"Some": len(takes) > 1, "N": of.Models, "Of": one.Models}
			if len(takes) > 1 {
				shown = a.Text("methods.applied-some", values{"Name": name, "N": of.Models, "Of": one.Models})
			}
			if of.Inputs != "" && !slices.Contains([]string{"majority", "mean"}, one.Model) {
				a.say("methods.inputs", values{"Models": []string{shown}, "What": of.Inputs,
					"Data": values(finding.Values(column.ParseData(of.Holds)))})
			}
			if of.ZScored {
				a.say("methods.applied-zscored", part)
			}
		}
		of := values(finding.Values(one))
		of["Training"] = lists.Map(one.Sizes, func(r finding.GroupRange) string { return a.Text("methods.range", r) })
		a.say("methods.applied", of)
		if one.Deconfounded != nil {
			a.say("methods.applied-deconfounded", of)
		}
		if s := one.NewSites; s != nil {
			of["Number"] = len(one.Groups) == 1
			var sizes []string
			for i, site := range s.Sites {
				sizes = append(sizes, a.Text("methods.site-size", values{"N": s.Sizes[i], "Site": site}))
			}
			of["Sizes"], of["Preserved"], of["Controls"] = sizes, s.Covariates, s.Controls
			of["ControlGroups"] = s.Groups
			a.say("methods.applied-harmonized", of)
		}
		a.trainedOn()
		if one.Removed != nil {
			of["Validated"] = a.T.Has("validation_summary")
			a.say("methods.applied-residual", of)
		}
	}
}

// appliedModel is the name of stored models, with the settings that a reader needs to fit them again where the files
// state these.
func (a *Author) appliedModel(one finding.Applied) string {
	if one.Parameters == nil {
		return section.OrItself(column.Classifiers, one.Model)
	}
	s := &finding.StageSettings{Values: map[string][][]string{}}
	add := func(name, text string) {
		var list []any
		if json.Unmarshal([]byte(text), &list) != nil {
			list = make([]any, 1)
			a.Fail(json.Unmarshal([]byte(text), &list[0]))
		}
		s.Values[name] = append(s.Values[name], lists.Map(list, func(v any) string { return fmt.Sprint(v) }))
	}
	for name, text := range one.Parameters {
		add(name, text)
	}
	for name, all := range one.Differing {
		for _, text := range all {
			add(name, text)
		}
	}
	return a.fittedModel(one.Model, s, values{"Settings": "", "Regression": len(one.Groups) == 1})
}

// trainedOn states what the files of stored models have of their training participants.
func (a *Author) trainedOn() {
	var numbers, shares []string
	for _, r := range section.Rows[column.ValidationShiftRow](a.Writer, "validation_shift") {
		of := values(finding.Values(r))
		if r.Category == "" {
			numbers = append(numbers, a.Text("methods.training-number", of))
		} else if r.Training > 0 {
			shares = append(shares, a.Text("methods.training-share", of))
		}
	}
	if numbers != nil || shares != nil {
		a.say("methods.training-participants", values{"Numbers": numbers, "Shares": shares})
	}
}

// validated states how predictions for another cohort were measured.
func (a *Author) validated() {
	if rows := section.Rows[column.ValidationSummaryRow](a.Writer, "validation_summary"); len(rows) > 0 {
		s := rows[0]
		of := values{"Number": len(s.Groups) == 0, "AUC": s.Positive != "",
			"Calibrated": s.Positive != "" && s.Calibrated,
			"Equal":      0, "Unlisted": false, "NewSites": false}
		for _, one := range a.Applied() {
			of["Equal"], of["Unlisted"] = len(one.Equal)+len(one.Known), one.Unlisted > 0
			of["NewSites"] = one.NewSites != nil
		}
		a.say("methods.validation", of)
		if slices.ContainsFunc(section.Rows[column.ValidationRow](a.Writer, "validation"),
			func(r column.ValidationRow) bool { return strings.HasSuffix(r.Measure, "_recalibrated") }) {
			a.say("methods.recalibrated", nil)
		}
	}
}

// evaluated is the first stage of a kind whose predictions are behind a port of the page, or else the first of the
// kind.
func (a *Author) evaluated(kind, port string) *finding.StageSettings {
	behind := a.StagesBehind(port, "predictions")
	for _, s := range a.kinds(kind) {
		if slices.Contains(behind, s.Stage) {
			return s
		}
	}
	return a.Run.Of(kind)
}

// readings are choices where the paper is open, or prints what cannot be meant, that are in force in a training.
func (a *Author) readings(t *finding.StageSettings) (texts []string) {
	for _, r := range []struct {
		code    string
		inForce bool
	}{
		{"reading.self-weight", t.Value("self_weight") != "0"},
		{"reading.gate", true},
		{"reading.kernel", slices.Contains([]string{"gauss", "outside", "rbf2"}, t.Value("kernel")) &&
			slices.Contains(t.Over("distance"), "mmd")},
		{"reading.consistency", slices.Contains([]string{"squared", "norm"}, t.Value("glc"))},
		{"reading.activation", true},
	} {
		if r.inForce {
			texts = append(texts, a.Text(r.code, parameters(t, nil)))
		}
	}
	return texts
}

// networks states the widths and the training of each network for comparison.
func (a *Author) networks() {
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		of := parameters(s, values{"Models": a.named(s), "Ratio": s.Numbers("ratio")})
		for _, model := range modelsOf(s) {
			if code := networkCodes[model]; code != "" {
				of["Name"] = a.nameOf(s, model)
				a.say(code, of)
			}
		}
	}
}

// networkCodes are the entries of the networks for comparison.
var networkCodes = map[string]string{"bnt": "methods.bnt", "braingnn": "methods.braingnn", "meanmlp": "methods.meanmlp",
	"brainnetcnn": "methods.brainnetcnn", "li2019": "methods.li2019"}

// Unstated are the parameters that the list of settings leaves out, with the reason: kinds with all of theirs,
// names, and parameters of one kind or of the cohort ("kind.parameter").
var Unstated = map[string]string{
	"report": shown, "summary": shown, "tables": shown, "published": shown, "brainmap": shown, "echo": shown,

	"subject": place, "run": place, "session": place, "fold": place, "repeat": place, "permutation": place,
	"outer": place, "inner": place, "simulate.group": place, "simulate.site": place,

	"seed":       "the sentence about the folds states that of the division",
	"checkpoint": "it changes no result",
	"model":      "sentences list the models",

	"denoise.regress":                  "it is stated for each scan",
	"predict.allow":                    "the sentence about applied models states it",
	"compare.reference":                "the table of comparisons lists the pairs",
	"evaluate.permutations":            counted,
	"evaluate-regression.permutations": counted,
	"covariates.permutations":          counted,
	"split.permutations":               counted,

	"exec.command": program, "exec.inputs": program, "exec.outputs": program, "exec.environment": program,
	"exec.scratch": program, "exec.time_limit": program, "exec.strict": program, "exec.software": program,
	"exec.network": program, "exec.python": program, "exec.promise": program,

	"cohort.id": columns, "cohort.group": columns, "cohort.target": columns, "cohort.levels": columns,
	"cohort.columns": columns, "cohort.missing": columns, "cohort.select": excluded, "cohort.exclude": excluded,
	"cohort.incomplete": excluded, "cohort.asd": sizes, "cohort.hc": sizes, "cohort.corrupt": excluded,
}

// Reasons of several parameters.
const (
	shown    = "it changes what the page shows, and no result"
	place    = "it is the place of a task among those of its stage"
	counted  = "sentences state how many permutations there were"
	program  = "it is how a program is called"
	columns  = "it is what the file of participants calls something"
	excluded = "the sentence about excluded participants states the reasons"
	sizes    = "the sentence about the participants counts them"
)

// isUnstated reports whether the list of settings leaves out a parameter. Figures change no result, and the atlas that
// was found ("labels.…") has its sentence.
func isUnstated(s *finding.StageSettings, name string) bool {
	kind := s.Kind
	if s.Stage == "cohort" {
		kind = s.Stage
	}
	return strings.HasPrefix(kind, "figure-") || Unstated[kind] != "" || Unstated[name] != "" ||
		Unstated[kind+"."+name] != "" || strings.HasPrefix(kind+"."+name, "cohort.labels.")
}

// inForce reports whether a parameter has an effect with the others of its stage.
func inForce(s *finding.StageSettings, name string) bool {
	for _, term := range Conditions[s.Kind][name] {
		known, holds := false, false
		for _, c := range term {
			values := s.Over(c.Parameter)
			known = known || values != nil
			holds = holds || slices.ContainsFunc(values, func(v string) bool { return (v == c.Value) != c.Other })
		}
		if known && !holds {
			return false
		}
	}
	return true
}

// A Condition is a value that a parameter has, perhaps among those of an axis, or any other one than that.
type Condition struct {
	Parameter, Value string
	Other            bool
}

// is and isNot are one condition alone.
func is(parameter, value string) []Condition    { return []Condition{{parameter, value, false}} }
func isNot(parameter, value string) []Condition { return []Condition{{parameter, value, true}} }

// Conditions are, by kind, what parameters need to have an effect: one condition of each list.
var Conditions = map[string]map[string][][]Condition{
	"denoise": {
		"trend_over":  {censors, isNot("filter", "butterworth")},
		"bridge":      {censors, is("filter", "butterworth")},
		"min_segment": {censors}, "min_minutes": {censors},
		"order":     {is("filter", "butterworth")},
		"high_pass": {isNot("filter", "none")}, "low_pass": {isNot("filter", "none")},
		"components": {{{"regress", "acompcor", false}, {"regress", "acompcor_gsr", false}}},
		"conditions": {isNot("task", "none")}, "after": {is("task", "fir")},
		"block": {isNot("draws", "0")},
	},
	"connectivity": {"rho": {is("partial", "ridge")}, "alpha": {is("partial", "glasso")}},
	"matrices":     {"rho": {is("partial", "ridge")}},
	"windows":      {"sigma": {is("taper", "gaussian")}},
	"graph": {"density": {is("rule", "largest")}, "of": {is("rule", "largest")}, "repair": {is("rule", "largest")},
		"percentile": {is("rule", "authors-code")}},
	"tangent": {"controls": {is("reference", "controls")}},
	"train":   lossesOf, "train-regression": lossesOf,
	"edges": {"threshold": {is("correction", "nbs")}, "size": {is("correction", "nbs")},
		"tail": {is("correction", "nbs")}, "tfnbs_e": {is("correction", "tfnbs")},
		"tfnbs_h": {is("correction", "tfnbs")}, "tfnbs_step": {is("correction", "tfnbs")}},
}

var lossesOf = map[string][][]Condition{"kernel": {is("distance", "mmd")}, "sigma": {is("distance", "mmd")},
	"bce": {is("distance", "bce")}}

// censors is that a denoising may censor volumes for motion.
var censors = []Condition{{"fd", "0", true}, {"dvars", "0", true}, {"regress", "scrubbing", false}}

// settings lists parameters that differ from their defaults, and that no sentence states: with the default in their
// place all sentences would be the same.
func (a *Author) settings() {
	as, stages := "", []string(nil)
	for i := range a.whole {
		s := &a.whole[i]
		var others []string
		for _, name := range s.Parameters {
			value, standard := s.Values[name], s.Defaults[name]
			if a.isDecided(s.Stage, name) {
				continue // optionSettings
			}
			differs := slices.ContainsFunc(value, func(v []string) bool { return !slices.Equal(v, standard) })
			if !differs || isUnstated(s, name) || !inForce(s, name) || !s.Concerns(name, modelsOf(s)) {
				continue
			}
			as = cmp.Or(as, a.sketch())
			s.Values[name] = [][]string{standard}
			stated := a.sketch() != as
			if s.Values[name] = value; !stated {
				of := slices.DeleteFunc(s.Over(name), func(v string) bool { return v == "" })
				others = append(others, a.Text("methods.setting", values{"Name": name, "Values": of}))
			}
		}
		if others != nil {
			stages = append(stages, a.Text("methods.settings-of", values{"Stage": s.Stage, "Settings": others}))
		}
	}
	if stages != nil {
		a.begins = true
		a.say("methods.settings", values{"Stages": stages})
	}
}

// sketch is the text of all sentences before the list of settings.
func (a *Author) sketch() string {
	said := a.said
	a.said = nil
	a.cohort()
	a.scans()
	a.graphs()
	a.training()
	a.applied()
	a.measured()
	text := a.paragraph(a.said, "methods.denoising")
	a.said = said
	return text
}

// works describe the models.
var works = map[string]string{"svm": "cortes", "linear-svm": "cortes", "ridge": "hoerl", "logistic": "cox1958",
	"forest": "breiman", "kernel-ridge": "he2020", "svr": "smola", "rbf-svr": "smola", "brainnetcnn": "kawahara",
	"li2019": "li2019", "meanmlp": "popov", "bnt": "kan", "braingnn": "li2021"}

// A fittedBy is the entry with the settings that a reader needs to fit a model again, and the parameters in it.
type fittedBy struct {
	code  string
	takes []string
}

// fitted are these of each model; networks have sentences.
var fitted = map[string]fittedBy{"ridge": {"methods.penalty", []string{"penalty"}},
	"kernel-ridge": {"methods.penalties", []string{"penalties", "inner"}}, "svm": {"methods.c", []string{"c"}},
	"linear-svm": {"methods.c", []string{"c"}}, "logistic": {"methods.c", []string{"c"}},
	"svr": {"methods.c-epsilon", []string{"c", "epsilon"}}, "rbf-svr": {"methods.c-epsilon", []string{"c", "epsilon"}},
	"forest": {"methods.trees", []string{"trees", "tried"}},
	"mlp":    {"methods.mlp", []string{"hidden", "epochs", "batch", "learning_rate"}}}

// fittedModels are the models of stages of some kinds on the folds that the methods describe.
func (a *Author) fittedModels(kinds ...string) (models []string) {
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		if !slices.Contains(kinds, s.Kind) || !a.sameFolds(s) {
			continue
		}
		for _, model := range modelsOf(s) {
			of := values{"Settings": "", "Regression": s.Kind == "regression"}
			if s.Kind == "estimator" {
				of["Settings"] = a.Text("methods.own", parameters(s, of))
			}
			if text := a.fittedModel(model, s, of); !slices.Contains(models, text) {
				models = append(models, text)
			}
		}
	}
	return models
}

// fittedModel is a model with the settings that a reader needs to fit it again, by the parameters of its stage.
func (a *Author) fittedModel(model string, s *finding.StageSettings, more values) string {
	of := parameters(s, more)
	of["Name"], of["Work"] = section.OrItself(column.Classifiers, model), works[model]
	by := fitted[model]
	var several []string
	for _, list := range s.Values["penalties"] {
		if n := fmt.Sprint(len(list)); !slices.Contains(several, n) {
			several = append(several, n)
		}
	}
	if of["Several"] = strings.Join(several, " or "); of["Several"] == "1" && model == "kernel-ridge" {
		by, of["penalty"] = fittedBy{"methods.penalty", nil}, of["penalties"]
	}
	of["Tried"] = lists.Map(s.Over("tried"), func(n string) string {
		return a.Text("methods.tried", values{"tried": n, "Regression": of["Regression"]})
	})
	unstated := func(name string) bool { return len(s.Values[name]) == 0 }
	switch {
	case slices.ContainsFunc(by.takes, unstated):
		of["Settings"] = a.Text("methods.settings-unstated", nil)
	case by.code != "":
		of["Settings"] = a.Text(by.code, of)
	}
	return a.Text("methods.fitted", of)
}

// inputs states what the models of some kinds were trained on.
func (a *Author) inputs(kinds ...string) {
	type trained struct{ name, input, data string }
	var models []trained
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		if !slices.Contains(kinds, s.Kind) {
			continue
		}
		for _, model := range modelsOf(s) {
			if input := a.inputOf(s, model); input != "" {
				data := a.Run.HoldsAny(s, "states", "tangent", "pearson", "series")
				models = append(models, trained{a.nameOf(s, model), input, data.String()})
			}
		}
	}
	for _, of := range lists.By(models, func(m trained) string { return m.input + " " + m.data }) {
		names := lists.Map(of.All, func(m trained) string { return m.name })
		a.say("methods.inputs", values{"Models": names, "What": of.All[0].input,
			"Data": values(finding.Values(column.ParseData(of.All[0].data)))})
	}
}

// inputOf is what a model of a stage was trained on; "" for nothing, and for other folds than the methods describe.
func (a *Author) inputOf(s *finding.StageSettings, model string) string {
	switch {
	case model == "majority" || model == "mean":
		return ""
	case s.Inputs["states"] != nil:
		return "states"
	case a.Run.Holds(s, "pearson").Measure == column.Variability:
		return "windows"
	case !a.sameFolds(s):
		return ""
	case model == "meanmlp" || s.Value("input") == "series":
		return "series"
	case model == "li2019" || model == "braingnn" || s.Value("input") == "graphs":
		return "graphs"
	case s.Inputs["tangent"] != nil:
		return "tangent"
	case s.Value("transform") == "fisher" || s.Value("transform") == "own" && (model == "ridge" || model == "logistic"):
		return "fisher"
	}
	return "pearson"
}
