package curve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var curveKind = dag.Kind{
	Name: "learning-curve",
	Doc: "how many participants does a classifier or regression model need?\n" +
		"Reads the models that baseline or regression trained on parts of the training participants (orders: 5). Reports the AUC or accuracy, or r or R², by the number of training participants, the fitted error a + b·n^−c, and the number of participants that reaches a target, with approximate 95% intervals. The fit is extrapolated to at most twice as many training participants. Where the curve rises by no more than its standard error, nothing is fitted, since there is no evidence that more participants of this kind would help.",
	New: func() dag.Stage { return &Curve{Measure: "own", Target: 0.75, Resamples: 1000} },
}

var (
	_ role.PortUser = (*Curve)(nil)
	_ role.Assumer  = (*Curve)(nil)
	_ role.Gatherer = (*Curve)(nil)
)

const (
	auc      = "auc"
	accuracy = "accuracy"
	pearson  = "r"
	about    = "r2" // R² about the mean of the test participants
)

// measured are the measures in words.
var measured = map[string]string{auc: "AUC", accuracy: "accuracy", pearson: "r", about: "R²"}

// Curve fits learning curves.
type Curve struct {
	Measure   string  `param:"measure" doc:"of groups, auc or accuracy; of a number, r (Pearson's) or r2 (R² about the mean of the test participants); own: auc or r" choices:"own|auc|accuracy|r|r2"`
	Target    float64 `param:"target" doc:"value of the measure; the stage estimates how many training participants reach it" min:"0" max:"1"`
	Resamples int     `param:"resamples" doc:"of folds and orders, for intervals" min:"100" max:"100000"`
	Seed      uint64  `param:"seed" doc:"of the resamples"`
}

// RefusesTrainings refuses trainings of which none was on parts.
func (*Curve) RefusesTrainings(of []role.Training) error {
	if len(of) == 0 || slices.ContainsFunc(of, func(t role.Training) bool {
		return t.Parameters["orders"] != "0" && t.Parameters["orders"] != ""
	}) {
		return nil
	}
	return errNoParts
}

var errNoParts = errors.New("parts: no model was trained on parts of the training participants: set orders: 5 in the stage baseline or regression")

// UsesPorts are the parts, of all folds, and the checks.
func (*Curve) UsesPorts() []role.PortUse {
	return fold.AfterChecks(role.PortUse{Port: "parts", As: role.AllFolds})
}

// AssumesIndependent is for intervals.
func (*Curve) AssumesIndependent(func(port string) bool) (intervals bool, of []string) {
	return true, nil
}

// Ports are its inputs and outputs.
func (s *Curve) Ports() dag.Ports {
	parts := column.NeedsCommon[column.SubsetRow, column.NumberSubsetRow]()
	switch s.Measure {
	case auc, accuracy:
		parts = column.Needs[column.SubsetRow]()
	case pearson, about:
		parts = column.Needs[column.NumberSubsetRow]()
	}
	return dag.Ports{
		In: []dag.Port{{Name: "parts", Type: parts, Gather: true, Doc: "curve of baseline or regression, with orders"},
			{Name: "folds", Type: fold.Folds(), Optional: true, Doc: "split's folds, by which the file connects the parts"},
			fold.LeakagePort()},
		Out: []dag.Port{
			{Name: "points", Type: column.Needs[column.CurvePointRow](), Doc: "one row for each classifier and size"},
			{Name: "curve", Type: column.Needs[column.CurveRow](), Doc: "the fitted curve, up to twice as many training participants"},
			{Name: "summary", Type: column.Needs[column.LearningRow](), Doc: "one row for each classifier: rise, fit, and the participants that reach the target"},
		},
	}
}

// A setting is the parts of one classifier.
type setting struct {
	coords []dag.Coord
	model  string
	rows   []column.PartRow
}

// Run fits the curves.
func (s *Curve) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	settings, axes, err := s.read(t)
	if err != nil {
		return nil, err
	}
	names := column.NameClassifiers(lists.Map(settings, func(x *setting) []dag.Coord { return x.coords }),
		lists.Map(settings, func(x *setting) string { return x.model }))
	var points []column.CurvePointRow
	var curve []column.CurveRow
	var all []column.LearningRow
	for k, x := range settings {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, c, r, err := s.fit(t.Log(), x, names[k])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names[k], err)
		}
		points, curve, all = append(points, p...), append(curve, c...), append(all, r)
		if r.Why != "" {
			fmt.Fprintf(t.Log(), "%s: no curve is fitted: %s\n", names[k], r.Why)
		}
		t.Progress(k+1, len(settings), "classifiers")
	}
	return dag.Outputs{"points": column.Table(points, axes...), "curve": column.Table(curve, axes...),
		"summary": column.Table(all, axes...)}, nil
}

// read gathers the parts by classifier; a stage without orders has none.
func (*Curve) read(t *dag.Task) (settings []*setting, axes []string, err error) {
	for _, in := range t.All("parts") {
		rows, err := column.Read[column.PartRow](in)
		if err != nil {
			return nil, nil, err
		}
		if len(rows) == 0 || rows[0].Model == "majority" || rows[0].Model == "mean" { // which learn nothing
			continue
		}
		coords := column.Without(in.Coords, "fold", "repeat")
		at := slices.IndexFunc(settings, func(x *setting) bool { return slices.Equal(x.coords, coords) })
		if at < 0 {
			at, settings = len(settings), append(settings, &setting{coords: coords, model: rows[0].Model})
		}
		settings[at].rows = append(settings[at].rows, rows...)
		for _, c := range coords {
			axes = lists.Add(axes, c.Axis)
		}
	}
	if settings == nil {
		err = errNoParts
	}
	return settings, axes, err
}

// measure is that of a setting: own is auc, or r.
func (s *Curve) measure(x *setting) (string, error) {
	number := !slices.ContainsFunc(x.rows, func(p column.PartRow) bool { return p.Smallest > 0 })
	switch {
	case s.Measure == "own" && number:
		return pearson, nil
	case s.Measure == "own":
		return auc, nil
	case number != (s.Measure == pearson || s.Measure == about):
		return "", fmt.Errorf("measure: %s is not of %s: set measure: %s", measured[s.Measure],
			map[bool]string{true: "models of a number", false: "classifiers"}[number],
			map[bool]string{true: "r or r2", false: "auc or accuracy"}[number])
	}
	return s.Measure, nil
}

// valueOf is the measure of a part.
func valueOf(p column.PartRow, measure string) float64 {
	switch measure {
	case auc:
		return p.AUC
	case accuracy:
		return p.Accuracy
	case pearson:
		return p.R
	}
	return p.R2
}

// without is why a fold may have no such measure.
func without(measure string) string {
	switch measure {
	case pearson:
		return "the predictions or the numbers of its test participants are all equal"
	case about:
		return "the numbers of its test participants are all equal"
	}
	return "its test participants are of one class"
}

// fit fits the curve of one classifier.
func (s *Curve) fit(log io.Writer, x *setting, name string) (points []column.CurvePointRow, curve []column.CurveRow,
	r column.LearningRow, err error) {
	nan := math.NaN()
	measure, err := s.measure(x)
	if err != nil {
		return nil, nil, r, err
	}
	r = column.LearningRow{Coords: x.coords, Name: name, Measure: measure, Limit: nan, B: nan, C: nan, At: nan,
		AtLow: nan, AtHigh: nan, Twice: nan, TwiceLow: nan, TwiceUp: nan, Target: s.Target, Needed: nan, NeedLow: nan,
		NeedHigh: nan}
	folds := lists.By(x.rows, func(r column.PartRow) [2]int32 { return [2]int32{r.Repeat, r.Fold} })
	shares := slices.Compact(slices.Sorted(slices.Values(lists.Map(x.rows, func(r column.PartRow) float64 {
		return r.Share
	}))))
	v, smallest, others := inference.Validation{}, 0.0, 0.0
	for _, f := range folds {
		first := f.All[0]
		v.Test, v.Train = append(v.Test, float64(first.Tested)), append(v.Train, float64(first.Whole))
		smallest, others = smallest+float64(first.Smallest), others+float64(first.Tested-first.Smallest)
		r.N += float64(first.Whole) / float64(len(folds))
		r.Before = r.Before || first.Before
	}
	// Sizes at which each fold has a measure; a fold whose test participants are of one class has none.
	sizes := make([]float64, len(shares))
	learned := make([]inference.Learned, len(folds))
	var known []int // places of shares
	for k, share := range shares {
		whole, why := true, ""
		for f := range folds {
			for _, p := range folds[f].All {
				if p.Share != share {
					continue
				}
				value := valueOf(p, measure)
				for len(learned[f]) < int(p.Order) {
					learned[f] = append(learned[f], make([]float64, len(shares)))
				}
				learned[f][p.Order-1][k] = 1 - value
				sizes[k] += float64(p.Trained)
				whole, why = whole && !math.IsNaN(value), cmp.Or(why, p.Why)
			}
			r.Orders = int32(len(learned[f]))
		}
		sizes[k] /= float64(len(folds) * int(r.Orders))
		if whole {
			known = append(known, k)
		} else {
			fmt.Fprintf(log, "%s: about %.0f training participants are left out of the curve, since a fold has no %s: %s\n", name,
				sizes[k], measured[measure], cmp.Or(why, without(measure)))
		}
	}
	r.Folds = int32(len(folds))
	if len(known) == 0 || known[len(known)-1] != len(shares)-1 {
		return nil, nil, r, fmt.Errorf("a fold has no %s with all of its training participants, since %s; use fewer folds, or stratify them", measured[measure], without(measure))
	}
	for f := range learned { // the sizes that are known
		for o, errors := range learned[f] {
			learned[f][o] = lists.Map(known, func(k int) float64 { return errors[k] })
		}
	}
	n := lists.Map(known, func(k int) float64 { return sizes[k] })
	c := inference.NewLearningCurve(n, learned, v)
	for k, at := range known {
		points = append(points, column.CurvePointRow{Coords: x.coords, Name: name, Share: shares[at], N: n[k],
			Value: 1 - c.Error[k], SE: c.SE[k]})
	}
	r.Least, r.Value, r.Rise, r.RiseSE, r.Flat = n[0], 1-c.Error[len(n)-1], c.Rise, c.RiseSE, c.Flat()
	switch {
	case len(folds) < 2:
		r.Why = "one fold"
	case len(n) < inference.LeastSizes:
		r.Why = "few sizes"
	case !slices.ContainsFunc(c.Error, func(e float64) bool { return e > 0 }):
		r.Flat, r.RiseSE = false, nan
		for k := range points {
			points[k].SE = nan
		}
		r.Why = "no errors"
	case r.Flat:
		r.Why = "flat"
	}
	if r.Why != "" {
		return points, nil, r, nil
	}
	sampled := v.SampledShare()
	switch measure {
	case auc:
		sampled = v.SampledAUC(smallest, others)
	case pearson:
		sampled = v.SampledR()
		c.Correlation()
	case about:
		sampled = v.SampledExplained()
		c.Explained()
	}
	c.Fit(learned, v, sampled, s.Resamples, random.New(s.Seed, "learning-curve", name))
	r.Limit, r.B, r.C = 1-c.Law.A, c.Law.B, c.Law.C
	at := func(n float64) (value, low, high float64) {
		error, below, above := c.At(n)
		return 1 - error, 1 - above, 1 - below
	}
	r.At, r.AtLow, r.AtHigh = at(r.N)
	r.Twice, r.TwiceLow, r.TwiceUp = at(2 * r.N)
	finite := func(x float64) float64 {
		if math.IsInf(x, 0) {
			return nan
		}
		return x
	}
	needed, low, high := c.Reach(1-s.Target, 2*r.N)
	r.Needed, r.NeedLow, r.NeedHigh = finite(needed), finite(low), finite(high)
	const steps = 20 // of the curve to n, and from there to 2n
	for k := range 2*steps + 1 {
		size := r.Least + float64(float64(k)*(r.N-r.Least))/steps
		if k > steps {
			size = r.N + float64(float64(k-steps)*r.N)/steps
		}
		row := column.CurveRow{Coords: x.coords, Name: name, N: size, Beyond: k > steps}
		row.Value, row.Low, row.High = at(size)
		curve = append(curve, row)
	}
	return points, curve, r, nil
}
