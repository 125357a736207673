package figure

import (
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding/ranking"
	"prgnn/stages/wording"
)

// The rankings by the criterion of the first map come first, in their order.
func TestByFirst(t *testing.T) {
	readings := []Ranked{{Setting: "a"}, {Setting: "b"}, {Setting: "a", Reading: Reading{Contrast: true}}}
	got := ByFirst(ranking.FirstMap{Contrast: true}, readings)
	if !got[0].Contrast || got[1].Setting != "a" || got[2].Setting != "b" {
		t.Errorf("order %v", got)
	}
}

// Coloring by contrast starts at the 95th percentile of its null distribution, in figures and in the viewer; the scale
// spans what is colored.
func TestColoringStartsAtTheNull(t *testing.T) {
	nan := math.NaN()
	rows := RankingRows{
		{Rank: 1, Index: 1, Score: 0.6, Contrast: 0.9, ContrastChance: 0.2, ContrastHigh: 0.5, Q: 0.01},
		{Rank: 2, Index: 2, Score: 0.55, Contrast: 0.5, ContrastChance: 0.2, ContrastHigh: 0.3, Q: 0.2},
		{Rank: 3, Index: 3, Score: 0.45, Contrast: 0.3, ContrastChance: 0.2, ContrastHigh: nan, Q: 0.5},
	}
	r := Readings(rows, Reading{Null: "models retrained on permuted labels"})
	score, contrast := r[0], r[1]
	if low, high := contrast.ends(0); low != 0.5 || math.Abs(high-0.9) > 1e-9 {
		t.Errorf("%v … %v", low, high)
	}
	if got := contrast.colored(0); len(got) != 2 || got[3] != 0 {
		t.Errorf("colored by contrast: %v", got)
	}
	if got := score.colored(3); len(got) != 2 || score.colored(1)[2] != 0 {
		t.Errorf("colored by score: %v", got)
	}
	text := func(code string, r Ranked, top int) string { return need.Value(wording.Text(code, r.values(top)))(t) }
	if got := text("figure.regions.uncolored", contrast, 0); got != "The color scale goes from 0.5 to 0.9. Not colored: regions below 0.4, the 95th percentile of the contrast under the null hypothesis (models retrained on permuted labels), mean over the regions, uncorrected; q < 0.05: 1 of 3 regions." {
		t.Error(got)
	}
	if got := text("figure.regions.colored", score, 3); got != "Colored: 2 of all 3 regions, by the mean score; the others lie below 0.5." {
		t.Error(got)
	}
	for i := range rows {
		rows[i].ContrastHigh, rows[i].Score = nan, 0.4
	}
	r = Readings(rows, Reading{})
	if got := text("figure.regions.uncolored", r[1], 0); !strings.Contains(got, "Not colored: regions below 0.2, the mean contrast over permuted labels") {
		t.Error(got)
	}
	if got := text("figure.regions.colored", r[0], 0); got != "No region is colored: the mean score of the 3 regions lies below 0.5." {
		t.Error(got)
	}
	if got := text("figure.regions.colored", r[0], 2); got != "No region is colored: the 2 regions with the highest mean score lie below 0.5." {
		t.Error(got)
	}
}

// The stroke of a contrast is the 95th percentile under the null hypothesis; without one there is none.
func TestContrastStroke(t *testing.T) {
	for high, want := range map[float64]bool{0.5: true, math.NaN(): false} {
		row := column.RankingRow{Rank: 1, Index: 1, Contrast: 0.9, ContrastChance: 0.2, ContrastHigh: high, Q: 0.01}
		c := DrawContrast(RankingRows{row}, 5)
		b := need.Value(c.InReport(false))(t).Data
		const text = "95th percentile"
		need.Equal(t, strings.Contains(c.Caption, text), want)
		need.Equal(t, strings.Contains(string(b), text), want)
	}
}
