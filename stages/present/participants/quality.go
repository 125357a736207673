package participants

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
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

// bounds are what measures are where degrees of freedom were lost before this program (UpperBound).
var bounds = map[string]string{"t_eff": " (upper bound)", "partial_se": " (lower bound)"}

// Quality writes the quality of each step, over all participants and of each.
func (a *Cohort) Quality() error {
	type line struct {
		measure
		numbers []string // median, smallest, largest
	}
	tables, err := readMeasures(a.T)
	if err != nil {
		return err
	}
	var lines []line
	for _, m := range measures {
		v := tables[m.port].values[m.column]
		if strings.Contains(m.label, "%s") {
			m.label = fmt.Sprintf(m.label, a.Element())
		}
		if UpperBound(a.Scans) {
			m.label += bounds[m.column]
		}
		if len(v) > 0 {
			lines = append(lines, line{m, report.Alike(inference.Median(v), slices.Min(v), slices.Max(v))})
		}
	}
	if lines != nil {
		t := section.TableOf("Quality of each step", 2, lines,
			section.Text("step", "", func(l line) string { return l.step }),
			section.Text("measure", "", func(l line) string { return l.label }),
			section.Number("median", "", func(l line) string { return l.numbers[0] }),
			section.Number("smallest", "", func(l line) string { return l.numbers[1] }),
			section.Number("largest", "", func(l line) string { return l.numbers[2] }))
		c := tables["connectivity"]
		if n := c.without("partial_se"); n > 0 && len(c.values["partial_se"]) > 0 {
			t.Note = fmt.Sprintf("The standard error is undefined for %s with too few independent volumes.",
				words.Count(n, "participant"))
		}
		a.Table(t, "gives the quality of each step: median, smallest and largest value over participants, and over their scans, regions or draws.")
	}
	a.registration()
	a.cleaning()
	empty, voxels := 0, tables["coverage"].values["voxels"]
	for _, v := range voxels {
		if v == 0 {
			empty++
		}
	}
	if empty > 0 {
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
	if each := a.eachParticipant(tables); each != nil {
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

// A measured holds the measures of the tables of one port.
type measured struct {
	members []string             // the participants, in the order of the port
	values  map[string][]float64 // by column, of all tables one after the other, without missing values
	ends    map[string][]int     // of each member, where its values end
}

// of are the values of one member.
func (m *measured) of(column string, member int) []float64 {
	start := 0
	if member > 0 {
		start = m.ends[column][member-1]
	}
	return m.values[column][start:m.ends[column][member]]
}

// without is the number of members without a value.
func (m *measured) without(column string) (n int) {
	for i := range m.members {
		if len(m.of(column, i)) == 0 {
			n++
		}
	}
	return n
}

// readMeasures reads the measures of each port. Each table is read once, and of it only these numbers are kept.
func readMeasures(t *dag.Task) (map[string]*measured, error) {
	all := map[string]*measured{}
	for _, m := range measures {
		if all[m.port] != nil {
			continue
		}
		of := &measured{values: map[string][]float64{}, ends: map[string][]int{}}
		all[m.port] = of
		for _, in := range t.All(m.port) {
			if err := of.add(in, m.port); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// add adds the measures of a port's table.
func (m *measured) add(in dag.Input, port string) error {
	table, err := in.Table()
	if err != nil {
		return err
	}
	m.members = append(m.members, scanName(in))
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
func (a *Cohort) eachParticipant(tables map[string]*measured) *report.Table {
	var columns []eachColumn
	ids, title := rowsOfMembers(tables)
	row := map[string]int{} // of a participant
	for i, id := range ids {
		row[id] = i
	}
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
		if UpperBound(a.Scans) {
			c.head += bounds[c.column]
		}
		m, of := tables[c.port], eachColumn{head: c.head}
		if len(m.values[c.column]) == 0 {
			continue
		}
		for i, id := range m.members {
			v := m.of(c.column, i)
			if len(v) == 0 {
				continue
			}
			of.set(row[id], c.of(v))
		}
		columns = append(columns, of)
	}
	if len(columns) == 0 {
		return nil
	}
	shown, note := a.shownRows(columns, len(ids))
	heads := []section.Column[int]{section.Text("participant", "", func(i int) string { return ids[i] })}
	for _, c := range columns {
		heads = append(heads, section.Number(c.head, "", c.text))
	}
	t := section.TableOf(title+" (median over draws or regions unless named otherwise)", 1, shown,
		heads...)
	t.Note = "No series: regions without a usable one, in the draw with the most." + note
	return t
}

// rowsOfMembers are the members that have a number, in the order of the ports, and what they are. Where some are
// sessions or runs, they are sorted, so that those of a participant come after it.
func rowsOfMembers(tables map[string]*measured) (ids []string, title string) {
	title = "Quality of each participant"
	seen := map[string]bool{}
	for _, port := range []string{"coverage", "cleaning", "connectivity", "graphs"} {
		for i, id := range tables[port].members {
			has := slices.ContainsFunc(measures, func(m measure) bool {
				return m.port == port && len(tables[port].of(m.column, i)) > 0
			})
			if has && !seen[id] {
				seen[id], ids = true, append(ids, id)
			}
			for _, part := range []string{"session", "run"} {
				if strings.HasPrefix(id, "sub-") && strings.Contains(id, " "+part+" ") {
					title = "Quality of each participant and " + part
				}
			}
		}
	}
	if title != "Quality of each participant" {
		slices.SortStableFunc(ids, dag.CompareValues)
	}
	return ids, title
}

// An eachColumn is one number of each participant, by row; NaN is a missing one.
type eachColumn struct {
	head   string
	values []float64
}

func (c *eachColumn) set(row int, v float64) {
	for len(c.values) <= row {
		c.values = append(c.values, math.NaN())
	}
	c.values[row] = v
}

func (c *eachColumn) at(row int) float64 {
	if row >= len(c.values) {
		return math.NaN()
	}
	return c.values[row]
}

func (c *eachColumn) text(row int) string {
	if v := c.at(row); !math.IsNaN(v) {
		return report.Short(v)
	}
	return "n/a"
}

// shownRows chooses the rows of a table of n participants, and says what it leaves out: of more than mostRows, it takes
// those with the smallest and the largest values of each measure that differs, the first of equal ones.
func (a *Cohort) shownRows(columns []eachColumn, n int) (rows []int, note string) {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if n <= mostRows {
		return all, ""
	}
	columns = slices.DeleteFunc(slices.Clone(columns), func(c eachColumn) bool {
		v := column.Known(c.values)
		return slices.Min(v) == slices.Max(v)
	})
	share := mostRows / max(2*len(columns), 1)
	chosen := make([]bool, n)
	for _, c := range columns {
		known := slices.DeleteFunc(slices.Clone(all), func(i int) bool { return math.IsNaN(c.at(i)) })
		for _, sign := range []float64{1, -1} {
			slices.SortFunc(known, func(i, j int) int { return cmp.Or(cmp.Compare(sign*c.at(i), sign*c.at(j)), i-j) })
			for _, i := range known[:min(share, len(known))] {
				chosen[i] = true
			}
		}
	}
	rows = slices.DeleteFunc(all, func(i int) bool { return !chosen[i] })
	return rows, fmt.Sprintf(" Shown: %d of %s participants, those with the %d smallest and the %[3]d largest values of each measure that differs.%s",
		len(rows), report.Thousands(float64(n)), share, a.Exported("coverage", "cleaning", "connectivity", "graphs"))
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
	all, hit int                 // participants
	order    []string            // without their numbers
	texts    map[string][]string // of each, with its numbers
	whom     map[string][]string
	seen     map[[2]string]bool // what was counted of whom: a participant may have several tables, and draws
}

// numbered are the numbers of a warning, in which it may differ between participants.
var numbered = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?\b`)

// text is a warning with its numbers; where participants differ in one, with the range of it.
func (s *warned) text(warning string) string {
	texts, at := s.texts[warning], 0
	return numbered.ReplaceAllStringFunc(texts[0], func(string) string {
		v := lists.Map(texts, func(text string) string { return numbered.FindAllString(text, -1)[at] })
		at++
		low, high := slices.MinFunc(v, dag.CompareValues), slices.MaxFunc(v, dag.CompareValues)
		if low == high {
			return low
		}
		return low + "–" + high
	})
}

// first reports whether something is counted of a participant for the first time; of nobody known it always is.
func (s *warned) first(what, whose string) bool {
	key := [2]string{what, whose}
	again := s.seen[key] && whose != ""
	s.seen[key] = true
	return !again
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
			steps = append(steps, &warned{step: name, texts: map[string][]string{}, whom: map[string][]string{},
				seen: map[[2]string]bool{}})
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
		a.Caution("%s of %d of %d participants: %s%s", section.UpperFirst(s.step), s.hit, s.all, a.Named(s.text(s.order[0])), more)
		for _, w := range s.order {
			whose := words.Count(len(s.whom[w]), "participant")
			names := slices.DeleteFunc(slices.Clone(s.whom[w]), func(id string) bool { return id == "" })
			if len(names) > 0 {
				whose += ": " + words.Some(names, 10)
			}
			list = append(list, fmt.Sprintf("%s: %s (%s)", s.step, a.Named(s.text(w)), whose))
		}
	}
	if list != nil {
		a.Heading("Warnings")
		if more := len(list) - mostWarnings; more > 0 {
			list = append(list[:mostWarnings],
				words.Count(more, "other warning")+"."+a.Exported("connectivity", "warnings"))
		}
		a.Add(report.Block{List: list})
	}
	return nil
}

// mostWarnings is how many different warnings a page lists.
const mostWarnings = 100

func (s *warned) add(warnings []string, whose string) {
	if s.first("all", whose) {
		s.all++
	}
	if len(warnings) > 0 && s.first("hit", whose) {
		s.hit++
	}
	for _, text := range warnings {
		w := numbered.ReplaceAllString(text, "#")
		if s.whom[w] == nil {
			s.order = append(s.order, w)
		}
		s.texts[w] = append(s.texts[w], text)
		if s.first("warning "+w, whose) {
			s.whom[w] = append(s.whom[w], whose)
		}
	}
}
