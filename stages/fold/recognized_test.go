package fold_test

import (
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
