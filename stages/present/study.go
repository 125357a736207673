package present

import (
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
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
