package confounds

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/inference/confound"
	"prgnn/stages/stagetest"
)

// oracle has the participants, the edges (Fisher z, of 7 regions), the folds and a prediction of the fixture.
func oracle(t *testing.T) map[string][]dag.Input {
	t.Helper()
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "confounds", name+".npy"))
	}
	cov, x, folds, y, score := floats("covariates"), floats("X"), floats("fold"), floats("y"), floats("score_edges")
	n := len(folds)
	ids, _ := stagetest.SomeParticipants(n, "ASD", "HC").Strings("participant_id")
	columns := make([][]float64, 4)
	group := make([]string, n)
	number, repeat := make([]int32, n), make([]int32, n)
	var matrices []dag.Input
	rows := make([][]fold.PredictionRow, 4)
	p := make([][2][]float64, 4)
	for i := range n {
		for k := range columns {
			columns[k] = append(columns[k], cov[4*i+k])
		}
		group[i], number[i], repeat[i] = map[bool]string{true: "ASD", false: "HC"}[y[i] > 0], int32(folds[i])+1, 1
		m := make([]float64, 49)
		e := 21 * i
		for a := range 7 {
			for b := a + 1; b < 7; b++ {
				m[7*a+b], m[7*b+a] = x[e], x[e]
				e++
			}
		}
		matrices = append(matrices, dag.InputOf(encoding.NewArray(m, 1, 7, 7), dag.Coord{Axis: "subject",
			Value: ids[i]}))
		asd := 1 / (1 + math.Exp(-score[i]))
		r := fold.PredictionRow{ID: ids[i], Group: group[i], Fold: number[i], Repeat: 1, Set: "test"}
		if group[i] == "HC" {
			r.Label = 1
		}
		if asd < 0.5 {
			r.Predicted = 1
		}
		k := int(folds[i])
		rows[k] = append(rows[k], r)
		p[k][0], p[k][1] = append(p[k][0], asd), append(p[k][1], 1-asd)
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group})
	for k, name := range []string{"age", "sex", "mean_fd", "site"} {
		people.Columns = append(people.Columns, encoding.Column{Name: name, Values: columns[k]})
	}
	in := map[string][]dag.Input{"participants": {dag.InputOf(people)}, "matrices": matrices,
		"folds": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "repeat", Values: repeat},
			encoding.Column{Name: "fold", Values: number}))}}
	for k := range rows {
		table := column.Table(rows[k])
		table.Columns = slices.DeleteFunc(table.Columns,
			func(c encoding.Column) bool { return c.Name == "probability" })
		table.Columns = append(table.Columns, encoding.Column{Name: "p_ASD", Values: p[k][0]},
			encoding.Column{Name: "p_HC", Values: p[k][1]})
		table.Meta = map[string]string{"model": "ridge"}
		in["predictions"] = append(in["predictions"], dag.InputOf(table, dag.Coord{Axis: "fold",
			Value: string(rune('1' + k))}))
	}
	return in
}

func quick(parameters ...any) dag.Stage {
	return stagetest.Fresh("confounds", append([]any{"covariates", []any{"age", "sex", "mean_fd", "site"},
		"transform", "none", "categories", []any{"sex"},
		"permutations", 99, "chains", 99, "resamples", 20}, parameters...)...)
}

func TestConfoundsAgreeWithTheOracle(t *testing.T) {
	out := stagetest.MustRun(t, quick("match", []any{"mean_fd"}), oracle(t))
	models := need.Value(column.Rows[column.ConfoundModelRow](out["models"].(*encoding.Table)))(t)
	want := map[string]float64{confound.Edges: 0.6651785714285714, confound.Covariates: 0.6696428571428572,
		confound.Both: 0.7053571428571429} // of the manifest
	for _, r := range models {
		if w, ok := want[r.Features]; ok && r.Sample == everybody && math.Abs(r.Score-w) > 1e-9 {
			t.Errorf("%s: AUC %v, want %v", r.Features, r.Score, w)
		}
		if !(r.Low < r.Score && r.Score < r.High) {
			t.Errorf("%s: the interval of %v is %v to %v", r.Features, r.Score, r.Low, r.High)
		}
	}
	need.Equal(t, len(models), 4)
	s := need.Value(column.Rows[column.ConfoundSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
	if math.Abs(s.Increment-(0.7053571428571429-0.6696428571428572)) > 1e-9 || s.Pairs != 14 || s.Edges != 21 {
		t.Errorf("%+v", s)
	}
	if !(s.P > 0 && s.P <= 1) || !(s.Low < s.Increment && s.Increment < s.High) {
		t.Errorf("%+v", s)
	}
	matching := need.Value(column.Rows[column.ConfoundMatchRow](out["matching"].(*encoding.Table)))(t)
	at := slices.IndexFunc(matching, func(r column.ConfoundMatchRow) bool { return r.Covariate == "mean_fd" })
	if r := matching[at]; math.Abs(r.Before-1.0802718250898597) > 1e-12 ||
		math.Abs(r.After-0.06232816225520414) > 1e-12 {
		t.Errorf("%+v", r)
	}
	tests := need.Value(column.Rows[column.ConfounderRow](out["tests"].(*encoding.Table)))(t)
	need.Equal(t, len(tests), 4)
	var p, corrected []float64
	for _, r := range tests {
		if !(r.Partial > 0) || r.Participants != 60 || r.Name == "" || r.Why != "" {
			t.Errorf("%+v", r)
		}
		p, corrected = append(p, r.Partial, r.Full), append(corrected, r.PartialHolm, r.FullHolm)
	}
	need.Equal(t, fmt.Sprint(corrected), fmt.Sprint(inference.Holm(p))) // over all tests of the table
}

// A covariate that each fold has one value of has no partial test and no power: predictions are compared within folds.
func TestCovariateThatFoldsLeaveOut(t *testing.T) {
	in := oracle(t)
	table := need.Value(in["participants"][0].Table())(t)
	folds := need.Value(need.Value(in["folds"][0].Table())(t).Ints("fold"))(t)
	at := slices.IndexFunc(table.Columns, func(c encoding.Column) bool { return c.Name == "site" })
	sites := lists.Map(folds, func(k int64) string { return string(rune(97 + k)) })
	table.Columns[at].Values = sites
	in["participants"] = []dag.Input{dag.InputOf(table)}
	delete(in, "matrices")
	rows := need.Value(column.Rows[column.ConfounderRow](
		stagetest.MustRun(t, quick(), in)["tests"].(*encoding.Table)))(t)
	for _, r := range rows {
		of := r.Covariate == "site"
		for _, v := range []float64{r.Partial, r.Association, r.Chance, r.Detectable} {
			need.Equal(t, math.IsNaN(v), of, r)
		}
		need.Equal(t, r.Why == "constant within folds", of)
	}
}

// The interval of a score stays within the values that a score can have, however few the resamples or participants, and
// excludes chance for a score near its limit whose resamples are all far from chance.
func TestIntervalsOfScoresStayInside(t *testing.T) {
	sample := confound.Sample{Of: make([]int, 30), Fold: make([]int, 30)}
	y := make([]float64, 30)
	for k := range sample.Of {
		sample.Of[k], sample.Fold[k], y[k] = k, k%5, float64(2*(k/15)-1)
	}
	one := &cohort{study: &study{groups: []string{"A", "B"}}, models: &confound.Study{Y: y}}
	number := &cohort{study: &study{target: []float64{1, 2}}}
	around := func(at, spread float64) []float64 {
		return []float64{max(0, at-spread), at, min(1, at+spread), math.NaN()}
	}
	for _, of := range []struct {
		c     *cohort
		least float64
	}{{one, 0}, {number, -1}} {
		for _, score := range []float64{of.least, 0.02, 0.2, 0.5, 0.98, 1} {
			for _, se := range []float64{0, 0.01, 0.13, 0.5} {
				low, high := of.c.bounds(score, around(max(0, score), se), sample)
				if !(of.least <= low && low <= score+0.002 && score-0.002 <= high && high <= 1) {
					t.Errorf("%v ± %v: %v to %v", score, se, low, high)
				}
			}
		}
	}
	low, high := one.bounds(0.5, around(0.5, 0.15), sample) // nearly 0.5 ± 1.96 · 0.15 in the middle
	need.Equal(t, math.Abs(low-0.24) < 0.02 && math.Abs(high-0.76) < 0.02, true, low, high)
	low, high = one.bounds(0.999, []float64{1, 0.99, 1, 0.98, 0.99, 1, 0.97, 1}, sample)
	need.Equal(t, low > 0.7 && high > 0.999, true, low, high)
}

// Where the edges hold the group, they add to the covariates; where they hold motion alone, they do not.
func TestWhatEdgesAdd(t *testing.T) {
	for _, c := range []struct {
		holds string
		adds  bool
	}{{"group", true}, {"mean_fd", false}} {
		in := oracle(t)
		table := need.Value(in["participants"][0].Table())(t)
		group := need.Value(table.Strings("group"))(t)
		motion := need.Value(table.Floats("mean_fd"))(t)
		for i, m := range in["matrices"] {
			v := slices.Clone(need.Value(m.Array())(t).Float64s())
			held := 5 * motion[i]
			if c.holds == "group" {
				held = map[string]float64{"ASD": 1}[group[i]]
			}
			v[1] += held
			v[7] += held
			in["matrices"][i] = dag.InputOf(encoding.NewArray(v, 1, 7, 7), m.Coords...)
		}
		out := stagetest.MustRun(t, quick(), in)
		s := need.Value(column.Rows[column.ConfoundSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
		if (s.P <= 0.05) != c.adds {
			t.Errorf("edges that hold %s add %v, p %v", c.holds, s.Increment, s.P)
		}
	}
}

func TestConfoundsRefuse(t *testing.T) {
	in := oracle(t)
	fitted := oracle(t)
	fitted["matrices"][0].Coords = append(fitted["matrices"][0].Coords, dag.Coord{Axis: "fold", Value: "1"})
	nothing := map[string][]dag.Input{"folds": in["folds"], "participants": in["participants"]}
	for _, c := range []struct {
		stage dag.Stage
		in    map[string][]dag.Input
		want  string
	}{
		{quick(), nothing, "nothing to test"},
		{quick(), fitted, "is fitted in folds"},
		{quick("match", []any{"site"}), in, "list a number first"},
		{quick("positive", "TD"), in, `no group "TD"`},
		{quick("categories", []any{"sex", "age"}), in, "needs 3 for each column"},
	} {
		_, err := stagetest.RunStage(t, c.stage, c.in)
		need.Error(t, err, c.want)
	}
	s := stagetest.Fresh("confounds", "covariates", []any{"group", "age", "age"}).(*Confounds)
	if wrong := s.Validate(); len(wrong) != 2 || !strings.Contains(wrong[0].Error(), "group is no covariate") {
		t.Errorf("%v", wrong)
	}
}

// Without covariates in the file, those of age, sex, site and mean_fd are tested that participants differ in; without
// any, and of more than two groups, nothing is.
func TestUsualCovariates(t *testing.T) {
	usual := func() dag.Stage {
		return stagetest.Fresh("confounds", "categories", []any{"sex"}, "chains", 99)
	}
	run := func(in map[string][]dag.Input, stage dag.Stage) (string, []column.ConfounderRow) {
		delete(in, "matrices")
		out := stagetest.MustRun(t, stage, in)
		s := need.Value(column.Rows[column.ConfoundSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
		return strings.Join(s.Covariates, " "),
			need.Value(column.Rows[column.ConfounderRow](out["tests"].(*encoding.Table)))(t)
	}
	in := oracle(t)
	names, tests := run(in, usual())
	_, listed := run(in, stagetest.Fresh("confounds", "covariates", []any{"age", "sex", "site", "mean_fd"},
		"categories", []any{"sex"}, "chains", 99))
	need.Equal(t, names, "age sex site mean_fd")
	need.Equal(t, fmt.Sprint(tests), fmt.Sprint(listed))
	constant := func(name string, value float64) { // in all who have a value
		people := need.Value(in["participants"][0].Table())(t)
		at := slices.IndexFunc(people.Columns, func(c encoding.Column) bool { return c.Name == name })
		v := slices.Repeat([]float64{value}, people.Rows())
		v[0] = math.NaN()
		people.Columns[at].Values = v
		in["participants"] = []dag.Input{dag.InputOf(people)}
	}
	constant("sex", 1)
	constant("site", 1)
	constant("mean_fd", math.NaN())
	names, tests = run(in, usual())
	need.Equal(t, fmt.Sprint(names, len(tests)), "age1")
	constant("age", 9)
	names, tests = run(in, usual())
	need.Equal(t, fmt.Sprint(names, len(tests)), "0")
	in = oracle(t)
	folds := need.Value(in["folds"][0].Table())(t)
	at := slices.IndexFunc(folds.Columns, func(c encoding.Column) bool { return c.Name == "group" })
	group := slices.Clone(folds.Columns[at].Values.([]string))
	group[0], folds.Columns[at].Values = "third", group
	in["folds"] = []dag.Input{dag.InputOf(folds)}
	names, tests = run(in, usual())
	need.Equal(t, fmt.Sprint(names, len(tests)), "0")
	_, err := stagetest.RunStage(t, quick(), in)
	need.Error(t, err, "there are 3 groups")
}

// A number to predict has r in place of the AUC; the oracle's tests are of the same numbers.
func TestConfoundsOfANumber(t *testing.T) {
	in := oracle(t)
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "confounds", name+".npy"))
	}
	target, predicted := floats("target"), floats("prediction")
	members := need.Value(in["folds"][0].Table())(t)
	ids, folds := need.Value(members.Strings("participant_id"))(t), need.Value(members.Floats("fold"))(t)
	var numbers []fold.NumberMember
	rows := make([][]fold.NumberRow, 4)
	for i, id := range ids {
		numbers = append(numbers, fold.NumberMember{ID: id, Target: target[i], Repeat: 1, Fold: int32(folds[i])})
		k := int(folds[i]) - 1
		rows[k] = append(rows[k], fold.NumberRow{ID: id, Target: target[i], Fold: int32(k + 1), Repeat: 1, Set: "test",
			Predicted: predicted[i]})
	}
	in["folds"] = []dag.Input{dag.InputOf(column.Table(numbers))}
	in["predictions"] = nil
	for k := range rows {
		in["predictions"] = append(in["predictions"], dag.InputOf(column.Table(rows[k]),
			dag.Coord{Axis: "fold", Value: string(rune('1' + k))}))
	}
	out := stagetest.MustRun(t, quick(), in)
	s := need.Value(column.Rows[column.ConfoundSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
	if s.Measure != "r" || math.Abs(s.Both-s.Alone-s.Increment) > 1e-15 || !(s.P < 1) {
		t.Errorf("%+v", s)
	}
	for _, r := range need.Value(column.Rows[column.ConfounderRow](out["tests"].(*encoding.Table)))(t) {
		if !(r.Partial > 0) {
			t.Errorf("%+v", r)
		}
	}
	_, err := stagetest.RunStage(t, quick("match", []any{"age"}), in)
	need.Error(t, err, "pairs are of two groups")
}

// Predictions that are the same for everybody of a fold have no relation with anything. The sum of the folds' 24/49 is
// rounded, and those of the second fold differ by rounding.
func TestConstantPredictionsHaveNoConfounders(t *testing.T) {
	in := oracle(t)
	for k, p := range in["predictions"] {
		table := need.Value(p.Table())(t)
		for _, name := range []string{"p_ASD", "p_HC"} {
			c, _ := table.Column(name)
			v := c.Values.([]float64)
			for i := range v {
				v[i] = map[string]float64{"p_ASD": 24. / 49, "p_HC": 25. / 49}[name]
				if k == 1 && i%2 == 0 {
					v[i] += 0x1p-54
				}
			}
		}
		c, _ := table.Column("predicted")
		for i := range c.Values.([]int32) {
			c.Values.([]int32)[i] = 1
		}
		in["predictions"][k] = dag.InputOf(table, p.Coords...)
	}
	out := stagetest.MustRun(t, quick(), in)
	for _, r := range need.Value(column.Rows[column.ConfounderRow](out["tests"].(*encoding.Table)))(t) {
		if r.Why == "" || !math.IsNaN(r.Association) || !math.IsNaN(r.Prediction) || !math.IsNaN(r.Full) {
			t.Errorf("%+v", r)
		}
	}
}

// The full test is of models retrained: p is the share of permutations with an AUC as large, and there is none, nor
// its correction, for settings and covariates without such models.
func TestFullTestIsOfModelsTrainedAgain(t *testing.T) {
	in := oracle(t)
	rows := func() []column.ConfounderRow {
		out := stagetest.MustRun(t, quick(), in)
		return need.Value(column.Rows[column.ConfounderRow](out["tests"].(*encoding.Table)))(t)
	}
	for _, r := range rows() {
		need.Equal(t, math.IsNaN(r.Full) && math.IsNaN(r.FullHolm) && math.IsNaN(r.Prediction) && r.Partial > 0,
			true, r)
	}
	for k := range 4 {
		var given []fold.GivenRow
		for b := range 40 {
			for _, group := range []string{"ASD", "HC"} {
				score := 0.5 + 0.1*float64(k) // mean 0.65
				if b > 0 && b != 7 {
					score -= float64(b) / 100
				}
				if group == "HC" {
					score = 1 - score
				}
				given = append(given, fold.GivenRow{Covariate: "age", Permutation: int32(b), Repeat: 1,
					Fold: int32(k + 1), Group: group, Score: score, Changed: int32(min(b, 1))})
			}
		}
		in["given"] = append(in["given"], dag.InputOf(column.Table(given), in["predictions"][k].Coords...))
	}
	for _, r := range rows() {
		need.Equal(t, math.IsNaN(r.Full), r.Covariate != "age", r.Covariate)
		if r.Covariate == "age" {
			need.Equal(t, r.Full, 2./40)
			need.Equal(t, fmt.Sprintf("%.3f %.3f %d", r.Prediction, r.FullLeast, r.FullDraws), "0.650 0.025 39")
		}
	}
	in["given"] = in["given"][1:]
	_, err := stagetest.RunStage(t, quick(), in)
	need.Error(t, err, "fold 1 has no permutation 0")
	delete(in, "predictions")
	_, err = stagetest.RunStage(t, quick(), in)
	need.Error(t, err, "given is connected without predictions")
}

// By default, a partial test has as many permutations as a significant p takes after Holm's correction for all tests.
func TestPermutationsForHolm(t *testing.T) {
	for tests, want := range map[int]int{1: 999, 24: 999, 51: 2040, 400: 16000} {
		n := (&Confounds{}).permutations(tests)
		need.Equal(t, n, want)
		need.Equal(t, inference.Significant(float64(tests)/float64(n+1)), true)
	}
	need.Equal(t, (&Confounds{Chains: 99}).permutations(51), 99)
	need.Equal(t, len((&Confounds{Chains: 98}).Validate()), 1)
}

// Edges that reveal the site alone hold nothing beyond the covariates within sites, and p is at its level there; over
// all participants they predict the group, as the site does. Sites of one group each leave nothing to permute.
func TestResidualsWithinSites(t *testing.T) {
	const times, n = 60, 48
	small, over := 0, 0
	for k := range times + 1 {
		r := random.New(13, "sites", k)
		ids, _ := stagetest.SomeParticipants(n, "ASD", "HC").Strings("participant_id")
		group, site, age := make([]string, n), make([]string, n), make([]float64, n)
		number, repeat := make([]int32, n), make([]int32, n)
		var matrices []dag.Input
		for i := range n {
			at := i / 2 % 2
			site[i], group[i], age[i] = []string{"a", "b"}[at], "HC", r.Normal()
			if r.Float64() < []float64{0.25, 0.75}[at] && k < times || at == 1 && k == times {
				group[i] = "ASD"
			}
			number[i], repeat[i] = int32(i/4%3)+1, 1
			m := make([]float64, 16)
			for a := range 4 {
				for b := a + 1; b < 4; b++ {
					x := r.Normal() + float64(1.5*float64(at))
					m[4*a+b], m[4*b+a] = x, x
				}
			}
			matrices = append(matrices, dag.InputOf(encoding.NewArray(m, 1, 4, 4),
				dag.Coord{Axis: "subject", Value: ids[i]}))
		}
		in := map[string][]dag.Input{"matrices": matrices,
			"participants": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
				encoding.Column{Name: "age", Values: age}, encoding.Column{Name: "site", Values: site}))},
			"folds": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
				encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "repeat", Values: repeat},
				encoding.Column{Name: "fold", Values: number}))}}
		for _, within := range []string{"site", ""} {
			out := stagetest.MustRun(t, quick("covariates", []any{"age"}, "categories", []any{}, "within", within), in)
			s := need.Value(column.Rows[column.ConfoundSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
			if k == times {
				need.Equal(t, math.IsNaN(s.P), within != "")
			} else if s.P <= 0.1 && within != "" {
				small++
			} else if s.P <= 0.1 {
				over++
			}
		}
	}
	if small > 13 || over < 30 { // 6, sd 2.3
		t.Errorf("p ≤ 0.1 in %d of %d within sites, %d over all", small, times, over)
	}
}

// Where neither group varies there is no standardized difference, but a reason.
func TestDifferenceOfConstants(t *testing.T) {
	group := []bool{true, true, true, false, false, false, false}
	for _, c := range []struct {
		a, b float64
		why  string
	}{{0.1, 0.1, column.EqualInAll}, {0.1, 0.7, column.EqualInGroups}} {
		d, why := difference([]float64{c.a, c.a, c.a, c.b, c.b, c.b, c.b}, group, nil)
		if !math.IsNaN(d) || why != c.why {
			t.Errorf("%v and %v: %v, %q", c.a, c.b, d, why)
		}
	}
}
