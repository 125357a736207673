package folds

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Faults are why tasks of one stage will fail by what the table says of participants, over all folds: for a fit those
// that it is fitted to, and for what applies it those that it was not.
func (p *Plans) Faults(tasks []dag.Node) (why []string) {
	var fits []*dag.Node
	seen, applied := map[*dag.Node]bool{}, false
	for i := range tasks {
		n := &tasks[i]
		if _, ok := n.Work.(role.Fitter); ok {
			fits = append(fits, n)
		}
		if from := sources(n, role.Port(n.Work, role.FittedTable)); len(from) == 1 {
			if fit := from[0].Node; fit != nil && !seen[fit] {
				fits = append(fits, fit)
				seen[fit], applied = true, true
			}
		}
	}
	var faults []column.Fault
	known := map[string]any{}
	once := func(name string, value func() any) any {
		v, there := known[name]
		if !there {
			v = value()
			known[name] = v
		}
		return v
	}
	for _, n := range fits {
		if work, ok := n.Work.(role.Fitter); ok && p.Participants != nil && OfCohort(n) {
			faults = merged(faults, work.Faults(p.Participants, p.planned(n), once))
		}
	}
	for _, f := range faults {
		if f.Tested == applied {
			why = append(why, p.text(f))
		}
	}
	slices.Sort(why)
	return why
}

// merged adds the faults of a fold to those of others.
func merged(all, more []column.Fault) []column.Fault {
	for _, f := range more {
		at := slices.IndexFunc(all, func(g column.Fault) bool {
			return g.Column == f.Column && g.Why == f.Why && (f.IDs == nil || slices.Equal(g.Values, f.Values))
		})
		if at < 0 {
			all = append(all, f)
			continue
		}
		g := &all[at]
		g.Tested = g.Tested && f.Tested
		g.Values = slices.Compact(slices.Sorted(slices.Values(slices.Concat(g.Values, f.Values))))
		g.IDs = slices.Compact(slices.Sorted(slices.Values(slices.Concat(g.IDs, f.IDs))))
	}
	return all
}

// mostNamed is how many participants a fault names.
const mostNamed = 8

// text tells of a fault, with the lines of the table where it stands.
func (p *Plans) text(f column.Fault) string {
	if f.Column == "" {
		return f.Why
	}
	named := f.Column
	if f.Values != nil {
		named += " " + words.Some(f.Values, 8)
	}
	who := make([]string, len(f.IDs))
	for i, id := range f.IDs {
		if who[i] = id; p.Line != nil && p.Line(id) != "" {
			who[i] += " (" + p.Line(id) + ")"
		}
	}
	text := named + ": " + f.Why
	if len(who) > 0 {
		text = fmt.Sprintf("%s of %s: %s", named, words.Some(who, mostNamed), f.Why)
	}
	if f.Values == nil && f.IDs != nil { // missing
		var out []string
		if p.Skips {
			out = append(out, "incomplete: skip")
		}
		if len(f.IDs) <= mostNamed {
			out = append(out, "exclude: ["+strings.Join(f.IDs, ", ")+"]")
		}
		if out == nil {
			return text + ": fill it in, leave the participants out" + f.Remedy
		}
		return fmt.Sprintf("%s: fill it in, leave the participants out (%s)%s", text, strings.Join(out, ", or "), f.Remedy)
	}
	return text + ": " + f.Remedy
}
