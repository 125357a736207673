package split

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// Labels that no permutation within blocks changes are refused; a single block, or others, are not. The arrangements
// are counted one by one.
func TestSplitRefusesFixedLabels(t *testing.T) {
	people := encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: []string{"a", "b", "c", "d", "e", "f"}},
		encoding.Column{Name: "group", Values: []string{"P", "P", "P", "C", "C", "C"}},
		encoding.Column{Name: "clinic", Values: []string{"1", "1", "1", "2", "2", "2"}},
		encoding.Column{Name: "ward", Values: []string{"1", "1", "n/a", "2", "2", "2"}},
		encoding.Column{Name: "none", Values: []string{"n/a", "n/a", "n/a", "n/a", "n/a", "n/a"}},
		encoding.Column{Name: "site", Values: []string{"x", "x", "y", "y", "y", "z"}})
	for within, want := range map[string]struct {
		error string
		ways  float64
	}{
		"clinic": {"permutation 3: labels are permuted within the values of clinic, in each of which all participants have the same group: no permutation changes a label; set within to another column", 1},
		"ward":   {"within: no value of ward for c: labels are permuted within its values, so each participant needs one", 0},
		"none":   {"", 20},                                                     // no site is known
		"site":   {"", 3}, "": {"", 20}, "center": {"", 20}, "group": {"", 20}, // within no values of the label itself
	} {
		s := stagetest.Fresh("split", "folds", 3, "within", within, "permutation", 3).(*Split)
		_, err := stagetest.RunStage(t, s, map[string][]dag.Input{"participants": {dag.InputOf(people)}})
		if want.error != "" {
			need.Error(t, err, want.error)
		} else {
			need.NoError(t, err, within)
		}
		need.Equal(t, s.Arrangements(people, 1000), want.ways, within)
		s.Permutation = 0 // the true labels
		_, err = stagetest.RunStage(t, s, map[string][]dag.Input{"participants": {dag.InputOf(people)}})
		need.NoError(t, err, within)
	}
}

// Inner divisions hold nobody whom the outer fold tests, and spread the groups.
func TestSplitInner(t *testing.T) {
	p := stagetest.SomeParticipants(40, "HC", "ASD")
	base := Split{Folds: 5, Repeats: 2, Stratify: true, Inner: 4, Seed: 3}
	ids, _, repeat, outer := splitOf(t, &base, p)
	for o := 1; o <= 5; o++ {
		s := base
		s.Outer = o
		again, groups, repeats, inner := splitOf(t, &s, p)
		if !slices.Equal(ids, again) || !slices.Equal(repeat, repeats) {
			t.Fatal("other participants")
		}
		sizes := map[string]int{}
		for i := range ids {
			if (inner[i] == 0) != (outer[i] == int64(o)) {
				t.Errorf("outer %d: %s is in inner fold %d and outer fold %d", o, ids[i], inner[i], outer[i])
			}
			sizes[fmt.Sprint(groups[i], repeat[i], inner[i])]++
		}
		for _, r := range []int{1, 2} {
			for f := 1; f <= 4; f++ {
				need.Equal(t, sizes[fmt.Sprint("HC", r, f)], 4, "outer", o, "HC in inner fold", f)
			}
		}
	}
	base.Outer = 6
	if _, err := stagetest.RunStage(t, &base, map[string][]dag.Input{"participants": {dag.InputOf(p)}}); err == nil ||
		!strings.HasSuffix(err.Error(), "outer is 6, but there are 5 folds") {
		t.Errorf("got %v", err)
	}
}
