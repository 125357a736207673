package present

import (
	"context"
	"fmt"
	"math"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/chart"
)

var figureIndividualityKind = dag.Kind{
	Name: "figure-individuality",
	Doc:  "individual or group level as λ2 grows: a line with its interval\nOf the table that individuality makes: the share of the scores' variance that is a person's own, and how many of their first regions two people of a group share.",
	New:  func() dag.Stage { return &FigureIndividuality{} },
}

// FigureIndividuality draws shares over λ2.
type FigureIndividuality struct{}

// Ports are the stage's inputs and outputs.
func (*FigureIndividuality) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "shares", Type: dag.Arrow("setting", "lambda2", "individual", "individual_low", "individual_high", "k", "jaccard", "jaccard_low", "jaccard_high", "jaccard_chance"), Doc: "individuality's shares"}},
		Out: figurePorts("shares over λ2"),
	}
}

// Run draws.
func (s *FigureIndividuality) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	table, err := t.In("shares").Table()
	if err != nil {
		return nil, err
	}
	c, err := individualityChart(table)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("shares").Name, err)
	}
	return c.outputs()
}

func individualityChart(table *artifacts.Table) (*chartOf, error) {
	v := map[string][]float64{}
	for _, name := range []string{"lambda2", "individual", "individual_low", "individual_high", "k", "jaccard", "jaccard_low", "jaccard_high", "jaccard_chance"} {
		x, err := table.Floats(name)
		if err != nil {
			return nil, err
		}
		v[name] = x
	}
	names, err := table.Strings("setting")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("it has no rows to draw")
	}
	steps, axis := names, "setting"
	if table.Rows() > 0 && !math.IsNaN(v["lambda2"][0]) {
		steps, axis = nil, "λ2, the weight of the group-level consistency loss"
		for _, l := range v["lambda2"] {
			steps = append(steps, short(l))
		}
	}
	alt := ""
	for i := range names {
		alt += fmt.Sprintf(" %s: %s, %s;", steps[i], number3(v["individual"][i]), number3(v["jaccard"][i]))
	}
	return &chartOf{
		Figure: chart.Trends(steps, axis, []chart.Trend{
			{Name: "a person's own, of the variance of scores", Value: v["individual"], Low: v["individual_low"], High: v["individual_high"], Chance: math.NaN()},
			{Name: fmt.Sprintf("first %.0f regions of two people in common (Jaccard)", v["k"][0]), Value: v["jaccard"], Low: v["jaccard_low"], High: v["jaccard_high"], Chance: v["jaccard_chance"][0]},
		}),
		title:   "Individual or group level",
		alt:     "Share of the variance of pooling scores that is a person's own, and overlap of the first regions of two people of a group:" + alt,
		caption: "Bars are 95 % intervals over participants, of models held as they are; dotted: what rankings in random order have in common.",
	}, nil
}
