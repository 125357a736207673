package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/stages/column"
	"prgnn/stages/report"
)

// steps tells the quality of each step: over all participants, and of each.
func (r *reporter) steps() (report.Section, error) {
	s := report.Section{ID: "quality", Title: "Quality of each step"}
	t := &report.Table{Caption: "Over the participants", Keys: 2, Heads: []report.Head{
		{Text: "step"}, {Text: "measure"}, {Text: "median", Number: true}, {Text: "smallest", Number: true}, {Text: "largest", Number: true}}}
	for _, step := range measures {
		for _, m := range append(step.of, moreMeasures[step.step]...) {
			v, err := gathered(r.t, m.port, m.column)
			if err != nil {
				return s, err
			}
			if len(v) == 0 {
				continue
			}
			v = slices.Sorted(slices.Values(v))
			median := v[len(v)/2]
			if len(v)%2 == 0 {
				median = (v[len(v)/2-1] + v[len(v)/2]) / 2
			}
			t.Rows = append(t.Rows, []report.Cell{{Text: step.step}, {Text: m.label}, {Text: report.Short(median)}, {Text: report.Short(v[0])}, {Text: report.Short(v[len(v)-1])}})
		}
	}
	if t.Rows != nil {
		s.Blocks = append(s.Blocks, report.Block{Table: t})
	}
	voxels, err := gathered(r.t, "coverage", "voxels")
	if err != nil {
		return s, err
	}
	empty := 0
	for _, v := range voxels {
		if v == 0 {
			empty++
		}
	}
	if empty > 0 {
		r.told.caution("%s", emptyRegions(empty, len(voxels)))
	}
	if err := registrationSection(r.t, r.told); err != nil {
		return s, err
	}
	if err := cleaningSection(r.t, r.told); err != nil {
		return s, err
	}
	if lines := nuisanceLines(r.scans); lines != nil {
		s.Blocks = append(s.Blocks, report.Block{Heading: "Nuisance regression"}, report.Block{List: lines})
	}
	each, err := r.eachParticipant()
	if err != nil {
		return s, err
	}
	if each != nil {
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: "Each participant", Blocks: []report.Block{{Table: each}}}})
	}
	warnings, err := r.warnings()
	if len(warnings) > 0 {
		s.Blocks = append(s.Blocks, report.Block{Heading: "Warnings of the steps"}, report.Block{List: warnings})
	}
	return s, err
}

// moreMeasures are told in the report, where there is more room than in the summary.
var moreMeasures = map[string][]measure{
	"cleaning":     {{"cleaning", "censored", "volumes censored for motion"}, {"cleaning", "seconds", "time kept (s)"}, {"cleaning", "mean_fd", "mean framewise displacement (mm)"}, {"cleaning", "max_fd", "largest framewise displacement (mm)"}},
	"connectivity": {{"connectivity", "partial_se", "standard error of a partial correlation of nothing"}},
	"graphs":       {{"graphs", "threshold", "weakest edge kept"}},
}

// eachParticipant is a row a participant: what the steps found, over its draws.
func (r *reporter) eachParticipant() (*report.Table, error) {
	t := &report.Table{Caption: "Each participant; of several draws or regions, the median unless it says otherwise", Keys: 1, Heads: []report.Head{{Text: "participant"}}}
	var ids []string
	cells := map[string][]report.Cell{}
	for _, c := range []struct {
		port, column, head string
		of                 func([]float64) float64
	}{
		{"coverage", "coverage", "least coverage", slices.Min[[]float64]},
		{"coverage", "voxels", "fewest voxels", slices.Min[[]float64]},
		{"cleaning", "kept", "volumes", middle}, {"cleaning", "censored", "censored", middle}, {"cleaning", "regressors", "regressors", middle}, {"cleaning", "mean_fd", "mean FD (mm)", middle}, {"cleaning", "t_eff", "degrees of freedom", middle},
		{"connectivity", "shrinkage", "shrinkage", middle}, {"connectivity", "condition", "condition", middle},
		{"graphs", "edges", "edges", middle}, {"graphs", "repaired", "repaired", slices.Max[[]float64]}, {"graphs", "components", "most components", slices.Max[[]float64]},
	} {
		ins := r.t.All(c.port)
		found := false
		for _, in := range ins {
			table, err := in.Table()
			if err != nil {
				return nil, err
			}
			id := memberText(in.Coords)
			if s := in.Coord("subject"); s != "" {
				id = s
			}
			v, err := table.Floats(c.column)
			if err != nil {
				continue // another version of the step has no such column
			}
			if v = slices.DeleteFunc(slices.Clone(v), math.IsNaN); len(v) == 0 {
				continue
			}
			if !found {
				found = true
				t.Heads = append(t.Heads, report.Head{Text: c.head, Number: true})
			}
			if _, ok := cells[id]; !ok {
				ids = append(ids, id)
			}
			for len(cells[id]) < len(t.Heads)-2 {
				cells[id] = append(cells[id], report.Cell{Text: "n/a"})
			}
			cells[id] = append(cells[id], report.Cell{Text: report.Short(c.of(v))})
		}
	}
	for _, id := range ids {
		row := append([]report.Cell{{Text: id}}, cells[id]...)
		for len(row) < len(t.Heads) {
			row = append(row, report.Cell{Text: "n/a"})
		}
		t.Rows = append(t.Rows, row)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return t, nil
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// warnings are what connectivity warns of, each once, with how many it strikes.
func (r *reporter) warnings() ([]string, error) {
	var order []string
	whom := map[string][]string{}
	for _, in := range r.t.All("connectivity") {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		text, err := table.Strings("warning")
		if err != nil {
			continue
		}
		for _, w := range slices.Compact(slices.Sorted(slices.Values(text))) {
			if w == "" || w == "n/a" {
				continue
			}
			if whom[w] == nil {
				order = append(order, w)
			}
			whom[w] = append(whom[w], in.Coord("subject"))
		}
	}
	for i, w := range order {
		ids := whom[w]
		list := strings.Join(ids[:min(len(ids), 10)], ", ")
		if len(ids) > 10 {
			list += " …"
		}
		order[i] = fmt.Sprintf("%s (%d participant%s: %s)", w, len(ids), column.Plural(len(ids)), list)
	}
	return order, nil
}
