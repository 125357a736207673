package fold

import (
	"fmt"
	"slices"
	"strings"
)

// PositiveGroup finds the number of the positive group; −1 when there are more than
// two groups and none was named.
func PositiveGroup(named string, groups []string) (int, error) {
	if named != "" {
		i := slices.Index(groups, named)
		if i < 0 {
			return 0, fmt.Errorf("positive: there is no group %q; available: %s", named, strings.Join(groups, ", "))
		}
		return i, nil
	}
	if len(groups) > 2 {
		return -1, nil
	}
	if slices.Contains(controls, strings.ToLower(groups[0])) && !slices.Contains(controls, strings.ToLower(groups[1])) {
		return 1, nil
	}
	return 0, nil
}
