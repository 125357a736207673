package present

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/assess"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
	"prgnn/stages/stagetest"
	"prgnn/stages/wording"
)

func TestCovariates(t *testing.T) {
	age, volumes := make([]float64, 40), make([]int32, 40)
	sex, site, id, file := make([]string, 40), make([]string, 40), make([]int64, 40), make([]string, 40)
	var cleaning []dag.Input
	people := stagetest.PeopleWith()
	ids, _ := people.Strings("participant_id")
	for i := range 40 {
		age[i] = float64(10*(i%2)) + float64(i%7)/10 // tells everything
		volumes[i] = 146
		sex[i] = []string{"F", "M"}[i/2%2] // tells nothing
		site[i] = "one"
		id[i], file[i] = int64(1000+i), fmt.Sprintf("scan%d.nii", i)
		cleaning = append(cleaning, dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "volumes", Values: []int32{146}},
			encoding.Column{Name: "kept", Values: []int32{int32(140 + i%2)}},
			encoding.Column{Name: "mean_fd", Values: []float64{math.NaN()}}),
			dag.Coord{Axis: "subject", Value: ids[i]}))
	}
	hand := append([]string{"n/a"}, slices.Repeat([]string{"right"}, 39)...)
	age[3], sex[4] = math.NaN(), "n/a"
	people = stagetest.PeopleWith(encoding.Column{Name: "age", Values: age}, encoding.Column{Name: "sex", Values: sex},
		encoding.Column{Name: "site", Values: site},
		encoding.Column{Name: "hand", Values: hand}, encoding.Column{Name: "sub_id", Values: id},
		encoding.Column{Name: "file", Values: file})
	in := map[string][]dag.Input{"participants": {dag.InputOf(people)}, "cleaning": cleaning}
	out := stagetest.MustRun(t, &assess.Covariates{Label: "group", Within: "site", Permutations: 199},
		in)["checks"].(*encoding.Table)
	if got, _ := out.Strings("covariate"); !slices.Equal(got, []string{"age", "sex", "site", "hand", "volumes",
		"kept"}) {
		t.Errorf("covariates %v", got)
	}
	for column, want := range map[string][]float64{
		// 10 of 19 and 10 of 20 are M
		"n": {39, 39, 40, 39, 40, 40}, "missing": {1, 1, 0, 1, 0, 0}, "auc": {1, (1 + 10./19 - 0.5) / 2, 0.5,
			0.5, 0.5, 1},
	} {
		if got := stagetest.FloatsOf(t, out, column); !stagetest.Near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	if p := stagetest.FloatsOf(t, out, "p"); p[0] != 1./200 || p[1] < 0.3 || p[2] != 1 || p[3] != 1 || p[5] != 1./200 {
		t.Errorf("p: %v", p)
	}
	rows := need.Value(column.Rows[column.CovariateRow](out))(t)
	for i, want := range map[int]string{1: "[{ASD   [9 F 10 M] false} {HC   [10 F 10 M] false}]",
		5: "[{ASD 140 0 [] false} {HC 141 0 [] false}]"} {
		need.Equal(t, fmt.Sprint(valuesByGroup(rows[i])), want)
	}
	// q is p times 3 over its rank: site and volumes do not vary, and are no tests.
	p := stagetest.FloatsOf(t, out, "p")
	if q := stagetest.FloatsOf(t, out, "q"); !stagetest.Near(q, []float64{3. / 400, p[1], 1, 1, 1, 3. / 400}) {
		t.Errorf("q: %v of p %v", q, p)
	}
	in = summaryInputs(t, people)
	in["covariates"] = []dag.Input{dag.InputOf(out)}
	in["comparison"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, &assess.Compare{}, map[string][]dag.Input{
		"predictions": slices.Concat(stagetest.TwoFolds("bad", 0.1, 0.2, 0.9, 0.3), stagetest.TwoFolds("good", 0.1, 0.9,
			0.1, 0.6))})["pairs"])}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{"age 39 1 1.000 0.575 ≤ 0.005 ", "The covariate age alone distinguishes the groups (AUC 1.00, chance 0.58, p ≤ 0.005 (199 permutations))", "bad good 0.250 1.000 0 : 3 0.333 0.333 0.250 0.250", "The same in all participants: site and volumes scanned. The same in all participants with a value: hand (missing in 1). Not tested: "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Where each site has one group, permutations within sites test nothing: p is n/a, and a caution says what cannot be
// told apart.
func TestCovariatesWhereSiteIsGroup(t *testing.T) {
	age, score, site := make([]float64, 40), make([]float64, 40), make([]string, 40)
	for i := range 40 {
		age[i] = float64(10*(i%2)) + float64(i%7)/10
		score[i], site[i] = float64(i/2%5), []string{"one", "two"}[i%2]
	}
	people := stagetest.PeopleWith(encoding.Column{Name: "age", Values: age},
		encoding.Column{Name: "score", Values: score}, encoding.Column{Name: "site", Values: site})
	out := stagetest.MustRun(t, &assess.Covariates{Label: "group", Within: "site", Permutations: 199},
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["checks"].(*encoding.Table)
	p, q := stagetest.FloatsOf(t, out, "p"), stagetest.FloatsOf(t, out, "q")
	if !math.IsNaN(p[0]) || !math.IsNaN(q[0]) || p[2] != 1./200 || q[2] != p[2] {
		t.Errorf("p %v, q %v", p, q)
	}
	in := summaryInputs(t, people)
	in["covariates"] = []dag.Input{dag.InputOf(out)}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{"age 40 0 1.000 n/a n/a n/a",
		"p: labels permuted 199 times within sites (for site, over all participants).",
		"n/a: no permutation within sites changes the AUC.",
		"The covariate age alone distinguishes the groups (AUC 1.00, p < 0.05 with labels permuted over all participants), but its effect cannot be separated from that of site: each site has participants of one group only",
		"The covariate site alone distinguishes the groups"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "Covariate score") {
		t.Error("a covariate that tells nothing has a caution")
	}
}

// Where both groups are at both sites, a covariate that is the same at each site cannot be told from the site.
func TestCovariateThatIsTheSite(t *testing.T) {
	kept, site := make([]float64, 40), make([]string, 40)
	for i := range 40 { // groups alternate
		at := i % 2
		if i < 8 {
			at = 1 - at
		}
		kept[i], site[i] = 100+50*float64(at), []string{"one", "two"}[at]
	}
	people := stagetest.PeopleWith(encoding.Column{Name: "kept", Values: kept},
		encoding.Column{Name: "site", Values: site})
	out := stagetest.MustRun(t, &assess.Covariates{Label: "group", Within: "site", Permutations: 199},
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["checks"].(*encoding.Table)
	const want = "The covariate volumes kept alone distinguishes the groups (AUC 0.80, p < 0.05 with labels permuted over all participants), but its effect cannot be separated from that of site: it is constant in each site that has participants of several groups, so no permutation within sites changes the AUC. The classifier may have learned volumes kept or site instead"
	found, err := finding.Of(out.Meta)
	need.NoError(t, err)
	got, err := wording.Finding(found.Grouped()[0])
	need.NoError(t, err)
	if !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

// The volumes that were scanned and those that were kept are of one thing, which has one caution: where they go with
// the groups alone, and where they cannot be told from the site.
func TestVolumesHaveOneCaution(t *testing.T) {
	for _, sites := range []bool{false, true} {
		volumes, kept, site := make([]float64, 40), make([]float64, 40), make([]string, 40)
		for i := range 40 {
			at := i % 2
			if i < 8 {
				at = 1 - at
			}
			volumes[i], kept[i], site[i] = 110+50*float64(at), 100+50*float64(at), []string{"one", "two"}[at]
		}
		columns := []encoding.Column{{Name: "volumes", Values: volumes}, {Name: "kept", Values: kept}}
		want := "The covariate volumes (scanned and kept) alone distinguishes the groups (AUC 0.80, chance"
		if sites {
			columns = append(columns, encoding.Column{Name: "site", Values: site})
			want = "The covariate volumes (scanned and kept) alone distinguishes the groups (AUC 0.80, p < 0.05 with labels permuted over all participants), but its effect cannot be separated from that of site"
		}
		people := stagetest.PeopleWith(columns...)
		out := stagetest.MustRun(t, &assess.Covariates{Label: "group", Within: "site", Permutations: 199},
			map[string][]dag.Input{"participants": {dag.InputOf(people)}})["checks"].(*encoding.Table)
		in := summaryInputs(t, people)
		in["covariates"] = []dag.Input{dag.InputOf(out)}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
		if n := strings.Count(text, "The covariate volumes"); n != 1 || !strings.Contains(text, want) {
			t.Errorf("sites %v: %d cautions of volumes, want one: %s", sites, n, text)
		}
	}
}

// A covariate of one group only is not tested, and a caution says so: one of several, of each group.
func TestCovariateOfOneGroup(t *testing.T) {
	iq, age := make([]float64, 40), make([]float64, 40)
	for i := range iq {
		if age[i], iq[i] = float64(i/2), 100+float64(i); i%2 == 0 {
			iq[i] = math.NaN()
		}
	}
	people := stagetest.PeopleWith(encoding.Column{Name: "iq", Values: iq}, encoding.Column{Name: "age", Values: age})
	out := stagetest.MustRun(t, &assess.Covariates{Label: "group", Permutations: 199},
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["checks"].(*encoding.Table)
	in := summaryInputs(t, people)
	in["covariates"] = []dag.Input{dag.InputOf(out)}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{"iq 20 20 n/a n/a n/a n/a", "AUC n/a: only participants of one group have a value.",
		"The covariate iq is available only in HC, so it was not tested"} {
		if !strings.Contains(text, want) || strings.Contains(text, "changes the AUC") {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	hc := []encoding.Column{{Name: "age", Values: age}, {Name: "iq", Values: iq}}
	for i := range 8 {
		scale := slices.Clone(iq)
		scale[1] += float64(i + 1)
		if i == 7 { // of the other group
			slices.Reverse(scale)
		}
		hc = append(hc, encoding.Column{Name: fmt.Sprintf("scale%d", i), Values: scale})
	}
	people = stagetest.PeopleWith(hc...)
	out = stagetest.MustRun(t, &assess.Covariates{Label: "group", Permutations: 199},
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["checks"].(*encoding.Table)
	in = summaryInputs(t, people)
	in["covariates"] = []dag.Input{dag.InputOf(out)}
	text = strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{"The covariates iq, scale0, scale1, scale2, scale3 and 3 more are available only in HC, so they were not tested",
		"The covariate scale7 is available only in ASD, so it was not tested"} {
		if strings.Count(text, want) != 1 || strings.Count(text, "not tested") != 2 {
			t.Errorf("%q is not there once in\n%s", want, text)
		}
	}
}

// The summary repeats the notes that may spoil the result as cautions, as the report does; the run has printed the
// notes.
func TestSummaryCautionsOfNotes(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	in["notes"] = []dag.Input{dag.InputOf(column.Table([]column.Note{{Text: "limit: 2 of 3"},
		{Doubt: column.DoubtSite,
			Text: "column scanner has 3 values: if it is the site, set within: scanner in folds"}}))}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	if !strings.Contains(text, "- Column scanner has 3 values: if it is the site, set within: scanner in folds") ||
		strings.Contains(text, "limit: 2") || strings.Contains(text, "Notes on the data") {
		t.Error(text)
	}
}

// A repetition time of each group is one caution, of the covariates, and the note of the cohort is not repeated;
// without covariates the note is the caution.
func TestRepetitionTimeThatSeparatesTheGroups(t *testing.T) {
	people := stagetest.PeopleWith()
	ids, _ := people.Strings("participant_id")
	var cleaning []dag.Input
	for i, id := range ids {
		r := column.CleaningRow{Volumes: 100, Kept: 100, TR: 2 + float64(i%2)}
		cleaning = append(cleaning, dag.InputOf(column.Table([]column.CleaningRow{r}),
			dag.Coord{Axis: "subject", Value: id}))
	}
	checks := stagetest.MustRun(t, &assess.Covariates{Label: "group", Permutations: 199},
		map[string][]dag.Input{"participants": {dag.InputOf(people)}, "cleaning": cleaning})["checks"]
	note := column.Note{Doubt: column.DoubtTR, Text: "the repetition time is completely confounded with the group: ASD 2 s (20), HC 3 s (20)"}
	const alone = "The covariate repetition time alone distinguishes the groups (AUC 1.00"
	for _, tested := range []bool{true, false} {
		in := summaryInputs(t, people)
		in["notes"] = []dag.Input{dag.InputOf(column.Table([]column.Note{note}))}
		if tested {
			in["covariates"] = []dag.Input{dag.InputOf(checks)}
		}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
		if got := strings.Contains(text, alone); got != tested {
			t.Errorf("tested %v: the caution of the covariate stands: %v\n%s", tested, got, text)
		}
		if got := strings.Contains(text, note.Text[1:]); got == tested {
			t.Errorf("tested %v: the note stands: %v\n%s", tested, got, text)
		}
	}
}

// Relatives in training and test data make the p values of the headline invalid, whatever they are.
func TestSummaryWithRelativesInTrainingAndTestData(t *testing.T) {
	const invalid = "The p values are not valid, because the tests assume independent participants"
	for _, doubt := range []string{column.DoubtRelated, column.DoubtSite} {
		in := summaryInputs(t, stagetest.PeopleWith())
		in["notes"] = []dag.Input{dag.InputOf(column.Table([]column.Note{{Doubt: doubt, Text: "column family_id"}}))}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
		if got := strings.Contains(text, invalid); got != (doubt == column.DoubtRelated) {
			t.Errorf("%s: %v\n%s", doubt, got, text)
		}
	}
}

// Covariates that are missing in the same participants, of one group mostly, have one caution.
func TestCovariatesMissingTogether(t *testing.T) {
	score, rate := make([]float64, 40), make([]float64, 40)
	for i := range score {
		if score[i], rate[i] = float64(i/2), float64(i%5); i%2 == 1 && i > 3 {
			score[i], rate[i] = math.NaN(), math.NaN()
		}
	}
	people := stagetest.PeopleWith(encoding.Column{Name: "score", Values: score},
		encoding.Column{Name: "rate", Values: rate}, encoding.Column{Name: "hand", Values: append([]string{"n/a"},
			slices.Repeat([]string{"right"}, 39)...)})
	out := stagetest.MustRun(t, &assess.Covariates{Label: "group", Permutations: 199},
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["checks"].(*encoding.Table)
	in := summaryInputs(t, people)
	in["covariates"] = []dag.Input{dag.InputOf(out)}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	want := "Values of the covariates score and rate are missing in 18 participants, more often in one group than in another " +
		"(p ≤ 0.005 (199 permutations))" // that one participant lacks hand can show nothing, and is no test
	if !strings.Contains(text, want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
}

// A covariate that is open after the correction may matter; regions that no model had as inputs explain little.
func TestTextsOfCovariates(t *testing.T) {
	number := func(name string, q float64, inputs bool) finding.List {
		return quality.CovariatesOfNumber([]column.NumberCovariateRow{{Name: name, R: 0.267, Within: math.NaN(),
			P: 0.006, Q: q,
			Permutations: 999}}, "age", "", "", inputs)
	}
	group := func(q float64) finding.List {
		return quality.Covariates([]column.CovariateRow{{Name: "sex", AUC: 0.58, Within: math.NaN(),
			Chance: 0.53, P: 0.03, Q: q,
			Permutations: 999}}, "group", "", nil, true)
	}
	for _, c := range []struct {
		of   finding.List
		want string
	}{
		{number(column.UnusableRegions, 0.01, false), "The covariate number of regions without a usable series is associated " +
			"with age (r 0.267, p = 0.006). No model had these regions as inputs, because a region that some participants " +
			"lack was excluded for all; only the density of graphs and the shrinkage of partial correlations depend " +
			"slightly on them"},
		{number("mean_fd", 0.06, false), "The covariate mean framewise displacement may be associated with age (r 0.267, " +
			"p = 0.006; q = 0.060 after correction for all covariates); a model may have learned it instead of age"},
		{group(0.075), "The covariate sex alone may distinguish the groups (AUC 0.58, chance 0.53, p = 0.030; q = 0.075 " +
			"after correction for all covariates); a classifier may have learned it instead of the group difference"},
		{group(0.04), "The covariate sex alone distinguishes the groups (AUC 0.58, chance 0.53, p = 0.030); a classifier " +
			"may have learned it instead of the group difference"},
	} {
		need.Equal(t, need.Value(wording.Text(c.of[0].Code, c.of[0].Values()))(t), c.want)
	}
}

// A page without the parameters of the run has from the models which regions they excluded.
func TestMissingRegionsWithoutParameters(t *testing.T) {
	var found finding.List
	found.Add(finding.RegionsLeftOut([]*column.RegionsLeftOut{{Regions: []int{1}, Names: []string{"1 (a)"}, All: 3,
		Lacking: 1, Participants: 3}})...)
	for want, meta := range map[bool]map[string]string{true: nil, false: {finding.Meta: finding.Written(found)}} {
		a := newAuthor(&section.Writer{Run: &finding.Settings{}}, nil)
		a.Found = need.Value(finding.Of(meta))(t)
		need.Equal(t, a.hasMissingRegions(), want)
	}
}

// A covariate that separates the groups at one site is a caution, and the table has the site with the smallest p.
func TestCovariateAtOneSite(t *testing.T) {
	checks := column.Table([]column.CovariateRow{{Name: "volumes", N: 40, AUC: 0.55, Within: 0.54, Chance: 0.53, P: 0.3,
		Q: 0.3, Permutations: 9999, Sites: []string{"KKI", "STANFORD"}, SiteAUC: []float64{0.5, 0.97},
		SiteP: []float64{1, 0.002}}})
	checks.Meta = map[string]string{"within": "site"}
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "A", "B"))},
		"covariates": {dag.InputOf(checks)}}
	page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
	for _, want := range []string{"At STANFORD (AUC 0.97, <", "the covariate volumes scanned alone distinguishes the groups",
		"Holm&#39;s correction for 2 tests of a covariate at one site", "STANFORD: 0.97, 0.002"} {
		need.Equal(t, strings.Contains(strings.Join(strings.Fields(page), " "), want), true, want)
	}
}
