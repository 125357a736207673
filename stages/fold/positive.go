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
		first, second = denies(groups[0], groups[1]), denies(groups[1], groups[0])
	}
	if first && !second {
		at = 1
	}
	return at, first == second, nil
}

// negations are the first words of the name of a group of others.
var negations = []string{"no", "non", "not", "without"}

// opposites are words of groups that have something and of those that have not.
var opposites = [][2]string{{"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"positive", "negative"},
	{"pos", "neg"}, {"present", "absent"}, {"with", "without"}}

// denies reports whether a group is named as those who are not of the other: non-smoker and smoker, no MCI and MCI,
// FALSE and TRUE, HIV neg and HIV pos, A- and A+.
func denies(group, other string) bool {
	bare, minus := strings.CutSuffix(group, "-")
	if stem, plus := strings.CutSuffix(other, "+"); minus && plus && stem == bare {
		return true
	}
	own, all := column.GroupWords(group), column.GroupWords(other)
	if len(own) == len(all) {
		var apart [][2]string
		for i, word := range all {
			if word != own[i] {
				apart = append(apart, [2]string{word, own[i]})
			}
		}
		if len(apart) == 1 && slices.Contains(opposites, apart[0]) {
			return true
		}
	}
	if len(own) == 1 {
		if rest, is := strings.CutPrefix(own[0], "non"); is && len(rest) > 2 {
			own = []string{"non", rest}
		}
	}
	if len(own) < 2 || !slices.Contains(negations, own[0]) || len(all) < len(own)-1 {
		return false
	}
	single := func(words []string) string { return strings.TrimSuffix(strings.Join(words, ""), "s") }
	return single(own[1:]) == single(all[len(all)-len(own)+1:])
}
