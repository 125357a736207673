package fold

import (
	"slices"
	"strings"
	"testing"
)

// Whoever is to be left out is found again in the message, whatever stands around it and however far it is indented.
func TestDuplicatesIn(t *testing.T) {
	text := DuplicateText([]Duplicate{{First: "sub-1", Later: "sub-4", How: "are equal"},
		{First: "sub-2", Later: "sub-3", How: "are equal"}, {First: "sub-1", Later: "sub-3", How: "are equal"}})
	for _, message := range []string{text, "leakage: 1 violation:\n  " + strings.ReplaceAll(text, "\n", "\n      ") + "\nmore (exclude: [sub-9])"} {
		if got := DuplicatesIn(message); !slices.Equal(got, []string{"sub-1", "sub-4", "sub-2", "sub-3"}) {
			t.Errorf("%q in\n%s", got, message)
		}
	}
	if got := DuplicatesIn("to go on without it: exclude: [sub-1]"); got != nil {
		t.Errorf("%q", got)
	}
}
