package column

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Families and pairs may be numbered as participants are: their values repeat, and do not refer to each other.
func TestColumnsThatReferToParticipants(t *testing.T) {
	families := func(n int, of func(i int) int) string {
		var values []string
		for i := 1; i <= n; i++ {
			values = append(values, fmt.Sprint(of(i)))
		}
		return strings.Join(values, " ")
	}
	for _, c := range []struct {
		values string // of sub-01, sub-02 …
		others bool
	}{
		{families(30, func(i int) int { return (i - 1) / 2 }), false}, // from 0
		{families(40, func(i int) int { return (i + 1) / 2 }), false}, // from 1
		{families(40, func(i int) int { return i%20 + 1 }), false},    // two by two, far apart
		{families(20, func(i int) int { return 20 - i/2 }), false},    // backwards
		{"3 3 4 4 n/a n/a 5 5", false},                                // of some
		{"sub-01 sub-01 sub-01 sub-04 sub-04", false},                 // by the id of a member
		{"2 1 4 3", true},
		{"02 01 02 02 02", true}, // a star
		{"2 3 1", true},          // a circle
		{"n/a 01 n/a 03 n/a 05", true},
		{"n/a sub-01 sub-01 n/a sub-04 sub-04", true},
		{"2 1 3 4 5 6 7 8", true}, // and oneself where there is nobody
		{"F1 F1 F2 F2", false},
		{"1 2 3 4", false},
	} {
		values := map[string]string{}
		for i, v := range strings.Fields(c.values) {
			values[fmt.Sprintf("sub-%02d", i+1)] = v
		}
		need.Equal(t, NamesOthers(values), c.others, c.values)
		need.Equal(t, namesOthers(values) > 0, c.others, c.values)
	}
}
