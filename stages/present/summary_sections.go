package present

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// participantsSection tells who took part, and says it loudly when nobody did.
func participantsSection(t *dag.Task, p *page) error {
	in := t.In("participants")
	who, err := column.ReadPeople(in)
	if err != nil {
		return err
	}
	table, err := in.Table()
	if err != nil {
		return err
	}
	if who.Simulated {
		p.line("SIMULATED DATA · nobody was scanned, and none of these numbers says anything about people")
		p.line("")
	}
	counts := map[string]int{}
	var names []string
	for _, id := range who.Ids {
		g := who.Group[id]
		if counts[g] == 0 {
			names = append(names, g)
		}
		counts[g]++
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	var parts []string
	for _, g := range names {
		parts = append(parts, fmt.Sprintf("%d %s", counts[g], g))
		if counts[g] < 20 {
			p.caution("the group %s has only %d participant%s", g, counts[g], column.Plural(counts[g]))
		}
	}
	kind := ""
	if who.Simulated {
		kind = "simulated "
	}
	text := fmt.Sprintf("%d %sparticipant%s: %s", len(who.Ids), kind, column.Plural(len(who.Ids)), strings.Join(parts, ", "))
	if ages, err := table.Floats("age"); err == nil {
		known := slices.DeleteFunc(slices.Clone(ages), math.IsNaN)
		if mean, sd := column.MeanSD(known); len(known) > 1 {
			text += fmt.Sprintf("; age %.1f (sd %.1f)", mean, sd)
		}
	}
	for _, l := range wrap(text, width) {
		p.line("%s", l)
	}
	return nil
}

// weakMatrices warns when the connectivity of participants owes more to the estimator
// than to the data: too few volumes that count for so many regions.
func weakMatrices(t *dag.Task, p *page) error {
	struck, example := 0, ""
	for _, in := range t.All("connectivity") {
		table, err := in.Table()
		if err != nil {
			return err
		}
		if _, ok := table.Column("warning"); !ok {
			continue
		}
		texts, err := table.Strings("warning")
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		for _, w := range texts {
			if w != "" && w != missingText {
				if struck == 0 {
					example = w
				}
				struck++
				break
			}
		}
	}
	if struck > 0 {
		p.caution("connectivity of %d of %d participants: %s", struck, len(t.All("connectivity")), example)
	}
	return nil
}

// missingText is how a table writes that there is no value.
const missingText = "n/a"

// gathered collects one numeric column of all tables of a gathering port; nil when
// the port is not connected or its tables have no such column.
func gathered(t *dag.Task, port, column string) ([]float64, error) {
	var all []float64
	for _, in := range t.All(port) {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		if _, ok := table.Column(column); !ok {
			return nil, nil
		}
		v, err := table.Floats(column)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		for _, x := range v {
			if !math.IsNaN(x) {
				all = append(all, x)
			}
		}
	}
	return all, nil
}

// A measure is a number of a step's quality table and how it is told.
type measure struct{ port, column, label string }

// measures of each step, in the order of the chain; those that a table does not
// have are not told.
var measures = []struct {
	step string
	of   []measure
}{
	{"parcels", []measure{{"coverage", "voxels", "voxels a region"}, {"coverage", "coverage", "share of a region in the field of view"}}},
	{"cleaning", []measure{{"cleaning", "kept", "volumes"}, {"cleaning", "regressors", "regressors"}, {"cleaning", "t_eff", "degrees of freedom"}}},
	{"connectivity", []measure{{"connectivity", "shrinkage", "shrinkage"}, {"connectivity", "condition", "condition number"}}},
	{"graphs", []measure{{"graphs", "edges", "edges"}, {"graphs", "repaired", "isolated regions joined"}, {"graphs", "components", "components"}}},
}

// stepsSection tells the quality of each step in a line: median and range.
func stepsSection(t *dag.Task, p *page) error {
	var lines []string
	for _, step := range measures {
		var parts []string
		for _, m := range step.of {
			v, err := gathered(t, m.port, m.column)
			if err != nil {
				return err
			}
			if len(v) > 0 {
				parts = append(parts, m.label+" "+spread(v))
			}
		}
		if parts == nil {
			continue
		}
		for i, l := range wrap(strings.Join(parts, " · "), width-16) {
			lines = append(lines, fmt.Sprintf("  %-13s %s", [2]string{step.step, ""}[min(i, 1)], l))
		}
	}
	if lines != nil {
		p.line("")
		p.line("Steps (median, smallest to largest over participants)")
		for _, l := range lines {
			p.line("%s", l)
		}
	}
	if err := weakMatrices(t, p); err != nil {
		return err
	}
	voxels, err := gathered(t, "coverage", "voxels")
	if err != nil {
		return err
	}
	empty := 0
	for _, v := range voxels {
		if v == 0 {
			empty++
		}
	}
	if empty > 0 {
		p.caution("%s", emptyRegions(empty, len(voxels)))
	}
	return nil
}

// emptyRegions warns of regions without a voxel. More than one in twenty is more than the
// edge of a field of view: labels of another space still overlap with most of a scan.
func emptyRegions(empty, all int) string {
	text := fmt.Sprintf("%d of %d regions (all participants together) have no voxel", empty, all)
	if 20*empty > all {
		text += ": are the labels in the space of the scans?"
	}
	return text
}

// spread is "median (smallest–largest)", or the one value that there is.
func spread(v []float64) string {
	v = slices.Sorted(slices.Values(v))
	low, high, n := v[0], v[len(v)-1], len(v)
	median := v[n/2]
	if n%2 == 0 {
		median = (v[n/2-1] + v[n/2]) / 2
	}
	if low == high {
		return report.Short(low)
	}
	return fmt.Sprintf("%s (%s–%s)", report.Short(median), report.Short(low), report.Short(high))
}
