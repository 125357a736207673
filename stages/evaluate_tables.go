package stages

import (
	"math"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
)

// What these columns say of themselves.
const (
	coordinateDoc = "coordinate of the training"
	nameDoc       = "the classifier, for people"
)

// keyColumns are the settings' coordinates, one text column an axis.
func keyColumns(axes []string, rows [][]dag.Coord) []artifacts.Column {
	var cols []artifacts.Column
	for _, axis := range axes {
		v := make([]string, len(rows))
		for i, coords := range rows {
			for _, c := range coords {
				if c.Axis == axis {
					v[i] = c.Value
				}
			}
		}
		cols = append(cols, artifacts.Column{Name: axis, Values: v, Doc: coordinateDoc})
	}
	return cols
}

// nameColumn is a setting in words.
func nameColumn(name []string) artifacts.Column {
	return artifacts.Column{Name: "name", Values: name, Doc: nameDoc}
}

func scoresTable(axes []string, settings [][]testedFold, positive int) *artifacts.Table {
	var rows [][]dag.Coord
	var repeat, fold, n []int32
	var level, name []string
	var v [5][]float64
	for _, fs := range settings {
		for _, l := range levels {
			for _, f := range fs {
				s := score(f.cases(l), positive)
				rows, level, name = append(rows, f.coords), append(level, l), append(name, f.name)
				repeat, fold, n = append(repeat, int32(f.repeat)), append(fold, int32(f.fold)), append(n, int32(s.n))
				for i, x := range []float64{s.accuracy, s.balanced, s.auc, s.sensitivity, s.specificity} {
					v[i] = append(v[i], x)
				}
			}
		}
	}
	return artifacts.NewTable(append(keyColumns(axes, rows),
		nameColumn(name),
		artifacts.Column{Name: "repeat", Values: repeat},
		artifacts.Column{Name: "fold", Values: fold},
		artifacts.Column{Name: "level", Values: level, Doc: "graph: every draw counts; participant: mean probability over the draws"},
		artifacts.Column{Name: "n", Values: n, Doc: "graphs or participants tested"},
		optionalColumn("accuracy", "share of right predictions", v[0]),
		optionalColumn("balanced_accuracy", "mean over the groups of the share of right predictions", v[1]),
		optionalColumn("auc", "area under the ROC curve", v[2]),
		optionalColumn("sensitivity", "share of the positive group that was found", v[3]),
		optionalColumn("specificity", "share of the others that were not taken for it", v[4]),
	)...)
}

func (s *Evaluate) summaryTable(axes []string, settings [][]testedFold, groups []string, positive int) *artifacts.Table {
	var rows [][]dag.Coord
	var level, name, found []string
	var folds, participants []int32
	names := []string{"accuracy", "sd", "ci_low", "ci_high", "majority", "balanced_accuracy", "auc", "sensitivity", "specificity"}
	docs := []string{"mean over the folds", "standard deviation over the folds (n−1)", "Wilson's 95 % interval of the share of right predictions, pooled over folds, for the number of participants", "",
		"accuracy of always naming the largest group; mean over the folds", "mean over the folds", "mean over the folds", "mean over the folds", "mean over the folds"}
	v := make([][]float64, len(names))
	var ps, aucs []float64
	for _, fs := range settings {
		tested := distinct(fs)
		for _, l := range levels {
			var each [5][]float64
			right, all := 0.0, 0.0
			test := s.test(fs, l, len(groups))
			if l == "graph" { // the graphs of one participant have no area of their own
				test.AUCP = math.NaN()
			}
			ps, aucs = append(ps, test.P), append(aucs, test.AUCP)
			for _, f := range fs {
				m := score(f.cases(l), positive)
				for i, x := range []float64{m.accuracy, m.balanced, m.auc, m.sensitivity, m.specificity} {
					each[i] = append(each[i], x)
				}
				for _, c := range f.cases(l) {
					all++
					if c.label == c.predicted {
						right++
					}
				}
			}
			accuracy, sd := gnn.MeanSD(each[0])
			low, high := gnn.Wilson(right/all, float64(len(tested)))
			row := []float64{accuracy, sd, low, high, majority(fs, len(groups))}
			for i := 1; i < 5; i++ {
				mean, _ := gnn.MeanSD(each[i])
				row = append(row, mean)
			}
			for i, x := range row {
				v[i] = append(v[i], x)
			}
			rows, level, folds, participants = append(rows, fs[0].coords), append(level, l), append(folds, int32(len(fs))), append(participants, int32(len(tested)))
			p := "n/a"
			if positive >= 0 {
				p = groups[positive]
			}
			found, name = append(found, p), append(name, fs[0].name)
		}
	}
	cols := append(keyColumns(axes, rows),
		nameColumn(name),
		artifacts.Column{Name: "level", Values: level, Doc: "graph: every draw counts; participant: mean probability over the draws"},
		artifacts.Column{Name: "folds", Values: folds, Doc: "folds of all repeats"},
		artifacts.Column{Name: "participants", Values: participants, Doc: "different participants tested"},
	)
	for i := range names {
		cols = append(cols, optionalColumn(names[i], docs[i], v[i]))
	}
	t := artifacts.NewTable(append(cols, artifacts.Column{Name: "positive", Values: found, Doc: "the group that sensitivity is about"},
		optionalColumn("p", "of the accuracy: share of permutations of the tested participants' groups, within folds, that are predicted as well, (b+1)/(n+1); the models stay as they are", ps),
		optionalColumn("auc_p", "of the AUC, likewise", aucs))...)
	t.Meta = map[string]string{"groups": textOf(groups)}
	return t
}

// distinct are the labels of the different participants of a setting.
func distinct(folds []testedFold) map[string]int {
	label := map[string]int{}
	for _, f := range folds {
		for _, p := range f.participants {
			label[p.id] = p.label
		}
	}
	return label
}

// majority is the accuracy of always naming the largest group of all tested participants:
// its share in each fold, mean over the folds.
func majority(folds []testedFold, classes int) float64 {
	n := make([]int, classes)
	for _, l := range distinct(folds) {
		n[l]++
	}
	largest := slices.Index(n, slices.Max(n))
	return meanOver(folds, func(f testedFold) float64 {
		of := 0
		for _, p := range f.participants {
			if p.label == largest {
				of++
			}
		}
		return float64(of) / float64(len(f.participants))
	})
}
