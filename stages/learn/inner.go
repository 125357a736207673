package learn

import (
	"fmt"
	"maps"
	"slices"

	"prgnn/stages/fold"
)

// innerFolds divides the training participants once more, stratified by group: the inner fold of each, from 0.
func innerFolds(set *trainingSet, p fold.Params, folds int, seed uint64, purpose, name string) (map[string]int, error) {
	group := map[string]string{}
	for _, r := range set.rows {
		if r.Side == 0 {
			group[r.Id] = set.groups[r.Label]
		}
	}
	var members []member
	for _, id := range slices.Sorted(maps.Keys(group)) {
		members = append(members, member{id: id, group: group[id]})
	}
	inner := &Split{Folds: folds, Stratify: true, Seed: seed}
	if err := inner.enough(members, fmt.Sprintf("%s, inside fold %d", name, p.Fold)); err != nil {
		return nil, err
	}
	of := map[string]int{}
	for i, f := range inner.deal(members, purpose, "repeat", p.Repeat, "fold", p.Fold) {
		of[members[i].id] = int(f) - 1
	}
	return of, nil
}
