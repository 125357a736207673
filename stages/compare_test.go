package stages

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/inference"
)

// twoFolds gives the predictions of one setting: p of HC for a, b (fold 1) and c, d
// (fold 2), of whom a and c are ASD.
func twoFolds(model string, p ...float64) []dag.Input {
	g := [2]string{"ASD", "HC"}
	m := dag.Coord{Axis: "model", Value: model}
	return []dag.Input{
		dag.InputOf(told(1, g, [3]any{"a", 0, p[0]}, [3]any{"b", 1, p[1]}), m, dag.Coord{Axis: "fold", Value: "1"}),
		dag.InputOf(told(2, g, [3]any{"c", 0, p[2]}, [3]any{"d", 1, p[3]}), m, dag.Coord{Axis: "fold", Value: "2"}),
	}
}

// By hand: "good" has all four right, "bad" a alone, "fair" all but d.
func TestCompareByHand(t *testing.T) {
	ins := slices.Concat(twoFolds("bad", 0.1, 0.2, 0.9, 0.3), twoFolds("fair", 0.2, 0.8, 0.2, 0.4), twoFolds("good", 0.1, 0.9, 0.1, 0.6))
	pairs := mustRun(t, &Compare{}, map[string][]dag.Input{"predictions": ins})["pairs"].(*artifacts.Table)
	a, _ := pairs.Strings("a")
	b, _ := pairs.Strings("b")
	if want := []string{"model=bad", "model=bad", "model=fair"}; !slices.Equal(a, want) {
		t.Errorf("a: %v", a)
	}
	if want := []string{"model=fair", "model=good", "model=good"}; !slices.Equal(b, want) {
		t.Errorf("b: %v", b)
	}
	nan := math.NaN()
	// The folds of bad and good differ by −0.5 and −1, the others' by a half and by nothing.
	t2 := -0.75 / math.Sqrt(0.125*(0.5+1))
	t3 := -0.25 / math.Sqrt(0.125*1.5)
	p2, p3 := inference.StudentP(t2, 1), inference.StudentP(t3, 1)
	for column, want := range map[string][]float64{
		"participants": {4, 4, 4}, "accuracy_a": {0.25, 0.25, 0.75}, "accuracy_b": {0.75, 1, 1}, "difference": {-0.5, -0.75, -0.25},
		"only_a": {0, 0, 0}, "only_b": {2, 3, 1}, "mcnemar_p": {0.5, 0.25, 1}, "mcnemar_holm": {1, 0.75, 1},
		"folds": {2, 2, 2}, "t": {nan, t2, t3}, "t_p": {nan, p2, p3}, "t_holm": {nan, 2 * p2, max(2*p2, p3)},
	} {
		if got := floatsOf(t, pairs, column); !near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	one := mustRun(t, &Compare{Reference: []string{"model=good"}}, map[string][]dag.Input{"predictions": ins})["pairs"].(*artifacts.Table)
	if a, _ := one.Strings("a"); !slices.Equal(a, []string{"model=good", "model=good"}) {
		t.Errorf("with a reference: %v", a)
	}
}

func TestCompareRefuses(t *testing.T) {
	all := slices.Concat(twoFolds("one", 0.1, 0.2, 0.9, 0.3), twoFolds("two", 0.2, 0.8, 0.2, 0.4))
	for _, c := range []struct {
		stage *Compare
		in    []dag.Input
		want  string
	}{
		{&Compare{}, all[:3], "model=one and model=two cannot be compared: 2 participants are tested by one of them only, or have another group there, such as c"},
		{&Compare{Reference: []string{"model=three"}}, all, "reference: no setting is model=three; there are model=one; model=two"},
		{&Compare{Reference: []string{}}, all, "reference: 2 settings are , such as model=one and model=two: name more of the coordinates"},
	} {
		if _, err := runStage(t, c.stage, map[string][]dag.Input{"predictions": c.in}); fmt.Sprint(err) != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// peopleWith is a table of 40 participants, of two groups in turn, with covariates.
func peopleWith(columns ...artifacts.Column) *artifacts.Table {
	people := someParticipants(40, "ASD", "HC")
	people.Columns = append(people.Columns, columns...)
	return people
}

func TestCovariates(t *testing.T) {
	age, volumes := make([]float64, 40), make([]int32, 40)
	sex, site, id, file := make([]string, 40), make([]string, 40), make([]int64, 40), make([]string, 40)
	var cleaning []dag.Input
	people := peopleWith()
	ids, _ := people.Strings("participant_id")
	for i := range 40 {
		age[i] = float64(10*(i%2)) + float64(i%7)/10 // tells everything
		volumes[i] = 146
		sex[i] = []string{"F", "M"}[i/2%2] // tells nothing
		site[i] = "one"
		id[i], file[i] = int64(1000+i), fmt.Sprintf("scan%d.nii", i)
		cleaning = append(cleaning, dag.InputOf(artifacts.NewTable(
			artifacts.Column{Name: "volumes", Values: []int32{146}}, artifacts.Column{Name: "kept", Values: []int32{int32(140 + i%2)}},
			artifacts.Column{Name: "mean_fd", Values: []float64{math.NaN()}}), dag.Coord{Axis: "subject", Value: ids[i]}))
	}
	age[3], sex[4] = math.NaN(), "n/a"
	people = peopleWith(artifacts.Column{Name: "age", Values: age}, artifacts.Column{Name: "sex", Values: sex}, artifacts.Column{Name: "site", Values: site},
		artifacts.Column{Name: "sub_id", Values: id}, artifacts.Column{Name: "file", Values: file})
	in := map[string][]dag.Input{"participants": {dag.InputOf(people)}, "cleaning": cleaning}
	out := mustRun(t, &Covariates{Within: "site", Permutations: 199}, in)["checks"].(*artifacts.Table)
	if got, _ := out.Strings("covariate"); !slices.Equal(got, []string{"age", "sex", "site", "volumes", "kept"}) {
		t.Errorf("covariates %v", got)
	}
	for column, want := range map[string][]float64{
		"n": {39, 39, 40, 40, 40}, "missing": {1, 1, 0, 0, 0}, "auc": {1, (1 + 10./19 - 0.5) / 2, 0.5, 0.5, 1}, // 10 of 19 and 10 of 20 are M
	} {
		if got := floatsOf(t, out, column); !near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	if p := floatsOf(t, out, "p"); p[0] != 1./200 || p[1] < 0.3 || p[2] != 1 || p[3] != 1 || p[4] != 1./200 {
		t.Errorf("p: %v", p)
	}
	if values, _ := out.Strings("values"); values[1] != "ASD 9 F, 10 M · HC 10 F, 10 M" || values[2] != "ASD 20 one · HC 20 one" || values[4] != "ASD 140 (0) · HC 141 (0)" {
		t.Errorf("values: %q", values)
	}
	in = summaryInputs(t, people)
	in["covariates"] = []dag.Input{dag.InputOf(out)}
	in["comparison"] = []dag.Input{dag.InputOf(mustRun(t, &Compare{}, map[string][]dag.Input{
		"predictions": slices.Concat(twoFolds("bad", 0.1, 0.2, 0.9, 0.3), twoFolds("good", 0.1, 0.9, 0.1, 0.6))})["pairs"])}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{"age 1.00 (p=0.005) · sex", "age alone tells the groups apart (AUC 1.00,", "bad against good 0.250 to 1.000 0 : 3 p=0.25 (0.25)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestCovariatesRefuses(t *testing.T) {
	in := map[string][]dag.Input{"participants": {dag.InputOf(peopleWith())}}
	if _, err := runStage(t, &Covariates{Columns: []string{"height"}, Permutations: 99}, in); err == nil || !strings.Contains(err.Error(), `no column "height"`) {
		t.Errorf("got %v", err)
	}
	if _, err := runStage(t, &Covariates{Columns: []string{"group"}, Permutations: 99}, in); err == nil || !strings.HasSuffix(err.Error(), "columns: group is no covariate") {
		t.Errorf("got %v", err)
	}
}
