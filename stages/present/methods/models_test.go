package methods

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/performance"
)

// The methods of models of correlations have their settings, and no graphs or partial correlations: those are stated
// where a stage makes graphs.
func TestModelsOfCorrelations(t *testing.T) {
	write := func(more ...finding.StageSettings) (codes, text string) {
		a := authorOf(append(more,
			with("bootstrap", "draws", "10", "fraction", "0.5", "replacement", "false", "min_valid", "0"),
			with("connectivity", "pearson", "empirical", "partial", "ridge", "rho", "0.1", "standardize",
				"false", "fisher_z", "none"),
			with("split", "folds", "5", "seed", "1", "repeats", "1", "stratify", "true", "stratify_by",
				"site, sex, hand"),
			with("regression", "model", "ridge; kernel-ridge; svr", "penalty", "1", "penalties", "0, 0.1, 1", "inner", "4", "c", "2",
				"epsilon", "0.1", "transform", "own"))...)
		connect(a, "regression", "pearson", "connectivity.pearson", "measure=pearson")
		if a.Run.Of("graph") != nil {
			connect(a, "graph", "partial", "connectivity.partial", "measure=partial",
				"pearson", "connectivity.pearson", "measure=pearson")
		}
		a.graphs()
		need.NoError(t, a.Err())
		a.folds()
		a.regression()
		return written(t, a)
	}
	codes, plain := write()
	need.Equal(t, codes, "methods.series-draws methods.correlation methods.folds methods.regressions methods.inputs "+
		"methods.inputs methods.output-number methods.regression-measures methods.untested")
	for _, want := range []string{"each draw gave one matrix", "all matrices of a participant",
		"5 folds, stratified by group within site, sex and hand (seed 1)",
		"ridge regression (penalty 1)", "kernel ridge regression (the best of 3 penalties in 4 inner folds)",
		"linear SVR (C = 2, ε = 0.1)", "The inputs of ridge regression were the correlations of all pairs of regions, as Fisher's z."} {
		if !strings.Contains(plain, want) {
			t.Errorf("%s\nlacks %s", plain, want)
		}
	}
	if strings.Contains(plain, "partial") || strings.Contains(plain, "graph") {
		t.Errorf("no graphs are made: %s", plain)
	}
	_, both := write(with("graph", "rule", "largest", "density", "0.1", "of", "pairs", "repair", "none",
		"features", "pearson"))
	if !strings.Contains(both, "partial correlation was computed from the inverse of the covariance with a ridge of 0.1") ||
		!strings.Contains(both, "each draw gave one graph") {
		t.Errorf("graphs are made: %s", both)
	}
}

// The inputs of models are stated once for all with the same ones, by what the connected outputs hold; models of
// several stages have the stage's name.
func TestInputs(t *testing.T) {
	tangents, plain := with("baseline", "model", "ridge", "transform", "own"), with("baseline", "model",
		"logistic; majority",
		"transform", "none")
	tangents.Stage, plain.Stage = "tangents", "plain"
	tangents.Inputs = map[string][]column.Result{"tangent": column.Results("projected[*]")}
	first := with("baseline", "model", "majority; svm; ridge; li2019", "transform", "own")
	first.Stage = "baselines"
	states := with("regression", "model", "mean; svr", "transform", "own")
	states.Inputs = map[string][]column.Result{"states": column.Results("states.features")}
	transformer := with("network", "model", "bnt", "transform", "fisher")
	transformer.Stage = "transformer"
	a := authorOf(first, tangents, plain, with("network", "model", "meanmlp"), transformer, states)
	connect(a, "baselines", "pearson", "r.pearson", "measure=pearson series=denoised")
	connect(a, "plain", "pearson", "r.partial", "measure=partial series=raw")
	connect(a, "transformer", "pearson", "own.out", "")
	connect(a, "network", "series", "clean.series", "measure=series series=denoised")
	permuted := first // for a permutation test: its models are the same
	permuted.Stage, permuted.Inputs = "permuted",
		map[string][]column.Result{"permuted": column.Results("split.permuted")}
	same := authorOf(first, permuted)
	need.Equal(t, same.nameOf(&first, "ridge"), "ridge regression")
	need.Equal(t, a.nameOf(&first, "ridge"), "ridge regression (baselines)")
	// What the tables of results list has their name: ridge regression of the other stage is in none.
	listed := authorOf(first, tangents)
	for _, c := range [][2]string{{"majority", "majority classifier"}, {"ridge", "ridge regression"}} {
		listed.Accuracy = append(listed.Accuracy, performance.Row{Title: c[1], AccuracyRow: column.AccuracyRow{
			Classifier: c[0], Coords: []dag.Coord{{Axis: "stage", Value: "baselines"}, {Axis: "model", Value: c[0]}}}})
	}
	need.Equal(t, listed.nameOf(&first, "ridge"), "ridge regression")
	need.Equal(t, listed.nameOf(&tangents, "ridge"), "ridge regression (tangents)")
	listed.Accuracy[1].Title = "ridge regression (baselines)"
	need.Equal(t, listed.nameOf(&first, "ridge"), "ridge regression (baselines)")
	a.inputs("baseline", "network", "regression")
	_, text := written(t, a)
	need.Equal(t, text, "The inputs of SVM (RBF) were the correlations of all pairs of regions. "+
		"The inputs of ridge regression (baselines) were the correlations of all pairs of regions, "+
		"as Fisher's z. The inputs of Li et al. 2019 were the graphs. The inputs of ridge regression (tangents) were the entries "+
		"of the tangent-space matrices. The inputs of logistic regression were the partial correlations of all pairs of regions; "+
		"the series were not denoised. The inputs of meanMLP were the denoised series. The inputs of Brain Network Transformer "+
		"were values of unknown kind for all pairs of regions, after Fisher's transform. The inputs of linear SVR were each "+
		"participant's features of the connectivity states (the fraction of time and the dwell time in each state, and transitions), not the "+
		"correlations of the whole scan.")
}

// The training is that of the evaluated models, not that of a permutation test before it.
func TestTrainingIsOfTheEvaluated(t *testing.T) {
	permuted, report, evaluate := with("train"), with("report"), with("evaluate")
	permuted.Stage = "permuted"
	report.Inputs = map[string][]column.Result{"evaluation": column.Results("evaluate.summary"),
		"permutation": column.Results("permutation.test")}
	evaluate.Inputs = map[string][]column.Result{"predictions": column.Results("train.predictions")}
	a := authorOf(permuted, with("train"), evaluate, report)
	need.Equal(t, a.evaluated("train", "evaluation").Stage, "train")
	need.Equal(t, authorOf(permuted).evaluated("train", "evaluation").Stage, "permuted")
	need.Equal(t, authorOf().evaluated("train", "evaluation") == nil, true)
}

// Draws are of voxels, of volumes or of sessions.
func TestDrawn(t *testing.T) {
	for _, c := range []struct {
		stage finding.StageSettings
		want  bool
	}{{with("bootstrap", "draws", "0"), false}, {with("bootstrap", "draws", "3"), true}, {with("denoise",
		"draws", "3"), true},
		{with("windows", "draws", "3"), false}, {with("sessions"), true}} {
		need.Equal(t, authorOf(c.stage).drawn(), c.want)
	}
}

// The readings of the paper are those in force.
func TestReadings(t *testing.T) {
	for want, parameters := range map[string][]string{
		"the edge of a region to itself had weight 1; kept features were multiplied by their score; the kernel of the maximum " +
			"mean discrepancy was exp(−d²/σ); the consistency loss used squared distances; no activation followed a convolution": {
			"self_weight", "1", "gate", "true", "distance", "bce; mmd", "kernel", "gauss", "glc", "squared"},
		"kept features were not multiplied by their score; the consistency loss used distances that were not squared; no " +
			"activation followed a convolution": {"self_weight", "0", "gate", "false", "distance", "bce", "kernel", "gauss",
			"glc", "norm"},
	} {
		train := with("train", parameters...)
		a := authorOf(train)
		need.Equal(t, strings.Join(a.readings(&train), "; "), want)
		need.NoError(t, a.Err())
	}
}

// A parameter that differs from its default is in a sentence, or in the list of settings.
func TestSettings(t *testing.T) {
	write := func(train, clean finding.StageSettings) string {
		for _, s := range []finding.StageSettings{train, clean} {
			for name := range s.Defaults {
				if value, changed := strings.CutPrefix(s.Values[name][0][0], "not "); changed {
					s.Values[name], s.Defaults[name] = [][]string{strings.Split(value, ", ")}, []string{"0"}
				}
			}
		}
		a := authorOf(train, clean)
		a.whole = a.Run.Stages
		a.settings()
		_, text := written(t, a)
		return text
	}
	model := func(more ...string) finding.StageSettings {
		return with("train", append([]string{
			"variant", "paper", "widths", "8", "edge_weights", "true", "ratio", "0.5", "hidden", "8",
			"pool", "topk", "distance", "bce", "lambda", "1", "epochs", "3", "batch", "9",
			"learning_rate", "0.1", "halve", "0", "dropout", "0", "weight_decay", "0",
			"standardize", "none", "select", "last", "self_weight", "1", "gate", "true",
			"kernel", "gauss", "glc", "squared", "slope", "0", "draws", "0",
		}, more...)...)
	}
	cleaning := func(more ...string) finding.StageSettings {
		return with("denoise", append([]string{"detrend", "1", "fd", "0", "filter", "none", "standardize", "none",
			"draws", "0", "columns", "", "regress", "24P"}, more...)...)
	}
	need.Equal(t, write(model(), cleaning()), "")
	need.Equal(t, write(model("slope", "not 0.2", "draws", "not 2"), cleaning("margin", "not 3")),
		"Other settings that differed from the program's defaults: slope 0.2, draws 2 in the stage train; "+
			"margin 3 in the stage denoise.")
	// parameters without an effect
	idle := []string{"min_segment", "not 3", "min_minutes", "not 2", "bridge", "not nilearn", "order", "not 3",
		"dvars", "0"}
	need.Equal(t, write(model("kernel", "not rbf2", "sigma", "not 2"), cleaning(idle...)), "")
	need.Equal(t, write(model(), cleaning(append(idle, "dvars", "not 2")...)),
		"Other settings that differed from the program's defaults: min segment 3, min minutes 2 in the stage denoise.")
}

// What the page has are the entries that it shows: those that settings were compared by are not among them, however
// many texts were written.
func TestOnlyShownEntriesCount(t *testing.T) {
	clean := with("denoise", "detrend", "1", "fd", "0", "filter", "none", "standardize", "none", "draws", "0",
		"columns", "")
	clean.Values["filter"], clean.Defaults["filter"] = [][]string{{"butterworth"}}, []string{"cosine"}
	clean.Values["fd"], clean.Defaults["fd"] = [][]string{{"0"}}, []string{"0.5"}
	for _, name := range []string{"high_pass", "low_pass"} {
		clean.Values[name] = [][]string{{"0.1"}}
	}
	a := authorOf(clean)
	a.Run.Table = &encoding.Table{}
	a.Scans = cleaned(column.CleaningRow{Strategy: "none", Why: column.SeriesGiven, TEff: 90, Volumes: 100, Kept: 100})
	a.Begin("methods", "Methods")
	a.Write()
	a.End()
	need.NoError(t, a.Err())
	for code, want := range map[string]bool{"methods.denoising": true, "denoising.given": true,
		"denoising.filter": true, "denoising.censoring": false, "denoising.sidecar": false} {
		need.Equal(t, a.Writer.Written[code] != nil, want, code)
	}
}

// Stored models are stated with the settings that a reader needs to fit them again, and with their training
// participants.
func TestAppliedModels(t *testing.T) {
	people := encoding.NewTable(encoding.Column{Name: "models", Values: []int32{2}},
		encoding.Column{Name: "trained", Values: []int32{0}}, encoding.Column{Name: "same_data", Values: []string{""}})
	of := finding.Applied{Models: 2, Participants: 30, Least: 40, Most: 40, Trained: 60, Groups: []string{"A", "B"},
		Model: "logistic", Inputs: "fisher", Parameters: map[string]string{"c": "0.5", "model": `"logistic"`,
			"penalties": "[1, 2]"}, LeftOut: []string{"83"},
		Deconfounded: []string{"age"}, FittedTo: "A"}
	people.Meta = of.Meta()
	a := authorOf()
	a.T = dag.NewTask(map[string][]dag.Input{"applied": {dag.InputOf(people)},
		"validation_shift": {dag.InputOf(column.Table([]column.ValidationShiftRow{
			{Name: "age", Training: 17.371, TrainingSD: 7.14},
			{Name: "mean_fd", Training: 0.13, TrainingSD: 0.17},
			{Name: "site", Category: "USM", Training: 0.6}, {Name: "site", Category: "KKI"}}))}})
	a.Nodes = 111
	a.applied()
	a.scans()
	_, text := written(t, a)
	for _, want := range []string{"The models were logistic regression (C = 0.5) [1].", "on average over the models, mean ± SD " +
		"was 17.4 ± 7.14 for age and 0.13 ± 0.17 for mean framewise displacement, and the shares were 60% for site USM.",
		"The region 83, which training excluded for all participants, was also excluded here.",
		"The analysis included 110 of 111 regions.",
		"the coefficients that were fitted to the group A alone among the training participants of each model. The error"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// Each entry with the settings of a model has one value, several, or none in the files of stored models; of the models
// of a matrix, one or several.
func TestSettingsOfModels(t *testing.T) {
	one := map[string]string{"penalty": "1", "penalties": "[1, 10, 100]", "inner": "4", "c": "2", "epsilon": "0.1",
		"trees": "100", "tried": "0", "hidden": "[64, 32]", "epochs": "0", "batch": "9", "learning_rate": "0"}
	another := map[string]string{"penalty": "100", "penalties": "[3]", "inner": "5", "c": "0.5", "epsilon": "0.2",
		"trees": "50", "tried": "7", "hidden": "[16]", "epochs": "20", "batch": "0", "learning_rate": "0.01"}
	want := map[string][2]string{
		"ridge": {"penalty 1", "penalty 1 or 100"},
		"kernel-ridge": {"the best of 3 penalties in 4 inner folds",
			"the best of 3 or 1 penalties in 4 or 5 inner folds"},
		"svm": {"C = 2", "C = 2 or 0.5"}, "linear-svm": {"C = 2", "C = 2 or 0.5"},
		"logistic": {"C = 2", "C = 2 or 0.5"},
		"svr":      {"C = 2, ε = 0.1", "C = 2 or 0.5, ε = 0.1 or 0.2"},
		"rbf-svr":  {"C = 2, ε = 0.1", "C = 2 or 0.5, ε = 0.1 or 0.2"},
		"forest": {"100 trees, the square root of the number of inputs tried at each split",
			"100 or 50 trees, the square root of the number of inputs or 7 inputs tried at each split"},
		"mlp": {"hidden widths 64, 32, 100 epochs, batches of 9, learning rate 0.001",
			"hidden widths 64, 32 or 16, 100 or 20 epochs, batches of 9 or 100, learning rate 0.001 or 0.01"},
	}
	differing := map[string][]string{}
	for name, value := range one {
		differing[name] = []string{value, another[name]}
	}
	for model := range fitted {
		stored := func(same map[string]string, differing map[string][]string) string {
			a := authorOf()
			text := a.appliedModel(finding.Applied{Model: model, Groups: []string{"A", "B"}, Parameters: same,
				Differing: differing})
			need.NoError(t, a.Err(), model)
			return text
		}
		has := func(text, settings string) {
			t.Helper()
			if !strings.Contains(text, " ("+settings+")") {
				t.Errorf("%s: no %q in %s", model, settings, text)
			}
		}
		has(stored(one, nil), want[model][0])
		has(stored(map[string]string{}, differing), want[model][1])
		has(stored(map[string]string{}, nil), "settings not stated by all model files")
		of := with("baseline", "model", model)
		for name, value := range one {
			for _, v := range []string{value, another[name]} {
				of.Values[name] = append(of.Values[name], strings.Split(strings.Trim(v, "[]"), ", "))
			}
		}
		a := authorOf(of)
		has(strings.Join(a.fittedModels("baseline"), ""), want[model][1])
		need.NoError(t, a.Err(), model)
	}
}

// Stored models whose inputs differ are stated apart.
func TestAppliedInputsDiffer(t *testing.T) {
	people := encoding.NewTable()
	of := finding.Applied{Models: 3, Participants: 30, Groups: []string{"A", "B"}, Model: "ridge", Inputs: "fisher",
		Takes: []finding.Takes{{Models: 2, Inputs: "fisher", Holds: "measure=pearson"},
			{Models: 1, Inputs: "pearson", Holds: "measure=pearson", ZScored: true}}}
	people.Meta = of.Meta()
	a := authorOf()
	a.T = dag.NewTask(map[string][]dag.Input{"applied": {dag.InputOf(people)}})
	a.applied()
	_, text := written(t, a)
	for _, want := range []string{
		"The inputs of 2 of the 3 models (ridge regression) were the correlations of all pairs of regions, as Fisher's z.",
		"The inputs of 1 of the 3 models (ridge regression) were the correlations of all pairs of regions.",
		"In 1 of the 3 models, each input was z-scored"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
