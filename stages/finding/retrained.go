package finding

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// withoutEffect are the parameters that change no prediction: of the scores of regions, of learning curves, and of how
// a training is carried out and checked.
var withoutEffect = []string{"scores_of", "signed", "attribution", "steps", "orders", "checkpoint", "time_limit",
	"memory_limit", "sandbox", "repeat_check", "promise"}

// permuting are the parameters of split that permute labels, and divide nobody.
var permuting = []string{"permutation", "permutations", "within"}

// A RetrainedTest is the permutation test of one setting whose models were retrained on permuted labels.
type RetrainedTest struct {
	Rows   []column.PermutationTestRow // one for each measure
	Stage  *StageSettings              // that trained the models; nil where it is not known
	Of     *Evaluated                  // the evaluated model that it is a test of; nil for none
	Other  []Difference                // of its training from that model's
	Reason string                      // why it is of none, see below
	Design []Difference                // of its data from that of the nearest model
	may    []Evaluated                 // the evaluated models that it may be of, where it is of none
}

// Why a permutation test is of no evaluated model.
const (
	NoSuchModel   = "model"   // none has its kind, coordinates and inputs
	OtherDesign   = "design"  // the nearest one was trained on something else
	SeveralModels = "several" // it may be of each of several
	OtherResult   = "result"  // its training with the true labels has another result
)

// An Evaluated is a model that evaluate or evaluate-regression measured.
type Evaluated struct {
	Setting  []dag.Coord
	Title    string
	Measures []Measured // by which the training with the true labels is compared: accuracy or mae first
}

// Measured is a measure of an evaluated model, as a permutation test calls it.
type Measured struct {
	Measure string
	Value   float64
}

// A Difference of two trainings is a parameter or input that has other values.
type Difference struct {
	What, Is, Was string
	IsIn, WasIn   string // the stages, where they are others than the trainings'
}

// Name is the retrained model for people; "" where it has no name.
func (t *RetrainedTest) Name() string {
	switch {
	case t.Of != nil:
		return t.Of.Title
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
func (a *Results) RetrainedTests() []*RetrainedTest {
	if a.retrained == nil && len(a.Permuted) > 0 {
		a.retrained = a.attributed()
	}
	return slices.Clone(a.retrained)
}

// attributed makes the tests of Permuted.
func (a *Results) attributed() (tests []*RetrainedTest) {
	for _, of := range lists.By(a.Permuted, func(r column.PermutationTestRow) string {
		return column.CoordText(r.Coords) + "\x00" + r.Name
	}) {
		t := &RetrainedTest{Rows: of.All, Stage: a.StageBehind(of.All[0].Coords, "permutation")}
		a.attribute(t)
		tests = append(tests, t)
	}
	return tests
}

// models are the evaluated ones.
func (a *Results) models() (all []Evaluated) {
	for _, r := range a.PerParticipant() {
		of := []Measured{{"accuracy", r.Accuracy}, {"balanced_accuracy", r.Balanced}}
		if len(a.Labels) <= 2 { // of more groups it depends on the positive one, which each stage sets
			of = append(of, Measured{"auc", r.AUC})
		}
		all = append(all, Evaluated{r.Coords, r.Title, of})
	}
	for _, r := range a.Regression {
		all = append(all, Evaluated{r.Coords, r.Name, []Measured{{"mae", r.MAE}, {"r", r.R}, {"r2", r.R2}}})
	}
	return all
}

// attribute finds the evaluated model that a test is of, or why there is none.
func (a *Results) attribute(t *RetrainedTest) {
	type candidate struct {
		model         Evaluated
		other, design []Difference
	}
	var all []candidate
	for _, m := range a.models() {
		if other, design, ok := a.differences(m, t); ok {
			all = append(all, candidate{m, other, design})
		}
	}
	if len(all) == 0 {
		t.Reason = NoSuchModel
		return
	}
	far := func(c candidate) int { return 1000*len(c.design) + len(c.other) }
	least := far(slices.MinFunc(all, func(c, d candidate) int { return far(c) - far(d) }))
	same := slices.DeleteFunc(all, func(c candidate) bool { return far(c) > least })
	t.may = lists.Map(same, func(c candidate) Evaluated { return c.model })
	switch {
	case same[0].design != nil:
		t.Reason, t.Design = OtherDesign, same[0].design
	case len(same) > 1:
		t.Reason = SeveralModels
	case same[0].other == nil && t.anotherResult(same[0].model):
		t.Reason = OtherResult
	default:
		t.Of, t.Other, t.may = &same[0].model, same[0].other, nil
	}
}

// anotherResult reports whether the training with the true labels has another result than an evaluated model.
func (t *RetrainedTest) anotherResult(m Evaluated) bool { return t.apart(m) >= 0 }

// apart is the first measure of a model in which the training with the true labels differs; −1 for none.
func (t *RetrainedTest) apart(m Evaluated) int {
	return slices.IndexFunc(m.Measures, func(of Measured) bool {
		r := t.Measured(of.Measure)
		return r != nil && math.Abs(r.Observed-of.Value) > 1e-9 // false of NaN
	})
}

// elsewhere reports whether a test is of a training with another result than that of an evaluated model: its p is no
// answer about that model.
func (t *RetrainedTest) elsewhere() bool {
	return t.may != nil || t.Other != nil && t.anotherResult(*t.Of)
}

// Retrained are the permutation tests of a classifier or model.
func (a *Results) Retrained(setting []dag.Coord, title string) []*RetrainedTest {
	return slices.DeleteFunc(a.RetrainedTests(), func(t *RetrainedTest) bool {
		return t.Of == nil || !slices.Equal(t.Of.Setting, setting) || t.Of.Title != title
	})
}

// unattributed reports whether a permutation test may be of a model and cannot be attributed to it, and no other test
// is of the model: then nothing shows that it is above chance.
func (a *Results) unattributed(setting []dag.Coord, title string) bool {
	is := func(m Evaluated) bool { return slices.Equal(m.Setting, setting) && m.Title == title }
	return len(a.Retrained(setting, title)) == 0 && slices.ContainsFunc(a.RetrainedTests(),
		func(t *RetrainedTest) bool { return slices.ContainsFunc(t.may, is) })
}

// PermutationTests are the findings about tests with retrained models that are not significant.
func (a *Results) PermutationTests() (all List) {
	var tooFew []int32 // permutations, each number once
	names := map[int32][]string{}
	for _, t := range a.RetrainedTests() {
		r := t.Measured("accuracy")
		if r == nil {
			r = t.Measured("auc")
		}
		if r == nil || slices.ContainsFunc(t.Rows, func(r column.PermutationTestRow) bool {
			return inference.Significant(r.P)
		}) {
			continue
		}
		name := t.Name()
		if (Test{Least: 1 / float64(r.Permutations+1)}).Powerless() {
			if names[r.Permutations] == nil {
				tooFew = append(tooFew, r.Permutations)
			}
			names[r.Permutations] = append(names[r.Permutations], name)
			continue
		}
		if t.elsewhere() {
			continue // RetrainedOthers
		}
		all.Study("permutation.not-significant", Overturns, values{"Name": name, "P": r.P,
			"Draws": int(r.Permutations), "Measure": r.Measure})
	}
	for _, n := range tooFew {
		all.Study("permutation.powerless", Limits, values{"Names": slices.DeleteFunc(names[n],
			func(s string) bool { return s == "" }), "Draws": int(n)})
	}
	return all
}

// RetrainedOthers are the findings about permutation tests of another training than the one that was evaluated.
func (a *Results) RetrainedOthers() (all List) {
	for _, t := range a.RetrainedTests() {
		if t.Of != nil && t.Other == nil {
			continue
		}
		compared, differs := a.models(), func(Evaluated) int { return 0 }
		if t.Of != nil {
			compared = []Evaluated{*t.Of}
		} else if t.may != nil {
			compared = t.may
		}
		if t.Of != nil || t.may != nil {
			differs = func(m Evaluated) int { return max(0, t.apart(m)) }
		}
		numbers := values{"Name": t.Name(), "Other": t.Other, "Measure": "", "Observed": math.NaN()}
		if len(compared) > 0 {
			of := compared[0].Measures[differs(compared[0])]
			numbers["Measure"], numbers["Value"] = of.Measure, of.Value
			if r := t.Measured(of.Measure); r != nil {
				numbers["Observed"] = r.Observed
			}
		}
		if t.Of != nil {
			numbers["Elsewhere"] = t.elsewhere()
			all.Study("permutation.other-training", Limits, numbers)
			continue
		}
		var may []values
		for _, m := range t.may {
			if a.unattributed(m.Setting, m.Title) {
				of := m.Measures[differs(m)]
				may = append(may, values{"Title": m.Title, "Measure": of.Measure, "Value": of.Value})
			}
		}
		numbers["Reason"], numbers["Design"], numbers["May"] = t.Reason, t.Design, may
		all.Study("permutation.unattributed", Limits, numbers)
	}
	return all
}

// StageBehind is the stage that trained the models of a setting at a port of the page: a setting has its stage where
// several stages were gathered. It is nil where the connections are not known.
func (a *Results) StageBehind(setting []dag.Coord, port string) *StageSettings {
	name := StageOf(setting)
	if from := a.StagesBehind(port, "predictions"); name == "" && len(from) == 1 {
		name = from[0]
	}
	return a.Plan.Stage(name)
}

// differences are those of the trainings of a permutation test from that of an evaluated model: other are parameters of
// the training, design is what it was trained on. ok is false where they are different models. Where the stages are not
// known, the name alone tells them apart.
func (a *Results) differences(m Evaluated, t *RetrainedTest) (other, design []Difference, ok bool) {
	port := "evaluation"
	if a.Regression != nil {
		port = "regression"
	}
	e, p := a.StageBehind(m.Setting, port), t.Stage
	if e == nil || p == nil {
		name := t.Rows[0].Name
		return nil, nil, name == "" || m.Title == name || strings.HasPrefix(m.Title, name+" (")
	}
	if e.Kind != p.Kind {
		return nil, nil, false
	}
	setting := t.Rows[0].Coords
	was, is := func(name string) []string { return valuesIn(e, name, m.Setting) },
		func(name string) []string { return valuesIn(p, name, setting) }
	for _, c := range slices.Concat(m.Setting, setting, []dag.Coord{{Axis: "model"}}) {
		known := slices.Contains(e.Parameters, c.Axis) ||
			column.ValueOn(m.Setting, c.Axis) != "" && column.ValueOn(setting, c.Axis) != ""
		if c.Axis != "stage" && known && !overlap(was(c.Axis), is(c.Axis)) {
			return nil, nil, false
		}
	}
	for _, name := range e.Parameters {
		d := Difference{What: name, Is: shownValues(name, is(name)), Was: shownValues(name, was(name))}
		switch tested := name == "fold" || name == "repeat"; {
		case name == "model" || slices.Contains(withoutEffect, name) || !e.Concerns(name, is("model")):
		case tested && !slices.Equal(was(name), is(name)):
			design = append(design, d)
		case !overlap(was(name), is(name)):
			other = append(other, d)
		}
	}
	inputs, ok := a.otherInputs(e, p)
	return other, append(design, inputs...), ok
}

// otherInputs are the differences of the stages behind a stage p from those behind e: of their parameters, and of the
// folds. Permuted labels are none, and a leakage check gives leave, and no data. ok is false where p takes other data.
func (a *Results) otherInputs(e, p *StageSettings) (other []Difference, ok bool) {
	for _, port := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(ports(e), ports(p))))) {
		if e.aside[port] || p.aside[port] {
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
				other = append(other, Difference{What: port, Is: orNone(lists.Map(is, column.Result.String)),
					Was: orNone(lists.Map(was, column.Result.String))})
				continue
			}
			for _, name := range x.Parameters {
				labels := x.Kind == "split" && slices.Contains(permuting, name)
				if !labels && !slices.EqualFunc(x.Values[name], y.Values[name], slices.Equal) {
					other = append(other, Difference{name, shownValues(name, y.Over(name)),
						shownValues(name, x.Over(name)),
						y.Stage, x.Stage})
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
func (a *Results) source(results []column.Result, i int) (s *StageSettings, output string) {
	if i >= len(results) {
		return nil, ""
	}
	return a.Plan.Stage(results[i].Stage), results[i].Output
}

// ports are those of a stage that are connected to others.
func ports(s *StageSettings) []string { return slices.Collect(maps.Keys(s.Inputs)) }

// without are the results of stages, other than leakage checks, that are not among others.
func (a *Results) without(results, others []column.Result) []column.Result {
	return slices.DeleteFunc(slices.Clone(results), func(result column.Result) bool {
		s := a.Plan.Stage(result.Stage)
		return slices.Contains(others, result) || s != nil && s.Kind == "leakage"
	})
}

// valuesIn are the values that a parameter has in a setting: one, unless the stage fans out over it and the setting
// does not have its value.
func valuesIn(s *StageSettings, parameter string, setting []dag.Coord) []string {
	if value := column.ValueOn(setting, parameter); value != "" {
		return []string{value}
	}
	return joined(s.Values[parameter], "-") // as coordinates do
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) })
}

// shownValues are the values of a parameter in words: 0 draws are all of them.
func shownValues(name string, values []string) string {
	if name == "draws" && slices.Equal(values, []string{"0"}) {
		return "all"
	}
	return orNone(values)
}

// orNone are values in words.
func orNone(values []string) string { return cmp.Or(strings.Join(values, "; "), "none") }
