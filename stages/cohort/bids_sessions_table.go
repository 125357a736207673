package cohort

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// A sessionsTables is what the files sub-X_sessions.tsv of participants state beside columns.
type sessionsTables struct {
	problems  map[string]error         // by participant
	regrouped map[string]column.Values // participants with another group in some session, and in which
}

// addSessionColumns adds the columns of BIDS' sub-X_sessions.tsv to those of the participants: of numbers the mean over
// the sessions that take part, of texts, sites and families the one that all of them have. A column that
// participants.tsv has too gets _session behind its name. The time of the scan (acq_time) is no covariate, nor is the
// group, which may disagree.
func addSessionColumns(l *listed.List, roots []string, sessions func(id string) []string) *sessionsTables {
	has := slices.Clone(l.Sheet.Columns)
	named := func(name string) string {
		for slices.Contains(has, name) {
			name += "_session"
		}
		return name
	}
	tables := &sessionsTables{map[string]error{}, map[string]column.Values{}}
	var differ []string // columns of texts that change from session to session
	cells := map[string][]listed.Cell{}
	for i := range l.Rows {
		r := &l.Rows[i]
		sessions, path := sessions(r.ID), sessionsTable(roots, r.ID)
		if len(sessions) == 0 || path == "" {
			continue
		}
		columns, values, rows, err := readSessions(path, sessions)
		if err != nil {
			tables.problems[r.ID] = err
			continue
		}
		for i, name := range columns {
			if name == l.Group && l.Target == "" {
				which := lists.Map(rows, func(row sessionRow) string { return row.session })
				tables.regrouped[r.ID] = regroupedIn(l, r, which, values[i])
				continue
			}
			var own []listed.Cell
			for k, row := range rows {
				own = append(own, listed.Cell{ID: r.ID, Part: row.session, Value: values[i][k],
					At: fmt.Sprintf("%s:%d", filepath.Base(path), row.line)})
			}
			value, same := ofSessions(name, values[i])
			if !same && column.NamesFamily(name) {
				who := listed.Differ(name, own).Who[r.ID]
				tables.problems[r.ID] = errors.Join(tables.problems[r.ID], listed.SeveralFamilies(name, who))
			} else if !same && !slices.Contains(differ, name) {
				differ = append(differ, name)
			}
			cells[name] = append(cells[name], own...)
			if name = named(name); !slices.Contains(l.Sheet.Columns, name) {
				l.Sheet.Columns = append(l.Sheet.Columns, name)
			}
			r.Cells.Set(name, value)
		}
	}
	if differ != nil {
		gone := map[string]bool{}
		for _, name := range differ {
			gone[named(name)] = true
			d := listed.Differ(named(name), cells[name])
			l.OfSessions = append(l.OfSessions, *d)
		}
		l.Sheet.Columns = slices.DeleteFunc(l.Sheet.Columns, func(name string) bool { return gone[name] })
		l.Notes = append(l.Notes, column.Notef("sessions.tsv: no covariate, since its text differs between the sessions of a participant: %s", words.Some(differ, 6)))
	}
	return tables
}

// regroupedIn are the sessions of a participant that have another group than participants.tsv; nil for none.
func regroupedIn(l *listed.List, r *listed.Row, sessions, groups []string) column.Values {
	own := r.Cells.Get(l.Group)
	var other []column.Values
	for i, g := range groups {
		if g != "" && column.Spelling(g) != column.Spelling(own) {
			other = append(other, column.Values{"Group": g, "Session": sessions[i]})
		}
	}
	if other == nil {
		return nil
	}
	return column.Values{"Participant": r.ID, "Group": own, "Sessions": other}
}

// notes names the participants whose sessions have another group.
func (s *sessionsTables) notes(rows []listed.Row) []column.Note {
	var who []column.Values
	for _, r := range rows {
		if of := s.regrouped[r.ID]; of != nil {
			who = append(who, of)
		}
	}
	if who == nil {
		return nil
	}
	return []column.Note{column.Doubtful(column.DoubtSessions, "noted.regrouped", column.Values{"Participants": who})}
}

// sessions are the sessions of a participant's scans, without ses-.
func (f *bidsFiles) sessions() (names []string) {
	for _, run := range f.each() {
		if n, ok := bids.Parse(filepath.Base(run.bold)); ok {
			if ses := n.Get("ses"); ses != "" && !slices.Contains(names, ses) {
				names = append(names, ses)
			}
		}
	}
	return names
}

// sessionsTable is a participant's sessions.tsv in the first dataset that has one; "" for none.
func sessionsTable(roots []string, id string) string {
	for _, root := range roots {
		if path := filepath.Join(root, id, id+"_sessions.tsv"); isFile(path) {
			return path
		}
	}
	return ""
}

// A sessionRow is a row of a sessions.tsv.
type sessionRow struct {
	session string // as the scans have it
	line    int
}

// readSessions reads the columns of a sessions.tsv, in the rows of these sessions.
func readSessions(path string, sessions []string) (columns []string, values [][]string, rows []sessionRow, err error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer file.Close()
	s, err := sheet.Read(file, path)
	if err != nil {
		return nil, nil, nil, userfile.Place(err, path)
	}
	ids, ok := s.Column("session_id")
	if !ok {
		return nil, nil, nil, userfile.Place(fmt.Errorf("%s: it has no column session_id", path), path)
	}
	for _, name := range s.Columns {
		if name == "session_id" || name == "acq_time" {
			continue
		}
		all, _ := s.Column(name)
		var of []string
		rows = nil
		for i, id := range ids {
			id = strings.TrimPrefix(id, "ses-")
			if at := slices.IndexFunc(sessions, func(ses string) bool {
				named := slices.Contains(ids, ses) || slices.Contains(ids, "ses-"+ses)
				return id == ses || bids.Same(id, ses) && !named
			}); at >= 0 {
				of, rows = append(of, all[i]), append(rows, sessionRow{sessions[at], s.Lines[i]})
			}
		}
		columns, values = append(columns, name), append(values, of)
	}
	return columns, values, rows, nil
}

// ofSessions is one value of a column for several sessions: the mean of numbers that measure, or the text that all
// have. Empty values do not count.
func ofSessions(name string, values []string) (value string, same bool) {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	if len(values) == 0 {
		return "", true
	}
	code := column.NamesSite(name) || column.NamesFamily(name) || column.NamesPerson(name)
	if numbers, _ := sheet.Numbers(values); numbers != nil && !code && !slices.ContainsFunc(numbers, math.IsNaN) {
		sum := dense.Sum(numbers)
		return strconv.FormatFloat(sum/float64(len(numbers)), 'g', -1, 64), true
	}
	for _, v := range values {
		if v != values[0] {
			return "", false
		}
	}
	return values[0], true
}
