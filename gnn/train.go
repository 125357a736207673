package gnn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
)

// Training says how a model is trained.
type Training struct {
	Epochs int
	Batch  int     // graphs
	Rate   float64 // Adam's learning rate at the start
	Halve  int     // the rate is halved every so many epochs; 0: never
	// HalveBatches counts Halve in batches instead (the authors' program).
	HalveBatches bool
	Decay        float64 // L2 weight decay
	// BestOnTest keeps the weights of the epoch with the lowest cross-entropy on
	// the test graphs instead of the last epoch's. The authors' program does so; it
	// lets the test graphs choose the model, and the accuracy is too high by it.
	BestOnTest bool

	Seed    uint64 // of the order of the graphs and of dropout
	Stream  []any  // further words that name those streams
	Workers int    // goroutines; results do not depend on it

	Every    int                // a checkpoint every so many epochs; 0: none
	Save     func([]byte) error // keeps a checkpoint
	Resume   []byte             // what Save was last given, or nil
	Progress func(Epoch)
}

// PaperTraining is the paper's: 100 epochs of Adam at 0.001 halved every 20 epochs,
// in batches of 100.
func PaperTraining() Training { return Training{Epochs: 100, Batch: 100, Rate: 1e-3, Halve: 20} }

// AuthorsTraining is the released program's: 20 epochs at 0.01, halved every 20 batches,
// weight decay 0.05, and the epoch that did best on the test graphs.
func AuthorsTraining() Training {
	return Training{Epochs: 20, Batch: 100, Rate: 1e-2, Halve: 20, HalveBatches: true, Decay: 5e-2, BestOnTest: true}
}

// An Epoch is one line of a training's history. The losses are means over the
// epoch's batches, weighted by their graphs, before each step; the accuracy on
// the training graphs likewise, that on the test graphs is after the epoch.
type Epoch struct {
	Number        int // from 1
	Rate          float64
	Losses        Losses
	TrainAccuracy float64
	TestAccuracy  float64 // NaN without test graphs
	TestCE        float64
	Scores        []ScoreCounts // one a block
}

// ScoreBins is the number of equal bins of [0, 1] in a ScoreCounts.
const ScoreBins = 50

// ScoreCounts is how the pooling scores of the training graphs were distributed
// during an epoch (the paper's Figure 3).
type ScoreCounts struct{ Kept, Dropped [ScoreBins]int32 }

// countScores adds the scores of one graph; those of the first k ranks are kept. Whether a node is
// kept is as good as random: it picks an array, not a branch.
func countScores[T Float](c *ScoreCounts, scores []T, rank []int32, k int) {
	of := [2]*[ScoreBins]int32{&c.Dropped, &c.Kept}
	for i, s := range scores {
		bin := min(max(int(float64(s)*ScoreBins), 0), ScoreBins-1)
		of[uint32(int(rank[i])-k)>>31][bin]++
	}
}

// Check reports every setting that makes no sense.
func (t Training) Check() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if t.Epochs < 1 {
		bad("epochs: %d, want at least 1", t.Epochs)
	}
	if t.Batch < 1 {
		bad("batch: %d, want at least 1", t.Batch)
	}
	if !(t.Rate > 0) || math.IsInf(t.Rate, 0) {
		bad("learning rate: %v, want a positive number", t.Rate)
	}
	if t.Halve < 0 {
		bad("halve: %d, want 0 or more", t.Halve)
	}
	if !(t.Decay >= 0) || math.IsInf(t.Decay, 0) {
		bad("weight decay: %v, want 0 or more", t.Decay)
	}
	return errors.Join(errs...)
}

// tooLarge is where a loss counts as exploded: cross-entropies are of the order
// of 1, and GLC of the number of nodes.
const tooLarge = 1e7

// Train fits the model to the training graphs and returns the history. The test
// graphs are only looked at, after each epoch; nothing is fitted to them (but
// see BestOnTest).
func (m *Model[T]) Train(ctx context.Context, train, test []*Graph[T], t Training) ([]Epoch, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if err := m.fits(train, test); err != nil {
		return nil, err
	}
	if t.BestOnTest && len(test) == 0 {
		return nil, errors.New("the best epoch on the test graphs is requested, but there are no test graphs")
	}
	w := newWorker(m, t.Workers)
	run := &run[T]{m: m, adam: NewAdam[T](len(m.Params), t.Decay), grad: make([]T, len(m.Params)), bestCE: math.Inf(1)}
	if t.Resume != nil {
		run.resume(t.Resume)
	}
	masks := m.dropout(t)
	for run.epoch < t.Epochs {
		e, err := run.trainEpoch(ctx, w, train, t, masks)
		if err != nil {
			return nil, err
		}
		m.prepare()
		if len(test) > 0 {
			e.TestAccuracy, e.TestCE = w.test(test, t.Batch)
			if t.BestOnTest && e.TestCE < run.bestCE {
				run.bestCE = e.TestCE
				run.best = append(append(run.best[:0], m.Params...), m.Buffers...)
			}
		}
		run.epoch++
		run.history = append(run.history, e)
		if t.Progress != nil {
			t.Progress(e)
		}
		if t.Every > 0 && t.Save != nil && run.epoch%t.Every == 0 && run.epoch < t.Epochs {
			b, err := run.checkpoint()
			if err != nil {
				return nil, err
			}
			if err := t.Save(b); err != nil {
				return nil, fmt.Errorf("checkpoint after epoch %d: %w", run.epoch, err)
			}
		}
	}
	if t.BestOnTest && run.best != nil {
		copy(m.Params, run.best)
		copy(m.Buffers, run.best[len(m.Params):])
	}
	m.prepare()
	for _, p := range m.Layout {
		for _, x := range of(m.Params, p) {
			if !finite(float64(x)) {
				return nil, fmt.Errorf("training diverged in epoch %d: the weights %s are not finite: try a smaller learning rate", t.Epochs, p.Name)
			}
		}
	}
	return run.history, nil
}

// trainEpoch trains one epoch: every training graph once, in batches of a random order.
func (r *run[T]) trainEpoch(ctx context.Context, w *worker[T], train []*Graph[T], t Training,
	masks func(epoch, batch int) func([]*slot[T])) (Epoch, error) {
	e := Epoch{Number: r.epoch + 1, Losses: Losses{Dist: make([]float64, len(r.m.blocks))},
		TestAccuracy: math.NaN(), TestCE: math.NaN(), Scores: make([]ScoreCounts, len(r.m.blocks))}
	order := lists.Map(t.stream("order", e.Number).Perm(len(train)), func(i int) *Graph[T] { return train[i] })
	correct := 0
	for at := 0; at < len(order); at += t.Batch {
		if err := ctx.Err(); err != nil {
			return e, err
		}
		batch := order[at:min(at+t.Batch, len(order))]
		r.m.prepare()
		l, err := w.gradient(batch, r.grad, masks(e.Number, at/t.Batch))
		if err != nil {
			return e, err
		}
		if err := l.check(r.m.Options); err != nil {
			return e, fmt.Errorf("training diverged in epoch %d, batch %d: %w: try a smaller learning rate", e.Number, at/t.Batch+1, err)
		}
		e.Rate = t.rate(r.epoch, r.adam.Steps)
		r.adam.Step(r.m.Params, r.grad, e.Rate)
		share := float64(len(batch)) / float64(len(train))
		e.Losses.addScaled(l, share)
		for _, s := range w.slots[:len(batch)] {
			if s.right() {
				correct++
			}
		}
	}
	w.tellScores(e.Scores)
	e.TrainAccuracy = float64(correct) / float64(len(train))
	return e, nil
}

// tellScores gives the counts of all goroutines together, and begins anew.
func (w *worker[T]) tellScores(to []ScoreCounts) {
	for _, sc := range w.scratch {
		for b := range to {
			for bin := range ScoreBins {
				to[b].Kept[bin] += sc.counts[b].Kept[bin]
				to[b].Dropped[bin] += sc.counts[b].Dropped[bin]
			}
		}
		clear(sc.counts)
	}
}

// fits checks that graphs and model go together.
func (m *Model[T]) fits(sets ...[]*Graph[T]) error {
	if len(sets[0]) == 0 {
		return errors.New("no training graphs")
	}
	for _, set := range sets {
		for _, g := range set {
			if g.each != m.Features {
				return fmt.Errorf("a graph has %d features per node, but the model takes %d", g.each, m.Features)
			}
			if g.Label < 0 || g.Label >= m.Classes {
				return fmt.Errorf("a graph has class %d, but the model has %d classes", g.Label, m.Classes)
			}
		}
	}
	return nil
}

func (t Training) stream(what string, numbers ...int) *random.Stream {
	name := append([]any{"training", what}, t.Stream...)
	for _, n := range numbers {
		name = append(name, n)
	}
	return random.New(t.Seed, name...)
}

// rate is the learning rate of an epoch (from 0) or step (from 0).
func (t Training) rate(epoch, step int) float64 {
	switch {
	case t.Halve == 0:
		return t.Rate
	case t.HalveBatches:
		return math.Ldexp(t.Rate, -(step / t.Halve))
	}
	return math.Ldexp(t.Rate, -(epoch / t.Halve))
}

// check finds the first term of the loss that is no number or has exploded.
func (l Losses) check(o Options) error {
	type term struct {
		name  string
		value float64
	}
	terms := []term{{"the cross-entropy", l.CE}}
	if o.Number {
		terms[0].name = "the squared error"
	}
	for i, d := range l.Dist {
		terms = append(terms, term{fmt.Sprintf("the distance loss of block %d (%s)", i+1, o.Distance), d})
	}
	for _, t := range append(terms, term{"the group-level consistency loss", l.GLC}) {
		if !(math.Abs(t.value) <= tooLarge) {
			return fmt.Errorf("%s is %v", t.name, t.value)
		}
	}
	return nil
}

func (l *Losses) addScaled(b Losses, share float64) {
	l.Total += float64(b.Total * share)
	l.CE += float64(b.CE * share)
	l.GLC += float64(b.GLC * share)
	for i, d := range b.Dist {
		l.Dist[i] += float64(d * share)
	}
}

// predicted is the class of the highest probability, the first among equals.
func (s *slot[T]) predicted() int {
	best := 0
	for c, p := range s.probability {
		if p > s.probability[best] {
			best = c
		}
	}
	return best
}

// right reports whether the class is that of the graph; a number has none.
func (s *slot[T]) right() bool { return len(s.probability) > 1 && s.predicted() == s.graph.Label }

// test gives accuracy and mean cross-entropy on graphs.
func (w *worker[T]) test(graphs []*Graph[T], batch int) (accuracy, ce float64) {
	correct := 0
	for batch := range slices.Chunk(graphs, batch) {
		for _, s := range w.predict(batch) {
			if s.right() {
				correct++
			}
			ce += s.ce
		}
	}
	n := float64(len(graphs))
	return float64(correct) / n, ce / n
}
