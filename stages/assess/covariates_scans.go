package assess

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
)

// regressors is the covariate of how many regressors were taken out of a scan, each of them a degree of freedom.
const regressors = "regressors"

// scanCovariates are the volumes, the motion, the regressors where their number differs, and the regions without a
// usable series of each participant's scan; facts are on its series before denoising (column.SeriesFacts).
func scanCovariates(t *dag.Task, ids []string) (covariates, facts []column.CovariateColumn, err error) {
	if !t.Has("cleaning") {
		return nil, nil, nil
	}
	own := []string{"mean_fd", "volumes", "kept", regressors, column.UnusableRegions}
	names := slices.Concat(own, lists.Map(column.SeriesFacts, func(f column.SeriesFact) string { return f.Name }))
	out := make([]column.CovariateColumn, len(names))
	for k, name := range names {
		out[k] = column.CovariateColumn{Name: name, Number: make([]float64, len(ids))}
		for i := range ids {
			out[k].Number[i] = math.NaN()
		}
	}
	tr := slices.Repeat([]float64{math.NaN()}, len(ids))
	at := lists.Places(ids)
	seen := make([]bool, len(ids))
	for _, in := range t.All("cleaning") {
		i, ok := at[in.Coord("subject")]
		if !ok {
			return nil, nil, fmt.Errorf("%s: %q is not among the participants", in.Name, in.Coord("subject"))
		}
		if seen[i] {
			return nil, nil, fmt.Errorf("%s is a second table of %s: for participants with several runs or sessions, connect join's quality", in.Name, ids[i])
		}
		seen[i] = true
		table, err := in.Table()
		if err != nil {
			return nil, nil, err
		}
		for k, name := range names {
			var v []float64
			if name == column.UnusableRegions {
				v, err = unusable(table)
			} else if _, there := table.Column(name); !there && (name == regressors || k >= len(own)) {
				v = []float64{math.NaN()}
			} else {
				v, err = table.Floats(name)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			if len(v) != 1 {
				return nil, nil, fmt.Errorf("%s: %d rows, want one", in.Name, len(v))
			}
			out[k].Number[i] = v[0]
		}
		if _, there := table.Column("tr"); there {
			v, err := table.Floats("tr")
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			tr[i] = v[0]
		}
	}
	return append(slices.DeleteFunc(out[:len(own):len(own)], func(c column.CovariateColumn) bool {
		if c.Name == regressors && !slices.ContainsFunc(c.Number, func(v float64) bool { return v != c.Number[0] }) {
			return true // the usual case
		}
		// Without confounds the motion is unknown; where all have every region, there is nothing to test.
		return !slices.ContainsFunc(c.Number, func(v float64) bool {
			return !math.IsNaN(v) && (c.Name != column.UnusableRegions || v > 0)
		})
	}), protocol(tr)...), out[len(own):], nil
}

// protocol is the repetition time (s, to a ms; NaN if unknown) as a covariate: a category, as protocols have no order.
// Where all scans have the same one, there is nothing to test.
func protocol(tr []float64) []column.CovariateColumn {
	c := column.CovariateColumn{Name: "tr", Text: make([]string, len(tr))}
	used := map[string]bool{}
	for i, v := range tr {
		if !math.IsNaN(v) {
			c.Text[i] = fmt.Sprintf("%g s", math.Round(1000*v)/1000)
			used[c.Text[i]] = true
		}
	}
	if len(used) < 2 {
		return nil
	}
	return []column.CovariateColumn{c}
}

// unusable counts the regions of a scan that are missing or constant; not known of a table without these columns, which
// a user's program may have made.
func unusable(quality *encoding.Table) ([]float64, error) {
	sum := make([]float64, quality.Rows())
	for _, name := range []string{"missing", "constant"} {
		if _, ok := quality.Column(name); !ok {
			return slices.Repeat([]float64{math.NaN()}, quality.Rows()), nil
		}
		v, err := quality.Floats(name)
		if err != nil {
			return nil, err
		}
		for i, x := range v {
			sum[i] += x
		}
	}
	return sum, nil
}
