package pipelines

import (
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/stages/column"
)

// A blocked Stage permutes labels within the values of a column of the participants, its parameter within: where there
// is no such column, over all participants. The column is "" where it permutes nothing.
type blocked interface{ PermutesWithin() string }

// checkSites refuses a within that names no column of the participants, and notes the columns that hold the site under
// another name than that which the stages look for.
func (l *loader) checkSites() {
	if l.roster == nil || l.roster.Participants == nil || l.roster.Axis != "" {
		return
	}
	table := l.roster.Participants
	asks, used := map[string][]string{}, map[string]bool{} // stages by the column that they lack
	for _, s := range l.stages {
		for i := range s.nodes {
			work, ok := s.nodes[i].Work.(blocked)
			if !ok {
				break
			}
			by := work.PermutesWithin()
			if by == "" || !takesParticipants(&s.nodes[i]) {
				continue
			}
			if used[by] = true; columnOf(table, by) || slices.Contains(asks[by], s.name) {
				continue
			}
			asks[by] = append(asks[by], s.name)
			if s.with != nil && s.with.Get("within") != nil {
				l.bad.Add(s.with.Get("within").Pos, "stage %s: within: the participants have no column %q%s", s.name, by,
					words.OrAll(by, columnNames(table)))
			}
		}
	}
	stages := asks["site"]
	for _, c := range table.Columns {
		if stages == nil || used[c.Name] || l.uses(c.Name) || !column.NamesSite(c.Name) {
			continue
		}
		if n := categories(table, c.Name); n > 1 {
			l.note("column %s has %d values: %s, set within: %s in %s; labels are permuted within site, and there is no column site",
				c.Name, n, column.IfSite, c.Name, words.Some(stages, 4))
		}
	}
}

// uses reports whether a parameter of a stage of the file names a column, as site, leave_out and stratify_by do.
func (l *loader) uses(name string) bool {
	var names func(t *tree.Node) bool
	names = func(t *tree.Node) bool {
		return t != nil && (t.Kind == tree.Scalar && t.Text == name || slices.ContainsFunc(t.Items, names) ||
			slices.ContainsFunc(t.Keys, func(k tree.Key) bool { return names(k.Value) }))
	}
	return slices.ContainsFunc(l.stages, func(s *stage) bool { return names(s.with) })
}

// takesParticipants reports whether a task takes the cohort's own participants.
func takesParticipants(n *dag.Node) bool {
	return slices.ContainsFunc(n.Inputs, func(b dag.Binding) bool {
		return b.Port == "participants" && len(b.Sources) == 1 && b.Sources[0].Node != nil &&
			b.Sources[0].Node.Stage.Name == "cohort"
	})
}

// categories is how many values a column of few values has; 0 for one of identifiers or of many numbers.
func categories(t *encoding.Table, name string) int {
	values, err := t.Strings(name)
	seen := map[string]bool{}
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" && !strings.EqualFold(v, "n/a") {
			seen[v] = true
		}
	}
	if err != nil || 2*len(seen) > t.Rows() {
		return 0
	}
	return len(seen)
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
