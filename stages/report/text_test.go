package report

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}}, {"one", []string{"one"}}, {"one two", []string{"one", "two"}},
		{"a b c d", []string{"a b c", "d"}},
		{"größer als", []string{"größe", "r als"}}, {"a p = 1 b", []string{"a", "p = 1", "b"}},
		{"a p < 2", []string{"a", "p < 2"}},
		{"abcdefghijkl m", []string{"abcde", "fghij", "kl m"}},
	} {
		if got := wrap(c.text, 5); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
