package pipelines

import (
	"slices"

	"prgnn/internal/words"
	"prgnn/pipelines/folds"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// checkNamed refuses parameters that name a column or a group which the participants do not have: their stages would
// fail, after the hours of those before them.
func (l *loader) checkNamed() {
	if l.roster == nil || l.roster.Participants == nil || l.roster.Axis != "" {
		return
	}
	table, groups := l.roster.Participants, l.predictedGroups()
	said := map[string]bool{}
	for _, s := range l.stages {
		refuse := func(parameter, what, name string, have []string) {
			if key := s.name + " " + parameter + " " + name; !said[key] && !slices.Contains(have, name) {
				said[key] = true
				l.bad.Add(placeOf(s.pos, s.with)(parameter), "stage %s: %s: %s %q%s", s.name, parameter, what, name,
					words.OrAll(name, have))
			}
		}
		for i := range s.nodes {
			n := &s.nodes[i]
			for _, read := range role.Readings(n.Work) {
				switch {
				case read.Needed && folds.OfCohort(n):
					refuse(read.Parameter, "the participants have no column", read.Name, columnNames(table))
				case read.Group && groups != nil:
					refuse(read.Parameter, "there is no group", read.Name, groups)
				}
			}
		}
	}
}

// predictedGroups are the groups that all stages of the file predict, sorted; nil where some predict something else, or
// it is not known.
func (l *loader) predictedGroups() []string {
	divided := false
	for _, s := range l.stages {
		for i := range s.nodes {
			if d, ok := s.nodes[i].Work.(role.Divider); ok {
				if d.Divides() != "group" || !folds.OfCohort(&s.nodes[i]) {
					return nil
				}
				divided = true
			}
		}
	}
	_, group, err := column.ByParticipant(l.roster.Participants, "group")
	if !divided || err != nil {
		return nil
	}
	var groups []string
	for _, g := range group {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}
