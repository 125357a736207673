package prepare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var residualizeKind = dag.Kind{
	Name: "residualize",
	Doc: "removes what covariates explain from a participant's matrices\n" +
		"Subtracts what the coefficients of the stage deconfound give for the participant's covariates. One task is one participant in one fold (each: subject, matrix: { fold: all }), because each fold has its own fit. All draws have the same subtracted; the diagonal of correlations is unchanged, and the matrices may no longer be positive semidefinite.",
	New: func() dag.Stage { return &Residualize{} },
}

var (
	_ role.PortUser = (*Residualize)(nil)
	_ role.Drawer   = (*Residualize)(nil)
	_ role.Measurer = (*Residualize)(nil)
)

// Residualize removes covariates.
type Residualize struct {
	Subject string `param:"subject" doc:"the participant, filled in by each: subject"`
}

// UsesPorts are the fits that it applies to its participant, and what states the origin of the matrices.
func (*Residualize) UsesPorts() []role.PortUse {
	return []role.PortUse{{Port: "fitted", As: role.FittedTable}, role.QualityOf("matrices")}
}

// DrawsOf is how many draws its arrays have, of an input with so many.
func (*Residualize) DrawsOf(input int) int { return input }

// Measures are what the matrices held before.
func (*Residualize) Measures(output string, of func(string) column.Data) column.Data {
	if output != "matrices" {
		return column.Data{}
	}
	return of("matrices")
}

func (*Residualize) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "of one participant"},
			{Name: "fitted", Type: column.Type[fold.CoefficientRow](), Doc: "deconfound's coefficients"},
			{Name: "design", Type: column.Type[designRow](), Doc: "deconfound's columns of the same fit"},
			{Name: "quality", Type: dag.Arrow("draw"), Optional: true, Doc: "of the stage that made the matrices"},
		},
		Out: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "the matrices without what the covariates explain"},
			{Name: "quality", Type: dag.Arrow("draw"), Doc: "the connected quality, with the fit in the metadata: for graph, so that models refuse other matrices"},
		},
	}
}

func (s *Residualize) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("matrices")
	if s.Subject == "" {
		return nil, errors.New("the participant of the matrices is unknown: add each: subject to this stage")
	}
	facts, f, _, err := fold.ReadEdgeFit(t.In("fitted"))
	if err != nil {
		return nil, err
	}
	use, z, err := designOf(facts, s.Subject, t.In("design"))
	if err != nil {
		return nil, err
	}
	draws, err := region.ReadDraws(in, "draw, roi, roi")
	if err != nil {
		return nil, err
	}
	if draws[0].Rows != f.Nodes || draws[0].Cols != f.Nodes {
		return nil, fmt.Errorf("%s: %d × %d numbers, but deconfound was fitted to %d regions", in.Name, draws[0].Rows, draws[0].Cols, f.Nodes)
	}
	explained := f.Explained(z)
	var out []float64
	for _, m := range draws {
		m = m.Clone()
		if use != "skipped" {
			entries, err := region.Entries(m, f.Transform, "deconfound")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			f.Subtract(m.Data, entries, explained)
		}
		out = append(out, m.Data...)
	}
	quality, err := fittedQuality(t, "residualize", len(draws))
	if err != nil {
		return nil, err
	}
	return dag.Outputs{"matrices": encoding.NewArray(out, len(draws), f.Nodes, f.Nodes), "quality": quality}, nil
}

// designOf is the row of a participant in the design of the fit.
func designOf(f fold.EdgeFitFacts, id string, in dag.Input) (use string, z []float64, err error) {
	table, err := in.Table()
	if err != nil {
		return "", nil, err
	}
	if table.Meta["deconfound"] != column.JSON(f) {
		return "", nil, fmt.Errorf("%s is the design of another fit: connect fitted and design of the same stage and fold", in.Name)
	}
	rows, err := column.Rows[designRow](table)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	at := slices.IndexFunc(rows, func(r designRow) bool { return r.ID == id })
	switch {
	case at < 0:
		return "", nil, fmt.Errorf("%s: %s is not among them", in.Name, id)
	case rows[at].Use == "refused":
		return "", nil, fmt.Errorf("the covariates of %s cannot be removed: %s: correct the table, exclude the participant, or set missing or few in the stage deconfound", id, rows[at].Why)
	}
	for _, term := range f.Terms {
		v, err := table.Floats("z_" + term.String())
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		z = append(z, v[at])
	}
	return rows[at].Use, z, nil
}
