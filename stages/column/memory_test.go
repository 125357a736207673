package column

import (
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
)

// The memory of a task grows with the participants, their graphs and the square of the regions; above the ceiling, more
// slowly.
func TestMemory(t *testing.T) {
	m := Memory{Base: 100, Each: 10}
	bounded := Memory{Base: 100, Each: 10, Ceiling: 120, Packed: 5}
	for _, c := range []struct {
		m     Memory
		sizes dag.Sizes
		want  int64
	}{
		{m, nil, 100},
		{m, dag.Sizes{SizeParticipants: 7}, 170},
		{m, dag.Sizes{SizeParticipants: 7, SizeGraphs: 5, SizeRegions: 24}, 170},
		{m, dag.Sizes{SizeParticipants: 7, SizeGraphs: 22, SizeRegions: 168}, 100 + 70*2*4},
		{bounded, dag.Sizes{SizeParticipants: 1}, 110},
		{bounded, dag.Sizes{SizeParticipants: 7}, 145},
		{Memory{Base: 100, Each: 10, Ceiling: 120}, dag.Sizes{SizeParticipants: 7}, 120},
	} {
		need.Equal(t, c.m.For(c.sizes), c.want, c)
	}
}
