package methods

import (
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// The methods of models of correlations have their settings, and no graphs or partial correlations: those are told of
// where a stage makes graphs.
func TestMethodsOfModels(t *testing.T) {
	write := func(graphs bool) string {
		w := section.NewWriter(dag.NewTask(nil))
		*w.Run = finding.Settings{Stages: []finding.StageSettings{
			{Kind: "bootstrap", Value: map[string]string{"draws": "10", "fraction": "0.5"}},
			{Kind: "connectivity", Value: map[string]string{"pearson": "empirical", "partial": "ridge", "rho": "0.1"}},
			{Kind: "split", Value: map[string]string{"folds": "5", "seed": "1", "stratify": "true",
				"stratify_by": "[site, sex, hand]"}},
			{Kind: "regression", Value: map[string]string{"model": "ridge; kernel-ridge; svr", "penalty": "1", "penalties": "[0 0.1 1]",
				"inner": "4", "c": "2", "epsilon": "0.1", "transform": "own"}},
		}}
		if graphs {
			w.Run.Stages = append(w.Run.Stages, finding.StageSettings{Kind: "graph"})
		}
		a, m := New(w, nil), &Text{}
		a.methodsOfGraphs(m)
		a.methodsOfEvaluation(m)
		a.methodsOfRegression(m, &finding.StageSettings{Value: map[string]string{}})
		return strings.Join(m.sentences, " ")
	}
	plain := write(false)
	for _, want := range []string{"each draw gives one matrix", "all matrices of a participant",
		"5 folds, stratified by group within site, sex and hand (seed 1)",
		"ridge regression (penalty 1)", "kernel ridge regression (penalty: of 3 values, the best in 4 inner folds)",
		"linear SVR (C = 2, ε = 0.1)",
		"The inputs of these models are the correlations of all pairs of regions, in ridge regression as Fisher's z."} {
		if !strings.Contains(plain, want) {
			t.Errorf("%s\nlacks %s", plain, want)
		}
	}
	if strings.Contains(plain, "partial") || strings.Contains(plain, "graph") {
		t.Errorf("no graphs are made: %s", plain)
	}
	if both := write(true); !strings.Contains(both, "partial correlation from the inverse of the covariance with a ridge of 0.1") ||
		!strings.Contains(both, "each draw gives one graph") {
		t.Errorf("graphs are made: %s", both)
	}
}

// A choice inside the folds is told with its criterion.
func TestMethodsOfChoice(t *testing.T) {
	w := section.NewWriter(dag.NewTask(nil))
	*w.Run = finding.Settings{Stages: []finding.StageSettings{
		{Kind: "split", Value: map[string]string{"folds": "5", "seed": "1"}},
		{Kind: "choose", Value: map[string]string{"by": "loss"}},
	}}
	m := &Text{}
	New(w, nil).methodsOfEvaluation(m)
	if got := strings.Join(m.sentences, " "); !strings.Contains(got, "the one with the lowest cross-entropy per participant") {
		t.Error(got)
	}
}

// Which sites ComBat left as they were, and which one it kept, is told.
func TestMethodsOfComBat(t *testing.T) {
	w := section.NewWriter(dag.NewTask(nil))
	*w.Run = finding.Settings{Stages: []finding.StageSettings{{Kind: "combat", Value: map[string]string{
		"site": "scanner", "preserve": "[age, sex, IQ]", "few": "keep", "minimum": "3", "reference": "NYU",
		"empirical_bayes": "true"}}}}
	m := &Text{}
	New(w, nil).methodsOfGraphs(m)
	const want = "Effects of scanner on the correlations were removed by ComBat [1] with empirical Bayes, relative to NYU, " +
		"fitted in each fold to the training participants; the effects of age, sex and IQ were preserved; matrices of each " +
		"scanner with fewer than 3 training participants in a fold, or none, were left as they were."
	if got := strings.Join(m.sentences, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
