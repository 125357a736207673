package encoding

import (
	"bytes"
	"io"
	"testing"

	"prgnn/internal/need"
)

func TestWriteArrowRefuses(t *testing.T) {
	for message, a := range map[string]*Array{
		"two or more axes are needed":        NewArray([]float64{1}, 1),
		"rows of shape [0] are empty":        NewArray([]float64{}, 3, 0),
		"2 names for the 3 axes of an array": NewArray([]float64{1}, 1, 1, 1),
	} {
		axes := []string{"a", "b"}
		if len(a.Shape) == 1 {
			axes = nil
		}
		need.Error(t, a.WriteArrow(io.Discard, "x", axes, nil), message, a.Shape)
	}
	var b bytes.Buffer
	need.NoError(t, NewArray(Counted[uint8](), 2, 12).WriteArrow(&b, "x", nil, nil))
	// As a column of a table, tensors pass through.
	file := b.Bytes()
	tensors := need.Value(ReadTable(bytes.NewReader(file)))(t)
	need.Equal(t, tensors.Columns[0].Value(1), any(Nested("[12,13,14,15,16,17,18,19,20,21,22,23]")))
	if !bytes.Equal(Encoded(t, tensors), file) {
		t.Error("tensors are written as other bytes than they were read")
	}
}
