package subgroup

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var subgroupsKind = dag.Kind{
	Name: "subgroups",
	Doc: "does a classifier perform equally well in each sex, age band, site and motion band?\n" +
		"Measures, in the test participants of each group, accuracy, AUC (of pairs within a fold), sensitivity, specificity, Brier score and calibration, with 95% intervals that hold for these models. No model is fitted for a group, and the threshold is the same for all. The largest difference between two groups of a column has an interval and a p, from permutations of the groups within class and site, corrected over columns and measures. A group of fewer than 10 participants, too few for a useful estimate, is suppressed, and AUC, sensitivity and specificity need 5 participants of each class. Finding no difference does not show that there is none.",
	New: func() dag.Stage {
		return &Subgroups{Grouping: usualGrouping()}
	},
}

var (
	_ role.PortUser = (*Subgroups)(nil)
	_ role.Reader   = (*Subgroups)(nil)
	_ role.Assumer  = (*Subgroups)(nil)
)

// Subgroups measures classifiers in groups of participants.
type Subgroups struct {
	Grouping
	Positive string `param:"positive" doc:"the positive group of two; by default as in evaluate"`
}

// Grouping is how participants are divided into groups, and what is shown of these.
type Grouping struct {
	Columns       []string `param:"columns" doc:"columns of the participants whose values, or bands, are the groups; by default age, sex, site and mean_fd, as far as there are such columns with several values; without any, the tables have no rows. mean_fd comes from cleaning where it is connected and the table has no such column"`
	Edges         []string `param:"edges" doc:"where the bands of a number begin, as COLUMN=NUMBER, such as [age=12, age=18]; by default thirds of all tested participants"`
	Categories    []string `param:"categories" doc:"columns whose numbers are categories; site is such a column, and so are whole numbers with at most 5 values"`
	Within        string   `param:"within" doc:"groups are permuted within class and the values of this column, if it exists"`
	Complementary bool     `param:"complementary" doc:"if only one group of a column is suppressed, suppress the next smallest, too; otherwise the measures of the first follow from those of all participants by subtraction. For participants without a value no other group is suppressed"`
	Permutations  int      `param:"permutations" doc:"of the groups, for p" min:"99" max:"1000000"`
	Seed          uint64   `param:"seed" doc:"of the permutations"`
}

func usualGrouping() Grouping {
	return Grouping{Within: "site", Complementary: true, Permutations: 9999}
}

// UsesPorts are the predictions, of all folds, one setting of each participant's cleaning, and the checks.
func (*Grouping) UsesPorts() []role.PortUse {
	return fold.AfterChecks(append(role.OneSettingOf("cleaning"), role.PortUse{Port: "predictions",
		As: role.AllFolds})...)
}

// ReadsParticipants are the columns and the group that its parameters name.
func (s *Subgroups) ReadsParticipants() []role.Reading {
	return append(s.Grouping.ReadsParticipants(), role.Reading{Parameter: "positive", Name: s.Positive, Group: true})
}

// ReadsParticipants are the columns.
func (s *Grouping) ReadsParticipants() []role.Reading {
	read := []role.Reading{{Parameter: "within", Name: s.Within, Categories: true, Permutes: true}}
	for _, name := range s.Columns {
		read = append(read, role.Reading{Parameter: "columns", Name: name, Needed: name != column.MeanFD,
			Motion: name == column.MeanFD, Categories: name == "site" || slices.Contains(s.Categories, name)})
	}
	return read
}

// AssumesIndependent is for intervals and the permutations of groups.
func (*Grouping) AssumesIndependent(func(port string) bool) (intervals bool, of []string) {
	return true, []string{"subgroups"}
}

// Ports are its inputs and outputs.
func (*Subgroups) Ports() dag.Ports {
	return dag.Ports{
		In: groupedPorts(fold.PredictionsPort("predictions of the classifiers")),
		Out: []dag.Port{
			{Name: "groups", Type: column.Type[column.SubgroupRow](),
				Doc: "one row for each classifier, column and group"},
			{Name: "tests", Type: column.Type[column.SubgroupTestRow](),
				Doc: "one row for each classifier, column and measure: the two groups that differ most"},
		},
	}
}

func groupedPorts(predictions dag.Port) []dag.Port {
	return []dag.Port{predictions,
		{Name: "folds", Type: fold.Folds(), Optional: true,
			Doc: "split's folds: predictions that lack some of them are refused"},
		{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "the participants, with the columns"},
		{Name: "cleaning", Type: dag.Arrow("mean_fd"), Gather: true, Optional: true,
			Doc: "denoise's quality of these participants, for the column mean_fd"},
		fold.LeakagePort()}
}

// Validate refuses columns that are none, and edges of other columns.
func (s *Grouping) Validate() (wrong []error) {
	for i, name := range s.Columns {
		switch {
		case name == column.Target || name == "group" || name == "participant_id":
			wrong = append(wrong, fmt.Errorf("columns: %s is what is predicted, or a name: list a property of the participants, such as sex", name))
		case slices.Contains(s.Columns[:i], name):
			wrong = append(wrong, fmt.Errorf("columns: %s is listed twice; remove one", name))
		}
	}
	columns := s.Columns
	if columns == nil {
		columns = column.UsualCovariateNames
	}
	for _, text := range s.Edges {
		name, _, err := edge(text)
		if err == nil && !slices.Contains(columns, name) {
			err = fmt.Errorf("edges: %s is not among the columns (%s); add it to columns", name, strings.Join(columns, ", "))
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	for _, name := range s.Categories {
		if !slices.Contains(columns, name) {
			wrong = append(wrong, fmt.Errorf("categories: %s is not among the columns (%s); add it to columns", name, strings.Join(columns, ", ")))
		}
	}
	return wrong
}

// Run measures the classifiers in the groups.
func (s *Subgroups) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	if err := all.CheckGroups(t.In("participants")); err != nil {
		return nil, err
	}
	st := &study{Grouping: &s.Grouping}
	if st.related, err = checkFolds(t, all); err != nil {
		return nil, err
	}
	if st.positive, _, err = fold.PositiveGroup(s.Positive, all.Groups); err != nil {
		return nil, err
	}
	if err := st.read(t); err != nil {
		return nil, err
	}
	var groups []column.SubgroupRow
	var tests []column.SubgroupTestRow
	err = st.each(ctx, t, all, "classifiers", func(folds []fold.Tested) ([]int, func(string, division), error) {
		x, err := st.tested(folds, t.In("participants").Name)
		if err != nil {
			return nil, nil, err
		}
		return x.at, func(name string, d division) {
			rows := x.rows(name, d, s.Complementary)
			groups, tests = append(groups, rows...), append(tests, st.compare(x, d, name, rows)...)
		}, nil
	})
	if err != nil {
		return nil, err
	}
	for i, p := range inference.Holm(lists.Map(tests, func(r column.SubgroupTestRow) float64 { return r.P })) {
		tests[i].Holm = p
	}
	compared := lists.Count(tests, func(r column.SubgroupTestRow) bool { return r.P == r.P })
	for i := range tests {
		tests[i].Detectable *= inference.Detectable(compared)
	}
	table := column.Table(groups, all.Axes...)
	if st.positive >= 0 {
		table.Meta = map[string]string{column.PositiveMeta: all.Groups[st.positive]}
	}
	return dag.Outputs{"groups": table, "tests": column.Table(tests, all.Axes...)}, nil
}

// each divides the tested participants of each setting by each column. of reads the predictions of a setting: the row
// of each participant in the table of participants, and what measures the groups of a column.
func (st *study) each(ctx context.Context, t *dag.Task, all *fold.Settings, what string,
	of func(folds []fold.Tested) (at []int, measure func(name string, d division), err error)) error {
	for k, folds := range all.Settings {
		at, measure, err := of(folds)
		if err != nil {
			return err
		}
		for _, c := range st.columns {
			if err := ctx.Err(); err != nil {
				return err
			}
			d, err := st.divide(c, at)
			if err != nil {
				return fmt.Errorf("%s: %w", t.In("participants").Name, err)
			}
			if len(d.names) == 1 && st.Columns == nil { // all participants, who have a table of their own
				continue
			}
			measure(c.Name, d)
		}
		t.Progress(k+1, len(all.Settings), what)
	}
	return nil
}

// checkFolds refuses predictions of some folds only, since the groups of the rest would be compared. related: the folds
// keep participants together.
func checkFolds(t *dag.Task, all *fold.Settings) (related bool, err error) {
	for _, folds := range all.Settings {
		if text := fold.PartText(folds); text != "" {
			return false, errors.New(text + ": train on every fold (matrix: { fold: all })")
		}
	}
	if !t.Has("folds") {
		return false, nil
	}
	lacks, err := fold.LacksTexts(t.In("folds"), all.Settings)
	if lacks != nil {
		err = errors.New(strings.Join(lacks, "; "))
	}
	if err != nil {
		return false, err
	}
	members, err := column.Read[fold.LabeledMember](t.In("folds"))
	return slices.ContainsFunc(members, func(m fold.LabeledMember) bool {
		return m.Together != "" && m.Together != m.ID
	}), err
}

// A study is the participants with their columns.
type study struct {
	*Grouping
	related  bool
	positive int // −1: more than two groups, and none is named
	at       map[string]int
	columns  []column.CovariateColumn
	site     map[string]string // within which groups are permuted; nil for none
}

// read reads the columns of the participants.
func (st *study) read(t *dag.Task) error {
	name := t.In("participants").Name
	people, err := t.In("participants").Table()
	if err != nil {
		return err
	}
	ids, err := people.Strings("participant_id")
	if err != nil {
		return err
	}
	motion, err := column.MotionOf(t, "cleaning")
	if err != nil {
		return err
	}
	columns := st.Columns
	if columns == nil {
		columns = column.UsualCovariates(people, motion)
	}
	categories := slices.Clone(st.Categories)
	for _, c := range columns {
		if column.Coded(people, c) && column.Categories(people, c) <= mostCodes {
			categories = append(categories, c)
		}
	}
	if st.columns, err = column.Covariates(people, columns, categories, motion); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if st.Columns == nil {
		st.columns = slices.DeleteFunc(st.columns, column.CovariateColumn.Empty)
	}
	if len(st.columns) == 0 {
		fmt.Fprintf(t.Log(), "%s has none of the columns %s, or no value in them, so no groups are compared: list others under columns\n", name, strings.Join(column.UsualCovariateNames, ", "))
	}
	for _, c := range st.columns {
		if c.Empty() {
			return fmt.Errorf("%s: columns: no participant has a value of %s: fill it in, or leave it out", name, c.Name)
		}
		if c.Text != nil && c.Identifies() {
			return fmt.Errorf("%s: columns: %s has a value of its own for most participants: list a column with groups", name, c.Name)
		}
	}
	st.at = lists.Places(ids)
	st.site, err = column.PermutedWithin(people, st.Within)
	return err
}

// A tested is what the models of a setting made of its test participants, each counted once.
type tested struct {
	name                                       string
	coords                                     []dag.Coord
	at                                         []int // of each participant, the row of the table of participants
	label                                      []int
	repeats                                    []float64 // tests of each participant
	correct, called, probability, brier, logit []float64 // means over its tests
	calibrated                                 bool
	positive                                   int
	scored                                     [][]inference.ScoredCase // of each fold
	areas                                      *inference.GroupAreas    // of scored
	stratum                                    [2][]int                 // class; class and site
}

// tested reads the participants of a setting.
func (st *study) tested(folds []fold.Tested, people string) (*tested, error) {
	x := &tested{name: folds[0].Name, coords: folds[0].Coords, positive: st.positive,
		calibrated: folds[0].Calibrated()}
	number, repeats := map[string]int{}, map[int64]bool{}
	var lacking, places []string
	for _, f := range folds {
		repeats[f.Repeat] = true
		var cases []inference.ScoredCase
		for _, c := range f.Participants {
			i, known := number[c.Id]
			if !known {
				row, there := st.at[c.Id]
				if !there {
					lacking = append(lacking, c.Id)
				}
				i = len(x.at)
				number[c.Id] = i
				x.at, x.label, places = append(x.at, row), append(x.label, c.Label), append(places, st.site[c.Id])
				for _, v := range []*[]float64{&x.repeats, &x.correct, &x.called, &x.probability, &x.brier, &x.logit} {
					*v = append(*v, 0)
				}
			}
			x.repeats[i]++
			if c.Label == c.Predicted {
				x.correct[i]++
			}
			if st.positive < 0 {
				continue
			}
			p, is := c.Probability[st.positive], c.Label == st.positive
			others := 0.0
			for k, q := range c.Probability {
				if k != st.positive {
					others += q
				}
			}
			if c.Predicted == st.positive {
				x.called[i]++
			}
			miss := p
			if is {
				miss = 1 - p
			}
			x.probability[i] += p
			x.brier[i] += float64(miss * miss)
			x.logit[i] += max(-708, min(708, exact.Log(p)-exact.Log(others)))
			cases = append(cases, inference.ScoredCase{Person: i, Positive: is, Score: c.Order(st.positive)})
		}
		x.scored = append(x.scored, cases)
	}
	if lacking != nil {
		return nil, fmt.Errorf("%s lacks %s, who are tested: connect the participants of the training", people, words.Some(lacking, 8))
	}
	for i, n := range x.repeats {
		for _, v := range [][]float64{x.correct, x.called, x.probability, x.brier, x.logit} {
			v[i] /= n
		}
	}
	x.areas = inference.NewGroupAreas(x.scored, len(repeats))
	x.stratum[0] = x.label
	site, _ := column.Numbered(places)
	sites := 0
	for _, s := range site {
		sites = max(sites, s+1)
	}
	for i, s := range site {
		x.stratum[1] = append(x.stratum[1], x.label[i]*sites+s)
	}
	return x, nil
}

// compare tests the measures of the groups of a column, whose rows they are, against each other.
func (st *study) compare(x *tested, d division, name string, rows []column.SubgroupRow) []column.SubgroupTestRow {
	group := make([]int, len(d.group)) // of those that are shown; others are not compared
	var who []int
	for i, g := range d.group {
		if group[i] = g; rows[g].Suppressed != "" {
			group[i] = -1
			continue
		}
		who = append(who, i)
	}
	values := x.values(rows)
	stratum := x.stratum[1]
	if st.site == nil || name == st.Within {
		stratum = x.stratum[0]
	}
	null := x.within(group, stratum, len(rows))
	shown := func(measure int, group []int) []float64 {
		v := null.measure(measure, group, len(rows))
		for g := range v {
			if math.IsNaN(values[measure][g]) { // of too few participants of a class
				v[g] = math.NaN()
			}
		}
		return v
	}
	expected := null.expected(inference.SharesOfStrata(group, stratum, len(rows)))
	// Each measure's largest difference, then χ² of the accuracy.
	statistics := func(some []int) []float64 {
		for k, i := range who {
			group[i] = some[k]
		}
		var all []float64
		for m := range measures {
			all = append(all, spread(less(shown(m, group), expected[m])))
		}
		return append(all, null.heterogeneity(group, expected[0]))
	}
	own, strata := make([]int, len(who)), make([]int, len(who))
	for k, i := range who {
		own[k], strata[k] = group[i], stratum[i]
	}
	p := inference.PermuteGroups(statistics, own, strata, st.Permutations,
		random.New(st.Seed, "subgroups", name))
	seen := statistics(own)
	var all []column.SubgroupTestRow
	for m, measure := range measures {
		low, high := extremes(less(values[m], expected[m]))
		if low < 0 {
			continue // fewer than two groups
		}
		nan := math.NaN()
		r := column.SubgroupTestRow{Coords: x.coords, Name: x.name, Column: name, Measure: measure,
			Groups: int32(len(column.Known(values[m]))), High: rows[high].Group, Low: rows[low].Group,
			Difference: values[m][high] - values[m][low],
			Expected:   expectedDifference(values[m], expected[m], high, low),
			P:          p[m], Chi: nan, ChiP: nan, Detectable: nan,
			Permutations: int32(st.Permutations), Related: st.related}
		a, b := intervalOf(measure, rows[high]), intervalOf(measure, rows[low])
		r.DiffLow, r.DiffHigh = inference.DifferenceInterval(a[0], a[1], a[2], b[0], b[1], b[2], 0)
		if measure == accuracy {
			r.Chi, r.ChiP = seen[len(measures)], p[len(measures)]
		}
		if measure != auc {
			share, n := x.pooled(m, who)
			of := func(row column.SubgroupRow) float64 { return casesOf(measure, row) }
			// Run multiplies it. Where all are correct, nothing is known of the error.
			if se := inference.DifferenceError(share, of(rows[high]), of(rows[low])); n > 0 && se > 0 {
				r.Detectable = se
			}
		}
		all = append(all, r)
	}
	return all
}
