// Package cell reads one cell of a table that a person, a spreadsheet or another program wrote: whether it stands for a
// missing value, and which whole number it is. All readers of tables use it, so one text means one thing everywhere.
package cell

import (
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/pattern"
)

// Missing reports whether a text stands for a missing value in a column of any type: BIDS' n/a and what pandas.read_csv
// takes for one (na_values), without None, which names a group or a category as well, and with #NULL! of SPSS and
// spreadsheets.
func Missing(text string) bool {
	switch strings.TrimSpace(text) { // no list: tables of numbers have millions of cells
	case "", "n/a", "N/A", "N/a", "NA", "nan", "NaN", "NAN", "Nan", "-nan", "-NaN", "null", "NULL", "Null",
		"#N/A", "#N/A N/A", "#NA", "#NULL!", "<NA>", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN":
		return true
	}
	return false
}

// faults are what spreadsheets show in place of a value that they cannot compute.
var faults = []string{"#div/0!", "#ref!", "#value!", "#num!", "#name?", "#error!", "#getting_data"}

// placeholders are words, in lower case, that stand for a missing value, or name a category.
var placeholders = []string{"na", "n.a.", "n.a", "n\\a", "nat", "missing", "unknown", "unk", "unspecified", "undefined",
	"undetermined", "not available", "not applicable", "not reported", "not known", "no data", "none", "nil"}

// A Doubt is how a text may stand for a missing value.
type Doubt int

// The doubts, from none on.
const (
	Value Doubt = iota // it does not
	Mark               // signs alone: -, --, ., ?, or a fault of a spreadsheet such as #REF!
	Word               // unknown, missing: no number, but a category may have the name
	Zero               // none, nil: a category, or the number 0, may have the name
)

// DoubtOf reports whether a text may stand for a missing value, where Missing does not decide it.
func DoubtOf(text string) Doubt {
	text = strings.ToLower(strings.TrimSpace(text))
	switch {
	case text == "none" || text == "nil":
		return Zero
	case slices.Contains(placeholders, text):
		return Word
	case slices.Contains(faults, text), text != "" && strings.Trim(text, ".?-–—−_*/…") == "":
		return Mark
	}
	return Value
}

// whole is a whole number that a program saved as one with decimals: pandas does where a value of the column is
// missing.
var whole = pattern.New(`^([0-9]+)[.,]0+$`)

// grouped is a number that is a thousand or more where its sign separates thousands, and else a smaller one.
var grouped = pattern.New(`^[1-9][0-9]{0,2}[.,]000$`)

// Whole is a whole number with decimals (1.0, 01.00) without them (1, 01), and ok; another text as it is. 1.000 may be
// a thousand, and is left.
func Whole(text string) (digits string, ok bool) {
	if m := whole.FindStringSubmatch(text); m != nil && !grouped.MatchString(text) {
		return m[1], true
	}
	return text, false
}

// Grouped reports whether a number is a whole one in two ways: 1,000 and 1.000 are 1, or 1000.
func Grouped(text string) bool { return grouped.MatchString(text) }

var scientific = pattern.New(`^[0-9]+([.,][0-9]+)?[eE][+-]?[0-9]{1,3}$`)

// Scientific reports whether a text is a number in scientific notation: 1E+05, 1.2e5.
func Scientific(text string) bool { return scientific.MatchString(text) }

var heading = pattern.New(`(?i)^((roi|region|node|parcel|label)s?[ _]?(names?|labels?|ids?)?|names?)$`)

// Heading reports whether a text is the heading of a list of regions, and names none.
func Heading(text string) bool { return heading.MatchString(strings.TrimSpace(text)) }

var withPoints = pattern.New(`^[1-9][0-9]{0,2}(\.[0-9]{3})+$`)

// Thousands reports whether a number may have points that separate thousands, as German programs write 5012: 5.012; or,
// below, is a whole one that needs none: 540.
func Thousands(text string) (may, below bool) {
	text = strings.TrimPrefix(text, "-")
	if 1 <= len(text) && len(text) <= 3 && strings.Trim(text, "0123456789") == "" {
		return false, true
	}
	return withPoints.MatchString(text), false
}

var beginsWithNumber = pattern.New(`^([0-9]{1,9})[ \t]+(\S.*)$`)

// Numbered are the whole numbers that all lines of a list begin with, each once, and what stands behind them; ok is
// false for any other list. A heading of regions before them does not count.
func Numbered(lines []string) (numbers []int, names []string, ok bool) {
	if len(lines) > 0 && Heading(lines[0]) {
		lines = lines[1:]
	}
	for _, line := range lines {
		m := beginsWithNumber.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return nil, nil, false
		}
		n, _ := strconv.Atoi(m[1]) // nine digits fit
		if slices.Contains(numbers, n) {
			return nil, nil, false
		}
		numbers, names = append(numbers, n), append(names, m[2])
	}
	return numbers, names, numbers != nil
}
