package figure

import (
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/fold"
)

// The caption states over what predictions are averaged where a participant has several.
func TestPredictedOverDraws(t *testing.T) {
	cases := []fold.Case{{Id: "a", Target: 1, Probability: []float64{1}},
		{Id: "b", Target: 2, Probability: []float64{3}}}
	for n, want := range map[int]bool{2: false, 4: true} {
		tested := fold.Tested{Name: "SVR", Participants: cases, Graphs: make([]fold.Case, n)}
		charts := DrawPredicted(&fold.Settings{Settings: [][]fold.Tested{{tested}}},
			func([]dag.Coord) PredictedNumber { return PredictedNumber{Name: "age"} }, "sessions", 1)
		need.Equal(t, len(charts), 1)
		need.Equal(t, strings.Contains(charts[0].Caption, "each test participant (mean over the sessions) against"), want, n)
		need.Equal(t, strings.Contains(charts[0].Caption, "each test participant against"), !want, n)
	}
}
