package describe_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/describe"
	"prgnn/internal/need"
)

// A workbook is described by the columns of the sheet that is read, or by its sheets.
func TestInspectWorkbook(t *testing.T) {
	dir := need.Shared(t, "fixtures/doors/tables/xlsx")
	var out bytes.Buffer
	a := &console.Console{Out: bufio.NewWriter(&out), Stderr: &out}
	need.NoError(t, describe.File(a, dir+"/matrix.xlsx", false, 0, ""))
	need.NoError(t, a.Out.Flush())
	text := out.String()
	need.Equal(t, strings.Contains(text, "xlsx, 5 rows"), true, text)
	need.Equal(t, strings.Contains(text, "  Left-Hippocampus "), true, text)
	need.Error(t, describe.File(a, dir+"/two_sheets.xlsx", false, 0, ""), "the workbook has 2 sheets (people, codes)")
	need.Error(t, describe.File(a, dir+"/matrix.xlsx", true, 0, ""), "matrix.xlsx is a workbook")
}

// A table of text is described by its columns: the range of numbers, the distinct values, what is missing.
func TestInspectText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.csv")
	need.NoError(t, os.WriteFile(file, []byte("participant_id,group,age\nsub-01,A,31\nsub-02,B,n/a\nsub-03,A,8\n"), 0o666))
	var out bytes.Buffer
	a := &console.Console{Out: bufio.NewWriter(&out), Stderr: &out}
	need.NoError(t, describe.File(a, file, false, 0, ""))
	need.NoError(t, a.Out.Flush())
	for _, want := range []string{"text, 3 rows", "group           2 values: A, B", "8 to 31", "1 missing"} {
		need.Equal(t, strings.Contains(out.String(), want), true, want, out.String())
	}
	need.Error(t, describe.File(a, file, false, 0, "people"), "--sheet is for workbooks")
	need.NoError(t, os.WriteFile(file, []byte("# A study\n\nIt has a, b\n"), 0o666))
	need.Error(t, describe.File(a, file, false, 0, ""), "a text file, but not a table with columns")
}
