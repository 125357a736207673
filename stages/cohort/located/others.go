package located

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

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
// shifted or sorted. Numbers of another kind that are those of the participants are not told from it.
func OfOthers(files []Named) (others []Other) {
	owner, numbered, ofNumber := map[string]string{}, map[string]string{}, map[string]string{}
	for _, f := range files {
		for _, key := range idKeys(f.ID) {
			if first, there := owner[key]; there && first != f.ID {
				owner[key] = "" // A50001 and B50001
			} else {
				owner[key] = f.ID
			}
		}
		if n := number.FindStringSubmatch(strings.TrimPrefix(strings.ToLower(f.ID), "sub-")); n != nil {
			numbered[f.ID] = n[1]
			if first, there := ofNumber[n[1]]; there && first != f.ID {
				ofNumber[n[1]] = "" // A01 and B01
			} else {
				ofNumber[n[1]] = f.ID
			}
		}
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
		if n := number.FindStringSubmatch(names[i][place]); n != nil {
			return n[1]
		}
		return ""
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
		seen := map[string]bool{}
		var all []Other
		for i, f := range files {
			whose := ofNumber[at(i, place)]
			if whose == "" || seen[whose] {
				break
			}
			if seen[whose] = true; whose != f.ID {
				all = append(all, Other{i, whose})
			}
		}
		if scheme < 0 && len(seen) == len(files) && len(files) >= fewestPermuted {
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
