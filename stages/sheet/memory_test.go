package sheet

import (
	"bytes"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/peak"
)

// A table of nothing but separators is refused before it takes memory.
func TestMemory(t *testing.T) {
	peak.Below(t, 250, func(t *testing.T) {
		_, err := Read(bytes.NewReader(bytes.Repeat([]byte{','}, maxBytes)), "p.csv")
		need.Error(t, err, "more than the limit of 8388608 values")
	})
}
