package listed

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"prgnn/internal/pattern"
	"prgnn/internal/words"
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
		l.doubtSessions()
		l.DoubtNames("sessions", column, func(r Row) (string, string) { return r.ID, r.Cells.Get(column) })
	}
	return l, err
}

// doubtSessions notes sessions that a column of sites states: rows of one id may be two persons.
func (l *List) doubtSessions() {
	if name := l.Sessions; column.NamesSite(name) && !strings.Contains(strings.ToLower(name), "scanner") {
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtSessionSites, "noted.sessions-sites",
			column.Values{"Column": name}))
	}
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

// described compares the table with the JSON file beside it, as BIDS has participants.json: levels that exchange its
// Levels are refused, and without levels they are offered for codes; Units other than those of ages and displacements
// are a caution.
func (l *List) described(levels map[string]string) error {
	path := strings.TrimSuffix(l.Path, filepath.Ext(l.Path)) + ".json"
	b, err := bids.ReadJSON(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var columns map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(b, &columns)
	}
	file := filepath.Base(path)
	if err != nil {
		l.Notes = append(l.Notes, column.Notef("%s is not compared with the table: it cannot be read as JSON", file))
		return nil
	}
	l.coded = map[string]map[string]string{}
	for _, name := range l.Sheet.Columns {
		if meant := meanings(columns[name]); len(meant) > 1 && name != l.ID {
			l.coded[name] = meant
		}
		var of struct{ Units string }
		if json.Unmarshal(columns[name], &of) != nil || of.Units == "" {
			continue
		}
		for _, c := range []struct {
			is    bool
			units pattern.Pattern
			unit  string
		}{{column.NamesAge(name), years, "years"}, {column.NamesDisplacement(name), millimeters, "millimeters"}} {
			if c.is && !c.units.MatchString(of.Units) {
				l.Notes = append(l.Notes, column.Doubtful(column.DoubtValues, "noted.units", column.Values{"File": file,
					"Units": column.Shown(of.Units), "Column": name, "Unit": c.unit}))
			}
		}
	}
	if l.Target != "" {
		return nil
	}
	return l.compareLevels(file, meanings(columns[l.Group]), levels)
}

var (
	years       = pattern.New(`(?i)^(a|y|yrs?|years?)\b`)
	millimeters = pattern.New(`(?i)^(mm|milli-?met(er|re)s?)\b`)
	negated     = pattern.New(`(?i)\b(no|not|non|without)\b`)
)

// meanings are the Levels of a column in a JSON file: texts, or objects with a Description.
func meanings(about json.RawMessage) map[string]string {
	var of struct{ Levels map[string]json.RawMessage }
	if json.Unmarshal(about, &of) != nil {
		return nil
	}
	all := map[string]string{}
	for value, b := range of.Levels {
		var text string
		var entry struct{ Description string }
		if json.Unmarshal(b, &text) != nil && json.Unmarshal(b, &entry) == nil {
			text = entry.Description
		}
		if text = strings.TrimSpace(text); text != "" {
			all[plainNumber(value)] = text
		}
	}
	return all
}

func (l *List) compareLevels(file string, meant, levels map[string]string) error {
	codes := map[string]string{} // numbers in the column that the file has a meaning for
	for value := range l.groups {
		if text := meant[plainNumber(value)]; text != "" && isNumber(value) {
			codes[value] = text
		}
	}
	if levels == nil {
		if len(codes) > 0 && len(codes) == len(l.groups) {
			l.Notes = append(l.Notes, column.Notef("the groups are numbers, and %s names them%s", file, l.allLevels(codes)))
		}
		return nil
	}
	named := map[string]string{}
	for value, name := range levels {
		named[plainNumber(value)] = name
	}
	var exchanged, apart []string
	for _, value := range slices.Sorted(maps.Keys(named)) {
		name, text := named[value], meant[value]
		if mentions(text, name) {
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(meant)) {
			if mentions(meant[other], name) && !negated.MatchString(meant[other]) && named[other] != name {
				exchanged = append(exchanged, fmt.Sprintf("levels has %s=%s, and %s has %s", value, name, file,
					words.Some(entries(meant, value, other), 2)))
				break
			}
		}
		if text != "" && isNumber(value) {
			apart = append(apart, fmt.Sprintf("%s=%s, and %s", value, name, words.Some(entries(meant, value), 1)))
		}
	}
	if exchanged != nil {
		return fmt.Errorf("levels: they contradict %s beside the table: %s; correct levels, or Levels of %s in %[1]s", file,
			strings.Join(exchanged, "; "), l.Group)
	}
	if apart != nil {
		l.Notes = append(l.Notes, column.Notef("levels: verify the names by %s: %s", file, strings.Join(apart, "; ")))
	}
	return nil
}

// entries are VALUE=MEANING of some values that have one.
func entries(meant map[string]string, values ...string) (all []string) {
	for _, v := range values {
		if meant[v] != "" {
			all = append(all, v+"="+column.Shown(meant[v]))
		}
	}
	return all
}

// mentions reports whether a text has all words of a name.
func mentions(text, name string) bool {
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
	}
	has := split(text)
	return !slices.ContainsFunc(split(name), func(word string) bool { return !slices.Contains(has, word) })
}
