package participants

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A measure is a number of a step's quality table.
type measure struct{ step, port, column, label string }

// measures in the order of the chain; those that a table does not have are left out.
var measures = []measure{
	{"parcels", "coverage", "voxels", "%ss per region"}, // voxels or grayordinates
	{"parcels", "coverage", "coverage", "share of the label on the scan's grid"},
	{"cleaning", "cleaning", "kept", "volumes kept"},
	{"cleaning", "cleaning", "regressors", "regressors"},
	{"cleaning", "cleaning", "t_eff", "degrees of freedom"},
	{"cleaning", "cleaning", "censored", "volumes censored for motion"},
	{"cleaning", "cleaning", "seconds", "time kept (s)"},
	{"cleaning", "cleaning", "mean_fd", "mean framewise displacement (mm)"},
	{"cleaning", "cleaning", "max_fd", "largest framewise displacement (mm)"},
	{"connectivity", "connectivity", "shrinkage", "shrinkage"},
	{"connectivity", "connectivity", "condition", "condition number"},
	{"connectivity", "connectivity", "partial_se", "standard error of a partial correlation of 0"},
	{"graphs", "graphs", "edges", "edges"},
	{"graphs", "graphs", "threshold", "weakest edge kept"},
	{"graphs", "graphs", "repaired", "isolated regions reconnected"},
	{"graphs", "graphs", "silent", "regions without a usable series"},
	{"graphs", "graphs", "components", "connected components"},
}

// Quality writes the quality of each step, over all participants and of each.
func (a *Cohort) Quality() error {
	type line struct {
		measure
		numbers []string // median, smallest, largest
	}
	var lines []line
	for _, m := range measures {
		v, err := gather(a.T, m.port, m.column)
		if err != nil {
			return err
		}
		if strings.Contains(m.label, "%s") {
			m.label = fmt.Sprintf(m.label, a.Element())
		}
		if len(v) > 0 {
			lines = append(lines, line{m, report.Alike(inference.Median(v), slices.Min(v), slices.Max(v))})
		}
	}
	if lines != nil {
		a.Table(section.TableOf("Quality of each step", 2, lines,
			section.Text("step", "", func(l line) string { return l.step }),
			section.Text("measure", "", func(l line) string { return l.label }),
			section.Number("median", "", func(l line) string { return l.numbers[0] }),
			section.Number("smallest", "", func(l line) string { return l.numbers[1] }),
			section.Number("largest", "", func(l line) string { return l.numbers[2] })), "gives the quality of each step: median, smallest and largest value over participants, and over their regions or draws.")
	}
	a.registration()
	a.cleaning()
	voxels, err := gather(a.T, "coverage", "voxels")
	if err != nil {
		return err
	}
	if empty := len(voxels) - len(slices.DeleteFunc(slices.Clone(voxels),
		func(v float64) bool { return v == 0 })); empty > 0 {
		// More than one in twenty is more than the edge of a field of view.
		question := ""
		if 20*empty > len(voxels) {
			question = ": check that the labels are in the space of the scans"
		}
		names, err := a.withoutVoxels()
		if err != nil {
			return err
		}
		a.Caution("Regions without a %s (all participants together): %d of %d (%s)%s", a.Element(), empty, len(voxels), words.Some(names, 6), question)
	}
	each, err := a.eachParticipant()
	if err != nil {
		return err
	}
	if each != nil {
		each.Note = "No series: regions without a usable one, in the draw with the most."
		a.Supplement(each)
	}
	return a.warnings()
}

// withoutVoxels names the regions without a voxel, each with the number of participants, the most frequent first.
func (a *Cohort) withoutVoxels() ([]string, error) {
	count := map[string]int{}
	for _, in := range a.T.All("coverage") {
		rows, err := column.Read[struct {
			Name   string `column:"name"`
			Voxels int32  `column:"voxels"`
		}](in)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r.Voxels == 0 {
				count[r.Name]++
			}
		}
	}
	return mostFrequent(count), nil
}

// gather collects one numeric column of all tables of a port, without missing values.
func gather(t *dag.Task, port, column string) ([]float64, error) {
	var all []float64
	for _, in := range t.All(port) {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		if _, ok := table.Column(column); !ok {
			continue
		}
		v, err := table.Floats(column)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		all = append(all, slices.DeleteFunc(slices.Clone(v), math.IsNaN)...)
	}
	return all, nil
}

// eachParticipant has a row per participant, over its draws and regions; nil without any.
func (a *Cohort) eachParticipant() (*report.Table, error) {
	t := &report.Table{Caption: "Quality of each participant (median over draws or regions unless named otherwise)", Keys: 1, Heads: []report.Head{{Text: "participant"}}}
	var ids []string
	cells := map[string][]report.Cell{}
	for _, c := range []struct {
		port, column, head string
		of                 func([]float64) float64
	}{
		{"coverage", "coverage", "least coverage", slices.Min[[]float64]},
		{"coverage", "voxels", "fewest " + a.Element() + "s", slices.Min[[]float64]},
		{"cleaning", "kept", "volumes", inference.Median}, {"cleaning", "censored", "censored", inference.Median},
		{"cleaning", "regressors", "regressors", inference.Median},
		{"cleaning", "mean_fd", "mean FD (mm)", inference.Median},
		{"cleaning", "t_eff", "degrees of freedom", inference.Median},
		{"connectivity", "shrinkage", "shrinkage", inference.Median},
		{"connectivity", "condition", "condition", inference.Median},
		{"graphs", "edges", "edges", inference.Median}, {"graphs", "repaired", "reconnected", slices.Max[[]float64]},
		{"graphs", "silent", "no series", slices.Max[[]float64]},
		{"graphs", "components", "most components", slices.Max[[]float64]},
	} {
		found := false
		for _, in := range a.T.All(c.port) {
			id := in.Coord("subject")
			if id == "" {
				id = section.MemberText(in.Coords)
			}
			v, err := gather(dag.NewTask(map[string][]dag.Input{c.port: {in}}), c.port, c.column)
			if err != nil {
				return nil, err
			}
			if len(v) == 0 {
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

// MedianRange writes the median with its range, or the one value that there is.
func MedianRange(v []float64) string {
	low, high := slices.Min(v), slices.Max(v)
	if low == high {
		return report.Short(low)
	}
	return fmt.Sprintf("%s (%s–%s)", report.Short(inference.Median(v)), report.Short(low), report.Short(high))
}

// A warned holds the warnings of one step: each once, in the order in which they come, with the participants.
type warned struct {
	step     string
	all, hit int // participants
	order    []string
	whom     map[string][]string
}

// warnings lists what the tables of quality warn of, such as too few independent volumes for the regions, or windows
// that are too short: step by step, each warning once, with its participants.
func (a *Cohort) warnings() error {
	var steps []*warned
	for _, in := range slices.Concat(a.T.All("connectivity"), a.T.All("warnings")) {
		table, err := in.Table()
		if err != nil {
			return err
		}
		name := cmp.Or(in.Coord("stage"), "connectivity")
		at := slices.IndexFunc(steps, func(w *warned) bool { return w.step == name })
		if at < 0 {
			at = len(steps)
			steps = append(steps, &warned{step: name, whom: map[string][]string{}})
		}
		steps[at].add(dag.Warnings(table), in.Coord("subject"))
	}
	var list []string
	for _, s := range steps {
		if s.hit == 0 {
			continue
		}
		more := ""
		if n := len(s.order) - 1; n > 0 {
			more = fmt.Sprintf(" (and %s, see Warnings)", words.Count(n, "other warning"))
		}
		a.Caution("%s of %d of %d participants: %s%s", section.UpperFirst(s.step), s.hit, s.all, s.order[0], more)
		for _, w := range s.order {
			whose := words.Count(len(s.whom[w]), "participant")
			names := slices.DeleteFunc(slices.Clone(s.whom[w]), func(id string) bool { return id == "" })
			if len(names) > 0 {
				whose += ": " + words.Some(names, 10)
			}
			list = append(list, fmt.Sprintf("%s: %s (%s)", s.step, w, whose))
		}
	}
	if list != nil {
		a.Heading("Warnings")
		a.Add(report.Block{List: list})
	}
	return nil
}

func (s *warned) add(warnings []string, whose string) {
	s.all++
	if len(warnings) > 0 {
		s.hit++
	}
	for _, w := range warnings {
		if s.whom[w] == nil {
			s.order = append(s.order, w)
		}
		s.whom[w] = append(s.whom[w], whose)
	}
}
