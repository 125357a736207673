package present

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/report"
)

// The regions, and all that is said of them, are those of the headline, which is named; a
// ranking that has not got it says so.
func TestRegionsFollowTheHeadline(t *testing.T) {
	settings := []string{"pool=topk lambda=0.1-0", "pool=topk lambda=0.1-0", "pool=sage lambda=0.1-0"}
	for _, c := range []struct {
		settings, headline []string
		want, said         string
	}{
		{settings, nil, settings[0], " of the first of 2 settings (TopK, λ 0.1-0)"},
		{settings, []string{"pool=sage"}, settings[2], " of the headline (SAGE, λ 0.1-0)"},
		{settings, []string{"stage=train", "lambda=0.1-0", "pool=sage"}, settings[2], " of the headline (SAGE, λ 0.1-0)"},
		{settings, []string{"pool=mean"}, settings[0], " of TopK, λ 0.1-0, not of the headline"},
		{settings[:1], []string{"pool=topk"}, settings[0], ""},
		{settings[:1], nil, settings[0], ""},
		{[]string{""}, []string{"stage=train"}, "", ""},
		{[]string{"stage=a", "stage=b"}, []string{"stage=b"}, "stage=b", " of the headline (b)"},
	} {
		a := &author{headline: c.headline}
		if got, said := a.regionsOf(c.settings); got != c.want || said != c.said {
			t.Errorf("headline %v of %q: %q, %q; want %q, %q", c.headline, c.settings, got, said, c.want, c.said)
		}
	}
}

// In the summary, with a ranking of two settings.
func TestSummaryNamesTheRegionsOfTheHeadline(t *testing.T) {
	table, other := rankingOf("topk", "cuneus", "lingual"), rankingOf("sage", "insula", "lingual")
	for i, c := range table.Columns {
		table.Columns[i].Values = appended(c.Values, other.Columns[i].Values)
	}
	a := &author{top: 1, headline: []string{"pool=sage"},
		t: dag.NewTask(map[string][]dag.Input{"ranking": {dag.InputOf(table)}}), page: &report.Page{},
		section: &report.Section{Title: "Regions"}}
	if err := a.regions(); err != nil {
		t.Fatal(err)
	}
	a.page.Sections = []report.Section{*a.section}
	if text := a.page.Text(); !strings.Contains(text, "of the headline (SAGE)") || !strings.Contains(text, "insula") ||
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
