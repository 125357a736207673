package fold

import (
	"fmt"
	"slices"
	"strings"
)

// controls are the names of control groups, without case and what is neither a letter nor a digit; docs/statistics.md
// lists them.
var controls = []string{"0", "cn", "comparison", "comparisons", "comparisongroup", "con", "cont", "control",
	"controlgroup", "controls", "ctl", "ctr", "ctrl", "hc", "hcs", "healthy", "healthycontrol", "healthycontrols",
	"healthyvolunteer", "healthyvolunteers", "hv", "nc", "nonpatient", "nonpatients", "nonuser", "nonusers", "normal",
	"normals", "nt", "tc", "td", "tdc", "typical", "typicallydeveloping"}

// isControl reports whether a group is named like a control group.
func isControl(group string) bool {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.", r) {
			return -1
		}
		return r
	}, strings.ToLower(group))
	return slices.Contains(controls, plain)
}

// PositiveGroup finds the number of the positive group: the one that is named, or of two groups the other than the
// control group; −1 when there are more than two groups and none was named. assumed reports that both or none of two
// groups are named like a control group, so that it is the first in order.
func PositiveGroup(named string, groups []string) (at int, assumed bool, err error) {
	if named != "" {
		if at = slices.Index(groups, named); at < 0 {
			err = fmt.Errorf("positive: there is no group %q; available: %s", named, strings.Join(groups, ", "))
		}
		return at, false, err
	}
	switch {
	case len(groups) > 2:
		return -1, false, nil
	case len(groups) < 2:
		return 0, false, nil
	}
	first, second := isControl(groups[0]), isControl(groups[1])
	if first && !second {
		at = 1
	}
	return at, first == second, nil
}
