package assess

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// A nullRow is a region compared with trainings on permuted labels.
type nullRow struct {
	node               int
	observed, mean, sd float64
	excess             float64 // (observed − mean)/sd
	p, q, any          float64
	permutations       int
}

// shuffled are the models of each training on permuted groups that belongs to a setting; nil without any.
func shuffled(of *settingScores, permuted []*settingScores) (lists [][]*ModelScores, err error) {
	for _, s := range permuted {
		own, number := unstaged(s.coords), column.ValueOn(s.coords, "permutation")
		if number == "" {
			return nil, errors.New("permuted: a training has no coordinate permutation: fan split out over it (matrix: { permutation: [1..100] })")
		}
		if number == "0" || !slices.Equal(own, unstaged(of.coords)) {
			continue
		}
		if err := alike(of, s); err != nil {
			return nil, fmt.Errorf("permuted: permutation %s%s: %w", number, column.SettingText(own), err)
		}
		lists = append(lists, s.models)
	}
	return lists, nil
}

// retrainedContrasts are, by node, the 95th percentiles of the contrast over models retrained on permuted labels.
func (b *Biomarkers) retrainedContrasts(ids []string, n int, models [][]*ModelScores) ([]float64, error) {
	chance, err := b.readings("contrast", ids, n, models...)
	if err != nil {
		return nil, fmt.Errorf("permuted: %w", err)
	}
	high := make([]float64, n)
	for j := range high {
		v := lists.Map(chance, func(one []float64) float64 { return one[j] })
		if high[j] = math.NaN(); !slices.ContainsFunc(v, math.IsNaN) {
			slices.Sort(v)
			high[j] = inference.Quantile(v, 0.95)
		}
	}
	return high, nil
}

// compareWithNull compares the models' values of the regions with those of models trained on permuted labels
// (shuffled). A mean score is taken relative to the other regions of its ranking, (s − mean)/sd over the
// regions: its level means nothing. The result is by node; nil without such trainings.
func (b *Biomarkers) compareWithNull(ids []string, rows []saliency, of *settingScores,
	lists [][]*ModelScores) ([]nullRow, error) {
	if lists == nil {
		return nil, nil
	}
	n := len(rows)
	seen, err := b.readings(b.Reading, ids, n, of.models)
	if err != nil {
		return nil, err
	}
	chance, err := b.readings(b.Reading, ids, n, lists...)
	if err != nil {
		return nil, fmt.Errorf("permuted: %w", err)
	}
	if b.Reading == "score" {
		relative(seen[0])
		for _, v := range chance {
			relative(v)
		}
	}
	tests := inference.AgainstNull(seen[0], chance)
	p := make([]float64, n)
	for j, t := range tests {
		p[j] = t.P
	}
	q := inference.FDR(p)
	out := make([]nullRow, n)
	for j, t := range tests {
		out[j] = nullRow{node: j, observed: t.Value, mean: t.Mean, sd: t.SD, excess: t.Excess, p: t.P, q: q[j],
			any: t.PAny, permutations: len(chance)}
	}
	return out, nil
}

// unstaged are the coordinates of a setting that trainings on permuted labels share.
func unstaged(coords []dag.Coord) []dag.Coord { return column.Without(coords, "stage", "permutation") }

// alike refuses permuted trainings that were made in another way: with other
// participants, another number of models, or another number of graphs.
func alike(a, b *settingScores) error {
	if len(a.models) != len(b.models) {
		return fmt.Errorf("%d models, but %d without permutation", len(b.models), len(a.models))
	}
	if !slices.Equal(a.regions, b.regions) {
		return fmt.Errorf("scores of %d regions, but %d without permutation: use the same participants and the same parameter regions",
			len(b.regions), len(a.regions))
	}
	x, y := merged(a.models), merged(b.models)
	for _, id := range slices.Sorted(maps.Keys(x.graphs)) {
		if x.graphs[id] != y.graphs[id] {
			return fmt.Errorf("%d test graphs of %s, but %d without permutation: use the same parameters for both trainings", y.graphs[id], id, x.graphs[id])
		}
	}
	return nil
}

// relative takes the mean over the regions off and divides by their sd.
func relative(v []float64) {
	known := column.Known(v)
	mean, sd := column.MeanSD(known)
	for j := range v {
		v[j] = (v[j] - mean) / sd
	}
}
