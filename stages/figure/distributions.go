package figure

import (
	"context"
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
)

var kindDistributions = dag.Kind{
	Name: "figure-distributions",
	Doc: "ridge plots of the pooling scores over the epochs: one row per setting, one column per layer\n" +
		"As Figure 3 of \"Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis\". Counts are pooled over folds; heights are linear; the epochs are the first, a quarter, half, three quarters and the last. The caption has the overlap of kept and dropped nodes in the last epoch.",
	New: func() dag.Stage { return &Distributions{Most: 8} },
}

// Distributions draws the distributions of scores.
type Distributions struct {
	Most int `param:"most" doc:"maximum number of settings drawn, the first ones" min:"1" max:"40"`
}

func (*Distributions) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "distribution", Gather: true, Doc: "train's distribution of each model",
			Type: column.Needs[BinRow]()}},
		Out: picturePorts("the distributions"),
	}
}

func (s *Distributions) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	draw := outputsOr("no distributions to draw: connect them to a train stage")
	return draw(DrawDistributions(t.All("distribution"), nil, s.Most))
}

// DrawDistributions is nil when there is nothing to draw.
func DrawDistributions(ins []dag.Input, headline []dag.Coord, drawn int) (*Chart, error) {
	settings := bySettings(ins, headline)
	var rows [][]chart.Distribution
	for _, s := range settings[:min(len(settings), drawn)] {
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
	layers := lists.Map(slices.Concat(rows...), func(d chart.Distribution) values {
		last := len(d.Epochs) - 1
		return values{"Layer": d.Title, "Overlap": overlap(d.Kept[last], d.Dropped[last])}
	})
	return Captioned(chart.Ridges(rows), "figure.distributions",
		most(drawn, len(settings), "settings", values{"Layers": layers})), nil
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

// A BinRow is one bin of a histogram of scores (train's distribution).
type BinRow struct {
	Epoch   int64   `column:"epoch"`
	Layer   int64   `column:"layer"`
	Low     float64 `column:"low"`
	Kept    int64   `column:"kept"`
	Dropped int64   `column:"dropped"`
}

// addDistributions adds up the folds of a setting, layer by layer.
func addDistributions(s settingInputs) ([]chart.Distribution, error) {
	var row []chart.Distribution
	at := map[[2]int64]int{} // layer, epoch → place among the epochs
	for _, in := range s.members {
		rows, err := column.Read[BinRow](in)
		if err != nil {
			return nil, err
		}
		bins := 0
		for bins < len(rows) && (bins == 0 || rows[bins].Low > rows[bins-1].Low) {
			bins++
		}
		for i, r := range rows {
			if r.Layer < 1 || r.Layer > 16 {
				return nil, fmt.Errorf("%s: row %d is of layer %d", in.Name, i+1, r.Layer)
			}
			for int64(len(row)) < r.Layer {
				title := label("figure.distributions.panel", values{"Name": s.name, "Layer": len(row) + 1})
				row = append(row, chart.Distribution{Title: title})
			}
			d := &row[r.Layer-1]
			e, ok := at[[2]int64{r.Layer, r.Epoch}]
			if !ok {
				e = len(d.Epochs)
				at[[2]int64{r.Layer, r.Epoch}] = e
				d.Epochs = append(d.Epochs, int(r.Epoch))
				d.Kept, d.Dropped = append(d.Kept, make([]float64, bins)), append(d.Dropped, make([]float64, bins))
			}
			if b := i % bins; b < len(d.Kept[e]) {
				d.Kept[e][b] += float64(r.Kept)
				d.Dropped[e][b] += float64(r.Dropped)
			}
		}
	}
	return row, nil
}
