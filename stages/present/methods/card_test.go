package methods

import (
	"fmt"
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

// The regions that a model does not use are listed and not counted as used.
func TestCardLeftOut(t *testing.T) {
	for _, c := range []struct {
		out    []string
		among  int
		listed string
	}{{nil, 84, ""}, {[]string{"5 (l.A)"}, 83, "1 region of these was excluded for all participants and is not used by the model: 5 (l.A)."},
		{[]string{"5 (l.A)", "14 (r.B)"}, 82, "2 regions of these were excluded for all participants and are not used by the model: 5 (l.A) and 14 (r.B)."},
	} {
		card := Card{Model: "logistic", Groups: []string{"A", "B"}, Regions: 84, LeftOut: c.out, Atlas: "X",
			Files: []CardFile{{Name: "model.npz"}}}
		page := strings.Join(strings.Fields(need.Value(card.Markdown())(t)), " ")
		for _, want := range []string{fmt.Sprintf("among %d brain regions.", c.among), "of 84 regions of the atlas X.", c.listed} {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in\n%s", want, page)
			}
		}
		need.Equal(t, strings.Contains(page, "excluded"), c.out != nil)
	}
}
