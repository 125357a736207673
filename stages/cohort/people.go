package cohort

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/stages/bids"
)

// people reads the participants.tsv of a dataset, or of the raw one behind it. root has the participants' directories;
// given is the directory that the person named, root or the one above it.
func (c *listed) people(dir, given, root, raw string) (*list, error) {
	l := &list{listed: c, root: root, each: "participant"}
	if c.File != "" {
		l.path = within(dir, c.File)
	} else {
		var tried []string
		places := append([]string{root}, bids.Sources(root)...)
		// what lies above counts from there too
		if given = within(dir, given); filepath.Clean(given) != filepath.Clean(root) {
			places = append(append(places, given), bids.Sources(given)...)
		}
		if raw != "" {
			places = []string{within(dir, raw)}
		}
		for _, d := range places {
			p := filepath.Join(d, "participants.tsv")
			if slices.Contains(tried, p) {
				continue
			}
			if _, err := os.Stat(p); err == nil {
				l.path = p
				break
			}
			tried = append(tried, p)
		}
		if l.path == "" {
			return nil, fmt.Errorf("no participants.tsv, so nothing to predict; set the parameter raw or file. Searched for\n  %s", strings.Join(tried, "\n  "))
		}
	}
	if err := l.readRows(dir); err != nil {
		return nil, err
	}
	l.dirs, _ = bids.Subjects(root) // which Find has read
	return l, errors.Join(l.exclude(), l.identify())
}
