package assess

import (
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/internal/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

func scoresTable(axes []string, settings [][]fold.Tested, positive int) *encoding.Table {
	var rows []column.FoldRow
	for _, fs := range settings {
		for _, l := range fold.Levels {
			for _, f := range fs {
				s := fold.Score(f.Cases(l), positive)
				rows = append(rows, column.FoldRow{
					Coords: f.Coords, Name: f.Name, Repeat: int32(f.Repeat), Fold: int32(f.Fold), Level: l,
					N:        int32(s.N),
					Accuracy: s.Accuracy, Balanced: s.Balanced, AUC: s.Auc, Sensitivity: s.Sensitivity,
					Specificity: s.Specificity,
				})
			}
		}
	}
	return column.Table(rows, axes...)
}

func (s *Evaluate) summaryTable(axes []string, settings [][]fold.Tested, groups []string,
	positive int, sites fold.Sites) (*encoding.Table, error) {
	named := "n/a"
	if positive >= 0 {
		named = groups[positive]
	}
	var rows []column.AccuracyRow
	for _, fs := range settings {
		tested := fold.Distinct(fs)
		least, err := sites.Least(fs, s.Permutations)
		if err != nil {
			return nil, err
		}
		for _, l := range fold.Levels {
			test, err := sites.Test(fs, l, len(groups), positive, s.Permutations, random.New(s.Seed, "evaluate", l))
			if err != nil {
				return nil, err
			}
			if l == "graph" { // the graphs of one participant have no area of their own
				test.AUCP = math.NaN()
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
				Coords: fs[0].Coords, Name: fs[0].Name, Level: l, Folds: int32(len(fs)),
				Participants: int32(len(tested)),
				Accuracy:     fold.Accuracy(fs, l), FoldMean: mean[0], FoldSD: sd[0],
				Majority: fold.Majority(fs, len(groups)),
				Balanced: mean[1], AUC: mean[2], Sensitivity: mean[3], Specificity: mean[4],
				Positive: named, P: test.P, AUCP: test.AUCP, Permutations: int32(s.Permutations), Least: least,
			}
			fold.Intervals(&row, fs, len(groups), positive)
			rows = append(rows, row)
		}
	}
	t := column.Table(rows, axes...)
	t.Meta = map[string]string{"groups": column.JSON(groups)}
	return t, nil
}
