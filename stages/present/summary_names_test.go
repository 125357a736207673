package present

import (
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
	"prgnn/stages/stagetest"
)

// What people read: PR-GNN first, the best of the others next, who learnt nothing last.
func TestSummaryNamesClassifiers(t *testing.T) {
	said := func(stage, model string, p ...float64) []dag.Input {
		var out []dag.Input
		for _, in := range stagetest.TwoFolds(model, p...) {
			table := need.Value(in.Table())(t)
			coords := []dag.Coord{{Axis: "fold", Value: in.Coord("fold")}, {Axis: "stage", Value: stage}}
			if stage != "train" {
				coords = append(coords, dag.Coord{Axis: "model", Value: model})
			}
			out = append(out, dag.InputOf(column.WithMeta(table,
				map[string]string{"model": model, "groups": table.Meta["groups"]}), coords...))
		}
		return out
	}
	predictions := slices.Concat(said("baselines", "majority", 0.1, 0.1, 0.1, 0.1),
		said("baselines", "linear-svm", 0.1, 0.9, 0.9, 0.9),
		said("baselines", "ridge", 0.1, 0.9, 0.1, 0.9), said("train", "pr-gnn", 0.1, 0.9, 0.1, 0.1))
	evaluated := stagetest.MustRun(t, stagetest.Fresh("evaluate"), map[string][]dag.Input{"predictions": predictions})
	pairs := stagetest.MustRun(t, stagetest.Fresh("compare", "reference", []any{"stage=train"}),
		map[string][]dag.Input{"predictions": predictions})["pairs"].(*encoding.Table)
	text := summaryText(t, &Summary{Top: 10}, map[string][]dag.Input{
		"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
		"evaluation":   {dag.InputOf(evaluated["summary"])}, "comparison": {dag.InputOf(pairs)}})
	at := -1
	for _, want := range []string{"\n    PR-GNN  ", "\n    ridge regression ", "\n    linear SVM ", "\n    majority classifier ",
		"\n    PR-GNN  ridge ", "\n    PR-GNN  linear SVM ", "\n    PR-GNN  majority classifier  "} {
		next := strings.Index(text, want)
		if next <= at {
			t.Errorf("%q is missing, or not in its place, in\n%s", want, text)
		}
		at = next
	}
	scores := evaluated["scores"].(*encoding.Table)
	w := section.NewWriter(nil)
	shown := w.WholeTable(scores, 10)
	if w.Err() != nil || shown.Heads[0].Text != "name" || shown.Rows[0][0].Text != "linear SVM" {
		t.Errorf("a report begins a table with %v, %v (%v)", shown.Heads, shown.Rows[0], w.Err())
	}
	if strings.Contains(text, "=baselines") {
		t.Errorf("coordinates are shown to people:\n%s", text)
	}
}

// The question is of the classes that the evaluated models predict, and of the participants that these are tested on.
func TestQuestion(t *testing.T) {
	people := stagetest.SomeParticipants(4, "ASD", "HC", "ASD", "HC")
	people.Columns = append(people.Columns, encoding.Column{Name: "site", Values: []string{"s1", "s2", "s2", "s1"}},
		encoding.Column{Name: "sex", Values: []string{"F", "M", "M", "M"}})
	const unseen = " in participants who were not in the training set?"
	for _, c := range []struct{ groups, leftOut, want, data string }{
		{`["ASD","HC"]`, "", "distinguish ASD from HC" + unseen, "4 participants (2 ASD and 2 HC)."},
		{`["s1","s2"]`, "", "predict site (s1 and s2)" + unseen, "4 participants (2 s1 and 2 s2). On this page, the models predict the values of site, which are called groups."},
		{`["F","M"]`, "", "predict sex (F and M)" + unseen, "4 participants (1 F and 3 M). On this page"},
		{`["other","some"]`, "", "distinguish other from some" + unseen, "4 participants."},
		{`["ASD","HC"]`, "s1 s2", "distinguish ASD from HC in participants whose site was not in the training set?", "4 participants (2 ASD and 2 HC)."},
		{`["ASD","HC"]`, "s1 s3", "distinguish ASD from HC" + unseen, "4 participants (2 ASD and 2 HC)."},
	} {
		evaluation, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
		evaluation.Meta = map[string]string{"groups": c.groups}
		if left := strings.Fields(c.leftOut); len(left) > 0 {
			scores.Columns = append(scores.Columns,
				encoding.Column{Name: "left_out", Values: []string{left[0], left[0], left[1], left[1]}})
		}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{}, map[string][]dag.Input{
			"participants": {dag.InputOf(people)},
			"evaluation":   {dag.InputOf(evaluation)}, "scores": {dag.InputOf(scores)}})), " ")
		for _, want := range []string{"Question: does functional connectivity " + c.want + " The model", "Data: " + c.data} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", c.groups, want, text)
			}
		}
	}
}
