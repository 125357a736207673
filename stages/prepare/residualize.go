package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
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

func (*Residualize) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "of one participant"},
			{Name: "fitted", Type: column.Type[coefficientRow](), Doc: "deconfound's coefficients"},
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
	f, err := readCoefficients(t.In("fitted"))
	if err != nil {
		return nil, err
	}
	use, z, err := f.rowOf(s.Subject, t.In("design"))
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
	explained := f.explained(z)
	var out []float64
	for _, m := range draws {
		m = m.Clone()
		if use != "skipped" {
			if err := f.subtract(m, explained); err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
		}
		out = append(out, m.Data...)
	}
	quality, err := fittedQuality(t, "residualize", len(draws))
	if err != nil {
		return nil, err
	}
	return dag.Outputs{"matrices": encoding.NewArray(out, len(draws), f.Nodes, f.Nodes), "quality": quality}, nil
}

// readCoefficients reads what deconfound wrote.
func readCoefficients(in dag.Input) (*deconfoundFit, error) {
	facts, table, err := region.ReadFit[deconfoundFacts](in, "deconfound")
	if err != nil {
		return nil, err
	}
	f := &deconfoundFit{deconfoundFacts: *facts}
	if f.Nodes == 0 {
		return nil, fmt.Errorf("%s: no edges were fitted (what: target): connect a fit of edges", in.Name)
	}
	edges := f.Nodes * (f.Nodes - 1) / 2
	if f.Transform == "tangent" {
		edges += f.Nodes
	}
	if f.Nodes < 2 || f.Nodes > 1<<15 || table.Rows() != edges || len(f.Means) != len(f.Terms) {
		return nil, fmt.Errorf("%s: %d rows, want a row for each edge of %d regions: run the stage deconfound again", in.Name, table.Rows(), f.Nodes)
	}
	rows, err := column.Rows[coefficientRow](table)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	for _, r := range rows {
		f.fitted, f.beta = append(f.fitted, r.Fitted), append(f.beta, r.Intercept)
	}
	for _, term := range f.Terms {
		v, err := table.Floats(coefficientColumn(term))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		f.beta = append(f.beta, v...)
	}
	return f, nil
}

// rowOf is the row of a participant in the design of the fit.
func (f *deconfoundFit) rowOf(id string, in dag.Input) (use string, z []float64, err error) {
	table, err := in.Table()
	if err != nil {
		return "", nil, err
	}
	if table.Meta["deconfound"] != column.JSON(f.deconfoundFacts) {
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

// explained is what the columns of a participant explain of each edge: Zβ, or (Z − Z̄)β where the mean is kept.
func (f *deconfoundFit) explained(z []float64) []float64 {
	edges := len(f.fitted)
	out := make([]float64, edges)
	if f.Mean != "kept" {
		copy(out, f.beta)
	}
	for k, v := range z {
		if f.Mean == "kept" {
			v -= f.Means[k]
		}
		dense.Axpy(out, v, f.beta[(k+1)*edges:][:edges])
	}
	return out
}

// subtract subtracts what is explained from the edges of a matrix. Those of regions without a signal stay 0.
func (f *deconfoundFit) subtract(m connectivity.Matrix, explained []float64) error {
	values, err := entriesOf(m, f.Transform)
	if err != nil {
		return err
	}
	e := 0
	for i := range m.Rows {
		from := i + 1
		if f.Transform == "tangent" {
			from = i
		}
		for j := from; j < m.Cols; j++ {
			if v := values[e] - explained[e]; f.fitted[e] && !math.IsNaN(v) {
				if f.Transform == "fisher" {
					v = exact.Tanh(v)
				}
				m.Data[i*m.Cols+j], m.Data[j*m.Cols+i] = v, v
			}
			e++
		}
	}
	return nil
}

// entriesOf are the edges of a matrix as deconfound takes them: of tangent matrices with the diagonal, row by row. NaN
// for regions without a signal.
func entriesOf(m connectivity.Matrix, transform string) ([]float64, error) {
	if transform != "tangent" {
		return pairsOf(m, transform, "deconfound")
	}
	if err := region.Symmetric(m); err != nil {
		return nil, err
	}
	var v []float64
	silent := make([]bool, m.Rows)
	for i := range m.Rows {
		silent[i] = !slices.ContainsFunc(m.Row(i), func(x float64) bool { return x != 0 })
	}
	for i := range m.Rows {
		for j := i; j < m.Cols; j++ {
			x := m.At(i, j)
			if silent[i] || silent[j] {
				x = math.NaN()
			}
			v = append(v, x)
		}
	}
	return v, nil
}
