package present

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// A groupSize is how many participants a group has.
type groupSize struct {
	name string
	n    int
}

// groups are the groups of the participants, the largest first.
func (a *author) groups() []groupSize {
	counts := map[string]int{}
	for _, id := range a.who.Ids {
		counts[a.who.Group[id]]++
	}
	var all []groupSize
	for name, n := range counts {
		all = append(all, groupSize{name, n})
	}
	slices.SortFunc(all, func(x, y groupSize) int { return cmp.Or(y.n-x.n, strings.Compare(x.name, y.name)) })
	return all
}

// participants is the section of who took part, and who was left out and why.
func (a *author) participants() error {
	if a.t.Has("participants") {
		if err := a.describeGroups(); err != nil {
			return err
		}
	}
	if err := a.leftOut(); err != nil {
		return err
	}
	notes, err := read[noteRow](a.t, "notes")
	if err != nil || len(notes) == 0 {
		return err
	}
	a.heading("Notes on the data")
	var list []string
	for _, n := range notes {
		list = append(list, n.Note)
	}
	a.add(report.Block{List: list})
	return nil
}

// A noteRow is a note of the loader (pipeline.notes).
type noteRow struct {
	Note string `column:"note"`
}

// An excludedRow is a participant that was left out (pipeline.excluded).
type excludedRow struct {
	Participant string `column:"participant_id"`
	Reason      string `column:"reason"`
	Category    string `column:"category,optional"` // the reason without ids, files and advice
}

// leftOut says who was left out: the number by reason, and each.
func (a *author) leftOut() error {
	if !a.t.Has("excluded") {
		return nil
	}
	var err error
	if a.left, err = column.Read[excludedRow](a.t.In("excluded")); err != nil {
		return err
	}
	if len(a.left) == 0 {
		a.say("No participant was excluded.")
		return nil
	}
	t := tableOf("Excluded participants", 1, a.left,
		text("participant", "", func(r excludedRow) string { return r.Participant }),
		text("reason", "", func(r excludedRow) string { return r.Reason }))
	const most = 12 // rows in the text
	a.leftTable = t
	if len(a.left) <= most {
		a.table(t, fmt.Sprintf("lists %s.", words.The(len(a.left), "excluded participant")))
		return nil
	}
	a.supplement(t)
	a.say("%s excluded (%s).", words.Count(len(a.left), "participant"), a.listOfLeft())
	if list := reasons(a.left, 8, func(r excludedRow) string { return r.Reason }); len(list) < len(a.left) {
		a.add(report.Block{List: list})
	}
	return nil
}

// listOfLeft names where each excluded participant stands: a terminal has no supplementary tables.
func (a *author) listOfLeft() string {
	if a.leftTable.Supplement && !a.pictures {
		return "pipeline cohort FILE lists them"
	}
	return a.leftTable.Label()
}

// describeGroups gives the size of each group and its covariates.
func (a *author) describeGroups() error {
	in := a.t.In("participants")
	var err error
	if a.who, err = column.ReadPeople(in); err != nil {
		return err
	}
	table, err := in.Table()
	if err != nil {
		return err
	}
	a.page.Simulated = a.who.Simulated
	groups := a.groups()
	rows := make([][]int, len(groups)) // of the table, by group
	for i, id := range a.who.Ids {
		at := slices.IndexFunc(groups, func(g groupSize) bool { return g.name == a.who.Group[id] })
		rows[at] = append(rows[at], i)
	}
	t := tableOf("Groups", 1, groups, text("group", "", func(g groupSize) string { return g.name }),
		number("n", "", func(g groupSize) string { return fmt.Sprint(g.n) }))
	t.Note = "Mean ± SD (range), or counts."
	for _, g := range groups {
		if g.n < 20 {
			a.caution("Group %s has only %s", g.name, words.Count(g.n, "participant"))
		}
	}
	if ways := arrangements(groups); ways < 20 && len(groups) > 1 {
		a.caution("%s can be divided into groups of these sizes in %.0f ways only: no permutation test can give p < 0.05 (two groups of 4: 70 ways)", words.Count(len(a.who.Ids), "participant"), ways)
	}
	var alike []string  // columns of one value
	var hidden []string // columns that the table does not describe, and why
	for _, c := range table.Columns {
		if slices.Contains([]string{"participant_id", "group", "simulated", "source_id"}, c.Name) {
			continue
		}
		a.properties = append(a.properties, c.Name)
		same, why, err := describeColumn(t, table, c, rows)
		if err != nil {
			return err
		}
		if why != "" {
			hidden = append(hidden, fmt.Sprintf("%s (%s)", plainName(c.Name), why))
		}
		if same != "" {
			alike = append(alike, same)
		}
	}
	if len(t.Heads) == 2 {
		t.Note = ""
	}
	if alike != nil {
		t.Note = strings.TrimSpace(t.Note + " The same in all participants: " + strings.Join(alike, ", ") + ".")
	}
	if hidden != nil {
		t.Note = strings.TrimSpace(t.Note + " Not described: " + strings.Join(hidden, ", ") + ".")
	}
	if a.duplicates != nil {
		t.Note = strings.TrimSpace(fmt.Sprintf("%s n counts scans that have two ids: %s. The group means of this page count them too.", t.Note, strings.Join(a.duplicates, ", ")))
	}
	if a.lacking > 0 {
		t.Note = strings.TrimSpace(fmt.Sprintf("%s All participants, also the %d without all results.", t.Note, a.lacking))
	}
	a.table(t, "describes the groups.")
	all, err := wholeTable(table, 2000)
	if err != nil {
		return err
	}
	all.Caption = "Participants"
	for i, id := range a.who.Ids[:len(all.Rows)] {
		if slices.Contains(a.duplicates, id) {
			all.Rows[i][0].Text += " (duplicate scan)"
		}
	}
	a.supplement(all)
	return nil
}

// arrangements is in how many ways participants can be divided into groups of these sizes, n!/∏nᵢ!: of so many
// permutations of the groups one is what was observed.
func arrangements(groups []groupSize) float64 {
	ways, n := 1.0, 0.0
	for _, g := range groups {
		for i := range g.n {
			n++
			ways *= n / float64(i+1)
		}
	}
	return math.Round(ways)
}

// covariateNames are columns that cohorts and denoise know, for people.
var covariateNames = map[string]string{"mean_fd": "mean framewise displacement", "max_fd": "largest framewise displacement", "kept": "volumes kept", "volumes": "volumes of the scan"}

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
		t.Heads = append(t.Heads, report.Head{Text: plainName(c.Name), Doc: c.Doc})
		for g := range rows {
			count := map[string]int{}
			for _, at := range rows[g] {
				count[texts[at]]++
			}
			var parts []string
			for _, w := range slices.Sorted(maps.Keys(count)) {
				parts = append(parts, fmt.Sprintf("%d\u00a0%s", count[w], w)) // no line break within
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
	head, known := covariateNames[c.Name]
	if !known {
		head = plainName(c.Name)
	}
	unit := c.Unit
	if unit == "" && (c.Name == "mean_fd" || c.Name == "max_fd") {
		unit = "mm"
	}
	if unit != "" {
		head += " (" + unitName(unit) + ")"
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

// unitName writes a unit for people.
func unitName(unit string) string {
	if unit == "a" {
		return "years"
	}
	return unit
}
