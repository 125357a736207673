package stagetest

import (
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
)

// ScoreRow is one row of a table of scores.
type ScoreRow struct {
	ID    string  `column:"participant_id"`
	Draw  int32   `column:"draw"`
	Set   string  `column:"set"`
	Layer int32   `column:"layer"`
	Index int32   `column:"index"`
	Score float64 `column:"score"`
	Kept  bool    `column:"kept"`
}

func ScoresOf(rows ...ScoreRow) *encoding.Table { return column.Table(rows) }

func TruthOf(source, target int32, difference float64) *encoding.Table {
	return encoding.NewTable(
		encoding.Column{Name: "source", Values: []int32{source}},
		encoding.Column{Name: "target", Values: []int32{target}},
		encoding.Column{Name: "difference", Values: []float64{difference}},
	)
}

// BiomarkerInputs are two folds of three nodes: sub-001 is tested in the first, in
// two draws, sub-002 in the second.
func BiomarkerInputs() map[string][]dag.Input {
	one := ScoresOf(
		ScoreRow{"sub-001", 1, "test", 1, 1, 0.5, true}, ScoreRow{"sub-001", 1, "test", 1, 2, 0.2, false},
		ScoreRow{"sub-001", 1, "test", 1, 3, 0.9, true},
		ScoreRow{"sub-001", 2, "test", 1, 1, 0.7, false}, ScoreRow{"sub-001", 2, "test", 1, 2, 0.4, true},
		ScoreRow{"sub-001", 2, "test", 1, 3, 0.8, true},
		ScoreRow{"sub-001", 2, "test", 2, 3, 0.1, true},
		ScoreRow{"sub-002", 1, "train", 1, 1, 0.01, true},
	)
	two := ScoresOf(
		ScoreRow{"sub-002", 1, "test", 1, 1, 0.4, true}, ScoreRow{"sub-002", 1, "test", 1, 2, 0.3, false},
		ScoreRow{"sub-002", 1, "test", 1, 3, 0.65, true},
	)
	return map[string][]dag.Input{
		"scores": {
			dag.InputOf(one, dag.Coord{Axis: "fold", Value: "1"}),
			dag.InputOf(two, dag.Coord{Axis: "fold", Value: "2"}),
		},
		"nodes":        {dag.InputOf(NodesOf("a", "b", "c"))},
		"participants": {dag.InputOf(SomeParticipants(2, "ASD", "HC"))},
	}
}

// Contrasted are two models of three regions: a tells the groups apart, in opposite
// directions, b tells nothing, c is high in everybody.
func Contrasted(sign float64) []dag.Input {
	var ins []dag.Input
	noise := []float64{0.01, -0.01, 0.02, -0.02}
	for fold := range 2 {
		var rows []ScoreRow
		for i := range 8 {
			p := fold*8 + i
			id := []string{"sub-001", "sub-002", "sub-003", "sub-004", "sub-005", "sub-006", "sub-007", "sub-008",
				"sub-009", "sub-010", "sub-011", "sub-012", "sub-013", "sub-014", "sub-015", "sub-016"}[p]
			e := noise[p/2%4]
			for j, s := range []float64{0.5 + e + sign*float64(1-2*fold)*0.2*float64(p%2), 0.4 + e, 0.9 - e} {
				rows = append(rows, ScoreRow{id, 1, "test", 1, int32(j + 1), s, true})
			}
		}
		ins = append(ins, dag.InputOf(ScoresOf(rows...), dag.Coord{Axis: "fold", Value: []string{"1", "2"}[fold]}))
	}
	return ins
}
