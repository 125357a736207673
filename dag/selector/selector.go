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

// AppendValue quotes values that hold a character with a meaning in task
// ids and patterns, or that would not show.
func AppendValue(b []byte, v string, bare bool) []byte {
	plain := v != ""
	for _, r := range v {
		// Lists ([0.1, 0.1]) stay readable: brackets and commas in them are
		// balanced, and patterns are matched with whole values.
		if r == '"' || r < ' ' || r == 0x7f || bare && (r == ',' || r == '=' || r == '[' || r == ']') {
			plain = false
		}
	}
	if plain {
		return append(b, v...)
	}
	return strconv.AppendQuoteToASCII(b, v)
}
