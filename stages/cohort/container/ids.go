package container

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/connectivity"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// forms are the ways in which the ids of a file and of the table are compared: without what programs change in ids;
// without the directory, the session, the task and the ending of a file name too; and by their last number. They
// serve to refuse, never to choose.
var forms = []func(string) string{
	func(id string) string { return column.NormalID(listed.ParticipantID(id)) },
	func(id string) string { return column.NormalID(listed.ParticipantID(person(id))) },
	func(id string) string {
		numbers := digits.FindAllString(person(id), -1)
		if numbers == nil {
			return ""
		}
		return column.NormalID(numbers[len(numbers)-1])
	},
}

var (
	digits  = pattern.New(`[0-9]+`)
	entity  = pattern.New(`(?i)(?:^|[/\\_])sub-([a-z0-9]+)`)
	endings = pattern.New(`(\.[A-Za-z][A-Za-z0-9]*)+$`)
	parts   = pattern.New(`(?i)[_-](ses|session|task|run|acq|rec|echo|space|desc|func|rois?|bold|rest)(-?[a-z0-9]*)([_.-].*)?$`)
)

// person is the part of a file name, or of an id with a session, that names the participant.
func person(text string) string {
	if m := entity.FindAllStringSubmatch(text, -1); m != nil {
		return m[len(m)-1][1]
	}
	text = strings.TrimRight(text, "/\\")
	text = text[strings.LastIndexAny(text, "/\\")+1:]
	text = endings.ReplaceAllString(text, "")
	return parts.ReplaceAllString(text, "")
}

// ofOthers refuses files that state by themselves that they are another participant's: by the first form in which half
// of the files or more state their own, or by the whole id of another participant, who may be excluded.
func ofOthers(all []*Reading, l *listed.List) {
	ids := lists.Map(all, func(f *Reading) string { return forms[0](f.ID) })
	of, _ := l.Sheet.Column(l.ID)
	ids = append(ids, lists.Map(of, forms[0])...)
	stated := slices.DeleteFunc(slices.Clone(all), func(f *Reading) bool {
		return f.person.ID == "" || f.Layout.Member > 0 || f.Err != nil
	})
	form := func(id string) string { return "" } // none
	for _, of := range forms {
		same := 0
		for _, f := range stated {
			if own := of(f.ID); own != "" && of(f.person.ID) == own {
				same++
			}
		}
		if same > 0 && 2*same >= len(stated) {
			form = of
			break
		}
	}
	for _, f := range stated {
		if id := forms[0](f.person.ID); id != forms[0](f.ID) &&
			(form(f.person.ID) != form(f.ID) || form(f.ID) == "" && slices.Contains(ids, id)) {
			f.Err = fmt.Errorf("%s: its variable %s is %.80q, but the file is listed for %s: it is the scan of another participant; correct the path, or the variable%s",
				f.Path, f.person.Variable, f.person.ID, f.ID, column.OrExclude)
		}
	}
}

// namesOfMembers refuses names of the regions that are the participants' ids, or a list of participants by its name:
// where these are as many as the regions, one list passes for the other.
func namesOfMembers(all []*Reading, l *listed.List) {
	ids := map[string]bool{}
	of, _ := l.Sheet.Column(l.ID)
	for _, id := range of {
		ids[forms[0](id)] = true
	}
	for _, f := range all {
		if f.Err != nil || len(f.Names) < 2 {
			continue
		}
		here := lists.Count(f.Names, func(name string) bool { return ids[forms[0](name)] })
		variable := f.Layout.Names
		members := region.NamesMembers(variable[strings.LastIndex(variable, ".")+1:])
		// Regions may have the numbers 1, 2, 3 … as participants may.
		numbers := !slices.ContainsFunc(f.Names, func(name string) bool {
			return strings.Trim(name, "0123456789") != ""
		})
		if here == len(f.Names) && (members || !numbers) {
			f.Err = fmt.Errorf("the names of the regions, such as %s, are the ids of the participants in %s: set names to the list of the regions, or to none",
				words.Some(f.Names, 3), filepath.Base(l.Path))
		}
	}
}

// namesOfOthers refuses files with names of regions that are another participant's.
func namesOfOthers(all []*Reading, names *located.Source, l *listed.List) {
	var files []located.RowFile
	for _, f := range all {
		if path, err := names.File(l, f.Row); err == nil {
			files = append(files, located.RowFile{Source: names, Row: f.Row, Path: path})
		}
	}
	misnamed, _ := located.Misnamed(l, l.Dir, files)
	for _, wrong := range misnamed {
		for _, f := range all {
			if f.Row.Line == wrong.Row.Line && f.Err == nil {
				f.Err = wrong.Err
			}
		}
	}
}

// checkIDs compares the participants with the lists that the file has itself: of ids, by the first form in which half
// of them or more are those of the table, and of groups. One that lists ids by its name, and cannot be compared, is
// refused.
func (w *Within) checkIDs(shared []*Reading, l *listed.List) error {
	compared := map[string]*comparison{} // by file and list
	for _, f := range shared {
		if f.Found == nil {
			continue
		}
		for _, list := range f.Found.Members {
			at := fmt.Sprint(f.Path, "\x00", list.Name, list.Measure)
			c := compared[at]
			if c == nil {
				var err error
				c = &comparison{}
				if !list.Measure {
					if c, err = w.compare(f, list, l); err != nil {
						return err
					}
				}
				if list.Measure || list.Codes && c.form == nil {
					doubts, err := w.measured(list, f.Path, shared, l)
					if err != nil {
						return err
					}
					f.Doubts = append(f.Doubts, doubts...)
				}
				compared[at] = c
			}
			if c.form == nil {
				continue
			}
			k := f.Layout.Member - 1
			value := f.Row.Cells.Get(c.column)
			if c.of != nil {
				value = c.of[f.Row.Line]
			}
			if value != "" && c.form(list.Values[k]) != c.form(value) {
				c.apart = append(c.apart, fmt.Sprintf("%s (%d, which is %s)", f.ID, k+1, list.Values[k]))
			}
		}
	}
	for _, f := range shared { // in the order of the table
		if f.Found == nil {
			continue
		}
		for _, list := range f.Found.Members {
			if c := compared[fmt.Sprint(f.Path, "\x00", list.Name, list.Measure)]; c.apart != nil {
				return fmt.Errorf("member: by column %q of %s, %d of %d participants are others than by %s of %s: %s; number the participants in the order of the file",
					w.Member, l.Path, len(c.apart), len(shared), list.Name, filepath.Base(f.Path),
					words.Some(c.apart, 4))
			}
		}
	}
	return nil
}

// A comparison is that of a list in a file with a column of the table; form is nil where they have nothing in common.
type comparison struct {
	form   func(string) string
	column string
	of     map[int]string // its values by line, where those of the table or the names of groups count
	whole  bool           // all entries are labels of the table
	apart  []string       // participants who are others
}

// compare finds the column of the table, and the form, in which a list can be compared.
func (w *Within) compare(f *Reading, list region.List, l *listed.List) (*comparison, error) {
	name := fmt.Sprintf("%s of %s", list.Name, filepath.Base(f.Path))
	if len(list.Values) != f.Found.Many {
		return nil, fmt.Errorf("member: %s has %d entries, but there are %d participants in the file: list each of them, or save the file without this list",
			name, len(list.Values), f.Found.Many)
	}
	distinct := func(values []string) bool {
		return len(slices.Compact(slices.Sorted(slices.Values(values)))) == len(values)
	}
	labels := w.labelsOf(list, l)
	if list.Either && !labels.whole {
		return &comparison{}, nil
	}
	if list.Codes || labels.whole { // 0 and 1 are not the ids 0 and 1
		return labels, nil
	}
	ids, _ := l.Sheet.Column(l.ID)
	for k, form := range forms {
		if list.Weak && k > 0 {
			break
		}
		for _, c := range append([]string{l.ID}, l.Sheet.Columns...) {
			if c != l.ID && (c == w.Member || !region.NamesMembers(c)) {
				continue
			}
			values, _ := l.Sheet.Column(c)
			var each []string // of one participant with several rows once
			for i, v := range values {
				if pair := form(v) + "\x00" + listed.ParticipantID(ids[i]); form(v) != "" &&
					!slices.Contains(each, pair) {
					each = append(each, pair)
				}
			}
			each = lists.Map(each, func(pair string) string { v, _, _ := strings.Cut(pair, "\x00"); return v })
			here, theirs := lists.Map(list.Values, form), 0
			for _, id := range here {
				if slices.Contains(each, id) {
					theirs++
				}
			}
			if distinct(each) && len(each) > 0 && 2*theirs >= min(len(here), len(each)) &&
				(!list.Weak || theirs == len(here) && theirs == len(each)) {
				return &comparison{form: form, column: c}, nil
			}
		}
	}
	if labels.form != nil {
		return labels, nil
	}
	if !list.IDs || !distinct(list.Values) && !list.Persons || counting(list.Values) {
		return &comparison{}, nil
	}
	return nil, fmt.Errorf("member: the ids in %s, such as %s, are not those of %s, so the numbers cannot be checked: add a column subject_id with these ids to the table, or save the file without the list",
		name, words.Some(list.Values, 3), l.Path)
}

// labelsOf is the comparison with a column of the table whose labels a list with entries that repeat has: one of its
// name, or the groups, as the table has them or as levels names them.
func (w *Within) labelsOf(list region.List, l *listed.List) *comparison {
	name := list.Name[strings.LastIndex(list.Name, ".")+1:]
	here := lists.SetOf(list.Values, labelForm)
	for _, c := range l.Sheet.Columns {
		if !strings.EqualFold(c, name) && c != l.Group {
			continue
		}
		raw, named := map[int]string{}, map[int]string{}
		values, _ := l.Sheet.Column(c)
		for i, v := range values {
			raw[l.Sheet.Lines[i]] = v
		}
		for _, r := range l.Rows {
			if c == l.Group {
				named[r.Line] = r.Label
			}
		}
		for _, of := range []map[int]string{raw, named} {
			there, all := map[string]bool{}, true
			for _, v := range of {
				if v != "" {
					there[labelForm(v)] = true
					all = all && here[labelForm(v)]
				}
			}
			if all && len(there) > 1 && len(here) < len(list.Values) {
				return &comparison{form: labelForm, column: c, of: of, whole: len(here) == len(there)}
			}
		}
	}
	return &comparison{}
}

// labelForm is that in which labels are compared: 1.0, as pandas saves it, is 1.
func labelForm(label string) string {
	if whole, decimals := cell.Whole(label); decimals {
		label = whole
	}
	return forms[0](label)
}

// A measure is what a list of the file and the table have of the participants that both give a value.
type measure struct {
	name, column string
	of           []*Reading
	here, there  []string
}

// measured compares a list with the column of its name, and codes of groups with the groups. Where they agree little
// better than by chance, and would in another order, the numbers of the participants are refused; where they disagree
// in few, or are unrelated, they are doubted.
func (w *Within) measured(list region.List, path string, shared []*Reading, l *listed.List) ([]column.Note, error) {
	name := forms[0](list.Name[strings.LastIndex(list.Name, ".")+1:])
	m := measure{name: fmt.Sprintf("%s of %s", list.Name, filepath.Base(path)), column: l.Group}
	if !list.Codes {
		at := slices.IndexFunc(l.Sheet.Columns, func(c string) bool {
			return forms[0](c) == name && c != w.Member && c != l.ID && !region.NamesMembers(c)
		})
		if at < 0 {
			return nil, nil
		}
		m.column = l.Sheet.Columns[at]
	}
	for _, f := range shared {
		if f.Path != path || f.Found == nil || len(list.Values) < f.Layout.Member {
			continue
		}
		here, there := list.Values[f.Layout.Member-1], f.Row.Cells.Get(m.column)
		if list.Codes {
			there = f.Row.Label
		}
		if here != "" && there != "" {
			m.of, m.here, m.there = append(m.of, f), append(m.here, here), append(m.there, there)
		}
	}
	n, of := float64(len(m.of)), len(m.of)
	agree, best, chance, apart := m.numbers(list.Values)
	coded := list.Codes || best < 0.9*n
	if coded {
		if agree, best, chance, apart = m.codes(); best == 0 && !list.Codes {
			return m.unrelated(), nil
		}
	}
	switch rest := len(apart); {
	case rest == 0 || best <= chance:
	case of >= 10 && best >= 0.9*n && agree-chance < (best-chance)/2:
		how := fmt.Sprintf("have another %s than in %s", m.column, m.name)
		if coded {
			how = fmt.Sprintf("have another %s than most participants with their code in %s", m.column, m.name)
		}
		return nil, fmt.Errorf("member: by column %q of %s, %d of %d participants %s (%s), little better than by chance, and in another order %g could agree: number the participants in the order of the file, or add their ids to it (subject_id)",
			w.Member, l.Path, rest, of, how, words.Some(apart, 4), best)
	case list.Codes:
		return []column.Note{column.Doubtful(column.DoubtAlike, "noted.codes-of-groups", column.Values{
			"List": list.Name, "File": filepath.Base(path), "Codes": slices.Sorted(maps.Keys(counts(m.here))),
			"Groups": slices.Sorted(maps.Keys(counts(m.there))), "N": rest, "Of": of})}, nil
	case of >= 10 && agree < best:
		return m.doubt("noted.values-of-others", column.Values{"N": rest, "Of": of, "Who": apart}), nil
	}
	return nil, nil
}

func (m *measure) doubt(code string, values column.Values) []column.Note {
	values["List"], values["Column"] = m.name, m.column
	return []column.Note{column.Doubtful(column.DoubtAlike, code, values)}
}

// numbers compares numbers: how many participants agree, how many would in the best order, with all values of the
// list, and by chance. One that has fewer decimals may be rounded or cut off.
func (m *measure) numbers(all []string) (agree, best, chance float64, apart []string) {
	long, short := numbers(m.here), numbers(m.there)
	sorted := numbers(slices.DeleteFunc(slices.Clone(all), func(v string) bool { return v == "" }))
	if long == nil || short == nil || sorted == nil {
		return 0, 0, 0, nil
	}
	slices.Sort(sorted)
	decimals := func(of []string) (most int) {
		for _, v := range of {
			_, after, _ := strings.Cut(v, ".")
			most = max(most, len(strings.TrimRight(after, "0")))
		}
		return most
	}
	inHere, inThere := decimals(m.here), decimals(m.there)
	unit := math.Pow(10, -float64(min(inHere, inThere)))
	low, high := unit/2, unit
	if inHere == inThere {
		low, high = unit/4, unit/4
	}
	if inHere < inThere { // those of the table are cut off
		low, high = high, low
	}
	within := func(v, of float64) bool { return v >= of-float64(low*(1+1e-6)) && v < of+high }
	for i, v := range long {
		if within(v, short[i]) {
			agree++
		} else {
			apart = append(apart, fmt.Sprintf("%s: %s and %s", m.of[i].ID, m.there[i], m.here[i]))
		}
	}
	next := 0
	for _, v := range slices.Sorted(slices.Values(short)) {
		first, _ := slices.BinarySearch(sorted, v-float64(low*(1+1e-6)))
		last, _ := slices.BinarySearch(sorted, v+high)
		chance += float64(last-first) / float64(len(sorted))
		if next = max(next, first); next < last {
			best++
			next++
		}
	}
	return agree, best, chance, apart
}

// codes compares codes with labels that they may stand for, as numbers does; best is 0 where they are not as many.
func (m *measure) codes() (agree, best, chance float64, apart []string) {
	codes, labels := counts(m.here), counts(m.there)
	if len(codes) != len(labels) || len(codes) < 2 || len(codes) > 20 {
		return 0, 0, 0, nil
	}
	pairs := map[string]map[string]int{}
	for i, code := range m.here {
		if pairs[code] == nil {
			pairs[code] = map[string]int{}
		}
		pairs[code][m.there[i]]++
	}
	usual := map[string]string{}
	for code, of := range pairs {
		for _, label := range slices.Sorted(maps.Keys(of)) {
			if of[label] > of[usual[code]] {
				usual[code] = label
			}
		}
	}
	for i, code := range m.here {
		if m.there[i] == usual[code] {
			agree++
		} else {
			apart = append(apart, fmt.Sprintf("%s: %s and %s", m.of[i].ID, m.there[i], code))
		}
	}
	sizes := slices.Sorted(maps.Values(labels))
	for i, n := range slices.Sorted(maps.Values(codes)) {
		best += float64(min(n, sizes[i]))
		chance += float64(n*sizes[i]) / float64(len(m.here))
	}
	return agree, best, chance, apart
}

// unrelated doubts numbers of one name that differ in unit or source, and are not correlated.
func (m *measure) unrelated() []column.Note {
	here, there := numbers(m.here), numbers(m.there)
	if len(here) < 10 || there == nil {
		return nil
	}
	if r := connectivity.Correlation(here, there); math.Abs(r) < 2/math.Sqrt(float64(len(here))) {
		return m.doubt("noted.values-unrelated", column.Values{"R": r, "Of": len(here)})
	}
	return nil
}

// numbers are those of texts; nil where one is none.
func numbers(texts []string) (all []float64) {
	for _, text := range texts {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		all = append(all, x)
	}
	return all
}

func counts(values []string) map[string]int {
	of := map[string]int{}
	for _, v := range values {
		of[v]++
	}
	return of
}

// counting reports whether values are 1, 2, 3 … or 0, 1, 2 …, as the order of a file alone has them.
func counting(values []string) bool {
	for first := range 2 {
		if !slices.ContainsFunc(values,
			func(v string) bool { return v != strconv.Itoa(first+slices.Index(values, v)) }) {
			return true
		}
	}
	return false
}
