package learn

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// innerFolds divides the training participants once more, stratified by group, or by the number to predict: the inner
// fold of each, from 0. purpose is the parameter of their number.
func innerFolds(set *trainingSet, p fold.Params, folds int, seed uint64, purpose, name string) (map[string]int, error) {
	of := map[string]member{}
	for _, r := range set.rows {
		if r.Side == 0 {
			of[r.Id] = member{id: r.Id, group: set.groups[r.Label], number: r.Target}
		}
	}
	members := lists.Map(slices.Sorted(maps.Keys(of)), func(id string) member { return of[id] })
	inner, err := splitInside(members, set.number, p.Fold, folds, purpose, name)
	if err != nil {
		return nil, err
	}
	inner.Seed = seed
	folded := map[string]int{}
	for i, f := range inner.deal(members, p.Stream(purpose)...) {
		folded[members[i].id] = int(f) - 1
	}
	return folded, nil
}

// splitInside divides the training participants of a fold, where there are enough.
func splitInside(members []member, number bool, test, folds int, purpose, name string) (*Split, error) {
	inner := &Split{Folds: folds, Stratify: true}
	if number {
		inner.Label = column.Target
	}
	if err := inner.enough(members, fmt.Sprintf("%s, inside fold %d", name, test), purpose, ""); err != nil {
		return nil, fmt.Errorf("%s: %w", purpose, err)
	}
	return inner, nil
}

// enoughInside tells from the planned folds whether the training participants can be divided once more.
func enoughInside(planned *encoding.Table, p fold.Params, folds int, purpose string) error {
	rows, err := column.Rows[fold.LabeledMember](planned)
	if err != nil {
		return err
	}
	number := false
	var members []member
	for _, m := range rows {
		if m.Fold != 0 && int(m.Fold) != p.Fold {
			members = append(members, member{id: m.ID, group: m.Group, number: m.Target})
			number = !math.IsNaN(m.Target)
		}
	}
	_, err = splitInside(members, number, p.Fold, folds, purpose, "folds")
	return err
}

// parts divides the rows: 0, learned from; 1, one of so many parts of the training participants, who validate;
// 2, tested.
func (set *trainingSet) parts(p fold.Params, validation int, seed uint64, name string) ([]int, error) {
	inner, err := innerFolds(set, p, validation, seed, "validation", name)
	if err != nil {
		return nil, err
	}
	part := make([]int, len(set.rows))
	for i, r := range set.rows {
		switch {
		case r.Side == 1:
			part[i] = 2
		case inner[r.Id] == 0:
			part[i] = 1
		}
	}
	return part, nil
}

// inParts gives the places of the rows part by part, their labels, and how many are in each.
func (set *trainingSet) inParts(part []int) (order, label []int, count [3]int) {
	for p := range count {
		for i, r := range set.rows {
			if part[i] == p {
				order, label = append(order, i), append(label, r.Label)
				count[p]++
			}
		}
	}
	return order, label, count
}
