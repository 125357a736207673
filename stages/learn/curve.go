package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// curveShares are the parts of the training participants of a learning curve.
var curveShares = []float64{0.1, 0.2, 0.35, 0.5, 0.75, 1}

// some are the rows of the training participants that keep takes, and of all test participants. Standardized anew, rows
// that were standardized are as if they had not been.
func (r *rowSet) some(keep map[string]bool, standardize string) *rowSet {
	set := *r.trainingSet
	set.rows = nil
	sub := &rowSet{trainingSet: &set}
	sub.all = baseline.Rows{D: r.all.D}
	for side := range 2 {
		for i, row := range r.rows { // those of the training side lie first
			if row.Side == side && (side == 1 || keep[row.Id]) {
				sub.all.X = append(sub.all.X, r.all.Row(r.at[i])...)
				sub.rows, sub.at = append(sub.rows, row), append(sub.at, sub.all.N)
				sub.label = append(sub.label, row.Label)
				sub.all.N++
			}
		}
		if side == 0 {
			sub.train.N = sub.all.N
		}
	}
	sub.train = sub.all.First(sub.train.N)
	if standardize == "training" {
		baseline.Standardize(sub.train, sub.all)
	}
	return sub
}

// curve trains the model again on parts of the training participants, and tests it on the same test participants. In
// each of several orders of the training participants, in which whole families are one, a part is the first share of
// each group. probability are those of the model of all, of each graph of the set; again trains on some of the
// training participants, and gives those of the test graphs. before: the inputs were fitted to all of them.
func (s *Baseline) curve(ctx context.Context, t *dag.Task, set *trainingSet, probability []float64, before bool,
	again func(keep map[string]bool) ([]float64, error)) (*encoding.Table, error) {
	if s.Orders == 0 {
		return column.Table([]column.SubsetRow(nil)), nil
	}
	members, err := column.Read[fold.LabeledMember](t.In("folds"))
	if err != nil {
		return nil, err
	}
	together := map[string]string{}
	for _, m := range members {
		if int(m.Repeat) == s.Repeat {
			together[m.ID] = m.Together
		}
	}
	strata, whole := curveUnits(set.rows, together)
	classes := len(set.groups)
	var last []float64 // of the test graphs, by the model of all
	for i, row := range set.rows {
		if row.Side == 1 {
			last = append(last, probability[i*classes:][:classes]...)
		}
	}
	var rows []column.SubsetRow
	for order := 1; order <= s.Orders; order++ {
		for k, units := range strata {
			random.New(s.Seed, s.Stream("curve", order, k)...).Shuffle(len(units), func(i, j int) {
				units[i], units[j] = units[j], units[i]
			})
		}
		for _, share := range curveShares {
			keep := map[string]bool{}
			for k, n := range inference.Sizes(share, lists.Map(strata, func(u [][]string) int { return len(u) })) {
				for _, unit := range strata[k][:n] {
					for _, id := range unit {
						keep[id] = true
					}
				}
			}
			if err := onlyTrained(keep, set.rows); err != nil {
				return nil, err
			}
			p, why := last, ""
			if share < 1 {
				if p, err = again(keep); err != nil {
					p, why = nil, err.Error()
				}
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			r := set.subsetRow(p)
			r.Model, r.Repeat, r.Fold, r.Order, r.Share = s.Model, int32(s.Repeat), int32(s.Fold), int32(order), share
			r.Trained, r.Whole, r.Before, r.Why = int32(len(keep)), int32(whole), before, why
			rows = append(rows, r)
			t.Progress(len(rows), s.Orders*len(curveShares), "learning curve")
		}
	}
	return column.Table(rows), nil
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

// subsetRow measures the probabilities of the test graphs; nil: no model.
func (set *trainingSet) subsetRow(probability []float64) column.SubsetRow {
	var cases []fold.Case
	classes := len(set.groups)
	for _, row := range set.rows {
		if row.Side != 1 {
			continue
		}
		c := fold.Case{Id: row.Id, Label: row.Label, Probability: make([]float64, classes)}
		if probability != nil {
			c.Probability = probability[len(cases)*classes:][:classes]
		}
		cases = append(cases, c)
	}
	people := fold.OverDraws(cases)
	count := make([]int, classes)
	for _, c := range people {
		count[c.Label]++
	}
	r := column.SubsetRow{Tested: int32(len(people)), Smallest: int32(slices.Min(count)), Accuracy: math.NaN(),
		AUC: math.NaN()}
	if probability != nil {
		s := fold.Score(people, -1)
		r.Accuracy, r.AUC = s.Accuracy, s.Auc
	}
	return r
}

// curveOfRows is the learning curve of a model of rows of numbers.
func (s *Baseline) curveOfRows(ctx context.Context, t *dag.Task, set *rowSet, r *ratedSet, port string) (
	*encoding.Table, error) {
	before := port != "pearson" || slices.ContainsFunc(t.All(port), fold.MadeInFold)
	return s.curve(ctx, t, set.trainingSet, r.probability, before, func(keep map[string]bool) ([]float64, error) {
		sub := set.some(keep, s.Standardize)
		var history []network.Epoch
		model, err := s.fitRows(ctx, t, sub, &history)
		if err != nil {
			return nil, err
		}
		tested := sub.all
		tested.X, tested.N = tested.X[sub.train.N*tested.D:], tested.N-sub.train.N
		return model.Probability(tested, t.Threads), nil
	})
}
