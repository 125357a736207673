package gnn

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// The fixtures were made by oracle.py, an independent program in PyTorch and
// float64 whose gradients were checked against finite differences. A set is a
// directory with an index.json; set C, the smallest, is kept in testdata, the
// others are found in $PRGNN_FIXTURES.

// A fixtureSet is an index.json.
type fixtureSet struct {
	dir string

	Set                string
	Graphs, Nodes      int
	D0, D1, D2, M1, M2 int
	Classes            int
	Defaults           map[string]any
	Cases, Variants    map[string]fixtureCase
	LayoutTopk         json.RawMessage `json:"layout_topk"`
	LayoutSage         json.RawMessage `json:"layout_sage"`
}

type fixtureCase struct {
	Options map[string]any
	Losses  map[string]float64
	Init    string
	Layout  json.RawMessage
	Pool    string
	Dist    string
}

func TestFixtures(t *testing.T) {
	var outside []*fixtureSet
	t.Run("outside", func(t *testing.T) {
		root := os.Getenv("PRGNN_FIXTURES")
		if root == "" {
			root = need.Shared(t, "fixtures", "prgnn")
		}
		if outside = sets(t, root); len(outside) == 0 {
			t.Errorf("no fixture sets (directories with an index.json) in %s", root)
		}
	})
	ran, seen := 0, map[string]bool{}
	for _, set := range append(outside, sets(t, "testdata/fixtures")...) {
		if seen[set.Set] {
			continue
		}
		seen[set.Set] = true
		for _, name := range slices.Sorted(maps.Keys(set.Cases)) {
			t.Run(set.Set+"/"+name, func(t *testing.T) { set.run(t, name, set.Cases[name], true) })
			ran++
		}
		for _, name := range slices.Sorted(maps.Keys(set.Variants)) {
			t.Run(set.Set+"/"+name, func(t *testing.T) {
				set.run(t, filepath.Join("variants", name),
					set.Variants[name], false)
			})
			ran++
		}
	}
	t.Logf("%d cases", ran)
	if ran == 0 {
		t.Error("no case ran")
	}
}

// sets reads the sets in a directory (or the one that it is). An index without
// cases of this model, such as that of preprocessing, is passed over.
func sets(t *testing.T, dir string) (found []*fixtureSet) {
	for _, pattern := range []string{filepath.Join(dir, "*", "index.json"), filepath.Join(dir, "index.json")} {
		paths := need.Value(filepath.Glob(pattern))(t)
		for _, path := range paths {
			b := need.Value(os.ReadFile(path))(t)
			set := &fixtureSet{dir: filepath.Dir(path)}
			if err := json.Unmarshal(b, set); err != nil || set.Nodes == 0 {
				t.Logf("%s is not an index of model fixtures", path)
				continue
			}
			found = append(found, set)
		}
	}
	return found
}

// options translates the oracle's option names.
func (f *fixtureSet) options(t *testing.T, c fixtureCase) Options {
	v := map[string]any{}
	for k, x := range f.Defaults {
		v[k] = x
	}
	for k, x := range c.Options {
		v[k] = x
	}
	num := func(k string) float64 { return v[k].(float64) }
	text := func(k string) string { return v[k].(string) }
	o := Options{
		Features: f.D0, Widths: []int{f.D1, f.D2}, Hidden: []int{f.M1, f.M2}, Classes: int(num("n_class")),
		SelfWeight: num("self_weight"), EdgeWeights: v["edge_weight"].(bool), Slope: num("neg_slope"),
		ConvBias: v["conv_bias"].(bool),
		Pool:     text("pool"), Ratio: num("ratio"), Gate: v["gate"].(bool), Center: v["center"].(bool),
		Augment: v["augment"].(bool),
		Readout: text("readout"), BatchNorm: v["bn"].(bool),
		Distance: text("dist"), Kernel: text("mmd_kernel"), Sigma: num("sigma"), BCE: text("bce"), GLC: text("glc"),
		Lambda1: num("lam1"), Lambda2: num("lam2"),
	}
	if text("mlp") == "8-2" {
		o.Hidden = []int{f.M2}
	}
	return o
}

func (f *fixtureSet) npy(t *testing.T, path string) []float64 {
	t.Helper()
	return testdir.Floats(t, filepath.Join(f.dir, path))
}

func (f *fixtureSet) graphs(t *testing.T, o Options) []*Graph[float64] {
	t.Helper()
	x, e, y := f.npy(t, "X.npy"), f.npy(t, "E.npy"), f.npy(t, "y.npy")
	n, d := f.Nodes, f.D0
	var gs []*Graph[float64]
	for m := range f.Graphs {
		var edges []Edge
		for i := range n {
			for j := i + 1; j < n; j++ {
				if w := e[(m*n+i)*n+j]; w != 0 {
					edges = append(edges, Edge{int32(i), int32(j), w})
				}
			}
		}
		g := need.Value(NewGraph[float64](o, int(y[m]), x[m*n*d:][:n*d], edges))(t)
		gs = append(gs, g)
	}
	return gs
}

func (f *fixtureSet) run(t *testing.T, dir string, c fixtureCase, full bool) {
	o := f.options(t, c)
	model := need.Value(Zero[float64](o))(t)
	initFile, layout := "init_"+o.Pool+".npy", map[string]json.RawMessage{"topk": f.LayoutTopk,
		"sage": f.LayoutSage}[o.Pool]
	if c.Init != "" {
		initFile = c.Init
		var name string
		if json.Unmarshal(c.Layout, &name) != nil {
			layout = c.Layout
		}
	}
	checkLayout(t, model.Layout, layout)
	start := f.npy(t, initFile)
	if len(start) != len(model.Params) {
		t.Fatalf("%d parameters, the fixture has %d", len(model.Params), len(start))
	}
	graphs := f.graphs(t, o)
	w := newWorker(model, 2)
	grad := make([]float64, len(model.Params))
	step := func() Losses {
		t.Helper()
		model.prepare()
		l := need.Value(w.gradient(graphs, grad, nil))(t)
		return l
	}
	copy(model.Params, start)
	l := step()
	near(t, "losses", lossRow(l), f.npy(t, filepath.Join(dir, "losses.npy")), 1e-12)
	near(t, "z", w.gather(func(s *slot[float64]) []float64 { return s.mlp.x[0] }),
		f.npy(t, filepath.Join(dir, "z.npy")), 1e-12)
	near(t, "logits", w.gather(func(s *slot[float64]) []float64 { return s.mlp.x[len(s.mlp.x)-1] }),
		f.npy(t, filepath.Join(dir, "logits.npy")), 1e-12)
	want := f.npy(t, filepath.Join(dir, "grad.npy"))
	for _, p := range model.Layout {
		// Relative to the largest of the array; an array whose gradient cancels
		// to nothing (a bias before batch normalization) is held to the rounding
		// errors of the terms that canceled.
		nearScaled(t, "gradient of "+p.Name, of(grad, p), of(want, p),
			1e-12*max(largest(of(want, p)), 1e-3*largest(want)))
	}
	if !full {
		return
	}
	f.checkForward(t, dir, w)

	adam := NewAdam[float64](len(model.Params), 0)
	trace := f.npy(t, filepath.Join(dir, "trace.npy"))
	for i := range 45 {
		near(t, fmt.Sprintf("losses before step %d", i+1), lossRow(step()), trace[i*5:][:5], 1e-9)
		adam.Step(model.Params, grad, halved(1e-3, i, 20))
		if i+1 == 1 || i+1 == 10 || i+1 == 45 {
			near(t, fmt.Sprintf("parameters after %d steps", i+1), model.Params,
				f.npy(t, filepath.Join(dir, fmt.Sprintf("adam%d.npy", i+1))), 1e-9)
		}
	}
	near(t, "losses after 45 steps", lossRow(step()), trace[45*5:], 1e-9)
	near(t, "scores after 45 steps", w.gather(func(s *slot[float64]) []float64 { return s.blocks[0].s }),
		f.npy(t, filepath.Join(dir, "s1_after45.npy")), 1e-9)

	copy(model.Params, start)
	adam = NewAdam[float64](len(model.Params), 5e-2)
	for range 10 {
		step()
		adam.Step(model.Params, grad, 1e-3)
	}
	near(t, "parameters after 10 steps with weight decay", model.Params, f.npy(t, filepath.Join(dir, "adam10_wd.npy")), 1e-9)
}

// checkForward compares what the four main cases state about every layer.
func (f *fixtureSet) checkForward(t *testing.T, dir string, w *worker[float64]) {
	for l, d := range []int{f.D1, f.D2} {
		st := func(s *slot[float64]) *blockState[float64] { return &s.blocks[l] }
		at := func(name string) []float64 { return f.npy(t, filepath.Join(dir, fmt.Sprintf("%s%d.npy", name, l+1))) }
		shared := func(name string) []float64 {
			if l == 0 {
				return f.npy(t, filepath.Join("shared", name+"1.npy"))
			}
			return at(name)
		}
		near(t, fmt.Sprintf("h%d", l+1), w.gather(func(s *slot[float64]) []float64 {
			return unpad(st(s).conv.h,
				st(s).adj.n, d)
		}), shared("h"), 1e-12)
		near(t, fmt.Sprintf("alpha%d", l+1), w.gather(func(s *slot[float64]) []float64 {
			return asMatrix(st(s).adj,
				st(s).conv.alpha)
		}), shared("alpha"), 1e-12)
		near(t, fmt.Sprintf("s%d", l+1), w.gather(func(s *slot[float64]) []float64 { return st(s).s }), at("s"), 1e-12)
		near(t, fmt.Sprintf("idx%d", l+1),
			w.gather(func(s *slot[float64]) []float64 { return numbers(st(s).order[:st(s).k]) }), at("idx"), 0)
		near(t, fmt.Sprintf("hp%d", l+1),
			w.gather(func(s *slot[float64]) []float64 { return unpad(st(s).out, st(s).k, d) }), at("hp"), 1e-12)
	}
	near(t, "idx2_node", w.gather(func(s *slot[float64]) []float64 {
		var v []float64
		for _, i := range s.blocks[1].order[:s.blocks[1].k] {
			v = append(v, float64(s.blocks[1].node[i]))
		}
		return v
	}), f.npy(t, filepath.Join(dir, "idx2_node.npy")), 0)
}

func (w *worker[T]) gather(what func(*slot[T]) []float64) []float64 {
	var v []float64
	for _, s := range w.slots {
		v = append(v, what(s)...)
	}
	return v
}

func numbers(v []int32) []float64 {
	var out []float64
	for _, x := range v {
		out = append(out, float64(x))
	}
	return out
}

// unpad takes the rows of d values out of rows of padded(d).
func unpad(v []float64, n, d int) []float64 {
	var out []float64
	for i := range n {
		out = append(out, v[i*padded(d):][:d]...)
	}
	return out
}

// asMatrix writes entries as an n × n matrix.
func asMatrix(a *adjacency[float64], v []float64) []float64 {
	out := make([]float64, a.n*a.n)
	for i := range a.n {
		for t := range int(a.degree[i]) {
			e := a.entry(i, t)
			out[i*a.n+int(a.col[e])] = v[e]
		}
	}
	return out
}

func lossRow(l Losses) []float64 { return []float64{l.Total, l.CE, l.Dist[0], l.Dist[1], l.GLC} }

// near compares arrays relative to the largest value of the wanted one.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	nearScaled(t, what, got, want, tolerance*largest(want))
}

// nearScaled compares arrays to within an absolute limit.
func nearScaled(t *testing.T, what string, got, want []float64, limit float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	worst, at := 0.0, 0
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= worst) {
			worst, at = d, i
		}
	}
	if !(worst <= limit) {
		t.Errorf("%s: value %d is %v, want %v (off by %.2g, limit %.2g)", what, at, got[at], want[at], worst, limit)
	}
}

func largest(v []float64) float64 {
	l := 0.0
	for _, x := range v {
		l = max(l, math.Abs(x))
	}
	return l
}

func checkLayout(t *testing.T, got Layout, want json.RawMessage) {
	t.Helper()
	var l []Param
	need.NoError(t, json.Unmarshal(want, &l))
	if g, w := fmt.Sprint(got), fmt.Sprint(Layout(l)); g != w {
		t.Errorf("layout\n%s, want\n%s", strings.ReplaceAll(g, "} {", "}\n{"), strings.ReplaceAll(w, "} {", "}\n{"))
	}
}

func halved(rate float64, epoch, every int) float64 { return math.Ldexp(rate, -(epoch / every)) }
