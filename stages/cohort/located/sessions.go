package located

import (
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/pattern"
	"prgnn/stages/bids"
)

// An InSession is the file of a participant in a session.
type InSession struct{ Session, Path string }

// visit is how names of files state a session: ses-post, session2, visit_3.
var visit = pattern.New(`(?:^|[^\pL])(?:ses|session|visit)[-_ ]?([\pL\pN]+)`)

// OfOtherSessions are the files whose names state another session of the cohort, and not their own: after ses-, session
// or visit, or as a word with letters. What stands in all names, as that of a directory, states none. The cohort may
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
	for i, f := range files {
		if means(i, f.Session) {
			continue
		}
		if k := slices.IndexFunc(sessions, func(session string) bool { return means(i, session) }); k >= 0 {
			others = append(others, Other{i, sessions[k]})
		}
	}
	return others
}
