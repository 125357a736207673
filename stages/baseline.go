package stages

import (
	"context"
	"fmt"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/gnn/baseline"
)

func init() {
	Register(dag.Kind{
		Name: "baseline",
		Doc: "trains another classifier on the same folds as PR-GNN, to compare with\n" +
			"One task is one model: fan out with matrix: { model: [majority, svm, ridge], fold: [1..5] }, and give the predictions to evaluate beside those of train. What the models see is the upper triangle of each Pearson matrix. " +
			"All draws of a participant are on one side, and nothing is fitted to those of the test side.",
		New: func() dag.Stage {
			return &Baseline{Model: "svm", FoldParams: firstFold(), Transform: "own", Standardize: "none", C: 1, Tolerance: 1e-3, Penalty: 1}
		},
		Most:   8,
		Memory: 256 << 20,
	})
}

// Baseline trains one classifier that is not PR-GNN.
type Baseline struct {
	Model string `param:"model" doc:"majority: always the largest group; svm: support vector machine with an RBF kernel (the paper's), linear-svm: with none; ridge: regression to ±1; logistic: regression with an L2 penalty" choices:"majority|svm|linear-svm|ridge|logistic"`
	FoldParams
	Transform   string  `param:"transform" doc:"of the correlations: none, fisher (z = atanh r, |r| at most 0.9999999), or the model's own: fisher for ridge and logistic, none for the others" choices:"own|none|fisher"`
	Standardize string  `param:"standardize" doc:"z-score each input by mean and sd of the training graphs" choices:"none|training"`
	C           float64 `param:"c" doc:"svm, linear-svm, logistic: weight of the errors against the size of the weights" min:"1e-9"`
	Gamma       float64 `param:"gamma" doc:"svm: γ of the kernel exp(−γ‖x−y‖²); 0: 1/(number of inputs × their variance in training)" min:"0"`
	Tolerance   float64 `param:"tolerance" doc:"svm, linear-svm: how far the solution may be from the optimality conditions" min:"1e-12"`
	Penalty     float64 `param:"penalty" doc:"ridge: weight of ‖w‖² against the squared errors" min:"1e-9"`
	Seed        uint64  `param:"seed" doc:"of what is random in a model"`
}

// Ports are the stage's inputs and outputs.
func (*Baseline) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "pearson", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "each participant's correlation matrices"},
			{Name: "folds", Type: dag.Arrow("participant_id", "group", "repeat", "fold"), Doc: "the division into folds"},
		},
		Out: []dag.Port{
			{Name: "predictions", Type: dag.Arrow("participant_id", "group", "draw", "fold", "repeat", "set", "label", "probability", "predicted"),
				Doc: "of every graph, as those of train; of svm, linear-svm and ridge the probability is 1/(1+exp(−f)) of the decision value f, not calibrated, and with more than two groups the softmax of one value a group"},
			{Name: "model", Type: dag.Arrow("model", "inputs", "parameters", "graphs", "note"), Doc: "what was fitted; parameters as the paper's Table 2 counts them: of svm and forest the number of inputs"},
		},
	}
}

// Run trains.
func (s *Baseline) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	set, all, err := s.read(t)
	if err != nil {
		return nil, err
	}
	train, label := set.training(all)
	if s.Standardize == "training" {
		standardizeRows(train, all, train)
	}
	model, err := s.fit(ctx, t, train, label, len(set.groups))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Model, err)
	}
	predictions := make([]gnn.Prediction, all.N)
	p := model.Probability(all, t.Threads)
	for i := range predictions {
		predictions[i] = prediction(p[i*len(set.groups):][:len(set.groups)])
	}
	table := predictionTable(s.FoldParams, set, predictions, "")
	table.Meta["model"] = s.Model
	return dag.Outputs{
		"predictions": table,
		"model": artifacts.NewTable(
			artifacts.Column{Name: "model", Values: []string{s.Model}},
			artifacts.Column{Name: "inputs", Values: []int64{int64(all.D)}, Doc: "numbers a graph"},
			artifacts.Column{Name: "parameters", Values: []int64{int64(model.Parameters())}, Doc: "as the paper's Table 2 counts them"},
			artifacts.Column{Name: "graphs", Values: []int64{int64(train.N)}, Doc: "trained on"},
			artifacts.Column{Name: "note", Values: []string{model.Note()}},
		),
	}, nil
}

// fit trains the model that was asked for.
func (s *Baseline) fit(ctx context.Context, t *dag.Task, x baseline.Rows, label []int, classes int) (baseline.Classifier, error) {
	switch s.Model {
	case "majority":
		return baseline.Majority(label, classes), nil
	case "ridge":
		return baseline.FitRidge(x, label, classes, s.Penalty, t.Threads)
	case "logistic":
		return baseline.FitLogistic(ctx, x, label, classes, s.C, t.Threads)
	case "linear-svm":
		return baseline.FitSVM(ctx, baseline.SVM{Kernel: "linear", C: s.C, Tolerance: s.Tolerance}, x, label, classes, t.Threads)
	default:
		return baseline.FitSVM(ctx, baseline.SVM{Kernel: "rbf", C: s.C, Gamma: s.Gamma, Tolerance: s.Tolerance}, x, label, classes, t.Threads)
	}
}

// prediction names the class of the highest probability, the first among equals.
func prediction(p []float64) gnn.Prediction {
	out := gnn.Prediction{Probability: p}
	for c, v := range p {
		if v > p[out.Class] {
			out.Class = c
		}
	}
	return out
}
