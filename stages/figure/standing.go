package figure

import (
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
)

// A Standing says by which reading the first map shows the regions.
type Standing struct {
	Contrast bool
	Why      string // lead: it alone beats its references; both and neither do; untested; "" without references
}

// Stand chooses between mean pooling score and contrast by a rule that is fixed beforehand: the one that beats its
// references (the untrained models by the same reading, and the rankings without a network), in the held-out effect,
// with p < 0.05 against each; where both or neither do, the reading of biomarkers. Planted regions have no part in it:
// nobody knows them in a study. rows are those of the ranking that is drawn, and may be nil.
func Stand(rows []column.RecoveryRow, of Reading) Standing {
	s := Standing{Contrast: of.Contrast}
	beats, compared := map[string]bool{}, 0
	for _, by := range []string{"score", "contrast"} {
		references, tested := 0, 0
		beats[by] = true
		for _, r := range rows {
			if r.By != "statistic" && !(r.Method == column.UntrainedModels && r.By == by) {
				continue
			}
			references++
			lead, p := r.HeldOutLead(by)
			if p == p { // a number
				tested++
			}
			beats[by] = beats[by] && lead > 0 && p < 0.05
		}
		beats[by] = beats[by] && references > 0
		compared += tested
	}
	switch {
	case compared == 0 && len(rows) == 0:
	case compared == 0:
		s.Why = "untested"
	case beats["score"] && beats["contrast"]:
		s.Why = "both"
	case !beats["score"] && !beats["contrast"]:
		s.Why = "neither"
	default:
		s.Contrast, s.Why = beats["contrast"], "lead"
	}
	return s
}

// StandingOf reads the references of the first setting of a ranking from the port recovery.
func StandingOf(t *dag.Task, ranking RankingRows, of Reading) (Standing, error) {
	var rows []column.RecoveryRow
	if t.Has("recovery") && len(ranking) > 0 {
		var err error
		if rows, err = column.Read[column.RecoveryRow](t.In("recovery")); err != nil {
			return Standing{}, err
		}
		rows = slices.DeleteFunc(rows, func(r column.RecoveryRow) bool {
			return !slices.Equal(r.Coords, ranking[0].Coords)
		})
	}
	return Stand(rows, of), nil
}

// First puts the rankings by the chosen reading before the others.
func (s Standing) First(readings []Ranked) []Ranked {
	var own, others []Ranked
	for _, r := range readings {
		if r.Contrast == s.Contrast {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	return append(own, others...)
}
