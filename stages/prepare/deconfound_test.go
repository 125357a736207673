package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// confounded has the participants, the edges (Fisher z, of 7 regions) and the folds of the oracle.
func confounded(t *testing.T, covariates string) map[string][]dag.Input {
	t.Helper()
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "confounds", name+".npy"))
	}
	cov, x, folds, y := floats(covariates), floats("X"), floats("fold"), floats("y")
	n := len(folds)
	people := stagetest.SomeParticipants(n, "ASD", "HC")
	ids, _ := people.Strings("participant_id")
	columns := make([][]float64, 4)
	group := make([]string, n)
	number, repeat := make([]int32, n), make([]int32, n)
	var matrices []dag.Input
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
	}
	people = encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group})
	for k, name := range []string{"age", "sex", "mean_fd", "site"} {
		people.Columns = append(people.Columns, encoding.Column{Name: name, Values: columns[k]})
	}
	members := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "repeat", Values: repeat},
		encoding.Column{Name: "fold", Values: number})
	return map[string][]dag.Input{"participants": {dag.InputOf(people)}, "matrices": matrices,
		"folds": {dag.InputOf(members)}}
}

var removed = []any{"age", "mean_fd", "sex", "site"}

// residualized are the matrices of the test participants of all folds, as the oracle has them.
func residualized(t *testing.T, in map[string][]dag.Input, parameters ...any) []float64 {
	t.Helper()
	members := need.Value(in["folds"][0].Table())(t)
	folds := need.Value(members.Floats("fold"))(t)
	var out []float64
	fits := map[float64]dag.Outputs{}
	for i, m := range in["matrices"] {
		k := folds[i]
		if fits[k] == nil {
			fits[k] = stagetest.MustRun(t, stagetest.Fresh("deconfound", append([]any{"fold", int(k),
				"covariates", removed,
				"transform", "none"}, parameters...)...), in)
		}
		v := stagetest.MustRun(t, stagetest.Fresh("residualize", "subject", m.Coord("subject")), map[string][]dag.Input{
			"matrices": {m}, "fitted": {dag.InputOf(fits[k]["fitted"])}, "design": {dag.InputOf(fits[k]["design"])}})
		r := v["matrices"].(*encoding.Array).Float64s()
		for a := range 7 {
			for b := a + 1; b < 7; b++ {
				out = append(out, r[7*a+b])
			}
		}
	}
	return out
}

func TestDeconfoundAgreesWithTheOracle(t *testing.T) {
	want := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "confounds", name+".npy"))
	}
	check := func(name string, got []float64) {
		t.Helper()
		for i, w := range want(name) {
			if math.Abs(got[i]-w) > 1e-10 {
				t.Fatalf("%s: value %d is %v, want %v", name, i, got[i], w)
			}
		}
	}
	in := confounded(t, "covariates")
	check("X_residual", residualized(t, in))
	check("X_residual_controls", residualized(t, in, "controls", "HC"))
	check("X_residual_missing", residualized(t, confounded(t, "covariates_missing"), "missing", "indicator"))

	// The mean of each edge over the fit is the difference between removed and kept.
	kept, without := residualized(t, in, "mean", "kept"), residualized(t, in)
	x := want("X")
	for i, k := range []int{0, 21 * 7} {
		mean, n := 0.0, 0.0
		own := need.Value(need.Value(in["folds"][0].Table())(t).Floats("fold"))(t)
		for j, f := range own {
			if f != own[k/21] {
				mean, n = mean+x[21*j], n+1
			}
		}
		if got := kept[k] - without[k]; math.Abs(got-mean/n) > 1e-10 {
			t.Errorf("%d: kept adds %v, want %v", i, got, mean/n)
		}
	}
}

// A test participant changes nothing that is fitted.
func TestDeconfoundIsFittedToTrainingParticipants(t *testing.T) {
	in := confounded(t, "covariates")
	folds := need.Value(need.Value(in["folds"][0].Table())(t).Floats("fold"))(t)
	s := stagetest.Fresh("deconfound", "fold", 2, "covariates", removed, "transform", "none")
	before := stagetest.MustRun(t, s, in)
	at := slices.Index(folds, 2.0)
	m := in["matrices"][at]
	in["matrices"] = slices.Clone(in["matrices"])
	big := make([]float64, 49)
	for i := range big {
		big[i] = 5
	}
	in["matrices"][at] = dag.InputOf(encoding.NewArray(big, 1, 7, 7), m.Coords...)
	after := stagetest.MustRun(t, s, in)
	for name := range before {
		if digest(t, before[name]) != digest(t, after[name]) {
			t.Errorf("%s depends on a test participant", name)
		}
	}
	// The metadata list the fit, for the leakage check.
	meta := before["fitted"].(*encoding.Table).Meta["participants"]
	if strings.Contains(meta, m.Coord("subject")) || strings.Count(meta, "sub-") != 45 {
		t.Errorf("participants of the fit: %s", meta)
	}
	other := stagetest.MustRun(t, stagetest.Fresh("deconfound", "fold", 1, "covariates", removed, "transform",
		"none"), in)
	_, err := stagetest.RunStage(t, stagetest.Fresh("residualize", "subject", m.Coord("subject")),
		map[string][]dag.Input{
			"matrices": {m}, "fitted": {dag.InputOf(before["fitted"])}, "design": {dag.InputOf(other["design"])}})
	need.Error(t, err, "design of another fit")
}

// warned are the codes of the warnings of a fit.
func warned(t *testing.T, fit dag.Outputs) (codes string) {
	t.Helper()
	for _, r := range need.Value(column.Rows[termRow](fit["terms"].(*encoding.Table)))(t) {
		for _, f := range finding.Warned(r.Warning) {
			codes += f.Code + " "
		}
	}
	return codes
}

func digest(t *testing.T, v artifacts.Value) string { return string(stagetest.Encoded(t, v)) }

func TestDeconfoundRefuses(t *testing.T) {
	base := confounded(t, "covariates")
	with := func(columns ...encoding.Column) map[string][]dag.Input {
		in := map[string][]dag.Input{"matrices": base["matrices"], "folds": base["folds"]}
		people := *need.Value(base["participants"][0].Table())(t)
		people.Columns = slices.Concat(people.Columns, columns)
		in["participants"] = []dag.Input{dag.InputOf(&people)}
		return in
	}
	group := need.Value(need.Value(base["participants"][0].Table())(t).Strings("group"))(t)
	ids := need.Value(need.Value(base["participants"][0].Table())(t).Strings("participant_id"))(t)
	asd, visits, rare := make([]float64, len(group)), make([]float64, len(group)), make([]string, len(group))
	for i, g := range group {
		asd[i], visits[i], rare[i] = map[string]float64{"ASD": 1}[g]+float64(i)*1e-3, float64(i), string(rune('a'+i%3))
	}
	rare[5] = "z" // of fold 3
	in := with(encoding.Column{Name: "score", Values: asd}, encoding.Column{Name: "subject_number", Values: visits},
		encoding.Column{Name: "family_id", Values: ids}, encoding.Column{Name: "coil", Values: rare})
	fold := int(need.Value(need.Value(base["folds"][0].Table())(t).Floats("fold"))(t)[5])
	for _, c := range []struct {
		parameters []any
		in         map[string][]dag.Input
		want       string
	}{
		{[]any{"covariates", []any{"group"}}, in, "group is the label to predict"},
		{[]any{"covariates", []any{"score"}}, in, "score stands for the group (AUC 1.000"},
		{[]any{"covariates", []any{"family_id"}}, in, "family_id identifies participants"},
		{[]any{"covariates", []any{"nothing"}}, in, "nothing"},
		{[]any{"covariates", []any{"age"}, "controls", "TD"}, in, `no group "TD"`},
		{[]any{"covariates", removed, "controls", "ASD", "degree", 3, "categories", []any{"site"}}, in, "needs 3 for each column"},
		{[]any{"covariates", []any{"age", "mean_fd"}}, confounded(t, "covariates_missing"), "no value of covariates to remove: sub-"},
		{[]any{"covariates", []any{"sex"}, "spline", true}, in, "too few different values for a spline"},
	} {
		_, err := stagetest.RunStage(t, stagetest.Fresh("deconfound", append(c.parameters, "transform",
			"none")...), c.in)
		need.Error(t, err, c.want, c.parameters)
	}
	// A category that the fit lacks concerns the participant who has it.
	run := func(few string) (dag.Outputs, error) {
		fit := stagetest.MustRun(t, stagetest.Fresh("deconfound", "fold", fold, "few", few, "covariates",
			[]any{"coil"}, "transform", "none"), in)
		if found := warned(t, fit); few == "reference" && !strings.Contains(found, "deconfound.reference") {
			t.Errorf("the terms warn of %s", found)
		}
		return stagetest.RunStage(t, stagetest.Fresh("residualize", "subject", ids[5]), map[string][]dag.Input{
			"matrices": {in["matrices"][5]}, "fitted": {dag.InputOf(fit["fitted"])},
			"design": {dag.InputOf(fit["design"])}})
	}
	_, err := run("refuse")
	need.Error(t, err, "coil is z, which no participant of the fit has (a, b, c)")
	_, err = run("reference")
	need.NoError(t, err)
}

// Two training participants who alone have a category have residuals of opposite sign, and one who alone has it has
// none: these are no scan under two ids. One scan under two ids is refused by the fit, whatever the covariates are.
func TestResidualsAreNoEvidenceOfOneScan(t *testing.T) {
	in := confounded(t, "covariates")
	people := *need.Value(in["participants"][0].Table())(t)
	ids := need.Value(people.Strings("participant_id"))(t)
	folds := need.Value(need.Value(in["folds"][0].Table())(t).Floats("fold"))(t)
	coil, rare, sites := make([]string, len(ids)), []int{}, make([]string, len(ids))
	for i := range ids {
		coil[i], sites[i] = "a", string(rune('A'+i%2))
		if folds[i] != 1 && len(rare) < 3 {
			coil[i] = []string{"b", "b", "c"}[len(rare)]
			rare = append(rare, i)
		}
	}
	people.Columns = append(slices.DeleteFunc(slices.Clone(people.Columns), func(c encoding.Column) bool {
		return c.Name == "site"
	}), encoding.Column{Name: "coil", Values: coil}, encoding.Column{Name: "site", Values: sites})
	in["participants"] = []dag.Input{dag.InputOf(&people)}
	parameters := []any{"covariates", []any{"age", "coil"}, "transform", "none"}
	fit := stagetest.MustRun(t, stagetest.Fresh("deconfound", parameters...), in)
	if got := warned(t, fit); strings.Count(got, "deconfound.pair ") != 1 ||
		strings.Count(got, "deconfound.single ") != 1 {
		t.Errorf("the terms warn of %s", got)
	}
	var residuals []dag.Input
	for i, m := range in["matrices"] {
		v := stagetest.MustRun(t, stagetest.Fresh("residualize", "subject", ids[i]), map[string][]dag.Input{
			"matrices": {m}, "fitted": {dag.InputOf(fit["fitted"])}, "design": {dag.InputOf(fit["design"])}})
		residuals = append(residuals, dag.InputOf(v["matrices"], dag.Coord{Axis: "subject", Value: ids[i]}))
	}
	if twins := need.Value(fold.Duplicates(residuals))(t); len(twins) == 0 ||
		twins[0].First != ids[rare[0]] || twins[0].Later != ids[rare[1]] {
		t.Fatalf("the residuals are no example: %v", twins)
	}
	for i := range residuals {
		residuals[i].Coords = append(residuals[i].Coords, dag.Coord{Axis: "fold", Value: "1"})
	}
	if twins := need.Value(fold.Duplicates(residuals))(t); twins != nil {
		t.Errorf("accused: %v", twins)
	}
	matrices := in["matrices"]
	one := need.Value(matrices[rare[0]].Array())(t)
	for _, later := range []int{rare[1], slices.Index(folds, 1)} { // tested with the first, and trained with
		in["matrices"] = slices.Clone(matrices)
		in["matrices"][later] = dag.InputOf(one, dag.Coord{Axis: "subject", Value: ids[later]})
		for _, s := range []dag.Stage{stagetest.Fresh("deconfound", parameters...), stagetest.Fresh("tangent"),
			stagetest.Fresh("combat", "transform", "none")} {
			_, err := stagetest.RunStage(t, s, in)
			need.Error(t, err, "leakage: "+ids[min(rare[0], later)]+" and "+ids[max(rare[0], later)]+" have the same features")
		}
	}
}

func TestDeconfoundReportsWhatItLeaves(t *testing.T) {
	in := confounded(t, "covariates_missing")
	people := need.Value(in["participants"][0].Table())(t)
	age := need.Value(people.Floats("age"))(t)
	months := lists.Map(age, func(v float64) float64 { return 12 * v })
	people.Columns = append(people.Columns, encoding.Column{Name: "months", Values: months})
	in["participants"] = []dag.Input{dag.InputOf(people)}
	fit := stagetest.MustRun(t, stagetest.Fresh("deconfound", "covariates", []any{"age", "months", "mean_fd"},
		"missing", "skip", "transform", "none"), in)
	if got := warned(t, fit); !strings.Contains(got, "deconfound.dropped") || !strings.Contains(got,
		"deconfound.skipped") {
		t.Errorf("the terms warn of %s", got)
	}
	fd := need.Value(people.Floats("mean_fd"))(t)
	skipped := 0
	for i, r := range need.Value(column.Rows[designRow](fit["design"].(*encoding.Table)))(t) {
		if (r.Use == "skipped") != math.IsNaN(fd[i]) {
			t.Errorf("%s is %s with motion %v", r.ID, r.Use, fd[i])
		}
		if r.Use != "skipped" {
			continue
		}
		skipped++
		m := in["matrices"][i]
		v := stagetest.MustRun(t, stagetest.Fresh("residualize", "subject", r.ID), map[string][]dag.Input{
			"matrices": {m}, "fitted": {dag.InputOf(fit["fitted"])}, "design": {dag.InputOf(fit["design"])}})
		before := need.Value(m.Array())(t)
		if !slices.Equal(v["matrices"].(*encoding.Array).Float64s(), before.Float64s()) {
			t.Errorf("the matrices of %s changed", r.ID)
		}
	}
	if skipped == 0 {
		t.Error("nobody was skipped")
	}
}

// The target is deconfounded in each fold, too; a class label never is.
func TestDeconfoundTargets(t *testing.T) {
	in := confounded(t, "covariates")
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "confounds", name+".npy"))
	}
	_, err := stagetest.RunStage(t, stagetest.Fresh("deconfound", "covariates", removed, "what", "target"), in)
	need.Error(t, err, "never removed from a class label")
	target, want := floats("target"), floats("target_residual")
	members := need.Value(in["folds"][0].Table())(t)
	ids, folds := need.Value(members.Strings("participant_id"))(t), need.Value(members.Floats("fold"))(t)
	var numbers []fold.NumberMember
	for i, id := range ids {
		numbers = append(numbers, fold.NumberMember{ID: id, Target: target[i], Repeat: 1, Fold: int32(folds[i])})
	}
	in["folds"] = []dag.Input{dag.InputOf(column.Table(numbers))}
	for _, what := range []string{"target", "both"} {
		for k := range 4 {
			out := stagetest.MustRun(t, stagetest.Fresh("deconfound", "fold", k+1, "covariates", removed, "what", what,
				"transform", "none"), in)
			for i, r := range need.Value(column.Rows[fold.TargetRow](out["targets"].(*encoding.Table)))(t) {
				if int(folds[i]) == k+1 && math.Abs(r.Residual-want[i]) > 1e-10 {
					t.Errorf("%s: the residual of %s is %v, want %v", what, r.ID, r.Residual, want[i])
				}
			}
			if rows := out["fitted"].(*encoding.Table).Rows(); (rows == 0) != (what == "target") {
				t.Errorf("%s: %d edges", what, rows)
			}
		}
	}
}

// A column that is text because of a few cells does not count as one of identifiers: the cells are the reason.
func TestTextAmongNumbers(t *testing.T) {
	people := stagetest.SomeParticipants(12, "ASD", "HC")
	ids := need.Value(people.Strings("participant_id"))(t)
	age := make([]string, len(ids))
	for i := range age {
		age[i] = fmt.Sprint(20 + float64(i)/10)
	}
	age[3] = "12.2 y"
	people.Columns = append(people.Columns, encoding.Column{Name: "age", Values: age})
	refused, _ := (&Combat{Site: "site", Preserve: []string{"age"}}).LeaksLabel(people, nil)
	want := fmt.Sprintf("column age is text, because 1 of 12 values is not a number (%q of %s)", "12.2 y", ids[3])
	if len(refused) != 1 || !strings.HasPrefix(refused[0].Error(), want) {
		t.Errorf("%v, want %s", refused, want)
	}
}
