package learn

import (
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/finding"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/stagetest"
)

// deconfounded has the inputs of trainings on matrices without the effects of age and sex, and those of the
// application: the matrices before that, and the participants.
func deconfounded(t *testing.T, tangent bool, parameters ...any) (train, apply, raw map[string][]dag.Input) {
	t.Helper()
	n := 40
	if tangent {
		n = 16 // whose matrices are positive definite
	}
	raw = stagetest.NewCorrStudy(t, n).Inputs()
	ids, age, sex := make([]string, n), make([]float64, n), make([]string, n)
	for i := range ids {
		ids[i], age[i], sex[i] = raw["pearson"][i].Coord("subject"), 8+float64(i*7%11), []string{"F", "M", "M"}[i%3]
	}
	people := dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "age", Values: age}, encoding.Column{Name: "sex", Values: sex}))
	quality := func(m dag.Input) dag.Input {
		q := encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1, 2}})
		q.Meta = map[string]string{"made": `{"denoise.fd":0.5}`}
		return dag.InputOf(q, m.Coords...)
	}
	apply = map[string][]dag.Input{"participants": {people}}
	train = map[string][]dag.Input{"folds": raw["folds"]}
	matrices, made, port := raw["pearson"], []dag.Input(nil), "pearson"
	for _, m := range matrices {
		made = append(made, quality(m))
	}
	apply["matrices"], apply["quality"] = matrices, made
	if tangent {
		port = "tangent"
		fitted := dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("tangent", "fold", 2), map[string][]dag.Input{
			"matrices": matrices, "folds": raw["folds"]})["fitted"])
		train["fitted"] = []dag.Input{fitted}
		var projected, known []dag.Input
		for i, m := range matrices {
			out := stagetest.MustRun(t, stagetest.Fresh("project"), map[string][]dag.Input{"matrices": {m},
				"fitted":  {fitted},
				"quality": {made[i]}})
			projected = append(projected, dag.InputOf(out["matrices"], m.Coords...))
			known = append(known, dag.InputOf(out["quality"], m.Coords...))
		}
		matrices, made = projected, known
	}
	fit := stagetest.MustRun(t, stagetest.Fresh("deconfound", append([]any{"fold", 2, "covariates", []any{"age",
		"sex"}},
		parameters...)...), map[string][]dag.Input{"matrices": matrices, "folds": raw["folds"],
		"participants": {people}})
	train["removed"] = []dag.Input{dag.InputOf(fit["fitted"])}
	for i, m := range matrices {
		out := stagetest.MustRun(t, stagetest.Fresh("residualize", "subject", m.Coord("subject")),
			map[string][]dag.Input{
				"matrices": {m}, "fitted": train["removed"], "design": {dag.InputOf(fit["design"])},
				"quality": {made[i]}})
		train[port] = append(train[port], dag.InputOf(out["matrices"], m.Coords...))
		train["quality"] = append(train["quality"], dag.InputOf(out["quality"], m.Coords...))
	}
	return train, apply, raw
}

// A model of deconfounded matrices is applied to matrices before that, by the fit in its file: the training cohort gets
// the probabilities and the residuals of the training, to the bit, whose scans are found under other ids, too.
func TestPredictRemovesCovariates(t *testing.T) {
	for name, c := range map[string]struct {
		tangent    bool
		parameters []any
	}{
		"fisher":  {false, nil},
		"kept":    {false, []any{"mean", "kept", "spline", true}},
		"tangent": {true, []any{"transform", "tangent"}},
		"group":   {false, []any{"controls", "HC", "covariates", []any{"age"}}},
	} {
		train, apply, _ := deconfounded(t, c.tangent, c.parameters...)
		out := stagetest.MustRun(t, stagetest.Quickly("ridge"), train)
		apply["model"] = []dag.Input{dag.InputOf(out["file"])}
		got := stagetest.MustRun(t, &Predict{}, apply)
		learned := stagetest.FloatsOf(t, out["predictions"], "p_HC")
		if p := stagetest.FloatsOf(t, got["predictions"], "p_HC"); !slices.Equal(p, learned) {
			t.Errorf("%s: probabilities %v, want %v", name, p, learned)
		}
		people := got["participants"].(*encoding.Table)
		if known := need.Value(people.Ints("trained"))(t); !slices.Contains(known, 1) || !slices.Contains(known, 0) {
			t.Errorf("%s: in training %v", name, known)
		}
		applied := need.Value(finding.ReadApplied(people))(t)
		want := [2]string{"[age sex] 0 ", ""}
		if name == "group" {
			want = [2]string{"[age] 0 HC", "applied.one-group "}
		}
		need.Equal(t, fmt.Sprint(applied.Deconfounded, len(applied.Same), " ", applied.FittedTo), want[0], name)
		need.Equal(t, stagetest.Codes(t, people), "applied.trained "+want[1]+"applied.deconfounded applied.unnamed", name)

		renamed := maps.Clone(apply)
		renamed["matrices"], renamed["quality"] = nil, nil
		table := need.Value(apply["participants"][0].Table())(t)
		var ids []string
		for i, m := range apply["matrices"] {
			ids = append(ids, fmt.Sprintf("new-%02d", i))
			to := []dag.Coord{{Axis: "subject", Value: ids[i]}}
			q := apply["quality"][i]
			m.Coords, q.Coords = to, to
			renamed["matrices"], renamed["quality"] = append(renamed["matrices"], m), append(renamed["quality"], q)
		}
		columns := append([]encoding.Column{{Name: "participant_id", Values: ids}}, table.Columns[1:]...)
		renamed["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(columns...))}
		applied = need.Value(finding.ReadApplied(stagetest.MustRun(t, &Predict{},
			renamed)["participants"].(*encoding.Table)))(t)
		need.Equal(t, len(applied.Same), len(ids)*3/4, name)

		if !c.tangent { // the matrices of the training itself are without these effects already
			own := map[string][]dag.Input{"model": apply["model"], "matrices": train["pearson"],
				"quality":      train["quality"],
				"participants": apply["participants"]}
			if p := stagetest.FloatsOf(t, stagetest.MustRun(t, &Predict{}, own)["predictions"],
				"p_HC"); !slices.Equal(p, learned) {
				t.Errorf("%s: of residuals, probabilities %v, want %v", name, p, learned)
			}
		}
	}
}

// What the covariates of new participants lack is refused with the cause: columns, values, categories, units.
func TestPredictRefusesCovariates(t *testing.T) {
	train, apply, raw := deconfounded(t, false)
	apply["model"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, stagetest.Quickly("ridge"), train)["file"])}
	table := need.Value(apply["participants"][0].Table())(t)
	with := func(name string, values any) func(map[string][]dag.Input) {
		return func(in map[string][]dag.Input) {
			columns := slices.Clone(table.Columns)
			at := slices.IndexFunc(columns, func(c encoding.Column) bool { return c.Name == name })
			columns[at].Values = values
			if values == nil {
				columns = slices.Delete(columns, at, at+1)
			}
			in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(columns...))}
		}
	}
	age := slices.Clone(table.Columns[1].Values.([]float64))
	age[3] = math.NaN()
	sex := slices.Clone(table.Columns[2].Values.([]string))
	sex[5] = "X"
	months := slices.Clone(table.Columns[1].Values.([]float64))
	for i := range months {
		months[i] *= 12
	}
	for _, c := range []struct {
		change func(map[string][]dag.Input)
		want   string
	}{
		{func(in map[string][]dag.Input) { delete(in, "participants") }, "the effects of age, sex were removed from the matrices and must also be removed from those of the new participants: connect participants"},
		{with("age", nil), "column \"age\""},
		{with("age", age), "cannot be removed from the matrices of sub-004 (age is missing)"},
		{with("age", slices.Repeat([]string{"old"}, 40)), "age has text values, but numbers in the fit"},
		{with("age", months), "in training: is it in different units?"},
		{with("sex", sex), "sub-006 (sex is X, which no participant of the fit has (F, M))"},
		{func(in map[string][]dag.Input) {
			in["quality"] = slices.Clone(in["quality"])
			for i, q := range in["quality"] {
				of := *need.Value(q.Table())(t)
				of.Meta = map[string]string{"made": `{"denoise.fd":0.5,"residualize.fitted":["ab"]}`}
				in["quality"][i] = dag.InputOf(&of, q.Coords...)
			}
		}, "residualize changed the new data by a fit that the models do not have (residualize.fitted)"},
	} {
		in := maps.Clone(apply)
		c.change(in)
		_, err := stagetest.RunStage(t, &Predict{}, in)
		need.Error(t, err, c.want)
	}
	// A fit that is not that of the matrices is refused in training.
	other := stagetest.MustRun(t, stagetest.Fresh("deconfound", "fold", 2, "covariates", []any{"age"}),
		map[string][]dag.Input{"matrices": raw["pearson"], "folds": raw["folds"],
			"participants": apply["participants"]})
	train["removed"] = []dag.Input{dag.InputOf(other["fitted"])}
	_, err := stagetest.RunStage(t, stagetest.Quickly("ridge"), train)
	need.Error(t, err, "is not the fit that residualize removed from the matrices")
	// Without the fit, the file has none, and is refused as before.
	delete(train, "removed")
	apply["model"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, stagetest.Quickly("ridge"), train)["file"])}
	_, err = stagetest.RunStage(t, &Predict{}, apply)
	need.Error(t, err, "the model files do not have this fit")
}

// numpy and scikit-learn, from exported data alone, remove the same effects from participants of the test fold, and
// predict the same probabilities.
func TestRemovalAgreesWithScikitLearn(t *testing.T) {
	python := need.Python(t, "numpy", "sklearn")
	train, apply, raw := deconfounded(t, false)
	out := stagetest.MustRun(t, stagetest.Quickly("ridge"), train)
	apply["model"] = []dag.Input{dag.InputOf(out["file"])}
	got := stagetest.FloatsOf(t, stagetest.MustRun(t, &Predict{}, apply)["predictions"], "p_HC")
	dir := t.TempDir()
	save := func(name string, v artifacts.Value) {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), stagetest.Encoded(t, v), 0o666))
	}
	var matrices []float64
	for _, m := range raw["pearson"] {
		matrices = append(matrices, need.Value(m.Array())(t).Float64s()...)
	}
	save("r.npy", encoding.NewArray(matrices, 40, 3, 5, 5))
	table := need.Value(apply["participants"][0].Table())(t)
	save("age.npy", encoding.NewArray(table.Columns[1].Values.([]float64), 40))
	var male, test, hc []float64
	for i, s := range table.Columns[2].Values.([]string) {
		male, hc = append(male, map[string]float64{"M": 1}[s]), append(hc, float64(i%2))
	}
	folds := need.Value(raw["folds"][0].Table())(t)
	for i, f := range need.Value(folds.Floats("fold"))(t) {
		test = append(test, map[bool]float64{true: 1}[f == 2])
		hc[i] = map[string]float64{"HC": 1}[need.Value(folds.Strings("group"))(t)[i]]
	}
	save("male.npy", encoding.NewArray(male, 40))
	save("test.npy", encoding.NewArray(test, 40))
	save("hc.npy", encoding.NewArray(hc, 40))
	save("p.npy", encoding.NewArray(got, 80))
	text, err := exec.Command(python, "-c", `
import sys, os, numpy as np
from sklearn.linear_model import LinearRegression, Ridge
os.chdir(sys.argv[1])
r, age, male, test, hc, p = (np.load(n + ".npy") for n in "r age male test hc p".split())
i, j = np.triu_indices(5, 1)
z = np.arctanh(r[:, :, i, j])
design, fit = np.c_[age, male], test == 0
confounds = LinearRegression().fit(design[fit], z[fit, 0])   # draw 0
residual = z - confounds.predict(design)[:, None]
x = residual[:, 1:].reshape(80, -1)
y, taught = np.repeat(2 * hc - 1, 2), np.repeat(fit, 2)
f = Ridge(alpha=1.0).fit(x[taught], y[taught]).predict(x)
print(np.abs(1 / (1 + np.exp(-f)) - p).max())
`, dir).CombinedOutput()
	need.NoError(t, err, string(text))
	var apart float64
	need.Value(fmt.Sscan(string(text), &apart))(t)
	if !(apart < 1e-10) {
		t.Errorf("probabilities differ by %v", apart)
	}
}

// A file whose fit was altered, and given a new digest, is refused.
func TestRemovalOfAlteredFiles(t *testing.T) {
	train, _, _ := deconfounded(t, false)
	b := stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Quickly("ridge"), train)["file"])
	arrays, about, err := modelfile.Unpack(b)
	need.NoError(t, err)
	for name, change := range map[string]func(about map[string]any, all map[string]*encoding.Array){
		"missing": func(_ map[string]any, all map[string]*encoding.Array) { delete(all, "removed_fitted") },
		"shape": func(_ map[string]any, all map[string]*encoding.Array) {
			all["removed_fitted"] = encoding.NewArray(make([]int32, 3), 3)
		},
		"type": func(_ map[string]any, all map[string]*encoding.Array) {
			all["removed_fitted"] = encoding.NewArray(make([]float64, 10), 10)
		},
		"not finite": func(_ map[string]any, all map[string]*encoding.Array) {
			all["removed_coefficients"] = encoding.NewArray(slices.Repeat([]float64{math.NaN()}, 30), 3, 10)
		},
		"nodes": func(about map[string]any, _ map[string]*encoding.Array) {
			about["removed"].(map[string]any)["nodes"] = 1 << 40
		},
		"terms": func(about map[string]any, _ map[string]*encoding.Array) {
			about["removed"].(map[string]any)["terms"] = nil
		},
	} {
		of := map[string]any{}
		need.NoError(t, modelfile.Decode(about, &of))
		delete(of, "content")
		all := maps.Clone(arrays)
		change(of, all)
		var list []modelfile.Array
		for name, a := range all {
			list = append(list, modelfile.Array{Name: name, Values: a})
		}
		if _, err := modelfile.Read(need.Value(modelfile.Pack(of, list))(t).Data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
