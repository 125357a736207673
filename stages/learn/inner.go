package learn

import (
	"prgnn/stages/fold"
	"prgnn/stages/learn/split"
)

// innerFolds divides the training participants of a set once more; see split.Inside.
func innerFolds(set *trainingSet, p fold.Params, folds int, seed uint64, purpose, name string) (map[string]int, error) {
	return split.Inside(set.rows, set.groups, set.number, p, folds, seed, purpose, name)
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
