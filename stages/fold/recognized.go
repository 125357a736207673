package fold

import (
	"slices"

	"prgnn/stages/finding"
)

// Assigned counts cases by their group and, within it, by the predicted one of so many groups.
func Assigned(groups int, cases []Case) []int32 {
	all := make([]int32, groups*groups)
	for _, c := range cases {
		all[c.Label*groups+c.Predicted]++
	}
	return all
}

// Unrecognized are findings on the groups that classifiers do not recognize, in the first repeat of their folds, and on
// the classifiers that assign all test participants of each fold to one of more than two groups.
func (all *Settings) Unrecognized() (found finding.List) {
	for _, folds := range all.Settings {
		var cases []Case
		for _, f := range folds {
			if f.Repeat == folds[0].Repeat {
				cases = append(cases, f.Participants...)
			}
		}
		for _, r := range finding.Unrecognized(all.Groups, Assigned(len(all.Groups), cases)) {
			found.Add(finding.Finding{Code: finding.GroupUnrecognized, Weight: finding.Limits,
				Subject: finding.Subject{Classifier: folds[0].Name, Setting: folds[0].Coords},
				Numbers: finding.Values(r)})
		}
		if to := oneClass(folds, len(all.Groups)); to != nil && len(all.Groups) > 2 {
			most := slices.Index(to, slices.Max(to))
			found.Add(finding.Finding{Code: finding.OneClass, Weight: finding.Limits,
				Subject: finding.Subject{Classifier: folds[0].Name, Setting: folds[0].Coords},
				Numbers: map[string]any{"Positive": all.Groups[most], "N": to[most], "Folds": len(folds)}})
		}
	}
	return found
}

// oneClass counts the folds whose test participants are all assigned to a group, by this group; nil where one fold has
// several.
func oneClass(folds []Tested, groups int) []int {
	to := make([]int, groups)
	for _, f := range folds {
		for _, c := range f.Participants {
			if c.Predicted != f.Participants[0].Predicted {
				return nil
			}
		}
		to[f.Participants[0].Predicted]++
	}
	return to
}
