package tables

import (
	"fmt"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The rows of the run stand first, per participant alone, and each published row lists in what it differs.
func TestPublished(t *testing.T) {
	names := make([]string, 200)
	for i := range names {
		names[i] = string(rune('a' + i))
	}
	run := func(regions int, ids ...string) []PublishedRow {
		t.Helper()
		out := stagetest.MustRun(t, stagetest.Fresh("published"), map[string][]dag.Input{
			"evaluation": {dag.InputOf(column.Table([]column.AccuracyRow{
				{Name: "ridge regression", Level: "graph", Folds: 5, Participants: 1009},
				{Name: "ridge regression", Level: "participant", Folds: 5, Participants: 1009, FoldMean: 0.65,
					AUC: 0.71}}))},
			"nodes":        {dag.InputOf(encoding.NewTable(encoding.Column{Name: "name", Values: names[:regions]}))},
			"participants": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids}))}})
		rows, err := column.Rows[PublishedRow](out["table"].(*encoding.Table))
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := run(200, "sub-50002")
	if len(rows) != 13 || rows[0].Source != "this run" || rows[0].Accuracy != 0.65 || rows[0].Splits != "5 folds" ||
		len(rows[0].Differs) != 0 {
		t.Fatalf("%d rows, the first %+v", len(rows), rows[0])
	}
	for regions, want := range map[int][2]string{200: {"[splits]", "[splits participants]"},
		111: {"[splits regions]", "[splits participants regions]"}} {
		rows := run(regions, "sub-0050003", "51607")
		if fmt.Sprint(rows[1].Differs) != want[0] || fmt.Sprint(rows[12].Differs) != want[1] ||
			rows[1].Participants != 1009 {
			t.Errorf("%d regions: %q, %q", regions, rows[1].Differs, rows[12].Differs)
		}
	}
	for _, ids := range [][]string{nil, {"sub-01", "sub-02"}, {"sub-50002", "sub-28675"}, {"sub-sim001"}} {
		if got := run(200, ids...)[1].Differs; fmt.Sprint(got) != "[data set splits]" {
			t.Errorf("participants %q: %q", ids, got)
		}
	}
}
