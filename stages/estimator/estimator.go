package estimator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/sandbox"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/learn"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var estimatorKind = dag.Kind{
	Name: "estimator",
	Doc: "trains a model of your own, in Python, on the same folds as PR-GNN\n" +
		"factory is a function or class of your code, MODULE:NAME. Called with the parameters, it returns an object with fit(X, y) and predict_proba(X) or decision_function(X), as in scikit-learn; for a number as target, predict(X). fit may also take groups, the number of each row's participant, for inner folds. X is an array with a row for each graph (input: edges, the upper triangle of the correlations; matrices), a list of series, volumes × regions (input: series), or graphs (input: graphs): X[i] has x, edge_index and edge_attr. If the object has region_scores(X) (rows × regions), or region_scores_ after fit, biomarkers can read the output scores. " +
		"One process fits the model, with the training participants only. A second process has the fitted model and the test rows, without labels, ids or order; repeat_check starts a third one, with half of these rows. All see the code, the packages and their own directory, and have no network. Packages come from the input requirements (a list with versions and hashes), or from the environment of python. Fan out with matrix: { fold: all }. `pipeline new-model NAME` writes a model that runs.",
	New: func() dag.Stage {
		return &Estimator{Factory: "model:make", Input: "edges", Predicts: "groups", Params: fold.First(),
			Diagonal: true, Python: "python3",
			TimeLimit: 3600, Memory: 8, Sandbox: "auto", RepeatCheck: true, Promises: "bits"}
	},
	// docs/scale.md#the-memory-of-stages-that-gather-everybody; and a Python process
	MemoryFor: column.Memory{Base: 1 << 30, Each: 2e6}.For,
}

var (
	_ role.Trainer   = (*Estimator)(nil)
	_ role.DataUser  = (*Estimator)(nil)
	_ role.PortUser  = (*Estimator)(nil)
	_ role.InputUser = (*Estimator)(nil)
	_ role.Promiser  = (*Estimator)(nil)
	_ role.Adviser   = (*Estimator)(nil)
)

// Estimator trains one model of the user's.
type Estimator struct {
	Factory  string `param:"factory" doc:"MODULE:NAME: the function or class NAME of MODULE.py in the input code, which returns the model"`
	Input    string `param:"input" doc:"X: edges, the entries of each matrix above the diagonal, row by row, of tangent matrices those on and below it; matrices, regions × regions; series, volumes × regions; graphs, edges with features of the nodes" choices:"edges|matrices|series|graphs"`
	Predicts string `param:"predicts" doc:"groups, or number: the cohort's parameter target, for folds of split with label: target" choices:"groups|number"`
	fold.Params
	Parameters  []string `param:"parameters" doc:"NAME=VALUE, arguments of the factory; VALUE is JSON (20, 0.5, true, [8, 8]), or else a text"`
	Diagonal    bool     `param:"diagonal" doc:"input edges of tangent: the diagonal is among them, divided by √2 as in nilearn"`
	Seed        uint64   `param:"seed" doc:"seed of the order of the rows, and of Python's random, numpy and torch; different in each fold"`
	Python      string   `param:"python" doc:"the Python that runs the model, such as .venv/bin/python by its absolute path, or, with requirements, that makes the environment"`
	TimeLimit   float64  `param:"time_limit" doc:"a fit or prediction is stopped after this time; 0 sets no limit" min:"0" max:"1e9" unit:"s"`
	Memory      float64  `param:"memory_limit" doc:"address space of the process (Linux, macOS); 0 sets no limit, as CUDA needs" min:"0" max:"1e6" unit:"GiB"`
	Sandbox     string   `param:"sandbox" doc:"auto: where the machine can confine the processes (Linux with user namespaces or bubblewrap), they see the system, the packages and their own directory, and have no network; elsewhere they run unconfined, with a caution; require: they fail there; none: they always run unconfined" choices:"auto|require|none"`
	RepeatCheck bool     `param:"repeat_check" doc:"predict a random half of the test rows again in a third process, also in reverse order and one alone, and refuse a model whose predictions differ: they depend on other test participants or on earlier calls"`
	Promises    string   `param:"promise" doc:"reproducibility of the model: bits (identical), a maximum relative error, such as 1e-3 for a GPU, or nothing; audits check it"`
}

// Input ports that exec has, too.
const codePort, lockPort, packagesPort = "code", "requirements", "packages"

// data are the ports of each participant's data.
func (s *Estimator) data() []string {
	switch s.Input {
	case "series":
		return []string{"series"}
	case "graphs":
		return []string{"edges", "features"}
	}
	return []string{"pearson", "tangent"}
}

// UsesPorts are each participant's data, of one setting, the checks, and the program.
func (s *Estimator) UsesPorts() []role.PortUse {
	return slices.Concat(fold.AfterChecks(role.OneSettingOf(s.data()...)...), role.Uses(role.Aside, "nodes"), s.aside(),
		role.Uses(role.Program, codePort, lockPort, packagesPort))
}

// aside are the inputs that state, in the model file, how the edges were made.
func (s *Estimator) aside() []role.PortUse {
	if s.Input != "edges" {
		return nil
	}
	return append(role.Uses(role.Aside, "quality", "removed", "harmonized"), role.QualityOf("pearson", "tangent"))
}

// Ports depend on the input and on what is predicted.
func (s *Estimator) Ports() dag.Ports {
	of := map[string][]dag.Port{
		"series": {{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Gather: true, Doc: "each participant's denoised time series; their lengths may differ"}},
		"graphs": {{Name: "edges", Type: column.Type[column.EdgeRow](), Gather: true, Doc: "the edges of each participant's graphs"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Doc: "their node features"}},
	}[s.Input]
	if of == nil {
		of = []dag.Port{
			{Name: "pearson", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's correlation matrices; this or tangent is needed"},
			{Name: "tangent", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's tangent matrices, from the stage project, in place of pearson"},
			{Name: "fitted", Type: column.Type[region.ReferenceRow](), Optional: true, Doc: "tangent: the reference of this fold, from the stage tangent; refused if a test participant was used for it"},
		}
	}
	predictions := dag.Port{Name: "predictions", Type: column.Type[fold.PredictionRow](), Doc: "for every graph, as in train; for a decision_function f, the probability is 1/(1+exp(−f)), not calibrated, and with more than two groups the softmax"}
	if s.Predicts == "number" {
		predictions = dag.Port{Name: "predictions", Type: column.Type[fold.NumberRow](), Doc: "of every graph"}
	}
	var file []dag.Port
	if s.Input == "edges" {
		of = append(of, learn.FilePorts()...)
		file = []dag.Port{{Name: "file", Type: dag.Format("npz"), Doc: "a linear model in one file, for the kind validate: coef_ and intercept_, where the predictions are those of X @ coef_.T + intercept_; for other models, the reason why validate and export refuse it"}}
	}
	return dag.Ports{
		In: slices.Concat([]dag.Port{{Name: codePort, Gather: true, Doc: "your code: {file: DIR} with the module, or {file: MODULE.py}; changed code runs the model again"}},
			of,
			[]dag.Port{
				{Name: "folds", Type: fold.Folds(), Doc: "the assignment to folds"},
				{Name: "nodes", Type: dag.Arrow("name"), Optional: true, Doc: "the node list; data with a different number of regions are then refused"},
				{Name: lockPort, Optional: true, Doc: "the Python packages of the model, {file: requirements.txt}: each with its version and --hash; the program makes their environment"},
				{Name: packagesPort, Optional: true, Doc: "the list of the packages in the environment of python, {file: uv.lock}: then this list, and not the content of the environment, decides whether a model runs again"},
				fold.LeakagePort(),
			}),
		Out: append([]dag.Port{
			predictions,
			{Name: "scores", Type: column.Type[column.ScoreRow[float64]](), Doc: "of every graph and region, for biomarkers: region_scores of the model, or else its coef_ by region; no rows without these"},
			{Name: "regions", Type: learn.RegionsType(), Doc: "of a model with coef_, for input edges: the model's weight of each region; no rows without it"},
			{Name: "model", Type: column.Type[modelRow](), Doc: "what was fitted"},
		}, file...),
	}
}

var factoryText = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$`)

// Validate checks parameters.
func (s *Estimator) Validate() []error {
	var errs []error
	if !factoryText.MatchString(s.Factory) {
		errs = append(errs, fmt.Errorf("factory: %q is not MODULE:NAME, such as model:make for the function make of model.py", s.Factory))
	}
	if _, err := s.arguments(); err != nil {
		errs = append(errs, fmt.Errorf("parameters: %w", err))
	}
	if strings.ContainsAny(s.Python, `/\`) && !filepath.IsAbs(s.Python) {
		errs = append(errs, fmt.Errorf("python: %q is neither the name of a program nor an absolute path", s.Python))
	}
	if _, err := role.ParsePromise(s.Promises); err != nil {
		errs = append(errs, fmt.Errorf("promise: %w", err))
	}
	return errs
}

// RefusesInputs requires one kind of data.
func (s *Estimator) RefusesInputs(has func(port string) bool) error {
	if has(lockPort) && has(packagesPort) {
		return errors.New("requirements and packages are both connected: connect requirements for an environment that the program makes, or packages for yours")
	}
	if s.Input == "edges" || s.Input == "matrices" {
		return learn.RefusesMatrices(has)
	}
	return nil
}

// Promise is what the user says of the model.
func (s *Estimator) Promise() role.Promise {
	p, _ := role.ParsePromise(s.Promises) // Validate has looked at it
	return p
}

// Advise states what the machine cannot do.
func (s *Estimator) Advise() []string {
	if err := sandbox.Available(); err != nil && s.Sandbox == "auto" {
		return []string{fmt.Sprintf("sandbox: this machine cannot confine the model's processes (%v): they may read all files and use the network; sandbox: require refuses that", err)}
	}
	return nil
}

// CodeFiles are the Python that runs the model and its packages.
func (s *Estimator) CodeFiles(connected func(port string) bool) []content.Code {
	return s.command(connected, true).CodeFiles(connected)
}

// Run fits in one process, predicts in another, and checks in a third.
func (s *Estimator) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	if wrong := append(s.Validate(), s.RefusesInputs(t.Has)); errors.Join(wrong...) != nil {
		return nil, errors.Join(wrong...)
	}
	d, err := s.read(t)
	if err != nil {
		return nil, err
	}
	var sides [2][]int
	for i, r := range d.set.Rows() {
		sides[r.Side] = append(sides[r.Side], i)
	}
	for side := range sides { // the order has nothing of ids or labels
		random.New(s.Seed, s.Stream("estimator", side)...).Shuffle(len(sides[side]), func(i, j int) {
			sides[side][i], sides[side][j] = sides[side][j], sides[side][i]
		})
	}
	steps := 2
	if s.RepeatCheck {
		steps = 3
	}
	t.Progress(0, steps, "fit")
	fitted, err := s.start(ctx, t, d, "fit", sides[0], nil)
	if err != nil {
		return nil, err
	}
	t.Progress(1, steps, "predict")
	tested, err := s.start(ctx, t, d, "predict", sides[1], fitted.model)
	if err != nil {
		return nil, err
	}
	if s.RepeatCheck {
		t.Progress(2, steps, "repeat_check")
		if err := s.repeat(ctx, t, d, sides[1], fitted.model, tested.prediction); err != nil {
			return nil, err
		}
	}
	t.Progress(steps, steps, "")
	predicted := make([][]float64, len(d.set.Rows()))
	scores := make([][]float64, len(predicted))
	for side, of := range []*result{fitted, tested} {
		for k, i := range sides[side] {
			predicted[i], scores[i] = of.prediction[k], nil
			if of.scores != nil {
				scores[i] = of.scores[k]
			}
		}
	}
	out := dag.Outputs{}
	regions, err := d.set.Regions(t, fitted.coef)
	if err != nil {
		return nil, err
	}
	switch {
	case fitted.scores == nil && fitted.coef != nil:
		if scores, err = sums(regions, d.regions, len(scores)); err != nil {
			return nil, err
		}
	case fitted.scores == nil || tested.scores == nil:
		scores = nil
	}
	predictions := d.set.Numbers(slices.Concat(predicted...))
	if s.Predicts == "groups" {
		predictions = d.set.Predictions(predicted)
	}
	predictions.Meta[column.HandedMeta] = column.JSON(tested.handed)
	if s.Input == "edges" {
		if out["file"], err = d.set.LinearFile(t, fitted.Type, fitted.coef, slices.Concat(fitted.offset...),
			fitted.Unlinear, fitted.Function == "predict_proba"); err != nil {
			return nil, err
		}
	}
	out["predictions"], out["regions"], out["scores"] = predictions, regions, d.set.Scores(scores)
	out["model"] = column.Table([]modelRow{{s.Factory, fitted.Type, int64(d.width), int64(len(sides[0])),
		strings.Join(fitted.Used, ", "), d.set.Note(), warned(t.All(codePort), fitted, tested)}})
	return out, nil
}

// mostApart is the largest accepted difference between two predictions of one row, relative to the largest prediction:
// more than the rounding of single precision, whose sums depend on the number of rows.
const mostApart = 1e-4

// repeat predicts a random half of the test rows in a process of its own, and refuses a model whose predictions differ
// from the first ones: it used the other half.
func (s *Estimator) repeat(ctx context.Context, t *dag.Task, d *dataset, rows []int, model []byte,
	first [][]float64) error {
	half := random.New(s.Seed, s.Stream("estimator", "repeat")...).Perm(len(rows))[:(len(rows)+1)/2]
	again, err := s.start(ctx, t, d, "repeat", lists.At(rows, half), model)
	if err != nil {
		return err
	}
	largest, apart := 0.0, 0.0
	for k, p := range again.prediction {
		for j, x := range p {
			y := first[half[k]][j]
			largest, apart = max(largest, math.Abs(x), math.Abs(y)), max(apart, math.Abs(x-y))
		}
	}
	if apart > mostApart*largest {
		return again.dependent(fmt.Sprintf("differ by %.2g if a new process predicts only %d of the %d rows", apart, len(half), len(rows)))
	}
	return nil
}

// A modelRow is the one row about the model that was fitted.
type modelRow struct {
	Factory string `column:"factory"`
	Class   string `column:"class" doc:"of the fitted model"`
	Inputs  int64  `column:"inputs" doc:"numbers a graph; of series, a volume; of graphs, features"`
	Graphs  int64  `column:"graphs" doc:"trained on"`
	Used    string `column:"arguments" doc:"of fit, beside X and y"`
	Note    string `column:"note"`
	Warning string `column:"warning" doc:"what the row warns of, for programs: a JSON list of findings; empty if none"`
}

// Code of more bytes than mostCode, or in a format of data, may contain the answers.
const mostCode = 1 << 20

var dataFormats = []string{"npy", "npz", "csv", "tsv", "arrow", "parquet", "pkl", "h5", "hdf5", "mat", "xlsx", "pt",
	"pth", "joblib", "rds", "json", "db", "sqlite"}

// warned warns of files of the code that may contain labels of test participants, and of what the model has and the
// stage ignores.
func warned(code []dag.Input, fitted, tested *result) string {
	var all finding.List
	var files []string
	for _, in := range code {
		if in.Ref.Size > mostCode || slices.Contains(dataFormats, in.Ref.Format) {
			files = append(files, cmp.Or(in.Coord("file"), path.Base(in.Name)))
		}
	}
	if files != nil {
		all.Add(finding.Warning("estimator.data", map[string]any{"Files": files}))
	}
	if tested.Contradicted > 0 {
		all.Add(finding.Warning("estimator.predict", map[string]any{"N": tested.Contradicted,
			"Of": len(tested.prediction), "Function": tested.Function}))
	}
	if fitted.Pairs > 0 {
		all.Add(finding.Warning("estimator.pairs", map[string]any{"N": fitted.Pairs}))
	}
	return finding.Written(all)
}

// sums are the weights of the regions, over the decision values of a model, for each graph.
func sums(regions *encoding.Table, n, graphs int) ([][]float64, error) {
	rows, err := column.Rows[struct {
		Index  int32   `column:"index"`
		Weight float64 `column:"weight,missing"`
	}](regions)
	of := make([]float64, n)
	for _, r := range rows {
		of[r.Index-1] += r.Weight
	}
	return slices.Repeat([][]float64{of}, graphs), err
}

// files are the names of the code's files, from its directory.
func (s *Estimator) files(t *dag.Task) (names []string, err error) {
	for _, in := range t.All(codePort) {
		name := in.Coord("file")
		if name == "" { // of one file, which has the module
			module, _, _ := strings.Cut(s.Factory, ":")
			name = strings.ReplaceAll(module, ".", "/") + ".py"
		}
		if path.Clean(name) != name || strings.HasPrefix(name, "../") || path.IsAbs(name) ||
			slices.Contains(names, name) {
			return nil, fmt.Errorf("code: %s (%s): connect the directory of the module, or its only file", in.Name, name)
		}
		names = append(names, name)
	}
	module, _, _ := strings.Cut(s.Factory, ":")
	at := strings.ReplaceAll(module, ".", "/")
	if !slices.Contains(names, at+".py") && !slices.Contains(names, at+"/__init__.py") {
		return nil, fmt.Errorf("factory: the code has no module %s (%s.py): it has %s", module, at, strings.Join(names, ", "))
	}
	return names, nil
}
