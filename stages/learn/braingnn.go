package learn

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/braingnn"
	"prgnn/gnn/network"
	"prgnn/internal/exact"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

var brainGNNKind = dag.Kind{
	Name: "braingnn",
	Doc: "trains BrainGNN on the same folds and graphs as PR-GNN\n" +
		"A graph convolution whose kernel depends on the region, through communities of regions that are learned, and TopK pooling (Li et al. 2021). variant: paper is our reading of the paper; authors-code is the released program, whose edges are those of graph with rule: authors-code and percentile: 0. " +
		"One task is one model: fan out with matrix: { fold: all }, and give the predictions to evaluate beside those of train, and the scores to biomarkers.",
	New:     func() dag.Stage { return brainGNNOf("paper") },
	Variant: func(variant string) dag.Stage { return brainGNNOf(variant) },
	Most:    8,
	Memory:  512 << 20,
}

// BrainGNN trains a graph network whose kernels depend on the region.
type BrainGNN struct {
	fold.Params
	Variant      string    `param:"variant" doc:"paper, as we read it, or authors-code: the released program; it gives the parameters that are not set" choices:"paper|authors-code"`
	Transform    string    `param:"transform" doc:"none; fisher: Fisher's z of the features, with 0 on the diagonal, and of the magnitudes of the edge weights, as in the released program" choices:"none|fisher"`
	Communities  int       `param:"communities" doc:"communities of regions" min:"1" max:"4096"`
	Widths       []int     `param:"widths" doc:"output widths of the two convolutions" min:"1" max:"4096"`
	Hidden       int       `param:"hidden" doc:"width of the MLP's second layer; that of the first is the second of widths" min:"1" max:"65536"`
	Ratio        float64   `param:"ratio" doc:"share of the nodes that each pooling keeps, rounded up" min:"0.000001" max:"1"`
	Edge         string    `param:"edge" doc:"neighbors are added up by edge weight, a node itself with weight 1; softmax: those weights through a softmax" choices:"sum|softmax"`
	ReLU         bool      `param:"relu" doc:"ReLU after each convolution"`
	ConvBias     bool      `param:"conv_bias" doc:"a bias after each convolution"`
	ZScore       bool      `param:"zscore" doc:"z-score the pooling scores of a graph before the sigmoid"`
	Augment      bool      `param:"augment" doc:"between the blocks, E becomes the off-diagonal of (E+I)²"`
	BatchNorm    bool      `param:"batch_norm" doc:"batch normalization in the MLP"`
	Dropout      float64   `param:"dropout" doc:"dropout rate of the MLP" min:"0" max:"0.99"`
	TPK          string    `param:"tpk" doc:"TopK pooling loss: of all nodes; code: of the kept nodes only, the upper part against the lower, as in the released program" choices:"all|code"`
	GLC          string    `param:"glc" doc:"group-level consistency loss, region by region: of sigmoids; mean: of scores before the sigmoid; sum: the same without the mean over pairs, as we remember the printed equation; code: of the kept nodes in the order of their rank, as in the released program" choices:"sigmoid|mean|sum|code"`
	Lambda       []float64 `param:"lambda" doc:"weights of the unit loss of the pooling vectors, of tpk and of glc" min:"0"`
	Epochs       int       `param:"epochs" doc:"passes over the training graphs" min:"1"`
	Batch        int       `param:"batch" doc:"graphs per step" min:"1" max:"1000000"`
	LearningRate float64   `param:"learning_rate" doc:"of Adam, at the start" min:"1e-9"`
	Halve        int       `param:"halve" doc:"halve the learning rate every this many epochs, with authors-code the first time an epoch earlier; 0: never" min:"0"`
	WeightDecay  float64   `param:"weight_decay" doc:"L2 weight decay" min:"0"`
	Select       string    `param:"select" doc:"weights to keep: those of the last epoch; or of the epoch, after the fifth, with the smallest validation loss" choices:"last|validation"`
	Validation   int       `param:"validation" doc:"select: validation: number of equal parts of the training participants, stratified by group; one of them is held out for validation" min:"2"`
	Checkpoint   int       `param:"checkpoint" doc:"epochs between checkpoints, from which an interrupted training resumes; 0: none" min:"0"`
	Seed         uint64    `param:"seed" doc:"of starting weights, order of the graphs, dropout, and the validation participants"`
}

// brainGNNOf has the parameters of a variant.
func brainGNNOf(variant string) *BrainGNN {
	o, t := braingnn.Paper(1, 1, 2), braingnn.PaperTraining()
	s := &BrainGNN{Params: fold.First(), Variant: variant, Transform: "none", Select: "last", Validation: 4,
		Checkpoint: 10}
	if variant == "authors-code" {
		o, t = braingnn.AuthorsCode(1, 1, 2), braingnn.AuthorsTraining()
		s.Transform, s.Select = "fisher", "validation"
	}
	copyFields(s, o)
	s.Lambda = []float64{o.LambdaUnit, o.LambdaTPK, o.LambdaGLC}
	s.Epochs, s.Batch, s.LearningRate, s.Halve, s.WeightDecay = t.Epochs, t.Batch, t.Rate, t.Halve, t.Decay
	return s
}

// copyFields sets the fields of *to that from has under the same name.
func copyFields(to, from any) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	for i := range a.NumField() {
		if f := b.FieldByName(a.Type().Field(i).Name); f.IsValid() {
			a.Field(i).Set(f)
		}
	}
}

func (*BrainGNN) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "edges", Type: column.Type[column.EdgeRow](), Gather: true, Doc: "the edges of each participant's graphs"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Doc: "their node features"},
			{Name: "folds", Type: column.Type[fold.Member](), Doc: "the assignment to folds"},
			{Name: "nodes", Type: dag.Arrow("name"), Optional: true, Doc: "the node list; graphs with another number of nodes are then refused"},
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "predictions", Type: column.Type[fold.PredictionRow](), Doc: "of every graph, as those of train"},
			{Name: "history", Type: column.Type[penalizedRow](), Doc: "losses and accuracies per epoch"},
			{Name: "scores", Type: column.Type[column.ScoreRow[float64]](), Doc: "of every graph and region, for biomarkers: the sigmoid of its score in pool 1 and, if it is kept, in pool 2"},
			{Name: "communities", Type: column.Type[communityRow](), Doc: "the community of each region, by the first convolution"},
			{Name: "model", Type: column.Type[modelRow](), Doc: "what was fitted"},
		},
	}
}

// A penalizedRow is one epoch of a training whose loss has further terms.
type penalizedRow struct {
	Epoch      int32   `column:"epoch"`
	Rate       float64 `column:"rate" doc:"learning rate of the epoch"`
	Loss       float64 `column:"loss" doc:"mean over the training graphs during the epoch: ce and the weighted further terms"`
	CE         float64 `column:"ce" doc:"cross-entropy"`
	Validation float64 `column:"validation_loss,missing" doc:"validation cross-entropy after the epoch"`
	accuracyRow
}

// A communityRow is what a region belongs to.
type communityRow struct {
	Index      int32   `column:"index" doc:"node, from 1"`
	Community  int32   `column:"community" doc:"the one with the largest membership, from 1; 0: none"`
	Membership float64 `column:"membership" doc:"relu(Θ1) of that community"`
}

// Validate checks parameters against each other.
func (s *BrainGNN) Validate() []error {
	var errs []error
	if len(s.Widths) != 2 {
		errs = append(errs, fmt.Errorf("widths: %d numbers, expected two: those of the two convolutions", len(s.Widths)))
	}
	if len(s.Lambda) != 3 {
		errs = append(errs, fmt.Errorf("lambda: %d numbers, expected three: the weights of the unit loss, of tpk and of glc", len(s.Lambda)))
	}
	return errs
}

// RefusesFolds says, from the planned folds, why there can be no validation.
func (s *BrainGNN) RefusesFolds(planned *encoding.Table, _ int) error {
	if s.Select != "validation" {
		return nil
	}
	return enoughInside(planned, s.Params, s.Validation, "validation")
}

func (s *BrainGNN) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	var o braingnn.Options
	var read []braingnn.Graph[float32]
	set, err := (&Train{Params: s.Params}).read(t, func(_ fold.Row, d GraphData) error {
		if read == nil {
			o = s.options(d.Nodes, len(d.features)/d.Nodes)
		}
		if d.Nodes != o.Nodes {
			return fmt.Errorf("%d nodes, but other participants have %d: use the same atlas for all", d.Nodes, o.Nodes)
		}
		if s.Transform == "fisher" {
			var err error
			if d, err = fisher(d); err != nil {
				return err
			}
		}
		g, err := braingnn.NewGraph[float32](o, d.features, d.edges)
		read = append(read, g)
		return err
	})
	if err != nil {
		return nil, err
	}
	o.Classes = len(set.groups)
	part, err := s.parts(set, t.In("folds").Name)
	if err != nil {
		return nil, err
	}
	order, label, count := set.inParts(part)
	graphs := lists.Map(order, func(at int) braingnn.Graph[float32] { return read[at] })
	training := network.Training{Epochs: s.Epochs, Batch: s.Batch, Rate: s.LearningRate, Halve: s.Halve,
		Decay: s.WeightDecay, Patience: s.Epochs, Held: count[1], Test: count[2], Seed: s.Seed,
		Stream: s.Stream("braingnn"), Threads: t.Threads, Every: s.Checkpoint,
		Save: t.SaveCheckpoint, Resume: t.Checkpoint()}
	note := fmt.Sprintf("the last of %d epochs", s.Epochs)
	if s.Variant == "authors-code" {
		training.Lead = braingnn.AuthorsTraining().Lead
	}
	if s.Select == "validation" {
		training.After = min(braingnn.AuthorsTraining().After, s.Epochs-1)
	}
	var history []penalizedRow
	best, majority := math.Inf(1), majorityOf(label[:count[0]])
	training.Progress = func(e network.Epoch) {
		row := penalizedRow{int32(e.Number), e.Rate, e.Loss + e.Penalty, e.Loss, math.NaN(),
			accuracies(e, majority)}
		if count[1] > 0 {
			row.Validation = e.HeldLoss
			if e.Number > training.After && e.HeldLoss < best {
				best = e.HeldLoss
				note = fmt.Sprintf("epoch %d of %d, by the loss of %d validation graphs", e.Number, s.Epochs, count[1])
			}
		}
		history = append(history, row)
		t.Progress(e.Number, s.Epochs, fmt.Sprintf("epoch %d, loss %.3f, accuracy %.2f, test %.2f", e.Number, row.Loss, e.Accuracy, e.TestAccuracy))
	}
	m, err := braingnn.Fit(ctx, o, training, graphs, label)
	if err != nil {
		return nil, err
	}
	trained, untrained := m.Rate(read, t.Threads), braingnn.Untrained(o, training).Rate(read, t.Threads)
	out := set.outputs(s.Params, trained, untrained, column.Table(history),
		modelRow{"braingnn", int64(o.Nodes * o.Features), int64(m.Parameters()), int64(count[0]), note})
	out["communities"] = communityTable(m.Communities())
	return out, nil
}

// options are those of graphs of this size.
func (s *BrainGNN) options(nodes, features int) braingnn.Options {
	o := braingnn.Paper(nodes, features, 2)
	copyFields(&o, *s)
	o.LambdaUnit, o.LambdaTPK, o.LambdaGLC = s.Lambda[0], s.Lambda[1], s.Lambda[2]
	return o
}

// parts divides the rows: 0, training; 1, validation; 2, test.
func (s *BrainGNN) parts(set *trainingSet, name string) ([]int, error) {
	if s.Select == "validation" {
		return set.parts(s.Params, s.Validation, s.Seed, name)
	}
	part := lists.Map(set.rows, func(r fold.Row) int { return 2 * r.Side })
	return part, nil
}

// fisher gives Fisher's z of the features, with 0 on the diagonal, and of the magnitudes of the edge weights.
func fisher(d GraphData) (GraphData, error) {
	z := func(r float64) float64 { return exact.Atanh(max(-0.9999999, min(0.9999999, r))) }
	width := len(d.features) / d.Nodes
	out := GraphData{d.Nodes, make([]float64, len(d.features)), slices.Clone(d.edges)}
	for i, r := range d.features {
		if math.Abs(r) > 1 {
			return out, fmt.Errorf("feature %d of node %d is %v: not a correlation; set transform: none", i%width+1, i/width+1, r)
		}
		if i%width != i/width {
			out.features[i] = z(r)
		}
	}
	for i, e := range d.edges {
		out.edges[i].Weight = math.Abs(z(e.Weight))
	}
	return out, nil
}

func communityTable(membership [][]float32) *encoding.Table {
	rows := make([]communityRow, len(membership))
	for i, m := range membership {
		rows[i].Index = int32(i + 1)
		for u, v := range m {
			if float64(v) > rows[i].Membership {
				rows[i].Community, rows[i].Membership = int32(u+1), float64(v)
			}
		}
	}
	return column.Table(rows)
}
