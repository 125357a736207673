package sheet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// The fixtures are one table in many encodings.
func TestEncodings(t *testing.T) {
	dir := need.Shared(t, "fixtures/doors/tables")
	for _, c := range []struct{ file, encoding, centre, note string }{
		{"utf8.tsv", "", "Zürich", ""},
		{"utf8_bom.tsv", "", "Zürich", ""},
		{"utf16_le_bom.tsv", "", "Zürich", ""},
		{"utf16_be_bom.tsv", "", "Zürich", ""},
		{"latin1.tsv", "", "Zürich", "the table is not UTF-8, and is read as Windows-1252, such as Zürich in line 2; if that is wrong, set encoding"},
		{"latin1.tsv", "latin1", "Zürich", ""},
		{"cp1252.tsv", "", "Zürich–Nord", "the table is not UTF-8, and is read as Windows-1252, such as Zürich–Nord in line 2; if that is wrong, set encoding"},
		{"macroman.tsv", "", "ZŸrich", "the table is not UTF-8, and is read as Windows-1252, such as ZŸrich in line 2; if that is wrong, set encoding"},
		{"macroman.tsv", "macintosh", "Zürich", ""},
		{"gbk.tsv", "gbk", "北京", ""},
		{"../refuse/utf16_no_bom.tsv", "utf-16le", "Zürich", ""},
	} {
		b := need.Value(os.ReadFile(filepath.Join(dir, "encodings", c.file)))(t)
		s, err := ReadIn(bytes.NewReader(b), c.file, Form{Encoding: c.encoding, Guess: true})
		need.NoError(t, err, c.file)
		centre, _ := s.Column("centre")
		need.Equal(t, centre[0], c.centre, c.file)
		need.Equal(t, s.Note, c.note, c.file)
	}
	read := func(file, encoding string) error {
		b := need.Value(os.ReadFile(filepath.Join(dir, file)))(t)
		_, err := ReadIn(bytes.NewReader(b), file, Form{Encoding: encoding, Guess: true})
		return err
	}
	need.Error(t, read("refuse/utf16_no_bom.tsv", ""), "a UTF-16 file without a byte order mark; set encoding: utf-16le")
	need.Error(t, read("encodings/gbk.tsv", "gbx"), `encoding: there is no encoding "gbx"`)
	// Tables that are not the user's list of participants have no parameter, and no note.
	b := need.Value(os.ReadFile(filepath.Join(dir, "encodings", "latin1.tsv")))(t)
	_, err := Read(bytes.NewReader(b), "latin1.tsv")
	need.Error(t, err, "line 2 is not UTF-8 text")
}

// A sheet of a workbook is a table like any other.
func TestWorkbooks(t *testing.T) {
	dir := need.Shared(t, "fixtures/doors/tables")
	read := func(file string, as Form) (*Sheet, error) {
		return ReadIn(bytes.NewReader(need.Value(os.ReadFile(filepath.Join(dir, file)))(t)), file, as)
	}
	s := need.Value(read("xlsx/two_sheets.xlsx", Form{Sheet: "codes"}))(t)
	need.Equal(t, fmt.Sprint(s.Columns, s.Rows, s.Lines), "[code meaning] [[1 ASD]] [2]")
	for _, c := range []struct {
		file string
		as   Form
		want string
	}{
		{"xlsx/two_sheets.xlsx", Form{}, "in a pipeline file: sheet: people"},
		{"xlsx/two_sheets.xlsx", Form{Encoding: "gbk"}, "encoding applies to text files, but the file is a workbook"},
		{"encodings/utf8.tsv", Form{Sheet: "people"}, "sheet applies to workbooks (.xlsx), but the file is not one"},
	} {
		_, err := read(c.file, c.as)
		need.Error(t, err, c.want)
	}
}
