package located

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/stages/bids"
)

// An InSession is the file of a participant in a session.
type InSession struct{ Session, Path string }

// visit is how names of files state a session: ses-post, session2, visit_3.
var visit = pattern.New(`(?:^|[^\pL])(?:ses|session|visit)[-_ ]?([\pL\pN]+)`)

// OfOtherSessions are the files whose names state another session of the cohort, and not their own: after ses-, session
// or visit, or as a word with letters, or by its number (T2 for V2) in the word at one place of the names, where three
// of four files have that of their own. What stands in all names, as that of a directory, states none. The cohort may
// leave out some of the table's sessions.
func OfOtherSessions(files []InSession, leftOut []string) (others []Other) {
	var sessions []string
	stated := make([]map[string]bool, len(files))
	times := map[string]int{}
	for i, f := range files {
		if !slices.Contains(sessions, f.Session) {
			sessions = append(sessions, f.Session)
		}
		name := strings.ToLower(filepath.ToSlash(f.Path))
		stated[i] = map[string]bool{}
		for _, m := range visit.FindAllStringSubmatch(name, -1) {
			stated[i][m[1]] = true
		}
		for _, word := range token.FindAllString(name, -1) {
			if len(word) > 1 && strings.Trim(word, "0123456789") != "" {
				stated[i][word] = true
			}
		}
		for word := range stated[i] {
			times[word]++
		}
	}
	for _, session := range leftOut {
		if !slices.Contains(sessions, session) {
			sessions = append(sessions, session)
		}
	}
	means := func(i int, session string) bool {
		for word := range stated[i] {
			if times[word] < len(files) && bids.Same(word, strings.ToLower(session)) {
				return true
			}
		}
		return false
	}
	_, _, byNumber := idsIn(sessions)
	numbered := sessionNumbers(files)
	for i, f := range files {
		if means(i, f.Session) {
			continue
		}
		if numbered != nil && numbered[i] != "" {
			if whose := byNumber[numbered[i]]; whose != "" && whose != f.Session {
				others = append(others, Other{i, whose})
			}
			continue
		}
		if k := slices.IndexFunc(sessions, func(session string) bool { return means(i, session) }); k >= 0 {
			others = append(others, Other{i, sessions[k]})
		}
	}
	return others
}

// sessionNumbers are the numbers of the words with a letter at the place where the names state the number of the
// session: T2 for V2; nil where there is no such place.
func sessionNumbers(files []InSession) []string {
	words := lists.Map(files, func(f InSession) []string {
		return token.FindAllString(strings.ToLower(path.Base(filepath.ToSlash(f.Path))), -1)
	})
	most := 0
	for _, w := range words {
		most = max(most, len(w))
	}
	for place := range most {
		numbers, own := make([]string, len(files)), 0
		several := false
		for i, f := range files {
			if place < len(words[i]) && lettered(words[i][place]) {
				numbers[i] = bareNumber(words[i][place])
			}
			if numbers[i] != "" && numbers[i] == bareNumber(f.Session) {
				own++
			}
			several = several || numbers[i] != numbers[0]
		}
		if several && own >= fewestOwn && 4*own >= 3*len(files) {
			return numbers
		}
	}
	return nil
}
