package listed

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// labeled checks the parameters that say what is predicted: the column of groups, or that of a number.
func (l *List) labeled() error {
	if l.Target == "" {
		return l.CheckColumn("group", l.Group)
	}
	var problems []error
	if l.Group != "" && l.Group != Defaults().Group {
		problems = append(problems, fmt.Errorf("target: group is set to %q too, and a study predicts one of the two: remove "+
			"one (group: \"\" removes that of an extended file)", l.Group))
	}
	if l.Levels != nil {
		problems = append(problems, errors.New("levels: they name groups, and target is a number: remove levels, or set group in place of target"))
	}
	if l.Target == l.ID {
		problems = append(problems, fmt.Errorf("target: %s is the column of the participants' names", l.ID))
	}
	return errors.Join(append(problems, l.CheckColumn("target", l.Target))...)
}

// labelColumn is the column of what is predicted.
func (p *Parameters) labelColumn() string { return cmp.Or(p.Target, p.Group) }

// Unlabeled says why a row without a label has none. table is that in which it stands, where the message does not begin
// with it.
func (l *List) Unlabeled(r Row, table string) error {
	at := fmt.Sprintf("column %q", l.labelColumn())
	if table != "" {
		at += " of " + table
		if l.Target != "" {
			at += fmt.Sprintf(", line %d", r.Line)
		}
	}
	switch v := r.Cells.Get(l.labelColumn()); {
	case l.Target == "" && v == "":
		return fmt.Errorf("it has no group (%s is empty)", at)
	case l.Target == "" && (cell.DoubtOf(v) == cell.Word || cell.DoubtOf(v) == cell.Zero):
		return fmt.Errorf("its group is %q, which may be a missing value or a group (%s: write n/a where a value is missing, or name it%s)", v, at, l.allLevels(nil, v))
	case l.Target == "":
		return fmt.Errorf("its group is %s, a code for a missing value (%s: write n/a where a value is missing, leave it out by select%s, or, if it is a group, name it in levels)",
			v, at, l.without(v))
	case v == "":
		return fmt.Errorf("it has no %s to predict (%s is empty)", l.Target, at)
	case isNumber(v):
		return fmt.Errorf("its %s is %s, a code for a missing value (%s: write n/a where a value is missing)", l.Target, v, at)
	default:
		return fmt.Errorf("its %s is %q, not a number (%s must be a number, such as 30 or 1.5, or n/a)", l.Target, v, at)
	}
}

// fewGroups is how many groups are believed where their names are numbers.
const fewGroups = 20

// manyGroups refuses a column of so many values that it is rather a number to predict.
func (l *List) manyGroups(n int, what string) error {
	if n <= fewGroups {
		return nil
	}
	return fmt.Errorf("group: %s of %s has %d values that %s, and a classification needs a few groups; target: %[1]s (in place of group) predicts a number", l.Group, l.Path, n, what)
}

func isNumber(text string) bool {
	numbers, _ := sheet.Numbers([]string{text})
	return numbers != nil
}

// doubtGroups names groups that no comparison is possible between, or that are one by mistake.
func (l *List) doubtGroups() (notes []column.Note) {
	size, lines := map[string]int{}, map[string][]string{}
	for i, r := range l.Rows {
		if r.Label != "" && (i == 0 || l.Rows[i-1].ID != r.ID) {
			size[r.Label]++
			lines[r.Label] = append(lines[r.Label], strconv.Itoa(r.Line))
		}
	}
	groups := slices.Sorted(maps.Keys(size))
	if l.Group == "DX_GROUP" && l.Levels == nil && slices.Equal(groups, []string{"1", "2"}) {
		notes = append(notes, column.Notef("the groups are named 1 and 2; in tables of ABIDE DX_GROUP is 1 for autism and 2 for controls (SEX is 1 for male, 2 for female): levels: [1=ASD, 2=TD] names them"))
	}
	one := map[string]string{} // groups that are another one by mistake, and that one
	var doubts []column.Note   // begun
	for i, g := range groups {
		for _, to := range groups[:i] {
			from := g
			if size[from] > size[to] || size[from] == size[to] && column.Shown(to) != to {
				from, to = to, from
			}
			doubt := alike(from, to, size)
			how := column.Differ[doubt]
			if doubt == "" && len(groups) > 2 && l.Levels == nil && !isNumber(from) && !isNumber(to) &&
				column.IsControl(from) && column.IsControl(to) {
				doubt, how = column.DoubtAlike, "both have the name of a control group"
			}
			if doubt == "" || one[from] != "" {
				continue
			}
			one[from] = to
			doubts = append(doubts, column.Doubtf(doubt, "the groups %s (%s%s) and %s (%d) %s", column.Shown(from),
				words.Count(size[from], "participant"), inLines(lines[from]), column.Shown(to), size[to], how))
		}
	}
	for _, d := range doubts {
		notes = append(notes, column.Doubtf(d.Doubt, "%s: if they are one, give them one name%s", d.Text, l.allLevels(one)))
	}
	if notes == nil && l.Levels == nil { // no name was doubted, and none was given
		if notes = l.rareGroups(size); notes != nil {
			return notes
		}
	}
	var alone []string
	for _, g := range groups {
		if size[g] == 1 && one[g] == "" {
			alone = append(alone, g+" (line "+lines[g][0]+")")
		}
	}
	if 0 < len(alone) && len(alone) < len(groups)-1 && len(groups) <= fewGroups {
		notes = append(notes, column.Notef("groups of one participant: %s; all groups: %s", strings.Join(alone, ", "),
			strings.Join(lists.Map(groups, func(g string) string { return fmt.Sprintf("%s (%d)", g, size[g]) }), ", ")))
	}
	word := func(g string) bool { return !isNumber(g) }
	if len(groups) > 2 && len(groups) <= fewGroups && l.Levels == nil && !slices.ContainsFunc(groups, word) {
		name := map[string]string{}
		for _, g := range groups {
			name[g] = "NAME"
		}
		notes = append(notes, column.Notef("the %d groups are numbers (%s): if two are one group, or one is a code for a missing value, name them or leave them out%s",
			len(groups), strings.Join(lists.Map(groups, func(g string) string {
				return fmt.Sprintf("%s: %s", g, words.Count(size[g], "participant"))
			}), ", "), l.allLevels(name)))
	}
	if len(groups) == 1 {
		notes = append(notes, column.Notef("every participant is in the group %s, so groups cannot be compared", groups[0]))
	}
	return notes
}

// doubtLabel notes a column whose name is another spelling of that of what is predicted, with other values.
func (l *List) doubtLabel() {
	for _, name := range l.Sheet.Columns {
		if name == l.labelColumn() || column.Twins(name, l.labelColumn()) == "" {
			continue
		}
		var apart []string
		for _, r := range l.Rows {
			used, other := r.Cells.Get(l.labelColumn()), r.Cells.Get(name)
			if used != other && other != "" && !cell.Missing(other) {
				apart = append(apart, fmt.Sprintf("%s: %s and %s", r.ID, used, other))
			}
		}
		if apart != nil {
			l.Notes = append(l.Notes, column.Doubtf(column.DoubtAlike, "the columns %s, which is predicted, and %s differ in %s (%s): remove the wrong one, or rename it",
				l.labelColumn(), name, words.Count(len(apart), "row"), words.Some(apart, 3)))
		}
	}
}

// refuseSynonyms refuses groups that are written in several ways, 1 and TRUE; groups that levels names so are a note.
func (l *List) refuseSynonyms() error {
	labels, rows := make([]string, len(l.Rows)), l.Rows
	for i, r := range rows {
		labels[i] = r.Label
	}
	texts, one := synonyms(labels, rows)
	if mixed := column.CodesBesideWords(labels); mixed != nil && l.Levels == nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtAlike, "groups may be one: %s: if they are, give them one name%s",
			mixed[0], l.allLevels(nil)))
	}
	switch {
	case texts == nil:
	case l.Levels == nil:
		return fmt.Errorf("group: column %s of %s has one group in several ways: %s; give each one name%s", l.Group, l.Path,
			strings.Join(texts, "; "), l.allLevels(one))
	default:
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtAlike, "groups may be one: %s: if they are, give them one name%s",
			strings.Join(texts, "; "), l.allLevels(one)))
	}
	return nil
}

// synonyms describes the values that stand for one thing in several ways, with their rows. one has the most frequent
// one in place of the others.
func synonyms(values []string, rows []Row) (texts []string, one map[string]string) {
	one = map[string]string{}
	for _, group := range column.Synonyms(values) {
		most := slices.MaxFunc(group, func(a, b string) int { return cmp.Compare(count(values, a), count(values, b)) })
		var ways []string
		for _, v := range group {
			var lines []string
			for i := range rows {
				if values[i] == v {
					lines = append(lines, strconv.Itoa(rows[i].Line))
				}
			}
			if ways = append(ways, fmt.Sprintf("%s (%s, first in line %s)", column.Shown(v), words.Count(len(lines), "row"),
				lines[0])); v != most {
				one[v] = most
			}
		}
		texts = append(texts, strings.Join(ways, " and "))
	}
	return texts, one
}

// rareGroups doubts a third group, and further ones, with fewer than a tenth of the participants of the next larger
// one: controls, of whom a few are called otherwise, are rather one group than two.
func (l *List) rareGroups(size map[string]int) (notes []column.Note) {
	groups := slices.SortedFunc(maps.Keys(size), func(a, b string) int {
		return cmp.Or(size[b]-size[a], strings.Compare(a, b))
	})
	for i := 2; i < len(groups); i++ {
		if 10*size[groups[i]] >= size[groups[i-1]] {
			continue
		}
		others := map[string]string{}
		for _, g := range groups[i:] {
			others[g] = "GROUP"
		}
		for _, g := range groups[i:] {
			without := l.without(g)
			if without != "" {
				without = "; select" + without + " leaves it out"
			}
			notes = append(notes, column.Doubtf(column.DoubtRareGroup, "the group %s is very rare (%s, and %s has %d), and the study has %d groups: if it is one of the others by another name, put that for GROUP%s%s",
				g, words.Count(size[g], "participant"), groups[i-1], size[groups[i-1]], len(groups),
				l.allLevels(others), without))
		}
		break
	}
	return notes
}

// without is the expression of select, after its name, that leaves out the rows with a value of the column of groups;
// ""
// where there is none.
func (l *List) without(value string) string {
	switch e := sheet.Unequal(l.Group, value); {
	case e == "":
		return ""
	case strings.HasPrefix(e, "`") || strings.Contains(e, ": ") || strings.Contains(e, " #"):
		return ": '" + strings.ReplaceAll(e, "'", "''") + "'"
	default:
		return ": " + e
	}
}

// rareGroup is how many times as many participants a group has than one that is taken for a slip of its name.
const rareGroup = 8

// alike is the doubt about a group that may be a larger one by a slip: its name is another spelling, or differs in a
// letter where it is rare; "" where it is not.
func alike(from, to string, size map[string]int) string {
	switch doubt := column.Twins(from, to); {
	case doubt != "":
		return doubt
	case isNumber(from) || isNumber(to):
		return ""
	case rareGroup*size[from] <= size[to] && column.Slip(from, to):
		return column.DoubtAlike
	}
	return ""
}

// inLines names the lines of a few rows: ", lines 3, 9".
func inLines(lines []string) string {
	const most = 3
	switch {
	case len(lines) > most:
		return ""
	case len(lines) == 1:
		return ", line " + lines[0]
	}
	return ", lines " + strings.Join(lines, ", ")
}

// allLevels writes levels for every value of the table, those of rows that select leaves out too, with some groups
// under the name of others. more are further values.
func (l *List) allLevels(one map[string]string, more ...string) string {
	if len(l.groups) > fewGroups {
		return " by levels"
	}
	values := slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(l.groups)), more...)))
	return " in levels: [" + strings.Join(lists.Map(values, func(value string) string {
		name := cmp.Or(l.groups[value], value)
		for one[name] != "" {
			name = one[name]
		}
		if strings.Contains(value, "=") {
			return "'" + strings.ReplaceAll(`"`+value+`"=`+name, "'", "''") + "'"
		}
		entry := value + "=" + name
		if shown := column.Shown(entry); shown != entry {
			return `"` + column.Shown(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(entry)) + `"`
		}
		if !plainEntry.MatchString(entry) {
			return strconv.Quote(entry)
		}
		return entry
	}), ", ") + "]"
}

// plainEntry is an entry of a list in a pipeline file that needs no quotation marks.
var plainEntry = pattern.New(`^[\pL\pN][\pL\pN ._=+/()-]*$`)

// most is the largest magnitude of a covariate or target: the squares of larger numbers, and their sums, overflow.
const most = 1e100

// clean empties the cells of covariates that hold codes for missing values, in columns of texts too, and refuses
// numbers beyond most. The column of what is predicted keeps its codes for the message about them.
func (l *List) clean() error {
	var problems []error
	var found, doubtful, asked, either, below, motion, far, farValues, sites, texts, mixed, points, outlying []string
	for _, name := range l.Sheet.Columns {
		values := make([]string, len(l.Rows))
		for i, r := range l.Rows {
			values[i] = r.Cells.Get(name)
		}
		if name == l.ID {
			continue
		}
		if name != l.labelColumn() {
			cleared, taken := l.clearDoubts(name, values)
			found, either = append(found, cleared...), append(either, taken...)
		}
		numbers, _ := sheet.Numbers(values)
		if text := pointsOfThousands(name, values, l.Sheet.HasDecimalCommas()); numbers != nil && text != "" {
			points = append(points, text)
		}
		for i, x := range numbers {
			if math.Abs(x) > most {
				problems = append(problems, fmt.Errorf("%s:%d: %s of %s is %s, beyond ±%g: correct it, or write n/a", l.Path,
					l.Rows[i].Line, name, l.Rows[i].Source, values[i], most))
			}
		}
		if name != l.labelColumn() && column.NamesDisplacement(name) {
			below = append(below, l.clearNegative(name, values, numbers)...)
		}
		if text := sheet.InTwoUnits(numbers); text != "" && column.NamesAge(name) && (name != l.Group ||
			l.Target != "") {
			mixed = append(mixed, name+" ("+text+")")
		}
		for _, v := range sheet.FarCodes(values, column.NamesAge(name)) {
			if numbers == nil || name == l.Group && l.Target == "" {
				break
			}
			farValues = append(farValues, v)
			text := fmt.Sprintf("%s (%s, in %s)", name, v, words.Count(count(values, v), "row"))
			switch {
			case column.NamesDisplacement(name):
				motion = append(motion, text)
			case column.NamesSite(name):
				sites = append(sites, text)
			default:
				far = append(far, text)
			}
		}
		if name != l.labelColumn() {
			for _, v := range sheet.CodesAmongTexts(values) {
				texts = append(texts, fmt.Sprintf("%s (%s, in %s)", name, v, words.Count(count(values, v), "row")))
			}
		}
		outlying = append(outlying, l.outlying(name, values, numbers)...)
		if of := sheet.Doubtful(values); numbers != nil && of != nil && (name != l.Group || l.Target != "") {
			which := strings.Join(of, ", ")
			text := fmt.Sprintf("%s (%s, in %s)", name, which, words.Count(count(values, of...), "row"))
			if column.NamesSite(name) {
				sites, farValues = append(sites, text), append(farValues, of...)
			} else {
				doubtful, asked = append(doubtful, text), append(asked, of...)
			}
		}
		if name == l.labelColumn() {
			continue
		}
		codes, n := sheet.Codes(values), 0
		for i, v := range values {
			if codes[v] && (numbers != nil || v[0] == '-') { // 999 beside texts may be one
				l.Rows[i].Cells.Set(name, "")
				n++
			}
		}
		if n > 0 {
			which := strings.Join(slices.Sorted(maps.Keys(codes)), ", ")
			found = append(found, fmt.Sprintf("%s (%s, in %s)", name, which, words.Count(n, "row")))
		}
	}
	if either != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtCategories, "treated as categories, although they may stand for missing values: %s; if they do, list them in missing; keep_together counts them as missing", words.Some(either, 8)))
	}
	if below != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtNegative, "displacements cannot be negative and count as missing: %s; correct the table, write n/a where a value is missing, or give a standardized column another name, such as z_fd",
			words.Some(below, 8)))
	}
	slices.SortFunc(farValues, dag.CompareValues)
	remedy := "if they stand for missing values: missing: [" + strings.Join(slices.Compact(farValues), ", ") + "]"
	if motion != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtDisplacements, "displacements far above all others, and taken as millimeters: %s; %s", words.Some(motion, 8), remedy))
	}
	if far != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "far above all other values, and treated as numbers: %s; %s", words.Some(far, 8), remedy))
	}
	if sites != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "unlike the other numbers of a column of sites, and possibly no sites: %s; %s",
			words.Some(sites, 8), remedy))
	}
	if mixed != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "ages may be in two units: %s; give all ages in one unit",
			words.Some(mixed, 8)))
	}
	if outlying != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "far from all other values, or no age of a person: %s; if a value is wrong, correct the table, or write n/a",
			words.Some(outlying, 8)))
	}
	if points != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "points may separate thousands, and were taken for decimal points: %s; write whole numbers without points, or all numbers with decimals",
			words.Some(points, 8)))
	}
	if texts != nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "numbers among texts, and treated as categories: %s; if they stand for missing values, list them in missing",
			words.Some(texts, 8)))
	}
	if found != nil {
		l.Notes = append(l.Notes, column.Notef("codes for missing values count as missing: %s", words.Some(found, 8)))
	}
	if doubtful != nil {
		slices.SortFunc(asked, dag.CompareValues)
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "negative in columns that are otherwise positive, and treated as numbers: %s; if they stand for missing values: missing: [%s]",
			words.Some(doubtful, 8), strings.Join(slices.Compact(asked), ", ")))
	}
	return errors.Join(problems...)
}

// outlying are the participants whose number is far from all others of a covariate or of the target. Codes for missing
// values and columns in two units have notes of their own.
func (l *List) outlying(name string, values []string, numbers []float64) (all []string) {
	age := column.NamesAge(name)
	if numbers == nil || name == l.Group && l.Target == "" || name == "site" || age && sheet.InTwoUnits(numbers) != "" {
		return nil
	}
	codes, noted := sheet.Codes(values), slices.Concat(sheet.FarCodes(values, age), sheet.Doubtful(values))
	numbers = slices.Clone(numbers)
	for i, v := range values {
		if codes[v] || slices.Contains(noted, v) {
			numbers[i] = math.NaN()
		}
	}
	judged := numbers
	if column.NamesDisplacement(name) { // which are skewed: a participant who moved much is none of these
		judged = lists.Map(numbers, func(x float64) float64 {
			if x == 0 {
				return math.NaN()
			}
			return math.Log(x)
		})
	}
	places, others := sheet.Outlying(judged, age), map[float64]bool{}
	for i, x := range numbers {
		if !math.IsNaN(x) && !slices.Contains(places, i) {
			others[x] = true
		}
	}
	rest, kept := "", slices.Sorted(maps.Keys(others))
	if column.NamesDisplacement(name) { // one who moved little is near the others in mm; in m is not
		places = slices.DeleteFunc(places, func(i int) bool { return numbers[i] < kept[0] && 10*numbers[i] > kept[0] })
	}
	const mostCategories = 6
	if len(kept) <= mostCategories && !slices.ContainsFunc(kept, func(x float64) bool { return x != math.Trunc(x) }) {
		texts := lists.Map(kept, func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) })
		rest = fmt.Sprintf(", where all others are %s: a category, or a code for a missing value",
			words.Some(texts, mostCategories))
	}
	for _, i := range places {
		text := fmt.Sprintf("%s of %s (%s%s)", name, l.Rows[i].Source, values[i], rest)
		if !slices.Contains(all, text) { // once for all sessions
			all = append(all, text)
		}
	}
	return all
}

// count is how many of the values are among some.
func count(values []string, some ...string) (n int) {
	for _, v := range values {
		if slices.Contains(some, v) {
			n++
		}
	}
	return n
}

// clearNegative empties the cells of displacements that are negative, but for codes for missing values, and lists them.
func (l *List) clearNegative(name string, values []string, numbers []float64) (cleared []string) {
	codes := sheet.Codes(values)
	for i, x := range numbers {
		if x < 0 && !codes[values[i]] {
			cleared = append(cleared, fmt.Sprintf("%s of %s (%s)", name, l.Rows[i].ID, values[i]))
			values[i] = ""
			l.Rows[i].Cells.Set(name, "")
		}
	}
	return cleared
}

// clearDoubts empties the cells of a covariate with signs that may stand for a missing value, and in a column of
// numbers, or of families, those with words. found says so; either names the words that are left as categories.
func (l *List) clearDoubts(name string, values []string) (found, either []string) {
	var rest []string // values beyond doubt, and those that may be a number
	count := map[string]int{}
	for _, v := range values {
		if d := cell.DoubtOf(v); d != cell.Value && v != "" {
			count[v]++
			if d != cell.Zero {
				continue
			}
		}
		rest = append(rest, v)
	}
	numbers, _ := sheet.Numbers(rest)
	families := column.HoldsFamilies(name, values)
	for _, v := range slices.Sorted(maps.Keys(count)) {
		text := fmt.Sprintf("%s (%s, in %s)", name, v, words.Count(count[v], "row"))
		switch d := cell.DoubtOf(v); {
		case d == cell.Mark && !(v == "-" && slices.Contains(values, "+")), d == cell.Word && numbers != nil,
			d != cell.Mark && families:
			for i := range values {
				if values[i] == v {
					values[i] = ""
					l.Rows[i].Cells.Set(name, "")
				}
			}
			found = append(found, text)
		case d != cell.Mark && 2*len(count) <= len(values):
			either = append(either, text)
		}
	}
	return found, either
}

// levels are the names of the values, of which labels has those of the table: a value with = in it is found by them, or
// stands in quotation marks.
func (p *Parameters) levels(labels []string) (map[string]string, error) {
	if len(p.Levels) == 0 {
		return nil, nil
	}
	levels := map[string]string{}
	var problems []error
	for _, entry := range p.Levels {
		value, name, err := level(entry, labels)
		_, twice := levels[value]
		switch {
		case err != nil:
			problems = append(problems, err)
		case twice:
			problems = append(problems, fmt.Errorf("levels: the value %q is named twice", value))
		}
		levels[value] = name
	}
	return levels, errors.Join(problems...)
}

// quotedLevel is VALUE=NAME with the value in quotation marks.
var quotedLevel = pattern.New(`^\s*"([^"]*)"\s*=(.*)$`)

// level takes VALUE=NAME apart.
func level(entry string, labels []string) (value, name string, err error) {
	value, name, ok := strings.Cut(entry, "=")
	value, name = strings.TrimSpace(value), strings.TrimSpace(name)
	var fits []string
	if m := quotedLevel.FindStringSubmatch(entry); m != nil {
		value, name = m[1], strings.TrimSpace(m[2])
	} else {
		for at, c := range entry {
			v, rest := strings.TrimSpace(entry[:at]), strings.TrimSpace(strings.TrimPrefix(entry[at:], "="))
			if c == '=' && rest != "" && slices.Contains(labels, v) {
				fits, value, name = append(fits, v), v, rest
			}
		}
	}
	switch {
	case !ok || value == "" || name == "":
		return value, name, fmt.Errorf("levels: %q is not of the form VALUE=NAME, such as 1=ASD", entry)
	case len(fits) > 1:
		return value, name, fmt.Errorf("levels: %q may name the value %s: put the value in quotation marks, such as '\"%s\"=%s'", entry,
			strings.Join(fits, " or "), value, name)
	}
	return value, name, nil
}

// idName are names of columns that number people.
var idName = pattern.New(`(?i)(^|_)(id|ids|sub|subid|subject|participant|index|row|nr|no|number|code)$`)

// doubtTarget refuses a number to predict that is the same for everybody, and notes one that is rather a group or an
// identifier.
func (l *List) doubtTarget() error {
	values := map[float64]bool{}
	n, low, high, whole := 0, math.Inf(1), math.Inf(-1), true
	for _, r := range l.Rows {
		if x, _ := sheet.Numbers([]string{r.Label}); x != nil {
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
		l.Notes = append(l.Notes, column.Note{Text: note})
	}
	l.doubtNumbers()
	return nil
}

// doubtNumbers notes a number to predict that may be in two units, or hold a code for a missing value.
func (l *List) doubtNumbers() {
	if l.Target == "" {
		return
	}
	var numbers []float64
	var texts []string
	for _, r := range l.Rows {
		if x, _ := sheet.Numbers([]string{r.Label}); x != nil {
			numbers, texts = append(numbers, x[0]), append(texts, r.Label)
		}
	}
	age := column.NamesAge(l.Target)
	if text := sheet.InTwoClusters(numbers); text != "" && !(age && sheet.InTwoUnits(numbers) != "") {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "target: the values of %s are two clusters far apart (%s), "+
			"as in two units or scales: give all values in one", l.Target, text))
	}
	if code, times := sheet.LargestRepeated(numbers); times > 0 && sheet.FarCodes(texts, age) == nil {
		l.Notes = append(l.Notes, column.Doubtf(column.DoubtValues, "target: %s is %g, its largest value, in %s: if that stands "+
			"for a missing value: missing: [%[2]g]", l.Target, code, words.Count(times, "participant")))
	}
}

// pointsOfThousands shows a value with a point and one without, in a column in which no value has other than three
// decimals; it is "" for any other column. In a table with decimal commas, a value with a point is enough.
func pointsOfThousands(name string, values []string, commas bool) string {
	with, without := "", ""
	for _, v := range values {
		switch may, below := cell.Thousands(v); {
		case may:
			with = v
		case below:
			without = v
		case v != "":
			return ""
		}
	}
	switch {
	case with == "" || without == "" && !commas:
		return ""
	case without == "":
		return fmt.Sprintf("%s (%s)", name, with)
	}
	return fmt.Sprintf("%s (%s, %s)", name, with, without)
}
