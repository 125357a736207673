package sheet

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The kinds of tokens of an expression.
const (
	end        = iota
	word       // a name, a number, a keyword
	quoted     // "…" or '…'
	backquoted // `…`: the name of a column
	operator   // == = != < <= > >=
	mark       // ( ) [ ] ,
)

type token struct {
	kind int
	text string
	at   int // characters before it
}

func (t token) String() string {
	if t.kind == end {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

func (t token) errorf(format string, args ...any) error {
	return fmt.Errorf("at character %d: %s", t.at+1, fmt.Sprintf(format, args...))
}

// scan cuts an expression into tokens; the last one is the end.
func scan(text string) ([]token, error) {
	var tokens []token
	runes := []rune(text)
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case unicode.IsSpace(r):
			i++
		case strings.ContainsRune("()[],", r):
			tokens = append(tokens, token{mark, string(r), i})
			i++
		case strings.ContainsRune("=!<>", r):
			n := 1
			if i+1 < len(runes) && runes[i+1] == '=' {
				n = 2
			}
			t := token{operator, string(runes[i : i+n]), i}
			if t.text == "!" {
				return nil, t.errorf("\"!\" is not an operator; write not, or !=")
			}
			tokens = append(tokens, t)
			i += n
		case strings.ContainsRune("\"'`", r):
			closing := i + 1
			for closing < len(runes) && runes[closing] != r {
				closing++
			}
			t := token{quoted, string(runes[i+1 : min(closing, len(runes))]), i}
			if closing == len(runes) {
				return nil, t.errorf("the quotation mark %c is not closed", r)
			}
			if r == '`' {
				t.kind = backquoted
			}
			tokens = append(tokens, t)
			i = closing + 1
		default:
			from := i
			for i < len(runes) && !unicode.IsSpace(runes[i]) && !strings.ContainsRune("()[],=!<>\"'`", runes[i]) {
				i++
			}
			t := token{word, string(runes[from:i]), from}
			if t.text == "&&" || t.text == "&" || t.text == "||" || t.text == "|" {
				return nil, t.errorf("%q is not an operator; write and or or", t.text)
			}
			tokens = append(tokens, t)
		}
	}
	return append(tokens, token{end, "", len(runes)}), nil
}

// Unequal is the expression in which a column is not a value, with the quotation marks that it needs; "" where the
// value
// has quotation marks of both kinds.
func Unequal(column, value string) string {
	plain := func(text string) bool {
		t, err := scan(text)
		keyword := slices.ContainsFunc([]string{"and", "or", "not", "in"},
			func(k string) bool { return strings.EqualFold(k, text) })
		return err == nil && len(t) == 2 && t[0] == token{word, text, 0} && !keyword
	}
	switch {
	case plain(value):
	case !strings.Contains(value, `"`):
		value = `"` + value + `"`
	case !strings.Contains(value, "'"):
		value = "'" + value + "'"
	default:
		return ""
	}
	if !plain(column) {
		column = "`" + column + "`"
	}
	return column + " != " + value
}
