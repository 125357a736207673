package fold

import (
	"fmt"
	"testing"
)

func TestPositive(t *testing.T) {
	for _, c := range []struct {
		named  string
		groups []string
		want   int
	}{
		{"", []string{"ASD", "HC"}, 0}, {"", []string{"control", "patient"}, 1}, {"", []string{"F", "M"}, 0},
		{"HC", []string{"ASD", "HC"}, 1}, {"", []string{"a", "b", "c"}, -1}, {"", []string{"0", "1"}, 1},
	} {
		if got, err := PositiveGroup(c.named, c.groups); err != nil || got != c.want {
			t.Errorf("%q of %v: %d (%v), want %d", c.named, c.groups, got, err, c.want)
		}
	}
	_, err := PositiveGroup("X", []string{"ASD", "HC"})
	if fmt.Sprint(err) != `positive: there is no group "X"; available: ASD, HC` {
		t.Errorf("error %v", err)
	}
}
