package pipelines

import (
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/internal/words"
	"prgnn/pipelines/folds"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// nameSites makes texts of the numbers by which columns name sites, as a table is read before anything is known of its
// use.
func (l *loader) nameSites() {
	if l.roster == nil || l.roster.Participants == nil || l.roster.Axis != "" {
		return
	}
	named := map[string]bool{}
	for _, s := range l.stages {
		for i := range s.nodes {
			for _, read := range role.Readings(s.nodes[i].Work) {
				if read.Categories && folds.OfCohort(&s.nodes[i]) {
					named[read.Name] = true
				}
			}
		}
	}
	for _, c := range l.roster.Participants.Columns {
		if named[c.Name] || column.NamesSite(c.Name) && column.HasCategories(l.roster.Participants, c.Name) {
			l.sites = append(l.sites, c.Name)
		}
	}
	codes := slices.DeleteFunc(slices.Clone(l.sites), func(name string) bool {
		return column.NamesMeasure(name) || !column.Coded(l.roster.Participants, name)
	})
	if len(codes) == 0 {
		return
	}
	l.roster.Participants = column.AsCategories(l.roster.Participants, codes...)
	work, err := newCohortValues(l.roster)
	if err != nil {
		l.bad.Add(l.cohortNodes.values.Pos, "%v", err)
		return
	}
	*l.cohortNodes.values.Tasks[0].Work.(*cohortValues) = *work
}

// checkSites refuses a within that names no column of the participants, and notes the columns that hold the site under
// another name than that within which stages permute labels.
func (l *loader) checkSites() {
	if l.roster == nil || l.roster.Participants == nil || l.roster.Axis != "" {
		return
	}
	table := l.roster.Participants
	asks := map[string][]string{} // stages by the column that they lack
	for _, s := range l.stages {
		for i := range s.nodes {
			by := role.Within(s.nodes[i].Work)
			if by == "" || !folds.OfCohort(&s.nodes[i]) || columnOf(table, by) ||
				slices.Contains(asks[by], s.name) {
				continue
			}
			asks[by] = append(asks[by], s.name)
			if s.with != nil && s.with.Get("within") != nil {
				l.bad.Add(s.with.Get("within").Pos, "stage %s: within: the participants have no column %q%s", s.name, by,
					words.OrAll(by, columnNames(table)))
			}
		}
	}
	for _, name := range l.sites {
		n := column.Categories(table, name)
		if n < 2 || name == "group" {
			continue
		}
		l.notes = append(l.notes, column.DoubtSites(table, name)...)
		if stages := asks["site"]; stages != nil && column.NamesSite(name) {
			l.doubt(column.DoubtSite, "column %s has %d values: if it is the site, set within: %s in %s; labels are permuted within site, and there is no column site",
				name, n, name, words.Some(stages, 4))
		}
	}
}

func columnOf(t *encoding.Table, name string) bool {
	_, ok := t.Column(name)
	return ok
}

func columnNames(t *encoding.Table) (names []string) {
	for _, c := range t.Columns[1:] {
		names = append(names, c.Name)
	}
	return names
}
