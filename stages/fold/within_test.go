package fold

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// The smallest p of a test of retrained models is that of its different permutations: one label of three in each of two
// sites of a fold gives 3 · 3 = 9, however often permutations drew the true labels.
func TestBounds(t *testing.T) {
	ids := strings.Split("abcdef", "")
	sites := need.Value(ReadSites(dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "site", Values: strings.Split("xxxyyy", "")})), "site"))(t)
	of := Tested{}
	for i, id := range ids {
		of.Participants = append(of.Participants, Case{Id: id, Label: i % 3 % 2})
	}
	for _, c := range []struct {
		test        string
		least, want float64
	}{{column.Retrained, 0.095, 1.0 / 9}, {column.Retrained, 0.2, 0.2}, {column.PerFold, 0.095, 0.095}} {
		chance := Chance{Test: c.test, Least: c.least, Permutations: 199}
		need.NoError(t, sites.Bounds(&chance, []Tested{of}))
		need.Equal(t, fmt.Sprint(chance.Least), fmt.Sprint(c.want), c)
	}
}

// Permutations keep the share of labels that all arrangements of each stratum keep on average, because the groups
// differ between sites or because a fold has few participants of each.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		sites, folds int
		label        func(site, i int) int // of the participants 0 to 11 of a site
		share        float64
		differ       bool
	}{
		// 12 at each site, 3 of a fold: (2/3)² + (1/3)² of 2 and 1, and 2 of 3 sites the other way round
		{2, 4, func(site, i int) int { return min(i%3, 1) ^ site }, 5.0 / 9, true},
		{2, 1, func(site, i int) int { return i % 2 }, 0.5, false},
		{14, 6, func(site, i int) int { return i / 6 }, 0.5, false},        // one of each group in a fold
		{14, 12, func(site, i int) int { return i % 2 }, 1, false},         // one in a fold
		{2, 12, func(site, i int) int { return site }, 1, true},            // sites are the groups
		{2, 3, func(site, i int) int { return i % 2 }, 0.5, false},         // 2 and 2
		{4, 4, func(site, i int) int { return i / 4 % 2 }, 5.0 / 9, false}, // 4 and 8 at each site
	} {
		ids, names, folds := []string(nil), []string(nil), make([]Tested, c.folds)
		for site := range c.sites {
			for i := range 12 {
				id := fmt.Sprintf("%d-%d", site, i)
				ids, names = append(ids, id), append(names, fmt.Sprint("s", site))
				f := &folds[i%c.folds]
				f.Participants = append(f.Participants, Case{Id: id, Label: c.label(site, i)})
			}
		}
		s := need.Value(ReadSites(dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "site", Values: names})), "site"))(t)
		_, people, stratum, err := s.persons(folds)
		need.NoError(t, err)
		share, differ := s.same(people, stratum)
		need.Equal(t, fmt.Sprintf("%.6f", share), fmt.Sprintf("%.6f", c.share), c.sites, c.folds)
		need.Equal(t, differ, c.differ, c.sites, c.folds)
		for range 20 {
			again, _ := s.same(people, stratum)
			need.Equal(t, again == share, true, "the same bits each time")
		}
	}
}
