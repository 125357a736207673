package prepare

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var graphKind = dag.Kind{
	Name: "graph",
	Doc: "brain graphs: the strongest partial correlations as edges, and features of the nodes\n" +
		"The paper's rule (\"Graph definition\"): the largest positive partial correlations, 10% of all pairs, plus the largest edge of every node that would be isolated. A region without a series, or whose partial correlations all are 0, has no edges and is not counted in the pairs. Ties go to the lower node numbers.",
	New: func() dag.Stage {
		return &Graph{Rule: "largest", Density: 0.10, Of: "pairs", Percentile: 95, Repair: "largest",
			Features: "pearson"}
	},
}

var (
	_ role.PortUser = (*Graph)(nil)
	_ role.DataUser = (*Graph)(nil)
	_ role.Drawer   = (*Graph)(nil)
	_ role.Measurer = (*Graph)(nil)
)

// Graph makes brain graphs.
type Graph struct {
	role.Informed
	Rule       string  `param:"rule" doc:"largest: the largest positive partial correlations; authors-code: magnitudes at or above a percentile of all entries, including the diagonal, without repair" choices:"largest|authors-code"`
	Density    float64 `param:"density" doc:"share of the pairs that become edges, above 0 (rule: largest)" min:"0.000001" max:"1"`
	Of         string  `param:"of" doc:"base of density: all pairs, or the positive ones (rule: largest)" choices:"pairs|positive"`
	Percentile float64 `param:"percentile" doc:"percentile of the magnitudes of all entries (rule: authors-code)" min:"0" max:"100"`
	Repair     string  `param:"repair" doc:"edge for an isolated node: its largest entry, its entry of largest magnitude, or none (rule: largest)" choices:"largest|absolute|none"`
	Features   string  `param:"features" doc:"features of a node: its row of the correlation matrix; its local degree profile (5 numbers); its identity (one-hot)" choices:"pearson|degree-profile|identity"`
}

// UsesPorts are what states the origin of the matrices.
func (*Graph) UsesPorts() []role.PortUse { return []role.PortUse{role.QualityOf("pearson", "partial")} }

// DrawsOf is how many draws its arrays have, of an input with so many.
func (*Graph) DrawsOf(input int) int { return input }

// Measures are the weights of the edges, and the features.
func (s *Graph) Measures(output string, of func(string) column.Data) column.Data {
	switch {
	case output == "edges":
		return of("partial")
	case output == "features" && s.Features == "pearson":
		return of("pearson")
	case output == "features" && s.Features == "identity":
		return column.Data{Measure: column.Identities}
	case output == "features":
		return column.Data{Measure: column.Profiles}
	}
	return column.Data{}
}

func (*Graph) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "pearson", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "correlation, for the features"},
			{Name: "partial", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "partial correlation, for the edges"},
			{Name: "quality", Type: dag.Arrow("draw"), Optional: true, Doc: "quality of the same stage: it records how the matrices were computed, so that a model trained on the graphs refuses others"},
		},
		Out: []dag.Port{
			{Name: "edges", Type: column.Type[column.EdgeRow](), Doc: "edges by draw, source and target; nodes are counted from 1, source < target"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Doc: "features of the nodes"},
			{Name: "quality", Type: column.Type[graphRow](), Doc: "summary of the graph of each draw"},
		},
	}
}

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
	var edges []column.EdgeRow
	features := make([]connectivity.Matrix, len(partial))
	quality := make([]graphRow, len(partial))
	for d, m := range partial {
		g, err := connectivity.Build(m, rule)
		if err != nil {
			return nil, fmt.Errorf("%s: draw %d: %w", t.In("partial").Name, d, err)
		}
		for _, e := range g.Edges {
			edges = append(edges, column.EdgeRow{Draw: int32(d), Source: int32(e.Source + 1),
				Target: int32(e.Target + 1), Weight: e.Weight})
		}
		features[d] = g.NodeFeatures(connectivity.Features(s.Features), pearson[d])
		quality[d] = graphQuality(d, g.Quality, withoutSeries(m, pearson[d]))
	}
	made, err := column.MadeOf(t, "quality")
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"edges":    column.WithMeta(column.Table(edges), s.describe(made)),
		"features": region.Stack(features),
		"quality":  column.Table(quality),
	}, nil
}

// describe states how the graphs were made, and of what: a model of edges of one kind refuses those of another.
func (s *Graph) describe(made string) map[string]string {
	all := column.Made(column.MadeBy("graph", s, made, role.DataParameter)["made"])
	for _, port := range []string{"partial", "pearson"} {
		of := s.Holds(port)
		if port == "pearson" && s.Features != "pearson" || of == (column.Data{}) {
			continue
		}
		all["graph."+map[string]string{"partial": "edges", "pearson": "features"}[port]+"_from"] =
			json.RawMessage(column.JSON(strings.TrimSuffix(of.Text()+" of "+of.SeriesText(), " of ")))
	}
	return map[string]string{"made": column.JSON(all)}
}

// A graphRow is the quality of the graph of one draw.
type graphRow struct {
	Draw        int32   `column:"draw" doc:"0 is the plain mean"`
	Nodes       int32   `column:"nodes" doc:"all nodes"`
	Silent      int32   `column:"silent" doc:"nodes without a series: their correlations and partial correlations all are 0; they have no edges"`
	Unconnected int32   `column:"unconnected" doc:"nodes with a series whose partial correlations all are 0 (a strong shrinkage or penalty); they have no edges"`
	Edges       int32   `column:"edges" doc:"all edges"`
	Chosen      int32   `column:"chosen" doc:"edges selected by the rule"`
	Repaired    int32   `column:"repaired" doc:"isolated nodes that were reconnected"`
	NotPositive int32   `column:"not_positive" doc:"edges of repaired nodes whose weight is not positive"`
	Isolated    int32   `column:"isolated" doc:"nodes with a nonzero partial correlation and without an edge"`
	Components  int32   `column:"components" doc:"connected components of the nodes with a nonzero partial correlation"`
	Positive    float64 `column:"positive,missing" doc:"share of the pairs of nodes with a nonzero partial correlation whose own is positive"`
	Threshold   float64 `column:"threshold,missing" doc:"smallest weight selected by the rule"`
	DegreeMin   int32   `column:"degree_min" doc:"smallest degree of a node with a nonzero partial correlation"`
	DegreeMean  float64 `column:"degree_mean,missing" doc:"mean degree of the nodes with a nonzero partial correlation"`
	DegreeMax   int32   `column:"degree_max" doc:"largest degree"`
}

// graphQuality is the quality of a draw in which so many nodes have no series.
func graphQuality(draw int, q connectivity.GraphQuality, silent int) graphRow {
	return graphRow{int32(draw), int32(q.Nodes), int32(silent), int32(q.Silent - silent), int32(q.Edges),
		int32(q.Chosen),
		int32(q.Repaired), int32(q.NotPositive),
		int32(q.Isolated), int32(q.Components), q.Positive, q.Threshold, int32(q.DegreeMin), q.DegreeMean,
		int32(q.DegreeMax)}
}

// withoutSeries counts the nodes whose partial correlations and correlations all are 0 or NaN.
func withoutSeries(partial, pearson connectivity.Matrix) (n int) {
	for i := range pearson.Rows {
		if p, q := partial.Row(i), pearson.Row(i); !slices.ContainsFunc([][]float64{p[:i], p[i+1:], q[:i], q[i+1:]},
			func(row []float64) bool {
				return slices.ContainsFunc(row, func(r float64) bool { return math.Abs(r) > 0 })
			}) {
			n++
		}
	}
	return n
}
