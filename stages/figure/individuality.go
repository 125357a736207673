package figure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

var kindIndividuality = dag.Kind{
	Name: "figure-individuality",
	Doc:  "individual or group level as λ2 grows, with intervals\nPlots the table of individuality: the share of score variance between participants of a group, and the overlap of the top regions of two participants of a group.",
	New:  func() dag.Stage { return &Individuality{} },
}

// Individuality draws shares over λ2.
type Individuality struct{}

func (*Individuality) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "shares", Type: column.Needs[column.IndividualityRow](), Doc: "individuality's shares"}},
		Out: picturePorts("shares over λ2"),
	}
}

func (s *Individuality) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	return outputs(DrawIndividuality(t.In("shares")))
}

// DrawIndividuality draws individuality's shares.
func DrawIndividuality(in dag.Input) (*Chart, error) {
	rows, err := column.Read[column.IndividualityRow](in)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: it has no rows to draw", in.Name)
	}
	var steps []string
	bySetting := math.IsNaN(rows[0].Lambda2)
	axis := label("figure.individuality.x", values{"Settings": bySetting})
	own := chart.Trend{Name: label("figure.individuality.own", nil), Chance: math.NaN()}
	shared := chart.Trend{Name: label("figure.individuality.shared", rows[0]), Chance: rows[0].JaccardChance}
	var all []values
	for _, r := range rows {
		step := report.Short(r.Lambda2)
		if bySetting {
			step = r.Setting
		}
		steps = append(steps, step)
		own.Value, own.Low, own.High = append(own.Value, r.Individual), append(own.Low, r.IndividualLow),
			append(own.High, r.IndividualHigh)
		shared.Value, shared.Low, shared.High = append(shared.Value, r.Jaccard), append(shared.Low, r.JaccardLow),
			append(shared.High, r.JaccardHigh)
		all = append(all, values{"Step": step, "Individual": r.Individual, "Jaccard": r.Jaccard,
			"At": map[bool]string{false: "λ2 = "}[bySetting] + step, "Chance": r.JaccardChance})
	}
	ends := slices.Compact([]int{0, len(all) - 1})
	v := values{"Steps": all, "Ends": lists.Map(ends, func(i int) values { return all[i] })}
	return Captioned(chart.Trends(steps, axis, []chart.Trend{own, shared}), "figure.individuality", v), nil
}
