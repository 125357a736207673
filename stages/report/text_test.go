package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"prgnn/internal/need"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}}, {"one", []string{"one"}}, {"one two", []string{"one", "two"}},
		{"a b c d", []string{"a b c", "d"}},
		{"größer als", []string{"größer", "als"}}, {"a p = 1 b", []string{"a", "p = 1", "b"}},
		{"a p < 2", []string{"a", "p < 2"}},
		{"abcdefghijkl m", []string{"abcdefghijkl", "m"}},
	} {
		if got := wrap(c.text, 5); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestTextOfTables: no line is wider than a terminal, no word and no number is broken, and a table of many columns
// comes in parts of about the same width, each with what its rows are of.
func TestTextOfTables(t *testing.T) {
	number := strings.Repeat("1", 12)
	table := &Table{Keys: 2, Caption: "Caption", Heads: []Head{{Text: "first model"}, {Text: "second"}}}
	row := []Cell{{Text: "a model so called"}, {Text: "other"}}
	for range 6 {
		table.Heads = append(table.Heads, Head{Text: "mean accuracy", Number: true})
		row = append(row, Cell{Text: number})
	}
	table.Rows = [][]Cell{row, row}
	w := &textWriter{}
	w.table(table)
	text := w.String()
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(line) > Width+1 {
			t.Errorf("too wide: %s", line)
		}
	}
	for want, n := range map[string]int{number: 2 * 6, "\n    a model so called  other": 2 * 2, "first model": 2,
		"accuracy": 6, "\n\n": 1} {
		need.Equal(t, strings.Count(text, want), n, want, text)
	}
	// The name of one row may take several lines, and a word that is longer than a line is whole.
	long := strings.Repeat("x", Width)
	w = &textWriter{}
	w.table(&Table{Heads: []Head{{Text: "name"}, {Text: "n", Number: true}},
		Rows: [][]Cell{{{Text: strings.Repeat("word ", 30)}, {Text: "12"}}, {{Text: long}, {Text: "13"}}}})
	for _, want := range []string{long, "12", "13", "word word"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("%q is missing in\n%s", want, w)
		}
	}
}

// The claim of a long caution is a whole clause; a short caution is not divided.
func TestClaims(t *testing.T) {
	for text, want := range map[string]string{
		"A has a higher accuracy than B (0.949 vs. 0.907); report both":                                                          "",
		"At STANFORD (AUC 0.97, p = 0.002 after correction), the covariate alone distinguishes the groups, and on and on and on": "",
		"Bytes \xff( of no \xfftext) ": "",
		"Two models share 5.0 of 10 regions (1.2 expected by chance), so the ranking differs between trainings, which differ in the split":                                 "Two models share 5.0 of 10 regions (1.2 expected by chance)",
		"The ranking (0 of 10, AUROC 0.43) is worse than that by untrained models (AUROC 0.00; p = 0.036): corrected resampled t-test, Holm's correction for 4 references": "The ranking (0 of 10, AUROC 0.43) is worse than that by untrained models (AUROC 0.00; p = 0.036)",
		"A, band all: the tests disagree (accuracy p = 0.060 (retrained); AUC p = 0.025 (retrained)); likewise, with other values, 11 settings and 3 seeds of the same":    "A, band all: the tests disagree (accuracy p = 0.060 (retrained); AUC p = 0.025 (retrained))",
		"The series differ, as they would after different processing. If the processing differs, a classifier may have learned it":                                         "The series differ, as they would after different processing",
		"Li et al. 2019 has values of 0.5. 3 of them are in the table of the supplement, and so on and on and on and on":                                                   "",
		"A line (that is not closed; and so on and on and on and on and on and on. And on and on and on and on and on":                                                     "",
	} {
		claim, rest := claimOf(text)
		if want == "" {
			need.Equal(t, claim+"|"+rest, text+"|")
			continue
		}
		need.Equal(t, claim, want)
		need.Equal(t, claim+rest, text)
	}
	page := written(t, &Page{Title: "a", Abstract: []string{"b"},
		Cautions: []string{"A claim (" + strings.Repeat("why ", 60) + ")"}})
	need.Equal(t, strings.Contains(page, "<li><details><summary>A claim</summary> (why "), true)
}
