package cohort

import (
	"fmt"
	"os"
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

// eventsIn looks for events in the dataset that the parameter names, else in the raw dataset.
func (c *BIDSCohort) eventsIn(dir, root string, l *listed.List) (*located.Events, error) {
	f := &located.Events{Roots: located.RawRoots(dir, root, c.Raw, l)}
	if c.Events != "" {
		f.Roots = []string{userfile.Within(dir, c.Events)}
		if info, err := os.Stat(f.Roots[0]); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("events: %s is not a directory; it must be the dataset with sub-…/func/…_events.tsv", f.Roots[0])
		}
	}
	return f, nil
}

// eventNotes note the scans of these participants that lack a table of events, where others have one, with the name
// that was looked for, and the participants whose table is also that of others, where most have one of their own:
// responses would be modeled at the onsets of a different person.
func (r *Roster) eventNotes(ids map[string]bool) (notes []column.Note) {
	var who, paths, lacks []string // the participant of each table
	for _, s := range r.Subjects {
		for _, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			path, bold := run.Files["events"], run.Files["bold"]
			switch {
			case !ids[s.ID]:
			case path != "":
				who, paths = append(who, s.ID), append(paths, path)
			case bold != "":
				lacks = append(lacks, s.ID+located.EventsName(bold))
			}
		}
	}
	if paths != nil && lacks != nil {
		notes = append(notes, column.Notef("no table of events for some scans, while others have one: %s; the program searches the raw dataset (events or raw, under cohort) for it", words.Some(lacks, 6)))
	}
	var shared []column.Values
	of := map[string]bool{}
	for _, same := range regular.Copies(paths) {
		people := lists.At(who, same)
		slices.Sort(people)
		if people = slices.Compact(people); len(people) == 1 {
			continue // several runs
		}
		shared = append(shared, column.Values{"Ids": people})
		for _, id := range people {
			of[id] = true
		}
	}
	if all := len(slices.Compact(who)); shared != nil && 2*len(of) < all {
		notes = append(notes, column.Doubtful(column.DoubtEvents, "noted.events-shared",
			column.Values{"Sets": shared}))
	}
	return notes
}
