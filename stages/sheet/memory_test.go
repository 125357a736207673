package sheet

import (
	"bytes"
	"strings"
	"testing"

	"prgnn/internal/peak"
)

// A table of nothing but separators is refused before it takes memory.
func TestMemory(t *testing.T) {
	peak.Below(t, 250, func(t *testing.T) {
		_, err := Read(bytes.NewReader(bytes.Repeat([]byte{','}, maxBytes)), "p.csv")
		if err == nil || !strings.Contains(err.Error(), "more than the limit of 8388608 values") {
			t.Error(err)
		}
	})
}
