package located

import (
	"cmp"
	"slices"
	"strings"

	"prgnn/internal/lists"
)

// fewestPermuted is how many files have the numbers of the same number of participants by chance nearly never.
const fewestPermuted = 8

// OfOthers are the files whose names hold the id of another participant, and not that of their own. Names that are
// laid out alike are compared field by field: letters, digits, or several of them together. A field that has the own
// id in three of four files states whose each file is, and so does one in which three of four have an id with a letter.
// Elsewhere an id counts as a whole word: with letters and digits, after sub or subject, or a number of five digits;
// any other with a letter where it is no word of the names of several, or where three of four files have the id of
// their own participant, if it is no such word, and this file has none. Of the others in the table, who are excluded,
// the ids count where no participant has the same. Other numbers, as in dates and runs, count where each file has that
// of a participant, and no two the same: by is nil unless these are the reason.
func OfOthers(files []Named, excluded []string) (others []Other, by *Numbering) {
	n := namesOf(files, excluded)
	for i := range files {
		if whose := n.other(i); whose != "" {
			others = append(others, Other{i, whose})
		}
	}
	if others == nil {
		if by = n.permuted(); by != nil && by.Whole {
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
}

func namesOf(files []Named, excluded []string) *naming {
	ids := lists.Map(files, func(f Named) string { return f.ID })
	n := &naming{fields: fieldsOf(files, keysOf(ids, excluded, bareNumber)), files: files,
		included: keysOf(ids, nil, bareNumber).numbers, with: map[string][]string{}}
	n.slots = n.tallies(func(i int, m mark) bool { return slices.Contains(m.whose, files[i].ID) })
	for i, f := range files {
		for _, m := range n.marks[i] {
			if with := n.with[m.text]; m.whole && len(with) <= mostOwn && !slices.Contains(with, f.ID) {
				n.with[m.text] = append(with, f.ID)
			}
		}
	}
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

// weights are the most that the marks in a name show of its own participant, and of whom they show the most else; ""
// for nobody.
func (n *naming) weights(i int) (own int, others [certain + 1]string) {
	for _, m := range n.marks[i] {
		w := n.weight(m)
		if slices.Contains(m.whose, n.files[i].ID) {
			own = max(own, w)
		} else if others[w] == "" && (len(m.whose) == 1 || w == placed) {
			others[w] = strings.Join(m.whose, " or ")
		}
	}
	return own, others
}

// own reports whether the name of a file has the id of its own participant.
func (n *naming) own(i int) bool {
	own, others := n.weights(i)
	return own > placed || own == placed && others[certain] == ""
}

// other is whose id the name of a file has in place of that of its own participant; "" for none.
func (n *naming) other(i int) string {
	own, others := n.weights(i)
	if own > placed || own == placed && others[certain] == "" {
		return ""
	}
	for _, whose := range []string{others[certain], others[aWord], n.ofOrdinary(i), others[placed]} {
		if whose != "" {
			return whose
		}
	}
	return ""
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
	for place := (slot{from: 1}); place.from <= n.digits; place.from++ {
		by, of, here := &Numbering{Numbers: make([]string, len(n.files))}, map[string][]string{}, 0
		for i, f := range n.files {
			at := slices.IndexFunc(n.marks[i], func(m mark) bool { return m.slot == place })
			if at < 0 {
				continue
			}
			m := n.marks[i][at]
			if by.Numbers[i] = m.text; !slices.Contains(of[m.text], f.ID) {
				of[m.text] = append(of[m.text], f.ID)
			}
			if len(of[m.text]) > len(m.whose) {
				of = nil
				break
			}
			if n.included[m.text] != nil {
				here++
			}
			if !slices.Contains(m.whose, f.ID) {
				by.Others = append(by.Others, Other{i, strings.Join(m.whose, " or ")})
			}
		}
		if of != nil && by.Others != nil && len(of) > 2 && 4*here >= 3*len(n.files) {
			by.Whole = len(of) >= fewestPermuted && !slices.Contains(by.Numbers, "")
			return by
		}
	}
	return nil
}
