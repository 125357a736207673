package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/role"
)

var predictKind = dag.Kind{
	Name: "predict",
	Doc: "applies trained models to participants\n" +
		"The model comes from one training, or from several, whose probabilities are averaged; { file: model.npz } is an exported model. Graphs that differ in processing from the training graphs are refused: another list of regions, estimator, denoising, density or kind of feature; so are those of participants without a series of a region that all had in training.",
	New:        func() dag.Stage { return &Predict{} },
	MaxThreads: 8,
	Memory:     256 << 20,
}

var _ role.PortUser = (*Predict)(nil)

// Predict applies trained models.
type Predict struct {
	Allow    []string `param:"allow" doc:"parameters in which the new graphs may differ from the training graphs, such as denoise.fd; edges, features: the number of edges, the range of features; regions: regions without a series that nobody in training lacks"`
	DrawZero bool     `param:"draw_zero" doc:"use draw 0, which is not resampled, beside the random draws; without draws it is used anyway"`
}

func (*Predict) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "model", Type: dag.Format("npz"), Gather: true, Doc: "the model of one training, or of several"},
			{Name: "edges", Type: column.Type[column.EdgeRow](), Gather: true, Doc: "the edges of each participant's graphs"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Doc: "their node features"},
			{Name: "nodes", Type: dag.Arrow("name"), Optional: true, Doc: "the node list; needed if the training had one"},
		},
		Out: []dag.Port{
			{Name: "participants", Type: column.Type[predictedPerson](),
				Doc: "one row per participant: predicted group, by the mean probability over graphs and models; trained counts the models with this id in their training, unless their digests show other data, and should be 0; same_data should be empty"},
			{Name: "predictions", Type: column.Type[predictedGraph](), Doc: "the same for every graph and model"},
			{Name: "scores", Type: column.Type[predictedScore](), Doc: "pooling scores of every node that reaches a pooling layer"},
		},
	}
}

// UsesPorts are the models: features fitted for other folds than theirs are refused.
func (*Predict) UsesPorts() []role.PortUse {
	return append(role.OneSettingOf("edges", "features"), role.PortUse{Port: "model", As: role.Models})
}

func (s *Predict) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	models, err := ReadModels(t.All("model"))
	if err != nil {
		return nil, err
	}
	edges, features := t.All("edges"), t.All("features")
	if len(edges) != len(features) {
		return nil, fmt.Errorf("%d participants have edges and %d have features: connect both to the same stage", len(edges), len(features))
	}
	names, err := column.NodeNames(t)
	if err != nil {
		return nil, err
	}
	var apart []error // all differences are listed at once
	for _, m := range models {
		if err := m.Graphs.acceptNodes(names); err != nil {
			apart = append(apart, fmt.Errorf("%s: %w", m.name, err))
		}
	}
	out := newPredicted(models, len(features), s.Allow)
	var refused, accepted column.Differences
	hint := "; to accept a difference, list it under allow"
	made := lists.Map(models, func(m *Trained) string { return m.Graphs.Made })
	for i, in := range features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		id := in.Coord("subject")
		of, err := ReadParticipant(edges[i], in, fold.Params{DrawZero: s.DrawZero})
		if err != nil {
			return nil, err
		}
		made = append(made, of.Made)
		for _, m := range models {
			lacked, err := m.Graphs.lacks(in)
			if err != nil {
				return nil, err
			}
			for _, d := range m.Graphs.differs(of, lacked, names) {
				to := &refused
				if d.Key != "" && slices.Contains(s.Allow, d.Key) {
					to = &accepted
				}
				to.Add(id, d.Key == "edges" || d.Key == "features", d)
			}
			if of.Made == "" && m.Graphs.Made != "" {
				hint = "; their processing is unknown: connect quality, of the stage that made their matrices, to the graph stage"
			}
			out.lacked = append(out.lacked, lacked...)
		}
		if apart != nil || refused != nil {
			continue
		}
		out.start(id, of, models)
		for at, m := range models {
			p, err := m.Predict(of.Graphs, t.Threads)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			for _, one := range p {
				if slices.ContainsFunc(one.Probability, func(x float64) bool { return x-x != 0 }) {
					return nil, fmt.Errorf("%s: %s computes the probabilities %v, which are not finite: are its weights "+
						"and options damaged?", id, m.name, one.Probability)
				}
			}
			out.add(id, of.Draws, at, p)
		}
		t.Progress(i+1, len(features), id)
	}
	apart = append(apart, column.NotMade(s.Allow, made, "edges", "features", "regions")...)
	if refused != nil {
		for _, d := range refused {
			if d.Key == "regions" {
				hint = "; exclude: [" + strings.Join(d.Who, ", ") + "], under cohort, or predict from zeros (allow: regions)" + hint
			}
		}
		apart = append(apart, fmt.Errorf("the graphs of %s differ from the training graphs of %s: %s%s",
			words.Count(len(features), "participant"),
			words.Some(lists.Map(models, func(m *Trained) string { return m.name }), 4),
			strings.Join(refused.Texts(len(features)), "; "), hint))
	}
	if apart != nil {
		return nil, errors.Join(apart...)
	}
	return out.tables(accepted, names), nil
}

// acceptNodes refuses a list of nodes that is not the training's.
func (f *graphFacts) acceptNodes(names []string) error {
	switch {
	case f.Names == nil:
		return nil
	case names == nil:
		return fmt.Errorf("the model records the names of its %d regions, but those of the new graphs are unknown: connect the input nodes (cohort.nodes)", len(f.Names))
	case len(names) != len(f.Names):
		return fmt.Errorf("the model has %d regions, but the node list has %d", len(f.Names), len(names))
	}
	for i, n := range names {
		if column.Composed(n) != column.Composed(f.Names[i]) {
			return fmt.Errorf("region %d is %s in the node list, but %s in training: use the same atlas in the same order", i+1, n, f.Names[i])
		}
	}
	return nil
}

// differs are the differences of a participant's graphs from those of the training. lacked are regions without a series
// that all had in training: their features would be zeros, which no correlation is. A number of edges or features
// somewhat beyond what the training saw is no difference: new participants are not the old ones.
func (f *graphFacts) differs(of Participant, lacked []int, names []string) []column.Difference {
	all := column.MadeDiffers(of.Made, f.Made)
	add := func(key, format string, args ...any) {
		all = append(all, column.Difference{Key: key, Text: fmt.Sprintf(format, args...)})
	}
	if lacked != nil {
		add("regions", "no usable series of %s, which all participants had in training", regionTexts(lacked, names))
	}
	for _, g := range of.Graphs {
		if g = f.reduced(g); g.Nodes != f.Nodes || len(g.features) != f.Nodes*f.Features {
			add("", "%d nodes of %d features, not %d of %d", g.Nodes, len(g.features)/g.Nodes, f.Nodes, f.Features)
			break
		}
		if n := float64(len(g.edges)); n < 0.8*float64(f.Edges[0]) || n > 1.25*float64(f.Edges[1]) {
			add("edges", "%d edges, not %d to %d: does the density differ? (edges)", len(g.edges), f.Edges[0], f.Edges[1])
		}
		span := max(math.Abs(f.Values[0]), math.Abs(f.Values[1]))
		if at := slices.IndexFunc(g.features, func(x float64) bool { return math.Abs(x) > 2*span }); at >= 0 {
			add("features", "a feature outside the training range: %v, but at most %v in training (features)",
				g.features[at], span)
		}
	}
	return all
}

// regionTexts are regions with their names, where these are known.
func regionTexts(regions []int, names []string) string {
	texts := lists.Map(slices.Compact(slices.Sorted(slices.Values(regions))), func(r int) string {
		return fold.NumberAndName(r-1, names)
	})
	return map[bool]string{true: "region ", false: "regions "}[len(texts) == 1] + words.Some(texts, 10)
}
