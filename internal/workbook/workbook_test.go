package workbook

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"prgnn/internal/forge"
	"prgnn/internal/need"
)

// The fixtures are written by openpyxl.
func TestWorkbooksOfOthers(t *testing.T) {
	dir := need.Shared(t, "fixtures/doors/tables/xlsx")
	for _, c := range []struct{ file, sheet, text, note, refused string }{
		{"two_sheets.xlsx", "codes", "code,meaning\n1,ASD\n", "", ""},
		{"two_sheets.xlsx", "", "", "", "the workbook has 2 sheets (people, codes): set the sheet to read"},
		{"two_sheets.xlsx", "peopel", "", "", `the workbook has no sheet "peopel"`},
		{"participants.xlsx", "", "participant_id,group,age,IQ,scan_date,note\nsub-01,ASD,12.5,101,2019-03-01,ok\n" +
			"sub-02,TD,11,,2019-03-02,\"Müller, J.\"\n3,TD,10.25,-999,,\nsub-04,ASD,13,99,,\n", "",
			"people!F4: the formula =1+1 has no stored value"},
		{"traps.xlsx", "", "", "A3 shows 0001 and holds 1", `Sheet!C4: the formula =A4&".nii.gz" has no stored value`},
	} {
		b := need.Value(os.ReadFile(filepath.Join(dir, c.file)))(t)
		need.Equal(t, Is(b), true, c.file)
		text, note, err := Text(b, c.sheet)
		if c.refused != "" {
			need.Error(t, err, c.refused)
		} else {
			need.NoError(t, err, c.file)
		}
		if c.text != "" {
			need.Equal(t, string(text), c.text, c.file)
		}
		need.Equal(t, strings.Contains(note, c.note) && (note == "") == (c.note == ""), true, c.file, note)
	}
}

// made is a workbook of one sheet.
func made(t *testing.T, cells map[string]any, change func(f *excelize.File) error) []byte {
	f := excelize.NewFile()
	for at, v := range cells {
		need.NoError(t, f.SetCellValue("Sheet1", at, v))
	}
	if change != nil {
		need.NoError(t, change(f))
	}
	var b bytes.Buffer
	need.NoError(t, f.Write(&b))
	return b.Bytes()
}

func TestValuesOfCells(t *testing.T) {
	formatted := func(cell, code string) func(f *excelize.File) error {
		return func(f *excelize.File) error {
			style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
			if err != nil {
				return err
			}
			return f.SetCellStyle("Sheet1", cell, cell, style)
		}
	}
	for _, c := range []struct {
		name   string
		value  any
		change func(f *excelize.File) error
		want   string
	}{
		{"number", 0.1, nil, "0.1"},
		{"number of three shown digits", 3.14159, formatted("A2", "0.0"), "3.14159"},
		{"percent", 0.25, formatted("A2", "0%"), "0.25"},
		{"text of digits", "007", nil, "007"},
		{"truth", true, nil, "TRUE"},
		{"error", "#N/A", nil, "n/a"},
		{"date", 43525.0, formatted("A2", "dd.mm.yyyy"), "2019-03-01"},
		{"date and time", time.Date(2019, 3, 1, 14, 30, 0, 0, time.UTC), nil, "2019-03-01T14:30:00"},
		{"month in words", 43525.0, formatted("A2", `[$-409]mmm\ yyyy`), "2019-03-01"},
		{"time", 0.75, formatted("A2", "hh:mm"), "18:00:00"},
		{"duration", 1.5, formatted("A2", "[h]:mm"), "36:00:00"},
		{"unit with the letters of a date", 5.5, formatted("A2", `0.0" days"`), "5.5"},
		{"date counted from 1904", 42063.0, func(f *excelize.File) error {
			yes := true
			if err := f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}); err != nil {
				return err
			}
			return formatted("A2", "yyyy-mm-dd")(f)
		}, "2019-03-01"},
	} {
		text, note, err := Text(made(t, map[string]any{"A1": "x", "A2": c.value}, c.change), "")
		need.NoError(t, err, c.name)
		need.Equal(t, string(text), "x\n"+c.want+"\n", c.name)
		need.Equal(t, note, "", c.name)
	}
}

func TestRefusedWorkbooks(t *testing.T) {
	cells := map[string]any{"A1": "id", "B1": "group", "A2": "a", "B2": "x", "A3": "b"}
	merged := made(t, cells, func(f *excelize.File) error { return f.MergeCell("Sheet1", "B2", "B3") })
	_, _, err := Text(merged, "")
	need.Error(t, err, "sheet Sheet1 has merged cells (B2:B3), of which all but the first are empty: unmerge them")

	hidden := made(t, cells, func(f *excelize.File) error { return f.SetRowVisible("Sheet1", 3, false) })
	_, note, err := Text(hidden, "")
	need.NoError(t, err)
	need.Equal(t, note, "1 row of sheet Sheet1 is hidden, by a filter or by hand, and is read like the others")
	hidden = made(t, cells, func(f *excelize.File) error { return f.SetColVisible("Sheet1", "B", false) })
	_, note, err = Text(hidden, "")
	need.NoError(t, err)
	need.Equal(t, note, "1 column of sheet Sheet1 is hidden, and is read like the others")

	_, _, err = Text(made(t, nil, nil), "")
	need.Error(t, err, "no sheet of the workbook has cells")
	// Sheets without cells, and hidden ones, are not asked about.
	text, _, err := Text(made(t, cells, func(f *excelize.File) error {
		for _, name := range []string{"Sheet2", "Sheet3"} {
			if _, err := f.NewSheet(name); err != nil {
				return err
			}
		}
		if err := f.SetCellValue("Sheet3", "A1", 1); err != nil {
			return err
		}
		return f.SetSheetVisible("Sheet3", false)
	}), "")
	need.NoError(t, err)
	need.Equal(t, string(text), "id,group\na,x\nb,\n")

	far := made(t, map[string]any{"A1": 1, "XFD400": 1}, nil)
	_, _, err = Text(far, "")
	need.Error(t, err, fmt.Sprintf("takes 400 × 16384 cells, more than the limit of %d", maxCells))
	whole := made(t, cells, nil)
	_, _, err = Text(whole[:len(whole)/2], "")
	need.Error(t, err, "the workbook cannot be read")
}

// A workbook may lack the part of styles: its cells have none.
func TestWithoutStyles(t *testing.T) {
	parts := partsOf(t, made(t, map[string]any{"A1": "id", "B1": "age", "A2": "a", "B2": 21.5}, nil))
	delete(parts, "xl/styles.xml")
	for name, old := range map[string]string{"xl/_rels/workbook.xml.rels": "styles.xml", "[Content_Types].xml": "/xl/styles.xml"} {
		need.Equal(t, strings.Contains(parts[name], old), true, name)
		parts[name] = regexp.MustCompile(`<(Relationship|Override)[^>]*styles\.xml[^>]*>(</(Relationship|Override)>)?`).
			ReplaceAllString(parts[name], "")
	}
	text, note, err := Text(zipped(t, parts), "")
	need.NoError(t, err)
	need.Equal(t, string(text)+note, "id,age\na,21.5\n")
}

func TestStrayRowsAreRefused(t *testing.T) {
	near := fmt.Sprintf("A%d", maxGap+2)
	text, _, err := Text(made(t, map[string]any{"A1": "x", near: 1}, nil), "")
	need.NoError(t, err)
	need.Equal(t, strings.Count(string(text), "\n"), maxGap+2)
	_, _, err = Text(made(t, map[string]any{"A1": "x", "A1048576": 1}, nil), "")
	need.Error(t, err, "sheet Sheet1 has cells in row 1048576, below 1048574 empty rows: delete them, or save the table as CSV")
}

// A row takes as many cells as its last one has columns, however few there are.
func TestWideRowsAreRefused(t *testing.T) {
	parts := partsOf(t, small(t))
	var rows strings.Builder
	for r := range 200 {
		fmt.Fprintf(&rows, `<row r="%d"><c r="XFD%[1]d"><v>1</v></c></row>`, r+1)
	}
	parts[sheetPart] = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` +
		rows.String() + `</sheetData></worksheet>`
	_, _, err := Text(zipped(t, parts), "")
	need.Error(t, err, fmt.Sprintf("sheet Sheet1 has more than the limit of %d cells: save it as CSV", maxCells))
}

// Whatever the bytes of a workbook are, it is read or refused, in bounded memory and time.
func FuzzText(f *testing.F) {
	f.Add(small(f))
	f.Fuzz(func(t *testing.T, file []byte) { forge.Bounded(t, file, func() { Text(file, "") }) })
}

// Bytes that are changed at random rarely get past the checksums of a zip file: here the archive is right, and one of
// its parts is of the fuzzer.
func FuzzParts(f *testing.F) {
	parts := partsOf(f, small(f))
	names := slices.Sorted(maps.Keys(parts))
	for i, name := range names {
		f.Add(uint8(i), parts[name])
	}
	sheet := uint8(slices.Index(names, sheetPart))
	for _, old := range []string{`r="1"`, `r="A1"`, `r="A2"`, "<v>1</v>"} {
		for _, lie := range []string{`r="70000"`, `r="AZ70000"`, `r="ZZZZ9"`, `r="A0"`, `r="-1"`, "<v>1e999</v>"} {
			f.Add(sheet, strings.Replace(parts[sheetPart], old, lie, 1))
		}
	}
	f.Fuzz(func(t *testing.T, part uint8, text string) {
		one := maps.Clone(parts)
		one[names[int(part)%len(names)]] = text
		file := zipped(t, one)
		forge.Bounded(t, file, func() { Text(file, "") })
	})
}

const sheetPart = "xl/worksheets/sheet1.xml"

// small is a workbook of two cells.
func small(t testing.TB) []byte {
	book := excelize.NewFile()
	need.NoError(t, book.SetCellValue("Sheet1", "A1", "x"))
	need.NoError(t, book.SetCellValue("Sheet1", "A2", 1))
	var b bytes.Buffer
	need.NoError(t, book.Write(&b))
	return b.Bytes()
}

// partsOf are the parts of a workbook, by name.
func partsOf(t testing.TB, book []byte) map[string]string {
	parts := map[string]string{}
	z := need.Value(zip.NewReader(bytes.NewReader(book), int64(len(book))))(t)
	for _, part := range z.File {
		r := need.Value(part.Open())(t)
		parts[part.Name] = string(need.Value(io.ReadAll(r))(t))
	}
	return parts
}

func zipped(t testing.TB, parts map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w := need.Value(z.Create(name))(t)
		_, err := w.Write([]byte(parts[name]))
		need.NoError(t, err)
	}
	need.NoError(t, z.Close())
	return b.Bytes()
}
