package participants

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/inference"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A measure is a number of a step's quality table.
type measure struct {
	step, port, column string
	code               string                  // of its name
	each               string                  // key of its column in the table of each participant; "" for none
	of                 func([]float64) float64 // over the regions or graphs of a participant
}

// measures in the order of the chain; those that a table does not have are left out.
var measures = []measure{
	{"parcels", "coverage", "voxels", "quality.voxels", "voxels", slices.Min[[]float64]},
	{"parcels", "coverage", "coverage", "quality.coverage", "coverage", slices.Min[[]float64]},
	{"cleaning", "cleaning", "kept", "quality.kept", "kept", inference.Median},
	{"cleaning", "cleaning", "regressors", "quality.regressors", "regressors", inference.Median},
	{"cleaning", "cleaning", "t_eff", "quality.dof", "dof", inference.Median},
	{"cleaning", "cleaning", "censored", "quality.censored", "censored", inference.Median},
	{"cleaning", "cleaning", "events", "quality.events", "events", inference.Median},
	{"cleaning", "cleaning", "events_inside", "quality.events-inside", "events-inside", inference.Median},
	{"cleaning", "cleaning", "seconds", "quality.seconds", "", nil},
	{"cleaning", "cleaning", "mean_fd", "quality.mean-fd", "mean-fd", inference.Median},
	{"cleaning", "cleaning", "max_fd", "quality.max-fd", "", nil},
	{"connectivity", "connectivity", "shrinkage", "quality.shrinkage", "shrinkage", inference.Median},
	{"connectivity", "connectivity", "condition", "quality.condition", "condition", inference.Median},
	{"connectivity", "connectivity", "partial_se", "quality.partial-se", "", nil},
	{"graphs", "graphs", "edges", "quality.edges", "edges", inference.Median},
	{"graphs", "graphs", "threshold", "quality.threshold", "", nil},
	{"graphs", "graphs", "repaired", "quality.repaired", "repaired", slices.Max[[]float64]},
	{"graphs", "graphs", "silent", "quality.silent", "silent", slices.Max[[]float64]},
	{"graphs", "graphs", "unconnected", "quality.unconnected", "unconnected", slices.Max[[]float64]},
	{"graphs", "graphs", "components", "quality.components", "components", slices.Max[[]float64]},
}

// Quality writes the quality of each step, over all participants and of each.
func (a *Cohort) Quality() {
	type line struct{ Step, Measure, Median, Smallest, Largest string }
	tables := a.readMeasures()
	var lines []line
	for _, m := range measures {
		if v := tables[m.port].values[m.column]; len(v) > 0 && !a.concernsNothing(m) {
			n := report.Alike(inference.Median(v), slices.Min(v), slices.Max(v))
			lines = append(lines, line{m.step, m.code, n[0], n[1], n[2]})
			a.Has(m.code)
		}
	}
	of := values{"Element": a.Element(), "Bound": quality.UpperBound(a.Scans), "Undefined": 0}
	var settings, last []string // a row of a participant has the values of the last
	for _, port := range []string{"coverage", "cleaning", "connectivity", "graphs"} {
		for i, name := range tables[port].settings() {
			if !slices.Contains(settings, name) {
				settings = append(settings, name)
			}
			if i == len(tables[port].settings())-1 && !slices.Contains(last, name) {
				last = append(last, name)
			}
		}
	}
	of["Settings"], of["Last"] = settings, last
	if c := tables["connectivity"]; len(c.values["partial_se"]) > 0 {
		of["Undefined"] = c.without("partial_se")
	}
	if lines != nil {
		a.Table(section.Lay(a.Writer, "quality.steps", of, lines, "step measure | median smallest largest"))
	}
	a.registration()
	a.cleaning()
	if voxels := tables["coverage"].values["voxels"]; slices.Contains(voxels, 0) {
		a.FindOf(a.At("coverage"), quality.Empty(a.withoutVoxels(), len(voxels), a.Element())...)
	}
	a.FindOf(a.At("graphs"), withoutEdges(tables["graphs"], tables["connectivity"], a.Scans)...)
	for _, port := range []string{"graphs", "connectivity"} { // a row is a graph or, without graphs, a matrix
		if m := tables[port]; len(m.members) > 0 {
			a.FindOf(a.At(port), quality.UnequalGraphs(m.trained)...)
			break
		}
	}
	a.FindOf(a.At("connectivity"), quality.FormsDiffer(a.forms(), a.GroupOf())...)
	a.FindOf(a.At("connectivity"), quality.SpreadsDiffer(a.forms(), a.Who, a.site())...)
	if each := a.eachParticipant(tables, of); each != nil {
		a.Supplement(each)
	}
	a.warnings()
}

// concernsNothing reports whether a measure is one of partial correlations, which no stage takes.
func (a *Cohort) concernsNothing(m measure) bool {
	taken, made := false, false
	for i := range a.Run.Stages {
		if s := &a.Run.Stages[i]; s.Kind == "connectivity" {
			made, taken = true, taken || a.Run.Takes(s, "partial")
		}
	}
	return made && !taken && slices.Contains([]string{"shrinkage", "condition", "partial_se"}, m.column)
}

// withoutEdges is the finding about participants who have a graph without edges in a session, say.
func withoutEdges(graphs, connectivity *measured, scans []quality.Scan) finding.List {
	of := func(m *measured, column string) map[string][]float64 {
		all := map[string][]float64{}
		for i, in := range m.members {
			if v := m.of(column, i); len(v) > 0 {
				all[participantOf(in)] = append(all[participantOf(in)], v...)
			}
		}
		return all
	}
	far := map[string]bool{}
	for _, s := range scans {
		far[s.Participant] = far[s.Participant] || s.FirstVolumes > 0 || len(s.FarVolumes) > 0
	}
	return quality.WithoutEdges(of(graphs, "edges"), of(connectivity, "shrinkage"), far)
}

// forms are those of the files that matrices were read from.
func (a *Cohort) forms() (forms []quality.Form) {
	for in, table := range a.Tables("connectivity") {
		found, err := column.MatrixFormsOf(table.Meta)
		if err != nil {
			a.Fail(fmt.Errorf("%s: %w", in.Name, err))
		}
		for _, f := range found {
			forms = append(forms, quality.Form{Participant: participantOf(in), MatrixForm: f})
		}
	}
	return forms
}

// WroteFisherZ is the program that wrote the files of all participants for a port as Fisher's z, which its format
// states; "" if none did.
func (a *Cohort) WroteFisherZ(port string) string {
	of := slices.DeleteFunc(a.forms(), func(f quality.Form) bool { return f.Port != port })
	if len(of) == 0 || slices.ContainsFunc(of, func(f quality.Form) bool { return f.FisherZ != of[0].FisherZ }) {
		return ""
	}
	return of[0].FisherZ
}

// A CoverageRow is one region of one scan (parcellate's coverage).
type CoverageRow struct {
	Name     string  `column:"name"`
	Voxels   int32   `column:"voxels"`
	Coverage float64 `column:"coverage"`
}

// withoutVoxels are the regions without a voxel, each with the number of participants, the most frequent first.
func (a *Cohort) withoutVoxels() []Counted {
	var names []string
	for _, rows := range section.Members[CoverageRow](a.Writer, "coverage") {
		for _, r := range rows {
			if r.Voxels == 0 {
				names = append(names, r.Name)
			}
		}
	}
	return quality.Tally(names)
}

// A measured holds the measures of the tables of one port.
type measured struct {
	members []dag.Input          // one a participant, in the order of the port
	values  map[string][]float64 // by column, of all tables one after the other, without missing values
	ends    map[string][]int     // of each member, where its values end
	trained map[string]int       // graphs of each participant that models are trained on, over its tables
}

// of are the values of one member.
func (m *measured) of(column string, member int) []float64 {
	start := 0
	if member > 0 {
		start = m.ends[column][member-1]
	}
	return m.values[column][start:m.ends[column][member]]
}

// without is the number of participants without a value in some scan or setting.
func (m *measured) without(column string) (n int) {
	seen := map[string]bool{}
	for i, in := range m.members {
		if name := participantOf(in); len(m.of(column, i)) == 0 && (name == "" || !seen[name]) {
			seen[name] = true
			n++
		}
	}
	return n
}

// settings are those in which the scans were processed, in the order of the port; nil for one.
func (m *measured) settings() (all []string) {
	for _, in := range m.members {
		setting := column.ShownSetting(column.Without(in.Coords, "subject", "session", "run"))
		if in.Coord("subject") != "" && !slices.Contains(all, setting) {
			all = append(all, setting)
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// readMeasures reads the measures of each port. Each table is read once, and of it only these numbers are kept.
func (a *Cohort) readMeasures() map[string]*measured {
	all := map[string]*measured{}
	for _, m := range measures {
		if all[m.port] != nil {
			continue
		}
		of := &measured{values: map[string][]float64{}, ends: map[string][]int{}, trained: map[string]int{}}
		all[m.port] = of
		for in, table := range a.Tables(m.port) {
			a.Fail(of.add(in, table, m.port))
			of.trained[participantOf(in)] += a.trainedOn(table.Rows())
		}
	}
	return all
}

// trainedOn is how many of a participant's graphs, draw 0 among them, models are trained on: the most of any stage.
func (a *Cohort) trainedOn(graphs int) (most int) {
	used := func(zero bool, draws int) int { // as Numbers of fold.Params
		random := graphs - 1
		if draws > 0 {
			random = min(random, draws)
		}
		if zero || graphs == 1 {
			return random + 1
		}
		return random
	}
	for _, s := range a.Run.Behind() {
		if s.Values["draw_zero"] != nil {
			zero := slices.ContainsFunc(s.Over("draw_zero"), func(v string) bool { return v == "true" })
			most = max(most, used(zero, int(s.Number("draws"))))
		}
	}
	if most == 0 {
		return used(false, 0)
	}
	return most
}

// add adds the measures of a port's table.
func (m *measured) add(in dag.Input, table *encoding.Table, port string) error {
	m.members = append(m.members, dag.Input{Name: in.Name, Coords: in.Coords})
	for _, of := range measures {
		if of.port != port {
			continue
		}
		if _, ok := table.Column(of.column); ok {
			v, err := table.Floats(of.column)
			if err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
			m.values[of.column] = append(m.values[of.column], column.Known(v)...)
		}
		m.ends[of.column] = append(m.ends[of.column], len(m.values[of.column]))
	}
	return nil
}

// mostRows is how many participants a table of the page lists. A page of 40,000 rows takes a browser minutes.
const mostRows = 1000

// eachParticipant has a row per participant, over its draws and regions; nil without any.
func (a *Cohort) eachParticipant(tables map[string]*measured, of values) *report.Table {
	ids, part := rowsOfMembers(tables)
	row := map[string]int{} // of a participant
	for i, id := range ids {
		row[id] = i
	}
	var columns []eachColumn
	for _, m := range measures {
		from := tables[m.port]
		if m.of == nil || len(from.values[m.column]) == 0 {
			continue
		}
		c := eachColumn{m.each, slices.Repeat([]float64{math.NaN()}, len(ids))}
		for i, in := range from.members {
			if v := from.of(m.column, i); len(v) > 0 {
				c.values[row[scanName(in)]] = m.of(v)
			}
		}
		columns = append(columns, c)
	}
	if columns == nil {
		return nil
	}
	of["Part"], of["Exported"] = part, a.Exported("coverage", "cleaning", "connectivity", "graphs")
	of["N"], of["Shown"], of["Ends"] = len(ids), 0, 0
	shown, ends := extremes(lists.Map(columns, func(c eachColumn) []float64 { return c.values }), mostRows)
	if len(shown) < len(ids) {
		of["Shown"], of["Ends"] = len(shown), ends
	}
	keys := "participant |"
	own := []section.Column[int]{section.Words("participant", func(i int) string { return ids[i] })}
	for _, c := range columns {
		keys += " " + c.key
		texts := report.Alike(c.values...)
		own = append(own, section.Num(c.key, func(i int) string { return texts[i] }))
	}
	return section.Lay(a.Writer, "quality.each", of, shown, keys, own...)
}

// rowsOfMembers are the members that have a number, in the order of the ports, and whether they are sessions or runs of
// participants. Those are sorted, so that those of a participant come after it.
func rowsOfMembers(tables map[string]*measured) (ids []string, part string) {
	seen := map[string]bool{}
	for _, port := range []string{"coverage", "cleaning", "connectivity", "graphs"} {
		for i, in := range tables[port].members {
			has := slices.ContainsFunc(measures, func(m measure) bool {
				return m.port == port && len(tables[port].of(m.column, i)) > 0
			})
			if id := scanName(in); has && !seen[id] {
				seen[id], ids = true, append(ids, id)
			}
			for _, axis := range []string{"session", "run"} {
				if in.Coord("subject") != "" && in.Coord(axis) != "" {
					part = axis
				}
			}
		}
	}
	if part != "" {
		slices.SortStableFunc(ids, dag.CompareValues)
	}
	return ids, part
}

// An eachColumn is one number of each participant, by row; NaN is a missing one.
type eachColumn struct {
	key    string
	values []float64
}

// extremes are the rows of a table that is to have about so many at most: of more those with the smallest and the
// largest values of each column that differs, the first of equal ones, and how many these are at each end. NaN is a
// missing value.
func extremes(columns [][]float64, most int) (rows []int, ends int) {
	differ := slices.DeleteFunc(slices.Clone(columns), func(v []float64) bool {
		v = column.Known(v)
		return slices.Min(v) == slices.Max(v)
	})
	ends = most / max(2*len(differ), 1)
	rows = make([]int, len(columns[0]))
	for i := range rows {
		rows[i] = i
	}
	if len(rows) <= most {
		return rows, ends
	}
	chosen := make([]bool, len(rows))
	for _, v := range differ {
		known := slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return math.IsNaN(v[i]) })
		for _, sign := range []float64{1, -1} {
			slices.SortFunc(known, func(i, j int) int { return cmp.Or(cmp.Compare(sign*v[i], sign*v[j]), i-j) })
			for _, i := range known[:min(ends, len(known))] {
				chosen[i] = true
			}
		}
	}
	return slices.DeleteFunc(rows, func(i int) bool { return !chosen[i] }), ends
}
