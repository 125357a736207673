package present

import (
	"encoding/json"
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
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/stagetest"
	"prgnn/stages/wording"
)

// TestMultiverseSection: the section has the joint test that the file states, the universe that is stated in advance,
// the figure, and a row for each universe.
func TestMultiverseSection(t *testing.T) {
	out := stagetest.MustRun(t, stagetest.Fresh("multiverse", "joint", "stouffer", "headline", []any{"model=b"}),
		stagetest.Multiverse())
	in := map[string][]dag.Input{
		"participants":     {dag.InputOf(stagetest.SomeParticipants(20, "ASD", "HC"))},
		"universe_tests":   {dag.InputOf(out["joint"])},
		"universe_options": {dag.InputOf(out["options"])},
		"universes":        {dag.InputOf(out["universes"])},
		"universe_regions": {dag.InputOf(column.Table([]column.UniverseRegionRow{
			{Index: 7, Share: 1, Chance: 0.25, Rank: 1, Top: 2, Universes: 3},
			{Index: 3, Share: 0.4, Chance: 0.25, Rank: 2, Top: 2, Universes: 3}}))},
	}
	joint := need.Value(column.Rows[column.JointRow](out["joint"].(*encoding.Table)))(t)
	need.Equal(t, joint[2].Test, true)
	page := unbrokenPage(t, in)
	for _, want := range []string{"Specification curve", "of 2 universes with different predictions " +
		"(1 distinct effect to three decimals), the combinations of model", "Stouffer&#39;s z, 20 label",
		"The universe that the pipeline file states as the headline (model=b)", "No plan that was locked", ">model=c<", ">the test<",
		"7 is among the top 2 regions in all 3 universes whose models have a pattern (25% expected by chance)", ">40%<",
		"the first 2 of 2", `<th scope="col">statistic</th>`, "The joint test has only 20 label permutations", "1 universe has the same predictions as another"} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("the page lacks %q", want)
		}
	}
	text := string(stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"].(artifacts.Bytes).Data)
	if !strings.Contains(text, "of 2 universes") || !strings.Contains(strings.SplitN(text, "Cautions", 2)[0],
		"The universe that the pipeline file states") {
		t.Error(text)
	}
	// Without a headline, the joint test is the answer.
	one, _ := stagetest.Evaluated(0.81, 0.7, 0.9)
	two, _ := stagetest.Evaluated(0.92, 0.8, 0.95)
	both := need.Value(encoding.Concat(one, two))(t)
	both.Columns = slices.Insert(both.Columns, 0,
		encoding.Column{Name: "model", Values: []string{"b", "b", "c", "c"}})
	in["evaluation"] = []dag.Input{dag.InputOf(both)}
	answer := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, in)), " ")
	if !strings.Contains(answer, "the joint test by Stouffer's z has p") || strings.Contains(answer, "no headline") {
		t.Error(answer)
	}
	// A headline of the multiverse alone is that of the page.
	own := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, in)), " ")
	if !strings.Contains(own, "B, the headline of 2 evaluated settings, distinguishes ASD from HC") {
		t.Error(own)
	}
	// Beside a headline, too.
	with := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5, Headline: []string{"model=b"}}, in)), " ")
	if !strings.Contains(with, "B, the headline of 2 evaluated settings, distinguishes ASD from HC") ||
		!strings.Contains(with, "the joint test by Stouffer's z has p") {
		t.Error(with)
	}
	// The tile of the answer comes first; paragraphs that repeat numbers are below the tiles.
	top := need.Value((&Report{Top: 5, Headline: []string{"model=b"}}).Page(dag.NewTask(in)))(t)
	need.Equal(t, top.Tiles[0].Picture != nil && top.Tiles[1].Picture == nil, true)
	need.Equal(t, strings.Contains(top.Abstract[len(top.Abstract)-1], "the headline of 2 evaluated settings"), true)
	need.Equal(t, strings.Contains(top.Results[0], "the joint test by"), true)
	need.Equal(t, strings.HasPrefix(top.Results[1], "Result:"), true)
	// Settings without a joint test: those beside the headline are counted, too, also where it is not the own model.
	delete(in, "universe_tests")
	for _, headline := range []string{"model=b", "model=c"} {
		with = strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5, Headline: []string{headline}}, in)), " ")
		if !strings.Contains(with, strings.ToUpper(headline[6:])+", the headline of 2 evaluated settings, distinguishes ASD from HC") {
			t.Error(with)
		}
	}
	delete(in, "evaluation")
	delete(in, "universe_tests")
	if page := string(stagetest.MustRun(t, stagetest.Fresh("report"),
		in)["page"].(artifacts.Bytes).Data); strings.Contains(page,
		"Specification curve") {
		t.Error("a curve without its test")
	}
}

// The answer claims what the significant test shows: the median test is of the median, and the others reject only that
// no universe has an effect.
func TestMultiverseAnswer(t *testing.T) {
	one, _ := stagetest.Evaluated(0.81, 0.7, 0.9)
	two, _ := stagetest.Evaluated(0.92, 0.8, 0.95)
	both := need.Value(encoding.Concat(one, two))(t)
	both.Columns = slices.Insert(both.Columns, 0,
		encoding.Column{Name: "model", Values: []string{"b", "b", "c", "c"}})
	const unseen = " in participants who were not in the training set (p = "
	for _, c := range []struct {
		test string
		p    float64
		want string
	}{
		{"median", 0.012, "The median effect of the 12 universes that classify ASD and HC is above chance" + unseen},
		{"share", 0.012, "At least one of the 12 universes distinguishes ASD from HC better than chance" + unseen},
		{"stouffer", 0.012, "At least one of the 12 universes distinguishes ASD from HC better than chance" + unseen},
		{"best", 0.012, "At least one of the 12 universes distinguishes ASD from HC better than chance" + unseen},
		{"share", 0.2, "The 12 universes are not shown to distinguish ASD from HC better than chance" + unseen},
		{"median", 0.2, "The median effect of the 12 universes that classify ASD and HC is not shown to be above chance" +
			unseen},
	} {
		var rows []column.JointRow
		for _, name := range []string{"median", "share", "stouffer", "best"} {
			r := column.JointRow{Statistic: name, Value: 0.07, P: 0.5, Test: name == c.test, Universes: 12,
				Permutations: 999, Effect: "auc"}
			if r.Test {
				r.P = c.p
			}
			rows = append(rows, r)
		}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, map[string][]dag.Input{
			"participants": {dag.InputOf(stagetest.SomeParticipants(20, "ASD", "HC"))},
			"evaluation":   {dag.InputOf(both)}, "universe_tests": {dag.InputOf(column.Table(rows))}})), " ")
		for _, want := range []string{c.want, "Over the 12 universes, the median effect (AUC − 0.5) is 0.07, p is below"} {
			need.Equal(t, strings.Contains(text, want), true, want, text)
		}
	}
}

// TestMultiverseCounts: all counts are of settings with different predictions, and a share by weight is given as such.
func TestMultiverseCounts(t *testing.T) {
	settings := [][2]string{{"ridge", "a"}, {"ridge", "b"}, {"ridge", "c"}, {"svm", "a"}, {"svm", "b"},
		{"majority", "a"}, {"majority", "b"}}
	same := map[string]string{"estim=b model=ridge": "estim=a model=ridge",
		"estim=b model=majority": "estim=a model=majority"}
	var evaluated *encoding.Table
	var universes []column.UniverseRow
	for _, s := range settings {
		one, _ := stagetest.Evaluated(0.81, 0.7, 0.9)
		for i, v := range []string{s[1], s[0]} {
			one.Columns = slices.Insert(one.Columns, i, encoding.Column{Name: []string{"estim", "model"}[i],
				Values: []string{v, v}})
		}
		one.Columns = append(one.Columns, encoding.Column{Name: "classifier", Values: []string{s[0], s[0]}})
		if evaluated == nil {
			evaluated = one
		} else {
			evaluated = need.Value(encoding.Concat(evaluated, one))(t)
		}
		u := column.UniverseRow{Coords: []dag.Coord{{Axis: "estim", Value: s[1]}, {Axis: "model", Value: s[0]}}}
		u.Universe = column.CoordText(u.Coords)
		u.SameAs = same[u.Universe]
		universes = append(universes, u)
	}
	evaluated.Meta = map[string]string{column.SamePredictions: string(need.Value(json.Marshal(same))(t))}
	text := func(by string, share float64) string {
		rows := lists.Map([]string{"median", "share", "stouffer", "best"}, func(name string) column.JointRow {
			r := column.JointRow{Statistic: name, Value: 0.07, P: 0.01, Test: name == "median", Universes: 5,
				Repeated: 2, Significant: 4, By: by, Positive: 4, Permutations: 199, Effect: "auc"}
			if name == "share" {
				r.Value = share
			}
			return r
		})
		headline := []string{"model=ridge", "estim=a"}
		return strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5, Headline: headline},
			map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(20, "ASD", "HC"))},
				"evaluation": {dag.InputOf(evaluated)}, "universe_tests": {dag.InputOf(column.Table(rows))},
				"universes": {dag.InputOf(column.Table(universes, "estim", "model"))}})), " ")
	}
	for by, want := range map[string][]string{
		"": {"The median effect of the 5 universes", "0.07, p is below 0.05 in 4 of 5 universes (80%), and the joint test " +
			"by the median effect has"},
		"model": {"The weighted median effect of the 5 universes", "p is below 0.05 in 4 of 5 universes (67% of the " +
			"weight; the options of model have equal total weights), and the joint test by the weighted median effect has"},
	} {
		got := text(by, map[string]float64{"": 0.8, "model": 2.0 / 3}[by])
		for _, want := range append(want, "the headline of 4 evaluated settings with different predictions besides the "+
			"majority classifier, distinguishes", "4 settings of 2 classifiers were compared",
			"The AUC is above 0.5 in 4 of 5 universes with different predictions", "1 universe uses the majority classifier.") {
			if !strings.Contains(got, want) {
				t.Errorf("by %q: no %q in\n%s", by, want, got)
			}
		}
	}
}

// Where nothing can be significant, or labels were used that permutations leave as they are, nothing has a p.
func TestMultiverseWithoutPermutations(t *testing.T) {
	one, _ := stagetest.Evaluated(0.81, 0.7, 0.9)
	two, _ := stagetest.Evaluated(0.92, 0.8, 0.95)
	both := need.Value(encoding.Concat(one, two))(t)
	both.Columns = slices.Insert(both.Columns, 0,
		encoding.Column{Name: "model", Values: []string{"b", "b", "c", "c"}})
	for least, want := range map[float64]string{
		1:        "was not tested because no label permutation within folds changes a label",
		1. / 16:  "was not tested because p cannot be below 0.062: fewer than 21 label permutations within folds differ",
		1. / 200: "",
	} {
		p := 0.271 // as no other number
		if want != "" {
			p = math.NaN()
		}
		joint := lists.Map([]string{"median", "share", "stouffer", "best"}, func(name string) column.JointRow {
			return column.JointRow{Statistic: name, Value: 0.07, P: p, Test: name == "median", Universes: 2,
				Permutations: 199, Effect: "auc", Least: least}
		})
		universe := func(name string, effect float64) column.UniverseRow {
			return column.UniverseRow{Coords: []dag.Coord{{Axis: "model", Value: name}}, Universe: "model=" + name,
				Effect: effect, Low: -0.1, High: 0.3, P: p, NullLow: p, NullHigh: p, Headline: name == "b"}
		}
		option := func(name string) column.OptionRow {
			return column.OptionRow{Decision: "model", Option: name, Universes: 1, Share: p, Explained: 1,
				Balanced: true}
		}
		universes := []column.UniverseRow{universe("b", 0.1), universe("c", 0.2)}
		in := map[string][]dag.Input{
			"participants":     {dag.InputOf(stagetest.SomeParticipants(20, "ASD", "HC"))},
			"universe_tests":   {dag.InputOf(column.Table(joint))},
			"universes":        {dag.InputOf(column.Table(universes, "model"))},
			"universe_options": {dag.InputOf(column.Table([]column.OptionRow{option("b"), option("c")}))}}
		for _, headline := range []bool{false, true} {
			if in["evaluation"] = nil; headline {
				in["evaluation"] = []dag.Input{dag.InputOf(both)}
			} else {
				delete(in, "evaluation")
			}
			text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, in)), " ")
			page := unbrokenPage(t, in)
			_, own, _ := strings.Cut(page, `id="multiverse"`)
			own, _, _ = strings.Cut(own, "<h2")
			if headline {
				need.Equal(t, strings.Contains(text, "is open: the joint test "+want), want != "", text)
			}
			for _, of := range []string{text, own} {
				need.Equal(t, strings.Contains(of, want), true, want, of)
				for _, no := range []string{"p = ", "p < ", "p ≤ ", "p is below", "NaN", "gray", "filled:"} {
					if at := strings.Index(of, no); want != "" && at >= 0 && (!headline || of == own) {
						t.Errorf("least p %g: %q", least, of[max(0, at-200):min(len(of), at+100)])
					}
				}
			}
			need.Equal(t, strings.Contains(own, "0.271"), want == "", least)
		}
	}
}

// The place of a universe is among those that are counted, and effects that print alike are one.
func TestUniversesThatRepeat(t *testing.T) {
	row := func(name, same string, effect float64) column.UniverseRow {
		return column.UniverseRow{Universe: name, Effect: effect, Low: -0.1, High: 0.3, P: 0.02, SameAs: same,
			Headline: name == "d"}
	}
	joint := column.Table([]column.JointRow{{Statistic: "median", Test: true, Universes: 3, Repeated: 1,
		Permutations: 199, Effect: "auc"}, {Statistic: "share"}})
	in := map[string][]dag.Input{"universe_tests": {dag.InputOf(joint)},
		"universes": {dag.InputOf(column.Table([]column.UniverseRow{row("a", "", 0.2), row("b", "", 0.2001),
			row("c", "b", 0.2001), row("d", "", 0.25)}))}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, in)), " ")
	for _, want := range []string{"3 universes with different predictions (2 distinct effects to three decimals)",
		"has an effect of 0.250 (95% CI −0.100 to 0.300; p = 0.020) and is number 3 of 3 in ascending order"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Decisions that explain the same share to the printed digits are all listed.
func TestLargestShareAtATie(t *testing.T) {
	of := func(decision string, explained float64) column.OptionRow {
		return column.OptionRow{Decision: decision, Explained: explained, ExplainedP: math.NaN()}
	}
	chance := of("a", 0.9) // explains no more than with permuted labels
	chance.ExplainedP = 0.3
	for _, c := range []struct {
		options []column.OptionRow
		want    string
	}{
		{[]column.OptionRow{of("a", 0.401), of("a", 0.401), of("b", 0.404), of("c", 0.2)}, "a b"},
		{[]column.OptionRow{of("a", 0.2), of("b", 0.42), of("b", 0.42), of("c", 0.38)}, "b"},
		{[]column.OptionRow{chance, of("b", 0.4), of("c", 0.2)}, "b"},
		{[]column.OptionRow{chance}, ""},
		{[]column.OptionRow{of("a", math.NaN()), of("b", math.NaN())}, ""},
	} {
		most := lists.Map(largestShare(c.options), func(o column.OptionRow) string { return o.Decision })
		need.Equal(t, strings.Join(most, " "), c.want)
	}
	text := func(decisions ...string) string {
		options := []column.OptionRow{{Decision: "a", Median: 0.1}, {Decision: "a", Median: 0.3},
			{Decision: "b", Median: 0.2}}
		return need.Value(wording.Text("multiverse.depends", values{"Decisions": decisions, "Explained": 0.4, "P": 0.01,
			"Permutations": 199, "Balanced": true, "Medians": medians(options, decisions)}))(t)
	}
	need.Equal(t, text("a"), "The effect depends most on a, which explains 40% of its variance over the universes (R²; "+
		"p = 0.010 over the label permutations). The median effects of the options range from 0.10 to 0.30.")
	need.Equal(t, strings.HasSuffix(text("a", "b"), " range from 0.10 to 0.30 (a) and from 0.20 to 0.20 (b)."), true, text("a", "b"))
}

// Of one universe with a caution, the share of the universes is stated.
func TestQuestionedUniverses(t *testing.T) {
	text := func(code string, concerned int) string {
		return need.Value(wording.Text(code, values{"N": 1, "Places": []int{1}, "First": true, "Concerned": concerned,
			"Universes": 12}))(t)
	}
	need.Equal(t, text("abstract.questioned", 1),
		"The accuracies of 1 of the 12 universes may be wrong: see the first caution.")
	need.Equal(t, text("abstract.questioned", 12), "This result may be wrong: see the first caution.")
	need.Equal(t, text("tile.questioned", 3), "3 of 12 universes may be wrong: see the first caution")
}

// Universes with one effect, as printed, have no order among them.
func TestUniversesOfOneEffectHaveNoOrder(t *testing.T) {
	of := func(effects ...float64) (rows []column.UniverseRow) {
		for _, e := range effects {
			rows = append(rows, column.UniverseRow{Effect: e})
		}
		return rows
	}
	repeated := of(0.1, 0.189, 0.189, 0.189, 0.2)
	repeated[2].SameAs = "model=a"
	for _, c := range []struct {
		rows []column.UniverseRow
		want string
	}{
		{of(0.1, 0.1889, 0.1891, 0.189, 0.2), "[1 2 2 2 5] [1 4 4 4 5]"},
		{repeated, "[1 2 2 2 4] [1 3 3 3 4]"},
		{of(0.1, 0.1, 0.1), "[1 1 1] [3 3 3]"},
		{of(0.1, 0.2, 0.2), "[1 2 2] [1 3 3]"},
		{nil, "[] []"},
	} {
		first, last := placesOf(c.rows)
		need.Equal(t, fmt.Sprint(first, last), c.want)
	}
	row := universeRow{UniverseRow: column.UniverseRow{Universe: "model=b", Low: 0.1, High: 0.3}, Measured: 0.2}
	const begin = "The universe that was stated in advance (model=b) has an effect of 0.200 (95% CI 0.100–0.300)"
	for _, c := range []struct {
		place, last, universes int
		want                   string
	}{
		{2, 2, 9, " and is number 2 of 9 in ascending order of the effect."},
		{2, 5, 9, " and, in ascending order of the effect, shares places 2 to 5 of 9 with universes of the same effect to " +
			"three decimals."},
		{1, 9, 9, "; to three decimals, all 9 universes have this effect."},
		{1, 1, 1, "."},
	} {
		row.Place, row.Last, row.Universes, row.Stated = c.place, c.last, int32(c.universes), finding.StatedBefore
		need.Equal(t, need.Value(wording.Text("multiverse.headline", row))(t), begin+c.want)
	}
}
