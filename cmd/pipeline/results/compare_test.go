package results

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
)

func TestFormatsThatDiffer(t *testing.T) {
	if d := compareContents(Content{Format: "text"}, Content{Format: "npy"}); d == nil || d.Text != "text became npy" {
		t.Errorf("%+v", d)
	}
	if d := compareContents(Content{Format: "svg"}, Content{Format: "svg"}); d == nil || d.Kind != "bytes" {
		t.Errorf("%+v", d)
	}
}

func TestDifferencePrint(t *testing.T) {
	d := compareContents(
		Content{Table: encoding.NewTable(encoding.Column{Name: "n", Values: []int64{1, 2, 3, 4, 5, 6, 7}})},
		Content{Table: encoding.NewTable(encoding.Column{Name: "n", Values: []int64{1, 0, 0, 0, 0, 0, 0}})})
	var out strings.Builder
	PrintDifference(&out, d, "  ")
	want := "  row 2: n  2  →  0\n  row 3: n  3  →  0\n  row 4: n  4  →  0\n  row 5: n  5  →  0\n  row 6: n  6  →  0\n  … 1 more\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
