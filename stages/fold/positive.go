package fold

import (
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/column"
)

// PositiveGroup finds the number of the positive group: the one that is named, or of two groups the other than the
// control group; −1 when there are more than two groups and none was named. assumed reports that both or none of two
// groups are named like a control group, so that it is the first in order.
func PositiveGroup(named string, groups []string) (at int, assumed bool, err error) {
	if named != "" {
		if at = slices.Index(groups, named); at < 0 {
			err = words.Refuse("%s: there is no group %q; available: %s", words.Setting{Parameter: "positive"}, named,
				strings.Join(groups, ", "))
		}
		return at, false, err
	}
	switch {
	case len(groups) > 2:
		return -1, false, nil
	case len(groups) < 2:
		return 0, false, nil
	}
	first, second := column.IsControl(groups[0]), column.IsControl(groups[1])
	if first == second { // of non-smokers and smokers, the former are the controls
		first, second = column.Denies(groups[0], groups[1]), column.Denies(groups[1], groups[0])
	}
	if first && !second {
		at = 1
	}
	return at, first == second, nil
}
