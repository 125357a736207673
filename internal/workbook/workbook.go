// Package workbook reads a sheet of an Excel workbook (.xlsx) as the text of a table.
package workbook

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
	"github.com/xuri/nfp"

	"prgnn/internal/words"
)

// Limits of a workbook: what it unpacks to, and the cells of the rectangle that a sheet takes. A cell takes some
// hundred bytes while it is read.
const (
	maxUnpacked = 64 << 20
	maxCells    = 2 << 20
	maxGap      = 1 << 16 // empty rows above others: somebody typed into the last row of the sheet
)

// mostNamed is how many cells with one mistake, or sheets, a message lists.
const mostNamed = 3

// Is reports whether a file is a workbook, by its first bytes.
func Is(first []byte) bool {
	if !bytes.HasPrefix(first, []byte("PK\x03\x04")) || len(first) < 30 {
		return false
	}
	name := string(first[30:min(len(first), 30+int(first[26])+int(first[27])<<8)])
	return name == "[Content_Types].xml" || strings.HasPrefix(name, "xl/") || strings.HasPrefix(name, "_rels/") ||
		strings.HasPrefix(name, "docProps/")
}

// Text is a sheet as CSV in which a line is a row, with the values that its cells hold and not what they show: a number
// is as it is stored, a date is that of ISO 8601, an error is n/a. sheet is its name; "" stands for the only one that
// is shown and has cells. A note states what a reader of the sheet might have seen otherwise.
func Text(file []byte, sheet string) (text []byte, note string, err error) {
	defer func() {
		if r := recover(); r != nil { // of the library, at a part that it expects
			err = errors.New("the workbook is damaged: open it in a spreadsheet program, and save it again")
		}
	}()
	f, err := excelize.OpenReader(bytes.NewReader(file),
		excelize.Options{UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked})
	if err != nil {
		return nil, "", fmt.Errorf("the workbook cannot be read (%w): open it in a spreadsheet program, and save the sheet as CSV", err)
	}
	defer f.Close()
	b := book{File: f, formats: map[int]format{}}
	if b.sheet, err = b.chosen(sheet); err != nil {
		return nil, "", err
	}
	props, err := f.GetWorkbookProps()
	if err != nil {
		return nil, "", err
	}
	b.from1904 = props.Date1904 != nil && *props.Date1904
	return b.text()
}

// A book is a workbook, and the sheet of it that is read.
type book struct {
	*excelize.File
	sheet    string
	from1904 bool
	formats  map[int]format // of the styles that were met
}

// chosen is the sheet to read.
func (b *book) chosen(sheet string) (string, error) {
	all := b.GetSheetList()
	if sheet != "" {
		if !slices.Contains(all, sheet) {
			return "", fmt.Errorf("the workbook has no sheet %q%s; its sheets are %s", sheet, words.DidYouMean(sheet, all),
				words.Some(all, 8))
		}
		return sheet, nil
	}
	var shown []string
	for _, name := range all {
		if visible, err := b.GetSheetVisible(name); err == nil && visible && b.hasCells(name) {
			shown = append(shown, name)
		}
	}
	switch {
	case len(shown) == 1:
		return shown[0], nil
	case shown == nil:
		return "", errors.New("no sheet of the workbook has cells")
	}
	return "", &Sheets{shown}
}

// Sheets is the error for a workbook of which several sheets may be meant.
type Sheets struct{ Names []string }

func (e *Sheets) Error() string {
	return fmt.Sprintf("the workbook has %d sheets (%s): set the sheet to read, or save it as a separate file",
		len(e.Names), words.Some(e.Names, 8))
}

func (b *book) hasCells(sheet string) bool {
	rows, err := b.Rows(sheet)
	if err != nil { // a chart
		return false
	}
	defer rows.Close()
	for rows.Next() {
		if row, _ := rows.Columns(); len(row) > 0 {
			return true
		}
	}
	return false
}

// text writes the sheet as CSV.
func (b *book) text() ([]byte, string, error) {
	rows, hidden, err := b.values()
	if err != nil {
		return nil, "", err
	}
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	if len(rows)*width > maxCells {
		return nil, "", fmt.Errorf("sheet %s takes %d × %d cells, more than the limit of %d: save it as CSV", b.sheet, len(rows), width, maxCells)
	}
	if err := b.refuseMerged(len(rows)); err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	var problems []error
	var zeros []string
	for r, row := range rows {
		row = append(row, make([]string, width-len(row))...)
		for c, v := range row {
			name, _ := excelize.CoordinatesToCellName(c+1, r+1)
			var shown string
			if row[c], shown, err = b.value(name, v); err != nil {
				problems = append(problems, fmt.Errorf("%s!%s: %w", b.sheet, name, err))
			}
			if shown != "" {
				zeros = append(zeros, fmt.Sprintf("%s shows %s and holds %s", name, shown, v))
			}
		}
		if err := w.Write(row); err != nil {
			return nil, "", err
		}
	}
	if n := len(problems) - mostNamed; n > 0 {
		problems = append(problems[:mostNamed], fmt.Errorf("sheet %s: and %d more such cells", b.sheet, n))
	}
	var notes []string
	if zeros != nil {
		notes = append(notes, "numbers of the workbook are read without the leading zeros that their format shows: "+words.Some(zeros, mostNamed)+
			"; if the zeros belong to them, write them as text")
	}
	unseen := func(n int, what, why string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%s of sheet %s %s hidden%s, and %[3]s read like the others",
				words.Count(n, what), b.sheet, map[bool]string{true: "is", false: "are"}[n == 1], why))
		}
	}
	unseen(hidden, "row", ", by a filter or by hand")
	columns := 0
	for c := range width {
		name, _ := excelize.ColumnNumberToName(c + 1)
		shown, err := b.GetColVisible(b.sheet, name)
		if err != nil {
			return nil, "", fmt.Errorf("sheet %s: %w", b.sheet, err)
		}
		if !shown {
			columns++
		}
	}
	unseen(columns, "column", "")
	w.Flush()
	return out.Bytes(), strings.Join(notes, "; "), errors.Join(problems...)
}

// values are those of the cells as they are stored, without empty ones at the end of a row and without empty rows at
// the end.
func (b *book) values() (rows [][]string, hidden int, err error) {
	all, err := b.Rows(b.sheet)
	if err != nil {
		return nil, 0, fmt.Errorf("sheet %s: %w", b.sheet, err)
	}
	defer all.Close()
	last, cells := 0, 0
	for all.Next() {
		row, err := all.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, 0, fmt.Errorf("sheet %s: %w", b.sheet, err)
		}
		rows, cells = append(rows, row), cells+max(1, len(row))
		if cells > maxCells {
			return nil, 0, fmt.Errorf("sheet %s has more than the limit of %d cells: save it as CSV", b.sheet, maxCells)
		}
		if len(row) == 0 {
			continue
		}
		if gap := len(rows) - 1 - last; gap > maxGap {
			return nil, 0, fmt.Errorf("sheet %s has cells in row %d, below %d empty rows: delete them, or save the table as CSV",
				b.sheet, len(rows), gap)
		}
		if last = len(rows); all.GetRowOpts().Hidden {
			hidden++
		}
	}
	return rows[:last], hidden, all.Error()
}

// refuseMerged refuses merged cells: all but the first have no value.
func (b *book) refuseMerged(rows int) error {
	cells, err := b.GetMergeCells(b.sheet, true)
	if err != nil {
		return fmt.Errorf("sheet %s: %w", b.sheet, err)
	}
	var merged []string
	for _, m := range cells {
		if _, row, err := excelize.CellNameToCoordinates(m.GetStartAxis()); err == nil && row <= rows &&
			m.GetStartAxis() != m.GetEndAxis() {
			merged = append(merged, m.GetStartAxis()+":"+m.GetEndAxis())
		}
	}
	if merged == nil {
		return nil
	}
	return fmt.Errorf("sheet %s has merged cells (%s), of which all but the first are empty: unmerge them, and fill in every cell",
		b.sheet, words.Some(merged, mostNamed))
}

// errorValues are what a formula that fails has in place of a value.
var errorValues = []string{"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"}

// value is what a cell stands for; shown is what it shows of a number that has another number of digits there.
func (b *book) value(cell, v string) (value, shown string, err error) {
	switch {
	case v == "":
		formula, err := b.GetCellFormula(b.sheet, cell)
		if err == nil && formula != "" {
			kind, _ := b.GetCellType(b.sheet, cell)
			if kind != excelize.CellTypeFormula { // str: the value is the empty text
				err = fmt.Errorf("the formula =%.40s has no stored value: open the workbook in a spreadsheet program, and save it", formula)
			}
		}
		return "", "", err
	case slices.Contains(errorValues, v):
		return "n/a", "", nil
	}
	number, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
		return v, "", nil
	}
	how, err := b.format(cell)
	if err != nil {
		return "", "", err
	}
	if v != "0" && v != "1" && how == (format{}) {
		return v, "", nil
	}
	switch kind, err := b.GetCellType(b.sheet, cell); {
	case err != nil:
		return "", "", err
	case kind == excelize.CellTypeBool:
		return strings.ToUpper(strconv.FormatBool(number != 0)), "", nil
	case kind == excelize.CellTypeSharedString, kind == excelize.CellTypeInlineString, kind == excelize.CellTypeFormula:
		return v, "", nil
	case how.date:
		value, err = b.date(number)
		return value, "", err
	case how.elapsed:
		s := int64(math.Round(number * 24 * 3600))
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60), "", nil
	case how.digits > len(v) && strings.Trim(v, "0123456789") == "":
		return v, strings.Repeat("0", how.digits-len(v)) + v, nil
	}
	return v, "", nil
}

// date is a date, or a time of day, in the form of ISO 8601.
func (b *book) date(days float64) (string, error) {
	at, err := excelize.ExcelDateToTime(days, b.from1904)
	if err != nil {
		return "", fmt.Errorf("%v is formatted as a date, but is not a date: correct the cell", days)
	}
	at = at.Round(time.Second)
	switch {
	case days < 1:
		return at.Format(time.TimeOnly), nil
	case days == math.Trunc(days):
		return at.Format(time.DateOnly), nil
	}
	return at.Format("2006-01-02T15:04:05"), nil
}

// A format is what the format of a number says that the number is.
type format struct {
	date, elapsed bool
	digits        int // that a whole number has at least
}

func (b *book) format(cell string) (format, error) {
	style, err := b.GetCellStyle(b.sheet, cell)
	if err != nil {
		return format{}, err
	}
	if how, known := b.formats[style]; known {
		return how, nil
	}
	s, err := b.GetStyle(style)
	if none := b.Styles == nil || b.Styles.CellXfs == nil; err != nil && none && style == 0 {
		return format{}, nil // a workbook may lack styles.xml (ECMA-376, part 1, 12.3)
	}
	if err != nil {
		return format{}, err
	}
	var how format
	switch n := s.NumFmt; { // ECMA-376, part 1, 18.8.30; 27 to 36 and 50 to 58 are dates in East Asia
	case s.CustomNumFmt != nil:
		how = formatOf(*s.CustomNumFmt)
	case n == 46:
		how.elapsed = true
	case n >= 14 && n <= 22, n >= 27 && n <= 36, n == 45, n == 47, n >= 50 && n <= 58:
		how.date = true
	}
	b.formats[style] = how
	return how, nil
}

func formatOf(code string) (how format) {
	if len(code) > 1 && strings.Trim(code, "0") == "" {
		return format{digits: len(code)}
	}
	parser := nfp.NumberFormatParser()
	for _, section := range parser.Parse(code) {
		for _, token := range section.Items {
			how.elapsed = how.elapsed || token.TType == nfp.TokenTypeElapsedDateTimes
			how.date = how.date || token.TType == nfp.TokenTypeDateTimes
		}
	}
	how.date = how.date && !how.elapsed
	return how
}
