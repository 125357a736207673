package assess

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var permutationKind = dag.Kind{
	Name: "permutation",
	Doc: "label permutation test: models retrained on permuted labels\n" +
		"Fan split and train (or baseline) out over permutation: [0..100]; 0 has the true labels, every other number a random permutation of the labels. Each permutation repeats the whole procedure, folds and training included, so leakage raises the null distribution too. p = (b+1)/(n+1), where b of n permutations do at least as well. Shorter trainings (draws, epochs) are valid if 0 is trained in the same way.",
	New: func() dag.Stage { return &Permutation{} },
}

var (
	_ role.Reader   = (*Permutation)(nil)
	_ role.PortUser = (*Permutation)(nil)
)

// Permutation compares with permuted groups.
type Permutation struct {
	Positive string `param:"positive" doc:"positive group, for the AUC; by default as in evaluate"`
}

// UsesPorts are the checks.
func (*Permutation) UsesPorts() []role.PortUse { return fold.AfterChecks() }

func (*Permutation) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{fold.PredictionsPort("predictions of trainings that fan out over permutation, including 0"),
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

// ReadsParticipants is the group that its parameter names.
func (s *Permutation) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "positive", Name: s.Positive, Group: true}}
}

func (s *Permutation) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	positive, _, err := fold.PositiveGroup(s.Positive, all.Groups)
	if err != nil {
		return nil, err
	}
	settings, axes, err := byPermutation(all)
	if err != nil {
		return nil, err
	}
	var tests []column.PermutationTestRow
	var null []column.PermutationRow
	for _, p := range settings {
		test, of := p.rows(positive)
		tests, null = append(tests, test...), append(null, of...)
	}
	return dag.Outputs{"test": column.Table(tests, axes...), "null": column.Table(null, axes...)}, nil
}

// byPermutation puts the permutations of each setting together, and checks them; axes tell the settings apart.
func byPermutation(all *fold.Settings) (out []*permutedSetting, axes []string, err error) {
	for _, fs := range all.Settings {
		var own []dag.Coord
		number := -1
		for _, c := range fs[0].Coords {
			if c.Axis != "permutation" {
				own = append(own, c)
				continue
			}
			n, err := strconv.Atoi(c.Value)
			if err != nil || n < 0 {
				return nil, nil, fmt.Errorf("%q is not the number of a permutation", c.Value)
			}
			number = n
		}
		if number < 0 {
			return nil, nil, errors.New("the predictions have no coordinate permutation: fan split and train out over it (matrix: { permutation: [0..100] })")
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
		if err := out[i].check(); err != nil {
			return nil, nil, fmt.Errorf("predictions%s: %w", column.SettingText(coords[i]), err)
		}
	}
	return out, slices.DeleteFunc(all.Axes, func(a string) bool { return a == "permutation" }), nil
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
	want, graphs := testedLabels(p.folds[zero]), graphsOf(p.folds[zero])
	sizes := func(of map[string]label) map[label]int {
		n := map[label]int{}
		for _, l := range of {
			n[l]++
		}
		return n
	}
	for i, fs := range p.folds {
		got := testedLabels(fs)
		if len(got) != len(want) || len(fs) != len(p.folds[zero]) || graphsOf(fs) != graphs {
			return fmt.Errorf("permutation %d tests %d participants with %d graphs in %d folds, but without permutation there are %d, %d and %d: train all in the same way",
				p.numbers[i], len(got), graphsOf(fs), len(fs), len(want), graphs, len(p.folds[zero]))
		}
		for id := range got {
			if _, ok := want[id]; !ok {
				return fmt.Errorf("permutation %d tests other participants than the training without permutation", p.numbers[i])
			}
		}
		if !maps.Equal(sizes(got), sizes(want)) {
			return fmt.Errorf("permutation %d has other labels: they must be permuted, not redrawn", p.numbers[i])
		}
	}
	return nil
}

// A label is what is predicted of a participant: a group, or a number.
type label struct {
	group  int
	number float64
}

// testedLabels are those of the participants that are tested.
func testedLabels(folds []fold.Tested) map[string]label {
	out := map[string]label{}
	for _, f := range folds {
		for _, p := range f.Participants {
			out[p.Id] = label{p.Label, p.Target}
		}
	}
	return out
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
	var values [3][]float64
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
		for k, x := range mean {
			values[k] = append(values[k], x)
		}
		null = append(null, column.PermutationRow{Coords: s.coords, Name: s.name, Permutation: int32(s.numbers[i]),
			Accuracy: mean[0], Balanced: mean[1], AUC: mean[2]})
	}
	for k, name := range []string{"accuracy", "balanced_accuracy", "auc"} {
		tests = append(tests, s.test(name, values[k], 1))
	}
	return tests, null
}

// test compares the value of a measure with the true labels with those of the permutations. Sign is −1 where less is
// better.
func (s *permutedSetting) test(measure string, values []float64, sign float64) column.PermutationTestRow {
	seen := values[slices.Index(s.numbers, 0)]
	var chance, signed []float64
	as := 0
	for i, x := range values {
		if s.numbers[i] == 0 {
			continue
		}
		chance, signed = append(chance, x), append(signed, sign*x)
		if inference.AsLarge(sign*x, sign*seen) {
			as++
		}
	}
	mean, sd := column.MeanSD(chance)
	p := inference.PermutationP(as, len(chance))
	if math.IsNaN(seen) {
		p = math.NaN()
	}
	return column.PermutationTestRow{Coords: s.coords, Name: s.name, Measure: measure, Observed: seen, Mean: mean,
		SD: sd, Quantile95: sign * inference.Quantile(slices.Sorted(slices.Values(signed)), 0.95),
		Permutations: int32(len(chance)), P: p}
}
