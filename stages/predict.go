package stages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
)

func init() {
	Register(dag.Kind{
		Name: "predict",
		Doc: "applies trained models to participants\n" +
			"weights and parameters come from one training or from several, whose probabilities are then averaged. Graphs that were not made as those of the training are refused: another atlas, density or kind of feature.",
		New:    func() dag.Stage { return &Predict{} },
		Most:   8,
		Memory: 256 << 20,
	})
}

// Predict applies trained models.
type Predict struct {
	DrawZero bool `param:"draw_zero" doc:"use draw 0, the mean over all voxels, beside the random draws; without draws it is used anyway"`
}

// Ports are the stage's inputs and outputs.
func (*Predict) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "weights", Type: dag.Format("npy"), Gather: true, Doc: "of one training, or of several"},
			{Name: "parameters", Type: dag.Arrow("name", "offset", "length", "trainable"), Gather: true, Doc: "of the same trainings"},
			{Name: "edges", Type: dag.Arrow("draw", "source", "target", "weight"), Gather: true, Doc: "the edges of each participant's graphs"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Doc: "their node features"},
		},
		Out: []dag.Port{
			{Name: "participants", Type: dag.Arrow("participant_id", "graphs", "models", "trained", "predicted", "probability"),
				Doc: "one row a participant: predicted group, by the mean probability over graphs and models; trained counts the models that were trained on the participant, and should be 0"},
			{Name: "predictions", Type: dag.Arrow("participant_id", "draw", "model", "predicted", "probability"), Doc: "the same of every graph by every model"},
			{Name: "scores", Type: dag.Arrow("participant_id", "draw", "model", "layer", "index", "score", "kept"), Doc: "pooling scores of every node that reaches a pooling layer"},
		},
	}
}

// A trained model, read back.
type trained struct {
	name    string
	options gnn.Options
	groups  []string
	facts   graphFacts
	array   *artifacts.Array
	norm    standardization
}

// Run predicts.
func (s *Predict) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	models, err := readModels(t.All("weights"), t.All("parameters"))
	if err != nil {
		return nil, err
	}
	edges, features := t.All("edges"), t.All("features")
	if len(edges) != len(features) {
		return nil, fmt.Errorf("%d participants give edges and %d give features: connect both to the same stage", len(edges), len(features))
	}
	out := newPredicted(models[0].groups, len(models))
	for i, in := range features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		id := in.Coord("subject")
		graphs, draws, made, err := readParticipant(edges[i], in, FoldParams{DrawZero: s.DrawZero})
		if err != nil {
			return nil, err
		}
		for at, m := range models {
			if err := m.facts.accept(graphs, made); err != nil {
				return nil, fmt.Errorf("%s is not made as the graphs that %s was trained on: %w", in.Name, m.name, err)
			}
			p, err := m.predict(graphs, t.Threads)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			out.add(id, draws, at, p, slices.Contains(m.facts.Taught, id))
		}
		t.Progress(i+1, len(features), id)
	}
	return out.tables(), nil
}

func readModels(weights, parameters []dag.Input) ([]*trained, error) {
	if len(weights) == 0 || len(weights) != len(parameters) {
		return nil, fmt.Errorf("%d inputs of weights and %d of parameters: connect both to the same trainings", len(weights), len(parameters))
	}
	var models []*trained
	for i, in := range weights {
		m := &trained{name: in.Name}
		var err error
		if m.array, err = in.Array(); err != nil {
			return nil, err
		}
		table, err := parameters[i].Table()
		if err != nil {
			return nil, err
		}
		if err := m.read(table); err != nil {
			return nil, fmt.Errorf("%s: %w", parameters[i].Name, err)
		}
		if i > 0 && !slices.Equal(m.groups, models[0].groups) {
			return nil, fmt.Errorf("%s tells %s apart, %s %s", m.name, strings.Join(m.groups, ", "), models[0].name, strings.Join(models[0].groups, ", "))
		}
		models = append(models, m)
	}
	return models, nil
}

// read takes the model out of the metadata of the parameter table, and checks it
// against the table and the weights.
func (m *trained) read(t *artifacts.Table) error {
	for name, to := range map[string]any{"model": &m.options, "groups": &m.groups, "graphs": &m.facts} {
		if err := json.Unmarshal([]byte(t.Meta[name]), to); err != nil {
			return fmt.Errorf("its metadata hold no readable %q: is it the parameter table of a training?", name)
		}
	}
	if err := m.options.Check(); err != nil {
		return err
	}
	if len(m.groups) != m.options.Classes || m.options.Features != m.facts.Features {
		return errors.New("its metadata contradict each other")
	}
	n := m.options.Layout().Len() + m.options.Buffers().Len()
	if _, ok := findText(t, "name", "input_mean"); ok {
		d := m.options.Features
		if m.array.Len() == n+2*d {
			v := m.array.Float64s()
			m.norm = standardization{mean: v[n:][:d], sd: v[n+d:][:d]}
			n += 2 * d
		}
	}
	if m.array.Len() != n {
		return fmt.Errorf("the model has %d numbers, %s holds %d", n, m.name, m.array.Len())
	}
	return nil
}

// findText finds the row that holds a text.
func findText(t *artifacts.Table, column, text string) (int, bool) {
	v, err := t.Strings(column)
	i := slices.Index(v, text)
	return i, err == nil && i >= 0
}

// accept refuses graphs of another make than those of the training. A share of
// edges or features somewhat beyond what the training saw is let through: new
// participants are not the old ones.
func (f *graphFacts) accept(graphs []graphData, made string) error {
	if f.Made != "" && made != "" && f.Made != made {
		return fmt.Errorf("they were made with %s, those with %s", made, f.Made)
	}
	for _, g := range graphs {
		if g.nodes != f.Nodes || len(g.features) != f.Nodes*f.Features {
			return fmt.Errorf("%d nodes of %d features, not %d of %d", g.nodes, len(g.features)/g.nodes, f.Nodes, f.Features)
		}
		if n := float64(len(g.edges)); n < 0.8*float64(f.Edges[0]) || n > 1.25*float64(f.Edges[1]) {
			return fmt.Errorf("%d edges, not %d to %d: is the density another?", len(g.edges), f.Edges[0], f.Edges[1])
		}
		span := max(math.Abs(f.Values[0]), math.Abs(f.Values[1]))
		for _, x := range g.features {
			if math.Abs(x) > 2*span {
				return fmt.Errorf("a feature of %v, none was beyond %v: are the features others?", x, span)
			}
		}
	}
	return nil
}

// predict runs the model in the precision of its weights.
func (m *trained) predict(graphs []graphData, threads int) ([]gnn.Prediction, error) {
	if m.array.DType() == "<f8" {
		return predictIn[float64](m, graphs, threads)
	}
	return predictIn[float32](m, graphs, threads)
}

func predictIn[T gnn.Float](m *trained, graphs []graphData, threads int) ([]gnn.Prediction, error) {
	model, err := gnn.Zero[T](m.options)
	if err != nil {
		return nil, err
	}
	w := convert[T](m.array.Float64s())
	copy(model.Params, w)
	copy(model.Buffers, w[len(model.Params):])
	var gs []*gnn.Graph[T]
	for _, g := range graphs {
		x := g.features
		if m.norm.mean != nil {
			x = m.norm.apply(x)
		}
		graph, err := gnn.NewGraph[T](m.options, 0, x, g.edges)
		if err != nil {
			return nil, err
		}
		gs = append(gs, graph)
	}
	return model.Predict(gs, threads)
}
