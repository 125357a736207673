package finding

import (
	"fmt"
	"math"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// questions counts the groups of findings that question a page.
func questions(l List) (n int) {
	for _, g := range l.Grouped() {
		if g.Questions() {
			n++
		}
	}
	return n
}

// Of the findings of a study, those about other models and other fits overturn nothing of some models; a test that is
// not above chance does, and does not question the measure.
func TestOverturnsModels(t *testing.T) {
	of := func(c []dag.Coord) bool { return column.ValueOn(c, "stage") == "train" }
	behind := func(stage string) bool { return stage == "fit" }
	subject := func(stage string) string { return `{"classifier":"x","setting":{"stage":"` + stage + `"}}` }
	for _, c := range []struct{ code, weight, subject, numbers, want string }{
		{"noted.text", "overturns", "", `{"Note":"relatives"}`, "true true"},
		{"noted.text", "limits", "", `{"Note":"relatives"}`, "false false"},
		{"covariate.predicts-group", "overturns", "", "", "true true"},
		{"fit.one-group", "overturns", "", `{"Stage":"fit"}`, "true true"},
		{"fit.one-group", "overturns", "", `{"Stage":"other"}`, "false false"},
		{"accuracy.not-above-chance", "overturns", subject("train"), "", "true false"},
		{"accuracy.not-above-chance", "overturns", subject("linear"), "", "false false"},
		{"accuracy.near-perfect", "overturns", subject("train"), "", "true true"},
		{"ranking.worse-than-reference", "overturns", "", "", "false false"},
		{"edges.smaller-varies", "overturns", "", "", "false false"},
		{"test.null-above-chance", "limits", subject("train"), `{"Differ":true}`, "true true"},
		{"test.null-above-chance", "limits", subject("train"), `{"Differ":false}`, "false false"},
		{"test.null-above-chance", "limits", subject("linear"), `{"Differ":true}`, "false false"},
		{"leakage.unchecked-program", "overturns", `{"stage":"fit"}`, "", "true true"},
		{"leakage.unchecked-program", "overturns", `{"stage":"other"}`, "", "false false"},
	} {
		f := need.Value(Parse(c.code, c.weight, c.subject, c.numbers))(t)
		is, questions := f.OverturnsModels(of, behind)
		need.Equal(t, fmt.Sprint(is, questions), c.want, c)
	}
	_, err := Parse("a", "unknown", "", "")
	need.Error(t, err, "unknown weight")
}

// The same finding is listed once: values are compared, not how they print.
func TestAdd(t *testing.T) {
	of := func(numbers any, who ...string) Finding {
		return Finding{"a", Limits, Subject{Participants: who}, numbers}
	}
	type numbers struct{ N, P any }
	for _, c := range []struct {
		first, second Finding
		same          bool
	}{
		{of(nil), of(nil), true},
		{of(map[string]any{"P": math.NaN(), "N": 1}), of(map[string]any{"N": 1, "P": math.NaN()}), true},
		{of(numbers{1, math.NaN()}), of(&numbers{1, math.NaN()}), true},
		{of(map[string]any{"N": 1}), of(map[string]any{"N": 2}), false},
		{of(map[string]any{"N": 1}), of(map[string]any{"N": "1"}), false},
		{of(map[string]any{"N": []string{"a b"}}), of(map[string]any{"N": []string{"a", "b"}}), false},
		{of(nil, "a b"), of(nil, "a", "b"), false},
	} {
		var all List
		all.Add(c.first, c.second)
		need.Equal(t, len(all) == 1, c.same, c.first, c.second)
	}
}
