package dag

import (
	"strings"
	"testing"

	"prgnn/dag/environment"
	"prgnn/internal/need"
)

// A recipe tells equal values from others, and set from not set, and holds no value.
func TestEnvironmentInRecipes(t *testing.T) {
	t.Setenv("TOKEN", "tok-0123456789")
	line := func() string { return string(environment.Append(nil, []string{"TOKEN", "PRGNN_NOT_SET"})) }
	first := line()
	if strings.Contains(first, "tok-") || !strings.HasPrefix(first, "environment PRGNN_NOT_SET\nenvironment TOKEN = argon2id ") {
		t.Errorf("the recipe says %q", first)
	}
	t.Setenv("TOKEN", "tok-0123456780")
	second := line()
	for _, c := range []struct{ old, now, want string }{
		{first, first, ""},
		{first, second, "environment TOKEN has changed"},
		{"environment TOKEN = \"tok-0123456789\"\n", first, "environment TOKEN has changed"}, // of an earlier version
		{"environment TOKEN\n", first, "environment TOKEN: not set → set"},
		{"", first, "environment PRGNN_NOT_SET is new: not set; environment TOKEN is new: set"},
	} {
		var got []string
		for _, d := range RecipeDifferences(c.old, c.now) {
			if d.Name != "PRGNN_NOT_SET" || c.old == "" {
				got = append(got, d.String())
			}
			if strings.Contains(d.Old+d.New, "tok-") || strings.Contains(d.Old+d.New, "argon2id") {
				t.Errorf("a difference tells %q and %q", d.Old, d.New)
			}
		}
		need.Equal(t, strings.Join(got, "; "), c.want)
	}
}
