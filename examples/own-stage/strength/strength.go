// Package strength is a stage kind outside prgnn: how strongly each region is
// connected to all others.
package strength

//go:generate go run prgnn/dag/codeid .

import (
	"context"
	"fmt"
	"math"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages"
)

func init() {
	stages.Register(dag.Kind{
		Name: "strength",
		Doc: "how strongly each region is connected to all others\n" +
			"The sum of a region's edge weights (node strength: Barrat et al. 2004, eq. 2; signs as in Rubinov and Sporns 2011).",
		New:  func() dag.Stage { return &Strength{Sign: "absolute"} },
		Code: codes["strength"],
	})
}

// Strength sums the rows of matrices.
type Strength struct {
	Sign string `param:"sign" doc:"which weights count: all by their absolute value, only the positive, or only the negative" choices:"absolute|positive|negative"`
}

// Ports are the stage's inputs and outputs.
func (*Strength) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "matrix", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "connectivity, such as Pearson's correlation"}},
		Out: []dag.Port{{Name: "strength", Type: dag.NPY("<f8", "draw", "roi"), Doc: "sum of the weights that count, without a region's with itself"}},
	}
}

// Run sums in the order of the regions, so that the same input gives the same
// bytes everywhere.
func (s *Strength) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("matrix")
	a, err := in.Array()
	if err != nil {
		return nil, err
	}
	w, err := artifacts.Data[float64](a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if len(a.Shape) != 3 || a.Shape[1] != a.Shape[2] {
		return nil, fmt.Errorf("%s: its shape is %v; square matrices are needed, [draw, roi, roi]", in.Name, a.Shape)
	}
	draws, n := a.Shape[0], a.Shape[1]
	sums := make([]float64, draws*n) // draw×roi
	for row := range sums {
		for j, x := range w[row*n : (row+1)*n] {
			if j == row%n {
				continue
			}
			switch s.Sign {
			case "absolute":
				sums[row] += math.Abs(x)
			case "positive":
				sums[row] += max(x, 0)
			case "negative":
				sums[row] += max(-x, 0)
			}
		}
	}
	return dag.Outputs{"strength": artifacts.NewArray(sums, draws, n)}, nil
}
