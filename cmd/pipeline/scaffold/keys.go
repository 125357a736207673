package scaffold

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/region"
	"prgnn/stages/sheet"
)

// A candidate is a path with the column of a table in it.
type candidate struct {
	pattern, column string
	example         string   // the file of a participant
	strip           string   // with which paths in the column lead to the directory: data/
	rows            int      // that have such a file
	others          []string // paths of the same program, such as those of other conditions
	known           region.Layout
	matrix          bool
}

// ownName are names of the columns of a participant's own id; idName are those of other ids, such as the number of a
// scan, and of files.
var (
	ownName = pattern.New(`(?i)^((participant|subject|subj|sub|person|proband)s?([ _.-]?(id|code))?|` +
		`(patient|case)[ _.-]?(id|code)|id|ids|(r|pt|s)id|record[ _.-]?id|code)$`)
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

// isKey reports whether the values of a column may be parts of the names of files: those of ids, by the name of the
// column, and texts. Numbers of another column, such as ages, are equal to those of files by chance.
func (t *table) isKey(name string) bool {
	if ownName.MatchString(name) || idName.MatchString(name) || idEnd.MatchString(name) {
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
	for _, name := range t.Columns {
		values, _ := t.Column(name)
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
				c := &candidate{pattern: strings.ReplaceAll(f, v, "{"+name+"}"), column: name, example: f}
				if strings.HasSuffix(v, "/"+f) {
					c.pattern, c.strip = "{"+name+"}", strings.TrimSuffix(v, f)
				} else if !strings.Contains(f, v) {
					continue
				}
				if filepath.Join(dir, f) == t.path {
					continue
				}
				there = 1
				if tried[c.pattern+c.strip] {
					continue
				}
				tried[c.pattern+c.strip] = true
				for _, other := range values {
					if other != "" && here[c.of(other)] {
						c.rows++
					}
				}
				if c.rows >= fewest || c.rows >= 2 && 2*c.rows >= len(t.Rows) {
					all = append(all, c)
				}
			}
			found += there
		}
	}
	slices.SortFunc(all, func(a, b *candidate) int { return strings.Compare(a.pattern, b.pattern) })
	return all
}

// of is the file of a value of the column.
func (c *candidate) of(value string) string {
	return strings.TrimPrefix(strings.ReplaceAll(c.pattern, "{"+c.column+"}", value), c.strip)
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
		if c.column == first.column || c.column != t.own() && (first.column != t.own() && c.rows < first.rows ||
			first.column == t.own() && (2*c.rows < first.rows || !t.crossed(first, c))) {
			continue
		}
		if row := t.apart(first, c); row >= 0 {
			return nil, t.ambiguous(dir, path, row, first, c)
		}
	}
	return column, nil
}

// few refuses a column by which less than half of the rows have a file, and less than half of the files named like
// these are of a row.
func (t *table) few(dir string, files []string, c *candidate) error {
	column := "{" + c.column + "}"
	before, _, _ := strings.Cut(c.pattern, column)
	after := c.pattern[strings.LastIndex(c.pattern, column)+len(column):]
	like := 0
	for _, f := range files {
		if strings.HasPrefix(f, before) && strings.HasSuffix(f, after) && len(f) > len(before)+len(after) {
			like++
		}
	}
	if 2*c.rows >= min(len(t.Rows), like) {
		return nil
	}
	return fmt.Errorf("--from %s: %d of %s of %s have a file %s, but there are %s with such names, most of them of no "+
		"row; correct the table, or add a column of paths to it", dir, c.rows, words.Count(len(t.Rows), "row"), t.path,
		c.pattern, words.Count(like, "file"))
}

// without are the rows that have no file by a path, by their values.
func (t *table) without(files []string, c *candidate) (values []string) {
	all, _ := t.Column(c.column)
	here := lists.Set(files)
	return slices.DeleteFunc(slices.Clone(all), func(v string) bool { return here[c.of(v)] })
}

// apart is a row for which two paths are different files; -1 without one.
func (t *table) apart(a, b *candidate) int {
	of, _ := t.Column(a.column)
	other, _ := t.Column(b.column)
	for i := range of {
		if a.of(of[i]) != b.of(other[i]) {
			return i
		}
	}
	return -1
}

// crossed reports whether a column gives the file of a participant's own id to another, and states files, by its name
// or since its values are no ids of others: kin has these.
func (t *table) crossed(own, c *candidate) bool {
	ids, _ := t.Column(own.column)
	values, _ := t.Column(c.column)
	rows := map[string]int{}
	persons := !idName.MatchString(c.column)
	for i, id := range ids {
		rows[own.of(id)] = i
		persons = persons && (values[i] == "" || slices.Contains(ids, values[i]))
	}
	return !persons && slices.ContainsFunc(values, func(v string) bool {
		i, there := rows[c.of(v)]
		return there && values[i] != v
	})
}

func (t *table) ambiguous(dir string, path func(string) string, row int, a, b *candidate) error {
	of, _ := t.Column(a.column)
	other, _ := t.Column(b.column)
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
		"ones: %s and %s; %s has %s by the one and %s by the other. Write a pipeline file with the path that is meant "+
		"for FILES, %s:\n  %s", dir, t.path, a, b, who[row], a.of(of[row]), b.of(other[row]),
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
				for _, glob := range around(f, v, "{"+name+"}") {
					if tried[glob] {
						continue
					}
					tried[glob] = true
					c := &candidate{pattern: glob, column: name, example: f}
					for _, value := range values {
						matched := 0
						for _, other := range files {
							if ok, _ := path.Match(c.of(value), other); ok && value != "" {
								matched++
							}
						}
						if matched == 1 {
							c.rows++
						}
					}
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

// around are the paths with a * for each number beside a value.
func around(file, value, column string) (all []string) {
	for from := 0; ; {
		at := strings.Index(file[from:], value)
		if at < 0 {
			return all
		}
		at += from
		star := func(text string) string { return numberPart.ReplaceAllString(text, "*") }
		all = append(all, star(file[:at])+column+star(file[at+len(value):]))
		from = at + 1
	}
}

// otherwise is why no path has the values of a column, where names of files have them in another form.
func (t *table) otherwise(dir string, path func(string) string, files []string) error {
	if all := t.starred(dir, files); all != nil {
		id := cmp.Or(t.own(), all[0].column)
		return fmt.Errorf("--from %s: the names of the files have the values of a column of %s beside text that differs "+
			"from file to file: %s; write a pipeline file with the path that is meant for FILES:\n  %s", dir, t.path,
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

// zeros refuses ids that the names of files have with other zeros before their numbers, or without decimals: 1 or 1.0
// for 001. least is for how many rows, and at least for half of them.
func (t *table) zeros(dir string, files []string, least int) error {
	by := map[string][]string{} // names of files, by a number in them without the zeros
	for _, f := range files {
		for _, digits := range numberPart.FindAllString(filepath.Base(f), -1) {
			if n := bare(digits); len(by[n]) < 100 && !slices.Contains(by[n], f) {
				by[n] = append(by[n], f)
			}
		}
	}
	for _, name := range t.Columns {
		if !t.isKey(name) {
			continue
		}
		values, _ := t.Column(name)
		n, value, file := 0, "", ""
		for _, v := range values {
			if f := otherZeros(v, by); f != "" {
				if n++; n == 1 {
					value, file = v, f
				}
			}
		}
		if n < max(2, least) || 2*n < len(values) {
			continue
		}
		why := "they differ in leading zeros"
		if digits := numberPart.FindString(value); strings.TrimLeft(digits, "0") == digits {
			why = "the table lost leading zeros or has decimals"
		}
		return fmt.Errorf("--from %s: column %s of %s has %s, and a file is named %s: %s; write its values as text, "+
			"as in the names of the files", dir, name, t.path, value, file, why)
	}
	return nil
}

// bare are the numbers of a text without zeros before them.
func bare(text string) string {
	return numberPart.ReplaceAllStringFunc(text, func(digits string) string {
		return cmp.Or(strings.TrimLeft(digits, "0"), "0")
	})
}

// otherZeros is a file whose name has a value with other zeros, and with its own none has it; "" without one.
func otherZeros(value string, by map[string][]string) (file string) {
	digits, _ := cell.Whole(value)
	numbers := numberPart.FindAllString(digits, -1)
	if numbers == nil {
		return ""
	}
	for _, f := range by[bare(numbers[len(numbers)-1])] {
		name := filepath.Base(f)
		if within(name, value) {
			return ""
		}
		if file == "" && within(bare(name), bare(digits)) {
			file = f
		}
	}
	return file
}

// within reports whether a text has a part that is no part of a longer number.
func within(text, part string) bool {
	digit := func(s string, at int) bool { return 0 <= at && at < len(s) && '0' <= s[at] && s[at] <= '9' }
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(part)
		if !(digit(part, 0) && digit(text, at-1) || digit(part, len(part)-1) && digit(text, end)) {
			return true
		}
		from = at + 1
	}
}
