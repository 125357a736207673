package methods

import (
	"maps"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/wording"
)

// takers are the stages that train models on what comes of a stage, and whether these are all that train models.
// Where no connection is known, they are all.
func (a *Author) takers(of *finding.StageSettings) (takers []*finding.StageSettings, all bool) {
	known, others := false, false
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		known = known || len(s.Inputs) > 0
		switch {
		case !slices.Contains(finding.Learners, s.Kind):
		case a.comesOf(s, of, map[string]bool{}):
			takers = append(takers, s)
		default:
			others = true
		}
	}
	return takers, !known || !others
}

// comesOf reports whether the results of a stage come of those of another. A leakage check gives leave, and no data.
func (a *Author) comesOf(s, of *finding.StageSettings, seen map[string]bool) bool {
	if s == of {
		return true
	}
	if seen[s.Stage] || s.Kind == "leakage" {
		return false
	}
	seen[s.Stage] = true
	for port := range s.Inputs {
		for _, from := range a.Run.Sources(s, port) {
			if a.comesOf(from, of, seen) {
				return true
			}
		}
	}
	return false
}

// only are the models that alone use a step, by their names; Every where all do.
func (a *Author) only(of *finding.StageSettings) values {
	takers, all := a.takers(of)
	return values{"Every": all, "Models": a.named(takers...), "Stage": of.Stage}
}

// kinds are the stages of a kind, in the order of the file.
func (a *Author) kinds(kind string) (of []*finding.StageSettings) {
	for i := range a.Run.Stages {
		if s := &a.Run.Stages[i]; s.Kind == kind {
			of = append(of, s)
		}
	}
	return of
}

// held is what a step takes at one of some ports, for the entry data.values.
func (a *Author) held(s *finding.StageSettings, ports ...string) values {
	return finding.Values(a.Run.HoldsAny(s, ports...))
}

// sameFolds reports whether a stage has the folds of the division that the methods describe first.
func (a *Author) sameFolds(s *finding.StageSettings) bool {
	folds := a.Run.Sources(s, "folds")
	return folds == nil || slices.Contains(folds, a.division())
}

// division is the split whose folds the first evaluated models of the page have, or else the first of the file.
func (a *Author) division() *finding.StageSettings {
	for _, port := range []string{"evaluation", "regression"} {
		for _, model := range a.StagesBehind(port, "predictions") {
			for _, from := range a.Run.Sources(a.Run.Stage(model), "folds") {
				if from.Kind == "split" {
					return from
				}
			}
		}
	}
	return a.Run.Of("split")
}

// drawn reports whether a participant has draws: of voxels, of volumes, or sessions.
func (a *Author) drawn() bool {
	return slices.ContainsFunc(a.Run.Stages, func(s finding.StageSettings) bool {
		return s.Kind == "sessions" || s.Number("draws") > 0 && (s.Kind == "bootstrap" || s.Kind == "denoise")
	})
}

// unit is what a draw of a scan gives: a graph, or a matrix in a study whose models take no graphs.
func (a *Author) unit() string {
	if a.Run.Of("graph") == nil && (a.Run.Of("regression") != nil || a.Run.Of("baseline") != nil) {
		return "matrix"
	}
	return "graph"
}

// modelsOf are the models that a stage trains.
func modelsOf(s *finding.StageSettings) []string {
	switch s.Kind {
	case "train", "train-regression":
		return []string{column.PrGNN}
	case "baseline", "regression", "network":
		return s.Over("model")
	case "estimator": // predictions have the name of the stage
		return []string{s.Stage}
	}
	return []string{s.Kind}
}

// named are the names of the models of stages.
func (a *Author) named(stages ...*finding.StageSettings) (names []string) {
	for _, s := range stages {
		for _, model := range modelsOf(s) {
			names = append(names, a.nameOf(s, model))
		}
	}
	return names
}

// nameOf is the name of a model of a stage, with the stage where another one trains the same model on other data,
// with other options or for another label. Models of a permutation test, or of other folds, are the same.
func (a *Author) nameOf(s *finding.StageSettings, model string) string {
	name, own := section.OrItself(column.Classifiers, model), a.learns(s, model)
	of := " (" + wording.PlainName(s.Stage) + ")"
	if title, listed := a.inTables(s.Stage, model); listed { // by the name that the tables of results have
		if strings.HasSuffix(title, of) {
			name += of
		}
		return name
	}
	shared := slices.ContainsFunc(a.Run.Stages, func(other finding.StageSettings) bool {
		return other.Stage != s.Stage && slices.Contains(finding.Learners, other.Kind) &&
			slices.Contains(modelsOf(&other), model) && !a.learns(&other, model).equals(own)
	})
	if shared && s.Stage != s.Kind && s.Stage != model {
		name += of
	}
	return name
}

// inTables is the name of a result of a model of a stage in the tables, if they have one.
func (a *Author) inTables(stage, model string) (name string, listed bool) {
	for _, results := range []*finding.Results{a.Results.Results, a.Beyond} {
		if results == nil {
			continue
		}
		for i := range results.Accuracy { // many, in each of many universes
			if r := &results.Accuracy[i]; r.Classifier == model && finding.StageOf(r.Coords) == stage {
				return r.Title, true
			}
		}
	}
	return "", false
}

// A learning is what a model of a stage is trained on, with which of its options, and for which labels.
type learning struct {
	kind    string
	data    map[string][]column.Result
	options map[string][][]string
	labels  []string
}

func (l learning) equals(other learning) bool {
	return l.kind == other.kind && slices.Equal(l.labels, other.labels) &&
		maps.EqualFunc(l.data, other.data, slices.Equal) &&
		maps.EqualFunc(l.options, other.options, func(a, b [][]string) bool {
			return slices.EqualFunc(a, b,
				slices.Equal)
		})
}

func (a *Author) learns(s *finding.StageSettings, model string) learning {
	data := maps.Clone(s.Inputs)
	maps.DeleteFunc(data, func(port string, _ []column.Result) bool {
		return slices.Contains([]string{"folds", "permuted", "leakage"}, port)
	})
	options := maps.Clone(s.Values)
	maps.DeleteFunc(options, func(name string, _ [][]string) bool {
		return Unstated[name] == place || slices.Contains([]string{"model", "seed", "checkpoint", "orders"}, name) ||
			!s.Concerns(name, []string{model})
	})
	return learning{s.Kind, data, options, lists.Map(a.Run.Sources(s, "folds"), label)}
}
