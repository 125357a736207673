package rival

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
)

// The fixtures are of testdata/bnt/bnt.py (PyTorch, float64): 6 participants, 12 regions.
const bntPeople, bntNodes = 6, 12

func split(v []float64, n int) [][]float64 { return slices.Collect(slices.Chunk(v, len(v)/n)) }

// A fixture is a case of testdata/bnt/bnt.py.
type fixture struct {
	dir, readout string
	identity     int
	clustering   float64
}

var fixtures = []fixture{{"code", "authors-code", 0, 0}, {"paper", "paper", 0, 0}, {"student_t", "student_t", 0, 0},
	{"identity", "authors-code", 3, 0}, {"dec", "authors-code", 0, 0.7}, {"student_t_dec", "student_t", 0, 2},
	{"both", "paper", 2, 0.5}}

// net is the network of a case.
func (f fixture) net(t *testing.T) *bntNet[float64] {
	t.Helper()
	o := BNT{Nodes: bntNodes, Heads: 4, FeedForward: 16, Readout: f.readout, Clusters: 5, Encoding: 6, Reduced: 4,
		Hidden: []int{10, 6}, Classes: 2, Identity: f.identity, Clustering: f.clustering}
	centers := "centers_code"
	if f.identity > 0 {
		centers = "centers_wide_code"
	}
	if f.readout == "paper" {
		centers = strings.Replace(centers, "code", "paper", 1)
	}
	label := lists.Map(npy(t, "bnt/y"), func(y float64) int { return int(y) })
	return newBNT(o, npy(t, "bnt/"+centers), split(npy(t, "bnt/X"), bntPeople), label)
}

// gradientOf is the loss and gradient of the fixture's mixture.
func gradientOf(t *testing.T, n *bntNet[float64], params []float64, threads int) (loss float64, grad []float64) {
	share, partner := npy(t, "bnt/mix_lam")[0], ints(npy(t, "bnt/mix_perm"))
	x := n.padded(lists.UpTo(bntPeople))
	p := n.forward(params, mix(make([]float64, len(x)), x, share, partner), nil, threads)
	loss = n.cluster(p)
	d := p.logits()
	for k := range bntPeople {
		l, _ := mixedEntropy(d[k*2:][:2], n.label[k], n.label[partner[k]], share)
		loss += l
	}
	grad = make([]float64, len(params))
	n.back(params, grad, p, d, false, threads)
	return loss, grad
}

func TestBNTAgainstPyTorch(t *testing.T) {
	share, partner := npy(t, "bnt/mix_lam")[0], ints(npy(t, "bnt/mix_perm"))
	for _, f := range fixtures {
		dir := f.dir
		for _, threads := range []int{1, 3} {
			near := func(what string, got []float64, name string, tolerance float64) {
				t.Helper()
				closeTo(t, dir+": "+what, got, npy(t, "bnt/"+dir+"/"+name), tolerance)
			}
			n := f.net(t)
			init := npy(t, "bnt/"+dir+"/init")
			if len(init) != n.Layout().Len() {
				t.Fatalf("%s: %d parameters, want %d", dir, n.Layout().Len(), len(init))
			}
			params := turned(n.Layout(), init, false)
			whole := n.padded(lists.UpTo(bntPeople))
			x := mix(make([]float64, len(whole)), whole, share, partner)
			if f.identity == 0 {
				closeTo(t, "mixed", x, npy(t, "bnt/X_mix"), 1e-15)
			}
			p := n.forward(params, x, nil, threads)
			near("clusters", p.assign, "assign", 1e-12)
			near("pooled", p.values[0], "pooled", 1e-12)
			near("logits", p.logits(), "logits", 1e-12)
			loss, grad := gradientOf(t, n, params, threads)
			terms := npy(t, "bnt/"+dir+"/losses")
			closeTo(t, dir+": loss", []float64{loss}, []float64{terms[0] + f.clustering*terms[2]}, 1e-12)
			kl := divergence(target(p.assign, 5), p.assign, 5)
			closeTo(t, dir+": clustering loss", []float64{kl}, terms[2:], 1e-12)
			near("gradient", turned(n.Layout(), grad, true), "grad", 1e-12)
			// Three steps of Adam.
			training := BNTTraining()
			training.Threads = threads
			step := network.NewOptimizer(training, params, grad).Step
			for k, want := range split(npy(t, "bnt/"+dir+"/adam"), 3) {
				if k > 0 {
					_, again := gradientOf(t, n, params, threads)
					copy(grad, again)
				}
				step(npy(t, "bnt/lr_cosine")[k])
				closeTo(t, dir+": Adam", turned(n.Layout(), params, true), want, 1e-10)
			}
			if f.dir != "code" && f.dir != "paper" {
				continue
			}
			params = turned(n.Layout(), init, false)
			for b, s := range p.blocks {
				name := []string{"1", "2"}[b]
				near("block "+name, s.second.out, "x"+name, 1e-12)
				mean := make([]float64, bntPeople*bntNodes*bntNodes)
				for g, heads := range split(s.attention, bntPeople) {
					for i, a := range heads {
						mean[g*bntNodes*bntNodes+i%(bntNodes*bntNodes)] += a / 4
					}
				}
				near("attention "+name, mean, "att"+name+"_mean", 1e-12)
			}
			near("encoded", p.encoded[len(p.encoded)-1], "enc", 1e-12)
			near("logits as they are", n.forward(params, n.padded(lists.UpTo(bntPeople)), nil, threads).logits(),
				"logits_unmixed", 1e-12)
		}
	}
}

func TestCentersAgainstNumpy(t *testing.T) {
	for _, name := range []string{"centers_code", "centers_paper"} {
		c := npy(t, "bnt/centers_raw")
		orthogonal(c, bntNodes, name == "centers_paper")
		closeTo(t, name, c, npy(t, "bnt/"+name), 1e-13)
	}
}

// The numbers of trained values are those of the released program (and of meanMLP's count for it, with the
// 20,000 of the centers: 3,980,890); 84, the paper's and that with an identity are sums by hand.
func TestBNTParameters(t *testing.T) {
	for _, c := range []struct {
		nodes   int
		readout string
		columns int // of the identity
		want    int
	}{{200, "authors-code", 0, 3_960_890}, {360, "authors-code", 0, 11_161_210}, {84, "authors-code", 0, 959_042},
		{200, "paper", 0, 1_359_802}, {202, "authors-code", IdentityColumns, 12_564_106}} {
		o := ReleasedBNT(c.nodes, 2)
		o.Identity = c.columns
		if c.nodes == 360 {
			o.Clusters = 100
		}
		o.Readout = c.readout
		n := newBNT[float32](o, make([]float64, o.Clusters*o.Columns()), nil, nil)
		need.Equal(t, n.Layout().Len(), c.want, c.nodes, "nodes", c.readout, "parameters")
	}
}

// With masks, and columns that are added, the gradient is that of central differences.
func TestBNTGradientWithDropout(t *testing.T) {
	graphs, label := plantedMatrices[float64](5, 7)
	o := smallBNT("authors-code")
	o.Dropout, o.Mixup = 0.3, false
	tr := network.Training{Seed: 4}
	n := newBNT(o, centersOf(o, &tr), graphs, label)
	if n.columns != 8 {
		t.Fatalf("%d columns, want 8", n.columns)
	}
	params := network.Initial[float64](n.Layout(), tr)
	masks := n.masks(5, random.New(9), 2)
	loss := func(grad []float64) (sum float64) {
		p := n.forward(params, n.padded(lists.UpTo(5)), masks, 2)
		d := p.logits()
		for k := range 5 {
			l, _ := mixedEntropy(d[k*2:][:2], label[k], label[k], 1)
			sum += l
		}
		if grad != nil {
			n.back(params, grad, p, d, false, 2)
		}
		return sum
	}
	grad := make([]float64, len(params))
	loss(grad)
	slopes(t, params, grad, 7, 1e-5, func() float64 { return loss(nil) })
	dropped, all := 0, 0
	for _, block := range masks {
		for _, m := range block {
			for _, part := range []network.Mask[float64]{m.attention, m.first, m.up, m.second} {
				need.Equal(t, part.Factor, 1/0.7, "factor")
				for _, kept := range part.Kept {
					if all++; kept == 0 {
						dropped++
					}
				}
			}
		}
	}
	if share := float64(dropped) / float64(all); math.Abs(share-0.3) > 0.03 {
		t.Errorf("%.3f of %d values are dropped", share, all)
	}
}

// The identity begins normal, with variance 2/columns, as the released program has it.
func TestIdentityBegins(t *testing.T) {
	o := ReleasedBNT(200, 2)
	o.Identity = IdentityColumns
	n := newBNT[float64](o, make([]float64, o.Clusters*o.Columns()), nil, nil)
	sum, fourth := 0.0, 0.0
	for _, v := range network.Of(network.Initial[float64](n.Layout(), network.Training{Seed: 1}), n.identity) {
		sum += v * v
		fourth += v * v * v * v
	}
	size := 200. * 360
	if variance := sum / size * 360 / 2; math.Abs(variance-1) > 0.02 || math.Abs(fourth*size/(sum*sum)-3) > 0.1 {
		t.Errorf("variance %v of that of the released program, kurtosis %v", variance, fourth*size/(sum*sum))
	}
}

func smallBNT(readout string) BNT {
	o := ReleasedBNT(7, 2)
	o.Readout, o.FeedForward, o.Encoding, o.Hidden = readout, 12, 6, []int{16, 8}
	return o
}

// plantedMatrices are matrices of two classes: the first two regions correlate in one.
func plantedMatrices[T float32 | float64](n, nodes int) (graphs [][]T, label []int) {
	for i := range n {
		r := random.New(3, "planted", i)
		g := make([]T, nodes*nodes)
		for a := range nodes {
			g[a*nodes+a] = 1
			for b := range a {
				v := T(0.2 * r.Normal())
				if a == 1 && i%2 == 1 {
					v += 0.8
				}
				g[a*nodes+b], g[b*nodes+a] = v, v
			}
		}
		graphs, label = append(graphs, g), append(label, i%2)
	}
	return graphs, label
}

// The sum of gradient × input is the slope of the contrast along the input, here by central differences.
func TestBNTRegionScores(t *testing.T) {
	graphs, _ := plantedMatrices[float64](3, 7)
	for _, o := range variants() {
		tr := network.Training{Seed: 4}
		centers := centersOf(o, &tr)
		params := network.Initial[float64](newBNT[float64](o, centers, nil, nil).Layout(), tr)
		for k, r := range rate(newBNT(o, centers, graphs, nil), params, len(graphs), 2) {
			got := 0.0
			for _, v := range r.Layers[2].Score {
				got += v
			}
			contrast := func(factor float64) float64 {
				scaled := slices.Clone(graphs[k])
				for i := range scaled {
					scaled[i] *= factor
				}
				n := newBNT(o, centers, [][]float64{scaled}, nil)
				l := n.forward(params, n.padded([]int{0}), nil, 1).logits()
				return l[1] - l[0]
			}
			if want := (contrast(1+1e-5) - contrast(1-1e-5)) / 2e-5; math.Abs(got-want) > 1e-7*math.Abs(want)+1e-10 {
				t.Errorf("%+v, participant %d: %v, want %v", o, k, got, want)
			}
			for b, a := range r.Layers[:2] {
				sum := 0.0
				for _, v := range a.Score {
					sum += v
				}
				if len(a.Score) != 7 || math.Abs(sum-1) > 1e-12 { // each row of attention has the sum 1
					t.Errorf("attention of block %d: %v", b+1, a)
				}
			}
		}
	}
}

// variants are small networks of every readout, and with the options that the published figures do without.
func variants() []BNT {
	o := smallBNT("authors-code")
	o.Identity, o.Clustering = 5, 0.5
	return []BNT{smallBNT("authors-code"), smallBNT("paper"), smallBNT("student_t"), o}
}

func trainBNT(t *testing.T, o BNT, threads, epochs int) (*Model[[]float32], [][]float32, []int, []network.Epoch) {
	t.Helper()
	graphs, label := plantedMatrices[float32](40, 7)
	tr := BNTTraining()
	tr.Epochs, tr.Rate, tr.Seed, tr.Threads, tr.Test = epochs, 3e-3, 1, threads, 12
	var history []network.Epoch
	tr.Progress = func(e network.Epoch) { history = append(history, e) }
	m := need.Value(Fit(context.Background(), o, tr, graphs, label))(t)
	return m, graphs, label, history
}

// A planted difference is learned by every readout; the last epoch is the one that is taken.
func TestBNTFit(t *testing.T) {
	for _, o := range variants() {
		m, graphs, label, history := trainBNT(t, o, 2, 60)
		loss, right := 0.0, 0
		for i, r := range m.Rate(graphs, 2)[28:] {
			p := r.Probability[label[28+i]]
			if loss -= math.Log(p) / 12; p > 0.5 {
				right++
			}
		}
		if last := history[len(history)-1]; math.Abs(last.TestLoss-loss) > 1e-5 || right < 11 {
			t.Errorf("%+v: loss %v, in the last epoch %v; %d of 12 right", o, loss, last.TestLoss, right)
		}
		if last := history[59].Penalty; last < 0 || (last > 0) != (o.Clustering > 0) {
			t.Errorf("%+v: a clustering loss of %v", o, last)
		}
	}
	graphs, label := plantedMatrices[float32](40, 7)
	tr := BNTTraining()
	tr.Rate = 1e30
	if _, err := Fit(context.Background(), smallBNT("paper"), tr, graphs, label); err == nil ||
		!strings.Contains(err.Error(), "training diverged") {
		t.Errorf("a rate of 1e30: %v", err)
	}
}

// The rate is that of the fixture: 30 steps of one batch each; of 40 an incomplete one is dropped, but counts
// in the number of steps, as in the released program.
func TestBNTRates(t *testing.T) {
	graphs, label := plantedMatrices[float32](16, 7)
	tr := BNTTraining()
	tr.Epochs = 30
	var rates []float64
	tr.Progress = func(e network.Epoch) { rates = append(rates, e.Rate) }
	if _, err := Fit(context.Background(), smallBNT("paper"), tr, graphs, label); err != nil {
		t.Fatal(err)
	}
	closeTo(t, "rates", rates, npy(t, "bnt/lr_cosine"), 1e-14)

	graphs, label = plantedMatrices[float32](24, 7)
	tr.Epochs, rates = 15, nil
	if _, err := Fit(context.Background(), smallBNT("paper"), tr, graphs, label); err != nil {
		t.Fatal(err)
	}
	closeTo(t, "rates", rates, npy(t, "bnt/lr_cosine")[:15], 1e-14)
}

// TestBits: the same bits on every machine (gnn/bits.sh) and at any number of goroutines.
func TestBNTBits(t *testing.T) {
	for _, threads := range []int{1, 3} {
		var all [][]float64
		for _, o := range variants() {
			m, graphs, _, _ := trainBNT(t, o, threads, 3)
			for _, r := range m.Rate(graphs, threads) {
				all = append(all, r.Probability, r.Layers[0].Score, r.Layers[1].Score, r.Layers[2].Score)
			}
		}
		need.Equal(t, testdir.Bits(all[:480]...), "43b74ed1fece0600", threads)
		need.Equal(t, testdir.Bits(all[480:]...), "8777cbb19e7e08fc", threads)
	}
}
