package present

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
)

var figureRankingKind = dag.Kind{
	Name: "figure-ranking",
	Doc:  "the most salient regions with their scores and intervals\nOf several settings, the first. Planted regions, where the truth is known, have a ring.",
	New:  func() dag.Stage { return &FigureRanking{Top: 25, By: "score"} },
}

// FigureRanking draws a ranking.
type FigureRanking struct {
	Top int    `param:"top" doc:"how many regions" min:"1" max:"200"`
	By  string `param:"by" choices:"score|contrast" doc:"what is drawn: mean pooling scores, or how differently the groups are scored"`
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
	draw := rankingChart
	if s.By == "contrast" {
		draw = contrastChart
	}
	c, err := draw(table, s.Top)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("ranking").Name, err)
	}
	if c == nil {
		return nil, fmt.Errorf("%s: it has no %s to draw", t.In("ranking").Name, s.By)
	}
	return c.outputs()
}

// A rankedRow is a region of the first setting of a ranking.
type rankedRow struct {
	name    string
	planted bool
	v       map[string]float64 // by column; NaN where the table has none
}

func rankedRows(table *artifacts.Table) (setting string, rows []rankedRow, err error) {
	settings, err := column.SettingsOf(table, "rank")
	if err != nil {
		return "", nil, err
	}
	names, err := table.Strings("name")
	if err != nil {
		return "", nil, err
	}
	for i, name := range names {
		if settings[i] == settings[0] {
			rows = append(rows, rankedRow{name: name, v: map[string]float64{}})
		}
	}
	for _, c := range []string{"rank", "score", "planted", "ci_low", "ci_high", "contrast", "contrast_chance", "q"} {
		if _, ok := table.Column(c); !ok && c != "rank" && c != "score" && c != "planted" {
			for i := range rows {
				rows[i].v[c] = math.NaN()
			}
			continue
		}
		v, err := table.Floats(c)
		if err != nil {
			return "", nil, err
		}
		at := 0
		for i := range v {
			if settings[i] == settings[0] {
				rows[at].v[c] = v[i]
				rows[at].planted = rows[at].planted || c == "planted" && v[i] == 1
				at++
			}
		}
	}
	if len(rows) > 0 {
		setting = settings[0]
	}
	return setting, rows, nil
}

// rankingChart is nil when there is nothing to draw.
func rankingChart(table *artifacts.Table, top int) (*chartOf, error) {
	setting, all, err := rankedRows(table)
	if err != nil {
		return nil, err
	}
	var rows []chart.Row
	for _, r := range all {
		if r.v["rank"] <= float64(top) {
			rows = append(rows, chart.Row{Name: r.name, Value: r.v["score"], Low: r.v["ci_low"], High: r.v["ci_high"], Chance: math.NaN(), Ring: r.planted})
		}
	}
	if rows == nil {
		return nil, nil
	}
	d := chart.Dots{Axis: "pooling score", Rows: rows, Interval: "95 % interval over participants", Ring: "planted", Mark: math.NaN()}
	c := &chartOf{Figure: d.Figure(), title: "The most salient regions",
		alt:     fmt.Sprintf("A dot for each of the %d most salient regions at its pooling score, with its interval; the first is %s", len(rows), rows[0].Name),
		caption: "Mean pooling score of each region over participants and models. The intervals hold the models fixed."}
	if setting != "" {
		c.caption += " Setting: " + setting + "."
	}
	return c, nil
}

// contrastChart is nil when there is nothing to draw.
func contrastChart(table *artifacts.Table, top int) (*chartOf, error) {
	setting, all, err := rankedRows(table)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r rankedRow) bool { return math.IsNaN(r.v["contrast"]) })
	slices.SortStableFunc(all, func(a, b rankedRow) int { return cmp.Compare(b.v["contrast"], a.v["contrast"]) })
	var rows []chart.Row
	found := 0
	for _, r := range all {
		sure := r.v["q"] < 0.05
		if sure {
			found++
		}
		if len(rows) < top {
			rows = append(rows, chart.Row{Name: r.name, Value: r.v["contrast"], Low: math.NaN(), High: math.NaN(), Chance: r.v["contrast_chance"], Hollow: !sure, Ring: r.planted})
		}
	}
	if rows == nil {
		return nil, nil
	}
	d := chart.Dots{Axis: "contrast of the groups", Rows: rows, Ring: "planted", Filled: "filled: q < 0.05", Mark: math.NaN()}
	c := &chartOf{Figure: d.Figure(), title: "Contrast between the groups",
		alt: fmt.Sprintf("A dot for each of the %d regions with the largest contrast between the groups, and a stroke at what chance gives; %d of all regions have q < 0.05; the first is %s", len(rows), found, rows[0].Name),
		caption: fmt.Sprintf("Difference of the groups' mean scores over the sd within them, in participants whom a model has not seen; mean over the models, without sign. q < 0.05 (false discovery rate over all regions): %d of %d regions.",
			found, len(all))}
	if setting != "" {
		c.caption += " Setting: " + setting + "."
	}
	return c, nil
}
