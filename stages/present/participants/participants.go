package participants

import (
	"slices"
	"strconv"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A Cohort is what a page says of the participants and their scans.
type Cohort struct {
	*section.Writer
	Classes    []string // that the evaluated models predict; nil where none are evaluated
	Duplicates []string // participants whose scan has another id, too

	Answers func(column.Note) bool // whether a note on a division concerns the answer of the page

	WithoutResults []string // ids of participants without all results, in an incomplete run
	Lacking        int      // how many of them are included
	Refused        int      // and how many are not: their data cannot be used, or they have no group

	Who           *column.People  // nil where participants are not connected
	People        *encoding.Table // likewise: their table
	Properties    []string        // columns of the participants, except id and group
	Nodes         int             // number of regions; 0 where the node list is not connected
	Excluded      []ExcludedRow
	excludedTable *report.Table // nil without any

	Names map[int][2]string // of the regions, by index; nil where the node list is not connected

	About      column.Scans   // what the loader knows of the scans
	Scans      []quality.Scan // how each was cleaned
	leastValid float64        // share of its voxels that a region needs for a series; 0 where no voxels were averaged
	Labeled    []LabeledScan  // how each got its labels
}

// Read reads the inputs that several sections need.
func (a *Cohort) Read() {
	if a.T.Has("participants") {
		var err error
		in := a.T.In("participants")
		a.People = a.TableOf(in)
		a.Who, err = column.ReadPeople(in)
		a.Fail(err)
	}
	if a.T.Has("nodes") {
		var err error
		in := a.T.In("nodes")
		a.Nodes = a.TableOf(in).Rows()
		a.Names, err = figure.ReadNames(in)
		a.Fail(err)
	}
	a.Excluded = section.Rows[ExcludedRow](a.Writer, "excluded")
	a.countWithoutResults()
	a.readCleaned()
	a.labeledScans()
	if a.T.Has("notes") {
		a.About = section.Meta[column.Scans](a.Writer, a.T.In("notes"), column.ScansKey)
	}
}

// countWithoutResults counts the participants without results that are included, and those in the table that are not.
func (a *Cohort) countWithoutResults() {
	for _, id := range a.WithoutResults {
		switch {
		case a.Who == nil || slices.Contains(a.Who.Ids, id):
			a.Lacking++
		case !slices.ContainsFunc(a.Excluded, func(r ExcludedRow) bool { return r.Participant == id }):
			a.Refused++
		}
	}
}

// InTable is how many participants the table of the study has: each is included, excluded, or cannot be used.
func (a *Cohort) InTable() int { return len(a.Who.Ids) + len(a.Excluded) + a.Refused }

// NotIncluded are the reasons why participants of the table are not included; their numbers and the included sum to
// InTable.
func (a *Cohort) NotIncluded() []Reason {
	all := Reasons(a.Excluded)
	if a.Refused > 0 {
		all = append(all, Reason{Why: a.Text("excluded.refused", nil), N: a.Refused})
	}
	return all
}

// RegionName is a region by its number, with its name where the page has the node list: "7 (l.CUN)".
func (a *Cohort) RegionName(index int) string {
	number := strconv.Itoa(index)
	if name := a.Names[index][0]; name != "" && name != number {
		return number + " (" + name + ")"
	}
	return number
}

// A Counted is a name, and how many participants, scans or regions have it.
type Counted = quality.Counted

// Groups are the groups of the participants, the largest first; none where participants are not connected.
func (a *Cohort) Groups() []Counted {
	if a.Who == nil {
		return nil
	}
	return quality.Tally(lists.Map(a.Who.Ids, func(id string) string { return a.Who.Group[id] }))
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
	slices.SortFunc(all, quality.BySize)
	return of, all
}

// PermutedWithin is the column within whose values labels or groups were permuted; "" where the participants have no
// such column, or one value in it.
func (a *Cohort) PermutedWithin(by string) string {
	if a.People == nil {
		return ""
	}
	values, err := a.People.Strings(by)
	if _, names := column.Numbered(values); err != nil || len(names) < 2 {
		return ""
	}
	return by
}

// ColumnOf is the only column of the participants that has exactly these values, and how many participants have each;
// "" where no column, or more than one, has them.
func (a *Cohort) ColumnOf(values []string) (name string, size map[string]int) {
	if a.People == nil {
		return "", nil
	}
	for _, c := range a.People.Columns {
		texts, err := a.People.Strings(c.Name)
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

// Difference is what a contrast of groups is: of more than two that of the two whose means are furthest apart.
func (a *Cohort) Difference() string {
	_, classes := a.Predicted()
	return a.Text("groups.difference", values{"Many": len(classes) > 2})
}

// Describe writes the section on the groups, and on who was excluded and why.
func (a *Cohort) Describe() {
	if a.Who != nil {
		a.describeGroups()
	}
	a.describeExcluded()
	notes := section.Rows[column.Note](a.Writer, "notes")
	if len(notes) == 0 {
		return
	}
	var tested []column.CovariateRow
	if a.Who != nil && a.Who.Numbers == nil {
		tested = section.Rows[column.CovariateRow](a.Writer, "covariates")
	}
	sessions := slices.ContainsFunc(section.Rows[column.EdgeSummaryRow](a.Writer, "edge_tests"),
		func(r column.EdgeSummaryRow) bool { return len(r.Sessions) > 0 })
	a.Find(quality.Noted(notes, quality.ProtocolsTested(tested), len(a.Scans) > 0, sessions, a.Answers)...)
	if a.Pictures { // a run prints them before it begins
		a.Heading(a.Text("groups.notes", nil))
		a.Add(report.Block{List: lists.Map(notes, func(n column.Note) string { return n.Text })})
	}
}
