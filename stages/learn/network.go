package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/gnn/baseline"
	"prgnn/gnn/network"
	"prgnn/gnn/rival"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/learn/split"
	"prgnn/stages/role"
)

var networkKind = dag.Kind{
	Name: "network",
	Doc: "trains another published network on the same folds as PR-GNN\n" +
		"model: bnt is the Brain Network Transformer (Kan et al. 2022): two transformer blocks over the regions, whose features are their rows of the correlation matrix, and a readout by clusters. The defaults are those of the released program, from which the published figures come. Training takes minutes to hours: 200 passes over all matrices. " +
		"model: braingnn is BrainGNN (Li et al. 2021): a graph convolution whose kernel depends on the region, through communities of regions that are learned, and TopK pooling. variant: paper is our reading of the paper; authors-code is the released program, whose edges are those of graph with rule: authors-code and percentile: 0. " +
		"model: meanmlp is meanMLP (Popov et al. 2024), a classifier of time series: one full layer with layer normalization for each volume, and the mean over time: the order of the volumes does not enter. Some training participants are held out for validation: training stops when their loss stops falling (patience), and the best epoch is kept. " +
		"One task is one model: fan out with matrix: { fold: all }, and give the predictions to evaluate beside those of train, and the scores to biomarkers.",
	New:        func() dag.Stage { return networkOf("", "paper") },
	Defaults:   func(s dag.Stage) dag.Stage { n := s.(*Network); return networkOf(n.Model, n.Variant) },
	Former:     []string{"bnt", "braingnn", "meanmlp"},
	MaxThreads: 8,
	Memory:     1 << 30,
}

var (
	_ role.Trainer  = (*Network)(nil)
	_ role.DataUser = (*Network)(nil)
	_ role.PortUser = (*Network)(nil)
)

// Network trains a network of others. A parameter without the tag of is one of all.
type Network struct {
	fold.Params
	Model        string  `param:"model" doc:"the network; it gives the parameters that are not set, and its inputs" choices:"bnt|braingnn|meanmlp"`
	Variant      string  `param:"variant" of:"braingnn" doc:"paper, as we read it, or authors-code: the released program; it gives the parameters that are not set" choices:"paper|authors-code"`
	Dropout      float64 `param:"dropout" doc:"dropout rate; bnt: of attention and within the blocks (0.1); braingnn: of the MLP (0; authors-code: 0.5); meanmlp: of the hidden values (0.49)" min:"0" max:"0.99"`
	Epochs       int     `param:"epochs" doc:"passes over the training graphs; meanmlp: at most (bnt: 200, braingnn: 100, meanmlp: 400)" min:"1"`
	Batch        int     `param:"batch" doc:"graphs per step; bnt drops a last incomplete batch (bnt: 16, braingnn: 100, meanmlp: 64)" min:"1" max:"1000000"`
	LearningRate float64 `param:"learning_rate" doc:"of Adam, at the start (bnt: 0.0001, braingnn: 0.001; authors-code: 0.01; meanmlp: 0.005)" min:"1e-9"`
	FinalRate    float64 `param:"final_rate" of:"bnt" doc:"final learning rate; it decreases along a cosine, step by step" min:"1e-9"`
	Halve        int     `param:"halve" of:"braingnn" doc:"halve the learning rate every this many epochs, with authors-code the first time an epoch earlier" zero:"never" min:"0"`
	WeightDecay  float64 `param:"weight_decay" of:"bnt braingnn" doc:"L2 weight decay (bnt: 0.0001, whose loss of a batch is the sum over its graphs; braingnn: 0; authors-code: 0.005)" min:"0"`
	Select       string  `param:"select" of:"braingnn" doc:"weights to keep: those of the last epoch (paper); or of the epoch, after the fifth, with the smallest validation loss (authors-code)" choices:"last|validation"`
	Validation   int     `param:"validation" of:"braingnn meanmlp" doc:"number of equal parts of the training participants, stratified by group; one of them is held out for validation, for braingnn with select: validation (braingnn: 4, meanmlp: 5)" min:"2"`
	Patience     int     `param:"patience" of:"meanmlp" doc:"epochs without a smaller validation loss after which training stops" min:"1"`
	Checkpoint   int     `param:"checkpoint" doc:"epochs between checkpoints, from which an interrupted training resumes" zero:"none" min:"0"`
	Seed         uint64  `param:"seed" doc:"of starting weights, order of the participants, dropout, mixtures, and the validation participants"`
	Transform    string  `param:"transform" of:"bnt braingnn" doc:"none, or fisher: Fisher's z with 0 on the diagonal, as in the released programs; for bnt of the correlations; for braingnn of the features, and of the magnitudes of the edge weights (default with authors-code)" choices:"none|fisher"`
	Hidden       int     `param:"hidden" of:"braingnn meanmlp" doc:"hidden width; for braingnn that of the MLP's second layer (512), that of the first is the second of widths; for meanmlp 160" min:"1" max:"65536"`
	ZScore       bool    `param:"zscore" of:"braingnn meanmlp" doc:"z-score for braingnn the pooling scores of a graph before the sigmoid, for meanmlp each region over time (population sd), otherwise series as they are, as in the released program: amplitude and scale, which carry the site, are then among the inputs"`
	Signed       bool    `param:"signed" of:"bnt meanmlp" doc:"scores with their sign, positive towards the second group (bnt: of layer 3); false: magnitudes"`

	Readout     string  `param:"readout" of:"bnt" doc:"authors-code: an MLP of all node features before the readout, and squared products with the cluster centers; paper: node features as they are, plain products, centers of length 1 (our reading); student_t: the released program's other option, Student's t kernel of the distance to the centers" choices:"authors-code|paper|student_t"`
	Heads       int     `param:"heads" of:"bnt" doc:"attention heads; features are padded with zeros to a multiple of them" min:"1" max:"64"`
	FeedForward int     `param:"feed_forward" of:"bnt" doc:"width of the full layers in the blocks" min:"1" max:"65536"`
	PosEncoding string  `param:"pos_encoding" of:"bnt" doc:"identity: 360 learned columns beside each region's row, the same for all participants, as the released program can; none: the row alone" choices:"none|identity"`
	Clusters    int     `param:"clusters" of:"bnt" doc:"clusters of the readout" zero:"100 from 200 regions on, else half of the regions" min:"0"`
	Clustering  float64 `param:"dec" of:"bnt" doc:"weight of the clustering loss: the mean over the regions of a batch of the Kullback-Leibler divergence between the cluster assignments and their sharpened target (Xie et al. 2016)" zero:"none" min:"0"`
	Mixup       bool    `param:"mixup" of:"bnt" doc:"train on mixtures of two participants, and of their groups"`

	Communities int       `param:"communities" of:"braingnn" doc:"communities of regions" min:"1" max:"4096"`
	Widths      []int     `param:"widths" of:"braingnn" doc:"output widths of the two convolutions" min:"1" max:"4096"`
	Ratio       float64   `param:"ratio" of:"braingnn" doc:"share of the nodes that each pooling keeps, rounded up" min:"0.000001" max:"1"`
	Edge        string    `param:"edge" of:"braingnn" doc:"neighbors are added up by edge weight, a node itself with weight 1; softmax: those weights through a softmax" choices:"sum|softmax"`
	ReLU        bool      `param:"relu" of:"braingnn" doc:"ReLU after each convolution"`
	ConvBias    bool      `param:"conv_bias" of:"braingnn" doc:"a bias after each convolution"`
	Augment     bool      `param:"augment" of:"braingnn" doc:"between the blocks, E becomes the off-diagonal of (E+I)²"`
	BatchNorm   bool      `param:"batch_norm" of:"braingnn" doc:"batch normalization in the MLP"`
	TPK         string    `param:"tpk" of:"braingnn" doc:"TopK pooling loss: of all nodes; code: of the kept nodes only, the upper part against the lower, as in the released program" choices:"all|code"`
	GLC         string    `param:"glc" of:"braingnn" doc:"group-level consistency loss, region by region: of sigmoids; mean: of scores before the sigmoid; sum: the same without the mean over pairs, as we remember the printed equation; code: of the kept nodes in the order of their rank, as in the released program" choices:"sigmoid|mean|sum|code"`
	Lambda      []float64 `param:"lambda" of:"braingnn" doc:"weights of the unit loss of the pooling vectors, of tpk and of glc" min:"0"`

	Layers      int    `param:"layers" of:"meanmlp" doc:"residual blocks after the first layer" min:"0" max:"20"`
	Attribution string `param:"attribution" of:"meanmlp" doc:"scores of the regions: gradient × input of the difference of the logits, summed over time; integrated: integrated gradients from a series of zeros" choices:"gradient|integrated"`
	Steps       int    `param:"steps" of:"meanmlp" doc:"attribution: integrated: number of steps" min:"1" max:"10000"`
}

// networkOf has the parameters of a model, and of a variant of it. Those of other models keep the values that these
// would have.
func networkOf(model, variant string) *Network {
	bnt, brain, mean := rival.ReleasedBNT(200, 2), rival.PaperBrainGNN(1, 1, 2), rival.ReleasedMeanMLP(1, 2)
	training := rival.PaperBrainGNNTraining()
	if model != "braingnn" {
		variant = "paper"
	}
	s := &Network{Params: fold.First(), Model: model, Variant: variant, Checkpoint: 10, Transform: "none",
		PosEncoding: "none", Select: "last", Validation: 4, Attribution: "gradient", Steps: 50,
		FinalRate: rival.BNTTraining().Cosine, Patience: rival.MeanMLPTraining().Patience}
	if variant == "authors-code" {
		brain, training = rival.AuthorsBrainGNN(1, 1, 2), rival.AuthorsBrainGNNTraining()
		s.Transform, s.Select = "fisher", "validation"
	}
	s.Halve = training.Halve
	copyFields(s, bnt)
	s.Clusters = 0
	copyFields(s, brain)
	s.Lambda = []float64{brain.LambdaUnit, brain.LambdaTPK, brain.LambdaGLC}
	switch model {
	case "bnt":
		training, s.Dropout = rival.BNTTraining(), bnt.Dropout
	case "meanmlp":
		training, s.Validation, s.Select = rival.MeanMLPTraining(), 5, "validation"
		copyFields(s, mean)
		s.Steps = 50
	case "":
		return s // epochs, batch and learning_rate have no default before the model is chosen
	}
	s.Epochs, s.Batch, s.LearningRate, s.WeightDecay = training.Epochs, training.Batch, training.Rate, training.Decay
	return s
}

// copyFields sets the fields of *to that from has under the same name, and of the same type.
func copyFields(to, from any) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	for i := range a.NumField() {
		if f := b.FieldByName(a.Type().Field(i).Name); f.IsValid() && f.Type() == a.Field(i).Type() {
			a.Field(i).Set(f)
		}
	}
}

// UsesPorts are each participant's data, of one setting, and the checks.
func (*Network) UsesPorts() []role.PortUse {
	return append(fold.AfterChecks(role.OneSettingOf("pearson", "edges", "features", "series")...),
		append(role.Uses(role.Aside, "nodes", "quality", "harmonized", "cleaning"), role.QualityOf("pearson"))...)
}

// Ports are those of the model; before it is chosen, those of all.
func (s *Network) Ports() dag.Ports {
	of := func(model string, ports ...dag.Port) []dag.Port {
		if s.Model == "" {
			for i := range ports {
				ports[i].Doc = model + ": " + ports[i].Doc
			}
		} else if s.Model != model {
			return nil
		}
		return ports
	}
	return dag.Ports{
		In: slices.Concat(
			of("bnt", dag.Port{Name: "pearson", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "each participant's correlation matrices"}),
			of("braingnn",
				dag.Port{Name: "edges", Type: column.Type[column.EdgeRow](), Gather: true, Doc: "the edges of each participant's graphs"},
				dag.Port{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Doc: "their node features"}),
			of("meanmlp", dag.Port{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Gather: true, Doc: "each participant's denoised time series; their lengths may differ"}),
			[]dag.Port{{Name: "folds", Type: column.Type[fold.Member](), Doc: "the assignment to folds"}, nodesPort},
			of("bnt", qualityPort, harmonizedPort),
			of("meanmlp", dag.Port{Name: "cleaning", Type: dag.Arrow("t_eff"), Gather: true, Optional: true, Doc: "quality of each participant's series, of the stage that cleaned them; the model file then records how they were made and refuses others"}),
			[]dag.Port{fold.LeakagePort()}),
		Out: append([]dag.Port{
			{Name: "predictions", Type: column.Type[fold.PredictionRow](), Doc: "of every graph, as those of train"},
			{Name: "history", Type: column.Type[networkEpochRow](), Doc: "losses and accuracies per epoch; with mixup, of the training graphs as they were mixed"},
			{Name: "scores", Type: column.Type[column.ScoreRow[float64]](), Doc: "of every graph and region, for biomarkers; bnt: layers 1 and 2 are the attention received in each block, layer 3 is gradient × input; braingnn: the sigmoid of the score in pool 1 and, if the region is kept, in pool 2; meanmlp: layer 1 is the attribution; bnt and meanmlp keep all regions"},
			{Name: "model", Type: column.Type[modelRow](), Doc: "what was fitted"},
			filePort,
		}, of("braingnn", dag.Port{Name: "communities", Type: column.Type[communityRow](), Doc: "the community of each region, by the first convolution"})...),
	}
}

// A networkEpochRow is one epoch.
type networkEpochRow struct {
	Epoch      int32   `column:"epoch"`
	Rate       float64 `column:"rate" doc:"learning rate of the epoch"`
	Loss       float64 `column:"loss" doc:"mean over the training graphs during the epoch: ce and the weighted further terms"`
	CE         float64 `column:"ce" doc:"cross-entropy"`
	Validation float64 `column:"validation_loss,missing" doc:"validation loss after the epoch: cross-entropy and the weighted further terms"`
	accuracyRow
}

// Validate checks parameters against each other.
func (s *Network) Validate() []error {
	if s.Model == "" {
		return []error{errors.New("model: not set: choose bnt, braingnn or meanmlp")}
	}
	var errs []error
	standard := param.Of(networkOf(s.Model, s.Variant))
	for i, p := range param.Of(s) {
		if p.Of != nil && !slices.Contains(p.Of, s.Model) && !reflect.DeepEqual(p.Default, standard[i].Default) {
			errs = append(errs, fmt.Errorf("%s: not a parameter of %s, but of %s: remove it", p.Name, s.Model,
				strings.Join(p.Of, " and ")))
		}
	}
	if s.Model == "bnt" && s.FinalRate > s.LearningRate {
		errs = append(errs, errors.New("final_rate is above learning_rate"))
	}
	if s.Model == "braingnn" && len(s.Widths) != 2 {
		errs = append(errs, fmt.Errorf("widths: %d numbers, expected two: those of the two convolutions", len(s.Widths)))
	}
	if s.Model == "braingnn" && len(s.Lambda) != 3 {
		errs = append(errs, fmt.Errorf("lambda: %d numbers, expected three: the weights of the unit loss, of tpk and of glc", len(s.Lambda)))
	}
	return errs
}

// InEpochs: its history has epochs.
func (*Network) InEpochs() bool { return true }

// RefusesFolds says, from the planned folds, why there can be no validation.
func (s *Network) RefusesFolds(planned *encoding.Table, _ int) error {
	if s.Select != "validation" {
		return nil
	}
	return split.EnoughInside(planned, s.Params, s.Validation, "validation")
}

func (s *Network) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	switch s.Model {
	case "bnt":
		return trainNetwork(ctx, t, s, s.matrices, nil)
	case "meanmlp":
		return trainNetwork(ctx, t, s, s.series, nil)
	}
	return trainNetwork(ctx, t, s, s.graphs, func(m *rival.Model[rival.Graph[float32]], of *graphFacts,
		out dag.Outputs) {
		out["communities"] = communityTable(rival.Communities(m), of.analyzed())
	})
}

// A study is what a network is trained on.
type study[C any] struct {
	set    *trainingSet
	cases  []C // in the order of the set
	inputs int // numbers a graph
	design rival.Design[C]
	note   string // on the design
	file   func(modelfile.Header, []baseline.Part) (artifacts.Bytes, error)
}

// trainNetwork reads a study, trains the network, and writes its tables; further adds to them.
func trainNetwork[C any](ctx context.Context, t *dag.Task, s *Network, read func(*dag.Task) (*study[C], error),
	further func(*rival.Model[C], *graphFacts, dag.Outputs)) (dag.Outputs, error) {
	of, err := read(t)
	if err != nil {
		return nil, err
	}
	part := lists.Map(of.set.rows, func(r fold.Row) int { return 2 * r.Side })
	if s.Select == "validation" {
		part, err = of.set.parts(s.Params, s.Validation, s.Seed, t.In("folds").Name)
		if err != nil {
			return nil, err
		}
	}
	order, label, count := of.set.inParts(part)
	history, best, majority := []networkEpochRow(nil), -1, majorityOf(label[:count[0]])
	training := s.training()
	training.Held, training.Test, training.Threads = count[1], count[2], t.Threads
	training.Save, training.Resume = t.SaveCheckpoint, t.Checkpoint()
	training.Progress = func(e network.Epoch) {
		row := networkEpochRow{int32(e.Number), e.Rate, e.Loss + e.Penalty, e.Loss, math.NaN(), accuracies(e, majority)}
		if count[1] > 0 {
			row.Validation = e.HeldLoss
		}
		history = append(history, row)
		if e.Number > training.After && count[1] > 0 && (best < 0 || e.HeldLoss < history[best].Validation) {
			best = len(history) - 1
		}
		t.Progress(e.Number, s.Epochs, fmt.Sprintf("epoch %d, loss %.3f, accuracy %.2f, test %.2f", e.Number, row.Loss, e.Accuracy, e.TestAccuracy))
	}
	m, err := rival.Fit(ctx, of.design, training, lists.Map(order, func(at int) C { return of.cases[at] }), label)
	if err != nil {
		return nil, err
	}
	trained, untrained := m.Rate(of.cases, t.Threads), rival.Untrained(of.design, training).Rate(of.cases, t.Threads)
	if !s.Signed {
		modelfile.Magnitudes(trained)
		modelfile.Magnitudes(untrained)
	}
	note := "the last of " + words.Count(s.Epochs, "epoch")
	if best >= 0 {
		note = fmt.Sprintf("epoch %d of %d, by the loss of %s", best+1, len(history),
			words.Count(count[1], "validation graph"))
	}
	out := of.set.outputs(s.Params, trained, untrained, column.Table(history),
		modelRow{s.Model, int64(of.inputs), int64(m.Parameters()), int64(count[0]), note + of.note})
	if s.Model == "bnt" && s.Mixup {
		out["history"].(*encoding.Table).Meta[column.MixedTraining] = "true"
	}
	if further != nil {
		further(m, &of.set.facts, out)
	}
	out["file"], err = of.file(modelfile.HeaderOf(s.Model, of.set.groups, true), m.Parts())
	return out, err
}

// training is how the network is trained.
func (s *Network) training() network.Training {
	training := network.Training{Epochs: s.Epochs, Batch: s.Batch, Rate: s.LearningRate, Decay: s.WeightDecay,
		Patience: s.Epochs, Seed: s.Seed, Stream: s.Stream(s.Model), Every: s.Checkpoint}
	switch s.Model {
	case "bnt":
		training.Cosine, training.Whole = s.FinalRate, true
	case "meanmlp":
		training.Patience = s.Patience
	case "braingnn":
		training.Halve = s.Halve
		if s.Variant == "authors-code" {
			training.Lead = rival.AuthorsBrainGNNTraining().Lead
		}
		if s.Select == "validation" {
			training.After = min(rival.AuthorsBrainGNNTraining().After, s.Epochs-1)
		}
	}
	return training
}
