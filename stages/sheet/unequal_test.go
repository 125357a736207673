package sheet

import (
	"testing"

	"prgnn/internal/need"
)

// An offered expression selects the rows that do not have the value.
func TestUnequal(t *testing.T) {
	for value, want := range map[string]string{
		"HC": "dx != HC", "not ASD": `dx != "not ASD"`, "1,0": `dx != "1,0"`, "in": `dx != "in"`, "&": `dx != "&"`,
		"a=b": `dx != "a=b"`, `"A" [1]`: `dx != '"A" [1]'`, `"A" 'B'`: "", "NaN?": "dx != NaN?",
	} {
		need.Equal(t, Unequal("dx", value), want, value)
	}
	need.Equal(t, Unequal("DX GROUP", "HC"), "`DX GROUP` != HC")
}
