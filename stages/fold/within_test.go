package fold

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// The smallest p of a test of retrained models is that of its different permutations: one label of three in each of two
// sites of a fold gives 3 · 3 = 9, however often permutations drew the true labels.
func TestBounds(t *testing.T) {
	ids := strings.Split("abcdef", "")
	sites := need.Value(ReadSites(dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "site", Values: strings.Split("xxxyyy", "")})), "site"))(t)
	of := Tested{}
	for i, id := range ids {
		of.Participants = append(of.Participants, Case{Id: id, Label: i % 3 % 2})
	}
	for _, c := range []struct {
		test        string
		least, want float64
	}{{column.Retrained, 0.095, 1.0 / 9}, {column.Retrained, 0.2, 0.2}, {column.PerFold, 0.095, 0.095}} {
		chance := Chance{Test: c.test, Least: c.least, Permutations: 199}
		need.NoError(t, sites.Bounds(&chance, []Tested{of}))
		need.Equal(t, fmt.Sprint(chance.Least), fmt.Sprint(c.want), c)
	}
}
