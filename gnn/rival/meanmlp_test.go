package rival

import (
	"context"
	"math"
	"slices"
	"testing"

	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
)

// The fixtures are of testdata/meanmlp/meanmlp.py (PyTorch, float64): 6 participants, 20 volumes, 13 regions, hidden
// 16.
const meanPeople, meanVolumes, meanRegions, meanHidden = 6, 20, 13, 16

var npy = testdir.NPY

// scoresOf are the scores of all regions, participant by participant.
func scoresOf(n *meanNet[float64], params []float64, threads int) (all []float64) {
	for _, p := range rate(n, params, len(n.series), threads) {
		all = append(all, p.Layers[0].Score...)
	}
	return all
}

// meanFixture is the network of a case, of the first volumes of each participant where it is masked.
func meanFixture(t *testing.T, name string) (*meanNet[float64], [][]float64) {
	t.Helper()
	z, count := npy(t, "meanmlp/Z"), npy(t, "meanmlp/n_volumes")
	var series [][]float64
	var label []int
	for i, y := range npy(t, "meanmlp/y") {
		n := meanVolumes
		if name == "masked" {
			n = int(count[i])
		}
		series, label = append(series, z[i*meanVolumes*meanRegions:][:n*meanRegions]), append(label, int(y))
	}
	o := MeanMLP{Regions: meanRegions, Hidden: meanHidden, Classes: 2}
	if name == "two_blocks" {
		o.Layers = 2
	}
	return newMeanMLP(o, series, label), series
}

func TestMeanMLPAgainstPyTorch(t *testing.T) {
	for _, name := range []string{"default", "two_blocks", "masked"} {
		for _, threads := range []int{1, 3} {
			n, series := meanFixture(t, name)
			init := npy(t, "meanmlp/"+name+"/init")
			if len(init) != n.Layout().Len() {
				t.Fatalf("%s: %d parameters, want %d", name, n.Layout().Len(), len(init))
			}
			params := turned(n.Layout(), init, false)
			all := lists.UpTo(meanPeople)
			closeTo(t, name+" logits", n.forward(params, series, nil, threads).logits, npy(t,
				"meanmlp/"+name+"/logits"), 1e-12)
			grad := make([]float64, len(params))
			loss, _ := n.Gradient(params, grad, all, nil, threads)
			closeTo(t, name+" loss", []float64{loss, loss / meanPeople}, npy(t,
				"meanmlp/"+name+"/losses"), 1e-12)
			closeTo(t, name+" gradient", turned(n.Layout(), grad, true), npy(t,
				"meanmlp/"+name+"/grad"), 1e-12)
			closeTo(t, name+" regions", scoresOf(n, params, threads),
				npy(t, "meanmlp/"+name+"/region_score"), 1e-12)
			// Three steps of Adam.
			step := network.NewOptimizer(network.Training{Threads: threads}, params, grad).Step
			for k, want := range slices.Collect(slices.Chunk(npy(t, "meanmlp/"+name+"/adam"), len(params))) {
				if k > 0 {
					n.Gradient(params, grad, all, nil, threads)
				}
				step(MeanMLPTraining().Rate)
				closeTo(t, name+" Adam", turned(n.Layout(), params, true), want, 1e-10)
			}
		}
	}
}

func TestMeanMLPDropoutAgainstPyTorch(t *testing.T) {
	n, series := meanFixture(t, "default")
	params, grad := turned(n.Layout(), npy(t, "meanmlp/default/init"), false), make([]float64, n.Layout().Len())
	mask := &network.Mask[float64]{}
	for _, factor := range npy(t, "meanmlp/dropout_keep") {
		mask.Factor = max(mask.Factor, factor)
		mask.Kept = append(mask.Kept, map[bool]uint8{true: 255}[factor > 0])
	}
	p := n.forward(params, series, mask, 2)
	closeTo(t, "logits", p.logits, npy(t, "meanmlp/default/dropout_logits"), 1e-12)
	loss := 0.0
	for k, y := range n.label {
		l, _ := network.CrossEntropy(p.logits[k*2:][:2], y, 1)
		loss += l
	}
	closeTo(t, "loss", []float64{loss, loss / meanPeople}, npy(t, "meanmlp/default/dropout_losses"), 1e-12)
	n.back(params, grad, p, p.logits, 2)
	closeTo(t, "gradient", turned(n.Layout(), grad, true), npy(t, "meanmlp/default/dropout_grad"), 1e-12)
	// What is drawn: about the share that is asked for, and the others are scaled up.
	n.Dropout = 0.49
	a, _ := n.Gradient(params, nil, lists.UpTo(meanPeople), random.New(1), 1)
	b, _ := n.Gradient(params, nil, lists.UpTo(meanPeople), random.New(2), 1)
	if plain, _ := n.Gradient(params, nil, lists.UpTo(meanPeople), nil, 1); a == b || a == plain {
		t.Errorf("losses with dropout %v, %v, without %v", a, b, plain)
	}
}

// Integrated gradients add up to the change of the contrast from a series of zeros.
func TestMeanMLPIntegratedGradientsAreComplete(t *testing.T) {
	n, series := meanFixture(t, "two_blocks")
	params := turned(n.Layout(), npy(t, "meanmlp/two_blocks/init"), false)
	zeros := make([][]float64, meanPeople)
	for i, x := range series {
		zeros[i] = make([]float64, len(x))
	}
	to := n.forward(params, series, nil, 1).logits
	from := n.forward(params, zeros, nil, 1).logits
	n.Steps = 400
	scores := scoresOf(n, params, 1)
	for k := range meanPeople {
		sum, want := 0.0, to[2*k+1]-to[2*k]-(from[2*k+1]-from[2*k])
		for _, v := range scores[k*meanRegions:][:meanRegions] {
			sum += v
		}
		if math.Abs(sum-want) > 5e-3*(1+math.Abs(want)) {
			t.Errorf("participant %d: scores add up to %v, the contrast changes by %v", k, sum, want)
		}
	}
}

// The numbers of parameters of the paper's networks, and the gradient of three classes.
func TestMeanMLPParameters(t *testing.T) {
	for f, want := range map[int]int{53: 9282, 84: 14242, 200: 32802} {
		need.Equal(t, newMeanMLP[float32](ReleasedMeanMLP(f, 2), nil, nil).Layout().Len(), want, f, "regions",
			"parameters")
	}
	d := make([]float64, 3)
	if network.Contrast(d, []float64{0, 5, 1}); !slices.Equal(d, []float64{-0.5, 1, -0.5}) {
		t.Errorf("contrast of three classes: %v", d)
	}
}

// wave is a study in which the classes differ in the sign of the coupling of two regions.
func wave(n, f int, length func(i int) int) (series [][]float32, label []int) {
	for i := range n {
		r := random.New(5, "wave", i)
		y := i % 2
		x := make([]float32, length(i)*f)
		for t := range length(i) {
			for j := range f {
				x[t*f+j] = float32(r.Normal())
			}
			x[t*f+1] = float32(float64(float64(2*y-1)*float64(x[t*f])) + float64(0.3*r.Normal()))
		}
		series, label = append(series, x), append(label, y)
	}
	return series, label
}

// It learns, stops when the participants who validate have been at their best for a while, and gives the
// parameters of that epoch back.
func TestMeanMLPFitStopsAtTheBestEpoch(t *testing.T) {
	series, label := wave(60, 5, func(i int) int { return 30 + i%7 })
	tr := MeanMLPTraining()
	tr.Batch, tr.Epochs, tr.Patience, tr.Held, tr.Test, tr.Seed = 16, 60, 8, 12, 12, 1
	least, at, last := math.Inf(1), 0, 0
	tr.Progress = func(e network.Epoch) {
		if last = e.Number; e.HeldLoss < least {
			least, at = e.HeldLoss, e.Number
		}
	}
	o := MeanMLP{Regions: 5, Hidden: 24, Dropout: 0.2, Classes: 2, Steps: 20}
	m, err := Fit(context.Background(), o, tr, series, label)
	need.NoError(t, err)
	if last != at+8 && last != 60 {
		t.Errorf("it stops after epoch %d, the best was %d", last, at)
	}
	rated, loss, right := m.Rate(series, 2), 0.0, 0
	for i := 36; i < 48; i++ {
		loss -= math.Log(rated[i].Probability[label[i]]) / 12
	}
	for i := 48; i < 60; i++ {
		if rated[i].Class == label[i] {
			right++
		}
	}
	if math.Abs(loss-least) > 1e-5 || right < 11 {
		t.Errorf("loss %v, at the best epoch %v; %d of 12 right", loss, least, right)
	}
	// Of whom the scores are, the two regions that tell the classes apart score highest.
	sum := make([]float64, 5)
	for _, r := range rated {
		for j, v := range r.Layers[0].Score {
			sum[j] += math.Abs(v)
		}
	}
	if min(sum[0], sum[1]) < 2*max(sum[2], sum[3], sum[4]) {
		t.Errorf("region scores %v", sum)
	}
	tr.Rate = 1e30
	_, err = Fit(context.Background(), MeanMLP{Regions: 5, Hidden: 8, Classes: 2}, tr, series, label)
	need.Error(t, err, "training diverged", "a rate of 1e30")
}

// TestBits: the same bits on every machine (gnn/bits.sh) and at any number of goroutines.
func TestMeanMLPBits(t *testing.T) {
	series, label := wave(30, 7, func(i int) int { return 20 + i%5 })
	for _, threads := range []int{1, 3} {
		tr := MeanMLPTraining()
		tr.Batch, tr.Epochs, tr.Held, tr.Seed, tr.Threads = 8, 4, 6, 1, threads
		o := MeanMLP{Regions: 7, Hidden: 19, Layers: 1, Dropout: 0.3, Classes: 2, Steps: 3}
		m := need.Value(Fit(context.Background(), o, tr, series, label))(t)
		var p, scores []float64
		for _, r := range m.Rate(series, threads) {
			p, scores = append(p, r.Probability...), append(scores, r.Layers[0].Score...)
		}
		bits := testdir.Bits(p, scores)
		need.Equal(t, bits, "655e75d329b37acd", threads)
	}
}
