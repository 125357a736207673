package figure

import (
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/finding/ranking"
)

// FirstMapOf chooses the criterion of the first map of a ranking, by the references of its first setting at the port
// recovery.
func FirstMapOf(t *dag.Task, rankings RankingRows, of Reading) (ranking.FirstMap, error) {
	rows, err := column.ReadPort[column.RecoveryRow](t, "recovery")
	if err != nil {
		return ranking.FirstMap{}, err
	}
	rows = slices.DeleteFunc(rows, func(r column.RecoveryRow) bool {
		return len(rankings) == 0 || !slices.Equal(r.Coords, rankings[0].Coords)
	})
	return ranking.FirstMapOf(rows, of.Contrast), nil
}

// ByFirst puts the rankings by the criterion of the first map before the others.
func ByFirst(first ranking.FirstMap, readings []Ranked) []Ranked {
	var own, others []Ranked
	for _, r := range readings {
		if r.Contrast == first.Contrast {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	return append(own, others...)
}
