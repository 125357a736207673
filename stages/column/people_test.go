package column

import (
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// Who is simulated is known of the simulated cohort, and of its participants.tsv, where the mark is text.
func TestSimulated(t *testing.T) {
	ids := encoding.Column{Name: "participant_id", Values: []string{"sub-01", "sub-02"}}
	for _, c := range []struct {
		marks any
		want  bool
	}{
		{[]bool{false, true}, true},
		{[]bool{false, false}, false},
		{[]string{"n/a", "true"}, true},
		{[]string{"no", "no"}, false},
		{[]int64{1, 1}, false},
	} {
		table := encoding.NewTable(ids, encoding.Column{Name: "simulated", Values: c.marks})
		need.Equal(t, HasSimulated(table), c.want, c.marks)
	}
	if HasSimulated(encoding.NewTable(ids)) {
		t.Error("a table without the column")
	}
}

func TestNormalID(t *testing.T) {
	for id, want := range map[string]string{"sub-0012": "12", "0": "0", "000": "0", "A007b05": "a7b5", "SUB-x": "x",
		"sub-100": "100", "u\u0308": "ü", " a ": "a"} {
		need.Equal(t, NormalID(id), want, id)
	}
}
