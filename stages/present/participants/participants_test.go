package participants

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/stagetest"
	"prgnn/stages/wording"
)

// No SD that is above 0 reads ± 0.00, and a mean has the decimals of its SD.
func TestDescribeNumbers(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		groups [][]float64
		want   []string
	}{
		// SDs by hand: √2·5 of {10, 20}, √2/2·0.004 of {0.1, 0.104}.
		{"wide", [][]float64{{10, 20}, {30, 50}}, []string{"15.0 ± 7.1 (10.0–20.0)", "40.0 ± 14.1 (30.0–50.0)"}},
		{"hundreds", [][]float64{{100, 300}}, []string{"200 ± 141 (100–300)"}},
		{"a narrow group beside a wide one", [][]float64{{0.1, 0.104}, {1, 2}}, []string{"0.1020 ± 0.0028 (0.1000–0.1040)", "1.5000 ± 0.7071 (1.0000–2.0000)"}},
		{"tiny", [][]float64{{1e-6, 3e-6}}, []string{"0.0000020 ± 0.0000014 (0.0000010–0.0000030)"}},
		{"tinier than a page can show", [][]float64{{1e-12, 3e-12}}, []string{"2e-12 ± 1.41e-12 (1e-12–3e-12)"}},
		{"rounded up", [][]float64{{0, 0.1409}}, []string{"0.07 ± 0.10 (0.00–0.14)"}},
		{"equal", [][]float64{{0.1, 0.1, 0.1}, {2.5, 2.5}}, []string{"0.1 ± 0", "2.5 ± 0"}},
		{"equal beside a spread", [][]float64{{2.125, 2.125}, {10, 20}}, []string{"2.125 ± 0", "15.0 ± 7.1 (10.0–20.0)"}},
		{"one", [][]float64{{2.125}, {10, 20, nan}}, []string{"2.125", "15.0 ± 7.1 (10.0–20.0), 1 missing"}},
		{"none", [][]float64{{nan, nan}, {}}, []string{"n/a", "n/a"}},
	} {
		a := &Cohort{Writer: section.NewWriter(nil)}
		if got := a.describeNumbers(c.groups); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Ages that all differ are described; what the table of groups lacks, it says why.
func TestDescribeColumn(t *testing.T) {
	const n = 24
	age, id, group := make([]float64, n), make([]float64, n), make([]float64, n)
	site, name := make([]string, n), make([]string, n)
	rows := make([][]int, 2)
	for i := range n {
		rows[i%2] = append(rows[i%2], i)
		age[i], id[i], group[i] = float64(20+i), float64(50000+3*i), float64(1+i%2)
		site[i], name[i] = fmt.Sprint("site", i%8), fmt.Sprint("name", i)
	}
	table := encoding.NewTable(encoding.Column{Name: "age", Values: age}, encoding.Column{Name: "SUB_ID", Values: id},
		encoding.Column{Name: "DX", Values: group}, encoding.Column{Name: "site", Values: site},
		encoding.Column{Name: "who", Values: name})
	a := &Cohort{Writer: section.NewWriter(nil)}
	shown := &groupTable{Table: &report.Table{Rows: make([][]report.Cell, 2)}, rows: rows}
	for _, c := range table.Columns {
		a.describeColumn(shown, table, c)
		need.NoError(t, a.Err())
	}
	need.Equal(t, strings.Join(lists.Map(shown.hidden, func(c covariate) string {
		return fmt.Sprint(c.Name, " ", c.Why, " ", c.N)
	}), ", "), "SUB_ID identifier 0, DX per group 0, site texts 8, who all differ 24")
	if len(shown.Heads) != 1 || shown.Rows[0][0].Text != "31.0 ± 7.2 (20.0–42.0)" {
		t.Errorf("described %+v %+v", shown.Heads, shown.Rows)
	}
	sex := slices.Repeat([]float64{1, 2, 2, math.NaN()}, n/4) // a code: its mean has no meaning
	table = encoding.NewTable(encoding.Column{Name: "sex", Values: sex})
	a.describeColumn(shown, table, table.Columns[0])
	if a.Err() != nil || shown.Heads[1].Number ||
		shown.Rows[0][1].Text != "6\u00a0labeled\u00a01, 6\u00a0labeled\u00a02" ||
		shown.Rows[1][1].Text != "0\u00a0labeled\u00a01, 6\u00a0labeled\u00a02, 6\u00a0missing" {
		t.Errorf("%v: described %+v %+v", a.Err(), shown.Heads, shown.Rows)
	}
	need.NoError(t, a.Err())
}

// Of many participants the page lists those with the smallest and the largest values of each measure, and says of how
// many, and where all are. Its inputs are one row.
func TestExtremesOfMany(t *testing.T) {
	const n = 3000
	rows, ids := map[string]column.CleaningRow{}, []string{}
	value := func(i int) int32 { return int32(i * 1777 % n) } // each of 0 … n−1 once
	for i := range n {
		ids = append(ids, fmt.Sprintf("sub-%04d", i))
		rows[ids[i]] = column.CleaningRow{Kept: value(i), TEff: 7, MeanFD: math.NaN(), Strategy: "simple"}
	}
	a := &Cohort{Writer: section.NewWriter(cleaningTask(rows, ids...))}
	a.Pictures = true
	*a.Run = finding.Settings{Stages: []finding.StageSettings{{Stage: "report", Kind: "report",
		Inputs: map[string][]column.Result{"cleaning": column.Results("clean.quality")}}}}
	a.Quality()
	need.NoError(t, a.Err())
	var listed *report.Table
	for _, b := range a.Section.Blocks {
		if b.Table != nil && b.Table.Supplement {
			listed = b.Table
		}
	}
	var want []string // of one measure that differs, 500 at each end
	for i, id := range ids {
		if v := value(i); v < 500 || v >= n-500 {
			want = append(want, id)
		}
	}
	got := lists.Map(listed.Rows, func(r []report.Cell) string { return r[0].Text })
	need.Equal(t, strings.Join(got, " "), strings.Join(want, " "))
	const note = "The table shows 1000 of 3,000 participants, which have the 500 smallest and the 500 largest values of each measure that differs. All rows: pipeline export FILE clean.quality -o rows.csv."
	if !strings.HasSuffix(listed.Note, note) {
		t.Errorf("the note is %q", listed.Note)
	}
}

// Notes that may spoil the result are cautions, too.
func TestNotesThatAreCautions(t *testing.T) {
	notes := []column.Note{{Text: "the groups TD and td differ only in case", Doubt: column.DoubtCase},
		{Text: "column age: 45 numbers and 5 texts (unknown)", Doubt: column.DoubtTexts},
		{Text: "column mean_fd of the participants table is empty", Doubt: column.DoubtMotionFilled},
		{Text: "the repetition time is confounded with the group", Doubt: column.DoubtTR},
		{Text: "participant names consist of letters and digits only; none differ only in case"}}
	w := section.NewWriter(dag.NewTask(map[string][]dag.Input{
		"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
		"notes":        {dag.InputOf(column.Table(notes))}}))
	a := &Cohort{Writer: w}
	a.Read()
	a.Describe()
	need.NoError(t, a.Err())
	for i, note := range notes {
		if got := slices.Contains(w.Cautions(), wording.UpperFirst(note.Text)); got != (i < 4) {
			t.Errorf("%s: %v in %q", note.Text, got, w.Cautions())
		}
	}
}

// Of scans that were cleaned in two ways, each participant has one row, and the notes state which setting it has.
func TestQualityOfSettings(t *testing.T) {
	var ins []dag.Input
	for _, detrend := range []string{"0", "2"} {
		for _, id := range []string{"sub-1", "sub-2"} {
			row := column.CleaningRow{Strategy: "none", Why: column.SeriesGiven, Volumes: 80, Kept: 80, MeanFD: 0.1}
			ins = append(ins, dag.InputOf(column.Table([]column.CleaningRow{row}),
				dag.Coord{Axis: "detrend", Value: detrend}, dag.Coord{Axis: "subject", Value: id}))
		}
	}
	a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"cleaning": ins}))}
	a.Read()
	a.Quality()
	need.NoError(t, a.Err())
	var notes []string
	for _, b := range a.Section.Blocks {
		if b.Table != nil {
			notes = append(notes, b.Table.Note)
			if b.Table.Supplement {
				need.Equal(t, len(b.Table.Rows), 2)
			}
		}
	}
	need.Equal(t, len(notes), 2)
	for i, want := range []string{"The values of all settings (detrend 0; detrend 2) are summarized together.",
		"the table lists one setting (detrend 2)."} {
		if !strings.HasSuffix(notes[i], want) {
			t.Errorf("the note is %q, want %q", notes[i], want)
		}
	}
}

// A warning about partial correlations counts where a stage takes them, or connections are not known.
func TestWarningsOfUnusedMatrices(t *testing.T) {
	warning := finding.Written(finding.List{finding.Warning("connectivity.poorly-determined",
		map[string]any{"Regions": 6, "TEff": 9.6, "Estimator": "ledoit-wolf", "Band": false,
			"Nuisance": false, "Turned": false})})
	in := dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0}},
		encoding.Column{Name: "warning", Values: []string{warning}}))
	in.Coords = []dag.Coord{{Axis: "subject", Value: "sub-1"}}
	for output, want := range map[string]int{"pearson": 0, "partial": 1, "": 1} {
		a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"connectivity": {in}}))}
		if output != "" {
			*a.Run = finding.Settings{Stages: []finding.StageSettings{{Stage: "connectivity", Kind: "connectivity"},
				{Stage: "base", Kind: "baseline",
					Inputs: map[string][]column.Result{"pearson": column.Results("connectivity." + output)}}}}
		}
		a.warnings()
		need.NoError(t, a.Err())
		need.Equal(t, len(a.Findings), want, output)
	}
}

// A warning of some options of a decision states them.
func TestWarningsStateTheirOptions(t *testing.T) {
	warning := finding.Written(finding.List{finding.Warning("deconfound.dropped", map[string]any{"Term": "sex2=M"})})
	var ins []dag.Input
	for i, option := range []string{"24P", "6P", "24P", "6P"} {
		in := dag.InputOf(encoding.NewTable(encoding.Column{Name: "warning",
			Values: []string{[]string{"", warning}[i%2]}}))
		in.Coords = []dag.Coord{{Axis: "motion", Value: option}, {Axis: "subject", Value: fmt.Sprint(i / 2)}}
		ins = append(ins, in)
	}
	a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"connectivity": ins}))}
	a.warnings()
	need.NoError(t, a.Err())
	need.Equal(t, a.Findings[0].Subject.Only.String(), "motion=6P")
	blocks := a.Section.Blocks
	if of := blocks[len(blocks)-1].List[0]; !strings.HasSuffix(of, "(2 participants: 0 and 1) (with motion=6P)") {
		t.Error(of)
	}
}

// Tables of fits are no participants: a stage that fans out over folds has a fit a fold. What several sessions of one
// participant have counts once.
func TestWarningsCountWhatTheyAreOf(t *testing.T) {
	warning := finding.Written(finding.List{finding.Warning("deconfound.dropped", map[string]any{"Term": "sex2=M"})})
	ins := func(warned int, coords ...[]dag.Coord) (ins []dag.Input) {
		for i, at := range coords {
			cell := ""
			if i < warned {
				cell = warning
			}
			in := dag.InputOf(encoding.NewTable(encoding.Column{Name: "warning", Values: []string{cell}}))
			in.Coords = append([]dag.Coord{{Axis: "stage", Value: "made"}}, at...)
			ins = append(ins, in)
		}
		return ins
	}
	at := func(pairs ...string) (coords []dag.Coord) {
		for i := 0; i < len(pairs); i += 2 {
			coords = append(coords, dag.Coord{Axis: pairs[i], Value: pairs[i+1]})
		}
		return coords
	}
	for _, c := range []struct {
		ins   []dag.Input
		n, of int
		unit  string
	}{
		{ins(2, at("fold", "1"), at("fold", "2"), at("fold", "3")), 2, 3, "fit"},
		{ins(4, at("fold", "1", "repeat", "1"), at("fold", "2", "repeat", "1"), at("fold", "1", "repeat", "2"),
			at("fold", "2", "repeat", "2")), 4, 4, "fit"},
		{ins(3, at("subject", "a", "session", "1"), at("subject", "a", "session", "2"), at("subject", "b",
			"session", "1"),
			at("subject", "c", "session", "1")), 2, 3, "participant"},
		{ins(2, at("subject", "a", "fold", "1"), at("subject", "a", "fold", "2"), at("subject", "b", "fold",
			"1")), 1, 2,
			"participant"},
		{ins(1, at("site", "A"), at("site", "B")), 1, 2, "result"},
		{ins(1, at()), 1, 1, ""},
	} {
		a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"warnings": c.ins}))}
		a.warnings()
		of := a.Findings[0].Values()
		if fmt.Sprint(of["N"], of["Of"], of["Unit"]) != fmt.Sprint(c.n, c.of, c.unit) {
			t.Errorf("%v of %v %v, want %d of %d %s", of["N"], of["Of"], of["Unit"], c.n, c.of, c.unit)
		}
	}
}

// Participants with graphs without edges, or without a standard error, count once, however many sessions they have.
func TestSessionsAreNoParticipants(t *testing.T) {
	var graphs, connectivity []dag.Input
	for _, who := range [][2]string{{"a", "1"}, {"a", "2"}, {"b", "1"}} {
		coords := []dag.Coord{{Axis: "subject", Value: who[0]}, {Axis: "session", Value: who[1]}}
		graphs = append(graphs, dag.InputOf(encoding.NewTable(encoding.Column{Name: "edges",
			Values: []int32{0}}), coords...))
		connectivity = append(connectivity, dag.InputOf(encoding.NewTable(encoding.Column{Name: "partial_se",
			Values: []float64{map[bool]float64{true: 0.1, false: math.NaN()}[who[0] == "b"]}}), coords...))
	}
	a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"graphs": graphs,
		"connectivity": connectivity}))}
	tables := a.readMeasures()
	of := withoutEdges(tables["graphs"], tables["connectivity"], nil)[0].Values()
	need.Equal(t, fmt.Sprint(of["N"], of["Of"], of["Empty"], of["Graphs"]), "2 2 3 3")
	for text, far := range map[string][]int32{"Use longer series, or": nil, "Volumes far from all others in": {51}} {
		scans := []quality.Scan{{Participant: "b", CleaningRow: column.CleaningRow{FarVolumes: far}}}
		found := withoutEdges(tables["graphs"], tables["connectivity"], scans)
		said := need.Value(wording.Text(found[0].Code, found[0].Values()))(t)
		need.Equal(t, strings.Contains(said, "such a graph. "+text), true, said)
	}
	need.Equal(t, tables["connectivity"].without("partial_se"), 1)
}

// Texts that some participants share are counted where a column is not described.
func TestRepeatedTextsAreCounted(t *testing.T) {
	a, table := &Cohort{}, &groupTable{}
	texts := []string{"a", "b", "c", "d", "e", "f", "g", "g", "h", "h", "", ""}
	a.describeTexts(table, encoding.Column{Name: "code", Values: texts}, texts)
	need.Equal(t, table.hidden[0].Repeated, 2)
	text := need.Value(wording.Text("groups.hidden", table.hidden[0]))(t)
	need.Equal(t, text, "code (9 different texts, 2 of them in several participants)")
}

// Of many rows those at the ends of each column that differs are listed.
func TestExtremes(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		columns [][]float64
		most    int
		want    string
		ends    int
	}{
		{[][]float64{{3, 1, 2}}, 3, "[0 1 2]", 1},
		{[][]float64{{3, 1, 2, 4, 0}}, 4, "[0 1 3 4]", 2},
		{[][]float64{{3, 1, 2, 4, 0}, {7, 7, 7, 7, 7}}, 4, "[0 1 3 4]", 2},
		{[][]float64{{3, 1, 2, nan, nan}}, 2, "[0 1]", 1},
		{[][]float64{{3, 3, 2, 1, 1}}, 2, "[0 3]", 1},
		{[][]float64{{1, 2, 3, 4, 5}, {3, 1, 2, 5, 4}}, 4, "[0 1 3 4]", 1},
	} {
		rows, ends := extremes(c.columns, c.most)
		need.Equal(t, fmt.Sprint(rows), c.want, c.columns)
		need.Equal(t, ends, c.ends, c.columns)
	}
}
