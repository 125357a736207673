package assess

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

var individualityKind = dag.Kind{
	Name: "individuality",
	Doc: "individual or group level: the share of score variance between participants\n" +
		"The group-level consistency loss pulls the scores of a group together, more strongly for larger λ2 (\"Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis\", section 3.3 and Figure 4). This stage quantifies the effect: the share of the score variance between participants of a group (region by region, relative to the variance common to the group), and the number of top regions that two participants share. It uses test participants, separately for each model, because models differ in their scores. Fan train out over lambda to see the effect of λ2.",
	New: func() dag.Stage { return &Individuality{Layer: 1, Top: 10} },
}

// Individuality measures how much the scores differ between participants.
type Individuality struct {
	Layer int `param:"layer" doc:"the pooling layer whose scores are used; variance components need scores of every region, as in the first layer" min:"1" max:"100"`
	Top   int `param:"top" doc:"number of top regions compared between two participants" min:"1" max:"20000"`
}

func (*Individuality) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "scores", Type: column.Needs[column.ScoreRow[float64]](),
				Gather: true, Doc: "scores of every fold and setting; those of test graphs are used"},
			{Name: "nodes", Type: dag.Arrow("index"), Doc: "the node list"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "who they are"},
		},
		Out: []dag.Port{
			{Name: "shares", Type: column.Type[column.IndividualityRow](),
				Doc: "a row a setting"},
		},
	}
}

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
	var rows []column.IndividualityRow
	for i, of := range settings {
		coords, models[i] = append(coords, of.coords), column.PrGNN
		cells, err := s.cells(of, people)
		if err != nil {
			return nil, err
		}
		rows = append(rows, s.row(of.coords, inference.Individual(cells, s.Top)))
	}
	for i, name := range column.NameClassifiers(coords, models) {
		rows[i].Setting = name
	}
	axes := lists.Map(coords[0], func(c dag.Coord) string { return c.Axis })
	return dag.Outputs{"shares": column.Table(rows, axes...)}, nil
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
					return nil, fmt.Errorf("the scores%s: %s lacks draw %d, which others have", column.SettingText(of.coords), id, d)
				}
				v := means(ts)
				if i := slices.IndexFunc(v, math.IsNaN); i >= 0 {
					return nil, fmt.Errorf("the scores%s: layer %d has none for node %d of %s, draw %d: use the first layer, which scores every region", column.SettingText(of.coords), s.Layer, i+1, id, d)
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
	return nil, fmt.Errorf("the scores%s: no model tests two participants of one group: nothing to compare; use fewer folds", column.SettingText(of.coords))
}

// row is the row of one setting, but for its name.
func (s *Individuality) row(coords []dag.Coord, r inference.Individuality) column.IndividualityRow {
	lambda := math.NaN()
	if _, v, err := column.Lambdas(column.ValueOn(coords, "lambda")); err == nil {
		lambda = v
	}
	sd := func(v float64) float64 { return math.Sqrt(max(0, v)) }
	return column.IndividualityRow{
		Coords: coords, Lambda2: lambda, Participants: int32(r.People), Draws: int32(r.Draws),
		Individual: r.Share, IndividualLow: r.ShareLow, IndividualHigh: r.ShareHigh,
		IndividualLeast: r.LeastShare, IndividualMost: r.MostShare,
		K: int32(s.Top), Jaccard: r.Jaccard, JaccardLow: r.JaccardLow, JaccardHigh: r.JaccardHigh,
		JaccardGroups: r.JaccardApart, JaccardChance: r.JaccardLuck,
		SDCommon: sd(r.Common), SDIndividual: sd(r.Individual), SDDraw: sd(r.Draw),
	}
}
