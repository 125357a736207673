package progress

import (
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/record"
)

// A Past is the record of each task of a graph from when it last ran.
type Past map[string]*record.Task

// Remember reads the recorded runs of a graph's pipeline.
func Remember(g *dag.Graph, s *disk.Store) Past { return record.LastRan(g, s) }

// A taken is what a task took: seconds, and bytes of results.
type taken struct{ seconds, bytes float64 }

// means are those of the tasks of each stage.
func (p Past) means() map[string]taken {
	means, n := map[string]taken{}, map[string]float64{}
	for id, t := range p {
		stage, bytes := dag.StageOf(id), 0.0
		for _, out := range t.Outputs {
			bytes += float64(out.Size)
		}
		n[stage]++
		m := means[stage]
		means[stage] = taken{m.seconds + (t.Seconds-m.seconds)/n[stage], m.bytes + (bytes-m.bytes)/n[stage]}
	}
	return means
}
