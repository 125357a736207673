package baseline

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/gnn"
	"prgnn/gnn/network"
)

// A Part is an array of a fitted model.
type Part struct {
	Name   string
	Shape  []int
	Values any // []float64, []float32 or []int32
}

// A Stored model is what a fitted model is made of.
type Stored struct {
	// Kind says how predictions are made of the parts: shares, linear, kernel (support vectors), forest, mlp,
	// brainnetcnn or li2019.
	Kind  string  `json:"kind"`
	Unit  bool    `json:"unit_rows,omitempty"` // linear: each row is centered and scaled to length 1 first
	Slope float64 `json:"slope,omitempty"`     // brainnetcnn: of the leaky ReLU
	Ratio float64 `json:"ratio,omitempty"`     // li2019: share of the nodes that each pooling keeps
	Parts []Part  `json:"-"`
}

// Store takes a fitted Classifier, Regressor or GraphClassifier of this package apart.
func Store(model any) Stored {
	switch m := model.(type) {
	case majority:
		return Stored{Kind: "shares", Parts: []Part{{"share", []int{len(m.share)}, m.share}}}
	case machines:
		return m.store()
	case *forest:
		return m.store()
	case numbersForest:
		return m.store()
	case *trainedMLP[float32]:
		return Stored{Kind: "mlp", Parts: layoutParts(m.l, m.params)}
	case *trainedCNN[float32]:
		return Stored{Kind: "brainnetcnn", Slope: m.Slope, Parts: layoutParts(m.l, m.params)}
	case *trainedLi[float32]:
		return Stored{Kind: "li2019", Ratio: m.Ratio, Parts: layoutParts(m.l, m.params)}
	}
	panic(fmt.Sprintf("baseline: a model of type %T cannot be stored", model))
}

func layoutParts(l gnn.Layout, params []float32) (parts []Part) {
	for _, p := range l {
		parts = append(parts, Part{p.Name, p.Shape, network.Of(params, p)})
	}
	return parts
}

// store gives linear machines as weights; others as support vectors, each machine its own.
func (ms machines) store() Stored {
	offset := make([]float64, len(ms))
	if mean, is := ms[0].(constant); is {
		return Stored{Kind: "shares", Parts: []Part{{"share", []int{1}, []float64{float64(mean)}}}}
	}
	s := Stored{Kind: "linear"}
	if all, is := AsLinear(ms); is {
		var w []float64
		for i, m := range ms {
			switch m := m.(type) {
			case *linear:
				offset[i] = m.b
			case *kernelMachine:
				offset[i], s.Unit = m.b, true
			case *vectorMachine:
				offset[i] = -m.rho
			}
			w = append(w, all.Weights()[i]...)
		}
		s.Parts = []Part{{"weights", []int{len(ms), len(w) / len(ms)}, w}, {"offset", []int{len(ms)}, offset}}
		return s
	}
	s.Kind = "kernel"
	for i, m := range ms {
		m := m.(*vectorMachine)
		offset[i] = -m.rho
		s.Parts = append(s.Parts, Part{fmt.Sprintf("vectors%d", i+1), []int{m.vectors.N, m.vectors.D}, m.vectors.X},
			Part{fmt.Sprintf("coefficients%d", i+1), []int{m.vectors.N}, m.coef})
	}
	gamma := ms[0].(*vectorMachine).gamma
	s.Parts = append(s.Parts, Part{"offset", []int{len(ms)}, offset}, Part{"gamma", []int{1}, []float64{gamma}})
	return s
}

// store gives the nodes of all trees, one after the other; tree has the first node of each.
func (f *forest) store() Stored {
	var first, feature, right []int32
	var threshold, share []float64
	for _, t := range f.trees {
		first = append(first, int32(len(feature)))
		for _, n := range t {
			feature, right, threshold = append(feature, n.feature), append(right, n.right), append(threshold,
				n.threshold)
			of := make([]float64, f.classes)
			copy(of, n.share)
			share = append(share, of...)
		}
	}
	n := len(feature)
	return Stored{Kind: "forest", Parts: []Part{{"tree", []int{len(first)}, first}, {"feature", []int{n}, feature},
		{"threshold", []int{n}, threshold}, {"right", []int{n}, right}, {"share", []int{n, f.classes}, share}}}
}

// A Reader takes the parts of a stored model, and remembers what is wrong with them.
type Reader struct {
	parts map[string]Part
	err   error
}

// Restoring reads parts, of which no number may be other than finite.
func Restoring(parts []Part) *Reader {
	r := &Reader{parts: map[string]Part{}}
	for _, p := range parts {
		if bad := notFinite(p.Values); bad != "" {
			r.err = fmt.Errorf("the array %s holds %s", p.Name, bad)
		}
		r.parts[p.Name] = p
	}
	return r
}

// width is the length of a vector; 0 where there is none of this name.
func (r *Reader) width(name string) int {
	if p := r.parts[name]; len(p.Shape) == 1 {
		return p.Shape[0]
	}
	return 0
}

// Err is what was wrong with the parts so far.
func (r *Reader) Err() error { return r.err }

// Ended is what is wrong with the parts, once all that the model needs are taken.
func (r *Reader) Ended(kind string) error {
	if r.err == nil && len(r.parts) > 0 {
		r.err = fmt.Errorf("a model of the kind %s has no array %s", kind,
			strings.Join(slices.Sorted(maps.Keys(r.parts)), ", "))
	}
	return r.err
}

// Take is a part of this shape; −1 stands for any length.
func Take[T any](r *Reader, name string, shape ...int) (values []T, of []int) {
	p, there := r.parts[name]
	delete(r.parts, name)
	fits := len(p.Shape) == len(shape)
	for i := range p.Shape {
		fits = fits && (shape[i] < 0 || p.Shape[i] == shape[i])
	}
	values, is := p.Values.([]T)
	if r.err == nil && (!there || !fits || !is) {
		r.err = fmt.Errorf("the array %s is %T of shape %v, want %T of shape %v (-1: any)", name, p.Values, p.Shape, values, shape)
	}
	if r.err != nil {
		return nil, make([]int, len(shape))
	}
	return values, p.Shape
}

// Restore puts a model of so many inputs together again, from a file that may come from anywhere. outputs is the number
// of classes, or 1 for a number. The model is a Classifier or a Regressor.
func (s Stored) Restore(inputs, outputs int) (any, error) {
	r := Restoring(s.Parts)
	var model any
	if r.err == nil {
		model = s.restore(r, inputs, outputs)
	}
	return model, r.Ended(s.Kind)
}

func (s Stored) restore(r *Reader, inputs, outputs int) any {
	count := outputs // of machines
	if outputs == 2 {
		count = 1
	}
	switch s.Kind {
	case "shares":
		share, _ := Take[float64](r, "share", outputs)
		if outputs == 1 && r.err == nil {
			return machines{constant(share[0])}
		}
		return majority{share}
	case "linear":
		w, _ := Take[float64](r, "weights", count, inputs)
		b, _ := Take[float64](r, "offset", count)
		if r.err != nil {
			return nil
		}
		var ms machines
		for i := range count {
			m := linear{w: w[i*inputs:][:inputs], b: b[i]}
			if s.Unit {
				ms = append(ms, &kernelMachine{linear: m})
			} else {
				ms = append(ms, &m)
			}
		}
		return ms
	case "kernel":
		b, _ := Take[float64](r, "offset", count)
		gamma, _ := Take[float64](r, "gamma", 1)
		var ms machines
		for i := range count {
			x, of := Take[float64](r, fmt.Sprintf("vectors%d", i+1), -1, inputs)
			coef, _ := Take[float64](r, fmt.Sprintf("coefficients%d", i+1), of[0])
			if r.err == nil {
				ms = append(ms, &vectorMachine{kernel: kernel{gamma: gamma[0]}, vectors: Rows{N: of[0],
					D: inputs, X: x},
					coef: coef, rho: -b[i]})
			}
		}
		return ms
	case "forest":
		return restoreForest(r, inputs, outputs)
	case "mlp":
		widths := []int{inputs}
		for i := 1; r.width(fmt.Sprintf("fc%d_b", i)) > 0; i++ {
			widths = append(widths, r.width(fmt.Sprintf("fc%d_b", i)))
		}
		if len(widths) < 2 || widths[len(widths)-1] != outputs {
			r.err = fmt.Errorf("its layers have the widths %v, want %d at the end", widths, outputs)
			return nil
		}
		m := newMLP[float32](Rows{D: inputs}, nil, nil, widths)
		return &trainedMLP[float32]{mlp: m, params: Joined(r, m.l), widths: widths}
	case "brainnetcnn":
		return s.restoreCNN(r, inputs, outputs)
	}
	r.err = fmt.Errorf("there is no kind of model %.40q", s.Kind)
	return nil
}

// Joined are the arrays of a layout in one.
func Joined(r *Reader, l gnn.Layout) (params []float32) {
	for _, p := range l {
		v, _ := Take[float32](r, p.Name, p.Shape...)
		params = append(params, v...)
	}
	return params
}

func (s Stored) restoreCNN(r *Reader, inputs, outputs int) any {
	o := BrainNetCNN{Edges: [2]int{r.width("e2e1_row_b"), r.width("e2e2_row_b")}, Nodes: r.width("e2n_b"),
		Hidden: []int{r.width("n2g_b")}, Slope: s.Slope}
	for i := 1; r.width(fmt.Sprintf("fc%d_b", i+1)) > 0; i++ { // the last is that of the classes
		o.Hidden = append(o.Hidden, r.width(fmt.Sprintf("fc%d_b", i)))
	}
	nodes := NodesOf(inputs)
	if slices.Contains(append(o.Hidden, o.Edges[0], o.Edges[1], o.Nodes), 0) || nodes*(nodes-1)/2 != inputs {
		r.err = fmt.Errorf("its arrays are not those of a BrainNetCNN of %d inputs", inputs)
		return nil
	}
	m := newBrainNetCNN[float32](o, nodes, Rows{D: inputs}, nil, outputs)
	return &trainedCNN[float32]{brainNetCNN: m, params: Joined(r, m.l)}
}

func restoreForest(r *Reader, inputs, outputs int) any {
	first, _ := Take[int32](r, "tree", -1)
	feature, of := Take[int32](r, "feature", -1)
	n := of[0]
	threshold, _ := Take[float64](r, "threshold", n)
	right, _ := Take[int32](r, "right", n)
	share, _ := Take[float64](r, "share", n, outputs)
	if r.err != nil {
		return nil
	}
	f := &forest{inputs: inputs, classes: outputs}
	for i, from := range first {
		to := n
		if i+1 < len(first) {
			to = int(first[i+1])
		}
		if from < 0 || int(from) >= to || to > n {
			r.err = fmt.Errorf("tree %d has the nodes %d to %d of %d", i+1, from, to, n)
			return nil
		}
		nodes := make([]treeNode, to-int(from))
		for k := range nodes {
			at := int(from) + k
			t := treeNode{feature: feature[at], right: right[at], threshold: threshold[at]}
			switch inner := t.feature >= 0; {
			case !inner:
				t.share = share[at*outputs:][:outputs]
			case int(t.feature) >= inputs || int(t.right) <= k || int(t.right) >= len(nodes) || k+1 >= len(nodes):
				r.err = fmt.Errorf("node %d of tree %d leads nowhere", k+1, i+1)
				return nil
			}
			nodes[k] = t
		}
		f.trees = append(f.trees, nodes)
	}
	if len(first) == 0 || first[0] != 0 {
		r.err = fmt.Errorf("a forest needs trees, the first from node 0")
	}
	if outputs == 1 {
		return numbersForest{f}
	}
	return f
}

// notFinite is a number that is not finite, as a text; "" where there is none.
func notFinite(values any) string {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	switch v := values.(type) {
	case []float64:
		if at := slices.IndexFunc(v, bad); at >= 0 {
			return fmt.Sprint(v[at])
		}
	case []float32:
		if at := slices.IndexFunc(v, func(x float32) bool { return bad(float64(x)) }); at >= 0 {
			return fmt.Sprint(v[at])
		}
	}
	return ""
}

// RestoreGraphs is Restore for a model of graphs with so many features per node.
func (s Stored) RestoreGraphs(features, outputs int) (GraphClassifier, error) {
	r, o := Restoring(s.Parts), Li2019{Ratio: s.Ratio}
	for i := 1; r.width(fmt.Sprintf("conv%d_b", i)) > 0; i++ {
		o.Widths = append(o.Widths, r.width(fmt.Sprintf("conv%d_b", i)))
	}
	for i := 1; r.width(fmt.Sprintf("fc%d_b", i+1)) > 0; i++ {
		o.Hidden = append(o.Hidden, r.width(fmt.Sprintf("fc%d_b", i)))
	}
	if s.Kind != "li2019" || o.Widths == nil || !(o.Ratio > 0 && o.Ratio <= 1) {
		return nil, fmt.Errorf("its arrays are not those of the graph network of Li et al. (2019)")
	}
	m := newLi2019[float32](o, features, nil, nil, outputs)
	params := Joined(r, m.l)
	return &trainedLi[float32]{li2019: m, params: params, classes: outputs}, r.Ended(s.Kind)
}
