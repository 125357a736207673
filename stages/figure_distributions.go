package stages

import (
	"context"
	"errors"
	"fmt"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/chart"
)

func init() {
	Register(dag.Kind{
		Name: "figure-distributions",
		Doc: "how the pooling scores part over the epochs: ridges, a row a setting, a column a layer\n" +
			"Figure 3 of \"Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis\": in the early epochs the scores lie about 0.5; then those of the kept nodes go to 1 and those of the dropped ones to 0. Counts of all folds together; heights are square roots.",
		New: func() dag.Stage { return &FigureDistributions{Most: 8} },
	})
}

// FigureDistributions draws the distributions of scores.
type FigureDistributions struct {
	Most int `param:"most" doc:"how many settings are drawn at most, the first ones" min:"1" max:"40"`
}

// Ports are the stage's inputs and outputs.
func (*FigureDistributions) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "distribution", Gather: true, Doc: "train's distribution of each model",
			Type: dag.Arrow("epoch", "layer", "low", "high", "kept", "dropped")}},
		Out: figurePorts("the distributions"),
	}
}

// Run draws.
func (s *FigureDistributions) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	c, err := distributionsChart(t.All("distribution"), s.Most)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, errors.New("no distributions to draw: connect them to a train stage")
	}
	return c.outputs()
}

// distributionsChart is nil when there is nothing to draw.
func distributionsChart(ins []dag.Input, most int) (*chartOf, error) {
	settings := bySettings(ins)
	left := max(len(settings)-most, 0)
	var rows [][]chart.Distribution
	for _, s := range settings[:len(settings)-left] {
		row, err := addDistributions(s)
		if err != nil {
			return nil, err
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	if rows == nil {
		return nil, nil
	}
	c := &chartOf{Figure: chart.Ridges(rows), title: "Pooling scores over the epochs",
		alt:     "Ridges of the distributions of pooling scores from the first epoch, far, to the last, near, for the nodes that each pooling layer keeps and for those that it drops",
		caption: "Distribution of the pooling scores of the training graphs, all folds together; early epochs are far, late ones near; heights are square roots of counts. The distance loss draws kept and dropped nodes apart."}
	if left > 0 {
		c.caption += fmt.Sprintf(" The first %d of %d settings.", most, len(settings))
	}
	return c, nil
}

// addDistributions adds up the folds of a setting, layer by layer.
func addDistributions(s gatheredSetting) ([]chart.Distribution, error) {
	var row []chart.Distribution
	at := map[[2]int64]int{} // layer, epoch → place among the epochs
	for _, in := range s.members {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		columns, err := intColumns(table, "epoch", "layer", "kept", "dropped")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		low, err := table.Floats("low")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		bins := 0
		for bins < len(low) && (bins == 0 || low[bins] > low[bins-1]) {
			bins++
		}
		for i := range low {
			epoch, layer := columns[0][i], columns[1][i]
			if layer < 1 || layer > 16 {
				return nil, fmt.Errorf("%s: row %d is of layer %d", in.Name, i+1, layer)
			}
			for int64(len(row)) < layer {
				title := fmt.Sprintf("pooling layer %d", len(row)+1)
				if s.name != "" {
					title = s.name + ": " + title
				}
				row = append(row, chart.Distribution{Title: title})
			}
			d := &row[layer-1]
			e, ok := at[[2]int64{layer, epoch}]
			if !ok {
				e = len(d.Epochs)
				at[[2]int64{layer, epoch}] = e
				d.Epochs = append(d.Epochs, int(epoch))
				d.Kept, d.Dropped = append(d.Kept, make([]float64, bins)), append(d.Dropped, make([]float64, bins))
			}
			if b := i % bins; b < len(d.Kept[e]) {
				d.Kept[e][b] += float64(columns[2][i])
				d.Dropped[e][b] += float64(columns[3][i])
			}
		}
	}
	return row, nil
}

// intColumns are several columns of whole numbers.
func intColumns(t *artifacts.Table, names ...string) ([][]int64, error) {
	all := make([][]int64, len(names))
	for i, name := range names {
		var err error
		if all[i], err = t.Ints(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}
