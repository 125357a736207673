package learn

import (
	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/stages/fold"
)

// predicted gathers the answers of the models, participant by participant.
type predicted struct {
	groups []string
	models int

	participants []fold.Case // probabilities are sums until the end
	count        []int32     // graphs
	trained      []int32     // models that know the participant

	id             []string
	draw, model    []int32
	class          []int32
	probability    []float64
	each           [][]float64 // by group
	sID            []string
	sDraw, sModel  []int32
	sLayer, sIndex []int32
	score          []float64
	kept           []bool
}

func newPredicted(groups []string, models int) *predicted {
	return &predicted{groups: groups, models: models, each: make([][]float64, len(groups))}
}

func (p *predicted) add(id string, draws []int, model int, answers []gnn.Prediction, known bool) {
	last := len(p.participants) - 1
	if last < 0 || p.participants[last].Id != id {
		p.participants = append(p.participants, fold.Case{Id: id, Probability: make([]float64, len(p.groups))})
		p.count, p.trained = append(p.count, int32(len(draws))), append(p.trained, 0)
		last++
	}
	if known {
		p.trained[last]++
	}
	for i, a := range answers {
		p.id, p.draw, p.model = append(p.id, id), append(p.draw, int32(draws[i])), append(p.model, int32(model+1))
		p.class, p.probability = append(p.class, int32(a.Class)), append(p.probability, a.Probability[a.Class])
		for c, x := range a.Probability {
			p.each[c] = append(p.each[c], x)
			p.participants[last].Probability[c] += x / float64(len(answers)*p.models)
		}
		for l, s := range a.Layers {
			for j, node := range s.Node {
				p.sID, p.sDraw, p.sModel = append(p.sID, id), append(p.sDraw, int32(draws[i])), append(p.sModel, int32(model+1))
				p.sLayer, p.sIndex = append(p.sLayer, int32(l+1)), append(p.sIndex, node+1)
				p.score, p.kept = append(p.score, s.Score[j]), append(p.kept, s.Kept[j])
			}
		}
	}
}

func (p *predicted) tables() dag.Outputs {
	n := len(p.participants)
	id, group, best := make([]string, n), make([]string, n), make([]float64, n)
	models := make([]int32, n)
	each := make([][]float64, len(p.groups))
	for i, c := range p.participants {
		for k, x := range c.Probability {
			each[k] = append(each[k], x)
			if x > c.Probability[c.Predicted] {
				c.Predicted = k
			}
		}
		id[i], group[i], best[i], models[i] = c.Id, p.groups[c.Predicted], c.Probability[c.Predicted], int32(p.models)
	}
	names := func(class []int32) []string {
		v := make([]string, len(class))
		for i, c := range class {
			v[i] = p.groups[c]
		}
		return v
	}
	perGroup := func(v [][]float64) []artifacts.Column {
		var cols []artifacts.Column
		for c, g := range p.groups {
			if v[c] == nil {
				v[c] = []float64{}
			}
			cols = append(cols, artifacts.Column{Name: "p_" + g, Values: v[c], Doc: "probability of group " + g})
		}
		return cols
	}
	return dag.Outputs{
		"participants": artifacts.NewTable(append([]artifacts.Column{
			{Name: "participant_id", Values: id},
			{Name: "graphs", Values: p.count, Doc: "draws"},
			{Name: "models", Values: models},
			{Name: "trained", Values: p.trained, Doc: "models that were trained on this participant"},
			{Name: "predicted", Values: group},
			{Name: "probability", Values: best, Doc: "of the predicted group, mean over graphs and models"},
		}, perGroup(each)...)...),
		"predictions": artifacts.NewTable(append([]artifacts.Column{
			{Name: "participant_id", Values: p.id},
			{Name: "draw", Values: p.draw},
			{Name: "model", Values: p.model, Doc: "from 1, in the order of the trainings"},
			{Name: "predicted", Values: names(p.class)},
			{Name: "probability", Values: p.probability, Doc: "of the predicted group"},
		}, perGroup(p.each)...)...),
		"scores": artifacts.NewTable(
			artifacts.Column{Name: "participant_id", Values: p.sID},
			artifacts.Column{Name: "draw", Values: p.sDraw},
			artifacts.Column{Name: "model", Values: p.sModel, Doc: "from 1, in the order of the trainings"},
			artifacts.Column{Name: "layer", Values: p.sLayer, Doc: "pooling layer, from 1"},
			artifacts.Column{Name: "index", Values: p.sIndex, Doc: "node number, from 1"},
			artifacts.Column{Name: "score", Values: p.score, Doc: "after the sigmoid"},
			artifacts.Column{Name: "kept", Values: p.kept},
		),
	}
}
