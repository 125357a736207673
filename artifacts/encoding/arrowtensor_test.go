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
	_, err := ReadTable(&b)
	if want := `arrow: column "x" has type fixed_size_list: only text, numbers and Booleans can be read`; err == nil || err.Error() != want {
		t.Error(err)
	}
}
