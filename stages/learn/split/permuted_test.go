package split

import (
	"fmt"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// The labels that a permutation gives keep those of each fold, site and value of stratify_by, and, of families, what
// relatives share; the first permutation has the true labels.
func TestSplitPermuted(t *testing.T) {
	const n = 48
	var ids, groups, sites, sexes, families []string
	for i := range n {
		ids, groups = append(ids, fmt.Sprintf("sub-%02d", i)), append(groups, []string{"A", "B"}[i/5%2])
		sites, sexes = append(sites, fmt.Sprint("site", i/2%3)), append(sexes, []string{"f", "m"}[i/4%2])
		families = append(families, fmt.Sprint("family", i/2))
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "site", Values: sites},
		encoding.Column{Name: "sex", Values: sexes}, encoding.Column{Name: "family", Values: families})
	for _, c := range []struct {
		s      *Split
		within [][]string // columns whose combinations keep their labels
		family bool
	}{
		{&Split{}, nil, false},
		{&Split{Within: "site"}, [][]string{sites}, false},
		{&Split{Within: "site", StratifyBy: []string{"sex"}}, [][]string{sites, sexes}, false},
		{&Split{Within: "site", KeepTogether: []string{"family"}}, [][]string{sites}, true},
	} {
		c.s.Folds, c.s.Repeats, c.s.Stratify, c.s.Label, c.s.Permutations = 4, 2, true, "group", 50
		out := stagetest.MustRun(t, c.s, map[string][]dag.Input{"participants": {dag.InputOf(people)}})
		p := need.Value(fold.ReadPermuted(dag.InputOf(out["permuted"]), dag.InputOf(out["folds"])))(t)
		need.Equal(t, len(p.From), 51, "permutations")
		of := need.Value(column.Rows[fold.Member](out["folds"].(*encoding.Table)))(t)[:n]
		moved := 0
		for b, from := range p.From {
			count := map[string]int{}
			for i, j := range from {
				block := fmt.Sprint(of[i].Fold)
				for _, w := range c.within {
					block += w[i]
				}
				count[block+groups[i]]++
				count[block+groups[j]]--
				if groups[i] != groups[j] {
					moved++
				}
				if c.family && i%2 == 0 && families[j] != families[from[i+1]] {
					t.Fatalf("permutation %d parts a family", b)
				}
			}
			for block, n := range count {
				if n != 0 {
					t.Fatalf("permutation %d changes the labels of %s by %d", b, block, n)
				}
			}
			if b == 0 && moved > 0 {
				t.Fatal("permutation 0 changes labels")
			}
		}
		if moved < n {
			t.Errorf("%+v: 50 permutations changed %d labels", c.s, moved)
		}
	}
	for _, s := range []*Split{{Permutation: 3}, {Outer: 1, Inner: 2}} {
		s.Folds, s.Repeats, s.Stratify, s.Label = 4, 1, true, "group"
		out := stagetest.MustRun(t, s, map[string][]dag.Input{"participants": {dag.InputOf(people)}})
		need.Equal(t, out["permuted"].(*encoding.Array).Shape[0], 1, "rows without a test")
	}
}
