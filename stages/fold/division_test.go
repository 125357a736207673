package fold

import (
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/stages/column"
)

// A graph of one session has no row: only what has been put together for its participant is on a side of a split.
func TestSessionsHaveNoSide(t *testing.T) {
	folds := dag.InputOf(column.Table([]Member{{ID: "sub-1", Group: "A", Repeat: 1, Fold: 1},
		{ID: "sub-2", Group: "B", Repeat: 1, Fold: 2}}))
	d, err := First().Divide(folds)
	if err != nil {
		t.Fatal(err)
	}
	for part, remedy := range map[string]string{"": "", "session": "by the kind sessions", "run": "by the kind join"} {
		in := dag.Input{Name: "graphs", Coords: []dag.Coord{{Axis: "subject", Value: "sub-1"}}}
		if part != "" {
			in.Coords = append(in.Coords, dag.Coord{Axis: part, Value: "2"})
		}
		r, err := d.Row(in)
		switch {
		case part == "" && (err != nil || r.Side != 1):
			t.Errorf("%+v, %v", r, err)
		case part != "" && (err == nil || !strings.HasSuffix(err.Error(), remedy)):
			t.Errorf("%s: %v, want %s", part, err, remedy)
		}
	}
}
