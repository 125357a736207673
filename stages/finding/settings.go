package finding

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding/locked"
)

// Settings are the parameters of the stages of a pipeline (pipeline.settings).
type Settings struct {
	Pipeline string
	Table    *encoding.Table // nil when they are not connected
	Stages   []StageSettings // in the order of the file
	Rows     []Parameter     // those of the table
	column.Decisions
	Locked *locked.Plan                  // nil without a plan
	holds  map[column.Result]column.Data // of connected outputs
}

// StageSettings are the parameters of one stage.
type StageSettings struct {
	Stage, Kind string
	Parameters  []string              // in their order
	Values      map[string][][]string // of each parameter: one, or those of an axis
	Defaults    map[string][]string
	Inputs      map[string][]column.Result // by port: the results of stages that are connected
	chosen      map[string][]column.Result // by port: those that the universe has, of a decision about the input
	of          map[string][]string        // the models that a parameter is of; none for all
	aside       map[string]bool            // inputs on which no prediction depends
	fits        string                     // the parameter with the one group that it is fitted to; "" for all
}

// Aside reports whether no prediction depends on an input.
func (s *StageSettings) Aside(port string) bool { return s.aside[port] }

// ReadSettings reads the port settings; there are no stages where it is not connected.
func ReadSettings(t *dag.Task) (*Settings, error) {
	s := &Settings{}
	if !t.Has("settings") {
		return s, nil
	}
	table, err := t.In("settings").Table()
	if err != nil {
		return nil, err
	}
	s.Table, s.Pipeline = table, table.Meta["pipeline"]
	rows, err := column.Read[Parameter](t.In("settings"))
	if err != nil {
		return nil, err
	}
	s.Rows = rows
	for _, r := range rows {
		if n := len(s.Stages); n == 0 || s.Stages[n-1].Stage != r.Stage {
			s.Stages = append(s.Stages, StageSettings{r.Stage, r.Kind, nil, map[string][][]string{},
				map[string][]string{}, map[string][]column.Result{}, nil, map[string][]string{}, map[string]bool{}, ""})
		}
		last := &s.Stages[len(s.Stages)-1]
		if last.Values[r.Parameter] == nil {
			last.Parameters = append(last.Parameters, r.Parameter)
		}
		last.Values[r.Parameter] = append(last.Values[r.Parameter], r.Value)
		last.Defaults[r.Parameter], last.of[r.Parameter] = r.Default, r.Of
	}
	if s.Decisions, err = column.MetaOf[column.Decisions](table.Meta, column.SettingDecisions); err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("settings").Name, err)
	}
	if t.Has("plan") {
		if s.Locked, err = readLocked(t.In("plan"), table); err != nil {
			return nil, err
		}
	}
	links, err := column.MetaOf[[]column.Link](table.Meta, column.SettingLinks)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("settings").Name, err)
	}
	for _, l := range links {
		s.SetHolds(l.From, column.ParseData(l.Data))
		of := s.Stage(l.Stage)
		if of == nil { // a stage without parameters is known by its connections alone
			s.Stages = append(s.Stages, StageSettings{Stage: l.Stage, Values: map[string][][]string{},
				Inputs: map[string][]column.Result{}, aside: map[string]bool{}})
			of = &s.Stages[len(s.Stages)-1]
		}
		of.Inputs[l.Port], of.aside[l.Port] = append(of.Inputs[l.Port], l.From), l.Aside
		if made := s.Stage(l.From.Stage); made != nil && l.Fits != "" {
			made.fits = l.Fits
		}
	}
	return s, nil
}

// Combinations is how many combinations of options not leaves, of which sample draws.
func (s *Settings) Combinations() int {
	n := s.Decisions.All
	for _, not := range s.Not {
		n -= not.Number
	}
	return n
}

// A Parameter is one value of one parameter of one stage.
type Parameter = column.SettingRow

// In are stages with the parameters that they have in a universe.
func (s *Settings) In(universe []int32, stages []StageSettings) []StageSettings {
	stages = slices.Clone(stages)
	for d, at := range universe {
		for _, set := range s.Decisions.Decisions[d].Options[at].Sets {
			i := slices.IndexFunc(stages, func(of StageSettings) bool { return of.Stage == set.Stage })
			if i >= 0 {
				stages[i].Set(set)
			}
		}
	}
	return stages
}

// Set gives a parameter or an input the value that an option has.
func (s *StageSettings) Set(o column.OptionSet) {
	s.Values, s.chosen = maps.Clone(s.Values), maps.Clone(s.chosen)
	s.Values[o.Parameter] = [][]string{o.Value}
	if port, is := strings.CutPrefix(o.Parameter, "in."); is {
		if s.chosen == nil {
			s.chosen = map[string][]column.Result{}
		}
		s.chosen[port] = column.Results(o.Value...)
	}
}

// LeavesOutRegions reports whether a region that some participants lack is excluded for all in every model, whatever
// the
// decisions choose (regions: shared). Features other than correlations are not reduced, and nobody knows what a program
// of the user's does.
func (s *Settings) LeavesOutRegions() bool {
	shared := false
	for _, of := range s.Behind() {
		for _, v := range of.Values["regions"] { // of a cohort, it is a file
			if slices.Contains(v, "all") {
				return false
			}
			shared = shared || slices.Equal(v, []string{"shared"})
		}
		features := of.Kind == "graph" && of.Value("features") != "pearson"
		if features || of.Kind == "exec" || of.Kind == "occupancy" {
			return false
		}
	}
	return shared && !slices.ContainsFunc(s.Decisions.Decisions, func(d column.Decision) bool {
		return slices.ContainsFunc(d.Options, func(o column.Option) bool {
			return slices.ContainsFunc(o.Sets, func(set column.OptionSet) bool {
				return set.Parameter == "regions" && !slices.Equal(set.Value, []string{"shared"}) ||
					set.Parameter == "features" && !slices.Equal(set.Value, []string{"pearson"})
			})
		})
	})
}

// noOptions are axes whose values are no options of an analysis: scans, folds, and the classifiers themselves.
var noOptions = []string{column.Subject, "session", "run", "fold", "repeat", "stage", "model"}

// OneOf are the axes on which results were evaluated with several values, while a page has something of one of them
// alone: "denoising=24P". some are the coordinates of what it has: scans, graphs, trained models or regions.
func OneOf(some, evaluated [][]dag.Coord) (p Part) {
	for _, axis := range axesOf(some) {
		own := valuesOn(some, axis)
		if len(own) == 1 && len(valuesOn(evaluated, axis)) > 1 && !slices.Contains(noOptions, axis) {
			p = append(p, Axis{axis, own})
		}
	}
	return p
}

// A Part is some of the settings of a run: those with one of the values on each axis.
type Part []Axis

// An Axis is an axis of settings with some of its values.
type Axis struct {
	Name   string   `json:"axis"`
	Values []string `json:"values"`
}

// Texts are "denoising=24P or 6P" and "pool=topk"; nil for none.
func (p Part) Texts() (texts []string) {
	for _, a := range p {
		texts = append(texts, a.Name+"="+strings.Join(a.Values, " or "))
	}
	return texts
}

// String is "denoising=24P or 6P and pool=topk".
func (p Part) String() string { return strings.Join(p.Texts(), " and ") }

// Has reports whether a setting may be in the part; an axis that it lacks excludes nothing.
func (p Part) Has(setting []dag.Coord) bool {
	return !slices.ContainsFunc(p, func(a Axis) bool {
		own := column.ValueOn(setting, a.Name)
		return own != "" && !slices.Contains(a.Values, own)
	})
}

// Only are the settings of some scans or matrices, of those of all; nil where they are of all settings.
func Only(all, some [][]dag.Coord) (p Part) {
	for _, axis := range axesOf(all) {
		if in := valuesOn(some, axis); len(in) < len(valuesOn(all, axis)) && !slices.Contains(noOptions, axis) {
			p = append(p, Axis{axis, in})
		}
	}
	return p
}

// Within are findings of what a page has of some settings alone, which they state; those about a classifier state its
// setting.
func Within(some, evaluated [][]dag.Coord, all ...Finding) []Finding {
	all = slices.Clone(all)
	for i, f := range all {
		of := OneOf(some, evaluated)
		if f.Subject.Classifier != "" || f.Subject.Setting != nil || of == nil {
			continue
		}
		all[i].Subject.Only = append(of, f.Subject.Only...)
	}
	return all
}

// axesOf are the axes of some coordinates, each once.
func axesOf(of [][]dag.Coord) (axes []string) {
	for _, coords := range of {
		for _, c := range coords {
			if !slices.Contains(axes, c.Axis) {
				axes = append(axes, c.Axis)
			}
		}
	}
	return axes
}

// valuesOn are the values of some coordinates on an axis, each once.
func valuesOn(of [][]dag.Coord, axis string) (values []string) {
	for _, coords := range of {
		for _, c := range coords {
			if c.Axis == axis && !slices.Contains(values, c.Value) {
				values = append(values, c.Value)
			}
		}
	}
	return values
}

// Stage is the stage of a name; nil when there is none.
func (s *Settings) Stage(name string) *StageSettings {
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.Stages, func(of StageSettings) bool { return of.Stage == name })
	if i < 0 {
		return nil
	}
	return &s.Stages[i]
}

// Concerns reports whether a parameter is of one of some models. One without a name here is a program of the user's.
func (s *StageSettings) Concerns(parameter string, models []string) bool {
	of := s.of[parameter]
	return len(of) == 0 || slices.ContainsFunc(models, func(m string) bool {
		return slices.Contains(of, m) || column.Classifiers[m] == ""
	})
}

// Of is the first stage of a kind; nil when there is none.
func (s *Settings) Of(kind string) *StageSettings {
	for i := range s.Stages {
		if s.Stages[i].Kind == kind {
			return &s.Stages[i]
		}
	}
	return nil
}

// Sources are the stages whose results a port takes.
func (s *Settings) Sources(of *StageSettings, port string) (from []*StageSettings) {
	for _, result := range of.Inputs[port] {
		for i := range s.Stages {
			if s.Stages[i].Stage == result.Stage && !slices.Contains(from, &s.Stages[i]) {
				from = append(from, &s.Stages[i])
			}
		}
	}
	return from
}

// Holds is what an input of a stage holds, by the outputs that are connected; the zero value where that is unknown, or
// nothing is connected. Of a decision about the input, it is what the universe has whose parameters the stage has.
func (s *Settings) Holds(of *StageSettings, port string) column.Data {
	var all []column.Data
	for _, from := range of.Inputs[port] {
		if of.has(port, from) {
			all = append(all, s.holds[from])
		}
	}
	return column.Join(all...)
}

// Chosen are the results that a decision connects to an input in the universe whose parameters the stage has.
func (s *StageSettings) Chosen(port string) []column.Result { return s.chosen[port] }

// has reports whether an input has a result that is connected to it; of a decision about the input, in the universe
// whose parameters the stage has.
func (s *StageSettings) has(port string, result column.Result) bool {
	chosen := func(result column.Result) bool {
		whole := column.Result{Stage: result.Stage}
		return slices.Contains(s.chosen[port], result) || slices.Contains(s.chosen[port], whole)
	}
	return chosen(result) || !slices.ContainsFunc(s.Inputs[port], chosen)
}

// SetHolds states what a connected output holds.
func (s *Settings) SetHolds(output column.Result, d column.Data) {
	if s.holds == nil {
		s.holds = map[column.Result]column.Data{}
	}
	s.holds[output] = d
}

// HoldsAny is what the first connected one of some inputs holds.
func (s *Settings) HoldsAny(of *StageSettings, ports ...string) column.Data {
	for _, port := range ports {
		if len(of.Inputs[port]) > 0 {
			return s.Holds(of, port)
		}
	}
	return column.Data{}
}

// A GroupFit is a stage that was fitted to the participants of one group, which label permutations do not repeat.
type GroupFit struct {
	Stage, Parameter, Group string
	Covariates              []string // that it removes from the data
}

// groupFit is such a fit in what the models of a setting were trained on; nil for none.
func (s *Settings) groupFit(of *StageSettings, setting []dag.Coord) *GroupFit {
	if of == nil {
		return nil
	}
	seen := map[*StageSettings]bool{}
	var find func(of *StageSettings) *GroupFit
	find = func(of *StageSettings) *GroupFit {
		if seen[of] || of.Kind == "leakage" {
			return nil
		}
		seen[of] = true
		if of.fits != "" {
			for _, group := range valuesIn(of, of.fits, setting) {
				if group != "" {
					return &GroupFit{of.Stage, of.fits, group, of.List("covariates")}
				}
			}
		}
		for _, port := range slices.Sorted(maps.Keys(of.Inputs)) {
			for _, from := range s.Sources(of, port) {
				if of.aside[port] {
					continue
				}
				if fit := find(from); fit != nil {
					return fit
				}
			}
		}
		return nil
	}
	return find(of)
}

// harmonizes reports whether ComBat adjusted what a model was trained on for a column.
func (s *Settings) harmonizes(of *StageSettings, column string) bool {
	if of == nil || of.Kind == "combat" && of.Value("site") == column {
		return of != nil
	}
	for port := range of.Inputs {
		if of.Kind != "leakage" && !of.aside[port] && slices.ContainsFunc(s.Sources(of, port),
			func(from *StageSettings) bool { return s.harmonizes(from, column) }) {
			return true
		}
	}
	return false
}

// EvaluatedFit is groupFit for a setting of an evaluation behind whose predictions there is such a fit. A setting has
// its stage where predictions of several stages were gathered.
func (s *Settings) EvaluatedFit(setting []dag.Coord) *GroupFit {
	if name := StageOf(setting); name != "" {
		return s.groupFit(s.Stage(name), setting)
	}
	for i := range s.Stages {
		of := &s.Stages[i]
		from := s.Sources(of, "predictions")
		if !strings.HasPrefix(of.Kind, "evaluate") || len(from) != 1 {
			continue
		}
		if fit := s.groupFit(from[0], setting); fit != nil {
			return fit
		}
	}
	return nil
}

// Connected reports whether connections of stages are known.
func (s *Settings) Connected() bool {
	return slices.ContainsFunc(s.Stages, func(of StageSettings) bool { return len(of.Inputs) > 0 })
}

// Takes reports whether a stage takes an output of another, or connections are not known.
func (s *Settings) Takes(of *StageSettings, output string) bool {
	known, result := false, column.Result{Stage: of.Stage, Output: output}
	for i := range s.Stages {
		for port, from := range s.Stages[i].Inputs {
			known = true
			if slices.Contains(from, result) && s.Stages[i].has(port, result) {
				return true
			}
		}
	}
	return !known
}

// Learners are the kinds that train models.
var Learners = []string{"train", "train-regression", "baseline", "regression", "network", "estimator"}

// Uncovered are the stages whose models made predictions that another stage takes, and whose folds no leakage check
// compared with these: trainings in inner folds, say.
func (s *Settings) Uncovered() (stages []string) {
	for _, of := range s.Stages {
		used, covered := false, false
		for _, by := range s.Stages {
			for _, from := range by.Inputs {
				takes := slices.Contains(from, column.Result{Stage: of.Stage, Output: "predictions"})
				used, covered = used || takes && by.Kind != "leakage", covered || takes && by.Kind == "leakage"
			}
		}
		if slices.Contains(Learners, of.Kind) && used && !covered {
			stages = append(stages, of.Stage)
		}
	}
	return stages
}

// KindOf is the kind of the stage whose result a port takes; "" where it takes none.
func (s *Settings) KindOf(of *StageSettings, port string) string {
	if from := s.Sources(of, port); from != nil {
		return from[0].Kind
	}
	return ""
}

// Shown is the stage of a kind whose result a report shows at a port; the first of the kind where no connection is
// known; nil when there is none.
func (s *Settings) Shown(kind, port string) *StageSettings {
	for i := range s.Stages {
		for _, from := range s.Sources(&s.Stages[i], port) {
			if s.Stages[i].Kind == "report" && from.Kind == kind {
				return from
			}
		}
	}
	return s.Of(kind)
}

// Behind are the stages, in their order, whose results a report of the run shows or whose results those came of,
// with the reports and the cohort; all where no connection of a report is known. A leakage check gives leave, and no
// data; warnings are collected from all stages.
func (s *Settings) Behind() []StageSettings {
	behind, known := map[string]bool{"cohort": true}, false
	var add func(of *StageSettings)
	add = func(of *StageSettings) {
		if behind[of.Stage] {
			return
		}
		behind[of.Stage] = true
		for port := range of.Inputs {
			if of.Kind == "leakage" || of.Kind == "report" && port == "warnings" {
				continue
			}
			for _, from := range s.Sources(of, port) {
				add(from)
			}
		}
	}
	for i := range s.Stages {
		if of := &s.Stages[i]; of.Kind == "report" && len(of.Inputs) > 0 {
			known = true
			add(of)
		}
	}
	if !known {
		return s.Stages
	}
	return slices.DeleteFunc(slices.Clone(s.Stages), func(of StageSettings) bool { return !behind[of.Stage] })
}

// Uses reports whether some value of a parameter is neither none nor empty.
func (s *StageSettings) Uses(parameter string) bool {
	return slices.ContainsFunc(s.Over(parameter), func(v string) bool { return v != "" && v != "none" })
}

// Value is the value of a parameter that is no list; "" for several, those of an axis.
func (s *StageSettings) Value(parameter string) string {
	if v := s.Values[parameter]; len(v) == 1 && len(v[0]) == 1 {
		return v[0][0]
	}
	return ""
}

// Number is a parameter as a number, 0 when it is none (an axis has several).
func (s *StageSettings) Number(parameter string) float64 {
	x, err := strconv.ParseFloat(s.Value(parameter), 64)
	if err != nil {
		return 0
	}
	return x
}

// Over are the values of a parameter, one or those of an axis, for people.
func (s *StageSettings) Over(parameter string) []string { return joined(s.Values[parameter], ", ") }

// joined are values of parameters as texts.
func joined(values [][]string, separator string) []string {
	return lists.Map(values, func(v []string) string { return strings.Join(v, separator) })
}

// List are the elements of a parameter that is a list; none where it is an axis.
func (s *StageSettings) List(parameter string) []string {
	if v := s.Values[parameter]; len(v) == 1 {
		return v[0]
	}
	return nil
}

// Numbers are the values of a parameter that are numbers: one, or those of an axis.
func (s *StageSettings) Numbers(parameter string) (all []float64) {
	for _, v := range s.Over(parameter) {
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			all = append(all, x)
		}
	}
	return all
}
