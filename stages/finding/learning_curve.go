package finding

import "prgnn/stages/column"

// LearningCurves are the findings about learning curves: where more participants are not shown to help, and where
// inputs were fitted to all training participants whatever the size.
func LearningCurves(rows []column.LearningRow) (all List) {
	var before []string
	for _, r := range rows {
		if r.Flat {
			all.Add(Finding{"learning.flat", Notes, Subject{Classifier: r.Name, Setting: r.Coords},
				values{"Measure": r.Measure, "Least": r.Least, "N": r.N, "Rise": r.Rise, "RiseSE": r.RiseSE}})
		}
		if r.Before {
			before = append(before, r.Name)
		}
	}
	if before != nil {
		all.Study("learning.fitted-before", Limits, values{"Classifiers": before})
	}
	return all
}
