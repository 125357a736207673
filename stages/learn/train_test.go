package learn

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// The first draws only; those of fold 0 take no part; scores of the test side only.
func TestTrainOnLess(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 4, 9, 1)
	folds := need.Value(in["folds"][0].Table())(t)
	fold, _ := folds.Ints("fold")
	ids, _ := folds.Strings("participant_id")
	less, out := make([]int32, len(fold)), ""
	for i, f := range fold {
		if less[i] = int32(f); out == "" && f == 1 {
			less[i], out = 0, ids[i]
		}
	}
	in["folds"] = []dag.Input{dag.InputOf(encoding.NewTable(folds.Columns[0], folds.Columns[1], folds.Columns[2],
		encoding.Column{Name: "fold", Values: less}))}
	s := trainer(2)
	s.Epochs, s.Draws, s.ScoresOf = 1, 2, "test"
	tables := stagetest.MustRun(t, s, in)
	predictions := tables["predictions"].(*encoding.Table)
	who, _ := predictions.Strings("participant_id")
	draw, _ := predictions.Ints("draw")
	if len(who) != 19*2 || slices.Contains(who, out) || slices.Max(draw) != 2 || slices.Min(draw) != 1 {
		t.Errorf("%d graphs, draws %v, and %s: %v", len(who), draw, out, slices.Contains(who, out))
	}
	if set, _ := tables["scores"].(*encoding.Table).Strings("set"); len(set) == 0 || slices.Contains(set, "train") {
		t.Errorf("scores of %v", set)
	}
	s.Draws = 7
	if _, err := stagetest.RunStage(t, s, in); err == nil || !strings.HasSuffix(err.Error(), "draws is 7, but there are 3 random draws") {
		t.Errorf("got %v", err)
	}
}

// trainer is a small training of 5 folds that is quick.
func trainer(number int) *Train {
	s := trainOf("paper")
	s.Params, s.ScoresOf, s.Checkpoint, s.Seed = fold.Params{Fold: number, Repeat: 1}, "", 0, 3
	s.Epochs, s.Batch, s.LearningRate = 40, 8, 0.01
	return s
}

// The test participants' data reach no weight: changing them changes no weight.
func TestTestSideIsNotFitted(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 1, 8, 1)
	for _, standardize := range []string{"none", "training", "all"} {
		s := trainer(2)
		s.Epochs, s.Standardize = 3, standardize
		before := stagetest.MustRun(t, s, in)
		folds, _ := in["folds"][0].Table()
		fold, _ := folds.Ints("fold")
		changed := map[string][]dag.Input{"edges": in["edges"], "folds": in["folds"]}
		for i, f := range in["features"] {
			if fold[i] == 2 {
				a, _ := f.Array()
				v := slices.Clone(a.Float64s())
				for j := range v {
					v[j] += 3
				}
				f = dag.InputOf(encoding.NewArray(v, a.Shape...), f.Coords...)
			}
			changed["features"] = append(changed["features"], f)
		}
		after := stagetest.MustRun(t, s, changed)
		need.Equal(t, bytes.Equal(stagetest.Encoded(t, before["weights"]),
			stagetest.Encoded(t, after["weights"])), (standardize != "all"), "standardize", standardize, "weights are the same")
	}
}

func TestTrainIsTheSame(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 3, 9, 0.5)
	digest := func(threads int, change func(*Train)) string {
		s := trainer(1)
		s.Epochs = 4
		change(s)
		task := dag.NewTask(in)
		task.Threads = threads
		out := need.Value(s.Run(context.Background(), task))(t)
		var all []byte
		for _, p := range s.Ports().Out {
			all = append(all, stagetest.Encoded(t, out[p.Name])...)
		}
		return artifacts.DigestOf(all).String()
	}
	for _, variant := range []string{"paper", "authors-code"} {
		set := func(s *Train) {
			v := trainOf(variant)
			v.Batch, v.LearningRate = s.Batch, s.LearningRate
			s.ModelParams, s.TrainingParams = v.ModelParams, v.TrainingParams
			s.Epochs = 4
		}
		one := digest(1, set)
		for _, threads := range []int{2, 7} {
			if digest(threads, set) != one {
				t.Errorf("%s: %d threads give other bytes than one", variant, threads)
			}
		}
	}
	if digest(1, func(s *Train) {}) == digest(1, func(s *Train) { s.Seed++ }) {
		t.Error("another seed gives the same bytes")
	}
}

func TestTrainErrors(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 2, 8, 1)
	with := func(port string, inputs ...dag.Input) map[string][]dag.Input {
		out := map[string][]dag.Input{}
		for k, v := range in {
			out[k] = v
		}
		out[port] = inputs
		return out
	}
	a, _ := in["features"][4].Array()
	v := slices.Clone(a.Float64s())
	v[70] = math.NaN()
	nan := slices.Clone(in["features"])
	nan[4] = dag.InputOf(encoding.NewArray(v, a.Shape...), nan[4].Coords...)
	wide := slices.Clone(in["features"])
	wide[7] = dag.InputOf(encoding.NewArray(make([]float64, 2*8*9), 2, 8, 9), wide[7].Coords...)
	twice := stagetest.SomeParticipants(2, "HC")
	twice = encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: []string{"sub-001", "sub-001"}},
		twice.Columns[1],
		encoding.Column{Name: "repeat", Values: []int32{1, 1}},
		encoding.Column{Name: "fold", Values: []int32{1, 2}})
	for _, c := range []struct {
		change func(*Train)
		in     map[string][]dag.Input
		want   string
	}{
		{nil, with("features", nan...), "sub-005, draw 1: feature 7 of node 1 is NaN: a number is needed"},
		{nil, with("features", wide...), "9 features per node, but other participants have 8: use the same atlas for all"},
		{nil, with("features", in["features"][1:]...), "20 participants have edges and 19 have features: connect both to the same stage"},
		{nil, with("folds", dag.InputOf(twice)), "participant sub-001 appears twice in repeat 1: it could be in the training and the test set"},
		{func(s *Train) { s.Fold = 6 }, in, "has the folds 1 to 5, not 6: use the same number in the fold axis and in folds of the split stage"},
		{func(s *Train) { s.Repeat = 2 }, in, "has no repeat 2: set repeats in the split stage"},
		{func(s *Train) { s.LearningRate = 1e30 }, in, "try a smaller learning rate"},
	} {
		s := trainer(1)
		s.Epochs = 2
		if c.change != nil {
			c.change(s)
		}
		_, err := stagetest.RunStage(t, s, c.in)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("error %v, want …%s", err, c.want)
		}
	}
}

// A patience is a context that is canceled after it was asked some times.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// A training that is interrupted goes on from its last checkpoint, and its
// outputs are those of one that was not.
func TestTrainResumes(t *testing.T) {
	s := trainer(1)
	s.Epochs, s.Checkpoint = 8, 3
	resumes(t, s, stagetest.PlantedInputs(t, 20, 3, 9, 0.5), 4)
	resumes(t, smallBrainGNN("epochs", 8, "checkpoint", 3), correlated(t, 1), 2)
	resumes(t, smallBNT("epochs", 8, "checkpoint", 3), stagetest.NewCorrStudy(t, 24).Inputs(), 4)
}

// resumes interrupts a training of 8 epochs, a checkpoint every 3, in the sixth; batches are those of an epoch.
func resumes(t *testing.T, s dag.Stage, in map[string][]dag.Input, batches int) {
	t.Helper()
	whole := stagetest.MustRun(t, s, in)
	task := dag.NewTask(in)
	if _, err := s.Run(&patience{context.Background(), batches * 5}, task); !errors.Is(err, context.Canceled) {
		t.Fatalf("the training was not interrupted: %v", err)
	}
	if task.Checkpoint() == nil {
		t.Fatal("no checkpoint")
	}
	resumed, err := s.Run(&patience{context.Background(), batches * 5}, task) // enough for the epochs 4 to 8 alone
	need.NoError(t, err)
	for _, p := range s.Ports().Out {
		if !bytes.Equal(stagetest.Encoded(t, resumed[p.Name]), stagetest.Encoded(t, whole[p.Name])) {
			t.Errorf("output %s is not that of an uninterrupted training", p.Name)
		}
	}
}

func TestTrainValidate(t *testing.T) {
	s := trainer(1)
	if errs := s.Validate(); errs != nil {
		t.Errorf("defaults: %v", errs)
	}
	s.Lambda = []float64{1}
	if errs := s.Validate(); len(errs) != 1 {
		t.Errorf("one lambda: %v", errs)
	}
}

// Networks at the limit of weights are accepted, and larger ones are not.
func TestMaxWeights(t *testing.T) {
	train, baseline := trainer(1), baselineKind.New().(*Baseline)
	train.Widths, train.Hidden, baseline.GraphHidden = []int{4096}, []int{4096}, []int{4096, 4000}
	if errs := append(train.Validate(), baseline.Validate()...); errs != nil {
		t.Errorf("at the limit: %v", errs)
	}
	train.Hidden = append(train.Hidden, 2)
	wide := []int{4096, 4096, 8}
	baseline.Hidden, baseline.FullWidths, baseline.GraphHidden = wide, wide, wide
	if errs := append(train.Validate(), baseline.Validate()...); len(errs) != 4 ||
		!strings.Contains(errs[0].Error(), "widths and hidden: more than 16777216 weights between layers, the limit") {
		t.Errorf("beyond the limit: %v", errs)
	}
}
