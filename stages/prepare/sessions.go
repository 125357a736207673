package prepare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var sessionsKind = dag.Kind{
	Name: "sessions",
	Doc: "combines the matrices of a participant's sessions as draws\n" +
		"Draw 0 is the mean over the sessions (of Fisher's z, over the sessions in which both regions have a signal). The other draws alternate between the sessions: the first of each session, then the second of each; sessions without random draws contribute their draw 0. Each participant stays on one side of every split, with as many graphs as its sessions have draws; its probability is the mean over all of them.",
	New: func() dag.Stage { return &Sessions{} },
}

var (
	_ role.PortUser = (*Sessions)(nil)
	_ role.Measurer = (*Sessions)(nil)
)

// Sessions pools the matrices of a participant's sessions.
type Sessions struct{}

// UsesPorts are the inputs that take one setting of each participant.
func (*Sessions) UsesPorts() []role.PortUse {
	return role.OneSettingOf("pearson", "partial", "quality")
}

// Measures are what the matrices of the sessions are.
func (*Sessions) Measures(output string, of func(string) column.Data) column.Data {
	if output != "pearson" && output != "partial" {
		return column.Data{}
	}
	return of(output)
}

func (*Sessions) Ports() dag.Ports {
	matrix := func(name, doc string) dag.Port {
		return dag.Port{Name: name, Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: doc}
	}
	gather := func(p dag.Port) dag.Port { p.Gather = true; return p }
	quality := dag.Arrow(column.Names[matrixRow]()...)
	return dag.Ports{
		In: []dag.Port{
			gather(matrix("pearson", "correlation of each session")),
			gather(matrix("partial", "partial correlation of each session")),
			{Name: "quality", Type: quality, Gather: true, Doc: "connectivity's quality of each session"},
		},
		Out: []dag.Port{
			matrix("pearson", "correlation"),
			matrix("partial", "partial correlation"),
			{Name: "quality", Type: quality, Doc: "connectivity's quality of the draws; for draw 0, volumes and degrees of freedom add up"},
			{Name: "draws", Type: dag.Arrow(column.Names[sessionDrawRow]()...), Doc: "the session of each draw"},
		},
	}
}

// A sessionDrawRow tells where a draw comes from.
type sessionDrawRow struct {
	Draw    int32  `column:"draw" doc:"draw of the participant; draw 0, the mean over the sessions, is not listed"`
	Session string `column:"session"`
	Of      int32  `column:"of" doc:"the draw of the session"`
}

func (*Sessions) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	ins := t.All("pearson")
	if err := sameParts(ins, t.All("partial"), t.All("quality")); err != nil {
		return nil, err
	}
	quality, made, err := sessionQuality(t.All("quality"))
	if err != nil {
		return nil, err
	}
	from := 1 // where random draws begin
	if len(quality[0]) == 1 {
		from = 0
	}
	names, draws := runNames(ins), []sessionDrawRow{}
	rows := []matrixRow{meanQuality(quality)}
	for d := from; d < len(quality[0]); d++ {
		for i := range ins {
			n := int32(len(rows))
			row := quality[i][d]
			row.Draw = n
			rows = append(rows, row)
			draws = append(draws, sessionDrawRow{n, names[i], int32(d)})
		}
	}
	out := dag.Outputs{
		"quality": column.WithMeta(column.Table(rows), map[string]string{"made": made}),
		"draws":   column.Table(draws),
	}
	for _, port := range []string{"pearson", "partial"} {
		if out[port], err = poolMatrices(t.All(port), from, len(quality[0])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sessionQuality reads the quality of each session, draw by draw, and refuses sessions whose matrices were made in
// different ways.
func sessionQuality(ins []dag.Input) (quality [][]matrixRow, made string, err error) {
	for i, in := range ins {
		rows, err := column.Read[matrixRow](in)
		if err != nil {
			return nil, "", err
		}
		of, err := column.MadeOf(dag.NewTask(map[string][]dag.Input{"quality": {in}}), "quality")
		if err != nil {
			return nil, "", err
		}
		switch {
		case i == 0:
			made = of
		case of != made:
			return nil, "", fmt.Errorf("%s was processed differently from %s: %s", in.Name, ins[0].Name, strings.Join(column.MadeApart(of, made), "; "))
		}
		if quality = append(quality, rows); len(rows) == 0 || len(rows) != len(quality[0]) {
			return nil, "", fmt.Errorf("%s has %d draws, but %s has %d: use the same number in all sessions", in.Name, len(rows), ins[0].Name, len(quality[0]))
		}
	}
	return quality, made, nil
}

// meanQuality is that of the mean over the sessions: what counts adds up, the shrinkage is the mean, what warns is the
// worst. The standard error of a mean of independent values is √Σse²/n.
func meanQuality(quality [][]matrixRow) matrixRow {
	n := float64(len(quality))
	m := quality[0][0]
	m.Volumes, m.TEff, m.Shrinkage, m.PearsonShrinkage = 0, 0, 0, 0
	squares := 0.0
	for _, rows := range quality {
		q := rows[0]
		m.Volumes += q.Volumes
		m.TEff += q.TEff
		m.Shrinkage += q.Shrinkage / n
		m.PearsonShrinkage += q.PearsonShrinkage / n
		squares += float64(q.PartialSE * q.PartialSE)
		m.Missing, m.Constant, m.Saturated = max(m.Missing, q.Missing), max(m.Constant, q.Constant),
			max(m.Saturated, q.Saturated)
		m.Condition = max(m.Condition, q.Condition)
		m.Warning = cmp.Or(m.Warning, q.Warning)
	}
	m.PartialSE = math.Sqrt(squares) / n
	return m
}

// poolMatrices gives the mean of the sessions' draws 0, then their draws from on in turn.
func poolMatrices(ins []dag.Input, from, count int) (*encoding.Array, error) {
	sessions := make([][]connectivity.Matrix, len(ins))
	var mean connectivity.Average
	for i, in := range ins {
		draws, err := region.ReadDraws(in, "draw, roi, roi")
		if err != nil {
			return nil, err
		}
		sessions[i] = draws
		if n := sessions[0][0].Rows; len(draws) != count || draws[0].Rows != n || draws[0].Cols != n {
			return nil, fmt.Errorf("%s: %d draws of %d×%d, want %d of %d×%d: connect pearson, partial and quality of one stage", in.Name, len(draws), draws[0].Rows, draws[0].Cols, count, n, n)
		}
		mean.Add(draws[0])
	}
	m := mean.Mean()
	n := m.Rows
	v := make([]float64, 0, (1+(count-from)*len(ins))*n*n)
	for _, x := range m.Data { // a region without a signal has 0
		if math.IsNaN(x) {
			x = 0
		}
		v = append(v, x)
	}
	for d := from; d < count; d++ {
		for _, draws := range sessions {
			v = append(v, draws[d].Data...)
		}
	}
	return encoding.NewArray(v, len(v)/(n*n), n, n), nil
}
