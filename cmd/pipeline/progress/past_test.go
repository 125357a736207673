package progress

import (
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/need"
)

// refs are outputs of these sizes, each with bytes of its own.
func refs(task string, sizes map[string]int64) (refs artifacts.Refs) {
	for name, n := range sizes {
		refs.Set(name, artifacts.Ref{Digest: artifacts.DigestOf([]byte(task + name)), Size: n})
	}
	return refs
}

// A task that has not run has results as large as the mean of its stage. A copy that the store has is counted once.
func TestEstimatedBytes(t *testing.T) {
	b := dag.NewGraph("test")
	stage := b.Stage("series", nil)
	past := Past{"series[1]": {Outputs: refs("same", map[string]int64{"series": 100})},
		"series[2]": {Outputs: refs("same", map[string]int64{"series": 100})},
		"series[3]": {Outputs: refs("other", map[string]int64{"series": 30, "quality": 10})}}
	for want, ids := range map[float64][]string{100: {"series[1]", "series[2]"},
		140: {"series[1]", "series[2]", "series[3]"}, 80: {"series[4]"}, 120: {"series[3]", "series[4]"}} {
		var steps []engine.Step
		for _, id := range ids {
			steps = append(steps, engine.Step{Node: b.TaskNamed(stage, nil, id), State: engine.Stale})
		}
		need.Equal(t, Estimated(steps, past, 1).Bytes, want, ids)
	}
}

func TestNoRoom(t *testing.T) {
	need.Equal(t, Estimate{Tasks: 1, Bytes: 1e9}.noRoom("S", 1e9), "")
	need.Equal(t, Estimate{Tasks: 2, Unknown: 2, Bytes: 2e9}.noRoom("S", 1e9), "")
	need.Equal(t, Estimate{Tasks: 1, Bytes: 2e9}.noRoom("S", 1e9), "the disk of S has 1 GB free and may not hold what is to run: "+
		"about 2 GB of results, from earlier runs; free space (pipeline gc), or keep the results on another disk (--store DIR)")
}
