package cohort

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
)

// longitudinal reports whether the sessions of a participant are taken apart from each other.
func (c *BIDSCohort) longitudinal() bool { return len(c.Sessions) > 0 }

// part is what the scans of a participant are.
func (c *BIDSCohort) part() string { return listed.PartName(c.longitudinal()) }

// checkSessions refuses parameters that contradict each other: sessions, and runs: all.
func checkSessions(sessions []string, all bool) error {
	switch {
	case len(sessions) == 0:
		return nil
	case all:
		return listed.ErrApart
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

// sortSessions checks that there is one scan a session, puts them in the order of the sessions, and names them. The
// session of a scan without that entity is called 1.
func sortSessions(scans []bids.File) (names []string, err error) {
	name := func(f bids.File) string { return cmp.Or(f.Get("ses"), "1") }
	slices.SortStableFunc(scans, func(a, b bids.File) int { return dag.CompareValues(name(a), name(b)) })
	for i, f := range scans {
		if i > 0 && names[i-1] == name(f) {
			two := scans[i-1 : i+1]
			return nil, bids.ChoiceError{Err: fmt.Errorf("session %s: %d scans match; they differ in %s; sessions needs one scan per session",
				name(f), len(two), bids.Differences(two, nil))}
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
	return "; sessions: all, in a file with extends: sessions.yaml (of series: timeseries-sessions.yaml), treats each as a session"
}

// aboutSessions notes the sessions of some participants, as Roster.About.
func (r *Roster) aboutSessions(ids map[string]bool) (notes, timesApart []column.Note) {
	sessions := map[string][]string{}
	for _, s := range r.Subjects {
		if ids[s.ID] {
			sessions[s.ID] = lists.Map(s.Runs, func(run Run) string { return run.Name })
		}
	}
	return sessionNotes(sessions), nil
}

// sessionNotes say how many participants have how many of these sessions, by participant, and which names of sessions
// may mean one: BIDS keeps ses-01 and ses-1 apart, so that what is done for each session is done for the two.
func sessionNotes(sessions map[string][]string) []column.Note {
	count, first, doubts := map[int]int{}, map[string][2]string{}, map[string]column.Values{}
	for _, id := range slices.Sorted(maps.Keys(sessions)) {
		if n := len(sessions[id]); n > 0 {
			count[n]++
		}
		for _, name := range sessions[id] {
			spelled := column.Spelling(name)
			other, there := first[spelled]
			switch {
			case !there:
				first[spelled] = [2]string{name, id}
			case other[0] != name && doubts[name] == nil:
				doubts[name] = column.Values{"First": other[0], "FirstOf": other[1], "Second": name, "SecondOf": id}
			}
		}
	}
	var text []string
	for _, n := range slices.Sorted(maps.Keys(count)) {
		text = append(text, fmt.Sprintf("%d (%d)", n, count[n]))
	}
	notes := []column.Note{column.Notef("sessions per participant (participants): %s", strings.Join(text, ", "))}
	if len(doubts) > 0 {
		pairs := lists.Map(slices.Sorted(maps.Keys(doubts)), func(name string) column.Values { return doubts[name] })
		notes = append(notes, column.Doubtful(column.DoubtAlike, "noted.sessions-alike", column.Values{"Pairs": pairs}))
	}
	return notes
}
