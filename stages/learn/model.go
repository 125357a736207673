package learn

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/gnn/rival"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
)

// modelFile is model.json of a model of graphs.
type modelFile struct {
	modelfile.Header
	Options  gnn.Options        `json:"options,omitzero"`  // of PR-GNN
	Fitted   *baseline.Stored   `json:"fitted,omitempty"`  // of another model
	Network  *modelfile.Network `json:"network,omitempty"` // its options, of the kind network
	Graphs   graphFacts         `json:"graphs"`            // what the model was trained on
	Training modelfile.Training `json:"training"`
}

// about is what model.json has of every training on graphs.
func (set *trainingSet) about(t *dag.Task, p fold.Params, h modelfile.Header) (f modelFile, err error) {
	f = modelFile{Header: h, Graphs: set.facts}
	f.Training, err = modelfile.ListTraining(t, p.Repeat, set.facts.Taught, set.facts.data)
	f.Graphs.Taught = nil
	return f, err
}

// A Trained model, read back.
type Trained struct {
	name string
	modelFile
	double bool // its arrays are in float64
	arrays map[string]*encoding.Array
	norm   standardization
	other  baseline.GraphClassifier // a network that is not PR-GNN, or
	brain  *rival.Model[rival.Graph[float32]]
}

// layouts are the arrays of a model: those of training, its buffers, and its standardization.
func layouts(o gnn.Options, norm standardization) []gnn.Layout {
	return []gnn.Layout{o.Layout(), o.Buffers(), norm.layout()}
}

// modelNPZ writes a model whose arrays lie one after the other in weights.
func modelNPZ[T gnn.Float](f modelFile, norm standardization, weights []T) (artifacts.Bytes, error) {
	var arrays []modelfile.Array
	for _, l := range layouts(f.Options, norm) {
		for _, p := range l {
			arrays = append(arrays, modelfile.Array{Name: p.Name, Values: weightArray(weights[:p.Len()], p.Shape...)})
			weights = weights[p.Len():]
		}
	}
	return modelfile.Pack(f, arrays)
}

// graphNetworkFile is the file of a network that is not PR-GNN.
func graphNetworkFile(about modelFile, fitted baseline.Stored) (artifacts.Bytes, error) {
	about.Fitted = &fitted
	var arrays []modelfile.Array
	for _, p := range fitted.Parts {
		arrays = append(arrays, modelfile.Array{Name: p.Name, Values: weightArray(p.Values.([]float32), p.Shape...)})
	}
	return modelfile.Pack(about, arrays)
}

// ReadModels reads models of the same groups.
func ReadModels(in []dag.Input) ([]*Trained, error) {
	var models []*Trained
	for _, in := range in {
		b, err := in.Bytes()
		if err != nil {
			return nil, err
		}
		m, err := ReadModel(b)
		if err == nil {
			err = m.Header.Expects(false)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		m.name = in.Name
		if models != nil && !slices.Equal(m.Groups, models[0].Groups) {
			return nil, fmt.Errorf("%s was trained on the groups %s, but %s on %s: connect models of the same groups",
				m.name, strings.Join(m.Groups, ", "), models[0].name, strings.Join(models[0].Groups, ", "))
		}
		models = append(models, m)
	}
	if models == nil {
		return nil, errors.New("no model: connect the model of a training")
	}
	return models, nil
}

// ReadModel reads an npz file, which may come from anywhere, and checks it against what it
// says of itself.
func ReadModel(b []byte) (*Trained, error) {
	arrays, about, err := modelfile.Unpack(b)
	if err != nil {
		return nil, err
	}
	m := &Trained{arrays: arrays}
	if err := modelfile.Decode(about, &m.modelFile); err != nil {
		return nil, err
	}
	if err := m.Header.Check(); err != nil {
		return nil, err
	}
	return m, m.check()
}

// check compares the arrays with the options, and takes the standardization out.
func (m *Trained) check() error {
	if g := &m.Graphs; m.Training.Key == "" { // an earlier version, which lists ids
		m.Training = modelfile.NewTraining(g.Taught, g.Taught, lists.Map(g.Scans, func(s string) modelfile.Data {
			return modelfile.Data{Digest: s}
		}), nil)
	}
	if err := m.Training.Check(m.Groups); err != nil {
		return err
	}
	if m.Fitted != nil {
		return m.restore()
	}
	o := m.Options
	if err := o.Check(); err != nil {
		return fmt.Errorf("model.json: %w", err)
	}
	if o.Number != (m.Target != nil) || !o.Number && len(m.Groups) != o.Classes || o.Features != m.Graphs.Features {
		return errors.New("model.json contradicts itself")
	}
	if mean, sd := m.arrays["input_mean"], m.arrays["input_sd"]; mean != nil && sd != nil {
		m.norm = standardization{mean: mean.Float64s(), sd: sd.Float64s()}
	}
	surplus := maps.Clone(m.arrays)
	for i, l := range layouts(o, m.norm) {
		for j, p := range l {
			a := m.arrays[p.Name]
			delete(surplus, p.Name)
			switch {
			case a == nil:
				return fmt.Errorf("the array %s is missing", p.Name)
			case i+j == 0:
				m.double = a.DType() == "<f8"
			}
			if want := map[bool]string{false: "<f4", true: "<f8"}[m.double]; a.DType() != want ||
				!slices.Equal(a.Shape, p.Shape) {
				return fmt.Errorf("%s is %s %v, but the model needs %s %v", p.Name, a.DType(), a.Shape, want, p.Shape)
			}
			for _, x := range a.Float64s() {
				if x-x != 0 {
					return fmt.Errorf("%s holds %v", p.Name, x)
				}
			}
		}
	}
	if len(surplus) > 0 {
		return fmt.Errorf("model.json describes a model without the arrays %s: a model with its options has %s, and "+
			"input_mean with input_sd", words.Some(slices.Sorted(maps.Keys(surplus)), 8), words.Some(lists.Map(
			slices.Concat(layouts(o, m.norm)...), func(p gnn.Param) string { return p.Name }), 40))
	}
	if m.norm.mean != nil && (len(m.norm.mean) != o.Features || len(m.norm.sd) != o.Features) {
		return fmt.Errorf("input_mean and input_sd hold %d and %d numbers, but a node has %d features", len(m.norm.mean), len(m.norm.sd), o.Features)
	}
	return nil
}

// restore puts a network together that is not PR-GNN.
func (m *Trained) restore() (err error) {
	if len(m.Groups) < 2 || m.Graphs.Features < 1 {
		return errors.New("model.json contradicts itself")
	}
	for name, a := range m.arrays {
		m.Fitted.Parts = append(m.Fitted.Parts, baseline.Part{Name: name, Shape: a.Shape, Values: a.Values()})
	}
	if m.Network != nil {
		o := m.Network.BrainGNN
		if o == nil || o.Classes != len(m.Groups) || o.Features != m.Graphs.Features || o.Nodes != m.Graphs.Nodes {
			return errors.New("model.json contradicts itself")
		}
		m.brain, err = rival.Restore(rival.Design[rival.Graph[float32]](*o), m.Fitted.Parts)
		return err
	}
	m.other, err = m.Fitted.RestoreGraphs(m.Graphs.Features, len(m.Groups))
	return err
}

// Regions are those that the model analyzes, from 0.
func (m *Trained) Regions() []int32 { return m.Graphs.analyzed() }

// Predict runs the model in the precision of its weights.
func (m *Trained) Predict(graphs []gnn.Data, threads int) ([]gnn.Prediction, error) {
	if m.brain != nil {
		cases, err := make([]rival.Graph[float32], len(graphs)), error(nil)
		for i, g := range graphs {
			if cases[i], err = brainGraph(*m.Network.BrainGNN, m.Graphs.reduced(g), m.Network.Fisher); err != nil {
				return nil, err
			}
		}
		return m.Graphs.byRegion(m.brain.Rate(cases, threads)), nil
	}
	if m.other != nil {
		cases := make([]baseline.EdgeGraph, len(graphs))
		for i, g := range graphs {
			g = m.Graphs.reduced(g)
			cases[i] = baseline.EdgeGraph{Nodes: g.Nodes, Features: g.Features, Edges: g.Edges}
			if err := cases[i].Check(); err != nil {
				return nil, err
			}
		}
		p := m.other.Probability(cases, threads)
		return lists.Map(slices.Collect(slices.Chunk(p, len(m.Groups))), modelfile.PredictionOf), nil
	}
	if m.double {
		return predictIn[float64](m, graphs, threads)
	}
	return predictIn[float32](m, graphs, threads)
}

func predictIn[T gnn.Float](m *Trained, graphs []gnn.Data, threads int) ([]gnn.Prediction, error) {
	model, err := gnn.Zero[T](m.Options)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		l gnn.Layout
		v []T
	}{{model.Layout, model.Params}, {m.Options.Buffers(), model.Buffers}} {
		for _, p := range part.l {
			copy(part.v[p.Offset:][:p.Len()], convert[T](m.arrays[p.Name].Float64s()))
		}
	}
	gs, failed := make([]*gnn.Graph[T], len(graphs)), make([]error, len(graphs))
	dense.Each(threads, len(graphs), func(i int) {
		g := m.Graphs.reduced(graphs[i])
		x := g.Features
		if m.norm.mean != nil {
			x = m.norm.apply(x)
		}
		gs[i], failed[i] = gnn.NewGraph[T](m.Options, 0, x, g.Edges)
	})
	if err := cmp.Or(failed...); err != nil {
		return nil, err
	}
	p, err := model.Predict(gs, threads)
	m.Graphs.byRegion(p)
	for i := range p {
		if m.Target != nil {
			p[i].Probability[0] = m.Target[0] + float64(m.Target[1]*p[i].Probability[0])
		}
	}
	return p, err
}
