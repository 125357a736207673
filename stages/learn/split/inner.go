package split

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

// Inside divides the training participants among the rows once more, stratified by group, or by the number to predict:
// the inner fold of each, from 0. purpose is the parameter of their number.
func Inside(rows []fold.Row, groups []string, number bool, p fold.Params, folds int, seed uint64,
	purpose, name string) (map[string]int, error) {
	of := map[string]member{}
	for _, r := range rows {
		if r.Side == 0 {
			of[r.Id] = member{id: r.Id, group: groups[r.Label], number: r.Target}
		}
	}
	members := lists.Map(slices.Sorted(maps.Keys(of)), func(id string) member { return of[id] })
	inner, err := inside(members, number, p.Fold, folds, purpose, name)
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

// inside divides the training participants of a fold, where there are enough.
func inside(members []member, number bool, test, folds int, purpose, name string) (*Split, error) {
	inner := &Split{Folds: folds, Stratify: true}
	if number {
		inner.Label = column.Target
	}
	if err := inner.enough(members, fmt.Sprintf("%s, inside fold %d", name, test), purpose, ""); err != nil {
		return nil, fmt.Errorf("%s: %w", purpose, err)
	}
	return inner, nil
}

// EnoughInside tells from the planned folds whether the training participants can be divided once more.
func EnoughInside(planned *encoding.Table, p fold.Params, folds int, purpose string) error {
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
	_, err = inside(members, number, p.Fold, folds, purpose, "folds")
	return err
}
