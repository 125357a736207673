package cli

import (
	"slices"
	"testing"
)

// --slurm-args is a line of words, quoted as in a shell.
func TestShellWords(t *testing.T) {
	for text, want := range map[string][]string{
		"--partition=long  --nice=5":     {"--partition=long", "--nice=5"},
		`--comment="two words" -p 'a b'`: {"--comment=two words", "-p", "a b"},
		`--comment=it"'"s ''`:            {"--comment=it's", ""},
		" ":                              nil,
	} {
		if got, err := shellWords(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	if _, err := shellWords(`--comment="two`); err == nil {
		t.Error("an open quote is taken")
	}
}
