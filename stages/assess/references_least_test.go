package assess

import (
	"testing"

	"prgnn/internal/need"
)

// The smallest group that any model tests, by hand; a group of which a model tests nobody has 0.
func TestTestedLeast(t *testing.T) {
	model := func(people ...string) *ModelScores {
		m := &ModelScores{Tallies: map[string][]Tally{}, Group: map[string]string{}}
		for _, id := range people {
			m.Tallies[id], m.Group[id] = []Tally{{}}, id[:1]
		}
		return m
	}
	for _, c := range []struct {
		models []*ModelScores
		want   int
	}{
		{[]*ModelScores{model("a1", "a2", "a3", "b1", "b2"), model("a4", "a5", "b3", "b4", "b5")}, 2},
		{[]*ModelScores{model("a1", "a2", "b1"), model("a3", "a4", "b2", "b3")}, 1},
		{[]*ModelScores{model("a1", "a2", "b1", "b2"), model("a3", "a4")}, 0},
	} {
		need.Equal(t, testedLeast(c.models), c.want)
	}
}
