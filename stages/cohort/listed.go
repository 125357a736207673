package cohort

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
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
	cells  map[string]string
}

// A list is a table of participants that has been read and selected from.
type list struct {
	*listed
	path  string // of the table
	root  string
	sheet *sheet.Sheet
	rows  []listedRow // sorted by id
	hint  string      // for a participant that comes twice
	each  string      // what a row is: "participant", "run", of which a participant may have several, or "row"
	// the column that names a participant's sessions, where each run is one
	sessions string
	// covariates are columns of the sheet, and their names among the participants; nil: all, as they are
	covariates [][2]string
	notes      []string
	left       []LeftOut
}

// read reads the table, names the participants and selects. All mistakes are
// reported at once, as far as one does not hide the next.
func (p *listed) read(dir string) (*list, error) {
	if p.File == "" {
		return nil, errors.New("file is not set: the table of participants")
	}
	l := &list{listed: p, path: within(dir, p.File), each: "participant", hint: "; if each row is a run: runs: all"}
	if p.all() {
		l.each = "run"
	}
	l.root = filepath.Dir(l.path)
	if err := l.readRows(dir); err != nil {
		return nil, err
	}
	if err := errors.Join(l.exclude(), l.choose()); err != nil {
		return nil, err
	}
	return l, nil
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
	levels, err := l.levels()
	if err := errors.Join(l.column("id", l.ID), l.labeled(), err); err != nil {
		return err
	}
	return l.name(levels)
}

// labeled checks the parameters that say what is predicted: the column of groups, or that of a number.
func (l *list) labeled() error {
	if l.Target == "" {
		return l.column("group", l.Group)
	}
	var problems []error
	if l.Group != defaultListed().Group {
		problems = append(problems, fmt.Errorf("target: group is set to %s too, and a study predicts one of the two: remove one", l.Group))
	}
	if l.Levels != nil {
		problems = append(problems, errors.New("levels: they name groups, and target is a number: remove levels, or set group in place of target"))
	}
	if l.Target == l.ID {
		problems = append(problems, fmt.Errorf("target: %s is the column of the participants' names", l.ID))
	}
	return errors.Join(append(problems, l.column("target", l.Target))...)
}

// labelColumn is the column of what is predicted.
func (p *listed) labelColumn() string { return cmp.Or(p.Target, p.Group) }

// unlabeled says why a row without a label has none. table is that in which it stands, where the message does not begin
// with it.
func (l *list) unlabeled(r listedRow, table string) error {
	at := fmt.Sprintf("column %q", l.labelColumn())
	if table != "" {
		at += " of " + table
		if l.Target != "" {
			at += fmt.Sprintf(", line %d,", r.line)
		}
	}
	switch v := r.cells[l.labelColumn()]; {
	case l.Target == "" && v == "":
		return fmt.Errorf("it has no group (%s is empty)", at)
	case l.Target == "":
		return fmt.Errorf("its group is %s, a code for a missing value (%s: write n/a where a value is missing, or name the value in levels)", v, at)
	case v == "":
		return fmt.Errorf("it has no %s to predict (%s is empty)", l.Target, at)
	case isNumber(v):
		return fmt.Errorf("its %s is %s, a code for a missing value (%s: write n/a where a value is missing)", l.Target, v, at)
	default:
		return fmt.Errorf("its %s is %q, not a number (%s must be a number, such as 30 or 1.5, or n/a)", l.Target, v, at)
	}
}

func isNumber(text string) bool {
	numbers, _ := sheet.Numbers([]string{text})
	return numbers != nil
}

// most is the largest magnitude of a covariate or target: the squares of larger numbers, and their sums, overflow.
const most = 1e100

// clean empties the cells of covariates that hold codes for missing values, and refuses numbers beyond most. The column
// of what is predicted keeps its codes for the message about them.
func (l *list) clean() error {
	var problems []error
	var found []string
	for _, name := range l.sheet.Columns {
		values := make([]string, len(l.rows))
		for i, r := range l.rows {
			values[i] = r.cells[name]
		}
		numbers, _ := sheet.Numbers(values)
		if numbers == nil || name == l.ID {
			continue
		}
		for i, x := range numbers {
			if math.Abs(x) > most {
				problems = append(problems, fmt.Errorf("%s:%d: %s of %s is %s, beyond ±%g: correct it, or write n/a", l.path,
					l.rows[i].line, name, l.rows[i].source, values[i], most))
			}
		}
		if name == l.labelColumn() {
			continue
		}
		codes, n := sheet.Codes(values), 0
		for i, v := range values {
			if codes[v] {
				l.rows[i].cells[name], n = "", n+1
			}
		}
		if n > 0 {
			which := strings.Join(slices.Sorted(maps.Keys(codes)), ", ")
			found = append(found, fmt.Sprintf("%s (%s, in %s)", name, which, words.Count(n, "row")))
		}
	}
	if found != nil {
		l.notes = append(l.notes, "codes for missing values count as missing: "+words.Some(found, 8))
	}
	return errors.Join(problems...)
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

// keep chooses the covariates: COLUMN, or NAME=COLUMN.
func (l *list) keep(columns []string) error {
	var problems []error
	taken := map[string]bool{"participant_id": true, "group": true, column.Target: l.Target != ""}
	for _, entry := range columns {
		name, from, renamed := strings.Cut(entry, "=")
		if name, from = strings.TrimSpace(name), strings.TrimSpace(from); !renamed {
			from = name
		}
		switch {
		case name == "" || from == "":
			problems = append(problems, fmt.Errorf("columns: %q is not of the form COLUMN or NAME=COLUMN, such as site=SITE_ID", entry))
		case taken[name]:
			problems = append(problems, fmt.Errorf("columns: two columns would be named %s", name))
		default:
			problems = append(problems, l.column("columns", from))
		}
		taken[name] = true
		l.covariates = append(l.covariates, [2]string{from, name})
	}
	return errors.Join(problems...)
}

func (p *listed) levels() (map[string]string, error) {
	if len(p.Levels) == 0 {
		return nil, nil
	}
	levels := map[string]string{}
	var problems []error
	for _, entry := range p.Levels {
		value, name, ok := strings.Cut(entry, "=")
		value, name = strings.TrimSpace(value), strings.TrimSpace(name)
		switch _, twice := levels[value]; {
		case !ok || value == "" || name == "":
			problems = append(problems, fmt.Errorf("levels: %q is not of the form VALUE=NAME, such as 1=ASD", entry))
		case twice:
			problems = append(problems, fmt.Errorf("levels: the value %q is named twice", value))
		}
		levels[value] = name
	}
	return levels, errors.Join(problems...)
}

// name gives every row its id and group.
func (l *list) name(levels map[string]string) error {
	var problems []error
	changed := ""
	byID, folded := map[string]listedRow{}, map[string]listedRow{}
	nameless := map[string]int{} // values without a level → rows
	var labels []string
	if at := slices.Index(l.sheet.Columns, l.labelColumn()); at >= 0 && levels == nil {
		for _, cells := range l.sheet.Rows {
			labels = append(labels, cells[at])
		}
	}
	codes := sheet.Codes(labels)
	for i, cells := range l.sheet.Rows {
		r := listedRow{line: l.sheet.Lines[i], cells: map[string]string{}}
		for j, c := range l.sheet.Columns {
			r.cells[c] = cells[j]
		}
		r.source = r.cells[l.ID]
		bad := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("%s:%d: %s", l.path, r.line, fmt.Sprintf(format, args...)))
		}
		if r.source == "" {
			bad("the participant has no name (column %q is empty)", l.ID)
			continue
		}
		if r.id = ParticipantID(r.source); r.id == "sub-" {
			bad("%q has no letter or digit and cannot name a participant: rename it, or set the parameter id to another column", r.source)
			continue
		}
		if at := strings.IndexFunc(r.source, func(c rune) bool { return c > unicode.MaxASCII }); at >= 0 {
			bad("%q has the character %q, but participant names consist of the letters a to z and digits: rename it, or set the parameter id to another column", r.source, []rune(r.source[at:])[0])
			continue
		}
		if other, ok := folded[strings.ToLower(r.id)]; ok && other.id != r.id {
			bad("%q and %q (line %d) differ only in case, and some file systems cannot tell their files apart: rename one of them", r.source, other.source, other.line)
			continue
		}
		folded[strings.ToLower(r.id)] = r
		if r.id != r.source && r.id != "sub-"+r.source && changed == "" {
			changed = fmt.Sprintf("participant names consist of letters and digits only: %s is %s", r.source, r.id)
		}
		other, twice := byID[r.id]
		if twice && other.source == r.source && l.each == "participant" {
			bad("participant %s is already in line %d%s", r.source, other.line, l.hint)
			continue
		} else if twice && other.source != r.source {
			bad("%q and %q (line %d) would both be named %s: rename one of them", r.source, other.source, other.line, r.id)
			continue
		}
		r.label, r.number = r.cells[l.labelColumn()], l.Target != ""
		if levels != nil && r.label != "" {
			group, ok := levels[r.label]
			if !ok {
				nameless[r.label]++
			}
			r.label = group
		}
		if twice && r.label != other.label && r.number {
			bad("participant %s has the %s %q, but %q in line %d", r.source, l.Target, r.label, other.label, other.line)
			continue
		} else if twice && r.label != other.label {
			bad("participant %s is in group %q, but in %q in line %d", r.source, r.label, other.label, other.line)
			continue
		}
		if r.number && twice {
			r.label = other.label
		} else if codes[r.label] || r.number && !isNumber(r.label) {
			r.label = ""
		}
		byID[r.id] = r
		l.rows = append(l.rows, r)
	}
	for _, value := range slices.Sorted(maps.Keys(nameless)) {
		problems = append(problems, fmt.Errorf("levels: %s: %s is %q in %s, but levels has no name for it",
			l.path, l.Group, value, words.Count(nameless[value], "row")))
	}
	if changed != "" {
		l.notes = append(l.notes, changed)
	}
	labeled := func(r listedRow) bool { return r.label != "" }
	if l.Target != "" && problems == nil && !slices.ContainsFunc(l.rows, labeled) {
		problems = append(problems, fmt.Errorf("target: the column %s of %s has no number (line %d: %q); set target to a column of numbers, or group to a column of groups",
			l.Target, l.path, l.sheet.Lines[0], l.rows[0].cells[l.Target]))
	}
	slices.SortStableFunc(l.rows, func(a, b listedRow) int { return strings.Compare(a.id, b.id) })
	return errors.Join(problems...)
}

// exclude takes out the participants that the parameter names, before select counts rows and before files are looked
// for. The exclude beside the kind (package pipelines) is for all kinds, and comes after.
func (l *list) exclude() error {
	var problems []error
	ids := lists.Map(l.rows, func(r listedRow) string { return r.id })
	named, out := Names(ids), map[string]bool{}
	for _, name := range l.Exclude {
		id, err := named.Find(name)
		if err != nil {
			problems = append(problems, fmt.Errorf("exclude: %s: %w", l.path, err))
		}
		out[id] = true
	}
	l.drop("", func(r listedRow) string {
		if out[r.id] {
			return ExcludedByName
		}
		return ""
	})
	if len(l.Exclude) > 0 {
		l.notes = append(l.notes, fmt.Sprintf("excluded by name: %s", strings.Join(l.Exclude, ", ")))
	}
	return errors.Join(problems...)
}

// drop takes out the rows for which there is a reason, of a category.
func (l *list) drop(category string, why func(listedRow) string) {
	l.rows = slices.DeleteFunc(l.rows, func(r listedRow) bool {
		reason := why(r)
		if reason != "" {
			l.left = append(l.left, LeftOut{r.id, reason, category})
		}
		return reason != ""
	})
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
		l.notes = append(l.notes, fmt.Sprintf("%d runs excluded of participants with other runs included", some))
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
		q, err := sheet.ParseQuery(l.Select, columns, func(name string) []string {
			if !slices.Contains(columns, name) {
				return nil
			}
			values := lists.Map(l.rows, func(r listedRow) string { return r.value(name) })
			return values
		})
		if err != nil {
			return fmt.Errorf("select: %w", err)
		}
		why, counts := q.Select(before)
		i := -1
		l.drop("", func(listedRow) string { i++; return why[i] })
		l.notes = append(l.notes, fmt.Sprintf("selected %d of %d %ss", len(l.rows), before, l.each))
		for _, c := range counts {
			if c.No+c.Unknown > 0 {
				l.notes = append(l.notes, fmt.Sprintf("  excluded by %s: %d%s", c.Term, c.No+c.Unknown, lacking(c.Unknown)))
			}
		}
	}
	if len(l.rows) == 0 {
		return fmt.Errorf("%s: all of its %d %ss are excluded: %s", l.path, len(l.sheet.Rows), l.each, strings.Join(append(l.notes, "see select and exclude"), "; "))
	}
	if l.Target != "" {
		return l.doubtTarget()
	}
	return nil
}

// idName are names of columns that number people.
var idName = pattern.New(`(?i)(^|_)(id|ids|sub|subid|subject|participant|index|row|nr|no|number|code)$`)

// doubtTarget refuses a number to predict that is the same for everybody, and notes one that is rather a group or an
// identifier.
func (l *list) doubtTarget() error {
	values := map[float64]bool{}
	n, low, high, whole := 0, math.Inf(1), math.Inf(-1), true
	for _, r := range l.rows {
		if x, _ := sheet.Numbers([]string{r.label}); x != nil {
			n++
			values[x[0]], low, high, whole = true, min(low, x[0]), max(high, x[0]), whole && x[0] == math.Trunc(x[0])
		}
	}
	note := ""
	switch own := whole && n >= 10 && len(values) == n; {
	case n > 1 && len(values) == 1:
		return fmt.Errorf("target: %s is %g for all %s: there is nothing to predict; set target to another column", l.Target, low, words.Count(n, "participant"))
	case len(values) == 2 && n > 2:
		note = fmt.Sprintf("target: %s has two values only (%g, %g): they are groups rather than a number; group: %[1]s compares them", l.Target, low, high)
	case own && high-low == float64(n-1):
		note = fmt.Sprintf("target: the values of %s are the integers from %g to %g, each once: it seems to number the participants", l.Target, low, high)
	case own && idName.MatchString(l.Target):
		note = fmt.Sprintf("target: %s is another integer for each participant, and its name is that of an identifier", l.Target)
	}
	if note != "" {
		l.notes = append(l.notes, note)
	}
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
	switch v, inTable := r.cells[column]; {
	case column == "participant_id" && !inTable:
		return r.id
	case column == "group" && !r.number:
		return r.label
	default:
		return v
	}
}

// participants makes the cohort's table: those who have a group, or a number to predict. The columns that
// held files (used) are left out: no path may enter a result.
func (l *list) participants(used []string) *encoding.Table {
	var rows []listedRow
	differ := map[string]bool{} // columns that are of runs, and not of participants
	for _, r := range l.rows {
		switch n := len(rows); {
		case r.label == "":
		case n > 0 && rows[n-1].id == r.id:
			for name, v := range r.cells {
				differ[name] = differ[name] || v != rows[n-1].cells[name]
			}
		default:
			rows = append(rows, r)
		}
	}
	ids, labels, sources := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	renamed := false
	for i, r := range rows {
		ids[i], labels[i], sources[i] = r.id, r.label, r.source
		renamed = renamed || r.id != r.source
	}
	label := encoding.Column{Name: "group", Values: labels, Doc: "column " + l.labelColumn() + " of the participants' table"}
	if l.Target != "" {
		numbers, _ := sheet.Numbers(labels)
		label.Name, label.Values = column.Target, numbers
	}
	columns := []encoding.Column{{Name: "participant_id", Values: ids}, label}
	if renamed {
		name := l.ID
		if name == "participant_id" || name == "group" || name == column.Target {
			name = "source_id"
		}
		columns = append(columns, encoding.Column{Name: name, Values: sources, Doc: "name in the participants table"})
	}
	taken := map[string]bool{}
	for _, c := range columns {
		taken[c.Name] = true
	}
	kept := l.covariates
	if kept == nil {
		for _, name := range l.sheet.Columns {
			kept = append(kept, [2]string{name, name})
		}
	}
	for _, c := range kept {
		from, name := c[0], c[1]
		if from == l.ID || from == l.labelColumn() || slices.Contains(used, from) || differ[from] {
			continue
		}
		values := lists.Map(rows, func(r listedRow) string { return r.cells[from] })
		if slices.ContainsFunc(values, isPlace) {
			l.notes = append(l.notes, fmt.Sprintf("the column %s of the participants table holds paths and is not a covariate", name))
			continue
		}
		for taken[name] {
			name += "_in_table"
		}
		taken[name] = true
		columns = append(columns, covariate(name, values))
		if note := oddTexts(name, values, ids); note != "" {
			l.notes = append(l.notes, note)
		}
	}
	t := encoding.NewTable(columns...)
	if l.Target != "" {
		t.Meta = map[string]string{column.Target: l.Target}
	}
	return t
}

// oddTexts names the few texts that make a column of numbers one of texts; "" where there is nothing to say. ids are
// the names of the rows. Digits after a zero (007) are a name, and so are the numbers beside it.
func oddTexts(name string, values, ids []string) string {
	var odd []string
	numbers := 0
	for i, v := range values {
		switch _, notAt := sheet.Numbers([]string{v}); {
		case v == "":
		case notAt != 0:
			numbers++
		case strings.Trim(v, "0123456789") == "":
			return ""
		default:
			odd = append(odd, fmt.Sprintf("%q of %s", v, ids[i]))
		}
	}
	if len(odd) == 0 || numbers <= len(odd) {
		return ""
	}
	return fmt.Sprintf("column %s: %s and %s (%s): taken as text, so no value counts as a number; write n/a where a value is missing, and numbers as 30 or 1.5",
		name, words.Count(numbers, "number"), words.Count(len(odd), "text"), words.Some(odd, 4))
}

// covariate makes a column of numbers, if all values are, or of texts.
func covariate(name string, values []string) encoding.Column {
	valid, all := make([]bool, len(values)), true
	for i, v := range values {
		valid[i] = v != ""
		all = all && valid[i]
	}
	if all {
		valid = nil
	}
	numbers, _ := sheet.Numbers(values)
	if numbers == nil {
		return encoding.Column{Name: name, Values: values, Valid: valid}
	}
	for i := range valid {
		if !valid[i] {
			numbers[i] = 0
		}
	}
	return encoding.Column{Name: name, Values: numbers, Valid: valid}
}
