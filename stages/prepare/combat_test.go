package prepare

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// harmonized is one participant after combat.
func harmonized(t *testing.T, in map[string][]dag.Input, fitted artifacts.Value, at int) (before, after []float64) {
	t.Helper()
	out := stagetest.MustRun(t, stagetest.Fresh("harmonize", "subject", in["matrices"][at].Coord("subject")),
		map[string][]dag.Input{
			"matrices": in["matrices"][at : at+1], "participants": in["participants"], "fitted": {dag.InputOf(fitted)}})
	a := need.Value(in["matrices"][at].Array())(t)
	return a.Float64s(), out["matrices"].(*encoding.Array).Float64s()
}

// Without shrinkage and scales, whoever is trained on has the mean of everybody at
// every site, once age is accounted for: by the slow definition.
func TestCombatTakesSitesOut(t *testing.T) {
	in := stagetest.SitedInputs(t)
	out := stagetest.MustRun(t, stagetest.Fresh("combat", "empirical_bayes", false, "mean_only", true, "preserve",
		[]any{"age", "sex"}), in)
	var taught []string
	for id := range strings.FieldsSeq(strings.NewReplacer(`"`, "", "[", "", "]", "", ",",
		" ").Replace(out["fitted"].(*encoding.Table).Meta["participants"])) {
		taught = append(taught, id)
	}
	if len(taught) != 16 {
		t.Fatalf("learnt from %d: %v", len(taught), taught)
	}
	slope := stagetest.FloatsOf(t, out["fitted"].(*encoding.Table), "slope_age")
	sex := stagetest.FloatsOf(t, out["fitted"].(*encoding.Table), "slope_sex=M")
	kept := 0 // numbers of the fit that harmonize keeps: all columns of them
	for _, c := range out["fitted"].(*encoding.Table).Columns {
		if v, ok := c.Values.([]float64); ok {
			kept += len(v)
		}
	}
	_, fit, err := recentFit(dag.InputOf(out["fitted"]), in["participants"][0])
	need.NoError(t, err)
	need.Equal(t, knownFit{fit: fit}.numbers(), kept)
	if _, _, err := recentFit(dag.InputOf(out["fitted"]), dag.InputOf(out["fitted"])); err == nil {
		t.Error("another table of participants is taken for the one before")
	}
	people, _ := in["participants"][0].Table()
	ages, _ := people.Floats("age")
	sexes, _ := people.Strings("sex")
	ids, _ := people.Strings("participant_id")
	sum, n := map[string]float64{}, map[string]float64{}
	for j, id := range ids {
		before, after := harmonized(t, in, out["fitted"], j)
		for d := range 2 {
			for a := range 5 {
				for b := range 5 {
					k := d*25 + a*5 + b
					if after[k] != after[d*25+b*5+a] || a == b && after[k] != 1 || j == 0 && (a == 4 || b == 4) &&
						after[k] != before[k] {
						t.Fatalf("%s, draw %d: %v at %d, %d, before %v", id, d, after[k], a, b, before[k])
					}
				}
			}
		}
		if slices.Contains(taught, id) {
			z := math.Atanh(after[0*5+1]) - slope[0]*ages[j]
			if sexes[j] == "M" {
				z -= sex[0]
			}
			site := string(rune('a' + j%3))
			sum[site] += z
			n[site]++
		}
	}
	a, b, c := sum["a"]/n["a"], sum["b"]/n["b"], sum["c"]/n["c"]
	if math.Abs(a-b) > 1e-12 || math.Abs(a-c) > 1e-12 {
		t.Errorf("means of the sites: %v, %v, %v", a, b, c)
	}
}

// Whom the fold tests moves nothing that is learnt; whom it trains on does.
func TestCombatDoesNotLearnFromTheTested(t *testing.T) {
	in := stagetest.SitedInputs(t)
	s := stagetest.Fresh("combat", "preserve", []any{"age"})
	first := stagetest.Encoded(t, stagetest.MustRun(t, s, in)["fitted"])
	folds, _ := in["folds"][0].Table()
	ids, _ := folds.Strings("participant_id")
	fold, _ := folds.Ints("fold")
	for _, c := range []struct {
		fold int64
		same bool
	}{{1, true}, {2, false}} {
		at := slices.Index(fold, c.fold)
		changed := stagetest.SitedInputs(t)
		i := slices.IndexFunc(changed["matrices"], func(in dag.Input) bool { return in.Coord("subject") == ids[at] })
		a, _ := changed["matrices"][i].Array()
		v := slices.Clone(a.Float64s())
		v[1], v[5] = 0.9, 0.9
		changed["matrices"][i] = dag.InputOf(encoding.NewArray(v, 2, 5, 5), changed["matrices"][i].Coords...)
		people, _ := changed["participants"][0].Table()
		ages, _ := people.Column("age")
		ages.Values.([]float64)[i] = 99
		need.Equal(t, bytes.Equal(first, stagetest.Encoded(t,
			stagetest.MustRun(t, s, changed)["fitted"])), c.same, ids[at], "who is tested in fold", c.fold, "is changed, and the fit of fold 1 is the same")
	}
}

func TestCombatRefuses(t *testing.T) {
	leftOut := func(in map[string][]dag.Input) {
		in["folds"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("split", "leave_out", "site"),
			map[string][]dag.Input{"participants": in["participants"]})["folds"])}
	}
	name := func(name string, values any) func(map[string][]dag.Input) {
		return func(in map[string][]dag.Input) {
			p, _ := in["participants"][0].Table()
			p.Columns = append(slices.DeleteFunc(slices.Clone(p.Columns),
				func(c encoding.Column) bool { return c.Name == name }), encoding.Column{Name: name, Values: values})
			in["participants"] = []dag.Input{dag.InputOf(p)}
		}
	}
	diagnosis, half := make([]int32, stagetest.Sited), make([]float64, stagetest.Sited)
	for j := range diagnosis {
		diagnosis[j], half[j] = int32(j%2), float64(j%3)
	}
	lone := slices.Repeat([]string{"a", "b"}, stagetest.Sited/2)
	lone[0], lone[1] = "c", "c"
	for _, c := range []struct {
		name   string
		stage  dag.Stage
		change func(map[string][]dag.Input)
		want   string
	}{
		{"the group", stagetest.Fresh("combat", "preserve", []any{"age", "group"}), func(map[string][]dag.Input) {},
			"preserve: group is the label to predict"},
		{"the group as sites", stagetest.Fresh("combat", "site", "group"), func(map[string][]dag.Input) {},
			"site: group is the label to predict"},
		{"sites of one group each", stagetest.Fresh("combat"), name("site", slices.Repeat([]string{"a", "b"},
			stagetest.Sited/2)), "site: every value of site has participants of one group alone"},
		{"the group by another name", stagetest.Fresh("combat", "preserve", []any{"dx"}), name("dx", diagnosis), "preserve: dx stands for the group (AUC 1.000"},
		{"the site twice", stagetest.Fresh("combat", "preserve", []any{"half"}), name("half", half), "preserve: half does not vary within the sites"},
		{"no column", stagetest.Fresh("combat", "preserve", []any{"iq"}), func(map[string][]dag.Input) {}, `"iq"`},
		{"a small site", stagetest.Fresh("combat"), name("site", lone), "fewer than 3 training participants for site c ("},
		{"a site that is not known", stagetest.Fresh("combat"), name("site", func() []float64 {
			v := slices.Repeat([]float64{1, 1, 2, 2}, stagetest.Sited/4+1)[:stagetest.Sited]
			v[4] = math.NaN() // trained on
			return v
		}()), "site of sub-005 is unknown: fill it in, or exclude the participant"},
		{"one site", stagetest.Fresh("combat"), name("site", slices.Repeat([]string{"a"}, stagetest.Sited)), "only one site has enough training participants, a: nothing to harmonize"},
		{"no reference", stagetest.Fresh("combat", "reference", "d"), func(map[string][]dag.Input) {}, `reference: there is no site "d" with training participants`},
		{"a fit on all", stagetest.Fresh("combat"), func(in map[string][]dag.Input) {
			f, _ := in["folds"][0].Table()
			fold, _ := f.Column("fold")
			for i, v := range fold.Values.([]int32) {
				fold.Values.([]int32)[i] = max(2, v)
			}
			in["folds"] = []dag.Input{dag.InputOf(f)}
		}, "no test participants in fold 1 of repeat 1: a fit on all participants includes every test participant"},
		{"of another fold", stagetest.Fresh("combat"), func(in map[string][]dag.Input) {
			in["matrices"][3].Coords = append(in["matrices"][3].Coords, dag.Coord{Axis: "fold", Value: "2"})
		}, "belongs to fold 2, but fold 1 is tested here"},
		{"z for r", stagetest.Fresh("combat"), func(in map[string][]dag.Input) {
			folds, _ := in["folds"][0].Table()
			fold, _ := folds.Ints("fold")
			at := slices.IndexFunc(fold, func(f int64) bool { return f != 1 })
			in["matrices"][at] = dag.InputOf(encoding.NewArray(slices.Repeat([]float64{1.5}, 25), 1, 5, 5),
				in["matrices"][at].Coords...)
		}, "is 1.5: not a correlation; if these are Fisher's z already, set transform: none in the stage combat"},
	} {
		in := stagetest.SitedInputs(t)
		c.change(in)
		if _, err := stagetest.RunStage(t, c.stage, in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	// Of a site of which nobody is trained on.
	in := stagetest.SitedInputs(t)
	leftOut(in)
	for _, few := range []string{"refuse", "keep"} {
		fitted := stagetest.MustRun(t, stagetest.Fresh("combat", "few", few), in)["fitted"]
		for at, learnt := range []bool{false, true} { // fold 1 leaves a out, whose is the first
			ins := map[string][]dag.Input{"matrices": in["matrices"][at : at+1], "participants": in["participants"],
				"fitted": {dag.InputOf(fitted)}}
			if few == "refuse" && !learnt {
				if _, err := stagetest.RunStage(t, stagetest.Fresh("harmonize", "subject", "sub-001"),
					ins); err == nil || !strings.Contains(err.Error(), "sub-001 is of site a, which has no training participants in fold 1 (fitted: b, c)") {
					t.Errorf("a site that was left out: %v", err)
				}
				continue
			}
			before, after := harmonized(t, in, fitted, at)
			if slices.Equal(before, after) == learnt {
				t.Errorf("few: %s, learnt %v: the matrices are the same", few, learnt)
			}
		}
	}
	// The quality says by what, so that a model refuses graphs that are not harmonized.
	in = stagetest.SitedInputs(t)
	made := func(at string, quality ...dag.Input) (string, dag.Input) {
		fitted := stagetest.MustRun(t, stagetest.Fresh("combat", "reference", at), in)["fitted"]
		out := stagetest.MustRun(t, stagetest.Fresh("harmonize", "subject", "sub-001"), map[string][]dag.Input{
			"matrices": in["matrices"][:1], "participants": in["participants"], "fitted": {dag.InputOf(fitted)},
			"quality": quality})["quality"]
		return out.(*encoding.Table).Meta["made"], dag.InputOf(out)
	}
	first, quality := made("a", dag.InputOf(column.WithMeta(encoding.NewTable(encoding.Column{Name: "draw",
		Values: []int32{0, 1}}), map[string]string{"made": `{"connectivity.rho":0.1}`})))
	second, _ := made("b", quality)
	alone, _ := made("b")
	fits := func(made string) []string { return column.MadeValue[[]string](made, "harmonize.fitted") }
	if !slices.Equal(fits(second), slices.Concat(fits(first), fits(alone))) || len(fits(first)) != 1 ||
		len(column.Made(alone)) != 1 || column.MadeValue[float64](second, "connectivity.rho") != 0.1 {
		t.Errorf("made as\n%s, then\n%s, and alone\n%s", first, second, alone)
	}
	// An unknown category.
	in = stagetest.SitedInputs(t)
	people, _ := in["participants"][0].Table()
	folds, _ := in["folds"][0].Table()
	fold, _ := folds.Ints("fold")
	at := slices.Index(fold, 1)
	sex, _ := people.Column("sex")
	sex.Values.([]string)[at] = "X"
	in["participants"] = []dag.Input{dag.InputOf(people)}
	fitted := stagetest.MustRun(t, stagetest.Fresh("combat", "preserve", []any{"sex"}), in)["fitted"]
	_, err := stagetest.RunStage(t, stagetest.Fresh("harmonize", "subject", in["matrices"][at].Coord("subject")),
		map[string][]dag.Input{"matrices": in["matrices"][at : at+1], "participants": in["participants"],
			"fitted": {dag.InputOf(fitted)}})
	if want := fmt.Sprintf("sex of sub-%03d is X, which no training participant has (F, M)", at+1); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an unknown category: %v", err)
	}
	// A category in codes, and without a value.
	for code, want := range map[float64]string{2: "is the code 2, but the values in training are F, M: write these values into the column",
		math.NaN(): "is unknown, but is to be preserved: fill it in (F, M)"} {
		coded := encoding.NewTable(slices.Clone(people.Columns)...)
		for i, c := range coded.Columns {
			if c.Name == "sex" {
				coded.Columns[i] = encoding.Column{Name: "sex", Values: slices.Repeat([]float64{1}, coded.Rows())}
				coded.Columns[i].Values.([]float64)[at] = code
			}
		}
		_, err := stagetest.RunStage(t, stagetest.Fresh("harmonize", "subject", in["matrices"][at].Coord("subject")),
			map[string][]dag.Input{"matrices": in["matrices"][at : at+1], "participants": {dag.InputOf(coded)},
				"fitted": {dag.InputOf(fitted)}})
		need.Error(t, err, fmt.Sprintf("sex of sub-%03d ", at+1)+want)
	}
}
