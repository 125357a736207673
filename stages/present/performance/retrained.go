package performance

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// withoutEffect are the parameters that change no prediction.
var withoutEffect = []string{"scores_of", "checkpoint"}

// A RetrainedTest is the permutation test of one setting whose models were retrained on permuted labels.
type RetrainedTest struct {
	Rows   []column.PermutationTestRow // one for each measure
	Stage  *section.StageSettings      // that trained the models; nil where it is not known
	Other  string                      // settings in which the training differs: "epochs 4 instead of 20"
	of     *evaluated                  // the evaluated model that it is a test of; nil for none
	may    []evaluated                 // the evaluated models that it may be of, where it is of none
	Reason string                      // why it is of none
}

// An evaluated model is one that evaluate or evaluate-regression measured.
type evaluated struct {
	setting, title string
	measure        string // by which the training with the true labels is compared
	value          float64
	shown          string // the value for people
}

// Name is the retrained model for people; "" where it has no name.
func (t *RetrainedTest) Name() string {
	switch {
	case t.of != nil:
		return t.of.title
	case t.Rows[0].Name != "" && t.Stage != nil:
		return t.Rows[0].Name + " (" + strings.ReplaceAll(t.Stage.Stage, "_", " ") + ")"
	}
	return t.Rows[0].Name
}

// Measured is the row of a measure; nil where there is none.
func (t *RetrainedTest) Measured(measure string) *column.PermutationTestRow {
	i := slices.IndexFunc(t.Rows, func(r column.PermutationTestRow) bool { return r.Measure == measure })
	if i < 0 {
		return nil
	}
	return &t.Rows[i]
}

// RetrainedTests are the permutation tests of retrained models, each with the evaluated model that it is of: the one
// whose stage has the same kind, inputs, folds and parameters, and the same result with the true labels.
func (a *Results) RetrainedTests() (tests []*RetrainedTest) {
	of := map[string]*RetrainedTest{}
	for _, r := range a.Permuted {
		key := column.CoordText(r.Coords) + "\x00" + r.Name
		if of[key] == nil {
			of[key] = &RetrainedTest{}
			tests = append(tests, of[key])
		}
		of[key].Rows = append(of[key].Rows, r)
	}
	for _, t := range tests {
		t.Stage = a.stageBehind(column.CoordText(t.Rows[0].Coords), "permutation")
		a.attribute(t)
	}
	return tests
}

// models are the evaluated ones.
func (a *Results) models() (all []evaluated) {
	for _, r := range a.PerParticipant() {
		all = append(all, evaluated{r.Setting, r.Title, "accuracy", r.Accuracy, "accuracy " + report.Share(r.Accuracy)})
	}
	for _, r := range a.Regression {
		all = append(all, evaluated{column.CoordText(r.Coords), r.Name, "mae", r.MAE, "MAE " + a.Error(r.MAE)})
	}
	return all
}

// attribute finds the evaluated model that a test is of, or says why there is none.
func (a *Results) attribute(t *RetrainedTest) {
	type candidate struct {
		model         evaluated
		other, design []string
	}
	var all []candidate
	for _, m := range a.models() {
		if other, design, ok := a.differences(m, t); ok {
			all = append(all, candidate{m, other, design})
		}
	}
	if len(all) == 0 {
		t.Reason = "is of no evaluated model: none has its kind, coordinates and inputs"
		return
	}
	far := func(c candidate) int { return 1000*len(c.design) + len(c.other) }
	least := far(slices.MinFunc(all, func(c, d candidate) int { return far(c) - far(d) }))
	same := slices.DeleteFunc(all, func(c candidate) bool { return far(c) > least })
	t.may = lists.Map(same, func(c candidate) evaluated { return c.model })
	switch {
	case same[0].design != nil:
		t.Reason = "is of another design: " + words.Some(same[0].design, 4)
	case len(same) > 1:
		t.Reason = "cannot be told to be of one of several evaluated models"
	case same[0].other == nil && t.anotherResult(same[0].model):
		t.Reason = "is of another training"
	default:
		t.of, t.Other, t.may = &same[0].model, strings.Join(same[0].other, ", "), nil
	}
}

// anotherResult reports whether the training with the true labels has another result than an evaluated model.
func (t *RetrainedTest) anotherResult(m evaluated) bool {
	r := t.Measured(m.measure)
	return r != nil && math.Abs(r.Observed-m.value) > 1e-9
}

// Retrained are the permutation tests of a classifier.
func (a *Results) Retrained(r Row) []*RetrainedTest { return a.retrained(r.Setting, r.Title) }

func (a *Results) retrained(setting, title string) []*RetrainedTest {
	return slices.DeleteFunc(a.RetrainedTests(), func(t *RetrainedTest) bool {
		return t.of == nil || t.of.setting != setting || t.of.title != title
	})
}

// Unattributed reports whether a permutation test may be of a model and cannot be attributed to it, and no other test
// is of the model: then nothing says that it is above chance.
func (a *Results) Unattributed(setting, title string) bool {
	is := func(m evaluated) bool { return m.setting == setting && m.title == title }
	return len(a.retrained(setting, title)) == 0 && slices.ContainsFunc(a.RetrainedTests(),
		func(t *RetrainedTest) bool { return slices.ContainsFunc(t.may, is) })
}

// howRetrained says on what the models of a permutation test were trained, and how else they differ from the
// classifier that was evaluated.
func (t *RetrainedTest) howRetrained(r column.PermutationTestRow) string {
	how := "models retrained on " + words.Count(int(r.Permutations), "label shuffle")
	if t.Other != "" {
		how += " with " + t.Other
		if t.anotherResult(*t.of) {
			how += "; " + section.PlainName(r.Measure) + " " + report.Share(r.Observed) + " with the true labels"
		}
	}
	return how
}

// cautionRetrained warns of permutation tests of another training than the one that was evaluated.
func (a *Results) cautionRetrained() {
	for _, t := range a.RetrainedTests() {
		name, with := t.Name(), ""
		if t.of != nil && t.Other == "" {
			continue
		}
		if m := a.models(); len(m) > 0 {
			if r := t.Measured(m[0].measure); r != nil {
				with = report.Share(r.Observed)
				if r.Measure == "mae" {
					with = a.Error(r.Observed)
				}
				with = " (" + section.PlainName(r.Measure) + " " + with + " with the true labels)"
			}
		}
		if t.of != nil {
			a.Caution("%s: the permutation test retrained with %s. It tests that training%s, not the evaluated model (%s)",
				Row{Title: name}.Called(), t.Other, with, t.of.shown)
			continue
		}
		text := fmt.Sprintf("The permutation test%s %s%s. Its p is attributed to no evaluated model", ofClassifiers(name), t.Reason, with)
		var names []string
		for _, m := range t.may {
			if a.Unattributed(m.setting, m.title) {
				names = append(names, section.InSentence(Row{Title: m.title}.Called())+" ("+m.shown+")")
			}
		}
		if names != nil {
			text += ", and this is not called above chance: " + words.Some(names, 6)
		}
		a.Caution("%s", text)
	}
}

// stageBehind is the stage that trained the models of a setting at a port of the page: a setting names its stage where
// several stages were gathered. It is nil where the connections are not known.
func (a *Results) stageBehind(setting, port string) *section.StageSettings {
	name := stageOf(setting)
	if from := a.StagesBehind(port, "predictions"); name == "" && len(from) == 1 {
		name = from[0]
	}
	return a.Run.Stage(name)
}

// differences are those of the trainings of a permutation test from that of an evaluated model: other are parameters of
// the training, design is what it was trained on. ok is false where they are different models. Where the stages are not
// known, the name alone tells them apart.
func (a *Results) differences(m evaluated, t *RetrainedTest) (other, design []string, ok bool) {
	port := "evaluation"
	if a.Regression != nil {
		port = "regression"
	}
	e, p := a.stageBehind(m.setting, port), t.Stage
	if e == nil || p == nil {
		name := t.Rows[0].Name
		return nil, nil, name == "" || m.title == name || strings.HasPrefix(m.title, name+" (")
	}
	if e.Kind != p.Kind {
		return nil, nil, false
	}
	setting := column.CoordText(t.Rows[0].Coords)
	was, is := func(name string) []string { return valuesIn(e, name, m.setting) },
		func(name string) []string { return valuesIn(p, name, setting) }
	for _, c := range slices.Concat(coordsOf(m.setting), coordsOf(setting), []string{"model="}) {
		axis, _, _ := strings.Cut(c, "=")
		known := slices.Contains(e.Parameters, axis) || has(m.setting, axis) && has(setting, axis)
		if !isStage(c) && known && !overlap(was(axis), is(axis)) {
			return nil, nil, false
		}
	}
	for _, name := range e.Parameters {
		differs := name + " " + joined(is(name)) + " instead of " + joined(was(name))
		switch tested := name == "fold" || name == "repeat"; {
		case name == "model" || slices.Contains(withoutEffect, name) || !e.Concerns(name, is("model")):
		case tested && !slices.Equal(was(name), is(name)):
			design = append(design, differs)
		case !overlap(was(name), is(name)):
			other = append(other, differs)
		}
	}
	inputs, ok := a.otherInputs(e, p)
	return other, append(design, inputs...), ok
}

// otherInputs are the differences of the stages behind a stage p from those behind e: of their parameters, and of the
// folds. Permuted labels are none, and a leakage check gives leave, and no data. ok is false where p takes other data.
func (a *Results) otherInputs(e, p *section.StageSettings) (other []string, ok bool) {
	for _, port := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(ports(e), ports(p))))) {
		if port == "permuted" { // of a test, which changes no prediction
			continue
		}
		was, is := a.without(e.Inputs[port], p.Inputs[port]), a.without(p.Inputs[port], e.Inputs[port])
		if len(was) != len(is) && port != "folds" {
			return nil, false
		}
		for i := range max(len(was), len(is)) {
			x, output := a.source(was, i)
			y, its := a.source(is, i)
			switch alike := x != nil && y != nil && x.Kind == y.Kind && output == its; {
			case !alike && port != "folds":
				return nil, false
			case !alike:
				other = append(other, port+" "+joined(is)+" instead of "+joined(was))
				continue
			}
			for _, name := range x.Parameters {
				labels := x.Kind == "split" && (name == "permutation" || name == "within")
				if !labels && x.Value[name] != y.Value[name] {
					other = append(other, fmt.Sprintf("%s is %s in %s, %s in %s", name,
						cmp.Or(y.Value[name], "none"), y.Stage, cmp.Or(x.Value[name], "none"), x.Stage))
				}
			}
			inputs, same := a.otherInputs(x, y)
			if !same {
				return nil, false
			}
			other = append(other, inputs...)
		}
	}
	return other, true
}

// source is the stage of the i-th of some results, and the output's name; nil where there is none.
func (a *Results) source(results []string, i int) (s *section.StageSettings, output string) {
	if i >= len(results) {
		return nil, ""
	}
	name, output, _ := strings.Cut(results[i], ".")
	return a.Run.Stage(name), output
}

// ports are those of a stage that are connected to others.
func ports(s *section.StageSettings) []string { return slices.Collect(maps.Keys(s.Inputs)) }

// without are the results of stages, other than leakage checks, that are not among others.
func (a *Results) without(results, others []string) []string {
	return slices.DeleteFunc(slices.Clone(results), func(result string) bool {
		name, _, _ := strings.Cut(result, ".")
		s := a.Run.Stage(name)
		return slices.Contains(others, result) || s != nil && s.Kind == "leakage"
	})
}

// has reports whether a setting has a coordinate.
func has(setting, axis string) bool {
	return slices.ContainsFunc(coordsOf(setting), func(c string) bool { return strings.HasPrefix(c, axis+"=") })
}

// valuesIn are the values that a parameter has in a setting: one, unless the stage fans out over it and the setting
// does not name its value.
func valuesIn(s *section.StageSettings, parameter, setting string) []string {
	for _, c := range coordsOf(setting) {
		if axis, value, _ := strings.Cut(c, "="); axis == parameter {
			return []string{value}
		}
	}
	// Coordinates join lists by a hyphen.
	return strings.Split(strings.ReplaceAll(s.Value[parameter], ", ", "-"), "; ")
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) })
}

// joined are values in words.
func joined(values []string) string { return cmp.Or(strings.Join(values, "; "), "none") }
