package fold

import (
	"fmt"
	"testing"
)

func TestPositive(t *testing.T) {
	for _, c := range []struct {
		named   string
		groups  []string
		want    int
		assumed bool
	}{
		{"", []string{"ASD", "HC"}, 0, false}, {"", []string{"control", "patient"}, 1, false},
		{"", []string{"F", "M"}, 0, true}, {"HC", []string{"ASD", "HC"}, 1, false}, {"M", []string{"F", "M"}, 1, false},
		{"", []string{"a", "b", "c"}, -1, false}, {"", []string{"0", "1"}, 1, false}, {"", []string{"a"}, 0, false},
		{"", []string{"CTR", "PAT"}, 1, false}, {"", []string{"Comparison", "Depressed"}, 1, false},
		{"", []string{"Non-user", "user"}, 1, false}, {"", []string{"Healthy Control", "MDD"}, 1, false},
		{"", []string{"HC", "TD"}, 0, true},
		{"", []string{"normal control", "schizophrenia"}, 1, false},
		{"", []string{"matched controls", "PAT"}, 1, false},
		{"", []string{"non-smoker", "smoker"}, 1, false}, {"", []string{"Nonsmokers", "heavy smokers"}, 1, false},
		{"", []string{"MCI", "no MCI"}, 0, false}, {"", []string{"proband", "unaffected"}, 0, false},
		{"", []string{"fluent", "non-amnestic"}, 0, true}, {"", []string{"HC", "non-fluent aphasia"}, 1, false},
		{"", []string{"FALSE", "TRUE"}, 1, false}, {"", []string{"neg", "pos"}, 1, false},
		{"", []string{"No", "Yes"}, 1, false}, {"", []string{"amyloid-negative", "amyloid-positive"}, 1, false},
		{"", []string{"A+", "A-"}, 0, false}, {"", []string{"absent", "present"}, 1, false},
		{"", []string{"falsetto", "true"}, 0, true}, {"", []string{"HC neg", "ASD pos"}, 0, true},
		{"", []string{"HC", "normal pressure hydrocephalus"}, 1, false}, {"", []string{"none", "one"}, 0, true},
	} {
		if got, assumed, err := PositiveGroup(c.named, c.groups); err != nil || got != c.want || assumed != c.assumed {
			t.Errorf("%q of %v: %d, %t (%v), want %d, %t", c.named, c.groups, got, assumed, err, c.want, c.assumed)
		}
	}
	_, _, err := PositiveGroup("X", []string{"ASD", "HC"})
	if fmt.Sprint(err) != `positive: there is no group "X"; available: ASD, HC` {
		t.Errorf("error %v", err)
	}
}
