package finding

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// A table of several stages calls a classifier as the accuracies of one stage do.
func TestNameOfAnotherStage(t *testing.T) {
	ridge := []dag.Coord{{Axis: "model", Value: "ridge"}}
	a := Results{Accuracy: []Row{{AccuracyRow: column.AccuracyRow{Coords: ridge}, Title: "ridge regression"}},
		Plan: &Settings{Stages: []StageSettings{{Stage: "baselines", Kind: "baseline"},
			{Stage: "evaluate", Kind: "evaluate",
				Inputs: map[string][]column.Result{"predictions": column.Results("baselines.predictions")}},
			{Stage: "report", Kind: "report",
				Inputs: map[string][]column.Result{"evaluation": column.Results("evaluate.summary")}}}}}
	need.Equal(t, a.NameOf("model=ridge stage=baselines", "own"), "ridge regression")
	need.Equal(t, a.NameOf("stage=baselines model=ridge", "own"), "ridge regression")
	need.Equal(t, a.NameOf("stage=deconfounded model=ridge", "own"), "own")
}

// Findings state the settings that a page has of what they are about, but for those about a classifier.
func TestFindingsWithinSettings(t *testing.T) {
	at := func(edges string) []dag.Coord {
		return []dag.Coord{{Axis: "edges", Value: edges}, {Axis: "stage", Value: edges}}
	}
	given := List{{Code: "a"}, {Code: "b", Subject: Subject{Only: Part{{"motion", []string{"6P"}}}}}, {Code: "c",
		Subject: Subject{Classifier: "PR-GNN"}}}
	only := func(some ...[]dag.Coord) string {
		return strings.Join(lists.Map(Within(some, [][]dag.Coord{at("dense"), at("sparse")}, given...),
			func(f Finding) string { return f.Code + ": " + f.Subject.Only.String() }), "; ")
	}
	need.Equal(t, only(at("dense")), "a: edges=dense; b: edges=dense and motion=6P; c: ")
	need.Equal(t, only(at("dense"), at("sparse")), "a: ; b: motion=6P; c: ")
	need.Equal(t, given[0].Subject.Only.String(), "")
}

// What a finding is about in part is stored with it.
func TestPartIsStored(t *testing.T) {
	f := Finding{Code: "a", Weight: Limits,
		Subject: Subject{Stage: "clean", Only: Part{{"motion", []string{"6P", "a or b"}}, {"pool", []string{"topk"}}}}}
	subject, _ := f.JSON()
	again := need.Value(Parse(f.Code, f.Weight.String(), subject, ""))(t)
	need.Equal(t, fmt.Sprintf("%q", again.Subject.Only), fmt.Sprintf("%q", f.Subject.Only))
}

// The scans of a page are those of one setting where others were evaluated, too.
func TestOneOf(t *testing.T) {
	of := func(motion ...string) (all [][]dag.Coord) {
		for i, m := range motion {
			all = append(all, []dag.Coord{{Axis: "motion", Value: m}, {Axis: "subject", Value: fmt.Sprint(i)}})
		}
		return all
	}
	for _, c := range []struct {
		scans, evaluated [][]dag.Coord
		want             string
	}{
		{of("24P", "24P"), of("24P", "6P"), "motion=24P"},
		{of("24P", "6P"), of("24P", "6P"), ""},
		{of("24P", "24P"), of("24P"), ""},
		{append([][]dag.Coord{{{Axis: "subject", Value: "0"}}}, of("24P")...), of("24P", "6P"), "motion=24P"},
		{nil, of("24P", "6P"), ""},
	} {
		need.Equal(t, OneOf(c.scans, c.evaluated).String(), c.want)
	}
}

// The parameter regions of a cohort is a file.
func TestLeavesOutRegions(t *testing.T) {
	stage := func(name, kind, regions string) StageSettings {
		return StageSettings{Stage: name, Kind: kind, Values: map[string][][]string{"regions": {{regions}}}}
	}
	of := func(model string) *Settings {
		return &Settings{Stages: []StageSettings{stage("cohort", "timeseries", ""),
			stage("models", "regression", model)}}
	}
	need.Equal(t, of("shared").LeavesOutRegions(), true)
	need.Equal(t, of("all").LeavesOutRegions(), false)
}

// What a universe takes and holds is what its option connects; without a universe it is what all of them have.
func TestInputsOfAUniverse(t *testing.T) {
	set := func(ref string) column.Option {
		return column.Option{Sets: []column.OptionSet{{Stage: "r", Parameter: "in.pearson", Value: []string{ref}}}}
	}
	reader := StageSettings{Stage: "r", Kind: "baseline", Values: map[string][][]string{},
		Inputs: map[string][]column.Result{"pearson": column.Results("c.pearson", "c.partial", "d.pearson")}}
	s := &Settings{Stages: []StageSettings{{Stage: "c", Kind: "connectivity"}, reader},
		Decisions: column.Decisions{Decisions: []column.Decision{{Name: "estimator",
			Options: []column.Option{set("c[*].pearson"), set("c[*].partial"), set("c[*]")}}}}}
	s.SetHolds(column.Results("c.pearson")[0], column.Data{Measure: column.Pearson})
	s.SetHolds(column.Results("c.partial")[0], column.Data{Measure: column.Partial})
	whole := s.Stages
	for _, of := range []struct {
		universe         []int32
		pearson, partial bool
		holds            string
	}{{nil, true, true, column.Mixed}, {[]int32{0}, true, false, column.Pearson},
		{[]int32{1}, false, true, column.Partial}, {[]int32{2}, true, true, column.Mixed}} {
		s.Stages = s.In(of.universe, whole)
		need.Equal(t, s.Takes(s.Stage("c"), "pearson"), of.pearson)
		need.Equal(t, s.Takes(s.Stage("c"), "partial"), of.partial)
		need.Equal(t, s.Takes(&StageSettings{Stage: "d"}, "pearson"), of.universe == nil)
		need.Equal(t, s.Holds(s.Stage("r"), "pearson").Measure, of.holds)
	}
}
