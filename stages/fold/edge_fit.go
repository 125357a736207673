package fold

import (
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/inference/confound"
)

// A CoefficientRow is the fit of one edge. The coefficients of the terms stand behind it.
type CoefficientRow struct {
	Source    int32   `column:"source" doc:"node, from 1"`
	Target    int32   `column:"target" doc:"node, from 1; above source, or the same for tangent matrices"`
	Fitted    bool    `column:"fitted" doc:"false if too few participants have the edge, which is then left as it is"`
	Intercept float64 `column:"intercept"`
}

// EdgeFitFacts are the metadata of deconfound's coefficients.
type EdgeFitFacts struct {
	Fold       int      `json:"fold"`
	Repeat     int      `json:"repeat"`
	Covariates []string `json:"covariates"`
	Controls   string   `json:"controls,omitempty"`
	confound.EdgeFacts
}

// EdgeFitTable is a fit as the stage deconfound stores it, with its design for other participants.
func EdgeFitTable(facts EdgeFitFacts, f confound.EdgeFit, design *confound.Design,
	participants []string) *encoding.Table {
	edges := len(f.Fitted)
	var rows []CoefficientRow
	for i := range f.Nodes {
		from := i + 1
		if f.Transform == "tangent" {
			from = i
		}
		for j := from; j < f.Nodes; j++ {
			e := len(rows)
			rows = append(rows, CoefficientRow{int32(i + 1), int32(j + 1), f.Fitted[e], f.Coefficients[e]})
		}
	}
	columns := column.Columns(rows)
	for k, term := range f.Terms {
		columns = append(columns, encoding.Column{Name: coefficientColumn(term),
			Values: f.Coefficients[(k+1)*edges:][:edges], Doc: "coefficient"})
	}
	return column.WithMeta(encoding.NewTable(columns...), map[string]string{"participants": column.JSON(participants),
		"deconfound": column.JSON(facts), RemovalMeta: column.JSON(design)})
}

func coefficientColumn(t confound.Term) string { return "slope_" + t.String() }

// ReadEdgeFit reads what deconfound wrote; the design is nil in tables of earlier versions.
func ReadEdgeFit(in dag.Input) (facts EdgeFitFacts, f confound.EdgeFit, design *confound.Design, err error) {
	fail := func(err error) (EdgeFitFacts, confound.EdgeFit, *confound.Design, error) {
		return facts, f, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	table, err := in.Table()
	if err != nil {
		return facts, f, nil, err
	}
	if table.Meta["deconfound"] == "" {
		return fail(fmt.Errorf("its metadata lack the fit of the stage deconfound"))
	}
	if facts, err = column.MetaOf[EdgeFitFacts](table.Meta, "deconfound"); err != nil {
		return fail(err)
	}
	if facts.Nodes == 0 {
		return fail(fmt.Errorf("no edges were fitted (what: target): connect a fit of edges"))
	}
	if design, err = column.MetaOf[*confound.Design](table.Meta, RemovalMeta); err != nil {
		return fail(err)
	}
	rows, err := column.Rows[CoefficientRow](table)
	if err != nil {
		return fail(err)
	}
	f.EdgeFacts = facts.EdgeFacts
	for _, r := range rows {
		f.Fitted, f.Coefficients = append(f.Fitted, r.Fitted), append(f.Coefficients, r.Intercept)
	}
	for _, term := range f.Terms {
		v, err := table.Floats(coefficientColumn(term))
		if err != nil {
			return fail(err)
		}
		f.Coefficients = append(f.Coefficients, v...)
	}
	if err := f.Check(); err != nil {
		return fail(fmt.Errorf("%w: run the stage deconfound again", err))
	}
	return facts, f, design, nil
}
