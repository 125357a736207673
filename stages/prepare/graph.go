package prepare

import (
	"context"
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

var graphKind = dag.Kind{
	Name: "graph",
	Doc: "brain graphs: the strongest partial correlations as edges, and features of the nodes\n" +
		"The paper's rule (\"Graph definition\"): the largest positive partial correlations, 10 % of all pairs, and the largest edge of every node that would be isolated. A region without a signal gets no edge; pairs are those of regions with one. Ties go to the lower nodes.",
	New: func() dag.Stage {
		return &Graph{Rule: "largest", Density: 0.10, Of: "pairs", Percentile: 95, Repair: "largest", Features: "pearson"}
	},
}

// Graph makes brain graphs.
type Graph struct {
	Rule       string  `param:"rule" doc:"largest: the largest positive partial correlations; authors-code: magnitudes from a percentile of all entries up, the diagonal among them, with no repair" choices:"largest|authors-code"`
	Density    float64 `param:"density" doc:"share of the pairs that become edges (rule: largest)" min:"0" max:"1"`
	Of         string  `param:"of" doc:"what density is a share of: all pairs, or the positive ones (rule: largest)" choices:"pairs|positive"`
	Percentile float64 `param:"percentile" doc:"of the magnitudes of all entries (rule: authors-code)" min:"0" max:"100"`
	Repair     string  `param:"repair" doc:"what an isolated node gets: its largest entry, the one of the largest magnitude, or nothing (rule: largest)" choices:"largest|absolute|none"`
	Features   string  `param:"features" doc:"features of a node: its row of the correlation matrix; its local degree profile (5 numbers); which node it is" choices:"pearson|degree-profile|identity"`
}

// Ports are the stage's inputs and outputs.
func (*Graph) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "pearson", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "correlation, for the features"},
			{Name: "partial", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "partial correlation, for the edges"},
			{Name: "quality", Type: dag.Arrow("draw"), Optional: true, Doc: "of the same stage: it tells how the matrices were made, and a model that is trained on the graphs then refuses graphs of other matrices"},
		},
		Out: []dag.Port{
			{Name: "edges", Type: dag.Arrow("draw", "source", "target", "weight"), Doc: "edges by draw, source and target; nodes are counted from 1, source < target"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Doc: "features of the nodes"},
			{Name: "quality", Type: dag.Arrow("draw", "nodes", "silent", "edges", "chosen", "repaired", "not_positive", "isolated", "components", "positive", "threshold", "degree_min", "degree_mean", "degree_max"), Doc: "the graph of each draw in numbers"},
		},
	}
}

// Run builds.
func (s *Graph) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	partial, err := region.ReadDraws(t.In("partial"), "draw, roi, roi")
	if err != nil {
		return nil, err
	}
	pearson, err := region.ReadDraws(t.In("pearson"), "draw, roi, roi")
	if err != nil {
		return nil, err
	}
	p, q := partial[0], pearson[0]
	if len(partial) != len(pearson) || p.Rows != q.Rows || p.Cols != q.Cols {
		return nil, fmt.Errorf("%s is %d×%d×%d and %s is %d×%d×%d: connect matrices of one connectivity stage",
			t.In("partial").Name, len(partial), p.Rows, p.Cols, t.In("pearson").Name, len(pearson), q.Rows, q.Cols)
	}
	rule := connectivity.Rule{
		Kind: connectivity.RuleKind(s.Rule), Density: s.Density, Of: connectivity.Share(s.Of),
		Percentile: s.Percentile, Repair: connectivity.Repair(s.Repair),
	}
	var draw, source, target []int32
	var weight []float64
	features := make([]connectivity.Matrix, len(partial))
	quality := make([]connectivity.GraphQuality, len(partial))
	for d, m := range partial {
		g, err := connectivity.Build(m, rule)
		if err != nil {
			return nil, fmt.Errorf("%s: draw %d: %w", t.In("partial").Name, d, err)
		}
		for _, e := range g.Edges {
			draw, source, target = append(draw, int32(d)), append(source, int32(e.Source+1)), append(target, int32(e.Target+1))
			weight = append(weight, e.Weight)
		}
		features[d], quality[d] = g.NodeFeatures(connectivity.Features(s.Features), pearson[d]), g.Quality
	}
	made, err := column.MadeOf(t, "quality")
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"edges": column.WithMeta(encoding.NewTable(
			encoding.Column{Name: "draw", Values: draw, Doc: "0 is the plain mean"},
			encoding.Column{Name: "source", Values: source, Doc: "node, from 1"},
			encoding.Column{Name: "target", Values: target, Doc: "node, from 1; above source"},
			encoding.Column{Name: "weight", Values: weight, Doc: "partial correlation"},
		), column.MadeBy("graph", s, made)),
		"features": region.Stack(features),
		"quality":  graphQuality(quality),
	}, nil
}

func graphQuality(q []connectivity.GraphQuality) *encoding.Table {
	type Q = connectivity.GraphQuality
	whole := func(name, doc string, of func(Q) int) encoding.Column { return wholeColumn(q, name, doc, of) }
	number := func(name, doc string, of func(Q) float64) encoding.Column { return numberColumn(q, name, doc, of) }
	return encoding.NewTable(
		encoding.Column{Name: "draw", Values: region.DrawNumbers(len(q)), Doc: "0 is the plain mean"},
		whole("nodes", "nodes, with and without a signal", func(q Q) int { return q.Nodes }),
		whole("silent", "nodes without a signal; they have no edges", func(q Q) int { return q.Silent }),
		whole("edges", "all edges", func(q Q) int { return q.Edges }),
		whole("chosen", "edges that the rule chose", func(q Q) int { return q.Chosen }),
		whole("repaired", "nodes that were isolated and got an edge", func(q Q) int { return q.Repaired }),
		whole("not_positive", "edges of repaired nodes whose weight is not positive", func(q Q) int { return q.NotPositive }),
		whole("isolated", "nodes with a signal and without an edge", func(q Q) int { return q.Isolated }),
		whole("components", "connected parts of the nodes with a signal", func(q Q) int { return q.Components }),
		number("positive", "share of the pairs with a positive partial correlation", func(q Q) float64 { return q.Positive }),
		number("threshold", "smallest weight that the rule chose", func(q Q) float64 { return q.Threshold }),
		whole("degree_min", "smallest degree of a node with a signal", func(q Q) int { return q.DegreeMin }),
		number("degree_mean", "mean degree of the nodes with a signal", func(q Q) float64 { return q.DegreeMean }),
		whole("degree_max", "largest degree", func(q Q) int { return q.DegreeMax }),
	)
}
