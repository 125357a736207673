package present

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/present/participants"
	"prgnn/stages/role"
	"prgnn/stages/stagetest"
)

// The flow counts who was excluded, included and tested, and how many are on each side of a fold.
func TestFlow(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	groups := []string{"ASD", "ASD", "ASD", "HC", "HC", "ASD", "ASD", "HC", "HC", "HC"}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups})
	left := []participants.ExcludedRow{{Participant: "x", Reason: "x.nii: cut", Category: "unusable"},
		{Participant: "y", Reason: "y.nii: cut", Category: "unusable"},
		{Participant: "z", Reason: "age", Category: "age", Criterion: "age > 9"}}
	in := stagetest.ReportInputs("a", "ASD", "HC")
	in["participants"], in["predictions"] = []dag.Input{dag.InputOf(people)}, unevenRun("train", column.PrGNN)
	in["excluded"] = []dag.Input{dag.InputOf(column.Table(left))}
	flow := func() (alt, caption string) {
		page := need.Value((&Report{Top: 20}).Page(dag.NewTask(in)))(t)
		f := page.Sections[0].Blocks[0].Figure
		need.Equal(t, f.Label()+" "+f.Title, "Figure 1 Flow of participants")
		return f.Alt, f.Caption
	}
	alt, caption := flow()
	const begin = "Boxes from top to bottom, with excluded and untested participants in brackets: "
	need.Equal(t, alt, begin+"13 participants in the table (3 excluded, 2: unusable, 1: inclusion criterion age > 9 not met); "+
		"10 participants included, 5\u00a0ASD, 5\u00a0HC (2 not tested); "+
		"8 tested, 5\u00a0ASD, 3\u00a0HC, 2 folds, in each fold: training 3–5, test 3–5")
	need.Equal(t, caption, "10 of 13 participants were included, and the models tested 8 of them. Each excluded participant is counted under one reason.")

	delete(in, "predictions")
	in["excluded"] = []dag.Input{dag.InputOf(column.Table(left[:0]))}
	alt, caption = flow()
	need.Equal(t, alt+" "+caption, begin+"10 participants included, 5\u00a0ASD, 5\u00a0HC All 10 participants were included.")

	// Of those without results, some are included, and others in the table alone: everybody of the table counts once.
	for n, c := range map[int][2]string{
		0: {"12 participants in the table (2 excluded, 2: their data cannot be used as they are); 10 participants " +
			"included, 5\u00a0ASD, 5\u00a0HC 10 of 12 participants were included. Results are missing for 1 of the included " +
			"participants.", "; 2 of 12 were not included, because their data cannot be used as they are; results are missing " +
			"for 1 of the 10."},
		3: {"15 participants in the table (5 excluded, 2: unusable, 1: inclusion criterion age > 9 not met, 2: their " +
			"data cannot be used as they are); 10 participants included, 5\u00a0ASD, 5\u00a0HC 10 of 15 participants were " +
			"included. Each excluded participant is counted under one reason. Results are missing for 1 of the included " +
			"participants.", "a further 2 were not included, because their data cannot be used as they are; results are missing " +
			"for 1 of the 10."},
	} {
		in["excluded"] = []dag.Input{dag.InputOf(column.Table(left[:n]))}
		page := need.Value((&Report{Top: 20}).page(dag.NewTask(in), role.Partial{Lacking: []string{"a", "p", "q"}}))(t)
		f := page.Sections[0].Blocks[0].Figure
		need.Equal(t, strings.TrimPrefix(f.Alt, begin)+" "+f.Caption, c[0])
		var text strings.Builder
		need.NoError(t, page.HTML(&text))
		if plain := unbroken.Replace(text.String()); !strings.Contains(
			plain, c[1]) {
			t.Errorf("the page does not state %q", c[1])
		}
	}

	// Models of another study.
	in["excluded"] = []dag.Input{dag.InputOf(column.Table(left[:0]))}
	in["validation_summary"] = []dag.Input{dag.InputOf(column.Table([]column.ValidationSummaryRow{{
		Groups: []string{"ASD", "HC"},
		Counts: []int32{5, 5}, Models: 3, Participants: 10}}))}
	alt, _ = flow()
	need.Equal(t, alt, begin+"10 participants included, 5\u00a0ASD, 5\u00a0HC; 10 tested with 3 stored models, 5\u00a0ASD, 5\u00a0HC")

	delete(in, "excluded")
	page := need.Value((&Report{Top: 20}).Page(dag.NewTask(in)))(t)
	if page.Sections[0].Blocks[0].Figure != nil {
		t.Error("without the excluded participants the flow is not known")
	}
}
