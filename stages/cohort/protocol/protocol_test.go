package protocol

import (
	"fmt"
	"testing"

	"prgnn/internal/need"
)

// A property that goes with the group in part is listed with its counts.
func TestAssociatedWithTheGroup(t *testing.T) {
	scans := func(a, b, of int) (values, owners map[string]string) { // GE in so many of each group, of so many
		values, owners = map[string]string{}, map[string]string{}
		for i := range 2 * of {
			who, n := fmt.Sprintf("sub-%d", i), []int{a, b}[i/of]
			values[who], owners[who] = "Siemens", []string{"A", "B"}[i/of]
			if i%of < n {
				values[who] = "GE"
			}
		}
		return values, owners
	}
	for _, c := range []struct {
		a, b, of int
		want     string
	}{
		{14, 3, 16, "A GE (14 of 16), Siemens (2 of 16); B GE (3 of 16), Siemens (13 of 16); p 0.00024"},
		{16, 3, 16, "A GE (16 of 16); B GE (3 of 16), Siemens (13 of 16); p 3.2e-06"},
		{10, 6, 16, "A GE (10 of 16), Siemens (6 of 16); B GE (6 of 16), Siemens (10 of 16); p 0.29"},
		{16, 16, 16, "; p 1"},
	} {
		values, owners := scans(c.a, c.b, c.of)
		association := func() string {
			by, least := associated(values, owners)
			return fmt.Sprintf("%s; p %.2g", by, least)
		}
		need.Equal(t, association(), c.want, c)
		for i := range c.of { // two runs count once
			values[fmt.Sprintf("sub-%d 2", i)] = values[fmt.Sprintf("sub-%d", i)]
			owners[fmt.Sprintf("sub-%d 2", i)] = "A"
		}
		need.Equal(t, association(), c.want, c)
	}
}
