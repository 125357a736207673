package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/region"
)

var kindEdges = dag.Kind{
	Name: "figure-edges",
	Doc: "tests of edges as a matrix: all above the diagonal, the significant ones below it\n" +
		"Regions are in blocks by hemisphere and structure (or by network, where the names of the atlas contain it, as in Schaefer's). Edges that were not tested are gray. As a connectome, the significant edges are lines between the regions, in three views of a brain, or on a circle where the node list has no positions in MNI space; of more than 100 edges, the strongest.",
	New: func() dag.Stage { return &Edges{As: "matrix"} },
}

// Edges draws tests of edges.
type Edges struct {
	As string `param:"as" doc:"matrix, or connectome: the significant edges as lines between the regions" choices:"matrix|connectome"`
}

func (*Edges) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "summary", Type: column.Needs[column.EdgeSummaryRow](), Doc: "edges' summary"},
			{Name: "edges", Type: column.Needs[column.EdgeTestRow](), Doc: "edges' table of the same"},
			{Name: "nodes", Type: dag.Arrow("index", "name"), Doc: "the node list"},
		},
		Out: picturePorts("the tests of edges"),
	}
}

func (s *Edges) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	summary, err := column.One[column.EdgeSummaryRow](t.In("summary"))
	if err != nil {
		return nil, err
	}
	if summary.Pooled, err = PooledGroups(t.In("summary")); err != nil {
		return nil, err
	}
	rows, err := column.Read[column.EdgeTestRow](t.In("edges"))
	if err != nil {
		return nil, err
	}
	if s.As == "connectome" {
		figure, _, err := DrawConnectome(summary, rows, t.In("nodes"))
		if err == nil && figure == nil {
			err = errors.New("no edge is significant: there is no connectome to draw")
		}
		return outputs(figure, err)
	}
	return outputs(DrawEdges(summary, rows, t.In("nodes")))
}

// mostLinks is how many edges a connectome shows.
const mostLinks = 100

// DrawConnectome draws the significant edges as lines between regions, the strongest of many, and once more in one
// small view where the regions have places in a brain; nil without any.
func DrawConnectome(summary column.EdgeSummaryRow, rows []column.EdgeTestRow, nodes dag.Input) (whole, small *Chart,
	err error) {
	blocks, err := region.BlocksOf(nodes)
	if err != nil {
		return nil, nil, err
	}
	places, err := column.Read[region.Place](nodes)
	if err != nil {
		return nil, nil, err
	}
	var at [3][]float64
	for _, p := range places {
		at[0], at[1], at[2] = append(at[0], p.X), append(at[1], p.Y), append(at[2], p.Z)
	}
	var links []chart.Link
	for _, r := range rows {
		if int(r.Target) > len(blocks) {
			return nil, nil, fmt.Errorf("%s: %d nodes, but an edge of node %d", nodes.Name, len(blocks), r.Target)
		}
		if r.Significant {
			links = append(links, chart.Link{A: int(r.Source - 1), B: int(r.Target - 1), Value: r.Statistic})
		}
	}
	if links == nil {
		return nil, nil, nil
	}
	slices.SortStableFunc(links, func(a, b chart.Link) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	of := EdgeValues(summary)
	of["All"] = len(links)
	links = links[:min(mostLinks, len(links))]
	of["N"], of["Brain"] = len(links), chart.InBrain(links, at)
	if of["By"], of["Blocks"], err = blockedBy(nodes, blocks); err != nil {
		return nil, nil, err
	}
	if chart.InBrain(links, at) {
		small = Captioned(chart.LinksFromAbove(links, at), "tile.edges", of)
	}
	names, err := ReadNames(nodes)
	if err != nil {
		return nil, nil, err
	}
	called, joined := make([]string, len(blocks)), map[int]bool{}
	for i := range called {
		called[i] = names[i+1][1]
	}
	for _, l := range links {
		joined[l.A], joined[l.B] = true, true
	}
	if of["Joined"], of["Named"] = len(joined), 0; !chart.InBrain(links, at) && len(joined) > chart.MostNamed {
		of["Named"] = chart.MostNamed
	}
	return Captioned(chart.Links(links, at, blocks, called), "figure.connectome", of), small, nil
}

// blocksOf are the blocks of the nodes of so many edges, one for each pair.
func blocksOf(nodes dag.Input, edges int) ([]string, error) {
	blocks, err := region.BlocksOf(nodes)
	if n := len(blocks); err == nil && edges != n*(n-1)/2 {
		err = fmt.Errorf("%s: %d nodes, but %d edges", nodes.Name, n, edges)
	}
	return blocks, err
}

// blockedBy is by what, beside hemisphere, the regions of a node list are in blocks (region.Blocks): structure,
// network, or "" for nothing else; several is false where all are in one block.
func blockedBy(nodes dag.Input, blocks []string) (by string, several bool, err error) {
	type row struct {
		Hemisphere string `column:"hemisphere,missing,optional"`
		Structure  string `column:"structure,missing,optional"`
	}
	rows, err := column.Read[row](nodes)
	for i, r := range rows {
		several = several || blocks[i] != blocks[0]
		switch {
		case r.Structure != "":
			by = "structure"
		case by == "" && blocks[i] != strings.TrimSpace(r.Hemisphere):
			by = "network"
		}
	}
	return by, several, err
}

// DrawEdges draws all edges above the diagonal and the significant ones below it.
func DrawEdges(summary column.EdgeSummaryRow, rows []column.EdgeTestRow, nodes dag.Input) (*Chart, error) {
	blocks, err := blocksOf(nodes, len(rows))
	if err != nil {
		return nil, err
	}
	n := len(blocks)
	statistic, significant := make([]float64, n*n), make([]bool, n*n)
	for _, r := range rows {
		i, j := int(r.Source-1), int(r.Target-1)
		statistic[i*n+j], statistic[j*n+i] = r.Statistic, r.Statistic
		significant[i*n+j], significant[j*n+i] = r.Significant, r.Significant
	}
	panel := chart.MatrixPanel{Values: statistic, Label: summary.Statistic}
	of := EdgeValues(summary)
	if of["By"], of["Blocks"], err = blockedBy(nodes, blocks); err != nil {
		return nil, err
	}
	return Captioned(chart.TestedMatrix(panel, significant, blocks), "figure.edges", of), nil
}

// DrawReliability draws the ICC of all edges above the diagonal, and those above 0.4 below it.
func DrawReliability(summary column.ReliabilityRow, rows []column.EdgeReliabilityRow, nodes dag.Input) (*Chart, error) {
	blocks, err := blocksOf(nodes, len(rows))
	if err != nil {
		return nil, err
	}
	n := len(blocks)
	of := values(finding.Values(summary))
	icc, fair := make([]float64, n*n), make([]bool, n*n)
	if of["By"], of["Blocks"], err = blockedBy(nodes, blocks); err != nil {
		return nil, err
	}
	of["Missing"] = false
	for _, r := range rows {
		i, j := int(r.Source-1), int(r.Target-1)
		icc[i*n+j], icc[j*n+i] = r.ICC, r.ICC
		fair[i*n+j], fair[j*n+i] = r.ICC > 0.4, r.ICC > 0.4
		if math.IsNaN(r.ICC) {
			of["Missing"] = true
		}
	}
	panel := chart.MatrixPanel{Values: icc, Label: "ICC"}
	return Captioned(chart.TestedMatrix(panel, fair, blocks), "figure.reliability", of), nil
}

// EdgeValues are what the entries about a test of edges use.
func EdgeValues(r column.EdgeSummaryRow) values {
	v := values(finding.Values(r))
	var sizes []string
	for i, n := range r.Counts {
		sizes = append(sizes, words.CountOf(int(n), r.Groups[i], " "))
	}
	v["ByQ"], v["Sizes"] = r.Correction == "bh" || r.Correction == "bh-permutation", sizes
	v["Settings"] = []string(nil)
	v["OneSided"] = r.Correction == "nbs" && r.Statistic == "t" && (r.Tail == "left" || r.Tail == "right")
	v["Larger"], v["Smaller"], v["Later"], v["Earlier"] = "", "", "", ""
	if len(r.Sessions) == 2 {
		v["Later"], v["Earlier"] = r.Sessions[1], r.Sessions[0]
	}
	if len(r.Sessions) > 0 {
		v["Covariates"] = lists.Map(r.Covariates, func(name string) string {
			if name == column.MeanFD {
				return "the change of " + name
			}
			return name
		})
	}
	if len(r.Groups) > 0 {
		v["Larger"] = r.Groups[len(r.Groups)-1]
		if len(r.Groups) == 2 {
			v["Smaller"] = r.Groups[0]
		}
	}
	return v
}

// PooledGroups are the groups over which a change between two sessions was tested together, by the findings of the
// summary of edges; nil for none.
func PooledGroups(summary dag.Input) (groups any, err error) {
	table, err := summary.Table()
	if err != nil {
		return nil, err
	}
	all, err := finding.Of(table.Meta)
	for _, f := range all {
		if f.Code == finding.GroupsPooled {
			groups = f.Values()["Groups"]
		}
	}
	return groups, err
}

// DrawEdgeNull draws what each permutation gave by the measure of the correction, and the same in the data; nil for a
// correction that has no largest value, or where the data have no component.
func DrawEdgeNull(summary column.EdgeSummaryRow, rows []column.EdgeTestRow, components []column.ComponentRow,
	null []column.EdgeNullRow) *Chart {
	seen := math.Inf(-1)
	of := func(column.EdgeNullRow) float64 { return 0 }
	switch summary.Correction {
	case "max-t":
		of = func(r column.EdgeNullRow) float64 { return r.Largest }
		for _, r := range rows {
			seen = known(seen, math.Abs(r.Statistic))
		}
	case "tfnbs":
		of = func(r column.EdgeNullRow) float64 { return r.TFNBS }
		for _, r := range rows {
			seen = known(seen, math.Abs(r.TFNBS))
		}
	case "nbs":
		of = func(r column.EdgeNullRow) float64 { return float64(r.Edges) }
		size := func(c column.ComponentRow) float64 { return float64(c.Edges) }
		if summary.Size == "intensity" {
			of = func(r column.EdgeNullRow) float64 { return r.Intensity }
			size = func(c column.ComponentRow) float64 { return c.Intensity }
		}
		for _, c := range components {
			if c.Tested {
				seen = max(seen, size(c))
			}
		}
	}
	if math.IsInf(seen, -1) || len(null) == 0 {
		return nil
	}
	var v []float64
	for _, r := range null {
		v = append(v, of(r))
	}
	slices.Sort(v)
	percentile := v[int(0.95*float64(len(v)-1))]
	const bins = 40
	low, high := v[0], max(seen, v[len(v)-1])
	if !(high > low) {
		high = low + 1
	}
	edges, counts := make([]float64, bins+1), make([]float64, bins)
	for i := range edges {
		edges[i] = low + (high-low)*float64(i)/bins
	}
	for _, x := range v {
		counts[min(bins-1, int((x-low)/(high-low)*bins))]++
	}
	panel := chart.Panel{X: chart.Axis{Label: label("edges.largest", EdgeValues(summary))},
		Y: chart.Axis{Label: "permutations", Zero: true},
		Marks: []chart.Mark{chart.Bars(edges, counts, 0.3, chart.Faded(chart.Color(0), 110)),
			chart.Upright(percentile, chart.Chance), chart.Upright(seen,
				chart.Style{Color: chart.Color(1), Width: 1.4})}}
	plot := chart.Plot{Rows: [][]chart.Panel{{panel}}, Width: chart.Column,
		Height: []vg.Length{60 * vg.Millimeter}}
	about := EdgeValues(summary)
	about["Seen"], about["Percentile"] = seen, percentile
	return Captioned(plot.Figure(), "figure.edges-null", about)
}

func known(a, b float64) float64 {
	if math.IsNaN(b) {
		return a
	}
	return max(a, b)
}
