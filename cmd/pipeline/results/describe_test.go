package results

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/internal/need"
	"prgnn/pipelines/differ"
)

// The corners of a large matrix stand in columns, however wide the number in any shown row.
func TestPrintCorners(t *testing.T) {
	values := make([]float64, 12*12)
	values[4*12], values[8*12+1] = -0.123456, -123456 // row 4 is left out, row 8 is shown
	var b strings.Builder
	printCorners(&b, 0, len(values), func(i int) string { return fmt.Sprintf("%.6g", values[i]) }, []int{12, 12}, "  ")
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if len(lines) != 9 || strings.Contains(b.String(), "0.123456") {
		t.Fatalf("%d lines:\n%s", len(lines), b.String())
	}
	if got := strings.Join(strings.Fields(lines[5]), " "); got != "0 -123456 0 0 … 0 0 0 0" {
		t.Errorf("row 8 is %q", got)
	}
	for _, l := range lines {
		if len([]rune(l)) != len([]rune(lines[0])) {
			t.Errorf("lines differ in width:\n%s", b.String())
			break
		}
	}
	b.Reset()
	printCorners(&b, 32, len(values), func(i int) string { return fmt.Sprintf("%.6g", values[i]) }, []int{12, 12}, "  ")
	lines = strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if got := strings.Join(strings.Fields(lines[5]), " "); len(lines) != 9 || got != "0 -123456 0 … 0 0 0" {
		t.Errorf("on 32 columns, row 8 is %q", got)
	}
	c := Content{differ.Content{Array: encoding.NewArray([]complex64{1, 0.5i, -2 - 1i}, 3)}}
	b.Reset()
	a := console.New(nil, &b, io.Discard)
	c.Print(a, 3, "")
	need.NoError(t, a.Flush())
	need.Equal(t, strings.Join(strings.Fields(b.String()), " "), "<c8 [3] 1+0j 0+0.5j -2-1j")
	need.Equal(t, c.JSON(2).Head[1], any("0+0.5j"))
	b.Reset()
	printCorners(&b, 0, 3, func(i int) string { return fmt.Sprint(i + 1) }, []int{3}, "")
	if got := strings.Join(strings.Fields(b.String()), " "); got != "1 2 3" {
		t.Errorf("a vector is %q", got)
	}
}
