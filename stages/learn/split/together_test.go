package split

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// cohortOf is a table of participants in units, each of which is the groups of its members, a letter each, or their
// number to predict.
func cohortOf(units []string) *encoding.Table {
	var ids, group, family []string
	var target []float64
	for f, members := range units {
		for _, g := range members {
			ids = append(ids, fmt.Sprintf("sub-%03d", len(ids)))
			group, family = append(group, string(g)), append(family, fmt.Sprint("F", f))
			target = append(target, float64(len(ids)*len(ids)%7))
		}
	}
	return encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "Family_ID", Values: family},
		encoding.Column{Name: "target", Values: target})
}

// TestDivisible: split divides a cohort of whole units exactly if one of all assignments of its units to folds has each
// group, or enough participants, in each fold.
func TestDivisible(t *testing.T) {
	exists := func(units []string, folds, least int, groups string) bool {
		in := make([]string, folds)
		var try func(i int) bool
		try = func(i int) bool {
			if i == len(units) {
				for _, has := range in {
					if len(has) < least || slices.ContainsFunc([]rune(groups), func(g rune) bool {
						return !strings.ContainsRune(has, g)
					}) {
						return false
					}
				}
				return true
			}
			for f := range in {
				before := in[f]
				in[f] += units[i]
				if try(i + 1) {
					return true
				}
				in[f] = before
			}
			return false
		}
		return try(0)
	}
	var cohorts [][]string // multisets of units of these
	var choose func(kinds, has []string, n int)
	choose = func(kinds, has []string, n int) {
		cohorts = append(cohorts, slices.Clone(has))
		for i := range kinds {
			if n > 0 {
				choose(kinds[i:], append(has, kinds[i]), n-1)
			}
		}
	}
	choose([]string{"A", "B", "AB", "AA", "AABB", "ABBB"}, nil, 6)
	choose([]string{"A", "B", "C", "AB", "BC", "AC", "ABBCC"}, nil, 6)
	counts := map[string]int{}
	for _, units := range cohorts {
		letters := slices.Sorted(slices.Values(strings.Split(strings.Join(units, ""), "")))
		groups := strings.Join(slices.Compact(letters), "")
		for folds := 2; folds <= 3; folds++ {
			for what, s := range map[string]*Split{"groups": {Stratify: true}, "plain": {},
				"number": {Label: "target", Stratify: true}} {
				if what != "number" && len(groups) < 2 || what == "number" && strings.Contains(groups, "C") {
					continue
				}
				s.Folds, s.Repeats, s.KeepTogether = folds, 1, []string{"Family_ID"}
				least, each := 1, ""
				switch what {
				case "number":
					least = fewest
				case "groups":
					each = groups
				}
				table := cohortOf(units)
				_, err := s.Plan(table)
				if err != nil && what == "number" && strings.Contains(err.Error(), "same number") {
					continue
				}
				want := exists(units, folds, least, each)
				if counts[fmt.Sprint(what, want)]++; want != (err == nil) {
					t.Errorf("%v in %d folds, %s: %v, but a division exists: %v", units, folds, what, err, want)
				}
			}
		}
	}
	for _, what := range []string{"groupstrue", "groupsfalse", "numbertrue", "numberfalse", "plaintrue", "plainfalse"} {
		if counts[what] < 50 {
			t.Errorf("%s: %d cohorts", what, counts[what])
		}
	}
	t.Log(len(cohorts), counts)
}

// A search that is too long ends, and the error reports so: of many groups, or of very many.
func TestDivisionNotSearched(t *testing.T) {
	var units []string // pairs of 13 groups, 8 units of each group: 8 folds of 13 groups have no room for a pair more
	for g := range 13 {
		for d := 1; d <= 4; d++ {
			units = append(units, string([]rune{rune('A' + g), rune('A' + (g+d)%13)}))
		}
	}
	var many []string
	for g := range 70 {
		many = append(many, strings.Repeat(string(rune('Ā'+g)), 3))
	}
	for folds, units := range map[int][]string{8: units, 2: many} {
		s := &Split{Folds: folds, Repeats: 1, Stratify: true, KeepTogether: []string{"Family_ID"}}
		_, err := s.Plan(cohortOf(units))
		if err == nil || !strings.Contains(err.Error(), "bounded to 200000 steps found no division") {
			t.Error(err)
		}
	}
}

// families is a table of participants in families of one group each, of these sizes in turn; a family of one has no ID.
func families(sizes ...int) *encoding.Table {
	var ids, group, family []string
	for f, n := range sizes {
		for range n {
			ids = append(ids, fmt.Sprintf("sub-%03d", (7*len(ids))%211)) // relatives are not neighbors
			group = append(group, []string{"ASD", "HC"}[f%2])
			family = append(family, map[bool]string{true: fmt.Sprint(f), false: "n/a"}[n > 1])
		}
	}
	return encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "Family_ID", Values: family})
}

// TestKeepTogether: no family is in two folds of a repeat, and folds differ in each group by no more than the largest
// family; without the option families are divided.
func TestKeepTogether(t *testing.T) {
	sizes := slices.Repeat([]int{1, 2, 3, 1, 1, 4, 2, 1}, 8)
	p := families(sizes...)
	_, family, err := column.ByParticipant(p, "Family_ID")
	need.NoError(t, err)
	divided := func(s *Split) (apart, widest int) {
		in, n := map[string]int32{}, map[string][]int{}
		for _, r := range foldsOf(t, s, p) {
			of := fmt.Sprint(r.Repeat, r.Group)
			if n[of] == nil {
				n[of] = make([]int, s.Folds)
			}
			n[of][r.Fold-1]++
			if f := fmt.Sprint(r.Repeat, family[r.ID]); family[r.ID] != "n/a" {
				if other, there := in[f]; there && other != r.Fold {
					apart++
				}
				in[f] = r.Fold
			}
		}
		for _, sizes := range n {
			widest = max(widest, slices.Max(sizes)-slices.Min(sizes))
		}
		return apart, widest
	}
	for seed := range uint64(20) {
		s := &Split{Folds: 5, Repeats: 3, Stratify: true, KeepTogether: []string{"Family_ID"}, Seed: seed}
		if apart, widest := divided(s); apart > 0 || widest > 4 {
			t.Errorf("seed %d: %d relatives are apart, and folds differ by %d of a group", seed, apart, widest)
		}
		s.KeepTogether = nil
		if apart, _ := divided(s); apart == 0 {
			t.Errorf("seed %d: nobody is apart without the option: this test shows nothing", seed)
		}
	}
	first := foldsOf(t, &Split{Folds: 5, Repeats: 2, Stratify: true, KeepTogether: []string{"Family_ID"}}, p)
	slices.SortStableFunc(first, func(a, b fold.Member) int { return strings.Compare(a.ID, b.ID) })
	same := 0
	for i := 0; i < len(first); i += 2 {
		same += map[bool]int{true: 1}[first[i].Fold == first[i+1].Fold]
	}
	if same > len(first)/4 {
		t.Errorf("%d of %d are in the same fold of both repeats", same, len(first)/2)
	}
}

// The option holds inside an outer fold too, for a number, and along chains of columns.
func TestKeepTogetherEverywhere(t *testing.T) {
	p := families(slices.Repeat([]int{2, 2, 1, 3}, 12)...)
	n := p.Rows()
	target, mother := make([]float64, n), make([]string, n)
	for i := range target {
		target[i], mother[i] = float64(i*i%17), ""
	}
	mother[0], mother[n-1] = "m", "m" // half-siblings of two families
	p.Columns = append(p.Columns, encoding.Column{Name: "target", Values: target},
		encoding.Column{Name: "Mother_ID", Values: mother})
	for _, s := range []*Split{{Folds: 4}, {Folds: 4, Stratify: true}, {Folds: 4, Stratify: true, Outer: 2, Inner: 3},
		{Folds: 4, Stratify: true, Label: "target"}, {Folds: 4, Stratify: true, Permutation: 5}} {
		s.Repeats, s.KeepTogether = 1, []string{"Family_ID", "Mother_ID"}
		out := stagetest.MustRun(t, s, map[string][]dag.Input{"participants": {dag.InputOf(p)}})["folds"]
		rows := need.Value(column.Rows[fold.LabeledMember](out.(*encoding.Table)))(t)
		compared, apart := fold.Separated(rows)
		if compared != n || apart != nil {
			t.Errorf("%+v: %d of %d are compared, and %v", s, compared, n, apart)
		}
		units := lists.SetOf(rows, func(r fold.LabeledMember) string { return r.Together })
		need.Equal(t, len(units), 47, "48 families, two of them joined by a mother") // closed form
	}
}

// TestPermuteUnits: relatives who share a label share one in each permutation, families that do not never do, labels
// stay at their site, and each of four pairs gets each label as often.
func TestPermuteUnits(t *testing.T) {
	var members []member
	site := map[string]string{}
	for f, labels := range []string{"AA", "AA", "BB", "BB", "AB", "AB", "A", "B", "A", "B", "AB", "AB"} {
		for i, label := range labels {
			id := fmt.Sprintf("%c%d", 'a'+f, i)
			members = append(members, member{id: id, group: string(label), unit: fmt.Sprintf("%c0", 'a'+f)})
			if site[id] = "1"; f == 8 || f == 9 || f > 9 && i == 1 { // the last two families are at both sites
				site[id] = "2"
			}
		}
	}
	const n = 3000
	var pairA, mixed, alone int // the first pair is A; is mixed; the last one alone is A
	for k := 1; k <= n; k++ {
		now := slices.Clone(members)
		need.NoError(t, (&Split{Permutation: k, KeepTogether: []string{"family"}}).permuteWithin(now, site))
		var pairs []string
		for i := 0; i < 12; i += 2 {
			pair := []string{now[i].group, now[i+1].group}
			slices.Sort(pair)
			pairs = append(pairs, strings.Join(pair, ""))
		}
		pairA += map[bool]int{true: 1}[pairs[0] == "AA"]
		mixed += map[bool]int{true: 1}[pairs[0] == "AB"]
		alone += map[bool]int{true: 1}[now[15].group == "A"]
		slices.Sort(pairs)
		need.Equal(t, fmt.Sprint(pairs), "[AA AA AB AB BB BB]", "what pairs share")
		need.Equal(t, now[14].group+now[15].group == "AB" || now[14].group+now[15].group == "BA", true, "site 2")
		need.Equal(t, now[16].group+now[17].group+now[18].group+now[19].group, "ABAB", "families of two sites")
	}
	for what, c := range map[string]struct {
		got  int
		want float64
	}{"A A": {pairA, 1. / 3}, "A B": {mixed, 1. / 3}, "A alone": {alone, 1. / 2}} {
		if sd := math.Sqrt(n * c.want * (1 - c.want)); math.Abs(float64(c.got)-n*c.want) > 4*sd {
			t.Errorf("%s: %d of %d times, want %.3f", what, c.got, n, c.want)
		}
	}
}

// Six pairs of one patient and one control have 2⁶ labellings, all equally likely, and a family whose size no other has
// exchanges the labels of its members.
func TestPermuteUnitsWithin(t *testing.T) {
	label := func(members []member, k int) (text string) {
		now := slices.Clone(members)
		need.NoError(t, (&Split{Permutation: k, KeepTogether: []string{"family"}}).permuteWithin(now, nil))
		for _, m := range now {
			text += m.group
		}
		return text
	}
	for _, c := range []struct {
		sizes []int
		all   float64
	}{{[]int{2, 2, 2, 2, 2, 2}, 64}, {[]int{4, 2}, 12}} {
		var members []member
		for f, n := range c.sizes {
			for i := range n {
				members = append(members, member{id: fmt.Sprintf("%c%d", 'a'+f, i), group: "AB"[i%2 : i%2+1],
					unit: fmt.Sprintf("%c0", 'a'+f)})
			}
		}
		const n = 6400
		seen := map[string]float64{}
		for k := 1; k <= n; k++ {
			seen[label(members, k)]++
		}
		need.Equal(t, float64(len(seen)), c.all, "labellings")
		for text, times := range seen {
			if sd := math.Sqrt(n / c.all); math.Abs(times-n/c.all) > 5*sd {
				t.Errorf("%v: %s %.0f of %d times", c.sizes, text, times, n)
			}
		}
	}
}

// Families of one group each, of which no two have one size, have labels that no permutation changes.
func TestPermuteUnitsFixed(t *testing.T) {
	for labels, fixed := range map[string]bool{"AAA BB": true, "AAA BB A": true, "AAA BB AA": false, "AAB BB": false,
		"AA BB": false, "A B": false} {
		var members []member
		for f, text := range strings.Fields(labels) {
			for i, group := range strings.Split(text, "") {
				members = append(members, member{id: fmt.Sprint(f, i), group: group, unit: fmt.Sprint(f)})
			}
		}
		err := (&Split{Permutation: 1, Label: "group", KeepTogether: []string{"Family_ID"}}).permuteWithin(members, nil)
		if (err != nil) != fixed {
			t.Errorf("%s: %v", labels, err)
		}
	}
}

func TestKeepTogetherErrors(t *testing.T) {
	p := families(4, 4, 4, 4)
	site := encoding.Column{Name: "site", Values: strings.Split("a a a a b b b b a a a a a b b b", " ")}
	at := encoding.NewTable(append(slices.Clone(p.Columns), site)...)
	ids, _ := p.Column("participant_id")
	other := slices.Clone(ids.Values.([]string))
	slices.Reverse(other)
	twins := encoding.NewTable(append(slices.Clone(p.Columns), encoding.Column{Name: "twin_of", Values: other})...)
	for _, c := range []struct {
		s    *Split
		p    *encoding.Table
		want string
	}{
		{&Split{Folds: 3, Stratify: true}, p, `fold 2 has nobody of group "ASD", whose participants are kept together by Family_ID ` +
			`in 2 units, and an exact search found no division without such a fold: set folds to fewer, or stratify to false`},
		{&Split{Folds: 3, Stratify: true, StratifyBy: []string{"site"}, Permutation: 2}, at, `, permutation 2: fold `},
		{&Split{Folds: 3, Stratify: true, StratifyBy: []string{"site"}, Permutation: 2}, at, `set folds to fewer, ` +
			`leave out stratify_by, or leave it out and set stratify to false`},
		{&Split{Folds: 4, Outer: 2, Inner: 4}, p, ", inside fold 2: 12 participants who are kept together by Family_ID in " +
			"3 units are too few for 4 folds: fold 4 has 0 participants, and an exact search found no division without such a fold; set inner to fewer"},
		{&Split{Folds: 2, Stratify: true, Outer: 2, Inner: 2}, p, `, inside fold 2: fold 1 has nobody of group "HC", ` +
			`whose participants are kept together by Family_ID in 1 unit, and an exact search found no division without such a fold: correct Family_ID, or leave it out of keep_together, or stratify to false`},
		{&Split{Folds: 5}, p, "16 participants who are kept together by Family_ID in 4 units are too few for 5 folds: fold 5 has " +
			"0 participants, and an exact search found no division without such a fold; set folds to fewer"},
		{&Split{Folds: 2, LeaveOut: "site"}, at, "keep_together: sub-084 and sub-091 share a value of Family_ID, but are in fold 1 and fold 2: " +
			"exclude one of them, or name no column by leave_out"},
		{&Split{Folds: 2, KeepTogether: []string{"pedigree"}}, p, `keep_together: no column "pedigree"`},
		{&Split{Folds: 2, KeepTogether: []string{"twin_of"}}, twins, "keep_together: the values of twin_of are ids of other participants: " +
			"add a column with one value for each family, and name that"},
	} {
		c.s.Repeats = 1
		if c.s.KeepTogether == nil {
			c.s.KeepTogether = []string{"Family_ID"}
		}
		_, err := stagetest.RunStage(t, c.s, map[string][]dag.Input{"participants": {dag.InputOf(c.p)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
