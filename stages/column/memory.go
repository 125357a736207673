package column

import "prgnn/dag"

// Sizes of the data of a stage's tasks (dag.Sizes), as a loader counts them.
const (
	SizeParticipants = "participants" // whose data come together in one task, at most
	SizeGraphs       = "graphs"       // of each of them, where a training reads graphs
	SizeRegions      = "regions"      // of each graph, where a training reads graphs
)

// A Memory is what a task takes that gathers participants, in bytes: docs/scale.md has the measurements.
type Memory struct {
	Base    int64
	Each    int64 // of a participant with eleven graphs of 84 regions; it grows with the graphs and regions² beyond
	Ceiling int64 // above which each participant takes Packed in place of Each; 0: none
	Packed  int64
}

// For is the memory for data of these sizes.
func (m Memory) For(s dag.Sizes) int64 {
	graphs, regions := float64(max(11, s[SizeGraphs]))/11, float64(max(84, s[SizeRegions]))/84
	bytes := m.Base + int64(float64(s[SizeParticipants])*float64(m.Each)*graphs*regions*regions)
	if m.Ceiling > 0 && bytes > m.Ceiling {
		bytes = m.Ceiling + int64(float64(bytes-m.Ceiling)*float64(m.Packed)/float64(m.Each))
	}
	return bytes
}
