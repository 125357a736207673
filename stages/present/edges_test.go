package present

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/stagetest"
)

// edgeInputs are those of a test of three regions.
func edgeInputs(row column.EdgeSummaryRow) map[string][]dag.Input {
	edge := func(source, target int32, t float64, significant bool) column.EdgeTestRow {
		return column.EdgeTestRow{Source: source, Target: target, Statistic: t, Estimate: t / 10, EstimateLow: t/10 - 1,
			EstimateHigh: t/10 + 1, Effect: t / 5, EffectLow: t/5 - 1, EffectHigh: t/5 + 1, P: 0.01, Q: 0.02,
			PMax:   0.03,
			PTFNBS: 0.04, TFNBS: 2 * t, Component: 1, Significant: significant}
	}
	row.Participants, row.Degrees, row.Edges, row.Permutations, row.Threshold, row.LeastP = 30, 27, 2, 99, 2.5, 0.03
	return map[string][]dag.Input{
		"participants": {dag.InputOf(stagetest.SomeParticipants(30, "A", "B"))},
		"nodes":        {dag.InputOf(stagetest.NodesOf("left", "right", "middle"))},
		"edge_tests":   {dag.InputOf(column.Table([]column.EdgeSummaryRow{row}))},
		"edges": {dag.InputOf(column.Table([]column.EdgeTestRow{edge(1, 2, 2.6, false), edge(1, 3, -3.7, true),
			edge(2, 3, math.NaN(), false)}))},
		"edge_components": {dag.InputOf(column.Table([]column.ComponentRow{{Threshold: 2.5, Tested: true, Component: 1,
			Edges: 2, Intensity: 1.3, Nodes: []int32{1, 2, 3}, P: 0.02, PIntensity: 0.5},
			{Threshold: 3, Component: 1, Edges: 1, Nodes: []int32{1, 3}, P: 0.9}}))},
		"edge_null": {dag.InputOf(column.Table([]column.EdgeNullRow{{Permutation: 1, Largest: 2, Edges: 1},
			{Permutation: 2, Largest: 4, Edges: 3, TFNBS: 7}}))},
	}
}

// A change between sessions with other motion is a limit, and what it is adjusted for is the change of motion.
func TestEdgesOfMovedSessions(t *testing.T) {
	for second, want := range map[float64]bool{0.1: false, 0.2: true} {
		in := edgeInputs(column.EdgeSummaryRow{Design: "change", Test: "session", Sessions: []string{"01", "02"},
			Groups: []string{"01", "02"}, Statistic: "t", Effect: "d", Correction: "max-t",
			Covariates: []string{"mean_fd"}})
		for i := range 3 {
			for ses, fd := range map[string]float64{"01": 0.1, "02": second} {
				in["cleaning"] = append(in["cleaning"], dag.InputOf(column.Table([]column.CleaningRow{{MeanFD: fd}}),
					dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%02d", i+1)},
					dag.Coord{Axis: "session", Value: ses}))
			}
		}
		out := stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"]
		text := strings.Join(strings.Fields(string(out.(artifacts.Bytes).Data)), " ")
		need.Equal(t, strings.Contains(text, "adjusted for the change of mean framewise displacement"), true, text)
		need.Equal(t, strings.Contains(text, "Head motion differs between the sessions 01 and 02"), want, text)
	}
}

// TestEdges: the section of each design and correction has its numbers, the strongest edge first; only the tested
// threshold's components are in the table.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		row  column.EdgeSummaryRow
		want []string
	}{
		{column.EdgeSummaryRow{Design: "groups", Groups: []string{"A", "B"}, Counts: []int32{14, 16},
			Statistic: "t", Effect: "d",
			Correction: "max-t", Significant: 1, Covariates: []string{"age", "site"}, Within: "site"},
			[]string{"between A and B (B minus A) in 30",
				"14 A, 16 B", "adjusted for age and site, with permutations within site. 1 edge",
				"the first 2 of 2, adjusted for age and site, with permutations within site", "1 edge is significant"}},
		{column.EdgeSummaryRow{Design: "groups", Groups: []string{"A", "B"}, Counts: []int32{14, 16}, Statistic: "t",
			Effect: "d", Correction: "max-t", Significant: 1, Within: "site", Family: "fam"},
			[]string{"16 B), with permutations within site and of whole families (fam). 1 edge"}},
		{column.EdgeSummaryRow{Design: "groups", Groups: []string{"A", "B"}, Counts: []int32{14, 16}, Statistic: "t",
			Effect: "d", Correction: "max-t", Significant: 1, Family: "fam"},
			[]string{"16 B), with permutations of whole families (fam). 1 edge"}},
		{column.EdgeSummaryRow{Design: "groups", Groups: []string{"A", "B"}, Counts: []int32{14, 16}, Statistic: "t",
			Effect: "d", Correction: "max-t", Significant: 1, Family: "match_id"},
			[]string{"16 B), with permutations of whole matched sets (match_id). 1 edge"}},
		{column.EdgeSummaryRow{Design: "several groups", Groups: []string{"A", "B", "C"}, Statistic: "F",
			Effect: "partial eta squared", Correction: "tfnbs", MissingEdges: 434}, []string{"A, B and C",
			"No edge is significant", "largest F", "434 more edges were not tested, because at least one participant lacks a region"}},
		{column.EdgeSummaryRow{Design: "number", Test: "age", Statistic: "t", Effect: "partial r", Correction: "bh",
			Significant: 2}, []string{"association with age", "2 edges are significant", "q 0.030"}},
		{column.EdgeSummaryRow{Design: "change", Sessions: []string{"01", "02"}, Statistic: "t", Effect: "d",
			Correction: "nbs", Size: "edges", Tail: "left", Components: 1}, []string{"sessions 01 and 02 (02 minus 01) in 30", "1 component of edges above −t = 2.50",
			"(network-based statistic, one-sided, for edges where session 02 has smaller values at the level",
			"makes no claim about single edges"}},
		{column.EdgeSummaryRow{Design: "groups", Groups: []string{"A", "B"}, Sessions: []string{"01", "02"},
			Statistic: "t",
			Effect:    "d", Correction: "nbs", Size: "intensity", Tail: "both"}, []string{"a difference between A and B of the change between the sessions 01 and 02 (B minus A; change: 02 minus 01) in 30",
			"No component"}},
		{column.EdgeSummaryRow{Design: "number", Test: "age", Sessions: []string{"01", "02"}, Statistic: "t",
			Effect: "partial r", Correction: "bh"}, []string{"with age of the change between the sessions 01 and 02 (change: 02 minus 01) in 30"}},
	} {
		in := edgeInputs(c.row)
		page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
		need.Equal(t, strings.Contains(page, "Three views of a brain with lines between regions: 1 edge"), true, c.row)
		tiles := page[strings.Index(page, `<dl class="tiles `):]
		need.Equal(t, strings.Contains(tiles[:strings.Index(tiles, "</dl>")], "A brain from above with lines between regions: 1 edge"),
			true, c.row)
		corrected := map[string]string{"max-t": "family-wise error by the largest statistic", "bh": "false discovery rate",
			"tfnbs": "family-wise error by threshold-free", "nbs": "network-based statistic"}[c.row.Correction]
		value := fmt.Sprintf(`<span class="value">%d of 2</span>`, c.row.Significant)
		for _, want := range []string{value, `<span class="small">` + corrected} {
			need.Equal(t, strings.Contains(tiles[:strings.Index(tiles, "</dl>")], want), true, c.row.Correction, want)
		}
		if n := strings.Count(page, "<figure"); n < 2 && c.row.Correction != "bh" {
			t.Errorf("%s: %d figures", c.row.Design, n)
		}
		above := map[string]string{"groups": "B has larger values", "number": "values increase with age",
			"change": "session 02 has larger values"}[c.row.Design]
		if c.row.Sessions != nil {
			above = strings.Replace(above, "B has larger values", "B has larger changes", 1)
			above = strings.Replace(above, "values increase", "changes increase", 1)
		}
		text := strings.Join(strings.Fields(page), " ")
		for _, of := range []string{"; red where " + above + ". Below", "; red where " + above + ", blue: the opposite",
			"above 0 where " + above} {
			need.Equal(t, strings.Contains(text, of), above != "", c.row.Design, of)
		}
		need.Equal(t, strings.Contains(text, "adjusted for the covariates"), c.row.Covariates != nil)
		delete(in, "edge_null")
		out := stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"]
		text = strings.Join(strings.Fields(string(out.(artifacts.Bytes).Data)), " ")
		for _, want := range append(c.want, "2 edges were tested", "in 30 participants", "1 2 3 1.3 0.020 0.500") {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %s: no %q in %s", c.row.Design, c.row.Correction, want, text)
			}
		}
		first, second := strings.Index(text, "−3.70"), strings.Index(text, "2.60")
		need.Equal(t, first > 0 && first < second, true, "the strongest edge first")
	}
}

// A change between sessions in participants of two groups is stated to be over both, wherever the test is described.
func TestChangeOverBothGroups(t *testing.T) {
	found := finding.Finding{Code: finding.GroupsPooled, Weight: finding.Limits, Numbers: map[string]any{
		"Groups": []finding.GroupSize{{Name: "1", N: 14}, {Name: "DRUG", N: 16}}, "Sessions": []string{"01", "02"}}}
	for _, pooled := range []bool{true, false} {
		in := edgeInputs(column.EdgeSummaryRow{Design: "change", Test: "session", Sessions: []string{"01", "02"},
			Groups: []string{"01", "02"}, Statistic: "t", Effect: "d", Correction: "max-t", Significant: 1})
		if pooled {
			table := need.Value(in["edge_tests"][0].Table())(t)
			table.Meta = map[string]string{finding.Meta: finding.Written(finding.List{found})}
			in["edge_tests"][0] = dag.InputOf(table)
		}
		page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
		text := strings.Join(strings.Fields(page), " ")
		const over = "sessions 01 and 02 (02 minus 01) over both groups together (14 labeled 1, 16 DRUG)"
		need.Equal(t, strings.Count(text, over) >= 3, pooled) // result, tile, caption
		need.Equal(t, strings.Contains(text, "(group × session)"), pooled)
		need.Equal(t, strings.Contains(text, over+" in 30 participants"), pooled)
	}
}

// Regions without a name in the test have that of the page's node list, or are stated to be numbers; an estimate in
// small units has its digits.
func TestEdgesNameTheirRegions(t *testing.T) {
	in := edgeInputs(column.EdgeSummaryRow{Design: "number", Test: "age", Statistic: "t", Effect: "partial r",
		Correction: "bh"})
	in["edges"] = []dag.Input{dag.InputOf(column.Table([]column.EdgeTestRow{{Source: 1, Target: 3, Statistic: 3,
		Estimate: 0.0004123, EstimateLow: -0.0002, EstimateHigh: 0.0011}, {Source: 1, Target: 2, Statistic: math.NaN()},
		{Source: 2, Target: 3, Statistic: math.NaN()}}))}
	for _, want := range []string{">left<", ">number in the node list<"} {
		page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
		need.Equal(t, strings.Contains(page, want), true, want)
		need.Equal(t, strings.Contains(tag.ReplaceAllString(page, ""), "0.00041 (−0.00020 to 0.00110)"), true)
		delete(in, "nodes")
	}
}

// The number of significant edges stands at the top of a page without a brain, and of the terminal's text, too.
func TestEdgesWithoutPlaces(t *testing.T) {
	for significant, is := range map[int32]bool{1: true, 0: false} {
		in := edgeInputs(column.EdgeSummaryRow{Design: "groups", Groups: []string{"A", "B"}, Counts: []int32{14, 16},
			Statistic: "t", Effect: "d", Correction: "max-t", Significant: significant, Edges: 2})
		note := column.Note{Text: "it questions", Doubt: column.DoubtEntity}
		in["notes"] = []dag.Input{dag.InputOf(column.Table([]column.Note{note}))}
		delete(in, "nodes")
		page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
		text := string(stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"].(artifacts.Bytes).Data)
		text = strings.Join(strings.Fields(text), " ")
		need.Equal(t, strings.Contains(page, "<dt>Significant edges</dt>"), true, page[:4000])
		tile := fmt.Sprintf("Significant edges: %d of 2 family-wise error by the largest statistic", significant)
		need.Equal(t, strings.Contains(text, tile), true, text)
		need.Equal(t, strings.Contains(text, "a difference between A and B (B minus A) · may be wrong: see the first caution"), is, text)
	}
}

// The tests of edges of one of several settings state which.
func TestEdgesOfOneSetting(t *testing.T) {
	in := edgeInputs(column.EdgeSummaryRow{Design: "number", Test: "age", Statistic: "t", Effect: "partial r",
		Correction: "bh"})
	band := func(of string) []dag.Coord { return []dag.Coord{{Axis: "band", Value: of}} }
	of := dag.InputOf(encoding.NewTable())
	of.Coords = band("low")
	in["graphs"] = []dag.Input{of}
	for _, evaluated := range [][][]dag.Coord{{band("all"), band("low")}, {band("low")}} {
		a := newAuthor(section.NewWriter(dag.NewTask(in)), nil)
		a.Evaluated = evaluated
		a.Begin("edges", "")
		a.edges()
		need.NoError(t, a.Err())
		text := fmt.Sprint(a.Section.Blocks)
		need.Equal(t, strings.Contains(text, "With band=low, "), len(evaluated) > 1, text)
	}
}

// Where relatives were permuted as independent participants, p values are withdrawn and the top of the page shows no
// edge.
func TestEdgesOfRelatives(t *testing.T) {
	for stage, valid := range map[string]bool{"other": true, "tests": false} {
		in := edgeInputs(column.EdgeSummaryRow{Design: "groups", Groups: []string{"A", "B"}, Counts: []int32{14, 16},
			Statistic: "t", Effect: "d", Correction: "max-t", Significant: 1})
		in["settings"] = []dag.Input{dag.InputOf(settingsTable(
			finding.Parameter{Stage: "tests", Kind: "edges", Parameter: "permutations", Value: []string{"99"}},
			finding.Parameter{Stage: "tests", Kind: "edges", Parameter: "variance", Value: []string{"unequal"}},
			finding.Parameter{Stage: "tests", Kind: "edges", Parameter: "transform", Value: []string{"fisher"}}))}
		note := column.Note{Text: "a note", Doubt: column.DoubtPermuted, Stages: stage}
		in["notes"] = []dag.Input{dag.InputOf(column.Table([]column.Note{note,
			{Text: "it questions", Doubt: column.DoubtEntity}}))}
		page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
		need.Equal(t, strings.Contains(page, "A brain from above"), valid, stage)
		need.Equal(t, strings.Contains(page, "may be wrong: see the first caution"), valid, stage)
		text := tag.ReplaceAllString(page, "")
		need.Equal(t, strings.Count(text, "p values are not valid, because participants who belong together") >= 3, !valid, stage)
		need.Equal(t, strings.Contains(text, "so the p values are not valid."), !valid, stage)
		need.Equal(t, strings.Contains(page, `<p class="answer">`), true) // of a page without models
	}
}

// The number to predict has the name of its column.
func TestEdgesOfTheTarget(t *testing.T) {
	in := edgeInputs(column.EdgeSummaryRow{Design: "number", Test: column.Target, Statistic: "t", Effect: "partial r",
		Correction: "bh"})
	people := stagetest.SomeParticipants(30, "A", "B")
	for i, c := range people.Columns {
		if c.Name == "group" {
			people.Columns[i] = encoding.Column{Name: column.Target, Values: make([]float64, 30)}
		}
	}
	people.Meta = map[string]string{column.Target: "iq"}
	in["participants"] = []dag.Input{dag.InputOf(people)}
	text := string(stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"].(artifacts.Bytes).Data)
	if text = strings.Join(strings.Fields(text), " "); !strings.Contains(text, "an association with iq in") {
		t.Error(text)
	}
}
