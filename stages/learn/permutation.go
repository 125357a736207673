package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

var permutationKind = dag.Kind{
	Name: "permutation",
	Doc: "label permutation test: models retrained on permuted labels\n" +
		"Fan split and train (or baseline) out over permutation: [0..100]; 0 has the true labels, every other number a random permutation of the labels. Each permutation repeats the whole procedure, folds and training included, so leakage raises the null distribution too. p = (b+1)/(n+1), where b of n permutations do at least as well. Shorter trainings (draws, epochs) are valid if 0 is trained in the same way.",
	New: func() dag.Stage { return &Permutation{} },
}

// Permutation compares with permuted groups.
type Permutation struct {
	Positive string `param:"positive" doc:"positive group, for the AUC; by default as in evaluate"`
}

func (*Permutation) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "predictions", Gather: true, Doc: "predictions of trainings that fan out over permutation, including 0",
			Type: dag.Arrow("participant_id", "group", "draw", "fold", "repeat", "set", "label", "predicted")},
			fold.LeakagePort()},
		Out: []dag.Port{
			{Name: "test", Type: column.Type[column.PermutationTestRow](),
				Doc: "one row for each setting and measure, over participants"},
			{Name: "null", Type: column.Type[column.PermutationRow](), Doc: "the measures of each permutation; 0 has the true labels"},
		},
	}
}

// A permutedSetting is one setting with all its permutations.
type permutedSetting struct {
	coords  []dag.Coord
	model   string // as its predictions say
	name    string // for people
	numbers []int
	folds   [][]fold.Tested
}

func (s *Permutation) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	positive, err := fold.PositiveGroup(s.Positive, all.Groups)
	if err != nil {
		return nil, err
	}
	settings, err := byPermutation(all.Settings)
	if err != nil {
		return nil, err
	}
	axes := slices.DeleteFunc(all.Axes, func(a string) bool { return a == "permutation" })
	var tests []column.PermutationTestRow
	var null []column.PermutationRow
	for _, p := range settings {
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("predictions%s: %w", column.SettingText(p.coords), err)
		}
		test, of := p.rows(positive)
		tests, null = append(tests, test...), append(null, of...)
	}
	return dag.Outputs{"test": column.Table(tests, axes...), "null": column.Table(null, axes...)}, nil
}

// byPermutation puts the permutations of each setting together, 0 first.
func byPermutation(settings [][]fold.Tested) ([]*permutedSetting, error) {
	var out []*permutedSetting
	for _, fs := range settings {
		var own []dag.Coord
		number := -1
		for _, c := range fs[0].Coords {
			if c.Axis != "permutation" {
				own = append(own, c)
				continue
			}
			n, err := strconv.Atoi(c.Value)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%q is not the number of a permutation", c.Value)
			}
			number = n
		}
		if number < 0 {
			return nil, errors.New("the predictions have no coordinate permutation: fan split and train out over it (matrix: { permutation: [0..100] })")
		}
		i := slices.IndexFunc(out, func(p *permutedSetting) bool { return slices.Equal(p.coords, own) })
		if i < 0 {
			i = len(out)
			out = append(out, &permutedSetting{coords: own, model: fs[0].Model})
		}
		out[i].numbers, out[i].folds = append(out[i].numbers, number), append(out[i].folds, fs)
	}
	var coords [][]dag.Coord
	var models []string
	for _, p := range out {
		coords, models = append(coords, p.coords), append(models, p.model)
	}
	for i, name := range column.NameClassifiers(coords, models) {
		out[i].name = name
	}
	return out, nil
}

// check refuses permutations that are none of the data as they are: other people,
// other sizes of the groups, another number of folds or graphs.
func (p *permutedSetting) check() error {
	zero := slices.Index(p.numbers, 0)
	if zero < 0 {
		return errors.New("the training with the true labels (permutation 0) is missing: start the axis at 0")
	}
	if len(p.numbers) < 2 {
		return errors.New("there is no permutation besides 0")
	}
	want, graphs := fold.Distinct(p.folds[zero]), graphsOf(p.folds[zero])
	sizes := func(label map[string]int) map[int]int {
		n := map[int]int{}
		for _, l := range label {
			n[l]++
		}
		return n
	}
	for i, fs := range p.folds {
		got := fold.Distinct(fs)
		if len(got) != len(want) || len(fs) != len(p.folds[zero]) || graphsOf(fs) != graphs {
			return fmt.Errorf("permutation %d tests %d participants with %d graphs in %d folds, but without permutation there are %d, %d and %d: train all in the same way",
				p.numbers[i], len(got), graphsOf(fs), len(fs), len(want), graphs, len(p.folds[zero]))
		}
		for id := range got {
			if _, ok := want[id]; !ok {
				return fmt.Errorf("permutation %d tests other participants than the training without permutation", p.numbers[i])
			}
		}
		a, b := sizes(got), sizes(want)
		for l, n := range b {
			if a[l] != n {
				return fmt.Errorf("permutation %d has other group sizes: labels must be permuted, not redrawn", p.numbers[i])
			}
		}
	}
	return nil
}

func graphsOf(folds []fold.Tested) int {
	n := 0
	for _, f := range folds {
		n += len(f.Graphs)
	}
	return n
}

// rows are the rows of one setting in both outputs.
func (s *permutedSetting) rows(positive int) (tests []column.PermutationTestRow, null []column.PermutationRow) {
	var chance [3][]float64
	var seen [3]float64
	for i, fs := range s.folds {
		var each [3][]float64
		for _, f := range fs {
			m := fold.Score(f.Participants, positive)
			for k, x := range []float64{m.Accuracy, m.Balanced, m.Auc} {
				each[k] = append(each[k], x)
			}
		}
		var mean [3]float64
		for k := range mean {
			mean[k], _ = column.MeanSD(column.Known(each[k]))
		}
		mean[0] = fold.Accuracy(fs, "participant")
		for k := range mean {
			if s.numbers[i] == 0 {
				seen[k] = mean[k]
			} else {
				chance[k] = append(chance[k], mean[k])
			}
		}
		null = append(null, column.PermutationRow{Coords: s.coords, Name: s.name, Permutation: int32(s.numbers[i]),
			Accuracy: mean[0], Balanced: mean[1], AUC: mean[2]})
	}
	for k, name := range []string{"accuracy", "balanced_accuracy", "auc"} {
		as := 0
		for _, x := range chance[k] {
			if inference.AsLarge(x, seen[k]) {
				as++
			}
		}
		mean, sd := column.MeanSD(chance[k])
		p := inference.PermutationP(as, len(chance[k]))
		if math.IsNaN(seen[k]) {
			p = math.NaN()
		}
		tests = append(tests, column.PermutationTestRow{Coords: s.coords, Name: s.name, Measure: name,
			Observed: seen[k],
			Mean:     mean, SD: sd, Quantile95: inference.Quantile(slices.Sorted(slices.Values(chance[k])), 0.95),
			Permutations: int32(len(chance[k])), P: p})
	}
	return tests, null
}
