package cohort

import (
	"fmt"
	"os"
	"path/filepath"

	"prgnn/internal/words"
	"prgnn/stages/bids"
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
			return nil, fmt.Errorf("no participants.tsv (%s), and so no groups; set the parameter raw or file", words.Some(tried, 3))
		}
	}
	if err := l.readRows(dir); err != nil {
		return nil, err
	}
	return l, l.exclude()
}
