package present

import (
	"testing"

	"prgnn/internal/need"
)

// What chance gives of a count is no whole number: the table shows the digit that the text shows.
func TestBesideChance(t *testing.T) {
	for _, c := range []struct {
		x, chance float64
		digits    int
		want      string
	}{{3, 0.1417, 0, "3 (0.1)"}, {4.6, 1.19, 1, "4.6 (1.2)"}, {3, 0.02, 0, "3 (0.0)"},
		{0.25, 0.066, 2, "0.25 (0.07)"}} {
		need.Equal(t, besideChance(c.x, c.chance, c.digits), c.want, c)
	}
}
