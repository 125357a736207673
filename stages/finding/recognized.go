package finding

// A Recognition is how one of more than two groups is recognized.
type Recognition struct {
	Group        string
	N, Right     int // its participants, and those who were assigned to it
	Others, Else int // the others, and those of them who were assigned to it
}

// Unrecognized are the groups, of more than two, to which their own participants are assigned no more often than
// others: an accuracy above chance is then of the other groups. assigned counts participants, by their own group and,
// within it, by that to which they were assigned.
func Unrecognized(groups []string, assigned []int32) (all []Recognition) {
	for k, group := range groups {
		r := Recognition{Group: group}
		for i, n := range assigned {
			own, to := i/len(groups) == k, i%len(groups) == k
			switch {
			case own:
				r.N += int(n)
			default:
				r.Others += int(n)
			}
			switch {
			case own && to:
				r.Right += int(n)
			case to:
				r.Else += int(n)
			}
		}
		if len(groups) > 2 && r.N > 0 && r.Others > 0 && r.Right*r.Others <= r.Else*r.N {
			all = append(all, r)
		}
	}
	return all
}
