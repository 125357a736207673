package located

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
)

// Events finds the tables of events of a dataset.
type Events struct {
	Roots []string            // datasets, the first that has a table counts
	names map[string][]string // of the files of a directory that has been read
}

// RawRoots are the datasets in which tables of the raw dataset are looked for: the one that the parameter raw names,
// else where the derivatives and participants.tsv lie, and where the derivatives say that they come from.
func RawRoots(dir, root, raw string, l *listed.List) (roots []string) {
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

// Of is the table of events of a scan, "" where there is none: nearest to the scan's place in the raw dataset, and
// there the one with most entities (the inheritance principle). Every entity of its name is one of the scan's. It is an
// error where a directory that comes first cannot be listed.
func (f *Events) Of(bold string) (string, error) {
	scan, ok := bids.Parse(filepath.Base(bold))
	if !ok {
		return "", nil
	}
	raw := scan.Only(bids.RunEntities...)
	for _, root := range f.Roots {
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
func (f *Events) list(dir string) ([]string, error) {
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
	if f.names == nil {
		f.names = map[string][]string{}
	}
	f.names[dir] = names
	return names, nil
}

// EventsName is the name of the table of events of a scan, in parentheses; "" where the scan's name is not one of BIDS.
func EventsName(bold string) string {
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
