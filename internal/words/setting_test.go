package words

import (
	"testing"

	"prgnn/internal/need"
)

// A command writes the settings of an error as its flags, those of an error within it too.
func TestRefusalIn(t *testing.T) {
	hint := Refuse("; %s", Setting{Parameter: "allow", Values: []string{"a", "b"}, Lead: "set"})
	err := Refuse("%s: %d differ%v", Setting{Parameter: "allow"}, 2, hint)
	need.Equal(t, err.Error(), "allow: 2 differ; set allow: [a, b]")
	flag := func(s Setting) string { return "--" + s.Parameter + " " + s.Lead }
	need.Equal(t, err.(*Refusal).In(flag), "--allow : 2 differ; --allow set")
}
