// Package listed reads the table that lists the members of a cohort: who is in it, under which name, in which group,
// with which covariates, and who is excluded.
package listed

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
	"prgnn/stages/wording"
)

// Parameters are the parameters of the cohorts whose participants stand in a table.
type Parameters struct {
	File     string   `param:"file" place:"always" doc:"the participants: a CSV, TSV or .xlsx file with one row per participant"`
	Encoding string   `param:"encoding" doc:"of the table, by its name in the WHATWG list, such as utf-16le, windows-1252, macintosh, gbk; by default UTF-8 or what a byte order mark states, else Windows-1252, with a note"`
	Sheet    string   `param:"sheet" doc:"the sheet, where the table is a workbook (.xlsx) with several"`
	ID       string   `param:"id" doc:"its column of participant names; sub- is added if missing"`
	Group    string   `param:"group" doc:"its column of groups"`
	Levels   []string `param:"levels" doc:"names for the values of the group column, such as [1=ASD, 0=HC]; by default the values"`
	Target   string   `param:"target" doc:"its column of numbers to predict, such as age or a score, in place of groups: the participants then have a column target and none of groups"`
	Root     string   `param:"root" place:"always" doc:"directory that relative paths of files start from; by default that of the table"`
	Select   string   `param:"select" doc:"rows to include, such as: group in [ASD, HC] and mean_fd < 0.3 and age >= 7"`
	Exclude  []string `param:"exclude" doc:"participants to exclude"`
	Missing  []string `param:"missing" doc:"values that stand for a missing one, in all columns of the table, such as [-9, -77]; -99, -999 and -9999 count as missing by themselves where no other value is negative"`
	Runs     string   `param:"runs" choices:"one|all" doc:"the runs of a participant: exactly one, or all (in a table, one row per run), for stages with each: run and the kind join, which concatenates them after denoising"`
}

func Defaults() Parameters { return Parameters{ID: "participant_id", Group: "group", Runs: "one"} }

// All reports whether all runs of a participant are taken.
func (p *Parameters) All() bool { return p.Runs == "all" }

// A Row is a participant of the table.
type Row struct {
	ID     string // sub-…
	Source string // as the table has it
	Label  string // group, or the number to predict; "" when it has none
	number bool   // label is a number to predict
	bare   string // the value of the column of groups for which levels has no name
	Line   int
	Cells  Cells
}

// Cells are those of a row, by the columns of the table: a map for each row would take many times their memory.
type Cells struct {
	at     map[string]int // of all rows; columns that were added stand at the end
	values []string
}

// BareRows are the rows of the table in its order, without a name yet.
func (l *List) BareRows() []Row {
	at := lists.Places(l.Sheet.Columns)
	rows := make([]Row, len(l.Sheet.Rows))
	for i, values := range l.Sheet.Rows {
		rows[i] = Row{Line: l.Sheet.Lines[i], Cells: Cells{at, values}}
	}
	return rows
}

// Everybody are the ids and the sessions of all rows, whoever takes part.
func (l *List) Everybody() (ids, sessions []string) {
	for _, r := range l.BareRows() {
		ids = append(ids, ParticipantID(r.Cells.Get(l.ID)))
		if l.Sessions != "" {
			sessions = append(sessions, SessionName(r.Cells.Get(l.Sessions)))
		}
	}
	return ids, sessions
}

func (c Cells) has(name string) bool {
	_, ok := c.at[name]
	return ok
}

func (c Cells) Get(name string) string {
	if i, ok := c.at[name]; ok && i < len(c.values) {
		return c.values[i]
	}
	return ""
}

func (c *Cells) Set(name, value string) {
	i, ok := c.at[name]
	if !ok {
		i = len(c.at)
		c.at[name] = i
	}
	for len(c.values) <= i {
		c.values = append(c.values, "")
	}
	c.values[i] = value
}

// A List is a table of participants that has been read and selected from.
type List struct {
	*Parameters
	Path  string // of the table
	Dir   string
	Sheet *sheet.Sheet
	Rows  []Row    // sorted by id
	hint  string   // for a participant that comes twice
	dirs  []string // the participants who have a directory, where files are found by the ids; else nil
	Each  string   // what a row is: "participant", "run", of which a participant may have several, or "row"
	// the column that names a participant's sessions, where each run is one
	Sessions string
	// covariates are columns of the sheet, and their names among the participants; nil: all, as they are
	covariates [][2]string
	Notes      []column.Note
	OfRuns     []Differing      // columns that differ between the runs or sessions of a participant
	OfSessions []Differing      // those of them that stand in tables of sessions
	Refused    map[string]error // participants who are, by what their rows state together
	run        string           // the column that numbers runs
	left       []LeftOut
	named      []Row                        // of those whom exclude names
	dropped    []Row                        // all that Drop took out
	coded      map[string]map[string]string // Levels of the JSON file beside the table, by column
	groups     map[string]string            // values of the column of groups, as the table has them, and their names
}

// Read reads the table, names the participants and selects. All mistakes are
// reported at once, as far as one does not hide the next.
func (p *Parameters) Read(dir string) (*List, error) {
	if p.File == "" {
		return nil, errors.New("file is not set: the table of participants")
	}
	l := &List{Parameters: p, Path: userfile.Within(dir, p.File), Each: "participant", hint: "; if each row is a run: runs: all; if each is a session: sessions: COLUMN, the column that names it"}
	if p.All() {
		l.Each = "run"
	}
	l.Dir = filepath.Dir(l.Path)
	if err := l.readRows(dir); err != nil {
		return nil, err
	}
	if err := errors.Join(l.exclude(), l.Choose(), l.identify()); err != nil {
		return nil, err
	}
	return l, l.Doubt()
}

func (l *List) readRows(dir string) error {
	if l.Root != "" {
		l.Dir = userfile.Within(dir, l.Root)
	}
	form := sheet.Form{Encoding: l.Encoding, Sheet: l.Parameters.Sheet, Guess: true}
	if err := l.ReadSheet(form); err != nil {
		return err
	}
	l.forget()
	read, marks, commas := l.Sheet.DecimalCommas(func(name string) bool {
		return name == l.ID || name == l.Group && l.Target == ""
	})
	if read != nil {
		l.Notes = append(l.Notes, column.Doubtful("", "noted.decimal-commas", column.Values{"Columns": read}))
	}
	if marks != nil || commas != nil {
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtTexts, "noted.commas-as-text",
			column.Values{"Marks": marks, "Commas": commas}))
	}
	labels, _ := l.Sheet.Column(l.labelColumn())
	levels, err := l.levels(labels)
	if err := errors.Join(l.CheckColumn("id", l.ID), l.labeled(), err); err != nil {
		return err
	}
	if err := l.name(levels, labels); err != nil {
		return err
	}
	return l.described(levels)
}

// ReadSheet reads the table, and notes how it was stored.
func (l *List) ReadSheet(as sheet.Form) error {
	f, err := userfile.Open(l.Path)
	if err != nil {
		return fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	if l.Sheet, err = sheet.ReadIn(f, l.Path, as); err != nil {
		return err
	}
	if l.Sheet.Note != "" {
		l.Notes = append(l.Notes, column.Note{Text: l.Sheet.Note})
	}
	return nil
}

// forget empties the cells that hold one of the values that missing names: that text, or that number however it is
// written.
func (l *List) forget() {
	if l.Missing == nil {
		return
	}
	gone := map[string]int{} // cells
	for _, v := range l.Missing {
		gone[plainNumber(v)] = 0
	}
	var emptied []string
	for i, name := range l.Sheet.Columns {
		n := 0
		for _, row := range l.Sheet.Rows {
			code := plainNumber(row[i])
			if _, is := gone[code]; is && name != l.ID && row[i] != "" {
				row[i] = ""
				gone[code]++
				n++
			}
		}
		if n > 0 {
			emptied = append(emptied, fmt.Sprintf("%s (%s)", name, words.Count(n, "value")))
		}
	}
	if emptied != nil {
		l.Notes = append(l.Notes, column.Notef("missing: values that count as missing: %s", words.Some(emptied, 8)))
	}
	idle := slices.DeleteFunc(slices.Clone(l.Missing), func(v string) bool { return gone[plainNumber(v)] > 0 })
	if len(idle) > 0 {
		l.Notes = append(l.Notes, column.Notef("missing: no cell of the table holds %s", words.Some(idle, 8)))
	}
}

// plainNumber writes a number in one way, and leaves a text as it is.
func plainNumber(v string) string {
	v = strings.TrimSpace(v)
	if x, _ := sheet.Numbers([]string{v}); x != nil {
		return strconv.FormatFloat(x[0], 'g', -1, 64)
	}
	return v
}

// CheckColumn checks that a parameter names a column.
func (l *List) CheckColumn(parameter, name string) error {
	if slices.Contains(l.Sheet.Columns, name) {
		return nil
	}
	if why := column.LacksMerged(name, l.Sheet.Columns); why != "" {
		return fmt.Errorf("%s: %s has no column %q%s", parameter, l.Path, name, why)
	}
	return fmt.Errorf("%s: %s has no column %q%s; its columns are %s (set the parameter %s to one of them)",
		parameter, l.Path, name, words.DidYouMean(name, l.Sheet.Columns),
		strings.Join(l.Sheet.Columns, ", "), parameter)
}

// name gives every row its id and group. Whether the ids are good is asked of the rows that are chosen (identify).
func (l *List) name(levels map[string]string, labels []string) error {
	var problems []error
	changed := ""
	var decimals []string
	codes := sheet.GroupCodes(labels)
	if l.Target != "" {
		codes = sheet.Codes(labels)
	}
	l.groups = map[string]string{}
	here := map[string]bool{} // levels that a row has
	level := func(value string) (name string, ok bool) {
		whole, decimal := cell.Whole(value) // of 1, as pandas saves it
		if name, ok = levels[value]; ok || !decimal {
			here[value] = true
			return name, ok
		}
		here[whole] = true
		name, ok = levels[whole]
		return name, ok
	}
	for _, value := range labels {
		if name, ok := level(value); ok || value != "" && !codes[value] {
			l.groups[value] = cmp.Or(name, value)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(levels)) {
		if !here[value] {
			l.Notes = append(l.Notes, column.Notef("levels: no row has %s %s (%s)", l.Group, value, levels[value]))
		}
	}
	for _, r := range l.BareRows() {
		r.Source, r.Label, r.number = r.Cells.Get(l.ID), r.Cells.Get(l.labelColumn()), l.Target != ""
		r.ID = ParticipantID(r.Source)
		if whole, ok := cell.Whole(bareName(r.Source)); ok && r.ID == "sub-"+whole {
			decimals = append(decimals, r.Source+" is "+r.ID)
		} else if r.ID != r.Source && r.ID != "sub-"+r.Source && r.ID != "sub-" && changed == "" {
			changed = fmt.Sprintf("participant names consist of letters and digits only: %s is %s", r.Source, r.ID)
		}
		if levels != nil && r.Label != "" {
			if group, ok := level(r.Label); ok || codes[r.Label] {
				r.Label = group
			} else {
				r.bare = r.Label // and its group, if it takes no part
			}
		}
		if levels == nil && codes[r.Label] || r.number && !isNumber(r.Label) {
			r.Label = ""
		}
		l.Rows = append(l.Rows, r)
	}
	if l.Select == "" && l.Exclude == nil { // then no row goes, and other mistakes may stop before Choose
		if err := l.nameless(); err != nil {
			problems = append(problems, err)
		}
	}
	if numbers := map[string]bool{}; l.Target == "" && levels == nil {
		for _, r := range l.Rows {
			if isNumber(r.Label) {
				numbers[r.Label] = true
			}
		}
		if many := l.manyGroups(len(numbers), "are numbers"); many != nil {
			problems = append(problems, many)
		}
	}
	if changed != "" {
		l.Notes = append(l.Notes, column.Note{Text: changed})
	}
	if decimals != nil {
		l.Notes = append(l.Notes, column.Notef("participant names saved with decimals, as pandas does, are read as whole numbers: %s",
			words.Some(slices.Compact(decimals), 6)))
	}
	filled := func(r Row) bool { return r.Cells.Get(l.Group) != "" }
	if l.Target == "" && l.Group != "" && l.Rows != nil && !slices.ContainsFunc(l.Rows, filled) {
		problems = append(problems, fmt.Errorf("%s:%s: the column %s is empty: fill it in, or set group to another column",
			l.Path, span(l.Sheet.Lines), l.Group))
	}
	labeled := func(r Row) bool { return r.Label != "" }
	if l.Target != "" && problems == nil && !slices.ContainsFunc(l.Rows, labeled) {
		problems = append(problems, fmt.Errorf("target: the column %s of %s has no number (line %d: %q); set target to a column of numbers, or group to a column of groups",
			l.Target, l.Path, l.Sheet.Lines[0], l.Rows[0].Cells.Get(l.Target)))
	}
	l.run = l.runs()
	slices.SortStableFunc(l.Rows, func(a, b Row) int {
		x, y := l.Run(a), l.Run(b)
		return cmp.Or(strings.Compare(a.ID, b.ID), len(x)-len(y), strings.Compare(x, y))
	})
	return errors.Join(problems...)
}

// RunColumn are names of columns of runs.
var RunColumn = pattern.New(`(?i)^runs?([ _.-]?(id|no|nr|num|number|index))?$`)

// runs is the column that numbers the runs of each participant, in which its rows differ; "" without one.
func (l *List) runs() string {
	for _, name := range l.Sheet.Columns {
		if !RunColumn.MatchString(name) || l.Each != "run" || l.Sessions != "" {
			continue
		}
		l.run = name
		seen := map[string]bool{}
		if !slices.ContainsFunc(l.Rows, func(r Row) bool {
			key := r.ID + " " + l.Run(r)
			was := seen[key]
			seen[key] = true
			return was || l.Run(r) == ""
		}) {
			return name
		}
	}
	return ""
}

// Run is the number of a row's run as the table has it; "" without one.
func (l *List) Run(r Row) string {
	whole, _ := cell.Whole(r.Cells.Get(l.run))
	if l.run == "" || whole == "" || strings.Trim(whole, "0123456789") != "" {
		return ""
	}
	return cmp.Or(strings.TrimLeft(whole, "0"), "0")
}

// nameless refuses values that levels has no name for, of the rows that exclude and select leave.
func (l *List) nameless() error {
	rows := map[string]int{} // by value
	for _, r := range l.Rows {
		if r.bare != "" {
			rows[r.bare]++
		}
	}
	if many := l.manyGroups(len(rows), "levels has no name for"); many != nil {
		return many
	}
	var problems []error
	for _, value := range slices.Sorted(maps.Keys(rows)) {
		problems = append(problems, fmt.Errorf("levels: %s: %s is %q in %s, but levels has no name for it: name every value%s",
			l.Path, l.Group, value, words.Count(rows[value], "row"), l.allLevels(nil)))
	}
	return errors.Join(problems...)
}

// span is the first and the last of some lines, in order.
func span(lines []int) string {
	if first, last := lines[0], lines[len(lines)-1]; first != last {
		return fmt.Sprintf("%d–%d", first, last)
	}
	return strconv.Itoa(lines[0])
}

// exactDigits is how many digits of any number a floating-point number keeps, as in a spreadsheet or pandas.
const exactDigits = 15

// alone is how many rows with one mistake have a line each.
const alone = 3

// identify refuses ids that name nobody, or two participants, or one of two.
func (l *List) identify() error {
	// ids that rows have as they are written, or as whole numbers
	here := lists.SetOf(l.Rows, func(r Row) string { return r.ID })
	var problems []error
	byID, folded := map[string]int{}, map[string]int{} // places in rows
	byLine := lists.UpTo(len(l.Rows))
	var again []string // participants that come twice, after the first
	first := -1        // the place of its problem
	slices.SortFunc(byLine, func(i, j int) int { return cmp.Compare(l.Rows[i].Line, l.Rows[j].Line) })
	same, last := map[string][]string{}, map[string]int{} // lines, and the place of the last problem, by cause
	for _, i := range byLine {
		r := &l.Rows[i]
		bad := func(format string, args ...any) {
			if same[format] = append(same[format], strconv.Itoa(r.Line)); len(same[format]) <= alone {
				last[format] = len(problems)
				problems = append(problems, fmt.Errorf("%s:%d: %s", l.Path, r.Line, fmt.Sprintf(format, args...)))
			}
		}
		j, twice := byID[r.ID]
		k, there := folded[strings.ToLower(r.ID)]
		other, cased := &l.Rows[j], &l.Rows[k] // the first row where there is none
		odd := strings.IndexFunc(r.Source, func(c rune) bool { return c > unicode.MaxASCII })
		bare := bareName(r.Source)
		whole, decimal := cell.Whole(bare)
		meant := l.meant(r, here)
		switch {
		case strings.HasPrefix(r.Source, "#"):
			bad("%q begins with #, but tables have no comments, so the row would be a participant: remove the row, or the # of the name", r.Source)
		case r.Source == "":
			bad("the participant has no name (column %q is empty)", l.ID)
		case odd >= 0:
			bad("%q has the character %q, but participant names consist of the letters a to z and digits: rename it, or set the parameter id to another column", r.Source, []rune(r.Source[odd:])[0])
		case r.ID == "sub-":
			bad("%q has no letter or digit and cannot name a participant: rename it, or set the parameter id to another column", r.Source)
		case strings.ContainsAny(r.Source, `/\`):
			bad("%q has a slash and cannot name a participant, since files are found by the names: rename it, or set the parameter id to another column", r.Source)
		case cell.Grouped(bare):
			digits := lettersAndDigits(bare)[len("sub-"):]
			bad("%q may be %s or %s: write participants as whole numbers without separators", r.Source, strings.TrimSuffix(digits, "000"), digits)
		case cell.Scientific(bare) && "sub-"+bare != r.ID:
			bad("%q is a number in scientific notation, whose last digits may be lost: write participants as whole numbers%s", r.Source, didYouMean(meant))
		case decimal && len(strings.TrimLeft(whole, "0")) > exactDigits:
			bad("%q is a number with decimals and more than %d digits, whose last digits may be lost: write participants as whole numbers", r.Source, exactDigits)
		case len(meant) > 1:
			bad("%q may be %s: each has a directory, and zeros or decimals of a name may come from a spreadsheet; write the one that is meant", r.Source, strings.Join(meant, " or "))
		case l.dirs != nil && "sub-"+whole != r.ID && len(meant) == 1:
			bad("%q cannot name a directory, and nobody is found by leaving out characters: if it is %s, write that", r.Source, meant[0])
		case there && cased.ID != r.ID:
			bad("%q and %q (line %d) differ only in case, and some file systems cannot distinguish their files: %s", r.Source, cased.Source, cased.Line, l.oneOrTwo())
		case twice && other.Source != r.Source:
			bad("%q and %q (line %d) would both be named %s: %s", r.Source, other.Source, other.Line, r.ID, l.oneOrTwo())
		case twice && l.Each == "participant" && first < 0:
			first = len(problems)
			bad("participant %s is already in line %d", r.Source, other.Line)
		case twice && l.Each == "participant":
			again = append(again, r.Source)
		case twice && r.Label != other.Label && r.number:
			bad("participant %s has the %s %q, but %q in line %d", r.Source, l.Target, r.Label, other.Label, other.Line)
		case twice && r.Label != other.Label:
			bad("participant %s is in group %q, but in %q in line %d", r.Source, r.Label, other.Label, other.Line)
		default:
			byID[r.ID], folded[strings.ToLower(r.ID)] = i, i
		}
	}
	if first >= 0 {
		also := ""
		if again != nil {
			also = "; several rows also have " + words.Some(slices.Compact(again), 6)
		}
		problems[first] = fmt.Errorf("%w%s%s", problems[first], also, l.hint+l.persons())
	}
	for cause, lines := range same {
		if len(lines) > alone {
			problems[last[cause]] = fmt.Errorf("%w (likewise in %s: lines %s)", problems[last[cause]],
				words.Count(len(lines)-alone, "other row"), words.Some(lines[alone:], 10))
		}
	}
	return errors.Join(problems...)
}

// persons is the remedy for rows of one id that are several persons: a column of sites or groups shows how to write
// their ids.
func (l *List) persons() string {
	example := ""
	first := map[string]Row{}
	for _, r := range l.Rows {
		f, twice := first[r.ID]
		if first[r.ID] = r; !twice || example != "" {
			continue
		}
		for _, name := range l.Sheet.Columns {
			a, b := f.Cells.Get(name), r.Cells.Get(name)
			if (name == l.Group || column.NamesSite(name)) && a != b && a != "" && b != "" {
				example = fmt.Sprintf(", such as %s%s and %s%s by the column %s", a, f.Source, b, r.Source, name)
				break
			}
		}
	}
	return "; if they are several persons: write ids that differ" + example
}

// oneOrTwo is the remedy for two spellings of a name.
func (l *List) oneOrTwo() string {
	if l.Each == "participant" {
		return "if they are one person, remove one row; if they are two, rename one"
	}
	return "if they are one person, write the name alike in all rows; if they are two, rename one"
}

// meant are the directories of participants that a row may mean: that of its id, and those of other readings of a
// number, unless another row has their name. here are the ids of all rows.
func (l *List) meant(r *Row, here map[string]bool) (ids []string) {
	bare := bareName(r.Source)
	digits, decimals := cell.Whole(bare)
	number := strings.Trim(digits, "0123456789") == "" && (decimals || r.Source == bare) || cell.Scientific(bare)
	if "sub-"+digits == r.ID && !number {
		return nil // a name as it is
	}
	for _, id := range SameNumber(r.Source, l.dirs) {
		if id == r.ID || number && !here[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// didYouMean proposes ids.
func didYouMean(ids []string) string {
	if ids == nil {
		return ""
	}
	return " (did you mean " + strings.Join(ids, " or ") + "?)"
}

// exclude takes out the participants that the parameter names, before select counts rows and before files are looked
// for.
func (l *List) exclude() error {
	var wrong error
	var there, absent []string
	x := Exclusion{Noun: l.Noun(), Find: Names(l.Sources()).Find, Why: map[string]string{}}
	for _, name := range l.Exclude {
		if err := x.Add(name, ExcludedByName); err != nil {
			wrong, absent = cmp.Or(wrong, err), append(absent, name)
		} else {
			there = append(there, name)
		}
	}
	if wrong != nil {
		wrong = fmt.Errorf("exclude: %s: %w", l.Path, wrong)
	}
	if len(l.Exclude) > 1 && wrong != nil { // the list may be that of a larger table, in a file that this one extends
		wrong = fmt.Errorf("%w; it lacks %d of the %d that exclude lists (%s): inside the kind of the cohort (cohort: KIND) of your "+
			"file, set exclude: [%s]", wrong,
			len(absent), len(l.Exclude), words.Some(absent, 9), strings.Join(there, ", "))
	}
	l.Drop("", func(r Row) string {
		if x.Why[r.ID] != "" {
			l.named = append(l.named, r)
		}
		return x.Why[r.ID]
	})
	l.Notes = append(l.Notes, x.Notes()...)
	return wrong
}

// unmet tells of the participants whom exclude names, that they do not meet what selects: those who do are excluded of
// the others.
func (l *List) unmet(q *sheet.Query) {
	why, _ := q.Select(len(l.named))
	n := 0
	for i, r := range l.named {
		at := slices.IndexFunc(l.left, func(o LeftOut) bool { return o.ID == r.ID && o.Why == ExcludedByName })
		if at >= 0 && why[i].Term != "" {
			l.left[at].Why, l.left[at].Unmet = notMet(why[i]), why[i]
			n++
		}
	}
	if n > 0 {
		l.Notes = append(l.Notes, column.Notef("  %d of these %s not meet select either, and %s counted under the reason from select",
			n, map[bool]string{true: "does", false: "do"}[n == 1], map[bool]string{true: "is", false: "are"}[n == 1]))
	}
}

// notMet is the reason why a row that select does not select takes no part; "" for one that it selects.
func notMet(u sheet.Unmet) string {
	switch {
	case u.Term == "":
		return ""
	case u.NoValue:
		return "inclusion criterion not met: " + u.Term + " (no value)"
	}
	return "inclusion criterion not met: " + u.Term
}

// Drop takes out the rows for which there is a reason, of a category.
func (l *List) Drop(category string, why func(Row) string) {
	l.drop(func(r Row) LeftOut { return LeftOut{Why: why(r), Category: category} })
}

func (l *List) drop(of func(Row) LeftOut) {
	l.Rows = slices.DeleteFunc(l.Rows, func(r Row) bool {
		left := of(r)
		if left.Why != "" && r.Source != "" {
			left.ID, left.Group = r.ID, l.groupOf(r)
			l.left = append(l.left, left)
			l.dropped = append(l.dropped, r)
		}
		return left.Why != ""
	})
}

// groupOf is the group of a row; "" where a number is predicted.
func (l *List) groupOf(r Row) string {
	if r.number {
		return ""
	}
	return r.Label
}

// Sources are the names of the participants as the table has them, by id, with those who are left out.
func (l *List) Sources() map[string]string {
	names := map[string]string{}
	for _, r := range slices.Concat(l.dropped, l.Rows) {
		names[r.ID] = r.Source
	}
	return names
}

// Lines are those of the participants, the first one of each.
func (l *List) Lines() map[string]int {
	at := map[string]int{}
	for _, r := range l.Rows {
		if at[r.ID] == 0 {
			at[r.ID] = r.Line
		}
	}
	return at
}

// LeftOut are those who were taken out, sorted.
func (l *List) LeftOut() []LeftOut {
	here := lists.SetOf(l.Rows, func(r Row) string { return r.ID })
	some, said := 0, map[string]bool{}
	l.left = slices.DeleteFunc(l.left, func(o LeftOut) bool {
		if here[o.ID] { // another of its runs takes part
			some++
		}
		again := said[o.ID]
		said[o.ID] = true
		return here[o.ID] || again
	})
	if some > 0 {
		l.Notes = append(l.Notes, column.Notef("%s excluded of participants with other %ss included", words.Count(some, l.part()), l.part()))
	}
	slices.SortFunc(l.left, func(a, b LeftOut) int { return strings.Compare(a.ID, b.ID) })
	return l.left
}

func (l *List) Choose() error {
	if l.Each != "row" {
		if err := l.clean(); err != nil {
			return err
		}
	}
	before := len(l.Rows)
	if l.Select != "" {
		columns := slices.Clone(l.Sheet.Columns)
		for _, name := range l.added() {
			columns = lists.Add(columns, name)
		}
		of := func(rows []Row) (*sheet.Query, error) {
			return sheet.ParseQuery(l.Select, columns, func(name string) []string {
				if !slices.Contains(columns, name) {
					return nil
				}
				return lists.Map(rows, func(r Row) string { return r.Value(name) })
			})
		}
		q, err := of(l.Rows)
		if err != nil {
			return fmt.Errorf("select: %w", err)
		}
		if named, err := of(l.named); err == nil && len(l.named) > 0 { // what exclude names may hold anything
			l.unmet(named)
		}
		if err := cmp.Or(l.selectsNobody(q), l.spellings(q)); err != nil {
			return err
		}
		why, counts := q.Select(before)
		i := -1
		l.drop(func(Row) LeftOut {
			i++
			return LeftOut{Why: notMet(why[i]), Unmet: why[i]}
		})
		l.Notes = append(l.Notes, column.Notef("selected %d of %d %ss", len(l.Rows), before, l.Each))
		for _, u := range q.Unmatched {
			l.Notes = append(l.Notes, column.Notef("select: no row has %s %s%s", u.Column, u.Value, u.Near))
		}
		for _, c := range counts {
			if c.No+c.Unknown > 0 {
				l.Notes = append(l.Notes, column.Notef("  %d %s not meet %s%s", c.No+c.Unknown,
					map[bool]string{true: "does", false: "do"}[c.No+c.Unknown == 1], c.Term, lacking(c.Unknown)))
			}
		}
	}
	if len(l.Rows) == 0 {
		return fmt.Errorf("%s: all of its %d %ss are excluded: %s; change select or exclude", l.Path, len(l.Sheet.Rows),
			l.Each, strings.Join(lists.Map(wording.NoteTexts(l.Notes), strings.TrimSpace), "; "))
	}
	return l.nameless()
}

// selectsNobody refuses a participant in select whom no row of the table names: not in [7] would exclude nobody where
// the name is 07.
func (l *List) selectsNobody(q *sheet.Query) error {
	var problems []error
	names := Names{}
	known, _ := l.Sheet.Column(l.ID)
	for _, name := range known {
		names[ParticipantID(name)] = name
	}
	near := func(value string) string {
		if same := SameNumber(value, slices.Sorted(maps.Keys(names))); same != nil {
			return didYouMean(lists.Map(same, func(id string) string { return names[id] }))
		}
		return words.DidYouMean(value, known)
	}
	for _, u := range q.Unmatched {
		is := func(name string) bool { // the value of the column
			numbers, _ := sheet.Numbers([]string{name, u.Value})
			return name == u.Value || numbers != nil && numbers[0] == numbers[1]
		}
		switch {
		case l.Each == "row" || u.Column != l.ID && u.Column != "participant_id":
		case u.Column == l.ID && !slices.ContainsFunc(known, is):
			problems = append(problems, fmt.Errorf("select: no participant is named %s in column %s%s", u.Value, u.Column,
				near(u.Value)))
		case u.Column != l.ID && names[u.Value] == "" && !slices.Contains(l.Sheet.Columns, u.Column):
			problems = append(problems, fmt.Errorf("select: there is no participant %s%s", u.Value, names.near(u.Value)))
		}
	}
	return errors.Join(problems...)
}

// spellings refuses values of select that rows have in another spelling: hc, or HC with a character that shows nothing,
// would be excluded beside HC. Ids are compared elsewhere.
func (l *List) spellings(q *sheet.Query) error {
	var problems []error
	for _, of := range lists.By(q.Compared, func(c sheet.Compared) string { return c.Column }) {
		if of.Key == l.ID || of.Key == "participant_id" {
			continue
		}
		lines := map[string][]string{} // of the values that select does not have
		for _, r := range l.Rows {
			v := r.Value(of.Key)
			if v != "" && !slices.Contains(of.All, sheet.Compared{Column: of.Key, Value: v}) {
				lines[v] = append(lines[v], strconv.Itoa(r.Line))
			}
		}
		for _, v := range slices.Sorted(maps.Keys(lines)) {
			i := slices.IndexFunc(of.All, func(c sheet.Compared) bool { return column.Twins(v, c.Value) != "" })
			if i < 0 {
				continue
			}
			remedy, stated := "write both values in select", of.All[i].Value
			if of.Key == "group" && l.Target == "" { // select sees the names of levels
				remedy = "give them one name" + l.allLevels(map[string]string{v: stated})
			}
			if e := sheet.Unequal(of.Key, v); e != "" && column.Shown(v) == v {
				remedy += "; if they are two, add to select: and " + e
			}
			problems = append(problems, fmt.Errorf("select: %s: column %s has %s (%s, first in line %s), select has "+
				"%s, and the two %s: if they are one, correct the table, or %s", l.Path, of.Key, column.Shown(v),
				words.Count(len(lines[v]), "row"), lines[v][0], column.Shown(stated),
				wording.Label("noted.differ", column.Values{"Doubt": column.Twins(v, stated)}), remedy))
		}
	}
	return errors.Join(problems...)
}

// Doubt notes what is doubtful in the names, and in the groups or the number to predict, of those who take part.
func (l *List) Doubt() error {
	l.DoubtNames("participants", l.ID, func(r Row) (string, string) { return "", r.Source })
	l.doubtLabel()
	if l.Target != "" {
		return l.doubtTarget()
	}
	l.Notes = append(l.Notes, l.doubtGroups()...)
	return l.refuseSynonyms()
}

func lacking(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d without a value)", n)
}

// Noun is what a member of the cohort is called in a sentence.
func (l *List) Noun() string {
	if l.Each == "row" {
		return "row"
	}
	return "participant"
}

// added are the columns that a row has whatever the table has.
func (l *List) added() []string {
	switch {
	case l.Each == "row":
		return nil
	case l.Target != "":
		return []string{"participant_id"}
	}
	return []string{"participant_id", "group"}
}

// Value is what an expression or a pattern sees of a row: group is always the
// group by its name, participant_id is ours where the table has no such column.
func (r *Row) Value(column string) string {
	switch v := r.Cells.Get(column); {
	case column == "participant_id" && !r.Cells.has(column):
		return r.ID
	case column == "group" && !r.number:
		return r.Label
	default:
		return v
	}
}
