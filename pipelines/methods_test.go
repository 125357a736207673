package pipelines

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/need"
	"prgnn/pipelines/wiring"
	_ "prgnn/stages"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
	"prgnn/stages/present/methods"
	"prgnn/stages/stagetest"
)

// builtinMethods is the methods text of a built-in pipeline whose report has accuracies and, but for
// target.yaml, salient regions.
func builtinMethods(t *testing.T, name string, sets []string) string {
	t.Helper()
	p := need.Value(Load(name, sets))(t)
	evaluation, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	in := map[string][]dag.Input{"settings": {dag.InputOf(outputOf(t, p.Graph, "pipeline", "settings"))}}
	if name != "target.yaml" {
		in["evaluation"], in["scores"] = []dag.Input{dag.InputOf(evaluation)}, []dag.Input{dag.InputOf(scores)}
		in["ranking"] = []dag.Input{dag.InputOf(&encoding.Table{})}
	}
	return need.Value(methods.Cite(dag.NewTask(in)))(t).Markdown()
}

// The methods of the built-in pipelines: every sentence is about the stages that it says.
func TestMethodsOfBuiltins(t *testing.T) {
	sets := builtinSets(t)
	t.Chdir(t.TempDir())
	for name, want := range map[string][]string{
		"abide-bnt.yaml": {
			"Regions were ranked by the score in pooling layer 1 of PR-GNN, averaged over the test graphs of each participant and then over participants [@li2020].",
			"For logistic regression (after combat), ridge regression (after combat) and kernel ridge regression (after combat), the correlations were adjusted for effects of site by ComBat [@johnson] with empirical Bayes, fitted in each fold to the training participants; the effects of age and sex were preserved.",
			"For logistic regression (tangent space), linear SVM (tangent space), ridge regression (tangent space) and kernel ridge regression (tangent space), correlation was computed from the Ledoit–Wolf shrinkage covariance [@ledoit] of the standardized series.",
			"For logistic regression (tangent space), linear SVM (tangent space), ridge regression (tangent space) and kernel ridge regression (tangent space), correlation matrices were mapped to the tangent space",
			"For BrainGNN and PR-GNN, edges were the largest positive partial correlations, 10% of all pairs of regions.",
			"For BrainGNN (braingnn released), all pairs of regions were edges, with their partial correlations.",
			"Brain Network Transformer had 4 attention heads and fully connected layers of width 1024. Training used Adam for 200 epochs, with batches of 16 matrices, a learning rate that fell from 0.0001 to 1e-05 along a cosine",
			"BrainGNN, as in the paper, in our reading, had convolutions of widths 32, 32, each followed by a pooling layer that kept 50% of the regions, and an MLP with a second layer of width 512. Training used Adam for 100 epochs, with batches of 100 graphs, a learning rate of 0.001, halved every 20 epochs",
			"BrainGNN (braingnn released), as in the released program, had convolutions of widths 32, 32",
			"Training used Adam for 100 epochs, with batches of 100 graphs, a learning rate of 0.01, halved every 20 epochs, weight decay of 0.005",
			"meanMLP had a hidden width of",
		},
		"sites.yaml": {
			"For PR-GNN, linear SVM (harmonized) and ridge regression (harmonized), the correlations were adjusted for effects of site by ComBat",
			"For PR-GNN, the partial correlations were adjusted for effects of site by ComBat",
		},
		"paper.yaml": {
			"BrainNetCNN had layers of", "a learning rate of 0.001 and dropout of 0.5.",
			"The model of Li et al. 2019 had blocks of widths",
			"Edges were the largest positive partial correlations",
			"Regions were ranked by the score in pooling layer 1 of PR-GNN,",
			"In a further ranking (individuals), regions were ranked by the score in pooling layer 2 of PR-GNN (variations),",
		},
		"biopoint.yaml": {"Regions were ranked by the score in pooling layer 1 of PR-GNN,"},
		"target.yaml":   {"PR-GNN"},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.ReplaceAll(builtinMethods(t, name, sets[name]), `\`, "")
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("%s\nlacks: %s", got, w)
				}
			}
		})
	}
}

// every is each parameter of each kind of stage and of cohort, with its default as the value; a stage has the name of
// its kind, and all models.
func every() (rows []column.SettingRow, of []param.Param) {
	add := func(stage, kind string, parameters []param.Param) {
		for _, p := range parameters {
			values := [][]string{wiring.Texts(p.Default)}
			for _, choice := range p.Choices {
				if p.Name == "model" && choice != p.Default {
					values = append(values, []string{choice})
				}
			}
			for _, v := range values {
				of = append(of, p)
				rows = append(rows, column.SettingRow{Stage: stage, Kind: kind, Parameter: p.Name, Value: v,
					Default: wiring.Texts(p.Default), Doc: p.Doc})
			}
		}
	}
	for _, k := range dag.Kinds() {
		if !strings.HasPrefix(k.Name, "t-") { // those of tests
			add(k.Name, k.Name, param.Of(k.New()))
		}
	}
	return rows, of
}

// methodsOf are the methods of some settings, of a report with all inputs.
func methodsOf(t *testing.T, rows []column.SettingRow) string {
	t.Helper()
	evaluation, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	in := map[string][]dag.Input{"settings": {dag.InputOf(column.Table(rows))}, "evaluation": {dag.InputOf(evaluation)},
		"scores": {dag.InputOf(scores)}, "ranking": {dag.InputOf(&encoding.Table{})},
		"comparison": {dag.InputOf(column.Table([]column.PairRow{}))}}
	for _, port := range []string{"fidelity", "covariates", "regression"} {
		in[port] = []dag.Input{dag.InputOf(&encoding.Table{})}
	}
	return need.Value(methods.Cite(dag.NewTask(in)))(t).Markdown()
}

// The methods can be written for every choice of every parameter: the catalog has an entry, and the entry its values.
func TestMethodsOfEveryChoice(t *testing.T) {
	rows, of := every()
	methodsOf(t, rows)
	for i, p := range of {
		choices := p.Choices
		if p.Type == "true or false" {
			choices = []string{"true", "false"}
		}
		was := rows[i].Value
		for _, choice := range choices {
			rows[i].Value = []string{choice}
			methodsOf(t, rows)
		}
		rows[i].Value = was
	}
}

// Every parameter of every kind of stage and of cohort that differs from its default changes the methods, unless it
// is Unstated for a reason.
func TestMethodsStateEveryParameter(t *testing.T) {
	rows, of := every()
	unknown := maps.Clone(methods.Unstated)
	check := func(rows []column.SettingRow, i int, p param.Param, as string) {
		r := &rows[i]
		stage := r.Kind
		if r.Stage == "cohort" {
			stage = r.Stage
		}
		reasons := 0
		for _, name := range []string{stage, r.Parameter, stage + "." + r.Parameter} {
			if delete(unknown, name); methods.Unstated[name] != "" {
				reasons++
			}
		}
		was, value := r.Value, "7"
		for _, choice := range p.Choices {
			if was == nil || choice != was[0] {
				value = choice
			}
		}
		if p.Type == "true or false" {
			value = fmt.Sprint(was[0] != "true")
		}
		back := slices.Clone(rows)
		for _, term := range methods.Conditions[r.Kind][r.Parameter] { // it needs them to have an effect
			at := slices.IndexFunc(rows, func(o column.SettingRow) bool {
				return o.Stage == r.Stage && o.Kind == r.Kind && o.Parameter == term[0].Parameter
			})
			set := term[0].Value
			if term[0].Other {
				set = append(slices.DeleteFunc(slices.Clone(of[at].Choices),
					func(choice string) bool { return choice == set }), "7")[0]
			}
			rows[at].Value = []string{set}
			as = methodsOf(t, rows)
		}
		r.Value = []string{value}
		stated := methodsOf(t, rows) != as
		copy(rows, back)
		if r.Value = was; !stated && reasons == 0 && !strings.HasPrefix(r.Kind, "figure-") {
			t.Errorf("%s.%s: %s, and not %v, changes no sentence of the methods", r.Kind, p.Name, value, was)
		}
	}
	as := methodsOf(t, rows)
	for i, p := range of {
		check(rows, i, p, as)
	}
	for _, k := range cohort.Kinds() {
		cohorts := rows
		var parameters []param.Param
		for _, p := range param.Of(k.New()) {
			if p.Place == param.PlaceNever {
				parameters = append(parameters, p)
				cohorts = append(cohorts[:len(cohorts):len(cohorts)], column.SettingRow{Stage: "cohort", Kind: k.Name,
					Parameter: p.Name, Value: wiring.Texts(p.Default), Default: wiring.Texts(p.Default), Doc: p.Doc})
			}
		}
		as := methodsOf(t, cohorts)
		for i, p := range parameters {
			check(cohorts, len(rows)+i, p, as)
		}
	}
	for name := range unknown {
		t.Errorf("Unstated has %s, which no kind has", name)
	}
}
