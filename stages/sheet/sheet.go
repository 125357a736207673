package sheet

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"prgnn/internal/cell"
	"prgnn/internal/foreign"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/internal/workbook"
)

// maxBytes bounds a file: a table of all participants ever scanned is smaller.
const maxBytes = 64 << 20

// maxValues bounds the values of a table: a quarter of a million participants with 32 columns.
const maxValues = 8 << 20

// maxRows bounds the rows of a table, of which each takes some kB once it is a participant: no pipeline has a task for
// each of more.
const maxRows = 1 << 18

// A Sheet is a table of texts.
type Sheet struct {
	File    string                    // for messages
	Columns []string                  // distinct, not empty
	Rows    [][]string                // each as long as Columns; "" where there is no value
	Lines   []int                     // of each row in the file
	Note    string                    // how its text was decoded, or its workbook was read; "" for nothing to state
	absent  map[string]map[string]int // by column: texts that were read as missing values, and how often
	commas  []string                  // columns that were read with decimal commas
	marks   []string                  // columns with points and commas, either of which may separate thousands
}

// Read reads a table separated by tabs, semicolons or commas, whichever its first
// line has first in this order outside quotation marks, or one of a workbook (.xlsx). A first column without a name
// holds row numbers, as R and pandas write them, and is left out. All mistakes are reported at once.
func Read(r io.Reader, file string) (*Sheet, error) { return ReadIn(r, file, Form{}) }

// A Form is how a table of a user is stored.
type Form struct {
	Encoding string // of a text; "" for UTF-8 or, if Guess, Windows-1252 with a note
	Sheet    string // of a workbook; "" for its only one
	Guess    bool
}

// ReadIn is Read of a table that is stored in some form.
func ReadIn(r io.Reader, file string, as Form) (*Sheet, error) {
	c, raw, note, err := reader(r, as)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if c.Comma == '\t' {
		if err := checkTabs(raw, file); err != nil {
			return nil, err
		}
		c.LazyQuotes = true // within a value a quotation mark is a character like any other (5" coil)
	}
	s := &Sheet{File: file, Note: note, absent: map[string]map[string]int{}}
	var problems []error
	numbered, wrong := false, 0 // wrong lines have another number of values than the first
	for {
		fields, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			var at *csv.ParseError
			if errors.As(err, &at) {
				err = fmt.Errorf("%s:%d: an unmatched quotation mark: quote the whole value, and double quotation marks within it (\"5\"\" coil\")", file, at.StartLine)
			}
			return nil, errors.Join(append(problems, err)...)
		}
		line, _ := c.FieldPos(0)
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		problems = append(problems, rowsWithin(fields, c.Comma, file, line)...)
		blank := !slices.ContainsFunc(fields, func(f string) bool { return f != "" })
		if s.Columns == nil {
			numbered = len(fields) > 1 && fields[0] == "" && !slices.Contains(fields[1:], "")
		}
		if numbered {
			fields = fields[1:]
		}
		for s.Columns != nil && len(fields) > len(s.Columns) && fields[len(fields)-1] == "" {
			fields = fields[:len(fields)-1]
		}
		switch {
		case blank && (len(fields) > 1 || len(s.Columns) != 1): // spreadsheets leave such lines at the end
		case s.Columns == nil:
			for len(fields) > 1 && fields[len(fields)-1] == "" { // and such columns
				fields = fields[:len(fields)-1]
			}
			s.Columns = fields
			problems = append(problems, checkHeader(fields, file, line)...)
		case len(fields) != len(s.Columns):
			if wrong++; wrong > mostWrong {
				continue
			}
			problems = append(problems, fmt.Errorf("%s:%d: %s, but the first line has %d%s", file, line,
				words.Count(len(fields), "value"), len(s.Columns), whyFields(fields, c.Comma)))
		default:
			for i, f := range fields {
				if !cell.Missing(f) {
					continue
				}
				if fields[i] = ""; strings.TrimSpace(f) != "" {
					if s.absent[s.Columns[i]] == nil {
						s.absent[s.Columns[i]] = map[string]int{}
					}
					s.absent[s.Columns[i]][strings.TrimSpace(f)]++
				}
			}
			s.Rows = append(s.Rows, fields)
			s.Lines = append(s.Lines, line)
		}
	}
	if wrong > mostWrong {
		problems = append(problems, fmt.Errorf("%s: %s in all have another number of values than the first", file, words.Count(wrong, "line")))
	}
	switch {
	case s.Columns == nil:
		problems = append(problems, fmt.Errorf("%s: empty, but a table was expected: a line with the names of the columns, then one line per row", file))
	case len(s.Rows) == 0 && len(problems) == 0:
		problems = append(problems, fmt.Errorf("%s: a header, but no rows: add them below it, or name another file", file))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	s.dots()
	if c.Comma == ';' {
		s.commas = s.decimalCommas(nil)
	}
	return s, nil
}

var errLong = fmt.Errorf("larger than the limit of %d MB for a table of participants: is it the right file?", maxBytes>>20)

// mostWrong is how many lines with a wrong number of values are reported one by one.
const mostWrong = 3

// sepLine is the line that Excel begins a file with to say how values are separated: sep=;
var sepLine = pattern.New(`(?i)^\s*"?sep=([,;\t|])"?[ ,;\t|]*\r?\n`)

// reader reads a file within the limits, with the separator that it has; raw is its text.
func reader(r io.Reader, as Form) (c *csv.Reader, raw []byte, note string, err error) {
	raw, err = io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, nil, "", err
	}
	if len(raw) > maxBytes {
		return nil, nil, "", errLong
	}
	said := rune(0)
	switch is := workbook.Is(raw); {
	case is && as.Encoding != "":
		return nil, nil, "", errors.New("encoding applies to text files, but the file is a workbook (.xlsx): leave it out")
	case is:
		said = ','
		raw, note, err = workbook.Text(raw, as.Sheet)
		if several := new(workbook.Sheets); errors.As(err, &several) {
			err = fmt.Errorf("%w; in a pipeline file: sheet: %s, in a command: --sheet %[2]q", err, several.Names[0])
		}
	case as.Sheet != "":
		return nil, nil, "", errors.New("sheet applies to workbooks (.xlsx), but the file is not one: leave it out")
	default:
		raw, note, err = decoded(raw, as.Encoding, as.Guess)
	}
	if err != nil {
		return nil, nil, "", err
	}
	if err := isText(raw); err != nil {
		return nil, nil, "", err
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if bytes.IndexByte(raw, '\n') < 0 { // lines end as on old Macs, and in text files of their Excel
		for i, c := range raw {
			if c == '\r' {
				raw[i] = '\n'
			}
		}
	}
	if m := sepLine.FindSubmatch(raw); m != nil {
		said, raw = rune(m[1][0]), append([]byte("\n"), raw[len(m[0]):]...) // lines keep their numbers
	}
	c = csv.NewReader(bytes.NewReader(raw))
	c.Comma = cmp.Or(said, separator(raw))
	if bytes.Count(raw, []byte{byte(c.Comma)})+bytes.Count(raw, []byte{'\n'}) > maxValues {
		return nil, nil, "", fmt.Errorf("more than the limit of %d values for a table of participants: is it the right file?", maxValues)
	}
	if n := bytes.Count(raw, []byte{'\n'}); n > maxRows {
		return nil, nil, "", fmt.Errorf("%d lines, more than the limit of %d for a table of participants: is it the right file?", n, maxRows)
	}
	c.FieldsPerRecord = -1
	return c, raw, note, nil
}

// checkTabs refuses values of a tab-separated text that begin with a quotation mark and do not end with its partner.
// TSV of BIDS has no quotation marks, but spreadsheets and R write them, so what closes within its line is a quoted
// value. The first few mistakes are reported.
func checkTabs(raw []byte, file string) error {
	var problems []error
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		column, rest := 1, bytes.TrimRight(line, "\r\n")
		for len(rest) > 0 {
			end := bytes.IndexByte(rest, '\t')
			if rest[0] == '"' {
				if end = quotedEnd(rest); end == 0 {
					if len(problems) == mostWrong {
						return errors.Join(append(problems, fmt.Errorf("%s: later lines were not checked", file))...)
					}
					problems = append(problems, fmt.Errorf("%s:%d: column %d begins with a quotation mark that does not close "+
						"before the next tab or the end of the line: remove it, or quote the whole value on one line and "+
						"double quotation marks within it (\"5\"\" coil\")", file, number, column))
					break
				}
			}
			if end < 0 || end == len(rest) {
				break
			}
			column, rest = column+1, rest[end+1:]
		}
	}
	return errors.Join(problems...)
}

// quotedEnd is the length of a value that begins with a quotation mark, in a line; 0 where it does not close, or a text
// follows.
func quotedEnd(line []byte) int {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] != '"':
		case i+1 == len(line) || line[i+1] == '\t':
			return i + 1
		case line[i+1] != '"':
			return 0
		default:
			i++
		}
	}
	return 0
}

// rowsWithin refuses a value over lines of which one has as many separators as a row: a quotation mark that was never
// closed would take these rows in.
func rowsWithin(fields []string, sep rune, file string, line int) []error {
	for i, f := range fields {
		_, below, _ := strings.Cut(f, "\n")
		for piece := range strings.SplitSeq(below, "\n") {
			if n := strings.Count(piece, string(sep)); n > 0 && n >= len(fields)-1 {
				return []error{fmt.Errorf("%s:%d: a quotation mark opens in column %d and closes %s below, past lines that "+
					"look like rows: close it on its line, or remove it; write the value on one line if it has such lines",
					file, line, i+1, words.Count(strings.Count(f, "\n"), "line"))}
			}
		}
	}
	return nil
}

// decimalCommas writes numbers such as 22,5 as 22.5, column by column, and names the columns. Spreadsheets
// separate values by semicolons where the comma is the decimal sign. skip, when set, tells the columns to leave as
// they are.
func (s *Sheet) decimalCommas(skip func(i int) bool) (changed []string) {
	s.marks = nil
	for i, name := range s.Columns {
		if skip != nil && skip(i) {
			continue
		}
		any := false
		doubt, points := "", false
		for _, row := range s.Rows {
			point, is := decimalComma(row[i])
			if may, _ := cell.Thousands(row[i]); may || thousand.MatchString(row[i]) {
				doubt = cmp.Or(doubt, row[i])
			}
			points = points || strings.Contains(row[i], ".") && cell.DoubtOf(row[i]) == cell.Value
			if _, ok := number(point); !ok && row[i] != "" && cell.DoubtOf(row[i]) == cell.Value {
				any = false
				break
			}
			any = any || is
		}
		if any && points && doubt != "" { // 999,5 and 1.234, which is 1234 there
			s.marks, any = append(s.marks, fmt.Sprintf("%s (%s)", name, doubt)), false
		}
		if any {
			changed = append(changed, name)
		}
		for _, row := range s.Rows {
			if any && cell.DoubtOf(row[i]) == cell.Value {
				row[i], _ = decimalComma(row[i])
			}
		}
	}
	return changed
}

// DecimalCommas writes numbers such as 22,5 as 22.5, and says in which columns; where semicolons separate the values,
// Read has done so. Where all commas stand before three digits (1,234) they may separate thousands as well, and the
// column is left as it is (either), and so is one with points as well (marks); keep tells other columns to leave.
func (s *Sheet) DecimalCommas(keep func(name string) bool) (read, marks, either []string) {
	changed := append(s.commas, s.decimalCommas(func(i int) bool {
		if keep(s.Columns[i]) {
			return true
		}
		first := ""
		for _, row := range s.Rows {
			if v := row[i]; strings.Contains(v, ",") {
				if !thousand.MatchString(v) {
					return false
				}
				first = cmp.Or(first, v)
			}
		}
		if first != "" {
			either = append(either, fmt.Sprintf("%s (%s)", s.Columns[i], first))
		}
		return first != ""
	})...)
	s.commas = changed
	return changed, s.marks, either
}

// HasDecimalCommas reports whether a column was read with decimal commas, so that points may separate thousands.
func (s *Sheet) HasDecimalCommas() bool { return s.commas != nil }

// thousand is a number that may be read with a comma between thousands.
var thousand = pattern.New(`^[+-]?[1-9]\d{0,2}(,\d{3})+$`)

func decimalComma(v string) (point string, is bool) {
	whole, rest, is := strings.Cut(v, ",")
	if !is || strings.Contains(rest, ",") || strings.Contains(v, ".") {
		return v, false
	}
	return whole + "." + rest, true
}

// whyFields guesses why a line has another number of values than the first.
func whyFields(fields []string, sep rune) string {
	for i, f := range fields {
		if n := strings.Count(f, "\n"); n > 0 {
			return fmt.Sprintf(" (a quotation mark opens in column %d and closes %s below, or not at all)", i+1, words.Count(n, "line"))
		}
	}
	names := map[rune]string{'\t': "tabs", ';': "semicolons", ',': "commas"}
	for _, other := range "\t;," {
		if len(fields) == 1 && strings.ContainsRune(fields[0], other) {
			return fmt.Sprintf(" (they are separated by %s, but here by %s)", names[sep], names[other])
		}
	}
	if sep == ',' {
		return " (a value with a comma in it needs quotation marks)"
	}
	return ""
}

// dots empties the cells in which columns of numbers have a dot, as SAS and Stata write a missing value.
func (s *Sheet) dots() {
	for i := range s.Columns {
		dot := func(row []string) bool { return row[i] == "." }
		if !slices.ContainsFunc(s.Rows, dot) { // most columns: nothing is parsed
			continue
		}
		numbers, others := false, slices.ContainsFunc(s.Rows, func(row []string) bool {
			point, _ := decimalComma(row[i])
			_, ok := number(point)
			return !ok && row[i] != "." && row[i] != ""
		})
		for _, row := range s.Rows {
			numbers = numbers || row[i] != "." && row[i] != ""
		}
		for _, row := range s.Rows {
			if numbers && !others && dot(row) {
				row[i] = ""
			}
		}
	}
}

// checkHeader names columns without a name and names of two columns, the first few: a line that is no header may have
// a million of them.
func checkHeader(columns []string, file string, line int) (problems []error) {
	times := make(map[string]int, len(columns))
	for i, name := range columns {
		if times[name]++; len(problems) == mostWrong {
			return append(problems, fmt.Errorf("%s:%d: %s in all: is this line the header?", file, line,
				words.Count(len(columns), "column")))
		}
		switch {
		case name == "":
			problems = append(problems, fmt.Errorf("%s:%d: column %d has no name: name it, or remove the column", file, line, i+1))
		case name != "" && times[name] == 2:
			problems = append(problems, fmt.Errorf("%s:%d: two columns are named %q: rename or remove one of them", file, line, name))
		}
	}
	return problems
}

func isText(raw []byte) error {
	switch what := foreign.Name(raw); {
	case what != "":
		return errors.New(what)
	case bytes.IndexByte(raw, 0) >= 0:
		return errors.New("not a text file: a table is TSV or CSV")
	case !utf8.Valid(raw):
		line := 1
		for len(raw) > 0 {
			r, n := utf8.DecodeRune(raw)
			if r == utf8.RuneError && n == 1 {
				break
			}
			if r == '\n' {
				line++
			}
			raw = raw[n:]
		}
		return fmt.Errorf("line %d is not UTF-8 text: save the file as UTF-8", line)
	}
	return nil
}

// separator looks at the first line, without what stands in quotation marks.
func separator(raw []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(raw, "\r\n"), []byte("\n"))
	seen := map[byte]bool{}
	quoted, last := false, byte(',')
	for _, c := range line {
		switch {
		case c == '"' && (quoted || strings.IndexByte("\t;,\"", last) >= 0): // a mark within a value is none
			quoted = !quoted
		case !quoted:
			seen[c] = true
		}
		if !quoted {
			last = c
		}
	}
	for _, sep := range []byte("\t;") { // a mark that is open at the end is closed on another line, or a mistake
		if seen[sep] || quoted && bytes.IndexByte(line, sep) >= 0 {
			return rune(sep)
		}
	}
	return ','
}

// Column returns the values of a column.
func (s *Sheet) Column(name string) (values []string, ok bool) {
	i := slices.Index(s.Columns, name)
	if i < 0 {
		return nil, false
	}
	values = make([]string, len(s.Rows))
	for r, row := range s.Rows {
		values[r] = row[i]
	}
	return values, true
}

// Absent are the texts of a column that were read as missing values, other than empty ones, and in how many rows.
func (s *Sheet) Absent(column string) map[string]int { return maps.Clone(s.absent[column]) }

// Numbers returns a column's values as numbers, NaN where there is none, or tells
// the row of the first value that is not a number (−1 when there is no value at
// all). A number that begins with a needless zero (007) is a name, and so is one that would lose digits (see Long).
func Numbers(values []string) (numbers []float64, notAt int) {
	numbers = make([]float64, len(values))
	any := false
	for i, v := range values {
		if v == "" {
			numbers[i] = math.NaN()
			continue
		}
		x, ok := number(v)
		if !ok {
			return nil, i
		}
		numbers[i], any = x, true
	}
	if !any {
		return nil, -1
	}
	return numbers, len(values)
}

// number reads a finite decimal number.
func number(s string) (float64, bool) {
	digits := strings.TrimLeft(s, "+-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' ||
		strings.ContainsAny(s, "_xXpPiI") || Long(s) {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// Long reports whether a text is a whole number beyond ±2⁵³ of which a float64 loses digits: an identifier, of which
// two would be one number.
func Long(s string) bool {
	digits, decimals, _ := strings.Cut(strings.TrimLeft(s, "+-"), ".")
	if len(digits) < 16 || strings.Trim(digits, "0123456789") != "" || strings.Trim(decimals, "0") != "" {
		return false
	}
	whole, ok := new(big.Float).SetPrec(4 * uint(len(digits))).SetString(digits)
	if !ok {
		return false
	}
	_, accuracy := whole.Float64()
	return accuracy != big.Exact
}
