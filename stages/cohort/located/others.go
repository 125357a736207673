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
// zeros
// precede it; smaller numbers, as in dates and runs, count at a place of the names where three of four files have that
// of their own participant, or where each file has the number of a participant, and no two the same: a column that was
// shifted or sorted. Numbers of another kind that are those of the participants are not told from it. Of the others in
// the table, who are excluded, the ids count where no participant has the same word.
func OfOthers(files []Named, excluded []string) (others []Other) {
	owner, ofNumber := idsIn(excluded)
	included, numbers := idsIn(lists.Map(files, func(f Named) string { return f.ID }))
	maps.Copy(owner, included)
	maps.Copy(ofNumber, numbers)
	numbered := map[string]string{}
	for _, f := range files {
		numbered[f.ID] = bareNumber(f.ID)
	}
	names := make([][]string, len(files))
	places := 0
	for i, f := range files {
		names[i] = token.FindAllString(strings.ToLower(path.Base(filepath.ToSlash(f.Path))), -1)
		places = max(places, len(names[i]))
	}
	at := func(i, place int) string { // the number there
		if place >= len(names[i]) {
			return ""
		}
		return bareNumber(names[i][place])
	}
	scheme := -1
	for place := range places {
		own := 0
		for i, f := range files {
			if n := numbered[f.ID]; n != "" && at(i, place) == n {
				own++
			}
		}
		if own >= fewestOwn && 4*own >= 3*len(files) {
			scheme = place
			break
		}
	}
	var permuted []Other
	for place := range places {
		seen, here := map[string]bool{}, 0
		var all []Other
		for i, f := range files {
			whose := ofNumber[at(i, place)]
			if whose == "" || seen[whose] {
				break
			}
			if seen[whose] = true; whose != f.ID {
				all = append(all, Other{i, whose})
			}
			if numbers[at(i, place)] != "" {
				here++
			}
		}
		// Any numbers are those of many excluded participants.
		if scheme < 0 && len(seen) == len(files) && len(files) >= fewestPermuted && 4*here >= 3*len(files) {
			permuted = all
			break
		}
	}
	for i, f := range files {
		whose := ""
		keys := fileKeys(f.Path)
		if slices.ContainsFunc(keys, func(key string) bool { return owner[key] == f.ID }) {
			continue
		}
		for _, key := range keys {
			if whose == "" {
				whose = owner[key]
			}
		}
		if whose == "" && scheme >= 0 && at(i, scheme) != numbered[f.ID] {
			whose = ofNumber[at(i, scheme)]
		}
		if whose != "" {
			others = append(others, Other{i, whose})
		}
	}
	if others == nil {
		return permuted
	}
	return others
}

// idsIn are whose the words and the numbers of ids are; "" of several, such as A50001 and B50001, or A01 and B01.
func idsIn(ids []string) (owner, ofNumber map[string]string) {
	owner, ofNumber = map[string]string{}, map[string]string{}
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
		if n := bareNumber(id); n != "" {
			add(ofNumber, n, id)
		}
	}
	return owner, ofNumber
}

// bareNumber is the number of an id, without letters and zeros before it; "" of one that is no number.
func bareNumber(id string) string {
	if n := number.FindStringSubmatch(strings.TrimPrefix(strings.ToLower(id), "sub-")); n != nil {
		return n[1]
	}
	return ""
}

// idKeys are the words that are a participant's id in the name of a file.
func idKeys(id string) []string {
	bare := strings.TrimPrefix(strings.ToLower(id), "sub-")
	keys := []string{"sub" + bare}
	if strong(bare) {
		keys = append(keys, bare)
	}
	return append(keys, longNumber(bare)...)
}

// longNumber is the number in a word that is no chance, marked as a number.
func longNumber(word string) []string {
	if n := number.FindStringSubmatch(word); n != nil && strong(n[1]) {
		return []string{"#" + n[1]}
	}
	return nil
}

// strong reports whether a word is no chance beside others: it has letters and digits, or five digits.
func strong(word string) bool {
	letters := strings.Trim(word, "0123456789") != ""
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
