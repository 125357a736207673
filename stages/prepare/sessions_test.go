package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// sessionsOf makes the matrices of two sessions; the second lacks region 3.
func sessionsOf(t *testing.T, draws int, change func(session int, c *Connectivity)) map[string][]dag.Input {
	t.Helper()
	in := map[string][]dag.Input{}
	for i := range 2 {
		s := stagetest.NewStage[*Connectivity](t, "connectivity")
		if change != nil {
			change(i, s)
		}
		a := stagetest.Series(draws, 60+20*i, 5)
		for k, v := range a.Float64s() {
			if a.Float64s()[k] = v * float64(1+k%7*i); i == 1 && k%5 == 2 {
				a.Float64s()[k] = math.NaN()
			}
		}
		out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(a)})
		need.NoError(t, err)
		for port, v := range out {
			one := stagetest.Named(fmt.Sprintf("%s of session %d", port, i+1), v)
			one.Coords = []dag.Coord{{Axis: "subject", Value: "sub-1"}, {Axis: "session", Value: fmt.Sprint("0", i+1)}}
			in[port] = append(in[port], one)
		}
	}
	return in
}

// Draw 0 is the mean of Fisher's z over the sessions, pair by pair where both regions have a signal; then come the
// sessions' draws in turn.
func TestSessions(t *testing.T) {
	for _, c := range []struct {
		draws int
		order []sessionDrawRow
	}{
		{3, []sessionDrawRow{{1, "01", 1}, {2, "02", 1}, {3, "01", 2}, {4, "02", 2}}},
		{1, []sessionDrawRow{{1, "01", 0}, {2, "02", 0}}},
	} {
		in := sessionsOf(t, c.draws, nil)
		out, err := stagetest.NewStage[*Sessions](t, "sessions").Run(t.Context(), dag.NewTask(in))
		need.NoError(t, err)
		if got := stagetest.Sure(column.Rows[sessionDrawRow](out["draws"].(*encoding.Table))); !slices.Equal(got,
			c.order) {
			t.Errorf("draws %v, want %v", got, c.order)
		}
		for _, port := range []string{"pearson", "partial"} {
			a := out[port].(*encoding.Array)
			if want := []int{1 + len(c.order), 5, 5}; !slices.Equal(a.Shape, want) {
				t.Fatalf("%s: shape %v, want %v", port, a.Shape, want)
			}
			var session [2][]float64
			for i := range session {
				session[i] = stagetest.Sure(in[port][i].Array()).Float64s()
			}
			for k, got := range a.Float64s()[:25] {
				want := math.Tanh((math.Atanh(session[0][k]) + math.Atanh(session[1][k])) / 2)
				switch {
				case k%6 == 0:
					want = 1
				case k%5 == 2 || k/5 == 2: // which the second session lacks
					want = session[0][k]
				}
				if !(math.Abs(got-want) < 1e-12) {
					t.Errorf("%s: the mean has %v at %d, want %v", port, got, k, want)
				}
			}
			for _, d := range c.order {
				own := session[slices.Index([]string{"01", "02"}, d.Session)][25*d.Of:][:25]
				if !slices.Equal(a.Float64s()[25*d.Draw:][:25], own) {
					t.Errorf("%s: draw %d is not draw %d of session %s", port, d.Draw, d.Of, d.Session)
				}
			}
		}
		rows := stagetest.Sure(column.Rows[matrixRow](out["quality"].(*encoding.Table)))
		if len(rows) != 1+len(c.order) || rows[0].Volumes != 140 || rows[1].Volumes != 60 || rows[2].Volumes != 80 ||
			rows[0].Missing != 1 || rows[1].Missing != 0 {
			t.Errorf("quality %+v", rows)
		}
		for d, row := range rows {
			if int(row.Draw) != d {
				t.Errorf("row %d is of draw %d", d, row.Draw)
			}
		}
	}
}

// Sessions of two participants are never one: a graph of the one would carry the name of the other to the other side of
// a split.
func TestSessionsRefuse(t *testing.T) {
	in := sessionsOf(t, 2, nil)
	other := map[string][]dag.Input{}
	for port, ins := range in {
		other[port] = slices.Clone(ins)
		other[port][1].Coords = []dag.Coord{{Axis: "subject", Value: "sub-2"}, {Axis: "session", Value: "02"}}
	}
	apart := sessionsOf(t, 2, func(session int, c *Connectivity) { c.Standardize = session == 0 })
	uneven := sessionsOf(t, 3, nil)
	for port := range uneven {
		uneven[port] = []dag.Input{in[port][0], uneven[port][1]}
	}
	missing := map[string][]dag.Input{"pearson": in["pearson"], "partial": in["partial"][:1], "quality": in["quality"]}
	for want, ins := range map[string]map[string][]dag.Input{
		"belong to two participants": other, "connectivity.standardize is false, not true": apart,
		"has 3 draws, but quality of session 1 has 2": uneven, "have different runs or sessions": missing,
	} {
		if _, err := stagetest.NewStage[*Sessions](t, "sessions").Run(t.Context(), dag.NewTask(ins)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
