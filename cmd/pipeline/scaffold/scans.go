package scaffold

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// A part is what the names of several files of a participant differ in: the number of a session, or of a run.
type part struct {
	noun   string
	paths  []string // in the order of these numbers
	names  []string // the numbers
	letter bool     // one letter stands before them, which may mean another thing
}

// parts are words in the names of files that number the sessions or runs of a participant.
var parts = []struct {
	noun     string
	in, word pattern.Pattern
}{
	{"session", pattern.New(`(?i)(^|[/_.-])(ses|session|visit|time|wave|tp|t|v)[_-]?[0-9]+([/_.-]|$)`),
		pattern.New(`(?i)(^|[/_.-])(ses|session|visit|time|wave|tp)[_-]?[0-9]`)},
	{"run", pattern.New(`(?i)(^|[/_.-])(run|r)[_-]?[0-9]+([/_.-]|$)`), pattern.New(`(?i)(^|[/_.-])run[_-]?[0-9]`)},
}

var numberPart = pattern.New(`[0-9]+`)

// partOf is what paths differ in; nil where they differ in anything else.
func partOf(paths []string) *part {
	for _, p := range parts {
		number := func(path string) string {
			return strings.Join(numberPart.FindAllString(p.in.FindString(path), 1), "")
		}
		same := func(path string) string {
			return p.in.ReplaceAllStringFunc(path, func(s string) string { return numberPart.ReplaceAllString(s, "0") })
		}
		found := &part{noun: p.noun, paths: slices.Clone(paths)}
		slices.SortFunc(found.paths, func(a, b string) int {
			return cmp.Or(len(bare(number(a)))-len(bare(number(b))), strings.Compare(bare(number(a)), bare(number(b))))
		})
		for _, path := range found.paths {
			if number(path) == "" || same(path) != same(paths[0]) || slices.Contains(found.names, number(path)) {
				found = nil
				break
			}
			found.names = append(found.names, number(path))
			found.letter = found.letter || !p.word.MatchString(path)
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// scans is the study of several files of each participant, which differ in the number of a session or run: a table with
// a row for each file, in which the participant's row is repeated, and its pipeline file. Nil where the layout of these
// files is another one.
func (t *table) scans(dir string, path func(string) string, files []string, c *candidate, others []string) *Found {
	if others == nil {
		return nil
	}
	p := partOf(append([]string{c.pattern}, others...))
	beside := strings.TrimSuffix(t.path, filepath.Ext(t.path)) + ".json" // which describes the columns
	if p == nil || p.letter || c.column != t.own() || c.matrix || c.known.Program != "" || isFile(beside) ||
		slices.Contains(t.Columns, p.noun) || slices.Contains(t.Columns, "file") {
		return nil
	}
	here := lists.Set(files)
	each := lists.Map(p.paths, func(one string) *candidate { return t.candidate(one, c.column, "", "", here) })
	text := strings.Join(append(slices.Clone(t.Columns), p.noun, "file"), "\t") + "\n"
	for i, row := range t.Rows {
		if strings.ContainsAny(strings.Join(row, ""), "\t\n\r\"") {
			return nil
		}
		var its []int
		for k, one := range each {
			if here[one.files[i]] {
				its = append(its, k)
			}
		}
		if its == nil {
			its = []int{0} // the cohort lists it as missing
		}
		for _, k := range its {
			text += strings.Join(append(slices.Clone(row), p.names[k], each[k].files[i]), "\t") + "\n"
		}
	}
	name := p.noun + "s.tsv"
	lines := "    file: " + name + "\n    root: " + path(dir) + "\n"
	if !slices.Contains(t.Columns, "participant_id") {
		lines += "    id: " + quoted(c.column) + "\n"
	}
	lines += t.groupLine()
	extends := "timeseries-" + p.noun + "s.yaml"
	if p.noun == "session" {
		lines += "    sessions: session\n"
	}
	return &Found{What: c.what() + " of several " + p.noun + "s", Name: name, Table: text,
		Text: "extends: " + extends + "\npipeline: study\nvars: { tr: 0 } # s, repetition time; filters and windows need it\n" +
			"cohort:\n  timeseries:\n" + lines + "    series: file\n",
		Check: []string{fmt.Sprintf("participants have several files, %s: %s lists each in a row, with the columns of %s; "+
			"for one %s only, set select: %s under timeseries, or set series to its path",
			words.Some(p.paths, 6), name, t.path, p.noun, strconv.Quote(p.noun+" == "+p.names[0]))},
	}
}
