package figure

import (
	"math"
	"testing"

	"prgnn/internal/need"

	"prgnn/stages/column"
)

// A ranking by contrast is named so, in the viewer and beside the colors; one by score has both readings.
func TestReadings(t *testing.T) {
	rows := RankingRows{
		{Rank: 1, Index: 2, Score: 0.9, Contrast: 0.1}, {Rank: 2, Index: 1, Score: 0.5, Contrast: 0.4},
	}
	both := Readings(rows, Reading{})
	if len(both) != 2 || both[0].name() != "mean score" || both[1].name() != "contrast between the groups" ||
		both[1].rank[1] != 1 || both[1].rank[2] != 2 {
		t.Errorf("by score: %+v", both)
	}
	if one := Readings(rows, Reading{Contrast: true}); len(one) != 1 || one[0].name() != "contrast between the groups" || one[0].score[2] != 0.9 {
		t.Errorf("by contrast: %+v", one)
	}
	if one := Readings([]column.RankingRow{{Rank: 1, Index: 1, Score: 1, Contrast: math.NaN()}},
		Reading{}); len(one) != 1 {
		t.Errorf("without contrasts: %+v", one)
	}
}

// TestUnmapped: a map says so when no region reaches the start of coloring.
func TestUnmapped(t *testing.T) {
	s := Ranked{rank: map[int]int{1: 1, 2: 2}, score: map[int]float64{1: 0.49, 2: 0.3}}
	const want = "No map of the mean score: every region is below the start of coloring, " +
		"0.5, the score of a region that is neither favored nor disfavored."
	if got := need.Value(s.Unmapped(2))(t); got != want {
		t.Errorf("%q", got)
	}
	if s.score[1] = 0.5; need.Value(s.Unmapped(2))(t) != "" {
		t.Error("a region on the scale is no map")
	}
}
