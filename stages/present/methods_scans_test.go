package present

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// Methods of real data tell the length of the scans and the repetition time as far as they are known.
func TestMethodsTellLengths(t *testing.T) {
	scan := func(volumes int32, tr float64) cleanedScan {
		return cleanedScan{"sub-1", column.CleaningRow{Volumes: volumes, TR: tr}}
	}
	for _, c := range []struct {
		scans []cleanedScan
		want  []string
	}{
		{nil, nil},
		{[]cleanedScan{scan(176, 2), scan(176, 2)}, []string{"All scans have 176 volumes at a repetition time of 2 s."}},
		{[]cleanedScan{scan(176, 2), scan(150, 2.5), scan(200, math.NaN())},
			[]string{"The scans have 150 to 200 volumes (median 176) at repetition times of 2 to 2.5 s (unknown for 1 scan)."}},
		{[]cleanedScan{scan(176, math.NaN())}, []string{"All scans have 176 volumes; their repetition time is not known."}},
	} {
		if got := lengths(c.scans); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The report of a cohort that was measured says in its methods how many were left out and why, how
// many regions there are, and how those without a series enter; a table has them by participant.
func TestReportTellsScansAndSilentRegions(t *testing.T) {
	in := stagetest.ReportInputs("sub-01", "ASD", "HC")
	cells := map[string][]string{"stage": {"cohort"}, "kind": {"timeseries"}, "parameter": {"series"}, "value": {""},
		"default": {""}, "unit": {""}, "doc": {""}}
	settings := encoding.NewTable()
	for _, name := range []string{"stage", "kind", "parameter", "value", "default", "unit", "doc"} {
		settings.Columns = append(settings.Columns, encoding.Column{Name: name, Values: cells[name]})
	}
	in["settings"] = []dag.Input{dag.InputOf(settings)}
	delete(in, "notes")
	in["nodes"] = []dag.Input{dag.InputOf(stagetest.NodesOf("a", "b", "c"))}
	in["excluded"] = []dag.Input{dag.InputOf(column.Table([]excludedRow{
		{"sub-08", "sub-08_bold.nii.gz: truncated; copy it again", "missing or unusable data"}, {"sub-09", "rated fail", "rated fail"},
		{"sub-10", "no scan", "missing or unusable data"}}))}
	cleaned := map[string]column.CleaningRow{"sub-01": {Volumes: 176, TR: 2}}
	in["cleaning"] = cleaningTask(cleaned, "sub-01").All("cleaning")
	in["graphs"] = nil
	for id, silent := range map[string]int32{"sub-01": 0, "sub-02": 3} {
		one := dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1}},
			encoding.Column{Name: "edges", Values: []int32{348, 348}},
			encoding.Column{Name: "silent", Values: []int32{0, silent}}))
		one.Coords = []dag.Coord{{Axis: "subject", Value: id}}
		in["graphs"] = append(in["graphs"], one)
	}
	page := reportText(t, in)
	for _, want := range []string{
		"1 HC; 3 of 6 excluded (Table 2).",
		"3 participants took part. All scans have 176 volumes at a repetition time of 2 s. Of 6 participants, 3 were excluded (2: missing or unusable data; 1: rated fail). The analysis has 3 regions.",
		"Regions without a usable series (in 1 of 2 participants, at most 3) are excluded from the estimate: their correlations are 0, and they are nodes without edges.",
		"No series: regions without a usable one, in the draw with the most.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	at := strings.Index(page, "Quality of each participant")
	if at < 0 || !strings.Contains(page[at:], ">no series<") {
		t.Error("the table of each participant has no column of regions without a series")
	}
}

// A filter with one edge is no band.
func TestMethodsOfFilter(t *testing.T) {
	for _, c := range [][3]string{
		{"0.01", "0.08", "a Butterworth filter kept 0.01–0.08 Hz"},
		{"0.01", "0", "a Butterworth filter kept frequencies above 0.01 Hz"},
		{"0", "0.08", "a Butterworth filter kept frequencies below 0.08 Hz"},
	} {
		m := &methodsText{}
		(&author{}).methodsOfCleaning(m, &stageSettings{value: map[string]string{"detrend": "-1",
			"filter": "butterworth", "high_pass": c[0], "low_pass": c[1]}})
		if want := "Cleaning of the series: " + c[2] + "."; len(m.sentences) != 1 || m.sentences[0] != want {
			t.Errorf("%s–%s: %q, want %q", c[0], c[1], m.sentences, want)
		}
	}
}
