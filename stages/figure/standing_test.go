package figure

import (
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/wording"
)

// The first map is by the reading that beats every reference in the held-out effect; the truth has no part in it.
func TestFirstMapIsTheOneThatStandsUp(t *testing.T) {
	type test struct{ lead, p float64 }
	better, same, worse, none := test{0.2, 0.01}, test{0.2, 0.06}, test{-0.2, 0.01}, test{math.NaN(), math.NaN()}
	// Against each reference: the score's ranking, then the contrast's.
	rows := func(untrained, strength, ridge [2]test) (out []column.RecoveryRow) {
		row := func(method, by string, v [2]test) {
			// By the truth the score is far ahead: that must not count.
			out = append(out, column.RecoveryRow{Method: method, By: by, LeadScore: 0.5, PScore: 0.001,
				LeadContrast: -0.5, PContrast: 0.001, HeldOutLeadScore: v[0].lead, HeldOutPScore: v[0].p,
				HeldOutLeadContrast: v[1].lead, HeldOutPContrast: v[1].p})
		}
		row(column.TrainedModels, "score", [2]test{none, none})
		row(column.TrainedModels, "contrast", [2]test{none, none})
		row(column.UntrainedModels, "score", [2]test{untrained[0], worse})    // each reading is compared with its own
		row(column.UntrainedModels, "contrast", [2]test{worse, untrained[1]}) // untrained ranking only
		row(column.StrengthTest, "statistic", strength)
		row(column.RidgePattern, "statistic", ridge)
		return out
	}
	all := func(score, contrast test) []column.RecoveryRow {
		v := [2]test{score, contrast}
		return rows(v, v, v)
	}
	for _, c := range []struct {
		name     string
		rows     []column.RecoveryRow
		own      bool // the pipeline reads the contrast
		contrast bool
		why      string
	}{
		{"only the contrast", all(same, better), false, true, "lead"},
		{"only the score", all(better, same), true, false, "lead"},
		{"both", all(better, better), true, true, "both"},
		{"neither", all(same, worse), false, false, "neither"},
		{"one reference is not beaten", rows([2]test{same, better}, [2]test{same, better}, [2]test{same, same}), false, false, "neither"},
		{"an untrained model is not beaten", rows([2]test{same, same}, [2]test{same, better}, [2]test{same, better}), false, false, "neither"},
		{"not tested", all(none, none), true, true, "untested"},
		{"no references", nil, true, true, ""},
	} {
		got := Stand(c.rows, Reading{Contrast: c.own})
		if got.Contrast != c.contrast || got.Why != c.why {
			t.Errorf("%s: contrast %t, %q", c.name, got.Contrast, got.Why)
		}
	}
	readings := []Ranked{{Setting: "a"}, {Setting: "b"}, {Setting: "a", Reading: Reading{Contrast: true}}}
	got := Standing{Contrast: true}.First(readings)
	if !got[0].Contrast || got[1].Setting != "a" || got[2].Setting != "b" {
		t.Errorf("order %v", got)
	}
}

// The color scale of a contrast starts at the 95th percentile of its null distribution, and what lies below the start
// of a scale has no color: in figures and in the viewer.
func TestColorScaleStartsAtTheNull(t *testing.T) {
	nan := math.NaN()
	rows := RankingRows{
		{Rank: 1, Index: 1, Score: 0.6, Contrast: 0.9, ContrastChance: 0.2, ContrastHigh: 0.5, Q: 0.01},
		{Rank: 2, Index: 2, Score: 0.55, Contrast: 0.5, ContrastChance: 0.2, ContrastHigh: 0.3, Q: 0.2},
		{Rank: 3, Index: 3, Score: 0.45, Contrast: 0.3, ContrastChance: 0.2, ContrastHigh: nan, Q: 0.5},
	}
	r := Readings(rows, Reading{Null: "models retrained on permuted labels"})
	score, contrast := r[0], r[1]
	if low, high := contrast.ends(); low != 0.4 || high != 0.9 {
		t.Errorf("%v … %v", low, high)
	}
	if got := contrast.colored(0); len(got) != 2 || got[3] != 0 {
		t.Errorf("colored by contrast: %v", got)
	}
	if got := score.colored(3); len(got) != 2 || score.colored(1)[2] != 0 {
		t.Errorf("colored by score: %v", got)
	}
	text := func(code string, r Ranked, top int) string { return need.Value(wording.Text(code, r.values(top)))(t) }
	if got := text("figure.regions.scale", contrast, 0); !strings.Contains(got, "starts at 0.4, the 95th percentile of the contrast under the null hypothesis (models retrained on permuted labels), mean over the regions, uncorrected; q < 0.05: 1 of 3 regions.") {
		t.Error(got)
	}
	if got := text("figure.regions.colored", score, 3); got != "Colored: 2 of all 3 regions, by the mean pooling score; the others lie below 0.5." {
		t.Error(got)
	}
	for i := range rows {
		rows[i].ContrastHigh, rows[i].Score = nan, 0.4
	}
	r = Readings(rows, Reading{})
	if got := text("figure.regions.scale", r[1], 0); !strings.Contains(got, "starts at 0.2, the mean contrast over permuted labels") {
		t.Error(got)
	}
	if got := text("figure.regions.colored", r[0], 0); got != "No region is colored: the mean pooling score of the 3 regions lies below 0.5." {
		t.Error(got)
	}
	if got := text("figure.regions.colored", r[0], 2); got != "No region is colored: the 2 regions with the highest mean pooling score lie below 0.5." {
		t.Error(got)
	}
}

// The stroke of a contrast is the 95th percentile under the null hypothesis; without one there is none.
func TestContrastStroke(t *testing.T) {
	for high, want := range map[float64]bool{0.5: true, math.NaN(): false} {
		row := column.RankingRow{Rank: 1, Index: 1, Contrast: 0.9, ContrastChance: 0.2, ContrastHigh: high, Q: 0.01}
		c := DrawContrast(RankingRows{row}, 5)
		b := need.Value(c.InReport())(t).Data
		const text = "95th percentile"
		need.Equal(t, strings.Contains(c.Caption, text), want)
		need.Equal(t, strings.Contains(string(b), text), want)
	}
}
