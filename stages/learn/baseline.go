package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/gnn/network"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/learn/split"
	"prgnn/stages/region"
	"prgnn/stages/region/sitefit"
	"prgnn/stages/role"
)

var baselineKind = dag.Kind{
	Name: "baseline",
	Doc: "trains a baseline classifier on the same folds as PR-GNN\n" +
		"One task is one model: fan out with matrix: { model: [majority, svm, ridge], fold: all }, and give the predictions to evaluate beside those of train. The inputs are the upper triangle of each Pearson matrix, or of each tangent matrix of the stage project. " +
		"All draws of a participant are on one side, and nothing is fitted to test participants.",
	New: func() dag.Stage {
		cnn := baseline.Kawahara()
		return &Baseline{Model: "svm", Params: fold.First(), Transform: "own", Standardize: "none",
			Diagonal: true, OffDiagonal: "plain", C: 1,
			Tolerance: 1e-3, Penalty: 1, Penalties: baseline.CBIG(), Inner: 5, Trees: 1000,
			Hidden: []int{20}, Channels: []int{cnn.Edges[0], cnn.Edges[1], cnn.Nodes, cnn.Hidden[0]},
			FullWidths: cnn.Hidden[1:], Slope: cnn.Slope, Dropout: cnn.Dropout,
			Widths: []int{16, 16}, GraphHidden: []int{16, 8}, Ratio: 0.5}
	},
	MaxThreads: 8,
	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Base: 512 << 20, Each: 700e3}.For,
}

var (
	_ role.Trainer   = (*Baseline)(nil)
	_ role.DataUser  = (*Baseline)(nil)
	_ role.PortUser  = (*Baseline)(nil)
	_ role.InputUser = (*Baseline)(nil)
)

// Baseline trains one classifier that is not PR-GNN.
type Baseline struct {
	Model string `param:"model" doc:"the classifier; majority: always predicts the largest group; svm: support vector machine with an RBF kernel, forest: random forest, mlp: multilayer perceptron, brainnetcnn: Kawahara et al. 2017, li2019: Li et al. 2019 (the five of the paper's Table 2); linear-svm; ridge: regression to ±1; logistic: regression with an L2 penalty; kernel-ridge: kernel ridge regression to ±1, the kernel being the correlation of two participants across their inputs" choices:"majority|svm|forest|mlp|brainnetcnn|li2019|linear-svm|ridge|logistic|kernel-ridge"`
	fold.Params
	Transform   string  `param:"transform" doc:"transform of the correlations: none, fisher (z = atanh r, |r| at most 0.9999999), or own, the model's default: fisher for ridge and logistic, none for the others" choices:"own|none|fisher"`
	Standardize string  `param:"standardize" doc:"z-score each input by the mean and SD of the training graphs (not for li2019)" choices:"none|training"`
	Diagonal    bool    `param:"diagonal" doc:"tangent: the diagonal is among the inputs, divided by √2 as in nilearn (brainnetcnn: never)"`
	OffDiagonal string  `param:"offdiagonal" doc:"tangent: entries off the diagonal as they are (plain, nilearn), or times √2 (sqrt2)" choices:"plain|sqrt2"`
	C           float64 `param:"c" of:"svm linear-svm logistic" doc:"inverse regularization strength C" min:"1e-9"`
	Gamma       float64 `param:"gamma" of:"svm" doc:"γ of the kernel exp(−γ‖x−y‖²)" zero:"1/(number of inputs × their variance in training)" min:"0"`
	Tolerance   float64 `param:"tolerance" of:"svm linear-svm" doc:"tolerance of the optimality conditions" min:"1e-12"`
	Penalty     float64 `param:"penalty" of:"ridge" doc:"weight of ‖w‖² relative to the squared errors" min:"1e-9"`

	Penalties []float64 `param:"penalties" of:"kernel-ridge" doc:"λ, ascending; of several, the one with the smallest squared error in inner folds of the training participants is used (default: those of CBIG)" min:"0"`
	Inner     int       `param:"inner" of:"kernel-ridge" doc:"inner folds, by participant and stratified by group" min:"2"`

	Trees int `param:"trees" of:"forest" doc:"number of trees" min:"1" max:"100000"`
	Tried int `param:"tried" of:"forest" doc:"inputs tried at each split" zero:"the square root of their number" min:"0"`

	Hidden       []int   `param:"hidden" of:"mlp" doc:"hidden widths" min:"1" max:"4096"`
	Channels     []int   `param:"channels" of:"brainnetcnn" doc:"channels of its E2E, E2E, E2N and N2G layers" min:"1" max:"1024"`
	FullWidths   []int   `param:"full_widths" of:"brainnetcnn" doc:"widths of the hidden fully connected layers" min:"1" max:"4096"`
	Slope        float64 `param:"slope" of:"brainnetcnn" doc:"negative slope of the leaky ReLU" min:"0" max:"1"`
	Dropout      float64 `param:"dropout" of:"brainnetcnn" doc:"dropout rate after N2G and the hidden fully connected layers" min:"0" max:"0.99"`
	Widths       []int   `param:"widths" of:"li2019" doc:"output width of each block; with [32, 32] and graph_hidden [32, 8] it has the 16 thousand parameters of the paper's Table 2" min:"1" max:"4096"`
	GraphHidden  []int   `param:"graph_hidden" of:"li2019" doc:"hidden widths of its MLP" min:"1" max:"4096"`
	Ratio        float64 `param:"ratio" of:"li2019" doc:"share of the nodes that each pooling keeps, rounded up" min:"0.01" max:"1"`
	Epochs       int     `param:"epochs" of:"mlp brainnetcnn li2019" doc:"epochs" zero:"the model's default, 100; for brainnetcnn, the number for 700 steps, at least 10" min:"0"`
	Batch        int     `param:"batch" of:"mlp brainnetcnn li2019" doc:"batch size in graphs" zero:"the model's default, 100; for brainnetcnn 14" min:"0" max:"1000000"`
	LearningRate float64 `param:"learning_rate" of:"mlp brainnetcnn li2019" doc:"initial learning rate" zero:"0.001 (Adam, which li2019 halves every 20 epochs; for brainnetcnn SGD, momentum 0.9, weight decay 0.0005, whose own rate of 0.01 diverges on correlations)" min:"0"`
	Orders       int     `param:"orders" doc:"learning curve: number of random orders of the training participants of a fold, at least 5; in each order the model is retrained on the first 10, 20, 35, 50 and 75% of each group, and tested on the same participants, for the kind learning-curve" zero:"none" min:"0" max:"1000"`
	Seed         uint64  `param:"seed" doc:"seed of initial weights, order of the graphs, dropout, the trees of a forest, and the orders of a learning curve"`
}

// UsesPorts are each participant's data, of one setting, the checks, and what changes no prediction.
func (*Baseline) UsesPorts() []role.PortUse {
	return append(fold.AfterChecks(role.OneSettingOf("pearson", "tangent", "states", "edges", "features")...),
		append(role.Uses(role.Aside, "nodes", "quality", "removed", "harmonized", "permuted", "given"),
			role.QualityOf("pearson", "tangent"))...)
}

func (*Baseline) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "pearson", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's correlation matrices; all models but li2019 need these or tangent"},
			{Name: "tangent", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's tangent matrices, from the stage project, in place of pearson"},
			{Name: "fitted", Type: column.Type[region.ReferenceRow](), Optional: true, Doc: "tangent: the reference of this fold, from the stage tangent; refused if a test participant was used for it"},
			{Name: "states", Type: dag.NPY("<f8", "draw", "state", "feature"), Gather: true, Optional: true, Doc: "each participant's features of connectivity states, of the stage occupancy, in place of pearson"},
			{Name: "states_fitted", Type: column.Type[region.StateRow](), Optional: true, Doc: "states: the states of this fold, of the stage states; refused when a test participant was used for them"},
			{Name: "edges", Type: column.Type[column.EdgeRow](), Gather: true, Optional: true, Doc: "li2019: the edges of each participant's graphs, as for train"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Optional: true, Doc: "li2019: their node features"},
			{Name: "folds", Type: column.Type[fold.Member](), Doc: "the assignment to folds"},
			nodesPort, qualityPort, removedPort, harmonizedPort,
			permutedPort, givenPort,
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "predictions", Type: column.Type[fold.PredictionRow](),
				Doc: "of every graph, as those of train; of svm, linear-svm, ridge and kernel-ridge the probability is 1/(1+exp(−f)) of the decision value f, not calibrated, and with more than two groups the softmax of one value a group"},
			{Name: "history", Type: column.Type[baselineEpochRow](), Doc: "mlp, brainnetcnn, li2019: losses and accuracies per epoch, as in train; no rows for the other models"},
			{Name: "regions", Type: column.Type[regionWeightRow](), Doc: "linear-svm, ridge, logistic, kernel-ridge: the model's weight of each region; no rows for the others"},
			{Name: "model", Type: column.Type[modelRow](), Doc: "the fitted model; parameters counted as in the paper's Table 2: for svm and forest, the number of inputs"},
			filePort,
			{Name: "curve", Type: column.Type[column.SubsetRow](), Doc: "orders: the model trained on parts of the training participants, and tested, for learning-curve; no rows without orders"},
			{Name: "permuted", Type: column.Type[fold.PermutedRow](), Doc: "the model retrained on each label permutation, and tested, for evaluate; no rows without the input permuted, in repeats after the first, for more than 11,585 graphs, and for forest, mlp, brainnetcnn and li2019"},
			givenOut,
		},
	}
}

// Ports of the models that have a file.
var (
	nodesPort      = dag.Port{Name: "nodes", Type: dag.Arrow("name"), Optional: true, Doc: "the node list; the model file then records its regions and refuses others"}
	qualityPort    = dag.Port{Name: "quality", Type: dag.Arrow("draw"), Gather: true, Optional: true, Doc: "quality of each participant's matrices, of the stage that made them; the model file then records how they were made and refuses others"}
	removedPort    = dag.Port{Name: "removed", Type: column.Type[fold.CoefficientRow](), Optional: true, Doc: "for matrices of residualize: deconfound's coefficients of this fold; the model file then contains them, so the same effects are removed from the matrices of other participants. No prediction depends on it"}
	harmonizedPort = dag.Port{Name: "harmonized", Type: column.Type[sitefit.Row](), Optional: true, Doc: "for matrices of harmonize: combat's fit of this fold; the model file then contains it, so validate can harmonize new sites (harmonize). No prediction depends on it"}
	filePort       = dag.Port{Name: "file", Type: dag.Format("npz"), Doc: "the trained model in one file, for the kind validate and for numpy.load: every array by name, and model.json with its description"}
)

// InEpochs reports whether the model is a network.
func (s *Baseline) InEpochs() bool {
	return slices.Contains([]string{"mlp", "brainnetcnn", "li2019"}, s.Model)
}

// PredictsLargest reports whether the largest group is predicted, always.
func (s *Baseline) PredictsLargest() bool { return s.Model == "majority" }

// Validate checks parameters against each other.
func (s *Baseline) Validate() []error {
	var errs []error
	if len(s.Channels) != 4 {
		errs = append(errs, fmt.Errorf("channels: %d numbers, expected four: two E2E layers, E2N and N2G", len(s.Channels)))
	}
	if len(s.Widths) == 0 {
		errs = append(errs, fmt.Errorf("widths: li2019 needs at least one block"))
	}
	return append(errs, allOf(errors.Join(
		checkOrders(s.Orders),
		checkPenalties(s.Penalties),
		checkWeights("hidden", s.Hidden),
		checkWeights("full_widths", s.FullWidths),
		checkWeights("widths and graph_hidden", slices.Concat(s.Widths, s.GraphHidden))))...)
}

// A ratedSet is what a model says of all graphs: a probability for each of them
// and each group.
type ratedSet struct {
	set         *trainingSet
	probability []float64
	inputs      int // numbers a graph
	taught      int // graphs trained on
	parameters  int
	note        string
	history     []network.Epoch // of a network
	regions     []regionWeightRow
	permuted    []fold.PermutedRow
	given       []fold.GivenRow
	curve       *encoding.Table
	file        artifacts.Bytes
}

// A modelRow is the one row about the model that was fitted.
type modelRow struct {
	Model      string `column:"model"`
	Inputs     int64  `column:"inputs" doc:"numbers a graph"`
	Parameters int64  `column:"parameters" doc:"counted as in the paper's Table 2"`
	Graphs     int64  `column:"graphs" doc:"trained on"`
	Note       string `column:"note"`
}

// RefusesFolds says, from the planned folds and the graphs of a participant, why there can be no inner folds, or that
// there are too many graphs.
func (s *Baseline) RefusesFolds(planned *encoding.Table, graphs int) error {
	if s.paired() {
		return fewEnough(planned, s.Params, s.Model, graphs)
	}
	if s.Model != "kernel-ridge" || len(s.Penalties) < 2 {
		return nil
	}
	return split.EnoughInside(planned, s.Params, s.Inner, "inner")
}

// RefusesInputs requires graphs, or matrices with their reference where they have one.
func (s *Baseline) RefusesInputs(has func(port string) bool) error {
	if s.Model != "li2019" {
		_, err := s.form(has)
		return err
	}
	if !has("edges") || !has("features") {
		return errors.New(`li2019 is a graph network: connect edges and features as for train (in: { edges: "graphs[*].edges", features: "graphs[*].features", … })`)
	}
	return nil
}

func (s *Baseline) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	run := s.onRows
	if s.Model == "li2019" {
		run = s.onGraphs
	}
	r, err := run(ctx, t)
	if err != nil {
		return nil, err
	}
	classes := len(r.set.groups)
	predictions := make([]gnn.Prediction, len(r.set.rows))
	for i := range predictions {
		predictions[i] = modelfile.PredictionOf(r.probability[i*classes:][:classes])
	}
	table := predictionTable(s.Params, r.set, predictions, s.Model, nil)
	if t.Has("states") {
		table.Meta["inputs"] = "connectivity states"
	}
	history := baselineHistory(r.history, r.set.majority())
	history.Meta = map[string]string{"model": s.Model}
	return dag.Outputs{
		"predictions": table,
		"history":     history,
		"regions":     column.Table(r.regions),
		"permuted":    column.Table(r.permuted),
		"given":       column.Table(r.given),
		"curve":       r.curve,
		"file":        r.file,
		"model": column.Table([]modelRow{{s.Model, int64(r.inputs), int64(r.parameters),
			int64(r.taught), r.set.noted(r.note)}}),
	}, nil
}

// paired reports whether the model compares each training graph with each.
func (s *Baseline) paired() bool { return s.Model == "svm" || s.Model == "linear-svm" }

// onRows is for models that see a row of numbers a matrix.
func (s *Baseline) onRows(ctx context.Context, t *dag.Task) (*ratedSet, error) {
	form, err := s.form(t.Has)
	if err != nil {
		return nil, err
	}
	set, err := readRows(t, s.Params, form, s.Standardize, s.paired())
	if err != nil {
		return nil, err
	}
	if slices.Contains([]string{"ridge", "svm", "linear-svm", "logistic"}, s.Model) {
		set.pairedFor(t, s.Params)
	}
	r := &ratedSet{set: set.trainingSet, inputs: set.train.D, taught: set.train.N}
	model, err := s.fitRows(ctx, t, set, &r.history)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Model, err)
	}
	r.probability = inSet(set, model.Probability(set.all, t.Threads))
	r.parameters, r.note = model.Parameters(), model.Note()
	if r.regions, err = regionWeights(form, t, model, set, set.groups); err != nil {
		return nil, err
	}
	if r.permuted, r.given, err = s.retrain(ctx, t, set); err != nil {
		return nil, err
	}
	if r.curve, err = s.curveOfRows(ctx, t, set, r, form.Port); err != nil {
		return nil, err
	}
	header := modelfile.HeaderOf(s.Model, set.groups, fold.Calibrated(s.Model))
	r.file, err = set.file(t, s.Params, header, baseline.Store(model), nil)
	return r, err
}

// fitRows trains the model on the training side of a set; history is that of a network.
func (s *Baseline) fitRows(ctx context.Context, t *dag.Task, set *rowSet, history *[]network.Epoch) (
	baseline.Classifier, error) {
	train, label := set.train, set.label
	switch o := s.training(t, train.N, set.all.N-train.N, history); s.Model {
	case "mlp":
		return baseline.FitMLP(ctx, s.Hidden, o, set.all, label, len(set.groups))
	case "brainnetcnn":
		cnn := baseline.BrainNetCNN{Edges: [2]int{s.Channels[0], s.Channels[1]}, Nodes: s.Channels[2],
			Hidden: append([]int{s.Channels[3]}, s.FullWidths...), Slope: s.Slope, Dropout: s.Dropout}
		return baseline.FitBrainNetCNN(ctx, cnn, baseline.NodesOf(train.D), o, set.all, label, len(set.groups))
	case "kernel-ridge":
		inner, err := innerRows(set.trainingSet, s.Params, s.Penalties, s.Inner, s.Seed, t.In("folds").Name)
		if err != nil {
			return nil, err
		}
		return baseline.FitKernelRidge(ctx, baseline.KernelRidge{Penalties: s.Penalties, Inner: inner}, train,
			label[:train.N], len(set.groups), t.Threads)
	}
	return s.fit(ctx, t, train, label[:train.N], len(set.groups))
}

// fit trains the model that was asked for, when it is no network.
func (s *Baseline) fit(ctx context.Context, t *dag.Task, x baseline.Rows, label []int,
	classes int) (baseline.Classifier, error) {
	switch s.Model {
	case "majority":
		return baseline.Majority(label, classes), nil
	case "forest":
		var grown atomic.Int64
		return baseline.FitForest(ctx, baseline.Forest{Trees: s.Trees, Features: s.Tried, Seed: s.Seed,
			Stream: s.Stream()}, x, label, classes, t.Threads,
			func() { t.Progress(int(grown.Add(1)), s.Trees, "trees") })
	case "ridge":
		return baseline.FitRidge(x, label, classes, s.Penalty, t.Threads)
	case "logistic":
		return baseline.FitLogistic(ctx, x, label, classes, s.C, t.Threads)
	case "linear-svm":
		return baseline.FitSVM(ctx, baseline.SVM{Kernel: "linear", C: s.C, Tolerance: s.Tolerance}, x, label,
			classes, t.Threads)
	default:
		return baseline.FitSVM(ctx, baseline.SVM{Kernel: "rbf", C: s.C, Gamma: s.Gamma, Tolerance: s.Tolerance}, x,
			label, classes, t.Threads)
	}
}

// onGraphs is for li2019, which sees what PR-GNN sees.
func (s *Baseline) onGraphs(ctx context.Context, t *dag.Task) (*ratedSet, error) {
	if err := s.RefusesInputs(t.Has); err != nil {
		return nil, err
	}
	var all []baseline.EdgeGraph
	set, err := (&Train{Params: s.Params}).read(t, func(r fold.Row, d gnn.Data) error {
		g := baseline.EdgeGraph{Nodes: d.Nodes, Features: d.Features, Edges: d.Edges}
		all = append(all, g)
		return g.Check()
	})
	if err != nil {
		return nil, err
	}
	o := baseline.Li2019{Widths: s.Widths, Hidden: s.GraphHidden, Ratio: s.Ratio}
	fit := func(keep func(r fold.Row) bool, history *[]network.Epoch) (baseline.GraphClassifier,
		[]baseline.EdgeGraph, error) {
		var sides [2][]baseline.EdgeGraph
		var label [2][]int
		for i, r := range set.rows {
			if r.Side == 1 || keep(r) {
				sides[r.Side], label[r.Side] = append(sides[r.Side], all[i]), append(label[r.Side], r.Label)
			}
		}
		training := s.training(t, len(sides[0]), len(sides[1]), history)
		model, err := baseline.FitLi2019(ctx, o, training, slices.Concat(sides[0], sides[1]),
			slices.Concat(label[0], label[1]), len(set.groups))
		return model, sides[1], err
	}
	r := &ratedSet{set: set, inputs: len(all[0].Features)}
	for _, row := range set.rows {
		r.taught += 1 - row.Side
	}
	model, _, err := fit(func(fold.Row) bool { return true }, &r.history)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Model, err)
	}
	r.probability, r.parameters, r.note = model.Probability(all, t.Threads), model.Parameters(), model.Note()
	r.curve, err = s.curve(ctx, t, set, r.probability, slices.ContainsFunc(t.All("features"), fold.MadeInFold),
		func(keep map[string]bool) ([]float64, error) {
			var history []network.Epoch
			model, tested, err := fit(func(r fold.Row) bool { return keep[r.Id] }, &history)
			if err != nil {
				return nil, err
			}
			return model.Probability(tested, t.Threads), nil
		})
	if err != nil {
		return nil, err
	}
	about, err := set.about(t, s.Params, modelfile.HeaderOf(s.Model, set.groups, true))
	if err == nil {
		r.file, err = graphNetworkFile(about, baseline.Store(model))
	}
	return r, err
}

// training is how a network is trained on n graphs and tested on others, with its own
// values where none are given. Kawahara et al. count steps; by 700 its loss is next to nothing.
func (s *Baseline) training(t *dag.Task, n, test int, history *[]network.Epoch) network.Training {
	o := network.Training{Epochs: 100, Batch: 100, Rate: 1e-3}
	switch s.Model {
	case "brainnetcnn":
		o = network.Training{Batch: 14, Rate: 1e-3, Momentum: 0.9, Decay: 5e-4}
	case "li2019":
		o.Halve = 20
	}
	if s.Batch > 0 {
		o.Batch = s.Batch
	}
	if s.Model == "brainnetcnn" {
		steps := (n + o.Batch - 1) / o.Batch // an epoch
		o.Epochs = max(10, (700+steps-1)/steps)
	}
	if s.Epochs > 0 {
		o.Epochs = s.Epochs
	}
	if s.LearningRate > 0 {
		o.Rate = s.LearningRate
	}
	o.Seed, o.Stream, o.Threads, o.Test = s.Seed, s.Stream(s.Model), t.Threads, test
	o.Progress = func(e network.Epoch) {
		*history = append(*history, e)
		t.Progress(e.Number, o.Epochs, fmt.Sprintf("epoch %d, loss %.3f, accuracy %.2f, test %.2f", e.Number, e.Loss, e.Accuracy, e.TestAccuracy))
	}
	return o
}

// A baselineEpochRow is one epoch of a network, with those columns of train's history that it has.
type baselineEpochRow struct {
	Epoch int32   `column:"epoch"`
	Rate  float64 `column:"rate" doc:"learning rate of the epoch"`
	Loss  float64 `column:"loss" doc:"mean over the training graphs during the epoch: ce"`
	CE    float64 `column:"ce" doc:"cross-entropy"`
	accuracyRow
}

func baselineHistory(history []network.Epoch, majority float64) *encoding.Table {
	rows := make([]baselineEpochRow, len(history))
	for i, e := range history {
		rows[i] = baselineEpochRow{int32(e.Number), e.Rate, e.Loss + e.Penalty, e.Loss,
			accuracies(e, majority)}
	}
	return column.Table(rows)
}
