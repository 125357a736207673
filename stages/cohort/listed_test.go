package cohort

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/sheet"
)

// A few texts among numbers are named, with their participants; names made of digits, and texts, are no mistake.
func TestOddTexts(t *testing.T) {
	ids, ages := make([]string, 20), make([]string, 20)
	for i := range ids {
		ids[i], ages[i] = fmt.Sprintf("sub-%02d", i+1), fmt.Sprint(20+i)
	}
	with := func(at int, v string) []string {
		values := append([]string{}, ages...)
		values[at] = v
		return values
	}
	for _, v := range []string{"inf", "1e400", "n.a.", "-", ">30", "1,5", "0x1f"} {
		want := fmt.Sprintf("column age: 19 numbers and 1 text (%q of sub-04): taken as text", v)
		if got := oddTexts("age", with(3, v), ids); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	five := with(3, "?")
	for i := range 4 {
		five[10+i] = "unknown"
	}
	if got := oddTexts("age", five, ids); !strings.Contains(got, `15 numbers and 5 texts ("?" of sub-04, "unknown" of sub-11, "unknown" of sub-12 and 2 more)`) {
		t.Error(got)
	}
	l := &list{listed: &listed{ID: "id", Group: "group"}, sheet: &sheet.Sheet{Columns: []string{"id", "group", "age"}}}
	for i, age := range with(3, "inf") {
		l.rows = append(l.rows, listedRow{id: ids[i], label: "a",
			cells: cells{l.places(), []string{ids[i], "a", age}}})
	}
	if l.participants(nil); len(l.notes) != 1 || !strings.HasPrefix(l.notes[0], "column age: ") {
		t.Errorf("notes of a cohort: %q", l.notes)
	}
	for _, values := range [][]string{ages, with(3, ""), with(3, "007"), {"1", "2", "left", "right"}, {"", ""},
		{"a", "b"}} {
		need.Equal(t, oddTexts("score", values, ids), "", values)
	}
}
