package listed

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/stages/bids"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// ReadBIDS reads the participants.tsv of a dataset, or of the raw one behind it. root has the participants'
// directories; given is the directory that the person named, root or the one above it.
func (c *Parameters) ReadBIDS(dir, given, root, raw string) (*List, error) {
	l := &List{Parameters: c, Dir: root, Each: "participant"}
	if c.File != "" {
		l.Path = userfile.Within(dir, c.File)
	} else {
		var tried []string
		var refused []error
		places := append([]string{root}, bids.Sources(root)...)
		// what lies above counts from there too
		if given = userfile.Within(dir, given); filepath.Clean(given) != filepath.Clean(root) {
			places = append(append(places, given), bids.Sources(given)...)
		}
		if raw != "" {
			places = []string{userfile.Within(dir, raw)}
		}
		for _, d := range places {
			p := filepath.Join(d, "participants.tsv")
			if slices.Contains(tried, p) {
				continue
			}
			_, err := os.Stat(p)
			if err == nil {
				l.Path = p
				break
			}
			if bids.Unlisted(err) {
				refused = append(refused, userfile.Plain(p, err))
				l.Notes = append(l.Notes, column.Notef("not searched for the participants: %s", userfile.WithoutPlaces(root, refused[len(refused)-1])))
			}
			tried = append(tried, p)
		}
		if l.Path == "" {
			return nil, errors.Join(append(refused, fmt.Errorf("no participants.tsv, so nothing to predict; set the parameter raw or file. Searched for\n  %s", strings.Join(tried, "\n  ")))...)
		}
	}
	if err := l.readRows(dir); err != nil {
		return nil, err
	}
	l.dirs, _ = bids.Subjects(root) // which Find has read
	return l, errors.Join(l.exclude(), l.identify())
}

var ErrApart = errors.New("sessions: runs: all joins all scans of a participant, but sessions keeps sessions separate: remove one of the two")

// ReadSessions reads a table with one row per session of a participant; column names the session, "" for no sessions.
func (p *Parameters) ReadSessions(dir, column string) (*List, error) {
	if column == "" {
		return p.Read(dir)
	}
	if p.All() {
		return nil, ErrApart
	}
	longitudinal := *p // the parameters stay as they were written
	longitudinal.Runs = "all"
	l, err := longitudinal.Read(dir)
	if err == nil {
		l.Sessions, err = column, l.CheckColumn("sessions", column)
		l.DoubtNames("sessions", column, "if two are one session, it counts twice",
			func(r Row) (string, string) { return " of " + r.ID, r.Cells.Get(column) })
	}
	return l, err
}

// part is what a row of the table is, where a participant may have several.
func (l *List) part() string { return PartName(l.Sessions != "") }

func PartName(sessions bool) string {
	if sessions {
		return "session"
	}
	return "run"
}

// Numbers are the values of some columns of a row, NaN where there is none.
func Numbers(r Row, columns []string) ([]float64, error) {
	numbers := make([]float64, len(columns))
	for i, name := range columns {
		value := r.Cells.Get(name)
		if x, _ := sheet.Numbers([]string{value}); x != nil {
			numbers[i] = x[0]
		} else if numbers[i] = math.NaN(); value != "" {
			return nil, fmt.Errorf("column %q is %q, not a number", name, value)
		}
	}
	return numbers, nil
}
