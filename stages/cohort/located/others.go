package located

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
)

var digits = pattern.New(`[0-9]+`)

// fewestPermuted is how many files have the numbers of the same number of participants by chance nearly never.
const fewestPermuted = 8

// A Column is one of a table, but for that of the ids: its value for each file. It counts if its numbers are 1, 2, 3 …
// without gaps, and those of the ids are others, as where a program numbers files.
type Column struct {
	Values []string
	Counts bool
}

// OfOthers are the files whose names hold the id of another participant, and not that of their own. Names that are
// laid out alike are compared field by field: letters, digits, or several of them together. A field that has the own
// id in three of four files states whose each file is, and so does one in which three of four have an id with a letter.
// Elsewhere an id counts as a whole word: with letters and digits, after sub or subject, or a number of five digits;
// any other with a letter where it is no word of the names of several, or where three of four files have the id of
// their own participant, if it is no such word, and this file has none. Of the others in the table, who are excluded,
// the ids count where no participant has the same. Other numbers, as in dates and runs, count where each file has that
// of a participant, and no two the same: by is nil unless these are the reason. What a column explains counts for
// nobody; if it would have, by states this.
func OfOthers(files []Named, excluded []string, columns ...Column) (others []Other, by *Numbering) {
	n := namesOf(files, excluded, columns...)
	for i := range files {
		if whose, m := n.other(i); whose != "" {
			others = append(others, Other{At: i, Whose: whose, Number: n.unexplained(i, m)})
		}
	}
	others = n.withBroken(others)
	if others == nil {
		if by = cmp.Or(n.permuted(), n.byColumns()); by != nil && by.Whole {
			others = by.Others
		}
	}
	return others, by
}

// A Numbering is that of files by other numbers than those of their participants: a column that was shifted or sorted,
// or numbers of another kind.
type Numbering struct {
	Numbers []string // of each file, "" for none
	Others  []Other
	Whole   bool // each file has the number of a participant, and these are many: nearly never by chance
}

// naming is what the names of files state of the participants.
type naming struct {
	*fields
	files    []Named
	included map[string][]string // numbers of the participants who have files
	slots    map[slot]*tally
	with     map[string][]string // at most mostOwn + 1 participants whose files have a word
	byWords  bool                // three of four names have their own id, of the ids that are no ordinary words
	columns  [][][2]int          // fields of each name that a column explains: from and to
}

func namesOf(files []Named, excluded []string, columns ...Column) *naming {
	ids := lists.Map(files, func(f Named) string { return f.ID })
	n := &naming{fields: fieldsOf(files, keysOf(ids, excluded, bareNumber)), files: files,
		included: keysOf(ids, nil, bareNumber).numbers, with: map[string][]string{}}
	n.slots = n.tallies(func(i int, m mark) bool { return slices.Contains(m.whose, files[i].ID) })
	for i, f := range files {
		slices.SortStableFunc(n.marks[i], func(a, b mark) int { // the same in all names shows least
			return min(len(n.slots[b.slot].texts), 2) - min(len(n.slots[a.slot].texts), 2)
		})
		for _, m := range n.marks[i] {
			if with := n.with[m.text]; m.whole && len(with) <= mostOwn && !slices.Contains(with, f.ID) {
				n.with[m.text] = append(with, f.ID)
			}
		}
	}
	n.explain(columns)
	named, ordinary := 0, 0
	for i, f := range files {
		if n.own(i) {
			named++
		} else if n.ordinary(canonical(bare(f.ID))) {
			ordinary++
		}
	}
	n.byWords = named >= fewestOwn && 4*named >= 3*(len(files)-ordinary)
	return n
}

// ordinary reports whether a word with a letter that is an id is in the names of several: in those of scans at rest,
// rest does not show whose they are.
func (n *naming) ordinary(word string) bool { return len(n.with[word]) > mostOwn }

// How much a mark shows.
const (
	chance = iota // a number, a part of a word, or an ordinary word
	placed        // it is where most names have their own
	aWord         // with a letter
	certain
)

// subject are words before an id.
var subject = []string{"sub", "subj", "subject", "participant"}

func (n *naming) weight(m mark) int {
	t, letters := n.slots[m.slot], lettered(m.text)
	ordinary := m.whole && letters && n.ordinary(m.text)
	switch {
	case !letters && long(m.text), m.subject, letters && m.whole && strong(m.whose[0]):
		return certain
	case letters && !ordinary && len(t.texts) > 1 && (n.most(m.slot, t.marked) || t.marked == n.of[m.layout]):
		return certain
	case letters && m.whole && !ordinary:
		return aWord
	case n.most(m.slot, t.own) && (m.layout != "" || t.before[m.before]), t.own == n.of[m.layout] && len(t.texts) > 1:
		return placed
	}
	return chance
}

// strong reports whether an id is no chance beside other words: it has letters and digits.
func strong(id string) bool {
	name := bare(id)
	return lettered(name) && strings.ContainsAny(name, "0123456789") && len(name) > 2
}

// explain finds the fields of names that three of four files have from one column: as in its row, numbers as numbers.
// A column explains none where most of these fields are the own ids, unless it counts, nor where they have another id
// with its letters.
func (n *naming) explain(columns []Column) {
	n.columns = make([][][2]int, len(n.files))
	for _, c := range columns {
		found, times := make([][]slot, len(n.files)), map[slot]int{}
		for i, value := range c.Values {
			for at := range n.cuts[i] {
				if to := at + begins(n.cuts[i][at:], value); to > at {
					s := slot{layout: n.layouts[i], from: at, to: to}
					found[i], times[s] = append(found[i], s), times[s]+1
				}
			}
		}
		there, own := 0, 0
		fits := true
		for i, slots := range found {
			found[i] = slices.DeleteFunc(slots, func(s slot) bool { return 4*times[s] < 3*n.of[s.layout] })
			its := false
			for _, m := range n.marks[i] {
				for _, s := range found[i] {
					if mine := slices.Contains(m.whose, n.files[i].ID); s.from <= m.at && m.at+m.fields <= s.to {
						its = its || mine
						fits = fits && (mine || !lettered(m.text) && (m.before != "sub" || m.at == s.from))
					}
				}
			}
			there, own = there+min(len(found[i]), 1), own+map[bool]int{true: 1}[its]
		}
		if !fits || 4*there < 3*len(n.files) || 4*own >= 3*len(n.files) && !c.Counts {
			continue
		}
		for i, slots := range found {
			for _, s := range slots {
				n.columns[i] = append(n.columns[i], [2]int{s.from, s.to})
			}
		}
	}
}

// begins is how many fields are a value; 0 where they are not.
func begins(fields []field, value string) int {
	whole, _ := cell.Whole(value)
	its, _ := cut(whole)
	for k, f := range its {
		if k == len(fields) || canonical(f.text) != canonical(fields[k].text) {
			return 0
		}
	}
	return len(its)
}

func (n *naming) explained(i int, m mark) bool {
	return slices.ContainsFunc(n.columns[i], func(its [2]int) bool {
		return its[0] <= m.at && m.at+m.fields <= its[1]
	})
}

// unexplained is the number of a mark, if a column with these numbers would explain it.
func (n *naming) unexplained(i int, m mark) string {
	if lettered(m.text) || m.fields > 1 {
		return ""
	}
	var its []string
	own := 0
	for k, all := range n.cuts {
		if n.layouts[k] == n.layouts[i] {
			its = append(its, all[m.at].text)
			own += map[bool]int{true: 1}[canonical(all[m.at].text) == bareNumber(n.files[k].ID)]
		}
	}
	if 4*own >= 3*len(its) && !CountsUp(its, lists.Map(n.files, func(f Named) string { return f.ID })) {
		return ""
	}
	return n.cuts[i][m.at].text
}

// CountsUp reports whether the last numbers of values are 1, 2, 3 … without gaps, and those of ids are others.
func CountsUp(values, ids []string) bool {
	set := func(all []string) map[string]bool {
		numbers := map[string]bool{}
		for _, text := range all {
			whole, _ := cell.Whole(text)
			its := digits.FindAllString(whole, -1)
			numbers[canonical(strings.Join(its[max(0, len(its)-1):], ""))] = true
		}
		return numbers
	}
	of, others := set(values), set(ids)
	for i := range len(of) {
		if !of[strconv.Itoa(i+1)] {
			return false
		}
	}
	return !maps.Equal(of, others)
}

// weights are the most that the marks in a name show of its own participant, and of whom they show the most else; ""
// for nobody, with the marks.
func (n *naming) weights(i int) (own int, others [certain + 1]string, by [certain + 1]mark) {
	for _, m := range n.marks[i] {
		w := n.weight(m)
		if t := n.slots[m.slot]; slices.Contains(m.whose, n.files[i].ID) {
			if len(t.texts) > 1 || t.marked < max(n.of[m.layout], fewestOwn) { // else a study's number
				own = max(own, w)
			}
		} else if others[w] == "" && (len(m.whose) == 1 || w == placed) && !n.explained(i, m) {
			others[w], by[w] = strings.Join(m.whose, " or "), m
		}
	}
	return own, others, by
}

// own reports whether the name of a file has the id of its own participant.
func (n *naming) own(i int) bool {
	own, others, _ := n.weights(i)
	return own > placed || own == placed && others[certain] == ""
}

// other is whose id the name of a file has in place of that of its own participant, and where; "" for none.
func (n *naming) other(i int) (whose string, m mark) {
	own, others, by := n.weights(i)
	ordinary := n.ofOrdinary(i)
	switch {
	case own > placed || own == placed && others[certain] == "":
		return "", m
	case others[certain] != "":
		return others[certain], by[certain]
	case others[aWord] != "" || ordinary != "":
		return cmp.Or(others[aWord], ordinary), mark{text: "a"}
	}
	return others[placed], by[placed]
}

// ofOrdinary is whose an ordinary word in a name is, where most names have their own id and this one has none.
func (n *naming) ofOrdinary(i int) (whose string) {
	for _, m := range n.marks[i] {
		if n.byWords && m.whole && lettered(m.text) && len(m.whose) == 1 {
			if m.whose[0] == n.files[i].ID {
				return "" // who may be meant
			}
			whose = cmp.Or(whose, m.whose[0])
		}
	}
	return whose
}

// withBroken adds to others the files that have no own id in fields that are the own ids in the names of all but a few:
// that of somebody else, also if the own stands elsewhere, or of nobody.
func (n *naming) withBroken(others []Other) []Other {
	found := map[int]bool{}
	for _, o := range others {
		found[o.At] = true
	}
	slots := slices.SortedFunc(maps.Keys(n.slots), func(a, b slot) int {
		return cmp.Or(strings.Compare(a.layout, b.layout), a.from-b.from, b.to-a.to, strings.Compare(a.affix, b.affix))
	})
	for _, s := range slots {
		t, of := n.slots[s], n.of[s.layout]
		if s.layout == "" || s.affix != "" || t.own < fewestOwn || of-t.own > max(2, of/10) || t.own == of {
			continue
		}
		for i, f := range n.files {
			at := slices.IndexFunc(n.marks[i], func(m mark) bool { return m.slot == s })
			if n.layouts[i] != s.layout || found[i] || at < 0 && n.own(i) {
				continue
			}
			whose := "sub-"
			if at >= 0 {
				m := n.marks[i][at]
				if slices.Contains(m.whose, f.ID) || n.explained(i, m) {
					continue
				}
				whose = strings.Join(m.whose, " or ")
			} else {
				for _, of := range n.cuts[i][s.from:s.to] {
					whose += of.text
				}
				whose += ", who is not in the table,"
			}
			others, found[i] = append(others, Other{At: i, Whose: whose, Beside: n.own(i)}), true
		}
	}
	slices.SortFunc(others, func(a, b Other) int { return a.At - b.At })
	return others
}

// permuted are the files whose names have, at one place, the numbers of other participants, where most files have one
// that no other has. Any numbers are those of many excluded participants.
func (n *naming) permuted() *Numbering {
	named := 0
	for i := range n.files {
		if n.own(i) {
			named++
		}
	}
	if 4*named >= 3*len(n.files) {
		return nil
	}
	var places []slot // of a number, or of several together
	for s := range n.slots {
		if s.layout == "" && s.from > 0 || s.to > s.from+1 && n.of[s.layout] == len(n.files) {
			places = append(places, s)
		}
	}
	slices.SortFunc(places, func(a, b slot) int { return cmp.Or(a.to-b.to, a.from-b.from) })
	for _, place := range places {
		by, of, here := &Numbering{Numbers: make([]string, len(n.files))}, map[string][]string{}, 0
		explained := 0
		for i, f := range n.files {
			at := slices.IndexFunc(n.marks[i], func(m mark) bool { return m.slot == place })
			if at < 0 {
				continue
			}
			m := n.marks[i][at]
			if by.Numbers[i] = m.text; !slices.Contains(of[m.text], f.ID) {
				of[m.text] = append(of[m.text], f.ID)
			}
			if lettered(m.text) || len(of[m.text]) > len(m.whose) {
				of = nil
				break
			}
			if n.included[m.text] != nil {
				here++
			}
			if n.explained(i, m) {
				explained++
			}
			if !slices.Contains(m.whose, f.ID) {
				whose := strings.Join(m.whose, " or ")
				by.Others = append(by.Others, Other{At: i, Whose: whose, Number: n.unexplained(i, m)})
			}
		}
		if of != nil && by.Others != nil && len(of) > 2 && 2*here > len(n.files) {
			by.Whole = len(of) >= fewestPermuted && !slices.Contains(by.Numbers, "") && 4*explained < 3*len(n.files)
			return by
		}
	}
	return nil
}

// byColumns are the files with ids of others that a column explains.
func (n *naming) byColumns() *Numbering {
	by := &Numbering{}
	for i, f := range n.files {
		if n.own(i) {
			continue
		}
		for _, m := range n.marks[i] {
			if n.explained(i, m) && !slices.Contains(m.whose, f.ID) && n.weight(m) > chance {
				by.Others = append(by.Others, Other{At: i, Whose: strings.Join(m.whose, " or ")})
				break
			}
		}
	}
	if by.Others == nil {
		return nil
	}
	return by
}
