package gnn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func small(o Options, t Training) (Options, Training) {
	o.Widths, o.Hidden = []int{8, 8}, []int{8}
	t.Epochs, t.Batch, t.Rate, t.Seed = 9, 8, 0.01, 3
	return o, t
}

// A training that stops after a checkpoint and goes on from it ends with the
// same weights and the same history as one that never stopped.
func TestCheckpoint(t *testing.T) {
	for _, authors := range []bool{false, true} {
		o, tr := small(Paper(10), PaperTraining())
		if authors {
			o, tr = small(AuthorsCode(10), AuthorsTraining())
		}
		train, test := randomGraphs[float32](o, 20, 10, 20), randomGraphs[float32](o, 30, 10, 20)[20:]
		run := func(tr Training) (*Model[float32], []Epoch, error) {
			m, err := New[float32](o, 1)
			need.NoError(t, err)
			h, err := m.Train(context.Background(), train, test, tr)
			return m, h, err
		}
		whole, history, err := run(tr)
		need.NoError(t, err)
		for _, stopAfter := range []int{1, 2} {
			var saved []byte
			n := 0
			interrupted := tr
			interrupted.Every = 3
			interrupted.Save = func(b []byte) error {
				saved = b
				if n++; n == stopAfter {
					return errors.New("power cut")
				}
				return nil
			}
			if _, _, err := run(interrupted); err == nil || !strings.Contains(err.Error(), "power cut") {
				t.Fatalf("the training was not stopped: %v", err)
			}
			again := tr
			again.Resume = saved
			epochs := 0
			again.Progress = func(Epoch) { epochs++ }
			m, h, err := run(again)
			need.NoError(t, err)
			need.Equal(t, epochs, tr.Epochs-3*stopAfter, "epochs after the checkpoint")
			if !slices.Equal(m.Params, whole.Params) || !slices.Equal(m.Buffers, whole.Buffers) ||
				fmt.Sprint(h) != fmt.Sprint(history) {
				t.Errorf("authors %v: going on after epoch %d gives other results", authors, 3*stopAfter)
			}
		}
		damaged := tr
		damaged.Resume = []byte("not a checkpoint")
		if m, _, err := run(damaged); err != nil || !slices.Equal(m.Params, whole.Params) {
			t.Errorf("a damaged checkpoint gives other results (%v)", err)
		}
	}
}

func TestTrainStops(t *testing.T) {
	o, tr := small(Paper(10), PaperTraining())
	graphs := randomGraphs[float32](o, 20, 10, 20)
	m, _ := New[float32](o, 1)
	ctx, cancel := context.WithCancel(context.Background())
	tr.Progress = func(e Epoch) {
		if e.Number == 2 {
			cancel()
		}
	}
	if h, err := m.Train(ctx, graphs, nil, tr); !errors.Is(err, context.Canceled) || h != nil {
		t.Errorf("a cancelled training gives %v", err)
	}
}

func TestRate(t *testing.T) {
	tr := PaperTraining()
	for epoch, want := range map[int]float64{0: 1e-3, 19: 1e-3, 20: 5e-4, 39: 5e-4, 40: 2.5e-4, 99: 6.25e-5} {
		need.Equal(t, tr.rate(epoch, 7), want, "epoch", epoch)
	}
	tr = AuthorsTraining()
	for step, want := range map[int]float64{0: 1e-2, 19: 1e-2, 20: 5e-3, 45: 2.5e-3} {
		need.Equal(t, tr.rate(3, step), want, "step", step)
	}
}

func TestDivergence(t *testing.T) {
	o, tr := small(Paper(10), PaperTraining())
	tr.Rate = 1e20
	graphs := randomGraphs[float32](o, 20, 10, 20)
	m, _ := New[float32](o, 1)
	_, err := m.Train(context.Background(), graphs, nil, tr)
	if err == nil || !strings.HasPrefix(err.Error(), "training diverged in epoch 1, batch 2: the ") || !strings.HasSuffix(err.Error(), ": try a smaller learning rate") {
		t.Errorf("error %v", err)
	}
}

// The history is that of the graphs: with a rate too small to move anything, the
// losses are those of the starting weights, and each epoch is like the first.
func TestHistory(t *testing.T) {
	o, tr := small(Paper(10), PaperTraining())
	o.Lambda2 = 0 // GLC depends on who is in a batch with whom
	tr.Rate, tr.Batch = 1e-30, 10
	graphs := randomGraphs[float64](o, 20, 10, 20)
	m, _ := New[float64](o, 1)
	h := need.Value(m.Train(context.Background(), graphs, graphs, tr))(t)
	p := need.Value(m.Predict(graphs, 1))(t)
	ce, right, kept, scores := 0.0, 0.0, 0, 0
	for i, p := range p {
		ce -= math.Log(p.Probability[graphs[i].Label]) / 20
		if p.Class == graphs[i].Label {
			right += 1. / 20
		}
		for _, k := range p.Layers[0].Kept {
			scores++
			if k {
				kept++
			}
		}
	}
	for _, e := range h {
		near(t, "ce and accuracies", []float64{e.Losses.CE, e.TestCE, e.TrainAccuracy, e.TestAccuracy},
			[]float64{ce, ce, right, right}, 1e-12)
		near(t, "total", []float64{e.Losses.Total},
			[]float64{e.Losses.CE + o.Lambda1*(e.Losses.Dist[0]+e.Losses.Dist[1])}, 1e-12)
		k, d := 0, 0
		for b := range ScoreBins {
			k, d = k+int(e.Scores[0].Kept[b]), d+int(e.Scores[0].Dropped[b])
		}
		if k != kept || k+d != scores {
			t.Errorf("%d of %d scores counted as kept, want %d of %d", k, k+d, kept, scores)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	o, tr := small(Paper(10), PaperTraining())
	graphs := randomGraphs[float32](o, 4, 10, 20)
	other := randomGraphs[float32](Paper(9), 1, 9, 20)
	sizes := append(randomGraphs[float32](o, 1, 12, 20), graphs...)
	wrong := *graphs[0]
	wrong.Label = 2
	for _, c := range []struct {
		train, test []*Graph[float32]
		change      func(*Training)
		want        string
	}{
		{nil, nil, nil, "no training graphs"},
		{graphs, other, nil, "a graph has 9 features per node, but the model takes 10"},
		{[]*Graph[float32]{&wrong}, nil, nil, "a graph has class 2, but the model has 2 classes"},
		{sizes, nil, nil, "nodes in one batch: the group-level consistency loss and the authors' MMD compare scores node by node; for graphs of different sizes, set lambda2 to 0 and choose another kernel"},
		{graphs, nil, func(t *Training) { t.Epochs, t.Batch, t.Rate = 0, 0, 0 }, "epochs: 0, want at least 1\nbatch: 0, want at least 1\nlearning rate: 0, want a positive number"},
		{graphs, nil, func(t *Training) { t.BestOnTest = true }, "the best epoch on the test graphs is requested, but there are no test graphs"},
	} {
		m, _ := New[float32](o, 1)
		tr := tr
		if c.change != nil {
			c.change(&tr)
		}
		_, err := m.Train(context.Background(), c.train, c.test, tr)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("error %v, want …%s", err, c.want)
		}
	}
}

// Dropout leaves a share 1−p of the hidden values, scaled up, and another batch
// another choice.
func TestDropout(t *testing.T) {
	o, tr := small(AuthorsCode(10), AuthorsTraining())
	o.Hidden, o.Dropout = []int{200, 100}, 0.3
	m := need.Value(New[float64](o, 1))(t)
	draw := func(epoch, batch int) []float64 {
		s := &slot[float64]{mlp: newMLPState[float64](o)}
		m.dropout(tr)(epoch, batch)([]*slot[float64]{s, {mlp: newMLPState[float64](o)}})
		return slices.Concat(s.mlp.mask...)
	}
	mask := draw(1, 0)
	kept := 0
	for _, x := range mask {
		if x != 0 && x != 1/0.7 {
			t.Fatalf("mask %v", x)
		}
		if x != 0 {
			kept++
		}
	}
	if kept < 180 || kept > 240 { // 210 ± 4 standard deviations of 8
		t.Errorf("%d of 300 values kept, want about 210", kept)
	}
	if !slices.Equal(mask, draw(1, 0)) || slices.Equal(mask, draw(1, 1)) || slices.Equal(mask, draw(2, 0)) {
		t.Error("masks do not follow epoch and batch")
	}
}
