package methods

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// The steps of denoising are those that were done, with the strategy that was used in place of auto.
func TestDenoising(t *testing.T) {
	of := func(change func(*column.CleaningRow)) column.CleaningRow {
		r := column.CleaningRow{Strategy: "24P", TEff: 90, Volumes: 148, Kept: 148}
		change(&r)
		return r
	}
	why := func(why string) []column.CleaningRow {
		return []column.CleaningRow{of(func(r *column.CleaningRow) { r.Strategy, r.Why = "none", why })}
	}
	compcor := of(func(r *column.CleaningRow) { r.Strategy, r.NonSteady, r.Kept = "acompcor", 2, 146 })
	for _, c := range []struct {
		rows        []column.CleaningRow
		parameters  []string // beside those below
		codes, text string   // of steps; part of the sentence
	}{
		{nil, nil, "", ""},
		{[]column.CleaningRow{compcor, of(func(r *column.CleaningRow) { r.Strategy, r.Kept = "acompcor", 120 })}, nil,
			"regression non-steady kept freedom", "were regressed out [1, 2]; non-steady-state volumes were removed; " +
				"133 (120–146) volumes were kept; 90 degrees of freedom remained."},
		{[]column.CleaningRow{compcor, of(func(r *column.CleaningRow) {})}, nil,
			"regression regression non-steady kept freedom", "[1, 2]; 24 motion parameters were regressed out [1]; non"},
		{why(column.AskedForNone), nil, "no-regression freedom", "(regress: none); 90 degrees"},
		{why(column.CleanedScan), nil, "no-regression freedom", "(scan already denoised); at most 90 degrees"},
		{why(column.SeriesGiven), nil, "given freedom", "are unknown); at most 90 degrees"},
		{[]column.CleaningRow{of(func(r *column.CleaningRow) {
			r.Strategy, r.Why, r.Sidecar = "none", column.SeriesGiven, "36P"
		})}, nil, "sidecar freedom", "cleaned with 36P, according to the sidecar"},
		{nil, []string{"detrend", "0"}, "detrend", "the mean was"},
		{nil, []string{"detrend", "1"}, "detrend", "a linear trend was"},
		{nil, []string{"detrend", "3"}, "detrend", "a polynomial trend of degree 3 was"},
		{nil, []string{"filter", "butterworth"}, "filter", "a Butterworth filter retained 0.01–0.08 Hz."},
		{nil, []string{"filter", "cosine", "low_pass", "0"}, "filter", "a cosine filter retained frequencies above 0.01 Hz."},
		{nil, []string{"filter", "cosine", "high_pass", "0"}, "filter", "frequencies below 0.08 Hz."},
		{[]column.CleaningRow{of(func(r *column.CleaningRow) { r.Bridge = "linear" })}, []string{"filter",
			"butterworth"},
			"regression freedom filter bridge", "interpolated by straight lines"},
		{[]column.CleaningRow{of(func(r *column.CleaningRow) { r.Bridge = "nilearn" })}, []string{"filter",
			"butterworth"},
			"regression freedom filter bridge", "interpolated by cubic splines"},
		{[]column.CleaningRow{of(func(r *column.CleaningRow) { r.Bridge = "nilearn" })}, nil, "regression freedom", ""},
		{nil, []string{"fd", "0.2"}, "censoring", "above 0.2 mm"},
		{[]column.CleaningRow{of(func(r *column.CleaningRow) { r.Strategy = "scrubbing" })}, nil, "regression scrubbing freedom", ""},
		{[]column.CleaningRow{of(func(r *column.CleaningRow) { r.Strategy = "scrubbing" })}, []string{"fd", "0.2"},
			"regression freedom censoring", "above 0.2 mm or a standardized DVARS above 1.5 were"},
		{nil, []string{"dvars", "2"}, "censoring", "volumes with a standardized DVARS above 2 were censored"},
		{nil, []string{"standardize", "zscore"}, "scale", "standardized"},
		{nil, []string{"standardize", "psc"}, "scale", "percent signal change"},
		{[]column.CleaningRow{of(func(r *column.CleaningRow) {
			r.Task, r.Conditions = "fir", []string{"faces",
				"tools"}
		})}, nil, "regression task freedom",
			"(faces, tools) were regressed out in the same model, with a regressor for each volume from the onset of an event to 20 s"},
		{[]column.CleaningRow{of(func(r *column.CleaningRow) {
			r.Task, r.Conditions = "none",
				[]string{"faces"}
		})}, nil, "regression task freedom",
			"(faces) were not regressed out"},
		{nil, []string{"detrend", "0; 2"}, "detrend-by-setting",
			"the mean was removed or linear and quadratic trends were removed, depending on the setting"},
	} {
		d := with("denoise", append([]string{"detrend", "-1", "fd", "0", "filter", "none", "high_pass", "0.01",
			"low_pass", "0.08",
			"standardize", "none", "after", "20"}, c.parameters...)...)
		a := authorOf(d)
		a.Scans = cleaned(c.rows...)
		a.denoising(&d)
		codes, text := written(t, a)
		codes = strings.TrimSuffix(strings.ReplaceAll(codes, "denoising.", ""), "methods.denoising")
		codes = strings.TrimSuffix(strings.TrimSuffix(codes, "methods."), " ")
		need.Equal(t, codes, c.codes)
		if !strings.Contains(text, c.text) {
			t.Errorf("%s\nlacks %s", text, c.text)
		}
	}
}

// Draws of volumes are stated with the lengths of the blocks that were used.
func TestBlocks(t *testing.T) {
	for block, want := range map[string]string{
		"0": "with blocks of 5 (4–6) volumes, the optimal length for the series [2, 3], averaged over the regions;",
		"9": "[1] with blocks of 9 volumes; the same volumes",
	} {
		d := with("denoise", "draws", "10", "block", block)
		a := authorOf(d)
		a.Scans = cleaned(column.CleaningRow{Block: 4}, column.CleaningRow{Block: 6})
		a.blocks(&d)
		if _, text := written(t, a); !strings.Contains(text, want) {
			t.Errorf("block %s: %s", block, text)
		}
	}
	d := with("denoise", "draws", "0", "block", "0")
	a := authorOf(d)
	a.blocks(&d)
	codes, _ := written(t, a)
	need.Equal(t, codes, "", "no draws")
}

// Which sites ComBat left as they were, which one it kept, and what the matrices hold is stated.
func TestComBat(t *testing.T) {
	for held, want := range map[string]string{"measure=pearson series=denoised": "correlations",
		"measure=partial series=raw": "partial correlations", "measure=covariance": "covariances",
		"": "values of unknown kind"} {
		a := authorOf(with("combat", "site", "scanner", "preserve", "age, sex, IQ", "few", "keep", "minimum", "3",
			"reference", "NYU", "empirical_bayes", "true", "mean_only", "false"))
		connect(a, "combat", "matrices", "any.output", held)
		a.graphs()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, codes, "methods.combat")
		need.Equal(t, text, "The "+want+" were adjusted for effects of scanner by ComBat [1] with empirical Bayes, relative to "+
			"NYU, fitted in each fold to the training participants; the effects of age, sex and IQ were preserved; matrices from a "+
			"scanner with fewer than 3 training participants in a fold, or none, were not changed.")
	}
}

// From what covariates were removed is stated for the models that were trained on it.
func TestDeconfounding(t *testing.T) {
	const edges, target = "effects of site and mean framewise displacement were removed from each edge after Fisher's transform by least " +
		"squares, fitted in each fold to the training participants.",
		"effects of site and mean framewise displacement were removed from age by least squares, fitted in each fold to the training " +
			"participants, and the models were trained on the residual of age."
	for _, c := range []struct {
		what, want  string
		residualize bool
	}{
		{"edges", "For ridge regression (dmodels), " + edges, true},
		{"target", "For linear SVR, " + target, false},
		{"both", "For ridge regression (dmodels), " + edges + " For linear SVR, " + target, true},
	} {
		fit := with("deconfound", "what", c.what, "covariates", "site, mean_fd", "transform", "fisher", "degree", "1",
			"spline", "false", "controls", "")
		r, models, dmodels, targets := with("residualize"), with("regression", "model", "ridge"),
			with("regression", "model", "ridge"), with("regression", "model", "svr")
		r.Inputs = map[string][]column.Result{"fitted": column.Results("deconfound.fitted")}
		models.Stage, dmodels.Stage, targets.Stage = "models", "dmodels", "targets"
		models.Inputs = map[string][]column.Result{"pearson": column.Results("connectivity.pearson")}
		if c.residualize {
			dmodels.Inputs = map[string][]column.Result{"pearson": column.Results("residualize.matrices")}
		}
		if c.what != "edges" {
			targets.Inputs = map[string][]column.Result{"targets": column.Results("deconfound.targets")}
		}
		a := authorOf(fit, r, models, dmodels, targets)
		a.Number = "age"
		a.graphs()
		need.NoError(t, a.Err())
		_, text := written(t, a)
		need.Equal(t, text, c.want)
	}
}

// Models of matrices and series have zeros in place of excluded regions, which is stated; graphs lose these nodes.
func TestExcludedRegionsAreZeros(t *testing.T) {
	for port, want := range map[string]bool{"edges": false, "pearson": true, "series": true} {
		model := with("network", "model", "bnt", "regions", "shared")
		model.Stage, model.Inputs = "models", map[string][]column.Result{port: column.Results("made." + port)}
		a := authorOf(model)
		a.T = dag.NewTask(map[string][]dag.Input{"connectivity": {dag.InputOf(column.Table([]silentRow{{Missing: 1}}),
			dag.Coord{Axis: "subject", Value: "a"})}})
		a.silentRegions()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, codes, "methods.silent-regions methods.shared-regions")
		need.Equal(t, strings.Contains(text, "every model; as inputs of models, matrices and time series had zeros in place of "+
			"this region in all participants"), want, port, text)
	}
}

// What the values of given matrices were read as is stated: values below 1 are those of r and of Fisher's z.
func TestGivenMatrices(t *testing.T) {
	const both, one = "Correlations and partial correlations were given as files; the values were read as ",
		"Correlations were given as files; the values were read as Fisher's z and transformed back; "
	for _, c := range []struct{ partial, z, volumes, want string }{
		{"given", "none", "0", both + "correlations, not as Fisher's z, which values below 1 cannot be distinguished from."},
		{"ridge", "pearson", "0", one + "partial correlations were computed from them by the inverse of r + ρI with ρ = 0.2."},
		{"empirical", "pearson", "150", one + "partial correlations were computed from them by the inverse; " +
			"150 independent volumes were behind each matrix."},
		{"given", "pearson", "0", both + "Fisher's z (correlations) and transformed back, those of the partial " +
			"correlations as correlations."},
	} {
		a := authorOf(with("matrices", "partial", c.partial, "fisher_z", c.z, "rho", "0.2", "volumes", c.volumes))
		a.graphs()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, codes, "methods.given-matrices")
		need.Equal(t, text, c.want)
	}
	// A program's format may state it.
	for _, c := range []struct{ partial, program, want string }{
		{"ridge", "DPABI", "Fisher's z, as DPABI writes them, and transformed back; "},
		{"given", "DPABI", "Fisher's z, as DPABI writes correlations, and transformed back, those of the partial correlations as correlations."},
		{"given", "", "correlations, not as Fisher's z"},
	} {
		a := authorOf(with("matrices", "partial", c.partial, "fisher_z", "none", "rho", "0.2", "volumes", "0"))
		var in []dag.Input
		for i := range 2 {
			form := column.MatrixForm{Port: "pearson", FisherZ: []string{"DPABI", c.program}[i]}
			in = append(in, dag.InputOf(column.WithMeta(&encoding.Table{},
				map[string]string{column.FormsKey: column.JSON([]column.MatrixForm{form})})))
		}
		a.T = dag.NewTask(map[string][]dag.Input{"connectivity": in})
		a.graphs()
		if _, text := written(t, a); !strings.Contains(text, "the values were read as "+c.want) {
			t.Errorf("%q", text)
		}
	}
}

// Features that another stage makes are not those of the graph.
func TestFeaturesOfAnotherStage(t *testing.T) {
	for from, want := range map[string]string{
		"graph.features": " The features of a region were its row of values of unknown kind with all regions.",
		"alff":           " The features of a region were from the results of the stage alff of the pipeline.",
	} {
		exec := with("exec")
		exec.Stage = "alff"
		a := authorOf(with("graph", "rule", "largest", "of", "pairs", "density", "0.1", "repair", "none", "features",
			"pearson"), exec, with("train"))
		connect(a, "train", "edges", "graph.edges", "", "features", from, "")
		a.edges()
		if _, text := written(t, a); !strings.HasSuffix(text, "of all pairs of regions."+want) {
			t.Errorf("%q", text)
		}
	}
}

// Series are those of voxels or of grayordinates, and draws of one third have a name.
func TestSeries(t *testing.T) {
	for draws, want := range map[string]string{"0": "methods.series methods.min-valid", "3": "methods.series-draws methods.min-valid"} {
		b := with("bootstrap", "draws", draws, "fraction", "0.3333333333333333", "replacement", "false",
			"min_valid", "0.5")
		a := authorOf(b)
		a.series(&b)
		codes, text := written(t, a)
		need.Equal(t, codes, want)
		need.Equal(t, strings.Contains(text, "a random sample of one third of its valid voxels"), draws == "3", text)
	}
}
