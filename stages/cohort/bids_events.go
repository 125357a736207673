package cohort

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

// An eventsFinder finds the tables of events of a dataset.
type eventsFinder struct {
	roots []string            // datasets, the first that has a table counts
	names map[string][]string // of the files of a directory that has been read
}

// eventsIn looks for events in the dataset that the parameter names, else in the raw dataset.
func (c *BIDSCohort) eventsIn(dir, root string, l *listed.List) (*eventsFinder, error) {
	f := &eventsFinder{roots: rawRoots(dir, root, c.Raw, l), names: map[string][]string{}}
	if c.Events != "" {
		f.roots = []string{userfile.Within(dir, c.Events)}
		if info, err := os.Stat(f.roots[0]); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("events: %s is not a directory; it must be the dataset with sub-…/func/…_events.tsv", f.roots[0])
		}
	}
	return f, nil
}

// rawRoots are the datasets in which tables of the raw dataset are looked for: the one that the parameter raw names,
// else where the derivatives and participants.tsv lie, and where the derivatives say that they come from.
func rawRoots(dir, root, raw string, l *listed.List) (roots []string) {
	if raw != "" {
		return []string{userfile.Within(dir, raw)}
	}
	for _, d := range append([]string{root, filepath.Dir(l.Path)}, bids.Sources(root)...) {
		if info, err := os.Stat(d); err == nil && info.IsDir() && !slices.Contains(roots, d) {
			roots = append(roots, d)
		}
	}
	return roots
}

// of is the table of events of a scan, "" where there is none: nearest to the scan's place in the raw dataset, and
// there the one with most entities (the inheritance principle). Every entity of its name is one of the scan's. It is an
// error where a directory that comes first cannot be listed.
func (f *eventsFinder) of(bold string) (string, error) {
	scan, ok := bids.Parse(filepath.Base(bold))
	if !ok {
		return "", nil
	}
	raw := scan.Only(bids.RunEntities...)
	for _, root := range f.roots {
		subject := filepath.Join(root, "sub-"+scan.Get("sub"))
		dirs := []string{filepath.Join(subject, "func"), subject, root}
		if ses := scan.Get("ses"); ses != "" {
			session := filepath.Join(subject, "ses-"+ses)
			dirs = []string{filepath.Join(session, "func"), session, subject, root}
		}
		for _, d := range dirs {
			best, path := 0, ""
			names, err := f.list(d)
			if err != nil {
				return "", userfile.Place(fmt.Errorf("events: %w", userfile.Plain(d, err)), d)
			}
			for _, file := range names {
				n, ok := bids.ParseName(file)
				about := func(e bids.Entity) bool {
					return e.Key == "sub" && e.Value == scan.Get("sub") || raw.Get(e.Key) != "" &&
						bids.Same(raw.Get(e.Key), e.Value)
				}
				if ok && len(n.Entities) > best &&
					!slices.ContainsFunc(n.Entities, func(e bids.Entity) bool { return !about(e) }) {
					best, path = len(n.Entities), filepath.Join(d, file)
				}
			}
			if path != "" {
				return path, nil
			}
		}
	}
	return "", nil
}

// list are the tables of events in a directory, sorted; none where there is no such directory.
func (f *eventsFinder) list(dir string) ([]string, error) {
	names, read := f.names[dir]
	if read {
		return names, nil
	}
	entries, err := os.ReadDir(dir)
	if bids.Unlisted(err) {
		return nil, err
	}
	for _, e := range entries {
		if n, ok := bids.ParseName(e.Name()); ok && n.Suffix == "events" && n.Extension == ".tsv" {
			names = append(names, e.Name())
		}
	}
	f.names[dir] = names
	return names, nil
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
				lacks = append(lacks, s.ID+eventsName(bold))
			}
		}
	}
	if paths != nil && lacks != nil {
		notes = append(notes, column.Notef("no table of events for some scans, while others have one: %s; the program searches the raw dataset (events or raw, under cohort) for it", words.Some(lacks, 6)))
	}
	var shared []string
	of := map[string]bool{}
	for _, same := range regular.Copies(paths) {
		people := lists.Map(same, func(at int) string { return who[at] })
		slices.Sort(people)
		if people = slices.Compact(people); len(people) == 1 {
			continue // several runs
		}
		shared = append(shared, words.Some(people, 6))
		for _, id := range people {
			of[id] = true
		}
	}
	if all := len(slices.Compact(who)); shared != nil && 2*len(of) < all {
		notes = append(notes, column.Doubtf(column.DoubtEvents, "participants share a table of events, while most have one of their own, so it may be that of a different person: %s; give each the events of its scan",
			strings.Join(shared, "; ")))
	}
	return notes
}

// eventsName is the name of the table of events of a scan, in parentheses; "" where the scan's name is not one of BIDS.
func eventsName(bold string) string {
	scan, ok := bids.Parse(filepath.Base(bold))
	if !ok {
		return ""
	}
	name := "sub-" + scan.Get("sub")
	for _, key := range bids.RunEntities {
		if value := scan.Get(key); value != "" {
			name += "_" + key + "-" + value
		}
	}
	return " (" + name + "_events.tsv)"
}
