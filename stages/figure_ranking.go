package stages

import (
	"context"
	"errors"
	"fmt"
	"math"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/chart"
)

func init() {
	Register(dag.Kind{
		Name: "figure-ranking",
		Doc:  "the most salient regions with their scores and intervals\nOf several settings, the first. Planted regions, where the truth is known, have a ring.",
		New:  func() dag.Stage { return &FigureRanking{Top: 25} },
	})
}

// FigureRanking draws a ranking.
type FigureRanking struct {
	Top int `param:"top" doc:"how many regions" min:"1" max:"200"`
}

// Ports are the stage's inputs and outputs.
func (*FigureRanking) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "ranking", Doc: "biomarkers' ranking of the regions", Type: dag.Arrow("rank", "name", "abbreviation", "score", "planted")}},
		Out: figurePorts("the ranking"),
	}
}

// Run draws.
func (s *FigureRanking) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	table, err := t.In("ranking").Table()
	if err != nil {
		return nil, err
	}
	c, err := rankingChart(table, s.Top)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("ranking").Name, err)
	}
	if c == nil {
		return nil, errors.New("the ranking has no rows")
	}
	return c.outputs()
}

// rankingChart is nil when there is nothing to draw.
func rankingChart(table *artifacts.Table, top int) (*chartOf, error) {
	settings, err := settingsOf(table, "rank")
	if err != nil {
		return nil, err
	}
	names, err := table.Strings("name")
	if err != nil {
		return nil, err
	}
	v := map[string][]float64{}
	for _, c := range []string{"rank", "score", "planted", "ci_low", "ci_high"} {
		if _, ok := table.Column(c); !ok && (c == "ci_low" || c == "ci_high") {
			continue
		}
		if v[c], err = table.Floats(c); err != nil {
			return nil, err
		}
	}
	var rows []chart.Region
	interval := ""
	for i, name := range names {
		if settings[i] != settings[0] || v["rank"][i] > float64(top) {
			continue
		}
		r := chart.Region{Name: name, Score: v["score"][i], Low: math.NaN(), High: math.NaN(), Planted: v["planted"][i] == 1}
		if v["ci_low"] != nil && v["ci_high"] != nil {
			r.Low, r.High = v["ci_low"][i], v["ci_high"][i]
			if !math.IsNaN(r.Low) {
				interval = "95 % interval over participants"
			}
		}
		rows = append(rows, r)
	}
	if rows == nil {
		return nil, nil
	}
	c := &chartOf{Figure: chart.Ranking("", rows, interval), title: "The most salient regions",
		alt:     fmt.Sprintf("A dot for each of the %d most salient regions at its pooling score, with its interval; the first is %s", len(rows), rows[0].Name),
		caption: "Mean pooling score of each region."}
	if settings[0] != "" {
		c.caption += " Setting: " + settings[0] + "."
	}
	return c, nil
}
