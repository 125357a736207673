package connectivity

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/foreign"
)

// ReadText reads a table of numbers as neuroimaging tools write them: TSV (BIDS, fMRIPrep, XCP-D), CSV, and the 1D of
// AFNI and C-PAC, gzipped or not, one row a volume. Columns are separated by tabs, commas, semicolons or, when there is
// none of these, white space. n/a, NA, nan, NaN and an empty cell are NaN.
//
// names is nil when the columns have none. They have names when the first line has a field that is not a number; when
// it starts with # and has as many fields as there are columns (C-PAC: "#10	#11"); or when its fields are whole
// numbers and those below it are not all (region numbers as names). Other lines that start with # are comments. A
// first column without a name that counts rows from 0 is the index that pandas writes, and is left out.
func ReadText(r io.Reader) (names []string, x Matrix, err error) {
	return readLines(r, &text{}, "time series must be TSV, CSV, 1D or npy files")
}

// CountRows is the number of rows that ReadText reads. Numbers are parsed as far as they decide what the first line is.
func CountRows(r io.Reader) (int, error) {
	_, x, err := readLines(r, &text{counted: true}, "time series must be TSV, CSV, 1D or npy files")
	return x.Rows, err
}

// readLines reads a text into t, which decides what its first lines are.
func readLines(r io.Reader, t *text, formats string) (names []string, x Matrix, err error) {
	content, err := Decompress(r)
	if err != nil {
		return nil, Matrix{}, err
	}
	br := content.Reader
	var points thousands
	if first, _ := br.Peek(foreign.Enough); foreign.Name(first) != "" {
		return nil, Matrix{}, errors.New(foreign.Name(first))
	}
	if first, _ := br.Peek(br.Size()); bytes.IndexByte(first, 0) >= 0 {
		return nil, Matrix{}, foreign.NotText(first, formats)
	}
	if bom, _ := br.Peek(3); string(bom) == "\ufeff" {
		br.Discard(3)
	}
	if first, _ := br.Peek(br.Size()); foreign.DecimalCommas(first) != "" {
		return nil, Matrix{}, fmt.Errorf("its numbers may have decimal commas, such as %s, but commas are also between its columns: save it with decimal points, or with tabs or semicolons between the columns", foreign.DecimalCommas(first))
	}
	if first, _ := br.Peek(br.Size()); bytes.IndexByte(first, '\r') >= 0 && bytes.IndexByte(first, '\n') < 0 {
		br = bufio.NewReaderSize(oldMac{br}, br.Size())
	}
	for number := 1; ; number++ {
		if number > maxLines {
			return nil, Matrix{}, fmt.Errorf("it holds more than the limit of %d lines", maxLines)
		}
		line, err := readLine(br)
		if err == io.EOF && len(line) == 0 {
			if err := points.doubt(); err != nil {
				return nil, Matrix{}, err
			}
			return t.finish()
		}
		if err != nil && err != io.EOF {
			return nil, Matrix{}, err
		}
		if t.counted && t.rows > 0 && !t.whole && bytes.IndexByte(line, '"') < 0 {
			if bare := bytes.TrimSpace(line); len(bare) > 0 && bare[0] != '#' {
				t.rows++
			}
			continue
		}
		if t.started && !points.none {
			points.add(line)
		}
		if t.started && !t.square && t.separator != 0 && plainRow(t.values, line, t.separator) {
			if err := t.add(t.values); err != nil {
				return nil, Matrix{}, err
			}
			continue
		}
		if bytes.IndexByte(line, 0) >= 0 {
			return nil, Matrix{}, errors.New("not a text file; " + formats)
		}
		if err := t.line(string(line), number); err != nil {
			return nil, Matrix{}, err
		}
	}
}

// thousands finds numbers whose points may separate thousands, as German programs write 5012 and 540: 5.012 and 540.
type thousands struct {
	none    bool        // a value is no such number
	columns [][2]string // a value of each column with points, and one without
}

func (p *thousands) add(line []byte) {
	j := 0
	for field := range bytes.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("\t,; \r\n\"", r) }) {
		may, below := cell.Thousands(string(field))
		if !may && !below {
			p.none, p.columns = true, nil
			return
		}
		if j == len(p.columns) {
			p.columns = append(p.columns, [2]string{})
		}
		at := 1
		if may {
			at = 0
		}
		if c := &p.columns[j]; c[at] == "" {
			c[at] = string(field)
		}
		j++
	}
}

// doubt refuses a text in which a column has both.
func (p *thousands) doubt() error {
	for j, c := range p.columns {
		if c[0] != "" && c[1] != "" {
			return fmt.Errorf("column %d has %s and %s, and no value has other than three decimals: the points may separate thousands; write the numbers without them, or all with decimals",
				j+1, c[0], c[1])
		}
	}
	return nil
}

// oldMac reads lines that end in a carriage return alone.
type oldMac struct{ io.Reader }

func (r oldMac) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// maxLine bounds a line, bytes: a million columns.
const maxLine = 16 << 20

// readLine reads a line without its end, which holds until the next one is read. The last one comes with io.EOF.
func readLine(br *bufio.Reader) ([]byte, error) {
	line, err := br.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line = bytes.Clone(line)
	}
	for err == bufio.ErrBufferFull && len(line) <= maxLine {
		var piece []byte
		piece, err = br.ReadSlice('\n')
		line = append(line, piece...)
	}
	if len(line) > maxLine {
		return nil, fmt.Errorf("a line is longer than %d MiB", maxLine>>20)
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// A text is a table while it is read.
type text struct {
	split     func(string) []string
	separator byte      // of plain rows, 0 for none
	values    []float64 // room for one
	comment   string    // the last line with # before the first row
	first     []string
	firstLine int  // its number
	whole     bool // all fields below the first line are whole numbers so far
	width     int
	started   bool // the first line has been seen
	rows      int  // below it
	quoted    bool // a field below it is a number in quotation marks
	data      blocks

	counted bool // rows are counted, and not all are parsed

	square   bool     // regions by regions: a first column may name the rows
	rowNames []string // nil: the rows have no names
	unnamed  bool     // their column has no name itself
}

func (t *text) line(s string, number int) error {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(s), "#") {
		if !t.started {
			t.comment = strings.TrimSpace(s)
		}
		return nil
	}
	if t.split == nil {
		t.split, t.separator = splitter(s)
	}
	fields := t.split(s)
	if !t.started {
		if len(fields) > maxColumns {
			return fmt.Errorf("line %d has %d columns, more than the limit of %d", number, len(fields), maxColumns)
		}
		t.started, t.first, t.firstLine, t.width, t.whole = true, fields, number, len(fields), true
		t.values = make([]float64, t.width)
		return nil
	}
	if t.square {
		fields = t.cutName(fields)
	}
	if len(fields) != t.width {
		return fmt.Errorf("line %d has %d columns, but the first has %d: correct the line, or write the file again", number, len(fields), t.width)
	}
	return t.row(fields, number)
}

func (t *text) row(fields []string, number int) error {
	values := t.values[:0]
	for j, f := range fields {
		bare := unquoted(f)
		v, ok := parseNumber(bare)
		if !ok {
			return notNumber(number, j+1, f)
		}
		t.quoted = t.quoted || len(bare) != len(f)
		values = append(values, v)
	}
	return t.add(values)
}

func (t *text) add(row []float64) error {
	for j := 0; j < len(row) && t.whole; j++ {
		t.whole = row[j] == math.Trunc(row[j]) // not for NaN
	}
	if !t.data.add(row) {
		return fmt.Errorf("it holds more than the limit of %d numbers", maxNumbers)
	}
	t.rows++
	return nil
}

// notNumber quotes a field only where it is like a number: the file may be another one than a table of numbers, with
// what no message may show.
func notNumber(line, column int, field string) error {
	if len(field) <= 24 && strings.ContainsAny(field, "0123456789") && strings.Trim(field, "0123456789+-.,_eExXpP \t") == "" {
		return fmt.Errorf("line %d, column %d: %q is not a number", line, column, field)
	}
	return fmt.Errorf("line %d, column %d: there is a text, not a number", line, column)
}

// finish settles what the first line is.
func (t *text) finish() (names []string, x Matrix, err error) {
	if !t.started {
		return nil, Matrix{}, errors.New("the file has no numbers: is it the right file?")
	}
	numbers, whole := true, true
	var first []float64
	fraction, mistaken := false, -1
	for j, f := range t.first {
		if t.quoted { // else quotation marks say that these are names
			f = unquoted(f)
		}
		v, ok := parseNumber(f)
		if fraction = fraction || v != math.Trunc(v) && !math.IsNaN(v); !ok {
			if _, err := strconv.ParseFloat(strings.TrimSpace(f), 64); err == nil { // 1_0
				mistaken = j
			}
		}
		numbers = numbers && ok && strings.TrimSpace(f) != ""
		whole = whole && v == math.Trunc(v)
		first = append(first, v)
	}
	if fraction && mistaken >= 0 { // names hold no such numbers: the first volume would be lost
		return nil, Matrix{}, notNumber(t.firstLine, mistaken+1, t.first[mistaken])
	}
	switch {
	case !numbers, t.comment == "" && whole && !t.whole && t.rows > 0 && !(t.square && t.rows+1 == t.width):
		for _, f := range t.first {
			names = append(names, strings.Trim(strings.TrimSpace(f), `"`))
		}
		first = nil
	default:
		t.rows++
		names = commentNames(t.comment, t.width)
	}
	if t.counted {
		return nil, Matrix{Rows: t.rows}, nil
	}
	x = Matrix{Rows: t.rows, Cols: t.width, Data: t.data.after(first)}
	if names, x = dropIndex(names, x); x.Rows == 0 {
		return nil, Matrix{}, errors.New("the file has column names but no numbers")
	}
	return names, x, checkNames(names)
}

// checkNames refuses names that are empty or used twice.
func checkNames(names []string) error {
	seen := make(map[string]int, len(names))
	for i, n := range names {
		if n == "" {
			return fmt.Errorf("column %d has no name: name all columns or none", i+1)
		}
		if k, twice := seen[n]; twice {
			return fmt.Errorf("columns %d and %d have the same name: rename one of them", k+1, i+1)
		}
		seen[n] = i
	}
	return nil
}

// commentNames takes names from a line that starts with #, when there is one for
// each column.
func commentNames(line string, width int) []string {
	if line == "" {
		return nil
	}
	split, _ := splitter(line)
	names := split(strings.TrimSpace(strings.TrimPrefix(line, "#")))
	if len(names) != width {
		return nil
	}
	for i, n := range names {
		names[i] = strings.Trim(strings.TrimLeft(strings.TrimSpace(n), "#"), `" `)
	}
	return names
}

// dropIndex leaves out a first column without a name that holds 0, 1, 2 …
func dropIndex(names []string, x Matrix) ([]string, Matrix) {
	if len(names) < 2 || names[0] != "" {
		return names, x
	}
	for t := range x.Rows {
		if x.At(t, 0) != float64(t) {
			return names, x
		}
	}
	y := NewMatrix(x.Rows, x.Cols-1)
	for t := range x.Rows {
		copy(y.Row(t), x.Row(t)[1:])
	}
	return names[1:], y
}

// splitter chooses the separator by a line; plain is what plainRow is to expect, 0 for nothing. Between semicolons the
// comma is the decimal sign, as spreadsheets write it in much of Europe.
func splitter(line string) (split func(string) []string, plain byte) {
	for _, sep := range []string{"\t", ";", ","} {
		if !strings.Contains(line, sep) {
			continue
		}
		end := "" // of each line, behind numbers: MATLAB's save -ascii -tabs may write a tab there
		if row, is := strings.CutSuffix(line, "\t"); is && !slices.ContainsFunc(strings.Split(row, sep), isText) {
			end = sep
		}
		return func(s string) []string {
			fields := Split(strings.TrimSuffix(strings.TrimRight(s, " "), end), sep)
			for i, f := range fields {
				if sep == ";" && strings.Count(f, ",") == 1 {
					if point := strings.Replace(f, ",", ".", 1); !isText(point) {
						fields[i] = point
					}
				}
			}
			return fields
		}, map[string]byte{"\t": '\t', ",": ','}[sep]
	}
	return strings.Fields, ' '
}

// Split cuts a line at a separator, except within quotation marks.
func Split(line, sep string) (fields []string) {
	if !strings.Contains(line, `"`) {
		return strings.Split(line, sep)
	}
	begun, within := 0, false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			within = !within
		case line[i] == sep[0] && !within:
			fields, begun = append(fields, line[begun:i]), i+1
		}
	}
	if within { // a mark that nothing closes
		return strings.Split(line, sep)
	}
	return append(fields, line[begun:])
}

// unquoted is a field without the quotation marks around it.
func unquoted(f string) string {
	if bare := strings.TrimSpace(f); len(bare) > 1 && bare[0] == '"' && bare[len(bare)-1] == '"' {
		return bare[1 : len(bare)-1]
	}
	return f
}

func isText(s string) bool {
	_, ok := parseNumber(s)
	return !ok
}

func parseNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if cell.Missing(s) {
		return math.NaN(), true
	}
	for i := range len(s) {
		switch s[i] {
		case '_', 'x', 'X': // Go's 1_0 and 0x1p3
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// plainRow reads a line of plain cells between separators, as many as dst has room for. It reports false for every
// other line, which may be right all the same: cells are printable ASCII without quotes, so that nothing stands around
// them that is to be taken off.
func plainRow(dst []float64, line []byte, separator byte) bool {
	text, ok := string(line), true
	for j := range dst {
		if separator == ' ' { // any number of them
			text = strings.TrimLeft(text, " ")
		}
		n := 0
		for n < len(text) && text[n] != separator {
			if text[n] <= ' ' || text[n] > '~' || n == 32 {
				return false
			}
			n++
		}
		if dst[j], ok = parseNumber(text[:n]); !ok || n == 0 || (n == len(text)) != (j == len(dst)-1) {
			return false
		}
		text = text[min(n+1, len(text)):]
	}
	return true
}
