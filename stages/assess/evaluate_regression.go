package assess

import (
	"context"
	"maps"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var evaluateRegressionKind = dag.Kind{
	Name: "evaluate-regression",
	Doc: "Pearson's r, R² and mean absolute error of regression models, per fold and over folds\n" +
		"For test participants only; a participant's prediction is the mean over its draws. Each measure is computed in each fold, and its mean over the folds is reported: predictions of different folds come from different models. A fold with constant predictions has no r and counts as 0 in the mean. A fold of fewer than three participants, or with a constant target, has no r and no R², and is not in their means, nor in a test fold by fold. R² is 1 − Σ(y−ŷ)²/Σ(y−ȳ)² with the mean ȳ of the test participants of the fold, and r2_training that with the mean of the training participants. The 95% intervals are of the expected measure of models trained on as many participants as the models of each fold: of r by Fisher's z, of R² and the error on logarithmic scales, with the variance corrected for overlapping training sets (Nadeau and Bengio 2003). p of r, and mae_p of the mean absolute error, are from a permutation test, as in evaluate: with models retrained on permuted targets, or fold by fold with the models as they are. The coordinates of the gathered trainings, except fold and repeat, identify settings and become columns.",
	New: func() dag.Stage { return &EvaluateRegression{Within: "site", Permutations: 9999} },
}

var (
	_ role.Reader    = (*EvaluateRegression)(nil)
	_ role.PortUser  = (*EvaluateRegression)(nil)
	_ role.InputUser = (*EvaluateRegression)(nil)
	_ role.Assumer   = (*EvaluateRegression)(nil)
)

// EvaluateRegression scores predictions of a number.
type EvaluateRegression struct {
	Within       string `param:"within" doc:"without labels: the target is permuted within the values of this column of the participants, if it exists: participants of different sites are not exchangeable"`
	Permutations int    `param:"permutations" doc:"of models that are not retrained: number of permutations of the target in each fold, for p; if all arrangements are not more, each is made once. Where participants are kept together, the permutations are those of labels" min:"99" max:"10000000"`
	Seed         uint64 `param:"seed" doc:"of the permutations"`
	Partial      bool   `param:"partial" doc:"accept an incomplete cross-validation: all results are then for the participants of the given folds, and a caution states this. Otherwise it is refused"`
}

// ReadsParticipants are the columns that its parameters name.
func (s *EvaluateRegression) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "within", Name: s.Within, Categories: true, Permutes: true}}
}

// UsesPorts are the predictions, which have to be of all folds unless partial is set, and the checks.
func (s *EvaluateRegression) UsesPorts() []role.PortUse { return evaluated(s.Partial) }

// RefusesInputs requires the folds of label permutations.
func (*EvaluateRegression) RefusesInputs(has func(port string) bool) error {
	return fold.RefusesInputs(has)
}

// AssumesIndependent is as that of Evaluate.
func (*EvaluateRegression) AssumesIndependent(has func(port string) bool) (intervals bool, of []string) {
	return true, untrained(has)
}

func (*EvaluateRegression) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "predictions", Gather: true, Doc: "predictions of the trainings to compare",
			Type: column.Type[fold.NumberRow]()},
			{Name: "folds", Type: fold.Folds(), Optional: true, Doc: "split's folds, for labels"},
			{Name: "permuted", Type: column.Type[fold.PermutedNumberRow](), Gather: true, Optional: true,
				Doc: "permuted of the stages regression among the predictions: their models retrained on permuted targets, for p"},
			labelsPort, sitesPort("the target is"), fitsPort, fold.LeakagePort()},
		Out: []dag.Port{
			{Name: "scores", Type: column.Type[column.RegressionFoldRow](), Doc: "one row for each setting, repeat and fold"},
			{Name: "summary", Type: column.Needs[column.RegressionRow](), Doc: "one row for each setting"},
		},
	}
}

func (s *EvaluateRegression) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadNumbers(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	if err := complete(t, all, s.Partial); err != nil {
		return nil, err
	}
	sites, err := readSites(t, s.Within, all, s.Permutations)
	if err != nil {
		return nil, err
	}
	var scores []column.RegressionFoldRow
	var summary []column.RegressionRow
	tests, err := fold.ReadTests(t, all.Settings, sites, s.Permutations, s.Seed)
	if err != nil {
		return nil, err
	}
	plan, err := finding.ReadSettings(t)
	if err != nil {
		return nil, err
	}
	for i, fs := range all.Settings {
		folds, stratum := fold.Numbers(fs)
		var rs []float64
		for at, f := range fs {
			of := folds[at].Score()
			rs = append(rs, of.R)
			scores = append(scores, column.RegressionFoldRow{Coords: f.Coords, Name: f.Name,
				Classifier: column.ClassifierOf(f.Coords, f.Model), Repeat: int32(f.Repeat),
				Fold: int32(f.Fold), N: int32(len(f.Participants)),
				R: of.R, R2: of.R2, R2Trained: of.R2Trained, MAE: of.MAE})
		}
		chance, err := sites.TestNumbers(tests, i, fs)
		if err != nil {
			return nil, err
		}
		fit := plan.EvaluatedFit(fs[0].Coords)
		if fit != nil {
			chance = fold.NoChance()
		}
		of := inference.TestNumbers(folds, fold.Validation(fs))
		if math.IsNaN(of.R) {
			chance.R = math.NaN()
		}
		within, err := sites.R(fs, folds)
		if err != nil {
			return nil, err
		}
		sd := math.NaN()
		if known := column.Known(rs); len(known) > 1 {
			_, sd = column.MeanSD(known)
		}
		tested := column.RegressionRow{TestR: math.NaN(), TestMAE: math.NaN()}
		if first := fold.FirstRepeat(fs); fit == nil && len(first) < len(fs) {
			of := inference.MeanScore(folds[:len(first)])
			tested.TestFolds, tested.TestR, tested.TestMAE = int32(len(first)), of.R, of.MAE
		}
		summary = append(summary, column.RegressionRow{Coords: fs[0].Coords, Name: fs[0].Name,
			Classifier: column.ClassifierOf(fs[0].Coords, fs[0].Model), Folds: int32(len(fs)),
			RFolds:       int32(of.Folds),
			Participants: int32(len(stratum)), R: of.R, Constant: int32(of.Constant), RLow: of.Low.R, RHigh: of.High.R,
			RWithin: within, RSD: sd, R2: of.R2, R2Low: of.Low.R2, R2High: of.High.R2, R2Trained: of.R2Trained,
			MAE: of.MAE, MAELow: of.Low.MAE, MAEHigh: of.High.MAE, Test: chance.Test, P: chance.R, MAEP: chance.MAE,
			TestFolds: tested.TestFolds, TestR: tested.TestR, TestMAE: tested.TestMAE,
			Permutations: int32(chance.Permutations), Exact: int32(chance.Exact), Least: chance.Least})
	}
	table := column.Table(summary, all.Axes...)
	if !slices.ContainsFunc(summary, func(r column.RegressionRow) bool { return r.TestFolds > 0 }) {
		dropTested(table)
	}
	if !slices.ContainsFunc(summary, func(r column.RegressionRow) bool { return !math.IsNaN(r.RWithin) }) {
		drop(table, func(name string) bool { return name == "r_within" })
	}
	if !slices.ContainsFunc(summary, func(r column.RegressionRow) bool { return r.Exact > 0 }) {
		drop(table, func(name string) bool { return name == "exact_folds" })
	}
	if !slices.ContainsFunc(summary, func(r column.RegressionRow) bool { return r.RFolds < r.Folds }) {
		drop(table, func(name string) bool { return name == "r_folds" })
	}
	table.Meta = map[string]string{"within": sites.By, finding.Meta: finding.Written(all.Found),
		column.SamePredictions: all.SameSettings()}
	maps.DeleteFunc(table.Meta, func(_, text string) bool { return text == "" })
	return dag.Outputs{"scores": column.Table(scores, all.Axes...), "summary": table}, nil
}
