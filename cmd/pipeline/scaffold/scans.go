package scaffold

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
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
		if untabbed(row) {
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
	found := t.listing(p.noun, "session", text, c.column, path(dir), c)
	found.Check = []string{fmt.Sprintf("participants have several files, %s: %s lists each in a row, with the columns of %s; "+
		"for one %s only, set select: %s under timeseries, or set series to its path",
		words.Some(p.paths, 6), found.Name, t.path, p.noun, strconv.Quote(p.noun+" == "+p.names[0]))}
	return found
}

// listing is the study of a table that lists each file of a participant in a row. sessions is the column of sessions,
// where these are no runs.
func (t *table) listing(noun, sessions, text, id, root string, c *candidate) *Found {
	name := noun + "s.tsv"
	lines := "    file: " + name + "\n    root: " + root + "\n"
	if !slices.Contains(t.Columns, "participant_id") {
		lines += "    id: " + quoted(id) + "\n"
	}
	lines += t.groupLine()
	if noun == "session" {
		lines += "    sessions: " + quoted(sessions) + "\n"
	}
	c.each = "-" + noun + "s"
	return &Found{What: c.what() + " of several " + noun + "s", Name: name, Table: text, Text: c.text(lines, "file")}
}

// labeled is the study of files whose names have the ids and the sessions (or runs) of the rows as BIDS writes them,
// letters and digits alone: NDAR_INV12 and baseline_year_1 as sub-NDARINV12_ses-baselineYear1. Its table has the
// sessions as the names have them, and a column of the files. Nil where more than half of the rows have none.
func (t *table) labeled(dir string, path func(string) string, files []string) *Found {
	c, id := &candidate{}, t.own()
	noun, err := t.repeated(id, c)
	ids, _ := t.Column(id)
	sessions, _ := t.Column(c.parts)
	if err != nil || noun == "" || slices.Contains(t.Columns, "file") {
		return nil
	}
	label := func(text string) string {
		text = listed.ParticipantID(strings.TrimPrefix(text, "ses-"))
		return strings.ToLower(strings.TrimPrefix(text, "sub-"))
	}
	rows := map[[2]string]int{}
	for i := range ids {
		rows[[2]string{label(ids[i]), label(sessions[i])}] = i
	}
	by, stated := map[string]*candidate{}, map[string]string{} // by what stands around the labels; session of a file
	for _, f := range files {
		its := nameWord.FindAllString(f, -1)
		labels := lists.Map(its, label)
		for a, id := range its {
			for b, session := range its {
				i, there := rows[[2]string{labels[a], labels[b]}]
				if !there || id == session {
					continue
				}
				of := nameWord.ReplaceAllStringFunc(f, func(w string) string {
					switch w {
					case id:
						return "{" + t.own() + "}"
					case session:
						return "{" + c.parts + "}"
					}
					return w
				})
				if by[of] == nil {
					by[of] = &candidate{pattern: of, column: t.own(), example: f, files: make([]string, len(ids))}
				}
				if by[of].files[i] == "" {
					by[of].rows++
				}
				by[of].files[i], stated[f] = f, session
			}
		}
	}
	var all []*candidate
	for _, of := range slices.Sorted(maps.Keys(by)) {
		if c := by[of]; 2*c.rows >= len(ids) && c.recognize(dir) == nil && !c.matrix {
			all = append(all, c)
		}
	}
	if all == nil || slices.ContainsFunc(t.Rows, untabbed) {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Or(b.rows-a.rows, rank(a)-rank(b)) })
	first, text := all[0], strings.Join(append(slices.Clone(t.Columns), "file"), "\t")+"\n"
	column := slices.Index(t.Columns, c.parts)
	for i, row := range t.Rows {
		row = append(slices.Clone(row), cmp.Or(first.files[i], "n/a"))
		row[column] = cmp.Or(stated[first.files[i]], label(sessions[i]))
		text += strings.Join(row, "\t") + "\n"
	}
	found := t.listing(noun, c.parts, text, id, path(dir), first)
	found.Check = []string{fmt.Sprintf("%s has the rows of %s with the files whose names have their %s and %s (%s), for %d of %s",
		found.Name, t.path, id, c.parts, first.pattern, first.rows, words.Count(len(ids), "row"))}
	found.others(first, lists.Map(all[1:], func(c *candidate) string { return c.pattern }))
	return found
}

// nameWord is a label of a name.
var nameWord = pattern.New(`[\pL\pN]+`)

// untabbed reports whether a row cannot be written with tabs.
func untabbed(row []string) bool { return strings.ContainsAny(strings.Join(row, ""), "\t\n\r\"") }
