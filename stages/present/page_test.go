package present

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/stagetest"
)

// Tables and figures are numbered from 1 in their order.
func TestTablesAndFiguresAreNumbered(t *testing.T) {
	page, _ := pageOfMany(t)
	need.NoError(t, page.Check())
	tables, figures := 0, 0
	for _, s := range page.Sections {
		for _, b := range s.Blocks {
			if b.Table != nil && !b.Table.Supplement {
				tables++
				need.Equal(t, b.Table.Label(), fmt.Sprintf("Table %d", tables))
			}
			for _, f := range b.Figures {
				figures++
				need.Equal(t, f.Label(), fmt.Sprintf("Figure %d", figures))
			}
			if b.Figure != nil {
				figures++
				need.Equal(t, b.Figure.Label(), fmt.Sprintf("Figure %d", figures))
			}
		}
	}
	if tables < 4 || figures < 4 {
		t.Errorf("%d tables, %d figures", tables, figures)
	}
}

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
	page := need.Value((&Report{Top: 5}).Page(dag.NewTask(shown)))(t)
	return page, shown
}

// maskingTable is the table of masking of a page.
func maskingTable(t *testing.T, page *report.Page) *report.Table {
	t.Helper()
	for _, s := range page.Sections {
		for _, b := range s.Blocks {
			if b.Table != nil && strings.Contains(b.Table.Caption, "masking") {
				return b.Table
			}
		}
	}
	t.Fatal("the page has no table of masking")
	return nil
}

// The note of the masking table says which draws were masked, as the table has it; an older table does not say. It
// says that several p are not corrected.
func TestFidelityNamesItsDraws(t *testing.T) {
	_, in := pageOfMany(t)
	for _, c := range []struct {
		graphs []string
		k      []int32
		want   string
	}{
		{[]string{"graph 1 of 10"}, []int32{2}, "Computed in test participants; masked: graph 1 of 10 of each participant. A removed region loses its edges and its row and column of features. Accuracies are per participant, from the mean probability over the participant's graphs, and averaged over the models, not pooled. p is computed with 19 random choices, so it cannot be below 0.05."},
		{nil, []int32{2, 3}, "Computed in test participants. A removed region loses its edges and its row and column of features. Accuracies are per participant, from the mean probability over the participant's graphs, and averaged over the models, not pooled. p is computed with 19 random choices, so it cannot be below 0.05, and is not corrected for the 2 rows."},
	} {
		var rows []column.FidelityRow
		for _, k := range c.k {
			rows = append(rows, column.FidelityRow{Action: "remove", K: k, Participants: 4, Choices: 19,
				Graphs: c.graphs})
		}
		in["fidelity"] = []dag.Input{dag.InputOf(column.Table(rows))}
		page := need.Value((&Report{Top: 5}).Page(dag.NewTask(in)))(t)
		need.Equal(t, maskingTable(t, page).Note, c.want, c.graphs)
		need.Equal(t, strings.Contains(strings.Join(page.Cautions, "\n"), "Masking changes no prediction"), true)
	}
}

// Tests against permuted labels and the individuality of scores have their tables, and a text where they have one.
func TestNullAndIndividualityAreShown(t *testing.T) {
	in := map[string][]dag.Input{
		"null": {dag.InputOf(column.Table([]column.NullRow{{Index: 1, Name: "a", Abbreviation: "A", Q: 0.01, PAny: 0.01,
			Permutations: 99}, {Index: 2, Name: "b", Abbreviation: "B", Q: 0.9, PAny: 0.9, Permutations: 99}}))},
		"individuality": {dag.InputOf(column.Table([]column.IndividualityRow{
			{Setting: "λ2 0", Lambda2: 0, Individual: 0.4, IndividualLow: 0.3, IndividualHigh: 0.5, K: 2, Jaccard: 0.2},
			{Setting: "λ2 1", Lambda2: 1, Individual: 0.2, IndividualLow: 0.1, IndividualHigh: 0.3, K: 2,
				Jaccard: 0.6}}))},
	}
	w := section.NewWriter(dag.NewTask(in))
	w.Pictures = true
	a := newAuthor(w, nil)
	a.null(nil)
	a.individuality()
	need.NoError(t, a.Err())
	var shown []string
	for _, b := range a.Section.Blocks {
		if shown = append(shown, b.Text); b.Table != nil {
			shown = append(shown, fmt.Sprintf("%s (%d)", b.Table.Caption, len(b.Table.Rows)))
		}
	}
	need.Equal(t, strings.Join(strings.Fields(strings.Join(shown, " ")), " "), "1 region exceeds models retrained on 99 label "+
		"permutations (q < 0.05): A. Regions compared with models retrained on permuted labels (2) Individual or group level (2)")
}

// A small drop has as many decimals as its SD needs.
func TestFidelityOfSmallDrops(t *testing.T) {
	for _, c := range []struct {
		sd         float64
		drop, text string
	}{
		{0.25, "0.012", "−0.003 ± 0.250"},
		{0.00032, "0.0123", "−0.0032 ± 0.0003"},
		{0, "0.012", "−0.003 ± 0.000"},
		{1e-9, "0.012340", "−0.003210 ± < 0.000001"},
	} {
		rows := []column.FidelityRow{{Action: "keep", K: 2, Drop: 0.01234, RandomDrop: -0.00321, RandomSD: c.sd,
			Choices: 19}}
		in := map[string][]dag.Input{"fidelity": {dag.InputOf(column.Table(rows))}}
		a := newAuthor(section.NewWriter(dag.NewTask(in)), nil)
		a.fidelity()
		need.NoError(t, a.Err())
		cells := lists.Map(a.Section.Blocks[0].Table.Rows[0], func(cell report.Cell) string { return cell.Text })
		for _, want := range []string{c.drop, c.text} {
			if !slices.Contains(cells, want) {
				t.Errorf("SD %g: no %q in %q", c.sd, want, cells)
			}
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
	for _, text := range slices.Concat([]string{page.Answer}, page.Abstract, page.Results, page.Cautions) {
		check(text, true)
	}
	for _, s := range page.Sections {
		check(s.Title, true)
		for _, b := range s.Blocks {
			for _, text := range slices.Concat([]string{b.Text, b.Note, b.Heading}, b.List, b.References) {
				check(text, true)
			}
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
		picture := need.Value(url.PathUnescape(html.UnescapeString(m[1])))(t)
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

// A 0 that stands for another value is shown with what it stands for.
func TestParametersShowWhatIsInForce(t *testing.T) {
	for _, c := range []struct {
		value      []string
		zero, want string
	}{
		{[]string{"0"}, "the default, 100", "0: the default, 100"}, {[]string{"20"}, "the default, 100", "20"},
		{[]string{"0"}, "", "0"}, {nil, "half", ""},
		{[]string{"0.5"}, "half", "0.5"}, {[]string{"0", "1"}, "half", "0, 1"},
	} {
		need.Equal(t, inForce(c.value, c.zero), c.want)
	}
}
