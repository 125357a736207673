package split

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// Shares are the parts of the training participants of a learning curve.
var Shares = []float64{0.1, 0.2, 0.35, 0.5, 0.75, 1}

// A Part is a part of the training participants in one of their orders.
type Part struct {
	Order int
	Share float64
	Keep  map[string]bool
	Whole int  // training participants
	Last  bool // all of them
}

// Predict are the predictions of the test data by a model of the part, or why there are none; last are those of the
// model of all, which again does not train once more.
func (p Part) Predict(last []float64, again func(keep map[string]bool) ([]float64, error)) (made []float64,
	why string) {
	if p.Last {
		return last, ""
	}
	made, err := again(p.Keep)
	if err != nil {
		return nil, err.Error()
	}
	return made, ""
}

// Parts visits the parts of the training participants. In each of several orders of these, in which whole families
// are one, a part is the first share of each group.
func Parts(ctx context.Context, t *dag.Task, rows []fold.Row, p fold.Params, seed uint64, orders int,
	visit func(Part) error) error {
	members, err := column.Read[fold.LabeledMember](t.In("folds"))
	if err != nil {
		return err
	}
	together := map[string]string{}
	for _, m := range members {
		if int(m.Repeat) == p.Repeat {
			together[m.ID] = m.Together
		}
	}
	strata, whole := curveUnits(rows, together)
	done := 0
	for order := 1; order <= orders; order++ {
		for k, units := range strata {
			random.New(seed, p.Stream("curve", order, k)...).Shuffle(len(units), func(i, j int) {
				units[i], units[j] = units[j], units[i]
			})
		}
		for _, share := range Shares {
			keep := map[string]bool{}
			for k, n := range inference.Sizes(share, lists.Map(strata, func(u [][]string) int { return len(u) })) {
				for _, unit := range strata[k][:n] {
					for _, id := range unit {
						keep[id] = true
					}
				}
			}
			if err := onlyTrained(keep, rows); err != nil {
				return err
			}
			if err := visit(Part{Order: order, Share: share, Keep: keep, Whole: whole, Last: share == 1}); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			done++
			t.Progress(done, orders*len(Shares), "learning curve")
		}
	}
	return nil
}

// curveUnits are the training participants, or families, that enter the parts of a learning curve together: of each
// group, or mixture of groups in a family.
func curveUnits(rows []fold.Row, together map[string]string) (strata [][][]string, whole int) {
	unit, label := map[string][]string{}, map[string][]string{}
	seen := map[string]bool{}
	for _, r := range rows {
		if r.Side != 0 || seen[r.Id] {
			continue
		}
		seen[r.Id] = true
		first := r.Id
		if of := together[r.Id]; of != "" {
			first = of
		}
		unit[first], label[first] = append(unit[first], r.Id), append(label[first], fmt.Sprint(r.Label))
	}
	names := make([]string, 0, len(unit))
	for first := range unit {
		names = append(names, first)
	}
	slices.Sort(names)
	of := lists.By(names, func(first string) string {
		slices.Sort(label[first])
		return strings.Join(label[first], " ")
	})
	slices.SortFunc(of, func(a, b lists.Group[string, string]) int { return strings.Compare(a.Key, b.Key) })
	return lists.Map(of, func(g lists.Group[string, string]) [][]string {
		return lists.Map(g.All, func(first string) []string { return unit[first] })
	}), len(seen)
}

// onlyTrained refuses a part that has anybody but training participants.
func onlyTrained(keep map[string]bool, rows []fold.Row) error {
	n := map[string]bool{}
	for _, r := range rows {
		switch {
		case r.Side == 0 && keep[r.Id]:
			n[r.Id] = true
		case keep[r.Id]:
			return fmt.Errorf("leakage: %s is both tested and in a part of the training participants", r.Id)
		}
	}
	if len(n) != len(keep) {
		return fmt.Errorf("leakage: %d of %d participants of a part are not training participants", len(keep)-len(n), len(keep))
	}
	return nil
}
