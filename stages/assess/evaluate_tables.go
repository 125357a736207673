package assess

import (
	"math"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

func scoresTable(axes []string, settings [][]fold.Tested, positive int) *artifacts.Table {
	var rows [][]dag.Coord
	var repeat, number, n []int32
	var level, name []string
	var v [5][]float64
	for _, fs := range settings {
		for _, l := range fold.Levels {
			for _, f := range fs {
				s := fold.Score(f.Cases(l), positive)
				rows, level, name = append(rows, f.Coords), append(level, l), append(name, f.Name)
				repeat, number, n = append(repeat, int32(f.Repeat)), append(number, int32(f.Fold)), append(n, int32(s.N))
				for i, x := range []float64{s.Accuracy, s.Balanced, s.Auc, s.Sensitivity, s.Specificity} {
					v[i] = append(v[i], x)
				}
			}
		}
	}
	return artifacts.NewTable(append(column.Keys(axes, rows),
		column.NameColumn(name),
		artifacts.Column{Name: "repeat", Values: repeat},
		artifacts.Column{Name: "fold", Values: number},
		artifacts.Column{Name: "level", Values: level, Doc: "graph: every draw counts; participant: mean probability over the draws"},
		artifacts.Column{Name: "n", Values: n, Doc: "graphs or participants tested"},
		column.Optional("accuracy", "share of right predictions", v[0]),
		column.Optional("balanced_accuracy", "mean over the groups of the share of right predictions", v[1]),
		column.Optional("auc", "area under the ROC curve", v[2]),
		column.Optional("sensitivity", "share of the positive group that was found", v[3]),
		column.Optional("specificity", "share of the others that were not taken for it", v[4]),
	)...)
}

func (s *Evaluate) summaryTable(axes []string, settings [][]fold.Tested, groups []string, positive int) *artifacts.Table {
	var rows [][]dag.Coord
	var level, name, found []string
	var folds, participants []int32
	names := []string{"accuracy", "sd", "ci_low", "ci_high", "majority", "balanced_accuracy", "auc", "sensitivity", "specificity"}
	docs := []string{"mean over the folds", "standard deviation over the folds (n−1)", "Wilson's 95 % interval of the share of right predictions, pooled over folds, for the number of participants", "",
		"accuracy of always naming the largest group; mean over the folds", "mean over the folds", "mean over the folds", "mean over the folds", "mean over the folds"}
	v := make([][]float64, len(names))
	var ps, aucs []float64
	for _, fs := range settings {
		tested := fold.Distinct(fs)
		for _, l := range fold.Levels {
			var each [5][]float64
			right, all := 0.0, 0.0
			test := s.test(fs, l, len(groups))
			if l == "graph" { // the graphs of one participant have no area of their own
				test.AUCP = math.NaN()
			}
			ps, aucs = append(ps, test.P), append(aucs, test.AUCP)
			for _, f := range fs {
				m := fold.Score(f.Cases(l), positive)
				for i, x := range []float64{m.Accuracy, m.Balanced, m.Auc, m.Sensitivity, m.Specificity} {
					each[i] = append(each[i], x)
				}
				for _, c := range f.Cases(l) {
					all++
					if c.Label == c.Predicted {
						right++
					}
				}
			}
			accuracy, sd := gnn.MeanSD(each[0])
			low, high := gnn.Wilson(right/all, float64(len(tested)))
			row := []float64{accuracy, sd, low, high, fold.Majority(fs, len(groups))}
			for i := 1; i < 5; i++ {
				mean, _ := gnn.MeanSD(each[i])
				row = append(row, mean)
			}
			for i, x := range row {
				v[i] = append(v[i], x)
			}
			rows, level, folds, participants = append(rows, fs[0].Coords), append(level, l), append(folds, int32(len(fs))), append(participants, int32(len(tested)))
			p := "n/a"
			if positive >= 0 {
				p = groups[positive]
			}
			found, name = append(found, p), append(name, fs[0].Name)
		}
	}
	cols := append(column.Keys(axes, rows),
		column.NameColumn(name),
		artifacts.Column{Name: "level", Values: level, Doc: "graph: every draw counts; participant: mean probability over the draws"},
		artifacts.Column{Name: "folds", Values: folds, Doc: "folds of all repeats"},
		artifacts.Column{Name: "participants", Values: participants, Doc: "different participants tested"},
	)
	for i := range names {
		cols = append(cols, column.Optional(names[i], docs[i], v[i]))
	}
	t := artifacts.NewTable(append(cols, artifacts.Column{Name: "positive", Values: found, Doc: "the group that sensitivity is about"},
		column.Optional("p", "of the accuracy: share of permutations of the tested participants' groups, within folds, that are predicted as well, (b+1)/(n+1); the models stay as they are", ps),
		column.Optional("auc_p", "of the AUC, likewise", aucs))...)
	t.Meta = map[string]string{"groups": column.JSON(groups)}
	return t
}
