package cohort

import (
	"errors"
	"fmt"
	"strconv"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/atlas"
	"prgnn/stages/cohort/container"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

var matricesCohortKind = Source{
	Name: "matrices",
	Doc: "participants listed in a CSV or TSV file, with their connectivity matrices\n" +
		"For existing matrices (XCP-D, giga_connectome, nilearn, CONN, FSLNets, BCT): one file per participant as npy, TSV, CSV, text or .mat, or one .mat file for all. pearson and partial are each the name of a column that holds paths, or a path made from columns in braces (\"{participant_id}_relmat.tsv\"). The stage matrices reads them; graphs and training follow.",
	New: func() Loader {
		return &MatricesCohort{Parameters: listed.Defaults(), Entries: container.Entries{Order: "none",
			Base: -1, Numbers: "auto", Absent: "refused"}}
	},
}

// MatricesCohort lists files of matrices in a table.
type MatricesCohort struct {
	listed.Parameters
	Pearson string `param:"pearson" place:"maybe" doc:"each participant's correlation matrix: a column, or a path with {columns}"`
	Partial string `param:"partial" place:"maybe" doc:"its partial correlation, possibly in the same .mat file; none by default"`
	Wide    string `param:"wide" doc:"without pearson: the columns of the table itself that hold the correlations of the participant in each row, such as fc_* (fc_1_2 …) or *--* (A--B …); the other columns are covariates"`
	container.Within
	container.Entries
	Nodes string `param:"nodes" place:"maybe" doc:"the regions, in the order of the matrices: dk84, a TSV with the columns index (or id) and name, or a list of names; by default the column names (or numbers) of the first participant's file"`
}

func (c *MatricesCohort) Load(dir string) (*Roster, error) {
	var missing error
	if c.Wide != "" && c.Pearson != "" {
		return nil, errors.New("pearson and wide exclude each other: wide takes the correlations from the table itself")
	}
	if c.Pearson == "" && c.Wide == "" {
		missing = errors.New("pearson is not set: a column of the table, or a path with {columns}")
	}
	if c.All() {
		return nil, errors.New("runs: all needs time series, which can be joined; matrices of runs cannot")
	}
	l, err := c.Read(dir)
	if err := errors.Join(missing, err); err != nil {
		return nil, err
	}
	if c.Wide != "" {
		return c.loadWide(l)
	}
	var sources []*located.Source
	var problems []error
	for _, f := range []struct{ port, spec string }{{"pearson", c.Pearson}, {"partial", c.Partial}} {
		if f.spec == "" {
			continue
		}
		s, err := located.Of(l, f.port, "matrix", f.spec)
		sources, problems = append(sources, s), append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	r := rosterOf(l, sources, c.Member)
	var given []atlas.Node
	if c.Nodes != "" {
		if given, err = listRegions(c.Nodes, l.Dir); err != nil {
			return nil, err
		}
	}
	for _, f := range sources {
		if err := r.layouts(&c.Within, c.Entries.Layout(), l, given, f.Port); err != nil {
			return nil, err
		}
	}
	r.refuseOtherHeads("pearson", given != nil)
	r.refuseOtherHeads("partial", given != nil)
	nodes, err := r.regions(given, "pearson", region.MatrixNames)
	if err != nil {
		return nil, err
	}
	r.setRegions(nodes)
	r.About = func(ids map[string]bool) (notes, timesApart []column.Note) { return r.protocolNotes(ids), nil }
	return r, nil
}

// loadWide takes the matrices from the table: each is a value of its participant, as text.
func (c *MatricesCohort) loadWide(l *listed.List) (*Roster, error) {
	var given []atlas.Node
	var err error
	if c.Nodes != "" {
		if given, err = listRegions(c.Nodes, l.Dir); err != nil {
			return nil, err
		}
	}
	layout := c.Entries.Layout()
	layout.Nodes = listTable(given)
	w, err := region.WideOf(l.Sheet.Columns, c.Wide, lists.Map(given,
		func(n atlas.Node) string { return n.Name }), layout)
	if err != nil {
		return nil, err
	}
	r := rosterOf(l, nil, w.Columns...)
	r.Values = map[string]dag.Type{"pearson": dag.Format("matrix")}
	var names []string
	for i, row := range l.Rows {
		values, err := listed.Numbers(row, w.Columns)
		if err != nil {
			r.Subjects[i].Problem = listed.Without(row.ID, fmt.Errorf("%s:%d: participant %s: %w", l.Path, row.Line, row.ID, err))
			continue
		}
		m, err := w.Matrix(values, row.Line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: wide: %w", l.Path, row.Line, err)
		}
		if names = m.Names; names == nil {
			for k := range m.Draws[0].Cols {
				names = append(names, strconv.Itoa(k+1))
			}
		}
		r.Subjects[i].Values = map[string]artifacts.Value{"pearson": artifacts.Bytes{Kind: "matrix", Data: m.Text()}}
	}
	if layout.Order != "" {
		r.noteUnnamed(given != nil, layout.Order)
	}
	if given == nil {
		given, err = regionsOf(names, l.Path)
	}
	r.setRegions(given)
	return r, err
}
