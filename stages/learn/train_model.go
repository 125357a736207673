package learn

import (
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// ModelParams are the parameters of a PR-GNN and of its losses. Those that are not set are the variant's: the
// paper's, or those of the authors' program.
type ModelParams struct {
	Variant  string    `param:"variant" doc:"paper, or authors-code: the authors' released program; it gives the parameters that are not set" choices:"paper|authors-code"`
	Pool     string    `param:"pool" doc:"pooling score: topk sigmoid(h·w/‖w‖), sage sigmoid(φ(H,E))" choices:"topk|sage"`
	Distance string    `param:"distance" doc:"distance loss between the scores of kept and dropped nodes" choices:"bce|mmd"`
	Lambda   []float64 `param:"lambda" doc:"weights of the distance losses and of the group-level consistency loss" min:"0"`

	Widths      []int   `param:"widths" doc:"output width of the convolution of each block" min:"1" max:"4096"`
	Hidden      []int   `param:"hidden" doc:"hidden widths of the MLP" min:"1" max:"4096"`
	Ratio       float64 `param:"ratio" doc:"share of the nodes that each pooling keeps, rounded up" min:"0" max:"1"`
	SelfWeight  float64 `param:"self_weight" doc:"weight of a node's edge to itself in the attention"`
	EdgeWeights bool    `param:"edge_weights" doc:"use the edge weights in the attention; false: 1 on every edge"`
	Slope       float64 `param:"slope" doc:"negative slope of the attention's ReLU (0.2 is GATConv's LeakyReLU)"`
	Tied        bool    `param:"tied" doc:"one attention vector for both ends of an edge"`
	ConvBias    bool    `param:"conv_bias" doc:"a bias after each convolution"`
	Gate        bool    `param:"gate" doc:"multiply kept features by their score"`
	Center      bool    `param:"center" doc:"subtract the graph's mean from the raw scores"`
	Augment     bool    `param:"augment" doc:"between the blocks, E becomes the off-diagonal of (E+I)²"`
	Readout     string  `param:"readout" doc:"input of the MLP: the mean of the last block's nodes, their maximum and mean, or maximum and mean of every block" choices:"mean|maxmean|maxmean_all"`
	BatchNorm   bool    `param:"batch_norm" doc:"batch normalization in the MLP"`
	Dropout     float64 `param:"dropout" doc:"dropout rate of the MLP" min:"0" max:"0.99"`
	Kernel      string  `param:"kernel" doc:"kernel of the MMD: gauss exp(−d²/σ), outside exp(−d²)/σ, rbf2 exp(−d²/2σ²), literal exp(+d²)/σ as printed, authors" choices:"gauss|outside|rbf2|literal|authors"`
	Sigma       float64 `param:"sigma" doc:"σ of the kernel" min:"0"`
	BCE         string  `param:"bce" doc:"form of the BCE loss" choices:"paper|authors"`
	GLC         string  `param:"glc" doc:"form of the group-level consistency loss" choices:"squared|norm|trace|authors"`
}

// modelOf are the parameters of a variant. The fields of gnn.Options have the same names.
func modelOf(variant string) ModelParams {
	o := gnn.Paper(1)
	if variant == "authors-code" {
		o = gnn.AuthorsCode(1)
	}
	p := ModelParams{Variant: variant, Lambda: []float64{o.Lambda1, o.Lambda2}}
	copyFields(&p, o)
	return p
}

// options gives the model for graphs of d features per node in some classes.
func (p ModelParams) options(d, classes int) gnn.Options {
	o := gnn.Paper(d)
	copyFields(&o, p)
	o.Classes, o.Lambda1, o.Lambda2 = classes, p.Lambda[0], p.Lambda[1]
	return o
}

// validate checks what the tags cannot.
func (p ModelParams) validate() []error {
	var errs []error
	if len(p.Lambda) != 2 {
		return append(errs, fmt.Errorf("lambda: %d numbers, expected two: the weights of the distance losses and of the group-level consistency loss", len(p.Lambda)))
	}
	errs = append(errs, allOf(p.options(1, 2).Check())...)
	return append(errs, allOf(checkWeights("widths and hidden", slices.Concat(p.Widths, p.Hidden)))...)
}

// maxWeights bounds the weights between the layers of a network: 128 MiB, and as much for their gradient and each
// moment of Adam.
const maxWeights = 1 << 24

// checkWeights refuses layers of these widths, one after another, with more weights.
func checkWeights(name string, widths []int) error {
	n := 0
	for i := 1; i < len(widths); i++ {
		if n += widths[i-1] * widths[i]; n > maxWeights {
			return fmt.Errorf("%s: more than %d weights between layers, the limit: set smaller widths or fewer layers",
				name, maxWeights)
		}
	}
	return nil
}

// allOf takes joined errors apart.
func allOf(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// TrainingParams say how a model is trained.
type TrainingParams struct {
	Epochs       int     `param:"epochs" doc:"number of epochs" min:"1"`
	Batch        int     `param:"batch" doc:"graphs per step" min:"1" max:"1000000"`
	LearningRate float64 `param:"learning_rate" doc:"initial learning rate of Adam" min:"0"`
	Halve        int     `param:"halve" doc:"halve the learning rate every this many epochs" zero:"never" min:"0"`
	HalveBatches bool    `param:"halve_batches" doc:"count halve in batches instead of epochs (as in the authors' program)"`
	WeightDecay  float64 `param:"weight_decay" doc:"L2 weight decay" min:"0"`
	Select       string  `param:"select" doc:"weights to keep: those of the last epoch, or of the epoch with the lowest cross-entropy on the TEST graphs, which biases the accuracy upward (as in the authors' program)" choices:"last|test"`
	Standardize  string  `param:"standardize" doc:"z-score each node feature: none; by the mean and SD of the training graphs; or of all graphs, including test graphs, which is leakage (as in the authors' program)" choices:"none|training|all"`
	Checkpoint   int     `param:"checkpoint" doc:"epochs between checkpoints, from which an interrupted training resumes" zero:"none" min:"0"`
	Seed         uint64  `param:"seed" doc:"seed of the initial weights, the order of the graphs, and dropout"`
}

func trainingOf(variant string) TrainingParams {
	t, standardize := gnn.PaperTraining(), "none"
	if variant == "authors-code" {
		t, standardize = gnn.AuthorsTraining(), "all"
	}
	choice := "last"
	if t.BestOnTest {
		choice = "test"
	}
	return TrainingParams{Epochs: t.Epochs, Batch: t.Batch, LearningRate: t.Rate, Halve: t.Halve,
		HalveBatches: t.HalveBatches, WeightDecay: t.Decay, Checkpoint: 10, Select: choice, Standardize: standardize}
}

func (p TrainingParams) schedule() gnn.Training {
	return gnn.Training{Epochs: p.Epochs, Batch: p.Batch, Rate: p.LearningRate, Halve: p.Halve,
		HalveBatches: p.HalveBatches, Decay: p.WeightDecay, BestOnTest: p.Select == "test", Seed: p.Seed}
}

// training is that of a task that tests a fold.
func (p TrainingParams) training(t *dag.Task, test fold.Params) gnn.Training {
	o := p.schedule()
	o.Stream, o.Workers = test.Stream(), t.Threads
	o.Every, o.Save, o.Resume = p.Checkpoint, t.SaveCheckpoint, t.Checkpoint()
	return o
}

// leaks are the settings that use test participants.
func (p TrainingParams) leaks() (all []column.Leak) {
	if p.Select == "test" {
		all = append(all, column.Leak{Parameter: "select", Value: p.Select})
	}
	if p.Standardize == "all" {
		all = append(all, column.Leak{Parameter: "standardize", Value: p.Standardize})
	}
	return all
}

func (p TrainingParams) validate() []error { return allOf(p.schedule().Check()) }
