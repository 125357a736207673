package located

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
)

// A Named is the file of a participant, a session or a run.
type Named struct{ ID, Path string }

// An Other is a file, by its place, that has the id of another participant in its name, or another session.
type Other struct {
	At     int
	Whose  string
	Number string // in the name, where a column with these numbers would explain it
	Beside bool   // the own id is in the name too, but not where the others have theirs
}

// fewestOwn is how many files have what is their own at one place of their names where that is no chance.
const fewestOwn = 4

// word is a word of a name; pieces are its letters and its digits, which border on each other.
var (
	word   = pattern.New(`[\pL\pN]+`)
	pieces = pattern.New(`[0-9]+|[^0-9]+`)
	number = pattern.New(`^\pL*(?:[0-9]+\pL+([0-9]{2,})|([0-9]+))\pL*$`)
)

// A slot is a place in the names of files: fields from … to-1 of all names that are laid out alike, and letters that
// stand before or after the id in the same field; or in all names, where layout is "", the digits from (1…), or those
// from the end (-1…).
type slot struct {
	layout   string
	from, to int
	affix    string
}

// A mark is a part of a name that is the id of somebody, or has the number of an id.
type mark struct {
	slot
	text          string   // canonical: in lower case, without the zeros before numbers
	whose         []string // several have one number
	whole         bool     // one or several words of the name
	subject       bool     // after sub or subject, an id as it is
	at, fields    int      // its first field, and how many
	before, after string   // the letters before it, and after it in its word; "" for none
}

func lettered(word string) bool { return strings.Trim(word, "0123456789") != "" }

// canonical is the lower-case letters and digits of a text, without zeros before its numbers.
func canonical(text string) string {
	all := make([]byte, 0, len(text))
	number := false // the last byte is in a number, beyond its zeros
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		switch {
		case isDigit(c):
			if n := len(all); n > 0 && all[n-1] == '0' && !number {
				all = all[:n-1]
			}
			number = number || c != '0'
			all = append(all, c)
		case 'a' <= c && c <= 'z':
			number, all = false, append(all, c)
		}
	}
	return string(all)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// firstOf is what the parentheses of an expression find; "" for nothing.
func firstOf(p pattern.Pattern, text string) string {
	if m := p.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// keys are the texts that are ids, and the numbers in them.
type keys struct {
	full    map[string][]string
	numbers map[string][]string
	longest int
	letters bool // some ids are letters alone
}

// keysOf are the keys of ids; of those of all, only where no own has the same key. num is the number of an id, "" for
// none.
func keysOf(own, all []string, num func(id string) string) *keys {
	k := &keys{full: map[string][]string{}, numbers: map[string][]string{}}
	add := func(of map[string][]string, key, id string, before map[string][]string) {
		if key != "" && before[key] == nil && !slices.Contains(of[key], id) {
			of[key] = append(of[key], id)
			k.longest = max(k.longest, len(key))
		}
	}
	for _, ids := range [][]string{own, all} {
		of := &keys{full: map[string][]string{}, numbers: map[string][]string{}}
		for _, id := range ids {
			add(of.full, canonical(bare(id)), id, k.full)
			add(of.numbers, num(id), id, k.numbers)
		}
		for key, ids := range of.full {
			k.full[key] = ids
			k.letters = k.letters || !strings.ContainsAny(key, "0123456789")
		}
		for key, ids := range of.numbers {
			k.numbers[key] = ids
		}
	}
	return k
}

// fields are the marks in the names of files.
type fields struct {
	*keys
	marks   [][]mark  // of each file
	cuts    [][]field // of each file
	layouts []string
	of      map[string]int // files of a layout, and of ""
	digits  int            // most fields of digits in a name
}

// field is a piece of a name.
type field struct {
	text        string
	first, last bool // of its word
}

// cut divides a name into fields. Letters that no id has are left out, as in ids.
func cut(name string) (all []field, layout string) {
	name = strings.ToLower(norm.NFC.String(filepath.ToSlash(name)))
	at := 0
	for _, w := range word.FindAllStringIndex(name, -1) {
		layout += strings.Repeat(" ", min(w[0]-at, 1))
		at = w[1]
		ascii := strings.Map(func(r rune) rune {
			if r > 127 {
				return -1
			}
			return r
		}, name[w[0]:w[1]])
		parts := pieces.FindAllString(ascii, -1)
		for i, text := range parts {
			all = append(all, field{text, i == 0, i == len(parts)-1})
			if lettered(text) {
				layout += "a"
			} else {
				layout += "0"
			}
		}
	}
	return all, layout
}

// fieldsOf finds the marks of names.
func fieldsOf(files []Named, k *keys) *fields {
	f := &fields{keys: k, of: map[string]int{"": len(files)}}
	for _, file := range files {
		all, layout := cut(file.Path)
		f.of[layout]++
		f.digits = max(f.digits, strings.Count(layout, "0"))
		f.marks = append(f.marks, k.marks(all, layout))
		f.cuts, f.layouts = append(f.cuts, all), append(f.layouts, layout)
	}
	return f
}

func (k *keys) marks(all []field, layout string) (marks []mark) {
	digits, seen := lists.Count(all, func(f field) bool { return !lettered(f.text) }), 0
	letters := func(i int) string {
		if i >= 0 && i < len(all) && lettered(all[i].text) {
			return all[i].text
		}
		return ""
	}
	for from, f := range all {
		raw := ""
		for to := from + 1; to <= len(all) && len(canonical(raw)) <= k.longest; to++ {
			raw += all[to-1].text
			m := mark{slot: slot{layout: layout, from: from, to: to}, text: canonical(raw), before: letters(from - 1),
				whole: f.first && all[to-1].last, at: from, fields: to - from}
			if !all[to-1].last {
				m.after = letters(to)
			}
			if m.whose = k.full[m.text]; !lettered(raw) {
				m.whose = k.numbers[m.text]
			}
			alone := lettered(raw) || to == from+1 || long(m.text) // several numbers are one by chance
			if its := k.full[m.text]; its != nil && alone && slices.Contains(subject, m.before) {
				m.whose, m.subject = its, true
			}
			if m.whose != nil {
				marks = append(marks, m)
			}
			if !lettered(raw) && to == from+1 {
				seen++
				if m.whose != nil {
					first, last := m, m
					first.slot, last.slot = slot{from: seen}, slot{from: seen - digits - 1}
					marks = append(marks, first, last)
				}
			}
		}
		if !k.letters || !lettered(f.text) {
			continue
		}
		for cut := 1; cut < len(f.text); cut++ { // letters beside an id of letters
			head, tail := f.text[:cut], f.text[cut:]
			for _, part := range [][2]string{{head, "+" + tail}, {tail, head + "+"}} {
				if whose := k.full[part[0]]; whose != nil {
					at := slot{layout, from, from + 1, part[1]}
					marks = append(marks, mark{slot: at, text: part[0], whose: whose})
				}
			}
		}
	}
	return marks
}

// A tally is what the files have at a slot.
type tally struct {
	own, marked int
	texts       map[string]bool
	before      map[string]bool // letters before own marks
}

// tallies are those of all slots; own reports whether a mark in the name of a file is its own.
func (f *fields) tallies(own func(i int, m mark) bool) map[slot]*tally {
	all := map[slot]*tally{}
	for i, marks := range f.marks {
		for _, m := range marks {
			t := all[m.slot]
			if t == nil {
				t = &tally{texts: map[string]bool{}, before: map[string]bool{}}
				all[m.slot] = t
			}
			t.marked++
			t.texts[m.text] = true
			if own(i, m) {
				t.own++
				t.before[m.before] = true
			}
		}
	}
	return all
}

// most reports whether n are three of four files that have a slot, and more than few.
func (f *fields) most(s slot, n int) bool { return n >= fewestOwn && 4*n >= 3*f.of[s.layout] }

// bare is an id as a word of a name.
func bare(id string) string { return strings.TrimPrefix(strings.ToLower(id), "sub-") }

// bareNumber is the number of an id, without zeros before it; "" of one that is no number. Of two, as of a site and a
// participant, it is the last.
func bareNumber(id string) string {
	return canonical(strings.Join(append(number.FindStringSubmatch(bare(id)), "", "")[1:], ""))
}

// long reports whether a number is no chance beside others.
func long(number string) bool { return len(number) > 4 }
