package split

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

func splitOf(t *testing.T, s *Split, p *encoding.Table) (ids, groups []string, repeat, fold []int64) {
	t.Helper()
	out := stagetest.MustRun(t, s, map[string][]dag.Input{"participants": {dag.InputOf(p)}})["folds"].(*encoding.Table)
	var err error
	if ids, err = out.Strings("participant_id"); err != nil {
		t.Fatal(err)
	}
	groups, _ = out.Strings("group")
	repeat, _ = out.Ints("repeat")
	fold, _ = out.Ints("fold")
	return ids, groups, repeat, fold
}

func TestSplitBalance(t *testing.T) {
	for _, n := range []int{10, 23, 118} {
		for _, stratify := range []bool{true, false} {
			s := &Split{Folds: 5, Repeats: 3, Stratify: stratify, Seed: 7}
			ids, groups, repeat, fold := splitOf(t, s, stagetest.SomeParticipants(n, "HC", "ASD"))
			if len(ids) != 3*n {
				t.Fatalf("%d rows, want %d", len(ids), 3*n)
			}
			for r := int64(1); r <= 3; r++ {
				sizes := map[string][]int{}
				for i := range ids {
					if repeat[i] != r {
						continue
					}
					for _, g := range []string{"", groups[i]} {
						if sizes[g] == nil {
							sizes[g] = make([]int, 5)
						}
						sizes[g][fold[i]-1]++
					}
				}
				for g, s := range sizes {
					if (g == "" || stratify) && slices.Max(s)-slices.Min(s) > 1 {
						t.Errorf("n %d, stratify %v, repeat %d: group %q has folds of %v", n, stratify, r, g, s)
					}
				}
			}
		}
	}
}

func TestSplitDependsOnSeed(t *testing.T) {
	p := stagetest.SomeParticipants(40, "HC", "ASD")
	of := func(seed uint64, repeat int64) []int64 {
		_, _, r, f := splitOf(t, &Split{Folds: 5, Repeats: 2, Stratify: true, Seed: seed}, p)
		return f[slices.Index(r, repeat):][:40]
	}
	if !slices.Equal(of(1, 1), of(1, 1)) {
		t.Error("the same seed gives different folds")
	}
	if slices.Equal(of(1, 1), of(2, 1)) || slices.Equal(of(1, 1), of(1, 2)) {
		t.Error("another seed or repeat gives the same folds")
	}
}

// A permutation keeps the sizes of the groups, and moves their members.
func TestSplitPermutation(t *testing.T) {
	p := stagetest.SomeParticipants(40, "HC", "ASD", "ASD")
	of := func(n int) []string {
		_, groups, _, _ := splitOf(t, &Split{Folds: 5, Repeats: 1, Stratify: true, Permutation: n, Seed: 1}, p)
		return groups
	}
	count := func(g []string) (n int) {
		return lists.Count(g, func(x string) bool { return x == "HC" })
	}
	asIs, one, two := of(0), of(1), of(2)
	if count(one) != count(asIs) || count(two) != count(asIs) {
		t.Error("a permutation changes the sizes of the groups")
	}
	if slices.Equal(one, asIs) || slices.Equal(one, two) || !slices.Equal(one, of(1)) {
		t.Error("permutations are not different from each other, or not repeatable")
	}
}

// Two permutations do not share their folds: those who stand side by side in the list, of
// whatever group, would otherwise meet again and again.
func TestSplitPermutationsAreDividedAnew(t *testing.T) {
	p := stagetest.SomeParticipants(60, "HC", "ASD")
	together := func(a, b []int64) float64 { // pairs in one fold in both, of those in one
		both, one := 0, 0
		for i := range a {
			for j := range i {
				if a[i] == a[j] {
					one++
					if b[i] == b[j] {
						both++
					}
				}
			}
		}
		return float64(both) / float64(one)
	}
	var folds [][]int64
	for n := range 21 {
		_, _, _, f := splitOf(t, &Split{Folds: 3, Repeats: 1, Stratify: true, Permutation: n, Seed: 1}, p)
		folds = append(folds, f)
	}
	mean := 0.0
	for i := 1; i < len(folds); i++ {
		for j := 1; j < i; j++ {
			mean += together(folds[i], folds[j]) / 190
		}
	}
	if math.Abs(mean-19./59) > 0.01 { // a third of the others are in one's fold
		t.Errorf("pairs of one permutation's folds meet in another's with %.3f, by chance %.3f", mean, 19./59)
	}
}

// Groups are exchanged within sites: each site keeps its numbers.
func TestSplitPermutationWithinSites(t *testing.T) {
	p := stagetest.SomeParticipants(40, "HC", "ASD", "ASD")
	site := make([]string, 40)
	for i := range site {
		site[i] = []string{"a", "b", "b", "c"}[i/10]
	}
	p = encoding.NewTable(append(p.Columns, encoding.Column{Name: "site", Values: site})...)
	count := func(s *Split) map[string]int {
		ids, groups, _, _ := splitOf(t, s, p)
		of, _ := p.Strings("participant_id")
		n := map[string]int{}
		for i, id := range ids {
			n[site[slices.Index(of, id)]+groups[i]]++
		}
		return n
	}
	s := &Split{Folds: 5, Repeats: 1, Stratify: true, Within: "site", Seed: 1}
	want := count(s)
	moved := 0
	for n := 1; n <= 10; n++ {
		s.Permutation, s.Within = n, "site"
		if !maps.Equal(count(s), want) {
			t.Errorf("permutation %d moves groups between sites", n)
		}
		if s.Within = ""; !maps.Equal(count(s), want) {
			moved++
		}
	}
	if moved == 0 {
		t.Error("without sites, nothing moves between them")
	}
}

func TestSplitLeaveOut(t *testing.T) {
	p := stagetest.SomeParticipants(6, "HC", "ASD")
	p = encoding.NewTable(append(p.Columns,
		encoding.Column{Name: "site", Values: []string{"z", "a", "a", "m", "z", "m"}})...)
	_, _, _, fold := splitOf(t, &Split{Folds: 5, Repeats: 4, LeaveOut: "site"}, p)
	if want := []int64{3, 1, 1, 2, 3, 2}; !slices.Equal(fold, want) {
		t.Errorf("folds %v, want %v", fold, want)
	}
}

// What is predicted may be another column, by which the folds are then balanced.
func TestSplitLabel(t *testing.T) {
	people := stagetest.SomeParticipants(12, "HC", "ASD")
	site := []string{"b", "a", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"}
	people.Columns = append(people.Columns, encoding.Column{Name: "site", Values: site})
	folds := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 3, "label", "site"),
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["folds"].(*encoding.Table)
	group, _ := folds.Strings("group")
	fold, _ := folds.Ints("fold")
	if !slices.Equal(group, site) {
		t.Errorf("the groups are %v, not the sites", group)
	}
	n := map[string]int{}
	for i, g := range group {
		n[fmt.Sprint(g, fold[i])]++
	}
	for _, k := range []string{"a1", "a2", "a3", "b1", "b2", "b3"} {
		if n[k] != 2 {
			t.Errorf("%d of %s, want 2: %v", n[k], k, n)
		}
	}
}

// Each group is spread evenly within each site, and the folds are as even in groups and in size as without.
func TestSplitStratifyBy(t *testing.T) {
	p := stagetest.SomeParticipants(61, "HC", "ASD", "HC")
	site := make([]string, 61)
	for i := range site {
		site[i] = []string{"a", "b", "c", "c", "c", "", "b"}[i%7]
	}
	p.Columns = append(p.Columns, encoding.Column{Name: "site", Values: site})
	spread := func(by ...string) (widest map[string]int) {
		sizes := map[string][]int{}
		for _, row := range foldsOf(t, &Split{Folds: 5, Repeats: 1, Stratify: true, StratifyBy: by, Seed: 2}, p) {
			i := slices.Index(p.Columns[0].Values.([]string), row.ID)
			for _, of := range []string{"all", "group " + row.Group, "site " + site[i] + row.Group} {
				if sizes[of] == nil {
					sizes[of] = make([]int, 5)
				}
				sizes[of][row.Fold-1]++
			}
		}
		widest = map[string]int{}
		for of, n := range sizes {
			what, _, _ := strings.Cut(of, " ")
			widest[what] = max(widest[what], slices.Max(n)-slices.Min(n))
		}
		return widest
	}
	if got := spread("site"); got["all"] > 1 || got["group"] > 1 || got["site"] > 1 {
		t.Errorf("stratify_by: [site]: sizes of the folds differ by %v", got)
	}
	if got := spread(); got["site"] < 2 {
		t.Errorf("without it they differ by %v: this test shows nothing", got)
	}
	wrong := &Split{Folds: 5, StratifyBy: []string{"site"}}
	if err := wrong.Validate(); len(err) != 1 || err[0].Error() != "stratify_by needs stratify: true" {
		t.Errorf("got %v", err)
	}
}

// A column with a value for nearly everybody, such as an age, makes strata that spread nothing: it is said.
func TestSplitSmallStrata(t *testing.T) {
	p := stagetest.SomeParticipants(60, "HC", "ASD")
	age, site, target := make([]float64, 60), make([]string, 60), make([]float64, 60)
	for i := range age {
		age[i], site[i], target[i] = float64(20+i/2), []string{"a", "b", "c"}[i/2%3], float64(i)
	}
	p.Columns = append(p.Columns, encoding.Column{Name: "age", Values: age},
		encoding.Column{Name: "site", Values: site},
		encoding.Column{Name: "target", Values: target})
	for _, c := range []struct {
		s             *Split
		strata, small string
		want          string
	}{
		{&Split{StratifyBy: []string{"site"}}, "6", "0", ""},
		{&Split{StratifyBy: []string{"age"}}, "60", "60", `[{"code":"folds.small-strata","weight":"limits","numbers":{"Columns":["age"],"Folds":5,"Small":60,"Strata":60}}]`},
		{&Split{StratifyBy: []string{"age"}, Label: "target"}, "30", "30", `[{"code":"folds.small-strata","weight":"limits","numbers":{"Columns":["age"],"Folds":5,"Small":30,"Strata":30}}]`},
		{&Split{StratifyBy: []string{"age"}, Permutation: 1}, "48", "48", ""},
		{&Split{StratifyBy: []string{"age"}, LeaveOut: "site"}, "60", "60", ""},
	} {
		c.s.Folds, c.s.Repeats, c.s.Stratify = 5, 1, true
		out := stagetest.MustRun(t, c.s, map[string][]dag.Input{"participants": {dag.InputOf(p)}})
		row := stagetest.Sure(column.Rows[strataRow](out["strata"].(*encoding.Table)))[0]
		if got := fmt.Sprint(row.Strata); got != c.strata || fmt.Sprint(row.Small) != c.small || row.Warning != c.want {
			t.Errorf("%+v: %+v", c.s, row)
		}
	}
	out := stagetest.MustRun(t, &Split{Folds: 5, Repeats: 1, Stratify: true},
		map[string][]dag.Input{"participants": {dag.InputOf(p)}})
	if out["strata"] != nil {
		t.Error("strata without stratify_by")
	}
}

// foldsOf runs a stage split.
func foldsOf(t *testing.T, s *Split, p *encoding.Table) []fold.Member {
	t.Helper()
	out := stagetest.MustRun(t, s, map[string][]dag.Input{"participants": {dag.InputOf(p)}})
	return stagetest.Sure(column.Rows[fold.Member](out["folds"].(*encoding.Table)))
}

func TestSplitErrors(t *testing.T) {
	lost := stagetest.SomeParticipants(12, "HC", "ASD")
	lost.Columns[1].Values.([]string)[3] = "n/a"
	twice := stagetest.SomeParticipants(12, "HC", "ASD")
	twice.Columns[0].Values.([]string)[3] = "sub-001"
	for _, c := range []struct {
		s    Split
		p    *encoding.Table
		want string
	}{
		{Split{Folds: 5, Repeats: 1, Stratify: true}, stagetest.SomeParticipants(9, "HC", "ASD"), `group "ASD" has 4 participants, too few for 5 folds with one of each group: set folds to 4 or less, or stratify to false`},
		{Split{Folds: 5, Repeats: 1}, stagetest.SomeParticipants(4, "HC", "ASD"), "4 participants, too few for 5 folds: set folds to 4 or less"},
		{Split{Folds: 2, Repeats: 1, Stratify: true}, stagetest.SomeParticipants(0, "HC"), "no participant is usable: correct the cause that they share"},
		{Split{Folds: 2, Repeats: 1, Stratify: true}, stagetest.SomeParticipants(4, "HC"), `all 4 participants are in the group "HC": a classifier needs two groups; name another column by group, or select more participants`},
		{Split{Folds: 2, Repeats: 1, Stratify: true}, lost, "no group for sub-004: each participant needs one; fill it in, or exclude them"},
		{Split{Folds: 2, Repeats: 1, Stratify: true}, twice, "participant sub-001 appears twice"},
	} {
		_, err := stagetest.RunStage(t, &c.s, map[string][]dag.Input{"participants": {dag.InputOf(c.p)}})
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("error %v, want …%s", err, c.want)
		}
	}
}
