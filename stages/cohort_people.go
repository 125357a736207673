package stages

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"prgnn/stages/bids"
	"prgnn/stages/sheet"
)

// people reads the participants.tsv of a dataset, or of the raw one behind it.
func (c *listed) people(dir, root, raw string) (*list, error) {
	l := &list{listed: c, root: root, each: "participant"}
	if c.File != "" {
		l.path = within(dir, c.File)
	} else {
		var tried []string
		places := append([]string{root}, bids.Sources(root)...)
		if raw != "" {
			places = []string{within(dir, raw)}
		}
		for _, d := range places {
			p := filepath.Join(d, "participants.tsv")
			if _, err := os.Stat(p); err == nil {
				l.path = p
				break
			}
			tried = append(tried, p)
		}
		if l.path == "" {
			return nil, fmt.Errorf("no participants.tsv (%s), and so no groups; set the parameter raw or file", strings.Join(tried, ", "))
		}
	}
	if c.Root != "" {
		l.root = within(dir, c.Root)
	}
	f, err := openFile(l.path)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	if l.sheet, err = sheet.Read(f, l.path); err != nil {
		return nil, err
	}
	levels, err := c.levels()
	if err := errors.Join(l.column("id", c.ID), l.column("group", c.Group), err); err != nil {
		return nil, err
	}
	if err := l.name(levels); err != nil {
		return nil, err
	}
	return l, l.exclude()
}
