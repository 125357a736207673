package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/learn/split"
)

// checkOrders refuses too few orders of a learning curve.
func checkOrders(orders int) error {
	if orders > 0 && orders < 5 {
		return fmt.Errorf("orders: %d, but a learning curve needs 5 or more, or 0 for none", orders)
	}
	return nil
}

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

// curve trains the model again on parts of the training participants, and tests it on the same test participants.
// probability are those of the model of all, of each graph of the set; again trains on some of the training
// participants, and gives those of the test graphs. before: the inputs were fitted to all of them.
func (s *Baseline) curve(ctx context.Context, t *dag.Task, set *trainingSet, probability []float64, before bool,
	again func(keep map[string]bool) ([]float64, error)) (*encoding.Table, error) {
	classes := len(set.groups)
	var last []float64 // of the test graphs, by the model of all
	for i, row := range set.rows {
		if row.Side == 1 {
			last = append(last, probability[i*classes:][:classes]...)
		}
	}
	var rows []column.SubsetRow
	err := split.Parts(ctx, t, set.rows, s.Params, s.Seed, s.Orders, func(part split.Part) error {
		p, why := part.Predict(last, again)
		r := set.subsetRow(p)
		r.Model, r.Repeat, r.Fold = s.Model, int32(s.Repeat), int32(s.Fold)
		r.Order, r.Share = int32(part.Order), part.Share
		r.Trained, r.Whole, r.Before, r.Why = int32(len(part.Keep)), int32(part.Whole), before, why
		rows = append(rows, r)
		return nil
	})
	return column.Table(rows), err
}

// curve is the learning curve of a model of a number: as that of Baseline, with the mean and SD of the number in each
// part. decided are the z-scored predictions of the model of all, of each graph of the set.
func (s *Regression) curve(ctx context.Context, t *dag.Task, set *rowSet, decided []float64, unit scale, port string) (
	*encoding.Table, error) {
	before := port != "pearson" || slices.ContainsFunc(t.All(port), fold.MadeInFold)
	var last []float64
	for i, row := range set.rows {
		if row.Side == 1 {
			last = append(last, unit.mean+float64(unit.sd*decided[i]))
		}
	}
	again := func(keep map[string]bool) ([]float64, error) {
		sub := set.some(keep, s.Standardize)
		of, err := scaleOf(sub.rows)
		if err != nil {
			return nil, err
		}
		y := lists.Map(sub.rows[:sub.train.N], func(r fold.Row) float64 { return (r.Target - of.mean) / of.sd })
		model, err := s.fit(ctx, t, sub, y)
		if err != nil {
			return nil, err
		}
		return lists.Map(model.Decide(sub.all, t.Threads)[sub.train.N:], func(f float64) float64 {
			return of.mean + float64(of.sd*f)
		}), nil
	}
	var rows []column.NumberSubsetRow
	err := split.Parts(ctx, t, set.rows, s.Params, s.Seed, s.Orders, func(part split.Part) error {
		p, why := part.Predict(last, again)
		r := set.numberSubset(p)
		r.Model, r.Repeat, r.Fold = s.Model, int32(s.Repeat), int32(s.Fold)
		r.Order, r.Share = int32(part.Order), part.Share
		r.Trained, r.Whole, r.Before, r.Why = int32(len(part.Keep)), int32(part.Whole), before, why
		rows = append(rows, r)
		return nil
	})
	return column.Table(rows), err
}

// numberSubset measures the predictions of the test graphs; nil: no model.
func (set *trainingSet) numberSubset(predicted []float64) column.NumberSubsetRow {
	var cases []fold.Case
	var f inference.NumberFold
	for _, row := range set.rows {
		if row.Side != 1 {
			continue
		}
		if len(cases) == 0 || cases[len(cases)-1].Id != row.Id { // the draws of a participant follow each other
			f.Target = append(f.Target, row.Target)
		}
		c := fold.Case{Id: row.Id, Probability: []float64{0}}
		if predicted != nil {
			c.Probability[0] = predicted[len(cases)]
		}
		cases = append(cases, c)
	}
	for i, c := range fold.OverDraws(cases) {
		f.Person, f.Predicted = append(f.Person, i), append(f.Predicted, c.Probability[0])
	}
	r := column.NumberSubsetRow{Tested: int32(len(f.Person)), R: math.NaN(), R2: math.NaN()}
	if predicted != nil {
		of := f.Score()
		r.R, r.R2 = of.R, of.R2
	}
	return r
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
