package members

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"prgnn/cmd/pipeline/console"
	"prgnn/internal/need"
	"prgnn/pipelines"
	_ "prgnn/stages" // the kinds
)

// A reason that more than two participants share stands once, with all of them; who failed because of the machine is
// not to be excluded.
func TestReasonsThatSeveralShare(t *testing.T) {
	p := need.Value(pipelines.Load("quick.yaml", nil))(t)
	people := Of(p)
	if len(people) != len(p.Roster.Subjects) || len(people) < 6 {
		t.Fatalf("%d of %d participants", len(people), len(p.Roster.Subjects))
	}
	for i := range 5 {
		e := &people[i]
		e.State, e.Reason = "unusable", "participant "+e.Participant+": "+e.Participant+"_bold.nii.gz is cut off"
		if i == 3 {
			e.Reason = "no confounds"
		}
		e.fault = i == 4
	}
	var out bytes.Buffer
	a := console.New(nil, &out, io.Discard)
	Print(a, p, people)
	need.NoError(t, a.Flush())
	text := out.String()
	id := func(i int) string { return people[i].Participant }
	if n := strings.Count(text, "unusable: [1]"); n != 4 || strings.Count(text, "is cut off") != 1 {
		t.Errorf("%d lines refer to the reason:\n%s", n, text)
	}
	for _, part := range []string{"[1] 4 participants: sub-…_bold.nii.gz is cut off", "unusable: no confounds",
		"exclude: [" + strings.Join([]string{id(0), id(1), id(2), id(3)}, ", ") + "]", ", 5 unusable, 0 excluded\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// Values that all runs of a participant share stand once; what is not known is a dash.
func TestScanCells(t *testing.T) {
	fd := 0.1234
	got := scanCells([]Scan{{Run: "run-1", Space: "MNI", Voxel: "2×2×2", Volumes: 150, TR: 2, MeanFD: &fd},
		{Run: "run-2", Space: "MNI", Voxel: "2×2×2", Volumes: 120, TR: 2}})
	if want := "MNI|2×2×2|150 120|2|0.123 –"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got = scanCells([]Scan{{Space: "T1w"}}); strings.Join(got, "|") != "T1w|–|–|–|–" {
		t.Errorf("%q", got)
	}
}
