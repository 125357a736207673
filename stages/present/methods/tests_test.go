package methods

import (
	"math"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
)

// The methods claim the measures that were computed, and name those that were not.
func TestMethodsOfMeasures(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		row         column.AccuracyRow
		want, never string
	}{
		{column.AccuracyRow{Positive: "ASD"}, "The AUC is that of ASD against all other groups.", "each against the rest"},
		{column.AccuracyRow{Positive: "ASD"}, "Accuracy, balanced accuracy, sensitivity, specificity and the area under the ROC " +
			"curve (AUC) are given per graph and per participant. | p values of accuracy and AUC of the model come from permutation tests: the models of all folds were trained again on each of 99 permutations of the labels within folds [", "Not computed"},
		{column.AccuracyRow{Positive: "n/a", Sensitivity: none, Specificity: none}, "Accuracy, balanced accuracy and the area under " +
			"the ROC curve (AUC) are given | The AUC is the mean over the groups | Not computed: sensitivity and specificity.", "each draw"},
		{column.AccuracyRow{Positive: "n/a", Sensitivity: none, Specificity: none, AUC: none, AUCP: none}, "Accuracy and balanced " +
			"accuracy are given | Not computed: sensitivity, specificity and the area under the ROC curve (AUC). | " +
			"p values of accuracy of the model come from", "AUC of the"},
		{column.AccuracyRow{Positive: "ASD", P: none, AUCP: none}, "No p value was computed from permuted labels.", "p values of"},
	} {
		w := section.NewWriter(dag.NewTask(nil))
		*w.Run = finding.Settings{}
		a, m := New(w, nil), &Text{}
		c.row.Level, c.row.Test, c.row.Permutations = "participant", column.Retrained, 99
		a.Accuracy = []performance.Row{{AccuracyRow: c.row}}
		a.First = &a.Accuracy[0]
		a.Who = &column.People{Ids: []string{"a", "b", "c"}, Group: map[string]string{"a": "ASD", "b": "HC"}}
		a.Who.Group["c"] = map[bool]string{true: "MCI", false: "HC"}[strings.Contains(c.want, "all other groups")]
		a.methodsOfMeasures(m, &finding.StageSettings{Value: map[string]string{"permutations": "99"}})
		got := strings.Join(m.sentences, " ")
		for want := range strings.SplitSeq(c.want, " | ") {
			if !strings.Contains(got, want) {
				t.Errorf("%s\nlacks %s", got, want)
			}
		}
		need.Equal(t, strings.Contains(got, c.never), false, c.never)
		need.Equal(t, strings.Contains(got, "against all other groups"), len(a.Groups()) > 2, "groups")
	}
}

// What the baselines were trained on is told of each, and draws where there are some.
func TestInputsOfBaselines(t *testing.T) {
	w := section.NewWriter(dag.NewTask(nil))
	*w.Run = finding.Settings{Stages: []finding.StageSettings{
		{Stage: "baselines", Kind: "baseline", Value: map[string]string{"model": "majority; svm; ridge; li2019", "transform": "own"}},
		{Stage: "tangents", Kind: "baseline", Value: map[string]string{"model": "ridge", "transform": "own"},
			Inputs: map[string][]string{"tangent": {"projected[*]"}}},
		{Stage: "plain", Kind: "baseline", Value: map[string]string{"model": "logistic", "transform": "none"}},
		{Stage: "mlps", Kind: "meanmlp"},
		{Kind: "bootstrap", Value: map[string]string{"draws": "0"}},
	}}
	a, m := New(w, nil), &Text{}
	a.inputsOfBaselines(m)
	need.Equal(t, strings.Join(m.sentences, " "), "The inputs of SVM (RBF) and logistic regression are the correlations of all pairs of "+
		"regions. The inputs of ridge regression (baselines) are the correlations of all pairs of regions, as Fisher's z. "+
		"The inputs of Li et al. 2019 are the graphs. The inputs of ridge regression (tangents) are the entries of the "+
		"tangent-space matrices. The inputs of meanMLP are the denoised series.")
	need.Equal(t, a.drawn(), false, "draws")
	w.Run.Stages = append(w.Run.Stages, finding.StageSettings{Kind: "denoise", Value: map[string]string{"draws": "3"}})
	need.Equal(t, a.drawn(), true, "draws")
}

// The tests beside the accuracy are told where their results are, with their parameters.
func TestMethodsOfChecks(t *testing.T) {
	motion := func(r float64) *encoding.Table { return column.Table([]column.MotionRow{{Median: r}}) }
	write := func(in map[string]*encoding.Table) string {
		task := map[string][]dag.Input{}
		for port, table := range in {
			task[port] = []dag.Input{dag.InputOf(table)}
		}
		w := section.NewWriter(dag.NewTask(task))
		*w.Run = finding.Settings{Stages: []finding.StageSettings{
			{Kind: "bootstrap", Value: map[string]string{"draws": "10"}},
			{Kind: "fidelity", Value: map[string]string{"k": "[3, 9]", "random": "19",
				"order": "individual", "draws": "1"}},
			{Kind: "covariates", Value: map[string]string{"permutations": "9999", "within": "site", "label": "group"}},
			{Kind: "qcfc", Value: map[string]string{"covariates": "[age]"}},
		}}
		m := &Text{}
		a := New(w, nil)
		need.NoError(t, a.methodsOfReferences(m))
		need.NoError(t, a.methodsOfChecks(m))
		return strings.Join(m.sentences, " ")
	}
	need.Equal(t, write(nil), "", "nothing was done")
	within := motion(0)
	within.Meta = map[string]string{"within": "site"}
	got := write(map[string]*encoding.Table{"fidelity": motion(0), "covariates": within, "qcfc": motion(0.1),
		"recovery": column.Table([]column.RecoveryRow{
			{Method: column.TrainedModels}, {Method: column.UntrainedModels},
			{Method: column.RidgePattern}})})
	need.Equal(t, got, "Rankings were compared with references without the training of the models: untrained models and "+
		"ridge pattern. To test whether the predictions depend on the ranked regions, the first regions by their scores in each "+
		"graph (3 and 9) were removed from the test graphs of 1 draw of each participant, or they alone were kept, in "+
		"comparison with 19 random choices of as many regions. Each covariate was tested by how well it alone tells the groups "+
		"apart (AUC), with p values from 9,999 permutations of the groups within sites, corrected by the false "+
		"discovery rate [1]; no model takes covariates. After denoising, mean framewise displacement was correlated with the "+
		"connectivity of each pair of regions over the participants (QC-FC), with age partialled out.")
	if got := write(map[string]*encoding.Table{"covariates": motion(0)}); !strings.Contains(got, "permutations of the groups, ") {
		t.Errorf("all are at one site: %s", got)
	}
	need.Equal(t, write(map[string]*encoding.Table{"qcfc": motion(math.NaN())}),
		"The correlation of connectivity with head motion (QC-FC) was not computed, for lack of framewise displacements.")
}

// The sizes of the groups are told of every cohort.
func TestGroupSizes(t *testing.T) {
	a := New(section.NewWriter(nil), nil)
	a.Who = &column.People{Group: map[string]string{"a": "HC", "b": "ASD", "c": "HC"}}
	need.Equal(t, a.groupSizes(), " (1 ASD, 2 HC)")
	a.Who.Group = map[string]string{"a": "", "b": ""} // a number is predicted
	need.Equal(t, a.groupSizes(), "")
}
