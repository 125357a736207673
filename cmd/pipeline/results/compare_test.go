package results

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/pipelines/differ"
	_ "prgnn/stages" // the kinds
)

func TestDifferencePrint(t *testing.T) {
	table := func(n ...int64) differ.Content {
		return differ.Content{Table: encoding.NewTable(encoding.Column{Name: "n", Values: n})}
	}
	var out strings.Builder
	PrintDifference(&out, differ.Values(table(1, 2, 3, 4, 5, 6, 7), table(1, 0, 0, 0, 0, 0, 0)), "  ")
	want := "  row 2: n  2  →  0\n  row 3: n  3  →  0\n  row 4: n  4  →  0\n  row 5: n  5  →  0\n  row 6: n  6  →  0\n  … 1 more\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
