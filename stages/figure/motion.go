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
	"prgnn/stages/wording"
)

var kindMotion = dag.Kind{
	Name: "figure-qcfc",
	Doc: "QC-FC of each denoising strategy, side by side\n" +
		"The distribution over the edges of r, the correlation of head motion with connectivity over participants, and its null distribution; r against the distance of the regions, with the least-squares line; and the degrees of freedom that each strategy costs (Ciric et al. 2017).",
	New: func() dag.Stage { return &HeadMotion{Most: 8} },
}

// HeadMotion draws QC-FC.
type HeadMotion struct {
	Most int `param:"most" doc:"maximum number of strategies drawn, the first ones" min:"1" max:"40"`
}

func (*HeadMotion) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "summary", Gather: true, Doc: "qcfc's summary",
				Type: column.Needs[column.MotionRow]()},
			{Name: "edges", Gather: true, Doc: "qcfc's edges, of the same", Type: column.Needs[column.MotionEdgeRow]()},
		},
		Out: picturePorts("QC-FC of each strategy"),
	}
}

func (s *HeadMotion) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	draw := outputsOr("no QC-FC to draw: neither confounds nor a column mean_fd give the framewise displacement of enough participants")
	return draw(DrawHeadMotion(t.All("summary"), t.All("edges"), s.Most))
}

// DrawHeadMotion is nil where no setting has QC-FC, or no edges are connected. At most so many settings are drawn.
func DrawHeadMotion(summary, edges []dag.Input, drawn int) (*Chart, error) {
	type setting struct {
		column.MotionRow
		chart.Motion
	}
	var all []setting
	at := map[string]int{}
	for _, in := range summary {
		rows, err := column.Read[column.MotionRow](in)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			r.Coords = append(slices.Clone(in.Coords), r.Coords...)
			at[column.CoordText(r.Coords)] = len(all)
			all = append(all, setting{MotionRow: r})
		}
	}
	for _, in := range edges {
		rows, err := column.Read[column.MotionEdgeRow](in)
		if err != nil {
			return nil, err
		}
		for _, e := range rows {
			name := column.CoordText(append(slices.Clone(in.Coords), e.Coords...))
			i, ok := at[name]
			if !ok {
				return nil, fmt.Errorf("%s: edges of %s, which the summary lacks: connect both outputs of the same stage", in.Name, name)
			}
			all[i].R, all[i].Motion.Distance = append(all[i].R, e.R), append(all[i].Motion.Distance, e.Distance)
		}
	}
	all = slices.DeleteFunc(all, func(s setting) bool { return s.R == nil || math.IsNaN(s.MotionRow.Median) })
	if len(all) == 0 {
		return nil, nil
	}
	shown := all[:min(len(all), drawn)]
	var of []chart.Motion
	rows := lists.Map(shown, func(s setting) column.MotionRow { return s.MotionRow })
	var median, null, share []float64
	distances, least, largest := false, shown[0].Participants, shown[0].Participants
	for _, s := range shown {
		m := s.Motion
		m.Name = wording.List(s.StrategyAmong(rows))
		m.Rho, m.Median, m.Share, m.Lost, m.Left = s.MotionRow.Distance, s.MotionRow.Median, s.MotionRow.Share,
			s.MotionRow.Lost, s.Remaining
		// the null's standard error is 1/√(freedom − 1)
		m.Freedom = 1 + math.Round(math.Pow(0.6744897501960817/s.Null, 2))
		median, null, share = append(median, m.Median), append(null, s.Null), append(share, m.Share)
		least, largest = min(least, s.Participants), max(largest, s.Participants)
		distances = distances || !math.IsNaN(m.Rho)
		of = append(of, m)
	}
	return Captioned(chart.HeadMotion(of), "figure.qcfc", most(drawn, len(all), "settings", values{"N": len(of),
		"Median": spanOf(median), "Chance": spanOf(null), "Share": spanOf(share),
		"Distances": distances, "Least": least, "Largest": largest})), nil
}
