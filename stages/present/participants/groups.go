package participants

import (
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// mostListed is how many participants the table of all lists.
const mostListed = 2000

// A groupTable is the table of the groups while columns are added.
type groupTable struct {
	*report.Table
	rows   [][]int // of the table of participants, by group
	alike  []covariate
	hidden []covariate
}

// A covariate is a column of the participants that the table of the groups does not have, and why.
type covariate struct {
	Name, Unit  string
	Value       float64 // of all participants
	Why         string  // of finding.DescribedAs, or texts, all differ
	N, Repeated int     // different texts, and those of several participants
}

// describeGroups gives the size of each group and its covariates.
func (a *Cohort) describeGroups() {
	table := a.People
	a.Page.Simulated = a.Who.Simulated
	of, classes := a.Predicted()
	a.Find(quality.Groups(classes, of, len(a.Who.Ids))...)
	t := a.beginGroups()
	for _, c := range table.Columns {
		if slices.Contains([]string{"participant_id", "group", "simulated", "source_id"}, c.Name) ||
			a.Who.Numbers != nil && c.Name == column.Target {
			continue
		}
		a.Properties = append(a.Properties, c.Name)
		a.describeColumn(t, table, c)
	}
	if v := a.motionIn(table); v != nil {
		c := encoding.Column{Name: "mean_fd", Doc: a.Text("groups.mean-fd", nil), Values: v}
		a.describeColumn(t, &encoding.Table{Columns: []encoding.Column{c}}, c)
	}
	t.Note = strings.TrimSpace(a.Text("groups.note", values{"Described": len(t.Heads) > 2 || a.Who.Numbers != nil,
		"Alike": t.alike, "Hidden": t.hidden, "Duplicates": a.Duplicates, "Lacking": a.Lacking}))
	a.Table(t.Table)
	a.allParticipants(table)
}

// beginGroups is the table with the sizes of the groups, or with the number that is predicted.
func (a *Cohort) beginGroups() *groupTable {
	groups := a.Groups()
	t := &groupTable{rows: make([][]int, len(groups))}
	for i, id := range a.Who.Ids {
		at := slices.IndexFunc(groups, func(g Counted) bool { return g.Name == a.Who.Group[id] })
		t.rows[at] = append(t.rows[at], i)
	}
	if a.Who.Numbers == nil {
		t.Table = section.Lay(a.Writer, "groups.table", nil, groups, "group | n")
		return t
	}
	numbers := lists.Map(a.Who.Ids, func(id string) float64 { return a.Who.Numbers[id] })
	t.Table = section.Lay(a.Writer, "groups.number", values{"Target": a.Who.Target},
		[]values{{"N": len(numbers), "Described": a.describeNumbers([][]float64{numbers})[0]}}, "n | target")
	return t
}

// allParticipants is the table of the participants.
func (a *Cohort) allParticipants(table *encoding.Table) {
	all := a.WholeTable(table, mostListed)
	all.Caption = a.Text("groups.participants", nil)
	if at := all.Head(wording.PlainName(column.Target)); at >= 0 && a.Who.Numbers != nil {
		all.Heads[at].Text = wording.PlainName(a.Who.Target)
	}
	for k, c := range table.Columns {
		switch c.Values.(type) {
		case []float64, []float32: // data, which are not rounded as results are
			v, err := table.Floats(c.Name)
			if a.Fail(err); err == nil {
				for i := range all.Rows {
					all.Rows[i][k].Text = report.Measured(v[i])
				}
			}
		}
	}
	if len(all.Rows) < len(a.Who.Ids) {
		all.Note += " " + a.Text("groups.more", nil)
	}
	for i, id := range a.Who.Ids[:len(all.Rows)] {
		if slices.Contains(a.Duplicates, id) {
			all.Rows[i][0].Text += a.Text("groups.duplicate", nil)
		}
	}
	a.Supplement(all)
}

// motionIn is the mean framewise displacement of each participant over the scans as denoise measured it, NaN where it
// is not known; nil where the table of the participants has it, or no scan has.
func (a *Cohort) motionIn(table *encoding.Table) []float64 {
	if _, ok := table.Column("mean_fd"); ok {
		return nil
	}
	sum, scans := map[string]float64{}, map[string]float64{}
	for _, s := range a.Scans {
		if who := s.Participant; !math.IsNaN(s.MeanFD) {
			sum[who] += s.MeanFD
			scans[who]++
		}
	}
	if len(scans) == 0 {
		return nil
	}
	return lists.Map(a.Who.Ids, func(id string) float64 { return sum[id] / scans[id] }) // 0/0 is NaN
}

// describeColumn adds a covariate of each group: mean, SD and range of numbers, counts of up to six words. Identifiers
// are left out, and so are numbers that stand for the groups, or that are the same in all participants.
func (a *Cohort) describeColumn(t *groupTable, table *encoding.Table, c encoding.Column) {
	if _, ok := c.Values.([]string); ok {
		texts, err := table.Strings(c.Name)
		if a.Fail(err); err == nil {
			a.describeTexts(t, c, texts)
		}
		return
	}
	v, err := table.Floats(c.Name)
	if err != nil {
		a.Fail(err)
		return
	}
	of := covariate{Name: c.Name, Unit: wording.UnitName(c.Unit), Value: v[0]}
	if of.Unit == "" && (c.Name == "mean_fd" || c.Name == "max_fd") {
		of.Unit = "mm"
	}
	head := report.Head{Text: a.Text("groups.covariate", of), Doc: c.Doc}
	as, groups, codes := quality.DescribedAs(c.Name, v, t.rows)
	switch of.Why = as; as {
	case quality.Identifier, quality.PerGroup:
		t.hidden = append(t.hidden, of)
	case quality.Constant:
		t.alike = append(t.alike, of)
	case quality.Codes:
		t.Add(head, lists.Map(groups, func(v []float64) string { return a.countCodes(v, codes) }), false)
	default:
		head.Number = true
		t.Add(head, a.describeNumbers(groups), false)
	}
}

// describeTexts adds the counts of a column of words.
func (a *Cohort) describeTexts(t *groupTable, c encoding.Column, texts []string) {
	seen, repeated := map[string]int{}, 0
	for _, w := range c.Values.([]string) {
		if seen[w]++; seen[w] == 2 && w != "" {
			repeated++
		}
	}
	if n := len(seen); n > 6 {
		why := "texts"
		if n == len(texts) {
			why = "all differ"
		}
		t.hidden = append(t.hidden, covariate{Name: c.Name, Why: why, N: n, Repeated: repeated})
		return
	}
	t.Add(report.Head{Text: wording.PlainName(c.Name), Doc: c.Doc}, lists.Map(t.rows, func(rows []int) string {
		count := map[string]int{}
		for _, at := range rows {
			count[texts[at]]++
		}
		var parts []string
		for _, w := range slices.Sorted(maps.Keys(count)) {
			parts = append(parts, words.CountOf(count[w], w, "\u00a0")) // no line break within
		}
		return strings.Join(parts, ", ")
	}), false)
}

// describeNumbers gives mean ± SD (range) of each group.
func (a *Cohort) describeNumbers(groups [][]float64) []string {
	return lists.Map(describe(groups), func(d description) string { return a.Text("groups.numbers", d) })
}

// countCodes is how many of the values are each code: "434 labeled 1, 95 labeled 2".
func (a *Cohort) countCodes(values, codes []float64) string {
	type counted struct {
		Code float64 // NaN for missing values
		N    int
	}
	var parts []counted
	missing := len(values)
	for _, code := range codes {
		n := 0
		for _, x := range values {
			if x == code {
				n++
			}
		}
		missing -= n
		parts = append(parts, counted{code, n})
	}
	if missing > 0 {
		parts = append(parts, counted{math.NaN(), missing})
	}
	return strings.Join(lists.Map(parts, func(c counted) string { return a.Text("groups.code", c) }), ", ")
}
