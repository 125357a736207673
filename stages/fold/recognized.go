package fold

import "prgnn/stages/finding"

// Assigned counts cases by their group and, within it, by the predicted one of so many groups.
func Assigned(groups int, cases []Case) []int32 {
	all := make([]int32, groups*groups)
	for _, c := range cases {
		all[c.Label*groups+c.Predicted]++
	}
	return all
}

// Unrecognized are findings on the groups that classifiers do not recognize, in the first repeat of their folds.
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
	}
	return found
}
