package subgroup

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/stagetest"
)

// oracle has the predictions of the fixture as those of one fold, and its participants.
func oracle(t *testing.T) map[string][]dag.Input {
	t.Helper()
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "subgroups", name+".npy"))
	}
	y, p, sex, site := floats("y"), floats("probability"), floats("sex"), floats("site")
	var rows [][3]any
	var ids, sexes, sites []string
	for i := range y {
		id := fmt.Sprintf("sub-%03d", i+1)
		ids, sites = append(ids, id), append(sites, fmt.Sprint(site[i]))
		text := fmt.Sprint(sex[i])
		if math.IsNaN(sex[i]) {
			text = ""
		}
		sexes = append(sexes, text)
		rows = append(rows, [3]any{id, int(y[i]), p[i]})
	}
	table := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "sex", Values: sexes}, encoding.Column{Name: "age", Values: floats("age")},
		encoding.Column{Name: "site", Values: sites}, encoding.Column{Name: "motion", Values: floats("motion")})
	return map[string][]dag.Input{"participants": {dag.InputOf(table)},
		"predictions": {dag.InputOf(stagetest.OneFold(1, [2]string{"HC", "PAT"}, rows...),
			dag.Coord{Axis: "model", Value: "logistic"}, dag.Coord{Axis: "fold", Value: "1"})}}
}

func fixtureStage(more ...any) dag.Stage {
	return stagetest.Fresh("subgroups", append([]any{"columns", []any{"sex", "age", "site", "motion"},
		"edges", []any{"age=12", "age=18"}, "within", "", "complementary", false}, more...)...)
}

func results(t *testing.T, s dag.Stage, in map[string][]dag.Input) ([]column.SubgroupRow, []column.SubgroupTestRow) {
	t.Helper()
	out := stagetest.MustRun(t, s, in)
	return need.Value(column.Rows[column.SubgroupRow](out["groups"].(*encoding.Table)))(t),
		need.Value(column.Rows[column.SubgroupTestRow](out["tests"].(*encoding.Table)))(t)
}

// The groups and their measures are those of statsmodels and scikit-learn (the fixture's oracle.py).
func TestGroupsAreThoseOfTheOracle(t *testing.T) {
	rows, tests := results(t, fixtureStage(), oracle(t))
	f := need.Value(os.Open(need.Shared(t, "fixtures", "questions", "subgroups", "table.csv")))(t)
	defer f.Close()
	lines := need.Value(csv.NewReader(f).ReadAll())(t)[1:]
	need.Equal(t, len(rows), len(lines))
	for i, line := range lines {
		r := rows[i]
		need.Equal(t, r.Column+" "+r.Group, line[0]+" "+line[1])
		if line[2] == "<10" {
			need.Equal(t, r.Suppressed, "<10", r.Group)
			continue
		}
		for k, v := range []float64{r.N, r.Positive, r.Accuracy, r.Low, r.High, r.AUC, r.AUCLow, r.AUCHigh,
			r.Sensitivity, r.SensLow, r.SensHigh, r.Specificity, r.SpecLow, r.SpecHigh, r.Large} {
			want := need.Value(strconv.ParseFloat(line[2+k], 64))(t)
			if !(math.Abs(v-want) <= 1e-9) {
				t.Errorf("%s %s, column %d: %v, want %v", r.Column, r.Group, 2+k, v, want)
			}
		}
	}
	// The equal-opportunity difference, its interval, and its p beside the exact one of all permutations.
	for _, r := range tests {
		if r.Column != "sex" || r.Measure != sensitivity {
			continue
		}
		need.Equal(t, r.High+" "+r.Low, "0 1")
		for k, v := range []float64{-r.Difference, -r.DiffHigh, -r.DiffLow} {
			want := []float64{-0.20368885324779462, -0.4095056562641439, 0.02077330104116973}[k]
			if math.Abs(v-want) > 1e-9 {
				t.Errorf("difference in sensitivity: %v, want %v", v, want)
			}
		}
		exact := exactP(15, 29, 31, 43)
		if math.Abs(r.P-exact) > 4*math.Sqrt(exact*(1-exact)/9999) {
			t.Errorf("p %v, but %v over all permutations", r.P, exact)
		}
		if !(r.Holm > r.P) {
			t.Errorf("p %v is not corrected: %v", r.P, r.Holm)
		}
	}
}

// Holm's correction is over the comparisons of all classifiers, also for the smallest difference that is found.
func TestCorrectedOverClassifiers(t *testing.T) {
	in := oracle(t)
	table := need.Value(in["predictions"][0].Table())(t)
	in["predictions"] = append(in["predictions"], dag.InputOf(table, dag.Coord{Axis: "model", Value: "other"},
		dag.Coord{Axis: "fold", Value: "1"}))
	_, tests := results(t, fixtureStage("permutations", 999), in)
	_, one := results(t, fixtureStage("permutations", 999, "columns", []any{"sex"}, "edges", []any{}), oracle(t))
	compared := func(tests []column.SubgroupTestRow) (n float64) {
		for _, r := range tests {
			if r.P == r.P {
				n++
			}
		}
		return n
	}
	of := func(tests []column.SubgroupTestRow) float64 {
		return inference.NormalQuantile(1-0.025/compared(tests)) + inference.NormalQuantile(0.8)
	}
	want := one[0].Detectable * of(tests) / of(one)
	if got := tests[0].Detectable; math.Abs(got-want) > 1e-12 || !(got > 1.1*one[0].Detectable) {
		t.Errorf("detectable %v of %v tests, %v of %v", got, compared(tests), one[0].Detectable, compared(one))
	}
	p := lists.Map(tests, func(r column.SubgroupTestRow) float64 { return r.P })
	for i, want := range inference.Holm(p) {
		if got := tests[i].Holm; got != want && !math.IsNaN(want) {
			t.Errorf("%s %s: %v, want %v", tests[i].Column, tests[i].Measure, got, want)
		}
	}
}

// exactP is the share of all divisions of a + b cases, k + l of which are correct, in which the shares of the two
// groups differ at least as much as k of a and l of b.
func exactP(k, a, l, b int) (p float64) {
	choose := func(n, k int) float64 {
		x, _ := math.Lgamma(float64(n + 1))
		y, _ := math.Lgamma(float64(k + 1))
		z, _ := math.Lgamma(float64(n - k + 1))
		return math.Exp(x - y - z)
	}
	difference := func(k int, all int) float64 { return math.Abs(float64(k)/float64(a) - float64(all-k)/float64(b)) }
	for i := max(0, k+l-b); i <= min(a, k+l); i++ {
		if difference(i, k+l) >= difference(k, k+l)-1e-12 {
			p += choose(a, i) * choose(b, k+l-i) / choose(a+b, k+l)
		}
	}
	return p
}

// Of a suppressed group no number is there, and complementary suppression hides the next smallest group where one
// alone is hidden, but none to protect participants without a value.
func TestSuppression(t *testing.T) {
	for _, c := range []struct {
		sizes         []int
		complementary bool
		want          string
	}{
		{[]int{9, 30, 20}, true, "<10||complementary"},
		{[]int{9, 30, 20}, false, "<10||"},
		{[]int{9, 30, 3}, true, "<10||<10"},
		{[]int{10, 30}, true, "|"},
		{[]int{4, 30}, true, "<10|complementary"},
		{[]int{30, 20, 5, 4}, true, "||<10|<10"},
		{[]int{30, 20, 40, 4}, true, "|||<10"},
		{[]int{4, 30, 20, 12}, true, "<10|||complementary"},
	} {
		names := []string{"a", "b", "c", missing}[:len(c.sizes)]
		need.Equal(t, strings.Join(suppress(names, c.sizes, c.complementary), "|"), c.want, c.sizes)
	}
	rows, tests := results(t, fixtureStage("complementary", true), oracle(t))
	hidden := map[string]string{}
	for _, r := range rows {
		if r.Suppressed == "" {
			continue
		}
		hidden[r.Column] += r.Group + " "
		empty := emptyRow()
		empty.Coords, empty.Name, empty.Column = r.Coords, r.Name, r.Column
		empty.Group, empty.Suppressed = r.Group, r.Suppressed
		need.Equal(t, fmt.Sprintf("%+v", r), fmt.Sprintf("%+v", empty))
	}
	need.Equal(t, fmt.Sprint(hidden), "map[sex:missing  site:2 3 ]")
	for _, r := range tests {
		for _, g := range []string{r.High, r.Low} {
			if strings.Contains(" "+hidden[r.Column], " "+g+" ") {
				t.Errorf("%s: the suppressed group %s is compared", r.Column, g)
			}
		}
	}
}

// A participant counts once with the mean over its repeats, pairs are of one fold, and the calibration is that of
// inference.Recalibrate on the same participants.
func TestRepeatsAndFolds(t *testing.T) {
	const n = 60
	s := random.New(5, "test")
	groups := [2]string{"HC", "PAT"}
	var predictions []dag.Input
	var ids, sexes []string
	p := [2][n]float64{}
	for i := range n {
		ids, sexes = append(ids, fmt.Sprintf("s%02d", i)), append(sexes, []string{"F", "M"}[i/2%2])
	}
	for r := range 2 {
		rows := [2][][3]any{}
		for i := range n {
			p[r][i] = 1 / (1 + math.Exp(-(float64(i%2)*1.2 - 0.6 + 1.5*s.Normal() + float64(2*(i%4/2)))))
			fold := (i / 4) % 2
			rows[fold] = append(rows[fold], [3]any{ids[i], i % 2, p[r][i]})
		}
		for fold, of := range rows {
			table := stagetest.OneFold(int32(fold+1), groups, of...)
			c, _ := table.Column("repeat")
			for i := range c.Values.([]int32) {
				c.Values.([]int32)[i] = int32(r + 1)
			}
			predictions = append(predictions, dag.InputOf(table, dag.Coord{Axis: "model", Value: "logistic"},
				dag.Coord{Axis: "fold", Value: fmt.Sprint(fold + 1)},
				dag.Coord{Axis: "repeat", Value: fmt.Sprint(r + 1)}))
		}
	}
	in := map[string][]dag.Input{"predictions": predictions, "participants": {dag.InputOf(encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: ids}, encoding.Column{Name: "sex", Values: sexes}))}}
	rows, tests := results(t, stagetest.Fresh("subgroups"), in)
	need.Equal(t, len(rows), 2)
	for g, r := range rows {
		need.Equal(t, r.Group, []string{"F", "M"}[g])
		var right, above, pairs, brier, size float64
		var lp []float64
		var outcome []bool
		for i := range n {
			if i/2%2 != g {
				continue
			}
			size++
			logit := 0.0
			for rep := range 2 {
				logit += math.Log(p[rep][i]/(1-p[rep][i])) / 2
				brier += (p[rep][i] - float64(i%2)) * (p[rep][i] - float64(i%2)) / 2
				if (p[rep][i] > 0.5) == (i%2 == 1) {
					right += 0.5
				}
				for j := range n {
					if j/2%2 == g && i%2 == 1 && j%2 == 0 && (i/4)%2 == (j/4)%2 {
						pairs++
						if p[rep][i] > p[rep][j] {
							above++
						}
					}
				}
			}
			lp, outcome = append(lp, logit), append(outcome, i%2 == 1)
		}
		want := inference.Recalibrate(lp, outcome)
		for k, v := range [][2]float64{{r.N, size}, {r.Accuracy, right / size}, {r.AUC, above / pairs},
			{r.Brier, brier / size}, {r.Slope, want.Slope}, {r.Intercept, want.Intercept}} {
			if !(math.Abs(v[0]-v[1]) <= 1e-9) {
				t.Errorf("%s, measure %d: %v, want %v", r.Group, k, v[0], v[1])
			}
		}
		for _, v := range [][3]float64{{r.AUCLow, r.AUC, r.AUCHigh}, {r.BrierLow, r.Brier, r.BrierHigh},
			{r.SlopeLow, r.Slope, r.SlopeHigh}, {r.LargeLow, r.Large, r.LargeHigh}} {
			if !(v[0] < v[1] && v[1] < v[2]) {
				t.Errorf("%s: interval %v", r.Group, v)
			}
		}
	}
	need.Equal(t, len(tests), 4)
	folds := func(who ...string) dag.Input {
		one := make([]int32, len(who))
		for i := range one {
			one[i] = 1
		}
		return dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: who},
			encoding.Column{Name: "repeat", Values: one}, encoding.Column{Name: "fold", Values: one}))
	}
	in["folds"] = []dag.Input{folds(ids[0], ids[1])}
	_, tests = results(t, stagetest.Fresh("subgroups"), in)
	need.Equal(t, tests[0].Related, false)
	together := need.Value(in["folds"][0].Table())(t)
	together.Columns = append(together.Columns, encoding.Column{Name: "together", Values: []string{ids[0], ids[0]}})
	in["folds"] = []dag.Input{dag.InputOf(together)}
	_, tests = results(t, stagetest.Fresh("subgroups"), in)
	need.Equal(t, tests[0].Related, true)
	in["folds"] = []dag.Input{folds(ids[0], "untested")}
	_, err := stagetest.RunStage(t, stagetest.Fresh("subgroups"), in)
	need.Error(t, err, "untested")
}

// Decision values have no Brier score and no calibration.
func TestDecisionValues(t *testing.T) {
	in := oracle(t)
	in["predictions"][0].Coords[0].Value = "ridge"
	rows, _ := results(t, fixtureStage(), in)
	for _, r := range rows {
		known := !math.IsNaN(r.Brier) || !math.IsNaN(r.Large) || !math.IsNaN(r.Slope)
		if r.Suppressed == "" && (math.IsNaN(r.Accuracy) || known) {
			t.Errorf("%+v", r)
		}
	}
}

func TestSubgroupsRefuse(t *testing.T) {
	in := oracle(t)
	for _, c := range []struct {
		params []any
		want   string
	}{
		{[]any{"columns", []any{"sex", "sex"}}, "listed twice"},
		{[]any{"columns", []any{"group"}}, "property of the participants"},
		{[]any{"edges", []any{"age"}}, "COLUMN=NUMBER"},
		{[]any{"edges", []any{"height=3"}}, "not among the columns"},
		{[]any{"categories", []any{"scanner"}}, "not among the columns"},
	} {
		s := stagetest.Fresh("subgroups", c.params...).(*Subgroups)
		wrong := s.Validate()
		if len(wrong) != 1 || !strings.Contains(wrong[0].Error(), c.want) {
			t.Errorf("%v: %v", c.params, wrong)
		}
	}
	months := stagetest.Fresh("subgroups", "columns", []any{"age"}, "edges", []any{"age=144"})
	_, err := stagetest.RunStage(t, months, in)
	need.Error(t, err, "no edge divides it (age=144): write edges in the unit of the column")
	few := need.Value(in["participants"][0].Table())(t)
	in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(few.Columns[0]))}
	rows, tests := results(t, stagetest.Fresh("subgroups"), in) // as of a cohort without age, sex, site and motion
	need.Equal(t, len(rows)+len(tests), 0)
	_, err = stagetest.RunStage(t, stagetest.Fresh("subgroups", "columns", []any{"sex"}), in)
	need.Error(t, err, "sex")
	in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id",
		Values: []string{"a", "b", "c", "d"}}, encoding.Column{Name: "sex", Values: []string{"F", "F", "M", "M"}}))}
	_, err = stagetest.RunStage(t, stagetest.Fresh("subgroups"), in)
	need.Error(t, err, "who are tested")
}

// A column without any value is no column: neither the motion of scans without confounds nor one of the table.
func TestColumnsWithoutValuesAreLeftOut(t *testing.T) {
	in := oracle(t)
	people := need.Value(in["participants"][0].Table())(t)
	ids := need.Value(people.Strings("participant_id"))(t)
	for i := range people.Columns {
		if people.Columns[i].Name == "age" {
			people.Columns[i].Values = slices.Repeat([]float64{math.NaN()}, len(ids))
		}
	}
	in["participants"] = []dag.Input{dag.InputOf(people)}
	for _, id := range ids {
		in["cleaning"] = append(in["cleaning"], dag.InputOf(encoding.NewTable(encoding.Column{Name: column.MeanFD,
			Values: []float64{math.NaN()}}), dag.Coord{Axis: column.Subject, Value: id}))
	}
	rows, _ := results(t, stagetest.Fresh("subgroups", "within", ""), in)
	var got []string
	for _, r := range rows {
		got = lists.Add(got, r.Column)
	}
	need.Equal(t, strings.Join(got, " "), "sex site")
	for i := range people.Columns { // one site is no group beside others
		if people.Columns[i].Name == "site" {
			people.Columns[i].Values = slices.Repeat([]string{"NYU"}, len(ids))
		}
	}
	in["participants"] = []dag.Input{dag.InputOf(people)}
	rows, _ = results(t, stagetest.Fresh("subgroups", "within", ""), in)
	need.Equal(t, slices.ContainsFunc(rows, func(r column.SubgroupRow) bool { return r.Column == "site" }), false)
	_, err := stagetest.RunStage(t, stagetest.Fresh("subgroups", "columns", []any{"age"}), in)
	need.Error(t, err, "no participant has a value of age")
	_, err = stagetest.RunStage(t, stagetest.Fresh("subgroups", "columns", []any{column.MeanFD}), in)
	need.Error(t, err, "no quality of denoise at cleaning has it")
}

// Bands of a number: thirds end at quantiles, equal values are in one band, and bands without participants are left
// out.
func TestBands(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		values, edges []float64
		names         string
		group         string
	}{
		{[]float64{1, 2, 3, 4, 5, 6, nan}, nil, "lowest third|middle third|highest third|missing", "[0 0 1 1 2 2 3]"},
		{[]float64{1, 1, 1, 1, 1, 6}, nil, "lowest third|highest third", "[0 0 0 0 0 1]"},
		{[]float64{5, 12, 18, 30}, []float64{12, 18}, "under 12|12 to under 18|18 and over", "[0 1 2 2]"},
		{[]float64{12, 13}, []float64{12, 18}, "12 to under 18", "[0 0]"},
		{[]float64{nan, nan}, nil, "missing", "[0 0]"},
	} {
		d := banded(c.values, c.edges)
		need.Equal(t, strings.Join(d.names, "|"), c.names)
		need.Equal(t, fmt.Sprint(d.group), c.group)
	}
}
