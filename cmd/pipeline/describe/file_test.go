package describe_test

import (
	"bufio"
	"bytes"
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
	need.NoError(t, describe.File(a, dir+"/matrix.xlsx", false, 0))
	need.NoError(t, a.Out.Flush())
	text := out.String()
	need.Equal(t, strings.Contains(text, "5 rows; columns: Left-Hippocampus, Right-Hippocampus, L MFG"), true, text)
	need.Error(t, describe.File(a, dir+"/two_sheets.xlsx", false, 0), "the workbook has 2 sheets (people, codes)")
	need.Error(t, describe.File(a, dir+"/matrix.xlsx", true, 0), "matrix.xlsx is a workbook")
}
