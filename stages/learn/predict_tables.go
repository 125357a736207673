package learn

import (
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// predicted gathers the answers of the models, participant by participant.
type predicted struct {
	groups  []string
	models  int
	applied finding.Applied
	lacked  []int // regions without a series in some participant that all had in training

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
	Trained     int32   `column:"trained" doc:"models with this id in their training, unless their digests show other data"`
	Same        string  `column:"same_data" doc:"a training participant of another id with the same graph in draw 0; empty: none"`
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

func newPredicted(models []*Trained, participants int, allow []string) *predicted {
	p := &predicted{groups: models[0].Groups, models: len(models)}
	p.applied = finding.Applied{Participants: participants, Allow: allow}
	for _, m := range models {
		p.applied.AddModel(m.Graphs.Taught, m.Graphs.Scans != nil)
	}
	return p
}

// start begins a participant, whose id or scan may be in the training of some models. Of graphs that were made in the
// same way, the digests decide whether one of an id in the training is that participant's scan.
func (p *predicted) start(id string, of Participant, models []*Trained) {
	one := predictedPerson{ID: id, Graphs: int32(len(of.Draws)), Models: int32(len(models))}
	scan := of.scan()
	equal := false
	for _, m := range models {
		if at := slices.Index(m.Graphs.Taught, id); at >= 0 {
			decided := m.Graphs.Scans != nil && m.Graphs.Scans[at] != "" && scan != "" &&
				of.Made != "" && of.Made == m.Graphs.Made
			if decided && m.Graphs.Scans[at] != scan {
				equal = true
			} else {
				one.Trained++
			}
		}
		if at := slices.Index(m.Graphs.Scans, scan); scan != "" && at >= 0 && m.Graphs.Taught[at] != id {
			one.Same = m.Graphs.Taught[at]
		}
	}
	p.applied.AddParticipant(id, one.Trained > 0, equal, one.Same)
	p.participants, p.persons = append(p.participants, one), append(p.persons, make([]float64, len(p.groups)))
}

func (p *predicted) add(id string, draws []int, model int, answers []gnn.Prediction) {
	last := len(p.participants) - 1
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

func (p *predicted) tables(accepted column.Differences, names []string) dag.Outputs {
	for i := range p.participants {
		best := prediction(p.persons[i])
		p.participants[i].Predicted, p.participants[i].Probability = p.groups[best.Class], best.Probability[best.Class]
	}
	p.applied.Accepted = accepted.Texts(len(p.participants))
	for _, d := range accepted {
		if d.Key == "regions" {
			p.applied.Zeros, p.applied.Regions = append(p.applied.Zeros, d.Who...), regionTexts(p.lacked, names)
		}
	}
	return dag.Outputs{
		"participants": column.WithMeta(encoding.NewTable(append(column.Columns(p.participants),
			groupColumns(p.groups, p.persons)...)...), p.applied.Meta()),
		"predictions": encoding.NewTable(append(column.Columns(p.graphs), groupColumns(p.groups, p.each)...)...),
		"scores":      column.Table(p.scores),
	}
}
