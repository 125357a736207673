package export

import (
	"bytes"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// The cells are OWASP's list; numbers below zero are no formulas.
func TestSpreadsheetSafe(t *testing.T) {
	table := encoding.NewTable(
		encoding.Column{Name: "=cmd", Values: []string{`=HYPERLINK("http://x")`, "+1", "-1", "@SUM(1)", "\tx", "a=b", "", "＝1"}},
		encoding.Column{Name: "x", Values: []float64{-1, 1, 2, 3, 4, 5, 6, 7}})
	var before, b bytes.Buffer
	need.NoError(t, table.WriteCSV(&before, ','))
	need.NoError(t, need.Value(spreadsheetSafe(table))(t).WriteCSV(&b, ','))
	want := "'=cmd,x\n\"'=HYPERLINK(\"\"http://x\"\")\",-1\n'+1,1\n'-1,2\n'@SUM(1),3\n'\tx,4\na=b,5\n,6\n'＝1,7\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	var after bytes.Buffer
	if table.WriteCSV(&after, ','); after.String() != before.String() {
		t.Error("the table itself has changed")
	}
}
