package confounds

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
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/inference/confound"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var confoundsKind = dag.Kind{
	Name: "confounds",
	Doc: "is it motion, age or site? What predictions owe to covariates\n" +
		"With predictions connected, the partial and the full confounder test of each classifier and covariate (Spisak 2022): are predictions independent of the covariate given the label, and of the label given the covariate? The full test is of models retrained on labels permuted given the covariate (permute-given, and given of baseline and regression), without which it is not made: predictions of different folds are not independent. With matrices connected, ridge regression of the edges, of the covariates alone, of both, and of edges without what the covariates explain, on the same folds, and what edges add to covariates, with its interval and a permutation test. With match, the same on participants of the two groups who are alike in motion, say. Neither test shows that there is no confound.",
	New: func() dag.Stage {
		return &Confounds{Missing: "refuse", Few: "refuse", Transform: "fisher", Penalty: 1, Repeat: 1,
			Permutations: 199, Within: "site", Resamples: 200}
	},
	MaxThreads: 8,
	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Base: 256 << 20, Each: 250e3}.For,
}

var (
	_ role.PortUser  = (*Confounds)(nil)
	_ role.Reader    = (*Confounds)(nil)
	_ role.InputUser = (*Confounds)(nil)
	_ role.Assumer   = (*Confounds)(nil)
)

// Confounds asks what predictions owe to covariates.
type Confounds struct {
	Covariates   []string `param:"covariates" doc:"columns of the participants: numbers linearly, texts as categories; by default age, sex, site and mean_fd, as far as there are such columns with several values; without any, and of more than two groups, the tables then have no rows. mean_fd comes from cleaning where it is connected and the table has no such column"`
	Categories   []string `param:"categories" doc:"covariates whose numbers are categories; site always is one"`
	Missing      string   `param:"missing" doc:"a participant without a covariate: refuse, or skip the participant" choices:"refuse|skip"`
	Few          string   `param:"few" doc:"a category that nobody has who is trained on: refuse, or use the reference category" choices:"refuse|reference"`
	Match        []string `param:"match" doc:"covariates by which pairs of the two groups are matched, the one that decides who is nearest first, such as [mean_fd, sex]: numbers within 0.2 SD, categories the same; by default there is no matching"`
	Positive     string   `param:"positive" doc:"the positive group of two; by default as in evaluate"`
	Transform    string   `param:"transform" doc:"of the matrices: fisher, z = atanh r (|r| at most 0.9999999); none, if they are z already" choices:"fisher|none"`
	Penalty      float64  `param:"penalty" doc:"of ridge regression, as in baseline" min:"1e-9"`
	Repeat       int      `param:"repeat" doc:"the assignment to folds of the models with matrices" min:"1"`
	Permutations int      `param:"permutations" doc:"of the residuals of the edges, for what edges add" min:"99" max:"100000"`
	Within       string   `param:"within" doc:"the residuals are permuted within folds and the values of this column, if it exists: participants of different sites are not exchangeable, so information of the edges about the site does not count"`
	Chains       int      `param:"chains" doc:"permutations of each partial test, at least 99; those of a full test are the label permutations of split" zero:"999, or 40 for each partial and full test if there are more than 25, so that p can be significant after Holm's correction" min:"0" max:"100000"`
	Resamples    int      `param:"resamples" doc:"of participants, for intervals: the whole cross-validation is repeated in each" min:"20" max:"10000"`
	Seed         uint64   `param:"seed" doc:"of permutations and resamples"`
}

// UsesPorts are the inputs that take one setting of each participant, and the checks.
func (*Confounds) UsesPorts() []role.PortUse {
	return fold.AfterChecks(append(role.OneSettingOf("matrices", "cleaning"),
		role.PortUse{Port: "given", As: role.PermutedLabels})...)
}

// AssumesIndependent is for its tests; intervals are of resampled families.
func (*Confounds) AssumesIndependent(has func(port string) bool) (intervals bool, of []string) {
	switch {
	case !has("matrices"):
		return false, []string{"confounder tests"}
	case !has("predictions"):
		return false, []string{"what edges add to covariates"}
	}
	return false, []string{"confounder tests", "what edges add to covariates"}
}

func (*Confounds) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "folds", Type: fold.Folds(), Doc: "the assignment to folds, with the labels"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "their covariates"},
			{Name: "cleaning", Type: dag.Arrow("mean_fd"), Gather: true, Optional: true, Doc: "denoise's quality for the same: mean_fd as a covariate"},
			{Name: "predictions", Type: dag.Arrow("participant_id", "set", "predicted"), Gather: true,
				Optional: true, Doc: "of the classifiers, or of regressions, to test"},
			{Name: "given", Type: column.Type[fold.GivenRow](), Gather: true, Optional: true,
				Doc: "given of the same stages: their models retrained on labels permuted given each covariate, for the full test"},
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's matrices, of which nothing is fitted to others"},
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "tests", Type: column.Type[column.ConfounderRow](), Doc: "one row per classifier and covariate; none without predictions"},
			{Name: "models", Type: column.Type[column.ConfoundModelRow](), Doc: "one row per kind of features and sample; none without matrices"},
			{Name: "summary", Type: column.Type[column.ConfoundSummaryRow](), Doc: "one row: what edges add to covariates"},
			{Name: "matching", Type: column.Type[column.ConfoundMatchRow](), Doc: "one row per covariate, before and after matching; none without match"},
		},
	}
}

// leastChains is the number of permutations without many tests, and chainsEach that for each of many: Holm's correction
// multiplies the smallest p by their number.
const (
	leastChains = 999
	chainsEach  = 40
)

// Validate refuses covariates that are none.
func (s *Confounds) Validate() (wrong []error) {
	if 0 < s.Chains && s.Chains < 99 {
		wrong = append(wrong, fmt.Errorf("chains: %d is less than 99", s.Chains))
	}
	for i, name := range s.Covariates {
		switch {
		case name == column.Target || name == "group" || name == "participant_id":
			wrong = append(wrong, fmt.Errorf("covariates: %s is no covariate", name))
		case slices.Contains(s.Covariates[:i], name):
			wrong = append(wrong, fmt.Errorf("covariates: %s is listed twice", name))
		}
	}
	for _, of := range []struct {
		parameter string
		names     []string
	}{{"categories", s.Categories}, {"match", s.Match}} {
		for _, name := range of.names {
			if !slices.Contains(s.Covariates, name) {
				wrong = append(wrong, fmt.Errorf("%s: %s is not among the covariates", of.parameter, name))
			}
		}
	}
	return wrong
}

// RefusesInputs requires something to test.
func (s *Confounds) RefusesInputs(has func(port string) bool) error {
	switch {
	case !has("predictions") && !has("matrices"):
		return errors.New("there is nothing to test: connect predictions, matrices, or both")
	case has("given") && !has("predictions"):
		return errors.New("given is connected without predictions: connect predictions of the same stages, or set given: null")
	case s.Match != nil && !has("matrices"):
		return errors.New("match needs matrices, for models of the matched participants")
	}
	return nil
}

// ReadsParticipants are the names that its parameters have.
func (s *Confounds) ReadsParticipants() (read []role.Reading) {
	for _, name := range s.Covariates {
		read = append(read, role.Reading{Parameter: "covariates", Name: name, Needed: name != column.MeanFD,
			Motion: name == column.MeanFD, Categories: name == "site" || slices.Contains(s.Categories, name)})
	}
	if len(s.Match) > 0 {
		first := s.Match[0] // decides who is nearest
		read = append(read, role.Reading{Parameter: "match", Name: first, Number: true,
			Categories: first == "site" || slices.Contains(s.Categories, first)})
	}
	// Without covariates, nothing is tested of more than two groups.
	return append(read, role.Reading{Parameter: "positive", Name: s.Positive, Group: true, Two: s.Covariates != nil},
		role.Reading{Parameter: "within", Name: s.Within, Categories: true, Permutes: !s.skipsUnplaced()})
}

// skipsUnplaced reports whether participants without a site are left out, because it is a covariate.
func (s *Confounds) skipsUnplaced() bool {
	return s.Missing == "skip" && slices.Contains(s.Covariates, s.Within)
}

// A study has who takes part, with labels and covariates.
type study struct {
	*Confounds
	ids        []string
	fold       []int
	site       []string // within which residuals are permuted; nil for none
	together   []string
	group      []string  // of two groups
	target     []float64 // or a number
	groups     []string
	positive   int
	covariates []confound.Covariate
	chains     int    // permutations of each partial test
	done       func() // after each of them
	threads    int
}

// number reports whether a number is predicted.
func (st *study) number() bool { return st.groups == nil }

func (s *Confounds) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	if err := s.RefusesInputs(t.Has); err != nil {
		return nil, err
	}
	st, err := s.read(t)
	if err != nil {
		return nil, err
	}
	var tests []column.ConfounderRow
	if t.Has("predictions") && len(st.covariates) > 0 {
		if tests, err = st.tests(t); err != nil {
			return nil, err
		}
	}
	names := lists.Map(st.covariates, func(c confound.Covariate) string { return c.Name })
	if len(names) == 0 {
		fmt.Fprintf(t.Log(), "nothing is tested: there are no two groups or number to predict, or %s has none of the columns %s with several values\n",
			t.In("participants").Name, strings.Join(column.UsualCovariateNames, ", "))
	}
	summary := column.ConfoundSummaryRow{Covariates: names, Measure: "AUC", Match: s.Match,
		Participants: int32(len(st.ids)), Pairs: -1, Increment: math.NaN(), Low: math.NaN(), High: math.NaN(),
		P: math.NaN(), Alone: math.NaN(), Both: math.NaN()}
	if st.number() {
		summary.Measure = "r"
	} else if st.positive >= 0 {
		summary.Positive = st.groups[st.positive]
	}
	var models []column.ConfoundModelRow
	var matching []column.ConfoundMatchRow
	if t.Has("matrices") && len(st.covariates) > 0 {
		if models, matching, err = st.models(ctx, t, &summary); err != nil {
			return nil, err
		}
	}
	return dag.Outputs{"tests": column.Table(tests), "models": column.Table(models),
		"summary": column.Table([]column.ConfoundSummaryRow{summary}), "matching": column.Table(matching)}, nil
}

// read reads the labels of the first folds, and the covariates.
func (s *Confounds) read(t *dag.Task) (*study, error) {
	members, err := column.Read[fold.LabeledMember](t.In("folds"))
	if err != nil {
		return nil, err
	}
	people, err := t.In("participants").Table()
	if err != nil {
		return nil, err
	}
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	motion, err := column.MotionOf(t, "cleaning")
	if err != nil {
		return nil, err
	}
	names := s.Covariates
	if names == nil {
		names = column.UsualCovariates(people, motion)
	}
	all, err := column.Covariates(people, names, s.Categories, motion)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("participants").Name, err)
	}
	at := lists.Places(ids)
	var site map[string]string
	if s.skipsUnplaced() {
		_, site, err = column.ByParticipant(people, s.Within)
	} else if t.Has("matrices") {
		site, err = column.PermutedWithin(people, s.Within)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("participants").Name, err)
	}
	st := &study{Confounds: s, positive: -1}
	for _, c := range all {
		of := confound.Covariate{Name: c.Name}
		if c.Text != nil {
			of.Text = []string{}
		}
		st.covariates = append(st.covariates, of)
	}
	seen := map[string]bool{}
	for _, m := range members {
		if int(m.Repeat) != s.Repeat || m.Fold == 0 {
			continue
		}
		i, ok := at[m.ID]
		if !ok {
			return nil, fmt.Errorf("%s: %s of %s is not among them", t.In("participants").Name, m.ID, t.In("folds").Name)
		}
		st.ids, st.fold = append(st.ids, m.ID), append(st.fold, int(m.Fold))
		st.together = append(st.together, m.Together)
		if site != nil {
			st.site = append(st.site, site[m.ID])
		}
		if math.IsNaN(m.Target) {
			st.group, seen[m.Group] = append(st.group, m.Group), true
		} else {
			st.target = append(st.target, m.Target)
		}
		for k, c := range all {
			if c.Text != nil {
				st.covariates[k].Text = append(st.covariates[k].Text, c.Text[i])
			} else {
				st.covariates[k].Number = append(st.covariates[k].Number, c.Number[i])
			}
		}
	}
	if s.Covariates == nil {
		st.covariates = slices.DeleteFunc(st.covariates, isConstant)
	}
	for g := range seen {
		st.groups = append(st.groups, g)
	}
	slices.Sort(st.groups)
	switch {
	case len(st.ids) == 0:
		return nil, fmt.Errorf("%s has no repeat %d", t.In("folds").Name, s.Repeat)
	case st.target != nil:
		if s.Match != nil {
			return nil, errors.New("match: pairs are of two groups, and a number is predicted: leave out match")
		}
		return st, nil
	case s.Covariates == nil && len(st.groups) != 2:
		st.covariates = nil
		return st, nil
	case len(st.groups) != 2:
		return nil, fmt.Errorf("there are %d groups (%s): two groups or a number to predict are needed", len(st.groups), words.Some(st.groups, 8))
	}
	st.positive, _, err = fold.PositiveGroup(s.Positive, st.groups)
	return st, err
}

// isConstant reports whether participants with a value have one value of a covariate, or nobody has a value.
func isConstant(c confound.Covariate) bool {
	var known []int
	for i := range max(len(c.Number), len(c.Text)) {
		if !c.Missing(i) {
			known = append(known, i)
		}
	}
	return len(known) == 0 || !c.Of(known).Varies()
}

// label is what is predicted, of some participants.
func (st *study) label(who []int) confound.Covariate {
	c := confound.Covariate{Name: "label"}
	for _, i := range who {
		if st.number() {
			c.Number = append(c.Number, st.target[i])
		} else {
			c.Text = append(c.Text, st.group[i])
		}
	}
	return c
}

// permutations is how many a partial test has, of so many partial and full ones.
func (s *Confounds) permutations(tests int) int {
	if s.Chains > 0 {
		return s.Chains
	}
	return max(leastChains, chainsEach*tests)
}

// tests are the confounder tests of each classifier and covariate.
func (st *study) tests(t *dag.Task) ([]column.ConfounderRow, error) {
	read := fold.ReadSettings
	if st.number() {
		read = fold.ReadNumbers
	}
	all, err := read(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	given, err := fold.ReadGiven(t.All("given"), all.Settings)
	if err != nil {
		return nil, err
	}
	group := "" // whose AUC the full tests are of
	if !st.number() {
		group = st.groups[st.positive]
	}
	predicted := lists.Map(all.Settings, st.centered)
	st.chains = st.permutations(2 * len(all.Settings) * len(st.covariates))
	st.threads, st.done = t.Threads, counter(t, st.chains*len(st.covariates), "permutations of covariates")
	rows := make([][]column.ConfounderRow, len(all.Settings))
	for c, of := range st.covariates {
		type sample struct{ settings, who []int }
		var samples []sample // settings with the same participants share their permutations
		for k := range all.Settings {
			var who []int
			for i, id := range st.ids {
				if _, ok := predicted[k][id]; ok && !of.Missing(i) {
					who = append(who, i)
				}
			}
			at := slices.IndexFunc(samples, func(s sample) bool { return slices.Equal(s.who, who) })
			if at < 0 {
				at, samples = len(samples), append(samples, sample{who: who})
			}
			samples[at].settings = append(samples[at].settings, k)
		}
		for _, s := range samples {
			scores := make([][]float64, len(s.settings))
			for j, k := range s.settings {
				for _, i := range s.who {
					scores[j] = append(scores[j], predicted[k][st.ids[i]])
				}
			}
			for j, r := range st.test(c, s.who, scores) {
				k := s.settings[j]
				if !st.differsWithin(c, all.Settings[k]) {
					r.Association, r.Chance, r.Partial, r.Detectable = math.NaN(), math.NaN(), math.NaN(), math.NaN()
					r.Why = column.ConstantWithin
				}
				of0 := &all.Settings[k][0]
				r.Name, r.Model, r.Setting = of0.Name, of0.Model, column.CoordText(of0.Coords)
				full, tested, err := given.Test(k, all.Settings[k], of.Name, group)
				if err != nil {
					return nil, err
				}
				if tested {
					r.Prediction, r.FullChance, r.Full, r.FullLeast = full.Score, full.High, full.P, full.Least
					r.FullDraws = int32(full.Permutations)
				}
				rows[k] = append(rows[k], r)
			}
		}
	}
	tests := slices.Concat(rows...)
	p := make([]float64, 0, 2*len(tests))
	for _, r := range tests {
		p = append(p, r.Partial, r.Full)
	}
	p = inference.Holm(p)
	for i := range tests {
		tests[i].PartialHolm, tests[i].FullHolm = p[2*i], p[2*i+1]
	}
	return tests, nil
}

// test is the partial test of several predictions of the same participants and one covariate.
func (st *study) test(c int, who []int, scores [][]float64) []column.ConfounderRow {
	of, label := st.covariates[c].Of(who), st.label(who)
	rows := make([]column.ConfounderRow, len(scores))
	nan := math.NaN()
	var vary [][]float64 // a prediction that does not vary has no R²
	for k, v := range scores {
		rows[k] = column.ConfounderRow{Covariate: of.Name, Participants: int32(len(who)), Association: nan, Chance: nan,
			Partial: nan, Prediction: nan, FullChance: nan, Full: nan, FullLeast: nan,
			Detectable: confound.Detectable(len(who)), Permutations: int32(st.chains)}
		if rows[k].Why = "all predictions are equal"; varies(v) {
			vary, rows[k].Why = append(vary, v), ""
		}
	}
	all := func(why string) []column.ConfounderRow {
		for k := range rows {
			rows[k].Why = why
		}
		return rows
	}
	switch {
	case len(vary) == 0 || !of.Varies():
		return all("all predictions, or all values of the covariate, are equal")
	case len(who) < 6:
		return all("fewer than 6 participants")
	}
	l, err := confound.LogLikelihood(of, label)
	if err != nil {
		return all(err.Error())
	}
	tests := confound.Conditional(of, l, vary, confound.Chains{N: st.chains, Threads: st.threads, Seed: st.Seed,
		Done: st.done}, "partial", of.Name)
	for k := range rows {
		if rows[k].Why == "" {
			rows[k].Association, rows[k].Chance, rows[k].Partial = tests[0].R2, tests[0].Top, tests[0].P
			tests = tests[1:]
		}
	}
	return rows
}

func varies(v []float64) bool {
	return slices.ContainsFunc(v, func(x float64) bool { return x != v[0] })
}

// differsWithin reports whether participants of some fold differ in a covariate. Predictions are compared within folds,
// and R² with what is the same in each fold is 0 whatever they depend on.
func (st *study) differsWithin(c int, folds []fold.Tested) bool {
	at := lists.Places(st.ids)
	return slices.ContainsFunc(folds, func(f fold.Tested) bool {
		var who []int
		for _, p := range f.Participants {
			if i, ok := at[p.Id]; ok && !st.covariates[c].Missing(i) {
				who = append(who, i)
			}
		}
		return st.covariates[c].Of(who).Varies()
	})
}

// centered is the mean prediction of each participant, less the mean of its fold: models of folds have other scales.
// What differs from the mean by rounding is 0.
func (st *study) centered(folds []fold.Tested) map[string]float64 {
	all := map[string][]float64{}
	for _, f := range folds {
		v := lists.Map(f.Participants, func(c fold.Case) float64 { return c.Probability[max(0, st.positive)] })
		mean, varies := exact.Mean(v), inference.Varies(v)
		for i, c := range f.Participants {
			rest := 0.0
			if varies {
				rest = v[i] - mean
			}
			all[c.Id] = append(all[c.Id], rest)
		}
	}
	out := map[string]float64{}
	for id, v := range all {
		out[id] = exact.Mean(v)
	}
	return out
}

// edgesOf are the edges of one participant: draw 0. Those of a region without a signal, whose row is 0, are NaN.
func (s *Confounds) edgesOf(in dag.Input) ([]float64, error) {
	if in.Coord("fold") != "" {
		return nil, fmt.Errorf("%s is fitted in folds, and other folds would test participants of the fit: connect the matrices before that", in.Name)
	}
	draws, err := region.ReadDraws(in, "draw, roi, roi")
	if err != nil {
		return nil, err
	}
	m := draws[0]
	silent := make([]bool, m.Rows)
	for i := range m.Rows {
		silent[i] = true
		for j, v := range m.Row(i) {
			silent[i] = silent[i] && (i == j || v == 0)
		}
	}
	var z []float64
	for i := range m.Rows {
		for j := i + 1; j < m.Cols; j++ {
			v := m.At(i, j)
			switch {
			case silent[i] || silent[j]:
				v = math.NaN()
			case math.IsNaN(v) || math.IsInf(v, 0):
				return nil, fmt.Errorf("%s: the connectivity of nodes %d and %d is %v: not finite", in.Name, i+1, j+1, v)
			case s.Transform == "fisher" && math.Abs(v) > 1:
				return nil, fmt.Errorf("%s: the correlation of nodes %d and %d is %v: not a correlation; if these are Fisher's z already, set transform: none", in.Name, i+1, j+1, v)
			case s.Transform == "fisher":
				v = exact.Atanh(max(-0.9999999, min(0.9999999, v)))
			}
			z = append(z, v)
		}
	}
	return z, nil
}
