package present

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The table of the groups has names and units for people. A number that stands for the groups, and one that all
// participants share, are no columns of it; its note names them.
func TestTableOfGroups(t *testing.T) {
	people := stagetest.SomeParticipants(4, "ASD", "HC")
	for name, v := range map[string][]float64{"asd": {1, 0, 1, 0}, "n_roi": {111, 111, 111, 111},
		"mean_fd": {0.1, 0.2, 0.3, 0.4}} {
		people.Columns = append(people.Columns, encoding.Column{Name: name, Values: v})
	}
	in := map[string][]dag.Input{"participants": {dag.InputOf(people)}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
	for _, want := range []string{"mean framewise displacement (mm)", "0.20 ± 0.14 (0.10–0.30)",
		"The same in all participants: n roi 111."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if named := "Not described: asd (one number per group)."; !strings.Contains(text, named) ||
		strings.Contains(strings.Replace(text, named, "", 1), "asd") {
		t.Errorf("asd is the group, and is to be named once\n%s", text)
	}
}

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
		if got := describeNumbers(c.groups); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A terminal has no supplementary tables: the summary says where the excluded participants stand.
func TestSummaryPointsToTheExcluded(t *testing.T) {
	in := stagetest.ReportInputs("sub-01", "ASD", "HC")
	left := slices.Repeat([]excludedRow{{"sub-9", "sub-9.nii: cut", "unusable"}}, 13)
	in["excluded"] = []dag.Input{dag.InputOf(column.Table(left))}
	delete(in, "settings")
	out := stagetest.MustRun(t, &Summary{}, in)["text"].(artifacts.Bytes)
	text := strings.Join(strings.Fields(string(out.Data)), " ")
	for _, want := range []string{"1 HC; 13 of 16 excluded (pipeline cohort FILE lists them).",
		"13 participants excluded (pipeline cohort FILE lists them).",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}
