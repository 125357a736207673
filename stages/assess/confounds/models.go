package confounds

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/inference/confound"
)

// The samples of models.
const (
	everybody   = "all"
	matched     = "matched"
	matchedTest = "matched test"
)

// leastPairs is how many matched pairs models need.
const leastPairs = 20

// models trains and tests ridge regression with each kind of features, on everybody and on matched participants.
func (st *study) models(ctx context.Context, t *dag.Task, summary *column.ConfoundSummaryRow) (
	rows []column.ConfoundModelRow, matching []column.ConfoundMatchRow, err error) {
	values := map[string][]float64{}
	width := 0
	for i, in := range t.All("matrices") {
		id := in.Coord(column.Subject)
		z, err := st.edgesOf(in)
		if err != nil {
			return nil, nil, err
		}
		if width == 0 {
			width = len(z)
		}
		if len(z) != width {
			return nil, nil, fmt.Errorf("%s: %d edges, but others have %d: use the same atlas for all", in.Name, len(z), width)
		}
		values[id] = z
		t.Progress(i+1, len(t.All("matrices")), "reading")
	}
	var who []int
	var lacking, absent []string
	for i, id := range st.ids {
		var names []string
		for _, c := range st.covariates {
			if c.Missing(i) {
				names = append(names, c.Name)
			}
		}
		switch {
		case values[id] == nil:
			absent = append(absent, id)
		case names != nil:
			summary.Left = append(summary.Left, id)
			lacking = append(lacking, fmt.Sprintf("%s (%s)", id, strings.Join(names, ", ")))
		default:
			who = append(who, i)
		}
	}
	switch {
	case absent != nil:
		return nil, nil, fmt.Errorf("matrices: none of %s, who are in the folds", words.Some(absent, 8))
	case lacking != nil && st.Missing == "refuse":
		return nil, nil, fmt.Errorf("%s: no value of covariates: %s: fill them in, exclude the participants, or set missing: skip", t.In("participants").Name, words.Some(lacking, 8))
	case len(who) == 0:
		return nil, nil, fmt.Errorf("no participant has all covariates")
	}
	summary.Participants = int32(len(who))
	c := &cohort{study: st, who: who, task: t, threads: t.Threads}
	if c.models, summary.Edges, err = st.gram(who, values, t.Threads); err != nil {
		return nil, nil, err
	}
	whole := c.sample(func(int) bool { return true })
	if err := c.enough(whole); err != nil {
		return nil, nil, err
	}
	base, err := c.scores(whole, nil, confound.Features())
	if err != nil {
		return nil, nil, err
	}
	resampled := c.resample(ctx, whole, confound.Features(), "all")
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	rows = append(rows, c.interval(base, resampled, everybody, whole, confound.Features())...)
	summary.Resamples, summary.Permutations = int32(st.Resamples), int32(st.Permutations)
	summary.Alone, summary.Both = base[confound.Covariates], base[confound.Both]
	paired := func(of, than string) (difference, low, high float64) {
		row := func(features string) column.ConfoundModelRow {
			return rows[slices.IndexFunc(rows, func(r column.ConfoundModelRow) bool { return r.Features == features })]
		}
		var with, without []float64
		for _, r := range resampled {
			if a, b := r[of], r[than]; !math.IsNaN(a) && !math.IsNaN(b) {
				with, without = append(with, a), append(without, b)
			}
		}
		r := inference.Correlation(with, without)
		if math.IsNaN(r) {
			r = 0
		}
		x, y := row(of), row(than)
		low, high = inference.DifferenceInterval(x.Score, x.Low, x.High, y.Score, y.Low, y.High, r)
		return x.Score - y.Score, low, high
	}
	summary.Increment, summary.Low, summary.High = paired(confound.Both, confound.Covariates)
	summary.Removal, summary.RemovalLow, summary.RemovalHigh = paired(confound.Deconfounded, confound.Edges)
	if summary.P, err = c.permute(ctx, whole, base[confound.Both]); err != nil {
		return nil, nil, err
	}
	if _, sites := column.Numbered(c.site); len(sites) > 1 {
		summary.Within = st.Within
	}
	if st.Match == nil {
		return rows, nil, nil
	}
	more, matching, err := c.match(ctx, summary)
	return append(rows, more...), matching, err
}

// A cohort is the participants with edges and covariates.
type cohort struct {
	*study
	who     []int // places among all
	models  *confound.Study
	task    *dag.Task
	threads int
}

// gram makes the Gram matrix of the edges that everybody has.
func (st *study) gram(who []int, values map[string][]float64, threads int) (*confound.Study, int32, error) {
	width := len(values[st.ids[who[0]]])
	var places []int
	for e := range width {
		if !slices.ContainsFunc(who, func(i int) bool { return math.IsNaN(values[st.ids[i]][e]) }) {
			places = append(places, e)
		}
	}
	if len(places) == 0 {
		return nil, 0, fmt.Errorf("no edge is there in all participants: are these connectivity matrices?")
	}
	n, d := len(who), len(places)
	x := make([]float64, 0, n*d)
	s := &confound.Study{N: n, Penalty: st.Penalty, Threads: threads, Gram: make([]float64, n*n),
		Options: confound.Options{Degree: 1, Reference: st.Few == "reference"}}
	for _, i := range who {
		for _, e := range places {
			x = append(x, values[st.ids[i]][e])
		}
		y := -1.0
		switch {
		case st.number():
			y = st.target[i]
		case st.group[i] == st.groups[st.positive]:
			y = 1
		}
		s.Y = append(s.Y, y)
	}
	for _, c := range st.covariates {
		s.Covariates = append(s.Covariates, c.Of(who))
	}
	dense.Multiply(s.Gram, n, dense.Rows(x, d), dense.Rows(x, d).T(), n, d, n, false, threads)
	return s, int32(d), nil
}

// sample is the participants that are taken, each once.
func (c *cohort) sample(take func(k int) bool) (s confound.Sample) {
	for k, i := range c.who {
		if take(k) {
			s.Of, s.Fold = append(s.Of, k), append(s.Fold, c.fold[i])
		}
	}
	return s
}

// unshared is a category of the test participants of a fold, where its training participants have none of theirs; ""
// else.
func unshared(v confound.Covariate, fit []int, s confound.Sample, fold int) (category string) {
	if v.Text == nil {
		return ""
	}
	known := lists.SetOf(fit, func(i int) string { return v.Text[i] })
	for k, of := range s.Fold {
		switch x := v.Text[s.Of[k]]; {
		case of == fold && known[x]:
			return ""
		case of == fold:
			category = x
		}
	}
	return category
}

// enough refuses folds with too few training participants for the covariates, and unseen categories.
func (c *cohort) enough(s confound.Sample) error {
	for _, f := range folds(s) {
		var fit []int
		for k, of := range s.Fold {
			if of != f {
				fit = append(fit, s.Of[k])
			}
		}
		d, err := confound.NewDesign(c.models.Covariates, fit, c.models.Options)
		if err != nil {
			return fmt.Errorf("covariates, fold %d: %w", f, err)
		}
		if columns := 1 + len(d.Terms); len(fit) < 3*columns {
			return fmt.Errorf("covariates, fold %d: the model has %d columns and %d training participants, but needs 3 for each column: list fewer covariates, merge rare categories, or use fewer folds", f, columns, len(fit))
		}
		for _, v := range c.models.Covariates {
			if of := unshared(v, fit, s, f); of != "" {
				return fmt.Errorf("fold %d: no training participant has the %s of a test participant, such as %s, so the effect of "+
					"%[2]s is unknown there; folds that leave out each %[2]s cannot adjust for it: list other covariates", f, v.Name, of)
			}
		}
		for k, of := range s.Fold {
			if _, _, err := d.Row(c.models.Covariates, s.Of[k]); err != nil && of == f {
				return fmt.Errorf("fold %d: %s: %w: merge rare categories, or set few: reference", f, c.ids[c.who[s.Of[k]]], err)
			}
		}
	}
	return nil
}

func folds(s confound.Sample) []int { return slices.Compact(slices.Sorted(slices.Values(s.Fold))) }

// scores are the means over the folds of each kind of features; of the test participants that test takes, or all.
func (c *cohort) scores(s confound.Sample, test func(k int) bool, features []string) (map[string]float64, error) {
	sums, n := map[string]float64{}, map[string]float64{}
	for _, f := range folds(s) {
		d, err := c.models.Divide(s, f)
		if err != nil {
			return nil, err
		}
		for _, of := range features {
			if v := c.measure(s, d, d.Scores(of), test); !math.IsNaN(v) {
				sums[of] += v
				n[of]++
			}
		}
	}
	for _, of := range features {
		sums[of] /= n[of] // NaN where no fold has a score
	}
	return sums, nil
}

// measure is the AUC, or r, of the scores of a fold.
func (c *cohort) measure(s confound.Sample, d *confound.Division, scores []float64, test func(k int) bool) float64 {
	var y, v []float64
	var positive []bool
	for r, k := range d.Test() {
		of := s.Of[k]
		if test != nil && !test(of) {
			continue
		}
		for range s.CopiesOf(k) {
			y, v, positive = append(y, c.models.Y[of]), append(v, scores[r]), append(positive, c.models.Y[of] > 0)
		}
	}
	if c.number() {
		return inference.Correlation(y, v)
	}
	return confound.AUC(v, positive)
}

// resample repeats the cross-validation on resamples of the participants: within the groups, or of whole families where
// the folds keep some together. Copies of a participant stay in its fold.
func (c *cohort) resample(ctx context.Context, s confound.Sample, features []string, name string) []map[string]float64 {
	var units [][]int // places in the sample
	var strata []string
	at := map[string]int{}
	families := slices.ContainsFunc(c.together, func(v string) bool { return v != "" })
	for k, of := range s.Of {
		i := c.who[of]
		if first := c.together[i]; first != "" {
			if u, ok := at[first]; ok {
				units[u] = append(units[u], k)
				continue
			}
			at[first] = len(units)
		}
		stratum := ""
		if !c.number() && !families {
			stratum = c.group[i]
		}
		units, strata = append(units, []int{k}), append(strata, stratum)
	}
	level, _ := column.Numbered(strata)
	groups := inference.ByStratum(level)
	models := *c.models
	models.Threads, models.Options.Reference = 1, true
	one := *c
	one.models = &models
	out := make([]map[string]float64, c.Resamples)
	progress := counter(c.task, c.Resamples, "resamples of participants")
	dense.Each(c.threads, c.Resamples, func(b int) {
		if ctx.Err() != nil {
			return
		}
		stream := random.New(c.Seed, "confounds", "resample", name, b)
		copies := make([]int, len(s.Of))
		for _, g := range groups {
			for range g {
				for _, k := range units[g[stream.IntN(len(g))]] {
					copies[k]++
				}
			}
		}
		var again confound.Sample
		for k, n := range copies {
			if n > 0 {
				again.Of, again.Fold = append(again.Of, s.Of[k]), append(again.Fold, s.Fold[k])
				again.Copies = append(again.Copies, n)
			}
		}
		defer progress()
		if v, err := one.scores(again, nil, features); err == nil { // a resample may lack a category
			out[b] = v
		}
	})
	return slices.DeleteFunc(out, func(v map[string]float64) bool { return v == nil })
}

// counter reports the progress of equal parts of the work, each when it is called.
func counter(t *dag.Task, total int, note string) func() {
	var done atomic.Int64
	return func() { t.Progress(min(total, int(done.Add(1))), total, note) }
}

// deviation is the SD over resamples.
func deviation(v []float64) float64 {
	v = slices.DeleteFunc(slices.Clone(v), math.IsNaN)
	if len(v) < 2 {
		return math.NaN()
	}
	_, sd := column.MeanSD(v)
	return sd
}

// bounds is the 95% interval of a score from those of resamples, within the values that a score can have.
func (c *cohort) bounds(score float64, resampled []float64, s confound.Sample) (low, high float64) {
	if c.number() {
		return inference.CorrelationInterval(score, deviation(resampled))
	}
	var v inference.Validation
	for _, f := range folds(s) {
		test := 0.0
		for _, own := range s.Fold {
			if own == f {
				test++
			}
		}
		v.Test, v.Train = append(v.Test, test), append(v.Train, float64(len(s.Fold))-test)
	}
	positive := 0.0
	for _, of := range s.Of {
		if c.models.Y[of] > 0 {
			positive++
		}
	}
	return v.ResampledAUC(score, column.Known(resampled), positive, float64(len(s.Of))-positive)
}

// interval has a row for each kind of features, with its interval.
func (c *cohort) interval(base map[string]float64, resampled []map[string]float64, name string, s confound.Sample,
	features []string) (rows []column.ConfoundModelRow) {
	for _, of := range features {
		low, high := c.bounds(base[of], lists.Map(resampled, func(r map[string]float64) float64 { return r[of] }), s)
		rows = append(rows, column.ConfoundModelRow{Features: of, Sample: name, Participants: int32(len(s.Of)),
			Score: base[of], Low: low, High: high})
	}
	return rows
}

// permute is the p of what the edges add: their residuals are permuted within folds and sites. NaN where these leave
// the labels fewer than 21 arrangements, which cannot give p < 0.05, such as sites of one group each.
func (c *cohort) permute(ctx context.Context, s confound.Sample, observed float64) (float64, error) {
	level := s.Fold
	if c.site != nil {
		number, names := column.Numbered(lists.Map(s.Of, func(k int) string { return c.site[c.who[k]] }))
		for k, f := range s.Fold {
			number[k] += f * len(names)
		}
		level = number
	}
	labels := make([]float64, len(level))
	all := make([]int, len(level))
	for k, of := range s.Of {
		all[k], labels[k] = k, c.models.Y[of]
	}
	const least = 21
	if inference.Arrangements(inference.LevelsOf(labels), level, least) < least {
		return math.NaN(), nil
	}
	strata := inference.ByStratum(level)
	permutations := make([][]int, c.Permutations)
	for b := range permutations {
		p := slices.Clone(all)
		inference.Permute(p, strata, random.New(c.Seed, "confounds", "permutation", b))
		permutations[b] = p
	}
	sums, n := make([]float64, c.Permutations), make([]float64, c.Permutations)
	progress := counter(c.task, c.Permutations*len(folds(s)), "permutations of the edges")
	for _, f := range folds(s) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		d, err := c.models.Divide(s, f)
		if err != nil {
			return 0, err
		}
		d.Permuted(permutations, func(b int, scores []float64) {
			defer progress()
			if v := c.measure(s, d, scores, nil); !math.IsNaN(v) {
				sums[b] += v
				n[b]++
			}
		})
	}
	as := 0
	for b, v := range sums {
		if inference.AsLarge(v/n[b], observed) {
			as++
		}
	}
	return inference.PermutationP(as, c.Permutations), nil
}

// match repeats the models on matched participants.
func (c *cohort) match(ctx context.Context, summary *column.ConfoundSummaryRow) (rows []column.ConfoundModelRow,
	matching []column.ConfoundMatchRow, err error) {
	var of []confound.Covariate
	for _, name := range c.Match {
		of = append(of, c.models.Covariates[slices.Index(c.Covariates, name)])
	}
	if of[0].Text != nil {
		return nil, nil, fmt.Errorf("match: %s decides who is nearest, and must be a number: list a number first", of[0].Name)
	}
	n := len(c.who)
	group := make([]bool, n)
	for k := range n {
		group[k] = c.models.Y[k] > 0
	}
	pairs := confound.Match(group, of)
	summary.Pairs = int32(len(pairs))
	paired := make([]bool, n)
	for _, p := range pairs {
		paired[p[0]], paired[p[1]] = true, true
	}
	for _, v := range c.models.Covariates {
		names, values := []string{v.Name}, [][]float64{v.Number}
		if v.Text != nil {
			names, values = nil, nil
			for _, level := range slices.Compact(slices.Sorted(slices.Values(v.Text))) {
				is := make([]float64, n)
				for k, x := range v.Text {
					is[k] = map[bool]float64{true: 1}[x == level]
				}
				names, values = append(names, v.Name+"="+level), append(values, is)
			}
		}
		for j, x := range values {
			r := column.ConfoundMatchRow{Covariate: names[j]}
			r.Before, r.BeforeWhy = difference(x, group, nil)
			r.After, r.AfterWhy = difference(x, group, paired)
			matching = append(matching, r)
		}
	}
	if len(pairs) < leastPairs {
		return nil, matching, nil
	}
	sample := c.sample(func(k int) bool { return paired[k] })
	features := []string{confound.Edges, confound.Covariates}
	c.models.Options.Reference = true // matching may leave a category without training participants
	base, err := c.scores(sample, nil, features)
	if err != nil {
		return nil, nil, err
	}
	rows = c.interval(base, c.resample(ctx, sample, features, matched), matched, sample, features)
	trained, err := c.scores(c.sample(func(int) bool { return true }), func(k int) bool { return paired[k] }, features)
	if err != nil {
		return nil, nil, err
	}
	nan := math.NaN()
	for _, of := range features {
		rows = append(rows, column.ConfoundModelRow{Features: of, Sample: matchedTest,
			Participants: int32(2 * len(pairs)),
			Score:        trained[of], Low: nan, High: nan})
	}
	return rows, matching, ctx.Err()
}

// difference is the standardized difference of a covariate between the groups, of those that take has, and where there
// is none, why.
func difference(v []float64, group, take []bool) (d float64, why string) {
	var a, b []float64
	for k, x := range v {
		switch {
		case take != nil && !take[k]:
		case group[k]:
			a = append(a, x)
		default:
			b = append(b, x)
		}
	}
	if d = confound.Difference(a, b); !math.IsNaN(d) || len(a) == 0 || len(b) == 0 {
		return d, ""
	}
	if a[0] != b[0] {
		return d, column.EqualInGroups
	}
	return d, column.EqualInAll
}
