package gnn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Options describe a model: its sizes, and every point on which the paper leaves
// a choice. Paper gives the defaults; AuthorsCode what the authors' released
// program does.
type Options struct {
	Features int   // d⁽⁰⁾: values per node of the input
	Widths   []int // d⁽¹⁾, d⁽²⁾ …: one block of convolution and pooling each
	Hidden   []int // hidden widths of the MLP
	Classes  int
	// Number is for a number in place of classes: one output, and its squared error in place of the
	// cross-entropy. Classes are then only the groups of the consistency loss.
	Number bool `json:",omitempty"`

	// Convolution, Eq. (1)–(2).
	SelfWeight  float64 // e_ii, the weight of a node's edge to itself
	EdgeWeights bool    // false: e_ij = 1 on every edge, self edges included
	Slope       float64 // of the attention's ReLU below zero: 0, or 0.2 for GATConv's LeakyReLU
	Tied        bool    // one vector a meets both ends of an edge (GATConv of PyG 1.6.0)
	ConvBias    bool    // a bias after the aggregation

	// Pooling, Eq. (3)–(4).
	Pool    string  // topk: sigmoid(h·w/‖w‖); sage: sigmoid(φ^θ(H, E))
	Ratio   float64 // kept share of the nodes: k = ⌈ratio·N − 1e-9⌉
	Gate    bool    // kept features are multiplied by their score
	Center  bool    // the graph's mean raw score is taken off before the sigmoid
	Augment bool    // E ← off-diagonal of (E+I)² between the blocks

	// Readout and MLP.
	Readout   string  // mean (of the last block), maxmean (of the last), maxmean_all (of every block)
	BatchNorm bool    // after the ReLU of the hidden layers
	Dropout   float64 // after that, in training

	// Losses, Eq. (5)–(7).
	Distance string  // bce, mmd
	Kernel   string  // of mmd: gauss exp(−d²/σ); outside exp(−d²)/σ; rbf2 exp(−d²/2σ²); literal exp(+d²)/σ; authors
	Sigma    float64 // σ of the kernel
	BCE      string  // paper: Eq. (5); authors: mean over the top plus mean over the bottom
	GLC      string  // squared ‖·‖²/M²; norm ‖·‖/M²; trace 2Tr(SᵀLS); authors Tr(SᵀLS)/M² of sigmoid(s)
	Lambda1  float64 // weight of the distance losses
	Lambda2  float64 // weight of the group-level consistency
}

// Paper is the model of the paper's experiments for graphs of d0 features per node.
func Paper(d0 int) Options {
	return Options{
		Features: d0, Widths: []int{16, 16}, Hidden: []int{16, 8}, Classes: 2,
		SelfWeight: 1, EdgeWeights: true,
		Pool: "topk", Ratio: 0.5, Gate: true,
		Readout:  "mean",
		Distance: "bce", Kernel: "gauss", Sigma: 5, BCE: "paper", GLC: "squared", Lambda1: 0.1, Lambda2: 0.1,
	}
}

// AuthorsCode is the model of the authors' released program (xxlya/PRGNN_fMRI at
// 8c9230d with PyTorch Geometric 1.6.0): no edge weights, one attention vector
// for both ends, LeakyReLU, biases, centered scores, augmented edges, max‖mean
// of both blocks, batch normalization and dropout, and its own forms of the losses.
func AuthorsCode(d0 int) Options {
	o := Paper(d0)
	o.Widths, o.Hidden = []int{32, 32}, []int{32, 8}
	o.EdgeWeights, o.Slope, o.Tied, o.ConvBias = false, 0.2, true, true
	o.Center, o.Augment = true, true
	o.Readout, o.BatchNorm, o.Dropout = "maxmean_all", true, 0.5
	o.Kernel, o.BCE, o.GLC = "authors", "authors", "authors"
	return o
}

// Choices are the words that the text options accept, by option name.
var Choices = map[string][]string{
	"pool":     {"topk", "sage"},
	"readout":  {"mean", "maxmean", "maxmean_all"},
	"distance": {"bce", "mmd"},
	"kernel":   {"gauss", "outside", "rbf2", "literal", "authors"},
	"bce":      {"paper", "authors"},
	"glc":      {"squared", "norm", "trace", "authors"},
}

// Check reports every option that makes no sense.
func (o Options) Check() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if o.Features < 1 {
		bad("features: %d per node, want at least 1", o.Features)
	}
	if o.Classes < 2 {
		bad("classes: %d, want at least 2", o.Classes)
	}
	if len(o.Widths) == 0 {
		bad("widths: none given, want one for each block")
	}
	for _, w := range slices.Concat(o.Widths, o.Hidden) {
		if w < 1 {
			bad("width %d, want at least 1", w)
		}
	}
	for _, c := range []struct{ name, value string }{
		{"pool", o.Pool}, {"readout", o.Readout}, {"distance", o.Distance}, {"kernel", o.Kernel},
		{"bce", o.BCE}, {"glc", o.GLC},
	} {
		if words := Choices[c.name]; !slices.Contains(words, c.value) {
			bad("%s: %q, want one of %s", c.name, c.value, strings.Join(words, ", "))
		}
	}
	if !(o.Ratio > 0 && o.Ratio <= 1) {
		bad("ratio: %v, want more than 0 and at most 1", o.Ratio)
	}
	if !(o.Sigma > 0) || math.IsInf(o.Sigma, 0) {
		bad("sigma: %v, want a positive number", o.Sigma)
	}
	if !(o.Dropout >= 0 && o.Dropout < 1) {
		bad("dropout: %v, want at least 0 and less than 1", o.Dropout)
	}
	for _, c := range []struct {
		name  string
		value float64
	}{{"lambda1", o.Lambda1}, {"lambda2", o.Lambda2}, {"self weight", o.SelfWeight}, {"slope", o.Slope}} {
		if math.IsNaN(c.value) || math.IsInf(c.value, 0) {
			bad("%s: %v is not finite", c.name, c.value)
		}
	}
	return errors.Join(errs...)
}

// Keep is the number of nodes that pooling keeps of n. The 1e-9 is for ratios
// such as 0.1, whose product with n can end just above a whole number.
func (o Options) Keep(n int) int {
	return min(n, max(1, int(math.Ceil(float64(o.Ratio*float64(n))-1e-9))))
}

// outputs is the width of the last layer.
func (o Options) outputs() int {
	if o.Number {
		return 1
	}
	return o.Classes
}

// readoutWidth is the length of z.
func (o Options) readoutWidth() int {
	last := o.Widths[len(o.Widths)-1]
	switch o.Readout {
	case "maxmean":
		return 2 * last
	case "maxmean_all":
		sum := 0
		for _, w := range o.Widths {
			sum += 2 * w
		}
		return sum
	}
	return last
}
