package performance

import (
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
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
		{settings, []string{"pool=mean"}, "", settings[0], " of TopK, λ 0.1-0 (not of the headline)"},
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
		{settings, "", " of the first of 2 settings (TopK, λ 0.1-0; not of the settings chosen inside each fold)", 1},
		{settings[:1], "", " of TopK, λ 0.1-0 (not of the settings chosen inside each fold)", 1},
	} {
		nested := map[string][]dag.Input{"nested": {dag.InputOf(encoding.NewTable())}}
		a := &Results{Writer: section.NewWriter(dag.NewTask(nested))}
		_, said := a.RegionsOf(c.settings, c.chosen)
		need.Equal(t, said, c.said)
		need.Equal(t, len(a.Page.Cautions), c.cautions)
	}
}

// A headline of another network has its own cautions; the regions, which are of PR-GNN, say that they are, and the
// accuracy that speaks for them is PR-GNN's.
func TestHeadlineOfAnotherNetwork(t *testing.T) {
	row := func(stage, name string, p float64) column.AccuracyRow {
		return column.AccuracyRow{Coords: []dag.Coord{{Axis: "stage", Value: stage}}, Name: name, Level: "participant",
			Accuracy: 0.6, Low: 0.5, High: 0.7, Majority: 0.55, Sensitivity: 0.6, Specificity: 0.6,
			Test: fold.Retrained, P: p, AUCP: p, Permutations: 999}
	}
	settings := column.Table([]section.Parameter{{Stage: "train", Kind: "train"}, {Stage: "net", Kind: "braingnn"},
		{Stage: "markers", Kind: "biomarkers"}, {Stage: "page", Kind: "report"}})
	settings.Meta = map[string]string{"inputs": "markers scores train.scores\npage ranking markers.ranking\n"}
	for _, c := range []struct {
		headline    string
		train, net  float64 // p
		said, warns string
		unproven    bool
	}{
		{"stage=net", 0.01, 0.3, " of PR-GNN (not of the headline)", "BrainGNN: accuracy is not above chance", false},
		{"stage=net", 0.3, 0.01, " of PR-GNN (not of the headline)", "BrainGNN: the 95 % CI of the accuracy", true},
		{"stage=train", 0.3, 0.01, "", "PR-GNN: accuracy is not above chance", true},
		{"stage=train", 0.01, 0.3, "", "PR-GNN: the 95 % CI of the accuracy", false},
	} {
		evaluation := column.Table([]column.AccuracyRow{row("train", "PR-GNN", c.train), row("net", "BrainGNN", c.net)},
			"stage")
		w := section.NewWriter(dag.NewTask(map[string][]dag.Input{"evaluation": {dag.InputOf(evaluation)},
			"settings": {dag.InputOf(settings)}}))
		need.NoError(t, w.ReadSettings())
		a := &Results{Writer: w, Headline: []string{c.headline}}
		need.NoError(t, a.Read())
		a.CautionAccuracy()
		other := map[string]string{"stage=net": "PR-GNN", "stage=train": "BrainGNN"}[c.headline]
		if got := a.Page.Cautions; !strings.HasPrefix(got[0], c.warns) ||
			slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, other+": accuracy") }) {
			t.Errorf("%+v: cautions %q", c, got)
		}
		_, said := a.RegionsOf([]string{""}, "")
		need.Equal(t, said, c.said)
		need.Equal(t, a.IsUnproven("", a.StagesBehind("ranking", "scores")), c.unproven)
	}
}

// A ranking pools the seeds of a training: it is of the headline, which names one of them, and so is what is said of
// its accuracy.
func TestRegionsOverTheSeedsOfTheHeadline(t *testing.T) {
	rows := func(settings ...string) (rows []Row) {
		for _, s := range settings {
			r := Row{Title: "PR-GNN, " + s, Setting: s}
			r.Level = "participant"
			rows = append(rows, r)
		}
		return rows
	}
	one := rows("seed=1 stage=train", "seed=2 stage=train", "seed=1 stage=net")
	two := rows("pool=sage seed=1", "pool=sage seed=2", "pool=topk seed=1")
	for _, c := range []struct {
		rows               []Row
		headline, settings []string
		said               string
	}{
		{one, []string{"stage=train", "seed=2"}, []string{""}, " of the headline, over its 2 seeds"},
		{one[:1], []string{"stage=train", "seed=1"}, []string{""}, ""},
		{two, []string{"seed=1", "pool=sage"}, []string{"pool=topk", "pool=sage"}, " of the headline (SAGE), over its 2 seeds"},
		{two, []string{"seed=1", "pool=sage"}, []string{"pool=topk"}, " of TopK (not of the headline)"},
	} {
		a := &Results{Writer: section.NewWriter(dag.NewTask(nil)), Headline: c.headline, Accuracy: c.rows,
			First: &c.rows[0]}
		_, said := a.RegionsOf(c.settings, "")
		need.Equal(t, said, c.said, c.headline, c.settings)
	}
	a := &Results{Unproven: []string{"seed=2 stage=train", "pool=sage seed=1"}}
	for setting, want := range map[string]bool{"": true, "pool=sage": true, "pool=topk": false, "seed=2": true,
		"seed=1": false} {
		need.Equal(t, a.IsUnproven(setting, []string{"train"}), want, setting)
	}
	need.Equal(t, Row{Title: "PR-GNN, SAGE, seed 2 (own)", Setting: "pool=sage seed=2"}.unseeded("pool=sage"), "PR-GNN, SAGE (own)")
}
