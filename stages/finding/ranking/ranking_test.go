package ranking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

var unknown = math.NaN()

func coords(text string) []dag.Coord { return column.ReadCoords(strings.Fields(text)) }

func codes(l finding.List) string {
	return strings.Join(lists.Map(l, func(f finding.Finding) string { return f.Code }), " ")
}

// ranked is a ranking by a method with so many planted regions among the first 10, of 16 (−1: not known), its AUROC or
// held-out effect, and the trained models' lead over it with its p.
func ranked(method, by string, found int32, worth, lead, p float64) column.RecoveryRow {
	planted := int32(16)
	r := column.RecoveryRow{Top: 10, By: by, Method: method, AUROC: unknown, HeldOut: worth, LeadScore: lead, PScore: p,
		LeadContrast: lead, PContrast: p, TestedLeast: 10}
	if found >= 0 {
		r.Planted, r.Found, r.AUROC, r.HeldOut = &planted, &found, worth, unknown
	}
	return r
}

// The trained models' ranking beside its references: a lead that the models do not show with p < 0.05, or that the
// printed digits do not show, is none.
func TestComparison(t *testing.T) {
	trained := ranked(column.TrainedModels, "score", 8, 0.95, unknown, unknown)
	chance := ranked(column.TrainedModels, "score", 1, 0.5, unknown, unknown)
	heldOut := ranked(column.TrainedModels, "score", -1, 0.2, unknown, unknown)
	untrained := func(found int32, worth, lead, p float64) column.RecoveryRow {
		return ranked(column.UntrainedModels, "score", found, worth, lead, p)
	}
	features := func(found int32, worth, lead, p float64) column.RecoveryRow {
		return ranked(column.FeatureTest, "statistic", found, worth, lead, p)
	}
	const worse, notBetter, random = "ranking.worse-than-reference", "ranking.not-better", "ranking.no-more-than-random"
	for _, c := range []struct {
		name                      string
		rows                      []column.RecoveryRow
		measure                   string // "" where nothing is compared
		beaten, even, ahead, want string
	}{
		{"all beaten", []column.RecoveryRow{trained, untrained(3, 0.6, 0.3, 0.01), features(7, 0.9, 0.05, 0.04)},
			ByPlanted, "untrained models, t-test of features", "", "", ""},
		{"one is not beaten for certain", []column.RecoveryRow{trained, untrained(3, 0.6, 0.3, 0.01),
			features(7, 0.9, 0.05, 0.05)}, ByPlanted, "untrained models", "t-test of features", "", notBetter},
		{"one is better, one printed as equal", []column.RecoveryRow{trained, untrained(8, 0.951, 0.001, 0.01),
			features(9, 0.99, -0.04, 0.02)}, ByPlanted, "", "untrained models =", "t-test of features",
			worse + " " + notBetter},
		{"other regions are found", []column.RecoveryRow{trained, untrained(7, 0.951, 0.001, 0.01)}, ByPlanted,
			"untrained models", "", "", ""},
		{"one is better before the correction", []column.RecoveryRow{trained, untrained(3, 0.6, 0.3, 0.2),
			features(9, 0.99, -0.04, 0.03)}, ByPlanted, "", "untrained models, t-test of features", "", notBetter},
		{"one may be better", []column.RecoveryRow{trained, features(9, 0.99, -0.04, 0.06)}, ByPlanted, "",
			"t-test of features", "", notBetter},
		{"no lead varies", []column.RecoveryRow{trained, untrained(0, 0.01, -0.04, unknown)}, ByPlanted, "",
			"untrained models inverted", "", notBetter},
		{"inverted is not printed as equal", []column.RecoveryRow{ranked(column.TrainedModels, "score", 8, 0.04, unknown, unknown),
			untrained(8, 0.04, 0.5, 0.01)}, ByPlanted, "untrained models inverted", "", "", ""},
		{"no more than random", []column.RecoveryRow{chance, features(1, 0.4, 0.1, 0.01)}, ByPlanted,
			"", "", "", random},
		{"real data, no better than chance", []column.RecoveryRow{ranked(column.TrainedModels, "score", -1, -0.04, unknown,
			unknown), untrained(-1, -0.12, 0.08, 0.024), features(-1, 0.01, -0.05, 0.7)}, ByHeldOut, "",
			"t-test of features", "", "ranking.no-better-than-chance " + notBetter},
		{"no more than random, and worse", []column.RecoveryRow{chance, untrained(1, 0.9, -0.4, 0.01),
			features(1, 0.5, 0, 0.9)}, ByPlanted, "", "t-test of features", "untrained models",
			random + " " + worse + " " + notBetter},
		{"real data", []column.RecoveryRow{heldOut, untrained(-1, 0.1, 0.1, 0.02),
			ranked(column.RidgePattern, "statistic", -1, 0.19, 0.01, 0.8)}, ByHeldOut, "untrained models",
			"ridge pattern", "", notBetter},
		{"real data, worse", []column.RecoveryRow{heldOut, features(-1, 0.4, -0.2, 0.01)}, ByHeldOut, "", "",
			"t-test of features", worse},
		{"real data, printed as equal", []column.RecoveryRow{heldOut, features(-1, 0.204, -0.004, 0.01)}, ByHeldOut, "",
			"t-test of features =", "", notBetter},
		{"untrained models by the other criterion", []column.RecoveryRow{heldOut,
			ranked(column.UntrainedModels, "contrast", -1, 0.1, 0.1, 0.03)}, "", "", "", "", ""},
		{"nothing known", []column.RecoveryRow{ranked(column.TrainedModels, "score", -1, unknown, unknown, unknown),
			untrained(-1, unknown, unknown, unknown)}, "", "", "", "", ""},
		{"no reference", []column.RecoveryRow{trained}, "", "", "", "", ""},
		{"no trained models", []column.RecoveryRow{features(7, 0.9, 0.05, 0.04)}, "", "", "", "", ""},
	} {
		got, ok := Compare(c.rows, "score", 84, finding.Shown{})
		need.Equal(t, ok, c.measure != "", c.name)
		need.Equal(t, got.Measure, c.measure, c.name)
		names := func(all []Ranking) string {
			return strings.Join(lists.Map(all, func(r Ranking) string {
				switch {
				case r.Equal:
					return r.Method + " ="
				case !math.IsNaN(r.Reversed):
					return r.Method + " inverted"
				}
				return r.Method
			}), ", ")
		}
		need.Equal(t, names(got.Beaten), c.beaten, c.name)
		need.Equal(t, names(got.Even), c.even, c.name)
		need.Equal(t, names(got.Ahead), c.ahead, c.name)
		if ok {
			need.Equal(t, codes(got.Findings()), c.want, c.name)
		}
		need.Equal(t, got.Tested, ok && c.name != "no lead varies", c.name)
	}
	got, _ := Compare([]column.RecoveryRow{trained, features(7, 0.9, 0.05, 0.04)}, "score", 84, finding.Shown{})
	need.Equal(t, fmt.Sprint(got.Found, got.Top, got.Planted, got.BeyondChance), "8 10 16 true")
	need.Equal(t, got.Chance, 160.0/84)
	// As many as by chance are no more than by chance.
	for regions, beyond := range map[int]bool{20: false, 21: true} {
		rows := []column.RecoveryRow{trained, features(7, 0.9, 0.05, 0.04)}
		got, _ := Compare(rows, "score", regions, finding.Shown{})
		need.Equal(t, got.BeyondChance, beyond, regions)
	}
}

// A page compares by the criterion of the ranking and by the other one; cautions are about the first.
func TestComparisons(t *testing.T) {
	score := ranked(column.TrainedModels, "score", 8, 0.95, unknown, unknown)
	contrast := ranked(column.TrainedModels, "contrast", 8, 0.95, unknown, unknown)
	reference := ranked(column.FeatureTest, "statistic", 7, 0.9, 0.05, 0.04)
	reference.PContrast = 0.5
	for _, c := range []struct {
		rows     []column.RecoveryRow
		by, want string
	}{
		{[]column.RecoveryRow{score, contrast, reference}, "score contrast", ""},
		{[]column.RecoveryRow{contrast, score, reference}, "contrast score", "ranking.not-better"},
		{[]column.RecoveryRow{score, reference}, "score", ""},
		{[]column.RecoveryRow{score}, "", ""},
		{nil, "", ""},
	} {
		all, found := Comparisons(c.rows, 84, finding.Shown{})
		need.Equal(t, strings.Join(lists.Map(all, func(c Comparison) string { return c.By }), " "), c.by)
		need.Equal(t, codes(found), c.want)
	}
}

// Hundredths are those that are printed: multiples of 0.005 are ties in their exact value, or just beside one.
func TestHundredths(t *testing.T) {
	check := func(x float64) {
		printed := need.Value(strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64))(t)
		if got := hundredths(x); got != math.Round(printed*100) {
			t.Errorf("%v is %v hundredths, and printed as %v", x, got, printed)
		}
	}
	for i := -400; i <= 400; i++ {
		check(float64(i) / 200)
	}
	s := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		x := float64(s.IntN(2000)) / 200
		check(x)
		check(math.Nextafter(x, 20))
		check(math.Nextafter(x, -20))
		check(10 * s.Float64())
	}
}

func TestHeldOutEffects(t *testing.T) {
	for _, c := range []struct {
		least   int32
		heldOut float64
		by      string
		want    string
	}{
		{2, 0.3, "score", "ranking.held-out-noisy"}, {3, 0.3, "score", ""}, {0, 0.3, "score", ""},
		{2, unknown, "statistic", "ranking.no-held-out"}, {2, unknown, "contrast", ""}, {3, unknown, "statistic", ""},
	} {
		rows := []column.RecoveryRow{{HeldOut: c.heldOut, TestedLeast: c.least, By: "score"}, {By: c.by}}
		need.Equal(t, codes(HeldOutEffects(rows)), c.want, c)
	}
	need.Equal(t, codes(HeldOutEffects(nil)), "")
}

func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		over     string
		kuncheva float64
		want     string
	}{
		{"models", 0.49, "ranking.models-disagree"}, {"models", 0.5, ""}, {"models", unknown, ""},
		{"participants", 0.1, ""},
	} {
		need.Equal(t, codes(Agreement(column.ConsistencyRow{Over: c.over, Kuncheva: c.kuncheva})), c.want, c)
	}
}

func TestContrasted(t *testing.T) {
	for _, c := range []struct {
		q       []float64
		least   float64
		want    string
		regions string
		top     float64
	}{
		{[]float64{0.01, 0.05, 0.04}, 0.001, "contrast.significant", "C 3, A 1", 0.01},
		{[]float64{0.01, unknown, unknown}, unknown, "contrast.significant", "A 1", 0.01},
		{[]float64{0.05, 0.3, unknown}, 0.001, "contrast.none", "", 0.05},
		{[]float64{0.2, 0.3, 0.4}, 0.05, "contrast.powerless", "", 0.2},
		{[]float64{0.2, 0.3, 0.4}, 0.049, "contrast.none", "", 0.2},
		{[]float64{0.2, 0.3, 0.4}, unknown, "contrast.none", "", 0.2},
		{[]float64{unknown, unknown, unknown}, 0.001, "", "", 0},
	} {
		rows := []column.RankingRow{{Abbreviation: "A", Name: "a"}, {Abbreviation: "B"}, {Name: "C"}}
		for i := range rows {
			rows[i].Q, rows[i].Contrast, rows[i].Least = c.q[i], float64(i+1), c.least
		}
		f, tested := Contrasted(rows)
		need.Equal(t, f.Code, c.want, c)
		need.Equal(t, tested, c.want != "", c)
		if tested {
			n := f.Numbers.(Contrasts)
			need.Equal(t, n.Q, c.top, c)
			need.Equal(t, strings.Join(lists.Map(n.Regions,
				func(r Contrast) string { return fmt.Sprint(r.Region, " ", r.Contrast) }), ", "), c.regions, c)
		}
	}
}

func TestBeyondNull(t *testing.T) {
	for _, c := range []struct {
		q       []float64
		draws   int32
		setting string // that is shown
		want    string
		numbers NullTests
	}{
		{[]float64{0.01, 0.02, 0.05}, 99, "pool=b", "null.regions", NullTests{"", []string{"X", "y"}, 0.1, 99}},
		{[]float64{0.2, 0.2, 0.5}, 99, "pool=b", "null.none", NullTests{"", nil, 0.1, 99}},
		{[]float64{0.2, 0.2, 0.5}, 20, "pool=b", "null.none", NullTests{"", nil, 0.1, 20}},
		{[]float64{0.2, 0.2, 0.5}, 19, "pool=b", "null.powerless", NullTests{"", nil, 0.1, 19}},
		{[]float64{0.2, 0.2, 0.5}, 99, "pool=c", "null.regions", NullTests{"pool a", []string{"W"}, 0.01, 99}},
	} {
		rows := []column.NullRow{{Coords: coords("pool=a"), Abbreviation: "W", Q: 0.01, PAny: 0.01,
			Permutations: c.draws}}
		for i, name := range []string{"X", "", "Z"} {
			rows = append(rows, column.NullRow{Coords: coords("pool=b"), Abbreviation: name, Name: "y", Q: c.q[i],
				PAny: 0.1 + float64(i)/10, Permutations: c.draws})
		}
		f, tested := BeyondNull(rows, coords(c.setting))
		need.Equal(t, tested, true)
		need.Equal(t, f.Code, c.want, c)
		need.Equal(t, fmt.Sprint(f.Numbers), fmt.Sprint(c.numbers))
	}
	_, tested := BeyondNull(nil, nil)
	need.Equal(t, tested, false)
}

// The first map is by the reading that beats every reference in the held-out effect; the truth has no part in it.
func TestFirstMap(t *testing.T) {
	type test struct{ lead, p float64 }
	better, same, worse, none := test{0.2, 0.01}, test{0.2, 0.06}, test{-0.2, 0.01}, test{math.NaN(), math.NaN()}
	// Against each reference: the score's ranking, then the contrast's.
	rows := func(untrained, strength, ridge [2]test) (out []column.RecoveryRow) {
		row := func(method, by string, v [2]test) {
			// By the truth the score is far ahead: that must not count.
			out = append(out, column.RecoveryRow{Method: method, By: by, LeadScore: 0.5, PScore: 0.001,
				LeadContrast: -0.5, PContrast: 0.001, HeldOutLeadScore: v[0].lead, HeldOutPScore: v[0].p,
				HeldOutLeadContrast: v[1].lead, HeldOutPContrast: v[1].p})
		}
		row(column.TrainedModels, "score", [2]test{none, none})
		row(column.TrainedModels, "contrast", [2]test{none, none})
		row(column.UntrainedModels, "score", [2]test{untrained[0], worse})    // each reading is compared with its own
		row(column.UntrainedModels, "contrast", [2]test{worse, untrained[1]}) // untrained ranking only
		row(column.StrengthTest, "statistic", strength)
		row(column.RidgePattern, "statistic", ridge)
		return out
	}
	all := func(score, contrast test) []column.RecoveryRow {
		v := [2]test{score, contrast}
		return rows(v, v, v)
	}
	for _, c := range []struct {
		name     string
		rows     []column.RecoveryRow
		own      bool // the pipeline reads the contrast
		contrast bool
		why      string
	}{
		{"only the contrast", all(same, better), false, true, "lead"},
		{"only the score", all(better, same), true, false, "lead"},
		{"both", all(better, better), true, true, "both"},
		{"neither", all(same, worse), false, false, "neither"},
		{"one reference is not beaten", rows([2]test{same, better}, [2]test{same, better}, [2]test{same, same}), false, false, "neither"},
		{"an untrained model is not beaten", rows([2]test{same, same}, [2]test{same, better}, [2]test{same, better}), false, false, "neither"},
		{"not tested", all(none, none), true, true, "untested"},
		{"no references", nil, true, true, ""},
	} {
		got := FirstMapOf(c.rows, c.own)
		need.Equal(t, got, FirstMap{c.contrast, c.why}, c.name)
	}
}

// Equal scores at the border of the first regions are no ranking, or only the part above them is.
func TestTies(t *testing.T) {
	for _, c := range []struct {
		scores       []float64
		code         string
		above, equal int
	}{
		{[]float64{0, 0, 0, 0}, "ranking.no-order", 0, 4},
		{[]float64{3, 1, 1, 0}, "ranking.tied", 1, 2},
		{[]float64{3, 3, 1, 1}, "", 0, 0},
		{[]float64{3, math.NaN(), math.NaN()}, "", 0, 0},
		{[]float64{1, 1}, "", 0, 0},
	} {
		var rows []column.RankingRow
		for _, s := range c.scores {
			rows = append(rows, column.RankingRow{Score: s})
		}
		found := Ties(rows, "score", 2, finding.Shown{})
		need.Equal(t, len(found) > 0, c.code != "")
		for _, f := range found {
			of := f.Numbers.(TiedTop)
			need.Equal(t, f.Code, c.code)
			need.Equal(t, [2]int{of.Above, of.Equal}, [2]int{c.above, c.equal})
		}
	}
}
