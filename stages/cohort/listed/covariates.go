package listed

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// Keep chooses the covariates: COLUMN, or NAME=COLUMN.
func (l *List) Keep(columns []string) error {
	var problems []error
	seen := map[string]bool{}
	taken := map[string]bool{"participant_id": true, "group": true, column.Target: l.Target != ""}
	for _, entry := range columns {
		name, from, renamed := strings.Cut(entry, "=")
		if name, from = strings.TrimSpace(name), strings.TrimSpace(from); !renamed {
			from = name
		}
		switch {
		case name == "" || from == "":
			problems = append(problems, fmt.Errorf("columns: %q is not of the form COLUMN or NAME=COLUMN, such as site=SITE_ID", entry))
		case name == "group" && l.Target != "":
			problems = append(problems, fmt.Errorf("columns: group is the name of groups to predict, but target is set: keep the "+
				"column under another name, such as columns: [diagnosis=%s]", from))
		case name == column.Target && l.Target != "":
			problems = append(problems, fmt.Errorf("columns: target is the name of the number to predict, %s, of which a cohort "+
				"has one: keep the column under another name, such as columns: [score=%s]", l.Target, from))
		case name == "group" && !seen[name]:
			problems = append(problems, fmt.Errorf("columns: two columns would be named group: that of the groups to predict, %s, "+
				"and %s: keep it under another name, such as columns: [diagnosis=%[2]s]", l.Group, from))
		case taken[name]:
			problems = append(problems, fmt.Errorf("columns: two columns would be named %s", name))
		default:
			problems = append(problems, l.CheckColumn("columns", from))
		}
		taken[name], seen[name] = true, true
		l.covariates = append(l.covariates, [2]string{from, name})
	}
	return errors.Join(problems...)
}

// Participants makes the cohort's table: those who have a group, or a number to predict. The columns that
// held files (used) are left out: no path may enter a result.
func (l *List) Participants(used []string) *encoding.Table {
	rows, differ := l.merged()
	ids, labels, sources := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	renamed := false
	for i, r := range rows {
		ids[i], labels[i], sources[i] = r.ID, r.Label, r.Source
		renamed = renamed || r.ID != r.Source
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
	taken := lists.SetOf(columns, func(c encoding.Column) string { return c.Name })
	kept := l.covariates
	if kept == nil {
		for _, name := range l.Sheet.Columns {
			kept = append(kept, [2]string{name, name})
		}
	}
	if l.covariates != nil {
		kept = append(slices.Clip(kept), l.guards(rows, ids, used)...)
	}
	var ofRuns []string
	l.OfRuns, l.Refused = slices.Clip(l.OfSessions), map[string]error{}
	if l.covariates == nil {
		kept = slices.DeleteFunc(kept, func(c [2]string) bool {
			number := c[0] != l.ID && c[0] != l.labelColumn() && l.numbersRows(c[0])
			if number {
				l.Notes = append(l.Notes, column.Notef("the column %q of the participants table numbers its rows and is not a covariate", c[0]))
			}
			return number
		})
	}
	for _, c := range kept {
		from, name := c[0], c[1]
		if from == l.ID || from == l.labelColumn() || slices.Contains(used, from) {
			continue
		}
		switch d := differ[from]; {
		case d == nil:
		case column.NamesFamily(from):
			for id, who := range d.Who {
				l.Refused[id] = errors.Join(l.Refused[id], SeveralFamilies(from, who))
			}
		default:
			if from != "run" && from != "session" {
				d.Name, ofRuns = name, append(ofRuns, from)
				l.OfRuns = append(l.OfRuns, *d)
			}
			continue
		}
		values := lists.Map(rows, func(r Row) string { return r.Cells.Get(from) })
		if slices.ContainsFunc(values, userfile.IsPlace) {
			l.Notes = append(l.Notes, column.Notef("the column %s of the participants table holds paths and is not a covariate", name))
			continue
		}
		for taken[name] {
			name += "_in_table"
		}
		taken[name] = true
		l.Notes = append(l.Notes, sameNumbers(name, values)...)
		columns = append(columns, l.covariate(from, name, values))
		l.Notes = append(l.Notes, DoubtTexts(name, values, ids)...)
	}
	if c := l.sessionsOf(ids); c != nil {
		for taken[c.Name] {
			c.Name += "_in_table"
		}
		columns = append(columns, *c)
	}
	if ofRuns != nil {
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtOfRuns, "noted.differ-between-runs", column.Values{
			"Part": l.part(), "Columns": ofRuns, "Motion": slices.Contains(ofRuns, "mean_fd")}))
	}
	l.doubtSites()
	t := encoding.NewTable(columns...)
	l.noteMerged(t)
	l.noteCodesBySite(t)
	if l.Target != "" || l.labelColumn() != "group" {
		t.Meta = map[string]string{label.Name: l.labelColumn()}
	}
	if missing := l.missingGroups(); missing != nil {
		t.Meta = maps.Clone(t.Meta)
		if t.Meta == nil {
			t.Meta = map[string]string{}
		}
		t.Meta[column.MissingGroups] = column.JSON(missing)
	}
	return t
}

// missingGroups are the texts that were read as missing groups, where only one group is left: "NA (20 rows)".
func (l *List) missingGroups() (texts []string) {
	if l.Target != "" {
		return nil
	}
	groups, absent := map[string]bool{}, l.Sheet.Absent(l.Group)
	for _, r := range l.Rows {
		if text := r.Cells.Get(l.Group); r.Label != "" {
			groups[r.Label] = true
		} else if text != "" {
			if absent == nil {
				absent = map[string]int{}
			}
			absent[text]++
		}
	}
	if len(groups) != 1 {
		return nil
	}
	for _, text := range slices.Sorted(maps.Keys(absent)) {
		texts = append(texts, fmt.Sprintf("%s (%s)", text, words.Count(absent[text], "row")))
	}
	return texts
}

// sameNumbers writes whole numbers of a column that has texts, too, without decimals where the column has them in both
// ways: 1.0 is 1. A column of numbers has their values.
func sameNumbers(name string, values []string) (notes []column.Note) {
	if numbers, _ := sheet.Numbers(values); numbers != nil {
		return nil
	}
	known := lists.SetOf(values, strings.TrimSpace)
	for i, v := range values {
		written := strings.TrimSpace(v)
		digits, ok := cell.Whole(written)
		if !ok || digits == written || !known[digits] {
			continue
		}
		values[i] = digits
		if n := column.Notef("column %s: %s is read as %s, the same number", name, written, digits); !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	return notes
}

// merged are the participants who have a group, or a number to predict: of several rows the first one, whose empty
// cells have what the other rows have. Columns that differ between the rows of a participant are listed by name.
func (l *List) merged() (rows []Row, differ map[string]*Differing) {
	var people [][]Row
	for _, r := range l.Rows {
		switch n := len(people); {
		case r.Label == "":
		case n > 0 && people[n-1][0].ID == r.ID:
			people[n-1] = append(people[n-1], r)
		default:
			people = append(people, []Row{r})
		}
	}
	for _, of := range people {
		first := of[0]
		if len(of) > 1 {
			first.Cells.values = slices.Clone(first.Cells.values)
		}
		rows = append(rows, first)
	}
	differ = map[string]*Differing{}
	if len(rows) == 0 || l.Each != "run" {
		return rows, differ
	}
	for name := range rows[0].Cells.at {
		differs := false
		for i, of := range people {
			for _, r := range of[1:] {
				own, other := rows[i].Cells.Get(name), r.Cells.Get(name)
				if own == "" && other != "" {
					rows[i].Cells.Set(name, other)
				}
				differs = differs || own != "" && other != "" && own != other
			}
		}
		if differs {
			differ[name] = Differ(name, l.cells(people, name))
		}
	}
	return rows, differ
}

// cells are the values of a column in the runs or sessions of participants.
func (l *List) cells(people [][]Row, name string) (cells []Cell) {
	for _, of := range people {
		for k, r := range of {
			part := fmt.Sprint(k + 1)
			if l.Sessions != "" {
				part = SessionName(r.Cells.Get(l.Sessions))
			}
			at := fmt.Sprintf("%s:%d", filepath.Base(l.Path), r.Line)
			cells = append(cells, Cell{r.ID, part, r.Cells.Get(name), at})
		}
	}
	return cells
}

// A Cell is the value of a participant in a run or session, and its file and line.
type Cell struct{ ID, Part, Value, At string }

// A Differing is a column that differs between the runs or sessions of participants.
type Differing struct {
	Name string
	Of   map[string]map[string]string // participant → run or session → value
	// Who are the participants in whom it differs, with their values and the lines of these.
	Who map[string]string
	// Between is true where it also differs between participants: it is not one value for each run or session of all.
	Between bool
}

// Differ compares the values of a column in the runs or sessions of each participant; nil where none differ. Empty
// cells do not count.
func Differ(name string, cells []Cell) *Differing {
	d := &Differing{Name: name, Of: map[string]map[string]string{}, Who: map[string]string{}}
	first, of := map[string]string{}, map[string]string{} // by participant, and by run or session
	at := map[string][]string{}
	for _, c := range cells {
		if c.Value == "" {
			continue
		}
		if d.Of[c.ID] == nil {
			d.Of[c.ID], first[c.ID] = map[string]string{}, c.Value
		}
		d.Of[c.ID][c.Part] = c.Value
		at[c.ID] = append(at[c.ID], fmt.Sprintf("%s in %s", c.Value, c.At))
		if first[c.ID] != c.Value {
			d.Who[c.ID] = ""
		}
		if v, there := of[c.Part]; there && v != c.Value {
			d.Between = true
		}
		of[c.Part] = c.Value
	}
	if len(d.Who) == 0 {
		return nil
	}
	for id := range d.Who {
		d.Who[id] = words.Some(at[id], 4)
	}
	return d
}

// WhoText lists the participants in whom a column differs.
func (d *Differing) WhoText() string {
	ids := slices.SortedFunc(maps.Keys(d.Who), dag.CompareValues)
	return words.Some(lists.Map(ids, func(id string) string { return fmt.Sprintf("%s (%s)", id, d.Who[id]) }), 3)
}

// Sites reports whether the column is one of sites: by its name, and few values.
func (d *Differing) Sites() bool {
	values := map[string]bool{}
	for _, of := range d.Of {
		for _, v := range of {
			values[v] = true
		}
	}
	return column.NamesSite(d.Name) && 2*len(values) <= len(d.Of)
}

// doubtSites notes columns of sites that are no covariates because participants have several.
func (l *List) doubtSites() {
	for _, d := range l.OfRuns {
		if d.Sites() && d.Between {
			ids := slices.SortedFunc(maps.Keys(d.Who), dag.CompareValues)
			l.Notes = append(l.Notes, column.Doubtful(column.DoubtSite, "noted.several-sites", column.Values{"Column": d.Name,
				"Participants": lists.Map(ids, func(id string) column.Values {
					return column.Values{"Who": id, "X": d.Who[id]}
				})}))
		}
	}
}

// SeveralFamilies is why a participant is refused whose rows have several families.
func SeveralFamilies(name, who string) error {
	return fmt.Errorf("column %s: several families: %s: a participant belongs to one; correct the table", name, who)
}

// sessionsOf is the covariate of which sessions each participant has; nil where all have the same ones.
func (l *List) sessionsOf(ids []string) *encoding.Column {
	if l.Sessions == "" {
		return nil
	}
	of := map[string][]string{}
	for _, r := range l.Rows {
		of[r.ID] = append(of[r.ID], SessionName(r.Cells.Get(l.Sessions)))
	}
	values := lists.Map(ids, func(id string) string {
		slices.SortFunc(of[id], dag.CompareValues)
		return strings.Join(slices.Compact(of[id]), " and ")
	})
	if !slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
		return nil
	}
	return &encoding.Column{Name: l.Sessions, Values: values, Doc: "the sessions that the participant has"}
}

// SessionName is a session as the cell of a table has it, without ses- and the decimals of pandas.
func SessionName(value string) string {
	name, _ := cell.Whole(strings.TrimPrefix(value, "ses-"))
	return name
}

// covariate makes a column of numbers or texts. Numbers of which the JSON file beside the table states a meaning each
// are categories; others that may be get a caution.
func (l *List) covariate(from, name string, values []string) encoding.Column {
	c := Covariate(name, values)
	numbers, isNumbers := c.Values.([]float64)
	times := map[string]int{}
	for _, v := range values {
		if v != "" {
			times[plainNumber(v)]++
		}
	}
	codes := slices.SortedFunc(maps.Keys(times), dag.CompareValues)
	meant := l.coded[from]
	switch {
	case !isNumbers || len(codes) < 2 || column.NamesSite(name) || column.NamesFamily(name) || column.NamesPerson(name):
	case !slices.ContainsFunc(codes, func(v string) bool { return meant[v] == "" }):
		c.Values = lists.Map(values, func(v string) string {
			if v == "" {
				return v
			}
			return plainNumber(v)
		})
		l.Notes = append(l.Notes, column.Notef("column %s: its numbers are categories, according to Levels in the JSON file beside the table: %s",
			name, words.Some(entries(meant, codes...), 6)))
	case len(codes) > 2 && len(codes) <= mostCodes && column.NamesCategory(name) &&
		!slices.ContainsFunc(numbers, func(x float64) bool { return x != math.Trunc(x) }):
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtValues, "noted.codes-as-numbers",
			column.Values{"Column": name, "Codes": codes}))
	}
	return c
}

// mostCodes is how many numbers a column of categories has at most, where its name alone shows what it is.
const mostCodes = 5

// noteMerged notes pairs of columns that a merge of two tables left and that differ.
func (l *List) noteMerged(t *encoding.Table) {
	names := lists.Map(t.Columns, func(c encoding.Column) string { return c.Name })
	for _, pair := range column.MergedPairs(names) {
		x, err := t.Strings(pair[0])
		y, other := t.Strings(pair[1])
		ids, none := t.Strings("participant_id")
		if err != nil || other != nil || none != nil {
			continue
		}
		var apart []column.Values
		alike, base := 0, pair[0][:strings.LastIndexAny(pair[0], "_.")]
		for i := range x {
			switch {
			case cell.Missing(x[i]) || cell.Missing(y[i]):
			case plainNumber(x[i]) == plainNumber(y[i]):
				alike++
			default:
				apart = append(apart, column.Values{"Who": ids[i], "First": x[i], "Second": y[i]})
			}
		}
		known := column.NamesMeasure(base) || column.NamesCategory(base) || column.NamesSite(base)
		if apart != nil && (known || alike >= len(apart)) { // else coordinates along x and y
			l.Notes = append(l.Notes, column.Doubtful(column.DoubtValues, "noted.merged",
				column.Values{"First": pair[0], "Second": pair[1], "Participants": apart}))
		}
	}
}

// noteCodesBySite notes columns of categories, such as sex, in which the sites have two codes each, but not the same
// two: one number may have two meanings.
func (l *List) noteCodesBySite(t *encoding.Table) {
	site := slices.IndexFunc(t.Columns, func(c encoding.Column) bool { return column.NamesSite(c.Name) })
	if site < 0 {
		return
	}
	sites, err := t.Strings(t.Columns[site].Name)
	if err != nil {
		return
	}
	for _, c := range t.Columns {
		numbers, err := t.Floats(c.Name) // NaN for a missing value
		if err != nil || !column.NamesCategory(c.Name) {
			continue
		}
		of := map[string][]float64{}
		for i, x := range numbers {
			if at := sites[i]; at != "" && !math.IsNaN(x) && !slices.Contains(of[at], x) {
				of[at] = append(of[at], x)
			}
		}
		with := map[string][]string{} // sites by their codes
		two := true
		for _, at := range slices.SortedFunc(maps.Keys(of), dag.CompareValues) {
			slices.Sort(of[at])
			texts := lists.Map(of[at], func(x float64) string { return fmt.Sprint(x) })
			codes := strings.Join(texts, " and ")
			with[codes] = append(with[codes], at)
			two = two && len(of[at]) <= 2
		}
		var pairs []column.Values
		for _, codes := range slices.Sorted(maps.Keys(with)) {
			if strings.Contains(codes, " and ") {
				pairs = append(pairs, column.Values{"Codes": codes, "Sites": with[codes]})
			}
		}
		if two && len(pairs) > 1 {
			l.Notes = append(l.Notes, column.Doubtful(column.DoubtValues, "noted.codes-by-site",
				column.Values{"Column": c.Name, "Pairs": pairs}))
		}
	}
}

// rowName are names of columns that number the rows of a table, as pandas and R write them; unnamed those without one.
var (
	unnamed = pattern.New(`(?i)^(unnamed([:._ ]*\d+)?(_level_\d+)?|column_?1|x|v1|\.\.\.1)?$`)
	rowName = pattern.New(`(?i)^(level_0|rownames?|(row|line)?_?(index|idx)|row|(row|line)[_ ]?(nr|no|num|number|id))$`)
)

// numbersRows reports whether a column has the numbers of the rows: all from 0 or from 1, each once, in a column that
// is named so, or that has no name and is the first.
func (l *List) numbersRows(name string) bool {
	first := len(l.Sheet.Columns) > 0 && l.Sheet.Columns[0] == name && unnamed.MatchString(name)
	named := rowName.MatchString(name) || strings.HasPrefix(strings.ToLower(name), "unnamed")
	if !first && !named || len(l.Sheet.Rows) < 2 ||
		slices.Index(l.Sheet.Columns, name) >= len(l.Sheet.Rows[0]) { // a column that the cohort adds
		return false
	}
	values, _ := l.Sheet.Column(name)
	numbers, _ := sheet.Numbers(values)
	slices.Sort(numbers)
	for i, x := range numbers {
		if x != numbers[0]+float64(i) {
			return false
		}
	}
	return numbers != nil && !slices.Contains(values, "") && (numbers[0] == 0 || numbers[0] == 1)
}

// guards are the columns that checks use by default and that the parameter columns does not list: without them labels
// would be permuted across sites, and the cautions of relatives and of motion would be missing.
func (l *List) guards(rows []Row, ids, used []string) (kept [][2]string) {
	listed := func(name string) bool {
		return slices.ContainsFunc(l.covariates, func(c [2]string) bool { return c[0] == name || c[1] == name })
	}
	for _, name := range l.Sheet.Columns {
		if name == l.ID || name == l.labelColumn() || name == "participant_id" || name == "group" || listed(name) ||
			slices.Contains(used, name) {
			continue
		}
		values := lists.Map(rows, func(r Row) string { return r.Cells.Get(name) })
		t := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids}, Covariate(name, values))
		site := column.NamesSite(name) && !listed("site") && column.HasCategories(t, name)
		if name == "mean_fd" || site || column.DoubtRelatives(t, nil) != nil {
			kept = append(kept, [2]string{name, name})
		}
	}
	if kept != nil {
		l.Notes = append(l.Notes, column.Notef("columns: also kept, for the checks of sites, relatives and motion: %s",
			words.Some(lists.Map(kept, func(c [2]string) string { return c[0] }), 8)))
	}
	return kept
}

// DoubtTexts notes what is odd about the values of a column: texts among its numbers, and categories that may be one in
// several ways. Columns of sites, families and persons have notes of their own. ids are the names of the rows.
func DoubtTexts(name string, values, ids []string) (notes []column.Note) {
	if column.CodesBesideWords(values) == nil {
		notes = oddTexts(name, values, ids)
	}
	if column.NamesSite(name) || column.NamesFamily(name) || column.NamesPerson(name) {
		return notes
	}
	spelled, n := map[string]bool{}, 0
	for _, v := range values {
		if v != "" {
			spelled[column.Spelling(v)], n = true, n+1
		}
	}
	few := 2*len(spelled) <= n || column.Synonyms(values) != nil || column.CodesBesideWords(values) != nil
	if numbers, _ := sheet.Numbers(values); numbers != nil || !few {
		return notes
	}
	return append(notes, column.DoubtTwins(name, values)...)
}

// oddTexts notes the few texts that make a column of numbers one of texts. ids are
// the names of the rows. Digits after a zero (007) are a name, and so are the numbers beside it.
func oddTexts(name string, values, ids []string) []column.Note {
	var odd, commas, long []column.Values
	numbers := 0
	for i, v := range values {
		switch _, notAt := sheet.Numbers([]string{v}); {
		case v == "":
		case notAt != 0:
			numbers++
		case sheet.Long(v):
			long = append(long, column.Values{"Text": v, "Who": ids[i]})
		case strings.Trim(v, "0123456789") == "":
			return nil
		case decimal.MatchString(v): // the column holds decimal commas, and texts beside them
			commas = append(commas, column.Values{"Text": v, "Who": ids[i]})
		default:
			odd = append(odd, column.Values{"Text": v, "Who": ids[i]})
		}
	}
	if odd == nil {
		odd = commas
	} else {
		numbers += len(commas)
	}
	doubt, why := column.DoubtTexts, "few"
	switch {
	case long != nil:
		if odd, why = long, "long"; numbers <= len(long) && !column.NamesMeasure(name) {
			doubt = ""
		}
	case column.Days(values) != nil:
		return nil
	case len(odd) > 0 && numbers == 0 && column.NamesMeasure(name):
		why = "all"
	case len(odd) > 0 && numbers <= len(odd) && quantities(values):
		why = "quantities"
	case len(odd) == 0 || numbers <= len(odd) && !column.NamesMeasure(name):
		return nil
	}
	return []column.Note{column.Doubtful(doubt, "noted.taken-as-text",
		column.Values{"Column": name, "Why": why, "Numbers": numbers, "Texts": odd})}
}

// quantities reports whether values that mostly differ are numbers, alone or with a sign, a unit or separated
// thousands, or dates or times.
func quantities(values []string) bool {
	distinct, n := map[string]bool{}, 0
	for _, v := range values {
		if v == "" {
			continue
		}
		if n++; !quantity.MatchString(v) {
			return false
		}
		distinct[v] = true
	}
	return len(distinct) >= 5 && 2*len(distinct) > n
}

// quantity has a number of digits and signs, between marks or before a unit; dates and times.
var quantity = pattern.New(`^([<>≤≥~≈]?\s*[-+−–]?\d+([.,]\d+)?\s*(%|years?|yrs?|y|months?|mo|weeks?|days?|d|h|min|sec|ms|s|mm|cm|mg|kg|lbs?)?\.?` +
	`|\([-+−–]?\d+([.,]\d+)?\)|[-+−–]?\d{1,3}(['’_,.\x{a0}\x{202f} ]\d{3})+([.,]\d+)?` +
	`|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}(:\d{2})?)$`)

// decimal is a number with a decimal comma.
var decimal = pattern.New(`^[+-]?\d+,\d+$`)

// Covariate makes a column of numbers, if all values are, or of texts.
func Covariate(name string, values []string) encoding.Column {
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
