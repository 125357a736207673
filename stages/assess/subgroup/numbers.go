package subgroup

import (
	"context"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var subgroupsRegressionKind = dag.Kind{
	Name: "subgroups-regression",
	Doc: "is a number predicted equally well in each sex, age band, site and motion band?\n" +
		"Like subgroups, for predictions of a number: r, mean absolute error and mean error in the test participants of each group, with 95% intervals that hold for these models. The two groups of a column that differ most, in standard errors, have an interval of their difference and a p, from permutations of the groups within site, corrected over models, columns and measures. A group of fewer than 10 participants is suppressed. Groups with a smaller range of the number have a smaller r at the same error, so compare both. Finding no difference does not show that there is none.",
	New: func() dag.Stage { return &SubgroupsRegression{usualGrouping()} },
}

var (
	_ role.PortUser = (*SubgroupsRegression)(nil)
	_ role.Reader   = (*SubgroupsRegression)(nil)
	_ role.Assumer  = (*SubgroupsRegression)(nil)
)

// SubgroupsRegression measures predictions of a number in groups of participants.
type SubgroupsRegression struct{ Grouping }

// Ports are its inputs and outputs.
func (*SubgroupsRegression) Ports() dag.Ports {
	return dag.Ports{
		In: groupedPorts(dag.Port{Name: "predictions", Type: column.Type[fold.NumberRow](), Gather: true,
			Doc: "predictions of the models"}),
		Out: []dag.Port{
			{Name: "groups", Type: column.Type[column.NumberSubgroupRow](), Doc: "one row for each model, column and group"},
			{Name: "tests", Type: column.Type[column.NumberSubgroupTestRow](),
				Doc: "one row for each model, column and measure: the two groups that differ most"},
		},
	}
}

// Run measures the models in the groups.
func (s *SubgroupsRegression) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadNumbers(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	st := &study{Grouping: &s.Grouping, positive: -1}
	if st.related, err = checkFolds(t, all); err != nil {
		return nil, err
	}
	if err := st.read(t); err != nil {
		return nil, err
	}
	var groups []column.NumberSubgroupRow
	var tests []column.NumberSubgroupTestRow
	err = st.each(ctx, t, all, "models", func(folds []fold.Tested) ([]int, func(string, division), error) {
		x, err := st.numbers(folds, t.In("participants").Name)
		if err != nil {
			return nil, nil, err
		}
		return x.at, func(name string, d division) {
			rows := x.rows(name, d, s.Complementary)
			groups, tests = append(groups, rows...), append(tests, st.compareNumbers(x, d, name, rows)...)
		}, nil
	})
	if err != nil {
		return nil, err
	}
	for i, p := range inference.Holm(lists.Map(tests, func(r column.NumberSubgroupTestRow) float64 { return r.P })) {
		tests[i].Holm = p
	}
	return dag.Outputs{"groups": column.Table(groups, all.Axes...), "tests": column.Table(tests, all.Axes...)}, nil
}

// numbers are the predictions of a setting for its test participants, each counted once.
type numbers struct {
	name                              string
	coords                            []dag.Coord
	at                                []int     // of each participant, the row of the table of participants
	target                            []float64 // of each participant
	predicted, observed, size, errors []float64 // means over its tests; the first two less the mean of the fold
	site                              []int
}

func (st *study) numbers(folds []fold.Tested, people string) (*numbers, error) {
	x := &numbers{name: folds[0].Name, coords: folds[0].Coords}
	number := map[string]int{}
	var tests []float64
	var lacking, places []string
	for _, f := range folds {
		n := float64(len(f.Participants))
		var predicted, observed float64
		for _, c := range f.Participants {
			predicted, observed = predicted+c.Probability[0]/n, observed+c.Target/n
		}
		for _, c := range f.Participants {
			i, known := number[c.Id]
			if !known {
				row, there := st.at[c.Id]
				if !there {
					lacking = append(lacking, c.Id)
				}
				i = len(x.at)
				number[c.Id] = i
				x.at, x.target, places = append(x.at, row), append(x.target, c.Target), append(places, st.site[c.Id])
				for _, v := range []*[]float64{&tests, &x.predicted, &x.observed, &x.size, &x.errors} {
					*v = append(*v, 0)
				}
			}
			tests[i]++
			x.predicted[i] += c.Probability[0] - predicted
			x.observed[i] += c.Target - observed
			x.errors[i] += c.Probability[0] - c.Target
			x.size[i] += math.Abs(c.Probability[0] - c.Target)
		}
	}
	if lacking != nil {
		return nil, fmt.Errorf("%s lacks %s, who are tested: connect the participants of the training", people,
			words.Some(lacking, 8))
	}
	for i, n := range tests {
		for _, v := range [][]float64{x.predicted, x.observed, x.size, x.errors} {
			v[i] /= n
		}
	}
	x.site, _ = column.Numbered(places)
	return x, nil
}

// The measures of a number that are compared.
var numberMeasures = []string{"r", "mae", "mean_error"}

// measure is each of numberMeasures with its interval, of one group; NaN of fewer than four participants.
func (x *numbers) measure(group []int, g int) (of [3][3]float64, target []float64) {
	var predicted, observed, size, errors []float64
	for i, own := range group {
		if own == g {
			predicted, observed = append(predicted, x.predicted[i]), append(observed, x.observed[i])
			size, errors, target = append(size, x.size[i]), append(errors, x.errors[i]), append(target, x.target[i])
		}
	}
	if len(target) < 4 {
		for m := range of {
			of[m] = [3]float64{math.NaN(), math.NaN(), math.NaN()}
		}
		return of, target
	}
	none := make([]float64, len(target))
	r := inference.CompareNumbers(predicted, observed, 0)
	s, e := inference.CompareNumbers(size, none, 0), inference.CompareNumbers(errors, none, 0)
	return [3][3]float64{{r.R, r.RLow, r.RHigh}, {s.Error, max(0, s.ErrorLow), s.ErrorHigh},
		{e.Error, e.ErrorLow, e.ErrorHigh}}, target
}

// points are numberMeasures of each group, for permutations, and the squares of their standard errors, that of r but
// for a factor which groups of one correlation share.
func (x *numbers) points(group []int, groups int) (of, square [3][]float64) {
	type sums struct{ n, x, y, xx, yy, xy, size, errors float64 }
	all := make([]sums, groups)
	for i, g := range group {
		if g < 0 {
			continue
		}
		s, p, o := &all[g], x.predicted[i], x.observed[i]
		s.n++
		s.x, s.y, s.size, s.errors = s.x+p, s.y+o, s.size+x.size[i], s.errors+x.errors[i]
		s.xx, s.yy, s.xy = s.xx+float64(p*p), s.yy+float64(o*o), s.xy+float64(p*o)
	}
	var spread [2][]float64 // sums of squares about the means
	for m, v := range [2][]float64{x.size, x.errors} {
		spread[m] = make([]float64, groups)
		for i, g := range group {
			if g >= 0 {
				d := v[i] - []float64{all[g].size, all[g].errors}[m]/all[g].n
				spread[m][g] += float64(d * d)
			}
		}
	}
	for g, s := range all {
		r := math.NaN()
		vx, vy := s.xx-float64(s.x*s.x)/s.n, s.yy-float64(s.y*s.y)/s.n
		if vx > 1e-12*s.xx && vy > 1e-12*s.yy {
			r = (s.xy - float64(s.x*s.y)/s.n) / math.Sqrt(float64(vx*vy))
		}
		of[0], of[1], of[2] = append(of[0], r), append(of[1], s.size/s.n), append(of[2], s.errors/s.n)
		square[0] = append(square[0], 1/(s.n-1))
		for m := range spread {
			square[m+1] = append(square[m+1], spread[m][g]/(s.n*(s.n-1)))
		}
	}
	return of, square
}

// within has the predicted and observed numbers without the effects of the groups and, where there is one stratum, in
// standard deviations of their group: neither changes the r of a group, but r of participants of several groups then
// does not contain the differences of their means and scales.
func (x *numbers) within(group, stratum []int, groups int) *numbers {
	y, one := *x, slices.Max(stratum) == 0
	for _, v := range []*[]float64{&y.predicted, &y.observed} {
		effect, own, of := effects(*v, group, stratum, groups), slices.Clone(*v), make([][]float64, groups)
		for i, g := range group {
			if g >= 0 {
				own[i] -= effect[g]
				of[g] = append(of[g], own[i])
			}
		}
		sds := lists.Map(of, func(v []float64) float64 { _, sd := column.MeanSD(v); return sd })
		for i, g := range group {
			if one && g >= 0 && sds[g] > 0 {
				own[i] /= sds[g]
			}
		}
		*v = own
	}
	return &y
}

// backfits of effects converge where groups and strata are not nearly the same.
const backfits = 50

// effects are those of the groups on v beside those of the strata, v = stratum + group + rest, by backfitting. A group
// below 0 is none.
func effects(v []float64, group, stratum []int, groups int) []float64 {
	effect := make([]float64, groups)
	strata := slices.Max(stratum) + 1
	for range backfits {
		level, n := make([]float64, strata), make([]float64, strata)
		for i, s := range stratum {
			if g := group[i]; g >= 0 {
				level[s], n[s] = level[s]+v[i]-effect[g], n[s]+1
			}
		}
		sum, of := make([]float64, groups), make([]float64, groups)
		for i, s := range stratum {
			if g := group[i]; g >= 0 {
				sum[g], of[g] = sum[g]+v[i]-level[s]/n[s], of[g]+1
			}
		}
		for g := range effect {
			if effect[g] = sum[g] / of[g]; of[g] == 0 {
				effect[g] = 0
			}
		}
	}
	return effect
}

// apart are the places of the two values that differ most in standard errors of their difference, the larger one last,
// and by how many; −1 and NaN of fewer than two values.
func apart(v, square []float64) (low, high int, most float64) {
	low, high, most = -1, -1, math.NaN()
	for i := range v {
		for j := range i {
			d := v[i] - v[j]
			if math.IsNaN(d) {
				continue
			}
			by := 0.0
			if d != 0 {
				by = math.Abs(d) / math.Sqrt(square[i]+square[j])
			}
			if low < 0 || by > most {
				if low, high, most = j, i, by; d < 0 {
					low, high = i, j
				}
			}
		}
	}
	return low, high, most
}

// expected are numberMeasures of groups that their strata alone give (inference.SharesOfStrata).
func (x *numbers) expected(weights [][]float64) (of [3][]float64) {
	for _, weight := range weights {
		var n, p, o, pp, oo, po, size, errors float64
		for i, w := range weight {
			n, p, o = n+w, p+float64(w*x.predicted[i]), o+float64(w*x.observed[i])
			size, errors = size+float64(w*x.size[i]), errors+float64(w*x.errors[i])
		}
		p, o = p/n, o/n
		for i, w := range weight {
			dp, do := x.predicted[i]-p, x.observed[i]-o
			pp, oo, po = pp+float64(w*dp*dp), oo+float64(w*do*do), po+float64(w*dp*do)
		}
		of[0] = append(of[0], po/math.Sqrt(float64(pp*oo)))
		of[1], of[2] = append(of[1], size/n), append(of[2], errors/n)
	}
	return of
}

// rows are the measures of the groups of a column.
func (x *numbers) rows(name string, d division, complementary bool) []column.NumberSubgroupRow {
	why := d.suppressed(complementary)
	rows := make([]column.NumberSubgroupRow, len(d.names))
	for g := range rows {
		nan := math.NaN()
		r := column.NumberSubgroupRow{Coords: x.coords, Name: x.name, Column: name, Group: d.names[g],
			Suppressed: why[g],
			From:       nan, To: nan, N: nan,
			NumberMeasures: column.NumberMeasures{Mean: nan, SD: nan, R: nan, RLow: nan, RHigh: nan, MAE: nan,
				MAELow: nan, MAEHigh: nan, Error: nan, ErrorLow: nan, ErrorHigh: nan}}
		if why[g] == "" {
			of, target := x.measure(d.group, g)
			r.From, r.To, r.N = d.from[g], d.to[g], float64(len(target))
			r.Mean, r.SD = column.MeanSD(target)
			r.R, r.RLow, r.RHigh = of[0][0], of[0][1], of[0][2]
			r.MAE, r.MAELow, r.MAEHigh = of[1][0], of[1][1], of[1][2]
			r.Error, r.ErrorLow, r.ErrorHigh = of[2][0], of[2][1], of[2][2]
		}
		rows[g] = r
	}
	return rows
}

// compareNumbers tests the measures of the groups of a column, whose rows they are, against each other.
func (st *study) compareNumbers(x *numbers, d division, name string,
	rows []column.NumberSubgroupRow) []column.NumberSubgroupTestRow {
	group := make([]int, len(d.group)) // of those that are shown; others are not compared
	stratum := make([]int, len(d.group))
	if st.site != nil && name != st.Within {
		stratum = x.site
	}
	var who, own, strata []int
	for i, g := range d.group {
		if group[i] = g; rows[g].Suppressed != "" {
			group[i] = -1
			continue
		}
		who, own, strata = append(who, i), append(own, g), append(strata, stratum[i])
	}
	null := x.within(group, stratum, len(rows))
	expected := null.expected(inference.SharesOfStrata(group, stratum, len(rows)))
	_, square := null.points(group, len(rows))
	statistics := func(some []int) (all []float64) {
		for k, i := range who {
			group[i] = some[k]
		}
		of, square := null.points(group, len(rows))
		for m, v := range of {
			_, _, most := apart(less(v, expected[m]), square[m])
			all = append(all, most)
		}
		return all
	}
	p := inference.PermuteGroups(statistics, own, strata, st.Permutations,
		random.New(st.Seed, "subgroups", name))
	var of [3][]float64
	var intervals [][3][3]float64
	for g := range rows {
		one := [3][3]float64{{math.NaN()}, {math.NaN()}, {math.NaN()}}
		if rows[g].Suppressed == "" {
			one, _ = x.measure(d.group, g)
		}
		intervals = append(intervals, one)
		for m := range of {
			of[m] = append(of[m], one[m][0])
		}
	}
	var all []column.NumberSubgroupTestRow
	for m, measure := range numberMeasures {
		low, high, _ := apart(less(of[m], expected[m]), square[m])
		if low < 0 {
			continue // fewer than two groups
		}
		r := column.NumberSubgroupTestRow{Coords: x.coords, Name: x.name, Column: name, Measure: measure,
			Groups: int32(len(column.Known(of[m]))), High: rows[high].Group, Low: rows[low].Group,
			Difference: of[m][high] - of[m][low], P: p[m],
			Expected:     expectedDifference(of[m], expected[m], high, low),
			Permutations: int32(st.Permutations), Related: st.related}
		a, b := intervals[high][m], intervals[low][m]
		r.DiffLow, r.DiffHigh = inference.DifferenceInterval(a[0], a[1], a[2], b[0], b[1], b[2], 0)
		all = append(all, r)
	}
	return all
}
