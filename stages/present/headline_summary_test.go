package present

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// In the summary, with a ranking of two settings.
func TestSummaryNamesTheRegionsOfTheHeadline(t *testing.T) {
	table, other := rankingOf("topk", "cuneus", "lingual"), rankingOf("sage", "insula", "lingual")
	for i, c := range table.Columns {
		table.Columns[i].Values = appended(c.Values, other.Columns[i].Values)
	}
	in := map[string][]dag.Input{"ranking": {dag.InputOf(table)}}
	a := newAuthor(section.NewWriter(dag.NewTask(in)), []string{"pool=sage"})
	a.top, a.Section.Title = 1, "Regions"
	a.regions()
	need.NoError(t, a.Err())
	a.Page.Sections = []report.Section{*a.Section}
	if text := a.Page.Text(); !strings.Contains(text, "of the headline (SAGE)") || !strings.Contains(text, "insula") ||
		strings.Contains(text, "cuneus") {
		t.Errorf("the regions are not those of the headline:\n%s", text)
	}
}

// rankingOf is a ranking of two regions by one setting.
func rankingOf(pool, first, second string) *encoding.Table {
	columns := []encoding.Column{{Name: "pool", Values: []string{pool, pool}}, {Name: "rank", Values: []int32{1, 2}},
		{Name: "index", Values: []int32{1, 2}},
		{Name: "name", Values: []string{first, second}}, {Name: "abbreviation", Values: []string{first, second}}}
	for _, name := range []string{"score", "ci_low", "ci_high", "frequency", "contrast", "p", "q"} {
		columns = append(columns, encoding.Column{Name: name, Values: []float64{1, 2}})
	}
	return encoding.NewTable(columns...)
}

func appended(a, b any) any {
	switch a := a.(type) {
	case []string:
		return append(a, b.([]string)...)
	case []int32:
		return append(a, b.([]int32)...)
	}
	return append(a.([]float64), b.([]float64)...)
}
