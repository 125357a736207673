package figure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

var kindDegrees = dag.Kind{
	Name: "figure-degrees",
	Doc:  "degree distribution of the graphs, by group\nCounts the nodes of draw 0 of every participant by their degree.",
	New:  func() dag.Stage { return &Degrees{} },
}

var _ role.PortUser = (*Degrees)(nil)

// Degrees draws the distribution of degrees.
type Degrees struct{}

// UsesPorts are the inputs that take one setting of each participant.
func (*Degrees) UsesPorts() []role.PortUse {
	return role.OneSettingOf("edges")
}

func (*Degrees) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "edges", Gather: true, Type: column.Type[edgeRow](), Doc: "graph's edges of each participant"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "who belongs to which group"},
			{Name: "nodes", Type: dag.Arrow("index", "name"), Doc: "the node list"},
		},
		Out: append(picturePorts("the distribution of degrees"),
			dag.Port{Name: "degrees", Type: column.Type[degreeRow](), Doc: "number of nodes of each degree, over all graphs of a group"}),
	}
}

func (s *Degrees) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	people, err := column.ReadPeople(t.In("participants"))
	if err != nil {
		return nil, err
	}
	nodes, err := t.In("nodes").Table()
	if err != nil {
		return nil, err
	}
	counts := map[string][]float64{} // group → nodes by degree
	graphs := map[string]int{}
	longest := 0
	for _, in := range t.All("edges") {
		degree, err := degreesOf(in, nodes.Rows())
		if err != nil {
			return nil, err
		}
		g, err := groupOf(people, in)
		if err != nil {
			return nil, err
		}
		graphs[g]++
		longest = max(longest, slices.Max(degree)+1)
		if len(counts[g]) < longest {
			counts[g] = append(counts[g], make([]float64, longest-len(counts[g]))...)
		}
		for _, d := range degree {
			counts[g][d]++
		}
	}
	if len(graphs) == 0 {
		return nil, errors.New("there are no graphs to draw")
	}
	names := slices.Sorted(maps.Keys(graphs))
	p := chart.Panel{X: chart.Axis{Label: label("figure.degrees.x", nil), Max: float64(max(longest-1, 1)), Whole: true},
		Y: chart.Axis{Label: label("figure.degrees.y", nil), Zero: true}}
	var rows []degreeRow
	var means []values
	for i, g := range names {
		share, total := make([]float64, longest), float64(graphs[g]*nodes.Rows())
		copy(share, counts[g])
		edges := 0.0
		for d, n := range share {
			edges += float64(d) * n / max(total, 1)
			rows = append(rows, degreeRow{g, int32(d), int32(n)})
			share[d] = 100 * n / max(total, 1)
		}
		means = append(means, values{"Group": g, "Mean": edges})
		p.Marks = append(p.Marks, chart.Steps(share, chart.Group(i, 1.4)).Called(label("figure.degrees.legend",
			values{"Group": g, "N": graphs[g]})))
	}
	f := chart.Plot{Rows: [][]chart.Panel{{p}}, Width: chart.Column, Height: []vg.Length{62 * vg.Millimeter}}
	c := Captioned(f.Figure(), "figure.degrees", values{"Largest": longest - 1, "Means": means})
	c.tables = dag.Outputs{"degrees": column.Table(rows)}
	return outputs(c, nil)
}

// A degreeRow counts the nodes of one degree in all graphs of a group.
type degreeRow struct {
	Group  string `column:"group"`
	Degree int32  `column:"degree" doc:"edges of a node"`
	Nodes  int32  `column:"nodes" doc:"nodes of all graphs of the group"`
}

// An edgeRow is one edge of a graph (graph's edges).
type edgeRow struct {
	Draw   int64 `column:"draw"`
	Source int64 `column:"source"`
	Target int64 `column:"target"`
}

// degreesOf counts the edges of each node in draw 0.
func degreesOf(in dag.Input, n int) ([]int, error) {
	rows, err := column.Read[edgeRow](in)
	if err != nil {
		return nil, err
	}
	degree := make([]int, n)
	for i, r := range rows {
		if r.Draw != 0 {
			continue
		}
		for _, end := range []int64{r.Source, r.Target} {
			if end < 1 || end > int64(n) {
				return nil, fmt.Errorf("%s: row %d names the node %d of %d", in.Name, i+1, end, n)
			}
			degree[end-1]++
		}
	}
	return degree, nil
}
