package split

import (
	"fmt"
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// Labels that are permuted given a covariate follow it, stay within the folds and sites of split's permutations, and
// keep families whole. A participant without a value keeps its label.
func TestPermuteGiven(t *testing.T) {
	const n = 96
	r := random.New(1, "given")
	var ids, groups, sites, families []string
	age, lacking := make([]float64, n), make([]float64, n)
	for i := range n {
		age[i] = r.Normal()
		if i%2 == 1 {
			age[i] = age[i-1] // of a family
		}
		ids, groups = append(ids, fmt.Sprintf("sub-%02d", i)), append(groups, "A")
		if age[i]+float64(0.5*r.Normal()) > 0 {
			groups[i] = "B"
		}
		sites, families = append(sites, fmt.Sprint("site", i/2%3)), append(families, fmt.Sprint("family", i/2))
		if lacking[i] = age[i]; i < 4 {
			lacking[i] = math.NaN()
		}
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "site", Values: sites},
		encoding.Column{Name: "family", Values: families}, encoding.Column{Name: "age", Values: age},
		encoding.Column{Name: "lacking", Values: lacking})
	for _, c := range []struct {
		covariate string
		family    bool
	}{{"age", false}, {"lacking", false}, {"site", false}, {"age", true}} {
		s := &Split{Folds: 4, Repeats: 1, Stratify: true, Label: "group", Permutations: 60, Within: "site"}
		if c.family {
			s.KeepTogether = []string{"family"}
		}
		in := map[string][]dag.Input{"participants": {dag.InputOf(people)}}
		out := stagetest.MustRun(t, s, in)
		in["folds"], in["permuted"] = []dag.Input{dag.InputOf(out["folds"])}, []dag.Input{dag.InputOf(out["permuted"])}
		given := stagetest.MustRun(t, stagetest.Fresh("permute-given", "covariate", c.covariate), in)["permuted"]
		p := need.Value(fold.ReadPermuted(dag.InputOf(given), in["folds"][0]))(t) // refuses others than within folds
		need.Equal(t, len(p.From), 61)
		followed, moved := 0.0, 0
		for _, from := range p.From[1:] {
			for i, j := range from {
				need.Equal(t, sites[i], sites[j])
				if c.covariate == "lacking" && i < 4 {
					need.Equal(t, int(j), i)
				}
				if groups[j] == "B" {
					followed += age[i]
				}
				if groups[i] != groups[j] {
					moved++
				}
				if c.family && i%2 == 0 {
					need.Equal(t, families[j], families[from[i+1]])
				}
			}
		}
		if moved < n {
			t.Errorf("%+v: 60 permutations changed %d labels", c, moved)
		}
		followed /= 60 * n
		if follows := followed > 0.2; follows != (c.covariate != "site") { // 0.4 for true labels, 0 at random
			t.Errorf("%+v: the mean age of B is %.2f × its share", c, followed)
		}
	}
	_, err := stagetest.RunStage(t, stagetest.Fresh("permute-given"), nil)
	need.Error(t, err, "covariate: there is none")
}

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
