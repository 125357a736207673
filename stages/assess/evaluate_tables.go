package assess

import (
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
)

func scoresTable(axes []string, settings [][]fold.Tested, positive int) *encoding.Table {
	var rows []column.FoldRow
	for _, fs := range settings {
		for _, l := range fold.Levels {
			for _, f := range fs {
				s := fold.Score(f.Cases(l), positive)
				rows = append(rows, column.FoldRow{
					Coords: f.Coords, Name: f.Name, Classifier: column.ClassifierOf(f.Coords, f.Model),
					Repeat: int32(f.Repeat), Fold: int32(f.Fold), Level: l,
					N:        int32(s.N),
					Accuracy: s.Accuracy, Balanced: s.Balanced, AUC: s.Auc, Sensitivity: s.Sensitivity,
					Specificity: s.Specificity,
				})
			}
		}
	}
	return column.Table(rows, axes...)
}

// dropTested drops the columns of what p is of where that is all folds.
func dropTested(t *encoding.Table) {
	drop(t, func(name string) bool { return strings.HasPrefix(name, "test_") })
}

// drop drops columns.
func drop(t *encoding.Table, is func(name string) bool) {
	t.Columns = slices.DeleteFunc(t.Columns, func(c encoding.Column) bool { return is(c.Name) })
}

func (s *Evaluate) summaryTable(axes []string, settings [][]fold.Tested, groups []string,
	positive int, tests *fold.Tests, sites fold.Sites, plan *finding.Settings) (*encoding.Table, error) {
	named := "n/a"
	if positive >= 0 {
		named = groups[positive]
	}
	var rows []column.AccuracyRow
	for i, fs := range settings {
		tested := fold.Distinct(fs)
		test, err := sites.Test(tests, i, fs, groups, positive)
		if err != nil {
			return nil, err
		}
		if plan.EvaluatedFit(fs[0].Coords) != nil {
			test = fold.NoChance()
		}
		for _, l := range fold.Levels {
			chance := test
			if l == "graph" { // the graphs of a participant are not independent
				chance = fold.NoChance()
			}
			var each [5][]float64
			for _, f := range fs {
				m := fold.Score(f.Cases(l), positive)
				for i, x := range []float64{m.Accuracy, m.Balanced, m.Auc, m.Sensitivity, m.Specificity} {
					each[i] = append(each[i], x)
				}
			}
			var mean, sd [5]float64
			for i := range each {
				mean[i], sd[i] = column.MeanSD(column.Known(each[i]))
			}
			row := column.AccuracyRow{
				Coords: fs[0].Coords, Name: fs[0].Name, Classifier: column.ClassifierOf(fs[0].Coords, fs[0].Model),
				Level: l, Folds: int32(len(fs)), Participants: int32(len(tested)),
				Accuracy: fold.Accuracy(fs, l), FoldMean: mean[0], FoldSD: sd[0],
				Majority: fold.Majority(fs, len(groups)), Incomplete: fold.Incomplete(fs, len(groups)),
				Balanced: mean[1], AUC: mean[2], Sensitivity: mean[3], Specificity: mean[4],
				Positive: named, Test: chance.Test, P: chance.P, BalancedP: chance.Balanced, AUCP: chance.AUC,
				Permutations: int32(chance.Permutations), Exact: int32(chance.Exact), Least: chance.Least,
			}
			row.TestAccuracy, row.TestAUC = math.NaN(), math.NaN()
			if first := fold.FirstRepeat(fs); chance.Test != "" && len(first) < len(fs) {
				row.TestFolds, row.TestAccuracy = int32(len(first)), fold.Accuracy(first, l)
				row.TestAUC, _ = column.MeanSD(column.Known(each[2][:len(first)]))
			}
			count := func(measure int) int32 { return int32(len(column.Known(each[measure]))) }
			row.AUCFolds, row.SensFolds, row.SpecFolds = count(2), count(3), count(4)
			fold.Intervals(&row, fs, len(groups), positive)
			rows = append(rows, row)
		}
	}
	t := column.Table(rows, axes...)
	if !slices.ContainsFunc(rows, func(r column.AccuracyRow) bool { return r.TestFolds > 0 }) {
		dropTested(t)
	}
	exact := slices.ContainsFunc(rows, func(r column.AccuracyRow) bool { return r.Exact > 0 })
	drop(t, func(name string) bool { return !exact && name == "exact_folds" })
	if !slices.ContainsFunc(rows, column.AccuracyRow.LacksFolds) {
		drop(t, func(name string) bool {
			return slices.Contains([]string{"auc_folds", "sensitivity_folds", "specificity_folds"}, name)
		})
	}
	complete := !slices.ContainsFunc(rows, func(r column.AccuracyRow) bool { return r.Incomplete > 0 })
	drop(t, func(name string) bool { return complete && name == "incomplete_folds" })
	t.Meta = map[string]string{"groups": column.JSON(groups)}
	return t, nil
}
