package methods

import (
	"strings"
	"testing"

	"prgnn/internal/need"
)

// An exported file has age, sex and motion of the training participants, so a card lists none of these as missing.
func TestCardMissing(t *testing.T) {
	c := Card{Model: "logistic", Groups: []string{"A", "B"}, Files: []CardFile{{Name: "model.npz"}}}
	page := need.Value(c.Markdown())(t)
	for line := range strings.Lines(page) {
		missing := strings.Contains(line, "The files have no ")
		if missing && (strings.Contains(line, " age") || strings.Contains(line, " sex")) {
			t.Errorf("the card: %s", line)
		}
	}
	if !strings.Contains(page, "repetition time") {
		t.Error("the card does not state that the file has no repetition time")
	}
}
