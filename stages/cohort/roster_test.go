package cohort

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/stages/cohort/listed"
)

// A line to paste keeps those who are excluded already, each once; other lists stay.
func TestCompleteExclude(t *testing.T) {
	r := &Roster{Left: []listed.LeftOut{{ID: "sub-29", Why: listed.ExcludedByName},
		{ID: "sub-07", Why: listed.ExcludedByName},
		{ID: "sub-31", Why: listed.RatedFail}, {ID: "sub-99", Why: "not selected: age > 7"}}}
	const message = "sub-03 and sub-10 share a scan; under cohort:\n    exclude: [sub-10, sub-29]\n  levels: [a, b] (or exclude: [sub-01])"
	const want = "sub-03 and sub-10 share a scan; under cohort:\n    exclude: [sub-07, sub-10, sub-29, sub-31]\n  levels: [a, b] (or exclude: [sub-01, sub-07, sub-29, sub-31])"
	if got := r.CompleteExclude(message); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := (&Roster{Left: r.Left[3:]}).CompleteExclude(message); got != message {
		t.Errorf("nobody is excluded by name, and it says\n%s", got)
	}
	if got := (*Roster)(nil).CompleteExclude(message); got != message {
		t.Errorf("there is no roster, and it says\n%s", got)
	}
}

// Excluding a whole group is no remedy.
func TestWholeGroup(t *testing.T) {
	r := &Roster{Participants: encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: []string{"a", "b", "c"}},
		encoding.Column{Name: "group", Values: []string{"F", "M", "M"}})}
	for ids, want := range map[string]string{"": "", "b": "", "c": "", "b c": "M", "a": "F"} {
		need.Equal(t, r.WholeGroup(strings.Fields(ids)), want, ids)
	}
}
