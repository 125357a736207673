package present

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
	"prgnn/stages/stagetest"
)

// pageOfMany is the page of several settings, with supplementary tables and figures.
func pageOfMany(t *testing.T) (*report.Page, map[string][]dag.Input) {
	t.Helper()
	in := referenced(60, 12, 4, 8)
	made := stagetest.MustRun(t, stagetest.Fresh("biomarkers", "top", 4, "resamples", 100), in)
	predictions := slices.Concat(unevenRun("train", "pr-gnn"), unevenRun("baselines", "majority"))
	evaluated := stagetest.MustRun(t, stagetest.Fresh("evaluate", "permutations", 99),
		map[string][]dag.Input{"predictions": predictions})
	shown := stagetest.ReportInputs("sub-01", "ASD", "HC")
	shown["evaluation"], shown["scores"], shown["predictions"] = []dag.Input{dag.InputOf(evaluated["summary"])},
		[]dag.Input{dag.InputOf(evaluated["scores"])}, predictions
	for _, port := range []string{"ranking", "recovery", "consistency"} {
		shown[port] = []dag.Input{dag.InputOf(made[port])}
	}
	page, err := (&Report{Top: 5}).Page(dag.NewTask(shown))
	if err != nil {
		t.Fatal(err)
	}
	return page, shown
}

// Tables and figures are numbered from 1 in their order; the text points to each that is not supplementary.
func TestTablesAndFiguresAreReferredTo(t *testing.T) {
	page, _ := pageOfMany(t)
	if err := page.Check(); err != nil {
		t.Fatal(err)
	}
	said := ""
	var labels []string
	for _, s := range page.Sections {
		for _, b := range s.Blocks {
			said += b.Text + " " + b.Lead + " "
			if b.Table != nil && !b.Table.Supplement {
				labels = append(labels, b.Table.Label())
			}
			if b.Figure != nil {
				labels = append(labels, b.Figure.Label())
			}
			for _, f := range b.Figures {
				labels = append(labels, f.Label())
			}
		}
	}
	said = regexp.MustCompile(`Figures (\d+)–(\d+)`).ReplaceAllString(said, "Figure $1 Figure $2")
	for _, label := range labels {
		if !regexp.MustCompile(regexp.QuoteMeta(label) + `\b`).MatchString(said) {
			t.Errorf("the text does not refer to %s", label)
		}
	}
	if len(labels) < 8 {
		t.Errorf("%d tables and figures are too few to test anything", len(labels))
	}
}

// The note of the masking table says which draws were masked, as the table has it; an older table does not say.
func TestFidelityNamesItsDraws(t *testing.T) {
	_, in := pageOfMany(t)
	for _, c := range []struct{ graphs, want string }{
		{"random draw 1 of 10", "In test participants; masked: random draw 1 of 10 of each. A removed region"},
		{"", "In test participants. A removed region"},
	} {
		row := column.FidelityRow{Action: "remove", K: 2, Participants: 4, Choices: 19, Graphs: c.graphs}
		in["fidelity"] = []dag.Input{dag.InputOf(column.Table([]column.FidelityRow{row}))}
		page, err := (&Report{Top: 5}).Page(dag.NewTask(in))
		if err != nil {
			t.Fatal(err)
		}
		notes := ""
		for _, s := range page.Sections {
			for _, b := range s.Blocks {
				if b.Table != nil {
					notes += b.Table.Note + "\n"
				}
			}
		}
		if !strings.Contains(notes, c.want) {
			t.Errorf("%q: no %q in\n%s", c.graphs, c.want, notes)
		}
	}
}

// Both renderings show every word and every number of a page, but for supplements and figures in the text.
func TestRenderingsShowThePage(t *testing.T) {
	page, in := pageOfMany(t)
	encoded := string(stagetest.Encoded(t, stagetest.MustRun(t, &Report{Top: 5}, in)["page"]))
	words := func(s string) string { return strings.Join(strings.Fields(s), "") }
	plain := words(page.Text())
	shown := words(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(encoded, "")))
	check := func(text string, inText bool) {
		if !strings.Contains(shown, words(text)) {
			t.Errorf("HTML does not show %q", text)
		}
		if inText && !strings.Contains(plain, words(text)) {
			t.Errorf("the text does not show %q", text)
		}
	}
	for _, text := range slices.Concat(page.Abstract, page.Cautions) {
		check(text, true)
	}
	for _, s := range page.Sections {
		check(s.Title, true)
		for _, b := range s.Blocks {
			for _, text := range slices.Concat([]string{b.Text, b.Note, b.Heading}, b.List, b.References) {
				check(text, true)
			}
			check(b.Lead, false)
			if b.Table == nil {
				continue
			}
			check(b.Table.Caption, !b.Table.Supplement)
			check(b.Table.Note, !b.Table.Supplement)
			for _, row := range b.Table.Rows {
				for _, c := range row {
					check(c.Text, !b.Table.Supplement && len(c.Text) < 12) // longer cells may wrap around others
				}
			}
		}
	}
	var pictures []string
	for _, m := range regexp.MustCompile(`src="data:image/svg\+xml;charset=utf-8,([^"]*)"`).FindAllStringSubmatch(encoded, -1) {
		picture, err := url.PathUnescape(html.UnescapeString(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, picture)
	}
	for _, b := range page.Sections {
		for _, one := range b.Blocks {
			if one.Figure != nil && !slices.Contains(pictures, string(one.Figure.Data)) {
				t.Errorf("HTML does not show %s", one.Figure.Label())
			}
		}
	}
}
