package cohort

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/sheet"
)

// addSessionColumns adds the columns of BIDS' sub-X_sessions.tsv to those of the participants: of numbers the mean over
// the sessions that take part, of texts the one that all of them have. A column that participants.tsv has too gets
// _session behind its name. The time of the scan (acq_time) is no covariate.
func (l *list) addSessionColumns(roots []string, found map[string]*bidsFiles) {
	has := slices.Clone(l.sheet.Columns)
	named := func(name string) string {
		for slices.Contains(has, name) {
			name += "_session"
		}
		return name
	}
	var differ []string // columns of texts that change from session to session
	for i := range l.rows {
		r := &l.rows[i]
		sessions := found[r.id].sessions()
		path := sessionsTable(roots, r.id)
		if len(sessions) == 0 || path == "" {
			continue
		}
		columns, values, err := readSessions(path, sessions)
		if err != nil {
			found[r.id].problems = append(found[r.id].problems, err)
			continue
		}
		for i, name := range columns {
			value, same := ofSessions(values[i])
			if !same && !slices.Contains(differ, name) {
				differ = append(differ, name)
			}
			if name = named(name); !slices.Contains(l.sheet.Columns, name) {
				l.sheet.Columns = append(l.sheet.Columns, name)
			}
			r.cells.set(name, value)
		}
	}
	if differ != nil {
		gone := map[string]bool{}
		for _, name := range differ {
			gone[named(name)] = true
		}
		l.sheet.Columns = slices.DeleteFunc(l.sheet.Columns, func(name string) bool { return gone[name] })
		l.notes = append(l.notes, fmt.Sprintf("no covariates, since they differ between the sessions of a participant and are no numbers: %s of sessions.tsv", words.Some(differ, 6)))
	}
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

// readSessions reads the columns of a sessions.tsv, in the rows of these sessions.
func readSessions(path string, sessions []string) (columns []string, values [][]string, err error) {
	file, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	s, err := sheet.Read(file, path)
	if err != nil {
		return nil, nil, placed{err, path}
	}
	ids, ok := s.Column("session_id")
	if !ok {
		return nil, nil, placed{fmt.Errorf("%s: it has no column session_id", path), path}
	}
	for _, name := range s.Columns {
		if name == "session_id" || name == "acq_time" {
			continue
		}
		all, _ := s.Column(name)
		var of []string
		for i, id := range ids {
			id = strings.TrimPrefix(id, "ses-")
			if slices.ContainsFunc(sessions, func(ses string) bool { return bids.Same(id, ses) }) {
				of = append(of, all[i])
			}
		}
		columns, values = append(columns, name), append(values, of)
	}
	return columns, values, nil
}

// ofSessions is one value for several sessions: the mean of numbers, or the text that all have. Empty values do not
// count.
func ofSessions(values []string) (value string, same bool) {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	if len(values) == 0 {
		return "", true
	}
	if numbers, _ := sheet.Numbers(values); numbers != nil && !slices.ContainsFunc(numbers, math.IsNaN) {
		sum := 0.0
		for _, v := range numbers {
			sum += v
		}
		return strconv.FormatFloat(sum/float64(len(numbers)), 'g', -1, 64), true
	}
	for _, v := range values {
		if v != values[0] {
			return "", false
		}
	}
	return values[0], true
}
