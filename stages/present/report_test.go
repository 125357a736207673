package present

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

func reportText(t *testing.T, in map[string][]dag.Input) string {
	t.Helper()
	return string(stagetest.Encoded(t, stagetest.MustRun(t, &Report{Top: 20}, in)["page"]))
}

func TestReport(t *testing.T) {
	page := unbroken.Replace(reportText(t, stagetest.ReportInputs("sub-01", "ASD", "HC")))
	for _, want := range []string{
		"<title>Results of made up</title>", "Simulated data.", "Data: 3 simulated participants (2 ASD and 1 HC).",
		"11.50 ± 0.71 (11.00–12.00)", "1 participant excluded by name: sub-01",
		"Group HC has only 1 participant", "0.700–0.900",
		"Edges were the largest positive partial correlations, 10% of all pairs of regions. An isolated region was reconnected by its largest edge.",
		"Cross-validation divided the participants into 5 folds, stratified by group (seed 7); all graphs of a participant were on the same side of every split.",
		"Probable inference, the law of succession",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// What a participant or a group is called is text, wherever it stands.
func TestReportOfHostileNames(t *testing.T) {
	const name = `<img src=x onerror=alert(1)>"'`
	page := reportText(t, stagetest.ReportInputs(name, "<script>a</script>", "</table>"))
	if strings.Contains(page, "<img src=x") || strings.Contains(page, "<script>a") ||
		strings.Contains(page, `alert(1)>"`) {
		t.Error("a name is not escaped")
	}
	if n := strings.Count(page, "&lt;img src=x onerror=alert(1)&gt;"); n != 2 {
		t.Errorf("the name stands in %d places, want 2", n)
	}
}

// Every input may be left out, alone or with all others.
func TestReportOfLittle(t *testing.T) {
	if page := reportText(t, nil); !strings.Contains(page, "Provenance") ||
		strings.Contains(page, "<h2 id=\"methods\"") {
		t.Error("an empty report claims something")
	}
	for port := range stagetest.ReportInputs("a", "b", "c") {
		in := stagetest.ReportInputs("a", "b", "c")
		delete(in, port)
		reportText(t, in)
	}
}

// Everybody who was left out is named with the reason, however many they are.
func TestReportOfExclusions(t *testing.T) {
	for _, n := range []int{0, 3, 40} {
		in := stagetest.ReportInputs("sub-01", "ASD", "HC")
		ids, reasons := []string{}, []string{}
		for i := range n {
			ids, reasons = append(ids, fmt.Sprintf("sub-out%02d", i)), append(reasons, []string{"mean FD 0.71 mm > 0.5", "no bold"}[i%2])
		}
		in["excluded"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "reason", Values: reasons}))}
		page := reportText(t, in)
		for i, id := range ids {
			want := `<th scope="row"><span class="whole">` + id + "</span></th><td>" + html.EscapeString(reasons[i]) + "</td>"
			if !strings.Contains(page, want) {
				t.Fatalf("of %d, the page does not say %s", n, want)
			}
		}
		need.Equal(t, strings.Contains(page, ". Excluded participants (40 rows)</summary>"), (n == 40), "of", n,
			"folded is")
		if n == 40 && !strings.Contains(page, "<li>20: mean FD 0.71 mm &gt; 0.5</li>") {
			t.Error("the reasons are not counted")
		}
		if n == 0 && !strings.Contains(page, "No participant was excluded.") {
			t.Error("it does not say that no participant was excluded")
		}
	}
}

// The report and figure-individuals show the same participants, whatever seed the pipeline gives.
func TestIndividualsAreTheSameInReportAndFigure(t *testing.T) {
	n := 30
	var rows []stagetest.ScoreRow
	for i := range n {
		for j := range 8 {
			rows = append(rows, stagetest.ScoreRow{ID: fmt.Sprintf("sub-%03d", i+1), Draw: 1, Set: "test", Layer: 1,
				Index: int32(j + 1), Score: 0.5 + 0.01*float64((i+j)%7), Kept: (i+j)%2 == 0})
		}
	}
	var groups []string
	for range n {
		groups = append(groups, "ASD")
	}
	groups[n-1] = "HC"
	in := map[string][]dag.Input{
		"scores":       {dag.InputOf(stagetest.ScoresOf(rows...), dag.Coord{Axis: "fold", Value: "1"})},
		"nodes":        {dag.InputOf(stagetest.NodesOf("a", "b", "c", "d", "e", "f", "g", "h"))},
		"participants": {dag.InputOf(stagetest.SomeParticipants(n, groups...))},
	}
	made := stagetest.MustRun(t, stagetest.Fresh("biomarkers", "resamples", 100), in)
	in["individual"], in["ranking"] = []dag.Input{dag.InputOf(made["individual"])},
		[]dag.Input{dag.InputOf(made["ranking"])}
	delete(in, "scores")
	figure := stagetest.Fresh("figure-individuals")
	if err := param.Set(figure, "seed", uint64(2020)); err == nil { // as a pipeline's own seed fills it
		t.Error("the selection depends on a seed, which the report does not have")
	}
	svg := string(stagetest.Encoded(t, stagetest.MustRun(t, figure, in)["picture"]))
	words := between(svg, "<desc>", "</desc>")
	page := string(stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"]))
	if words == "" || !strings.Contains(page, words) {
		t.Errorf("the report does not show what the figure shows: %q", words)
	}
}

// between is what stands between two texts.
func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

// A picture of the pipeline's own brings its caption; where it is one of several, its coordinates stand behind it.
func TestCaptionsOfFurtherPictures(t *testing.T) {
	svg := func(text string, coords ...dag.Coord) dag.Input {
		of := artifacts.Bytes{Kind: "svg", Data: []byte("<svg width=\"100pt\"><title>Degrees</title>" + text + "</svg>")}
		return dag.InputOf(of, append(coords, dag.Coord{Axis: "stage", Value: "degrees"})...)
	}
	page := reportText(t, map[string][]dag.Input{"figures": {svg("<metadata>Share of the nodes.</metadata>"),
		svg("<metadata>Share.</metadata>", dag.Coord{Axis: "layer", Value: "2"}), svg("", dag.Coord{Axis: "layer", Value: "3"})}})
	for _, want := range []string{"Degrees.</strong> Share of the nodes.</figcaption>",
		"Degrees.</strong> Share. Layer 2.</figcaption>", "Degrees.</strong> Layer 3.</figcaption>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Of three groups no ROC curves are drawn.
func TestReportDrawsCurvesOfTwoGroups(t *testing.T) {
	for groups, want := range map[int]bool{2: true, 3: false} {
		in := stagetest.ReportInputs("a", "ASD", "HC")
		in["predictions"] = unevenRun("train", "prgnn")
		for i, fold := range in["predictions"] {
			table := *need.Value(fold.Table())(t)
			if groups == 3 { // of which no column probability is needed
				table.Columns = append(slices.DeleteFunc(slices.Clone(table.Columns),
					func(c encoding.Column) bool { return c.Name == "probability" }),
					encoding.Column{Name: "p_MCI", Values: make([]float64, table.Rows())})
			}
			in["predictions"][i] = dag.InputOf(&table, fold.Coords...)
		}
		page := reportText(t, in)
		need.Equal(t, strings.Contains(page, "ROC curve.</strong>"), want, groups)
		need.Equal(t, strings.Contains(page, "Confusion matrix.</strong>"), true, groups)
	}
}

// An input with many members is one row of the page: their bytes, and the digest of their digests.
func TestReportOfManyInputs(t *testing.T) {
	for n, want := range map[int]string{1000: "", 1001: ">1001 members"} {
		in := map[string][]dag.Input{}
		var size int64
		digests := ""
		for i := range n {
			one := dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{int32(i)}}),
				dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%04d", i)})
			in["connectivity"] = append(in["connectivity"], one)
			size, digests = size+one.Ref.Size, digests+one.Ref.Digest.String()+"\n"
		}
		page := reportText(t, in)
		last := in["connectivity"][n-1].Ref.Digest.String()
		need.Equal(t, strings.Contains(page, last), want == "", n)
		if row := fmt.Sprintf("%s</th><td>arrow</td><td class=\"num\">%d</td><td>%x</td>", want, size,
			sha256.Sum256([]byte(digests))); want != "" && !strings.Contains(page, row) {
			t.Errorf("the page lacks %s:\n%s", row, between(page, "1001 members", "</tr>"))
		}
	}
}

// Without a node list, an atlas of the user's own is not drawn, as its labels need not be the numbers of the regions;
// parcellate's parcels hold these.
func TestAtlasWithoutNodesIsNotDrawn(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	const unknown = "The regions are not shown in space: without the node list"
	for _, description := range []string{"", region.NodeNumbers} {
		var b bytes.Buffer
		voxels := make([]int32, 6*6*6)
		for i := range voxels {
			voxels[i] = int32(i%6/2 + 1)
		}
		need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{6, 6, 6}, Descrip: description,
			Affine: nifti.Affine{{2, 0, 0, -6}, {0, 2, 0, -6}, {0, 0, 2, -6}, {0, 0, 0, 1}}, Data: voxels}))
		in["parcels"] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})}
		page := reportText(t, in)
		if got := strings.Contains(page, unknown); got != (description == "") {
			t.Errorf("%q: the page says that the regions are unknown: %v", description, got)
		}
		if got := strings.Contains(page, "Salient regions in slices."); got != (description != "") {
			t.Errorf("%q: the regions are drawn: %v", description, got)
		}
	}
}

// A table that the file asks for by name is headed by the stage and output that it comes from, of several
// by their stage.
func TestFurtherTablesHaveTitles(t *testing.T) {
	link := func(from ...string) map[string]string {
		return map[string]string{column.SettingLinks: column.JSON(lists.Map(from, func(from string) column.Link {
			return column.Link{Stage: "report", Port: "tables", From: column.Results(from)[0]}
		}))}
	}
	for _, c := range []struct {
		from   []string
		coords string
		want   string
	}{
		{[]string{"combat.sites"}, "fold=1", "Output sites of the stage combat (fold 1)"},
		{[]string{"combat.sites"}, "", "Output sites of the stage combat<"},
		{[]string{"combat.sites", "other.rows"}, "stage=combat fold=1", "combat, fold 1"},
	} {
		in := withSettings([4]string{"report", "report", "top", "5"})
		settings := need.Value(in["settings"][0].Table())(t)
		maps.Copy(settings.Meta, link(c.from...))
		in["settings"] = []dag.Input{dag.InputOf(settings)}
		table := dag.InputOf(encoding.NewTable(encoding.Column{Name: "site", Values: []string{"A"}}))
		table.Coords = column.ReadCoords(strings.Fields(c.coords))
		in["tables"] = []dag.Input{table}
		page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
		need.Equal(t, strings.Contains(page, c.want), true, c.from, c.want)
	}
}
