package assess

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/stagetest"
)

// Worked out by hand. Fold 1: graphs of participant a (ASD) at 0.1, 0.2, 0.9 and
// b (HC) at 0.6, 0.8; fold 2: c (ASD) at 0.7, d (HC) at 0.4.
func TestEvaluateByHand(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	folds := []dag.Input{
		dag.InputOf(stagetest.OneFold(1, g, [3]any{"a", 0, 0.1}, [3]any{"a", 0, 0.2}, [3]any{"a", 0, 0.9},
			[3]any{"b", 1, 0.6}, [3]any{"b", 1, 0.8}), dag.Coord{Axis: "fold", Value: "1"}),
		dag.InputOf(stagetest.OneFold(2, g, [3]any{"c", 0, 0.7}, [3]any{"d", 1, 0.4}),
			dag.Coord{Axis: "fold", Value: "2"}),
	}
	out := stagetest.MustRun(t, &Evaluate{Permutations: 999}, map[string][]dag.Input{"predictions": folds})
	scores := out["scores"].(*encoding.Table)
	for name, want := range map[string][]float64{
		// graph fold 1, graph fold 2, participant fold 1, participant fold 2
		"n":                 {5, 2, 2, 2},
		"accuracy":          {4. / 5, 0, 1, 0},
		"balanced_accuracy": {(2./3 + 1) / 2, 0, 1, 0},
		"auc":               {4. / 6, 0, 1, 0}, // of the 6 pairs (a, b), 4 have a below b
		"sensitivity":       {2. / 3, 0, 1, 0}, // ASD is positive, HC a control group
		"specificity":       {1, 0, 1, 0},
	} {
		got := need.Value(scores.Floats(name))(t)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-15 {
				t.Errorf("%s: %v, want %v", name, got, want)
				break
			}
		}
	}
	summary := out["summary"].(*encoding.Table)
	// Wilson's interval about p, (p + z²/2n ± z√(p(1−p)/n + z²/4n²))/(1 + z²/n), for n = 4/(3·f) participants: 3 is
	// 1 + 2/2 + 2/2 for the folds' common training participants, f the folds' variance over that within them.
	const z2 = 1.959963984540054 * 1.959963984540054
	const graphs, people = 4 / (3 * (0.32 / (12. / 98))), 4 / (3 * (0.5 / 0.125))
	half := math.Sqrt(z2 * (12./49/graphs + z2/4/graphs/graphs))
	graphLow, graphHigh := (4./7+z2/2/graphs-half)/(1+z2/graphs), (4./7+z2/2/graphs+half)/(1+z2/graphs)
	peopleLow := 0.5 - math.Sqrt(z2/(people+z2))/2
	for name, want := range map[string][]float64{
		"accuracy":     {4. / 7, 0.5},
		"fold_mean":    {0.4, 0.5},
		"fold_sd":      {0.8 / math.Sqrt2, 1 / math.Sqrt2},
		"participants": {4, 4},
		"majority":     {0.5, 0.5},
		"ci_low":       {graphLow, peopleLow},
		"ci_high":      {graphHigh, 1 - peopleLow},
	} {
		got := need.Value(summary.Floats(name))(t)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%s: %v, want %v", name, got, want)
				break
			}
		}
	}
}

// Eight participants in two folds, all of them right: of the six labelings of a fold no other does as well, and of
// two folds the larger p counts. Graphs have no p.
func TestEvaluateP(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	var ins []dag.Input
	for fold := range 2 {
		var rows [][3]any
		for i := range 4 {
			p := 0.1 + 0.8*float64(i%2)
			rows = append(rows, [3]any{fmt.Sprintf("%d%d", fold, i), i % 2, p},
				[3]any{fmt.Sprintf("%d%d", fold, i), i % 2, p})
		}
		if fold == 0 {
			rows[0][2] = 0.6
		}
		ins = append(ins, dag.InputOf(stagetest.OneFold(int32(fold+1), g, rows...)))
	}
	summary := stagetest.MustRun(t, &Evaluate{Permutations: 7999},
		map[string][]dag.Input{"predictions": ins})["summary"]
	p, auc := stagetest.FloatsOf(t, summary, "p"), stagetest.FloatsOf(t, summary, "auc_p")
	for i, got := range []float64{p[1], auc[1]} {
		if math.Abs(got-1./6) > 0.02 {
			t.Errorf("p %d is %v, by counting %v", i, got, 1./6)
		}
	}
	if !math.IsNaN(p[0]) || !math.IsNaN(auc[0]) {
		t.Errorf("p of graphs: %v, %v", p[0], auc[0])
	}
}

// A model of data that were fitted to one group has no p; the others keep theirs.
func TestEvaluateWithoutP(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	var both []dag.Input
	for _, stage := range []string{"fitted", "plain"} {
		both = append(both, dag.InputOf(stagetest.OneFold(1, g, [3]any{"a", 0, 0.2}, [3]any{"b", 1, 0.9},
			[3]any{"c", 0, 0.3}, [3]any{"d", 1, 0.8}), dag.Coord{Axis: "stage", Value: stage}))
	}
	settings := column.Table([]finding.Parameter{{Stage: "tangent", Kind: "tangent", Parameter: "controls",
		Value: []string{"HC"}}, {Stage: "evaluate", Kind: "evaluate", Parameter: "permutations",
		Value: []string{"99"}}})
	settings.Meta = map[string]string{column.SettingLinks: column.JSON([]column.Link{
		{Stage: "fitted", Port: "tangent", From: column.Results("tangent.fitted")[0], Fits: "controls"},
		{Stage: "plain", Port: "pearson", From: column.Results("connectivity.pearson")[0]},
		{Stage: "evaluate", Port: "predictions", From: column.Results("fitted.predictions")[0]}})}
	for _, c := range []struct {
		predictions []dag.Input
		settings    []dag.Input
		withdrawn   []bool
	}{
		{both, []dag.Input{dag.InputOf(settings)}, []bool{true, false}},
		{both, nil, []bool{false, false}},
		{[]dag.Input{dag.InputOf(need.Value(both[0].Table())(t))}, []dag.Input{dag.InputOf(settings)}, []bool{true}},
	} {
		in := map[string][]dag.Input{"predictions": c.predictions}
		if c.settings != nil {
			in["settings"] = c.settings
		}
		summary := stagetest.MustRun(t, &Evaluate{Permutations: 99}, in)["summary"].(*encoding.Table)
		test := need.Value(summary.Strings("test"))(t)
		for _, name := range []string{"p", "balanced_p", "auc_p"} {
			p := stagetest.FloatsOf(t, summary, name)
			for i, withdrawn := range c.withdrawn { // rows of graphs and of participants
				need.Equal(t, math.IsNaN(p[2*i+1]) && test[2*i+1] == "", withdrawn, name, i)
			}
		}
	}
}

// With two repeats p is of the first one, whose accuracy stands beside it: four of four, where both have six of eight.
func TestEvaluateFirstRepeat(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	var ins []dag.Input
	for repeat, p := range [][4]float64{{0.1, 0.9, 0.2, 0.8}, {0.6, 0.4, 0.2, 0.8}} {
		var rows [][3]any
		for i := range p {
			rows = append(rows, [3]any{fmt.Sprint(i), i % 2, p[i]})
		}
		table := stagetest.OneFold(1, g, rows...)
		repeats, _ := table.Column("repeat")
		repeats.Values = slices.Repeat([]int32{int32(repeat + 1)}, 4)
		ins = append(ins, dag.InputOf(table))
		summary := stagetest.MustRun(t, &Evaluate{Permutations: 99},
			map[string][]dag.Input{"predictions": ins})["summary"].(*encoding.Table)
		if _, there := summary.Column("test_accuracy"); there != (repeat == 1) {
			t.Errorf("%d repeats: test_accuracy is there: %v", repeat+1, there)
		}
		if repeat == 0 {
			continue
		}
		for name, want := range map[string]float64{"accuracy": 0.75, "test_folds": 1, "test_accuracy": 1,
			"auc": 0.875, "test_auc": 1} {
			need.Equal(t, stagetest.FloatsOf(t, summary, name)[1], want, name)
		}
	}
}

// Site one has three ASD of four, site two three HC, by whom a classifier that names the site is right in six of eight:
// over all participants 17 of the 70 divisions of the groups do as well, within sites all of them. One that names the
// group does better than 69 of the 70, and 15 of 16 within sites.
func TestEvaluatePWithinSites(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	label, site := []int{0, 0, 0, 1, 0, 1, 1, 1}, []string{"1", "1", "1", "1", "2", "2", "2", "2"}
	var bySite, byGroup [][3]any
	ids := strings.Split("abcdefgh", "")
	for i, id := range ids {
		bySite = append(bySite, [3]any{id, label[i], 0.2 + 0.6*float64(i/4)})
		byGroup = append(byGroup, [3]any{id, label[i], 0.2 + 0.6*float64(label[i])})
	}
	run := func(rows [][3]any, ids, site []string, within string) (*encoding.Table, error) {
		out, err := stagetest.RunWith(&Evaluate{Within: within, Permutations: 7999}, map[string]dag.Input{
			"predictions": dag.InputOf(stagetest.OneFold(1, g, rows...)),
			"participants": dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
				encoding.Column{Name: "site", Values: site}))})
		if err != nil {
			return nil, err
		}
		return out["summary"].(*encoding.Table), nil
	}
	for _, c := range []struct {
		rows   [][3]any
		within string
		p, auc float64
	}{
		{bySite, "site", 1, 1}, {bySite, "scanner", 17. / 70, 17. / 70},
		{byGroup, "site", 1. / 16, 1. / 16}, {byGroup, "scanner", 1. / 70, 1. / 70},
	} {
		summary := need.Value(run(c.rows, ids, site, c.within))(t)
		p, auc := stagetest.FloatsOf(t, summary, "p"), stagetest.FloatsOf(t, summary, "auc_p")
		for i, got := range []float64{p[1], auc[1]} {
			if want := []float64{c.p, c.auc}[i]; math.Abs(got-want) > 0.016 {
				t.Errorf("within %s: p %d is %v, by counting %v", c.within, i, got, want)
			}
		}
		few, least := "", 1./70 // 8 over 4; at each site 4 over 1
		if c.within == "site" {
			few, least = "test.few-permutations", 1./16
		}
		need.Equal(t, stagetest.FloatsOf(t, summary, "p_least")[1], least, "smallest p")
		if got := summary.Meta["within"] != ""; got != (c.within == "site") ||
			!strings.Contains(stagetest.Codes(t, summary)+" ", few) ||
			few == "" && strings.Contains(stagetest.Codes(t, summary), "test.") {
			t.Errorf("within %s: %v", c.within, summary.Meta)
		}
	}
	own := make([]string, 8)
	for i := range own {
		own[i] = "clinic of " + g[label[i]]
	}
	summary := need.Value(run(byGroup, ids, own, "site"))(t)
	if p := stagetest.FloatsOf(t, summary, "p"); p[1] != 1 ||
		stagetest.Codes(t, summary) != "test.no-permutation" {
		t.Errorf("each site has one group: p %v, %v", p, summary.Meta)
	}
	// The site is what is predicted: it is permuted over all participants.
	for i := range own {
		own[i] = g[label[i]]
	}
	summary = need.Value(run(byGroup, ids, own, "site"))(t)
	if p := stagetest.FloatsOf(t, summary, "p"); p[1] >= 0.05 || summary.Meta["within"] != "" {
		t.Errorf("the site is the label: p %v, %v", p, summary.Meta)
	}
	if _, err := run(byGroup, ids[1:], site[1:], "site"); err == nil ||
		!strings.Contains(err.Error(), `"a" is not among the participants`) {
		t.Errorf("a participant without a site: %v", err)
	}
}

// Why no permutation changes a label: folds of one participant, folds of one group, or sites of one group in each fold.
func TestEvaluateWithoutPermutations(t *testing.T) {
	g, group := [2]string{"ASD", "HC"}, map[string]int{"a": 0, "b": 0, "c": 1, "d": 1}
	for _, c := range []struct {
		folds, site string // of a, b, c and d
		single      bool
		within      string
	}{
		{"1234", "xyxy", true, ""}, {"1234", "xxyy", true, ""}, {"1122", "xyxy", false, ""},
		{"1212", "xxyy", false, "site"}, {"1212", "xyyx", false, "site"}, {"1111", "xxyy", false, "site"},
	} {
		var in []dag.Input
		for f := range 4 {
			var rows [][3]any
			for i, id := range strings.Split("abcd", "") {
				if int(c.folds[i]-'1') == f {
					rows = append(rows, [3]any{id, group[id], 0.7})
				}
			}
			if rows != nil {
				in = append(in, dag.InputOf(stagetest.OneFold(int32(f+1), g, rows...),
					dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
			}
		}
		summary := stagetest.MustRun(t, &Evaluate{Within: "site", Permutations: 99}, map[string][]dag.Input{
			"predictions": in, "participants": {dag.InputOf(encoding.NewTable(
				encoding.Column{Name: "participant_id", Values: strings.Split("abcd", "")},
				encoding.Column{Name: "site", Values: strings.Split(c.site, "")}))}})["summary"].(*encoding.Table)
		all, err := finding.Of(summary.Meta)
		need.NoError(t, err)
		all = slices.DeleteFunc(all, func(f finding.Finding) bool { return f.Code != "test.no-permutation" })
		need.Equal(t, len(all), 1, c.folds, c.site)
		need.Equal(t, fmt.Sprint(all[0].Numbers), fmt.Sprint(map[string]any{"Single": c.single, "Within": c.within}),
			c.folds, c.site)
	}
}

// Folds 1 and 2 of three: c is trained on and never tested. Another setting tests all three.
func TestEvaluatePart(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	of := func(model string, folds int) (ins []dag.Input) {
		ids := []string{"a", "b", "c"}
		for f := range folds {
			table := stagetest.OneFold(int32(f+1), g, [3]any{ids[f], f % 2, 0.1}, [3]any{ids[(f+1)%3], (f + 1) % 3 % 2,
				0.2}, [3]any{ids[(f+2)%3], (f + 2) % 3 % 2, 0.9})
			set, _ := table.Column("set")
			set.Values = []string{"test", "train", "train"}
			table.Meta = map[string]string{"model": model}
			ins = append(ins, dag.InputOf(table, dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)},
				dag.Coord{Axis: "stage", Value: model}))
		}
		return ins
	}
	const fixed = "test.no-permutation"
	in := map[string][]dag.Input{"predictions": append(of("ridge", 2), of("svm", 3)...)}
	_, err := stagetest.RunStage(t, &Evaluate{Permutations: 99}, in)
	if want := "ridge regression was tested on 2 of 3 participants (fold 1, 2): train on every fold (matrix: { fold: all }), or accept some folds by partial: true"; fmt.Sprint(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
	summary := stagetest.MustRun(t, &Evaluate{Permutations: 99, Partial: true}, in)["summary"].(*encoding.Table)
	need.Equal(t, stagetest.Codes(t, summary), "folds.incomplete classifiers.tested-apart "+fixed)
	if n := stagetest.FloatsOf(t, summary, "participants"); n[1] != 2 || n[3] != 3 {
		t.Errorf("participants %v", n)
	}
	if summary = stagetest.MustRun(t, &Evaluate{Permutations: 99}, map[string][]dag.Input{"predictions": of("svm",
		3)})["summary"].(*encoding.Table); stagetest.Codes(t, summary) != fixed {
		t.Errorf("a complete cross-validation: %v", summary.Meta)
	}
}

// AUC is that of the decision values up to 708, of which the probability of the other group keeps the order. Where
// rounding has lost it, the caution counts the pairs of which AUC counts one half for that.
func TestEvaluateSaturated(t *testing.T) {
	sigmoid := func(f float64) float64 { return 1 / (1 + math.Exp(-f)) }
	r := random.New(5, "test", "saturated")
	const alike, ends = "probability.rounded", "probability.at-ends"
	for _, c := range []struct {
		size  float64
		level float64 // of the decision values
		exact bool    // the probability of the other group is not 1 − p
		want  string
	}{
		{1, 0, true, ""}, {1, 0, false, ""}, {150, 0, true, ""}, {150, 0, false, ends}, {4000, 0, true, ends},
		{1e-20, 0, true, alike}, {1e-16, 0.3, false, alike}, {1e-13, 0.3, false, ""},
	} {
		f, label, rows := make([]float64, 60), make([]int, 60), make([][3]any, 60)
		for i := range f {
			label[i] = i % 2
			f[i] = c.level + c.size*(float64(label[i])-0.5+r.Normal())
			rows[i] = [3]any{fmt.Sprint(i), label[i], sigmoid(f[i])}
		}
		table := stagetest.OneFold(1, [2]string{"ASD", "HC"}, rows...)
		if other, _ := table.Column("p_ASD"); c.exact {
			for i := range f {
				other.Values.([]float64)[i] = sigmoid(-f[i])
			}
		}
		ties, pairs, auc := 0, 0, 0.0 // by the definition
		for i := range f {
			for j := range f {
				if label[i] != 1 || label[j] != 0 {
					continue
				}
				pairs++
				x, y := f[i], f[j]
				if c.size != 1 && c.size != 150 || !c.exact {
					x, y = sigmoid(x), sigmoid(y)
				}
				if x == y && c.exact && c.want == ends { // both 1, as far as 1 − p is known
					x, y = -sigmoid(-f[i]), -sigmoid(-f[j])
				}
				switch {
				case x > y:
					auc++
				case x == y:
					auc += 0.5
				}
				p, q := sigmoid(-f[i]), sigmoid(-f[j])
				if x == y || c.want == alike && math.Abs(p-q) <= 1e-15*max(p, q) {
					ties++
				}
			}
		}
		summary := stagetest.MustRun(t, &Evaluate{Permutations: 99},
			map[string][]dag.Input{"predictions": {dag.InputOf(table)}})["summary"].(*encoding.Table)
		if got := stagetest.FloatsOf(t, summary, "auc")[1]; math.Abs(got-auc/float64(pairs)) > 1e-12 {
			t.Errorf("size %g: AUC %v, by definition %v", c.size, got, auc/float64(pairs))
		}
		need.Equal(t, stagetest.Codes(t, summary), c.want, c.size)
		if found := need.Value(finding.Of(summary.Meta))(t); c.want != "" {
			need.Equal(t, found[0].Numbers.(map[string]any)["Share"], any(float64(ties)/float64(pairs)))
			need.Equal(t, found[0].Subject.Classifier, "the model", "without an axis or a model in the predictions")
		}
	}
}

func TestEvaluateTwiceTested(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	a := stagetest.OneFold(1, g, [3]any{"a", 0, 0.1}, [3]any{"b", 1, 0.6})
	b := stagetest.OneFold(2, g, [3]any{"a", 0, 0.1}, [3]any{"c", 1, 0.6})
	_, err := stagetest.RunStage(t, &Evaluate{},
		map[string][]dag.Input{"predictions": {dag.InputOf(a), dag.InputOf(b)}})
	if want := "participant a is tested in fold 1 and in fold 2 of repeat 1: the gathered trainings differ in an axis that is not one of their coordinates"; fmt.Sprint(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
	// One draw of a participant counts once: right rows that are repeated would raise the accuracy.
	want := "a is tested twice with draw 0, in rows 1 and 3: write one test row for each participant and draw; no accuracy"
	_, err = stagetest.RunStage(t, &Evaluate{},
		map[string][]dag.Input{"predictions": {dag.InputOf(stagetest.Twice(a, 0))}})
	need.Error(t, err, want)
}

// The scores name what each fold leaves out, where the table of the folds says it; other folds are refused.
func TestScoresNameWhatIsLeftOut(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	predictions := []dag.Input{
		dag.InputOf(stagetest.OneFold(1, g, [3]any{"a", 0, 0.1}, [3]any{"b", 1, 0.6}),
			dag.Coord{Axis: "fold", Value: "1"}),
		dag.InputOf(stagetest.OneFold(2, g, [3]any{"c", 0, 0.7}, [3]any{"d", 1, 0.4}),
			dag.Coord{Axis: "fold", Value: "2"}),
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: []string{"a", "b", "c", "d"}},
		encoding.Column{Name: "group", Values: []string{"ASD", "HC", "ASD", "HC"}},
		encoding.Column{Name: "site", Values: []string{"NYU", "NYU", "UM", "UM"}})
	for leave, want := range map[string][]string{"site": {"NYU", "UM", "NYU", "UM"}, "": nil} {
		folds := stagetest.MustRun(t, stagetest.Fresh("split", "leave_out", leave, "folds", 2),
			map[string][]dag.Input{"participants": {dag.InputOf(people)}})["folds"].(*encoding.Table)
		if leave == "" { // the folds of the predictions, without names
			folds = encoding.NewTable(folds.Columns[0], folds.Columns[1], folds.Columns[2],
				encoding.Column{Name: "fold", Values: []int32{1, 1, 2, 2}})
		}
		in := map[string][]dag.Input{"predictions": predictions, "folds": {dag.InputOf(folds)}}
		scores := stagetest.MustRun(t, &Evaluate{Permutations: 9}, in)["scores"].(*encoding.Table)
		_, there := scores.Column("left_out")
		if got, _ := scores.Strings("left_out"); there != (want != nil) || there && !slices.Equal(got, want) {
			t.Errorf("leave_out %q: left out are %q, want %q", leave, got, want)
		}
	}
	other := encoding.NewTable(people.Columns[0], people.Columns[1],
		encoding.Column{Name: "repeat", Values: []int32{1, 1, 1, 1}},
		encoding.Column{Name: "fold", Values: []int32{1, 2, 2, 2}})
	_, err := (&Evaluate{Permutations: 9}).Run(t.Context(), dag.NewTask(map[string][]dag.Input{
		"predictions": predictions,
		"folds":       {dag.InputOf(other)}}))
	need.Error(t, err, "tests b in fold 1 of repeat 1, where these folds do not have them", "folds of other models")
}

// Regions that models excluded for all participants are a finding, once for all folds and models; other lists, or
// models without one, are no decision of the study.
func TestEvaluateRegionsLeftOut(t *testing.T) {
	left := column.RegionsLeftOut{Regions: []int{5, 14}, Names: []string{"5 (l.A)", "14 (r.B)"}, All: 20, Lacking: 3,
		Participants: 78}
	for _, c := range []struct{ first, second, want string }{
		{"", "", ""},
		{column.JSON(left), column.JSON(left), `{"All":20,"Every":true,"Lacking":3,"N":2,"Participants":78,` +
			`"Regions":["5 (l.A)","14 (r.B)"],"Share":0.1947`},
		{"", column.JSON(left), `{"All":20,"Every":false,`},
	} {
		g := [2]string{"ASD", "HC"}
		tables := []*encoding.Table{stagetest.OneFold(1, g, [3]any{"a", 0, 0.1}, [3]any{"b", 1, 0.6}),
			stagetest.OneFold(2, g, [3]any{"c", 0, 0.7}, [3]any{"d", 1, 0.4})}
		var in []dag.Input
		for i, meta := range []string{c.first, c.second} {
			if tables[i].Meta == nil {
				tables[i].Meta = map[string]string{}
			}
			if meta != "" {
				tables[i].Meta[column.LeftOutMeta] = meta
			}
			in = append(in, dag.InputOf(tables[i], dag.Coord{Axis: "fold", Value: fmt.Sprint(i + 1)}))
		}
		out := stagetest.MustRun(t, &Evaluate{Permutations: 9}, map[string][]dag.Input{"predictions": in})
		_, found, _ := strings.Cut(out["summary"].(*encoding.Table).Meta[finding.Meta],
			`{"code":"regions.left-out","weight":"limits","numbers":`)
		if !strings.HasPrefix(found, c.want) || (found == "") != (c.want == "") ||
			strings.Contains(found, "regions.left-out") {
			t.Errorf("found %s, want %s", found, c.want)
		}
	}
}

// The scores state the kind of each model, as the summary does: of a stage with the axis model by it, else by what the
// predictions state, as those of train do.
func TestScoresStateTheModel(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	table := func() *encoding.Table { return stagetest.OneFold(1, g, [3]any{"a", 0, 0.1}, [3]any{"b", 1, 0.6}) }
	trained := column.WithMeta(table(), map[string]string{"model": "pr-gnn", "groups": table().Meta["groups"]})
	out := stagetest.MustRun(t, &Evaluate{Permutations: 99}, map[string][]dag.Input{"predictions": {
		dag.InputOf(table(), dag.Coord{Axis: "stage", Value: "baselines"}, dag.Coord{Axis: "model", Value: "svm"}),
		dag.InputOf(trained, dag.Coord{Axis: "stage", Value: "train"})}})
	for _, name := range []string{"scores", "summary"} {
		got := need.Value(out[name].(*encoding.Table).Strings("classifier"))(t)
		need.Equal(t, strings.Join(got, " "), "svm svm pr-gnn pr-gnn", name)
	}
}

// Who leaves out participants of a fold is refused, or with partial gets a caution.
func TestEvaluateTestsWholeFolds(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	predictions := []dag.Input{
		dag.InputOf(stagetest.OneFold(1, g, [3]any{"a", 0, 0.1}, [3]any{"b", 1, 0.6}),
			dag.Coord{Axis: "fold", Value: "1"}),
		dag.InputOf(stagetest.OneFold(2, g, [3]any{"c", 0, 0.7}, [3]any{"d", 1, 0.4}),
			dag.Coord{Axis: "fold", Value: "2"}),
	}
	planned := encoding.NewTable(encoding.Column{Name: "participant_id", Values: []string{"a", "b", "c", "d", "e"}},
		encoding.Column{Name: "group", Values: []string{"ASD", "HC", "ASD", "HC", "HC"}},
		encoding.Column{Name: "repeat", Values: []int32{1, 1, 1, 1, 1}},
		encoding.Column{Name: "fold", Values: []int32{1, 1, 2, 2, 2}})
	in := map[string][]dag.Input{"predictions": predictions, "folds": {dag.InputOf(planned)}}
	_, err := (&Evaluate{Permutations: 9}).Run(t.Context(), dag.NewTask(in))
	need.Error(t, err, "has no test row for 1 participant of its folds (e): write one for each, or accept the others by partial: true")
	summary := stagetest.MustRun(t, &Evaluate{Permutations: 9, Partial: true}, in)["summary"].(*encoding.Table)
	need.Equal(t, strings.Contains(stagetest.Codes(t, summary), "folds.in-part"), true, summary.Meta)
}

// Of three folds, one has two classes, one positive participants only and one none of them: the AUC is of one fold,
// sensitivity and specificity are means over two. Where each fold has both classes there are no such columns.
func TestEvaluateFoldsOfOneClass(t *testing.T) {
	g := [2]string{"ASD", "HC"}
	both := [][3]any{{"a", 0, 0.1}, {"b", 1, 0.6}, {"c", 0, 0.7}}
	for _, c := range []struct {
		second, third [][3]any
		want          []float64 // folds with an AUC, a sensitivity, a specificity; nil for no columns
	}{
		{[][3]any{{"d", 0, 0.2}, {"e", 0, 0.3}}, [][3]any{{"f", 1, 0.2}, {"g", 1, 0.8}}, []float64{1, 2, 2}},
		{[][3]any{{"d", 0, 0.2}, {"e", 1, 0.3}}, [][3]any{{"f", 1, 0.2}, {"g", 1, 0.8}}, []float64{2, 2, 3}},
		{[][3]any{{"d", 0, 0.2}, {"e", 1, 0.3}}, [][3]any{{"f", 0, 0.2}, {"g", 1, 0.8}}, nil},
	} {
		var ins []dag.Input
		for i, rows := range [][][3]any{both, c.second, c.third} {
			ins = append(ins, dag.InputOf(stagetest.OneFold(int32(i+1), g, rows...),
				dag.Coord{Axis: "fold", Value: fmt.Sprint(i + 1)}))
		}
		summary := stagetest.MustRun(t, &Evaluate{Permutations: 99},
			map[string][]dag.Input{"predictions": ins})["summary"].(*encoding.Table)
		for i, name := range []string{"auc_folds", "sensitivity_folds", "specificity_folds"} {
			got, err := summary.Floats(name)
			if c.want == nil {
				need.Equal(t, err != nil, true, name)
				continue
			}
			need.NoError(t, err)
			need.Equal(t, got[1], c.want[i], name)
		}
	}
}

// Where the names of both groups do not show the control group, a finding states which is positive.
func TestPositiveAssumed(t *testing.T) {
	for _, c := range []struct {
		groups [2]string
		named  string
		want   bool
	}{{[2]string{"F", "M"}, "", true}, {[2]string{"F", "M"}, "M", false}, {[2]string{"CTR", "PAT"}, "", false}} {
		rows := [][3]any{{"a", 0, 0.1}, {"b", 1, 0.6}, {"c", 0, 0.7}, {"d", 1, 0.9}}
		in := dag.InputOf(stagetest.OneFold(1, c.groups, rows...), dag.Coord{Axis: "fold", Value: "1"})
		summary := stagetest.MustRun(t, &Evaluate{Positive: c.named, Permutations: 99},
			map[string][]dag.Input{"predictions": {in}})["summary"].(*encoding.Table)
		need.Equal(t, strings.Contains(stagetest.Codes(t, summary), "sensitivity.positive-assumed"), c.want, c)
	}
}

// Predictions whose groups contradict those of the participants are refused: a script that exchanges them has a wrong
// accuracy. A table with other groups, as where a site is predicted, is not compared.
func TestEvaluateGroupsOfParticipants(t *testing.T) {
	predictions := dag.InputOf(stagetest.OneFold(1, [2]string{"ASD", "HC"}, [3]any{"a", 0, 0.1},
		[3]any{"b", 1, 0.6}, [3]any{"c", 0, 0.2}, [3]any{"d", 1, 0.7}))
	for groups, want := range map[string]string{"ASD HC ASD HC": "", "x y y x": "",
		"HC ASD ASD HC": "have other groups than a value in memory: a (ASD, there HC), b (HC, there ASD): "} {
		people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: []string{"a", "b", "c", "d"}},
			encoding.Column{Name: "group", Values: strings.Fields(groups)})
		_, err := stagetest.RunStage(t, &Evaluate{Permutations: 99}, map[string][]dag.Input{
			"predictions": {predictions}, "participants": {dag.InputOf(people)}})
		if want == "" {
			need.NoError(t, err)
		} else if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Of more than two groups, the folds that lack one are counted: their balanced accuracy is the mean over the others.
func TestEvaluateFoldsThatLackGroups(t *testing.T) {
	one := func(number int, labels string) dag.Input {
		var ids, groups []string
		var label, predicted, draw, in, repeat []int32
		var p [3][]float64
		for i, l := range labels {
			ids, groups = append(ids, fmt.Sprint(number, i)), append(groups, string(l))
			label, predicted = append(label, l-'a'), append(predicted, l-'a')
			draw, in, repeat = append(draw, 0), append(in, int32(number)), append(repeat, 1)
			for k := range p {
				p[k] = append(p[k], map[bool]float64{true: 0.8, false: 0.1}[int32(k) == l-'a'])
			}
		}
		return dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "draw", Values: draw},
			encoding.Column{Name: "fold", Values: in}, encoding.Column{Name: "repeat", Values: repeat},
			encoding.Column{Name: "set", Values: slices.Repeat([]string{"test"}, len(ids))},
			encoding.Column{Name: "label", Values: label}, encoding.Column{Name: "predicted", Values: predicted},
			encoding.Column{Name: "p_a", Values: p[0]}, encoding.Column{Name: "p_b", Values: p[1]},
			encoding.Column{Name: "p_c", Values: p[2]}))
	}
	for want, folds := range map[int32][]string{0: {"aabbcc", "abcabc"}, 1: {"aabbcc", "aabb"}, 2: {"aabb", "bbcc"}} {
		in := []dag.Input{one(1, folds[0]), one(2, folds[1])}
		table := stagetest.MustRun(t, &Evaluate{Permutations: 19}, map[string][]dag.Input{"predictions": in})
		rows := need.Value(column.Rows[column.AccuracyRow](table["summary"].(*encoding.Table)))(t)
		need.Equal(t, rows[0].Incomplete, want, folds)
	}
}
