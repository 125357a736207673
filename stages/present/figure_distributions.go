package present

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/chart"
)

var figureDistributionsKind = dag.Kind{
	Name: "figure-distributions",
	Doc: "distributions of the pooling scores over the epochs: ridges, a row a setting, a column a layer\n" +
		"As Figure 3 of \"Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis\". Counts are pooled over folds; heights are square roots. The caption has the overlap of kept and dropped nodes in the last epoch.",
	New: func() dag.Stage { return &FigureDistributions{Most: 8} },
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
		caption: "Distribution of the pooling scores of the training graphs, pooled over folds; early epochs are far, late ones near; heights are square roots of counts. " + overlapText(rows)}
	if left > 0 {
		c.caption += fmt.Sprintf(" The first %d of %d settings.", most, len(settings))
	}
	return c, nil
}

// overlapText says how far the scores of kept and dropped nodes overlap in the last epoch.
func overlapText(rows [][]chart.Distribution) string {
	var parts []string
	for _, row := range rows {
		for _, d := range row {
			last := len(d.Epochs) - 1
			parts = append(parts, d.Title+" "+number3(overlap(d.Kept[last], d.Dropped[last])))
		}
	}
	return "Overlap of kept and dropped nodes in the last epoch (0: none, 1: the same distribution): " + strings.Join(parts, "; ") + "."
}

// overlap is the area that two histograms share when each is scaled to an area of 1
// (the overlapping coefficient, Inman and Bradley 1989); NaN when one is empty.
func overlap(a, b []float64) float64 {
	sumA, sumB, shared := 0.0, 0.0, 0.0
	for i := range a {
		sumA, sumB = sumA+a[i], sumB+b[i]
	}
	for i := range a {
		shared += min(a[i]/sumA, b[i]/sumB)
	}
	return shared
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
