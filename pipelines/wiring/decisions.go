package wiring

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/dag/selector"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/stages/column"
)

// A Decision is one choice of an analysis: an axis whose values are its options.
type Decision struct {
	Name    string
	Pos     dag.Pos
	Options []Option
}

// An Option sets parameters and inputs of stages.
type Option struct {
	Name   string
	Pos    dag.Pos
	Sets   []Setting
	Inputs []Setting
}

// A Setting is one parameter, or input, that an option sets.
type Setting struct {
	Stage, Parameter string
	Pos              dag.Pos
	Value            *tree.Node
}

// Option is the place of an option; −1 where the decision has none of that name.
func (d *Decision) Option(name string) int {
	return slices.IndexFunc(d.Options, func(o Option) bool { return o.Name == name })
}

// Names are those of the options.
func (d *Decision) Names() []string {
	return lists.Map(d.Options, func(o Option) string { return o.Name })
}

// Of are the settings of an option in one stage.
func (o *Option) Of(stage string) (sets []Setting) {
	return lists.Keep(o.Sets, func(s Setting) bool { return s.Stage == stage })
}

// InputsOf are the inputs of a stage that an option connects.
func (o *Option) InputsOf(stage string) (sets []Setting) {
	return lists.Keep(o.Inputs, func(s Setting) bool { return s.Stage == stage })
}

// Input is the reference that an option has for an input; nil where it leaves the input as the stage has it.
func (o *Option) Input(stage, port string) *tree.Node {
	for _, s := range o.InputsOf(stage) {
		if s.Parameter == port {
			return s.Value
		}
	}
	return nil
}

// Of reports whether an option of the decision sets a parameter or an input of a stage.
func (d *Decision) Of(stage string) bool {
	return slices.ContainsFunc(d.Options, func(o Option) bool { return o.Of(stage) != nil || o.InputsOf(stage) != nil })
}

// Sets reports whether an option sets a parameter of a stage.
func (d *Decision) Sets(stage, parameter string) bool {
	return slices.ContainsFunc(d.Options, func(o Option) bool {
		return slices.ContainsFunc(o.Of(stage), func(s Setting) bool { return s.Parameter == parameter })
	})
}

const (
	decisionsKey = "decisions"
	notKey       = "not"     // lists combinations that are excluded
	sampleKey    = "sample"  // the number of universes that are drawn
	becauseKey   = "because" // of a combination that is excluded
	all          = "all"     // the options of a decision, in a matrix
	inputKey     = ".in."    // of an input, in a path: STAGE.in.PORT
)

// taken are the names that no decision may have: of its own keys, of coordinates, and of divisions into folds.
var taken = []string{notKey, sampleKey, becauseKey, "stage", "subject", "run", "session", "fold", "repeat",
	"permutation", "universe"}

// optionForm is how an option is called: its name stands in names of tasks, of universes and on command lines.
var optionForm = pattern.New(`^[A-Za-z0-9_.+-]{1,100}$`)

// Decisions reads the decisions of a file. Its variables may still be open.
func Decisions(root *tree.Node, bad *tree.Mistakes) (all []Decision) {
	t := root.Get(decisionsKey)
	if t == nil || t.Bad || t.Kind == tree.Empty {
		return nil
	}
	if t.Kind != tree.Mapping {
		bad.Add(t.Pos, "decisions must be a mapping of decisions to their options, not %s", t)
		return nil
	}
	r := decisionReader{root.Get("stages"), t, bad}
	setBy := map[string]string{}
	for _, k := range t.Keys {
		switch {
		case k.Name == notKey || k.Name == sampleKey:
			continue
		case slices.Contains(taken, k.Name):
			bad.Add(k.Pos, "a decision cannot be named %s", k.Name)
			continue
		case slices.Contains(column.Names[column.AccuracyRow](), k.Name),
			slices.Contains(column.Names[column.RegressionRow](), k.Name): // the decision is a column of the table, too
			bad.Add(k.Pos, "a decision cannot be named %s, which is a column of the results of evaluate: rename it", k.Name)
			continue
		case !selector.IsName(k.Name):
			bad.Add(k.Pos, "a decision cannot be named %q: use %s", k.Name, selector.NameRule)
			continue
		case k.Value.Bad:
			continue
		}
		d := Decision{Name: k.Name, Pos: k.Pos, Options: r.options(k)}
		d.refuseSame(bad)
		for _, o := range d.Options {
			for i, s := range slices.Concat(o.Sets, o.Inputs) {
				path := s.Stage + "." + s.Parameter
				if i >= len(o.Sets) {
					path = s.Stage + inputKey + s.Parameter
				}
				if by, twice := setBy[path]; twice && by != d.Name {
					bad.Add(s.Pos, "decision %s: %s is set by the decision %s already", d.Name, path, by)
				}
				setBy[path] = d.Name
			}
		}
		if len(d.Options) > 0 {
			all = append(all, d)
		}
	}
	return all
}

// refuseSame refuses an option that sets what another one sets: their universes would be one. One option may set
// nothing, which is the file as it is, beside others that do.
func (d *Decision) refuseSame(bad *tree.Mistakes) {
	for i, o := range d.Options {
		same := func(other Option) bool { return o.Same(&other) }
		nothing := len(o.Sets)+len(o.Inputs) == 0
		switch at := slices.IndexFunc(d.Options[:i], same); {
		case at >= 0 && nothing:
			bad.Add(o.Pos, "decision %s: the options %s and %s set nothing, so they are the same analysis: {} is one option",
				d.Name, d.Options[at].Name, o.Name)
		case at >= 0:
			bad.Add(o.Pos, "decision %s: the options %s and %s set the same, so they are the same analysis: remove one",
				d.Name, d.Options[at].Name, o.Name)
		}
	}
}

// Same reports whether two options set the same parameters and inputs to the same.
func (o *Option) Same(other *Option) bool {
	return sameSettings(o.Sets, other.Sets) && sameSettings(o.Inputs, other.Inputs)
}

func sameSettings(a, b []Setting) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s Setting) bool {
		return !slices.ContainsFunc(b, func(o Setting) bool {
			return o.Stage == s.Stage && o.Parameter == s.Parameter && SameValue(o.Value, s.Value)
		})
	})
}

type decisionReader struct {
	stages, decisions *tree.Node
	bad               *tree.Mistakes
}

// options reads OPTION: { STAGE.PARAMETER: value, … }, or STAGE.PARAMETER: [values], or [values] of the parameter that
// has the name of the decision.
func (r *decisionReader) options(k tree.Key) (all []Option) {
	switch t := k.Value; {
	case t.Kind == tree.List:
		var of []string
		for _, s := range keysIn(r.stages) {
			if HasParameter(s.Value, k.Name) {
				of = append(of, s.Name+"."+k.Name)
			}
		}
		if len(of) != 1 {
			found := "no stage has a parameter of that name"
			if len(of) > 1 {
				found = words.Some(of, 8) + " have that name"
			}
			r.bad.Add(t.Pos, "decision %s: a list has the values of the one parameter with the name of the decision, but %s; "+
				"write %[1]s: { STAGE.PARAMETER: [ … ] }", k.Name, found)
			return nil
		}
		return r.values(k.Name, of[0], k.Pos, t)
	case t.Kind == tree.Mapping && len(t.Keys) == 1 && t.Keys[0].Value.Kind == tree.List:
		return r.values(k.Name, t.Keys[0].Name, t.Keys[0].Pos, t.Keys[0].Value)
	case t.Kind == tree.Mapping && len(t.Keys) > 0:
		for _, o := range t.Keys {
			if o.Value.Bad {
				continue
			}
			if o.Value.Kind != tree.Mapping {
				r.bad.Add(o.Value.Pos, "decision %s: option %s must be a mapping such as { STAGE.PARAMETER: value }, not %s; "+
					"{} leaves every parameter as it is", k.Name, o.Name, o.Value)
				continue
			}
			option := Option{Name: o.Name, Pos: o.Pos}
			fine := r.named(k.Name, o.Name, o.Pos)
			for _, s := range o.Value.Keys {
				if strings.Contains(s.Name, inputKey) {
					if set, ok := r.input(k.Name, s.Name, s.Pos, s.Value); ok {
						option.Inputs = append(option.Inputs, set)
					}
				} else if set, ok := r.setting(k.Name, s.Name, s.Pos, s.Value); ok {
					option.Sets = append(option.Sets, set)
				}
			}
			if fine {
				all = append(all, option)
			}
		}
		return all
	default:
		r.bad.Add(t.Pos, "decision %s must have options: { OPTION: { STAGE.PARAMETER: value } }, or { STAGE.PARAMETER: [ values ] }, not %s",
			k.Name, t)
		return nil
	}
}

// values are the options that each have one value of a parameter.
func (r *decisionReader) values(decision, path string, pos dag.Pos, t *tree.Node) (all []Option) {
	for _, item := range t.Items {
		text, ok := ValueText(item)
		if item.Bad || !r.named(decision, text, item.Pos) {
			continue
		}
		set, fine := r.setting(decision, path, pos, item)
		if !ok || !fine {
			if !ok {
				r.bad.Add(item.Pos, "decision %s: a value must be a number, text, true or false, or a list of these, not %s", decision, item)
			}
			continue
		}
		if slices.ContainsFunc(all, func(o Option) bool { return o.Name == text }) {
			r.bad.Add(item.Pos, "decision %s has the option %s twice", decision, text)
			continue
		}
		all = append(all, Option{Name: text, Pos: item.Pos, Sets: []Setting{set}})
	}
	if len(t.Items) == 0 {
		r.bad.Add(t.Pos, "decision %s has no options", decision)
	}
	return all
}

func (r *decisionReader) named(decision, option string, pos dag.Pos) bool {
	if !optionForm.MatchString(option) {
		r.bad.Add(pos, "decision %s: an option cannot be named %q: use letters, digits, _, -, + and ., at most 100; "+
			"write OPTION: { STAGE.PARAMETER: value } to name it", decision, option)
		return false
	}
	return true
}

// input reads a path STAGE.in.PORT.
func (r *decisionReader) input(decision, path string, pos dag.Pos, value *tree.Node) (Setting, bool) {
	stage, port, _ := strings.Cut(path, inputKey)
	t := r.stages.Get(stage)
	kind, ok := dag.Lookup(Kind(t))
	switch {
	case t == nil:
		r.bad.Add(pos, "decision %s: there is no stage %q%s", decision, stage, words.OrAll(stage, r.stages.Names()))
	case ok && !value.Bad:
		names := lists.Map(portsOf(kind, t).In, func(p dag.Port) string { return p.Name })
		if slices.Contains(names, port) {
			return Setting{Stage: stage, Parameter: port, Pos: pos, Value: value}, true
		}
		r.bad.Add(pos, "decision %s: stage %s has no input %q%s", decision, stage, port, words.OrAll(port, names))
	}
	return Setting{}, false
}

// setting reads a path STAGE.PARAMETER.
func (r *decisionReader) setting(decision, path string, pos dag.Pos, value *tree.Node) (Setting, bool) {
	stage, parameter, dotted := strings.Cut(path, ".")
	refuse := func(format string, args ...any) (Setting, bool) {
		r.bad.Add(pos, "decision "+decision+": "+format, args...)
		return Setting{}, false
	}
	switch {
	case stage == "cohort":
		return refuse("%s: the cohort is read once for all universes; set the input of the stage that reads its "+
			"files, such as parcels.in.labels: { file: PATH }; for other participants, run the file again with --set "+
			"%[1]s=VALUE", path)
	case !dotted:
		return refuse("%q is no path; write STAGE.PARAMETER", path)
	}
	t := r.stages.Get(stage)
	if t == nil {
		return refuse("there is no stage %q%s", stage, words.OrAll(stage, r.stages.Names()))
	}
	kind, ok := dag.Lookup(Kind(t))
	switch {
	case !ok:
		return Setting{}, false // which is reported at the stage
	case parameter == "use" || strings.HasPrefix(parameter, "with.") || parameter == "with":
		return refuse("%s: an option sets parameters (%s.PARAMETER) and inputs (%[2]s.in.PORT); for another kind, write a second "+
			"stage, and choose one of the two in the stage that reads them: { READER.in.PORT: %[2]s }", path, stage)
	case !HasParameter(t, parameter):
		return refuse("stage %s has no parameter %q%s", stage, parameter, words.OrAll(parameter, lists.Map(param.Of(kind.New()),
			func(p param.Param) string { return p.Name })))
	case t.Get("matrix").Get(parameter) != nil && r.decisions.Get(parameter) == nil:
		return refuse("%s is also an axis of the matrix of stage %s: set it in one place only", path, stage)
	}
	return Setting{Stage: stage, Parameter: parameter, Pos: pos, Value: value}, true
}

// HasParameter reports whether the kind of a stage has a parameter.
func HasParameter(stage *tree.Node, name string) bool {
	kind, ok := dag.Lookup(Kind(stage))
	return ok && param.Has(kind.New(), name)
}

func keysIn(t *tree.Node) []tree.Key {
	if t == nil {
		return nil
	}
	return t.Keys
}

// ValueText is the canonical text of an axis value: numbers in their shortest
// form, the elements of a list joined by -.
func ValueText(t *tree.Node) (string, bool) {
	switch t.Kind {
	case tree.Scalar:
		x, isFloat := t.Value.(float64)
		return ScalarText(t.Value), !isFloat || !math.IsNaN(x) && !math.IsInf(x, 0)
	case tree.List:
		texts := make([]string, len(t.Items))
		for i, item := range t.Items {
			text, ok := ValueText(item)
			if !ok || item.Kind != tree.Scalar {
				return "", false
			}
			texts[i] = text
		}
		return strings.Join(texts, "-"), len(texts) > 0
	}
	return "", false
}

// ScalarText is the canonical text of a number, text or Boolean.
func ScalarText(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x+0, 'g', -1, 64) // −0 + 0 is 0
	}
	return fmt.Sprint(v)
}
