package prepare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// A covariate that stands for the label is refused under any name and coding, and one that is only different for
// everybody is not.
func TestCombatTells(t *testing.T) {
	const n = 40
	r := random.New(1, "tells")
	numbers := func(f func(i int) float64) encoding.Column {
		v := make([]float64, n)
		for i := range v {
			v[i] = f(i)
		}
		return encoding.Column{Name: "x", Values: v}
	}
	texts := func(f func(i int) string) encoding.Column {
		v := make([]string, n)
		for i := range v {
			v[i] = f(i)
		}
		return encoding.Column{Name: "x", Values: v}
	}
	group := func(i int) float64 { return float64(i % 2) } // as PeopleWith has them in turn
	age := make([]float64, n)                              // all differ
	for i := range age {
		age[i] = 8 + 20*r.Float64()
	}
	bands := func(i int) string { return string(rune('a' + int(age[i]-8)/2)) } // of two years
	coin := make([]float64, n)
	for i := range coin {
		coin[i] = float64(r.IntN(2))
	}
	half := numbers(func(i int) float64 { return group(i) + r.Float64()/2 }) // of half of them it is known
	half.Valid = slices.Repeat([]bool{true, false, false, true}, n/4)
	for _, c := range []struct {
		name   string
		number bool // predict age, not the group
		x      encoding.Column
		want   string // refused, doubt or ""
	}{
		{"a code of the group", false, numbers(func(i int) float64 { return 2 - group(i) }), "refused"},
		{"codes of parts of the groups", false, numbers(func(i int) float64 { return float64(i % 4) }), "refused"},
		{"the same as texts", false, texts(func(i int) string { return string(rune('a' + i%4)) }), "refused"},
		{"symptoms that separate", false, numbers(func(i int) float64 { return 40 + 10*group(i) + 9*r.Float64() }), "refused"},
		{"the other way, but for one", false, numbers(func(i int) float64 {
			if i == 0 {
				return 49.5
			}
			return 60 - 10*group(i) - 9*r.Float64()
		}), "refused"},
		{"where it is known", false, half, "refused"},
		{"much of it", false, numbers(func(i int) float64 { return group(i) + 1.6*r.Float64() }), "doubt"},
		{"age beside groups", false, numbers(func(i int) float64 { return age[i] }), ""},
		{"a name", false, texts(func(i int) string { return strings.Repeat("x", i+1) }), "refused"},
		{"age in months", true, numbers(func(i int) float64 { return math.Round(12 * age[i]) }), "refused"},
		{"what falls with age", true, numbers(func(i int) float64 { return -age[i] * age[i] }), "refused"},
		{"grade at school", true, numbers(func(i int) float64 { return math.Floor(age[i]) }), "refused"},
		{"bands of age", true, texts(bands), "refused"},
		{"bands of age by codes in no order", true, numbers(func(i int) float64 {
			return float64(int(bands(i)[0]) * 7 % 11)
		}), "refused"},
		{"sex by codes", true, numbers(func(i int) float64 { return 1 + coin[i] }), ""},
		{"sex", true, texts(func(i int) string { return [2]string{"F", "M"}[int(coin[i])] }), ""},
		{"the group by a code", true, numbers(group), ""},
		{"education", true, numbers(func(i int) float64 { return math.Floor(age[i]/2 + 8*r.Float64()) }), "doubt"},
		{"nothing", true, numbers(func(int) float64 { return r.Float64() }), ""},
		{"a constant", true, numbers(func(int) float64 { return 1 }), ""},
	} {
		people := stagetest.PeopleWith(c.x)
		if c.number {
			people.Columns[1] = encoding.Column{Name: column.Target, Values: age}
			people.Meta = map[string]string{column.Target: "age"}
		}
		refused, doubts := (&Combat{Preserve: []string{"x"}}).LeaksLabel(people, nil)
		got := map[bool]string{len(refused) > 0: "refused", len(doubts) > 0: "doubt"}[true]
		if got != c.want {
			t.Errorf("%s: %q, want %q: %v %v", c.name, got, c.want, refused, doubts)
		}
	}
	// The label of the folds is another one than the group.
	people := stagetest.PeopleWith(texts(func(i int) string { return [2]string{"F", "M"}[i/2%2] }))
	ids := need.Value(people.Strings("participant_id"))(t)
	sex := need.Value(people.Strings("x"))(t)
	folds := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: sex}, encoding.Column{Name: "repeat", Values: make([]int32, n)},
		encoding.Column{Name: "fold", Values: make([]int32, n)})
	refused, _ := (&Combat{Preserve: []string{"x"}}).LeaksLabel(people, folds)
	if len(refused) != 1 || !strings.Contains(refused[0].Error(), "x stands for the label to predict (AUC 1.000") {
		t.Errorf("sex, which the folds predict: %v", refused)
	}
}

// A site that is closely tied to the diagnosis has the caution that a removed covariate has, at the same AUC.
func TestSiteTiedToTheLabel(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		exchanged int // participants of each group at the other group's site
		want      string
	}{{0, "refused"}, {1, "doubt"}, {2, "doubt"}, {3, ""}, {10, ""}} {
		sites := make([]string, n)
		for i := range sites { // the groups take turns
			sites[i] = string(rune('x' + (i+map[bool]int{true: 1}[i/2 < c.exchanged])%2))
		}
		people := stagetest.PeopleWith(encoding.Column{Name: "site", Values: sites})
		predicted := encoding.NewTable(people.Columns[0], encoding.Column{Name: "group", Values: sites},
			encoding.Column{Name: "repeat", Values: make([]int32, n)},
			encoding.Column{Name: "fold", Values: make([]int32, n)})
		if c.exchanged == 10 { // the site itself may be predicted
			refused, doubts := (&Combat{Site: "site"}).LeaksLabel(people, predicted)
			need.Equal(t, len(refused)+len(doubts), 0, refused, doubts)
		}
		for by, s := range map[string]interface {
			LeaksLabel(people, folds *encoding.Table) ([]error, []column.Note)
		}{"combat": &Combat{Site: "site"}, "deconfound": &Deconfound{Covariates: []string{"site"}}} {
			refused, doubts := s.LeaksLabel(people, nil)
			got := map[bool]string{len(refused) > 0: "refused", len(doubts) > 0: "doubt"}[true]
			need.Equal(t, got, c.want, by, c, refused, doubts)
			if got == "doubt" {
				need.Equal(t, doubts[0].Code, "noted.tied")
			}
		}
	}
}
