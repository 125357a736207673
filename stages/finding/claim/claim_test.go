package claim

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

type values = map[string]any

func coords(text string) []dag.Coord { return column.ReadCoords(strings.Fields(text)) }

func codes(l finding.List) string {
	return strings.Join(lists.Map(l, func(f finding.Finding) string { return f.Code }), " ")
}

// A finding concerns the claims about its own models, its own stage, or everybody.
func TestConcerns(t *testing.T) {
	numbered := func(code string, numbers values) finding.Finding {
		return finding.Finding{Code: code, Numbers: numbers}
	}
	of := func(code, classifier, setting string) finding.Finding {
		return finding.Finding{Code: code, Subject: finding.Subject{Classifier: classifier, Setting: coords(setting)}}
	}
	svm := finding.Subject{Classifier: "SVM", Setting: coords("stage=svm denoising=24P")}
	model := Claim{Models: []Model{{Subject: svm, Removed: []string{"age"},
		behind: func(stage string) bool { return stage == "svm" }}}}
	edges := func(r column.EdgeSummaryRow) Claim { return Claim{Edges: &r} }
	groups := edges(column.EdgeSummaryRow{Test: "group", Covariates: []string{"sex"}, Within: "site"})
	change := edges(column.EdgeSummaryRow{Test: "session", Sessions: []string{"1", "2"}})
	only := func(axis string, values ...string) finding.Finding {
		part := finding.Part{{Name: axis, Values: values}}
		return finding.Finding{Code: "quality.no-edges", Subject: finding.Subject{Only: part}}
	}
	for _, c := range []struct {
		f    finding.Finding
		want string // the claims of the model, a test of groups, and one of a change
	}{
		{of("accuracy.near-perfect", "PR-GNN", "stage=train"), "false false false"},
		{of("accuracy.near-perfect", "SVM", "stage=svm denoising=24P"), "true false false"},
		{of("sensitivity.nobody", "SVM", "stage=svm denoising=24P"), "false false false"}, // no reason for an AUC above chance
		{of("accuracy.near-perfect", "SVM, each site left out", "stage=svm denoising=24P"), "false false false"},
		{of("accuracy.not-above-chance", "SVM", "stage=svm denoising=24P"), "false false false"}, // its own answer
		{finding.Finding{Code: "edges.smaller-varies"}, "false true true"},
		{finding.Finding{Code: "edges.smaller-varies", Weight: finding.Limits}, "false false false"},
		{finding.Finding{Code: "reliability.one-scan"}, "false false true"},
		{finding.Finding{Code: "validation.held-out"}, "false false false"},
		{numbered("covariate.predicts-group", values{"Name": "mean_fd"}), "true true false"},
		{numbered("covariate.predicts-group", values{"Name": "age"}), "false true false"}, // removed
		{numbered("covariate.predicts-group", values{"Name": "sex"}), "true false false"}, // adjusted for
		{numbered("covariate.predicts-group", values{"Name": "site"}), "true false false"},
		{numbered("noted.text", values{"Doubt": column.DoubtMatched}), "true false false"},
		{numbered("noted.text", values{"Doubt": column.DoubtEntity}), "true true true"},
		{numbered("fit.one-group", values{"Models": []string{"SVM"}}), "true false false"},
		{numbered("fit.one-group", values{"Models": []string{"ridge"}}), "false false false"},
		{finding.Finding{Code: "leakage.unchecked-program", Subject: finding.Subject{Stage: "svm"}}, "true false false"},
		{finding.Finding{Code: "leakage.unchecked-program", Subject: finding.Subject{Stage: "other"}}, "false false false"},
		{finding.Finding{Code: "training.leakage"}, "false false false"},
		{only("denoising", "24P", "6P"), "true true true"},
		{only("denoising", "6P"), "false true true"},
		{only("pool", "topk"), "true true true"},
	} {
		got := fmt.Sprint(Concerns(c.f, model), Concerns(c.f, groups), Concerns(c.f, change))
		need.Equal(t, got, c.want, c.f)
	}
	// Of a joint test, the universes that findings question are counted; all where these concern the test itself.
	ridge := finding.Subject{Classifier: "ridge", Setting: coords("stage=ridge")}
	all := func(string) bool { return true }
	joint := Claim{Joint: true, Models: []Model{{Subject: svm, behind: all}, {Subject: ridge, behind: all},
		{behind: all}}}
	for _, c := range []struct {
		findings  finding.List
		concerned int
	}{
		{nil, 0},
		{finding.List{of("accuracy.near-perfect", "SVM", "stage=svm denoising=24P")}, 1},
		{finding.List{of("accuracy.near-perfect", "SVM", "stage=svm denoising=24P"),
			of("accuracy.near-perfect", "ridge", "stage=ridge")}, 2},
		{finding.List{numbered("covariate.predicts-group", values{"Name": "mean_fd"})}, 2},
	} {
		concerned, universes := joint.Concerned(c.findings)
		need.Equal(t, [2]int{concerned, universes}, [2]int{c.concerned, 2})
	}
	leaks := Claim{Models: []Model{{leaks: true}}}
	need.Equal(t, Concerns(finding.Finding{Code: "training.leakage"}, leaks), true)
}

// The cautions that concern the first claim stand first, and of these the ones that concern further claims; a claim has
// their places among what the page shows.
func TestPlaces(t *testing.T) {
	svm := Claim{Models: []Model{{Subject: finding.Subject{Classifier: "SVM"}}}}
	edges := Claim{Edges: &column.EdgeSummaryRow{Test: "group", Covariates: []string{"age"}}}
	about := func(code, classifier string) finding.Finding {
		return finding.Finding{Code: code, Subject: finding.Subject{Classifier: classifier}}
	}
	age := finding.Finding{Code: "covariate.predicts-group", Numbers: values{"Name": "age"}}
	volumes := finding.Finding{Code: "covariate.predicts-group", Numbers: values{"Name": "volumes"}}
	var all finding.List
	all.Add(about("accuracy.near-perfect", "PR-GNN"), finding.Finding{Code: "edges.smaller-varies"}, age, volumes,
		about("accuracy.near-perfect", "ridge"), about("accuracy.near-perfect", "SVM"))
	for _, c := range []struct {
		claims []Claim
		want   string
	}{
		{[]Claim{svm, edges}, "[1 2 3] [1 4] covariate.predicts-group covariate.predicts-group accuracy.near-perfect " +
			"edges.smaller-varies accuracy.near-perfect accuracy.near-perfect"},
		{[]Claim{edges, svm}, "[1 3 4] [1 2] covariate.predicts-group edges.smaller-varies covariate.predicts-group " +
			"accuracy.near-perfect accuracy.near-perfect accuracy.near-perfect"},
	} {
		l := Before(all, c.claims...)
		need.Equal(t, fmt.Sprint(Places(l, svm), Places(l, edges), " ", codes(l)), c.want)
	}
	none := Claim{Models: []Model{{Subject: finding.Subject{Classifier: "logistic"},
		Removed: []string{"age", "volumes"}}}}
	need.Equal(t, len(Places(all, none)), 0)
}

// What questions models of no claim stands behind the cautions on the models of the first claim, and before the others.
func TestOtherSettingsBehindOwn(t *testing.T) {
	of := func(code string, w finding.Weight, classifier, setting string, removed ...string) finding.Finding {
		return finding.Finding{Code: code, Weight: w, Subject: finding.Subject{Classifier: classifier,
			Setting: coords(setting)}, Numbers: values{"Removed": removed}}
	}
	clean := finding.Subject{Classifier: "ridge (deconfounded)", Setting: coords("stage=clean")}
	others := of("accuracy.near-perfect", finding.Overturns, "ridge", "stage=plain")
	study := finding.Finding{Code: "quality.x", Weight: finding.Limits}
	for _, c := range []struct {
		list finding.List
		want string
	}{
		{finding.List{others, of("covariate.predicts-group", finding.Limits, "", "", "ridge (deconfounded)"),
			of("accuracy.other-is-better", finding.Limits, "ridge (deconfounded)", "stage=clean"), study,
			of("n", finding.Notes, "ridge (deconfounded)", "stage=clean")},
			"covariate.predicts-group accuracy.other-is-better accuracy.near-perfect quality.x n"},
		{finding.List{of("accuracy.not-above-chance", finding.Overturns, "svm", "stage=svm"),
			of("accuracy.auc-disagrees", finding.Limits, "ridge (deconfounded)", "stage=clean"), study},
			"accuracy.auc-disagrees accuracy.not-above-chance quality.x"},
		{finding.List{others, study, of("n", finding.Notes, "ridge (deconfounded)", "stage=clean")},
			"accuracy.near-perfect quality.x n"},
		{finding.List{of("accuracy.near-perfect", finding.Overturns, "ridge (deconfounded)", "stage=clean"), others},
			"accuracy.near-perfect accuracy.near-perfect"},
	} {
		l := Before(c.list, Claim{Models: []Model{{Subject: clean}}})
		need.Equal(t, codes(l), c.want)
		need.Equal(t, codes(Before(l)), c.want) // a page without claims
	}
}

// A covariate that was removed from the data of all claimed models limits a result, and a claim that it concerns keeps
// its weight.
func TestAdjusted(t *testing.T) {
	with := Model{Subject: finding.Subject{Classifier: "ridge"}, Removed: []string{"age"}}
	within := Model{Subject: finding.Subject{Classifier: "SVM"}, Within: "age"} // the test permutes labels within it
	without := Model{Subject: finding.Subject{Classifier: "SVM"}}
	all := finding.List{{Code: "covariate.predicts-group", Numbers: values{"Name": "age", "Removed": []string(nil)}},
		{Code: "leakage.region-order"}}
	for _, c := range []struct {
		claims []Claim
		want   string
	}{
		{nil, "overturns [ridge]"},
		{[]Claim{{Models: []Model{with}}}, "limits [ridge]"},
		{[]Claim{{Models: []Model{with, without}}}, "overturns [ridge]"},
		{[]Claim{{Models: []Model{with}}, {Edges: &column.EdgeSummaryRow{Test: "group"}}}, "overturns [ridge]"},
		{[]Claim{{Models: []Model{within}}}, "limits [ridge]"},
		{[]Claim{{Models: []Model{within}}, {Edges: &column.EdgeSummaryRow{Test: "group"}}}, "overturns [ridge]"},
		{[]Claim{{Models: []Model{within, without}}}, "overturns [ridge]"},
	} {
		for _, f := range Adjusted(all, []Model{with, without}, c.claims...) {
			if f.Code == "covariate.predicts-group" {
				need.Equal(t, fmt.Sprint(f.Weight, f.Values()["Removed"]), c.want)
			}
		}
	}
	need.Equal(t, fmt.Sprint(Adjusted(all, []Model{without})[0].Values()["Removed"]), "[]")
}

// A covariate beyond which the edges hold information concerns tests of edges that do not adjust for it, and no models.
func TestBeyond(t *testing.T) {
	all := finding.List{{Code: "covariate.predicts-group", Numbers: values{"Name": "age", "Beyond": true}}}
	models := Claim{Models: []Model{{Subject: finding.Subject{Classifier: "ridge"}}}}
	edges := func(adjusted ...string) Claim {
		return Claim{Edges: &column.EdgeSummaryRow{Test: "group", Covariates: adjusted}}
	}
	for _, c := range []struct {
		claims []Claim
		want   finding.Weight
	}{{nil, finding.Limits}, {[]Claim{models}, finding.Limits}, {[]Claim{models, edges("age")}, finding.Limits},
		{[]Claim{models, edges()}, finding.Overturns}} {
		got := Adjusted(all, nil, c.claims...)
		need.Equal(t, got[0].Weight, c.want)
		need.Equal(t, len(Places(got, models)), 0)
	}
}

// Covariates are removed from a model's data by the stages behind what it takes: from all of an input, not from some.
func TestRemovedCovariates(t *testing.T) {
	stage := func(name, kind string, inputs map[string][]column.Result, covariates ...string) finding.StageSettings {
		return finding.StageSettings{Stage: name, Kind: kind, Inputs: inputs,
			Values: map[string][][]string{"covariates": {covariates}}}
	}
	s := &finding.Settings{Stages: []finding.StageSettings{stage("fit", "deconfound", nil, "age", "sex"),
		stage("residuals", "residualize", map[string][]column.Result{"fitted": column.Results("fit.fitted"),
			"matrices": column.Results("pearson.matrices")}),
		stage("pearson", "connectivity", nil),
		stage("clean", "baseline", map[string][]column.Result{"pearson": column.Results("residuals.matrices")}),
		stage("raw", "baseline", map[string][]column.Result{"pearson": column.Results("pearson.matrices")}),
		stage("mixed", "baseline", map[string][]column.Result{"pearson": column.Results("residuals.matrices",
			"pearson.matrices")})}}
	for name, want := range map[string]string{"clean": "[age sex]", "raw": "[]", "mixed": "[]"} {
		need.Equal(t, fmt.Sprint(removed(s, s.Stage(name))), want, name)
	}
	need.Equal(t, fmt.Sprint(before(s, s.Stage("raw"))), "map[pearson:true raw:true]")
	a := &finding.Results{Plan: s}
	c := Of(a, finding.Row{Title: "ridge", AccuracyRow: column.AccuracyRow{Coords: coords("stage=clean")}})
	need.Equal(t, fmt.Sprint(c.Models[0].Removed), "[age sex]")
}

// What was excluded for all because one group lacks it stands before cautions on p, and behind what questions the
// answer.
func TestOrderOfFindings(t *testing.T) {
	var l finding.List
	l.Add(finding.Finding{Code: "accuracy.not-above-chance", Weight: finding.Overturns},
		finding.Finding{Code: "covariate.missing-regions-differ", Weight: finding.Limits}, finding.Finding{Code: "covariate.x", Weight: finding.Limits},
		finding.Finding{Code: "covariate.predicts-group", Weight: finding.Overturns})
	need.Equal(t, codes(l), "covariate.predicts-group covariate.missing-regions-differ accuracy.not-above-chance covariate.x")
}
