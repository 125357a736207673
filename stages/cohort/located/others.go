package located

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
)

// A Named is the file of a participant.
type Named struct{ ID, Path string }

// An Other is a file, by its place, that has the id of another participant in its name, or another session.
type Other struct {
	At    int
	Whose string
}

var (
	token  = pattern.New(`[\pL\pN]+`)
	number = pattern.New(`^\pL*0*([0-9]+)$`)
)

// fewestOwn is how many files have their participants' numbers at one place of their names where that is no chance.
const fewestOwn = 4

// fewestPermuted is how many files have the numbers of the same number of participants by chance nearly never.
const fewestPermuted = 8

// OfOthers are the files whose names hold the id of another participant, as a whole word, and not that of their own.
// An id is sub- with its name, or a name with letters and digits, or a number of five digits, whatever letters and
// zeros precede it; any other id with a letter counts where it is no word of the names of several, or where three of
// four files have the id of their own participant, if it is no such word, and this file has none. Smaller numbers, as
// in dates and runs, count at a place of the names where three of four files have that of their own participant, or
// where each file has the number of a participant, and no two the same: a column that was shifted or sorted. Numbers of
// another kind that are those of the participants are not told from it. Of the others in the table, who are excluded,
// the ids count where no participant has the same word.
func OfOthers(files []Named, excluded []string) (others []Other) {
	n := namesOf(files, excluded)
	for i := range files {
		if whose := n.other(i); whose != "" {
			others = append(others, Other{i, whose})
		}
	}
	if others == nil {
		return n.permuted()
	}
	return others
}

// naming is what the names of files state of the participants.
type naming struct {
	files    []Named
	owner    map[string]string // whose a word is that is no chance
	word     map[string]string // whose a word with a letter is
	ofNumber map[string]string
	included map[string]string   // ofNumber of those who have files
	places   [][]string          // the words of each file's name
	has      []map[string]bool   // the words of each file's name and directories, also several in a row as one
	with     map[string][]string // at most mostOwn + 1 participants whose files have a word
	scheme   int                 // the place at which names have the numbers of participants; -1 for none
	byWords  bool                // three of four names have their own id, of the ids that are no ordinary words
}

func namesOf(files []Named, excluded []string) *naming {
	n := &naming{files: files, scheme: -1, with: map[string][]string{}}
	n.owner, n.word, n.ofNumber = idsIn(excluded)
	owner, word, numbers := idsIn(lists.Map(files, func(f Named) string { return f.ID }))
	maps.Copy(n.owner, owner)
	maps.Copy(n.word, word)
	maps.Copy(n.ofNumber, numbers)
	n.included = numbers
	most := 0
	for _, f := range files {
		name := strings.ToLower(filepath.ToSlash(f.Path))
		n.places = append(n.places, token.FindAllString(path.Base(name), -1))
		most = max(most, len(n.places[len(n.places)-1]))
		has := joined(token.FindAllString(name, -1))
		n.has = append(n.has, has)
		for word := range has {
			if with := n.with[word]; n.word[word] != "" && len(with) <= mostOwn && !slices.Contains(with, f.ID) {
				n.with[word] = append(with, f.ID)
			}
		}
	}
	for place := range most {
		own := 0
		for i, f := range files {
			if number := bareNumber(f.ID); number != "" && n.at(i, place) == number {
				own++
			}
		}
		if own >= fewestOwn && 4*own >= 3*len(files) {
			n.scheme = place
			break
		}
	}
	named, ordinary := 0, 0
	for i, f := range files {
		if n.own(i) {
			named++
		} else if n.ordinary(bare(f.ID)) {
			ordinary++
		}
	}
	n.byWords = named >= fewestOwn && 4*named >= 3*(len(files)-ordinary)
	return n
}

// longestJoined is how many words of a name may be one id: P1_a for P1a, J_D_1990 for JD1990.
const longestJoined = 4

// joined are words, and those that follow each other, as one.
func joined(words []string) map[string]bool {
	all := map[string]bool{}
	for i := range words {
		one := ""
		for _, word := range words[i:min(i+longestJoined, len(words))] {
			one += word
			all[one] = true
		}
	}
	return all
}

// at is the number at a place of a name.
func (n *naming) at(i, place int) string {
	if place < 0 || place >= len(n.places[i]) {
		return ""
	}
	return bareNumber(n.places[i][place])
}

// ordinary reports whether a word with a letter that is an id is in the names of several: in those of scans at rest,
// rest does not show whose they are.
func (n *naming) ordinary(word string) bool { return len(n.with[word]) > mostOwn }

// own reports whether the name of a file has the id of its own participant.
func (n *naming) own(i int) bool {
	id := n.files[i].ID
	number := bareNumber(id)
	return lettered(bare(id)) && n.has[i][bare(id)] && !n.ordinary(bare(id)) ||
		number != "" && n.at(i, n.scheme) == number ||
		slices.ContainsFunc(fileKeys(n.files[i].Path), func(key string) bool { return n.owner[key] == id })
}

// other is whose id the name of a file has in place of that of its own participant; "" for none.
func (n *naming) other(i int) string {
	if n.own(i) {
		return ""
	}
	for _, key := range fileKeys(n.files[i].Path) {
		if whose := n.owner[key]; whose != "" {
			return whose
		}
	}
	several := ""
	for _, word := range slices.Sorted(maps.Keys(n.has[i])) {
		switch whose := n.word[word]; {
		case whose == "":
		case !n.ordinary(word):
			return whose
		case several == "" || whose == n.files[i].ID: // who may be meant
			several = whose
		}
	}
	if several != "" && several != n.files[i].ID && n.byWords {
		return several
	}
	if n.scheme >= 0 {
		return n.ofNumber[n.at(i, n.scheme)]
	}
	return ""
}

// permuted are the files whose names have, at one place, the numbers of other participants, where each file has one.
func (n *naming) permuted() []Other {
	if n.scheme >= 0 || len(n.files) < fewestPermuted {
		return nil
	}
	for place := range n.places[0] {
		seen, here := map[string]bool{}, 0
		var all []Other
		for i, f := range n.files {
			whose := n.ofNumber[n.at(i, place)]
			if whose == "" || seen[whose] {
				break
			}
			if seen[whose] = true; whose != f.ID {
				all = append(all, Other{i, whose})
			}
			if n.included[n.at(i, place)] != "" {
				here++
			}
		}
		// Any numbers are those of many excluded participants.
		if len(seen) == len(n.files) && 4*here >= 3*len(n.files) {
			return all
		}
	}
	return nil
}

// idsIn are whose the words of ids that are no chance, all words with a letter, and the numbers are; "" of several,
// such as A50001 and B50001, or A01 and B01.
func idsIn(ids []string) (owner, word, ofNumber map[string]string) {
	owner, word, ofNumber = map[string]string{}, map[string]string{}, map[string]string{}
	add := func(of map[string]string, key, id string) {
		if first, there := of[key]; there && first != id {
			id = ""
		}
		of[key] = id
	}
	for _, id := range ids {
		for _, key := range idKeys(id) {
			add(owner, key, id)
		}
		if name := bare(id); lettered(name) {
			add(word, name, id)
		}
		if n := bareNumber(id); n != "" {
			add(ofNumber, n, id)
		}
	}
	return owner, word, ofNumber
}

// bare is an id as a word of a name.
func bare(id string) string { return strings.TrimPrefix(strings.ToLower(id), "sub-") }

// bareNumber is the number of an id, without letters and zeros before it; "" of one that is no number.
func bareNumber(id string) string {
	if n := number.FindStringSubmatch(bare(id)); n != nil {
		return n[1]
	}
	return ""
}

// idKeys are the words that are a participant's id in the name of a file.
func idKeys(id string) []string {
	name := bare(id)
	keys := []string{"sub" + name}
	if strong(name) {
		keys = append(keys, name)
	}
	return append(keys, longNumber(name)...)
}

// longNumber is the number in a word that is no chance, marked as a number.
func longNumber(word string) []string {
	if n := number.FindStringSubmatch(word); n != nil && strong(n[1]) {
		return []string{"#" + n[1]}
	}
	return nil
}

func lettered(word string) bool { return strings.Trim(word, "0123456789") != "" }

// strong reports whether a word is no chance beside others: it has letters and digits, or five digits.
func strong(word string) bool {
	letters := lettered(word)
	return letters && strings.ContainsAny(word, "0123456789") && len(word) > 2 || !letters && len(word) > 4
}

// fileKeys are the words of a file's name, and of its directories, that may be ids.
func fileKeys(name string) (keys []string) {
	words := token.FindAllString(strings.ToLower(filepath.ToSlash(name)), -1)
	for i, word := range words {
		if word == "sub" && i+1 < len(words) {
			keys = append(keys, "sub"+words[i+1])
		} else {
			keys = append(keys, word)
		}
		keys = append(keys, longNumber(word)...)
	}
	return keys
}
