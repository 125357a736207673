package present

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/present/checklist"
	"prgnn/stages/present/section"
	"prgnn/stages/role"
)

// study is the section of what the authors state.
func (a *author) study() {
	type row struct{ About, Text string }
	rows := lists.Map(section.Rows[column.Statement](a.Writer, column.StudyPort), func(s column.Statement) row {
		at := slices.IndexFunc(column.Study, func(k column.StudyKey) bool { return k.Key == s.Key })
		if at < 0 {
			return row{s.Key, s.Text}
		}
		return row{column.Study[at].About, s.Text}
	})
	if len(rows) > 0 {
		a.Table(section.Lay(a.Writer, "study.stated", nil, rows, "about | text"))
	}
}

// Checklists are the reporting checklists.
func (*Report) Checklists() []string { return checklist.Names() }

// Checklist fills a checklist from the page of the inputs that are there.
func (s *Report) Checklist(t *dag.Task, of role.Partial, name string) (all []role.File, err error) {
	at := slices.Index(checklist.Names(), name)
	if at < 0 {
		return nil, fmt.Errorf("there is no checklist %q (available: %s)", name, strings.Join(checklist.Names(), ", "))
	}
	a, err := s.written(t, of)
	if err != nil {
		return nil, err
	}
	filled, err := checklist.Lists[at].Fill(a.Writer, section.Rows[column.Statement](a.Writer, column.StudyPort))
	if err != nil {
		return nil, err
	}
	for _, ending := range checklist.Endings() {
		all = append(all, role.File{Name: ending,
			Text: func() ([]byte, error) { return checklist.Formats[ending](filled) }})
	}
	return all, nil
}
