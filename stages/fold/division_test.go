package fold

import (
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// Each number of a text is a draw that Numbers takes, and the others are counted.
func TestDrawsText(t *testing.T) {
	for _, c := range []struct {
		params Params
		n      int
		want   string
	}{
		{Params{}, 11, "all graphs"},
		{Params{Draws: 1}, 11, "graph 1 of 10"},
		{Params{Draws: 3}, 11, "graphs 1 to 3 of 10"},
		{Params{Draws: 10, DrawZero: true}, 11, "the graph of all data, all graphs"},
		{Params{}, 2, "graph 1 of 1"},
		{Params{Draws: 1}, 1, "the graph of all data"},
	} {
		draws := need.Value(c.params.Numbers(c.n, "features"))(t)
		need.Equal(t, GraphsText(draws, c.n), c.want, c.params, "of", c.n)
	}
}

// A graph of one session has no row: only what has been put together for its participant is on a side of a split.
func TestSessionsHaveNoSide(t *testing.T) {
	folds := dag.InputOf(column.Table([]Member{{ID: "sub-1", Group: "A", Repeat: 1, Fold: 1},
		{ID: "sub-2", Group: "B", Repeat: 1, Fold: 2}}))
	d := need.Value(First().Divide(folds))(t)
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
