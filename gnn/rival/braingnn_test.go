package rival

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
)

// The fixtures are of testdata/braingnn/braingnn.py (PyTorch, float64): 7 graphs of 14 regions.
const brainPeople, brainNodes = 7, 14

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// brainCases are the fixtures: the paper with one option changed, or the released program.
func brainCases() map[string]BrainGNN {
	small := func(o BrainGNN) BrainGNN {
		o.Communities, o.Widths, o.Hidden, o.Dropout = 3, []int{5, 4}, 6, 0
		return o
	}
	all := map[string]BrainGNN{"paper": small(PaperBrainGNN(brainNodes, brainNodes, 2)),
		"code": small(AuthorsBrainGNN(brainNodes, brainNodes, 2))}
	for name, change := range map[string]func(*BrainGNN){
		"edge_softmax": func(o *BrainGNN) { o.Edge = "softmax" }, "no_relu": func(o *BrainGNN) { o.ReLU = false },
		"conv_bias": func(o *BrainGNN) { o.ConvBias = true }, "zscore_off": func(o *BrainGNN) { o.ZScore = false },
		"augment": func(o *BrainGNN) { o.Augment = true }, "bn": func(o *BrainGNN) { o.BatchNorm = true },
		"tpk_code": func(o *BrainGNN) { o.TPK = "code" }, "glc_mean": func(o *BrainGNN) { o.GLC = "mean" },
		"glc_sum": func(o *BrainGNN) { o.GLC = "sum" }, "glc_code": func(o *BrainGNN) { o.GLC = "code" },
	} {
		o := all["paper"]
		change(&o)
		all["variants/"+name] = o
	}
	return all
}

func brainFixture(t *testing.T, o BrainGNN) *brainNet[float64] {
	t.Helper()
	x, e := npy(t, "braingnn/X"), npy(t, "braingnn/E")
	var graphs []Graph[float64]
	for g := range brainPeople {
		var edges []gnn.Edge
		for i := range brainNodes {
			for j := range i {
				if w := e[(g*brainNodes+i)*brainNodes+j]; w != 0 {
					edges = append(edges, gnn.Edge{Source: int32(j), Target: int32(i), Weight: w})
				}
			}
		}
		graphs = append(graphs, must(NewGraph[float64](o, x[g*brainNodes*brainNodes:][:brainNodes*brainNodes], edges)))
	}
	return newBrainGNN(o, graphs, ints(npy(t, "braingnn/y")))
}

// swapped exchanges means and maxima in the input of the first full layer: the released program has the
// maxima first. z has one row a graph; of parameters it is the columns of fc1_W, before they are turned.
func swapped(o BrainGNN, z []float64, columns int) []float64 {
	out := slices.Clone(z)
	for at := 0; at < len(z); at += columns {
		from := 0
		for _, w := range o.Widths {
			copy(out[at+from:], z[at+from+w:][:w])
			copy(out[at+from+w:], z[at+from:][:w])
			from += 2 * w
		}
	}
	return out
}

// ours maps parameters of PyTorch to ours, or back.
func ours(n *brainNet[float64], name string, v []float64, back bool) []float64 {
	swap := func(v []float64) []float64 {
		if name != "code" {
			return v
		}
		p, _ := n.l.Find("fc1_W")
		v = slices.Clone(v)
		copy(v[p.Offset:], swapped(n.BrainGNN, v[p.Offset:][:p.Len()], p.Shape[0]))
		return v
	}
	if back {
		return swap(turned(n.l, v, true))
	}
	return turned(n.l, swap(v), false)
}

func TestBrainGNNAgainstPyTorch(t *testing.T) {
	for name, o := range brainCases() {
		for _, threads := range []int{1, 3} {
			near := func(what string, got []float64, file string, tolerance float64) {
				t.Helper()
				closeTo(t, name+": "+what, got, npy(t, "braingnn/"+name+"/"+file), tolerance)
			}
			n := brainFixture(t, o)
			init := npy(t, "braingnn/"+name+"/init")
			if len(init) != n.Layout().Len() {
				t.Fatalf("%s: %d parameters, want %d", name, n.Layout().Len(), len(init))
			}
			params := ours(n, name, init, false)
			grad := make([]float64, len(params))
			loss, _ := n.Gradient(params, grad, lists.UpTo(brainPeople), nil, threads)
			near("gradient", ours(n, name, grad, true), "grad", 1e-12)
			terms := npy(t, "braingnn/"+name+"/losses")
			closeTo(t, name+": losses", []float64{loss/brainPeople + n.penalty/brainPeople,
				loss / brainPeople},
				terms[:2], 1e-12)
			first, second := n.blocks[0], n.blocks[1]
			near("scores of pool 1", first.score, "s1", 1e-12)
			near("scores of pool 2", second.score, "s2", 1e-12)
			z := n.head.values[0]
			if name == "code" {
				z = swapped(o, z, n.head.width())
			}
			near("readout", z, "z", 1e-12)
			near("logits", n.forward(params, lists.UpTo(brainPeople), true, false, nil, threads), "logits", 1e-12)
			if strings.HasPrefix(name, "variants/") {
				continue
			}
			near("convolution 1", first.h, "h1", 1e-12)
			near("convolution 2", second.h, "h2", 1e-12)
			near("pool 1", first.pooled, "hp1", 1e-12)
			near("pool 2", second.pooled, "hp2", 1e-12)
			if got := second.kept; !slices.Equal(got, int32s(npy(t, "braingnn/"+name+"/roi2"))) {
				t.Errorf("%s: regions %v", name, got)
			}
			if o.BatchNorm {
				near("running statistics", n.Buffers()[:8], "bn1_running", 1e-12)
				near("running statistics", n.Buffers()[8:], "bn2_running", 1e-12)
				near("logits of evaluation", n.forward(params, lists.UpTo(brainPeople), false, false, nil,
					threads), "logits_eval", 1e-12)
			}
			// Three steps of Adam.
			for file, tr := range map[string]network.Training{"adam": {Rate: 1e-3, Threads: threads},
				"adam_wd": {Rate: 1e-2, Decay: 5e-3, Threads: threads}} {
				p := slices.Clone(params)
				step := network.NewOptimizer(tr, p, grad).Step
				for want := range slices.Chunk(npy(t, "braingnn/"+name+"/"+file), len(p)) {
					n.Gradient(p, grad, lists.UpTo(brainPeople), nil, threads)
					step(tr.Rate)
					closeTo(t, name+": "+file, ours(n, name, p, true), want, 1e-9)
				}
			}
		}
	}
}

func int32s(v []float64) (out []int32) {
	for _, x := range v {
		out = append(out, int32(x))
	}
	return out
}

// The numbers of the released program at 200 regions, and sums by hand.
func TestBrainGNNParameters(t *testing.T) {
	for _, c := range []struct {
		o    BrainGNN
		want int
	}{{AuthorsBrainGNN(200, 200, 2), 93_282}, {AuthorsBrainGNN(84, 84, 2), 58_018}, {PaperBrainGNN(200, 200, 2),
		92_130},
		{PaperBrainGNN(84, 84, 2), 56_866}} {
		need.Equal(t, newBrainGNN[float32](c.o, nil, nil).Layout().Len(), c.want, c.o.Nodes, "regions", c.o.Edge,
			"parameters")
	}
}

// plantedGraphs are graphs of two classes: the first two regions correlate in one.
func plantedGraphs[T float32 | float64](o BrainGNN, n int) (graphs []Graph[T], label []int) {
	for i := range n {
		r := random.New(3, "planted", i)
		x, edges := make([]float64, o.Nodes*o.Nodes), []gnn.Edge(nil)
		for a := range o.Nodes {
			x[a*o.Nodes+a] = 1
			for b := range a {
				v := 0.2 * r.Normal()
				if a == 1 && i%2 == 1 {
					v += 0.8
				}
				x[a*o.Nodes+b], x[b*o.Nodes+a] = v, v
				if v > 0.1 {
					edges = append(edges, gnn.Edge{Source: int32(b), Target: int32(a), Weight: v})
				}
			}
		}
		graphs, label = append(graphs, must(NewGraph[T](o, x, edges))), append(label, i%2)
	}
	return graphs, label
}

func smallBrain(o BrainGNN) BrainGNN {
	o.Communities, o.Widths, o.Hidden = 3, []int{8, 8}, 16
	return o
}

// With dropout and batch normalization the gradient is that of central differences.
func TestBrainGNNGradientWithDropout(t *testing.T) {
	for _, batchNorm := range []bool{true, false} {
		o := smallBrain(AuthorsBrainGNN(7, 7, 3))
		o.BatchNorm, o.Dropout = batchNorm, 0.3
		graphs, label := plantedGraphs[float64](o, 6)
		label[0] = 2
		n := newBrainGNN(o, graphs, label)
		params := network.Initial[float64](n.Layout(), o.start(network.Training{Seed: 4}))
		loss := func(grad []float64) float64 {
			l, _ := n.Gradient(params, grad, lists.UpTo(6), random.New(9), 2)
			return (l + n.Penalty()) / 6
		}
		grad := make([]float64, len(params))
		loss(grad)
		slopes(t, params, grad, 1, 1e-6, func() float64 { return loss(nil) })
	}
}

// Equal scores, as of nodes without features, are no reason to divide by 0.
func TestBrainGNNEqualScores(t *testing.T) {
	o := smallBrain(PaperBrainGNN(7, 7, 2))
	n := newBrainGNN(o, []Graph[float64]{must(NewGraph[float64](o, make([]float64, 49), nil))}, []int{1})
	params := network.Initial[float64](n.Layout(), network.Training{Seed: 4})
	grad := make([]float64, len(params))
	loss, _ := n.Gradient(params, grad, []int{0}, nil, 1)
	for _, g := range append(grad, loss, n.penalty) {
		if math.IsNaN(g) || math.IsInf(g, 0) {
			t.Fatalf("loss %v, gradient %v", loss, grad)
		}
	}
}

func trainBrain(t *testing.T, o BrainGNN, tr network.Training) (*Model[Graph[float32]], []Graph[float32], []int,
	[]network.Epoch) {
	t.Helper()
	graphs, label := plantedGraphs[float32](o, 60)
	tr.Seed, tr.Held, tr.Test, tr.Batch = 1, 12, 12, 16
	var history []network.Epoch
	tr.Progress = func(e network.Epoch) { history = append(history, e) }
	m := need.Value(Fit(context.Background(), o, tr, graphs, label))(t)
	return m, graphs, label, history
}

// A planted difference is learned in both forms, and found: its regions have the highest score of pool 1
// (in the form of the paper; in the other a score means little).
func TestBrainGNNFit(t *testing.T) {
	for name, o := range map[string]BrainGNN{"paper": PaperBrainGNN(7, 7, 2), "code": AuthorsBrainGNN(7, 7, 2)} {
		tr := AuthorsBrainGNNTraining()
		tr.Epochs, tr.Patience = 60, 60
		m, graphs, label, history := trainBrain(t, smallBrain(o), tr)
		right, best := 0, 5
		for i := range history {
			if i > 5 && history[i].HeldLoss < history[best].HeldLoss {
				best = i
			}
		}
		loss := 0.0
		for i, p := range m.Rate(graphs, 2)[48:] {
			loss -= math.Log(p.Probability[label[48+i]]) / 12
			if p.Class == label[48+i] {
				right++
			}
			if n := len(p.Layers[0].Node); n != 7 || len(p.Layers[1].Node) != 4 {
				t.Fatalf("%s: %d and %d nodes have scores", name, n, len(p.Layers[1].Node))
			}
		}
		if right < 11 || math.Abs(loss-history[best].TestLoss) > 1e-5 {
			t.Errorf("%s: %d of 12 right, loss %v, and %v in the epoch of the smallest", name, right, loss, history[best].TestLoss)
		}
		// 19 epochs at the first rate
		if a, b := history[18].Rate, history[19].Rate; a != 0.01 || b != 0.005 || history[39].Rate != 0.0025 {
			t.Errorf("rates %v, %v, %v", a, b, history[39].Rate)
		}
		if c := Communities(m); len(c) != 7 || len(c[0]) != 3 || slices.Min(c[0]) < 0 {
			t.Errorf("communities %v", c)
		}
	}
}

// A training that goes on from a checkpoint ends with the same bits, and tells of all epochs.
func TestBrainGNNCheckpoint(t *testing.T) {
	o := smallBrain(AuthorsBrainGNN(7, 7, 2))
	tr := AuthorsBrainGNNTraining()
	tr.Epochs, tr.Halve = 12, 3
	whole, _, _, history := trainBrain(t, o, tr)
	var saved []byte
	tr.Every, tr.Save = 9, func(b []byte) error { saved = b; return nil }
	trainBrain(t, o, tr)
	for _, resume := range [][]byte{saved, []byte("not a checkpoint")} {
		tr.Resume, tr.Save = resume, func([]byte) error { return nil }
		m, _, _, again := trainBrain(t, o, tr)
		if !slices.Equal(m.params, whole.params) || !slices.Equal(m.buffers, whole.buffers) ||
			!slices.Equal(again, history) {
			t.Error("other results after a checkpoint")
		}
	}
}

// TestBits: the same bits on every machine (gnn/bits.sh) and at any number of goroutines.
func TestBrainGNNBits(t *testing.T) {
	for _, threads := range []int{1, 3} {
		var all [][]float64
		for _, o := range []BrainGNN{PaperBrainGNN(9, 9, 2), AuthorsBrainGNN(9, 9, 2)} {
			tr := AuthorsBrainGNNTraining()
			tr.Epochs, tr.Threads = 8, threads
			m, graphs, _, _ := trainBrain(t, smallBrain(o), tr)
			for _, p := range m.Rate(graphs, threads) {
				all = append(all, p.Probability, p.Layers[0].Score, p.Layers[1].Score)
			}
		}
		need.Equal(t, testdir.Bits(all...), "3079cc379ed72631", threads)
	}
}
