// Package selector reads the text that names tasks: quotes, brackets and wildcards.
package selector

import (
	"iter"
	"strconv"
	"strings"

	"prgnn/internal/pattern"
)

// nameForm limits names to 100 letters, as they become names of files.
var nameForm = pattern.New(`^[A-Za-z][A-Za-z0-9_-]{0,99}$`)

// NameRule describes a name to a person.
const NameRule = "letters, digits, _ and -, beginning with a letter, at most 100"

// IsName reports whether a text can be the name of a stage, an axis or a variable.
func IsName(s string) bool { return nameForm.MatchString(s) }

// Split splits at the commas that stand outside quotes and inner
// brackets: "pool=topk,lambda=[0.1, 0.1]" has two parts.
func Split(s string) []string {
	var parts []string
	from := 0
	for i, depth := range Unquoted(s) {
		if s[i] == ',' && depth == 0 {
			parts, from = append(parts, s[from:i]), i+1
		}
	}
	return append(parts, s[from:])
}

// Unquoted are the bytes outside quotes, each with the number of brackets that are open after it.
func Unquoted(s string) iter.Seq2[int, int] {
	return func(yield func(at, depth int) bool) {
		depth, quoted := 0, false
		for i := 0; i < len(s); i++ {
			switch c := s[i]; {
			case quoted && c == '\\':
				i++
				continue
			case c == '"':
				quoted = !quoted
			case c == '[' && !quoted:
				depth++
			case c == ']' && !quoted:
				depth--
			}
			if !quoted && !yield(i, depth) {
				return
			}
		}
	}
}

// Glob matches a whole text; * stands for any text and ? for one character.
// (path.Match gives brackets a meaning, which lists as values need themselves.)
func Glob(pattern, text string) bool {
	p, t := 0, 0
	star, again := -1, 0 // the last * and where its text may end next
	for t < len(text) {
		switch {
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*':
			p++
			t++
		case p < len(pattern) && pattern[p] == '*':
			star, again = p, t
			p++
		case star >= 0:
			again++
			p, t = star+1, again
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// AppendValue quotes a value where the name of a task with it would be read otherwise: as several parts, a wildcard,
// or with what does not show. bare is a value without its axis.
func AppendValue(b []byte, v string, bare bool) []byte {
	if v != strings.TrimSpace(v) || strings.ContainsAny(v, "*?") || !bare && !isWhole(v) {
		return strconv.AppendQuoteToASCII(b, v)
	}
	return appendValue(b, v, bare)
}

// AppendCoord quotes the value of a coordinate in a recipe, where nothing is a wildcard.
func AppendCoord(b []byte, v string) []byte { return appendValue(b, v, true) }

func appendValue(b []byte, v string, bare bool) []byte {
	plain := v != ""
	for _, r := range v {
		if r == '"' || r < ' ' || r == 0x7f || bare && strings.ContainsRune(",=[]", r) {
			plain = false
		}
	}
	if plain {
		return append(b, v...)
	}
	return strconv.AppendQuoteToASCII(b, v)
}

// isWhole reports whether a value is read as one part: lists ([0.1, 0.1]) stay readable.
func isWhole(v string) bool {
	open := 0
	for _, r := range v {
		switch r {
		case '[':
			open++
		case ']':
			open--
		}
		if open < 0 || r == ',' && open == 0 {
			return false
		}
	}
	return open == 0
}
