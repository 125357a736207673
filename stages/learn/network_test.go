package learn

import (
	"fmt"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// A parameter of another model is refused, and so is a stage without a model.
func TestNetworkRefuses(t *testing.T) {
	for _, c := range []struct {
		with []any
		want string
	}{
		{nil, "[model: not set: choose bnt, braingnn or meanmlp]"},
		{[]any{"model", "bnt"}, "[]"}, {[]any{"model", "meanmlp"}, "[]"},
		{[]any{"model", "braingnn", "variant", "authors-code"}, "[]"},
		{[]any{"model", "bnt", "variant", "authors-code"}, "[variant: not a parameter of bnt, but of braingnn: remove it]"},
		{[]any{"model", "meanmlp", "weight_decay", 0.1, "heads", 2},
			"[weight_decay: not a parameter of meanmlp, but of bnt and braingnn: remove it " +
				"heads: not a parameter of meanmlp, but of bnt: remove it]"},
	} {
		need.Equal(t, fmt.Sprint(stagetest.Fresh("network", c.with...).(*Network).Validate()), c.want, c.with)
	}
}
