package performance

import (
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/present/section"
)

// The regions, and all that is said of them, are those of the headline, which is named; a
// ranking that has not got it says so.
func TestRegionsFollowTheHeadline(t *testing.T) {
	settings := []string{"pool=topk lambda=0.1-0", "pool=topk lambda=0.1-0", "pool=sage lambda=0.1-0"}
	for _, c := range []struct {
		settings, headline []string
		chosen             string
		want, said         string
	}{
		{settings, nil, "", settings[0], " of the first of 2 settings (TopK, λ 0.1-0)"},
		{settings, []string{"pool=sage"}, "", settings[2], " of the headline (SAGE, λ 0.1-0)"},
		{settings, []string{"stage=train", "lambda=0.1-0", "pool=sage"}, "", settings[2], " of the headline (SAGE, λ 0.1-0)"},
		{settings, []string{"pool=mean"}, "", settings[0], " of TopK, λ 0.1-0, not of the headline"},
		{settings[:1], []string{"pool=topk"}, "", settings[0], ""},
		{settings[:1], nil, "", settings[0], ""},
		{[]string{""}, []string{"stage=train"}, "", "", ""},
		{[]string{"stage=a", "stage=b"}, []string{"stage=b"}, "", "stage=b", " of the headline (b)"},
	} {
		a := &Results{Writer: section.NewWriter(dag.NewTask(nil)), Headline: c.headline}
		if got, said := a.RegionsOf(c.settings, c.chosen); got != c.want || said != c.said {
			t.Errorf("headline %v of %q: %q, %q; want %q, %q", c.headline, c.settings, got, said, c.want, c.said)
		}
	}
	// The headline is the accuracy of the settings chosen inside each fold.
	for _, c := range []struct {
		settings     []string
		chosen, said string
		cautions     int
	}{
		{[]string{""}, "λ x in 3 of 3 folds", " of the settings chosen inside each fold (λ x in 3 of 3 folds)", 0},
		{settings, "", " of the first of 2 settings (TopK, λ 0.1-0), not of the settings chosen inside each fold", 1},
		{settings[:1], "", " of TopK, λ 0.1-0, not of the settings chosen inside each fold", 1},
	} {
		nested := map[string][]dag.Input{"nested": {dag.InputOf(encoding.NewTable())}}
		a := &Results{Writer: section.NewWriter(dag.NewTask(nested))}
		_, said := a.RegionsOf(c.settings, c.chosen)
		need.Equal(t, said, c.said)
		need.Equal(t, len(a.Page.Cautions), c.cautions)
	}
}
