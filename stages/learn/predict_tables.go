package learn

import (
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/stages/column"
)

// predicted gathers the answers of the models, participant by participant.
type predicted struct {
	groups []string
	models int

	participants []predictedPerson
	persons      [][]float64 // participant × group: mean probability so far
	graphs       []predictedGraph
	each         [][]float64 // graph × group: probability
	scores       []predictedScore
}

// A predictedPerson is what all models say of one participant.
type predictedPerson struct {
	ID          string  `column:"participant_id"`
	Graphs      int32   `column:"graphs" doc:"draws"`
	Models      int32   `column:"models"`
	Trained     int32   `column:"trained" doc:"models that were trained on this participant"`
	Predicted   string  `column:"predicted"`
	Probability float64 `column:"probability" doc:"of the predicted group, mean over graphs and models"`
}

// A predictedGraph is what one model says of one graph.
type predictedGraph struct {
	ID          string  `column:"participant_id"`
	Draw        int32   `column:"draw"`
	Model       int32   `column:"model" doc:"from 1, in the order of the trainings"`
	Predicted   string  `column:"predicted"`
	Probability float64 `column:"probability" doc:"of the predicted group"`
}

// A predictedScore is the pooling score that one model gives to one node of one graph in one layer.
type predictedScore struct {
	ID    string `column:"participant_id"`
	Draw  int32  `column:"draw"`
	Model int32  `column:"model" doc:"from 1, in the order of the trainings"`
	column.NodeScore[float64]
}

func newPredicted(groups []string, models int) *predicted {
	return &predicted{groups: groups, models: models}
}

func (p *predicted) add(id string, draws []int, model int, answers []gnn.Prediction, known bool) {
	last := len(p.participants) - 1
	if last < 0 || p.participants[last].ID != id {
		p.participants = append(p.participants, predictedPerson{ID: id, Graphs: int32(len(draws)),
			Models: int32(p.models)})
		p.persons = append(p.persons, make([]float64, len(p.groups)))
		last++
	}
	if known {
		p.participants[last].Trained++
	}
	for i, a := range answers {
		draw, number := int32(draws[i]), int32(model+1)
		p.graphs = append(p.graphs, predictedGraph{id, draw, number, p.groups[a.Class], a.Probability[a.Class]})
		p.each = append(p.each, a.Probability)
		for c, x := range a.Probability {
			p.persons[last][c] += x / float64(len(answers)*p.models)
		}
		for l, s := range a.Layers {
			for j, node := range s.Node {
				p.scores = append(p.scores,
					predictedScore{id, draw, number, column.NodeScore[float64]{Layer: int32(l + 1), Index: node + 1,
						Score: s.Score[j], Kept: s.Kept[j]}})
			}
		}
	}
}

func (p *predicted) tables() dag.Outputs {
	for i := range p.participants {
		best := prediction(p.persons[i])
		p.participants[i].Predicted, p.participants[i].Probability = p.groups[best.Class], best.Probability[best.Class]
	}
	return dag.Outputs{
		"participants": encoding.NewTable(append(column.Columns(p.participants),
			groupColumns(p.groups, p.persons)...)...),
		"predictions": encoding.NewTable(append(column.Columns(p.graphs), groupColumns(p.groups, p.each)...)...),
		"scores":      column.Table(p.scores),
	}
}
