package learn

import (
	"context"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/gnn/meanmlp"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

var meanMLPKind = dag.Kind{
	Name: "meanmlp",
	Doc: "trains meanMLP, a classifier of time series, on the same folds as PR-GNN\n" +
		"One full layer with layer normalization for each volume, and the mean over time (Popov et al. 2024): the order of the volumes does not enter. Some training participants are held out for validation: training stops when their loss stops falling (patience), and the best epoch is kept. " +
		"One task is one model: fan out with matrix: { fold: all }, and give the predictions to evaluate beside those of train, and the scores to biomarkers.",
	New: func() dag.Stage {
		o, t := meanmlp.Released(2), meanmlp.Training()
		return &MeanMLP{Params: fold.First(), ZScore: true, Hidden: o.Hidden, Dropout: o.Dropout,
			Epochs: t.Epochs, Batch: t.Batch, LearningRate: t.Rate, Patience: t.Patience, Validation: 5,
			Attribution: "gradient", Steps: 50}
	},
	Most:   8,
	Memory: 512 << 20,
}

// MeanMLP trains a classifier of time series.
type MeanMLP struct {
	fold.Params
	ZScore       bool    `param:"zscore" doc:"z-score each region over time (population sd); false: series as they are, as in the released program; amplitude and scale, which carry the site, are then among the inputs"`
	Hidden       int     `param:"hidden" doc:"hidden width" min:"1" max:"1024"`
	Layers       int     `param:"layers" doc:"residual blocks after the first layer" min:"0" max:"20"`
	Dropout      float64 `param:"dropout" doc:"share of the hidden values that are dropped in training" min:"0" max:"0.99"`
	Epochs       int     `param:"epochs" doc:"passes over the training participants, at most" min:"1"`
	Batch        int     `param:"batch" doc:"graphs per step" min:"1" max:"1000000"`
	LearningRate float64 `param:"learning_rate" doc:"of Adam, constant" min:"1e-9"`
	Patience     int     `param:"patience" doc:"epochs without a smaller validation loss after which training stops" min:"1"`
	Validation   int     `param:"validation" doc:"number of equal parts of the training participants, stratified by group; one of them is held out for validation" min:"2"`
	Attribution  string  `param:"attribution" doc:"scores of the regions: gradient × input of the difference of the logits, summed over time; integrated: integrated gradients from a series of zeros" choices:"gradient|integrated"`
	Steps        int     `param:"steps" doc:"attribution: integrated: number of steps" min:"1" max:"10000"`
	Signed       bool    `param:"signed" doc:"scores with their sign, positive towards the second group; false: magnitudes"`
	Seed         uint64  `param:"seed" doc:"of starting weights, order of the participants, dropout, and the validation participants"`
}

func (*MeanMLP) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Gather: true, Doc: "each participant's denoised time series; their lengths may differ"},
			{Name: "folds", Type: column.Type[fold.Member](), Doc: "the assignment to folds"},
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "predictions", Type: column.Type[fold.PredictionRow](), Doc: "of every series, as those of train"},
			{Name: "history", Type: column.Type[validatedRow](), Doc: "losses and accuracies per epoch"},
			{Name: "scores", Type: column.Type[column.ScoreRow[float64]](), Doc: "of every series and region, for biomarkers: as layer 1, in which all regions are kept"},
			{Name: "model", Type: column.Type[modelRow](), Doc: "what was fitted"},
		},
	}
}

// A validatedRow is one epoch of a training that participants of the training side validate.
type validatedRow struct {
	Epoch      int32   `column:"epoch"`
	Rate       float64 `column:"rate" doc:"learning rate of the epoch"`
	Loss       float64 `column:"loss" doc:"mean over the training graphs during the epoch: ce"`
	CE         float64 `column:"ce" doc:"cross-entropy"`
	Validation float64 `column:"validation_ce" doc:"validation cross-entropy after the epoch; the epoch with the smallest is kept"`
	accuracyRow
}

// RefusesFolds says, from the planned folds, why there can be no validation.
func (s *MeanMLP) RefusesFolds(planned *encoding.Table, _ int) error {
	return enoughInside(planned, s.Params, s.Validation, "validation")
}

func (s *MeanMLP) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	set, series, regions, err := s.read(t)
	if err != nil {
		return nil, err
	}
	part, err := set.parts(s.Params, s.Validation, s.Seed, t.In("folds").Name)
	if err != nil {
		return nil, err
	}
	order, label, count := set.inParts(part)
	ordered := lists.Map(order, func(at int) []float32 { return series[at] })
	o := meanmlp.Options{Hidden: s.Hidden, Layers: s.Layers, Dropout: s.Dropout, Classes: len(set.groups)}
	var history []validatedRow
	best, majority := 0, majorityOf(label[:count[0]])
	training := network.Training{Epochs: s.Epochs, Batch: s.Batch, Rate: s.LearningRate, Patience: s.Patience,
		Held: count[1], Test: count[2], Seed: s.Seed, Stream: s.Stream("meanmlp"),
		Threads: t.Threads, Progress: func(e network.Epoch) {
			history = append(history, validatedRow{int32(e.Number), e.Rate, e.Loss, e.Loss, e.HeldLoss,
				accuracies(e, majority)})
			if e.HeldLoss < history[best].Validation {
				best = len(history) - 1
			}
			t.Progress(e.Number, s.Epochs, fmt.Sprintf("epoch %d, loss %.3f, validation %.3f, test accuracy %.2f", e.Number, e.Loss, e.HeldLoss, e.TestAccuracy))
		}}
	m, err := meanmlp.Fit(ctx, o, training, regions, ordered, label)
	if err != nil {
		return nil, err
	}
	trained := s.rate(m, set, series, t.Threads)
	untrained := s.rate(meanmlp.Untrained(o, training, regions), set, series, t.Threads)
	note := fmt.Sprintf("epoch %d of %d, by the loss of %d validation graphs", best+1, len(history), count[1])
	return set.outputs(s.Params, trained, untrained, column.Table(history),
		modelRow{"meanmlp", int64(regions), int64(m.Parameters()), int64(count[0]), note}), nil
}

// read reads the series of each participant, on its side of the fold.
func (s *MeanMLP) read(t *dag.Task) (set *trainingSet, series [][]float32, regions int, err error) {
	d, err := s.Divide(t.In("folds"))
	if err != nil {
		return nil, nil, 0, err
	}
	inputs := t.All("series")
	if err := fold.RefuseDuplicates(inputs, d); err != nil {
		return nil, nil, 0, err
	}
	out, note, err := s.LeftOut(inputs, d, fold.AbsentColumns, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	set = &trainingSet{groups: d.Groups, note: note}
	for i, in := range inputs {
		r, err := d.Row(in)
		if err != nil {
			return nil, nil, 0, err
		}
		if r.Side == fold.Apart {
			continue
		}
		draws, err := region.ReadDraws(in, "draw, time, roi")
		if err != nil {
			return nil, nil, 0, err
		}
		numbers, err := s.Numbers(len(draws), in.Name)
		if err != nil {
			return nil, nil, 0, err
		}
		switch n := draws[0].Cols; {
		case regions == 0:
			regions = n
		case n != regions:
			return nil, nil, 0, fmt.Errorf("%s: %d regions, but other participants have %d: use the same atlas for all", in.Name, n, regions)
		}
		for _, draw := range numbers {
			x, err := valuesOf(draws[draw].Data, regions, s.ZScore)
			if err != nil {
				return nil, nil, 0, fmt.Errorf("%s, draw %d: %w", in.Name, draw, err)
			}
			for i := range x {
				if out != nil && out[i%regions] {
					x[i] = 0
				}
			}
			r.Draw = draw
			set.rows, series = append(set.rows, r), append(series, x)
		}
		t.Progress(i+1, len(inputs), "reading")
	}
	return set, series, regions, set.check(d)
}

// valuesOf is a series (volumes × regions), z-scored over time on request. A region without a signal, missing (NaN
// throughout) or constant, becomes 0.
func valuesOf(v []float64, regions int, zscore bool) ([]float32, error) {
	volumes := len(v) / regions
	out := make([]float32, len(v))
	for j := range regions {
		missing, mean, sum := 0, 0.0, 0.0
		for t := range volumes {
			x := v[t*regions+j]
			switch {
			case math.IsNaN(x):
				missing++
			case math.IsInf(x, 0):
				return nil, fmt.Errorf("volume %d of region %d is %v: clean the series, or exclude the participant or the region", t+1, j+1, x)
			}
			mean += x
		}
		switch missing {
		case volumes:
			continue
		case 0:
		default:
			return nil, fmt.Errorf("%d of %d volumes of region %d are NaN: clean the series, or exclude the participant or the region", missing, volumes, j+1)
		}
		mean /= float64(volumes)
		for t := range volumes {
			d := v[t*regions+j] - mean
			sum += float64(d * d)
		}
		sd := math.Sqrt(sum / float64(volumes))
		for t := range volumes {
			x := v[t*regions+j]
			switch {
			case !zscore:
			case sd > 1e-12*math.Abs(mean):
				x = (x - mean) / sd
			default:
				x = 0
			}
			out[t*regions+j] = float32(x)
		}
	}
	return out, nil
}

// rate gives probabilities and region scores, as of one pooling layer that keeps every region.
func (s *MeanMLP) rate(m *meanmlp.Model, set *trainingSet, series [][]float32, threads int) []gnn.Prediction {
	steps := 0
	if s.Attribution == "integrated" {
		steps = s.Steps
	}
	classes := len(set.groups)
	p, scores := m.Probability(series, threads), m.RegionScores(series, steps, threads)
	layer := allKept(m.Regions, s.Signed)
	out := make([]gnn.Prediction, len(series))
	for i := range out {
		out[i] = prediction(p[i*classes:][:classes])
		out[i].Layers = []gnn.Scores{layer(scores[i*m.Regions:][:m.Regions])}
	}
	return out
}
