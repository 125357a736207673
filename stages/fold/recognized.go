package fold

import "prgnn/stages/finding"

// A Recognition is how one of more than two groups is recognized.
type Recognition struct {
	Group        string
	N, Right     int // its test participants, and those who were assigned to it
	Others, Else int // the others, and those of them who were assigned to it
}

// Unrecognized are the groups, of more than two, to which their own participants are assigned no more often than
// others: an accuracy above chance is then of the other groups.
func Unrecognized(groups []string, cases []Case) (all []Recognition) {
	for k, group := range groups {
		r := Recognition{Group: group}
		for _, c := range cases {
			switch {
			case c.Label != k:
				r.Others++
				if c.Predicted == k {
					r.Else++
				}
			default:
				r.N++
				if c.Predicted == k {
					r.Right++
				}
			}
		}
		if len(groups) > 2 && r.N > 0 && r.Others > 0 && r.Right*r.Others <= r.Else*r.N {
			all = append(all, r)
		}
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
		for _, r := range Unrecognized(all.Groups, cases) {
			found.Add(finding.Finding{Code: finding.GroupUnrecognized, Weight: finding.Limits,
				Subject: finding.Subject{Classifier: folds[0].Name, Setting: folds[0].Coords},
				Numbers: finding.Values(r)})
		}
	}
	return found
}
