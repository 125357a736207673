package figure

import (
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
)

// A Standing says by which reading the first map shows the regions.
type Standing struct {
	Contrast bool
	Why      string // a sentence; "" where there are no references
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
	own := readingName[of.Contrast]
	const test = "held-out effect, corrected resampled t over the models, p < 0.05"
	switch {
	case compared == 0:
		if len(rows) > 0 {
			s.Why = fmt.Sprintf("The first map shows the %s, the pipeline's ranking criterion; the criteria were not tested against references without training.", own)
		}
	case beats["score"] && beats["contrast"]:
		s.Why = fmt.Sprintf("The first map shows the %s, the pipeline's ranking criterion: mean pooling score and contrast both beat every reference without training (%s).", own, test)
	case !beats["score"] && !beats["contrast"]:
		s.Why = fmt.Sprintf("The first map shows the %s, the pipeline's ranking criterion: neither mean pooling score nor contrast beats every reference without training (%s).", own, test)
	default:
		s.Contrast = beats["contrast"]
		s.Why = fmt.Sprintf("The first map shows the %s, which beats every reference without training (%s); the %s does not.", readingName[s.Contrast], test, readingName[!s.Contrast])
	}
	return s
}

// readingName is a reading in a sentence.
var readingName = map[bool]string{false: "mean pooling score", true: "contrast"}

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
