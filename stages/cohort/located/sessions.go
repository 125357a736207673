package located

import (
	"cmp"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
)

// An InPart is the file of a participant in a session or a run.
type InPart struct{ Part, Path, ID string }

// parts are what a participant has several of, and the words beside their numbers in names of files.
type parts struct {
	noun  string
	words pattern.Pattern
}

var (
	sessions = parts{"session", pattern.New(`^(ses|sess|session|visit|v|t|tp|time|timepoint|wave|wk|week|mo|month|yr|year|day)s?$`)}
	runs     = parts{"run", pattern.New(`^(run|r)$`)}
)

var partNumber = pattern.New(`^[^0-9]*?0*([0-9]+)[^0-9]*$`)

// states reports whether a mark is that of a session and of nothing else: it has a letter, or five digits, or beside it
// is a word for sessions, or that of the session's own name: week8 is W8, 12months is M12, and T2 is no V2.
func (p parts) states(m mark) bool {
	if lettered(m.text) || long(m.text) {
		return true
	}
	own := strings.Trim(canonical(m.whose[0]), "0123456789")
	for _, word := range []string{m.before, m.after} {
		if word != "" && word == own || p.words.MatchString(word) &&
			(len(word) > 2 || strings.HasPrefix(word, own) || strings.HasPrefix(own, word)) {
			return true
		}
	}
	return false
}

// others are the files whose names state another session, and not that of their row, as OfOthers has it for ids: in a
// field that has their own in three of four files, or as a word with letters, or as a number beside a word for sessions
// where most such names have that of one. What stands in all names, as that of a directory, states none. The cohort may
// leave out some of the table's sessions. by is not nil where numbers alone are those of other sessions.
func (p parts) others(files []InPart, leftOut []string) (others []Other, by *Numbering) {
	own := lists.Map(files, func(f InPart) string { return f.Part })
	number := func(name string) string { return firstOf(partNumber, name) }
	f := fieldsOf(lists.Map(files, func(f InPart) Named { return Named{f.Part, f.Path} }),
		keysOf(own, slices.Concat(own, leftOut), number))
	is := func(i int, m mark) bool { return slices.Contains(m.whose, files[i].Part) }
	slots := f.tallies(is)
	ofPeople := f.tallies(func(i int, m mark) bool {
		n := bareNumber(m.text)
		return m.text == canonical(bare(files[i].ID)) || n != "" && n == bareNumber(files[i].ID)
	})
	times := map[string]int{} // files with a text
	for _, marks := range f.marks {
		seen := map[string]bool{}
		for _, m := range marks {
			if !seen[m.text] {
				seen[m.text] = true
				times[m.text]++
			}
		}
	}
	named := 0
	for i, marks := range f.marks {
		mine, placed, stated := false, "", ""
		for _, m := range marks {
			t := slots[m.slot]
			varies := len(t.texts) > 1
			filled := 4*t.marked >= 3*f.of[m.layout] &&
				(varies || f.of[m.layout] < fewestOwn && times[m.text] < len(files))
			agrees := varies && f.most(m.slot, t.own)
			states := m.layout != "" && p.states(m) && (filled || m.whole && lettered(m.text) && len(m.text) > 1 &&
				(varies || times[m.text] < len(files)))
			switch {
			case m.fields > 1 && !lettered(m.text) && !long(m.text):
			case ofPeople[m.slot].own == t.marked && t.marked > 1 || !agrees && !states:
			case is(i, m):
				mine = true
			case agrees:
				placed = m.whose[0]
			case stated == "":
				stated = m.whose[0]
			}
		}
		if mine {
			named++
		} else if whose := cmp.Or(placed, stated); whose != "" {
			others = append(others, Other{At: i, Whose: whose})
		}
	}
	if others != nil || 4*named >= 3*len(files) {
		return others, nil
	}
	for place := (slot{from: 1}); place.from <= f.digits; place.from++ {
		if t := slots[place]; t != nil && t.marked == len(files) && len(t.texts) > 1 && ofPeople[place].own < t.marked {
			if by = f.exchanged(files, place); by != nil {
				return nil, by
			}
		}
	}
	return nil, nil
}

// exchanged are the files with numbers of other sessions at a place of their names, where each session of a participant
// has a number of its own.
func (f *fields) exchanged(files []InPart, place slot) *Numbering {
	by, of, several := &Numbering{Numbers: make([]string, len(files))}, map[[2]string]string{}, map[string]string{}
	for i, file := range files {
		m := f.marks[i][slices.IndexFunc(f.marks[i], func(m mark) bool { return m.slot == place })]
		key := [2]string{file.ID, m.text}
		if first, there := of[key]; there && first != file.Part {
			return nil
		}
		of[key], several[file.ID] = file.Part, several[file.ID]+m.text+" "
		if by.Numbers[i] = m.text; !slices.Contains(m.whose, file.Part) {
			by.Others = append(by.Others, Other{At: i, Whose: m.whose[0]})
		}
	}
	if by.Others == nil || len(several) == len(files) { // one session each
		return nil
	}
	return by
}
