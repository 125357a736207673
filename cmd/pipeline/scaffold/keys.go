package scaffold

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/region"
	"prgnn/stages/sheet"
)

// A candidate is a path with the column of a table in it, or two.
type candidate struct {
	pattern, column string
	example         string   // the file of a participant
	strip           string   // with which paths in the column lead to the directory: data/
	files           []string // of each row, whether it exists or not; "" for none
	rows            int      // that have such a file
	others          []string // paths of the same program, such as those of other conditions
	known           region.Layout
	matrix          bool
	each, parts     string // -sessions or -runs, where rows of one participant differ in this column
}

// ownName are names of the columns of a participant's own id; idName are those of other ids, such as the number of a
// scan, and of files.
var (
	ownName = pattern.New(`(?i)^((participant|subject|subj|sub|person|proband)s?([ _.-]?(id|code))?|` +
		`(patient|case)[ _.-]?(id|code)|id|ids|(r|pt|s)id|src[ _.-]?subject[ _.-]?id|subjectkey|record[ _.-]?id|code)$`)
	idName = pattern.New(`(?i)^(scan|session|image|img|mri|fmri|file|file[ _.-]?name|base[ _.-]?name|path|dir|` +
		`directory|folder|conn|dpabi|gretna|gift|bids|name|key)s?([ _.-]?(id|code|name|no|nr|num|number|key))?$|` +
		`^id[ _.-]|[ _.-]ids?$|^(scan|image|mri|fmri|file|bids|data|site|case)id$`)
	idEnd = pattern.New(`[a-z](ID|Id)$`)
)

// own is the column of the participants' own ids by its name; "" without one.
func (t *table) own() string {
	if slices.Contains(t.Columns, "participant_id") {
		return "participant_id"
	}
	for _, name := range t.Columns {
		if ownName.MatchString(name) && name != t.group() {
			return name
		}
	}
	return ""
}

// idOf is the column of the participants' ids, where a path states their files.
func (t *table) idOf(c *candidate) string {
	own := t.own()
	switch {
	case own != "" && !ownName.MatchString(c.column):
		return own
	case c.written() != c.column && slices.Contains(t.Columns, c.column):
		return c.column
	}
	for _, name := range t.Columns {
		values, _ := t.Column(name)
		if t.isKey(name) && len(lists.Set(values)) == len(values) &&
			!slices.ContainsFunc(values, func(v string) bool { return v == "" || strings.ContainsAny(v, `/\`) }) {
			return name
		}
	}
	return t.Columns[0]
}

// sessionName are names of columns of the sessions of a participant.
var sessionName = pattern.New(`(?i)^(ses|sess|session|visit|viscode|wave|time|tp|timepoint|eventname)s?` +
	`([ _.-]?(id|no|nr|num|number|name|code))?$`)

// repeated decides by which column several rows of one id differ, if there are any.
func (t *table) repeated(id string, c *candidate) (noun string, err error) {
	ids, _ := t.Column(id)
	if len(lists.Set(ids)) == len(ids) || c.matrix {
		return "", nil
	}
	for _, of := range []struct {
		noun string
		name pattern.Pattern
	}{{"session", sessionName}, {"run", listed.RunColumn}} {
		for _, name := range t.Columns {
			values, _ := t.Column(name)
			pairs := lists.Map(lists.UpTo(len(ids)), func(i int) string { return ids[i] + "\x00" + values[i] })
			if of.name.MatchString(name) && !slices.Contains(values, "") && len(lists.Set(pairs)) == len(ids) {
				c.each, c.parts = "-"+of.noun+"s", name
				return of.noun, nil
			}
		}
	}
	return "", fmt.Errorf("column %s of %s has several rows of one id, and no column session or run in which all of "+
		"these differ: add one, or keep one row for each participant; if rows of one id are several persons, as at different "+
		"sites, write ids that differ", id, t.path)
}

// joined are paths with the values of two columns, which give each row a file of its own where no other path does: each
// path has files that those before it do not.
func (t *table) joined(dir string, files []string, all []*candidate) (found []*candidate) {
	here, tried, taken := lists.Set(files), map[string]bool{}, map[string]bool{}
	if slices.ContainsFunc(all, func(c *candidate) bool { return c.rows == len(t.Rows) }) || len(t.Rows) < fewest {
		return nil
	}
	with := func(path string) (all []string) { // a column more, each
		for a, name := range t.Columns {
			if in := "{" + name + "}"; !strings.Contains(path, in) {
				all = append(all, around(path, t.Rows[0][a], in)...)
			}
		}
		return all
	}
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return filepath.Join(dir, f) == t.path })
	for a, one := range t.Columns {
		for _, f := range files {
			for _, p := range slices.Concat(lists.Map(around(f, t.Rows[0][a], "{"+one+"}"), with)...) {
				if tried[p] {
					continue
				}
				if len(tried) > 200 {
					return found
				}
				tried[p] = true
				c := t.candidate(p, one, f, "", here)
				if c.rows == len(t.Rows) && len(lists.Set(c.files)) == c.rows && c.recognize(dir) == nil &&
					!slices.ContainsFunc(c.files, func(f string) bool { return taken[f] }) {
					found = append(found, c)
					maps.Copy(taken, lists.Set(c.files))
				}
			}
		}
	}
	return found
}

// isKey reports whether the values of a column may be parts of the names of files: those of ids, by the name of the
// column or since it is the first, and texts. Numbers of another column, such as ages, are equal to those of files by
// chance.
func (t *table) isKey(name string) bool {
	if name == t.Columns[0] && t.own() == "" || ownName.MatchString(name) || idName.MatchString(name) ||
		idEnd.MatchString(name) {
		return true
	}
	values, _ := t.Column(name)
	texts, present := 0, 0
	for _, v := range values {
		if !cell.Missing(v) {
			present++
			if numbers, _ := sheet.Numbers([]string{v}); numbers == nil { // 007 is a text
				texts++
			}
		}
	}
	return 2*texts > present
}

// candidates are the paths that have the values of a column of ids or texts in them and whose files hold series or
// matrices, and files that cannot be read.
func (t *table) candidates(dir string, files []string) (all []*candidate, unread map[string]error) {
	unread = map[string]error{}
	for _, c := range t.patterns(dir, files) {
		if !t.isKey(c.column) {
			continue
		}
		if err := c.recognize(dir); err != nil {
			unread[c.example] = err
		} else {
			all = append(all, c)
		}
	}
	return all, unread
}

// mostValues is how many values of a column of ids are looked for in the names of all files.
const mostValues = 100

// fewest is how many rows, fewer than half of them, may have files by a column.
const fewest = 4

// patterns are the paths that have the values of a column in them, for at least half of the rows or for some.
func (t *table) patterns(dir string, files []string) (all []*candidate) {
	here := lists.Set(files)
	tried := map[string]bool{}
	columns := t.Columns
	if !slices.Contains(columns, "participant_id") {
		columns = append(slices.Clone(columns), "participant_id")
	}
	for _, name := range columns {
		values := t.values(name)
		distinct := slices.Compact(slices.Sorted(slices.Values(values)))
		if len(distinct) < len(values) || name == t.group() {
			continue
		}
		found, most := 0, 3 // values that are in the names of files
		if t.isKey(name) {
			most = mostValues
		}
		for _, v := range values[:min(most, len(values))] {
			if v == "" || found == 3 {
				continue
			}
			there := 0
			for _, f := range files {
				paths, strip := around(f, v, "{"+name+"}"), ""
				if strings.HasSuffix(v, "/"+f) {
					paths, strip = []string{"{" + name + "}"}, strings.TrimSuffix(v, f)
				}
				if paths == nil || filepath.Join(dir, f) == t.path {
					continue
				}
				there = 1
				for _, path := range paths {
					if tried[path+strip] {
						continue
					}
					tried[path+strip] = true
					c := t.candidate(path, name, f, strip, here)
					if c.rows >= fewest || c.rows >= 2 && 2*c.rows >= len(t.Rows) {
						all = append(all, c)
					}
				}
			}
			found += there
		}
	}
	slices.SortFunc(all, func(a, b *candidate) int { return strings.Compare(a.pattern, b.pattern) })
	return all
}

// candidate is a path whose columns have the values of each row.
func (t *table) candidate(path, column, example, strip string, here map[string]bool) *candidate {
	c := &candidate{pattern: path, column: column, example: example, strip: strip,
		files: slices.Repeat([]string{path}, len(t.Rows))}
	for _, name := range append([]string{"participant_id"}, t.Columns...) {
		if in := "{" + name + "}"; strings.Contains(path, in) {
			for i, value := range t.values(name) {
				if c.files[i] = strings.ReplaceAll(c.files[i], in, value); value == "" {
					c.files[i] = ""
				}
			}
		}
	}
	for i, file := range c.files {
		if c.files[i] = strings.TrimPrefix(file, strip); here[c.files[i]] {
			c.rows++
		}
	}
	return c
}

// values are those of a column; of participant_id without such a column, what a path has for it.
func (t *table) values(name string) []string {
	values, there := t.Column(name)
	if !there {
		values, _ = t.Column(t.idOf(&candidate{}))
		values = lists.Map(values, listed.ParticipantID)
	}
	return values
}

// written is the path as a pipeline file has it: a column of paths, or a pattern.
func (c *candidate) written() string {
	if c.pattern == "{"+c.column+"}" {
		return c.column
	}
	return c.pattern
}

// root is the directory that the path starts from, where files are in dir.
func (c *candidate) root(dir string) string {
	if filepath.IsAbs(c.strip) {
		return ""
	}
	if root, ok := strings.CutSuffix(filepath.ToSlash(filepath.Clean(dir))+"/", "/"+c.strip); ok {
		return root
	}
	if filepath.ToSlash(filepath.Clean(dir))+"/" == c.strip {
		return "."
	}
	return dir
}

func (c *candidate) String() string {
	return fmt.Sprintf("%s (%s: %s)", c.column, c.pattern, words.Count(c.rows, "row"))
}

// chosen are the paths of one column, the first of them to be taken. The participants' own ids come before all others;
// of two others that give a participant different files, none is taken.
func (t *table) chosen(dir string, path func(string) string, files []string, all []*candidate) ([]*candidate, error) {
	if all == nil {
		return nil, nil
	}
	slices.SortStableFunc(all, func(a, b *candidate) int {
		return cmp.Or(b.rows-a.rows, cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a.pattern), len(b.pattern)),
			strings.Compare(a.pattern, b.pattern))
	})
	ordered := map[*candidate]error{}
	for _, c := range all {
		ordered[c] = t.ownOrder(dir, files, c.pattern, c.column)
	}
	if err := ordered[all[0]]; err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c *candidate) bool { return ordered[c] != nil })
	first := all[0]
	own := slices.IndexFunc(all, func(c *candidate) bool { return c.column == t.own() })
	if own > 0 && all[own].rows == first.rows {
		first = all[own]
	}
	if err := t.zeros(dir, files, first.rows+1); err != nil {
		return nil, err
	}
	column := slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return c.column != first.column })
	if err := t.few(dir, files, first); err != nil {
		return column, err
	}
	for _, c := range all {
		switch {
		case c.column == first.column || 2*c.rows < first.rows:
			continue
		case first.column == t.own() && !t.crossed(first, c):
			continue
		case c.column != t.own() && first.column != t.own() && c.rows < first.rows:
			continue
		}
		if row := apart(first, c, lists.Set(files)); row >= 0 {
			return nil, t.ambiguous(dir, path, row, first, c)
		}
	}
	return column, nil
}

// like are what stands in the place of a path's column in the names of all files.
func like(files []string, path, column string) (all []string) {
	in := "{" + column + "}"
	before, after, _ := strings.Cut(path, in)
	for _, f := range files {
		rest, there := strings.CutPrefix(f, before)
		for n := 1; there && n <= len(rest); n++ {
			if rest[n:] == strings.ReplaceAll(after, in, rest[:n]) {
				all = append(all, rest[:n])
				break
			}
		}
	}
	return all
}

// ofNobody are what files of a path have in place of its column, where no row has it and those of rows are written
// alike.
func (t *table) ofNobody(files []string, c *candidate) []string {
	form := func(id string) string {
		return nameParts.ReplaceAllStringFunc(id, func(part string) string {
			if digitAt(part, 0) {
				return "0"
			}
			return part
		})
	}
	values := t.values(c.column)
	here, forms := lists.Set(values), lists.Set(lists.Map(values, form))
	if c.written() == c.column {
		return nil
	}
	return lists.Keep(like(files, c.pattern, c.column), func(id string) bool { return !here[id] && forms[form(id)] })
}

// few refuses a column by which less than half of the rows have a file, and less than half of the files named like
// these are of a row.
func (t *table) few(dir string, files []string, c *candidate) error {
	there := len(like(files, c.pattern, c.column))
	if 2*c.rows >= min(len(t.Rows), there) {
		return nil
	}
	return fmt.Errorf("--from %s: %d of %s of %s have a file %s, but there are %s with such names, most of which belong "+
		"to no row; correct the table, or add a column of paths to it", dir, c.rows, words.Count(len(t.Rows), "row"), t.path,
		c.pattern, words.Count(there, "file"))
}

// without are the rows that have no file by a path, by their values.
func (t *table) without(files []string, c *candidate) (values []string) {
	all, here := t.values(c.column), lists.Set(files)
	for i, file := range c.files {
		if !here[file] {
			values = append(values, all[i])
		}
	}
	return values
}

// apart is a row for which two paths are different files that exist; -1 without one.
func apart(a, b *candidate, here map[string]bool) int {
	for i := range a.files {
		if a.files[i] != b.files[i] && here[a.files[i]] && here[b.files[i]] {
			return i
		}
	}
	return -1
}

// further reports whether a path gives some row a file that the first path gives to none.
func (first *candidate) further(c *candidate, here map[string]bool) bool {
	its := lists.Set(first.files)
	return slices.ContainsFunc(c.files, func(f string) bool { return here[f] && !its[f] })
}

// crossed reports whether a column gives the file of a participant's own id to another, and states files, by its name
// or since its values are no ids of others: kin has these.
func (t *table) crossed(own, c *candidate) bool {
	ids, _ := t.Column(own.column)
	values, _ := t.Column(c.column)
	rows := map[string]int{}
	persons := !idName.MatchString(c.column)
	for i := range ids {
		rows[own.files[i]] = i
		persons = persons && (values[i] == "" || slices.Contains(ids, values[i]))
	}
	return !persons && slices.ContainsFunc(lists.UpTo(len(values)), func(k int) bool {
		i, there := rows[c.files[k]]
		return there && values[i] != values[k]
	})
}

func (t *table) ambiguous(dir string, path func(string) string, row int, a, b *candidate) error {
	id := cmp.Or(t.own(), a.column)
	who, _ := t.Column(id)
	lines := a.lines(t.parameters(path, dir, id))
	meant := lists.Map([]*candidate{a, b}, func(c *candidate) string {
		if root := c.root(dir); root != dir {
			return fmt.Sprintf("%q with root: %s", c.written(), path(cmp.Or(root, ".")))
		}
		return strconv.Quote(c.written())
	})
	return fmt.Errorf("--from %s: two columns of %s have the names of the files, and give the same row different "+
		"files: %s and %s; %s has %s by the former and %s by the latter. Write a pipeline file with the correct path "+
		"in place of FILES, %s:\n  %s", dir, t.path, a, b, who[row], a.files[row], b.files[row],
		strings.Join(meant, " or "), lines)
}

// lines are those of a pipeline file that lacks the path of its files, for an error.
func (c *candidate) lines(parameters string) string {
	return strings.ReplaceAll(strings.TrimRight(c.text(parameters, "FILES"), "\n"), "\n", "\n  ")
}

// starred are paths in which the value of a column is beside text that differs from file to file: scan*_{id}.tsv; those
// that match one file each of most rows.
func (t *table) starred(dir string, files []string) (best []*candidate) {
	tried := map[string]bool{}
	for _, name := range t.Columns {
		values, _ := t.Column(name)
		if !t.isKey(name) || name == t.group() {
			continue
		}
		for _, v := range values[:min(mostValues, len(values))] {
			for _, f := range files {
				if v == "" || !within(f, v) || filepath.Join(dir, f) == t.path || len(tried) >= 20 {
					continue
				}
				for _, one := range around(f, v, "{"+name+"}") {
					glob := loosened(one, "{"+name+"}", lists.Set(values), files)
					if tried[glob] {
						continue
					}
					tried[glob] = true
					c := t.candidate(glob, name, f, "", nil)
					c.match(files)
					if 4*c.rows >= 3*len(values) && c.recognize(dir) == nil {
						best = append(best, c)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(best, func(c *candidate) bool {
		return slices.ContainsFunc(best, func(b *candidate) bool { return b.rows > c.rows })
	})
}

// match finds the files of the rows that a path with * matches once.
func (c *candidate) match(files []string) {
	for i, its := range c.files {
		matched := lists.Keep(files, func(f string) bool { ok, _ := path.Match(its, f); return ok && its != "" })
		if c.files[i] = ""; len(matched) == 1 {
			c.files[i] = matched[0]
			c.rows++
		}
	}
}

// scattered is the path with * for the files of one each of the rows in several directories; nil where a row has
// several.
func (t *table) scattered(files []string, all []*candidate) *candidate {
	first, here, its := all[0], lists.Set(files), map[int]bool{}
	for _, c := range all {
		for i, f := range c.files {
			if here[f] && its[i] {
				return nil
			}
			its[i] = its[i] || here[f]
		}
	}
	in := "{" + first.column + "}"
	glob := loosened(first.pattern, in, lists.Set(t.values(first.column)), files)
	c := t.candidate(glob, first.column, first.example, "", nil)
	if c.match(files); first.strip != "" || c.rows <= first.rows || c.rows < len(its) {
		return nil
	}
	c.known, c.matrix = first.known, first.matrix
	return c
}

// around are the paths with a column in place of a value: wherever it stands in a name, and at each place alone. It is
// no part of a longer number, but for zeros before it.
func around(name, value, column string) (all []string) {
	var places []int
	for from := 0; value != ""; {
		at := strings.Index(name[from:], value)
		if at < 0 {
			break
		}
		at += from
		from = at + len(value)
		before := name[:at]
		if digitAt(value, 0) {
			before = strings.TrimRight(before, "0")
		}
		if !longer(before, value, name[from:]) {
			places = append(places, at)
		}
	}
	if len(places) > 1 {
		path := name
		for _, at := range slices.Backward(places) {
			path = path[:at] + column + path[at+len(value):]
		}
		all = append(all, path)
	}
	for _, at := range places {
		all = append(all, name[:at]+column+name[at+len(value):])
	}
	return all
}

var nameParts = pattern.New(`[0-9]+|\pL+|[^0-9\pL]+`)

// loosened is a path with a * for each word and number that differs between the files that have a value in this place.
func loosened(path, column string, values map[string]bool, files []string) string {
	var parts []string
	expression := "^"
	for k, text := range strings.Split(path, column) {
		if k > 0 {
			parts, expression = append(parts, column), expression+"(.+)"
		}
		for _, part := range nameParts.FindAllString(text, -1) {
			parts = append(parts, part)
			switch {
			case digitAt(part, 0):
				expression += "([0-9]+)"
			case strings.Trim(part, notDigits) == "" && strings.Trim(part, "_-. ") == part:
				expression += `(\pL+)`
			default:
				expression += "(" + regexp.QuoteMeta(part) + ")"
			}
		}
	}
	shape, err := regexp.Compile(expression + "$")
	if err != nil {
		return path
	}
	text := slices.Clone(parts)
	for _, file := range files {
		m := shape.FindStringSubmatch(file)
		if m == nil || !values[m[1+slices.Index(parts, column)]] {
			continue
		}
		for k, part := range parts {
			if part != column && m[k+1] != part {
				text[k] = "*"
			}
		}
	}
	return strings.Join(text, "")
}

// otherwise is why no path has the values of a column, where names of files have them in another form.
func (t *table) otherwise(dir string, path func(string) string, files []string) error {
	if all := t.starred(dir, files); all != nil {
		id := cmp.Or(t.own(), all[0].column)
		return fmt.Errorf("--from %s: the names of the files have the values of a column of %s beside text that differs "+
			"from file to file: %s; write a pipeline file with the correct path in place of FILES:\n  %s", dir, t.path,
			words.Some(lists.Map(all, (*candidate).String), 6), all[0].lines(t.parameters(path, dir, id)))
	}
	for _, form := range []struct {
		of  func(string) string
		why string
	}{
		{strings.ToLower, "they differ in upper and lower case"},
		{func(s string) string { return bare(strings.ToLower(s)) },
			"they differ in zeros before numbers, and the names have other text that differs from file to file"},
		{func(s string) string { return bare(strings.Join(numberPart.FindAllString(s, -1), "-")) },
			"only the numbers in them agree"},
	} {
		for _, name := range t.Columns {
			values, _ := t.Column(name)
			n, value, file := 0, "", ""
			for _, v := range values {
				at := slices.IndexFunc(files, func(f string) bool {
					return form.of(v) != "" && within(form.of(f), form.of(v)) && filepath.Join(dir, f) != t.path
				})
				if at < 0 {
					continue
				}
				if n++; value == "" && !within(files[at], v) {
					value, file = v, files[at]
				}
			}
			if t.isKey(name) && name != t.group() && value != "" && n >= 2 && 2*n >= len(values) {
				if err := t.ordered(dir, files, file, value, name); err != nil {
					return err
				}
				return fmt.Errorf("--from %s: column %s of %s has %s, and a file is named %s: %s; add a column file with the "+
					"name of each participant's file, or write the values of %[2]s as in the names", dir, name, t.path, value,
					file, form.why)
			}
		}
	}
	return nil
}

// measured refuses files that only numbers of columns that are no ids agree with.
func (t *table) measured(dir string, files []string) error {
	best := map[string]*candidate{}
	for _, c := range t.patterns(dir, files) {
		if b := best[c.column]; !t.isKey(c.column) && (b == nil || c.rows > b.rows) && c.recognize(dir) == nil {
			best[c.column] = c
		}
	}
	var columns []string
	for _, name := range t.Columns {
		if c := best[name]; c != nil {
			columns = append(columns, c.String())
		}
	}
	if columns == nil {
		return nil
	}
	return fmt.Errorf("--from %s: no ids of %s are in the names of the files, only numbers of other columns, which "+
		"may agree by chance: %s; add a column file_id with the part of each participant's file name that differs, "+
		"or, if one of these columns has that part, rename it to file_id", dir, t.path, strings.Join(columns, ", "))
}

// within reports whether a text has a part that is no part of a longer number.
func within(text, part string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(part)
		if !longer(text[:at], part, text[end:]) {
			return true
		}
		from = at + 1
	}
}

func digitAt(s string, at int) bool { return 0 <= at && at < len(s) && '0' <= s[at] && s[at] <= '9' }

// longer reports whether a number at the start or the end of a part continues in the text before or after it.
func longer(before, part, after string) bool {
	return digitAt(part, 0) && digitAt(before, len(before)-1) || digitAt(part, len(part)-1) && digitAt(after, 0)
}
