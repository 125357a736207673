package cohort

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/bids"
)

// longitudinal reports whether the sessions of a participant are taken apart from each other.
func (c *BIDSCohort) longitudinal() bool { return len(c.Sessions) > 0 }

// part is what the scans of a participant are.
func (c *BIDSCohort) part() string {
	if c.longitudinal() {
		return "session"
	}
	return "run"
}

var errApart = errors.New("sessions: runs: all joins all scans of a participant, but sessions keeps sessions separate: remove one of the two")

// checkSessions refuses parameters that contradict each other.
func (c *BIDSCohort) checkSessions() error {
	switch {
	case !c.longitudinal():
		return nil
	case c.all():
		return errApart
	case slices.Contains(c.Sessions, "all") && len(c.Sessions) > 1:
		return fmt.Errorf("sessions: all, or a list of sessions, not both: [%s]", strings.Join(c.Sessions, ", "))
	}
	return nil
}

// takesSession reports whether scans of a session are taken.
func (c *BIDSCohort) takesSession(ses string) bool {
	return !c.longitudinal() || c.Sessions[0] == "all" || slices.ContainsFunc(c.Sessions, func(s string) bool {
		return bids.Same(strings.TrimPrefix(s, "ses-"), ses)
	})
}

// sortSessions checks that there is one scan a session, puts them in the order of the sessions, and names them. The
// session of a scan without that entity is called 1.
func sortSessions(scans []bids.File) (names []string, err error) {
	name := func(f bids.File) string {
		if ses := f.Get("ses"); ses != "" {
			return ses
		}
		return "1"
	}
	slices.SortStableFunc(scans, func(a, b bids.File) int { return dag.CompareValues(name(a), name(b)) })
	for i, f := range scans {
		if i > 0 && names[i-1] == name(f) {
			two := scans[i-1 : i+1]
			return nil, fmt.Errorf("session %s: %d scans match; they differ in %s; sessions needs one scan per session", name(f), len(two), differences(two, nil))
		}
		names = append(names, name(f))
	}
	return names, nil
}

// sessionsHint names sessions: all where it takes all of the files.
func sessionsHint(files []bids.File) string {
	if names, err := sortSessions(slices.Clone(files)); err != nil || len(names) < 2 {
		return ""
	}
	return "; use sessions: all to treat each as a session"
}

// sessionNote says how many participants have how many sessions.
func sessionNote(rows []listedRow, found map[string]*bidsFiles) string {
	count := map[int]int{}
	for _, row := range rows {
		if n := len(found[row.id].runs); n > 0 {
			count[n]++
		}
	}
	var text []string
	for _, n := range slices.Sorted(maps.Keys(count)) {
		text = append(text, fmt.Sprintf("%d (%d)", n, count[n]))
	}
	return "sessions per participant (participants): " + strings.Join(text, ", ")
}
