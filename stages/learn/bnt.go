package learn

import (
	"context"
	"errors"
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/gnn/bnt"
	"prgnn/gnn/network"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

var bntKind = dag.Kind{
	Name: "bnt",
	Doc: "trains the Brain Network Transformer on the same folds as PR-GNN\n" +
		"Two transformer blocks over the regions, whose features are their rows of the correlation matrix, and a readout by clusters (Kan et al. 2022). The defaults are those of the released program, from which the published figures come. " +
		"One task is one model: fan out with matrix: { fold: all }, and give the predictions to evaluate beside those of train, and the scores to biomarkers. Training takes minutes to hours: 200 passes over all matrices.",
	New: func() dag.Stage {
		o, t := bnt.Released(200, 2), bnt.Training()
		return &BNT{Params: fold.First(), Readout: o.Readout, PosEncoding: "none", Heads: o.Heads,
			FeedForward: o.FeedForward,
			Dropout:     o.Dropout, Mixup: o.Mixup, Epochs: t.Epochs, Batch: t.Batch, LearningRate: t.Rate,
			FinalRate: t.Cosine, Decay: t.Decay, Checkpoint: 10}
	},
	Most:   8,
	Memory: 1 << 30,
}

// BNT trains a transformer of correlation matrices.
type BNT struct {
	fold.Params
	Readout      string  `param:"readout" doc:"authors-code: an MLP of all node features before the readout, and squared products with the cluster centers; paper: node features as they are, plain products, centers of length 1 (our reading); student_t: the released program's other option, Student's t kernel of the distance to the centers" choices:"authors-code|paper|student_t"`
	Fisher       bool    `param:"fisher" doc:"Fisher's z with 0 on the diagonal, as in the released data; false: correlations with 1"`
	Heads        int     `param:"heads" doc:"attention heads; features are padded with zeros to a multiple of them" min:"1" max:"64"`
	FeedForward  int     `param:"feed_forward" doc:"width of the full layers in the blocks" min:"1" max:"65536"`
	PosEncoding  string  `param:"pos_encoding" doc:"identity: 360 learned columns beside each region's row, the same for all participants, as the released program can; none: the row alone" choices:"none|identity"`
	Clusters     int     `param:"clusters" doc:"clusters of the readout; 0: 100 from 200 regions on, else half of the regions" min:"0"`
	Dropout      float64 `param:"dropout" doc:"dropout rate of attention and within the blocks" min:"0" max:"0.99"`
	Clustering   float64 `param:"dec" doc:"weight of the clustering loss: the mean over the regions of a batch of the Kullback-Leibler divergence between the cluster assignments and their sharpened target (Xie et al. 2016); 0: none" min:"0"`
	Mixup        bool    `param:"mixup" doc:"train on mixtures of two participants, and of their groups"`
	Epochs       int     `param:"epochs" doc:"passes over the training participants; the last epoch is taken" min:"1"`
	Batch        int     `param:"batch" doc:"graphs per step; a last incomplete batch is dropped" min:"1" max:"1000000"`
	LearningRate float64 `param:"learning_rate" doc:"of Adam, initial" min:"1e-9"`
	FinalRate    float64 `param:"final_rate" doc:"final learning rate; it decreases along a cosine, step by step" min:"1e-9"`
	Decay        float64 `param:"weight_decay" doc:"L2 weight decay; the loss of a batch is the sum over its graphs" min:"0"`
	Signed       bool    `param:"signed" doc:"layer 3 of the scores with its sign, positive towards the second group; false: magnitudes"`
	Checkpoint   int     `param:"checkpoint" doc:"epochs between checkpoints, from which an interrupted training resumes; 0: none" min:"0"`
	Seed         uint64  `param:"seed" doc:"of starting weights, centers, order of the participants, mixtures and dropout"`
}

func (*BNT) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "pearson", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "each participant's correlation matrices"},
			{Name: "folds", Type: column.Type[fold.Member](), Doc: "the assignment to folds"},
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "predictions", Type: column.Type[fold.PredictionRow](), Doc: "of every graph, as those of train"},
			{Name: "history", Type: column.Type[baselineEpochRow](), Doc: "loss and accuracies per epoch; of the training graphs, as they were mixed; loss is ce and the weighted clustering loss"},
			{Name: "scores", Type: column.Type[column.ScoreRow[float64]](), Doc: "of every graph and region, for biomarkers: layers 1 and 2 are the attention received in each block, layer 3 is gradient × input; all regions are kept"},
			{Name: "model", Type: column.Type[modelRow](), Doc: "what was fitted"},
		},
	}
}

func (s *BNT) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	transform := map[bool]string{false: "none", true: "fisher"}[s.Fisher]
	form, err := (&Baseline{Model: "bnt", Transform: transform}).form(t)
	if err != nil {
		return nil, err
	}
	set, err := readRows(t, s.Params, form, "none", false)
	if err != nil {
		return nil, err
	}
	nodes := baseline.NodesOf(set.all.D)
	o := bnt.Released(nodes, len(set.groups))
	o.Readout, o.Heads, o.FeedForward, o.Dropout, o.Mixup = s.Readout, s.Heads, s.FeedForward, s.Dropout, s.Mixup
	o.Clustering = s.Clustering
	if s.PosEncoding == "identity" {
		o.Identity = bnt.IdentityColumns
	}
	if s.Clusters > 0 {
		o.Clusters = s.Clusters
	}
	if most := o.Columns(nodes); o.Clusters > most || o.Clusters == 0 {
		return nil, fmt.Errorf("clusters: %d, but the centers of %d regions can be orthogonal for 1 to %d clusters", o.Clusters, nodes, most)
	}
	training := network.Training{Epochs: s.Epochs, Batch: s.Batch, Rate: s.LearningRate, Cosine: s.FinalRate,
		Decay: s.Decay, Whole: true, Seed: s.Seed, Stream: s.Stream("bnt"),
		Threads: t.Threads, Test: set.all.N - set.train.N, Every: s.Checkpoint, Save: t.SaveCheckpoint,
		Resume: t.Checkpoint()}
	var history []network.Epoch
	training.Progress = func(e network.Epoch) {
		history = append(history, e)
		t.Progress(e.Number, s.Epochs, fmt.Sprintf("epoch %d, loss %.3f, accuracy %.2f, test %.2f", e.Number, e.Loss+e.Penalty, e.Accuracy, e.TestAccuracy))
	}
	graphs := s.matrices(set.all, nodes)
	m, err := bnt.Fit(ctx, o, training, nodes, graphs, set.label)
	if err != nil {
		return nil, err
	}
	graphs = inSet(set, graphs)
	trained, untrained := s.rate(m, graphs, t.Threads), s.rate(bnt.Untrained(o, training, nodes), graphs, t.Threads)
	note := fmt.Sprintf("the last of %d epochs; readout %s, %d clusters", s.Epochs, s.Readout, o.Clusters)
	if o.Identity > 0 {
		note += fmt.Sprintf(", %d identity columns", o.Identity)
	}
	if o.Clustering > 0 {
		note += fmt.Sprintf(", clustering loss × %g", o.Clustering)
	}
	out := set.outputs(s.Params, trained, untrained, baselineHistory(history, set.majority()),
		modelRow{"bnt", int64(nodes * nodes), int64(m.Parameters()), int64(set.train.N), note})
	if s.Mixup {
		out["history"].(*encoding.Table).Meta[column.MixedTraining] = "true"
	}
	return out, nil
}

func (s *BNT) Validate() []error {
	if s.FinalRate > s.LearningRate {
		return []error{errors.New("final_rate is above learning_rate")}
	}
	return nil
}

// matrices are symmetric matrices, from the triangles above their diagonals.
func (s *BNT) matrices(rows baseline.Rows, nodes int) [][]float32 {
	out := make([][]float32, rows.N)
	for g := range out {
		m, triangle := make([]float32, nodes*nodes), rows.Row(g)
		for i := range nodes {
			if !s.Fisher {
				m[i*nodes+i] = 1
			}
			for j := i + 1; j < nodes; j++ {
				m[i*nodes+j], m[j*nodes+i] = float32(triangle[0]), float32(triangle[0])
				triangle = triangle[1:]
			}
		}
		out[g] = m
	}
	return out
}

// rate gives probabilities and region scores, as of pooling layers that keep every region.
func (s *BNT) rate(m *bnt.Model, graphs [][]float32, threads int) []gnn.Prediction {
	layer := allKept(m.Nodes, s.Signed) // attention is not negative
	out := make([]gnn.Prediction, len(graphs))
	for i, r := range m.Rate(graphs, threads) {
		out[i] = prediction(r.Probability)
		out[i].Layers = []gnn.Scores{layer(r.Attention[0]), layer(r.Attention[1]), layer(r.Input)}
	}
	return out
}
