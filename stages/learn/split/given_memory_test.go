package split

import (
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// permute-given asks for more than it was measured to take (docs/scale.md): in all pairs of participants, up to the
// number whose labels it permutes.
func TestMemoryOfPermuteGiven(t *testing.T) {
	of := func(n int) int64 { return permuteGivenKind.MemoryFor(dag.Sizes{column.SizeParticipants: n}) }
	for n, measured := range map[int]int64{1000: 86e6, 4000: 421e6} {
		if got := of(n); got < measured || got > 2*measured {
			t.Errorf("%d participants: %d bytes, measured %d", n, got, measured)
		}
	}
	need.Equal(t, of(mostGiven)-of(mostGiven-1), 50e3+16*(2*mostGiven-1))
	need.Equal(t, of(mostGiven+1) < of(mostGiven)/2, true)
}
