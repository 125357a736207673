package finding

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// The regions are those of the headline, which the file gives; a ranking that has not got it is not of it.
func TestRegionsFollowTheHeadline(t *testing.T) {
	settings := []string{"pool=topk lambda=0.1-0", "pool=topk lambda=0.1-0", "pool=sage lambda=0.1-0"}
	nested := &Row{}
	for _, c := range []struct {
		settings []string
		headline string
		chosen   string
		nested   *Row
		want     string
		relation string
	}{
		{settings, "", "", nil, settings[0], RegionsOfFirst},
		{settings, "pool=sage", "", nil, settings[2], RegionsOfHeadline},
		{settings, "stage=train lambda=0.1-0 pool=sage", "", nil, settings[2], RegionsOfHeadline},
		{settings, "pool=mean", "", nil, settings[0], RegionsOfOther},
		{settings[:1], "pool=topk", "", nil, settings[0], RegionsOfOnly},
		{settings[:1], "", "", nil, settings[0], RegionsOfOnly},
		{[]string{""}, "stage=train", "", nil, "", RegionsOfOnly},
		{[]string{"stage=a", "stage=b"}, "stage=b", "", nil, "stage=b", RegionsOfHeadline},
		{[]string{""}, "", "λ x in 3 of 3 folds", nested, "", RegionsOfChosen},
		{settings, "pool=sage", "λ x in 3 of 3 folds", nil, settings[2], ChosenNotHeadline},
		{settings, "", "", nested, settings[0], NestedNotRegions},
	} {
		a := &Results{Plan: &Settings{}, Headline: coords(c.headline), Nested: c.nested}
		got := a.RegionsOf(lists.Map(c.settings, coords), c.chosen)
		need.Equal(t, column.CoordText(got.Setting), c.want, c)
		need.Equal(t, got.Relation, c.relation, c)
		need.Equal(t, len(got.Findings()) > 0, c.relation == NestedNotRegions)
	}
}

// A headline of another network has its own findings; the accuracy behind the regions, which are of PR-GNN, is
// PR-GNN's.
func TestHeadlineOfAnotherNetwork(t *testing.T) {
	row := func(stage, name string, p float64) column.AccuracyRow {
		r := sound(name, "stage="+stage).AccuracyRow
		r.Name, r.P, r.AUCP = name, p, p
		return r
	}
	settings := column.Table([]Parameter{{Stage: "train", Kind: "train"}, {Stage: "net", Kind: "network"},
		{Stage: "markers", Kind: "biomarkers"}, {Stage: "page", Kind: "report"}})
	settings.Meta = links("markers scores train.scores", "page ranking markers.ranking")
	for _, c := range []struct {
		headline   string
		train, net float64 // p
		relation   string
		of         string // the finding on the accuracy
		unproven   bool
	}{
		{"stage=net", 0.01, 0.3, RegionsOfOther, "BrainGNN", false},
		{"stage=net", 0.3, 0.01, RegionsOfOther, "", true},
		{"stage=train", 0.3, 0.01, RegionsOfOnly, "PR-GNN", true},
		{"stage=train", 0.01, 0.3, RegionsOfOnly, "", false},
	} {
		evaluation := column.Table([]column.AccuracyRow{row("train", "PR-GNN", c.train), row("net", "BrainGNN", c.net)},
			"stage")
		task := dag.NewTask(map[string][]dag.Input{"evaluation": {dag.InputOf(evaluation)},
			"settings": {dag.InputOf(settings)}})
		plan, err := ReadSettings(task)
		need.NoError(t, err)
		a := &Results{Plan: plan, Headline: coords(c.headline)}
		need.NoError(t, a.Read(task))
		of := ""
		for _, f := range a.Performance() {
			if f.Code == "accuracy.not-above-chance" {
				of += f.Subject.Classifier
			}
		}
		need.Equal(t, of, c.of, c)
		need.Equal(t, a.RegionsOf([][]dag.Coord{nil}, "").Relation, c.relation, c)
		need.Equal(t, a.IsUnproven(nil, a.StagesBehind("ranking", "scores")), c.unproven, c)
	}
}

// A ranking pools the seeds of a training: it is of the headline, which has one of them, and so is what is known of
// its accuracy.
func TestRegionsOverTheSeedsOfTheHeadline(t *testing.T) {
	rows := func(settings ...string) []Row {
		return lists.Map(settings, func(s string) Row { return sound("PR-GNN, "+s, s) })
	}
	one := rows("seed=1 stage=train", "seed=2 stage=train", "seed=1 stage=net")
	two := rows("pool=sage seed=1", "pool=sage seed=2", "pool=topk seed=1")
	for _, c := range []struct {
		rows               []Row
		headline, settings string
		want               string
	}{
		{one, "stage=train seed=2", "", RegionsOfOnly + " 2"},
		{one[:1], "stage=train seed=1", "", RegionsOfOnly + " 0"},
		{two, "seed=1 pool=sage", "pool=topk; pool=sage", RegionsOfHeadline + " 2"},
		{two, "seed=1 pool=sage", "pool=topk", RegionsOfOther + " 0"},
	} {
		a := &Results{Plan: &Settings{}, Headline: coords(c.headline), Accuracy: c.rows, First: &c.rows[0]}
		got := a.RegionsOf(lists.Map(strings.Split(c.settings, ";"), coords), "")
		need.Equal(t, fmt.Sprint(got.Relation, " ", got.Seeds), c.want, c.headline, c.settings)
	}
	failed := rows("seed=2 stage=train", "pool=sage seed=1")
	failed[0].P, failed[1].P = 0.5, 0.5
	a := &Results{Plan: &Settings{}, Accuracy: failed}
	for setting, want := range map[string]bool{"": true, "pool=sage": true, "pool=topk": false, "seed=2": true,
		"seed=1": false} {
		need.Equal(t, a.IsUnproven(coords(setting), []string{"train"}), want, setting)
	}
	own := Row{Title: "PR-GNN, SAGE, seed 2 (own)"}
	own.Coords = coords("pool=sage seed=2")
	need.Equal(t, own.unseeded(coords("pool=sage")), "PR-GNN, SAGE (own)")
}
