package results

import (
	"io"
	"strings"
	"testing"

	"prgnn/cmd/pipeline/console"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// A table shows the smallest p that its random draws can give as a report does, and other numbers as they are.
func TestShownP(t *testing.T) {
	var b strings.Builder
	a := console.New(nil, &b, io.Discard)
	printTable(a, column.Table([]column.PermutationTestRow{{Measure: "auc", Observed: 0.05, P: 0.05, Permutations: 19},
		{Measure: "accuracy", Observed: 0.7, P: 0.35, Permutations: 19}}), 5, "")
	need.NoError(t, a.Flush())
	for _, want := range []string{" ≤ 0.05\n", " 0.35"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "≤"); n != 1 {
		t.Errorf("%d bounds in\n%s", n, b.String())
	}
	b.Reset()
	printTable(a, column.Table([]column.FidelityRow{{Action: "keep", P: 0.5, Choices: 1}}), 5, "")
	need.NoError(t, a.Flush())
	if !strings.Contains(b.String(), " ≤ 0.5 ") {
		t.Errorf("no bound in\n%s", b.String())
	}
}
