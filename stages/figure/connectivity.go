package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var kindConnectivity = dag.Kind{
	Name: "figure-connectivity",
	Doc: "the mean matrix of each group as heat maps, and of two groups their difference\n" +
		"Takes draw 0 of every participant. Correlations are averaged as Fisher's z, other values as they are; a pair of regions is averaged over the participants that have a signal in both. Regions are in blocks by hemisphere and structure (or by network, where the names of the atlas contain it, as in Schaefer's). The color scale ends at the 99th percentile.",
	New: func() dag.Stage { return &Connectivity{} },

	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Each: 10e3}.For,
}

var (
	_ role.PortUser = (*Connectivity)(nil)
	_ role.DataUser = (*Connectivity)(nil)
)

// Connectivity draws mean matrices.
type Connectivity struct {
	role.Informed
	Label string `param:"label" doc:"label of the color scale; by default what the matrices hold, such as r or partial r"`
}

// UsesPorts are the inputs that take one setting of each participant.
func (*Connectivity) UsesPorts() []role.PortUse {
	return role.OneSettingOf("matrices")
}

func (*Connectivity) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Gather: true, Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "matrices of each participant"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "who belongs to which group"},
			{Name: "nodes", Type: dag.Arrow("index", "name"), Doc: "the node list"},
		},
		Out: append(picturePorts("the mean matrices"),
			dag.Port{Name: "means", Type: dag.NPY("<f8", "group", "roi", "roi"), Doc: "mean matrix of each group, in the order of the names of the groups; NaN for a pair without data"},
			dag.Port{Name: "groups", Type: dag.Arrow("group", "participants"), Doc: "the groups in that order"}),
	}
}

func (s *Connectivity) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	people, err := column.ReadPeople(t.In("participants"))
	if err != nil {
		return nil, err
	}
	averages := map[string]*connectivity.Average{}
	n := 0
	for _, in := range t.All("matrices") {
		draws, err := region.SharedDraws(in, "draw, roi, roi")
		if err != nil {
			return nil, err
		}
		g, err := groupOf(people, in)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			n = draws[0].Rows
		}
		if draws[0].Rows != n || draws[0].Cols != n {
			return nil, fmt.Errorf("%s: %d×%d, and others are %d×%d", in.Name, draws[0].Rows, draws[0].Cols, n, n)
		}
		if averages[g] == nil {
			averages[g] = &connectivity.Average{Plain: !s.Holds("matrices").Correlations()}
		}
		averages[g].Add(draws[0])
	}
	if n == 0 {
		return nil, errors.New("there are no matrices to draw")
	}
	blocks, err := region.BlocksOf(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	if len(blocks) != n {
		return nil, fmt.Errorf("the matrices have %d regions, and the node list %d", n, len(blocks))
	}
	by, several, err := blockedBy(t.In("nodes"), blocks)
	if err != nil {
		return nil, err
	}
	return s.draw(averages, n, blocks, values{"By": by, "Blocks": several})
}

// A groupRow is a group and the number of its participants.
type groupRow struct {
	Group        string `column:"group"`
	Participants int32  `column:"participants" doc:"with a matrix"`
}

func (s *Connectivity) draw(averages map[string]*connectivity.Average, n int, blocks []string,
	of values) (dag.Outputs, error) {
	held := s.Holds("matrices")
	measure := cmp.Or(s.Label, scaleOf(held))
	names := slices.Sorted(maps.Keys(averages))
	var panels []chart.MatrixPanel
	var means []float64
	rows, all := make([]groupRow, len(names)), make([]values, len(names))
	for i, g := range names {
		m := averages[g].Mean()
		means, rows[i] = append(means, m.Data...), groupRow{g, int32(averages[g].Matrices())}
		all[i] = values{"Group": g, "Mean": meanPair(m.Data, n)}
		panels = append(panels, chart.MatrixPanel{Title: fmt.Sprintf("%s (%d)", g, rows[i].Participants),
			Values: m.Data, Label: measure})
	}
	if len(names) == 2 {
		difference := make([]float64, n*n)
		for i := range difference {
			difference[i] = means[i] - means[n*n+i]
		}
		label := "Δ" + measure
		if strings.Contains(measure, " ") {
			label = "Δ " + measure // partial r
		}
		panels = append(panels, chart.MatrixPanel{Title: names[0] + " − " + names[1], Values: difference, Label: label})
	}
	maps.Copy(of, values{"Groups": names, "Means": all, "Label": s.Label, "Data": values(finding.Values(held)),
		"Fisher": held.Correlations()})
	c := Captioned(chart.Matrices(panels[:min(len(panels), 4)], blocks), "figure.connectivity", of)
	c.tables = dag.Outputs{"means": encoding.NewArray(means, len(names), n, n), "groups": column.Table(rows)}
	return outputs(c, nil)
}

// scaleOf labels the color scale of matrices.
func scaleOf(d column.Data) string {
	text := map[string]string{column.Pearson: "r", column.Partial: "partial r", column.Covariances: "covariance",
		column.Precision: "precision", column.Tangent: "tangent entry"}[d.Measure]
	switch {
	case text == "":
		return "value"
	case d.FisherZ && d.Measure == column.Pearson:
		return "z"
	case d.FisherZ:
		return "partial z"
	}
	return text
}

// meanPair is the mean over the pairs of regions of a symmetric n × n matrix that have a value.
func meanPair(m []float64, n int) float64 {
	var pairs []float64
	for i := range n {
		pairs = append(pairs, column.Known(m[i*n+i+1:(i+1)*n])...)
	}
	mean, _ := column.MeanSD(pairs)
	return mean
}

// groupOf is the group of the participant of a gathered input.
func groupOf(people *column.People, in dag.Input) (string, error) {
	g, ok := people.Group[in.Coord("subject")]
	if !ok {
		return "", fmt.Errorf("%s: participant %q is not in the table of participants", in.Name, in.Coord("subject"))
	}
	return g, nil
}
