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
	var pairs []column.Values
	var found []string // doubts about them
	for i, g := range groups {
		for _, to := range groups[:i] {
			from := g
			if size[from] > size[to] || size[from] == size[to] && column.Shown(to) != to {
				from, to = to, from
			}
			doubt := alike(from, to, size)
			how := doubt
			if doubt == "" && len(groups) > 2 && l.Levels == nil && !isNumber(from) && !isNumber(to) &&
				column.IsControl(from) && column.IsControl(to) {
				doubt, how = column.DoubtAlike, ""
			}
			if doubt == "" || one[from] != "" {
				continue
			}
			one[from] = to
			found = append(found, doubt)
			pairs = append(pairs, column.Values{"From": column.Shown(from), "N": size[from],
				"Lines": fewLines(lines[from]), "To": column.Shown(to), "M": size[to], "Doubt": how})
		}
	}
	for i, doubt := range found {
		pairs[i]["Levels"] = l.allLevels(one)
		notes = append(notes, column.Doubtful(doubt, "noted.groups-alike", pairs[i]))
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
		var apart []column.Values
		for _, r := range l.Rows {
			used, other := r.Cells.Get(l.labelColumn()), r.Cells.Get(name)
			if used != other && other != "" && !cell.Missing(other) {
				apart = append(apart, column.Values{"Who": r.ID, "First": used, "Second": other})
			}
		}
		if apart != nil {
			l.Notes = append(l.Notes, column.Doubtful(column.DoubtAlike, "noted.label-twin",
				column.Values{"First": l.labelColumn(), "Second": name, "Rows": apart}))
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
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtAlike, "noted.groups-in-ways",
			column.Values{"Ways": mixed, "Levels": l.allLevels(nil)}))
	}
	switch {
	case texts == nil:
	case l.Levels == nil:
		return fmt.Errorf("group: column %s of %s seems to have one group in several ways: %s; give each one name%s", l.Group, l.Path,
			strings.Join(texts, "; "), l.allLevels(one))
	default:
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtAlike, "noted.groups-in-ways",
			column.Values{"Ways": texts, "Levels": l.allLevels(one)}))
	}
	return nil
}

// synonyms describes the values that stand for one thing in several ways, or differ only in case, with their rows. one
// has the most frequent one in place of the others.
func synonyms(values []string, rows []Row) (texts []string, one map[string]string) {
	one = map[string]string{}
	groups := column.Synonyms(values)
	for _, same := range lists.By(slices.Compact(slices.Sorted(slices.Values(values))), strings.ToLower) {
		known := func(group []string) bool { return slices.Contains(group, same.All[0]) }
		if len(same.All) > 1 && !slices.ContainsFunc(groups, known) {
			groups = append(groups, same.All)
		}
	}
	for _, group := range groups {
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
			notes = append(notes, column.Doubtful(column.DoubtRareGroup, "noted.rare-group", column.Values{"Group": g,
				"N": size[g], "Larger": groups[i-1], "M": size[groups[i-1]], "Groups": len(groups),
				"Levels": l.allLevels(others), "Select": l.without(g)}))
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

// fewLines are the lines of rows, nil of many.
func fewLines(lines []string) []string {
	const most = 3
	if len(lines) > most {
		return nil
	}
	return lines
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
	var found, doubtful, either, below, motion, far, sites, texts, mixed, points, outlying []column.Values
	var asked, farValues []string
	for _, name := range l.Sheet.Columns {
		values := lists.Map(l.Rows, func(r Row) string { return r.Cells.Get(name) })
		if name == l.ID {
			continue
		}
		if name != l.labelColumn() {
			cleared, taken := l.clearDoubts(name, values)
			found, either = append(found, cleared...), append(either, taken...)
		}
		numbers, _ := sheet.Numbers(values)
		if with := pointsOfThousands(values, l.Sheet.HasDecimalCommas()); numbers != nil && with != nil {
			points = append(points, column.Values{"Column": name, "Values": with})
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
		if two := sheet.InTwoUnits(numbers); two != nil && column.NamesAge(name) && (name != l.Group ||
			l.Target != "") {
			mixed = append(mixed, column.Values{"Column": name, "Clusters": two})
		}
		for _, v := range sheet.FarCodes(values, column.NamesAge(name)) {
			if numbers == nil || name == l.Group && l.Target == "" {
				break
			}
			farValues = append(farValues, v)
			switch of := cells(name, count(values, v), v); {
			case column.NamesDisplacement(name):
				motion = append(motion, of)
			case column.NamesSite(name):
				sites = append(sites, of)
			default:
				far = append(far, of)
			}
		}
		if name != l.labelColumn() {
			for _, v := range sheet.CodesAmongTexts(values) {
				texts = append(texts, cells(name, count(values, v), v))
			}
		}
		outlying = append(outlying, l.outlying(name, values, numbers)...)
		if of := sheet.Doubtful(values); numbers != nil && of != nil && (name != l.Group || l.Target != "") {
			these := cells(name, count(values, of...), of...)
			if column.NamesSite(name) {
				sites, farValues = append(sites, these), append(farValues, of...)
			} else {
				doubtful, asked = append(doubtful, these), append(asked, of...)
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
			found = append(found, cells(name, n, slices.Sorted(maps.Keys(codes))...))
		}
	}
	note := func(doubt, code string, of []column.Values, missing ...string) {
		if of != nil {
			missing = slices.SortedFunc(slices.Values(missing), dag.CompareValues) // of several notes
			l.Notes = append(l.Notes, column.Doubtful(doubt, code,
				column.Values{"Cells": of, "Missing": slices.Compact(missing)}))
		}
	}
	note(column.DoubtCategories, "noted.missing-as-categories", either)
	note(column.DoubtNegative, "noted.displacement-negative", below)
	note(column.DoubtDisplacements, "noted.displacement-far", motion, farValues...)
	note(column.DoubtValues, "noted.far", far, farValues...)
	note(column.DoubtValues, "noted.no-sites", sites, farValues...)
	note(column.DoubtValues, "noted.ages-in-two-units", mixed)
	note(column.DoubtValues, "noted.outlying", outlying)
	note(column.DoubtValues, "noted.points-of-thousands", points)
	note(column.DoubtValues, "noted.numbers-among-texts", texts)
	note("", "noted.codes-missing", found)
	note(column.DoubtValues, "noted.negative", doubtful, asked...)
	return errors.Join(problems...)
}

// cells are the values of a column that so many rows have.
func cells(name string, rows int, values ...string) column.Values {
	return column.Values{"Column": name, "Values": values, "N": rows}
}

// outlying are the participants whose number is far from all others of a covariate or of the target. Codes for missing
// values and columns in two units have notes of their own.
func (l *List) outlying(name string, values []string, numbers []float64) (all []column.Values) {
	age := column.NamesAge(name)
	if numbers == nil || name == l.Group && l.Target == "" || name == "site" ||
		age && sheet.InTwoUnits(numbers) != nil {
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
	kept := slices.Sorted(maps.Keys(others))
	if column.NamesDisplacement(name) { // one who moved little is near the others in mm; in m is not
		places = slices.DeleteFunc(places, func(i int) bool { return numbers[i] < kept[0] && 10*numbers[i] > kept[0] })
	}
	const mostCategories = 6
	if len(kept) > mostCategories || slices.ContainsFunc(kept, func(x float64) bool { return x != math.Trunc(x) }) {
		kept = nil
	}
	seen := map[[2]string]bool{}
	for _, i := range places {
		of := [2]string{l.Rows[i].Source, values[i]}
		if !seen[of] { // once for all sessions
			all = append(all, column.Values{"Column": name, "Who": of[0], "Value": of[1], "Others": kept})
		}
		seen[of] = true
	}
	return all
}

// count is how many of the values are among some.
func count(values []string, some ...string) (n int) {
	return lists.Count(values, func(v string) bool { return slices.Contains(some, v) })
}

// clearNegative empties the cells of displacements that are negative, but for codes for missing values, and lists them.
func (l *List) clearNegative(name string, values []string, numbers []float64) (cleared []column.Values) {
	codes := sheet.Codes(values)
	for i, x := range numbers {
		if x < 0 && !codes[values[i]] {
			cleared = append(cleared, column.Values{"Column": name, "Who": l.Rows[i].ID, "Value": values[i],
				"Others": nil})
			values[i] = ""
			l.Rows[i].Cells.Set(name, "")
		}
	}
	return cleared
}

// clearDoubts empties the cells of a covariate with signs that may stand for a missing value, and in a column of
// numbers, or of families, those with words. found says so; either names the words that are left as categories.
func (l *List) clearDoubts(name string, values []string) (found, either []column.Values) {
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
		of := cells(name, count[v], v)
		switch d := cell.DoubtOf(v); {
		case d == cell.Mark && !(v == "-" && slices.Contains(values, "+")), d == cell.Word && numbers != nil,
			d != cell.Mark && families:
			for i := range values {
				if values[i] == v {
					values[i] = ""
					l.Rows[i].Cells.Set(name, "")
				}
			}
			found = append(found, of)
		case d != cell.Mark && 2*len(count) <= len(values):
			either = append(either, of)
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
	if two := sheet.InTwoClusters(numbers); two != nil && !(age && sheet.InTwoUnits(numbers) != nil) {
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtValues, "noted.target-in-clusters",
			column.Values{"Column": l.Target, "Clusters": two}))
	}
	if code, times := sheet.LargestRepeated(numbers); times > 0 && sheet.FarCodes(texts, age) == nil {
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtValues, "noted.target-repeated",
			column.Values{"Column": l.Target, "Code": code, "N": times}))
	}
}

// pointsOfThousands are a value with a point and one without, in a column in which no value has other than three
// decimals; nil for any other column. In a table with decimal commas, a value with a point is enough.
func pointsOfThousands(values []string, commas bool) []string {
	with, without := "", ""
	for _, v := range values {
		switch may, below := cell.Thousands(v); {
		case may:
			with = v
		case below:
			without = v
		case v != "":
			return nil
		}
	}
	switch {
	case with == "" || without == "" && !commas:
		return nil
	case without == "":
		return []string{with}
	}
	return []string{with, without}
}
