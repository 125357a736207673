package section

import (
	"math"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/report"
)

// Whole numbers are written as such, also 0 and 1 among others and in a column of codes; shares have three places.
func TestNumbersOfATable(t *testing.T) {
	column := func(name, doc string, v ...float64) encoding.Column {
		return encoding.Column{Name: name, Doc: doc, Values: v}
	}
	w := NewWriter(nil)
	table := w.WholeTable(encoding.NewTable(column("eye_status", "", 1, 2, 0),
		column("asd", "", 1, 0, math.NaN()), column("ados", "", 1, 2.5, 0), column("accuracy", "share of correct predictions", 1, 0, 1),
		column("fd", "", 1, 0.25, 0.0625), column("p", "", 1, 0.5, 0.0001)), 10)
	need.NoError(t, w.Err())
	for i, want := range []string{"1 1 1 1.000 1.000 1.000", "2 0 2.5 0.000 0.250 0.500", "0 n/a 0 1.000 0.062 < 0.001"} {
		need.Equal(t, strings.Join(lists.Map(table.Rows[i], func(c report.Cell) string { return c.Text }), " "), want)
	}
}
