package fold_test

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
)

// A group is not recognized if its participants are assigned to it no more often than others are.
func TestUnrecognized(t *testing.T) {
	for _, c := range []struct{ truth, predicted, want string }{
		{"aabbcc", "aabbcc", ""},
		{"aabbcc", "aabbab", "c"},      // never predicted
		{"aabbcc", "aabcab", "c"},      // predicted for others alone
		{"aabbcccc", "acbccaba", "c"},  // 1 of 4, and 2 of 4 others
		{"aabbcccc", "aabccaba", "c"},  // 1 of 4, and 1 of 4 others
		{"aabbccccc", "aabbcaaba", ""}, // 1 of 5, and none of the others
		{"aaaa", "aaaa", ""},           // b and c have no test participants
		{"abc", "ccc", "a b c"},        // all the same
		{"aabb", "bbaa", "a b"},        // and c is not tested
	} {
		cases := make([]fold.Case, len(c.truth))
		for i := range cases {
			cases[i] = fold.Case{Label: int(c.truth[i] - 'a'), Predicted: int(c.predicted[i] - 'a')}
		}
		found := finding.Unrecognized([]string{"a", "b", "c"}, fold.Assigned(3, cases))
		got := lists.Map(found, func(r finding.Recognition) string { return r.Group })
		need.Equal(t, strings.Join(got, " "), c.want, c)
	}
	two := []fold.Case{{Label: 0, Predicted: 0}, {Label: 1, Predicted: 0}}
	need.Equal(t, len(finding.Unrecognized([]string{"a", "b"}, fold.Assigned(2, two))), 0)
}

// A classifier of more than two groups has one class where each fold is assigned to one, in all repeats.
func TestOneClassOfEachFold(t *testing.T) {
	for _, c := range []struct{ groups, folds, want string }{
		{"abc", "aa bb aaa", "a 2 3"},
		{"abc", "aa bb aab", ""},
		{"ab", "aa bb", ""}, // sensitivity and specificity show it
	} {
		var folds []fold.Tested
		for i, predicted := range strings.Fields(c.folds) {
			one := fold.Tested{Name: "m", Repeat: int64(i)}
			for _, p := range predicted {
				one.Participants = append(one.Participants, fold.Case{Predicted: int(p - 'a')})
			}
			folds = append(folds, one)
		}
		got := ""
		all := fold.Settings{Groups: strings.Split(c.groups, ""), Settings: [][]fold.Tested{folds}}
		for _, f := range all.Unrecognized() {
			if f.Code == finding.OneClass {
				of := f.Values()
				got = fmt.Sprint(of["Positive"], " ", of["N"], " ", of["Folds"])
			}
		}
		need.Equal(t, got, c.want, c)
	}
}
