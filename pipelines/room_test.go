package pipelines

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"prgnn/internal/peak"
	"prgnn/pipelines/tree"
)

// A few lines that stand for gigabytes are refused, and cost little memory.
func TestExpansionIsBounded(t *testing.T) {
	// doubling is a chain of variables, each ten times the one before.
	doubling := func(first, each string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "vars:\n  v0: %s\n", first)
		for i := range 12 {
			fmt.Fprintf(&b, "  v%d: %s\n", i+1, strings.ReplaceAll(each, "V", fmt.Sprintf("${v%d}", i)))
		}
		return b.String()
	}
	// nines is a list of nine lists of nine lists …, 9¹⁰ values by aliases.
	nines := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'j'; c++ {
		nines += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9))
	}
	ten := func(s, sep string) string { return strings.TrimSuffix(strings.Repeat(s+sep, 10), sep) }
	stages := "stages:\n  a:\n    use: echo\n    with: { value: \"${v12}\" }\n"
	axis := "stages:\n  a:\n    use: echo\n    matrix: { value: [1..1000], other: [1..900] }\n    with: { nothing: 1 }\n"
	for _, c := range []struct{ name, file, want string }{
		{"texts", doubling("xxxxxxxxxx", `"`+ten("V", "")+`"`) + stages, "larger than 16 MiB once its aliases and variables are written out"},
		{"lists", doubling("[1, 2]", "["+ten(`"V"`, ", ")+"]") + stages, "larger than 16 MiB"},
		{"aliases of lists", nines, "larger than 16 MiB"},
		{"aliases of a long text", "vars:\n  a: &a " + strings.Repeat("x", 100_000) + "\n  b: [" + ten("*a", ", ") +
			"]\n  c: [" + strings.Repeat("*a, ", 1000) + "]\n" + axis, "larger than 16 MiB"},
		{"values", "stages: [" + strings.Repeat("x, ", 200_000) + "x]\n", "x.yaml:1:1: the file is larger than 16 MiB"},
		{"long names of many tasks", "stages:\n  a:\n    use: echo\n    matrix: { n: [1..9000], other: [" + strings.Repeat("x", 100_000) + ", " + strings.Repeat("y", 100_000) + "] }\n    with: { value: \"${n}${other}\" }\n", "take more than 256 MiB"},
		{"a long text for each of many tasks", "vars: { long: " + strings.Repeat("x", 100_000) + " }\nstages:\n  a:\n    use: echo\n    matrix: { n: [1..100000] }\n    with: { value: \"${long}${n}\" }\n", "take more than 256 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			peak.Below(t, 200, func(t *testing.T) {
				_, err := LoadText("x.yaml", c.file, t.TempDir(), nil)
				var mistakes tree.Errors
				if !errors.As(err, &mistakes) || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 20_000 ||
					strings.Contains(err.Error(), "is empty") {
					t.Errorf("%.2000v", err)
				}
			})
		})
	}
}
