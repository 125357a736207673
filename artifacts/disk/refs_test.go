package disk

import (
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/internal/need"
)

// A record of outputs out of order would not be read again, so none is written.
func TestRefsInOrder(t *testing.T) {
	ref := artifacts.Ref{Format: "npy"}
	for _, refs := range []artifacts.Refs{{{Name: "b", Ref: ref}, {Name: "a", Ref: ref}}, {{Name: "a",
		Ref: ref}, {Name: "a", Ref: ref}}} {
		_, err := record.EncodeAction(artifacts.Action{Outputs: refs})
		need.Error(t, err, "outputs stand in the order of their names")
	}
}
