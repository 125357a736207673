package performance

import (
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// Rows of a figure have different labels: long names lose what all have in common, and those that would be equal when
// they are cut are whole.
func TestLabels(t *testing.T) {
	for names, want := range map[string]string{
		"ridge|svm": "ridge|svm",
		"ridge, band all, trend one|svm, band all, trend one": "ridge|svm",
		"ridge, band all, trend one|ridge, band all, trend 2": "trend one|trend 2",
		"a long name that is the same 1|a long name that is the same 2": "a long name that is the same 1|" +
			"a long name that is the same 2",
		"a long name that begins here|of another": "a long name that be…|of another",
	} {
		need.Equal(t, strings.Join(labels(strings.Split(names, "|"), 20), "|"), want)
	}
}

// Of many universes, figures have the setting of each classifier that shares most options with the headline.
func TestReference(t *testing.T) {
	var all []string
	for _, of := range []string{"ridge", "svm", "logistic"} {
		for _, rest := range []string{"a 1", "a 2", "b 1"} {
			all = append(all, of+" "+rest)
		}
	}
	a := &Results{Results: &finding.Results{Plan: &finding.Settings{}}}
	of := func(s string) ([]dag.Coord, string) {
		part := strings.Fields(s)
		return []dag.Coord{{Axis: "band", Value: part[1]}, {Axis: "trend", Value: part[2]}}, part[0]
	}
	need.Equal(t, len(reference(a, all, 9, of, 4)), 9) // no universes
	a.Plan.Decisions = column.Decisions{Universes: [][]int32{{0}}}
	need.Equal(t, strings.Join(reference(a, all, 9, of, 4), "|"), "ridge a 2|svm a 2|logistic a 2")
	need.Equal(t, len(reference(a, all[:8], 8, of, 4)), 8) // few
	need.Equal(t, len(reference(a, all[:6], 9, of, 4)), 2) // a page of some settings has the figures of the others
}
