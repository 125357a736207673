package cohort

import (
	"cmp"
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
func (c *BIDSCohort) part() string { return partName(c.longitudinal()) }

func partName(sessions bool) string {
	if sessions {
		return "session"
	}
	return "run"
}

var errApart = errors.New("sessions: runs: all joins all scans of a participant, but sessions keeps sessions separate: remove one of the two")

// checkSessions refuses parameters that contradict each other: sessions, and runs: all.
func checkSessions(sessions []string, all bool) error {
	switch {
	case len(sessions) == 0:
		return nil
	case all:
		return errApart
	case slices.Contains(sessions, "all") && len(sessions) > 1:
		return fmt.Errorf("sessions: all, or a list of sessions, not both: [%s]", strings.Join(sessions, ", "))
	}
	return nil
}

// takesSession reports whether the parameter sessions takes the files of a session; without it, all are taken.
func takesSession(sessions []string, ses string) bool {
	return len(sessions) == 0 || sessions[0] == "all" || slices.ContainsFunc(sessions, func(s string) bool {
		return bids.Same(strings.TrimPrefix(s, "ses-"), ses)
	})
}

// sessions reads a table with one row per session of a participant; column names the session, "" for no sessions.
func (p *listed) sessions(dir, column string) (*list, error) {
	if column == "" {
		return p.read(dir)
	}
	if p.all() {
		return nil, errApart
	}
	longitudinal := *p // the parameters stay as they were written
	longitudinal.Runs = "all"
	l, err := longitudinal.read(dir)
	if err == nil {
		l.sessions, err = column, l.column("sessions", column)
		l.doubtNames("sessions", column, "if two are one session, it counts twice",
			func(r listedRow) (string, string) { return " of " + r.id, r.cells.get(column) })
	}
	return l, err
}

// sortSessions checks that there is one scan a session, puts them in the order of the sessions, and names them. The
// session of a scan without that entity is called 1.
func sortSessions(scans []bids.File) (names []string, err error) {
	name := func(f bids.File) string { return cmp.Or(f.Get("ses"), "1") }
	slices.SortStableFunc(scans, func(a, b bids.File) int { return dag.CompareValues(name(a), name(b)) })
	for i, f := range scans {
		if i > 0 && names[i-1] == name(f) {
			two := scans[i-1 : i+1]
			return nil, fmt.Errorf("session %s: %d scans match; they differ in %s; sessions needs one scan per session", name(f), len(two), bids.Differences(two, nil))
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

// part is what a row of the table is, where a participant may have several.
func (l *list) part() string { return partName(l.sessions != "") }

// aboutSessions notes the sessions of some participants, as Roster.About.
func (r *Roster) aboutSessions(ids map[string]bool) (notes []string, timesApart string) {
	var sessions []int
	for _, s := range r.Subjects {
		if ids[s.ID] {
			sessions = append(sessions, len(s.Runs))
		}
	}
	return []string{sessionNote(sessions)}, ""
}

// sessionNote says how many participants have how many sessions.
func sessionNote(sessions []int) string {
	count := map[int]int{}
	for _, n := range sessions {
		if n > 0 {
			count[n]++
		}
	}
	var text []string
	for _, n := range slices.Sorted(maps.Keys(count)) {
		text = append(text, fmt.Sprintf("%d (%d)", n, count[n]))
	}
	return "sessions per participant (participants): " + strings.Join(text, ", ")
}
