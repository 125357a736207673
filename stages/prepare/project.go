package prepare

import (
	"context"
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var projectKind = dag.Kind{
	Name: "project",
	Doc: "maps a participant's covariance matrices to the tangent space\n" +
		"log(G^-1/2 C G^-1/2) of each draw, with the reference G that the stage tangent has fitted. One task is one participant in one fold (each: subject, matrix: { fold: all }): another fold has another reference. Connect matrices to the port tangent of baseline. " +
		"Entry (i, j) is not the connection of i and j: baseline maps its weights back to the regions.",
	New: func() dag.Stage { return &Project{} },
}

var (
	_ role.PortUser = (*Project)(nil)
	_ role.Drawer   = (*Project)(nil)
	_ role.Measurer = (*Project)(nil)
)

// Project maps matrices to the tangent space.
type Project struct{}

// UsesPorts are what states the origin of the matrices.
func (*Project) UsesPorts() []role.PortUse { return []role.PortUse{role.QualityOf("matrices")} }

// DrawsOf is how many draws its arrays have, of an input with so many.
func (*Project) DrawsOf(input int) int { return input }

// Measures are tangent vectors of what the matrices were.
func (*Project) Measures(output string, of func(string) column.Data) column.Data {
	if output != "matrices" {
		return column.Data{}
	}
	d := of("matrices")
	d.Measure, d.Of = column.Tangent, d.Measure
	return d
}

func (*Project) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "of one participant, as the stage tangent takes them"},
			{Name: "fitted", Type: column.Type[region.ReferenceRow](), Doc: "the reference that the stage tangent fitted"},
			{Name: "quality", Type: dag.Arrow("draw"), Optional: true, Doc: "of the stage that made the matrices"},
		},
		Out: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "tangent matrices, symmetric; the diagonal is not 1"},
			{Name: "quality", Type: dag.Arrow("draw"), Doc: "the connected quality, with the reference in the metadata: for graph, so that models refuse other matrices"},
		},
	}
}

func (s *Project) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("matrices")
	facts, space, err := region.ReadReference(t.In("fitted"))
	if err != nil {
		return nil, err
	}
	draws, err := region.ReadDraws(in, "draw, roi, roi")
	if err != nil {
		return nil, err
	}
	n := facts.Nodes
	out := make([]float64, len(draws)*n*n)
	for d, m := range draws {
		if err := facts.Project(out[d*n*n:][:n*n], space, m, fmt.Sprintf("%s, draw %d", in.Name, d)); err != nil {
			return nil, err
		}
	}
	quality, err := fittedQuality(t, "project", len(draws))
	if err != nil {
		return nil, err
	}
	return dag.Outputs{"matrices": encoding.NewArray(out, len(draws), n, n), "quality": quality}, nil
}
