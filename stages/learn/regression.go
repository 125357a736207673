package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/gnn/network"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference/confound"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var regressionKind = dag.Kind{
	Name: "regression",
	Doc: "trains a regression model of a number, such as age or a score\n" +
		"For a cohort with the parameter target, and folds of split with label: target. One task is one model: fan out with matrix: { model: [mean, ridge, kernel-ridge], fold: all }. The inputs are the upper triangle of each Pearson matrix, or of each tangent matrix of the stage project. The target is z-scored by mean and SD of the training participants of the fold, and predictions are given in its own units. All draws of a participant are on one side, and nothing is fitted to test participants.",
	New: func() dag.Stage {
		return &Regression{Model: "kernel-ridge", Params: fold.First(), Transform: "own", Standardize: "none",
			Diagonal: true, OffDiagonal: "plain", C: 1, Epsilon: 0.1, Tolerance: 1e-3, Penalty: 1,
			Penalties: baseline.CBIG(), Inner: 5, Trees: 1000, Hidden: []int{20}, Epochs: 100, Batch: 100,
			LearningRate: 1e-3}
	},
	MaxThreads: 8,
	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Base: 512 << 20, Each: 700e3}.For,
}

var (
	_ role.Trainer   = (*Regression)(nil)
	_ role.DataUser  = (*Regression)(nil)
	_ role.PortUser  = (*Regression)(nil)
	_ role.InputUser = (*Regression)(nil)
)

// Regression trains one model of a number.
type Regression struct {
	Model string `param:"model" doc:"the model; mean: always predicts the mean of the training participants; ridge: ridge regression; kernel-ridge: kernel ridge regression, the kernel being the correlation of two participants across their inputs; svr: support vector regression with a linear kernel, rbf-svr: with an RBF kernel; forest: random forest of regression trees; mlp: multilayer perceptron with one output" choices:"mean|ridge|kernel-ridge|svr|rbf-svr|forest|mlp"`
	fold.Params
	Transform   string  `param:"transform" doc:"transform of the correlations: none, fisher (z = atanh r, |r| at most 0.9999999), or own, the model's default: fisher for ridge, none for the others" choices:"own|none|fisher"`
	Standardize string  `param:"standardize" doc:"z-score each input by the mean and SD of the training graphs" choices:"none|training"`
	Diagonal    bool    `param:"diagonal" doc:"tangent: the diagonal is among the inputs, divided by √2 as in nilearn"`
	OffDiagonal string  `param:"offdiagonal" doc:"tangent: entries off the diagonal as they are (plain, nilearn), or times √2 (sqrt2)" choices:"plain|sqrt2"`
	C           float64 `param:"c" of:"svr rbf-svr" doc:"inverse regularization strength C, for the z-scored target" min:"1e-9"`
	Epsilon     float64 `param:"epsilon" of:"svr rbf-svr" doc:"errors up to ε of the z-scored target cost nothing" min:"0"`
	Gamma       float64 `param:"gamma" of:"rbf-svr" doc:"γ of the kernel exp(−γ‖x−y‖²)" zero:"1/(number of inputs × their variance in training)" min:"0"`
	Tolerance   float64 `param:"tolerance" of:"svr rbf-svr" doc:"tolerance of the optimality conditions" min:"1e-12"`
	Penalty     float64 `param:"penalty" of:"ridge" doc:"weight of ‖w‖² relative to the squared errors of the z-scored target" min:"1e-9"`

	Penalties []float64 `param:"penalties" of:"kernel-ridge" doc:"λ, ascending; of several, the one with the largest R² about the training mean in inner folds of the training participants is used (default: those of CBIG)" min:"0"`
	Inner     int       `param:"inner" of:"kernel-ridge" doc:"inner folds, by participant and stratified by the target" min:"2"`

	Trees int `param:"trees" of:"forest" doc:"number of trees, grown to the end" min:"1" max:"100000"`
	Tried int `param:"tried" of:"forest" doc:"inputs tried at each split" zero:"a third of them" min:"0"`

	Hidden       []int   `param:"hidden" of:"mlp" doc:"hidden widths" min:"1" max:"4096"`
	Epochs       int     `param:"epochs" of:"mlp" doc:"epochs" min:"1"`
	Batch        int     `param:"batch" of:"mlp" doc:"graphs per step" min:"1" max:"1000000"`
	LearningRate float64 `param:"learning_rate" of:"mlp" doc:"learning rate of Adam, for the mean squared error of the z-scored target" min:"1e-12"`
	Orders       int     `param:"orders" doc:"learning curve: number of random orders of the training participants of a fold, at least 5; in each order the model is trained again on the first 10, 20, 35, 50 and 75%, and tested on the same participants, for the kind learning-curve" zero:"none" min:"0" max:"1000"`
	Seed         uint64  `param:"seed" doc:"seed of the inner folds, the trees of a forest, and the initial weights and the order of the graphs of an mlp, and the orders of a learning curve"`
}

// UsesPorts are each participant's data, of one setting, the checks, and what changes no prediction.
func (*Regression) UsesPorts() []role.PortUse {
	return append(fold.AfterChecks(role.OneSettingOf("pearson", "tangent")...),
		append(role.Uses(role.Aside, "nodes", "quality", "removed", "harmonized", "permuted", "given"),
			role.QualityOf("pearson", "tangent"))...)
}

// Ports are the stage's inputs and outputs.
func (*Regression) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "pearson", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's correlation matrices; this or tangent is needed"},
			{Name: "tangent", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's tangent matrices, from the stage project, in place of pearson"},
			{Name: "fitted", Type: column.Type[region.ReferenceRow](), Optional: true, Doc: "tangent: the reference of this fold, from the stage tangent; refused if a test participant was used for it"},
			{Name: "folds", Type: column.Type[fold.NumberMember](), Doc: "the assignment to folds, of split with label: target"},
			{Name: "targets", Type: column.Type[fold.TargetRow](), Optional: true, Doc: "deconfound's targets of this fold, for training on the number without what covariates explain; refused when a test participant was used for it"},
			nodesPort, qualityPort, removedPort, harmonizedPort,
			permutedPort, givenPort,
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "predictions", Type: column.Type[fold.NumberRow](), Doc: "of every graph; with targets connected, the predicted residual plus the mean of the training participants, beside the original number"},
			{Name: "residuals", Type: column.Type[fold.NumberRow](), Doc: "the predicted residual beside the residual; no rows without targets"},
			{Name: "regions", Type: column.Type[regionWeight](), Doc: "ridge, kernel-ridge, svr: the model's weight of each region; no rows for the others"},
			{Name: "model", Type: column.Type[modelRow](), Doc: "the fitted model; parameters counted as those of baseline"},
			filePort,
			{Name: "curve", Type: column.Type[column.NumberSubsetRow](), Doc: "orders: the model trained on parts of the training participants, and tested, for learning-curve; no rows without orders"},
			{Name: "permuted", Type: column.Type[fold.PermutedNumberRow](), Doc: "the model retrained on each label permutation, and tested, for evaluate-regression; no rows without the input permuted, in repeats after the first, for more than 11,585 graphs, and for svr, rbf-svr, forest and mlp"},
			givenOut,
		},
	}
}

// Validate checks parameters against each other.
func (s *Regression) Validate() []error {
	return allOf(errors.Join(checkOrders(s.Orders), checkPenalties(s.Penalties), checkWeights("hidden", s.Hidden)))
}

// checkPenalties refuses none, and those that do not ascend.
func checkPenalties(penalties []float64) error {
	if penalties == nil || !slices.IsSorted(penalties) {
		return fmt.Errorf("penalties: %v: want one or more, the smallest first", penalties)
	}
	return nil
}

// A scale is mean and standard deviation (n in the denominator) of the numbers of the training participants.
type scale struct{ mean, sd float64 }

// scaleOf is that of the training side of a set; each participant counts once.
func scaleOf(rows []fold.Row) (scale, error) {
	var s scale
	var numbers []float64
	for i, r := range rows {
		if r.Side == 0 && (i == 0 || rows[i-1].Id != r.Id) { // the draws of a participant follow each other
			numbers = append(numbers, r.Target)
		}
	}
	for _, v := range numbers {
		s.mean += v
	}
	s.mean /= float64(len(numbers))
	for _, v := range numbers {
		s.sd += float64((v - s.mean) * (v - s.mean))
	}
	s.sd = math.Sqrt(s.sd / float64(len(numbers)))
	if !slices.ContainsFunc(numbers, func(v float64) bool { return v != numbers[0] }) {
		return s, fmt.Errorf("all training participants have the same number to predict, %v: divide the participants otherwise", s.mean)
	}
	return s, nil
}

// RefusesFolds is that of Baseline.
func (s *Regression) RefusesFolds(planned *encoding.Table, graphs int) error {
	of := Baseline{Model: s.Model, Params: s.Params, Penalties: s.Penalties, Inner: s.Inner}
	if s.paired() {
		return fewEnough(planned, s.Params, s.Model, graphs)
	}
	return of.RefusesFolds(planned, graphs)
}

// paired reports whether the model compares each training graph with each.
func (s *Regression) paired() bool { return s.Model == "svr" || s.Model == "rbf-svr" }

// form is how this model sees the matrices that are connected.
func (s *Regression) form(has func(port string) bool) (modelfile.Form, error) {
	return formOf(has, s.Model == "ridge", false, s.Transform, s.Diagonal, s.OffDiagonal)
}

// RefusesInputs requires matrices, and their reference where they have one.
func (s *Regression) RefusesInputs(has func(port string) bool) error {
	for _, port := range []string{"permuted", "given"} {
		if has("targets") && has(port) {
			return fmt.Errorf("targets and %s are both connected: permuted labels are not deconfounded; connect one of the two (%[1]s: null)", port)
		}
	}
	if has("targets") && s.Orders > 0 {
		return errors.New("orders: a learning curve trains on the number itself, but targets (deconfound) is connected: leave one of the two out")
	}
	_, err := s.form(has)
	return err
}

// residualTargets puts the residuals of a fit in place of the numbers to predict, and returns the rows as they were,
// and what was removed; nil without a fit.
func (s *Regression) residualTargets(t *dag.Task, set *rowSet) (whole []fold.Row,
	removed *modelfile.Residual, err error) {
	if !t.Has("targets") {
		return nil, nil, nil
	}
	in := t.In("targets")
	facts, table, err := region.ReadFit[struct {
		Fold, Repeat int
		Covariates   []string
	}](in, "deconfound")
	if err != nil {
		return nil, nil, err
	}
	removed = &modelfile.Residual{Covariates: facts.Covariates}
	if removed.Removal, err = column.MetaOf[*confound.Removal](table.Meta, fold.RemovalMeta); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	d, err := s.Divide(t.In("folds"))
	if err == nil {
		err = d.RefuseFit(in, facts.Repeat, facts.Fold)
	}
	if err != nil {
		return nil, nil, err
	}
	rows, err := column.Rows[fold.TargetRow](table)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	targets := map[string]fold.TargetRow{}
	for _, r := range rows {
		targets[r.ID] = r
	}
	whole = slices.Clone(set.rows)
	for i := range set.rows {
		r := &set.rows[i]
		switch one, ok := targets[r.Id]; {
		case !ok || one.Target != r.Target:
			return nil, nil, fmt.Errorf("%s: the number to predict of %s is not that of %s: connect deconfound with the same folds, and what: target", in.Name, r.Id, t.In("folds").Name)
		case math.IsNaN(one.Residual):
			return nil, nil, fmt.Errorf("%s: the covariates of %s cannot be removed: %s: fill them in, exclude the participant, or set missing: indicator in the stage deconfound", in.Name, r.Id, one.Why)
		default:
			r.Target = one.Residual
		}
	}
	return whole, removed, nil
}

// Run trains.
func (s *Regression) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	form, err := s.form(t.Has)
	if err != nil {
		return nil, err
	}
	set, err := readRows(t, s.Params, form, s.Standardize, s.paired())
	if err != nil {
		return nil, err
	}
	set.number = true
	whole, removed, err := s.residualTargets(t, set)
	if err != nil {
		return nil, err
	}
	unit, err := scaleOf(set.rows)
	if err != nil {
		return nil, fmt.Errorf("%s, fold %d: %w", t.In("folds").Name, s.Fold, err)
	}
	var y []float64
	for _, r := range set.rows {
		if r.Side == 0 {
			y = append(y, (r.Target-unit.mean)/unit.sd)
		}
	}
	model, err := s.fit(ctx, t, set, y)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Model, err)
	}
	decided := inSet(set, model.Decide(set.all, t.Threads))
	residuals := column.Table([]fold.NumberRow(nil))
	if whole != nil {
		residuals = numberTable(s.Params, set.trainingSet, decided, unit, s.Model, nil)
		of, err := scaleOf(whole)
		if err != nil {
			return nil, err
		}
		removed.Mean = of.mean
		unit.mean += of.mean
		set.rows = whole
	}
	weights, err := regionWeights(form, t, model, set, []string{column.Target})
	if err != nil {
		return nil, err
	}
	permuted, given, err := s.retrain(ctx, t, set, unit)
	if err != nil {
		return nil, err
	}
	regions := make([]regionWeight, len(weights))
	for i, w := range weights {
		regions[i] = w.regionWeight
		regions[i].Weight, regions[i].Pattern = w.Weight*unit.sd, w.Pattern*unit.sd
	}
	curve, err := s.curve(ctx, t, set, decided, unit, form.Port)
	if err != nil {
		return nil, err
	}
	file, err := set.file(t, s.Params, modelfile.Header{Format: modelfile.Format, Model: s.Model,
		Target: &[2]float64{unit.mean, unit.sd}, Residual: removed, Calibrated: true}, baseline.Store(model), nil)
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"file":        file,
		"curve":       curve,
		"residuals":   residuals,
		"predictions": numberTable(s.Params, set.trainingSet, decided, unit, s.Model, nil),
		"regions":     column.Table(regions),
		"permuted":    column.Table(permuted),
		"given":       column.Table(given),
		"model": column.Table([]modelRow{{s.Model, int64(set.train.D), int64(model.Parameters()), int64(set.train.N),
			set.noted(model.Note())}}),
	}, nil
}

// fit trains the model that was asked for, to z-scored targets.
func (s *Regression) fit(ctx context.Context, t *dag.Task, set *rowSet, y []float64) (baseline.Regressor, error) {
	x := set.train
	svm := baseline.SVM{Kernel: "linear", C: s.C, Gamma: s.Gamma, Tolerance: s.Tolerance}
	switch s.Model {
	case "mean":
		return baseline.Mean(y), nil
	case "ridge":
		return baseline.RidgeTo(x, y, s.Penalty, t.Threads)
	case "kernel-ridge":
		inner, err := innerRows(set.trainingSet, s.Params, s.Penalties, s.Inner, s.Seed, t.In("folds").Name)
		if err != nil {
			return nil, err
		}
		return baseline.KernelRidgeTo(ctx, baseline.KernelRidge{Penalties: s.Penalties, Inner: inner}, x, y, t.Threads)
	case "forest":
		var grown atomic.Int64
		o := baseline.Forest{Trees: s.Trees, Features: s.Tried, Seed: s.Seed, Stream: s.Stream()}
		return baseline.ForestTo(ctx, o, x, y, t.Threads, func() { t.Progress(int(grown.Add(1)), s.Trees, "trees") })
	case "mlp":
		return baseline.MLPTo(ctx, s.Hidden, network.Training{Epochs: s.Epochs, Batch: s.Batch, Rate: s.LearningRate,
			Seed: s.Seed, Stream: s.Stream(s.Model), Threads: t.Threads,
			Progress: func(e network.Epoch) {
				t.Progress(e.Number, s.Epochs, fmt.Sprintf("epoch %d, squared error %.3f", e.Number, e.Loss))
			}}, x, y)
	case "rbf-svr":
		svm.Kernel = "rbf"
	}
	return baseline.SVMTo(ctx, svm, s.Epsilon, x, y, t.Threads)
}

// numberTable has the predictions of all graphs, in the units of the target.
func numberTable(s fold.Params, set *trainingSet, predicted []float64, unit scale, model string,
	leaks []column.Leak) *encoding.Table {
	rows := make([]fold.NumberRow, len(set.rows))
	for i, r := range set.rows {
		rows[i] = fold.NumberRow{ID: r.Id, Target: r.Target, Draw: int32(r.Draw), Fold: int32(s.Fold),
			Repeat: int32(s.Repeat), Set: fold.SideNames[r.Side],
			Predicted: unit.mean + float64(unit.sd*predicted[i])}
	}
	table := column.Table(rows)
	return set.described(table, model, leaks)
}
