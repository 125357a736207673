package learn

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/stagetest"
)

const lackedOf = 24 // regions

// lackingInputs are noise of n participants of two groups in turn: matrices, graphs and series. lacks gives the regions
// that a participant lacks.
func lackingInputs(t *testing.T, n int, lacks func(i int) []int) map[string][]dag.Input {
	t.Helper()
	in := map[string][]dag.Input{}
	for i := range n {
		r := random.New(7, "noise", i)
		m, series := make([]float64, lackedOf*lackedOf), make([]float64, 30*lackedOf)
		gone := func(a int) bool { return slices.Contains(lacks(i), a) }
		for j := range series {
			if series[j] = r.Normal(); gone(j % lackedOf) {
				series[j] = math.NaN()
			}
		}
		var draw, source, target []int32
		var weight []float64
		for a := range lackedOf {
			m[a*lackedOf+a] = map[bool]float64{false: 1}[gone(a)]
			for b := range a {
				x := min(0.9, max(-0.9, 0.4+0.2*r.Normal()))
				if gone(a) || gone(b) {
					continue
				}
				m[a*lackedOf+b], m[b*lackedOf+a] = x, x
				if x > 0.55 {
					draw, source = append(draw, 0), append(source, int32(b+1))
					target, weight = append(target, int32(a+1)), append(weight, x)
				}
			}
		}
		edges := encoding.NewTable(encoding.Column{Name: "draw", Values: draw},
			encoding.Column{Name: "source", Values: source}, encoding.Column{Name: "target", Values: target},
			encoding.Column{Name: "weight", Values: weight})
		for port, v := range map[string]dag.Input{"pearson": dag.InputOf(encoding.NewArray(m, 1, lackedOf, lackedOf)),
			"series": dag.InputOf(encoding.NewArray(series, 1, 30, lackedOf)), "edges": dag.InputOf(edges)} {
			v.Coords = []dag.Coord{{Axis: "subject", Value: fmt.Sprintf("sub-%03d", i+1)}}
			in[port] = append(in[port], v)
		}
	}
	in["features"] = in["pearson"]
	people := stagetest.SomeParticipants(n, "ASD", "HC")
	target := make([]float64, n)
	for i := range target {
		target[i] = float64(i%2) + 0.01*float64(i)
	}
	people.Columns = append(people.Columns, encoding.Column{Name: "target", Values: target})
	for port, label := range map[string]string{"folds": "group", "numbers": "target"} {
		out := stagetest.MustRun(t, stagetest.Fresh("split", "seed", 5, "label", label),
			map[string][]dag.Input{"participants": {dag.InputOf(people)}})
		in[port] = []dag.Input{dag.InputOf(out["folds"])}
	}
	return in
}

// groupsLack different regions: the even participants region 4, the odd ones region 10.
func groupsLack(i int) []int { return []int{3 + 6*(i%2)} }

// TestLackedRegionsCarryNoGroup: what groups of noise lack distinguishes them with regions: all, and not with shared.
func TestLackedRegionsCarryNoGroup(t *testing.T) {
	const n = 80
	in := lackingInputs(t, n, groupsLack)
	for _, model := range []string{"ridge", "linear-svm"} {
		for _, regions := range []string{"shared", "all"} {
			right := 0
			for f := range 5 {
				out := stagetest.MustRun(t, stagetest.Quickly(model, "fold", f+1, "regions", regions),
					map[string][]dag.Input{"pearson": in["pearson"], "folds": in["folds"]})
				rows := need.Value(column.Rows[fold.PredictionRow](out["predictions"].(*encoding.Table)))(t)
				for _, p := range rows {
					right += map[bool]int{true: 1}[p.Set == "test" && p.Label == p.Predicted]
				}
			}
			// 99 of 100 cohorts of 80 without a difference are within 2.6 standard deviations.
			chance := math.Abs(float64(right)-n/2) < 2.6*math.Sqrt(n)/2
			if t.Logf("%s, regions: %s: %d of %d", model, regions, right, n); chance != (regions == "shared") {
				t.Errorf("%s, regions: %s: %d of %d", model, regions, right, n)
			}
		}
	}
}

// The weights of regions that are excluded for all participants are missing, not 0.
func TestExcludedRegionsHaveNoWeight(t *testing.T) {
	in := lackingInputs(t, 20, groupsLack)
	for name, stage := range map[string]dag.Stage{"folds": stagetest.Quickly("ridge"),
		"numbers": stagetest.Fresh("regression", "model", "ridge")} {
		out := stagetest.MustRun(t, stage, map[string][]dag.Input{"pearson": in["pearson"], "folds": in[name]})
		regions := out["regions"].(*encoding.Table)
		need.Equal(t, regions.Rows(), lackedOf)
		for _, column := range []string{"weight", "pattern"} {
			for i, v := range stagetest.FloatsOf(t, regions, column) {
				need.Equal(t, math.IsNaN(v), i == 3 || i == 9, name, column, i+1)
			}
		}
	}
}

// without are inputs whose atlas has no regions 4 and 10.
func without(t *testing.T, in map[string][]dag.Input) map[string][]dag.Input {
	t.Helper()
	var kept []int32
	for r := range int32(lackedOf) {
		if r != 3 && r != 9 {
			kept = append(kept, r)
		}
	}
	out := maps.Clone(in)
	out["features"], out["edges"] = nil, nil
	for i, of := range in["features"] {
		p := need.Value(ReadParticipant(in["edges"][i], of, fold.First()))(t)
		g := p.Graphs[0].Only(kept)
		rows := make([]column.EdgeRow, len(g.Edges))
		for j, e := range g.Edges {
			rows[j] = column.EdgeRow{Source: e.Source + 1, Target: e.Target + 1, Weight: e.Weight}
		}
		for port, v := range map[string]dag.Input{"edges": dag.InputOf(column.Table(rows)),
			"features": dag.InputOf(encoding.NewArray(g.Features, 1, len(kept), len(kept)))} {
			v.Coords = of.Coords
			out[port] = append(out[port], v)
		}
	}
	return out
}

// TestLeftOutForAll: with regions: shared, each model predicts what it predicts of participants who all lack the
// regions; a model of graphs what it predicts with an atlas that does not have them.
func TestLeftOutForAll(t *testing.T) {
	some := lackingInputs(t, 20, groupsLack)
	all := lackingInputs(t, 20, func(int) []int { return []int{3, 9} })
	for name, c := range map[string]struct {
		stage func(regions string) dag.Stage
		ports []string
	}{
		"ridge": {func(r string) dag.Stage { return stagetest.Quickly("ridge", "regions", r) },
			[]string{"pearson", "folds"}},
		"li2019": {func(r string) dag.Stage { return stagetest.Quickly("li2019", "regions", r, "epochs", 3) },
			[]string{"edges", "features", "folds"}},
		"train": {func(r string) dag.Stage { return stagetest.Fresh("train", "regions", r, "epochs", 3) },
			[]string{"edges", "features", "folds"}},
		"standardized": {func(r string) dag.Stage {
			return stagetest.Fresh("train", "regions", r, "epochs", 3, "standardize", "training")
		}, []string{"edges", "features", "folds"}},
		"braingnn": {func(r string) dag.Stage {
			return stagetest.Fresh("network", "model", "braingnn",
				"regions", r, "epochs", 3)
		},
			[]string{"edges", "features", "folds"}},
		"bnt": {func(r string) dag.Stage {
			return stagetest.Fresh("network", "model", "bnt", "regions", r, "epochs", 2, "clusters", 4, "heads", 2)
		}, []string{"pearson", "folds"}},
		"meanmlp": {func(r string) dag.Stage {
			return stagetest.Fresh("network", "model", "meanmlp", "regions",
				r, "epochs", 3)
		},
			[]string{"series", "folds"}},
		"regression": {func(r string) dag.Stage { return stagetest.Fresh("regression", "regions", r) },
			[]string{"pearson", "numbers"}},
		"train-regression": {func(r string) dag.Stage {
			return stagetest.Fresh("train-regression", "regions", r, "epochs", 3)
		}, []string{"edges", "features", "numbers"}},
	} {
		predict := func(regions string, of map[string][]dag.Input) string {
			in := map[string][]dag.Input{}
			for _, port := range c.ports {
				in[map[bool]string{false: port, true: "folds"}[port == "numbers"]] = of[port]
			}
			table := stagetest.MustRun(t, c.stage(regions), in)["predictions"].(*encoding.Table)
			left := need.Value(column.MetaOf[column.RegionsLeftOut](table.Meta, column.LeftOutMeta))(t)
			stated := regions == "shared"
			need.Equal(t, fmt.Sprint(left.Regions), map[bool]string{false: "[]", true: "[4 10]"}[stated], name)
			need.Equal(t, left.Lacking, map[bool]int{true: 20}[stated], name)
			delete(table.Meta, column.LeftOutMeta)
			return string(stagetest.Encoded(t, table))
		}
		want := predict("all", all)
		if slices.Contains(c.ports, "edges") {
			want = predict("all", without(t, all))
		}
		if predict("shared", some) != want {
			t.Errorf("%s: absence changes predictions", name)
		}
		if predict("all", some) == want {
			t.Errorf("%s: regions: all shows nothing: this test cannot fail", name)
		}
	}
}

// Too many regions are refused, with those who lack most; a model records what it was trained without.
func TestLeftOutRefused(t *testing.T) {
	in := lackingInputs(t, 20, func(i int) []int {
		if i == 4 {
			return []int{1, 2, 5, 7}
		}
		return nil
	})
	_, err := stagetest.RunStage(t, stagetest.Quickly("ridge"),
		map[string][]dag.Input{"pearson": in["pearson"], "folds": in["folds"]})
	if err == nil || !strings.Contains(err.Error(), "4 of 24 regions are missing or constant in 1 participant (regions 2, 3, 6, "+
		"8), and are excluded for all participants, but more than a tenth is refused: exclude the participants who "+
		"lack most (4 regions: "+
		"exclude: [sub-005], under cohort), or set regions: all") {
		t.Error(err)
	}
	// A matrix without any correlation is an estimator's, and lacks no region.
	alone := make([]float64, lackedOf*lackedOf)
	for r := range lackedOf {
		alone[r*lackedOf+r] = 1
	}
	in["pearson"][7] = dag.InputOf(encoding.NewArray(alone, 1, lackedOf, lackedOf), in["pearson"][7].Coords...)
	_, err = stagetest.RunStage(t, stagetest.Quickly("ridge"),
		map[string][]dag.Input{"pearson": in["pearson"], "folds": in["folds"]})
	need.Error(t, err, "all correlations are 0 in the matrices of 1 participant (sub-008), as where shrinkage (ledoit-wolf, oas) "+
		"is 1, because a scan has too few volumes: set pearson: empirical in connectivity")
	in = lackingInputs(t, 20, groupsLack)
	out := stagetest.MustRun(t, stagetest.Fresh("train", "epochs", 1),
		map[string][]dag.Input{"edges": in["edges"], "features": in["features"], "folds": in["folds"]})
	m := need.Value(ReadModel(stagetest.Encoded(t, out["model"])))(t)
	need.Equal(t, fmt.Sprint(m.Graphs.LeftOut), "[4 10]", "left out")
	facts := need.Value(modelfile.ReadFacts(stagetest.Encoded(t, out["model"])))(t)
	need.Equal(t, fmt.Sprint(facts.Inputs.Regions, facts.Inputs.LeftOut), "24 [4 10]", "facts")
	scored := lists.Set(stagetest.FloatsOf(t, out["scores"], "index"))
	if len(scored) != lackedOf-2 || scored[4] || scored[10] || !scored[24] {
		t.Errorf("scores of the regions %v", scored)
	}
	// A new participant who has these regions is given the prediction of one who lacks them.
	have := lackingInputs(t, 20, func(int) []int { return nil })
	lack := lackingInputs(t, 20, func(int) []int { return []int{3, 9} })
	var of [2]string
	for i, in := range []map[string][]dag.Input{have, lack} {
		made := stagetest.MustRun(t, stagetest.Fresh("predict"), map[string][]dag.Input{
			"model": {dag.InputOf(out["model"])}, "edges": in["edges"], "features": in["features"]})
		of[i] = fmt.Sprint(stagetest.FloatsOf(t, made["predictions"], "probability"))
	}
	need.Equal(t, of[0], of[1], "predictions")
}

// areas is a node list: area1, area2 …
func areas() dag.Input {
	names := make([]string, lackedOf)
	for i := range names {
		names[i] = fmt.Sprintf("area%d", i+1)
	}
	return dag.InputOf(encoding.NewTable(encoding.Column{Name: "name", Values: names}))
}

// What is left out is listed by name, where the node list is connected.
func TestLeftOutByName(t *testing.T) {
	in := lackingInputs(t, 20, groupsLack)
	in["nodes"] = []dag.Input{areas()}
	s := stagetest.Fresh("train").(*Train)
	d := need.Value(s.Divide(in["folds"][0]))(t)
	set := need.Value(s.pass(dag.NewTask(in), d, func(fold.Row, gnn.Data) error { return nil }))(t)
	need.Equal(t, fold.LeftOutNote(set.left), "excluded for all participants, because 20 of 20 lack one: regions 4 (area4), 10 (area10) "+
		"(regions: shared)")
}

// A participant without a region that all had in training is refused, by its name; one without a region that training
// left out, or that somebody trained on lacks with regions: all, is not.
func TestPredictRefusesLackedRegions(t *testing.T) {
	train := func(lacks func(int) []int, regions string) dag.Input {
		in := lackingInputs(t, 20, lacks)
		return dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("train", "epochs", 1, "regions", regions),
			map[string][]dag.Input{"edges": in["edges"], "features": in["features"], "folds": in["folds"],
				"nodes": {areas()}})["model"])
	}
	predict := func(model dag.Input, regions []int, allow ...any) error {
		in := lackingInputs(t, 20, func(i int) []int { return map[bool][]int{true: regions}[i < 2] })
		_, err := stagetest.RunStage(t, stagetest.Fresh("predict", "allow", allow), map[string][]dag.Input{
			"model": {model}, "edges": in["edges"], "features": in["features"],
			"nodes": {areas()}})
		return err
	}
	none, shared := train(func(int) []int { return nil }, "shared"), train(groupsLack, "shared")
	all := train(groupsLack, "all")
	for _, model := range []dag.Input{none, shared, all} {
		need.Error(t, predict(model, []int{6, 7}), "the graphs of 2 participants differ from the training graphs of "+
			"a value in memory: no usable series of regions 7 (area7), 8 (area8), which all participants had in training "+
			"(sub-001, sub-002); exclude: [sub-001, sub-002], under cohort, or predict from zeros (allow: regions); to accept "+
			"a difference, list it under allow")
	}
	need.NoError(t, predict(shared, []int{3, 9}))
	need.NoError(t, predict(all, []int{3, 9}))
	without := lackingInputs(t, 20, func(int) []int { return nil })
	for _, c := range []struct {
		model dag.Input
		want  string
	}{{none, "[]"}, {shared, "[4 (area4) 10 (area10)]"}} {
		out := stagetest.MustRun(t, stagetest.Fresh("predict"), map[string][]dag.Input{"model": {c.model},
			"edges": without["edges"], "features": without["features"], "nodes": {areas()}})
		of := need.Value(finding.ReadApplied(out["participants"].(*encoding.Table)))(t)
		need.Equal(t, fmt.Sprint(of.LeftOut), c.want)
	}
	need.NoError(t, predict(none, []int{6}, "regions"))
	in := lackingInputs(t, 20, func(i int) []int { return map[bool][]int{true: {6}}[i < 2] })
	out := stagetest.MustRun(t, stagetest.Fresh("predict", "allow", []any{"regions"}), map[string][]dag.Input{
		"model": {none}, "edges": in["edges"], "features": in["features"], "nodes": {areas()}})
	applied := need.Value(finding.ReadApplied(out["participants"].(*encoding.Table)))(t)
	need.Equal(t, fmt.Sprintln(applied.Zeros, applied.Regions), "[sub-001 sub-002] region 7 (area7)\n")
	if codes := stagetest.Codes(t, out["participants"].(*encoding.Table)); !strings.HasSuffix(codes, "applied.zeros") {
		t.Error(codes)
	}
}
