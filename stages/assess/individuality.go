package assess

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

var individualityKind = dag.Kind{
	Name: "individuality",
	Doc: "individual or group level: how much of the pooling scores is a person's own\n" +
		"The group-level consistency loss is meant to draw the scores of a group together, the more the larger λ2 (\"Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis\", section 3.3 and Figure 4). Here that is a number: of the variance of scores, the share that lies between the people of a group, region by region, against that which all of them have in common; and how many of their first regions two of them share. " +
		"Of people whom a model was not trained on, by each model alone: models do not score alike. Fan train out over lambda to see it as λ2 grows.",
	New: func() dag.Stage { return &Individuality{Layer: 1, Top: 10} },
}

// Individuality measures what is a person's own.
type Individuality struct {
	Layer int `param:"layer" doc:"the pooling layer whose scores are taken; components need scores of every region, which the first has" min:"1" max:"100"`
	Top   int `param:"top" doc:"how many first regions of two people are compared" min:"1" max:"20000"`
}

// Ports are the stage's inputs and outputs.
func (*Individuality) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "scores", Type: dag.Arrow("participant_id", "draw", "set", "layer", "index", "score", "kept"), Gather: true, Doc: "scores of the graphs, of every fold and setting; those of the test side are taken"},
			{Name: "nodes", Type: dag.Arrow("index"), Doc: "the node list"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "who they are"},
		},
		Out: []dag.Port{
			{Name: "shares", Type: dag.Arrow("setting", "lambda2", "participants", "draws", "individual", "individual_low", "individual_high", "individual_least", "individual_most", "k", "jaccard", "jaccard_low", "jaccard_high", "jaccard_groups", "jaccard_chance", "sd_common", "sd_individual", "sd_draw"),
				Doc: "a row a setting"},
		},
	}
}

// Run measures.
func (s *Individuality) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	nodes, err := t.In("nodes").Table()
	if err != nil {
		return nil, err
	}
	people, err := column.ReadPeople(t.In("participants"))
	if err != nil {
		return nil, err
	}
	settings, err := (&Biomarkers{Layer: s.Layer}).readAll(t.All("scores"), nodes.Rows(), people)
	if err != nil {
		return nil, err
	}
	if len(settings) == 0 {
		return nil, errors.New("no scores: connect them to a train stage")
	}
	var coords [][]dag.Coord
	models := make([]string, len(settings))
	var rows []inference.Individuality
	for i, of := range settings {
		coords, models[i] = append(coords, of.coords), column.PrGNN
		cells, err := s.cells(of, people)
		if err != nil {
			return nil, err
		}
		rows = append(rows, inference.Individual(cells, s.Top))
	}
	return dag.Outputs{"shares": s.table(coords, column.NameClassifiers(coords, models), rows)}, nil
}

// cells are the scores of each model's test participants, by group.
func (s *Individuality) cells(of *settingScores, people *column.People) ([][]inference.Cell, error) {
	var models [][]inference.Cell
	for _, m := range of.models {
		var cells []inference.Cell
		var groups []string
		draws := slices.Sorted(maps.Keys(m.draws))
		for _, id := range people.Ids {
			if _, ok := m.Tallies[id]; !ok {
				continue
			}
			g := slices.Index(groups, m.Group[id])
			if g < 0 {
				g = len(groups)
				groups, cells = append(groups, m.Group[id]), append(cells, inference.Cell{Group: g})
			}
			var scores [][]float64
			for _, d := range draws {
				ts, ok := m.draws[d][id]
				if !ok {
					return nil, fmt.Errorf("the scores%s: %s has no draw %d, which others have", column.SettingText(of.coords), id, d)
				}
				v := means(ts)
				if i := slices.IndexFunc(v, math.IsNaN); i >= 0 {
					return nil, fmt.Errorf("the scores%s: layer %d has none for node %d of %s, draw %d: take the first layer, which scores every region", column.SettingText(of.coords), s.Layer, i+1, id, d)
				}
				scores = append(scores, v)
			}
			cells[g].Scores = append(cells[g].Scores, scores)
		}
		if cells != nil {
			models = append(models, cells)
		}
	}
	for _, cells := range models {
		for _, c := range cells {
			if len(c.Scores) > 1 {
				return models, nil
			}
		}
	}
	return nil, fmt.Errorf("the scores%s: no model tests two people of one group: there is nothing to compare; take fewer folds", column.SettingText(of.coords))
}

func (s *Individuality) table(coords [][]dag.Coord, names []string, rows []inference.Individuality) *artifacts.Table {
	var axes []string
	for _, c := range coords[0] {
		axes = append(axes, c.Axis)
	}
	number := func(name, doc string, of func(inference.Individuality) float64) artifacts.Column {
		var v []float64
		for _, r := range rows {
			v = append(v, of(r))
		}
		return column.Optional(name, doc, v)
	}
	whole := func(name, doc string, of func(inference.Individuality) int) artifacts.Column {
		var v []int32
		for _, r := range rows {
			v = append(v, int32(of(r)))
		}
		return artifacts.Column{Name: name, Values: v, Doc: doc}
	}
	var lambda []float64
	for _, of := range coords {
		second := math.NaN()
		for _, c := range of {
			if c.Axis == "lambda" {
				if _, v, err := column.Lambdas(c.Value); err == nil {
					second = v
				}
			}
		}
		lambda = append(lambda, second)
	}
	type I = inference.Individuality
	sd := func(v float64) float64 { return math.Sqrt(max(0, v)) }
	return artifacts.NewTable(append(column.Keys(axes, coords),
		artifacts.Column{Name: "setting", Values: names, Doc: "for people"},
		column.Optional("lambda2", "weight of the group-level consistency loss", lambda),
		whole("participants", "tested", func(r I) int { return r.People }),
		whole("draws", "of each", func(r I) int { return r.Draws }),
		number("individual", "share of the variance of scores that lies between people of a group, region by region; the rest is common to the group. Noise of the draws is in neither", func(r I) float64 { return r.Share }),
		number("individual_low", "95 % interval (jackknife over people, the models held as they are)", func(r I) float64 { return r.ShareLow }),
		number("individual_high", "", func(r I) float64 { return r.ShareHigh }),
		number("individual_least", "least of a single model", func(r I) float64 { return r.LeastShare }),
		number("individual_most", "most of a single model", func(r I) float64 { return r.MostShare }),
		whole("k", "first regions that are compared", func(I) int { return s.Top }),
		number("jaccard", "regions among the first k of both of two people of a group, of those in either; mean over pairs", func(r I) float64 { return r.Jaccard }),
		number("jaccard_low", "95 % interval (jackknife over people)", func(r I) float64 { return r.JaccardLow }),
		number("jaccard_high", "", func(r I) float64 { return r.JaccardHigh }),
		number("jaccard_groups", "the same of two people of different groups", func(r I) float64 { return r.JaccardApart }),
		number("jaccard_chance", "the same of rankings in random order", func(r I) float64 { return r.JaccardLuck }),
		number("sd_common", "of the regions' scores that a group has in common", func(r I) float64 { return sd(r.Common) }),
		number("sd_individual", "of a person's own, region by region", func(r I) float64 { return sd(r.Individual) }),
		number("sd_draw", "of a person's draws", func(r I) float64 { return sd(r.Draw) }),
	)...)
}
