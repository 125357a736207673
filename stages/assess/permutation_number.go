package assess

import (
	"context"
	"math"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var permutationRegressionKind = dag.Kind{
	Name: "permutation-regression",
	Doc: "permutation test of predicted numbers: models retrained on permuted targets\n" +
		"Fan split (with label: target) and regression or train-regression out over permutation: [0..99]; 0 has the true numbers, in every other one they belong to other participants. Each permutation repeats the whole procedure, folds and training included. p = (b+1)/(n+1), where b of n permutations do at least as well: with at least this r or R², or at most this mean absolute error.",
	New: func() dag.Stage { return &PermutationRegression{} },
}

var _ role.PortUser = (*PermutationRegression)(nil)

// PermutationRegression compares with permuted numbers.
type PermutationRegression struct{}

// UsesPorts are the checks.
func (*PermutationRegression) UsesPorts() []role.PortUse { return fold.AfterChecks() }

// Ports are the stage's inputs and outputs.
func (*PermutationRegression) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "predictions", Gather: true, Doc: "predictions of trainings that fan out over permutation, including 0",
			Type: column.Type[fold.NumberRow]()}, fold.LeakagePort()},
		Out: []dag.Port{
			{Name: "test", Type: column.Type[column.NumberPermutationTestRow](),
				Doc: "one row for each setting and measure"},
			{Name: "null", Type: column.Type[column.NumberPermutationRow](), Doc: "the measures of each permutation; 0 has the true numbers"},
		},
	}
}

// Run compares.
func (*PermutationRegression) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadNumbers(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	settings, axes, err := byPermutation(all)
	if err != nil {
		return nil, err
	}
	var tests []column.NumberPermutationTestRow
	var null []column.NumberPermutationRow
	for _, p := range settings {
		var rs, r2s, maes []float64
		for i, fs := range p.folds {
			folds, _ := fold.Numbers(fs)
			of := inference.MeanScore(folds)
			null = append(null, column.NumberPermutationRow{Coords: p.coords, Name: p.name,
				Permutation: int32(p.numbers[i]), R: of.R, R2: of.R2, MAE: of.MAE})
			if p.numbers[i] != 0 && math.IsNaN(of.R) { // the same prediction for everybody in each fold
				of.R = 0
			}
			rs, r2s, maes = append(rs, of.R), append(r2s, of.R2), append(maes, of.MAE)
		}
		tests = append(tests, column.NumberPermutationTestRow(p.test("r", rs, 1)),
			column.NumberPermutationTestRow(p.test("r2", r2s, 1)),
			column.NumberPermutationTestRow(p.test("mae", maes, -1)))
	}
	return dag.Outputs{"test": column.Table(tests, axes...), "null": column.Table(null, axes...)}, nil
}
