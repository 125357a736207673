package export

import (
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Names of regions from others break no line of a TSV and reach no terminal as commands.
func TestNamedTSV(t *testing.T) {
	var b strings.Builder
	names := []string{"a\tb\nc", "R\x1b[31m\u009b31m", ""}
	need.NoError(t, writeNamed(&b, "Node", names[:1], names, []float64{1, 0.5, 0}))
	want := "Node\ta b c\tR\\u001b[31m\\u009b31m\tn/a\na b c\t1\t0.5\t0\n"
	need.Equal(t, b.String(), want)
}
