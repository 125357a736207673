package present

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/present/participants"
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

// Where the table of the participants does not know head motion, the table of groups takes it from the confounds.
func TestTableOfGroupsTakesMotionFromScans(t *testing.T) {
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(4, "ASD", "HC"))}}
	for i, fd := range []float64{0.1, 0.2, 0.3, math.NaN()} {
		row := column.Table([]column.CleaningRow{{Strategy: "24P", MeanFD: fd, MaxFD: fd,
			Volumes: 100, Kept: 100, TEff: 50}})
		one := dag.InputOf(row)
		one.Coords = []dag.Coord{{Axis: "subject", Value: fmt.Sprintf("sub-%03d", i+1)}}
		in["cleaning"] = append(in["cleaning"], one)
	}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
	for _, want := range []string{"mean framewise displacement (mm)", "0.20 ± 0.14 (0.10–0.30)", "1 missing"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// A terminal has no supplementary tables: the summary says where the excluded participants stand.
func TestSummaryPointsToTheExcluded(t *testing.T) {
	in := stagetest.ReportInputs("sub-01", "ASD", "HC")
	one := participants.ExcludedRow{Participant: "sub-9", Reason: "sub-9.nii: cut", Category: "unusable"}
	left := slices.Repeat([]participants.ExcludedRow{one}, 22)
	in["excluded"] = []dag.Input{dag.InputOf(column.Table(left))}
	delete(in, "settings")
	says := func(said ...string) {
		t.Helper()
		text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
		for _, want := range said {
			if !strings.Contains(text, want) {
				t.Errorf("it does not say %q:\n%s", want, text)
			}
		}
	}
	says("1 HC); 22 of 25 were excluded (pipeline cohort FILE lists them).",
		"22 participants were excluded (pipeline cohort FILE lists them).")
	// Twenty reasons are told, and twenty participants.
	for i := range 20 {
		left[i].Participant, left[i].Reason = fmt.Sprintf("sub-1%02d", i), fmt.Sprintf("reason %02d", i)
	}
	in["excluded"] = []dag.Input{dag.InputOf(column.Table(left))}
	says("- 1: reason 00", "- 1: reason 18", "- 1: other reasons")
	in["excluded"] = []dag.Input{dag.InputOf(column.Table(left[:20]))}
	says("(listed under Participants)", "sub-119 reason 19")
}
