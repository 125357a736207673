package assess_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// multiverseInputs trains ridge regression in the 12 universes of the fixture, in each under all label permutations.
func multiverseInputs(t *testing.T) map[string][]dag.Input {
	read := func(name string) *encoding.Array {
		f := need.Value(os.Open(need.Shared(t, "fixtures", "questions", "multiverse", name+".npy")))(t)
		defer f.Close()
		return need.Value(encoding.ReadArray(f))(t)
	}
	file := need.Value(os.Open(need.Shared(t, "fixtures", "questions", "multiverse", "universes.csv")))(t)
	defer file.Close()
	y, of, motion, perm := read("y").Float64s(), read("fold").Float64s(), read("motion").Float64s(), read("perm")
	n := len(y)
	in := map[string][]dag.Input{}
	for _, u := range need.Value(csv.NewReader(file).ReadAll())(t)[1:] {
		x := read("edges_" + u[1])
		d := x.Shape[1]
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = features(x.Float64s()[i*d:][:d], u[2])
		}
		penalty := need.Value(strconv.ParseFloat(u[3], 64))(t)
		for f := range 4 {
			set := baseline.Rows{D: d}
			var at []int
			train := 0
			for _, test := range []bool{false, true} {
				for i := range n {
					if (int(of[i]) == f) == test && (u[4] == "all" || motion[i] < 0.3) {
						at, set.X = append(at, i), append(set.X, rows[i]...)
					}
				}
				if !test {
					train = len(at)
				}
			}
			set.N = len(at)
			label := func(b, i int) int { return int(1+y[int(perm.Float64s()[b*n+i])]) / 2 }
			var labels [][]int
			for b := range perm.Shape[0] {
				one := lists.Map(at[:train], func(i int) int { return label(b, i) })
				labels = append(labels, one)
			}
			again := need.Value(baseline.RetrainRidge(set, train, penalty, 1))(t)
			p := need.Value(again.Probabilities(t.Context(), labels, 2))(t)
			var table []fold.PermutedRow
			var first [][3]any
			for b := range p {
				var cases []fold.Case
				changed := int32(0)
				for k, i := range at[train:] {
					c := fold.OverDraws([]fold.Case{{Id: fmt.Sprint(i), Label: label(b, i),
						Probability: p[b][2*k:][:2]}})[0]
					c.Label = label(b, i)
					if cases = append(cases, c); c.Label != label(0, i) {
						changed++
					}
					if b == 0 {
						first = append(first, [3]any{c.Id, c.Label, c.Probability[1]})
					}
				}
				for _, row := range fold.ScoreGroups(cases, []string{"a", "b"}) {
					row.Permutation, row.Repeat, row.Fold, row.Changed = int32(b), 1, int32(f+1), changed
					table = append(table, row)
				}
			}
			coords := []dag.Coord{{Axis: "atlas", Value: u[1]}, {Axis: "features", Value: u[2]},
				{Axis: "fold", Value: fmt.Sprint(f + 1)},
				{Axis: "participants", Value: strings.ReplaceAll(u[4], "<", "-")}, {Axis: "penalty", Value: u[3]}}
			in["permuted"] = append(in["permuted"], dag.InputOf(column.Table(table), coords...))
			in["predictions"] = append(in["predictions"],
				dag.InputOf(stagetest.OneFold(int32(f+1), [2]string{"a", "b"}, first...), coords...))
		}
	}
	return in
}

// features are edges as Fisher's z, or centered and of length 1.
func features(edges []float64, kind string) []float64 {
	out := make([]float64, len(edges))
	mean, squares := 0.0, 0.0
	for i, r := range edges {
		out[i] = math.Atanh(r)
		mean += r / float64(len(edges))
	}
	if kind == "z" {
		return out
	}
	for _, r := range edges {
		squares += (r - mean) * (r - mean)
	}
	for i, r := range edges {
		out[i] = (r - mean) / math.Sqrt(squares)
	}
	return out
}

// TestMultiverseOracle: effects, p and joint tests of 12 universes are those of scikit-learn and scipy.
func TestMultiverseOracle(t *testing.T) {
	in := multiverseInputs(t)
	out := stagetest.MustRun(t, stagetest.Fresh("multiverse"), in)
	joint := need.Value(column.Rows[column.JointRow](out["joint"].(*encoding.Table)))(t)
	for i, want := range []struct {
		statistic string
		value, p  float64
	}{{"median", 0.18625, 0.025}, {"share", 5.0 / 12, 0.04}, {"stouffer", 4.45953644853694, 0.055},
		{"best", 0.3402777777777778, 0.025}} {
		if got := joint[i]; got.Statistic != want.statistic || math.Abs(got.Value-want.value) > 1e-9 ||
			got.P != want.p {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	need.Equal(t, joint[0].Permutations, 199)
	need.Equal(t, joint[0].Test, true)
	universes := need.Value(column.Rows[column.UniverseRow](out["universes"].(*encoding.Table)))(t)
	best := universes[len(universes)-1]
	need.Equal(t, best.Universe, "atlas=B features=unit participants=all penalty=0.1")
	need.Equal(t, best.P, 0.01)
	need.Equal(t, column.CoordText(best.Coords), best.Universe) // the options that the figure marks
	for i, u := range universes[1:] {
		if u.Effect < universes[i].Effect || u.NullLow >= u.NullHigh || u.Weight != 1.0/12 {
			t.Errorf("%+v", u)
		}
	}
	// The second atlas has the same number of universes as the first: weights by it are equal.
	same := stagetest.MustRun(t, stagetest.Fresh("multiverse", "by", "atlas"), in)["joint"].(*encoding.Table)
	by := joint[0]
	by.By = "atlas"
	need.Equal(t, need.Value(column.Rows[column.JointRow](same))(t)[0], by)
	below := int32(0)
	for _, u := range universes {
		if u.P < 0.05 {
			below++
		}
	}
	need.Equal(t, joint[0].Significant, below)
	need.Equal(t, math.Abs(joint[1].Value-float64(below)/12) < 1e-12, true, joint[1])
	// Features of one kind have 8 universes, those of the other 4: weights differ, and counts are the same.
	out = stagetest.MustRun(t, stagetest.Fresh("multiverse", "by", "features"), in)
	weight := 0.0
	for _, u := range need.Value(column.Rows[column.UniverseRow](out["universes"].(*encoding.Table)))(t) {
		if u.P < 0.05 {
			weight += u.Weight
		}
	}
	joint = need.Value(column.Rows[column.JointRow](out["joint"].(*encoding.Table)))(t)
	need.Equal(t, joint[1].Significant, below)
	need.Equal(t, math.Abs(joint[1].Value-weight) < 1e-12 && math.Abs(weight-float64(below)/12) > 0.01, true, joint[1])
	out = stagetest.MustRun(t, stagetest.Fresh("multiverse"), in)
	options := need.Value(column.Rows[column.OptionRow](out["options"].(*encoding.Table)))(t)
	need.Equal(t, len(options), 2+2+2+3)
	need.Equal(t, options[0].Balanced, false) // penalty 0.1 is of one kind of features only
	universes = need.Value(column.Rows[column.UniverseRow](out["universes"].(*encoding.Table)))(t)
	for _, o := range options { // p of R², by the definition
		at := 0
		for b := range 200 {
			if explainedBy(t, in["permuted"], universes, o.Decision, b) >= o.Explained-1e-9 {
				at++
			}
		}
		need.Equal(t, math.Abs(o.ExplainedP-float64(at)/200) < 1e-12, true, o, at)
	}
}

// explainedBy is R² of a decision for one permutation: of the mean AUC over the folds, in each universe.
func explainedBy(t *testing.T, permuted []dag.Input, universes []column.UniverseRow, decision string, b int) float64 {
	byOption, all := map[string][]float64{}, []float64{}
	for _, u := range universes {
		sum, n := 0.0, 0.0
		for _, in := range permuted {
			if !column.Holds(in.Coords, u.Coords) {
				continue
			}
			for _, r := range need.Value(column.Read[fold.PermutedRow](in))(t) {
				if int(r.Permutation) == b {
					sum, n = sum+r.AUC, n+1
				}
			}
		}
		option := column.ValueOn(u.Coords, decision)
		byOption[option], all = append(byOption[option], sum/n), append(all, sum/n)
	}
	mean := func(x []float64) float64 { m, _ := column.MeanSD(x); return m }
	between, total := 0.0, 0.0
	for _, x := range all {
		total += (x - mean(all)) * (x - mean(all))
	}
	for _, of := range byOption {
		between += float64(len(of)) * (mean(of) - mean(all)) * (mean(of) - mean(all))
	}
	return between / total
}

// TestMultiverseRepeated: a universe with the predictions of another counts once.
func TestMultiverseRepeated(t *testing.T) {
	in := multiverseInputs(t)
	for _, port := range []string{"predictions", "permuted"} {
		for _, one := range in[port][:4] {
			again := one
			again.Coords = nil
			for _, c := range one.Coords {
				if c.Axis == "penalty" {
					c.Value = "1e9"
				}
				again.Coords = append(again.Coords, c)
			}
			in[port] = append(in[port], again)
		}
	}
	out := stagetest.MustRun(t, stagetest.Fresh("multiverse"), in)
	joint := need.Value(column.Rows[column.JointRow](out["joint"].(*encoding.Table)))(t)
	if joint[0].Universes != 12 || joint[0].Repeated != 1 || joint[0].P != 0.025 {
		t.Errorf("%+v", joint[0])
	}
	for _, u := range need.Value(column.Rows[column.UniverseRow](out["universes"].(*encoding.Table)))(t) {
		if (u.SameAs != "") != (u.Weight == 0) {
			t.Errorf("%+v", u)
		}
	}
	universes := map[string]int32{}
	for _, o := range need.Value(column.Rows[column.OptionRow](out["options"].(*encoding.Table)))(t) {
		universes[o.Decision] += o.Universes
	}
	for decision, n := range universes {
		if n != 13 {
			t.Errorf("%s: %d universes", decision, n)
		}
	}
}

// TestMultiverseExplained: an option that changes nothing explains nothing, also where universes then repeat others.
func TestMultiverseExplained(t *testing.T) {
	in := multiverseInputs(t)
	for _, port := range []string{"predictions", "permuted"} {
		for _, one := range slices.Clone(in[port]) {
			for i, option := range []string{"a", "b"} {
				again := one
				again.Coords = append(slices.Clone(one.Coords), dag.Coord{Axis: "void", Value: option})
				if i == 0 {
					in[port] = in[port][1:]
				}
				in[port] = append(in[port], again)
			}
		}
	}
	out := stagetest.MustRun(t, stagetest.Fresh("multiverse"), in)
	for _, o := range need.Value(column.Rows[column.OptionRow](out["options"].(*encoding.Table)))(t) {
		if o.Decision == "void" && (o.Universes != 12 || !(math.Abs(o.Explained) < 1e-12)) {
			t.Errorf("%+v", o)
		}
	}
}

// The ranking of a universe is by the patterns of its folds. Universes with other regions are not compared, nor are
// regions that are excluded, and a universe that repeats another counts once.
func TestMultiverseRegions(t *testing.T) {
	patterns := map[string][2][]float64{ // by model and fold; region 4 is excluded
		"a": {{5, 1, 2, math.NaN()}, {0, 1, 2, math.NaN()}},
		"b": {{1, 4, 2, math.NaN()}, {1, 1, 2, math.NaN()}},
		"c": {{9, 9, 9, math.NaN()}, {9, 0, 9, math.NaN()}},
	}
	run := func() []column.UniverseRegionRow {
		in := stagetest.Multiverse()
		for _, p := range in["predictions"] {
			at := 0
			if column.ValueOn(p.Coords, "fold") == "2" {
				at = 1
			}
			type weight struct {
				Index   int32   `column:"index"`
				Pattern float64 `column:"pattern,missing"`
			}
			var rows []weight
			for i, pattern := range patterns[column.ValueOn(p.Coords, "model")][at] {
				rows = append(rows, weight{int32(i + 1), pattern})
			}
			in["regions"] = append(in["regions"], dag.InputOf(column.Table(rows), p.Coords...))
		}
		out := stagetest.MustRun(t, stagetest.Fresh("multiverse", "top", 1), in)
		return need.Value(column.Rows[column.UniverseRegionRow](out["regions"].(*encoding.Table)))(t)
	}
	need.Equal(t, fmt.Sprint(run()), fmt.Sprint([]column.UniverseRegionRow{
		{Index: 1, Share: 0.5, Chance: 1. / 3, Rank: 2, Top: 1, Universes: 2},
		{Index: 2, Share: 0.5, Chance: 1. / 3, Rank: 2, Top: 1, Universes: 2},
		{Index: 3, Share: 0, Chance: 1. / 3, Rank: 2, Top: 1, Universes: 2}}))
	patterns["b"] = [2][]float64{{1, 4}, {1, 1}}
	need.Equal(t, len(run()), 0)
}

func TestMultiverseRefuses(t *testing.T) {
	in := multiverseInputs(t)
	run := func(want string, stage dag.Stage, change func(in map[string][]dag.Input)) {
		t.Helper()
		changed := map[string][]dag.Input{"predictions": in["predictions"], "permuted": in["permuted"]}
		change(changed)
		if _, err := stagetest.RunStage(t, stage, changed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	run("a multiverse has at least two", stagetest.Fresh("multiverse"), func(in map[string][]dag.Input) {
		in["predictions"], in["permuted"] = in["predictions"][:4], in["permuted"][:4]
	})
	run("no models retrained on permuted labels of atlas=", stagetest.Fresh("multiverse"), func(in map[string][]dag.Input) {
		in["permuted"] = in["permuted"][:44]
	})
	run("by: universes do not differ in \"atlass\" (did you mean \"atlas\"?)", stagetest.Fresh("multiverse", "by", "atlass"),
		func(map[string][]dag.Input) {})
	run("headline: 6 settings match atlas=A", stagetest.Fresh("multiverse", "headline", []any{"atlas=A"}),
		func(map[string][]dag.Input) {})
	run("19 label permutations: a share of universes with p < 0.05 needs at least 20", stagetest.Fresh("multiverse"),
		func(in map[string][]dag.Input) { in["permuted"] = shortened(t, in["permuted"], 19, 4) })
	run("different labels are permuted", stagetest.Fresh("multiverse"), func(in map[string][]dag.Input) {
		rows := need.Value(column.Read[fold.PermutedRow](in["permuted"][0]))(t)
		for i := range rows {
			rows[i].Changed++
		}
		again := dag.InputOf(column.Table(rows), in["permuted"][0].Coords...)
		in["permuted"] = append([]dag.Input{again}, in["permuted"][1:]...)
	})
}

// Sites can leave no permutation of the labels, or fewer than 21: no table has a p then.
func TestMultiverseUntested(t *testing.T) {
	for _, distinct := range []int32{1, 16, 20, 21, 420} { // labelings, of which the permutations are
		in := stagetest.Multiverse()
		for i, of := range in["permuted"] {
			rows := need.Value(column.Read[fold.PermutedRow](of))(t)
			var all []fold.PermutedRow
			for b := range int32(420) {
				for _, r := range rows {
					if r.Permutation == min(b%distinct, 1) { // the results of one permutation, but for the AUC
						if r.Permutation = b; b%distinct > 0 {
							r.AUC = 0.4 + float64(b%distinct)/1000
						}
						all = append(all, r)
					}
				}
			}
			in["permuted"][i] = dag.InputOf(column.Table(all), of.Coords...)
		}
		out := stagetest.MustRun(t, stagetest.Fresh("multiverse"), in)
		table := func(port string) *encoding.Table { return out[port].(*encoding.Table) }
		joint := need.Value(column.Rows[column.JointRow](table("joint")))(t)
		same := (419 + int(distinct)) / int(distinct) // of 420 with the true labels
		need.Equal(t, joint[0].Least, float64(same)/420, distinct)
		untested := distinct < 21
		for _, of := range []struct{ port, column string }{{"joint", "p"}, {"universes", "p"},
			{"universes", "null_low"},
			{"options", "share"}} {
			for _, p := range stagetest.FloatsOf(t, table(of.port), of.column) {
				need.Equal(t, math.IsNaN(p), untested, distinct, of)
			}
		}
		need.Equal(t, math.IsNaN(joint[1].Value), untested, "share of p < 0.05", distinct)
	}
}

// shortened has the first permutations only, in the first tables.
func shortened(t *testing.T, tables []dag.Input, permutations int32, first int) []dag.Input {
	tables = slices.Clone(tables)
	for i, of := range tables[:first] {
		rows := slices.DeleteFunc(need.Value(column.Read[fold.PermutedRow](of))(t),
			func(r fold.PermutedRow) bool { return r.Permutation > permutations })
		tables[i] = dag.InputOf(column.Table(rows), of.Coords...)
	}
	return tables
}

// TestMultiverseUnequal: if the models of one universe are retrained on fewer permutations, all use these.
func TestMultiverseUnequal(t *testing.T) {
	in := multiverseInputs(t)
	joint := func(first int) artifacts.Value {
		return stagetest.MustRun(t, stagetest.Fresh("multiverse"), map[string][]dag.Input{
			"predictions": in["predictions"], "permuted": shortened(t, in["permuted"], 99, first)})["joint"]
	}
	one, all := joint(4), joint(len(in["permuted"]))
	if !slices.Equal(stagetest.Encoded(t, one), stagetest.Encoded(t, all)) {
		t.Error("a different joint test")
	}
	need.Equal(t, need.Value(column.Rows[column.JointRow](one.(*encoding.Table)))(t)[0].Permutations, 99)
}
