package cohort

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
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// listed are the parameters of the cohorts whose participants stand in a table.
type listed struct {
	File    string   `param:"file" place:"always" doc:"the participants: a CSV or TSV file with one row per participant"`
	ID      string   `param:"id" doc:"its column of participant names; sub- is added if missing"`
	Group   string   `param:"group" doc:"its column of groups"`
	Levels  []string `param:"levels" doc:"names for the values of the group column, such as [1=ASD, 0=HC]; by default the values"`
	Target  string   `param:"target" doc:"its column of numbers to predict, such as age or a score, in place of groups: the participants then have a column target and none of groups"`
	Root    string   `param:"root" place:"always" doc:"directory that relative paths of files start from; by default that of the table"`
	Select  string   `param:"select" doc:"rows to include, such as: group in [ASD, HC] and mean_fd < 0.3 and age >= 7"`
	Exclude []string `param:"exclude" doc:"participants to exclude"`
	Missing []string `param:"missing" doc:"values that stand for a missing one, in all columns of the table, such as [-9, -77]; -99, -999 and -9999 count as missing by themselves where no other value is negative"`
	Runs    string   `param:"runs" choices:"one|all" doc:"the runs of a participant: exactly one, or all (in a table, one row per run), for stages with each: run and the kind join, which concatenates them after denoising"`
}

func defaultListed() listed { return listed{ID: "participant_id", Group: "group", Runs: "one"} }

// all reports whether all runs of a participant are taken.
func (p *listed) all() bool { return p.Runs == "all" }

// A listedRow is a participant of the table.
type listedRow struct {
	id     string // sub-…
	source string // as the table has it
	label  string // group, or the number to predict; "" when it has none
	number bool   // label is a number to predict
	line   int
	cells  cells
}

// cells are those of a row, by the columns of the table: a map for each row would take many times their memory.
type cells struct {
	at     map[string]int // of all rows; columns that were added stand at the end
	values []string
}

// places numbers the columns of the table.
func (l *list) places() map[string]int {
	at := map[string]int{}
	for i, name := range l.sheet.Columns {
		at[name] = i
	}
	return at
}

func (c cells) has(name string) bool {
	_, ok := c.at[name]
	return ok
}

func (c cells) get(name string) string {
	if i, ok := c.at[name]; ok && i < len(c.values) {
		return c.values[i]
	}
	return ""
}

func (c *cells) set(name, value string) {
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

// A list is a table of participants that has been read and selected from.
type list struct {
	*listed
	path  string // of the table
	root  string
	sheet *sheet.Sheet
	rows  []listedRow // sorted by id
	hint  string      // for a participant that comes twice
	dirs  []string    // the participants who have a directory, where files are found by the ids; else nil
	each  string      // what a row is: "participant", "run", of which a participant may have several, or "row"
	// the column that names a participant's sessions, where each run is one
	sessions string
	// covariates are columns of the sheet, and their names among the participants; nil: all, as they are
	covariates [][2]string
	notes      []string
	left       []LeftOut
	named      []listedRow       // of those whom exclude names
	groups     map[string]string // values of the column of groups, as the table has them, and their names
}

// read reads the table, names the participants and selects. All mistakes are
// reported at once, as far as one does not hide the next.
func (p *listed) read(dir string) (*list, error) {
	if p.File == "" {
		return nil, errors.New("file is not set: the table of participants")
	}
	l := &list{listed: p, path: within(dir, p.File), each: "participant", hint: "; if each row is a run: runs: all; if each is a session: sessions: COLUMN, the column that names it"}
	if p.all() {
		l.each = "run"
	}
	l.root = filepath.Dir(l.path)
	if err := l.readRows(dir); err != nil {
		return nil, err
	}
	if err := errors.Join(l.exclude(), l.choose(), l.identify()); err != nil {
		return nil, err
	}
	return l, l.doubt()
}

func (l *list) readRows(dir string) error {
	if l.Root != "" {
		l.root = within(dir, l.Root)
	}
	f, err := openFile(l.path)
	if err != nil {
		return fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	if l.sheet, err = sheet.Read(f, l.path); err != nil {
		return err
	}
	l.forget()
	l.notes = append(l.notes, l.sheet.DecimalCommas(func(name string) bool {
		return name == l.ID || name == l.Group && l.Target == ""
	})...)
	labels, _ := l.sheet.Column(l.labelColumn())
	levels, err := l.levels(labels)
	if err := errors.Join(l.column("id", l.ID), l.labeled(), err); err != nil {
		return err
	}
	return l.name(levels, labels)
}

// forget empties the cells that hold one of the values that missing names: that text, or that number however it is
// written.
func (l *list) forget() {
	if l.Missing == nil {
		return
	}
	gone := map[string]bool{}
	for _, v := range l.Missing {
		gone[plainNumber(v)] = true
	}
	for i, name := range l.sheet.Columns {
		for _, row := range l.sheet.Rows {
			if name != l.ID && gone[plainNumber(row[i])] {
				row[i] = ""
			}
		}
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

// column checks that a parameter names a column.
func (l *list) column(parameter, name string) error {
	if slices.Contains(l.sheet.Columns, name) {
		return nil
	}
	return fmt.Errorf("%s: %s has no column %q%s; its columns are %s (set the parameter %s to one of them)",
		parameter, l.path, name, words.DidYouMean(name, l.sheet.Columns),
		strings.Join(l.sheet.Columns, ", "), parameter)
}

// name gives every row its id and group. Whether the ids are good is asked of the rows that are chosen (identify).
func (l *list) name(levels map[string]string, labels []string) error {
	var problems []error
	changed := ""
	var decimals []string
	nameless := map[string]int{} // values without a level → rows
	codes := sheet.GroupCodes(labels)
	if l.Target != "" {
		codes = sheet.Codes(labels)
	}
	l.groups = map[string]string{}
	for _, value := range labels {
		if name, ok := levels[value]; ok || value != "" && !codes[value] {
			l.groups[value] = cmp.Or(name, value)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(levels)) {
		if !slices.Contains(labels, value) {
			l.notes = append(l.notes, fmt.Sprintf("levels: no row has %s %s (%s)", l.Group, value, levels[value]))
		}
	}
	at := l.places()
	for i, values := range l.sheet.Rows {
		r := listedRow{line: l.sheet.Lines[i], cells: cells{at, values}}
		r.source, r.label, r.number = r.cells.get(l.ID), r.cells.get(l.labelColumn()), l.Target != ""
		r.id = ParticipantID(r.source)
		if whole, ok := cell.Whole(bareName(r.source)); ok && r.id == "sub-"+whole {
			decimals = append(decimals, r.source+" is "+r.id)
		} else if r.id != r.source && r.id != "sub-"+r.source && r.id != "sub-" && changed == "" {
			changed = fmt.Sprintf("participant names consist of letters and digits only: %s is %s", r.source, r.id)
		}
		if levels != nil && r.label != "" {
			group, ok := levels[r.label]
			if whole, decimal := cell.Whole(r.label); !ok && decimal { // of 1, as pandas saves it
				group, ok = levels[whole]
			}
			if !ok && !codes[r.label] {
				nameless[r.label]++
			}
			r.label = group
		}
		if levels == nil && codes[r.label] || r.number && !isNumber(r.label) {
			r.label = ""
		}
		l.rows = append(l.rows, r)
	}
	if many := l.manyGroups(len(nameless), "levels has no name for"); many != nil {
		problems, nameless = append(problems, many), nil
	}
	for _, value := range slices.Sorted(maps.Keys(nameless)) {
		problems = append(problems, fmt.Errorf("levels: %s: %s is %q in %s, but levels has no name for it: name every value%s",
			l.path, l.Group, value, words.Count(nameless[value], "row"), l.allLevels(nil)))
	}
	if numbers := map[string]bool{}; l.Target == "" && levels == nil {
		for _, r := range l.rows {
			if isNumber(r.label) {
				numbers[r.label] = true
			}
		}
		if many := l.manyGroups(len(numbers), "are numbers"); many != nil {
			problems = append(problems, many)
		}
	}
	if changed != "" {
		l.notes = append(l.notes, changed)
	}
	if decimals != nil {
		l.notes = append(l.notes, fmt.Sprintf("participant names saved with decimals, as pandas does, are read as whole numbers: %s",
			words.Some(slices.Compact(decimals), 6)))
	}
	labeled := func(r listedRow) bool { return r.label != "" }
	if l.Target != "" && problems == nil && !slices.ContainsFunc(l.rows, labeled) {
		problems = append(problems, fmt.Errorf("target: the column %s of %s has no number (line %d: %q); set target to a column of numbers, or group to a column of groups",
			l.Target, l.path, l.sheet.Lines[0], l.rows[0].cells.get(l.Target)))
	}
	slices.SortStableFunc(l.rows, func(a, b listedRow) int { return strings.Compare(a.id, b.id) })
	return errors.Join(problems...)
}

// identify refuses ids that name nobody, or two participants, or one of two.
func (l *list) identify() error {
	here := map[string]bool{} // ids that rows have as they are written, or as whole numbers
	for _, r := range l.rows {
		here[r.id] = true
	}
	var problems []error
	byID, folded := map[string]int{}, map[string]int{} // places in rows
	byLine := make([]int, len(l.rows))
	for i := range byLine {
		byLine[i] = i
	}
	var again []string // participants that come twice, after the first
	first := -1        // the place of its problem
	slices.SortFunc(byLine, func(i, j int) int { return cmp.Compare(l.rows[i].line, l.rows[j].line) })
	for _, i := range byLine {
		r := &l.rows[i]
		bad := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("%s:%d: %s", l.path, r.line, fmt.Sprintf(format, args...)))
		}
		j, twice := byID[r.id]
		k, there := folded[strings.ToLower(r.id)]
		other, cased := &l.rows[j], &l.rows[k] // the first row where there is none
		odd := strings.IndexFunc(r.source, func(c rune) bool { return c > unicode.MaxASCII })
		bare := bareName(r.source)
		whole, _ := cell.Whole(bare)
		meant := l.meant(r, here)
		switch {
		case r.source == "":
			bad("the participant has no name (column %q is empty)", l.ID)
		case r.id == "sub-":
			bad("%q has no letter or digit and cannot name a participant: rename it, or set the parameter id to another column", r.source)
		case strings.ContainsAny(r.source, `/\`):
			bad("%q has a slash and cannot name a participant, since files are found by the names: rename it, or set the parameter id to another column", r.source)
		case odd >= 0:
			bad("%q has the character %q, but participant names consist of the letters a to z and digits: rename it, or set the parameter id to another column", r.source, []rune(r.source[odd:])[0])
		case cell.Grouped(bare):
			digits := lettersAndDigits(bare)[len("sub-"):]
			bad("%q may be %s or %s: write participants as whole numbers without separators", r.source, strings.TrimSuffix(digits, "000"), digits)
		case cell.Scientific(bare) && "sub-"+bare != r.id:
			bad("%q is a number in scientific notation, whose last digits may be lost: write participants as whole numbers%s", r.source, didYouMean(meant))
		case len(meant) > 1:
			bad("%q may be %s: each has a directory, and zeros or decimals of a name may come from a spreadsheet; write the one that is meant", r.source, strings.Join(meant, " or "))
		case l.dirs != nil && "sub-"+whole != r.id && len(meant) == 1:
			bad("%q cannot name a directory, and nobody is found by leaving out characters: if it is %s, write that", r.source, meant[0])
		case there && cased.id != r.id:
			bad("%q and %q (line %d) differ only in case, and some file systems cannot tell their files apart: rename one of them", r.source, cased.source, cased.line)
		case twice && other.source != r.source:
			bad("%q and %q (line %d) would both be named %s: rename one of them", r.source, other.source, other.line, r.id)
		case twice && l.each == "participant" && first < 0:
			first = len(problems)
			bad("participant %s is already in line %d", r.source, other.line)
		case twice && l.each == "participant":
			again = append(again, r.source)
		case twice && r.label != other.label && r.number:
			bad("participant %s has the %s %q, but %q in line %d", r.source, l.Target, r.label, other.label, other.line)
		case twice && r.label != other.label:
			bad("participant %s is in group %q, but in %q in line %d", r.source, r.label, other.label, other.line)
		default:
			byID[r.id], folded[strings.ToLower(r.id)] = i, i
		}
	}
	if first >= 0 {
		also := ""
		if again != nil {
			also = "; several rows also have " + words.Some(slices.Compact(again), 6)
		}
		problems[first] = fmt.Errorf("%w%s%s", problems[first], also, l.hint)
	}
	return errors.Join(problems...)
}

// meant are the directories of participants that a row may mean: that of its id, and those of other readings of a
// number, unless another row has their name. here are the ids of all rows.
func (l *list) meant(r *listedRow, here map[string]bool) (ids []string) {
	bare := bareName(r.source)
	digits, decimals := cell.Whole(bare)
	number := strings.Trim(digits, "0123456789") == "" && (decimals || r.source == bare) || cell.Scientific(bare)
	if "sub-"+digits == r.id && !number {
		return nil // a name as it is
	}
	for _, id := range sameNumber(r.source, l.dirs) {
		if id == r.id || number && !here[id] {
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
func (l *list) exclude() error {
	var problems []error
	x := Exclusion{Noun: l.noun(), Find: Names(l.sources()).Find, Why: map[string]string{}}
	for _, name := range l.Exclude {
		if err := x.Add(name, ExcludedByName); err != nil {
			problems = append(problems, fmt.Errorf("exclude: %s: %w", l.path, err))
		}
	}
	l.drop("", func(r listedRow) string {
		if x.Why[r.id] != "" {
			l.named = append(l.named, r)
		}
		return x.Why[r.id]
	})
	l.notes = append(l.notes, x.Notes()...)
	return errors.Join(problems...)
}

// unmet tells of the participants whom exclude names, that they do not meet what selects: those who do are excluded of
// the others.
func (l *list) unmet(q *sheet.Query) {
	why, _ := q.Select(len(l.named))
	for i, r := range l.named {
		at := slices.IndexFunc(l.left, func(o LeftOut) bool { return o.ID == r.id && o.Why == ExcludedByName })
		if at >= 0 && why[i] != "" {
			l.left[at].Why = column.NotMet + ": " + why[i]
		}
	}
}

// drop takes out the rows for which there is a reason, of a category.
func (l *list) drop(category string, why func(listedRow) string) {
	l.rows = slices.DeleteFunc(l.rows, func(r listedRow) bool {
		reason := why(r)
		if reason != "" && r.source != "" {
			l.left = append(l.left, LeftOut{r.id, l.groupOf(r), reason, category})
		}
		return reason != ""
	})
}

// groupOf is the group of a row; "" where a number is predicted.
func (l *list) groupOf(r listedRow) string {
	if r.number {
		return ""
	}
	return r.label
}

// sources are the names of the participants as the table has them, by id.
func (l *list) sources() map[string]string {
	names := map[string]string{}
	for _, r := range slices.Concat(l.rows, l.named) {
		names[r.id] = r.source
	}
	return names
}

// lines are those of the participants, the first one of each.
func (l *list) lines() map[string]int {
	at := map[string]int{}
	for _, r := range l.rows {
		if at[r.id] == 0 {
			at[r.id] = r.line
		}
	}
	return at
}

// leftOut are those who were taken out, sorted.
func (l *list) leftOut() []LeftOut {
	here := map[string]bool{}
	for _, r := range l.rows {
		here[r.id] = true
	}
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
		l.notes = append(l.notes, fmt.Sprintf("%d %[2]ss excluded of participants with other %[2]ss included", some, l.part()))
	}
	slices.SortFunc(l.left, func(a, b LeftOut) int { return strings.Compare(a.ID, b.ID) })
	return l.left
}

func (l *list) choose() error {
	if l.each != "row" {
		if err := l.clean(); err != nil {
			return err
		}
	}
	before := len(l.rows)
	if l.Select != "" {
		columns := slices.Clone(l.sheet.Columns)
		for _, name := range l.added() {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
		of := func(rows []listedRow) (*sheet.Query, error) {
			return sheet.ParseQuery(l.Select, columns, func(name string) []string {
				if !slices.Contains(columns, name) {
					return nil
				}
				return lists.Map(rows, func(r listedRow) string { return r.value(name) })
			})
		}
		q, err := of(l.rows)
		if err != nil {
			return fmt.Errorf("select: %w", err)
		}
		if named, err := of(l.named); err == nil && len(l.named) > 0 { // what exclude names may hold anything
			l.unmet(named)
		}
		if err := l.selectsNobody(q); err != nil {
			return err
		}
		why, counts := q.Select(before)
		i := -1
		l.drop("", func(listedRow) string {
			if i++; why[i] == "" {
				return ""
			}
			return column.NotMet + ": " + why[i]
		})
		l.notes = append(l.notes, fmt.Sprintf("selected %d of %d %ss", len(l.rows), before, l.each))
		for _, u := range q.Unmatched {
			if u.Near != "" {
				l.notes = append(l.notes, fmt.Sprintf("select: no row has %s %s%s", u.Column, u.Value, u.Near))
			}
		}
		for _, c := range counts {
			if c.No+c.Unknown > 0 {
				l.notes = append(l.notes, fmt.Sprintf("  %d %s not meet %s%s", c.No+c.Unknown,
					map[bool]string{true: "does", false: "do"}[c.No+c.Unknown == 1], c.Term, lacking(c.Unknown)))
			}
		}
	}
	if len(l.rows) == 0 {
		return fmt.Errorf("%s: all of its %d %ss are excluded: %s; change select or exclude", l.path, len(l.sheet.Rows),
			l.each, strings.Join(lists.Map(l.notes, strings.TrimSpace), "; "))
	}
	return nil
}

// selectsNobody refuses a participant in select whom no row of the table names: not in [7] would exclude nobody where
// the name is 07.
func (l *list) selectsNobody(q *sheet.Query) error {
	var problems []error
	names := Names{}
	known, _ := l.sheet.Column(l.ID)
	for _, name := range known {
		names[ParticipantID(name)] = name
	}
	near := func(value string) string {
		if same := sameNumber(value, slices.Sorted(maps.Keys(names))); same != nil {
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
		case l.each == "row" || u.Column != l.ID && u.Column != "participant_id":
		case u.Column == l.ID && !slices.ContainsFunc(known, is):
			problems = append(problems, fmt.Errorf("select: no participant is named %s in column %s%s", u.Value, u.Column,
				near(u.Value)))
		case u.Column != l.ID && names[u.Value] == "" && !slices.Contains(l.sheet.Columns, u.Column):
			problems = append(problems, fmt.Errorf("select: there is no participant %s%s", u.Value, names.near(u.Value)))
		}
	}
	return errors.Join(problems...)
}

// doubt notes what is doubtful in the names, and in the groups or the number to predict, of those who take part.
func (l *list) doubt() error {
	l.doubtNames("participants", l.ID, "if two are one person, scans of that person may be in training and test data",
		func(r listedRow) (string, string) { return "", r.source })
	if l.Target != "" {
		return l.doubtTarget()
	}
	l.notes = append(l.notes, l.doubtGroups()...)
	return nil
}

func lacking(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d without a value)", n)
}

// noun is what a member of the cohort is called in a sentence.
func (l *list) noun() string {
	if l.each == "row" {
		return "row"
	}
	return "participant"
}

// added are the columns that a row has whatever the table has.
func (l *list) added() []string {
	switch {
	case l.each == "row":
		return nil
	case l.Target != "":
		return []string{"participant_id"}
	}
	return []string{"participant_id", "group"}
}

// value is what an expression or a pattern sees of a row: group is always the
// group by its name, participant_id is ours where the table has no such column.
func (r *listedRow) value(column string) string {
	switch v := r.cells.get(column); {
	case column == "participant_id" && !r.cells.has(column):
		return r.id
	case column == "group" && !r.number:
		return r.label
	default:
		return v
	}
}
