package participants

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A Cohort is what a page says of the participants and their scans.
type Cohort struct {
	*section.Writer
	Classes    []string // that the evaluated models predict; nil where none are evaluated
	Duplicates []string // participants whose scan has another id, too
	Lacking    int      // number of participants without all results, in an incomplete run

	Who           *column.People
	Properties    []string // columns of the participants, except id and group
	Nodes         int      // number of regions; 0 where the node list is not connected
	Excluded      []ExcludedRow
	excludedTable *report.Table // nil without any

	names map[int][2]string // of the regions, by index; nil where the node list is not connected

	About      column.Scans   // what the loader knows of the scans
	Scans      []finding.Scan // how each was cleaned
	leastValid float64        // share of its voxels that a region needs for a series; 0 where no voxels were averaged
	Labeled    []LabeledScan  // how each got its labels
}

// Read reads the inputs that several sections need.
func (a *Cohort) Read() (err error) {
	if a.T.Has("nodes") {
		nodes, err := a.T.In("nodes").Table()
		if err != nil {
			return err
		}
		a.Nodes = nodes.Rows()
		if a.names, err = figure.ReadNames(a.T.In("nodes")); err != nil {
			return err
		}
	}
	if err = a.readCleaned(); err != nil {
		return err
	}
	if a.Labeled, err = labeledScans(a.T); err != nil || !a.T.Has("notes") {
		return err
	}
	notes, err := a.T.In("notes").Table()
	if err == nil {
		a.About, err = column.ScansOf(notes.Meta)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.T.In("notes").Name, err)
	}
	return nil
}

// regionNumbers are regions in the texts of stages that have no node list: "region 7", "regions 4, 10 and 3 more".
var regionNumbers, number = pattern.New(`\bregions? [0-9]+(, [0-9]+)*\b`), pattern.New(`[0-9]+`)

// Named adds the names of regions to a text that has their numbers: "region 7 (l.CUN)".
func (a *Cohort) Named(text string) string {
	return regionNumbers.ReplaceAllStringFunc(text, func(found string) string {
		return number.ReplaceAllStringFunc(found, func(n string) string {
			index, _ := strconv.Atoi(n)
			if name := a.names[index][0]; name != "" && name != n {
				return n + " (" + name + ")"
			}
			return n
		})
	})
}

// A Counted is a name, and how many participants, scans or regions have it.
type Counted = finding.Counted

// Groups are the groups of the participants, the largest first; none where participants are not connected.
func (a *Cohort) Groups() []Counted {
	if a.Who == nil {
		return nil
	}
	counts := map[string]int{}
	for _, id := range a.Who.Ids {
		counts[a.Who.Group[id]]++
	}
	return mostFrequent(counts)
}

// Predicted are the classes that the models predict, the largest first, and the column of the participants that holds
// them: group, or another one, such as site. Where no column does, it is "", and the sizes of the classes are 0.
func (a *Cohort) Predicted() (of string, all []Counted) {
	is := func(g Counted) bool { return slices.Contains(a.Classes, g.Name) }
	groups := a.Groups()
	if a.Classes == nil {
		return "group", groups
	}
	all = slices.DeleteFunc(slices.Clone(groups), func(g Counted) bool { return !is(g) })
	if len(all) == len(a.Classes) {
		return "group", all
	}
	of, size := a.ColumnOf(a.Classes)
	all = lists.Map(a.Classes, func(name string) Counted { return Counted{Name: name, N: size[name]} })
	slices.SortFunc(all, bySize)
	return of, all
}

// ColumnOf is the only column of the participants that has exactly these values, and how many participants have each;
// "" where no column, or more than one, has them.
func (a *Cohort) ColumnOf(values []string) (name string, size map[string]int) {
	if !a.T.Has("participants") {
		return "", nil
	}
	table, err := a.T.In("participants").Table()
	if err != nil {
		return "", nil // describeGroups reports it
	}
	for _, c := range table.Columns {
		texts, err := table.Strings(c.Name)
		if err != nil {
			continue
		}
		count := map[string]int{}
		for _, text := range texts {
			count[text]++
		}
		if len(count) != len(values) || slices.ContainsFunc(values, func(v string) bool { return count[v] == 0 }) {
			continue
		}
		if name != "" {
			return "", nil
		}
		name, size = c.Name, count
	}
	return name, size
}

func bySize(x, y Counted) int { return cmp.Or(y.N-x.N, strings.Compare(x.Name, y.Name)) }

// Difference is what a contrast of groups is: of more than two that of the two whose means are furthest apart.
func (a *Cohort) Difference() string {
	if _, classes := a.Predicted(); len(classes) > 2 {
		return "largest difference between two groups'"
	}
	return "difference between the groups'"
}

// Describe writes the section on the groups, and on who was excluded and why.
func (a *Cohort) Describe() error {
	if a.T.Has("participants") {
		if err := a.describeGroups(); err != nil {
			return err
		}
	}
	if err := a.describeExcluded(); err != nil {
		return err
	}
	notes, err := section.Read[noteRow](a.T, "notes")
	if err != nil || len(notes) == 0 {
		return err
	}
	list := lists.Map(notes, func(n noteRow) string { return n.Note })
	tested, err := a.protocolsTested()
	if err != nil {
		return err
	}
	for _, note := range list {
		if slices.ContainsFunc(tested, func(name string) bool { // the covariates have a caution of it
			return strings.HasPrefix(note, "the "+name+" "+column.ProtocolApart)
		}) {
			continue
		}
		if len(a.Scans) > 0 && (strings.Contains(note, column.FewerVolumes) ||
			strings.Contains(note, column.CodesInMotion)) { // cautionScans has what the tasks read
			continue
		}
		if slices.ContainsFunc(column.Doubts, func(doubt string) bool { return strings.Contains(note, doubt) }) {
			weight := section.Limits
			if strings.Contains(note, column.Relatives) || strings.Contains(note, column.NotIndependent) ||
				strings.Contains(note, column.ProtocolApart) {
				weight = section.Overturns
			}
			a.Weighed(weight, "%s", section.UpperFirst(note))
		}
	}
	if a.Pictures { // a run prints them before it begins
		a.Heading("Notes on the data")
		a.Add(report.Block{List: list})
	}
	return nil
}

// protocolsTested are the properties of scans that the covariates found to distinguish the groups.
func (a *Cohort) protocolsTested() (names []string, err error) {
	if a.Who == nil || a.Who.Numbers != nil {
		return nil, nil
	}
	rows, err := section.Read[column.CovariateRow](a.T, "covariates")
	for _, r := range rows {
		if name := column.Protocols[r.Name]; name != "" && (r.P < 0.05 || math.IsNaN(r.P)) {
			names = append(names, name)
		}
	}
	return names, err
}

// A noteRow is a note of the loader (pipeline.notes).
type noteRow struct {
	Note string `column:"note"`
}

// An ExcludedRow is an excluded participant (pipeline.excluded).
type ExcludedRow struct {
	Participant string `column:"participant_id"`
	Group       string `column:"group,optional"`
	Reason      string `column:"reason"`
	Category    string `column:"category,optional"` // the reason without ids, files and advice
}

// mostExcluded is how many excluded participants a page lists; the reasons of all are Counted.
const mostExcluded = 2000

// describeExcluded gives the number of excluded participants by reason, and each participant.
func (a *Cohort) describeExcluded() error {
	if !a.T.Has("excluded") {
		return nil
	}
	var err error
	if a.Excluded, err = column.Read[ExcludedRow](a.T.In("excluded")); err != nil {
		return err
	}
	if len(a.Excluded) == 0 {
		a.Say("No participant was excluded.")
		return nil
	}
	shown := a.Excluded[:min(len(a.Excluded), mostExcluded)]
	t := section.TableOf("Excluded participants", 1, shown,
		section.Text("participant", "", func(r ExcludedRow) string { return r.Participant }),
		section.Text("reason", "", func(r ExcludedRow) string { return r.Reason }))
	if slices.ContainsFunc(shown, func(r ExcludedRow) bool { return r.Group != "" }) {
		t.Heads = slices.Insert(t.Heads, 1, report.Head{Text: "group"})
		for i, r := range shown {
			t.Rows[i] = slices.Insert(t.Rows[i], 1, report.Cell{Text: r.Group})
		}
	}
	if len(shown) < len(a.Excluded) {
		t.Note = fmt.Sprintf("The first %d of %s. pipeline cohort FILE --json lists all.", len(shown), report.Thousands(float64(len(a.Excluded))))
	}
	const most = 20 // rows in the text, and reasons
	a.excludedTable = t
	if len(a.Excluded) <= most {
		a.Table(t, fmt.Sprintf("lists %s.", words.The(len(a.Excluded), "excluded participant")))
		return nil
	}
	a.Supplement(t)
	a.Say("%s excluded (%s).", words.Count(len(a.Excluded), "participant"), a.ExcludedList())
	if list := Reasons(a.Excluded, most, func(r ExcludedRow) string { return r.Reason }); len(list) < len(a.Excluded) {
		a.Add(report.Block{List: list})
	}
	return nil
}

// NotMeeting counts the excluded who only do not meet what the pipeline file selects by.
func (a *Cohort) NotMeeting() (n int) {
	for _, r := range a.Excluded {
		if strings.HasPrefix(r.Reason, column.NotMet) {
			n++
		}
	}
	return n
}

// ExcludedList says where the excluded participants are listed: a terminal has no supplementary tables.
func (a *Cohort) ExcludedList() string {
	if a.excludedTable.Supplement && !a.Pictures {
		return "pipeline cohort FILE lists them"
	}
	if !a.Pictures { // tables of a terminal have no numbers
		return "listed under Participants"
	}
	return a.excludedTable.Label()
}

// describeGroups gives the size of each group and its covariates.
func (a *Cohort) describeGroups() error {
	in := a.T.In("participants")
	var err error
	if a.Who, err = column.ReadPeople(in); err != nil {
		return err
	}
	table, err := in.Table()
	if err != nil {
		return err
	}
	a.Page.Simulated = a.Who.Simulated
	groups := a.Groups()
	rows := make([][]int, len(groups)) // of the table, by group
	for i, id := range a.Who.Ids {
		at := slices.IndexFunc(groups, func(g Counted) bool { return g.Name == a.Who.Group[id] })
		rows[at] = append(rows[at], i)
	}
	t := section.TableOf("Groups", 1, groups, section.Text("group", "", func(g Counted) string { return g.Name }),
		section.Number("n", "", func(g Counted) string { return fmt.Sprint(g.N) }))
	sentence := "describes the groups."
	if a.Who.Numbers != nil {
		t, sentence = a.tableOfNumber(), "describes the participants."
	}
	t.Note = "Mean ± SD (range), or counts."
	of, classes := a.Predicted()
	for _, g := range classes {
		switch {
		case of == "" || g.N >= 20:
		case g.Name == "": // a number is predicted
			a.Caution("The study has only %s", words.Count(g.N, "participant"))
		default:
			a.Caution("%s %s has only %s", section.UpperFirst(section.PlainName(of)), g.Name,
				words.Count(g.N, "participant"))
		}
	}
	if ways := arrangements(classes); ways < 20 && len(classes) > 1 && of != "" {
		a.Caution("%s can be divided into groups of these sizes in %.0f ways only: no permutation test can give p < 0.05 (two groups of 4: 70 ways)", words.Count(len(a.Who.Ids), "participant"), ways)
	}
	var alike []string  // columns of one value
	var hidden []string // columns that the table does not describe, and why
	for _, c := range table.Columns {
		if slices.Contains([]string{"participant_id", "group", "simulated", "source_id"}, c.Name) ||
			a.Who.Numbers != nil && c.Name == column.Target {
			continue
		}
		a.Properties = append(a.Properties, c.Name)
		same, why, err := describeColumn(t, table, c, rows)
		if err != nil {
			return err
		}
		if why != "" {
			hidden = append(hidden, fmt.Sprintf("%s (%s)", section.PlainName(c.Name), why))
		}
		if same != "" {
			alike = append(alike, same)
		}
	}
	if v := a.motionIn(table); v != nil {
		c := encoding.Column{Name: "mean_fd", Doc: "mean framewise displacement of the scans, from their confounds", Values: v}
		same, _, err := describeColumn(t, &encoding.Table{Columns: []encoding.Column{c}}, c, rows)
		if err != nil {
			return err
		}
		if same != "" {
			alike = append(alike, same)
		}
	}
	if len(t.Heads) == 2 && a.Who.Numbers == nil {
		t.Note = ""
	}
	if alike != nil {
		t.Note = strings.TrimSpace(t.Note + " The same in all participants: " + strings.Join(alike, ", ") + ".")
	}
	if hidden != nil {
		t.Note = strings.TrimSpace(t.Note + " Not described: " + strings.Join(hidden, ", ") + ".")
	}
	if a.Duplicates != nil {
		t.Note = strings.TrimSpace(fmt.Sprintf("%s n counts scans that have two ids: %s. The group means of this page count them too.", t.Note, strings.Join(a.Duplicates, ", ")))
	}
	if a.Lacking > 0 {
		t.Note = strings.TrimSpace(fmt.Sprintf("%s All participants, also the %d without all results.", t.Note, a.Lacking))
	}
	a.Table(t, sentence)
	all, err := section.WholeTable(table, 2000)
	if err != nil {
		return err
	}
	all.Caption = "Participants"
	if at := all.Head(section.PlainName(column.Target)); at >= 0 && a.Who.Numbers != nil {
		all.Heads[at].Text = section.PlainName(a.Who.Target)
	}
	if len(all.Rows) < len(a.Who.Ids) {
		all.Note += " pipeline cohort FILE --json lists all."
	}
	for i, id := range a.Who.Ids[:len(all.Rows)] {
		if slices.Contains(a.Duplicates, id) {
			all.Rows[i][0].Text += " (duplicate scan)"
		}
	}
	a.Supplement(all)
	return nil
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

// tableOfNumber begins the description of participants of whom a number is predicted.
func (a *Cohort) tableOfNumber() *report.Table {
	all := lists.Map(a.Who.Ids, func(id string) float64 { return a.Who.Numbers[id] })
	return section.TableOf("Cohort", 1, [][][]float64{{all}},
		section.Number("n", "", func([][]float64) string { return fmt.Sprint(len(all)) }),
		section.Number(section.PlainName(a.Who.Target), "the number to predict", func(v [][]float64) string { return describeNumbers(v)[0] }))
}

// arrangements is in how many ways participants can be divided into groups of these sizes, n!/∏nᵢ!: of so many
// permutations of the groups one is what was observed.
func arrangements(groups []Counted) float64 {
	ways, n := 1.0, 0.0
	for _, g := range groups {
		for i := range g.N {
			n++
			ways *= n / float64(i+1)
		}
	}
	return math.Round(ways)
}

// CovariateNames are columns that cohorts and denoise know, for people.
var CovariateNames = map[string]string{"mean_fd": "mean framewise displacement", "max_fd": "largest framewise displacement", "kept": "volumes kept", "volumes": "volumes scanned",
	"tr":                   "repetition time",
	column.UnusableRegions: "regions without a usable series",
	column.UnusablePattern: "which regions have no usable series"}

// describeColumn adds a covariate of each group: mean, SD and range of numbers, counts of
// up to six words. Identifiers are left out, and so are numbers that stand for the groups: why is the reason. Numbers
// that are the same in all participants are no column: they are returned, "volumes 176".
func describeColumn(t *report.Table, table *encoding.Table, c encoding.Column, rows [][]int) (same, why string,
	err error) {
	if words, ok := c.Values.([]string); ok {
		seen := map[string]bool{}
		for _, w := range words {
			seen[w] = true
		}
		switch {
		case len(seen) == len(words) && len(words) > 6:
			return "", "a text that differs in all participants", nil
		case len(seen) > 6:
			return "", fmt.Sprintf("%d different texts", len(seen)), nil
		}
		texts, err := table.Strings(c.Name)
		if err != nil {
			return "", "", err
		}
		t.Heads = append(t.Heads, report.Head{Text: section.PlainName(c.Name), Doc: c.Doc})
		for g := range rows {
			count := map[string]int{}
			for _, at := range rows[g] {
				count[texts[at]]++
			}
			var parts []string
			for _, w := range slices.Sorted(maps.Keys(count)) {
				parts = append(parts, column.CountOf(count[w], w, "\u00a0")) // no line break within
			}
			t.Rows[g] = append(t.Rows[g], report.Cell{Text: strings.Join(parts, ", ")})
		}
		return "", "", nil
	}
	v, err := table.Floats(c.Name)
	if err != nil {
		return "", "", err
	}
	if (column.CovariateColumn{Name: c.Name, Number: v}).Identifies() {
		return "", "an identifier", nil
	}
	head, known := CovariateNames[c.Name]
	if !known {
		head = section.PlainName(c.Name)
	}
	unit := c.Unit
	if unit == "" && (c.Name == "mean_fd" || c.Name == "max_fd") {
		unit = "mm"
	}
	if unit != "" {
		head += " (" + section.UnitName(unit) + ")"
	}
	values := make([][]float64, len(rows))
	distinct, each := map[float64]bool{}, 0 // values over all participants; those of each group, added up
	for g := range rows {
		own := map[float64]bool{}
		for _, at := range rows[g] {
			values[g] = append(values[g], v[at])
			distinct[v[at]], own[v[at]] = true, true
		}
		each += len(own)
	}
	switch {
	case len(distinct) == 1:
		return head + " " + strconv.FormatFloat(v[0], 'g', -1, 64), "", nil
	case len(distinct) == len(rows) && each == len(rows) && len(v) > len(rows):
		return "", "one number per group", nil
	}
	if codes := twoCodes(distinct); codes != nil { // such as sex as 1 and 2: a mean says nothing
		t.Heads = append(t.Heads, report.Head{Text: head, Doc: c.Doc})
		for g := range values {
			t.Rows[g] = append(t.Rows[g], report.Cell{Text: countCodes(values[g], codes)})
		}
		return "", "", nil
	}
	t.Heads = append(t.Heads, report.Head{Text: head, Doc: c.Doc, Number: true})
	for g, text := range describeNumbers(values) {
		t.Rows[g] = append(t.Rows[g], report.Cell{Text: text})
	}
	return "", "", nil
}

// describeNumbers gives mean ± SD (range) of each group.
func describeNumbers(groups [][]float64) []string {
	texts := make([]string, len(groups))
	for g, d := range column.Describe(groups) {
		if d.Mean == "" {
			texts[g] = "n/a"
			continue
		}
		texts[g] = d.Mean
		if d.SD != "" {
			texts[g] += " ± " + d.SD
		}
		if d.Low != "" {
			texts[g] += fmt.Sprintf(" (%s–%s)", d.Low, d.High)
		}
		if d.Missing > 0 {
			texts[g] += fmt.Sprintf(", %d missing", d.Missing)
		}
	}
	return texts
}

// twoCodes are the values of a column that has two whole numbers and no others; else nil.
func twoCodes(distinct map[float64]bool) (codes []float64) {
	for x := range distinct {
		switch {
		case math.IsNaN(x):
		case x != math.Trunc(x):
			return nil
		default:
			codes = append(codes, x)
		}
	}
	if len(codes) != 2 {
		return nil
	}
	slices.Sort(codes)
	return codes
}

// countCodes is how many of the values are each code: "1: 434, 2: 95".
func countCodes(values, codes []float64) string {
	var parts []string
	missing := len(values)
	for _, code := range codes {
		n := 0
		for _, x := range values {
			if x == code {
				n++
			}
		}
		missing -= n
		parts = append(parts, fmt.Sprintf("%g:\u00a0%d", code, n)) // no line break within
	}
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d\u00a0missing", missing))
	}
	return strings.Join(parts, ", ")
}

// Reasons lists why participants were excluded, with the number of each reason, the most frequent
// first. At most so many are named; the others are Counted together.
func Reasons(left []ExcludedRow, most int, of func(ExcludedRow) string) (list []string) {
	count := map[string]int{}
	for _, r := range left {
		count[of(r)]++
	}
	all := slices.SortedFunc(maps.Keys(count),
		func(x, y string) int { return cmp.Or(count[y]-count[x], strings.Compare(x, y)) })
	for _, why := range all[:min(len(all), most)] {
		list = append(list, fmt.Sprintf("%d: %s", count[why], why))
	}
	rest := 0
	for _, why := range all[min(len(all), most):] {
		rest += count[why]
	}
	if rest > 0 {
		list = append(list, fmt.Sprintf("%d: other reasons", rest))
	}
	return list
}
