package precheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/report"
)

// Exclusions notes that exclusions hit one group more than the others: what led to them may go with the group.
func Exclusions(r *cohort.Roster) []column.Note {
	if r == nil || r.Participants == nil || r.Axis != "" {
		return nil
	}
	_, group, err := column.ByParticipant(r.Participants, "group")
	if err != nil { // a number is predicted
		return nil
	}
	out, all := map[string]int{}, map[string]int{} // by group of those who take part
	for _, g := range group {
		all[g]++
	}
	excluded, n := 0, len(group)
	for _, left := range r.Left {
		if all[left.Group] > 0 && ofQuality(left) {
			out[left.Group]++
			excluded++
		}
	}
	groups := slices.Sorted(maps.Keys(all))
	if excluded == 0 || len(groups) < 2 {
		return nil
	}
	var texts []string
	p := make([]float64, len(groups)) // of a group against the others
	for i, g := range groups {
		texts = append(texts, fmt.Sprintf("%d of %d %s", out[g], out[g]+all[g], g))
		p[i] = inference.Fisher(out[g], out[g]+all[g], excluded-out[g], excluded-out[g]+n-all[g])
	}
	corrected := ""
	if len(groups) == 2 {
		p = p[:1] // the second is the same test
	} else {
		p, corrected = inference.Holm(p), " of a group against the others, corrected by Holm"
	}
	least := slices.Min(p)
	if least >= 0.05 {
		return nil
	}
	return []column.Note{column.Doubtf(column.DoubtExclusions, "exclusions differ between the groups: %s were excluded (Fisher's exact test%s, %s): what led to exclusion may go with the group, and then those who remain do not stand for it",
		words.Some(texts, 6), corrected, report.P(least))}
}

// ofQuality reports whether a participant was excluded for data or a measure: by name, a rating, a file or a bound, and
// not by a limit or by what kind of participants the study is about.
func ofQuality(left listed.LeftOut) bool {
	if strings.HasPrefix(left.Why, column.NotMet) {
		return strings.ContainsAny(left.Why, "<>")
	}
	return left.Why != listed.BeyondLimit
}
