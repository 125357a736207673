package sheet

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/words"
)

// A Query is an expression that selects rows:
//
//	group in [ASD, HC] and mean_fd < 0.3 and not (site == NYU or age < 7)
//
// A comparison has a column on its left and a value on its right: ==, != (also
// =), <, <=, >, >=, in [ … ] and not in [ … ]. A value is a number, a word, or any
// text in quotation marks; a column with blanks in its name stands in backquotes.
// not binds closer than and, and closer than or. Where a row has no value, a
// comparison is neither true nor false, as in SQL, and only rows for which the
// whole is true are selected.
type Query struct {
	terms     []term // joined by and
	Unmatched []Unmatched
	Compared  []Compared
}

// Compared is a text that rows are to have in a column, or not to have, by ==, != or in.
type Compared struct{ Column, Value string }

// An Unmatched is a value of a comparison that no row has in a column.
type Unmatched struct {
	Column, Value string
	Near          string // of a column of texts, those that rows have: " (did you mean …?)", " (available: …)"
}

// A term is one part of the conjunction, with its text.
type term struct {
	text  string
	bound bool // it has <, <=, > or >=
	eval  func(row int) truth
}

// An Unmet is the term that does not hold for a row; Term is "" for a selected row.
type Unmet struct {
	Term    string
	NoValue bool // the row has none for it
	Bound   bool // the term compares by <, <=, > or >=
}

// truth is three-valued; and is the minimum, or the maximum, not changes sign.
type truth int

const (
	no      truth = -1
	unknown truth = 0
	yes     truth = 1
)

// A Count tells what one term of the conjunction left out, of the rows that the
// terms before it had left in.
type Count struct {
	Term    string
	No      int // rows for which it is false
	Unknown int // rows that lack a value
}

// Select returns, for each of n rows, the term that does not hold, and the count of rows that each term excludes.
func (q *Query) Select(n int) (why []Unmet, counts []Count) {
	why = make([]Unmet, n)
	counts = make([]Count, len(q.terms))
	for i, t := range q.terms {
		counts[i].Term = t.text
	}
rows:
	for r := range why {
		for i, t := range q.terms {
			switch t.eval(r) {
			case no:
				counts[i].No++
				why[r] = Unmet{t.text, false, t.bound}
				continue rows
			case unknown:
				counts[i].Unknown++
				why[r] = Unmet{t.text, true, t.bound}
				continue rows
			}
		}
	}
	return why, counts
}

// ParseQuery reads an expression over named columns. Errors tell the place in the
// expression, counted in characters from 1.
func ParseQuery(text string, columns []string, column func(name string) []string) (*Query, error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	q := &Query{}
	p := &parser{text: []rune(text), tokens: tokens, columns: columns, column: column, query: q}
	if p.peek().kind == end {
		return nil, errors.New("the expression is empty")
	}
	first, err := p.conjunction(&q.terms)
	if err != nil {
		return nil, err
	}
	if p.word("or") { // then the whole is one term
		all, err := p.disjunction(first)
		if err != nil {
			return nil, err
		}
		q.terms = []term{{strings.TrimSpace(text), p.bounds > 0, all}}
	}
	if t := p.peek(); t.kind != end {
		return nil, t.errorf("unexpected %s; join comparisons by and, or", t)
	}
	return q, nil
}

type parser struct {
	text    []rune
	tokens  []token
	at      int
	depth   int
	bounds  int // comparisons by <, <=, > or >=
	columns []string
	column  func(name string) []string
	query   *Query
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// word takes a keyword, when it is the next token.
func (p *parser) word(w string) bool {
	if t := p.peek(); t.kind == word && t.text == w {
		p.at++
		return true
	}
	return false
}

// disjunction reads "A or B or …", after a first conjunction and an "or".
func (p *parser) disjunction(first func(int) truth) (func(int) truth, error) {
	all := []func(int) truth{first}
	for {
		next, err := p.conjunction(nil)
		if err != nil {
			return nil, err
		}
		all = append(all, next)
		if !p.word("or") {
			break
		}
	}
	return func(r int) truth {
		v := no
		for _, f := range all {
			v = max(v, f(r))
		}
		return v
	}, nil
}

// conjunction reads "A and B and …"; terms, when not nil, receives its parts.
func (p *parser) conjunction(terms *[]term) (func(int) truth, error) {
	var all []func(int) truth
	for {
		from, bounds := p.peek().at, p.bounds
		f, err := p.negation()
		if err != nil {
			return nil, err
		}
		all = append(all, f)
		if terms != nil {
			to := p.peek().at
			*terms = append(*terms, term{strings.TrimSpace(string(p.text[from:to])), p.bounds > bounds, f})
		}
		if !p.word("and") {
			break
		}
	}
	return func(r int) truth {
		v := yes
		for _, f := range all {
			v = min(v, f(r))
		}
		return v
	}, nil
}

// maxDepth bounds parentheses within parentheses.
const maxDepth = 100

func (p *parser) negation() (func(int) truth, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, p.peek().errorf("more than %d levels of parentheses", maxDepth)
	}
	if p.word("not") {
		f, err := p.negation()
		if err != nil {
			return nil, err
		}
		return func(r int) truth { return -f(r) }, nil
	}
	if open := p.peek(); open.kind == mark && open.text == "(" {
		p.next()
		f, err := p.conjunction(nil)
		if err == nil && p.word("or") {
			f, err = p.disjunction(f)
		}
		if err != nil {
			return nil, err
		}
		if t := p.next(); t.kind != mark || t.text != ")" {
			return nil, open.errorf("the parenthesis is not closed: %s instead of )", t)
		}
		return f, nil
	}
	return p.comparison()
}

// comparison reads "column op value" or "column [not] in [value, …]".
func (p *parser) comparison() (func(int) truth, error) {
	c, err := p.columnName()
	if err != nil {
		return nil, err
	}
	negated := p.word("not")
	if p.word("in") {
		set, err := p.list(c)
		if err != nil {
			return nil, err
		}
		return func(r int) truth {
			v := no
			if c.texts[r] == "" {
				return unknown
			}
			for _, equal := range set {
				v = max(v, equal(r))
			}
			if negated {
				v = -v
			}
			return v
		}, nil
	}
	op := p.next()
	if negated || op.kind != operator {
		return nil, op.errorf("after the column %s, expected one of ==, !=, <, <=, >, >=, in, not in, not %s", c.name, op)
	}
	value := p.next()
	if value.kind != word && value.kind != quoted {
		return nil, value.errorf("expected a value after %s, not %s", op.text, value)
	}
	if op.text == "==" || op.text == "=" || op.text == "!=" {
		equal, err := c.equal(value)
		if err != nil {
			return nil, err
		}
		if op.text == "!=" {
			return func(r int) truth { return -equal(r) }, nil
		}
		return equal, nil
	}
	limit, ok := number(value.text)
	if !ok {
		return nil, value.errorf("%s needs a number on its right, not %s%s", op.text, value, long(value.text))
	}
	if c.numbers == nil {
		return nil, c.errorf("%s compares numbers, and column %s holds %s%s", op.text, c.name, c.sample(), long(c.other))
	}
	p.bounds++
	return func(r int) truth {
		x := c.numbers[r]
		switch {
		case math.IsNaN(x):
			return unknown
		case op.text == "<" && x < limit, op.text == "<=" && x <= limit, op.text == ">" &&
			x > limit, op.text == ">=" && x >= limit:
			return yes
		}
		return no
	}, nil
}

func (p *parser) list(c *operand) (set []func(int) truth, err error) {
	if t := p.next(); t.kind != mark || t.text != "[" {
		return nil, t.errorf("expected a list such as [a, b] after in, not %s", t)
	}
	for {
		v := p.next()
		if v.kind != word && v.kind != quoted {
			return nil, v.errorf("expected a value in the list, not %s", v)
		}
		equal, err := c.equal(v)
		if err != nil {
			return nil, err
		}
		set = append(set, equal)
		switch t := p.next(); {
		case t.kind == mark && t.text == ",":
		case t.kind == mark && t.text == "]":
			return set, nil
		default:
			return nil, t.errorf("expected a comma or ] in the list, not %s", t)
		}
	}
}

// An operand is a column on the left of a comparison.
type operand struct {
	token
	name    string
	query   *Query
	texts   []string
	numbers []float64 // nil for a column of texts
	other   string    // of a column of texts, its first value that is not a number
}

func (p *parser) columnName() (*operand, error) {
	t := p.next()
	if t.kind != word && t.kind != backquoted {
		return nil, t.errorf("expected the name of a column, not %s", t)
	}
	values := p.column(t.text)
	if values == nil {
		if _, isNumber := number(t.text); isNumber {
			return nil, t.errorf("expected the name of a column, not %s: write the column on the left, as in mean_fd < 0.3", t)
		}
		return nil, t.errorf("there is no column %q%s; the columns are %s", t.text, words.DidYouMean(t.text, p.columns), strings.Join(p.columns, ", "))
	}
	c := &operand{token: t, name: t.text, texts: values, query: p.query}
	numbers, notAt := Numbers(values)
	if c.numbers = numbers; numbers == nil && notAt >= 0 {
		c.other = values[notAt]
	}
	return c, nil
}

func (c *operand) sample() string {
	if c.other == "" {
		return "no value at all"
	}
	return fmt.Sprintf("the text %q", c.other)
}

// long adds to a message that a text is a number with too many digits.
func long(text string) string {
	if !Long(text) {
		return ""
	}
	return ", a whole number with more digits than a number keeps: such numbers are compared as texts, by ==, != and in"
}

// equal compares a column with a value: numbers as numbers, texts letter by letter.
func (c *operand) equal(value token) (func(int) truth, error) {
	x, isNumber := number(value.text)
	if c.numbers != nil && !isNumber {
		return nil, value.errorf("column %s holds numbers, but %s is not a number%s", c.name, value, long(value.text))
	}
	there := slices.Contains(c.texts, value.text)
	if c.numbers == nil {
		c.query.Compared = append(c.query.Compared, Compared{c.name, value.text})
	} else {
		there = slices.Contains(c.numbers, x)
	}
	if !there {
		u := Unmatched{Column: c.name, Value: value.text}
		if c.numbers == nil {
			have := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(c.texts))), cell.Missing)
			if u.Near = words.DidYouMean(value.text, have); u.Near == "" && len(have) <= 12 {
				u.Near = words.OrAll(value.text, have)
			}
		}
		c.query.Unmatched = append(c.query.Unmatched, u)
	}
	return func(r int) truth {
		switch {
		case c.texts[r] == "":
			return unknown
		case c.numbers != nil && c.numbers[r] == x, c.numbers == nil && c.texts[r] == value.text:
			return yes
		}
		return no
	}, nil
}
