package figure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

var kindRanking = dag.Kind{
	Name: "figure-ranking",
	Doc:  "the most salient regions with their scores and intervals\nOf several settings, the first. Planted regions, where the truth is known, have a ring.",
	New:  func() dag.Stage { return &Ranking{Top: 25, By: "score"} },
}

// Ranking draws a ranking.
type Ranking struct {
	Top int    `param:"top" doc:"how many regions" min:"1" max:"200"`
	By  string `param:"by" choices:"score|contrast" doc:"what is drawn: mean scores, or the contrast between the groups"`
}

func (*Ranking) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "ranking", Doc: "biomarkers' ranking of the regions",
			Type: column.Needs[column.RankingRow]()}},
		Out: picturePorts("the ranking"),
	}
}

func (s *Ranking) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	rows, err := ReadRanking(t.In("ranking"))
	if err != nil {
		return nil, err
	}
	draw := DrawRanking
	if s.By == "contrast" {
		draw = DrawContrast
	}
	c := draw(rows, s.Top)
	if c == nil {
		return nil, fmt.Errorf("%s: it has no %s to draw", t.In("ranking").Name, s.By)
	}
	return outputs(c, nil)
}

// ReadRanking reads a ranking, with its settings in order.
func ReadRanking(in dag.Input) (RankingRows, error) { return column.Read[column.RankingRow](in) }

// A Reading is how biomarkers read the scores of a ranking, or of single participants.
type Reading struct {
	Contrast bool   // ranked by the contrast between the groups
	Layer    string // the pooling layer; "" where a table does not tell
	Chosen   string // the settings that were chosen inside the folds, whose regions they are; "" without a choice
	Null     string // what the null distribution of the contrast is of; "" likewise
}

// ReadReading reads it from the table of biomarkers.
func ReadReading(in dag.Input) (r Reading, err error) {
	table, err := in.Table()
	if err != nil {
		return r, err
	}
	return Reading{table.Meta["reading"] == "contrast", table.Meta["layer"], table.Meta["chosen"],
		table.Meta["contrast_null"]}, nil
}

// RankingRows are the regions of one or more settings.
type RankingRows []column.RankingRow

// First are the rows of the first setting.
func (rows RankingRows) First() RankingRows {
	return slices.DeleteFunc(slices.Clone(rows),
		func(r column.RankingRow) bool { return !slices.Equal(r.Coords, rows[0].Coords) })
}

// Planted reports whether a region has a planted difference between the groups.
func (rows RankingRows) Planted() bool { return slices.ContainsFunc(rows, planted) }

func planted(r column.RankingRow) bool { return r.Planted != nil && *r.Planted }

// DrawRanking draws the scores of the first setting; nil when there are none.
func DrawRanking(all RankingRows, top int) *Chart {
	var rows []chart.Row
	for _, r := range all.First() {
		if int(r.Rank) <= top {
			rows = append(rows, chart.Row{Name: r.Name, Value: r.Score, Low: r.Low, High: r.High, Chance: math.NaN(),
				Ring: planted(r)})
		}
	}
	if rows == nil {
		return nil
	}
	d := chart.Dots{Axis: label("figure.ranking.x", nil), Rows: rows, Interval: label("figure.ranking.interval", nil),
		Ring: label("figure.ranking.planted", nil), Mark: math.NaN()}
	return Captioned(d.Figure(), "figure.ranking", values{"N": len(rows), "First": rows[0].Name,
		"Score": rows[0].Value, "Low": rows[0].Low, "High": rows[0].High, "Setting": column.SettingName(all[0].Coords)})
}

// DrawContrast draws the contrasts of the first setting; nil when there are none.
func DrawContrast(all RankingRows, top int) *Chart {
	first := slices.DeleteFunc(all.First(), func(r column.RankingRow) bool { return math.IsNaN(r.Contrast) })
	slices.SortStableFunc(first, func(a, b column.RankingRow) int { return cmp.Compare(b.Contrast, a.Contrast) })
	var rows []chart.Row
	found := 0
	for _, r := range first {
		sure := inference.Significant(r.Q)
		if sure {
			found++
		}
		if len(rows) < top {
			rows = append(rows, chart.Row{Name: r.Name, Value: r.Contrast, Low: math.NaN(), High: math.NaN(),
				Chance: r.ContrastHigh, Hollow: !sure, Ring: planted(r)})
		}
	}
	if rows == nil {
		return nil
	}
	strokes := slices.ContainsFunc(rows, func(r chart.Row) bool { return !math.IsNaN(r.Chance) })
	d := chart.Dots{Axis: label("figure.contrast.x", nil), Rows: rows, Ring: label("figure.ranking.planted", nil),
		Filled: label("figure.contrast.filled", nil), Mark: math.NaN()}
	return Captioned(d.Figure(), "figure.contrast", values{"N": len(rows), "First": rows[0].Name, "Strokes": strokes,
		"Largest": rows[0].Value, "Found": found, "All": len(first), "Setting": column.SettingName(all[0].Coords)})
}
